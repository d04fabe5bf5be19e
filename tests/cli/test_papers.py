"""ashlar list --paper: every command of the tables is one that runs, and docs/papers.md is what it prints."""
import os
import re
import shlex
import subprocess
import unittest

from program import PROGRAM, ProgramTest, environment

PAPERS = ("gribel-2009", "dejong-2014", "faure", "bender-schmitt-2006", "erleben-2007")
SOURCE = os.environ["ASHLAR_SOURCE"]


# What the papers number: figures by chapter, or in one row; tables; algorithms. Faure numbers nothing.
FIGURES = {
    "gribel-2009": ["1.1", "2.2.1", "2.2.2", "2.2.3", "4.5.1", "5.1.1", "5.1.2", "5.1.3", "4.2.1a", "4.2.1b", "4.2.1c"],
    "dejong-2014": [f"{chapter}-{k}" for chapter, count in enumerate((2, 3, 3, 9, 1, 13, 8, 19, 8, 4), 1)
                    for k in range(1, count + 1)] + ["A-1", "A-4", "C-1", "C-2"],
    "bender-schmitt-2006": [str(k) for k in range(1, 10)],
    "erleben-2007": [str(k) for k in range(1, 31)],
}
TABLES = {"dejong-2014": ["2-1", "6-1", "6-2", "6-3", "6-4", "7-1", "8-1", "8-2", "9-1"],
          "bender-schmitt-2006": ["1", "2", "3"], "erleben-2007": ["I"]}
ALGORITHMS = {"dejong-2014": ["1", "2", "3"]}


def place(number):
    """What orders "6-10b" between 6-9 and 6-11."""
    return [int(part) for part in re.findall(r"\d+", number)]


def covers(labels, word, number):
    """Whether a label is "figure 6-7", "figure 6-10a" for 6-10, "figures 9-1, 9-2 and 9-5" or "figures 7-1 to 7-4"."""
    for label in labels:
        numbers = re.findall(r"[A-Z0-9]+(?:[-.][0-9]+[a-c]?)*", label) if label.startswith(word) else []
        if any(re.fullmatch(re.escape(number) + "[a-c]?", other) for other in numbers):
            return True
        if " to " in label and len(numbers) == 2 and number[0].isdigit() and \
                place(numbers[0]) <= place(number) <= place(numbers[1]):
            return True
    return False


def shortened(words):
    """The command, with as little to do as may be: all that its words name must exist."""
    words = [word for word in words if word != "--check"]
    if words[0] in ("run", "compare"):
        return words + ["--time", "1e-9", "--step", "1e-9"]
    if words[0] == "solve":
        return words + ([] if "--iterations" in words else ["--iterations", "3"])
    if words[0] == "picture":
        if "--at" in words:
            words[words.index("--at") + 1] = "0"
        return words + ["--size", "32x32"]
    return words


def peers_scenes():
    """The scenes of bench --peers, which without engines has nothing to run."""
    with open(os.path.join(SOURCE, "bench", "peers", "scenes.c"), encoding="utf-8") as file:
        return set(re.findall(r'^    \{"([^"]+)", "', file.read(), re.M))


