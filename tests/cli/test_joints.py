"""ashlar assemble, what ashlar check says of joints, and what a run sums up of them."""
import json
import math
import unittest

from program import ProgramTest


def bar(name, x, y, degrees=0.0, mass=1.0):
    """A bar in a flat world, one metre long."""
    return {"name": name, "mass": mass, "inertia": [0.1, 0.1, 0.1], "position": [x, y, 0],
            "rotation": {"axis": [0, 0, 1], "degrees": degrees}}


def hinge(name, a, b, on_a, on_b):
    return {"kind": "hinge", "name": name, "body_a": a, "body_b": b, "frame_a": {"position": [*on_a, 0]},
            "frame_b": {"position": [*on_b, 0]}}


class JointsTest(ProgramTest):
    def scene(self, bodies, joints, name="scene.json", **more):
        scene = {"ashlar": 1, "name": "linkage", "world": {"planar": True, "gravity": [0, 0, 0]}, "bodies": bodies,
                 "joints": joints, **more}
        return self.write(name, json.dumps(scene))

    def four_bar(self, shift=0.0, length=2.0):
        """Two cranks of 1 m on the ground, 2 m apart, and a coupler of that length; the coupler is moved aside."""
        bodies = [bar("left", 0, 0.5, 90), bar("coupler", length / 2 + shift, 1 + shift), bar("right", 2, 0.5, 90)]
        half = length / 2
        joints = [hinge("ground left", None, "left", (0, 0), (-0.5, 0)),
                  hinge("left top", "left", "coupler", (0.5, 0), (-half, 0)),
                  hinge("right top", "coupler", "right", (half, 0), (0.5, 0)),
                  hinge("ground right", "right", None, (-0.5, 0), (2, 0))]
        return bodies, joints

    def bodies_of(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)["bodies"]


class Assemble(JointsTest):
    def test_an_open_mechanism_is_closed(self):
        path = self.scene(*self.four_bar(shift=0.1))
        result = self.ashlar("assemble", path, "-o", "closed.json")
        self.assertRegex(result.stdout, r"linkage: all joints closed within 1e-09")
        self.assertRegex(result.stdout, r"(?m)^ +left top +hinge +0\.1 +0 +\S+ +\S+ +closed$")
        self.assertEqual(result.stderr, "")
        check = self.json("check", "closed.json")
        self.assertLessEqual(check["mobility"]["open_m"], 1e-9)
        # In the mass metric the three equal bars share the way.
        moved = [math.dist(new.get("position", [0, 0, 0]), old["position"])
                 for new, old in zip(self.bodies_of("closed.json"), self.four_bar(shift=0.1)[0])]
        self.assertTrue(all(0 < way < 0.15 for way in moved), moved)

    def test_a_closed_mechanism_stays_as_it_is(self):
        path = self.scene(*self.four_bar())
        told = self.json("assemble", path, "-o", "same.json")
        self.assertTrue(told["closed"])
        self.assertLess(told["moved_m"], 1e-12)
        self.ashlar("export", path, "-o", "exported.json")
        if told["bodies_moved"] == 0:
            with open(self.path("same.json"), "rb") as same, open(self.path("exported.json"), "rb") as exported:
                self.assertEqual(same.read(), exported.read())

    def test_heavy_bodies_move_less(self):
        bodies = [bar("light", 0, 0, mass=1), bar("heavy", 1.5, 0, mass=9)]
        for body in bodies:
            body["locks"] = ["rotation"]
        joints = [hinge("pin", "light", "heavy", (0.5, 0), (-0.5, 0))]  # open by half a metre
        self.ashlar("assemble", self.scene(bodies, joints), "-o", "closed.json")
        light, heavy = self.bodies_of("closed.json")
        self.assertAlmostEqual(light["position"][0], 0.45, places=9)
        self.assertAlmostEqual(heavy["position"][0], 1.45, places=9)

    def test_what_cannot_close_is_told(self):
        # The coupler of 5 m cannot reach from one crank to the other.
        path = self.scene(*self.four_bar(length=5.0))
        result = self.ashlar("assemble", path, "-o", "open.json", status=1)
        self.assertRegex(result.stdout, r"joints cannot close within 1e-09")
        self.assertRegex(result.stdout, r"(?m) OPEN$")
        self.assertTrue(result.stderr.startswith("ashlar: "))
        told = self.json("assemble", path, status=1)
        self.assertFalse(told["closed"])
        self.assertGreater(told["open_joints"], 0)
        self.assertEqual(told["open_joints"], sum(not joint["closed"] for joint in told["joints"]))
        self.assertGreater(told["error_m"], 0.1)

    def test_the_scene_goes_to_standard_output(self):
        result = self.ashlar("assemble", self.scene(*self.four_bar(shift=0.1)))
        self.assertEqual(len(json.loads(result.stdout)["joints"]), 4)
        self.assertIn("all joints closed", result.stderr)

    def test_built_in_scenes_and_settings(self):
        told = self.json("assemble", "chain-2d", "--set", "links=3", "--tolerance", "1e-6")
        self.assertEqual(len(told["joints"]), 3)
        self.assertTrue(told["closed"])
        self.assertEqual(told["tolerance"], 1e-6)
        self.assertIn("no joints", self.ashlar("assemble", "free-fall").stderr)

    def test_wrong_use(self):
        self.assertIn("expected a number above 0", self.refused("assemble", "chain-2d", "--tolerance", "0"))
        self.assertIn("SCENE is missing", self.refused("assemble"))
        self.assertIn("there is no", self.refused("assemble", "chain-3d"))


