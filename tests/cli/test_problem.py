"""ashlar problem, solve and spectrum: from a scene to a problem file to solutions, their histories and what explains them."""
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
          "impact", "rolling", "planar", "chain", "ball-grid", "wall", "coincident", "parallel", "wedged",
          "immovable-pair", "extreme-friction", "mass-ratio"]


class Problem(ProgramTest):
    def test_from_scene_to_solution(self):
        scene = self.write("boxes.json", BOXES)
        told = self.ashlar("problem", scene, "--at", "0.1", "-o", self.path("p.json")).stdout
        self.assertIn("the problem at 0.1 s: 3 bodies, 8 blocks, 24 rows, 1 island\n", told)
        with open(self.path("p.json"), encoding="utf-8") as file:
            problem = json.load(file)
        self.assertEqual((problem["ashlar_problem"], problem["h"], len(problem["contacts"])), (2, 0.01, 2))
        # The step before left its impulses as first guess: the weight of two boxes and of one.
        normal = [point["impulse"][0] for contact in problem["contacts"] for point in contact["points"]]
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
        self.assertEqual(json.loads(self.ashlar("problem", scene).stdout)["ashlar_problem"], 2)

    def test_scene_without_contacts(self):
        self.ashlar("problem", "free-fall", "--at", "0.1", "-o", self.path("p.json"))
        self.assertEqual(self.json("solve", self.path("p.json"))["blocks"], 0)

    def test_refusals(self):
        self.assertIn("seconds", self.refused("problem", "free-fall", "--at", "-1"))
        self.assertIn("did you mean", self.refused("problem", "free-fal"))
        self.assertIn("cannot make the directory", self.refused("problem", "free-fall", "-o", "/dev/null/p.json"))
        self.assertIn("SCENE is missing", self.refused("problem"))


