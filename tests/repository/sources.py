"""House rules that a program can see: every source opens by saying what it is for, none is too long, none holds a note
for later, and CMake lists them all. Usage: sources.py ROOT"""
import os
import re
import sys

import tree

LINES = 700
NOTE = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")


def opening(root):
    """Files that do not say at their top what they are for."""
    starts = {".c": "/*", ".h": "/*", ".py": '"""', ".cmake": "#", "CMakeLists.txt": ("#", "target_sources", "ashlar_")}
    complaints = []
    for ending, start in starts.items():
        for path in tree.files(root, tree.CODE + ("cmake", "tools"), ending):
            text = re.sub(r"\A#![^\n]*\n", "", tree.read(os.path.join(root, path)))
            if not text.startswith(start):
                complaints.append(f"{path}: does not open with a comment")
    return complaints


def length_and_notes(root):
    complaints = []
    for path in tree.files(root, tree.CODE + ("cmake", "tools"), (".c", ".h", ".py", ".cmake", ".txt")):
        text = tree.read(os.path.join(root, path))
        lines = text.count("\n")
        if lines > LINES:
            complaints.append(f"{path}: {lines} lines, at most {LINES}")
        if os.path.basename(path) in ("sources.py", "test_checks.py"):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if NOTE.search(line):
                complaints.append(f"{path}:{number}: a note for later: {line.strip()}")
    return complaints


def listed(text, name):
    return re.search(r"(?<![\w/.-])" + re.escape(name) + r"(?![\w/.-])", text) is not None


def in_cmake(root):
    """Every .c of the libraries, app/ and bench/ stands in the CMakeLists.txt at or above it; every test is registered."""
    complaints = []
    for path in tree.files(root, (*tree.LIBRARIES, "app", "bench"), ".c"):
        folder = os.path.dirname(path)
        while folder and not os.path.isfile(os.path.join(root, folder, "CMakeLists.txt")):
            folder = os.path.dirname(folder)
        lists = os.path.join(root, folder, "CMakeLists.txt")
        if not listed(tree.read(lists), os.path.relpath(path, folder)):
            complaints.append(f"{path}: not listed in {os.path.relpath(lists, root)}")
    for path in tree.files(root, ("tests",), ".c"):
        name = os.path.basename(path)
        lists = os.path.join(os.path.dirname(path), "CMakeLists.txt")
        text = tree.read(os.path.join(root, lists)) if os.path.isfile(os.path.join(root, lists)) else ""
        # ashlar_test(pool) stands for test_pool.c
        short = re.escape(name[len("test_"):-len(".c")]) if name.startswith("test_") else None
        registered = short and re.search(r"ashlar_test\(\s*" + short + r"\b|foreach\([^)]*\b" + short + r"\b", text)
        if not registered and not listed(text, name):
            complaints.append(f"{path}: not registered in {lists}")
    return complaints


def check(root):
    return opening(root) + length_and_notes(root) + in_cmake(root)


if __name__ == "__main__":
    tree.judge("sources", check(sys.argv[1]))
