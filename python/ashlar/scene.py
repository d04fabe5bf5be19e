"""Scenes and runs: descriptions of worlds from files, built in or from Python, how they are run, and what comes of it."""
import json
import os
from typing import NamedTuple

import numpy as np

from . import _api
from ._ashlar import ffi, lib
from ._core import fail, misuse, plain, text
from .world import Method, World


def setting(value):
    """A value as on the command line."""
    return ("true" if value else "false") if isinstance(value, bool) else repr(float(value)) if isinstance(
        value, np.floating) else str(value)


class Scene:
    """A scene: Scene("walker"), Scene("my-scene.json"), or Scene({...}) with the keys of a scene file.

    Keywords set parameters of the scene and fields of its method, as --set does."""

    __slots__ = ("_p", "_source", "_settings", "_method")

    def __init__(self, source, **settings):
        self._source = json.dumps(source) if isinstance(source, dict) else os.fspath(source)
        self._method, self._settings = None, {}
        self._p = self._open(self._named(settings), isinstance(source, dict))
        self._settings = self._named(settings)
        if isinstance(source, dict):
            self._source = None

    @staticmethod
    def _named(settings):
        return {key.replace("_", "-"): setting(value) for key, value in settings.items()}

    @classmethod
    def parse(cls, text, label="text"):
        """A scene from JSON text; `label` stands for the file in diagnostics."""
        made = cls.__new__(cls)
        made._source, made._settings, made._method = None, {}, None
        made._p = made._parse(text, label)
        return made

    @staticmethod
    def _parse(text, label):
        data = text.encode() if isinstance(text, str) else bytes(text)
        out, diagnostic = ffi.new("ash_scene **"), ffi.new("ash_diagnostic *")
        status = lib.ash_scene_parse(data, len(data), label.encode(), out, diagnostic)
        if status:
            fail(status, diagnostic)
        return ffi.gc(out[0], lib.ash_scene_destroy)

    def _open(self, settings, parsed=False):
        if parsed:
            p = self._parse(self._source, "scene")
            self._set_fields(p, settings)
            return p
        keep = [(ffi.new("char[]", key.encode()), ffi.new("char[]", value.encode())) for key, value in settings.items()]
        array = ffi.new("ash_setting[]", keep)
        out, diagnostic = ffi.new("ash_scene **"), ffi.new("ash_diagnostic *")
        status = lib.ash_scene_open(self._source.encode(), array, len(keep), out, diagnostic)
        if status:
            fail(status, diagnostic)
        return ffi.gc(out[0], lib.ash_scene_destroy)

    @staticmethod
    def _set_fields(p, settings):
        method = Method._of_c(lib.ash_scene_get_method(p))
        for key, value in settings.items():
            method[key] = value
        if settings:
            status = lib.ash_scene_set_method(p, method._c)
            if status:
                fail(status)

    def set(self, key=None, value=None, /, **settings) -> "Scene":
        """Sets parameters of the scene or fields of its method: set(layers=5), set("step-control", "fixed"). Returns the
        scene. What is wrong is an exception, and changes nothing."""
        given = {key: setting(value)} if key is not None else {}
        given |= self._named(settings)
        if self._source is None:
            self._set_fields(self._p, given)
            return self
        p = self._open(self._settings | given)
        self._p, self._settings = p, self._settings | given
        if self._method is not None:
            self.method = self._method
        return self

    @property
    def name(self) -> str:
        """The scene's name."""
        return text(lib.ash_scene_get_name(self._p))

    @property
    def summary(self) -> str:
        """One line on the scene."""
        return text(lib.ash_scene_get_summary(self._p))

    @property
    def step(self) -> float:
        """The length of a step, s."""
        return lib.ash_scene_get_step(self._p)

    @property
    def time(self) -> float:
        """How long a run is, s."""
        return lib.ash_scene_get_time(self._p)

    @property
    def method(self) -> Method:
        """The method that its worlds have. Set it by a Method or a name."""
        return Method._of_c(lib.ash_scene_get_method(self._p))

    @method.setter
    def method(self, value):
        method = Method.of(value)
        status = lib.ash_scene_set_method(self._p, method._c)
        if status:
            fail(status)
        self._method = method

    @property
    def accuracy(self) -> float:
        """The error of positions that is wanted at the end of a run, m; 0: steps have a fixed length."""
        return lib.ash_scene_get_accuracy(self._p)

    @accuracy.setter
    def accuracy(self, value):
        status = lib.ash_scene_set_accuracy(self._p, value)
        if status:
            fail(status)

    @property
    def notes(self) -> list[str]:
        """What a robot file has and Ashlar has not, or takes otherwise than it is written."""
        found = [lib.ash_scene_get_note(self._p, i) for i in range(lib.ash_scene_get_note_count(self._p))]
        return [f"{text(note.file)}:{note.line}: {text(note.message)}" for note in found]

    @property
    def parameters(self) -> "list[Parameter]":
        """The parameters that the scene's file declares, or those of a built-in scene."""
        found = [parameter(lib.ash_scene_get_parameter(self._p, i))
                 for i in range(lib.ash_scene_get_parameter_count(self._p))]
        return found or (parameters(self.name) if self.name in scenes() and self._source == self.name else [])

    def json(self) -> str:
        """The scene as the text of a scene file."""
        out, size, diagnostic = ffi.new("char **"), ffi.new("size_t *"), ffi.new("ash_diagnostic *")
        status = lib.ash_scene_write(self._p, out, size, diagnostic)
        if status:
            fail(status, diagnostic)
        try:
            return ffi.unpack(out[0], size[0]).decode()
        finally:
            lib.ash_free(out[0])

    def world(self, threads=1) -> World:
        """The scene's world as it is at time 0."""
        out, diagnostic = ffi.new("ash_world **"), ffi.new("ash_diagnostic *")
        status = lib.ash_scene_instantiate(self._p, threads, out, diagnostic)
        if status:
            fail(status, diagnostic)
        made = World._of(ffi.gc(out[0], lib.ash_world_destroy))
        made._fixed = False
        return made

    def __repr__(self):
        return f"<Scene {self.name!r}: {self.summary}>"


