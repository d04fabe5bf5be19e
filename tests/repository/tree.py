"""What the checks of the repository share: walking the tree, stripping comments, saying what is wrong."""
import os
import re
import sys

# The folders of the libraries and of the program from the lowest to the highest: each includes its own files and those of
# folders before it. docs/architecture.md has the same list.
LAYERS = tuple("src/" + name for name in "base math shape collide model contact problem solve step measure mechanism world".split()) + (
    "scene/expression", "scene/description", "scene/file", "scene/import", "scene/instance", "scene/record", "scene/run", "experiments",
    "app/cli", "app/picture", "app/viewer", "app/web", "app/report", "app/export", "app/sweep", "app/commands")
LIBRARIES = ("src", "scene", "experiments")
CODE = ("include", *LIBRARIES, "app", "bench", "tests")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def files(root, folders, endings):
    """Paths relative to `root` of the files below its `folders` that end so, in order."""
    found = []
    for folder in folders:
        for where, below, names in os.walk(os.path.join(root, folder)):
            below[:] = sorted(name for name in below if name not in ("build", ".git") and not name.startswith("build-"))
            found += [os.path.relpath(os.path.join(where, name), root) for name in sorted(names) if name.endswith(endings)]
    return found


def without_comments(text):
    """C text with comments and the contents of strings blanked, line numbers kept."""
    def blank(match):
        token = match.group(0)
        return re.sub(r"[^\n]", " ", token) if token.startswith("/") else token[0] + token[0]
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


def judge(name, complaints):
    """Prints the complaints and ends the program: 1 when there are any."""
    for complaint in complaints:
        print(complaint)
    print(f"{name}: {len(complaints)} complaints")
    sys.exit(1 if complaints else 0)
