"""Kills recorded runs at different moments and reads what they left with h5py, opened in the plain way.

Everything that was flushed must be there, and equal, bit for bit, to what an undisturbed run records.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

import h5py
import numpy

PROGRAM = sys.argv[1]
ENDLESS = "1e9"


def kill_after(folder, bodies, seconds):
    """Starts a run, kills it after it has flushed once and some seconds more; returns the samples it called safe."""
    run = subprocess.Popen([PROGRAM, folder, ENDLESS, str(bodies)], stdout=subprocess.PIPE)
    first = run.stdout.readline()
    assert first.endswith(b"\n"), "the run ended by itself"
    time.sleep(seconds)
    run.kill()
    rest = run.stdout.read()
    assert run.wait() == -9, "the run ended by itself"
    return int((first + rest).split()[-1])


def columns(file, samples):
    """All columns up to the number of samples, by name, without those that hold wall time."""
    found = {}

    def keep(name, item):
        if isinstance(item, h5py.Dataset) and name not in ("scene", "bodies/names") and not name.endswith("_ms"):
            assert len(item) >= samples, f"{name} is shorter than time"
            found[name] = item[:samples]

    file.visititems(keep)
    return found


def check(folder, reference_folder, bodies, safe):
    with h5py.File(os.path.join(folder, "recording.h5"), "r") as file:
        samples = len(file["time"])
        assert samples >= safe, f"{safe} samples were flushed, {samples} are there"
        assert file.attrs["complete"] == 0
        killed = columns(file, samples)
    assert not os.path.exists(os.path.join(folder, "summary.json"))
    subprocess.run([PROGRAM, reference_folder, str(samples - 1), str(bodies)], stdout=subprocess.DEVNULL, check=True)
    with h5py.File(os.path.join(reference_folder, "recording.h5"), "r") as file:
        assert file.attrs["complete"] == 1
        assert len(file["time"]) == samples
        undisturbed = columns(file, samples)
    assert set(killed) == set(undisturbed) and len(killed) == 4 + 3 + 19 + 6 + 1
    for name, values in killed.items():
        assert numpy.array_equal(values.view(numpy.uint8), undisturbed[name].view(numpy.uint8)), name
    # Whole rows of the tables are there, too.
    with open(os.path.join(folder, "outputs.csv"), encoding="utf-8") as table:
        rows = [line for line in table if line.endswith("\n")]
    assert rows[0] == "time [s],x [m],height [m],speed [m/s]\n"
    return samples


def main():
    base = tempfile.mkdtemp(prefix="ashlar-kill-")
    try:
        for number, (bodies, seconds) in enumerate(
            [(1, 0), (1, 0.013), (1, 0.1), (1, 0.37), (40, 0), (40, 0.05), (40, 0.211), (40, 0.6), (3000, 0.02), (3000, 0.15)]
        ):
            folder = os.path.join(base, f"killed{number}")
            safe = kill_after(folder, bodies, seconds)
            samples = check(folder, os.path.join(base, f"whole{number}"), bodies, safe)
            print(f"{bodies} bodies, killed {seconds} s after the first flush: {safe} samples flushed, {samples} read")
    finally:
        shutil.rmtree(base)


main()
