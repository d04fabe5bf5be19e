"""Worlds from Python: making, stepping, asking, arrays, snapshots, errors, and that nothing is used after it is gone."""
import gc
import threading
import time

import ashlar
import numpy as np
import pytest


@pytest.fixture
def pile():
    """A floor and three balls, of which two touch the floor soon."""
    world = ashlar.World()
    world.create_body(ashlar.plane(), type="static", name="floor")
    for i in range(3):
        world.create_body(ashlar.sphere(0.1), position=(i, 0, 0.1 + 0.5 * i), name=f"ball {i}")
    return world


def test_free_fall_is_exact():
    world = ashlar.World(method="engineering")
    ball = world.create_body(mass=2, position=(0, 0, 10), velocity=(1, 0, 0))
    world.step(0.01, 100)
    assert world.time == pytest.approx(1, abs=1e-12)
    assert ball.velocity == pytest.approx((1, 0, -9.81), abs=1e-12)
    assert ball.position == pytest.approx((1, 0, 10 - 9.81 / 2), abs=1e-9)
    assert ball.kinetic_energy == pytest.approx(1 + 9.81 ** 2)
    ledger = world.ledger
    assert ledger.total == pytest.approx(ledger.initial, rel=1e-12)


def test_objects_answer_as_c_does(pile):
    floor, *balls = pile.bodies
    assert [body.name for body in pile.bodies] == ["floor", "ball 0", "ball 1", "ball 2"]
    assert floor.type == "static" and balls[0].type == "dynamic"
    assert pile.find_body("ball 1") == balls[1] and pile.find_body("nothing") is None
    shape, = balls[0].shapes
    assert shape.body == balls[0] and shape.geometry.kind == "sphere"
    assert balls[0].mass.mass == pytest.approx(1000 * 4 / 3 * np.pi * 1e-3)
    assert len({*pile.bodies, *pile.bodies}) == 4
    pile.step(0.01, 20)
    assert pile.report.step == 20 and pile.report.contacts >= 1 and pile.report.flag_names == []
    weight = 9.81 * balls[0].mass.mass
    assert balls[0].reaction.force == pytest.approx((0, 0, weight), rel=1e-6)
    contacts = pile.contacts
    touching = contacts[pile.index(contacts["body_b"]) == 1]
    assert len(touching) == 1 and touching["normal"][0] == pytest.approx((0, 0, 1))
    assert touching["points"][0]["force"].sum(axis=0) == pytest.approx((0, 0, weight), rel=1e-6)
    assert pile.get_reaction(0, "world").force == pytest.approx((0, 0, weight), rel=1e-6)
    assert pile.contact_points(0)[0].depth == contacts[0]["points"][0]["depth"]
    assert pile.index([pile.background, *balls]).tolist() == [-1, 1, 2, 3]


def test_joints_forces_and_materials():
    world = ashlar.World(gravity=(0, 0, 0), method="engineering")
    ice = world.create_material(name="ice", surface={"friction": 0.02}, density=917)
    block = world.create_body({"geometry": ashlar.box(0.5, 0.5, 0.5), "material": ice}, position=(2, 0, 0))
    assert block.mass.mass == pytest.approx(917) and world.find_material("ice") == ice
    door = world.create_joint("hinge", None, block, point=(0, 0, 0), axis=(0, 0, 1), name="door",
                              axes={"turn-x": {"motor": {"drive": "velocity", "target": 0.5, "max_force": 1e9}}})
    assert door.kind == "hinge" and door.body_b == block and door.body_a == world.background
    world.step(0.001, 1000)
    assert door.get_position("turn-x") == pytest.approx(0.5, abs=1e-3)
    assert world.joint_positions == pytest.approx([door.get_position("turn_x")])
    assert [(c.joint, c.freedom) for c in world.coordinates] == [(door, "turn-x")]
    assert door.get_axis("turn-x")["motor"]["target"] == 0.5
    door.set_target("turn-x", -1)
    assert world.motor_targets.tolist() == [-1]
    reaction = door.get_reaction("world")
    assert np.linalg.norm(reaction.force) == pytest.approx(917 * 0.5 ** 2 * 2, rel=1e-2)
    spring = world.create_spring(body_b=block, stiffness=10, rest_length=1, name="cord")
    assert spring.kind == "spring" and spring.spring_length == pytest.approx(2, rel=1e-6)
    spring.destroy()
    assert not spring.is_valid
    assert world.mobility.freedoms == 1