class Check(JointsTest):
    def test_mobility(self):
        bodies, joints = self.four_bar()
        path = self.scene(bodies, joints)
        mobility = self.json("check", path)["mobility"]
        self.assertEqual([mobility[key] for key in ("freedoms", "rows", "rank", "redundant")], [1, 8, 8, 0])
        text = self.ashlar("check", path).stdout
        self.assertRegex(text, r"(?m)^  joints    4$")
        self.assertRegex(text, r"(?m)^  mobility  1 degree of freedom: 8 removed by joints, 0 of them redundant$")
        self.assertNotIn("open", text)

    def test_redundant_joints_by_name(self):
        # A third crank that is parallel to the others adds three freedoms, and four rows of which one is redundant.
        bodies, joints = self.four_bar()
        bodies.append(bar("middle", 1, 0.5, 90))
        joints += [hinge("middle foot", None, "middle", (1, 0), (-0.5, 0)),
                   hinge("middle top", "middle", "coupler", (0.5, 0), (0, 0))]
        path = self.scene(bodies, joints)
        mobility = self.json("check", path)["mobility"]
        self.assertEqual([mobility[key] for key in ("freedoms", "rows", "rank", "redundant")], [1, 12, 11, 1])
        self.assertTrue(mobility["redundant_joints"])
        self.assertTrue(set(mobility["redundant_joints"]) <= {joint["name"] for joint in joints})
        self.assertIn(mobility["redundant_joints"][0], self.ashlar("check", path).stdout)

    def test_open_joints_are_told(self):
        text = self.ashlar("check", self.scene(*self.four_bar(shift=0.1))).stdout
        self.assertRegex(text, r'(?m)^  open      by up to 0\.1 m and 0 rad at "(left|right) top"')

    def test_scenes_without_joints_have_no_mobility(self):
        path = self.write("bare.json", json.dumps({"ashlar": 1, "bodies": [bar("one", 0, 0)]}))
        self.assertNotIn("mobility", self.json("check", path))
        self.assertEqual(self.json("check", path)["joints"], 0)


