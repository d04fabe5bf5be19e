"""ashlar convert RECORDING FILE: glTF judged by the Khronos validator and decoded here, XDMF with h5py, CSV with csv."""
import base64
import csv
import json
import os
import shutil
import struct
import subprocess
import unittest
import unittest.mock
import xml.etree.ElementTree as xml

import h5py
import numpy

from program import SOURCE, ProgramTest

# One of each: a body of two shapes, a static one, one that is added late and one that is removed, one without shapes.
SCENE = """{"ashlar": 1, "name": "all <sorts>", "world": {"step": 0.01, "time": 0.5},
 "materials": {"steel": {"density": 7850}},
 "shapes": {"ball": {"kind": "sphere", "radius": 0.1}, "box": {"kind": "box", "half_extents": [0.1, 0.2, 0.3]}},
 "bodies": [
  {"name": "ground", "type": "static", "shapes": [{"shape": {"kind": "plane"}}]},
  {"name": "dumbbell", "position": [0, 0, 1], "rotation": {"axis": [1, 2, 3], "degrees": 40}, "velocity": [1, 0, 2], "angular_velocity": [9, 20, -7],
   "shapes": [{"shape": "ball", "material": "steel", "name": "left", "position": [0.3, 0, 0]}, {"shape": "box", "position": [-0.3, 0, 0]}]},
  {"name": "late", "position": [2, 0, 1], "absent": true, "shapes": [{"shape": "ball"}]},
  {"name": "gone", "position": [3, 0, 1], "shapes": [{"shape": "ball"}]},
  {"position": [4, 0, 1], "mass": 1}],
 "outputs": [{"name": "height", "body": "dumbbell", "quantity": "position", "component": "z"}],
 "events": [{"kind": "add", "time": 0.2, "body": "late"}, {"kind": "remove", "time": 0.3, "body": "gone"}]}"""


def turned(q, p):
    """Points p turned by the quaternion q (w, x, y, z)."""
    u = q[1:]
    t = 2 * numpy.cross(u, p)
    return p + q[0] * t + numpy.cross(u, t)


