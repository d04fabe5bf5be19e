"""Each public header compiles alone, as C17 and as C++17, by gcc and by clang, without a warning, and uses no compiler
extension but the guarded ASH_API. Usage: headers.py ROOT"""
import os
import re
import subprocess
import sys
import tempfile

import tree

STRICT = "-Wall -Wextra -Wpedantic -Wshadow -Wundef -Werror -fsyntax-only".split()
COMPILERS = [["gcc", "-std=c17", "-Wstrict-prototypes", "-x", "c"], ["clang", "-std=c17", "-Wstrict-prototypes", "-x", "c"],
             ["g++", "-std=c++17", "-x", "c++"], ["clang++", "-std=c++17", "-x", "c++"]]
EXTENSION = re.compile(r"\b(__attribute__|__extension__|__builtin_\w+|__typeof__|typeof|__declspec|__inline\w*|_Pragma)\b")
GUARDED = '#if defined(__GNUC__)\n#define ASH_API __attribute__((visibility("default")))\n#else\n#define ASH_API\n#endif\n'


def extensions(path, text):
    plain = tree.without_comments(text.replace(GUARDED, "\n" * GUARDED.count("\n")))
    return [f"{path}:{number}: a compiler extension: {line.strip()}"
            for number, line in enumerate(plain.splitlines(), 1) if EXTENSION.search(line)]


def compile_alone(root, path):
    name = os.path.relpath(path, "include")
    complaints = []
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "alone")
        with open(source, "w", encoding="utf-8") as file:
            # Twice, so that a missing include guard shows.
            file.write(f'#include "{name}"\n#include "{name}"\nextern int alone;\n')
        for compiler in COMPILERS:
            result = subprocess.run([*compiler, *STRICT, "-I", os.path.join(root, "include"), source],
                                    capture_output=True, text=True)
            if result.returncode != 0:
                complaints.append(f"{path}: not by {' '.join(compiler[:2])}:\n{result.stderr}")
    return complaints


def check(root):
    headers = tree.files(root, ("include",), ".h")
    complaints = [] if headers else [f"{root}: no public headers found"]
    for path in headers:
        complaints += extensions(path, tree.read(os.path.join(root, path))) + compile_alone(root, path)
    umbrella = os.path.join(root, "include", "ashlar", "ashlar.h")
    included = tree.read(umbrella) if os.path.isfile(umbrella) else ""
    complaints += [f"{path}: not included by ashlar.h" for path in headers
                   if not path.endswith("ashlar.h") and f'"{os.path.relpath(path, "include")}"' not in included]
    return complaints


if __name__ == "__main__":
    tree.judge("headers", check(sys.argv[1]))
