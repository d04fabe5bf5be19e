"""The dynamics of mechanisms in the coordinates of their joints."""
import numpy as np

from . import _api
from ._ashlar import ffi, lib
from ._core import fail, many, misuse, vec3_in


class Mechanism:
    """All dynamic bodies and enabled joints of a world as one mechanism in joint coordinates (docs/mechanisms.md).

    It has a state of its own, `positions` and `rates`, which begins as the world's; look() takes the world's again, and
    apply() puts the world's bodies where the state has them. When bodies or joints come or go, it raises BadHandle."""

    __slots__ = ("_m", "world", "size")

    def __init__(self, world):
        out, diagnostic = ffi.new("ash_mechanism **"), ffi.new("ash_diagnostic *")
        status = lib.ash_mechanism_create(world._p, out, diagnostic)
        if status:
            fail(status, diagnostic, world._p)
        self._m, self.world = ffi.gc(out[0], lib.ash_mechanism_destroy), world
        self.size = _api.MechanismSize.read(lib.ash_mechanism_get_size(self._m), world)

    @property
    def _p(self):
        self.world._p  # noqa: B018  raises when the world is closed or steps
        return self._m

    def _done(self, status):
        if status:
            fail(status, None, self.world._p)

    def _out(self, *shape):
        array = np.zeros(shape)
        return array, ffi.cast("double *", ffi.from_buffer(array))

    def _in(self, values, count):
        """Numbers that C reads: (what keeps them, pointer); null for None."""
        if values is None:
            return None, ffi.NULL
        array = np.ascontiguousarray(values, float)
        if array.shape != (count,):
            raise misuse(lib.ASH_BAD_ARGUMENT, "python.value", f"{count} numbers are expected, not {array.shape}")
        return array, ffi.cast("double *", ffi.from_buffer(array))

    @property
    def coordinates(self) -> list["_api.MechanismCoordinate"]:
        """What each rate belongs to."""
        items, count = many("ash_mechanism_coordinate", lib.ash_mechanism_get_coordinates, self._p)
        return [_api.MechanismCoordinate.read(items[i], self.world) for i in range(count)]

    @property
    def positions(self) -> np.ndarray:
        """The positions: m, rad, and quaternions w, x, y, z. Set them to change the state."""
        array, out = self._out(self.size.positions)
        self._done(lib.ash_mechanism_get_state(self._p, out, ffi.NULL))
        return array

    @positions.setter
    def positions(self, values):
        keep, given = self._in(values, self.size.positions)
        self._done(lib.ash_mechanism_set_state(self._p, given, ffi.NULL))

    @property
    def rates(self) -> np.ndarray:
        """The rates: m/s and rad/s. Set them to change the state."""
        array, out = self._out(self.size.rates)
        self._done(lib.ash_mechanism_get_state(self._p, ffi.NULL, out))
        return array

    @rates.setter
    def rates(self, values):
        keep, given = self._in(values, self.size.rates)
        self._done(lib.ash_mechanism_set_state(self._p, ffi.NULL, given))

    def look(self) -> None:
        """Takes the state from the world's present one."""
        self._done(lib.ash_mechanism_look(self._p))

    def apply(self) -> None:
        """Moves the bodies of the world to where the state has them, with its velocities."""
        self._done(lib.ash_mechanism_apply(self._p))

    def transform(self, body) -> "_api.Transform":
        """The pose of a body's frame at the state."""
        body.check()
        return _api.Transform.read(lib.ash_mechanism_get_transform(self._p, (body.id,)), self.world)

    def mass_matrix(self) -> np.ndarray:
        """M at the state, by composite rigid bodies."""
        array, out = self._out(self.size.rates, self.size.rates)
        self._done(lib.ash_mechanism_get_mass_matrix(self._p, out))
        return array

    def bias(self) -> np.ndarray:
        """The forces that keep all accelerations at zero: M a + bias = forces."""
        array, out = self._out(self.size.rates)
        self._done(lib.ash_mechanism_get_bias(self._p, out))
        return array

    def inverse_dynamics(self, accelerations) -> np.ndarray:
        """The forces along the coordinates that give these accelerations, loops cut."""
        array, out = self._out(self.size.rates)
        keep, given = self._in(accelerations, self.size.rates)
        self._done(lib.ash_mechanism_inverse_dynamics(self._p, given, out))
        return array

    def forward_dynamics(self, forces=None) -> np.ndarray:
        """The accelerations under gravity and these forces; loops are held."""
        array, out = self._out(self.size.rates)
        keep, given = self._in(forces, self.size.rates)
        self._done(lib.ash_mechanism_forward_dynamics(self._p, given, out))
        return array

    def jacobian(self, body, point) -> np.ndarray:
        """Six rows: the velocity of the body's matter at `point` in the world, and its angular velocity, for each rate."""
        array, out = self._out(6, self.size.rates)
        self._done(lib.ash_mechanism_get_jacobian(self._p, (body.id,), vec3_in(point), out))
        return array

    def step(self, h, forces=None) -> None:
        """Takes the state on by h seconds under constant forces, by the classical Runge-Kutta method."""
        keep, given = self._in(forces, self.size.rates)
        self._done(lib.ash_mechanism_step(self._p, given, h))