def test_a_kept_array_shows_the_present_state(pile):
    positions, velocities = pile.positions, pile.velocities
    rows = [body.position for body in pile.bodies]
    assert np.array_equal(positions, rows)
    pile.step(0.01, 10)
    assert not np.array_equal(positions, rows)
    assert np.array_equal(positions, [body.position for body in pile.bodies])
    assert np.array_equal(velocities, [body.velocity for body in pile.bodies])
    assert np.shares_memory(positions, pile.positions)
    assert np.array_equal(pile.rotations, [body.rotation for body in pile.bodies])
    with pytest.raises(ValueError):
        positions[0] = 1
    pile.velocities = (0, 0, 1)
    assert np.array_equal(pile.velocities[1:], [[0, 0, 1]] * 3) and np.array_equal(pile.velocities[0], [0, 0, 0])
    before = positions.copy()
    pile.positions = positions + 1
    assert np.array_equal(positions, before + 1) and np.array_equal(pile.bodies[3].position, positions[3])
    with pytest.raises(ashlar.BadArgument):
        pile.contact_forces = 0
    with pytest.raises(ashlar.BadArgument):
        pile.velocities = np.nan


def test_an_array_outlives_bodies_and_its_world(pile):
    positions = pile.positions
    pile.create_body(mass=1, position=(0, 0, 50))
    kept = positions.copy()
    pile.step(0.01)
    assert np.array_equal(positions, kept)  # it follows no more
    assert pile.positions.shape == (5, 3)
    again = pile.positions
    pile.bodies[1].destroy()
    pile.step(0.01)
    assert pile.positions.shape == (4, 3) and again.shape == (5, 3)
    last = pile.positions
    del pile
    gc.collect()
    filler = [ashlar.World() for _ in range(20)]
    assert np.isfinite(last).all() and len(filler) == 20


def test_what_is_gone_is_an_error_and_never_a_crash(pile):
    ball = pile.bodies[1]
    shape = ball.shapes[0]
    ball.destroy()
    for use in (lambda: ball.velocity, lambda: ball.destroy(), lambda: shape.pose, lambda: setattr(ball, "velocity", (1, 0, 0)),
                lambda: pile.create_joint("ball", None, ball)):
        with pytest.raises((ashlar.BadHandle, ashlar.BadData)):
            use()
    assert not ball.is_valid and "gone" in repr(ball)
    other = ashlar.World()
    with pytest.raises((ashlar.BadHandle, ashlar.BadData)):
        other.create_joint("ball", None, pile.bodies[1])
    body, arrays = pile.bodies[0], pile.positions
    pile.close()
    for use in (lambda: body.position, lambda: pile.step(0.1), lambda: pile.positions, lambda: pile.close(), lambda: pile.time):
        with pytest.raises(ashlar.BadHandle):
            use()
    assert np.isfinite(arrays).all()


def test_errors_say_what_is_wrong(pile):
    with pytest.raises(ashlar.BadData) as caught:
        pile.create_body()
    assert caught.value.diagnostic.code.startswith("body.") and caught.value.diagnostic.message
    with pytest.raises(ashlar.BadArgument, match="no part of ash_body_def"):
        pile.create_body(colour="red")
    with pytest.raises(ashlar.BadArgument, match="none of dynamic"):
        pile.create_body(mass=1, type="soft")
    with pytest.raises(ashlar.BadArgument, match="3 numbers"):
        pile.create_body(mass=1, position=(1, 2, 3, 4))
    with pytest.raises(ashlar.BadArgument):
        pile.step(-1)
    with pytest.raises(ashlar.BadArgument):
        pile.bodies[1].velocity = (np.nan, 0, 0)
    with pytest.raises(ashlar.AshlarError, match="did you mean"):
        ashlar.World(method="enginering")
    with pytest.raises(TypeError):
        pile.step("soon")
    with pytest.raises(AttributeError):
        pile.postions = 1
    with pytest.raises(ashlar.BadData):
        ashlar.hull(np.zeros((3, 3)))


def test_numerics_raise_and_keep_the_state():
    world = ashlar.World(method="explicit-euler")
    ball = world.create_body(mass=1, velocity=(1e300, 0, 0))
    ball.apply_force_to_centre((1e308, 0, 0))
    with pytest.raises(ashlar.Numerics, match="not-finite"):
        world.step(1e10)
    assert np.isfinite(ball.velocity).all()


def test_snapshots_continue_bit_for_bit(pile):
    pile.step(0.01, 10)
    other, saved = pile.copy(), pile.save()
    pile.step(0.01, 30)
    other.step(0.01, 30)
    assert pile.hash == other.hash
    pile.restore(saved)
    assert pile.time == pytest.approx(0.1) and pile.hash != other.hash
    pile.step(0.01, 30)
    assert pile.hash == other.hash
    for bad in (b"", saved[:-1], saved[:40] + bytes([saved[40] ^ 1]) + saved[41:]):
        with pytest.raises(ashlar.AshlarError):
            pile.restore(bad)
    assert pile.hash == other.hash


