"""What all of the package stands on: errors, and values between Python and C."""
import numpy as np

from ._ashlar import ffi, lib

CLASSES = {}  # of handles, by the name in C


class AshlarError(Exception):
    """What the library reports. `diagnostic` says what is wrong, where, and what was expected."""

    def __init__(self, diagnostic):
        super().__init__(diagnostic.text)
        self.diagnostic = diagnostic

    def __str__(self):
        return self.diagnostic.text


class BadArgument(AshlarError, ValueError):
    """An argument is not usable: not finite, out of range, missing."""


class BadHandle(AshlarError, ReferenceError):
    """The body, joint, ... is no longer there, or belongs to another world."""


class BadData(AshlarError, ValueError):
    """A file, a definition or an option is not usable."""


class NotFound(AshlarError, LookupError):
    """There is no such file, name or key."""


class Unsupported(AshlarError, NotImplementedError):
    """Known, but not available in this version or for this object."""


class OutOfMemory(AshlarError, MemoryError):
    """An allocation failed; nothing was changed."""


class FileError(AshlarError, OSError):
    """Reading or writing failed."""


class Numerics(AshlarError, ArithmeticError):
    """The computation could not go on; the last good state is kept."""


class Diagnostic:
    """What went wrong, where, and what was expected. Texts are empty and numbers zero where they do not apply."""

    __slots__ = ("status", "code", "file", "line", "column", "path", "message", "expected", "text")

    def __init__(self, status, code="", message="", c=None):
        self.status, self.code, self.message, self.text = status, code, message, message
        self.file = self.path = self.expected = ""
        self.line = self.column = 0
        if c is not None:
            for name in ("code", "file", "path", "message", "expected"):
                setattr(self, name, ffi.string(getattr(c, name)).decode(errors="replace"))
            self.line, self.column = c.line, c.column
            line = ffi.new("char[]", 1600)
            self.text = ffi.string(lib.ash_diagnostic_text(c, line, 1600)).decode(errors="replace")

    def __repr__(self):
        return f"<Diagnostic {self.code}: {self.text}>"


ERRORS = {lib.ASH_BAD_ARGUMENT: BadArgument, lib.ASH_BAD_HANDLE: BadHandle, lib.ASH_BAD_DATA: BadData,
          lib.ASH_NOT_FOUND: NotFound, lib.ASH_UNSUPPORTED: Unsupported, lib.ASH_OUT_OF_MEMORY: OutOfMemory,
          lib.ASH_IO: FileError, lib.ASH_NUMERICS: Numerics}


def fail(status, diagnostic=None, world=None):
    """Raises the exception of a status: with the call's diagnostic, or the world's last one."""
    if (diagnostic is None or diagnostic.status == lib.ASH_OK) and world is not None:
        diagnostic = ffi.new("ash_diagnostic *", lib.ash_world_get_last_diagnostic(world))
    if diagnostic is None or diagnostic.status == lib.ASH_OK:
        diagnostic, words = None, ffi.string(lib.ash_status_text(status)).decode()
    word = WORDS["ash_status"][status]
    raise ERRORS[status](Diagnostic(word, c=diagnostic) if diagnostic is not None else Diagnostic(word, word, words))


def misuse(status, code, message):
    """The exception for what Python itself finds wrong."""
    return ERRORS[status](Diagnostic(WORDS["ash_status"][status], code, message))


# Values: C structures to NumPy, and anything like a sequence to C.


def vec3(c):
    return np.array((c.x, c.y, c.z))


def quat(c):
    return np.array((c.w, c.x, c.y, c.z))


def sym3(c):
    return np.array(((c.xx, c.xy, c.xz), (c.xy, c.yy, c.yz), (c.xz, c.yz, c.zz)))


def mat3(c):
    return np.array(((c.x.x, c.y.x, c.z.x), (c.x.y, c.y.y, c.z.y), (c.x.z, c.y.z, c.z.z)))


def text(c):
    return "" if c == ffi.NULL else ffi.string(c).decode(errors="replace")


def numbers(value, count, what):
    """`count` floats as a tuple."""
    try:
        made = tuple(float(x) for x in value)
    except TypeError:
        made = ()
    if len(made) != count:
        raise misuse(lib.ASH_BAD_ARGUMENT, "python.value", f"{what}: {count} numbers are expected, not {value!r}")
    return made


def vec3_in(value):
    if not np.isscalar(value) and len(value) == 2:  # planar worlds
        value = (*value, 0.0)
    return numbers(value, 3, "a vector")


def quat_in(value):
    return numbers(value, 4, "a quaternion w, x, y, z")


