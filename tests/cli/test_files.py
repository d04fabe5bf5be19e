"""Files that the program writes: whole or not at all, in directories that it makes; and what a run leaves when the disk is
full or a signal comes."""
import csv
import json
import os
import resource
import shutil
import signal
import subprocess
import time
import unittest

import h5py

from program import PROGRAM, ProgramTest, environment

SHORT = ("run", "oscillator", "--time", "1")
LONG = ("run", "oscillator", "--step", "0.001", "--time", "60")
ENDLESS = ("run", "oscillator", "--time", "1e7")
RESULTS = ["ledger.csv", "outputs.csv", "recording.h5", "scene.json", "summary.json"]
# One for each way to a file, the file's name last.
WRITERS = [
    ("export", "oscillator", "-o", "file.json"),
    ("assemble", "hinge-joint", "-o", "file.json"),
    ("problem", "box-stack", "-o", "file.json"),
    ("solve", "rest", "-o", "file.json"),
    ("solve", "rest", "--plot", "file.svg"),
    ("solve", "rest", "--csv", "file.csv"),
    ("spectrum", "rest", "--plot", "file.svg"),
    ("spectrum", "rest", "--csv", "file.csv"),
    (*SHORT, "--svg", "file.svg"),
    ("picture", "tennis-ball", "--size", "96x64", "--samples", "4", "-o", "file.png"),
]
REPORT = ("report", "out", "-o", "file.html")


