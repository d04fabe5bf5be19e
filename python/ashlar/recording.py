"""Recordings, read with h5py."""
import json
import os

from .scene import Outputs, Scene


class Recording:
    """What `ashlar run --out DIR` or run(..., out=DIR) wrote (docs/recording.md). Arrays have a row for each sample.

    time, positions, rotations, velocities, angular_velocities (samples, bodies, ...), names, outputs, units, ledger,
    report, scene_json, method, complete."""

    def __init__(self, path):
        try:
            import h5py
        except ImportError as error:
            raise ImportError("reading recordings needs h5py (Debian: python3-h5py)") from error
        path = os.fspath(path)
        path = os.path.join(path, "recording.h5") if os.path.isdir(path) else path
        with h5py.File(path, "r") as file:
            self.time = file["time"][:]
            count = len(self.time)
            bodies = file["bodies"]
            self.names = [name.decode() for name in bodies["names"]] if "names" in bodies else []
            places = {"positions": "position", "rotations": "rotation", "velocities": "velocity",
                      "angular_velocities": "angular_velocity"}
            for name, place in places.items():
                setattr(self, name, bodies[place][:count] if place in bodies else None)
            self.outputs, self.units = Outputs(), {}
            for data in file["outputs"].values() if "outputs" in file else ():
                name = as_text(data.attrs["name"])
                self.outputs[name], self.units[name] = data[:count], as_text(data.attrs["unit"])
            self.ledger = {name: data[:count] for name, data in file["ledger"].items()}
            self.report = {name: data[:count] for name, data in file["report"].items()}
            self.scene_json = as_text(file["scene"][()])
            self.method = json.loads(as_text(file.attrs["method"]))
            self.complete = bool(file.attrs["complete"])
        self.times = self.time

    @property
    def scene(self) -> Scene:
        """The scene that was run."""
        return Scene.parse(self.scene_json, "recording")

    def plot(self, *names, show=True):
        """Draws outputs over time with matplotlib. Returns the figure."""
        from .plot import plot
        return plot(self, names or tuple(self.outputs), show)


def as_text(value):
    return value.decode() if isinstance(value, bytes) else str(value)
