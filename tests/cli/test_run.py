"""ashlar run: the summary's contract, settings, checks, plots, files, exit statuses."""
import json
import os
import re
import unittest
import xml.etree.ElementTree

from program import ProgramTest

SHORT = ("run", "oscillator", "--time", "4")


class Run(ProgramTest):
    def test_summary_keeps_its_contract(self):
        summary = self.json(*SHORT, "--step", "0.01", "--check")
        self.assert_summary(summary)
        self.assertEqual(summary["scene"], "oscillator")
        self.assertEqual(summary["steps"], 400)
        self.assertAlmostEqual(summary["time"], 4, places=9)
        self.assertEqual(summary["step"], 0.01)
        outputs = [output["name"] for output in self.json("list", "oscillator")["outputs"]]
        self.assertEqual(sorted(summary["outputs"]), sorted(outputs))
        for check in summary["checks"]:
            self.assertLessEqual({"name", "value", "limit", "pass"}, set(check))

    def test_text_tells_what_the_summary_tells(self):
        text, summary = self.ashlar(*SHORT).stdout, self.json(*SHORT)
        self.assertIn(f"{summary['steps']} steps", text)
        self.assertIn(f"{summary['outputs']['x']:.6g}", text)
        self.assertIn("energy remainder", text)
        self.assertRegex(text, r"(?m)^flags +none$")
        self.assertIn(summary["hash"], text)

    def test_settings_reach_scene_and_method(self):
        plain, stiff = self.json(*SHORT), self.json(*SHORT, "--set", "omega=2", "--set=tolerance=1e-6")
        self.assertNotEqual(plain["hash"], stiff["hash"])
        self.assertAlmostEqual(stiff["energy_J"]["initial"], 4 * plain["energy_J"]["initial"], places=9)

    def test_an_integrator_can_be_set_in_three_ways(self):
        ways = (["--method", "rk4"], ["--method", "realtime:integrator=rk4"],
                ["--method", "realtime", "--set", "integrator=rk4"])
        hashes = {self.json(*SHORT, *way)["hash"] for way in ways}
        self.assertEqual(len(hashes), 1)
        self.assertNotIn(self.json(*SHORT)["hash"], hashes)

    def test_settings_of_the_run(self):
        self.assertEqual(self.json("run", "oscillator", "--set", "step=0.5", "--set", "time=3", "--method", "rk4")["steps"], 6)

    def test_settings_that_are_wrong(self):
        self.assertIn('expected KEY=VALUE', self.refused(*SHORT, "--set", "omega"))
        self.assertIn('expected KEY=VALUE', self.refused(*SHORT, "--set", "=3"))
        self.assertIn('did you mean "omega"?', self.refused(*SHORT, "--set", "omgea=2"))
        self.assertIn('"x"', self.refused(*SHORT, "--set", "omega=x"))
        self.assertIn("-5", self.refused(*SHORT, "--set", "omega=-5"))
        self.assertIn('did you mean "integrator"?', self.refused(*SHORT, "--set", "integrater=rk4"))

    def test_wrong_names(self):
        self.assertIn('did you mean "string"?', self.refused("run", "strng"))
        self.assertIn('did you mean "realtime"?', self.refused(*SHORT, "--method", "realtiem"))
        self.assertIn("missing.json", self.refused("run", "missing.json"))
        self.assertIn("expected KEY=VALUE", self.refused(*SHORT, "--method", "realtime:rk4"))

    def test_threads_give_the_same_state(self):
        hashes = {self.json("run", "string", "--time", "0.02", "--threads", n)["hash"] for n in ("1", "2", "5")}
        self.assertEqual(len(hashes), 1)


class Verdict(ProgramTest):
    """A scene file whose check passes, and the same with an expectation that cannot be met."""

    def scene(self, name, change):
        document = json.loads(self.ashlar("export", "oscillator", "--time", "2").stdout)
        self.assertGreater(len(document["checks"]), 0)
        for check in document["checks"]:
            change(check)
        return self.write(name, json.dumps(document))

    def test_a_passing_check(self):
        scene = self.scene("good.json", lambda check: check.update(tolerance=1e6))
        text = self.ashlar("run", scene, "--check").stdout
        self.assertRegex(text, r"(?m)^checks +(\d+) of \1 pass$")
        self.assertTrue(all(check["pass"] for check in self.json("run", scene, "--check")["checks"]))

    def test_a_failing_check_exits_with_1(self):
        scene = self.scene("bad.json", lambda check: check.update(expected=1e9))
        text = self.ashlar("run", scene, "--check", status=1).stdout
        self.assertIn("FAIL", text)
        summary = self.json("run", scene, "--check", status=1)
        self.assertFalse(any(check["pass"] for check in summary["checks"]))
        self.ashlar("run", scene)  # not asked for: not judged

    def test_what_cannot_go_on_exits_with_3(self):
        blow_up = ("run", "oscillator", "--method", "explicit-euler", "--step", "1000", "--time", "1e6")
        result = self.ashlar(*blow_up, status=3)
        self.assertIn("stopped before its end", result.stdout)
        self.assertTrue(result.stderr.startswith("ashlar: "))
        self.assert_summary(self.json(*blow_up, status=3))


