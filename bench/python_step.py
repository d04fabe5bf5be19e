"""What a step costs from Python beside C: the same world stepped by one call of the library and step by step, in turns, with
and without arrays that are kept up to date. Usage: PYTHONPATH=build/python python3 bench/python_step.py"""
import time

import ashlar

STEPS, TURNS = 20000, 15


def make():
    """A pendulum: the smallest world with a joint."""
    world = ashlar.World(method="engineering")
    rod = world.create_body(mass=1, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    world.create_joint("hinge", None, rod, point=(0, 0, 0), axis=(0, 1, 0))
    return world


def in_c(world):
    world.step(0.001, STEPS)


def in_python(world):
    step = world.step
    for _ in range(STEPS):
        step(0.001)


def measure():
    """Microseconds a step, the best of all turns: {way: time}."""
    plain, watched = make(), make()
    arrays = watched.positions, watched.velocities, watched.joint_positions
    ways = {"C": (in_c, plain), "Python": (in_python, plain), "Python with three arrays": (in_python, watched)}
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(TURNS):
        for name, (way, world) in ways.items():
            began = time.process_time()
            way(world)
            best[name] = min(best[name], (time.process_time() - began) / STEPS * 1e6)
    assert len(arrays[0]) == 1
    return best


if __name__ == "__main__":
    times = measure()
    for name, value in times.items():
        print(f"{name:26} {value:6.2f} us a step, {value - times['C']:5.2f} us over C")
