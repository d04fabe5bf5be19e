"""Scenes, runs, recordings, plots and the viewer from Python."""
import json
import os
import subprocess
import sys
import urllib.request

import ashlar
import numpy as np
import pytest

SOURCE = os.environ["ASHLAR_SOURCE"]
PENDULUM = {
    "ashlar": 1, "name": "pendulum",
    "world": {"method": "engineering", "step": 0.001, "time": 1},
    "bodies": [{"name": "bob", "position": [1, 0, 0], "mass": 1, "inertia": [0.1, 0.1, 0.1]}],
    "joints": [{"kind": "hinge", "name": "pivot", "body_b": "bob", "point": [0, 0, 0], "axis": [0, 1, 0]}],
    "outputs": [{"name": "angle", "joint": "pivot", "quantity": "position", "freedom": "turn-x"},
                {"name": "height", "body": "bob", "quantity": "position", "component": "z"}],
    "checks": [{"name": "it swings down", "output": "height", "reduction": "min", "expected": -1, "tolerance": 0.01}]}


def test_a_run_gives_what_the_program_gives(tmp_path):
    run = ashlar.run("walker", method="engineering", time=0.2)
    program = subprocess.run([os.environ["ASHLAR"], "run", "walker", "--method", "engineering", "--time", "0.2", "--json"],
                             capture_output=True, text=True, check=True)
    summary = json.loads(program.stdout)
    ours = run.json()
    for key in ("scene", "method", "steps", "hash", "outputs", "energy_J", "residual"):
        assert ours[key] == summary[key], key
    assert run.summary.steps == summary["steps"] and run.summary.method.name == "engineering"
    assert set(run.outputs) == set(summary["outputs"]) and len(run.times) == len(run.outputs["x"])
    assert run.outputs["x"][-1] == summary["outputs"]["x"] and run.units["x"] == "m"
    with pytest.raises(KeyError, match="there are: x"):
        run.outputs["speed"]


def test_outputs_outlive_their_run():
    height = ashlar.run(PENDULUM).outputs["height"]
    import gc
    gc.collect()
    [ashlar.run(PENDULUM, time=0.01) for _ in range(5)]
    assert height[0] == 0 and height.min() < -0.9 and np.isfinite(height).all()
    assert not height.flags.owndata


def test_scenes_from_dicts_files_and_settings(tmp_path):
    path = tmp_path / "pendulum.json"
    path.write_text(json.dumps(PENDULUM))
    scene = ashlar.load(path)
    assert scene.name == "pendulum" and scene.step == 0.001
    assert ashlar.Scene.parse(scene.json()).json() == scene.json()
    assert ashlar.run(scene).summary.hash == ashlar.run(PENDULUM).summary.hash
    run = ashlar.run(scene, check=True)
    assert [(c.name, c.pass_ if hasattr(c, "pass_") else None) for c in run.checks] == [("it swings down", True)]
    assert scene.method.name == "engineering"
    ashlar.run(scene, method="realtime", time=0.01)
    assert scene.method.name == "engineering"  # a run's method is the run's
    tower = ashlar.Scene("roof-tower", layers=3, per_layer=6)
    small = len(tower.world().bodies)
    tower.set(layers=5).set("step-control", "fixed")
    assert len(tower.world().bodies) > small and tower.method["step-control"] == "fixed"
    with pytest.raises(ashlar.AshlarError, match="did you mean"):
        tower.set(layer=3)
    assert len(tower.world().bodies) > small
    scene.set(integrator="rk4")
    assert scene.method["integrator"] == "rk4"
    assert "walker" in ashlar.scenes() and [p.name for p in ashlar.parameters("walker")] == ["pace"]


def test_bad_scenes_name_the_place(tmp_path):
    path = tmp_path / "bad.json"
    path.write_text('{"ashlar": 1,\n "bodis": []}')
    with pytest.raises(ashlar.BadData) as caught:
        ashlar.load(path)
    d = caught.value.diagnostic
    assert (d.file, d.line, d.path) == (str(path), 2, "/bodis") and "bodies" in str(caught.value)
    with pytest.raises(ashlar.AshlarError):
        ashlar.load(tmp_path / "none.json")
    with pytest.raises(ashlar.BadData):
        ashlar.Scene.parse("{")


def test_a_controller_drives_a_run():
    scene = json.loads(json.dumps(PENDULUM))
    scene["world"]["gravity"] = [0, 0, 0]
    scene["joints"][0]["axes"] = {"turn-x": {"motor": {"drive": "velocity", "target": 0, "max_force": 1000}}}
    seen = []

    def control(world, time):
        seen.append(time)
        world.find_joint("pivot").set_target("turn-x", 1 if time < 0.5 else -1)

    run = ashlar.run(scene, controller=control)
    assert len(seen) == 1000 and run.outputs["angle"].max() == pytest.approx(0.5, abs=2e-3)
    assert run.outputs["angle"][-1] == pytest.approx(0, abs=4e-3)
    stopped = ashlar.run(scene, controller=lambda world, time: time < 0.25)
    assert stopped.summary.time == pytest.approx(0.25) and not stopped.summary.complete
    kept = []
    with pytest.raises(ZeroDivisionError):
        ashlar.run(scene, controller=lambda world, time: kept.append(world) or 1 / 0)
    with pytest.raises(ashlar.BadHandle):
        kept[0].time
    stopped = ashlar.run(scene, time=1000, progress=lambda time, end: False)  # asked now and then
    assert stopped.summary.steps < 1000000 and not stopped.summary.complete


