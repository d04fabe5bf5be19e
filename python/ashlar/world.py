"""Worlds and what is in them. Most calls are made from the headers (_api.py); here is what Python does in its own way."""
import numpy as np

from . import _api
from ._ashlar import ffi, lib
from ._core import (CLASSES, BadHandle, enum_in, fail, fill, handle_in, many, misuse, numbers, ray_in, text, text_in, vec3,
                    vec3_in, word)


class Handle:
    """An object of a world. It stays safe when the object is gone: every use of it then raises BadHandle."""

    __slots__ = ("world", "id")
    _valid = None

    def __init__(self, world, id):
        self.world, self.id = world, id

    def __eq__(self, other):
        return type(self) is type(other) and self.id == other.id and self.world is other.world

    def __hash__(self):
        return hash((type(self), self.id))

    def __repr__(self):
        if not self.is_valid:
            return f"<{type(self).__name__}, gone>"
        name = self.name if hasattr(self, "name") else ""
        return f"<{type(self).__name__}{' ' + repr(name) if name else ''}>"

    def check(self):
        """Raises BadHandle when the object is gone."""
        if not self._valid(self.world._p, (self.id,)):
            raise misuse(lib.ASH_BAD_HANDLE, "python.handle", f"the {type(self).__name__.lower()} is no longer there")


class Body(_api.BodyCalls, Handle):
    """A body of a world."""

    __slots__ = ()
    _valid = lib.ash_body_is_valid

    @property
    def position(self) -> np.ndarray:
        """Where the body's frame is in the world, m."""
        return self.transform.position

    @position.setter
    def position(self, value):
        self.transform = (value, self.transform.rotation)

    @property
    def rotation(self) -> np.ndarray:
        """The unit quaternion w, x, y, z that turns the body's axes into the world's."""
        return self.transform.rotation

    @rotation.setter
    def rotation(self, value):
        self.transform = (self.transform.position, value)

    def destroy(self) -> None:
        """Removes the body with its shapes and every force attached to it."""
        super().destroy()
        self.world._changed()


class Shape(_api.ShapeCalls, Handle):
    """A shape on a body."""

    __slots__ = ()
    _valid = lib.ash_shape_is_valid

    @property
    def geometry(self) -> "Geometry":
        """Its geometry."""
        self.check()
        p = lib.ash_shape_get_geometry(self.world._p, (self.id,))
        lib.ash_geometry_retain(p)
        return Geometry._own(p)


class Force(_api.ForceCalls, Handle):
    """A force: a spring, a load, drag, ..."""

    __slots__ = ()
    _valid = lib.ash_force_is_valid


class Joint(_api.JointCalls, Handle):
    """A joint between two bodies."""

    __slots__ = ()
    _valid = lib.ash_joint_is_valid

    def get_axis(self, freedom) -> dict:
        """What acts along a kept freedom, as set_axis and create_joint take it; a motor's signal is left out."""
        self.check()
        c = lib.ash_joint_get_axis(self.world._p, (self.id,), enum_in("ash_freedom", freedom))
        axis = {name: getattr(c, name) for name, _ in ffi.typeof(c).fields if name != "motor"}
        axis["motor"] = {name: getattr(c.motor, name) for name, _ in ffi.typeof(c.motor).fields if name != "signal"}
        axis["motor"]["drive"] = word("ash_drive", axis["motor"]["drive"])
        return axis

    def set_target(self, freedom, target):
        """Sets a motor's target alone: what a controller does."""
        motor = self.get_axis(freedom)["motor"]
        self.set_motor(freedom, motor["drive"], target, motor["max_force"])

    def destroy(self) -> None:
        """Removes the joint; its bodies wake and may touch again."""
        super().destroy()
        self.world._changed()


class Material(_api.MaterialCalls, Handle):
    """What shapes are made of."""

    __slots__ = ()
    _valid = lib.ash_material_is_valid


CLASSES.update(ash_body=Body, ash_shape=Shape, ash_force=Force, ash_joint=Joint, ash_material=Material)


