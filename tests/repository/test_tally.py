"""tools/tally over faked build trees: what .ci/run prints last, and its status. Usage: test_tally.py ROOT"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(sys.argv.pop(1))
RESULTS = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="(empty)"
\ttests="{tests}"
\tfailures="{failures}"
\tdisabled="{disabled}"
\tskipped="{skipped}"
\thostname=""
\ttime="2"
>
\t<testcase name="base/array" classname="base/array" time="0.1" status="{status}">
\t\t<system-out>tests="99" failures="7"</system-out>
\t</testcase>
</testsuite>
"""


class Tally(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def tree(self, name, tests=1, failures=0, disabled=0, skipped=0):
        path = os.path.join(self.folder, name)
        os.mkdir(path)
        with open(os.path.join(path, "results.xml"), "w", encoding="utf-8") as file:
            file.write(RESULTS.format(tests=tests, failures=failures, disabled=disabled, skipped=skipped,
                                      status="fail" if failures else "run"))
        return path

    def tally(self, *trees):
        result = subprocess.run([os.path.join(ROOT, "tools", "tally"), *trees], text=True, capture_output=True)
        self.assertEqual(result.stderr, "")
        return result.returncode, result.stdout.splitlines()

    def test_all_trees_are_added_up(self):
        status, lines = self.tally(self.tree("a", tests=3), self.tree("b", tests=40))
        self.assertEqual((status, lines[-1]), (0, "43 passed, 0 failed"))

    def test_one_failure_fails_and_is_named(self):
        status, lines = self.tally(self.tree("a", tests=3), self.tree("b", tests=5, failures=1))
        self.assertEqual((status, lines[-1]), (1, "7 passed, 1 failed"))
        self.assertIn("  failed: base/array", lines)

    def test_skipped_tests_neither_pass_nor_fail(self):
        status, lines = self.tally(self.tree("a", tests=5, skipped=1, disabled=1))
        self.assertEqual((status, lines[-2:]), (0, ["2 skipped", "3 passed, 0 failed"]))

    def test_a_tree_without_results_is_a_failure(self):
        status, lines = self.tally(self.tree("a", tests=5), os.path.join(self.folder, "b"))
        self.assertEqual((status, lines[-1]), (1, "5 passed, 1 failed"))


if __name__ == "__main__":
    unittest.main()
