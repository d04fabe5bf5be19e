"""The first C program of README.md has at most 30 lines, compiles with the command that README shows, and by the
CMakeLists.txt that it shows, and prints what README says, with nothing in the environment that helps to find the library.
Usage: readme.py ROOT PREFIX"""
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
    """The first C program, the shell block after it with the compile and run commands, what these print, and the
    CMakeLists.txt in the block after that."""
    blocks = FENCE.findall(text)
    first = next((i for i, (kind, _) in enumerate(blocks) if kind == "c"), None)
    if first is None or [kind for kind, _ in blocks[first + 1:first + 3]] != ["console", "cmake"]:
        raise ValueError("README.md: no C program followed by a console block and a cmake block")
    commands, output = [], []
    for line in blocks[first + 1][1].splitlines():
        if line.startswith("$ "):
            commands.append(line[2:])
        else:
            output.append(line)
    return blocks[first][1], commands, "\n".join(output) + "\n", blocks[first + 2][1]


def build_and_run(commands, expected, folder, environment):
    result = subprocess.run(["sh", "-ec", "\n".join(commands)], cwd=folder, env=environment, text=True,
                            capture_output=True)
    complaints = []
    if result.returncode != 0 or result.stderr:
        complaints.append(f"README.md: the first program: status {result.returncode}\n{result.stderr}")
    if result.stdout != expected:
        complaints.append(f"README.md says the first program prints:\n{expected}it prints:\n{result.stdout}")
    return complaints


def check(root, prefix):
    try:
        program, commands, expected, project = parts(tree.read(os.path.join(root, "README.md")))
    except ValueError as error:
        return [str(error)]
    complaints = []
    if program.count("\n") > LINES:
        complaints.append(f"README.md: the first program has {program.count(chr(10))} lines, at most {LINES}")
    found = glob.glob(os.path.join(prefix, "lib*", "**", "pkgconfig"), recursive=True)
    environment = {**os.environ, "PKG_CONFIG_PATH": ":".join(found)}
    environment.pop("LD_LIBRARY_PATH", None)
    by_cmake = [f"cmake -B build -DCMAKE_PREFIX_PATH='{prefix}' >log", "cmake --build build >log", "build/first"]
    for kind in (commands, by_cmake):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("first.c", program), ("CMakeLists.txt", project)):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            complaints += build_and_run(kind, expected, folder, environment)
    return complaints


if __name__ == "__main__":
    tree.judge("readme", check(*sys.argv[1:3]))
