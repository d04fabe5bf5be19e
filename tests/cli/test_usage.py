"""Help, versions, wrong names and wrong options; the documentation lists the same options as the help."""
import glob
import re
import unittest

from program import SOURCE, ProgramTest

COMMANDS = ("list", "run", "compare", "validate", "check", "export", "convert", "assemble", "settle", "sweep", "picture", "view", "bench")


class Usage(ProgramTest):
    def test_help_lists_the_commands(self):
        for form in ("--help", "-h", "help"):
            text = self.ashlar(form).stdout
            for command in COMMANDS:
                self.assertRegex(text, rf"(?m)^  {command} +\S")

    def test_each_command_has_help_with_examples(self):
        for command in COMMANDS:
            text = self.ashlar(command, "--help").stdout
            self.assertIn(f"Usage: ashlar {command}", text)
            self.assertRegex(text, rf"(?m)^Examples\n  ashlar {command}")
            self.assertEqual(text, self.ashlar("help", command).stdout)
            self.assertEqual(text, self.ashlar(command, "-h").stdout)

    def test_help_fits_a_terminal(self):
        for command in (*COMMANDS, "report", "problem", "solve", "spectrum"):
            self.assertLess(max(map(len, self.ashlar(command, "--help").stdout.splitlines())), 120, command)

    def test_documentation_agrees_with_help(self):
        with open(f"{SOURCE}/docs/command-line.md", encoding="utf-8") as file:
            document = file.read()
        for command in COMMANDS:
            section = re.search(rf"(?ms)^## ashlar {command}$(.*?)(?=^## |\Z)", document).group(1)
            documented = set()
            for line in re.findall(r"(?m)^\| `(?:-o FILE`, `)?(--[^`]*)`", section):
                documented.add(line)
            text = self.ashlar(command, "--help").stdout
            helped = set(re.findall(r"(?m)^  (?:-\w, |    )(--[a-z-]+(?: \S+)?)  ", text)) - {"--help"}
            self.assertEqual(documented, helped, command)

    def test_version(self):
        self.assertRegex(self.ashlar("--version").stdout, r"^ashlar \d+\.\d+\.\d+\n$")

    def test_no_command(self):
        self.assertIn("a command is missing", self.refused())

    def test_wrong_commands_and_options_get_a_suggestion(self):
        self.assertIn('unknown command "rnu" (did you mean "run"?)', self.refused("rnu"))
        self.assertIn('unknown option "--hlep"', self.refused("--hlep"))
        self.assertIn("unknown option --setp (did you mean --set?)", self.refused("run", "string", "--setp", "1"))
        self.assertIn('"ashlar run --help" explains', self.refused("run", "string", "--setp", "1"))

    def test_words_of_other_programs_get_a_suggestion(self):
        self.assertIn('(did you mean "run"?)', self.refused("simulate"))
        self.assertIn('(did you mean "picture"?)', self.refused("render"))
        self.assertIn("(did you mean --time?)", self.refused("run", "string", "--duration", "1"))
        self.assertIn("(did you mean --step?)", self.refused("run", "string", "--dt", "1"))
        self.assertIn("(did you mean --colour?)", self.refused("picture", "string", "--color", "speed"))
        self.assertIn('(did you mean "gribel-2009"?)', self.refused("run", "wall", "--method", "gribel"))
        self.assertIn('(did you mean "dejong-2014"?)', self.refused("run", "wall", "--method", "dejong"))
        self.assertIn('(did you mean "roof-tower"?)', self.refused("run", "rooftower"))
        self.assertIn('(did you mean "iftomm-four-bar"?)', self.refused("run", "four-bar"))
        self.assertNotIn("did you mean", self.refused("run", "xylophone"))

    def test_words_of_other_formats_get_a_suggestion(self):
        cases = (('"bodies": [{"restitution": 1}]', "it belongs to a material"),
                 ('"bodies": [{"orientation": [1,0,0,0]}]', 'did you mean "rotation"'),
                 ('"bodies": [{"type": "fixed"}]', 'did you mean "static"'),
                 ('"bodies": [{"shapes": [{"shape": {"kind": "cube"}}]}]', 'did you mean "box"'),
                 ('"bodies": [{"shapes": [{"shape": {"kind": "mesh", "url": "a.obj"}}]}]', '"file" belongs to a shape of kind "mesh"'),
                 ('"joints": [{"kind": "prismatic"}]', 'did you mean "slider"'),
                 ('"forces": [{"kind": "torque"}]', 'did you mean "load"'),
                 ('"materials": {"m": {"bounciness": 1}}', 'did you mean "restitution"'),
                 ('"world": {"dt": 1}', 'did you mean "step"'),
                 ('"world": {"method": {"velocity-iterations": 1}}', 'did you mean "iterations"'))
        for text, suggestion in cases:
            self.write("other.json", '{"ashlar": 1, ' + text + "}")
            self.assertIn(suggestion, self.refused("check", "other.json"), text)

    def test_figures_have_units_and_plurals(self):
        text = self.ashlar("run", "box-stack", "--time", "0.1").stdout
        self.assertRegex(text, r"residual \S+ m/s at most, \S+ m/s on average")
        self.assertNotRegex(text, r"\b1 (steps|bodies|contacts|joints)\b")
        self.assertRegex(self.ashlar("compare", "free-fall", "--methods", "rk4").stdout, r"residual, max \(m/s\)")
        self.write("one.json", '{"ashlar": 1, "bodies": [{"shapes": [{"shape": {"kind": "sphere", "radius": 1}}]}]}')
        self.assertIn(", 1 shape\n", self.ashlar("check", "one.json").stdout)
        self.assertNotIn("nan", self.ashlar("run", "one.json").stdout)
        result = self.ashlar("run", "free-fall", "--time", "1e-9")
        self.assertIn("the run has 1 step and ends", result.stderr)

    def test_a_run_without_a_step_has_no_figures_of_steps(self):
        result = self.ashlar("run", "string", "--step", "1e300", status=3)
        self.assertIn("no step was taken", result.stdout)
        self.assertNotIn("nan", result.stdout)

    def test_instants_beyond_the_end(self):
        result = self.ashlar("problem", "free-fall", "--at", "1.5", "-o", "late.json")
        self.assertIn("the scene ends at 1 s", result.stderr)
        self.assertIn("expected at most 100 s", self.refused("problem", "free-fall", "--at", "1e6"))
        self.assertIn("expected at most 100 s", self.refused("picture", "free-fall", "--at", "1e6", "-o", "late.png"))
        sequence = ("picture", "free-fall", "-o", "late.png", "--frames", "100", "--every", "2")
        self.assertIn("the time is 198 s, expected at most 100 s", self.refused(*sequence))
        self.assertIn("from 0 to 1e9", self.refused("picture", "free-fall", "--at", "1e12", "-o", "late.png"))
        result = self.ashlar("picture", "free-fall", "--at", "1.5", "-o", "late.png", "--size", "16x9", "--samples", "1")
        self.assertIn("the scene ends at 1 s; it is run on to 1.5 s", result.stderr)

    def test_operands_are_counted(self):
        self.assertIn("run: SCENE is missing", self.refused("run"))
        self.assertIn("check: FILE is missing", self.refused("check", "--json"))
        self.assertIn('"b" is one argument too many', self.refused("run", "a", "b"))

    def test_numbers_are_checked(self):
        self.assertIn('--step is "abc", expected a number of seconds above 0', self.refused("run", "string", "--step", "abc"))
        self.assertIn('--time is "-1"', self.refused("run", "string", "--time=-1"))
        self.assertIn('--threads is "0", expected a whole number from 1', self.refused("run", "string", "--threads", "0"))
        self.assertIn("--out needs a value", self.refused("run", "string", "--out"))

    def test_counts_have_limits(self):
        for limit, *arguments in (("256", "run", "string", "--threads", "257"), ("256", "view", "string", "--threads", "257"),
                                  ("at most 9e15 steps", "run", "string", "--time", "1e18"),
                                  ("at most 9e15 steps", "run", "string", "--step", "1e-300"),
                                  ("1e+06", "run", "string", "--set", "elements=2e6"),
                                  ("256", "picture", "string", "-o", "a.png", "--samples", "257"),
                                  ("9999", "picture", "string", "-o", "a.png", "--frames", "10000"),
                                  ("16384", "picture", "string", "-o", "a.png", "--size", "16385x1"),
                                  ("1000000", "solve", "rest", "--iterations", "1000001"),
                                  ("1000000", "bench", "springs", "--elements", "1000001")):
            self.assertIn(limit, self.refused(*arguments), arguments)

    def test_control_characters_do_not_reach_the_terminal(self):
        self.assertNotIn("\033", self.refused("run", "\033[31mred"))
        self.assertNotIn("\033", self.refused("\033[31mred"))