class Solve(ProgramTest):
    def test_history_of_every_solver(self):
        for solver in ("jacobi", "pgs", "sor", "lemke", "nncg", "apgd", "newton", "soft-step", "direct", "structured", "shock", "penalty", "biconjugate", "structured-dense",
                       "full-iterative", "full-dense"):
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
        self.assertRegex(told, r"solver:    pgs, 300 iterations in [0-9.e+-]+ ms: not converged\n")
        self.assertRegex(told, r"worst:     point \d+, of a contact of bodies \d+ and \d+\n")
        rows = [line.split()[0] for line in told.split("\n\n")[1].splitlines()[1:]]
        self.assertEqual(rows, ["0", "1", "2", "3", "4", "5", "10", "20", "50", "100", "200", "300"])
        root = xml.etree.ElementTree.parse(self.path("p.svg")).getroot()
        texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("iteration", texts)
        self.assertIn("stack by pgs", texts)

    def test_outcomes_are_told(self):
        for solver, outcome in (("newton", "converged"), ("apgd --iterations 1", "not converged, relaxed"),
                                ("penalty", "converged"), ("soft-step --no-warm-start", "not converged")):
            told = self.ashlar("solve", "stack", "--solver", *solver.split()).stdout
            self.assertRegex(told, r"solver:    [a-z-]+, \d+ iterations? in [0-9.e+-]+ ms: " + outcome + "\n")
        self.assertIn("penalty, 1 iteration in", self.ashlar("solve", "rest", "--solver", "penalty").stdout)
        told = self.ashlar("solve", "rest", "--set", "gravity=3", status=2).stderr
        self.assertIn('a solver has no "gravity"', told)
        self.assertIn("expected inner-solver, iterations, solver-tolerance, time-budget", told)

    def test_several_solvers(self):
        names = ["jacobi", "pgs", "pgs:diagonal-scaling=on", "pgs:regularization=0.1", "sor:relaxation=1.5", "shock"]
        document = self.json("solve", "stack", "--solvers", ",".join(names), "--iterations", "40", "--tolerance", "0",
                             "--set", "solve-by=rows", "--set", "friction-law=box", "--plot", self.path("s.svg"),
                             "--csv", self.path("s.csv"))
        self.assertEqual([one["solver"] for one in document["solvers"]], names)
        jacobi, pgs, scaled, damped, sor, shock = (one["history"] for one in document["solvers"])
        for history in (jacobi, pgs, scaled, damped, sor, shock):
            self.assertEqual({len(history[key]) for key in ("error", "theta", "own_theta", "seconds")}, {41})
            self.assertEqual(history["theta"][0], pgs["theta"][0])  # each begins anew
        alone = self.json("solve", "stack", "--solver", "pgs:solve-by=rows:friction-law=box:iterations=40",
                          "--tolerance", "0")["history"]
        self.assertEqual(pgs["theta"], alone["theta"])
        self.assertEqual(pgs["theta"], pgs["own_theta"])
        self.assertEqual(pgs["theta"], scaled["theta"])  # the same sweeps
        self.assertNotAlmostEqual(scaled["own_theta"][40] / scaled["theta"][40], 1, places=1)
        self.assertLess(damped["own_theta"][40], 0.1 * damped["theta"][40])
        self.assertGreater(jacobi["theta"][40], pgs["theta"][40])
        self.assertGreater(pgs["theta"][40], sor["theta"][40])
        self.assertLess(shock["own_theta"][40], 1e-15)  # its layers are solved
        self.assertGreater(shock["theta"][40], 1e-3)  # and the whole is not
        with open(self.path("s.csv"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(len(lines), 42)
        self.assertTrue(lines[0].startswith("iteration,jacobi theta,jacobi theta of the own system,jacobi error [m/s],"))
        self.assertEqual(float(lines[41].split(",")[4]), pgs["theta"][40])
        root = xml.etree.ElementTree.parse(self.path("s.svg")).getroot()
        texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        for text in names + ["theta", "theta of the own system", "error (m/s)", "iteration", "1e-2"]:
            self.assertIn(text, texts)
        told = self.ashlar("solve", "rest", "--solvers", "pgs,newton").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in told], ["problem:", "solver", "pgs", "newton"])

    def test_table_of_the_docs(self):
        with open(os.path.join(SOURCE, "docs/convergence.md"), encoding="utf-8") as file:
            lines = [line for line in file.read().splitlines() if line.startswith("ashlar solve ball-grid ")]
        self.assertEqual(len(lines), 1)
        words = lines[0].split()[1:]
        there = os.path.join(SOURCE, words[words.index("--csv") + 1])
        words[words.index("--csv") + 1] = self.path("here.csv")
        words[words.index("--plot") + 1] = self.path("here.svg")
        self.ashlar(*words)
        with open(there, encoding="utf-8") as old, open(self.path("here.csv"), encoding="utf-8") as new:
            self.assertEqual(new.read(), old.read())

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
        self.assertIn("cannot make the directory", self.refused("solve", "rest", "--plot", "/dev/null/x.svg"))
        self.assertIn("/dev/null: cannot make", self.refused("solve", "rest", "--csv", "/dev/null/x.csv"))
        self.assertIn("exclude each other", self.refused("solve", "rest", "--solvers", "pgs", "--solver", "sor"))
        self.assertIn("--output", self.refused("solve", "rest", "--solvers", "pgs,sor", "-o", "x.json"))
        for bad in (",", "pgs,", ",pgs", "pgs,,sor"):
            self.assertIn("separated by commas", self.refused("solve", "rest", "--solvers", bad))
        self.assertIn("more than 24", self.refused("solve", "rest", "--solvers", ",".join(["pgs"] * 25)))
        self.assertIn('did you mean "pgs"', self.refused("solve", "rest", "--solvers", "sor,pg"))
        self.assertIn("KEY=VALUE", self.refused("solve", "rest", "--solvers", "sor:relaxation"))
        self.assertIn("KEY=VALUE", self.refused("solve", "rest", "--solver", "sor:"))
        self.assertIn("there is no solver", self.refused("solve", "rest", "--solver", "x" * 100 + ":a=1"))
        self.assertIn("regularization", self.refused("solve", "rest", "--solver", "pgs:regularization=-1"))
        bad = self.write("bad.json", '{"ashlar_problem": 1,\n "h": 0.01, "bodies": [{"mass": 1}]}')
        told = self.refused("solve", bad)
        self.assertIn("bad.json:2:", told)
        self.assertIn('"mass" is not a key here', told)


