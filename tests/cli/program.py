"""Runs the built program for the tests beside this file. ctest gives its path and the source tree's in the environment."""
import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["ASHLAR_PROGRAM"]
SOURCE = os.environ["ASHLAR_SOURCE"]

# What a run's summary holds at least (docs/command-line.md).
SUMMARY = {"scene": None, "method": None, "step": None, "time": None, "steps": None, "bodies": None, "joints": None,
           "contacts_max": None, "step_ms": {"mean", "median", "max"}, "stages_ms": None, "realtime_factor": None,
           "iterations_mean": None, "residual": {"max", "mean"}, "penetration_m": {"max", "final"},
           "joint_error_m": {"max", "final"}, "energy_J": {"initial", "final", "drift_rel"},
           "displacement_m": {"max"}, "hash": None, "flags": None, "alarms": None, "checks": None, "outputs": None}


def environment(**more):
    """The tests' own, without what would change the output."""
    plain = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG")}
    return {**plain, **more}


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def ashlar(self, *arguments, status=0):
        """Runs the program and checks its exit status; its output is then plain ASCII without colour."""
        result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, errors="surrogateescape",
                                env=environment(), cwd=self.folder.name, timeout=250, stdin=subprocess.DEVNULL)
        told = f"ashlar {' '.join(arguments)}: exit {result.returncode}\n{result.stdout}{result.stderr}"
        self.assertEqual(result.returncode, status, told)
        self.assertNotIn("\033", result.stdout + result.stderr, told)
        self.assertTrue(result.stdout.isascii(), told)
        return result

    def refused(self, *arguments, status=2):
        """What the program says on standard error; nothing is on standard output."""
        result = self.ashlar(*arguments, status=status)
        self.assertEqual(result.stdout, "")
        self.assertTrue(result.stderr.startswith("ashlar: "), result.stderr)
        return result.stderr

    def json(self, *arguments, status=0):
        return json.loads(self.ashlar(*arguments, "--json", status=status).stdout)

    def assert_summary(self, summary):
        for key, parts in SUMMARY.items():
            self.assertIn(key, summary)
            if parts:
                self.assertLessEqual(parts, set(summary[key]), key)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)
