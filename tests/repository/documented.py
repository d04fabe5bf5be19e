"""Every public function has a comment of its own: directly above its declaration, or behind it on the same line.
Usage: documented.py ROOT"""
import os
import re
import sys

import tree

NAME = re.compile(r"\b(ash_\w+)\(")


def undocumented(text):
    """Names of functions whose declaration follows neither a comment nor stands before one."""
    names, lines = [], text.split("\n")
    for number, line in enumerate(lines):
        if not line.startswith(("ASH_API", "static inline")):
            continue
        above = lines[number - 1].rstrip() if number else ""
        end = number
        while ";" not in lines[end] and "{" not in lines[end]:
            end += 1
        if not above.endswith("*/") and "/*" not in lines[end]:
            names.append(NAME.search(" ".join(lines[number:end + 1])).group(1))
    return names


def check(root):
    complaints, seen = [], 0
    for path in tree.files(root, ("include",), (".h",)):
        text = tree.read(os.path.join(root, path))
        seen += len(re.findall(r"^ASH_API", text, re.M))
        complaints += [f"{path}: {name} has no comment" for name in undocumented(text)]
    return complaints if seen else [f"{root}: no public functions found"]


if __name__ == "__main__":
    tree.judge("documented", check(sys.argv[1]))