def test_queries(pile):
    hit = pile.cast_ray((0, 0, 3), (0, 0, -1))
    assert hit.body == pile.bodies[1] and hit.t == pytest.approx(2.8) and hit.normal == pytest.approx((0, 0, 1))
    assert pile.cast_ray((0, 0, 3), (0, 0, 1)) is None
    assert [h.body.name for h in pile.cast_ray_all(((0, 0, 3), (0, 0, -1)))] == ["ball 0", "floor"]
    reach = pile.cast_rays([(0, 0, 3), (9, 0, 3), (0, 0, 3)], [(0, 0, -1), (0, 0, -1), (0, 0, 1)])
    assert reach == pytest.approx([2.8, 3, np.inf])
    assert pile.overlap_point((1, 0, 0.6))[0].body.name == "ball 1"
    assert {s.body.name for s in pile.overlap_box(((-1, -1, 0.05), (0.5, 1, 1)))} == {"ball 0"}
    closest = ashlar.closest_points(ashlar.sphere(1), (0, 0, 0), ashlar.box(1, 1, 1), (4, 0, 0))
    assert closest.distance == pytest.approx(2)
    assert ashlar.sphere(1).distance((3, 0, 0)) == pytest.approx(2)


def test_a_force_in_python_acts_and_its_error_comes_out():
    world = ashlar.World(gravity=(0, 0, 0), method="rk4")
    ball = world.create_body(mass=1, position=(1, 0, 0))
    calls = []

    def spring(context):
        calls.append(context.time)
        context.add(ball, -4 * np.pi ** 2 * context.transform(ball).position)

    world.create_callback(spring, "spring")
    world.step(0.001, 1000)
    assert ball.position == pytest.approx((1, 0, 0), abs=1e-8) and len(calls) == 4000

    def wrong(context):
        raise KeyError("thrust")

    world.create_callback(wrong)
    with pytest.raises(KeyError, match="thrust"):
        world.step(0.001)
    other = ashlar.World()
    one = other.create_body(mass=1)
    seen = []
    other.create_callback(lambda context: seen.append(context) or one.velocity)
    with pytest.raises(ashlar.BadHandle):  # the world may not be asked while it steps
        other.step(0.001)
    with pytest.raises(AttributeError):
        seen[0].time


def test_a_pair_filter():
    world = ashlar.World()
    world.create_body(ashlar.plane(), type="static")
    ball = world.create_body(ashlar.sphere(0.1), position=(0, 0, 0.2))
    shape, = ball.shapes
    world.set_pair_filter(lambda a, b: shape not in (a, b))
    world.step(0.01, 100)
    assert ball.position[2] < -1


def test_the_lock_is_released_while_stepping():
    world = ashlar.load("wall").world()
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(1e-4)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    began = time.perf_counter()
    while time.perf_counter() - began < 0.3:
        pass
    world.step(0.01, 40)
    during = counted[0] - before
    done.set()
    thread.join()
    assert during > 3


def test_another_thread_is_refused_while_a_world_steps():
    world = ashlar.load("wall").world()
    refused, done = [], threading.Event()

    def ask():
        while not done.is_set():
            try:
                world.time
            except ashlar.BadHandle:
                refused.append(1)
            time.sleep(1e-4)

    thread = threading.Thread(target=ask)
    thread.start()
    for _ in range(200):
        world.step(0.01, 5)
        if refused:
            break
    done.set()
    thread.join()
    assert refused and world.time > 0


def test_methods():
    assert "engineering" in ashlar.Method.names() and "substeps" in ashlar.Method.fields()
    method = ashlar.Method("engineering", step_control="substeps", substeps=3)
    assert method["substeps"] == "3"
    world = ashlar.World(method=method)
    assert world.method["step-control"] == "substeps"
    world.method = "realtime:substeps=2"
    assert world.method["substeps"] == "2"
    with pytest.raises(ashlar.AshlarError, match="substeps"):
        method["substep"] = 3


def test_documentation_comes_from_the_headers():
    assert "centre of mass" in ashlar.Body.velocity.__doc__ and "C: ash_body_get_velocity" in ashlar.Body.velocity.__doc__
    assert "slots" in ashlar.World.overlap_shape.__doc__
    for owner in (ashlar.World, ashlar.Body, ashlar.Joint, ashlar.Shape, ashlar.Force, ashlar.Material, ashlar.Geometry):
        for name in dir(owner):
            if not name.startswith("_") and not name[0].isupper() and name not in ("id", "world"):
                assert getattr(owner, name).__doc__, f"{owner.__name__}.{name} has no docstring"