class Geometry(_api.GeometryCalls):
    """A shape in space, without a place: Geometry("box", half_extents=(1, 1, 1)). Fields are those of ash_geometry_def."""

    __slots__ = ("_p",)

    def __init__(self, kind, *, parts=(), **fields):
        keep, c, out, diagnostic = [], ffi.new("ash_geometry_def *"), ffi.new("ash_geometry **"), ffi.new("ash_diagnostic *")
        fill(c, keep, {"kind": kind, **fields})
        if parts:
            array = ffi.new("ash_geometry_part[]", len(parts))
            for part, (geometry, *pose) in zip(array, parts):
                part.geometry = geometry._p
                position, rotation = (*pose, (0, 0, 0))[0], (*pose, (0, 0, 0), (1, 0, 0, 0))[1] if len(pose) > 1 else (1, 0, 0, 0)
                part.pose = (vec3_in(position), numbers(rotation, 4, "a quaternion w, x, y, z"))
            c.parts, c.part_count = array, len(parts)
        status = lib.ash_geometry_create(c, out, diagnostic)
        if status:
            fail(status, diagnostic)
        self._p = ffi.gc(out[0], lib.ash_geometry_release)

    @classmethod
    def _own(cls, p):
        made = cls.__new__(cls)
        made._p = ffi.gc(p, lib.ash_geometry_release)
        return made

    @property
    def kind(self) -> str:
        """The kind, as in scene files."""
        return word("ash_geometry_kind", lib.ash_geometry_get_definition(self._p).kind)

    def __repr__(self):
        return f"<Geometry {self.kind}>"


def sphere(radius):
    """A ball around the origin."""
    return Geometry("sphere", radius=radius)


def box(x, y, z):
    """A box by its half sizes, m."""
    return Geometry("box", half_extents=(x, y, z))


def capsule(radius, height):
    """A capsule along z; the height is between the centres of its ends."""
    return Geometry("capsule", radius=radius, height=height)


def cylinder(radius, height):
    """A cylinder along z, centred."""
    return Geometry("cylinder", radius=radius, height=height)


def plane():
    """The half space below z = 0."""
    return Geometry("plane")


def hull(points):
    """The convex hull of points, an array of rows x, y, z."""
    return Geometry("hull", points=points)


def mesh(points, triangles):
    """A closed mesh: rows x, y, z and rows of three point numbers, counter-clockwise seen from outside."""
    return Geometry("mesh", points=points, triangles=np.asarray(triangles).reshape(-1))


class Method:
    """How a world is stepped: a preset, with single fields set by their names, as in scene files.

    Method("engineering", tolerance=1e-12); method["substeps"] = 4; Method.names(); Method.fields()."""

    __slots__ = ("_c",)

    def __init__(self, name="realtime", **fields):
        self._c, diagnostic = ffi.new("ash_method *"), ffi.new("ash_diagnostic *")
        status = lib.ash_method_find(text_in(name), self._c, diagnostic)
        if status:
            fail(status, diagnostic)
        for key, value in fields.items():
            self[key.replace("_", "-")] = value

    @classmethod
    def of(cls, value):
        """A method as it is, or by its name, which may be followed by fields: "realtime:integrator=rk4"."""
        if isinstance(value, cls):
            return value
        name, *fields = str(value).split(":")
        method = cls(name)
        for field in ",".join(fields).split(",") if fields else ():
            key, _, word_ = field.partition("=")
            method[key] = word_
        return method

    @classmethod
    def _of_c(cls, c):
        made = cls.__new__(cls)
        made._c = ffi.new("ash_method *", c)
        return made

    @staticmethod
    def names() -> list[str]:
        """The presets."""
        return [text(lib.ash_method_name(i)) for i in range(lib.ash_method_count())]

    @staticmethod
    def fields() -> dict[str, str]:
        """The fields that can be set, with what each takes."""
        return {text(lib.ash_method_field_name(i)): text(lib.ash_method_field_summary(i))
                for i in range(lib.ash_method_field_count())}

    @property
    def name(self) -> str:
        """The preset's name, "custom" once a field was changed."""
        return text(self._c.name)

    def __getitem__(self, field):
        out = ffi.new("char[]", 256)
        found = lib.ash_method_get(self._c, field.encode(), out, 256)
        if found == ffi.NULL:
            raise KeyError(field)
        return text(found)

    def __setitem__(self, field, value):
        diagnostic = ffi.new("ash_diagnostic *")
        value = ("true" if value else "false") if isinstance(value, bool) else str(value)
        status = lib.ash_method_set(self._c, field.encode(), value.encode(), diagnostic)
        if status:
            fail(status, diagnostic)

    def __repr__(self):
        return f"<Method {self.name}>"


