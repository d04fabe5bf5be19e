"""Robot files: every model is read, says what it lacks, and is stepped for five seconds (half a second in builds with sanitizers) by `realtime` and by `engineering` without an alarm that
is not explained here. The models of tests/data/robots, and those of the folder ASHLAR_MODELS (by default ../shared/models beside the tree), which are
not part of it; a short test takes the dominoes by `engineering` for a part of the time."""
import json
import os
import subprocess
import unittest

from program import PROGRAM, SOURCE, ProgramTest, environment

OWN = os.path.join(SOURCE, "tests", "data", "robots")
MODELS = os.environ.get("ASHLAR_MODELS") or os.path.join(SOURCE, "..", "shared", "models")
LONG = "ASHLAR_ALL_TRIALS" in os.environ

# What is flagged, and why.
EXPLAINED = {
    # It begins at rest: in the third step the bodies' energy is less than that of a fall within a step, to which methods of order one keep it.
    ("humanoid.xml", "realtime"): {"energy"},
    # A heap of 22 limbs: in one step of 1000 so many contacts and limits close one after the other that the rest of the step goes by windows.
    ("humanoid.xml", "engineering"): {"many-impacts"},
    # Ninety dominoes that fall on each other, with several impacts in a step.
    ("dominos.xml", "engineering"): {"many-impacts"},
}
# Seconds of simulation; a build with sanitizers takes twenty times as long.
WHOLE = 0.5 if os.environ.get("ASHLAR_SLOW_BUILD") else 5
# Seconds of these that a short test takes by `engineering`, where more take long.
SLOW = {"dominos.xml": 0.2}
# Included by others.
PARTS = {"leg.xml", "looks.xml"}


def models(folder):
    return sorted(os.path.join(where, name) for where, _, names in os.walk(folder) for name in names
                  if name.endswith((".xml", ".urdf")) and name not in PARTS)


class RobotFiles(ProgramTest):
    def step(self, path, method, seconds):
        result = subprocess.run([PROGRAM, "run", path, "--method", method, "--time", str(seconds), "--threads", "1", "--json"], text=True,
                                capture_output=True, env=environment(), stdin=subprocess.DEVNULL, timeout=400)
        self.assertEqual(result.returncode, 0, f"{path}: {result.stderr}")
        summary = json.loads(result.stdout)
        self.assertAlmostEqual(summary["time"], seconds, delta=summary["step"])
        flags = set(summary["flags"]) - EXPLAINED.get((os.path.basename(path), method), set())
        self.assertEqual(flags, set(), f"{path} by {method}: {summary['alarms']}")

    def try_all(self, folder):
        found = models(folder)
        for path in found:
            name = os.path.basename(path)
            self.step(path, "realtime", WHOLE)
            self.step(path, "engineering", WHOLE if LONG else SLOW.get(name, WHOLE))
        return found

    def test_own_models(self):
        self.assertGreater(len(self.try_all(OWN)), 8)

    @unittest.skipUnless(os.path.isdir(MODELS), "no models from elsewhere: set ASHLAR_MODELS to a folder of them")
    def test_models_from_elsewhere(self):
        self.assertTrue(self.try_all(MODELS))

    def test_what_of_a_mesh_collides(self):
        """A bracket, as a file beside the robot file, from the folder of both: its hull, two parts, its triangles, its field."""
        corners = "".join(f"v {x} {y} {z}\n" for z in (0, 0.1) for x, y in ((0, 0), (.2, 0), (.2, .1), (.1, .1), (.1, .2), (0, .2)))
        ends = "f 3 2 1\nf 4 3 1\nf 5 4 1\nf 6 5 1\nf 7 8 9\nf 7 9 10\nf 7 10 11\nf 7 11 12\n"
        self.write("bracket.obj", corners + ends + "".join(f"f {i + 1} {(i + 1) % 6 + 1} {(i + 1) % 6 + 7} {i + 7}\n" for i in range(6)))
        self.write("bracket.urdf", '<robot name="b"><link name="base"><collision><geometry><mesh filename="package://b/bracket.obj"/>'
                                   '</geometry></collision></link></robot>')
        for meshes, kind in (("hull", "hull"), ("parts", "compound"), ("mesh", "mesh"), ("field", "distance-field")):
            self.ashlar("convert", "bracket.urdf", "out.json", "--set", f"meshes={meshes}", "--set", "base=free")
            with open(self.path("out.json"), encoding="utf-8") as file:
                scene = json.load(file)
            named = scene.get("shapes", {})
            shapes = [shape["shape"] for body in scene["bodies"] for shape in body["shapes"]]
            kinds = {(named[shape] if isinstance(shape, str) else shape)["kind"] for shape in shapes}
            self.assertEqual(kinds - {"plane"}, {kind})

    def test_what_is_not_supported_is_named_once(self):
        """Every element of a file that is full of what Ashlar has not."""
        notes = self.json("check", os.path.join(OWN, "modern.xml"))["notes"]
        text = "\n".join(f"{note['line']}: {note['message']}" for note in notes)
        for word in ("<composite>", "<flexcomp>", "dampratio", "<muscle>", "<adhesion>", "<touch>",
                     "<framequat>", "align"):
            self.assertEqual(text.count(word), 1, f"{word}:\n{text}")


if __name__ == "__main__":
    unittest.main()
