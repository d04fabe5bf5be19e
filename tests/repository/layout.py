"""Every C file is laid out as .clang-format says. Usage: layout.py ROOT"""
import subprocess
import sys

import tree


def check(root, files=None):
    files = files or tree.files(root, tree.CODE, (".c", ".h"))
    result = subprocess.run(["clang-format", "--dry-run", "--Werror", "--style=file", *files], cwd=root,
                            capture_output=True, text=True)
    complaints = [line for line in result.stderr.splitlines() if ": error: " in line or "warning:" in line]
    if result.returncode != 0 and not complaints:
        complaints = [f"clang-format failed: {result.stderr.strip()}"]
    return complaints + (["run: make format"] if complaints else [])


if __name__ == "__main__":
    tree.judge("layout", check(sys.argv[1]))
