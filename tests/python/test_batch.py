"""Batches from Python."""
import gc

import ashlar
import numpy as np
import pytest


def pendulum():
    world = ashlar.World(method="engineering")
    rod = world.create_body(mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 0, -0.5))
    world.create_joint("hinge", None, rod, point=(0, 0, 0), axis=(0, 1, 0),
                       axes={"turn-x": {"motor": {"drive": "velocity", "target": 0, "max_force": 100}}})
    return world


def test_copies_act_each_on_its_own():
    batch = ashlar.Batch(pendulum(), 50, threads=2, step=0.002)
    assert len(batch) == 50
    angles, rates = batch.observe("joint_positions", "joint_rates")
    targets = np.linspace(-1, 1, 50)
    batch.act(motor_targets=targets[:, None])
    assert not batch.step(100).any()
    assert angles[:, 0] == pytest.approx(0.2 * targets, abs=2e-3) and rates.shape == (50, 1)
    assert batch.positions.shape == (50, 1, 3) and batch.rotations.shape == (50, 1, 4)
    single = pendulum()
    single.motor_targets = targets[7:8]
    single.step(0.002, 100)
    assert batch.world(7).hash == single.hash and angles[7] == single.joint_positions
    batch.reset(angles[:, 0] > 0)
    assert (angles[25:] == 0).all() and (angles[:25] < 0).all()
    batch.step(which=[3])
    assert batch.world(3).time == pytest.approx(0.202) and batch.world(4).time == pytest.approx(0.2)
    batch.act(motor_targets=None)
    batch.step(5)


def test_forces_act_in_every_step():
    world = ashlar.World(gravity=(0, 0, 0))
    world.create_body(mass=2)
    batch = ashlar.Batch(world, 3)
    batch.act(applied_forces=np.array([0, 1, 2])[:, None, None] * (4, 0, 0))
    batch.step(100)
    assert batch.velocities[:, 0, 0] == pytest.approx([0, 2, 4])


def test_failures_and_what_is_wrong():
    world = ashlar.World(gravity=(0, 0, 0))
    world.create_body(mass=2)
    batch = ashlar.Batch(world, 3)
    batch.act(velocities=[[[1, 0, 0]], [[np.nan, 0, 0]], [[2, 0, 0]]])
    assert batch.step().tolist() == [False, True, False]
    assert batch.positions[:, 0, 0] == pytest.approx([0.01, 0, 0.02])
    with pytest.raises(ashlar.NotFound):
        batch.observe("colours")
    with pytest.raises(ashlar.BadArgument):
        batch.act(contact_forces=0)
    with pytest.raises(ValueError):
        batch.act(velocities=np.zeros((2, 1, 3)))
    with pytest.raises(AttributeError):
        batch.velocity
    with pytest.raises(ashlar.BadData):
        ashlar.Batch(world, 0)
    with pytest.raises(IndexError):
        batch.world(3)
    one = world.create_callback(lambda context: None)
    with pytest.raises(ashlar.AshlarError):
        ashlar.Batch(world, 2)
    assert one.is_valid


def test_nothing_is_used_after_it_is_gone():
    batch = ashlar.Batch("walker", 5)
    positions, copy = batch.positions, batch.world(2)
    batch.step(3)
    del batch
    gc.collect()
    filler = [ashlar.Batch("walker", 3) for _ in range(3)]
    copy.step(0.001)
    assert np.isfinite(positions).all() and copy.time > 0 and len(filler) == 3