class Spectrum(ProgramTest):
    def test_numbers(self):
        found = self.json("spectrum", "rest", "--csv", self.path("s.csv"), "--plot", self.path("s.svg"))
        self.assertEqual((found["rows"], found["left_out"], found["rank"]), (12, 0, 6))  # a box has six freedoms
        self.assertEqual(len(found["A"]), 12)
        self.assertEqual(found["A"], sorted(found["A"]))
        self.assertAlmostEqual(found["radius"], 1, places=12)
        ones = sum(abs(complex(*pair) - 1) < 1e-9 for pair in zip(found["T"]["real"], found["T"]["imaginary"]))
        self.assertEqual(ones, 6)
        self.assertTrue(0 < found["rate"] < 1)
        pattern = {tuple(pair) for pair in found["pattern"]}
        self.assertEqual(pattern, {(k, i) for i, k in pattern})
        with open(self.path("s.csv"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[0].split(",")[1], "eigenvalue of A")
        self.assertEqual(float(lines[12].split(",")[1]), found["A"][11])
        root = xml.etree.ElementTree.parse(self.path("s.svg")).getroot()
        texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        for text in ("rest", "row of A", "eigenvalues of A", "imaginary part", "moduli of T's eigenvalues"):
            self.assertIn(text, texts)

    def test_damped_and_scaled(self):
        plain, damped = self.json("spectrum", "rest"), self.json("spectrum", "rest", "--regularization", "0.5")
        scaled = self.json("spectrum", "rest", "--diagonal-scaling")
        self.assertEqual(damped["rank"], 12)
        self.assertLess(damped["radius"], 1)
        for with_it, without in zip(damped["A"], plain["A"]):
            self.assertAlmostEqual(with_it, without + 0.5, places=12)
        self.assertAlmostEqual(sum(scaled["A"]), 12, places=10)
        self.assertAlmostEqual(scaled["rate"], plain["rate"], places=9)

    def test_text(self):
        told = self.ashlar("spectrum", "immovable-pair").stdout
        self.assertIn("that no impulse moves", told)
        self.assertIn("rank 6, redundant rows 6", told)
        self.assertRegex(told, r"a tenth of the error is left after [\d.]+ sweeps")
        empty = self.write("empty.json", '{"ashlar_problem": 1, "h": 0.01, "bodies": [{}], "blocks": []}')
        self.assertIn("0 rows", self.ashlar("spectrum", empty, "--plot", self.path("e.svg")).stdout)
        xml.etree.ElementTree.parse(self.path("e.svg"))

    def test_refusals(self):
        self.assertIn("expected at most 1500", self.refused("spectrum", "pile"))
        self.assertIn("0 or more", self.refused("spectrum", "rest", "--regularization", "-1"))
        self.assertIn("0 or more", self.refused("spectrum", "rest", "--regularization", "x"))
        self.assertIn(".svg", self.refused("spectrum", "rest", "--plot", "x.png"))
        self.assertIn("cannot make the directory", self.refused("spectrum", "rest", "--plot", "/dev/null/x.svg"))
        self.assertIn("/dev/null: cannot make", self.refused("spectrum", "rest", "--csv", "/dev/null/x.csv"))
        self.assertIn('did you mean "stack"', self.refused("spectrum", "stuck"))


if __name__ == "__main__":
    unittest.main()
