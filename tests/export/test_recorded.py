"""Contacts and joint coordinates in recordings, read by h5py: forces bear weights, coordinates are those of the outputs."""
import os
import unittest

import h5py
import numpy

from program import SOURCE, ProgramTest

# Two boxes on each other, a third one that is added late, and a pendulum with an output.
SCENE = """{"ashlar": 1, "name": "piled", "world": {"step": 0.005, "time": 1, "method": "engineering"},
 "shapes": {"box": {"kind": "box", "half_extents": [0.5, 0.5, 0.25]}},
 "bodies": [{"name": "ground", "type": "static", "shapes": [{"shape": {"kind": "plane"}}]},
  {"name": "low", "position": [0, 0, 0.25], "shapes": [{"shape": "box"}]},
  {"name": "high", "position": [0.1, 0, 0.75], "shapes": [{"shape": "box"}]},
  {"name": "late", "position": [5, 0, 0.25], "absent": true, "shapes": [{"shape": "box"}]},
  {"name": "bob", "position": [-5, 1, 2], "mass": 2, "inertia": [0.1, 0.1, 0.1]}],
 "joints": [{"kind": "hinge", "name": "pin", "body_b": "bob", "point": [-5, 0, 2], "axis": [1, 0, 0]}],
 "outputs": [{"name": "angle", "joint": "pin", "quantity": "position", "freedom": "turn-x"},
  {"name": "rate", "joint": "pin", "quantity": "rate", "freedom": "turn-x"}],
 "events": [{"kind": "add", "time": 0.5, "body": "late"}]}"""
WEIGHT = 1000 * 1 * 1 * 0.5 * 9.81


class Recorded(ProgramTest):
    def test_contacts_and_joints(self):
        self.write("piled.json", SCENE)
        self.ashlar("run", "piled.json", "--out", "plain")
        self.ashlar("run", "piled.json", "--out", "out", "--record", "contacts,joints")
        self.ashlar("check", "out/recording.h5")
        with h5py.File(self.path("plain/recording.h5")) as plain, h5py.File(self.path("out/recording.h5")) as file:
            self.assertNotIn("contacts", plain)
            self.assertNotIn("joints", plain)
            numpy.testing.assert_array_equal(plain["bodies/position"][:], file["bodies/position"][:])
            self.assertEqual([name.decode() for name in file["joints/names"][:]], ["pin"])
            numpy.testing.assert_array_equal(file["joints/position"][:, 0, 3], file["outputs/angle"][:])
            numpy.testing.assert_array_equal(file["joints/rate"][:, 0, 3], file["outputs/rate"][:])
            self.assertGreater(abs(file["outputs/angle"][:]).max(), 1)
            self.assertEqual((file["joints/position"][:, 0, [0, 1, 2, 4, 5]] == 0).all(), True)
            time, count = file["time"][:], file["contacts/count"][:].astype(int)
            self.assertEqual(len(count), len(time))
            self.assertEqual(count.sum(), len(file["contacts/depth"]))
            for name, width in (("bodies", 2), ("point", 3), ("normal", 3), ("force", 3)):
                self.assertEqual(file[f"contacts/{name}"].shape, (count.sum(), width))
            first = numpy.concatenate(([0], numpy.cumsum(count)))
            bodies, force = file["contacts/bodies"][:], file["contacts/force"][:]
            point, normal = file["contacts/point"][:], file["contacts/normal"][:]
            for sample in range(2, len(time)):
                rows = slice(first[sample], first[sample + 1])
                on = numpy.zeros((5, 3))
                numpy.add.at(on, bodies[rows, 1], force[rows])
                numpy.add.at(on, bodies[rows, 0], -force[rows])
                # At rest the sum of what touches a body bears its weight: to the solver's tolerance, 1e-10 m/s of 500 kg in 5 ms.
                numpy.testing.assert_allclose(on[1:3], [[0, 0, WEIGHT]] * 2, rtol=0, atol=1e-10 * 500 / 0.005 * 4)
                late = time[sample] > 0.5025  # the first step with it ends at 0.505
                self.assertAlmostEqual(on[3, 2], WEIGHT if late else 0, delta=1e-4)
            rows = slice(first[-2], first[-1])
            upper = (bodies[rows] == 2).any(axis=1)
            numpy.testing.assert_allclose(point[rows][upper][:, 2], 0.5, atol=1e-6)
            numpy.testing.assert_allclose(abs(normal[rows][:, 2]), 1, atol=1e-12)
            self.assertEqual(file["contacts/force"].attrs["unit"], b"N")

    def test_many_contacts(self):
        """More than the recorder keeps at a time."""
        self.ashlar("run", "box-pile", "--out", "pile", "--record", "contacts", "--time", "0.5")
        self.ashlar("check", "pile/recording.h5")
        with h5py.File(self.path("pile/recording.h5")) as file:
            self.assertEqual(file["contacts/count"][:].sum(), len(file["contacts/depth"]))
            self.assertTrue(numpy.isfinite(file["contacts/force"][:]).all())
            self.assertEqual(len(file["contacts/count"]), len(file["time"]))

    def test_what_is_wrong(self):
        self.assertIn("expected joints, contacts", self.refused("run", "free-fall", "--out", "x", "--record", "forces"))
        self.assertIn("give --out, too", self.refused("run", "free-fall", "--record", "joints"))
        self.assertFalse(os.path.exists(self.path("x")))
        self.assertTrue(os.path.exists(SOURCE))


if __name__ == "__main__":
    unittest.main()