def load(path, **settings):
    """A scene from a file, or by the name of a built-in one; or a recording (.h5, or the directory of a run)."""
    name = os.fspath(path)
    if name.endswith(".h5") or os.path.isfile(os.path.join(name, "recording.h5")):
        from .recording import Recording
        return Recording(name)
    return Scene(name, **settings)


class Parameter(NamedTuple):
    """A parameter of a built-in scene."""
    name: str
    summary: str
    value: "float | str"
    low: float
    high: float
    choices: list


def scenes() -> dict[str, str]:
    """The built-in scenes with a line on each."""
    infos = [lib.ash_builtin_get(i) for i in range(lib.ash_builtin_count())]
    return {text(info.name): text(info.summary) for info in infos}


def parameter(p):
    """One of C's."""
    words = p.choices != ffi.NULL
    return Parameter(text(p.name), text(p.summary), text(p.choice_value) if words else p.value, p.low, p.high,
                     text(p.choices).split("|") if words and text(p.choices) else [])


def parameters(name) -> list[Parameter]:
    """The parameters of a built-in scene."""
    for i in range(lib.ash_builtin_count()):
        info = lib.ash_builtin_get(i)
        if text(info.name) == name:
            return [parameter(p) for p in info.parameters[0:info.parameter_count]]
    raise misuse(lib.ASH_NOT_FOUND, "python.scene", f'"{name}" is no built-in scene')


class Guide:
    """What C calls during a run: the progress and the controller."""

    def __init__(self, progress, control):
        self.progress, self.control, self.error, self.world = progress, control, None, None
        self.handle = ffi.new_handle(self)

    def call(self, function, *arguments):
        """What the function answers; None counts as going on, an exception stops the run."""
        try:
            return function(*arguments) is not False
        except BaseException as error:  # also Ctrl-C: it is raised again when C has come back
            self.error = error
            return False


@ffi.def_extern()
def ashlar_py_progress(time, end, user):
    guide = ffi.from_handle(user)
    return guide.call(guide.progress, time, end) if guide.progress else guide.call(lambda: None)


@ffi.def_extern()
def ashlar_py_control(p, time, user):
    guide = ffi.from_handle(user)
    if guide.world is None:
        guide.world = World._of(p)
    return guide.call(guide.control, guide.world, time)


def run(scene, *, method=None, time=None, step=None, threads=1, accuracy=None, out=None, check=False, progress=None,
        controller=None) -> "Run":
    """Runs a scene (or what Scene takes) to its end.

    method, accuracy: in place of the scene's. time, step: s. out: a directory for the recording.
    check: judge the scene's expectations. progress(time, end) is called now and then, controller(world, time) before each
    step; either ends the run by returning False. Numerics: the simulation could not continue; its `run` is how far it came."""
    scene = scene if isinstance(scene, Scene) else Scene(scene)
    p = scene._p
    if method is not None:
        before = ffi.new("ash_method *", lib.ash_scene_get_method(p))
        status = lib.ash_scene_set_method(p, Method.of(method)._c)
        if status:
            fail(status)
    options = ffi.new("ash_run_options *", lib.ash_default_run_options())
    guide = Guide(progress, controller)
    options.time, options.step, options.threads, options.check = time or 0, step or 0, threads, check
    options.progress, options.user = lib.ashlar_py_progress, guide.handle
    options.control = lib.ashlar_py_control if controller else ffi.NULL
    folder = ffi.new("char[]", os.fspath(out).encode()) if out is not None else ffi.NULL
    options.out = folder
    wanted = scene.accuracy
    if accuracy is not None:
        scene.accuracy = accuracy
    made, diagnostic = ffi.new("ash_run **"), ffi.new("ash_diagnostic *")
    try:
        status = lib.ash_scene_run(p, options, made, diagnostic)
    finally:
        if guide.world is not None:
            del guide.world._p  # it is the run's
        scene.accuracy = wanted
        if method is not None:
            lib.ash_scene_set_method(p, before)
    result = Run(ffi.gc(made[0], lib.ash_run_destroy), scene, out) if made[0] != ffi.NULL else None
    if guide.error is not None:
        raise guide.error
    if status:
        try:
            fail(status, diagnostic)
        except Exception as error:
            error.run = result
            raise
    return result


