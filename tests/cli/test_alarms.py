"""Alarms: warnings of run and compare, --strict, the summary, the recording, and the bound that check prints."""
import json
import os
import unittest

from program import ProgramTest

SPRING = {
    "ashlar": 1, "name": "stiff", "world": {"method": "symplectic-euler", "gravity": [0, 0, 0], "step": 0.25, "time": 5},
    "bodies": [{"name": "mass", "mass": 2, "position": [1.1, 0, 0]}],
    "forces": [{"kind": "spring", "name": "coil", "body_a": "mass", "stiffness": 200, "rest_length": 1}],
}


class Alarms(ProgramTest):
    def scene(self, step):
        scene = dict(SPRING, world=dict(SPRING["world"], step=step))
        return self.write("stiff.json", json.dumps(scene))

    def test_a_run_without_alarms(self):
        done = self.ashlar("run", self.scene(0.05), "--strict")
        self.assertEqual(done.stderr, "")
        self.assertRegex(done.stdout, r"(?m)^flags +none$")
        self.assertEqual(self.json("run", self.scene(0.05))["alarms"], [])

    def test_alarms_are_warnings(self):
        done = self.ashlar("run", self.scene(0.25))
        self.assertIn("warning: spring-bound in 20 steps, first at 0.25 s, worst at spring \"coil\"", done.stderr)
        self.assertIn("Advice: ", done.stderr)
        self.assertIn("growing", done.stderr)
        self.assertNotIn("\x1b", done.stderr)
        self.assertRegex(done.stdout, r"(?m)^flags .*spring-bound")

    def test_strict_exits_with_1(self):
        self.ashlar("run", self.scene(0.25), "--strict", status=1)
        self.ashlar("compare", self.scene(0.25), "--methods", "symplectic-euler,implicit-euler", "--strict", status=1)
        self.ashlar("compare", self.scene(0.05), "--methods", "symplectic-euler,implicit-euler", "--strict")

    def test_the_summary_lists_them(self):
        summary = self.json("run", self.scene(0.25))
        first, = (alarm for alarm in summary["alarms"] if alarm["name"] == "spring-bound")
        self.assertEqual((first["name"], first["steps"], first["first_s"], first["where"]),
                         ("spring-bound", 20, 0.25, 'spring "coil"'))
        self.assertEqual(sorted(alarm["name"] for alarm in summary["alarms"]), sorted(summary["flags"]))
        for alarm in summary["alarms"]:
            self.assertTrue(alarm["advice"] and alarm["meaning"])

    def test_compare_has_a_row(self):
        done = self.ashlar("compare", self.scene(0.25), "--methods", "symplectic-euler,implicit-euler")
        self.assertRegex(done.stdout, r"(?m)^alarms \(steps\) .*spring-bound \(20\).* none *$")
        self.assertIn("symplectic-euler: spring-bound", done.stderr)

    def test_the_recording_has_them(self):
        import h5py
        self.ashlar("run", self.scene(0.25), "--out", self.path("out"))
        with h5py.File(os.path.join(self.path("out"), "recording.h5")) as file:
            self.assertEqual(file["report/flags"][-1] & 2048, 2048)

    def test_check_prints_the_bound(self):
        done = self.ashlar("check", self.scene(0.25))
        self.assertIn("stable for steps below 0.2 s by symplectic-euler, which the scene's is not; worst: coil", done.stdout)
        bound = self.json("check", self.scene(0.05))["step_bound"]
        self.assertAlmostEqual(bound["step"], 0.2, places=9)
        self.assertEqual(bound["worst"], "coil")


if __name__ == "__main__":
    unittest.main()
