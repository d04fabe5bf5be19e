"""The first C program of README.md has at most 30 lines, compiles with the command that README shows, and prints what
README says. Usage: readme.py ROOT PREFIX"""
import glob
import os
import re
import subprocess
import sys
import tempfile

import tree

LINES = 30
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)


def parts(text):
    """The first C program, the shell block after it with the compile and run commands, and what these print."""
    blocks = FENCE.findall(text)
    first = next((i for i, (kind, _) in enumerate(blocks) if kind == "c"), None)
    if first is None or first + 1 >= len(blocks) or blocks[first + 1][0] != "console":
        raise ValueError("README.md: no C program followed by a console block")
    commands, output = [], []
    for line in blocks[first + 1][1].splitlines():
        if line.startswith("$ "):
            commands.append(line[2:])
        else:
            output.append(line)
    return blocks[first][1], commands, "\n".join(output) + "\n"


def check(root, prefix):
    try:
        program, commands, expected = parts(tree.read(os.path.join(root, "README.md")))
    except ValueError as error:
        return [str(error)]
    complaints = []
    if program.count("\n") > LINES:
        complaints.append(f"README.md: the first program has {program.count(chr(10))} lines, at most {LINES}")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "first.c"), "w", encoding="utf-8") as file:
            file.write(program)
        found = glob.glob(os.path.join(prefix, "lib*", "**", "pkgconfig"), recursive=True)
        environment = {**os.environ, "PKG_CONFIG_PATH": ":".join(found),
                       "LD_LIBRARY_PATH": ":".join(os.path.dirname(path) for path in found)}
        result = subprocess.run(["sh", "-ec", "\n".join(commands)], cwd=folder, env=environment, text=True,
                                capture_output=True)
    if result.returncode != 0 or result.stderr:
        complaints.append(f"README.md: the first program: status {result.returncode}\n{result.stderr}")
    if result.stdout != expected:
        complaints.append(f"README.md says the first program prints:\n{expected}it prints:\n{result.stdout}")
    return complaints


if __name__ == "__main__":
    tree.judge("readme", check(*sys.argv[1:3]))
