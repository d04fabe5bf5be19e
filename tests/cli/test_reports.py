"""ashlar compare, validate, check and export."""
import json
import os
import re
import subprocess
import unittest

from program import PROGRAM, ProgramTest, environment

ROW = {"scene", "quantity", "source", "expected", "ours", "limit", "verdict", "reason"}


class Compare(ProgramTest):
    ARGUMENTS = ("compare", "oscillator", "--time", "2", "--methods", "symplectic-euler,realtime:integrator=rk4")

    def test_columns_are_the_methods(self):
        text = self.ashlar(*self.ARGUMENTS).stdout
        self.assertRegex(text.splitlines()[0], r"^oscillator +symplectic-euler +realtime:integrator=rk4$")
        for row in ("residual, max (m/s)", "penetration, max (m)", "joint error, max (m)", "energy drift (of exchanged)",
                    "displacement, max (m)", "step, mean (ms)", "hash"):
            self.assertRegex(text, rf"(?m)^{re.escape(row)} +\S+ +\S+$")

    def test_what_was_before_the_last_event(self):
        tower = ("compare", "roof-tower", "--methods", "realtime,guendelman-2003", "--time", "0.4", "--set", "layers=2",
                 "--set", "per-layer=6", "--set", "roof-time=0.1", "--set", "drop=0.1", "--set", "ball-time=0.35")
        text = self.ashlar(*tower).stdout
        self.assertRegex(text, r"(?m)^last event at \(s\) +0.35 +0.35$")
        for run in self.json(*tower)["runs"]:
            before = run["before_last_event"]
            self.assertAlmostEqual(before["time"], 0.35)
            self.assertLess(before["sideways_m"], 0.05)
            self.assertLessEqual(before["penetration_m"], run["penetration_m"]["max"])
            self.assertLess(before["sideways_m"], run["displacement_m"]["max"])
        self.assertNotIn("last event", self.ashlar(*self.ARGUMENTS).stdout)
        self.assertNotIn("before_last_event", self.json(*self.ARGUMENTS)["runs"][0])

    def test_json_holds_a_summary_a_method(self):
        document = self.json(*self.ARGUMENTS)
        self.assertEqual(document["scene"], "oscillator")
        self.assertEqual([run["label"] for run in document["runs"]], ["symplectic-euler", "realtime:integrator=rk4"])
        for run in document["runs"]:
            self.assert_summary(run)
        self.assertNotEqual(document["runs"][0]["hash"], document["runs"][1]["hash"])
        alone = self.json("run", "oscillator", "--time", "2", "--method", "rk4")
        self.assertEqual(document["runs"][1]["hash"], alone["hash"])

    def test_markdown(self):
        lines = self.ashlar(*self.ARGUMENTS, "--markdown").stdout.splitlines()
        self.assertEqual(lines[0], "| oscillator | symplectic-euler | realtime:integrator=rk4 |")
        self.assertEqual(lines[1], "|---|---:|---:|")
        self.assertTrue(all(line.count(" |") == 3 for line in lines[2:]))

    def test_all_presets_without_a_list(self):
        document = self.json("compare", "oscillator", "--time", "1")
        presets = [method["name"] for method in self.json("list")["methods"]]
        self.assertEqual([run["label"] for run in document["runs"]], presets)

    def test_a_method_that_cannot_go_on(self):
        result = self.ashlar("compare", "oscillator", "--methods", "explicit-euler,rk4", "--step", "1000", "--time",
                             "1e6", status=3)
        self.assertRegex(result.stderr, r"(?m)^ashlar: with explicit-euler: .*not.finite")
        told = [line for line in result.stderr.splitlines() if "warning: " not in line]
        self.assertEqual(len(told), 2)  # each told once
        self.assertRegex(result.stdout, r"(?m)^alarms \(steps\) .*not-finite \(1\)")

    def test_wrong_methods(self):
        self.assertIn('did you mean "rk4"?', self.refused("compare", "oscillator", "--methods", "rk5"))
        self.assertIn("separated by commas", self.refused("compare", "oscillator", "--methods", "rk4,,realtime"))
        self.assertIn("exclude each other", self.refused("compare", "oscillator", "--json", "--markdown"))


class Validate(ProgramTest):
    def test_json_rows_keep_their_contract(self):
        result = self.ashlar("validate", "free-fall", "--json")
        rows = json.loads(result.stdout)["rows"]
        self.assertGreater(len(rows), 0)
        for row in rows:
            self.assertEqual(set(row), ROW)
            self.assertEqual(row["scene"], "free-fall")
            self.assertIn(row["verdict"], ("pass", "reported"))
        passed = sum(row["verdict"] == "pass" for row in rows)
        self.assertEqual(result.stderr, f"{len(rows)} rows: {passed} pass, 0 fail, {len(rows) - passed} reported\n")

    def test_text_and_markdown(self):
        text = self.ashlar("validate", "free-fall").stdout.splitlines()
        markdown = self.ashlar("validate", "free-fall", "--markdown").stdout.splitlines()
        self.assertRegex(text[-1], r"^\d+ rows: \d+ pass, 0 fail, \d+ reported$")
        table = markdown.index("| scene | quantity | source | expected | ours | limit | verdict |")
        self.assertEqual(markdown[-1], text[-1])
        self.assertEqual(len(text) - 2, len(markdown) - table - 4)
        for line in text[1:-1]:
            self.assertRegex(line, r"^(pass|reported) +\S+ +\S+ +\S+  free-fall: .* \[.*\]$")

    def test_wrong_name_runs_nothing(self):
        self.assertIn('did you mean "free-fall"?', self.refused("validate", "free-fall", "fre-fall"))


