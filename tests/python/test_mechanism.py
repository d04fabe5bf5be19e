"""Mechanisms in joint coordinates from Python."""
import ashlar
import numpy as np
import pytest


@pytest.fixture
def arm():
    """A double pendulum of two rods of 1 m and 1 kg, hanging from the origin in the xz plane."""
    world = ashlar.World(method="engineering")
    above = None
    for i in range(2):
        rod = world.create_body(mass=1, inertia=(1 / 12, 1 / 12, 1e-3), position=(0, 0, -0.5 - i))
        world.create_joint("hinge", above, rod, point=(0, 0, -i), axis=(0, 1, 0))
        above = rod
    return world


def test_the_double_pendulum_of_textbooks(arm):
    mechanism = ashlar.Mechanism(arm)
    assert mechanism.size.rates == 2 and [c.freedom for c in mechanism.coordinates] == ["turn-x"] * 2
    a, b = 0.3, 0.5
    mechanism.positions, mechanism.rates = (a, b), (1, 2)
    m = mechanism.mass_matrix()
    assert m == pytest.approx(np.array([[5 / 3 + np.cos(b), 1 / 3 + np.cos(b) / 2], [1 / 3 + np.cos(b) / 2, 1 / 3]]))
    g, s = 9.81, np.sin(b)
    bias = [-s * (1 * 2 + 2 * 2 / 2) + g * (1.5 * np.sin(a) + 0.5 * np.sin(a + b)), s / 2 + g / 2 * np.sin(a + b)]
    assert mechanism.bias() == pytest.approx(bias)
    forces = mechanism.inverse_dynamics((3, -1))
    assert forces == pytest.approx(m @ (3, -1) + bias)
    assert mechanism.forward_dynamics(forces) == pytest.approx((3, -1))
    assert mechanism.forward_dynamics() == pytest.approx(np.linalg.solve(m, -np.array(bias)))
    tip = mechanism.transform(arm.bodies[1]).position + (-np.sin(a + b) / 2, 0, -np.cos(a + b) / 2)
    velocity = mechanism.jacobian(arm.bodies[1], tip)[:3] @ (1, 2)
    assert velocity == pytest.approx((-np.cos(a) - 3 * np.cos(a + b), 0, np.sin(a) + 3 * np.sin(a + b)))


def test_the_initial_state_by_coordinates(arm):
    mechanism = ashlar.Mechanism(arm)
    mechanism.positions, mechanism.rates = (0.3, 0.5), (1, 2)
    mechanism.apply()
    assert arm.joint_positions == pytest.approx((0.3, 0.5)) and arm.joint_rates == pytest.approx((1, 2))
    arm.step(1e-4)
    mechanism.look()
    assert mechanism.positions == pytest.approx(arm.joint_positions)
    before = mechanism.positions
    mechanism.step(0.01)
    assert np.abs(mechanism.positions - before).max() > 5e-3 and arm.joint_positions == pytest.approx(before)


def test_what_is_wrong(arm):
    mechanism = ashlar.Mechanism(arm)
    for bad in ((1,), (np.nan, 0), (1, 2, 3)):
        with pytest.raises(ashlar.BadArgument):
            mechanism.rates = bad
    arm.bodies[1].destroy()
    with pytest.raises(ashlar.BadHandle):
        mechanism.mass_matrix()
    other = ashlar.World()
    other.create_body(mass=1, inertia=(1, 1, 1))
    mechanism = ashlar.Mechanism(other)
    assert mechanism.size.positions == 7
    other.close()
    with pytest.raises(ashlar.BadHandle):
        mechanism.bias()