def numpy_type(type_):
    """The NumPy type of a C structure, field by field at the same places."""
    if type_.kind == "array":
        return np.dtype((numpy_type(type_.item), (type_.length,)))
    if type_.kind == "enum":
        return np.dtype(f"u{ffi.sizeof(type_)}")
    if type_.kind == "struct":
        fields = [(name, field) for name, field in type_.fields if field.type.kind != "pointer"]
        if [name for name, _ in fields] == ["id"]:
            return np.dtype(np.uint64)
        if all(field.type.cname == "double" for _, field in fields):  # a vector, a quaternion
            return np.dtype((np.float64, (len(fields),)))
        return np.dtype({"names": [name for name, _ in fields], "formats": [numpy_type(field.type) for _, field in fields],
                         "offsets": [field.offset for _, field in fields], "itemsize": ffi.sizeof(type_)})
    kind = "f" if type_.cname in ("double", "float") else "?" if type_.cname == "_Bool" else \
        "i" if type_.cname.startswith("int") else "u"
    return np.dtype(kind if kind == "?" else f"{kind}{ffi.sizeof(type_)}")


CONTACT = numpy_type(ffi.typeof("ash_contact"))


class ForceContext:
    """What a force callback sees: the state at a stage of the integrator. Valid during the call only."""

    __slots__ = ("_p", "world")

    def __init__(self, p, world):
        self._p, self.world = p, world

    @property
    def time(self) -> float:
        """The time of the stage, s."""
        return lib.ash_force_context_get_time(self._p)

    def transform(self, body) -> "_api.Transform":
        """The pose of the body's frame at the stage."""
        return _api.Transform.read(lib.ash_force_context_get_transform(self._p, handle_in(body)), None)

    def velocity(self, body) -> np.ndarray:
        """Of the centre of mass at the stage, m/s."""
        return vec3(lib.ash_force_context_get_velocity(self._p, handle_in(body)))

    def angular_velocity(self, body) -> np.ndarray:
        """At the stage, rad/s."""
        return vec3(lib.ash_force_context_get_angular_velocity(self._p, handle_in(body)))

    def add(self, body, force, torque=(0, 0, 0)):
        """Adds a force at the centre of mass and a torque, world axes."""
        lib.ash_force_context_add(self._p, handle_in(body), vec3_in(force), vec3_in(torque))


class Callback:
    """A Python function that C calls. The first exception in it is raised when the call into C has come back."""

    def __init__(self, world, function):
        self.world, self.function, self.error = world, function, None
        self.handle = ffi.new_handle(self)


@ffi.def_extern()
def ashlar_py_force(context, user):
    callback = ffi.from_handle(user)
    seen = ForceContext(context, callback.world)
    try:
        if callback.error is None:
            callback.function(seen)
    except BaseException as error:  # also Ctrl-C: it is raised again when C has come back
        callback.error = error
    finally:
        del seen._p


@ffi.def_extern()
def ashlar_py_pair(a, b, user):
    callback = ffi.from_handle(user)
    try:
        return bool(callback.function(Shape(callback.world, a.id), Shape(callback.world, b.id)))
    except BaseException as error:
        callback.error = callback.error or error
        return True


