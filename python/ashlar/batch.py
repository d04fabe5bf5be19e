"""Batches: many copies of a world, stepped on all cores, with arrays of (copy, body, ...)."""
import os

import numpy as np

from ._ashlar import ffi, lib
from ._core import VALUES, fail, misuse
from .scene import Scene
from .world import World


class Batch:
    """`count` copies of a scene or a world, stepped on all cores.

        batch = ashlar.Batch("walker", 1024)
        angles, rates = batch.observe("joint_positions", "joint_rates")      # (copy, coordinate)
        for _ in range(100):
            batch.act(motor_targets=policy(angles, rates))
            batch.step()
        batch.reset(batch.positions[:, 0, 2] < 0.1)

    Names of arrays are those of World. An array that was observed is brought up to date by every step and reset, in place.
    It owns its memory, and may outlive the batch."""

    def __init__(self, scene, count, *, threads=None, step=None, method=None):
        self._h = step or 0.01
        if not isinstance(scene, World):
            scene = scene if isinstance(scene, Scene) else Scene(scene)
            self._h = step or scene.step
            scene = scene.world()
            if method is not None:
                scene.method = method
        elif method is not None:
            scene = scene.copy()
            scene.method = method
        out, diagnostic = ffi.new("ash_batch **"), ffi.new("ash_diagnostic *")
        threads = threads or len(os.sched_getaffinity(0))
        status = lib.ash_batch_create(scene._p, count, min(threads, max(count, 1)), out, diagnostic)
        if status:
            fail(status, diagnostic)
        self._b = ffi.gc(out[0], lib.ash_batch_destroy)
        self._model = World._of(lib.ash_batch_get_world(self._b, 0))
        self._views, self._acts, self._copies = {}, {}, {}
        self.failed = np.zeros(count, bool)
        self.coordinates = self._model.coordinates
        self.bodies = self._model.bodies

    def __len__(self):
        return len(self.failed)

    def __repr__(self):
        return f"<Batch of {len(self)} copies of {self._model!r}>"

    def __getattr__(self, name):
        if name == "_b":
            raise misuse(lib.ASH_BAD_HANDLE, "python.batch", "the batch is being stepped by another thread")
        if not name.startswith("_") and name.replace("_", "-") in VALUES["ash_array"]:
            return self.observe(name)[0]
        raise AttributeError(f"'Batch' object has no attribute '{name}'")

    def world(self, copy: int) -> World:
        """A copy as a world, to ask and change; its bodies and joints must stay those there are. Not while stepping."""
        copy = range(len(self))[copy]
        if copy not in self._copies:
            made = World._of(lib.ash_batch_get_world(self._b, copy))
            made._owner = self._b  # keeps the batch alive
            self._copies[copy] = made
        return self._copies[copy]

    def _shape(self, name):
        kind = VALUES["ash_array"].get(name.replace("_", "-"))
        if kind is None:
            raise misuse(lib.ASH_NOT_FOUND, "python.array", f'"{name}" is none of {", ".join(VALUES["ash_array"])}')
        rows, width = lib.ash_world_get_rows(self._model._p, kind), lib.ash_array_width(kind)
        return kind, (len(self), rows, width) if width > 1 else (len(self), rows), rows * width

    def observe(self, *names) -> tuple:
        """The arrays of these names, which every step and reset brings up to date."""
        for name in names:
            if name not in self._views:
                kind, shape, count = self._shape(name)
                memory = np.zeros(shape)
                shown = memory.view()
                shown.flags.writeable = False
                self._views[name] = (shown, memory, (kind, ffi.cast("double *", ffi.from_buffer(memory)), count))
        self._go(0, {name: self._views[name] for name in names})
        return tuple(self._views[name][0] for name in names)

    def act(self, **arrays) -> None:
        """What the steps from now on begin with, by names of arrays that can be set: motor_targets, applied_forces,
        velocities, ... One row for all copies, or one each; None takes an array out again. Forces act in every step,
        positions and velocities are set once a call of step()."""
        for name, values in arrays.items():
            if values is None:
                self._acts.pop(name, None)
                continue
            kind, shape, count = self._shape(name)
            if not lib.ash_array_can_be_set(kind):
                raise misuse(lib.ASH_BAD_ARGUMENT, "python.array", f"{name} cannot be set")
            if name not in self._acts:
                memory = np.zeros(shape)
                self._acts[name] = (None, memory, (kind, ffi.cast("double *", ffi.from_buffer(memory)), count))
            self._acts[name][1][...] = values

    def step(self, steps: int = 1, h: float | None = None, which=None) -> np.ndarray:
        """Steps all copies, or those in a mask. Returns `failed`: copies whose step was not taken, or whose act was refused."""
        self._go(steps, self._views, self._acts, h, which)
        return self.failed

    def reset(self, which=None) -> None:
        """Takes all copies, or those in a mask, back to the state that the batch began with."""
        diagnostic = ffi.new("ash_diagnostic *")
        mask = self._mask(which)
        status = lib.ash_batch_reset(self._b, ffi.NULL if mask is None else ffi.from_buffer("uint8_t[]", mask), diagnostic)
        if status:
            fail(status, diagnostic)
        self._go(0, self._views)

    def _mask(self, which):
        if which is None:
            return None
        mask = np.zeros(len(self), np.uint8)
        mask[np.asarray(which)] = 1
        return mask

    def _go(self, steps, views, acts=None, h=None, which=None):
        c = ffi.new("ash_batch_round *")
        views_c = ffi.new("ash_batch_array[]", [entry for _, _, entry in views.values()])
        acts_c = ffi.new("ash_batch_array[]", [entry for _, _, entry in (acts or {}).values()])
        mask, failed = self._mask(which), np.zeros(len(self), np.uint8)
        c.h, c.steps = h or self._h, steps
        c.views, c.view_count, c.acts, c.act_count = views_c, len(views), acts_c, len(acts or {})
        mask_c = ffi.NULL if mask is None else ffi.from_buffer("uint8_t[]", mask)
        failed_c = ffi.from_buffer("uint8_t[]", failed)
        c.which, c.failed = mask_c, failed_c
        b = self._b
        del self._b  # another thread is refused meanwhile
        try:
            status = lib.ash_batch_go(b, c)
        finally:
            self._b = b
        if steps:
            self.failed[...] = failed
        if status not in (lib.ASH_OK, lib.ASH_NUMERICS):
            fail(status, None, lib.ash_batch_get_world(b, 0))


__all__ = ["Batch"]
