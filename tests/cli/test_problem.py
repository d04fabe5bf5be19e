"""ashlar problem and ashlar solve: from a scene to a problem file to a solution and its history."""
import json
import os
import unittest
import xml.etree.ElementTree

from program import SOURCE, ProgramTest

BOXES = """{"ashlar": 1, "world": {"step": 0.01, "time": 1, "method": "engineering"},
 "shapes": {"floor": {"kind": "plane"}, "cube": {"kind": "box", "half_extents": [0.5, 0.5, 0.5]}},
 "bodies": [{"type": "static", "shapes": [{"shape": "floor"}]},
   {"position": [0, 0, 0.5], "shapes": [{"shape": "cube", "density": 1}]},
   {"position": [0, 0, 1.5], "shapes": [{"shape": "cube", "density": 1}]}]}"""
STORED = ["rest", "stack", "pile", "pile-heavy-top", "shove", "heavy-on-light", "redundant", "sliding", "giving-way",
          "impact", "rolling", "planar", "chain", "coincident", "parallel", "wedged", "immovable-pair",
          "extreme-friction", "mass-ratio"]


class Problem(ProgramTest):
    def test_from_scene_to_solution(self):
        scene = self.write("boxes.json", BOXES)
        told = self.ashlar("problem", scene, "--at", "0.1", "-o", self.path("p.json")).stdout
        self.assertIn("the problem at 0.1 s: 3 bodies, 8 blocks, 24 rows, 1 island\n", told)
        with open(self.path("p.json"), encoding="utf-8") as file:
            problem = json.load(file)
        self.assertEqual((problem["ashlar_problem"], problem["h"], len(problem["blocks"])), (1, 0.01, 8))
        # The step before left its impulses as first guess: the weight of two boxes and of one.
        normal = [block["rows"][0]["impulse"] for block in problem["blocks"]]
        self.assertAlmostEqual(sum(normal[:4]), 2 * 0.0981, places=6)
        self.assertAlmostEqual(sum(normal[4:]), 0.0981, places=6)
        warm = self.json("solve", self.path("p.json"))
        cold = self.json("solve", self.path("p.json"), "--no-warm-start")
        self.assertLess(warm["history"]["error"][0], 1e-6)
        self.assertGreater(cold["history"]["error"][0], 0.05)
        for document in (warm, cold):
            self.assertEqual(document["flags"], ["converged"])
            self.assertLess(document["error"]["max"], 1e-10)

    def test_standard_output(self):
        scene = self.write("boxes.json", BOXES)
        self.assertEqual(json.loads(self.ashlar("problem", scene).stdout)["ashlar_problem"], 1)

    def test_scene_without_contacts(self):
        self.ashlar("problem", "free-fall", "--at", "0.1", "-o", self.path("p.json"))
        self.assertEqual(self.json("solve", self.path("p.json"))["blocks"], 0)

    def test_refusals(self):
        self.assertIn("seconds", self.refused("problem", "free-fall", "--at", "-1"))
        self.assertIn("did you mean", self.refused("problem", "free-fal"))
        self.assertIn("cannot write", self.refused("problem", "free-fall", "-o", "/nowhere/p.json"))
        self.assertIn("SCENE is missing", self.refused("problem"))


