"""What is installed beside the program: scenes, schemas, the manual page and the completion of shells. Everything
that the program's help names is in all of them. Usage: test_pages.py ROOT PREFIX"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, PREFIX = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
del sys.argv[1:3]
PROGRAM = os.path.join(PREFIX, "bin", "ashlar")
SHARE = os.path.join(PREFIX, "share")
MANUAL = os.path.join(SHARE, "man", "man1", "ashlar.1")
COMPLETION = os.path.join(SHARE, "bash-completion", "completions", "ashlar")
# Sources the script and completes the last of the words that follow it, as bash splits them.
COMPLETE = """source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ashlar; printf '%s\\n' "${COMPREPLY[@]}" """

ZSH = os.path.join(SHARE, "zsh", "site-functions", "_ashlar")
FISH = os.path.join(SHARE, "fish", "vendor_completions.d", "ashlar.fish")
# The same for zsh, whose completion system is played: what it offers, without what does not begin like the last word.
COMPLETE_ZSH = """
compdef() { }
_files() { [[ $1 == -/ ]] && print -l -- *(N/) || print -l -- *(N) }
compset() { [[ $words[CURRENT] != *${2#\\*}* ]] || prefix=${words[CURRENT]%${2#\\*}*}${2#\\*} }
compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- $prefix${^@} }
_describe() { for entry in ${(P)@[-1]}; do print -r -- ${entry%%:*}; done }
prefix= words=("$@") CURRENT=$#
source "$0"
_ashlar | while read -r line; do [[ $line != ${words[CURRENT]}* ]] || print -r -- $line; done
"""


def say(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def commands():
    listing = re.search(r"^Commands\n(.*?)\n\n", say(PROGRAM, "--help"), re.S | re.M).group(1)
    return re.findall(r"^  (\w+) ", listing, re.M)


def options(command):
    return re.findall(r"^  (?:-\w, |    )--([\w-]+)", say(PROGRAM, command, "--help"), re.M)


def names(kind):
    return [entry["name"] for entry in json.loads(say(PROGRAM, "list", "--json"))[kind]]


class Files(unittest.TestCase):
    def test_scenes_and_schemas(self):
        scenes = [name for name in os.listdir(os.path.join(ROOT, "scenes")) if name.endswith(".json")]
        self.assertGreater(len(scenes), 0)
        for name in scenes:
            say(PROGRAM, "check", os.path.join(SHARE, "ashlar", "scenes", name))
        for name in ("scene.schema.json", "problem.schema.json"):
            installed = read(os.path.join(SHARE, "ashlar", "schemas", name))
            self.assertEqual(installed, read(os.path.join(ROOT, "docs", name)))


class Manual(unittest.TestCase):
    def test_it_has_every_command_option_method_and_scene(self):
        parts = re.split(r"^\.S[SH] ", read(MANUAL), flags=re.M)
        for command in commands():
            part = next(part for part in parts if part.startswith(f"ashlar {command}"))
            for option in options(command):
                if option != "help":
                    self.assertIn(r"\fB\-\-" + option.replace("-", r"\-") + r"\fR", part)
        for kind in ("methods", "scenes"):
            part = next(part for part in parts if part.startswith(kind.upper()))
            for name in names(kind):
                self.assertIn(".B " + name.replace("-", r"\-") + "\n", part)

    def test_it_renders_without_a_warning(self):
        if shutil.which("groff") is None:
            self.skipTest("groff is not installed")
        result = subprocess.run(["groff", "-ww", "-k", "-man", "-Tutf8", MANUAL], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        plain = re.sub(r"\x1b\[[\d;]*m|.\x08", "", result.stdout)
        for heading in ("NAME", "SYNOPSIS", "COMMANDS", "METHODS", "SCENES", "EXIT STATUS"):
            self.assertRegex(plain, rf"(?m)^{heading}$")
        self.assertIn("--method M", plain)


class Bash(unittest.TestCase):
    shell = ["bash", "--norc", "-c", COMPLETE, COMPLETION]

    def complete(self, *words, folder=None):
        result = subprocess.run([*self.shell, "ashlar", *words], capture_output=True, text=True, cwd=folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return set(result.stdout.split())

    def test_commands(self):
        self.assertEqual(self.complete(""), {*commands(), "help", "--help", "--version"})
        self.assertEqual(self.complete("val"), {"validate"})
        self.assertEqual(self.complete("help", "val"), {"validate"})

    def test_options_of_every_command(self):
        for command in commands():
            self.assertEqual(self.complete(command, "--"), {"--" + option for option in options(command)}, command)

    def test_scenes_and_files(self):
        with tempfile.TemporaryDirectory() as folder:
            open(os.path.join(folder, "tower-of-mine.json"), "w", encoding="utf-8").close()
            expected = {name for name in names("scenes") if name.startswith("tower")} | {"tower-of-mine.json"}
            self.assertEqual(self.complete("run", "--check", "tower", folder=folder), expected)
            self.assertEqual(self.complete("run", "tower", "--svg", "tow", folder=folder), {"tower-of-mine.json"})
            self.assertEqual(self.complete("run", "tower", "--out", "tow", folder=folder), set())

    def test_methods_alone_after_an_equals_sign_and_in_lists(self):
        methods = {*names("methods"), *json.loads(say(PROGRAM, "list", "--json"))["integrators"]}
        self.assertEqual(self.complete("run", "string", "--method", ""), methods)
        self.equals_sign(methods)
        self.assertEqual(self.complete("compare", "string", "--methods", "rk4,engin"), {"rk4,engineering"})

    def equals_sign(self, methods):  # where bash takes words apart
        self.assertEqual(self.complete("run", "string", "--method", "=", "real"), {"realtime"})
        self.assertEqual(self.complete("run", "string", "--method", "="), methods)

    def test_solvers_and_parameters(self):
        self.assertEqual(self.complete("solve", "stack", "-s", "new"), {"newton"})
        self.assertIn("elements=", self.complete("run", "string", "--set", "el"))
        self.assertNotIn("elements=", self.complete("run", "free-fall", "--set", "el"))
        self.assertIn("tolerance=", self.complete("run", "free-fall", "--set", "tol"))


@unittest.skipIf(shutil.which("zsh") is None, "zsh is not installed")
class Zsh(Bash):
    shell = ["zsh", "-f", "-c", COMPLETE_ZSH, ZSH]

    def equals_sign(self, methods):
        self.assertEqual(self.complete("run", "string", "--method=real"), {"--method=realtime"})
        self.assertEqual(self.complete("run", "string", "--method="), {"--method=" + method for method in methods})


class Scripts(unittest.TestCase):
    """What holds without these shells: every command, option, scene and method is in the script."""

    def test_zsh(self):
        script = read(ZSH)
        self.assertTrue(script.startswith("#compdef ashlar\n"))
        for command in commands():
            part = re.search(rf"^    {command}\)$(.*?)^        ;;$", script, re.S | re.M).group(1)
            self.assertEqual(set(re.findall(r"^            '--([\w-]+):", part, re.M)), set(options(command)), command)
        for name in (*names("scenes"), *names("methods")):
            self.assertRegex(script, rf"[( ]{name}[ )]")

    def test_fish(self):
        script = read(FISH)
        for command in commands():
            found = re.findall(rf"^complete -c ashlar -n '__fish_seen_subcommand_from {command}' -l ([\w-]+)", script, re.M)
            self.assertEqual({*found, "help"}, set(options(command)), command)
        for name in (*names("scenes"), *names("methods")):
            self.assertRegex(script, rf"[' ]{name}[ ']")


class Words(unittest.TestCase):
    def test_other_words_are_refused(self):
        for words in (["--man", "more"], ["--completion"], ["--completion", "tcsh"], ["--mann"]):
            result = subprocess.run([PROGRAM, "help", *words], capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            self.assertNotEqual(result.stderr, "")


if __name__ == "__main__":
    unittest.main()