class Warnings(ProgramTest):
    """Values that are surely units mixed up are warned of with their place; scenes that are right are not."""
    BALL = '{"mass": 1, "inertia": [1, 1, 1]}'

    def warn(self, text, code, line, path):
        self.write("odd.json", '{"ashlar": 1,\n' + text + "}")
        document = self.json("check", "odd.json")
        self.assertTrue(document["valid"])
        found = {warning["code"]: warning for warning in document["warnings"]}
        self.assertIn(code, found, text)
        self.assertEqual((found[code]["line"], found[code]["path"]), (line, path))
        result = self.ashlar("check", "odd.json")
        self.assertIn(f"ashlar: warning: odd.json:{line}:", result.stderr)
        self.assertRegex(result.stdout, r"with (a warning|warnings)\n")

    def test_units(self):
        two = f'"bodies": [{self.BALL}, {self.BALL}],\n'
        self.warn('"world": {\n"gravity": [0, 0, -9810]}', "units.gravity", 3, "/world/gravity")
        self.warn('"world": {\n"step": 10, "time": 100}', "units.step", 3, "/world/step")
        self.warn('"world": {"step": 10}', "units.step", 2, "/world/step")
        self.warn(two + '"joints": [{"kind": "hinge", "body_a": 0, "body_b": 1, "axes": {\n"turn-x": {"lower": -90, "upper": 90}}}]',
                  "units.angle", 4, "/joints/0/axes/turn-x/lower")
        self.warn('"bodies": [{"shapes": [{"shape": {"kind": "sphere", "radius": 1},\n"density": 7.8}]}]', "units.density", 3,
                  "/bodies/0/shapes/0/density")
        self.warn('"materials": {"steel":\n{"density": 1.0}},"bodies": [{"shapes": [{"shape": {"kind": "sphere", "radius": 1},'
                  '"material": "steel"}]}]', "units.density", 3, "/materials/steel/density")
        small = '{"shapes": [{"shape": {"kind": "box", "half_extents": [0.01, 0.01, 0.01]}}]}'
        self.warn(f'"bodies": [{small}, {small},\n' + small.replace("0.01", "100") + "]", "units.size", 3, "/bodies/2")
        self.warn(f'"bodies": [{self.BALL},\n' + self.BALL.replace('"mass": 1', '"mass": 1e9') + "]", "units.masses", 3,
                  "/bodies/1")
        self.warn('"materials": {"m":\n{"friction": 50}}', "units.friction", 3, "/materials/m/friction")
        self.warn('"bodies": [{"mass": 1}], "joints": [{"kind": "hinge",\n"body_a": null, "body_b": 0}]', "joint.point-mass", 3,
                  "/joints/0/body_b")

    def test_good_scenes_have_none(self):
        for name in ("wall", "car", "tennis-ball", "truck-2d", "andrews", "string"):
            self.ashlar("export", name, "-o", "scene.json")
            self.assertEqual(self.json("check", "scene.json")["warnings"], [], name)
        for path in sorted(glob.glob(f"{SOURCE}/scenes/*.json")):
            self.assertEqual(self.json("check", path)["warnings"], [], path)


