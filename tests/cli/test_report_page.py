"""ashlar report: what is inside the page agrees with the recording, nothing in it can do harm, sizes are kept, what is
no recording is refused. The page's data are read here by zlib and base64 alone; h5py reads the recording."""
import base64
import json
import math
import os
import re
import struct
import subprocess
import unittest
import zlib

import h5py

from program import PROGRAM, ProgramTest, environment

HARM = "</script><script>alert(1)</script><!-- <title> & \" '"


def has_page():
    """The program was built where Node.js and npm could make its page."""
    told = subprocess.run([PROGRAM, "report", "nowhere", "-o", "x.html"], capture_output=True, text=True,
                          env=environment()).stderr
    return "when it was built" not in told


class Page:
    """A report, its parts taken apart."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        found = re.search(r'<script type="application/json" id="ashlar-report">(.*?)</script>', self.text, re.S)
        self.data = json.loads(found.group(1))
        self.around = self.text[:found.start(1)] + self.text[found.end(1):]

    @staticmethod
    def unpack(packed):
        raw = zlib.decompress(base64.b64decode(packed["data"], validate=True))
        assert len(raw) == packed["size"]
        return raw

    def numbers(self, packed, kind):
        raw = self.unpack(packed)
        return struct.unpack(f"<{len(raw) // struct.calcsize(kind)}{kind}", raw)

    def motion(self):
        """Of each frame, of each body: None or (x, y, z in m, rotation x, y, z, w in 32767ths)."""
        motion = self.data["motion"]
        quanta, raw, place = self.numbers(motion["quanta"], "f"), self.unpack(motion["moves"]), 0
        last, frames = {}, []

        def whole():
            nonlocal place
            value = shift = 0
            while True:
                byte = raw[place]
                place += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return value >> 1 if value & 1 == 0 else -(value + 1 >> 1)

        for _ in range(motion["frames"]):
            bits = raw[place:place + (motion["bodies"] + 7) // 8]
            place += len(bits)
            here = [b for b in range(motion["bodies"]) if bits[b // 8] >> b % 8 & 1]
            fresh = [b for b in here if b not in last]
            last = {b: last.get(b, ([0] * 7, [0] * 7)) for b in here}
            for c in range(7):
                for b in here:
                    now, before = last[b]
                    number = (2 * now[c] - before[c] if c < 3 else now[c]) + whole()
                    before[c] = number if b in fresh else now[c]
                    now[c] = number
            frames.append([None if b not in last else
                           [n * quanta[b] for n in last[b][0][:3]] + last[b][0][3:] for b in range(motion["bodies"])])
        assert place == len(raw), "bytes are left over"
        return frames, quanta


@unittest.skipUnless(has_page(), "the program was built without its page")
class ReportTest(ProgramTest):
    def record(self, scene="bounce", *more, status=0):
        self.ashlar("run", scene, "--out", "out", *more, status=status)
        return h5py.File(self.path("out/recording.h5"), "r")

    def report(self, *more, recording="out"):
        result = self.ashlar("report", recording, "-o", "page.html", *more)
        size = os.path.getsize(self.path("page.html"))
        self.assertTrue(result.stdout.startswith(f"{size / 1e6:.2f} MB written to page.html: "), result.stdout)
        return Page(self.path("page.html"))

    def assert_motion_agrees(self, page, recording):
        """Every frame is a sample of the recording: positions within half a quantum, rotations within a 32767th."""
        frames, quanta = page.motion()
        times, all_times = page.numbers(page.data["motion"]["times"], "d"), list(recording["time"])
        positions, rotations = recording["bodies/position"][:], recording["bodies/rotation"][:]
        self.assertEqual(len(frames), len(times))
        for frame, time in zip(frames, times):
            sample = all_times.index(time)
            for body, state in enumerate(frame):
                x, (w, *v) = positions[sample, body], rotations[sample, body]
                self.assertEqual(state is None, math.isnan(x[0]), (time, body))
                if state is None:
                    continue
                for c in range(3):
                    self.assertLessEqual(abs(state[c] - x[c]), 0.51 * quanta[body], (time, body))
                sign = 1 if sum(a * b for a, b in zip(state[3:], [*v, w])) > 0 else -1
                for a, b in zip(state[3:], [*v, w]):
                    self.assertLessEqual(abs(sign * a - 32767 * b), 0.51, (time, body))
        return times

    def test_all_samples_of_a_short_run(self):
        recording = self.record("ragdoll-2d", "--time", "0.5")
        page = self.report()
        times = self.assert_motion_agrees(page, recording)
        self.assertEqual(list(times), list(recording["time"]))
        _, quanta = page.motion()
        self.assertLess(max(quanta), 1e-2)

    def test_bodies_that_come_and_go(self):
        recording = self.record("roof-tower", "--set", "layers=2", "--set", "per-layer=6", "--set", "roof-time=0.1",
                                "--set", "ball-time=0.2", "--time", "0.4")
        self.assertTrue(any(math.isnan(x) for x in recording["bodies/position"][0, :, 0]))
        self.assert_motion_agrees(self.report(), recording)

    def test_a_recording_may_be_called_like_a_scene(self):
        self.ashlar("run", "roof-tower", "--set", "layers=1", "--set", "per-layer=6", "--time", "0.1", "--out", "roof-tower")
        self.assertEqual(len(self.report(recording="roof-tower").data["scene"]["bodies"]), 9)

    def test_frames_are_evenly_chosen_with_both_ends(self):
        recording = self.record()
        times = self.assert_motion_agrees(self.report("--frames", "50"), recording)
        self.assertEqual((len(times), times[0], times[-1]), (50, recording["time"][0], recording["time"][-1]))
        steps = [b - a for a, b in zip(times, times[1:])]
        self.assertLess(max(steps) - min(steps), 1.01 * (recording["time"][1] - recording["time"][0]))

    def series(self, page):
        """Of each curve by group and name: rows of (begin, end, last, early, late)."""
        series, rows = page.data["series"], page.data["series"]["rows"]
        raw, curves = page.unpack(series["values"]), page.data["scene"]["curves"]
        begin, end = (struct.unpack_from(f"<{rows}d", raw, at) for at in (0, 8 * rows))
        columns = {}
        for i, curve in enumerate(curves):
            parts = 3 if series["ranged"] else 1
            at = 16 * rows + 4 * rows * parts * i
            columns[curve["group"], curve["name"]] = [struct.unpack_from(f"<{rows}f", raw, at + 4 * rows * j)
                                                      for j in range(parts)]
        self.assertEqual(len(raw), 16 * rows + 4 * rows * len(curves) * (3 if series["ranged"] else 1))
        return begin, end, columns

    def test_curves_are_those_of_the_recording(self):
        recording = self.record()
        begin, end, columns = self.series(self.report())
        self.assertEqual((list(begin), list(end)), (list(recording["time"]), list(recording["time"])))
        for (group, name), place in ((("outputs", "gap"), "outputs/gap"), (("energy", "kinetic"), "ledger/kinetic"),
                                     (("energy", "remainder"), "ledger/remainder"), (("residual", "residual"), "report/residual")):
            for mine, theirs in zip(columns[group, name][0], recording[place]):
                self.assertAlmostEqual(mine, theirs, delta=1e-6 * abs(theirs) + 1e-30)

    def test_errors_and_stages_of_steps_are_recorded(self):
        recording = self.record("ragdoll-2d", "--time", "1")
        with open(self.path("out/summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        columns = {name: recording["report"][name][:] for name in recording["report"]}
        for name, expected in (("penetration", summary["penetration_m"]["max"]), ("joint_error", summary["joint_error_m"]["max"]),
                               ("contacts", summary["contacts_max"]), ("residual", summary["residual"]["max"])):
            self.assertEqual(max(columns[name]), expected, name)
            self.assertGreater(expected, 0, name)
        stages = [sum(columns[f"{stage}_ms"]) for stage in summary["stages_ms"]]
        self.assertEqual(len(stages), 5)
        self.assertLessEqual(sum(stages), 1.01 * sum(columns["step_ms"]))
        self.assertGreater(min(stages), 0)
        groups = {(group, name) for group, name in self.series(self.report())[2]}
        self.assertLessEqual({("stages", "solve"), ("penetration", "penetration"), ("joint error", "joint error"),
                              ("contacts", "contacts"), ("iterations", "iterations")}, groups)

    def test_older_recordings_lack_them(self):
        self.record()
        with h5py.File(self.path("out/recording.h5"), "r") as whole, h5py.File(self.path("old.h5"), "w") as old:
            for name, value in whole.attrs.items():
                old.attrs[name] = value
            for name in whole:
                whole.copy(name, old)
            for name in list(old["report"]):
                if name not in ("step_ms", "iterations", "residual", "flags"):
                    del old["report"][name]
        groups = self.series(self.report(recording="old.h5"))[2]
        self.assertIn(("stages", "step"), groups)
        self.assertNotIn(("contacts", "contacts"), groups)

    def test_many_samples_keep_their_extremes(self):
        recording = self.record("bounce", "--step", "0.0005", "--time", "2")
        samples = len(recording["time"])
        begin, end, columns = self.series(self.report())
        self.assertGreater(samples, len(end))
        self.assertEqual((begin[0], end[-1]), (recording["time"][0], recording["time"][-1]))
        gap, (last, early, late) = recording["outputs/gap"][:], columns["outputs", "gap"]
        self.assertAlmostEqual(min(early + late), min(gap), delta=1e-6)
        self.assertAlmostEqual(max(early + late), max(gap), delta=1e-6)
        place, times = 0, list(recording["time"])
        for i, stop in enumerate(end):
            after = times.index(stop) + 1
            part = list(gap[place:after])
            order = sorted((part.index(min(part)), part.index(max(part))))
            for mine, theirs in zip((early[i], late[i], last[i]), (part[order[0]], part[order[1]], part[-1])):
                self.assertAlmostEqual(mine, theirs, delta=1e-6)
            place = after
        self.assertEqual(place, samples)

    def scene_of_harm(self):
        self.ashlar("export", "bounce", "-o", "plain.json")
        with open(self.path("plain.json"), encoding="utf-8") as file:
            scene = json.load(file)
        scene["name"] = scene["summary"] = HARM
        for body in scene["bodies"]:
            body["name"] = f"{body['name']}{HARM}"
            for shape in scene.get("outputs", []):
                if shape.get("body") == body["name"].replace(HARM, ""):
                    shape["body"] = body["name"]
        for output in scene["outputs"]:
            output["name"] += HARM
        scene.pop("checks", None)
        scene.pop("expect", None)
        return self.write("harm.json", json.dumps(scene))

    def test_text_of_a_scene_does_no_harm(self):
        self.record(self.scene_of_harm())
        page = self.report()
        self.assertEqual(page.data["scene"]["name"], HARM)
        self.assertEqual(page.data["facts"]["scene"], HARM)
        self.assertNotIn("alert(1)", page.around.replace(
            "&lt;/script>&lt;script>alert(1)&lt;/script>&lt;!-- &lt;title> &amp; \" ' - Ashlar</title>", ""))
        tags = re.findall(r"<script\b|</script", page.text)
        self.assertEqual(tags, ["<script", "</script"] * 2)
        self.assertEqual(page.text.count("<title>"), 1)
        self.assertNotIn("<!--", page.text[page.text.index("<script"):])

    def test_the_page_asks_for_nothing_from_elsewhere(self):
        self.record()
        page = self.report()
        self.assertIn("default-src 'none'", page.around)
        head = page.around[:page.around.index("<script")]
        self.assertNotRegex(head, r'\b(src|href)="(?!#|data:,)')
        self.assertNotRegex(head, r"url\((?!#|\"?data:)")

    def test_what_is_told_of_the_run(self):
        self.record("bounce", "--method", "realtime:iterations=7", "--check", status=1)
        facts = self.report().data["facts"]
        with open(self.path("out/summary.json"), encoding="utf-8") as file:
            self.assertEqual(facts["summary"], json.load(file, parse_float=lambda text: float(f"{float(text):.9g}")))
        self.assertEqual([field["value"] for field in facts["fields"] if field["name"] == "iterations"], ["7"])
        self.assertEqual([field["name"] for field in facts["fields"] if field["own"]], ["iterations"])
        self.assertEqual((facts["complete"], facts["notes"]), (True, []))
        gap = next(output for output in facts["outputs"] if output["name"] == "gap")
        self.assertAlmostEqual(gap["least"], min(h5py.File(self.path("out/recording.h5"), "r")["outputs/gap"]), delta=1e-9)

    def test_a_summary_of_another_run_is_left_out(self):
        self.record()
        self.ashlar("run", "free-fall", "--out", "other")
        os.replace(self.path("other/summary.json"), self.path("out/summary.json"))
        facts = self.report(recording="out/recording.h5").data["facts"]
        self.assertIsNone(facts["summary"])
        self.assertIn("not of this run", facts["notes"][0])

    def test_the_size_is_kept_or_refused(self):
        self.record("roof-tower", "--set", "layers=3", "--set", "roof-time=0.1", "--set", "ball-time=0.2", "--time", "1.5")
        whole = self.report()
        size = os.path.getsize(self.path("page.html"))
        bound = (size - 0.7 * len(whole.data["motion"]["moves"]["data"])) / 1e6
        small = self.report("--size", f"{bound:.6f}")
        self.assertLessEqual(os.path.getsize(self.path("page.html")), bound * 1e6)
        self.assertLess(small.data["motion"]["frames"], whole.data["motion"]["frames"])
        self.assertGreater(small.data["motion"]["frames"], 2)
        os.remove(self.path("page.html"))
        told = self.refused("report", "out", "-o", "page.html", "--size", "0.01")
        self.assertRegex(told, r"--size 0\.01: the page, its curves and 2 samples of the motion take [0-9.]+ MB at least")
        self.assertFalse(os.path.exists(self.path("page.html")))

    def test_what_is_no_recording_is_refused(self):
        told = self.refused("report", "bounce", "-o", "page.html")
        self.assertIn('"bounce" is a scene; expected a recording: "ashlar run bounce --out DIR" makes one', told)
        self.ashlar("export", "bounce", "-o", "scene.json")
        self.assertIn("is a scene", self.refused("report", "scene.json", "-o", "page.html"))
        self.assertIn("nowhere", self.refused("report", "nowhere", "-o", "page.html"))
        self.write("text.h5", "no recording")
        self.refused("report", "text.h5", "-o", "page.html")
        self.assertIn("-o FILE.html is missing", self.refused("report", "out"))
        self.assertIn(".html", self.refused("report", "out", "-o", "page.htm"))
        self.assertIn("cannot make the directory", self.refused_page())

    def refused_page(self):
        self.record()
        return self.refused("report", "out", "-o", "/dev/null/page.html")

    def test_broken_recordings_are_told_or_read(self):
        """Cut short or with bytes changed: a page, or a diagnostic and no page; never a crash. What HDF5 itself leaks of
        a damaged file is not ours."""
        self.record()
        with open(self.path("out/recording.h5"), "rb") as file:
            whole = file.read()
        stride = max(1, len(whole) // 12)
        broken = [whole[:len(whole) * i // 5] for i in range(5)]
        broken += [whole[:at] + bytes([whole[at] ^ 255]) * 8 + whole[at + 8:] for at in range(40, len(whole) - 8, stride)]
        refused = 0
        for i, content in enumerate(broken):
            with open(self.path(f"broken-{i}.h5"), "wb") as file:
                file.write(content)
            result = subprocess.run([PROGRAM, "report", f"broken-{i}.h5", "-o", f"{i}.html"], capture_output=True, text=True,
                                    cwd=self.folder.name, env=environment(ASAN_OPTIONS="detect_leaks=0"), timeout=100)
            self.assertIn(result.returncode, (0, 2), (i, result.stderr))
            self.assertEqual(os.path.exists(self.path(f"{i}.html")), result.returncode == 0, i)
            refused += result.returncode == 2 and result.stderr.startswith("ashlar: ")
        self.assertGreaterEqual(refused, 5)


if __name__ == "__main__":
    unittest.main()
