"""ashlar view as a command: what it prints, how it ends, what it refuses. The server itself is tested in tests/view."""
import json
import os
import re
import signal
import socket
import subprocess
import unittest
import urllib.error
import urllib.request

from program import PROGRAM, ProgramTest


class View(ProgramTest):
    def start(self, *words):
        """The program while it serves, after it has told its address."""
        child = subprocess.Popen([PROGRAM, "view", "--no-open", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env={**os.environ, "DISPLAY": "", "WAYLAND_DISPLAY": ""})
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.stderr.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def test_it_tells_its_address_and_ends_in_order(self):
        for end in (signal.SIGINT, signal.SIGTERM):
            child = self.start("free-fall")
            address = child.stdout.readline().rstrip("\n")
            self.assertRegex(address, r"^http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{32}$")
            self.assertEqual(child.stdout.readline(), "open this in a browser; Ctrl-C ends\n")
            with urllib.request.urlopen(address) as page:
                self.assertIn(b"<title>Ashlar</title>", page.read())
            child.send_signal(end)
            self.assertEqual(child.wait(timeout=60), 0)
            self.assertEqual(child.stderr.read(), "")

    def test_json_and_a_port_of_ones_own(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        child = self.start("free-fall", "--json", "--port", str(port))
        text = ""
        while not text.endswith("}\n"):
            text += child.stdout.readline()
        told = json.loads(text)
        self.assertEqual((told["host"], told["port"]), ("127.0.0.1", port))
        self.assertEqual(told["address"], f"http://127.0.0.1:{port}/?token={told['token']}")
        self.assertIn(f"view: cannot listen at 127.0.0.1, port {port}: Address already in use",
                      self.refused("view", "free-fall", "--no-open", "--port", str(port)))
        with self.assertRaises(urllib.error.HTTPError) as refusal:  # as a page of another name that points here would
            urllib.request.urlopen(urllib.request.Request(told["address"], headers={"Host": f"rebound.example:{port}"}))
        self.assertEqual(refusal.exception.code, 403)
        refusal.exception.close()
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(timeout=60), 0)

    def test_what_cannot_be_served_is_refused(self):
        self.assertIn('--address is "example.com": expected an IP address', self.refused("view", "free-fall", "--address", "example.com"))
        self.assertIn('--port is "65536", expected a whole number from 0 to 65535', self.refused("view", "free-fall", "--port", "65536"))
        self.assertRegex(self.refused("view", "free-fal"), r'free-fal')
        self.assertRegex(self.refused("view", "no-such-recording.h5"), re.escape("no-such-recording.h5"))


if __name__ == "__main__":
    unittest.main()