class Outputs(dict):
    """Samples of a run's outputs by their names; an unknown name is an error that lists those there are."""

    def __missing__(self, name):
        raise KeyError(f'there is no output "{name}" (there are: {", ".join(self) or "none"})')


class Run:
    """What a run gave."""

    def __init__(self, p, scene, out):
        self._p, self.scene, self.out, self._world = p, scene, out, None
        self.outputs, self.units, self.times = Outputs(), {}, np.zeros(0)
        for i in range(lib.ash_run_get_series_count(p)):
            series = lib.ash_run_get_series(p, i)
            name, count = text(series.name), series.count
            self.units[name] = text(series.unit)
            self.outputs[name] = self._view(series.values, count)
            self.times = self._view(series.times, count)

    def _view(self, pointer, count):
        """An array over the run's own memory, which it keeps alive."""
        if count == 0:
            return np.zeros(0)
        owner = ffi.gc(ffi.cast("double *", pointer), lambda _, run=self._p: None)  # holds the run as long as it lives
        array = np.frombuffer(ffi.buffer(owner, 8 * count))
        array.flags.writeable = False
        return array

    @property
    def summary(self) -> "_api.RunSummary":
        """The numbers of the run."""
        c = lib.ash_run_get_summary(self._p)
        values = {}
        for name, field in ffi.typeof(c).fields:
            value = getattr(c, name)
            kind = field.type
            values[name] = (text(value) if kind.cname == "char *" else Method._of_c(value) if plain(kind) == "ash_method" else
                            _api.Ledger.read(value, None) if plain(kind) == "ash_ledger" else
                            list(value) if kind.kind == "array" else
                            _api.word("ash_status", value) if plain(kind) == "ash_status" else value)
        return Summary(values)

    def json(self) -> dict:
        """The summary as `ashlar run --json` prints it."""
        out, diagnostic = ffi.new("char **"), ffi.new("ash_diagnostic *")
        status = lib.ash_run_summary_json(self._p, out, diagnostic)
        if status:
            fail(status, diagnostic)
        try:
            return json.loads(text(out[0]))
        finally:
            lib.ash_free(out[0])

    @property
    def checks(self) -> list:
        """The scene's expectations, where check=True."""
        return [_api.CheckResult.read(lib.ash_run_get_check(self._p, i), None)
                for i in range(lib.ash_run_get_check_count(self._p))]

    @property
    def alarms(self) -> list:
        """What was flagged: flag, steps, first, where."""
        return [_api.RunAlarm.read(lib.ash_run_get_alarm(self._p, i), None)
                for i in range(lib.ash_run_get_alarm_count(self._p))]

    @property
    def broken(self) -> list:
        """The joints that broke."""
        return [_api.BrokenJoint.read(lib.ash_run_get_broken(self._p, i), None)
                for i in range(lib.ash_run_get_broken_count(self._p))]

    @property
    def world(self) -> World:
        """A copy of the run's world at its final state, to ask and to step on."""
        if self._world is None:
            held = World._of(lib.ash_run_get_world(self._p))
            self._world = held.copy()
        return self._world

    def plot(self, *names, show=True):
        """Draws outputs over time with matplotlib, one below the other by unit. Returns the figure."""
        from .plot import plot
        return plot(self, names or tuple(self.outputs), show)

    def __repr__(self):
        s = self.summary
        return f"<Run of {s.scene!r}: {s.time:g} s in {s.steps} steps by {s.method.name}, {len(self.outputs)} outputs>"


class Summary:
    """The numbers of a run, as ash_run_summary has them."""

    def __init__(self, values):
        self.__dict__.update(values)

    def __repr__(self):
        return f"<Summary of {self.scene!r}, residual {self.residual_max:.3g} m/s, drift {self.energy_drift:.3g}>"


__all__ = ["Run", "Scene", "load", "parameters", "run", "scenes"]