class Gltf:
    """A decoder of its own, of what we write."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        if path.endswith(".glb"):
            magic, version, length, size, kind = struct.unpack_from("<4sIII4s", data)
            assert (magic, version, length, kind) == (b"glTF", 2, len(data), b"JSON")
            self.json = json.loads(data[20:20 + size])
            rest, kind = struct.unpack_from("<I4s", data, 20 + size)
            assert kind == b"BIN\0"
            self.bytes = data[28 + size:28 + size + rest]
        else:
            self.json = json.loads(data)
            self.bytes = base64.b64decode(self.json["buffers"][0]["uri"].partition(",")[2])
        assert len(self.bytes) == self.json["buffers"][0]["byteLength"]

    def values(self, number):
        accessor = self.json["accessors"][number]
        view = self.json["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        kind = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
        found = numpy.frombuffer(self.bytes, kind, accessor["count"] * width, view["byteOffset"])
        return found.reshape(-1, width) if width > 1 else found

    def node(self, name):
        return next(i for i, node in enumerate(self.json["nodes"]) if node.get("name") == name)

    def channel(self, node, path):
        animation = self.json["animations"][0]
        for channel in animation["channels"]:
            if channel["target"] == {"node": node, "path": path}:
                sampler = animation["samplers"][channel["sampler"]]
                return self.values(sampler["input"]), self.values(sampler["output"]), sampler["interpolation"]
        return None


class Files(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("all.json", SCENE)
        self.ashlar("run", "all.json", "--out", "out")
        with h5py.File(self.path("out/recording.h5")) as file:
            self.time = file["time"][:]
            self.position = file["bodies/position"][:]
            self.rotation = file["bodies/rotation"][:]
            self.velocity = file["bodies/velocity"][:]
            self.spin = file["bodies/angular_velocity"][:]
            self.height = file["outputs/height"][:]

    def check_motion(self, gltf):
        dumbbell = gltf.node("dumbbell")
        times, places, way = gltf.channel(dumbbell, "translation")
        self.assertEqual(way, "LINEAR")
        frames = [int(numpy.argmin(abs(self.time - self.time[0] - t))) for t in times]
        numpy.testing.assert_allclose(times, self.time[frames], atol=1e-7)
        numpy.testing.assert_allclose(places, self.position[frames, 1], rtol=0, atol=2e-7)
        _, turns, _ = gltf.channel(dumbbell, "rotation")
        turns = turns[:, [3, 0, 1, 2]]  # glTF has w last
        for found, q in zip(turns, self.rotation[frames, 1]):
            self.assertGreater(abs(numpy.dot(found, q)), 1 - 1e-6)
        self.assertTrue((numpy.sum(turns[1:] * turns[:-1], axis=1) > 0).all(), "a turn goes the long way round")
        self.assertIsNone(gltf.channel(gltf.node("ground"), "translation"))
        for name, body in (("late", 2), ("gone", 3)):
            _, sizes, way = gltf.channel(gltf.node(name), "scale")
            self.assertEqual(way, "STEP")
            numpy.testing.assert_array_equal(sizes[:, 0], (~numpy.isnan(self.position[frames, body, 0])).astype(float))
        return frames

    def test_gltf(self):
        for name in ("film.gltf", "film.glb"):
            self.ashlar("convert", "out/recording.h5", name)
            gltf = Gltf(self.path(name))
            frames = self.check_motion(gltf)
            self.assertEqual((frames[0], frames[-1]), (0, len(self.time) - 1))
            # Our z is the world's y there.
            root = gltf.json["nodes"][gltf.json["scenes"][0]["nodes"][0]]
            x, y, z, w = root["rotation"]
            numpy.testing.assert_allclose(turned(numpy.array([w, x, y, z]), numpy.array([0, 0, 1.0])), [0, 1, 0], atol=1e-12)
            # The ball on the dumbbell: its points are on the sphere, their normals point away from its middle.
            left = gltf.json["nodes"][gltf.node("left")]
            self.assertEqual(left["translation"], [0.3, 0, 0])
            primitive = gltf.json["meshes"][left["mesh"]]["primitives"][0]
            points, normals = (gltf.values(primitive["attributes"][key]) for key in ("POSITION", "NORMAL"))
            numpy.testing.assert_allclose(numpy.linalg.norm(points, axis=1), 0.1, atol=1e-7)
            self.assertTrue((numpy.sum(points * normals, axis=1) > 0.09).all())
            triangles = gltf.values(primitive["indices"]).reshape(-1, 3)
            corners = points[triangles].astype(float)
            volume = numpy.sum(corners[:, 0] * numpy.cross(corners[:, 1], corners[:, 2])) / 6
            # A polyhedron of 32 sides a turn is a little smaller than the ball, and closed.
            self.assertTrue(0.97 * 4 / 3 * numpy.pi * 1e-3 < volume < 4 / 3 * numpy.pi * 1e-3, volume)
            materials = [material["name"] for material in gltf.json["materials"]]
            self.assertEqual(materials[primitive["material"]], "steel")
            self.assertNotIn("mesh", gltf.json["nodes"][gltf.node("body 4")])

    @unittest.skipUnless(shutil.which("node"), "there is no Node.js")
    def test_the_khronos_validator_finds_nothing(self):
        self.ashlar("run", f"{SOURCE}/scenes/shapes.json", "--out", "shapes", "--time", "0.1")
        self.ashlar("run", f"{SOURCE}/scenes/flat-shapes.json", "--out", "flat", "--time", "0.1")
        for recording, name in (("out", "film.gltf"), ("out", "film.glb"), ("shapes", "shapes.glb"), ("flat", "flat.gltf")):
            self.ashlar("convert", f"{recording}/recording.h5", name)
            result = subprocess.run(["node", f"{SOURCE}/tests/export/validate.mjs", self.path(name)], capture_output=True, text=True)
            if result.returncode == 77:
                self.skipTest("gltf-validator is not installed")
            self.assertEqual(result.returncode, 0, result.stderr)
            issues = json.loads(result.stdout)["issues"]
            self.assertEqual((issues["numErrors"], issues["numWarnings"]), (0, 0), json.dumps(issues["messages"][:5]))

    def test_the_rate_of_frames(self):
        self.ashlar("convert", "out", "few.gltf", "--rate", "10")
        times, _, _ = Gltf(self.path("few.gltf")).channel(Gltf(self.path("few.gltf")).node("dumbbell"), "translation")
        numpy.testing.assert_allclose(times, [0, 0.1, 0.2, 0.3, 0.4, 0.5], atol=1e-7)

    def test_xdmf(self):
        self.ashlar("convert", "out", "mesh.xdmf", "--every")
        root = xml.parse(self.path("mesh.xdmf")).getroot()
        grids = root.findall("./Domain/Grid/Grid")
        self.assertEqual(len(grids), len(self.time))
        with h5py.File(self.path("mesh.h5")) as file:
            def item(element):
                name, _, place = element.find("DataItem").text.partition(":")
                self.assertEqual(name, "mesh.h5")
                data = file[place]
                self.assertEqual(list(data.shape), [int(n) for n in element.find("DataItem").get("Dimensions").split()])
                kind = element.find("DataItem").get("NumberType"), int(element.find("DataItem").get("Precision"))
                self.assertEqual(kind, {"f": ("Float", 8), "i": ("Int", 4)}[data.dtype.kind])
                return data[:]

            bodies = None
            for sample, grid in enumerate(grids):
                self.assertEqual(float(grid.find("Time").get("Value")), self.time[sample])
                points = item(grid.find("Geometry"))
                attributes = {a.get("Name"): item(a) for a in grid.findall("Attribute")}
                triangles = item(grid.find("Topology"))
                self.assertEqual(int(grid.find("Topology").get("NumberOfElements")), len(triangles))
                self.assertTrue((triangles >= 0).all() and (triangles < len(points)).all())
                bodies = attributes["body"]
                local = points[bodies == 1] - self.position[sample, 1]
                back = turned(self.rotation[sample, 1] * [1, -1, -1, -1], local)
                if sample == 0:
                    first = back
                # A rigid body: its points are where they were in its frame, but for rounding.
                numpy.testing.assert_allclose(back, first, rtol=0, atol=1e-14)
                numpy.testing.assert_allclose(attributes["velocity"][bodies == 1],
                                              self.velocity[sample, 1] + numpy.cross(self.spin[sample, 1], points[bodies == 1] - self.centre(sample)),
                                              rtol=0, atol=1e-12)
            ball = numpy.linalg.norm(first - [0.3, 0, 0], axis=1) < 0.1 + 1e-12
            self.assertGreater(ball.sum(), 100)
            self.assertEqual(sorted(set(bodies)), [0, 1, 2, 3])

    def test_vtkhdf(self):
        """By the layout of VTK's documents, and with the numbers of the XDMF file."""
        self.ashlar("convert", "out", "mesh.xdmf", "--every")
        self.ashlar("convert", "out", "mesh.vtkhdf", "--every")
        with h5py.File(self.path("mesh.vtkhdf")) as file, h5py.File(self.path("mesh.h5")) as other:
            root = file["VTKHDF"]
            self.assertEqual(list(root.attrs["Version"]), [2, 0])
            kind = root.attrs.get_id("Type")
            self.assertEqual((kind.dtype, kind.shape, root.attrs["Type"]), (numpy.dtype("S16"), (), b"UnstructuredGrid"))
            self.assertEqual(kind.get_type().get_cset(), h5py.h5t.CSET_ASCII)
            frames, triangles = len(self.time), other["mesh/triangles"][:]
            points, cells, corners = (root[f"NumberOf{what}"][:] for what in ("Points", "Cells", "ConnectivityIds"))
            self.assertEqual((list(cells), list(corners)), ([len(triangles)], [triangles.size]))
            self.assertEqual((root["Types"].dtype, set(root["Types"][:])), (numpy.uint8, {5}))
            numpy.testing.assert_array_equal(root["Offsets"][:], 3 * numpy.arange(len(triangles) + 1))
            numpy.testing.assert_array_equal(root["Connectivity"][:].reshape(-1, 3), triangles)
            steps = root["Steps"]
            self.assertEqual(steps.attrs["NSteps"], frames)
            numpy.testing.assert_array_equal(steps["Values"][:], self.time)
            numpy.testing.assert_array_equal(steps["NumberOfParts"][:], numpy.ones(frames))
            for name, shape in (("PartOffsets", (frames,)), ("CellOffsets", (frames, 1)), ("ConnectivityIdOffsets", (frames, 1))):
                self.assertEqual(steps[name].shape, shape)
                self.assertFalse(steps[name][:].any())
            for name in (root, steps):
                for set_ in name.values():
                    if isinstance(set_, h5py.Dataset) and set_.name.rsplit("/", 1)[1] not in ("Types", "Points", "Values"):
                        self.assertEqual(set_.dtype, numpy.int64, set_.name)
            numpy.testing.assert_array_equal(root["PointData/body"][:], other["mesh/body"][:])
            for frame in range(frames):
                for here, offset, there in (("Points", "PointOffsets", "points"), ("PointData/velocity", "PointDataOffsets/velocity", "velocity")):
                    first = steps[offset][frame]
                    numpy.testing.assert_array_equal(root[here][first:first + points[0]], other[f"{there}/{frame:06}"][:])

    def encoder(self, text):
        """A stand-in for ffmpeg, first on the path, that this test reads by itself."""
        folder = self.path("bin")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "ffmpeg"), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(os.path.join(folder, "ffmpeg"), 0o755)
        return unittest.mock.patch.dict(os.environ, {"PATH": folder + os.pathsep + os.environ["PATH"]})

    def test_mp4_pipe(self):
        """What ffmpeg gets: the sizes it is told, and whole pictures."""
        with self.encoder('#!/bin/sh\necho "$@" > arguments\nfor last; do :; done\ncat > "$last"\n'):
            self.ashlar("picture", "out", "--frames", "3", "--every", "0.2", "--size", "33x20", "--samples", "1", "-o", "film.mp4")
            with open(self.path("arguments"), encoding="utf-8") as file:
                arguments = file.read().split()
            self.assertEqual(arguments[arguments.index("-video_size") + 1], "33x20")
            self.assertEqual(float(arguments[arguments.index("-framerate") + 1]), 5)
            self.assertEqual(os.path.getsize(self.path("film.mp4")), 3 * 33 * 20 * 3)
            self.ashlar("convert", "out", "whole.mp4", "--rate", "2")
            self.assertEqual(os.path.getsize(self.path("whole.mp4")), 2 * 1280 * 720 * 3)  # at 0 and 0.5 s
        self.assertEqual([name for name in os.listdir(self.path(".")) if ".part" in name], [])

    def test_mp4_that_fails(self):
        with self.encoder("#!/bin/sh\nexit 1\n"):
            self.assertIn("ffmpeg cannot make", self.refused("convert", "out", "film.mp4", "--rate", "2"))
        with unittest.mock.patch.dict(os.environ, {"PATH": self.path("nowhere")}):
            self.assertIn("not installed", self.refused("convert", "out", "film.mp4"))
        self.assertFalse(os.path.exists(self.path("film.mp4")))

    @unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "ffmpeg is not installed")
    def test_mp4(self):
        self.ashlar("picture", "out", "--frames", "5", "--every", "0.1", "--size", "65x48", "--samples", "1", "-o", "film.mp4")
        asked = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,width,height", "-of", "json",
                                self.path("film.mp4")], capture_output=True, text=True, check=True)
        stream = json.loads(asked.stdout)["streams"][0]
        self.assertEqual((stream["nb_read_frames"], stream["width"], stream["height"]), ("5", 66, 48))

    def centre(self, sample):
        """Of mass of the dumbbell: a steel ball at x = 0.3, a box of 1000 kg/m3 at x = -0.3."""
        ball, box = 7850 * 4 / 3 * numpy.pi * 1e-3, 1000 * 0.2 * 0.4 * 0.6
        return self.position[sample, 1] + turned(self.rotation[sample, 1], numpy.array([0.3 * (ball - box) / (ball + box), 0, 0]))

    def test_csv(self):
        self.ashlar("convert", "out", "table.csv", "--every")
        with open(self.path("table.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([float(row["time [s]"]) for row in rows], list(self.time))
        self.assertEqual([float(row["dumbbell rotation y"]) for row in rows], list(self.rotation[:, 1, 2]))
        self.assertEqual([float(row["body 4 velocity z [m/s]"]) for row in rows], list(self.velocity[:, 4, 2]))
        height = next(key for key in rows[0] if key.endswith("height [m]"))
        self.assertEqual([float(row[height]) for row in rows], list(self.height))

    def test_what_is_wrong(self):
        self.assertIn("expected a file that ends in .gltf", self.refused("convert", "out", "film.avi"))
        self.assertIn("expected a file that ends in .gltf", self.refused("convert", "out"))
        self.assertIn("No such file", self.refused("convert", "none.h5", "film.gltf"))
        self.assertIn("is a recording", self.refused("convert", "out", "scene.json"))
        self.assertFalse(os.path.exists(self.path("film.gltf")))


if __name__ == "__main__":
    unittest.main()
