"""tools/fuzz with faked targets: what it passes on, what it says of findings, and its status. Usage: test_fuzz.py ROOT"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(sys.argv.pop(1))
# Says how it was called, leaves a finding if it is to, and ends as it is to.
TARGET = """#!/bin/bash
echo "called with $*"
for option; do case $option in -artifact_prefix=*) prefix=${option#*=} ;; esac; done
[ -z "$FINDS" ] || echo bad >"$prefix$FINDS"
echo 'stat::number_of_executed_units: 1234'
exit "${ENDS:-0}"
"""


class Fuzz(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkdir(os.path.join(self.folder, "tests"))
        self.program = os.path.join(self.folder, "tests", "fuzz-scene")
        with open(self.program, "w", encoding="utf-8") as file:
            file.write(TARGET)
        os.chmod(self.program, 0o755)

    def fuzz(self, *arguments, **environment):
        result = subprocess.run([os.path.join(ROOT, "tools", "fuzz"), *arguments], capture_output=True, text=True,
                                env={"PATH": os.environ["PATH"], **environment})
        return result.returncode, result.stdout + result.stderr

    def test_a_target_that_finds_nothing_passes(self):
        self.assertEqual(self.fuzz("7", self.program), (0, "scene: 1234 inputs in 7 s, 0 findings\n"))
        with open(os.path.join(self.folder, "fuzz-findings", "scene.log"), encoding="utf-8") as file:
            call = file.read()
        for word in ("-max_total_time=7 ", f"-dict={ROOT}/tests/fuzz/scene.dict ", f"{ROOT}/tests/fuzz/corpus/scene\n"):
            self.assertIn(word, call)

    def test_a_finding_is_named_with_the_way_to_see_it_again(self):
        status, said = self.fuzz("1", self.program, FINDS="crash-12", ENDS="77")
        self.assertEqual(status, 1)
        self.assertIn(f"1 findings\n  {self.folder}/fuzz-findings/scene-crash-12\n", said)
        self.assertIn(f"To see one again: {self.program} FILE.", said)
        self.assertIn("tests/fuzz/corpus/scene/", said)
        # The next run does not name it again.
        self.assertEqual(self.fuzz("1", self.program)[0], 0)

    def test_a_slow_input_is_listed_and_no_failure(self):
        status, said = self.fuzz("1", self.program, FINDS="slow-unit-12")
        self.assertEqual(status, 0)
        self.assertIn("scene-slow-unit-12", said)

    def test_a_failure_without_a_finding_is_one(self):
        status, said = self.fuzz("1", self.program, ENDS="1")
        self.assertEqual(status, 1)
        self.assertIn("failed without a finding (status 1)", said)

    def test_all_targets_run_although_one_fails(self):
        second = os.path.join(self.folder, "tests", "fuzz-problem")
        shutil.copy(self.program, second)
        status, said = self.fuzz("1", self.program, second, ENDS="1")
        self.assertEqual(status, 1)
        self.assertIn("problem: 1234 inputs", said)

    def test_without_targets_it_says_what_it_wants(self):
        status, said = self.fuzz("1")
        self.assertEqual(status, 2)
        self.assertIn("usage: tools/fuzz", said)


if __name__ == "__main__":
    unittest.main()