class World(_api.WorldCalls, _api.WorldArrays):
    """A world: it owns everything made in it, steps it, and reports on itself.

    Arrays (positions, velocities, ...) are NumPy views of memory that the library writes. One that was taken shows the
    present state after every step, until a body or a joint comes or goes: from then on it keeps its last values, and
    the property gives another one, with a row for each body or coordinate that is there. An array may outlive its world.

    A world is used from one thread at a time; the interpreter's lock is released while it steps, and a call from another
    thread meanwhile, or from a callback, raises an exception."""

    __slots__ = ("_p", "_arrays", "_views", "_view_count", "_view_keep", "_callbacks", "_fixed", "_owner", "__weakref__")

    def __init__(self, *, gravity=None, planar=False, method=None, threads=1):
        self._begin()
        c, out, diagnostic = ffi.new("ash_world_def *", lib.ash_default_world_def()), ffi.new("ash_world **"), ffi.new(
            "ash_diagnostic *")
        c.planar, c.threads = planar, threads
        if planar or gravity is not None:
            c.gravity = vec3_in(gravity if gravity is not None else (0, -9.81, 0))
        if method is not None:
            c.method = Method.of(method)._c[0]
        status = lib.ash_world_create(c, out, diagnostic)
        if status:
            fail(status, diagnostic)
        self._p = ffi.gc(out[0], lib.ash_world_destroy)

    def _begin(self):
        self._arrays, self._callbacks, self._fixed = {}, [], False
        self._changed()

    @classmethod
    def _of(cls, p):
        """The Python side of a world of somebody else's, such as one in a run or in a batch."""
        made = cls.__new__(cls)
        made._begin()
        made._p, made._fixed = p, True
        return made

    def __getattr__(self, name):
        if name == "_p":
            raise misuse(lib.ASH_BAD_HANDLE, "python.world",
                         "the world is closed, or is being stepped: by another thread, or it was asked from a callback")
        raise AttributeError(f"'World' object has no attribute '{name}'")

    def __repr__(self):
        return f"<World at {self.time:g} s, {lib.ash_world_get_bodies(self._p, ffi.NULL, 0)} bodies>"

    def close(self):
        """Releases the world now. Its objects are gone then; arrays keep their last values."""
        p = self._p
        del self._p
        if not self._fixed:
            ffi.release(p)

    def step(self, h: float, count: int = 1) -> None:
        """Advances by `count` steps of h seconds. Numerics: a step was not taken; the report's flags say why."""
        p = self._p
        del self._p
        try:
            status = lib.ashlar_step(p, h, count, self._views, self._view_count)
        finally:
            self._p = p
        if status or self._callbacks:
            self._after(status)

    def advance(self, duration: float, error: float, span: float = 0) -> None:
        """Advances by `duration` seconds in steps of the lengths that positions need to have an error of at most `error`
        metres after `span` seconds (0: after the duration). The report has the estimated error and the steps."""
        c = ffi.new("ash_accuracy *", (error, span))
        p = self._p
        del self._p
        try:
            status = lib.ash_world_advance(p, duration, c)
            lib.ashlar_step(p, 1, 0, self._views, self._view_count)
        finally:
            self._p = p
        if status or self._callbacks:
            self._after(status)

    def _after(self, status):
        for callback in self._callbacks:
            if callback.error is not None:
                error, callback.error = callback.error, None
                raise error
        if status == lib.ASH_NUMERICS:
            flags = ", ".join(self.report.flag_names)
            raise misuse(status, "world.numerics", f"the step from time {self.time:.9g} s could not be taken: {flags}")
        if status:
            fail(status, None, self._p)

    @property
    def report(self) -> "StepReport":
        """The report of the last step, all zero before the first."""
        return StepReport.read(lib.ash_world_get_report(self._p), self)

    @property
    def method(self) -> Method:
        """The method that steps are taken by. Set it to change it from the next step on."""
        return Method._of_c(lib.ash_world_get_method(self._p))

    @method.setter
    def method(self, value):
        status = lib.ash_world_set_method(self._p, Method.of(value)._c)
        if status:
            fail(status, None, self._p)

    # What is made.

    def _changed(self):
        """Bodies or joints came or went: arrays that were taken follow no more."""
        self._arrays.clear()
        self._views, self._view_count, self._view_keep = ffi.NULL, 0, None

    def create_body(self, *shapes, **fields) -> Body:
        """Makes a body. Fields are those of ash_body_def: type, name, position, velocity, mass, ...

        A shape is a Geometry, or a mapping with `geometry` and other fields of ash_shape_def."""
        keep, c = [], ffi.new("ash_body_def *", lib.ash_default_body_def())
        fill(c, keep, fields)
        array = ffi.new("ash_shape_def[]", [lib.ash_default_shape_def() for _ in shapes])
        for target, shape in zip(array, shapes):
            fill(target, keep, {"geometry": shape} if isinstance(shape, Geometry) else shape)
        out, diagnostic = ffi.new("ash_body *"), ffi.new("ash_diagnostic *")
        status = lib.ash_body_create(self._p, c, array, len(shapes), out, diagnostic)
        if status:
            fail(status, diagnostic, self._p)
        self._changed()
        return Body(self, out.id)

    def create_joint(self, kind, body_a=None, body_b=None, *, point=None, axis=(1, 0, 0), **fields) -> Joint:
        """Makes a joint. None is the background. `point` and `axis` say where both frames are in the world, and the
        direction of their x; else give `frame_a` and `frame_b`. Other fields are those of ash_joint_def, with
        axes={"turn-x": {"lower": -1, "motor": {...}}}."""
        keep, c = [], ffi.new("ash_joint_def *", lib.ash_default_joint_def(enum_in("ash_joint_kind", kind)))
        fill(c, keep, {"body_a": body_a, "body_b": body_b, **fields})
        if point is not None:
            status = lib.ash_joint_def_place(self._p, c, vec3_in(point), vec3_in(axis))
            if status:
                fail(status, None, self._p)
        out, diagnostic = ffi.new("ash_joint *"), ffi.new("ash_diagnostic *")
        status = lib.ash_joint_create(self._p, c, out, diagnostic)
        if status:
            fail(status, diagnostic, self._p)
        self._changed()
        return Joint(self, out.id)

    def create_callback(self, function, name=None) -> Force:
        """A force that a Python function computes: it is called with a ForceContext at every stage of a step."""
        callback, out, diagnostic = Callback(self, function), ffi.new("ash_force *"), ffi.new("ash_diagnostic *")
        status = lib.ash_callback_create(self._p, lib.ashlar_py_force, callback.handle, text_in(name), out, diagnostic)
        if status:
            fail(status, diagnostic, self._p)
        self._callbacks.append(callback)
        return Force(self, out.id)

    def set_pair_filter(self, function):
        """A last word on pairs of shapes that may touch: function(a, b) says whether they do. None lets all through."""
        callback = Callback(self, function) if function is not None else None
        status = lib.ash_world_set_pair_filter(self._p, lib.ashlar_py_pair if callback else ffi.NULL,
                                               callback.handle if callback else ffi.NULL)
        if status:
            fail(status, None, self._p)
        if callback:
            self._callbacks.append(callback)

    def assemble(self, tolerance=1e-9):
        """Closes joints that are open by moving bodies as little as possible, then makes the velocities agree. Returns
        what was done; BadData names the joints that cannot close."""
        report, diagnostic = ffi.new("ash_assembly_report *"), ffi.new("ash_diagnostic *")
        status = lib.ash_world_assemble(self._p, tolerance, report, diagnostic)
        if status:
            fail(status, diagnostic, self._p)
        return _api.AssemblyReport.read(report[0], self)

    # Arrays.

    def _array(self, kind):
        p = self._p
        found = self._arrays.get(kind)
        if found is None:
            rows, width = lib.ash_world_get_rows(p, kind), lib.ash_array_width(kind)
            memory = np.zeros((rows, width) if width > 1 else rows)
            shown = memory.view()
            shown.flags.writeable = False
            found = self._arrays[kind] = (shown, memory, ffi.cast("double *", ffi.from_buffer(memory)), memory.size)
            entries = [(key, pointer, size) for key, (_, _, pointer, size) in self._arrays.items()]
            self._views, self._view_count = ffi.new("ashlar_view[]", entries), len(entries)
        shown, memory, pointer, size = found
        status = lib.ash_world_get_array(p, kind, pointer, size)
        if status:
            fail(status, None, p)
        return shown

    def _set_array(self, kind, values):
        rows, width = lib.ash_world_get_rows(self._p, kind), lib.ash_array_width(kind)
        array = np.ascontiguousarray(np.broadcast_to(np.asarray(values, np.float64), (rows, width) if width > 1 else (rows,)))
        status = lib.ash_world_set_array(self._p, kind, ffi.cast("double *", ffi.from_buffer(array)), array.size)
        if status:
            fail(status, None, self._p)
        for taken in tuple(self._arrays):
            self._array(taken)

    @property
    def contacts(self) -> np.ndarray:
        """The contacts after the last step as a structured array of ash_contact, written by the library: a new array
        each time. Handles are numbers; `world.index(contacts["body_a"])` gives rows of the arrays of bodies."""
        count = lib.ash_world_get_contacts(self._p, ffi.NULL, 0)
        array = np.zeros(count, CONTACT)
        if count:
            lib.ash_world_get_contacts(self._p, ffi.cast("ash_contact *", ffi.from_buffer(array)), count)
        return array

    def contact_points(self, contact: int) -> list:
        """All points of the contact with this number, also beyond the eight that `contacts` has."""
        items, count = many("ash_contact_point", lib.ash_world_get_contact_points, self._p, contact)
        return [_api.ContactPoint.read(items[i], self) for i in range(count)]

    def index(self, ids) -> np.ndarray:
        """Rows in the arrays of bodies of handles' numbers or of bodies; -1 for what is not there, as the background."""
        items, count = many("ash_body", lib.ash_world_get_bodies, self._p)
        known = np.frombuffer(ffi.buffer(items), np.uint64, count) if count else np.zeros(0, np.uint64)
        wanted = np.asarray([getattr(x, "id", x) for x in np.atleast_1d(ids)], np.uint64)
        order = np.argsort(known)
        place = np.searchsorted(known, wanted, sorter=order)
        rows = np.append(order, -1)[np.minimum(place, count)]
        return np.where((rows >= 0) & (np.append(known, np.uint64(0))[rows] == wanted), rows, -1)

    # Questions.

    def cast_ray(self, origin, direction, reach=1e300, filter=None) -> "_api.CastHit | None":
        """The first shape along a ray; `reach` in units of the direction's length."""
        keep, hit, c = [], ffi.new("ash_cast_hit *"), ffi.new("ash_query_filter *", lib.ash_default_query_filter())
        fill(c, keep, filter or {})
        found = lib.ash_world_cast_ray(self._p, ray_in((origin, direction, reach)), c, hit)
        return _api.CastHit.read(hit[0], self) if found else None

    def cast_rays(self, origins, directions, reach=1e300) -> np.ndarray:
        """Many rays at once, on the world's threads: how far each comes, in units of its direction; infinity: no hit."""
        origins, directions = np.broadcast_arrays(np.asarray(origins, float), np.asarray(directions, float))
        rays = np.zeros((len(origins), 7))
        rays[:, :3], rays[:, 3:6], rays[:, 6] = origins, directions, reach
        hits, found = ffi.new("ash_cast_hit[]", len(rays)), ffi.new("bool[]", len(rays))
        status = lib.ash_world_cast_rays(self._p, ffi.cast("ash_ray *", ffi.from_buffer(rays)), len(rays), ffi.NULL, found,
                                         hits)
        if status:
            fail(status, None, self._p)
        return np.array([hits[i].t if found[i] else np.inf for i in range(len(rays))])

    # Snapshots.

    def save(self) -> bytes:
        """All that the world is made of, but Python's callbacks. A world restored from it continues bit for bit."""
        out, size, diagnostic = ffi.new("void **"), ffi.new("size_t *"), ffi.new("ash_diagnostic *")
        status = lib.ash_world_save(self._p, out, size, diagnostic)
        if status:
            fail(status, diagnostic)
        try:
            return bytes(ffi.buffer(out[0], size[0]))
        finally:
            lib.ash_free(out[0])

    def restore(self, snapshot: bytes) -> None:
        """Turns this world into the saved one, handles included."""
        diagnostic = ffi.new("ash_diagnostic *")
        status = lib.ash_world_restore(self._p, ffi.from_buffer(snapshot), len(snapshot), diagnostic)
        self._changed()
        if status:
            fail(status, diagnostic)

    def copy(self) -> "World":
        """Another world in the same state, which goes on in the same way."""
        made = World(threads=self.threads)
        made.restore(self.save())
        return made


class StepReport(_api.StepReport):
    """The report of a step."""

    __slots__ = ()

    @property
    def flag_names(self) -> list[str]:
        """What was flagged, in words."""
        return [word("ash_flag", 1 << bit) for bit in range(32) if self.flags & (1 << bit)]


def closest_points(a, pose_a, b, pose_b):
    """The closest points of two geometries at poses (position, rotation)."""
    from ._core import transform_in
    out = ffi.new("ash_closest *")
    status = lib.ash_closest_points(a._p, transform_in(pose_a), b._p, transform_in(pose_b), out)
    if status:
        fail(status)
    return _api.Closest.read(out[0], None)


__all__ = ["BadHandle", "Body", "Force", "ForceContext", "Geometry", "Joint", "Material", "Method", "Shape", "World", "box",
           "capsule", "closest_points", "cylinder", "hull", "mesh", "plane", "sphere"]