class List(ProgramTest):
    def test_text_and_json_list_the_same(self):
        text, document = self.ashlar("list").stdout, self.json("list")
        self.assertGreater(len(document["scenes"]), 0)
        for entry in document["scenes"] + document["methods"]:
            self.assertRegex(text, rf"(?m)^  {entry['name']} +{re.escape(entry['summary'])}$")
        headings = [line[len("Scenes: "):] for line in text.splitlines() if line.startswith("Scenes: ")]
        self.assertEqual(sorted(headings), sorted({entry["group"] for entry in document["scenes"]}))
        for heading in headings:
            lines = text.partition(f"Scenes: {heading}\n")[2].partition("\n\n")[0].splitlines()
            self.assertEqual([line.split()[0] for line in lines],
                             [entry["name"] for entry in document["scenes"] if entry["group"] == heading])
        self.assertIn("rk4", document["integrators"])
        self.assertIn("integrator", [field["name"] for field in document["method_fields"]])

    def test_each_scene_is_described(self):
        for entry in self.json("list")["scenes"]:
            text, document = self.ashlar("list", entry["name"]).stdout, self.json("list", entry["name"])
            self.assertEqual(document["name"], entry["name"])
            self.assertEqual(document["parameters"], entry["parameters"])
            for part in document["parameters"] + document["method_fields"] + document["outputs"] + document["checks"]:
                self.assertRegex(text, rf"(?m)^  {re.escape(part['name'])} ")
            for parameter in document["parameters"]:
                if "choices" in parameter:
                    self.assertIn(parameter["default"], parameter["choices"].split("|"))
                else:
                    self.assertTrue(parameter["low"] <= parameter["default"] <= parameter["high"], parameter)

    def test_wrong_name(self):
        self.assertIn('did you mean "string"?', self.refused("list", "strng"))


if __name__ == "__main__":
    unittest.main()
