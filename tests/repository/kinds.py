"""Nobody asks for a kind but its own file and the tables: enumerators of solvers, schemes, joints, forces and shapes stand nowhere else in
src/. Usage: kinds.py ROOT"""
import os
import re
import sys

import tree

# Enumerators, and the files that may name them.
RULES = [
    (r"ASH_SOLVER_\w+", r"src/model/(solver_traits\.[ch]|method_presets\.c)|src/solve/solvers\.c"),
    (r"ASH_SCHEME_\w+|ASH_JOINTS_\w+", r"src/step/scheme\.c"),
    (r"ASH_JOINT_(?!KINDS\b|DRIFTS?\b|SCHEMES\b|SOLVERS?\b|SOLVER_)\w+", r"src/model/joint_\w+\.c"),
    (r"ASH_GEOMETRY_(?!KINDS\b)\w+", r"src/(shape|collide)/.*|src/world/(query_cast|query_overlap|debug|snapshot_geometry)\.c"),
    (r"ASH_FORCE_(?!KINDS\b)\w+", r"src/model/force_\w+\.c|src/world/(force_\w+|snapshot\w*)\.c"),
]


def check(root):
    complaints = []
    rules = [(re.compile(r"\b(?:" + names + r")\b"), re.compile(files)) for names, files in RULES]
    for path in tree.files(root, ("src",), (".c", ".h")):
        text = tree.without_comments(tree.read(os.path.join(root, path)))
        for names, allowed in rules:
            found = names.search(text)
            if found and not allowed.fullmatch(path):
                line = text.count("\n", 0, found.start()) + 1
                complaints.append(f"{path}:{line}: asks for {found.group(0)}; what it needs to know belongs in the table of its kind")
    return complaints


if __name__ == "__main__":
    tree.judge("kinds", check(sys.argv[1]))