def test_the_wanted_accuracy_is_reached():
    exact = ashlar.run(PENDULUM, accuracy=1e-9).outputs["height"][-1]
    scene = ashlar.Scene(PENDULUM)
    run = ashlar.run(scene, accuracy=1e-4)
    assert run.summary.accuracy == 1e-4 and scene.accuracy == 0
    assert abs(run.outputs["height"][-1] - exact) <= 1e-4
    world = ashlar.Scene(PENDULUM).world()
    heights = world.positions
    world.advance(1, 1e-4)
    assert abs(heights[0, 2] - exact) <= 1e-4 and world.report.advance_steps > 1
    with pytest.raises(ashlar.AshlarError):
        ashlar.run(scene, accuracy=-1)
    assert scene.accuracy == 0


def test_robot_files_and_parameters(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text("""<robot name="arm">
      <link name="base"/>
      <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="shoulder" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
    </robot>""")
    scene = ashlar.load(path)
    world = scene.world()
    assert world.find_joint("shoulder").kind == "hinge" and isinstance(scene.notes, list)
    arm = ashlar.Mechanism(world)
    assert arm.mass_matrix() == pytest.approx(np.array([[0.1 + 0.25]])) and len(arm.positions) == 1
    sample = dict(PENDULUM, parameters={"mass": 2})
    sample["bodies"] = [dict(PENDULUM["bodies"][0], mass="$mass")]
    file = tmp_path / "sample.json"
    file.write_text(json.dumps(sample))
    assert ashlar.load(file).parameters[0].name == "mass" and ashlar.load(file).parameters[0].value == 2
    assert ashlar.load(file, mass=5).world().bodies[0].mass.mass == 5
    assert ashlar.load(file).set(mass=3).world().bodies[0].mass.mass == 3
    assert [p.name for p in ashlar.Scene("walker").parameters] == ["pace"]


def test_a_runs_world_goes_on():
    run = ashlar.run(PENDULUM, time=0.5)
    whole = ashlar.run(PENDULUM)
    assert run.world.hash == run.summary.hash
    run.world.step(0.001, 500)
    assert run.world.hash == whole.summary.hash


def test_a_run_that_fails_keeps_what_there_is():
    scene = json.loads(json.dumps(PENDULUM))
    scene["world"]["method"] = "explicit-euler"
    scene["forces"] = [{"kind": "spring", "body_b": "bob", "point_b": [0, 0, 0.1], "stiffness": 1e12}]
    scene["joints"], scene["outputs"], scene["checks"] = [], scene["outputs"][1:], []
    with pytest.raises(ashlar.Numerics) as caught:
        ashlar.run(scene)
    assert 0 < caught.value.run.summary.steps < 1000 and "not-finite" in str(caught.value)


def test_recordings(tmp_path):
    pytest.importorskip("h5py")
    run = ashlar.run(PENDULUM, out=tmp_path / "out")
    recording = ashlar.load(tmp_path / "out")
    assert np.array_equal(recording.outputs["height"], run.outputs["height"])
    assert recording.positions.shape == (1001, 1, 3) and recording.names == ["bob"] and recording.complete
    assert recording.positions[-1, 0, 2] == run.outputs["height"][-1]
    assert recording.scene.name == "pendulum" and recording.method["name"] == "engineering"
    assert recording.units == run.units and set(recording.ledger) >= {"kinetic", "remainder"}


def test_plots():
    pytest.importorskip("matplotlib")
    figure = ashlar.run(PENDULUM).plot()
    assert [axes.get_ylabel() for axes in figure.axes] == ["rad", "m"]
    line, = figure.axes[1].lines
    assert line.get_ydata()[-1] == ashlar.run(PENDULUM).outputs["height"][-1]
    with pytest.raises(KeyError):
        ashlar.run(PENDULUM).plot("speed")


def test_the_viewer_and_the_notebook():
    view = ashlar.view(ashlar.Scene(PENDULUM), paused=True, browser=False)
    try:
        with urllib.request.urlopen(view.address, timeout=20) as page:
            assert b"<html" in page.read().lower()
        assert view.address in view._repr_html_() and "iframe" in view._repr_html_()
        process = view._process
    finally:
        view.close()
    assert process.poll() is not None


def test_the_package_needs_no_more_than_numpy():
    code = "import sys, ashlar; print([m for m in ('matplotlib', 'h5py', 'IPython') if m in sys.modules])"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == "[]"
