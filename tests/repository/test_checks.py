"""The checks of the repository can fail: each is shown a small tree with one thing wrong in it, and a right one.
Usage: test_checks.py"""
import os
import shutil
import subprocess
import tempfile
import unittest

import documented
import headers
import kinds
import layers
import layout
import links
import readme
import sources
import symbols
import type_names as types

HERE = os.path.dirname(os.path.abspath(__file__))
HEADER = "/* A header. */\n#ifndef H\n#define H\n#endif\n"


class Checks(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def assert_one(self, complaints, words):
        self.assertEqual(len(complaints), 1, complaints)
        self.assertIn(words, complaints[0])


class Documented(Checks):
    def test_above_or_behind(self):
        self.write("include/ashlar/a.h", "/* What it is. */\nASH_API int ash_a(void);\nASH_API int ash_b(void); /* That. */\n")
        self.assertEqual(documented.check(self.root), [])

    def test_none(self):
        self.write("include/ashlar/a.h", "/* What it is. */\nASH_API int ash_a(void);\nASH_API int ash_b(int a,\n  int b);\n")
        self.assert_one(documented.check(self.root), "ash_b has no comment")

    def test_inline(self):
        self.write("include/ashlar/a.h", "/* A. */\nASH_API int ash_a(void);\n\nstatic inline int ash_b(int a)\n{\n}\n")
        self.assert_one(documented.check(self.root), "ash_b has no comment")


class Kinds(Checks):
    def test_questions(self):
        self.write("src/model/solver_traits.c", "int a = ASH_SOLVER_PGS;\n")
        self.write("src/step/hold.c", "/* As ASH_SOLVER_PGS. */\nint a = ASH_FORCE_KINDS;\n")
        self.assertEqual(kinds.check(self.root), [])
        self.write("src/step/parts.c", "\nbool b = method->joints == ASH_JOINTS_IMPULSES;\n")
        self.assert_one(kinds.check(self.root), "src/step/parts.c:2: asks for ASH_JOINTS_IMPULSES")


class Types(Checks):
    def test_twice(self):
        self.write("src/a.h", "typedef struct ashi_one {\n    int a;\n} ashi_one;\n")
        self.write("src/b.h", "typedef struct ashi_one ashi_one;\n/* typedef struct ashi_one { */\n")
        self.assertEqual(types.check(self.root), [])
        self.write("src/c.c", "typedef enum ashi_one { ASHI_A } ashi_one;\n")
        self.assert_one(types.check(self.root), "ashi_one is defined in src/a.h and src/c.c")

    def test_alike(self):
        self.write("include/ashlar/a.h", "typedef struct ash_one ash_one;\n")
        self.write("src/a.c", "/* As ashi_one. */\nstatic int ashi_two;\n")
        self.assertEqual(types.check(self.root), [])
        self.write("src/b.c", "int ashi_one(void);\n")
        self.assert_one(types.check(self.root), "ashi_one (src/b.c) is the public ash_one but for the prefix")

    def test_setters(self):
        self.write("include/ashlar/a.h", "int ash_a_set_b(int b);\nint ash_a_get_b(void);\n")
        self.assertEqual(types.check(self.root), [])
        self.write("include/ashlar/a.h", "int ash_a_set_b(int b);\nint ash_a_get_c(void);\n")
        self.assert_one(types.check(self.root), "ash_a_set_b has no getter")


class Layers(Checks):
    def setUp(self):
        super().setUp()
        self.write("src/base/low.h", HEADER)
        self.write("src/world/high.h", HEADER)
        self.write("include/ashlar/scene.h", HEADER)
        self.write("src/world/right.c", '#include "base/low.h"\n#include "high.h"\n#include <stdio.h>\n')
        self.assertEqual(layers.check(self.root), [])

    def test_upward(self):
        self.write("src/base/wrong.c", '#include "world/high.h"\n')
        self.assert_one(layers.check(self.root), "src/world/high.h, a layer above")

    def test_upward_by_a_relative_path(self):
        self.write("src/base/wrong.c", '#  include "../world/high.h"\n')
        self.assert_one(layers.check(self.root), "src/world/high.h, a layer above")

    def test_core_includes_the_scene_interface(self):
        self.write("src/world/wrong.c", '#include "ashlar/scene.h"\n')
        self.assert_one(layers.check(self.root), "scene.h, a layer above")

    def test_ring(self):
        self.write("src/base/a.h", '#include "base/b.h"\n')
        self.write("src/base/b.h", '#include "c.h"\n')
        self.write("src/base/c.h", '#include "base/a.h"\n')
        self.assert_one(layers.check(self.root), "in a ring: src/base/a.h -> src/base/b.h -> src/base/c.h")

    def test_a_diamond_is_no_ring(self):
        self.write("src/base/a.h", '#include "base/b.h"\n#include "base/c.h"\n')
        self.write("src/base/b.h", '#include "base/low.h"\n')
        self.write("src/base/c.h", '#include "base/low.h"\n#include "base/b.h"\n')
        self.assertEqual(layers.check(self.root), [])

    def test_a_system_header_is_not_the_file_of_that_name_beside_it(self):
        self.write("experiments/string.h", "#include <string.h>\n")
        self.assertEqual(layers.check(self.root), [])
        self.write("experiments/string.h", '#include "string.h"\n')
        self.assert_one(layers.check(self.root), "in a ring")

    def test_outside(self):
        self.write("tests/check.h", HEADER)
        self.write("scene/run/wrong.c", '#include "check.h"\n')
        self.assert_one(layers.check(self.root), "outside the libraries")

    def test_rooms_of_a_layer(self):
        self.write("scene/file/a.h", HEADER)
        self.write("scene/run/right.c", '#include "scene/file/a.h"\n#include "ashlar/scene.h"\n')
        self.assertEqual(layers.check(self.root), [])
        self.write("scene/description/wrong.c", '#include "scene/file/a.h"\n')
        self.assert_one(layers.check(self.root), "scene/file/a.h, a layer above")

    def test_rooms_within_a_layer(self):
        self.write("src/solve/linear/a.h", HEADER)
        self.write("src/solve/solve.h", HEADER)
        self.write("src/solve/solve.c", '#include "solve/linear/a.h"\n')
        self.write("src/solve/newton/right.c", '#include "solve/linear/a.h"\n#include "solve/solve.h"\n')
        self.assertEqual(layers.check(self.root), [])
        self.write("src/solve/newton/b.h", HEADER)
        self.write("src/solve/linear/wrong.c", '#include "solve/newton/b.h"\n')
        self.assert_one(layers.check(self.root), "src/solve/newton/b.h, a room after its own")
        os.remove(os.path.join(self.root, "src/solve/linear/wrong.c"))
        self.write("src/solve/cellar/a.c", "")
        self.assert_one(layers.check(self.root), "not in the list of rooms")

    def test_the_program_sees_tools_and_no_more(self):
        self.write("src/solve/solve.h", HEADER)
        self.write("app/viewer/right.c", '#include "base/low.h"\n')
        self.assertEqual(layers.check(self.root), [])
        self.write("app/viewer/wrong.c", '#include "solve/solve.h"\n')
        self.assert_one(layers.check(self.root), "src/solve/solve.h, which programs do not see")

    def test_public_header_includes_internal(self):
        self.write("include/ashlar/wrong.h", '#include "base/low.h"\n')
        self.assert_one(layers.check(self.root), "includes the internal")

    def test_missing_file_and_unknown_folder(self):
        self.write("src/base/wrong.c", '#include "base/none.h"\n')
        self.assert_one(layers.check(self.root), "not in the repository")
        os.remove(os.path.join(self.root, "src/base/wrong.c"))
        self.write("src/extra/file.c", "\n")
        self.assert_one(layers.check(self.root), "not in the list of layers")

    def test_empty_tree(self):
        self.assert_one(layers.check(os.path.join(self.root, "nowhere")), "no sources")


class Sources(Checks):
    def setUp(self):
        super().setUp()
        self.write("src/base/CMakeLists.txt", "target_sources(x PRIVATE\n  arena.c\n)\n")
        self.write("src/base/arena.c", "/* The arena. */\n")
        self.write("tests/base/CMakeLists.txt", "ashlar_test(arena)\n")
        self.write("tests/base/test_arena.c", "/* Tests. */\n")
        self.assertEqual(sources.check(self.root), [])

    def test_not_in_cmake(self):
        self.write("src/base/rena.c", "/* Its name ends a listed one. */\n")
        self.assert_one(sources.check(self.root), "src/base/rena.c: not listed in src/base/CMakeLists.txt")

    def test_not_registered(self):
        self.write("tests/base/test_are.c", "/* Its name begins a registered one. */\n")
        self.assert_one(sources.check(self.root), "tests/base/test_are.c: not registered")

    def test_no_opening(self):
        self.write("src/base/arena.c", "int x;\n")
        self.assert_one(sources.check(self.root), "does not open with a comment")

    def test_too_long(self):
        self.write("src/base/arena.c", "/* The arena. */\n" + "\n" * 700)
        self.assert_one(sources.check(self.root), "701 lines")

    def test_note(self):
        self.write("src/base/arena.c", "/* The arena. */\n/* TODO more */\n")
        self.assert_one(sources.check(self.root), "arena.c:2: a note for later")


class Layout(Checks):
    def test_layout(self):
        shutil.copy(os.path.join(HERE, "..", "..", ".clang-format"), self.root)
        self.write("src/base/a.c", "int main(void)\n{\n    return 0;\n}\n")
        self.assertEqual(layout.check(self.root), [])
        self.write("src/base/a.c", "int main(void) {\n  return 0; }\n")
        self.assertIn("run: make format", layout.check(self.root))


class Headers(Checks):
    BODY = '/* A. */\n#ifndef A_H\n#define A_H\n%s\n#endif\n'

    def check(self, body):
        self.write("include/ashlar/a.h", self.BODY % body)
        self.write("include/ashlar/ashlar.h", '#ifndef ALL_H\n#define ALL_H\n#include "ashlar/a.h"\n#endif\n')
        return "\n".join(headers.check(self.root))

    def test_headers(self):
        self.assertEqual(self.check("typedef struct point { double x; } point;"), "")
        self.assertIn("not by gcc", self.check("size_t size(void);"))
        self.assertIn("a compiler extension", self.check("int f(void) __attribute__((pure));"))
        self.assertIn("not by g++", self.check("typedef struct point { double new; } point;"))
        self.assertIn("not by clang -std=c17", self.check("int f();"))

    def test_no_guard_and_not_in_the_umbrella(self):
        self.write("include/ashlar/b.h", "typedef struct b { int x; } b;\n")
        said = self.check("")
        self.assertIn("include/ashlar/b.h: not included by ashlar.h", said)
        self.assertIn("redefinition", said)


class Symbols(Checks):
    def library(self, code, script):
        self.write("code.c", code)
        self.write("code.map", script)
        path = os.path.join(self.root, "lib.so")
        subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-Wl,--version-script=code.map", "code.c", "-o", path, "-lm"],
                       cwd=self.root, check=True)
        return path

    def test_declarations(self):
        text = ("/* ASH_API int ash_no(void); */\n#define ASH_API\nASH_API const char *ash_a(void);\n"
                "ASH_API ash_b_result\nash_b(int x,\n int (*call)(void));\nint ash_c(void);\n")
        self.assertEqual(symbols.declared(text), {"ash_a", "ash_b"})

    def test_comparison(self):
        script = "A_0 { global: ash_*; local: *; }; ASHLAR_PRIVATE { global: ashi_*; };"
        library = self.library("void ash_a(void){} void ashi_b(void){} void c(void){}", script)
        found = symbols.exports(library)
        self.assertEqual(symbols.compare(library, {"ash_a"}, found), [])
        self.assert_one(symbols.compare(library, {"ash_a", "ash_b"}, found), "ash_b is declared")
        self.assert_one(symbols.compare(library, set(), found), "ash_a is exported")

    def test_forbidden_calls(self):
        code = "int printf(const char *, ...); double sin(double), sqrt(double);" \
               "double ash_a(double x) { printf(\"%g\", x); return sqrt(sin(x)); }"
        library = self.library(code, "A_0 { global: ash_*; };")
        found = symbols.forbidden(library, symbols.imports(library), symbols.libm() - symbols.EXACT)
        self.assertEqual(found, ["lib.so: calls printf", "lib.so: calls sin"])