def limited(size):
    """For a child: files of at most so many bytes, which stands for a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class FilesTest(ProgramTest):
    def start(self, *arguments, **more):
        return subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                cwd=self.folder.name, env=environment(), **more)

    def writers(self):
        yield from WRITERS
        self.ashlar(*SHORT, "--out", "out")
        if "when it was built" not in self.start("report", "nowhere", "-o", "x.html").communicate()[1]:
            yield REPORT

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def summary(self, folder="results"):
        return json.loads(self.read(f"{folder}/summary.json"))

    def assert_whole_rows(self, folder="results"):
        """Every row of the tables has all its fields; gives how many rows the outputs have."""
        for name in ("ledger.csv", "outputs.csv"):
            text = self.read(f"{folder}/{name}").decode()
            self.assertTrue(text.endswith("\n"), name)
            rows = list(csv.reader(text.splitlines()))
            self.assertEqual({len(row) for row in rows}, {len(rows[0])}, name)
        return len(rows) - 1


class Whole(FilesTest):
    def test_a_failed_write_leaves_the_old_file(self):
        for arguments in self.writers():
            name = arguments[-1]
            self.write(name, "old")
            before = sorted(os.listdir(self.folder.name))
            process = self.start(*arguments, preexec_fn=limited(100))
            messages = process.communicate(timeout=60)[1]
            self.assertEqual(process.returncode, 2, arguments)
            self.assertEqual(messages, f"ashlar: {name}: cannot write the file: File too large\n", arguments)
            self.assertEqual(self.read(name), b"old", arguments)
            self.assertEqual(sorted(os.listdir(self.folder.name)), before, arguments)
            os.remove(self.path(name))
            before.remove(name)
            process = self.start(*arguments, preexec_fn=limited(100))
            process.communicate(timeout=60)
            self.assertEqual(sorted(os.listdir(self.folder.name)), before, arguments)

    def test_directories_are_made(self):
        for arguments in self.writers():
            self.ashlar(*arguments)
            self.ashlar(*arguments[:-1], f"a/b/{arguments[-1]}")
            self.assertEqual(os.listdir(self.path("a/b")), [arguments[-1]])
            if "report" not in arguments:  # which has the time in it
                self.assertEqual(self.read(f"a/b/{arguments[-1]}"), self.read(arguments[-1]), arguments)
            shutil.rmtree(self.path("a"))
        self.ashlar("picture", "tennis-ball", "--size", "32x32", "--samples", "1", "--frames", "2", "-o", "film/one/f.png")
        self.assertEqual(sorted(os.listdir(self.path("film/one"))), ["f-0001.png", "f-0002.png"])
        self.ashlar(*SHORT, "--out", "x/y/z")
        self.assertEqual(sorted(os.listdir(self.path("x/y/z"))), RESULTS)

    def test_a_directory_that_cannot_be_made_is_named(self):
        self.write("occupied", "")
        for arguments in self.writers():
            told = self.refused(*arguments[:-1], f"occupied/b/{arguments[-1]}")
            self.assertEqual(told, "ashlar: occupied: cannot make the directory: Not a directory\n", arguments)
        told = self.refused(*SHORT, "--out", "occupied/b/c")
        self.assertEqual(told, "ashlar: occupied: cannot make the directory: Not a directory\n")

    def test_devices_pipes_links_and_modes(self):
        for arguments in self.writers():
            name = f"full{os.path.splitext(arguments[-1])[1]}"
            if not os.path.lexists(self.path(name)):
                os.symlink("/dev/full", self.path(name))
            told = self.ashlar(*arguments[:-1], name, status=2).stderr
            self.assertEqual(told, f"ashlar: {name}: cannot write the file: No space left on device\n", arguments)
        text = self.ashlar("export", "oscillator").stdout
        self.assertEqual(self.ashlar("export", "oscillator", "-o", "/dev/stdout").stdout, text)
        with open(self.path("log"), "a", encoding="utf-8") as log:
            for _ in range(2):
                subprocess.run([PROGRAM, "export", "oscillator", "-o", "/dev/stdout"], stdout=log, check=True,
                               env=environment())
        self.assertEqual(self.read("log").decode(), 2 * text)
        self.write("target", "old")
        os.chmod(self.path("target"), 0o600)
        os.symlink("target", self.path("link"))
        self.ashlar("export", "oscillator", "-o", "link")
        self.assertEqual(self.read("target").decode(), text)
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(os.stat(self.path("target")).st_mode & 0o777, 0o600)


class Stopped(FilesTest):
    def stop(self, number, *arguments, **more):
        """Starts an endless run, sends the signal once it has begun, and gives the process."""
        process = self.start(*ENDLESS, "--out", "results", *arguments, **more)
        deadline = time.monotonic() + 30
        while not os.path.exists(self.path("results/ledger.csv")) and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(number)
        return process

    def test_signals_end_a_run_cleanly(self):
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            process = self.stop(number, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
            messages = process.communicate(timeout=60)[1]
            self.assertEqual((process.returncode, messages), (128 + number, ""))
            self.assertEqual(sorted(os.listdir(self.path("results"))), RESULTS)
            rows = self.assert_whole_rows()
            summary = self.summary()
            self.assert_summary(summary)
            self.assertFalse(summary["complete"])
            self.assertEqual(summary["time_planned"], 1e7)
            self.assertTrue(0 < summary["time"] < 1e7)
            self.assertEqual(summary["stopped"]["reason"], "interrupted")
            self.assertRegex(summary["stopped"]["message"], r"interrupted at [0-9.e+]+ of 10000000 s")
            with h5py.File(self.path("results/recording.h5"), "r") as file:
                self.assertEqual(file.attrs["complete"], 0)
                self.assertEqual(len(file["time"]), rows)
                self.assertEqual(file["time"][-1], summary["time"])
            shutil.rmtree(self.path("results"))

    def test_nohup_outlives_its_terminal(self):
        process = self.stop(signal.SIGHUP, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)

    def test_a_failed_simulation_says_so(self):
        self.ashlar("run", "oscillator", "--method", "explicit-euler", "--step", "100", "--time", "1e6", "--out", "results",
                    status=3)
        self.assert_whole_rows()
        summary = self.summary()
        self.assertFalse(summary["complete"])
        self.assertEqual(summary["stopped"]["reason"], "numerics")
        self.assertIn("could not be taken", summary["stopped"]["message"])
        self.assertEqual(summary["time"], 100 * summary["steps"])

    def test_a_whole_run_was_not_stopped(self):
        self.ashlar(*SHORT, "--out", "results")
        summary = self.summary()
        self.assertTrue(summary["complete"])
        self.assertIsNone(summary["stopped"])
        self.assertAlmostEqual(summary["time_planned"], summary["time"])


class FullDisk(FilesTest):
    def assert_ended_early(self, folder):
        self.assertEqual(sorted(os.listdir(self.path(folder))), RESULTS)
        self.assert_whole_rows(folder)
        summary = self.summary(folder)
        self.assertFalse(summary["complete"])
        self.assertEqual(summary["stopped"]["reason"], "input/output")
        self.assertLess(summary["time"], summary["time_planned"])
        with h5py.File(self.path(f"{folder}/recording.h5"), "r") as file:
            times = file["time"][:]
            self.assertEqual(file.attrs["complete"], 0)
            self.assertTrue((times == self.times[:len(times)]).all())
            for name in ("bodies/position", "outputs/x", "ledger/total", "report/flags"):
                self.assertGreaterEqual(len(file[name][:]), len(times))
            self.assertTrue((file["outputs/x"][:len(times)] == self.x[:len(times)]).all())
        return summary["stopped"]["message"]

    def setUp(self):
        super().setUp()
        self.ashlar(*LONG, "--out", "undisturbed")
        with h5py.File(self.path("undisturbed/recording.h5"), "r") as file:
            self.times, self.x = file["time"][:], file["outputs/x"][:]

    def test_a_limit_on_the_size_of_files(self):
        for limit in (1 << 20, 8 << 20):
            process = self.start(*LONG, "--out", "results", preexec_fn=limited(limit))
            messages = process.communicate(timeout=60)[1]
            self.assertEqual(process.returncode, 2)
            self.assertRegex(messages, r"^ashlar: results/\S+: cannot [a-z ]+: File too large\n$")
            if limit == 1 << 20:  # not even the beginning of a recording
                self.assertEqual(os.listdir(self.path("results")), ["scene.json"])
            else:
                self.assertEqual(f"ashlar: {self.assert_ended_early('results')}\n", messages)

    def test_a_small_disk(self):
        """In a name space of its own, where also a common user may mount one."""
        script = ('mount -t tmpfs -o size="$1" none disk || exit 77; "$2" run oscillator --step 0.001 --time 60 '
                  '--out disk/results; status=$?; cp -r disk/results "$1"; exit $status')
        os.mkdir(self.path("disk"))
        for size in ("200k", "300k", "1m", "5m"):
            try:
                result = subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", size, PROGRAM], text=True,
                                        capture_output=True, cwd=self.folder.name, env=environment(), timeout=60)
            except FileNotFoundError:
                self.skipTest("no unshare")
            if result.returncode == 77 or "unshare" in result.stderr:
                self.skipTest(f"no disk can be made: {result.stderr}")
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertRegex(result.stderr, r"^ashlar: disk/results/\S+: cannot [a-z ]+: No space left on device\n$")
            self.assertEqual(f"ashlar: {self.assert_ended_early(size)}\n", result.stderr)


if __name__ == "__main__":
    unittest.main()
