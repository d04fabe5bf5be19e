"""No two internal types have one name, no internal name (ashi_X) is a public one (ash_X) but for the prefix, and every
public setter has a getter. Usage: type_names.py ROOT"""
import os
import re
import sys

import tree

# typedef struct NAME {...} NAME; typedef enum ...; typedef OTHER NAME; and functions' types.
TYPE = re.compile(r"^typedef\s+(?:struct|union|enum)\s+(ashi_\w+)\s*[;{]|^typedef\s[^;{]*?\b(ashi_\w+)(?:\[\w*\])?;|"
                  r"^typedef\s[^;{]*?\(\*?(ashi_\w+)\)\(", re.M)
FORWARD = re.compile(r"^typedef\s+(?:struct|union)\s+(\w+)\s+\1\s*;", re.M)
SETTER = re.compile(r"\b(ash_\w+?)_set_(\w+)\(")


def types(text):
    """Names of types that a file defines; `typedef struct x x;` alone only announces one."""
    announced = set(FORWARD.findall(text))
    defined = {next(filter(None, groups)) for groups in TYPE.findall(text)}
    return {name for name in defined
            if name not in announced or re.search(r"^struct\s+" + name + r"\s*{", text, re.M)}


def twice(root):
    where = {}
    for path in tree.files(root, tree.LIBRARIES, (".c", ".h")):
        for name in types(tree.without_comments(tree.read(os.path.join(root, path)))):
            where.setdefault(name, []).append(path)
    return [f"{name} is defined in {' and '.join(paths)}" for name, paths in sorted(where.items()) if len(paths) > 1]


# What a getter of another name answers.
ANSWERED = {"ash_body_set_damping": "ash_body_get_linear_damping", "ash_joint_set_motor": "ash_joint_get_axis",
            "ash_joint_set_servo": "ash_joint_get_axis"}


def without_getter(root):
    names = set()
    for path in tree.files(root, ("include",), (".h",)):
        names |= set(re.findall(r"\b(ash_\w+)\(", tree.without_comments(tree.read(os.path.join(root, path)))))
    complaints = []
    for name in sorted(names):
        match = SETTER.fullmatch(name + "(")
        if match and not {f"{match[1]}_get_{match[2]}", f"{match[1]}_is_{match[2]}", ANSWERED.get(name)} & names:
            complaints.append(f"{name} has no getter")
    return complaints


NAME = re.compile(r"\bashi?_\w+")


def alike(root):
    """Names that differ from a public one in nothing but the prefix: too easily taken for it."""
    public, internal = set(), {}
    for path in tree.files(root, ("include",) + tree.LIBRARIES, (".c", ".h")):
        for name in NAME.findall(tree.without_comments(tree.read(os.path.join(root, path)))):
            if name.startswith("ashi_"):
                internal.setdefault(name, path)
            elif path.startswith("include"):
                public.add(name)
    return [f"{name} ({path}) is the public {'ash_' + name[5:]} but for the prefix"
            for name, path in sorted(internal.items()) if "ash_" + name[5:] in public]


def check(root):
    return twice(root) + alike(root) + without_getter(root)


if __name__ == "__main__":
    tree.judge("type_names", check(sys.argv[1]))