class Solve(ProgramTest):
    def test_history_of_every_solver(self):
        for solver in ("jacobi", "pgs", "sor", "lemke", "nncg", "apgd", "newton", "soft-step", "direct", "structured", "shock", "penalty"):
            document = self.json("solve", "rest", "--solver", solver)
            self.assertEqual(document["solver"], solver)
            self.assertEqual((document["bodies"], document["blocks"], document["rows"]), (2, 4, 12))
            history = document["history"]
            lengths = {len(history[key]) for key in ("error", "theta", "seconds")}
            self.assertEqual(len(lengths), 1, solver)
            if solver in ("pgs", "sor", "nncg", "newton", "direct"):
                self.assertIn("converged", document["flags"], solver)
                self.assertEqual(len(history["error"]), document["iterations"] + 1, solver)
                self.assertGreater(history["error"][0], 0.1)
                self.assertLess(history["error"][-1], 1e-6)
                self.assertLess(history["theta"][-1], 1e-9)

    def test_stored_problems_are_those_of_the_help(self):
        told = self.ashlar("solve", "--help").stdout.replace("\n", " ")
        self.assertIn(", ".join(STORED), told)
        files = os.listdir(os.path.join(SOURCE, "tests/data/problems"))
        self.assertLessEqual({name[:-5] for name in files}, set(STORED))
        for name in STORED:
            if not name.startswith("pile"):
                self.assertGreater(self.json("solve", name, "--iterations", "3")["blocks"], 0)

    def test_stops(self):
        few = self.json("solve", "stack", "--solver", "pgs", "--iterations", "7")
        self.assertEqual((few["iterations"], few["flags"]), (7, []))
        loose = self.json("solve", "stack", "--solver", "pgs", "--iterations", "500", "--tolerance", "0.05")
        self.assertEqual(loose["flags"], ["converged"])
        self.assertLessEqual(loose["error"]["max"], 0.05)
        self.assertGreater(loose["history"]["error"][-2], 0.05)

    def test_settings(self):
        cone = self.json("solve", "sliding")
        pyramid = self.json("solve", "sliding", "--set", "friction-law=pyramid", "--set", "friction-directions=4")
        self.assertEqual((cone["law"], pyramid["law"]), ("cone", "pyramid"))
        self.assertLess(pyramid["error"]["max"], 1e-8)
        rows = self.json("solve", "stack", "--solver", "pgs", "--set", "solve-by=rows", "--set", "iterations=20")
        blocks = self.json("solve", "stack", "--solver", "pgs", "--set", "iterations=20")
        self.assertNotEqual(rows["error"]["max"], blocks["error"]["max"])

    def test_text_and_plot(self):
        told = self.ashlar("solve", "stack", "-s", "pgs", "--iterations", "300", "--plot", self.path("p.svg")).stdout
        self.assertIn("solver:    pgs, 300 iterations in ", told)
        self.assertRegex(told, r"worst:     block \d+, a contact of bodies \d+ and \d+\n")
        rows = [line.split()[0] for line in told.split("\n\n")[1].splitlines()[1:]]
        self.assertEqual(rows, ["0", "1", "2", "3", "4", "5", "10", "20", "50", "100", "200", "300"])
        root = xml.etree.ElementTree.parse(self.path("p.svg")).getroot()
        texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("iteration", texts)
        self.assertIn("stack by pgs", texts)

    def test_solution_in_a_file(self):
        self.ashlar("solve", "heavy-on-light", "-o", self.path("solved.json"))
        again = self.json("solve", self.path("solved.json"))
        self.assertLess(again["history"]["error"][0], 1e-9)
        one = self.json("solve", "giving-way", "--solver", "pgs", "--threads", "1")
        many = self.json("solve", "giving-way", "--solver", "pgs", "--threads", "3")
        self.assertEqual(one["history"]["error"], many["history"]["error"])

    def test_check(self):
        file = os.path.join(SOURCE, "tests/data/problems/impact.json")
        found = self.json("check", file)
        self.assertEqual((found["kind"], found["valid"], found["blocks"], found["islands"]), ("problem", True, 9, 2))
        self.assertIn("blocks    9, with 27 rows in 2 islands", self.ashlar("check", file).stdout)
        bad = self.write("bad.json", '{"ashlar_problem": 1, "h": "long"}')
        refused = self.json("check", bad, status=2)
        self.assertEqual((refused["kind"], refused["code"], refused["path"]), ("problem", "problem.type", "/h"))

    def test_refusals(self):
        self.assertIn('did you mean "stack"', self.refused("solve", "stuck"))
        self.assertIn('did you mean "newton"', self.refused("solve", "rest", "--solver", "neuton"))
        self.assertIn('did you mean "relaxation"', self.refused("solve", "rest", "--set", "relaxatio=1"))
        self.assertIn("KEY=VALUE", self.refused("solve", "rest", "--set", "relaxation"))
        self.assertIn("--tolerance", self.refused("solve", "rest", "--tolerance", "-1"))
        self.assertIn(".svg", self.refused("solve", "rest", "--plot", "x.png"))
        self.assertIn("cannot write", self.refused("solve", "rest", "--plot", "/nowhere/x.svg"))
        bad = self.write("bad.json", '{"ashlar_problem": 1,\n "h": 0.01, "bodies": [{"mass": 1}]}')
        told = self.refused("solve", bad)
        self.assertIn("bad.json:2:", told)
        self.assertIn('"mass" is not a key here', told)


if __name__ == "__main__":
    unittest.main()