class Check(ProgramTest):
    def exported(self):
        return self.ashlar("export", "oscillator").stdout

    def test_a_good_scene(self):
        self.write("good.json", self.exported())
        text = self.ashlar("check", "good.json").stdout
        self.assertIn("good.json: a good scene file", text)
        self.assertRegex(text, r"(?m)^  bodies +1 \(1 dynamic, 0 static, 0 kinematic\)")
        document = self.json("check", "good.json")
        self.assertEqual((document["valid"], document["kind"], document["scene"]), (True, "scene", "oscillator"))
        self.assertEqual(document["bodies"], {"dynamic": 1, "static": 0, "kinematic": 0})

    def test_a_file_is_never_taken_for_a_builtin_scene(self):
        self.refused("check", "oscillator")  # no such file
        for name in ("oscillator", "scene.txt"):
            self.write(name, self.exported())
            self.ashlar("check", name)

    def test_the_place_is_shown(self):
        good = self.exported()
        self.assertIn('"bodies"', good)
        bad = good.replace('"bodies"', '"bodeis"', 1)
        line = bad[:bad.index('"bodeis"')].count("\n") + 1
        column = bad.index('"bodeis"') - bad.rfind("\n", 0, bad.index('"bodeis"'))
        self.write("bad.json", bad)
        message = self.refused("check", "bad.json")
        first, source, caret, expected = message.splitlines()
        self.assertIn(f"bad.json:{line}:{column}:", first)
        self.assertIn('did you mean "bodies"?', first)
        self.assertIn('"bodeis"', source)
        self.assertEqual(caret.index("^"), source.index('"bodeis"'))
        self.assertRegex(expected, '^  expected .*"bodies"')
        result = self.ashlar("check", "bad.json", "--json", status=2)
        document = json.loads(result.stdout)
        self.assertEqual((document["valid"], document["line"], document["column"]), (False, line, column))
        self.assertEqual(result.stderr, message)

    def test_files_that_are_no_scenes(self):
        self.write("empty.json", "")
        self.write("cut.json", self.exported()[:100])
        with open(self.path("binary.json"), "wb") as file:
            file.write(bytes(range(256)))
        for name in ("empty.json", "cut.json", "binary.json", "missing.json", "."):
            self.refused("check", name)

    def test_a_scene_from_a_pipe(self):
        for text, status in ((self.exported(), 0), ('{"ashlar": 1, "boddies": []}', 2)):
            result = subprocess.run([PROGRAM, "check", "/dev/stdin"], input=text, capture_output=True, text=True,
                                    timeout=60, env=environment())
            self.assertEqual(result.returncode, status, result.stderr)

    def test_long_lines_are_cut(self):
        self.write("long.json", '{"ashlar": 1, "name": "' + "x" * 5000 + '", "boddies": []}')
        message = self.refused("check", "long.json")
        shown = message.splitlines()[1:3]  # the place and its caret; what was expected may be a long list
        self.assertLess(max(len(line) for line in shown), 130)
        self.assertIn("boddies", shown[0])


class CheckRecording(ProgramTest):
    def test_a_recording(self):
        self.ashlar("run", "oscillator", "--time", "2", "--step", "0.1", "--out", "results")
        text = self.ashlar("check", "results/recording.h5").stdout
        self.assertIn("results/recording.h5: a valid recording", text)
        self.assertRegex(text, r"(?m)^  samples +21, from 0 s to 2 s, 1 body and 3 outputs in each$")
        document = self.json("check", "results/recording.h5")
        self.assertEqual((document["kind"], document["samples"], document["complete"]), ("recording", 21, True))
        os.rename(self.path("results/recording.h5"), self.path("unnamed"))  # known by its content
        self.assertEqual(self.json("check", "unnamed")["kind"], "recording")

    def test_bad_recordings(self):
        self.ashlar("run", "oscillator", "--time", "2", "--out", "results")
        with open(self.path("results/recording.h5"), "rb") as file:
            whole = file.read()
        for name, content in (("cut.h5", whole[:len(whole) // 2]), ("text.h5", b"no HDF5"), ("empty.h5", b"")):
            with open(self.path(name), "wb") as file:
                file.write(content)
            self.assertIn(name, self.refused("check", name))
            result = self.ashlar("check", name, "--json", status=2)
            self.assertFalse(json.loads(result.stdout)["valid"])


class Export(ProgramTest):
    def test_every_scene_reads_back_and_runs_to_the_same_state(self):
        for entry in self.json("list")["scenes"]:
            name = entry["name"]
            self.ashlar("export", name, "-o", f"{name}.json")
            self.ashlar("check", f"{name}.json")
            with open(self.path(f"{name}.json")) as file:
                step = json.load(file)["world"]["step"]
            runs = [self.json("run", scene, "--time", repr(2 * step)) for scene in (name, f"{name}.json")]
            self.assertEqual(runs[0]["hash"], runs[1]["hash"], name)

    def test_settings_are_written(self):
        document = json.loads(self.ashlar("export", "oscillator", "--method", "rk4", "--time", "7").stdout)
        self.write("a.json", json.dumps(document))
        described = self.json("list", "./a.json")
        self.assertEqual((described["time"], described["method"]["integrator"]), (7, "rk4"))

    def test_a_file_that_cannot_be_written(self):
        told = self.refused("export", "oscillator", "-o", "/dev/full")
        self.assertIn("/dev/full: cannot write the file: No space left on device", told)
        self.assertIn("Is a directory", self.refused("export", "oscillator", "--output", "."))


if __name__ == "__main__":
    unittest.main()