class Papers(ProgramTest):
    def commands(self):
        for name in PAPERS:
            for entry in self.json("list", "--paper", name)["entries"]:
                if entry["command"] is not None:
                    yield name, entry

    def test_every_command_runs(self):
        scenes = {scene["name"] for scene in self.json("list")["scenes"]}
        seen = set()
        for name, entry in self.commands():
            words = shlex.split(entry["command"])
            if tuple(words) in seen:
                continue
            seen.add(tuple(words))
            with self.subTest(paper=name, entry=entry["label"], command=entry["command"]):
                if words[0] in ("validate", "view"):
                    self.assertLessEqual(set(words[1:]), scenes)
                elif words[0] == "bench":
                    self.assertIn(words[1].lstrip("-"), ("joints", "peers"))
                    if "--scenes" in words:
                        asked = words[words.index("--scenes") + 1].split(",")
                        self.assertLessEqual(set(asked), peers_scenes())
                else:
                    run = subprocess.run([PROGRAM, *shortened(words)], cwd=self.folder.name, env=environment(),
                                         capture_output=True, text=True, timeout=600)
                    self.assertEqual(run.returncode, 0, run.stderr)

    def test_whatever_the_papers_number_is_there(self):
        for numbered, word in ((FIGURES, "figure"), (TABLES, "table"), (ALGORITHMS, "algorithm")):
            for name, numbers in numbered.items():
                labels = [entry["label"] for entry in self.json("list", "--paper", name)["entries"] if entry["kind"] != "claim"]
                missing = [number for number in numbers if not covers(labels, word, number)]
                self.assertEqual(missing, [], f"{name}: {word}s")
        self.assertFalse(covers(["figure 6-1", "figures 7-1 to 7-4", "figure 8-10a"], "figure", "8-1"))

    def test_claims_name_a_row_and_a_scene(self):
        scenes = {scene["name"] for scene in self.json("list")["scenes"]}
        for name in PAPERS:
            claims = [entry for entry in self.json("list", "--paper", name)["entries"] if entry["kind"] == "claim"]
            self.assertGreater(len(claims), 5)
            for claim in claims:
                self.assertIn(claim["scene"], scenes)
                self.assertTrue(claim["row"])
                self.assertIn(claim["scene"], claim["command"])

    def test_figures_are_drawn_beside_the_papers_numbers(self):
        self.ashlar("validate", "friction-directions", "pendulum-bob", "--figures", "figures")
        with open(self.path("figures/index.html"), encoding="utf-8") as file:
            index = file.read()
        files = re.findall(r'<img src="([^"]+)"', index)
        self.assertEqual(sorted(files + ["index.html"]), sorted(os.listdir(self.path("figures"))))
        for name in files:
            self.assertGreater(os.path.getsize(self.path(os.path.join("figures", name))), 500, name)
        self.assertIn("dejong-2014-figure-6-12b.svg", files)  # by a run
        self.assertIn("dejong-2014-figure-6-11.png", files)   # by a picture
        with open(self.path("figures/dejong-2014-figure-4-4.svg"), encoding="utf-8") as file:
            chart = file.read()
        for title in ("cone", "pyramid of 4", "angle, degrees", "static limit over mu N"):
            self.assertIn(f">{title}</text>", chart)
        self.assertEqual(chart.count('r="3"'), chart.count('r="7"'))  # every point has an exact value, three angles each
        self.assertEqual(chart.count('r="3"') % 3, 0)
        part = index[index.index("figure 6-12b"):index.index("figure 6-12c")]
        self.assertIn("ashlar run pendulum-bob", part)
        part = index[index.index("<h3>figure 4-4"):index.index("<h3>figure 4-6")]
        self.assertIn("<td>static limit over mu N at 45 degrees", part)
        self.assertIn("0.707107", part)
        self.refused("validate", "pendulum-bob", "--figures", "/dev/null/figures")

    def test_figures_with_axes_have_an_experiment(self):
        for name, entry in self.commands():
            if entry["kind"] == "figure" and entry["row"] is not None:
                self.assertIn("|", entry["row"], entry["label"])
                self.assertEqual(entry["command"], f"validate {entry['scene']}", entry["label"])

    def test_every_scene_of_a_paper_is_in_its_table(self):
        for name in PAPERS:
            paper = self.json("list", "--paper", name)
            words = " ".join(entry["command"] or "" for entry in paper["entries"]).split()
            missing = [scene for scene in paper["scenes"] if scene not in words and not scene.endswith("-joint")]
            self.assertEqual(missing, [], name)

    def test_the_document_is_up_to_date(self):
        made = subprocess.run([os.path.join(SOURCE, "tools", "papers"), PROGRAM], capture_output=True, text=True,
                              check=True).stdout
        with open(os.path.join(SOURCE, "docs", "papers.md"), encoding="utf-8") as file:
            self.assertEqual(file.read(), made, "run make papers")

    def test_what_cannot_be(self):
        self.refused("list", "--paper", "nix")
        self.refused("list", "--markdown")


if __name__ == "__main__":
    unittest.main()