class Run(JointsTest):
    def test_the_summary_counts_joints_and_their_error(self):
        summary = self.json("run", "chain-2d", "--time", "0.2")
        self.assertEqual(summary["joints"], 8)
        self.assertGreater(summary["joint_error_m"]["max"], 0)
        self.assertLessEqual(summary["joint_error_m"]["final"], summary["joint_error_m"]["max"])

    def test_outputs_of_joints_are_recorded(self):
        self.ashlar("run", "driver-2d", "--time", "0.1", "--out", "out")
        with open(self.path("out/outputs.csv"), encoding="utf-8") as file:
            heading, *rows = file.read().splitlines()
        self.assertEqual(heading.split(",")[:4], ["time [s]", "rate [rad/s]", "torque [N m]", "angle [rad]"])
        self.assertAlmostEqual(float(rows[-1].split(",")[2]), 4, places=9)  # at its limit

    def weight_on(self, joints, method="engineering"):
        """A door of 2 kg on joints to the background."""
        scene = {"ashlar": 1, "name": "door", "world": {"gravity": [0, 0, -9.81], "step": 0.01, "time": 0.05,
                 "method": method}, "bodies": [{"name": "door", "mass": 2, "inertia": [1, 1, 1]}],
                 "joints": [{"body_b": "door", **joint} for joint in joints],
                 "outputs": [{"name": "lift", "joint": joints[0]["name"], "quantity": "force", "component": "z"},
                             {"name": "gap", "joint": joints[0]["name"], "quantity": "error"}]}
        return self.write("door.json", json.dumps(scene))

    def test_joints_that_break_are_told(self):
        hinge_of = {"kind": "hinge", "name": "weak", "point": [0, 0, 0], "axis": [0, 0, 1], "break_force": 15}
        path = self.weight_on([hinge_of])
        broken, = self.json("run", path)["broken_joints"]
        self.assertEqual((broken["name"], broken["number"], broken["time"]), ("weak", 0, 0.01))
        self.assertAlmostEqual(broken["force_N"], 2 * 9.81, places=6)
        self.assertRegex(self.ashlar("run", path).stdout,
                         r"(?m)^broken    1 joint\n +weak at 0\.01 s: it carried 19\.62 N and \S+ N m$")
        path = self.weight_on([{**hinge_of, "break_force": 25}])
        self.assertEqual(self.json("run", path)["broken_joints"], [])
        self.assertNotIn("broken", self.ashlar("run", path).stdout)

    def test_reactions_that_cannot_be_known_are_marked(self):
        hinges = [{"kind": "hinge", "name": f"hinge {i}", "point": [0, 0, i], "axis": [0, 0, 1]} for i in range(3)]
        for method in ("engineering", "realtime", "faure", "gribel-2009"):
            path = self.weight_on(hinges, method)
            self.assertEqual(self.json("run", path)["indeterminate_outputs"], ["lift"], method)
            self.assertRegex(self.ashlar("run", path).stdout, r"(?m)^ +lift +\S+ +N  one of many solutions")
            path = self.weight_on(hinges[:1], method)
            self.assertEqual(self.json("run", path)["indeterminate_outputs"], [], method)
            self.assertNotIn("one of many", self.ashlar("run", path).stdout)

    def test_joints_that_contradict_are_told(self):
        welds = [{"kind": "fixed", "name": f"weld {i}", "frame_a": {"position": [0, 0, i]}} for i in range(2)]
        for method in ("engineering", "realtime", "gribel-2009"):
            self.assertRegex(self.ashlar("run", self.weight_on(welds, method)).stdout,
                             r"(?m)^ +at the end a fixed joint is open by \S+ m: weld [01]$")
        self.assertNotIn("is open by", self.ashlar("run", self.weight_on(welds[:1])).stdout)

    def test_kinds_are_listed(self):
        kinds = self.json("list")["joint_kinds"]
        self.assertEqual(len(kinds), 22)
        self.assertIn("suspension", kinds)
        self.assertRegex(self.ashlar("list").stdout, r"(?m)^Kinds of joints\n  ball, point-on-line")

    def test_listed_with_their_freedoms(self):
        self.assertRegex(self.ashlar("list", "driver-2d").stdout, r"(?m)^ +rate +rad/s +rate, turn-z$")


if __name__ == "__main__":
    unittest.main()