class Plots(ProgramTest):
    def test_plots_in_characters(self):
        text = self.ashlar(*SHORT, "--plot", "x", "--plot=energy").stdout
        self.assertRegex(text, r"(?m)^x \(m\)$")
        self.assertRegex(text, r"(?m)^energy \(J\)$")
        self.assertEqual(text.count("time (s)"), 2)

    def test_wrong_output(self):
        message = self.refused(*SHORT, "--plot", "energie")
        self.assertIn('did you mean "energy"?', message)
        self.assertRegex(message, r"it has: .*\bx\b")
        self.assertIn("--svg", self.refused(*SHORT, "--json", "--plot", "x"))

    def test_svg(self):
        self.ashlar(*SHORT, "--svg", "all.svg")
        tree = xml.etree.ElementTree.parse(self.path("all.svg"))
        self.assertEqual(tree.getroot().tag, "{http://www.w3.org/2000/svg}svg")
        outputs = self.json("list", "oscillator")["outputs"]
        curves = [element for element in tree.iter() if element.get("class") == "curve"]
        panels = [element for element in tree.iter() if element.get("class") == "frame"]
        self.assertEqual(len(curves), len(outputs))
        self.assertEqual(len(panels), len({output["unit"] for output in outputs}))
        self.json(*SHORT, "--svg", "one.svg", "--plot", "x")
        with open(self.path("one.svg"), encoding="utf-8") as file:
            self.assertEqual(file.read().count('class="curve"'), 1)

    def test_a_run_beside_another(self):
        text = self.ashlar(*SHORT, "--plot", "x", "--set", "omega=1", "--beside", "omega=2", "--svg", "both.svg").stdout
        self.assertIn("x, omega=2 (m)", text)
        # cos t against cos 2 t: 2 at most
        self.assertAlmostEqual(float(re.search(r"largest difference of both: (\S+) m", text).group(1)), 2, places=1)
        with open(self.path("both.svg"), encoding="utf-8") as file:
            drawing = file.read()
        self.assertIn("x, omega=2", drawing)
        self.assertEqual(drawing.count('class="curve"'), 2)
        same = self.ashlar(*SHORT, "--plot", "x", "--beside", "omega=1").stdout
        self.assertIn("largest difference of both: 0 m", same)
        self.assertIn("omgea", self.refused(*SHORT, "--plot", "x", "--beside", "omgea=2"))
        self.assertIn("--plot", self.refused(*SHORT, "--beside", "omega=2"))

    def test_several_runs_beside_another(self):
        self.ashlar(*SHORT, "--plot", "x", "--beside", "omega=2", "--beside", "step=0.2", "--beside", "method=rk4",
                    "--svg", "four.svg")
        with open(self.path("four.svg"), encoding="utf-8") as file:
            drawing = file.read()
        self.assertEqual(drawing.count('class="curve"'), 4)
        for setting in ("omega=2", "step=0.2", "method=rk4"):
            self.assertIn(f"x, {setting}", drawing)
        for setting in ("step=0", "step=x", "time=-1"):
            self.assertIn("seconds", self.refused(*SHORT, "--svg", "no.svg", "--beside", setting))

    def test_svg_that_cannot_be_written(self):
        result = self.ashlar(*SHORT, "--svg", "/dev/full", status=2)
        self.assertIn("/dev/full: cannot write the file: No space left on device", result.stderr)


class Files(ProgramTest):
    def test_out_writes_all_files_and_names_them(self):
        text = self.ashlar(*SHORT, "--out", "results").stdout
        names = ("recording.h5", "outputs.csv", "ledger.csv", "summary.json", "scene.json")
        line = re.search(r"(?m)^files +in results: (.*)$", text).group(1)
        self.assertEqual(line.split(), list(names))
        for name in names:
            self.assertGreater(os.path.getsize(self.path(f"results/{name}")), 0)
        with open(self.path("results/summary.json"), encoding="utf-8") as file:
            self.assert_summary(json.load(file))

    def test_out_that_cannot_be_made(self):
        self.write("occupied", "")
        self.assertIn("occupied", self.refused(*SHORT, "--out", "occupied"))
        self.assertIn("/dev/null: cannot make the directory", self.refused(*SHORT, "--out", "/dev/null/x"))


if __name__ == "__main__":
    unittest.main()