# What stands in README.md after the first program.
PROJECT = """```cmake
cmake_minimum_required(VERSION 3.25)
project(first LANGUAGES C)
add_executable(first first.c)
```
"""


class Documents(Checks):
    def test_links(self):
        self.write("README.md", "# A page\n[a](docs/a.md) [b](https://example.org/x) [c](#a-page) `[d](none)`\n")
        self.write("docs/a.md", "[up](../README.md#a-page)\n")
        self.assertEqual(links.check(self.root), [])
        self.write("docs/a.md", "![picture](pictures/none.svg)\n")
        self.assert_one(links.check(self.root), "docs/a.md: pictures/none.svg does not exist")
        self.write("docs/a.md", "[up](../README.md#another)\n")
        self.assert_one(links.check(self.root), "no such heading")
        self.write("docs/a.md", "[up](../README.md#a-page)\n")
        self.write("CONTRIBUTING.md", "`docs/NAME.md` `docs/[ab].md` `make test`\n")
        self.assertEqual(links.check(self.root), [])
        self.write("CONTRIBUTING.md", "`src/model/joint_NAME.c`\n")
        self.assert_one(links.check(self.root), "CONTRIBUTING.md: `src/model/joint_NAME.c` does not exist")

    def first_program(self, said, lines=0):
        self.write("README.md", "```c\n#include <stdio.h>\nint main(void) { puts(\"hi\"); }\n" + "\n" * lines +
                   f"```\n```console\n$ cc first.c -o first\n$ ./first\n{said}\n```\n" + PROJECT)
        return readme.check(self.root, self.root)

    def test_first_program(self):
        self.assertEqual(self.first_program("hi"), [])
        by_command, by_cmake = self.first_program("ho")
        self.assertIn("it prints:\nhi", by_command)
        self.assertIn("it prints:\nhi", by_cmake)
        self.assert_one(self.first_program("hi", lines=29), "31 lines")
        self.write("README.md", "```c\nint main(void) { return 1 }\n```\n```console\n$ cc first.c -o first\n```\n" + PROJECT)
        self.assertIn("status 1", readme.check(self.root, self.root)[0])
        self.write("README.md", "no program\n")
        self.assert_one(readme.check(self.root, self.root), "no C program")


if __name__ == "__main__":
    unittest.main()
