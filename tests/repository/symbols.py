"""What the shared libraries export is what the headers declare: libashlar-scene has the functions of scene.h, libashlar
all others. Of the internal functions only those that libashlar-scene calls are exported, with the version ASHLAR_PRIVATE. The
libraries neither print nor exit, and the core calls nothing of libm whose last bit differs between machines.
Usage: symbols.py ROOT LIBASHLAR LIBASHLAR_SCENE"""
import os
import re
import subprocess
import sys

import tree

DECLARATION = re.compile(r"\bASH_API\b[^;{}]*?\b(\w+)\s*\(")
# Correctly rounded or exact everywhere, so allowed in the core.
EXACT = set("sqrt fabs floor ceil trunc rint nearbyint fmod remainder copysign fmin fmax ldexp frexp scalbn nextafter".split())
NEVER = set("printf vprintf puts putchar perror exit _exit _Exit quick_exit abort __assert_fail".split())
NEVER |= {"__printf_chk", "__vprintf_chk"}


def declared(text):
    plain = re.sub(r"^[ \t]*#.*$", "", tree.without_comments(text), flags=re.M)
    return set(DECLARATION.findall(plain))


def headers(root):
    """The functions of the core and of the scene layer, by header."""
    core, scene = set(), set()
    for path in tree.files(root, ("include",), ".h"):
        names = declared(tree.read(os.path.join(root, path)))
        if path.endswith("scene.h"):
            scene |= names
        else:
            core |= names
    return core, scene


def exports(library):
    """Names by version of what the library defines for others."""
    text = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in text.splitlines():
        _, kind, name = line.split()
        name, _, version = name.partition("@@")
        if kind != "A":
            found.setdefault(version, set()).add(name)
    return found


def imports(library):
    text = subprocess.run(["nm", "-D", "--undefined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in text.splitlines()}


def libm():
    """The names that this machine's libm defines."""
    listing = subprocess.run(["gcc", "-print-file-name=libm.so.6"], check=True, capture_output=True, text=True)
    text = subprocess.run(["nm", "-D", "--defined-only", listing.stdout.strip()], check=True, capture_output=True,
                          text=True).stdout
    return {line.split()[-1].split("@")[0] for line in text.splitlines()}


def compare(library, expected, found):
    name = os.path.basename(library)
    public = set().union(*(names for version, names in found.items() if version != "ASHLAR_PRIVATE"))
    complaints = [f"{name}: {symbol} is declared in a header but not exported" for symbol in sorted(expected - public)]
    complaints += [f"{name}: {symbol} is exported but declared in no header" for symbol in sorted(public - expected)]
    complaints += [f"{name}: {symbol} is private but not named ashi_" for symbol in
                   sorted(found.get("ASHLAR_PRIVATE", set())) if not symbol.startswith("ashi_")]
    return complaints


def private(found, used):
    """Internal functions that libashlar exports, against those that libashlar-scene calls."""
    exported = found.get("ASHLAR_PRIVATE", set())
    called = {name.split("@")[0] for name in used if name.startswith("ashi_")}
    return ([f"libashlar: {name} is exported, and libashlar-scene does not call it" for name in sorted(exported - called)] +
            [f"libashlar: {name} is called by libashlar-scene but not in the map" for name in sorted(called - exported)])


def forbidden(library, names, inexact):
    names = {name.split("@")[0] for name in names}
    return [f"{os.path.basename(library)}: calls {name}" for name in sorted(names & (NEVER | inexact))]


def check(root, core_library, scene_library):
    core, scene = headers(root)
    inexact = libm() - EXACT
    return (compare(core_library, core, exports(core_library)) + compare(scene_library, scene, exports(scene_library)) +
            private(exports(core_library), imports(scene_library)) +
            forbidden(core_library, imports(core_library), inexact) +
            forbidden(scene_library, imports(scene_library), set()))


if __name__ == "__main__":
    tree.judge("symbols", check(*sys.argv[1:4]))
