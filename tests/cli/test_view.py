"""ashlar view as a command: what it prints, how it ends, what it refuses. The server itself is tested in tests/view."""
import json
import os
import re
import resource
import signal
import socket
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request

from program import PROGRAM, ProgramTest


def listeners(port):
    """Where the system has somebody listening at the port, as it writes addresses."""
    found = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if os.path.exists(table):
            with open(table, encoding="ascii") as lines:
                rows = [line.split() for line in lines][1:]
            found += [row[1].split(":")[0] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == port]
    return found


class Flood:
    """Connections that say nothing, or too little, and are opened again whenever the server closes them."""

    def __init__(self, port, count):
        self.port, self.count, self.renewals, self.over = port, count, 0, False
        self.taken = threading.Event()
        self.thread = threading.Thread(target=self.press)

    def __enter__(self):
        self.thread.start()
        self.taken.wait(60)
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join()

    def connect(self, number):
        one = socket.create_connection(("127.0.0.1", self.port))
        one.settimeout(0)
        if number % 2:
            one.send(b"GET / HTTP/1.1")
        return one

    def press(self):
        sockets = [self.connect(i) for i in range(self.count)]
        while not self.over:
            time.sleep(0.005)
            for i, one in enumerate(sockets):
                try:
                    closed = one.recv(1) == b""
                except BlockingIOError:
                    closed = False
                except ConnectionError:
                    closed = True
                if closed:
                    one.close()
                    sockets[i] = self.connect(i)
                    self.renewals += 1
                    if self.renewals >= self.count:
                        self.taken.set()
        for one in sockets:
            one.close()


class View(ProgramTest):
    def start(self, *words, descriptors=None):
        """The program while it serves, after it has told its address."""
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))) if descriptors else None
        child = subprocess.Popen([PROGRAM, "view", "--no-open", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env={**os.environ, "DISPLAY": "", "WAYLAND_DISPLAY": ""}, preexec_fn=limit)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.stderr.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def test_it_tells_its_address_and_ends_in_order(self):
        for end in (signal.SIGINT, signal.SIGTERM):
            child = self.start("free-fall")
            address = child.stdout.readline().rstrip("\n")
            self.assertRegex(address, r"^http://127\.0\.0\.1:\d+/[0-9a-f]{32}/$")
            self.assertEqual(child.stdout.readline(), "open this in a browser; Ctrl-C stops the viewer\n")
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
        self.assertEqual(told["address"], f"http://127.0.0.1:{port}/{told['token']}/")
        self.assertIn(f"view: cannot listen at 127.0.0.1, port {port}: another program uses this port; choose another with --port",
                      self.refused("view", "free-fall", "--no-open", "--port", str(port)))
        with self.assertRaises(urllib.error.HTTPError) as refusal:  # as a page of another name that points here would
            urllib.request.urlopen(urllib.request.Request(told["address"], headers={"Host": f"rebound.example:{port}"}))
        self.assertEqual(refusal.exception.code, 403)
        refusal.exception.close()
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(timeout=60), 0)

    def end(self, child):
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(timeout=60), 0)
        return child.stderr.read()

    def test_it_listens_where_it_says(self):
        child = self.start("free-fall")
        port = int(re.search(r":(\d+)/", child.stdout.readline())[1])
        self.assertEqual(listeners(port), ["0100007F"])
        for other in ("127.0.0.2", "::1"):
            with self.assertRaises(OSError), socket.create_connection((other, port)):
                pass
        self.assertEqual(self.end(child), "")

    def test_other_addresses_are_served_with_a_warning(self):
        encrypted = "connections are not encrypted: whoever sees the traffic learns the token, and can then control the viewer"
        for address, host, bound, who in (
            ("localhost", "127.0.0.1", "0100007F", None),
            ("127.0.0.2", "127.0.0.2", "0200007F", None),
            ("::1", "[::1]", "00000000000000000000000001000000", None),
            ("0.0.0.0", "127.0.0.1", "00000000", "all IPv4 addresses of this machine: every machine that reaches one of them can connect"),
            ("::", "[::1]", "0" * 32, "all IPv6 addresses of this machine: every machine that reaches one of them can connect"),
        ):
            if ":" in address and not os.path.exists("/proc/net/if_inet6"):
                continue
            with self.subTest(address=address):
                child = self.start("free-fall", "--address", address)
                url = child.stdout.readline().rstrip("\n")
                self.assertTrue(url.startswith(f"http://{host}:"), url)
                with urllib.request.urlopen(url) as page:
                    self.assertIn(b"<title>Ashlar</title>", page.read())
                self.assertEqual(listeners(int(re.search(r":(\d+)/", url)[1])), [bound])
                said = self.end(child)
                if who is None:
                    self.assertEqual(said, "")
                else:
                    self.assertIn(who, said)
                    self.assertIn(encrypted, said)

    def test_a_flood_does_not_keep_the_user_out(self):
        for descriptors in (None, 40):  # as many as it likes, or so few that strangers take them all
            with self.subTest(descriptors=descriptors):
                child = self.start("free-fall", descriptors=descriptors)
                url = child.stdout.readline().rstrip("\n")
                with Flood(int(re.search(r":(\d+)/", url)[1]), 200):
                    for name in 3 * ("", "page.js", "style.css"):
                        with urllib.request.urlopen(url + name, timeout=60) as page:
                            self.assertGreater(len(page.read()), 1000)
                self.assertEqual(self.end(child), "")

    def test_without_the_token_nothing_is_served(self):
        child = self.start("free-fall")
        url = child.stdout.readline().rstrip("\n")
        root = url[: url.index("/", len("http://")) + 1]
        for path in ("", "page.js", "style.css", "live", "0" * 32 + "/", "?token=" + url[-33:-1]):
            with self.assertRaises(urllib.error.HTTPError) as refusal:
                urllib.request.urlopen(root + path)
            self.assertEqual(refusal.exception.code, 403)
            self.assertIn(b"lacks the token", refusal.exception.read())
            refusal.exception.close()
        self.assertEqual(self.end(child), "")

    def test_what_cannot_be_served_is_refused(self):
        self.assertIn('--address is "example.com": expected an IP address', self.refused("view", "free-fall", "--address", "example.com"))
        self.assertIn('--address is "fe80::1": browsers cannot open link-local addresses', self.refused("view", "free-fall", "--address", "fe80::1"))
        self.assertIn("view: cannot listen at 192.0.2.1: this machine has no such address",
                      self.refused("view", "free-fall", "--no-open", "--address", "192.0.2.1"))
        self.assertIn('--port is "65536", expected a whole number from 0 to 65535', self.refused("view", "free-fall", "--port", "65536"))
        self.assertRegex(self.refused("view", "free-fal"), r'free-fal')
        self.assertRegex(self.refused("view", "no-such-recording.h5"), re.escape("no-such-recording.h5"))


if __name__ == "__main__":
    unittest.main()
