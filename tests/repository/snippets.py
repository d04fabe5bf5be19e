"""What the pages of the tutorial and the how-to pages show works as they show it.
Usage: snippets.py ROOT PREFIX [PAGE...]

A page is followed from top to bottom in an empty folder, with what is installed in PREFIX. Its fenced blocks are:

  sh       run by `sh -e`; it must end with 0
  console  lines after "$ " are run; what they print must be what follows, where "..." stands for anything
  c        a program, compiled with warnings as errors
  python   run by Python
  others   a file, when the last line before the block ends with its name in code and a colon: "Save this as `x.json`:"

Programs are files, too, when they are given a name. A block after the comment `<!-- not run: REASON -->` is left alone."""
import glob
import os
import re
import subprocess
import sys
import tempfile

import tree

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)
NAME = re.compile(r"`([\w.-]+\.\w+)`[^`]*:\s*$")
NOT_RUN = re.compile(r"<!-- not run: .+ -->\s*$")
SECONDS = 120


def matches(expected, printed):
    """Whether the text is as expected; "..." in it is anything."""
    pattern = ".*".join(re.escape(part) for part in expected.strip().split("..."))
    return re.fullmatch(pattern, printed.strip(), re.S) is not None


def run(words, folder, environment):
    done = subprocess.run(words, cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
    return done.returncode, done.stdout


def console(block, folder, environment):
    """Runs the commands of a console block, and compares what each prints."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, expected = part.partition("\n")
        _, printed = run(["sh", "-c", command], folder, environment)
        if not matches(expected, printed):
            return f"`{command}` should print\n{expected}but prints\n{printed}"
    return None


def compile_command(source):
    """Compiles a C program to a file beside it."""
    return ["sh", "-ec", f"cc -std=c17 -Wall -Wextra -Werror {source} -o {source[:-2]} $(pkg-config --cflags --libs ashlar)"]


def follow(block, kind, name, folder, environment):
    """Does what a block asks for; returns a complaint or nothing."""
    if kind == "console":
        return console(block, folder, environment)
    if name is None:
        name = {"c": "program.c", "python": "program.py"}.get(kind)
    if name is not None:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(block)
    words = {"sh": ["sh", "-ec", block], "python": ["/usr/bin/python3", name]}.get(kind)
    if kind == "c":
        words = compile_command(name)
    if words is None:
        return None
    status, printed = run(words, folder, environment)
    return f"status {status}\n{printed}" if status != 0 else None


def check_page(root, page, environment):
    text = tree.read(os.path.join(root, page))
    complaints = []
    with tempfile.TemporaryDirectory() as folder:
        for fence in FENCE.finditer(text):
            before = text[:fence.start()].rstrip("\n")
            if NOT_RUN.search(before):
                continue
            name = NAME.search(before.rpartition("\n\n")[2])
            line = text.count("\n", 0, fence.start()) + 1
            try:
                said = follow(fence.group(2), fence.group(1), name and name.group(1), folder, environment)
            except subprocess.TimeoutExpired:
                said = f"takes more than {SECONDS} s"
            if said:
                complaints.append(f"{page}:{line}: {said}")
    return complaints


def check(root, prefix, pages):
    environment = {**os.environ, "PATH": os.path.join(prefix, "bin") + ":/usr/bin:/bin",
                   "PKG_CONFIG_PATH": ":".join(glob.glob(os.path.join(prefix, "lib*", "**", "pkgconfig"), recursive=True)),
                   "PYTHONPATH": ":".join(glob.glob(os.path.join(prefix, "lib*", "python3*", "*-packages")))}
    environment.pop("LD_LIBRARY_PATH", None)
    complaints = []
    for page in pages or tree.files(root, ("docs/tutorial", "docs/how-to"), ".md"):
        complaints += check_page(root, page, environment)
    return complaints


if __name__ == "__main__":
    tree.judge("snippets", check(sys.argv[1], sys.argv[2], sys.argv[3:]))