def sym3_in(value):
    array = np.asarray(value, float)
    if array.shape == (3, 3):
        return tuple(float(array[i]) for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    if array.shape == (3,):
        return (*array.tolist(), 0.0, 0.0, 0.0)
    return numbers(array, 6, "a symmetric tensor")


def transform_in(value):
    """(position, rotation), or a position alone."""
    if len(value) == 2:
        return vec3_in(value[0]), quat_in(value[1])
    return vec3_in(value), (1.0, 0.0, 0.0, 0.0)


def bounds_in(value):
    return vec3_in(value[0]), vec3_in(value[1])


def ray_in(value):
    """(origin, direction) or (origin, direction, reach), the reach in units of the direction's length."""
    origin, direction, *reach = value
    return vec3_in(origin), vec3_in(direction), min(float(reach[0]), 1e300) if reach else 1e300


def text_in(value):
    return ffi.NULL if value is None else value.encode()


WORDS, VALUES = {}, {}  # of enumerations: {type: {value: word}} and {type: {word: value}}


def enumeration(name, names, words):
    """Registers an enumeration's words. Words may be written with - or _."""
    WORDS[name] = {getattr(lib, constant): word for constant, word in zip(names, words)}
    VALUES[name] = {word: value for value, word in WORDS[name].items()}


def enum_in(name, value):
    if isinstance(value, str):
        found = VALUES[name].get(value.replace("_", "-"))
        if found is None:
            raise misuse(lib.ASH_BAD_ARGUMENT, "python.word",
                         f'"{value}" is none of {", ".join(VALUES[name])}')
        return found
    return value


def word(name, value):
    return WORDS[name].get(value, value)


def handle(name, c, world):
    """The Python object of a handle; None for null."""
    return CLASSES[name](world, c.id) if c.id else None


def handle_in(value):
    if value is None:
        return (0,)
    try:
        return (value.id,)
    except AttributeError:
        raise misuse(lib.ASH_BAD_ARGUMENT, "python.handle", f"{value!r} is no object of a world") from None


def many(type_, call, *arguments):
    """All entries of a list that is copied out: its size is asked first."""
    count = call(*arguments, ffi.NULL, 0)
    items = ffi.new(type_ + "[]", count)
    return items, min(call(*arguments, items, count), count)


STRUCTS = {"ash_vec3": (vec3, vec3_in), "ash_quat": (quat, quat_in), "ash_sym3": (sym3, sym3_in), "ash_mat3": (mat3, None),
           "ash_transform": (None, transform_in), "ash_bounds": (None, bounds_in)}
HANDLES = ("ash_body", "ash_shape", "ash_force", "ash_joint", "ash_material")


def fill(c, keep, values):
    """Sets fields of a C structure from a mapping. What C only points at is put into `keep`, which must outlive the call."""
    fields = dict(ffi.typeof(c).item.fields if ffi.typeof(c).kind == "pointer" else ffi.typeof(c).fields)
    for name, value in values.items():
        if name not in fields:
            kind = plain(ffi.typeof(c).item if ffi.typeof(c).kind == "pointer" else ffi.typeof(c))
            known = ", ".join(field for field in fields if field != "user_data")
            raise misuse(lib.ASH_BAD_ARGUMENT, "python.key", f'"{name}" is no part of {kind} ({known})')
        put(c, name, fields[name].type, value, keep)


def plain(kind):
    """A type's name without struct and enum."""
    return kind.cname.replace("struct ", "").replace("enum ", "")


def put(c, name, kind, value, keep):
    type_ = plain(kind)
    if value is None and kind.kind == "pointer":
        value = ffi.NULL
    elif type_ in STRUCTS:
        value = STRUCTS[type_][1](value)
    elif type_ in HANDLES:
        value = handle_in(value)
    elif kind.kind == "enum":
        value = enum_in(type_, value)
    elif type_ == "char *":
        value = ffi.new("char[]", value.encode())
        keep.append(value)
    elif type_ == "ash_geometry *":
        keep.append(value)
        value = value._p
    elif kind.kind == "struct":
        fill(getattr(c, name), keep, value)
        return
    elif kind.kind == "array" and kind.item.kind == "struct":
        for index, part in (value.items() if hasattr(value, "items") else enumerate(value)):
            index = VALUES["ash_freedom"].get(str(index).replace("_", "-"), index) if name == "axes" else index
            fill(getattr(c, name)[index], keep, part)
        return
    elif kind.kind == "pointer" and plain(kind.item) in ("ash_vec3", "double", "uint32_t"):
        width = 3 if plain(kind.item) == "ash_vec3" else 1
        array = np.ascontiguousarray(value, np.uint32 if kind.item.cname == "uint32_t" else np.float64)
        if width == 3 and array.ndim == 2 and array.shape[1] == 2:  # flat kinds
            array = np.column_stack((array, np.zeros(len(array))))
        count = array.size // width
        if width == 3 and (array.ndim != 2 or array.shape[1] != 3):
            raise misuse(lib.ASH_BAD_ARGUMENT, "python.points", f"{name}: rows of three numbers are expected")
        keep.append(array)
        value = ffi.cast(kind, ffi.from_buffer(array))
        counter = {"points": "point_count", "triangles": "triangle_count", "path": "path_count", "times": "count"}.get(name)
        if counter:
            setattr(c, counter, count // 3 if name == "triangles" else count)
    setattr(c, name, value)
