"""Where the output goes: full disks, closed pipes, terminals with a progress bar and colour, and signals."""
import errno
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

from program import PROGRAM, ProgramTest, environment

ENDLESS = ("run", "oscillator", "--time", "1e7", "--step", "0.001")


class Trouble(ProgramTest):
    def test_a_full_disk_is_told(self):
        for arguments in (["list"], ["list", "--json"], ["--help"], ["run", "--help"], ["--version"],
                          ["run", "oscillator", "--time", "1"], ["export", "oscillator"],
                          ["validate", "free-fall"], ["validate", "free-fall", "--json"]):
            with open("/dev/full", "w", encoding="ascii") as full:
                result = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                                        cwd=self.folder.name, env=environment(), timeout=100)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("cannot write to standard output: No space left on device", result.stderr, arguments)

    def test_a_closed_pipe_is_told(self):
        for arguments in (["list"], ["export", "string"], ["validate", "free-fall"]):
            reading, writing = os.pipe()
            os.close(reading)
            result = subprocess.run([PROGRAM, *arguments], stdout=writing, stderr=subprocess.PIPE, text=True,
                                    env=environment(), timeout=100)
            os.close(writing)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("cannot write to standard output", result.stderr)

    def test_closed_standard_output_is_not_taken_by_a_file(self):
        result = subprocess.run(["sh", "-c", '"$0" run oscillator --time 1 --out results >&-', PROGRAM],
                                stderr=subprocess.PIPE, text=True, cwd=self.folder.name, env=environment(), timeout=100)
        self.assertEqual(result.returncode, 2)
        self.assertIn("cannot write to standard output", result.stderr)
        with open(self.path("results/outputs.csv"), encoding="utf-8") as file:
            self.assertNotIn("method", file.read())  # no part of the summary

    def test_closed_standard_error_is_survived(self):
        result = subprocess.run(["sh", "-c", '"$0" run strng 2>&-', PROGRAM], env=environment(), timeout=100)
        self.assertEqual(result.returncode, 2)


class Terminal(ProgramTest):
    def on_terminal(self, *arguments, stop_after=None, window=(50, 100), output="terminal", **variables):
        """Runs the program with a pseudo-terminal for standard error, and for standard output unless that is a pipe.
        Sends SIGINT once `stop_after` matched on the terminal. Gives the exit status, the terminal's text and the pipe's."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *window, 0, 0))
        process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stderr=slave,
                                   stdout=slave if output == "terminal" else subprocess.PIPE, cwd=self.folder.name,
                                   env=environment(TERM="xterm", **variables))
        os.close(slave)
        seen, deadline = b"", time.monotonic() + 60
        while time.monotonic() < deadline:
            if not select.select([master], [], [], 0.1)[0]:
                continue
            try:
                piece = os.read(master, 65536)
            except OSError as error:  # the program has ended
                if error.errno == errno.EIO:
                    break
                raise
            seen += piece
            if stop_after and re.search(stop_after, seen.decode(errors="replace")):
                process.send_signal(signal.SIGINT)
                stop_after = None
        os.close(master)
        piped = process.communicate(timeout=30)[0] or b""
        return process.returncode, seen.decode(), piped.decode()

    def test_a_progress_bar_is_drawn_and_erased(self):
        status, screen, _ = self.on_terminal(*ENDLESS, stop_after=r"left")
        self.assertEqual(status, 130)
        self.assertRegex(screen, r"oscillator  \[.*\] +\d+ %  \S+ of 1e\+07 s  \S+x real time  \S+ left")
        bar = screen.rindex("real time  ")
        self.assertIn("\r\033[K", screen[bar:])
        self.assertIn("stopped by Ctrl-C", screen)

    def test_the_bar_leaves_piped_output_alone(self):
        status, screen, piped = self.on_terminal(*ENDLESS, "--json", stop_after=r"left", output="pipe")
        self.assertEqual(status, 130)
        self.assert_summary(json.loads(piped))
        self.assertIn("real time", screen)

    def test_colour_is_for_terminals_that_want_it(self):
        self.assertIn("\033[1m", self.on_terminal("list")[1])
        self.assertNotIn("\033", self.on_terminal("list", NO_COLOR="1")[1])
        self.assertIn("\033[31m", self.on_terminal("run", "strng")[1])

    def test_braille_is_for_utf8_terminals(self):
        plot = ("run", "oscillator", "--time", "10", "--plot", "x")
        self.assertRegex(self.on_terminal(*plot, LANG="C.UTF-8")[1], "[\u2801-\u28ff]")
        self.assertTrue(self.on_terminal(*plot, LANG="C")[1].isascii())

    def test_lists_are_wrapped_to_the_window(self):
        for width in (60, 80):
            text = self.on_terminal("list", window=(50, width), NO_COLOR="1")[1]
            scenes = text[:text.index("\r\n\r\n")]
            self.assertLessEqual(max(map(len, scenes.splitlines())), width)


class Signals(ProgramTest):
    def stopped(self, number, *arguments):
        """Starts an endless run, sends the signal once it has begun, and gives its exit status, output and messages."""
        process = subprocess.Popen([PROGRAM, *ENDLESS, "--out", "results", *arguments], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, cwd=self.folder.name, env=environment())
        deadline = time.monotonic() + 30
        while not os.path.exists(self.path("results/recording.h5")) and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(number)
        out, messages = process.communicate(timeout=60)
        return process.returncode, out, messages

    def test_ctrl_c_ends_the_run_in_order(self):
        status, out, messages = self.stopped(signal.SIGINT)
        self.assertEqual((status, messages), (130, ""))
        self.assertIn("stopped by Ctrl-C", out)
        self.assertIn("files     in results: recording.h5 outputs.csv ledger.csv summary.json scene.json", out)
        with open(self.path("results/summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        self.assert_summary(summary)
        self.assertLess(summary["time"], 1e7)
        self.assertGreater(summary["steps"], 0)
        with open(self.path("results/outputs.csv"), encoding="utf-8") as file:
            self.assertTrue(file.read().endswith("\n"))

    def test_the_json_is_whole_after_sigterm(self):
        status, out, _ = self.stopped(signal.SIGTERM, "--json")
        self.assertEqual(status, 143)
        self.assert_summary(json.loads(out))


if __name__ == "__main__":
    unittest.main()
