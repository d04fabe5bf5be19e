"""Help, versions, wrong names and wrong options; the documentation lists the same options as the help."""
import re
import unittest

from program import SOURCE, ProgramTest

COMMANDS = ("list", "run", "compare", "validate", "check", "export", "assemble", "picture", "view", "bench")


class Usage(ProgramTest):
    def test_help_lists_the_commands(self):
        for form in ("--help", "-h", "help"):
            text = self.ashlar(form).stdout
            for command in COMMANDS:
                self.assertRegex(text, rf"(?m)^  {command} +\S")
            self.assertNotIn("convert", text)

    def test_each_command_has_help_with_examples(self):
        for command in COMMANDS:
            text = self.ashlar(command, "--help").stdout
            self.assertIn(f"Usage: ashlar {command}", text)
            self.assertRegex(text, rf"(?m)^Examples\n  ashlar {command}")
            self.assertEqual(text, self.ashlar("help", command).stdout)
            self.assertEqual(text, self.ashlar(command, "-h").stdout)
            self.assertLess(max(map(len, text.splitlines())), 120)

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
        self.assertIn('"ashlar run --help" tells more', self.refused("run", "string", "--setp", "1"))

    def test_words_of_other_programs_get_a_suggestion(self):
        self.assertIn('(did you mean "run"?)', self.refused("simulate"))
        self.assertIn('(did you mean "picture"?)', self.refused("render"))
        self.assertIn("(did you mean --time?)", self.refused("run", "string", "--duration", "1"))
        self.assertIn("(did you mean --step?)", self.refused("run", "string", "--dt", "1"))
        self.assertIn("(did you mean --colour?)", self.refused("picture", "string", "--color", "speed"))
        self.assertIn('(did you mean "gribel-2009"?)', self.refused("run", "wall", "--method", "gribel"))
        self.assertIn('(did you mean "dejong-2014"?)', self.refused("run", "wall", "--method", "dejong"))
        self.assertIn('(did you mean "roof-tower"?)', self.refused("run", "rooftower"))
        self.assertNotIn("did you mean", self.refused("run", "xylophone"))

    def test_words_of_other_formats_get_a_suggestion(self):
        cases = (('"bodies": [{"restitution": 1}]', "it belongs to a material"),
                 ('"bodies": [{"orientation": [1,0,0,0]}]', 'did you mean "rotation"'),
                 ('"bodies": [{"type": "fixed"}]', 'did you mean "static"'),
                 ('"bodies": [{"shapes": [{"shape": {"kind": "cube"}}]}]', 'did you mean "box"'),
                 ('"bodies": [{"shapes": [{"shape": {"kind": "mesh", "file": "a.obj"}}]}]', "written into the scene file"),
                 ('"joints": [{"kind": "prismatic"}]', 'did you mean "slider"'),
                 ('"forces": [{"kind": "torque"}]', 'did you mean "load"'),
                 ('"materials": {"m": {"bounciness": 1}}', 'did you mean "restitution"'),
                 ('"world": {"dt": 1}', 'did you mean "step"'),
                 ('"world": {"method": {"velocity-iterations": 1}}', 'did you mean "iterations"'))
        for text, suggestion in cases:
            self.write("other.json", '{"ashlar": 1, ' + text + "}")
            self.assertIn(suggestion, self.refused("check", "other.json"), text)

    def test_commands_of_later_versions_say_so(self):
        for command in ("convert", "sweep"):
            self.assertIn(f"{command} is not available in this version", self.refused(command, "string"))

    def test_operands_are_counted(self):
        self.assertIn("run: SCENE is missing", self.refused("run"))
        self.assertIn("check: FILE is missing", self.refused("check", "--json"))
        self.assertIn('"b" is one argument too many', self.refused("run", "a", "b"))

    def test_numbers_are_checked(self):
        self.assertIn('--step is "abc", expected a number of seconds above 0', self.refused("run", "string", "--step", "abc"))
        self.assertIn('--time is "-1"', self.refused("run", "string", "--time=-1"))
        self.assertIn('--threads is "0", expected a whole number from 1', self.refused("run", "string", "--threads", "0"))
        self.assertIn("--out needs a value", self.refused("run", "string", "--out"))

    def test_control_characters_do_not_reach_the_terminal(self):
        self.assertNotIn("\033", self.refused("run", "\033[31mred"))
        self.assertNotIn("\033", self.refused("\033[31mred"))


class List(ProgramTest):
    def test_text_and_json_list_the_same(self):
        text, document = self.ashlar("list").stdout, self.json("list")
        self.assertGreater(len(document["scenes"]), 0)
        for entry in document["scenes"] + document["methods"]:
            self.assertRegex(text, rf"(?m)^  {entry['name']} +{re.escape(entry['summary'])}$")
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
