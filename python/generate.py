"""Writes what of the package comes from the public headers: the C source of the module _ashlar, by cffi, and _api.py: a
class of calls for each kind of object, a tuple for each structure, the words of enumerations, with the headers' comments
as docstrings. Usage: generate.py INCLUDE OUT"""
import keyword
import os
import sys
import textwrap

import cffi

import headers

OWNERS = {"ash_body": "Body", "ash_shape": "Shape", "ash_force": "Force", "ash_joint": "Joint", "ash_material": "Material"}
PLAIN = {"double": "float", "bool": "bool", "int": "int", "uint32_t": "int", "uint64_t": "int", "int32_t": "int",
         "uint8_t": "int", "size_t": "int"}
VALUES = {"ash_vec3": ("vec3", "np.ndarray"), "ash_quat": ("quat", "np.ndarray"), "ash_sym3": ("sym3", "np.ndarray"),
          "ash_mat3": ("mat3", "np.ndarray")}
# Written by hand in the package, or of no use in Python, where memory is looked after.
BY_HAND = set("""ash_world_step ash_world_create ash_world_destroy ash_world_save ash_world_restore ash_body_create
    ash_joint_create ash_joint_def_place ash_callback_create ash_world_get_array ash_world_set_array ash_world_get_rows
    ash_world_get_contacts ash_world_get_contact_points ash_world_set_method ash_world_get_method ash_shape_get_geometry
    ash_world_cast_ray ash_world_cast_rays ash_world_set_pair_filter ash_world_get_pair_filter
    ash_world_get_flag_place ash_world_get_last_diagnostic ash_world_clear_diagnostic ash_world_get_report
    ash_body_get_user_data ash_body_set_user_data ash_joint_get_user_data ash_world_get_problem ash_world_next_problem
    ash_world_set_interrupt ash_world_get_interrupt ash_world_debug ash_world_overlap_points ash_world_cast_shapes ash_world_assemble""".split())

EXTERN = """
extern "Python" void ashlar_py_force(ash_force_context *, void *);
extern "Python" bool ashlar_py_pair(ash_shape, ash_shape, void *);
extern "Python" bool ashlar_py_progress(double, double, void *);
extern "Python" bool ashlar_py_control(ash_world *, double, void *);
typedef struct ashlar_view { int array; double *values; size_t count; } ashlar_view;
ash_status ashlar_step(ash_world *world, double h, uint64_t count, const ashlar_view *views, uint32_t view_count);
"""
SOURCE = """
#include "ashlar/ashlar.h"
typedef struct ashlar_view { int array; double *values; size_t count; } ashlar_view;
/* Steps, and brings the arrays that Python holds up to date: one call, so that the lock is released once. */
static ash_status ashlar_step(ash_world *world, double h, uint64_t count, const ashlar_view *views, uint32_t view_count)
{
    ash_status status = ASH_OK;
    for (uint64_t i = 0; i < count && status == ASH_OK; i++)
        status = ash_world_step(world, h);
    for (uint32_t i = 0; i < view_count; i++)
        ash_world_get_array(world, (ash_array)views[i].array, views[i].values, views[i].count);
    return status;
}
"""


def field(name):
    """A field of the structure c, also where its name is a word of Python."""
    return f'getattr(c, "{name}")' if keyword.iskeyword(name) else "c." + name


def title(name):
    return "".join(part.capitalize() for part in name.removeprefix("ash_").split("_"))


class Writer:
    """Python source from the headers."""

    def __init__(self, header):
        self.header = header
        self.readable = {}
        for name in header.structs:
            self._can_read(name)
        self.classes = {owner: {} for owner in ("World", "Geometry", *OWNERS.values())}

    def _can_read(self, name):
        if name in self.readable:
            return self.readable[name]
        fields = [f for f in self.header.structs[name]["fields"] if f["name"] != "user_data"]
        self.readable[name] = name not in OWNERS and all(
            self.reads(f["type"]) and (f["array"] is None or f["type"] in PLAIN or f["type"] == "char"
                                       or self.header.structs.get(f["type"])) for f in fields)
        return self.readable[name]

    def reads(self, type_):
        return (type_ in PLAIN or type_ in VALUES or type_ in OWNERS or type_ in self.header.enums or type_ in
                ("char *", "char") or (type_ in self.header.structs and self._can_read(type_)))

    def read(self, type_, e, world):
        """The expression that turns a C value into Python's, and its annotation."""
        if type_ in PLAIN:
            return e, PLAIN[type_]
        if type_ in VALUES:
            return f"{VALUES[type_][0]}({e})", VALUES[type_][1]
        if type_ in OWNERS:
            return f'handle("{type_}", {e}, {world})', f'"{OWNERS[type_]} | None"'
        if type_ in self.header.enums:
            return f'word("{type_}", {e})', "str"
        if type_ in ("char *", "char"):
            return f"text({e})", "str"
        return f"{title(type_)}.read({e}, {world})", f'"{title(type_)}"'

    def write_in(self, type_, name):
        """The same for an argument; None when it is not understood."""
        if type_ in PLAIN:
            return name, PLAIN[type_]
        simple = {"ash_vec3": "vec3_in", "ash_quat": "quat_in", "ash_sym3": "sym3_in", "ash_transform": "transform_in",
                  "ash_bounds": "bounds_in"}
        if type_ in simple:
            return f"{simple[type_]}({name})", "ArrayLike"
        if type_ in OWNERS:
            return f"handle_in({name})", f'"{OWNERS[type_]} | None"'
        if type_ in self.header.enums:
            return f'enum_in("{type_}", {name})', "str"
        if type_ == "char *":
            return f"text_in({name})", "str | None"
        if type_ == "ash_ray":
            return f"ray_in({name})", "tuple"
        if type_ == "ash_geometry *":
            return f"{name}._p", '"Geometry"'
        return None

    def structs(self):
        for name, struct in self.header.structs.items():
            if not self.readable[name] or name in VALUES:
                continue
            fields = [f for f in struct["fields"] if f["name"] != "user_data"]
            yield f"\n\nclass {title(name)}(NamedTuple):\n{doc(struct['doc'] or title(name) + '.', 4)}\n"
            parts = []
            for f in fields:
                value, hint = self.read(f["type"], "item" if f["array"] else field(f["name"]), "world")
                if f["array"] and f["type"] == "char":
                    value = f"text(c.{f['name']})"
                elif f["array"]:
                    value, hint = f"[{value} for item in c.{f['name']}]", "list"
                parts.append((f["name"], value))
                yield f"    {f['name'] + '_' * keyword.iskeyword(f['name'])}: {hint}" + (f"  # {f['doc']}\n" if f["doc"] else "\n")
            yield "\n    @classmethod\n    def read(cls, c, world):\n        return cls(" + ",\n                   ".join(
                value for _, value in parts) + ")\n"

    def place(self, function):
        """(class, first arguments in C, further arguments) of a function that belongs to an object."""
        arguments = function["arguments"]
        if arguments and arguments[0][0] == "ash_geometry *":
            return "Geometry", ["self._p"], arguments[1:]
        if not arguments or arguments[0][0] != "ash_world *":
            return None
        word = function["name"].split("_")[1]
        if len(arguments) > 1 and arguments[1][0] in OWNERS and word != "world":
            return OWNERS[arguments[1][0]], ["self.world._p", "(self.id,)"], arguments[2:]
        return "World", ["self._p"], arguments[1:]

    def call(self, function):
        """Adds the method or property of a function. False: it is none that can be written without thought."""
        place = self.place(function)
        if place is None or function["name"] in BY_HAND:
            return False
        owner, values, arguments = place
        world = "self" if owner == "World" else "self.world" if owner != "Geometry" else "None"
        c_world = {"World": "self._p", "Geometry": "None"}.get(owner, "self.world._p")
        parameters, before, outs, listed, diagnostic = [], [], [], None, False
        status = function["result"] == "ash_status"
        index = 0
        while index < len(arguments):
            type_, name, constant = arguments[index]
            name = {"def": "fields", "from": "start"}.get(name, name)
            target = type_.removesuffix(" *")
            if type_ == "ash_diagnostic *":
                diagnostic = True
                before.append('diagnostic = ffi.new("ash_diagnostic *")')
                values.append("diagnostic")
            elif constant and type_.endswith("_def *") or type_ in ("ash_query_filter *", "ash_surface *", "ash_joint_axis *"):
                default = f"lib.ash_default_{target.removeprefix('ash_')}()"
                exists = f"ash_default_{target.removeprefix('ash_')}" in self.header.functions
                before.append(f"keep, {name}_c = [], ffi.new(\"{type_}\"" + (f", {default})" if exists else ")"))
                before.append(f"fill({name}_c, keep, {name})" if type_ != "ash_query_filter *" else
                              f"fill({name}_c, keep, {name} or {{}})")
                values.append(f"{name}_c")
                parameters.append(f"**{name}" if type_ != "ash_query_filter *" else f"{name}: dict | None = None")
            elif (not constant and type_.endswith(" *") and index + 1 < len(arguments) and
                  arguments[index + 1][1] == "capacity" and self.reads(target)):
                listed = target
                index += 1
            elif not constant and type_.endswith(" *") and self.reads(target) and type_ != "char *":
                outs.append((name, target))
                before.append(f'{name} = ffi.new("{type_}")')
                values.append(name)
            else:
                given = self.write_in(type_, name)
                if given is None:
                    return False
                parameters.append(f"{name}: {given[1]}")
                values.append(given[0])
            index += 1
        parameters.sort(key=lambda p: (p.startswith("**"), "=" in p))
        called = f"lib.{function['name']}({', '.join(values)})"
        lines = [*before]
        if owner not in ("World", "Geometry") and not function["name"].endswith("_is_valid"):
            lines.insert(0, "self.check()")
        if listed:
            lines.append(f'items, count = many("{listed}", lib.{function["name"]}, {", ".join(values)})')
            value, hint = self.read(listed, "items[i]", world)
            lines.append(f"return [{value} for i in range(count)]")
            hint = f"list[{hint}]"
        elif status:
            lines.append(f"status = {called}")
            lines.append("if status:")
            lines.append(f"    fail(status, {'diagnostic' if diagnostic else 'None'}, {c_world})")
            hint = "None"
            if len(outs) == 1:
                value, hint = self.read(outs[0][1], f"{outs[0][0]}[0]", world)
                lines.append(f"return {value}")
            elif outs:
                return False
        elif function["result"] == "bool" and len(outs) == 1:
            value, hint = self.read(outs[0][1], f"{outs[0][0]}[0]", world)
            lines.append(f"return {value} if {called} else None")
            hint = f'"{hint.strip(chr(34))} | None"'
        elif function["result"] == "void":
            lines.append(called)
            hint = "None"
        elif self.reads(function["result"]) and not outs:
            value, hint = self.read(function["result"], called, world)
            lines.append(f"return {value}")
        else:
            return False
        self._add(owner, function, parameters, lines, hint)
        return True

    def _add(self, owner, function, parameters, lines, hint):
        name = function["name"].removeprefix("ash_")
        name = name.removeprefix(owner.lower() + "_")
        if owner == "World" and name.endswith("_create"):
            name = "create_" + name.removesuffix("_create")
        kind = "method"
        if ("get_" in name or name.startswith(("is_", "can_"))) and not parameters:
            name, kind = name.replace("get_", "", 1), "property"
        elif "set_" in name and len(parameters) == 1 and not parameters[0].startswith("**"):
            name, kind = name.replace("set_", "", 1), "setter"
        self.classes[owner].setdefault(name, {})[kind] = (function, parameters, lines, hint)

    def source(self):
        yield '"""Made by python/generate.py from the headers in include/ashlar. Do not edit."""\n'
        yield "from typing import NamedTuple\n\nimport numpy as np\nfrom numpy.typing import ArrayLike\n\n"
        yield ("from ._ashlar import ffi, lib\nfrom ._core import (bounds_in, enum_in, enumeration, fail, fill, handle, "
               "handle_in, many, mat3, quat, quat_in,\n                    ray_in, sym3, sym3_in, text, text_in, transform_in, vec3, "
               "vec3_in, word)\n\n")
        for enum in self.header.enums.values():
            yield f"enumeration({enum['name']!r}, {enum['names'][:len(enum['words'])]!r},\n            {enum['words']!r})\n"
        yield from self.structs()
        for owner, calls in self.classes.items():
            yield f'\n\nclass {owner}Calls:\n    """The calls of the library on a {owner.lower()}."""\n\n    __slots__ = ()\n'
            for name, kinds in calls.items():
                if "setter" in kinds and "property" not in kinds:
                    kinds["method"] = kinds.pop("setter")
                    name = "set_" + name
                for kind, (function, parameters, lines, hint) in sorted(kinds.items(), key=lambda k: k[0] == "setter"):
                    if kind == "property":
                        yield "\n    @property"
                    elif kind == "setter":
                        yield f"\n    @{name}.setter"
                    arguments = ", ".join(["self", *parameters])
                    yield f"\n    def {name}({arguments}) -> {hint}:\n"
                    yield doc((function["doc"] or name.replace("_", " ").capitalize() + ".") +
                              f"\n\nC: {function['name']}", 8) + "\n"
                    yield textwrap.indent("\n".join(lines), " " * 8) + "\n"
        yield from self.arrays()
        table = {name: f["doc"] for name, f in self.header.functions.items()}
        yield "\n\nDOCS = {\n" + "".join(f"    {name!r}: {text!r},\n" for name, text in table.items()) + "}\n"

    def arrays(self):
        yield '\n\nclass WorldArrays:\n    """Arrays of all bodies, and of all joints\' coordinates."""\n\n    __slots__ = ()\n'
        enum = self.header.enums["ash_array"]
        for name, word in zip(enum["names"], enum["words"]):
            place = word.replace("-", "_")
            yield f"\n    @property\n    def {place}(self) -> np.ndarray:\n"
            yield doc("Of all bodies or coordinates, one row each: " + enum["docs"].get(name, word) + "\n\nC: " + name, 8)
            yield f"\n        return self._array(lib.{name})\n"
            yield f"\n    @{place}.setter\n    def {place}(self, values: ArrayLike) -> None:\n"
            yield f"        self._set_array(lib.{name}, values)\n"


def doc(text, indent):
    """A docstring."""
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    first, *rest = text.split("\n\n")
    lines = textwrap.wrap(first, 110 - indent) + sum((["", part] for part in rest), [])
    pad = " " * indent
    return pad + '"""' + ("\n" + pad).join(lines) + ('"""' if len(lines) == 1 else "\n" + pad + '"""')


def main(include, out):
    header = headers.Header(include)
    os.makedirs(out, exist_ok=True)
    ffi = cffi.FFI()
    ffi.cdef("\n".join(header.cdef) + EXTERN)
    ffi.set_source("ashlar._ashlar", SOURCE)
    ffi.emit_c_code(os.path.join(out, "_ashlar.c"))
    writer = Writer(header)
    for function in header.functions.values():
        writer.call(function)
    with open(os.path.join(out, "_api.py"), "w", encoding="utf-8") as file:
        file.writelines(writer.source())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
