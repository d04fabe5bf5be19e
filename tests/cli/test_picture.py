"""ashlar picture: what is where in the picture, sizes, threads, sequences, layers, refusals. The PNG files are read with
zlib alone."""
import colorsys
import json
import math
import os
import struct
import unittest
import zlib

from program import SOURCE, ProgramTest

SMALL = ("--size", "96x64", "--samples", "4")


def unfilter(kind, line, above):
    """A row of a PNG by its filter (ISO 15948, 9.2), three bytes a pixel."""
    row = bytearray(line)
    for i in range(len(row)):
        left, up, corner = (row[i - 3] if i >= 3 else 0), above[i], (above[i - 3] if i >= 3 else 0)
        if kind == 4:
            guess = left + up - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
        else:
            nearest = (0, left, up, (left + up) // 2)[kind]
        row[i] = (row[i] + nearest) & 255
    return row


class Png:
    """A picture file, each of its chunks checked."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG signature"
        place, packed, names = 8, b"", []
        while place < len(data):
            length, = struct.unpack(">I", data[place:place + 4])
            name, body = data[place + 4:place + 8], data[place + 8:place + 8 + length]
            sum_, = struct.unpack(">I", data[place + 8 + length:place + 12 + length])
            assert sum_ == zlib.crc32(name + body), f"checksum of {name}"
            names.append(name)
            packed += body if name == b"IDAT" else b""
            if name == b"IHDR":
                self.width, self.height, depth, colour = struct.unpack(">IIBB", body[:10])
                assert (depth, colour) == (8, 2), "not 8 bits of red, green and blue"
            place += 12 + length
        assert names[0] == b"IHDR" and names[-1] == b"IEND", names
        raw, stride = zlib.decompress(packed), 3 * self.width
        assert len(raw) == (stride + 1) * self.height, "wrong number of rows"
        self.rows, above = [], bytearray(stride)
        for y in range(self.height):
            above = unfilter(raw[y * (stride + 1)], raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)], above)
            self.rows.append(above)

    def at(self, x, y):
        return tuple(self.rows[y][3 * x:3 * x + 3])

    def count(self, wanted):
        return sum(wanted(*self.at(x, y)) for y in range(self.height) for x in range(self.width))


# As in app/picture/palette.c.
PALETTE = ((0x4f, 0x7c, 0xa3), (0xd7, 0x9b, 0x4a), (0x5d, 0x9a, 0x80), (0xc4, 0x69, 0x4a), (0x86, 0xb0, 0xcf),
           (0xb7, 0x84, 0xa7), (0xd9, 0xc2, 0x6a), (0x85, 0x77, 0xab))


def hue(rgb):
    return colorsys.rgb_to_hsv(*(value / 255 for value in rgb))[0]


def is_blue(r, g, b):
    return b > 2 * r and b > g + 20


def animated_frames(path):
    """The pictures of an animated PNG, each as its rows, and for how long each is shown, s."""
    with open(path, "rb") as file:
        data = file.read()
    place, size, frames, seconds, canvas, control, packed, numbers = 8, None, None, [], [], None, b"", []
    shown = []

    def finish():
        width, height, left, top = control
        raw, stride, above = zlib.decompress(packed), 3 * width, bytearray(3 * width)
        assert len(raw) == (stride + 1) * height
        for y in range(height):
            above = unfilter(raw[y * (stride + 1)], raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)], above)
            canvas[top + y][3 * left:3 * left + stride] = above
        shown.append([bytes(row) for row in canvas])

    while place < len(data):
        length, = struct.unpack(">I", data[place:place + 4])
        name, body = data[place + 4:place + 8], data[place + 8:place + 8 + length]
        if name == b"IHDR":
            size = struct.unpack(">II", body[:8])
            canvas = [bytearray(3 * size[0]) for _ in range(size[1])]
        elif name == b"acTL":
            frames, plays = struct.unpack(">II", body)
            assert plays == 0, "it plays for ever"
        elif name in (b"fcTL", b"IEND"):
            if control is not None:
                finish()
            packed = b""
        if name == b"fcTL":
            number, *control = struct.unpack(">IIIII", body[:20])
            delay, over, dispose, blend = struct.unpack(">HHBB", body[20:])
            assert (dispose, blend) == (0, 0)
            numbers.append(number)
            seconds.append(delay / over)
        elif name == b"IDAT":
            packed += body
        elif name == b"fdAT":
            numbers.append(struct.unpack(">I", body[:4])[0])
            packed += body[4:]
        place += 12 + length
    assert numbers == list(range(len(numbers))) and frames == len(shown), (numbers, frames)
    return shown, seconds


class PictureTest(ProgramTest):
    def picture(self, scene, *arguments, name="picture.png"):
        result = self.ashlar("picture", scene, "-o", name, *arguments)
        self.assertEqual(result.stdout + result.stderr, "")
        return Png(self.path(name))

    def scene(self, bodies, **more):
        return self.write("scene.json", json.dumps({"ashlar": 1, "bodies": bodies, **more}))

    def ball(self, position, radius=1.0):
        return {"position": position, "shapes": [{"shape": {"kind": "sphere", "radius": radius}}]}


class Animation(PictureTest):
    def test_it_shows_what_single_pictures_show(self):
        scene = self.scene([{**self.ball([0, 0, 0]), "velocity": [4, 0, 1]}, self.ball([0, 5, 0])])
        arguments = (*SMALL, "--frames", "4", "--every", "0.1")
        self.ashlar("picture", scene, "-o", "one.png", *arguments)
        self.picture(scene, *arguments, "--animate", name="all.png")  # its chunks, and the first as any reader sees it
        shown, seconds = animated_frames(self.path("all.png"))
        self.assertEqual(seconds, [0.1] * 4)
        for i, rows in enumerate(shown):
            single = Png(self.path(f"one-{i + 1:04d}.png"))
            self.assertEqual([bytes(row) for row in single.rows], rows, i)

    def test_a_still_scene_takes_no_room(self):
        still = self.scene([self.ball([0, 0, 0])], world={"gravity": [0, 0, 0]})
        self.picture(still, *SMALL, "--frames", "1", "--animate", name="one.png")
        self.picture(still, *SMALL, "--frames", "9", "--animate", name="nine.png")
        self.assertLess(os.path.getsize(self.path("nine.png")) - os.path.getsize(self.path("one.png")), 8 * 100)
        shown, _ = animated_frames(self.path("nine.png"))
        self.assertEqual(shown[0], shown[8])

    def test_one_picture_is_no_sequence(self):
        result = self.ashlar("picture", "wall", "--animate", "-o", "x.png", status=2)
        self.assertIn("--frames", result.stderr)


class Place(PictureTest):
    def test_a_ball_is_where_projection_says(self):
        # Half the picture's height is 10 tan 22.5 deg = 4.142 m at the ball's distance: 50 pixels; so its outline, at
        # sin a = 1 / 10, is 12.13 pixels from the middle, and its centre is 2 m or 24.1 pixels aside and 12.1 up.
        png = self.picture(self.scene([self.ball([2, 0, 1])]), "--eye", "0,-10,0", "--look", "0,0,0", "--fov", "45",
                           "--size", "100x100")
        x, y = 50 + 24.14, 50 - 12.07
        for dx, dy in ((0, 0), (9, 0), (-9, 0), (0, 9), (0, -9)):
            self.assertTrue(is_blue(*png.at(int(x + dx), int(y + dy))), (dx, dy, png.at(int(x + dx), int(y + dy))))
        for dx, dy in ((16, 0), (-16, 0), (0, 16), (0, -16)):
            self.assertFalse(is_blue(*png.at(int(x + dx), int(y + dy))), (dx, dy))

    def test_the_nearer_one_is_seen(self):
        bodies = [self.ball([0, 0, 0]), self.ball([0, 5, 0], 1.4)]
        arguments = ("--look", "0,0,0", "--size", "60x60", "--fov", "40")
        front = self.picture(self.scene(bodies), "--eye", "0,-10,0", *arguments)
        back = self.picture(self.scene(bodies), "--eye", "0,15,0", *arguments)
        self.assertTrue(is_blue(*front.at(30, 30)))
        r, g, b = back.at(30, 30)
        self.assertTrue(r > g > 2 * b, (r, g, b))

    def test_the_chosen_camera_shows_all(self):
        bodies = [self.ball([-5, 0, 1]), self.ball([5, 0, 1]), self.ball([0, 0, 7])]
        png = self.picture(self.scene(bodies), "--size", "160x90")
        inside = {(x, y) for y in range(90) for x in range(160) if max(png.at(x, y)) - min(png.at(x, y)) > 40}
        self.assertGreater(len(inside), 300)
        self.assertTrue(all(3 < x < 156 and 3 < y < 86 for x, y in inside))

    def test_a_floor_gets_a_shadow(self):
        floor = {"type": "static", "shapes": [{"shape": {"kind": "plane"}}]}
        views = ("--eye", "0,-0.1,20", "--look", "0,0,0", "--size", "80x80")
        bare = self.picture(self.scene([floor, self.ball([0, 0, -5], 0.1)]), *views)
        shaded = self.picture(self.scene([floor, self.ball([0, 0, 1])]), *views)
        # Grey, so of the floor and not of the ball, and well darker than without it; seen on the ball's right, because
        # the sun stands on the left.
        darker = [x for x in range(80) for y in range(80) if max(shaded.at(x, y)) - min(shaded.at(x, y)) < 30
                  and sum(shaded.at(x, y)) < sum(bare.at(x, y)) - 100]
        self.assertGreater(len(darker), 30)
        self.assertGreater(sum(darker) / len(darker), 42)

    def test_it_goes_to_the_instant(self):
        # Thrown at 10 m/s without gravity: after 0.4 s it is 4 m aside.
        body = {**self.ball([0, 0, 0]), "velocity": [10, 0, 0]}
        scene = self.scene([body], world={"gravity": [0, 0, 0]})
        views = ("--eye", "0,-20,0", "--look", "0,0,0", "--fov", "40", "--size", "100x100")
        start, later = self.picture(scene, *views), self.picture(scene, "--at", "0.4", *views)
        self.assertTrue(is_blue(*start.at(50, 49)) and not is_blue(*later.at(50, 49)))
        self.assertTrue(is_blue(*later.at(50 + 27, 49)) and not is_blue(*start.at(50 + 27, 49)))

    def test_flat_worlds_from_the_front(self):
        square = [{"shape": {"kind": "polygon", "points": [[-1, -1], [1, -1], [1, 1], [-1, 1]]}}]
        scene = self.scene([{"position": [3, 2, 0], "shapes": square}], world={"planar": True})
        # An eye at height 10 sees 2 x 10 tan 15 deg = 5.36 m from top to bottom, 18.7 pixels a metre.
        png = self.picture(scene, "--eye", "3,2,10", "--size", "100x100")
        blue = [(x, y) for x in range(100) for y in range(100) if is_blue(*png.at(x, y)) or png.at(x, y)[2] > png.at(x, y)[0] + 12]
        self.assertEqual((min(x for x, _ in blue), max(x for x, _ in blue)), (31, 68))
        self.assertEqual((min(y for _, y in blue), max(y for _, y in blue)), (31, 68))


class Things(PictureTest):
    def test_points_and_springs_are_seen_and_slack_ones_are_red(self):
        bodies = [{"mass": 1, "position": [0, 0, 0], "type": "static"}, {"mass": 1, "position": [1, 0, 0]}]
        def red(rest):
            spring = {"kind": "spring", "body_a": 0, "body_b": 1, "stiffness": 1, "rest_length": rest, "tension_only": True}
            png = self.picture(self.scene(bodies, forces=[spring]), "--size", "200x100")
            self.assertGreater(png.count(lambda r, g, b: max(r, g, b) < 150), 8)
            return png.count(lambda r, g, b: r > 110 and r > 2.5 * g and r > 2.5 * b)
        self.assertEqual(red(0.9), 0)
        self.assertGreater(red(1.1), 20)

    def assert_hues(self, name, height, aside):
        """Straight from above, each moving body has the hue of its place in the palette. `aside` is where to look on
        bodies that have a hole, or another body, at their origin."""
        with open(os.path.join(SOURCE, "scenes", name), encoding="utf-8") as file:
            bodies = [body for body in json.load(file)["bodies"] if body.get("type") != "static"]
        png = self.picture(os.path.join(SOURCE, "scenes", name), "--eye", f"0,0,{height}", "--look", "0,0,0",
                           "--up", "0,1,0", "--fov", "60", "--size", "240x180")
        for i, body in enumerate(bodies):
            dx, dy, z = aside.get(body["name"], (0, 0, body["position"][2]))
            metre = 90 / math.tan(math.radians(30)) / (height - z)
            x, y = 120 + metre * (body["position"][0] + dx), 90 - metre * (body["position"][1] + dy)
            wanted, seen = hue(PALETTE[i % 8]), hue(png.at(int(x), int(y)))
            self.assertLess(min(abs(wanted - seen), 1 - abs(wanted - seen)), 0.06, (body["name"], png.at(int(x), int(y))))

    def test_every_kind_of_shape(self):
        self.assert_hues("shapes.json", 6, {"torus": (0.3, 0, 0.2), "dumb-bell": (0.28, 0.1, 0.3)})

    def test_every_kind_of_flat_shape(self):
        self.assert_hues("flat-shapes.json", 4, {"wheel": (0, 0.25, 0), "triangle": (0, 0.05, 0)})

    def test_layers_are_drawn_over(self):
        scene = self.scene([{**self.ball([0, 0, 0]), "velocity": [1, 0, 0]}])
        plain = self.picture(scene, *SMALL)
        for layer in ("bounds", "axes", "centres", "velocities", "all"):
            self.assertNotEqual(self.picture(scene, *SMALL, "--show", layer).rows, plain.rows, layer)
        self.assertEqual(self.picture(scene, *SMALL, "--show", "axes,bounds").rows,
                         self.picture(scene, *SMALL, "--show", "bounds", "--show", "axes").rows)

    def test_contacts_are_marked_where_balls_overlap(self):
        # Two balls of 1 m, 1.8 m apart: surface points at x = 0.8 and 1, the normal along x; seen from above.
        bodies = [self.ball([0, 0, 0]), self.ball([1.8, 0, 0])]
        views = ("--eye", "0.9,0,10", "--look", "0.9,0,0", "--up", "0,1,0", "--fov", "20", "--size", "100x100")
        plain = self.picture(self.scene(bodies), *views)
        changed = {}
        for layer in ("contacts", "normals"):
            marked = self.picture(self.scene(bodies), *views, "--show", layer)
            changed[layer] = [(x, y) for x in range(100) for y in range(100) if plain.at(x, y) != marked.at(x, y)]
            self.assertTrue(changed[layer] and all(abs(y - 49.5) < 8 for _, y in changed[layer]), layer)
        # 28.4 pixels a metre: the depth spans 5.7 pixels about the middle; the normal starts on the left of them, on
        # the second ball's surface, and is 6 % of the diagonal of 4.76 m, 8.1 pixels, long.
        self.assertTrue(all(abs(x - 49.5) < 8 for x, _ in changed["contacts"]), changed["contacts"])
        self.assertTrue(44 <= min(x for x, _ in changed["normals"]) and 53 <= max(x for x, _ in changed["normals"]) <= 56)
        apart = self.scene([self.ball([0, 0, 0]), self.ball([2.2, 0, 0])])
        self.assertEqual(self.picture(apart, *views).rows, self.picture(apart, *views, "--show", "contacts,normals").rows)

    def test_joints_are_drawn(self):
        # A ball on a rod from the background: the rod is seen as a solid, its ends as marks.
        bodies = [{**self.ball([0, 0, 0]), "name": "ball"}]
        rod = [{"kind": "distance", "body_b": "ball", "frame_a": {"position": [0, 0, 3]}}]
        views = ("--eye", "0,-12,1.5", "--look", "0,0,1.5", "--size", "60x100")
        bare = self.picture(self.scene(bodies), *views)
        jointed = self.picture(self.scene(bodies, joints=rod), *views)
        self.assertNotEqual(bare.at(30, 40), jointed.at(30, 40))
        self.assertEqual(bare.at(10, 40), jointed.at(10, 40))
        self.assertNotEqual(jointed.rows, self.picture(self.scene(bodies, joints=rod), *views, "--show", "joints").rows)

    def test_edges_of_flat_polygons(self):
        scene = os.path.join(SOURCE, "scenes", "flat-shapes.json")
        self.assertNotEqual(self.picture(scene, *SMALL).rows, self.picture(scene, *SMALL, "--show", "edges").rows)

    def test_dark(self):
        scene = self.scene([self.ball([0, 0, 0])])
        light, dark = self.picture(scene, *SMALL), self.picture(scene, *SMALL, "--dark")
        self.assertGreater(min(light.at(1, 1)), 180)
        self.assertLess(max(dark.at(1, 1)), 70)


class Files(PictureTest):
    def test_size(self):
        for size in ("1x1", "33x7", "64x48"):
            png = self.picture("tennis-ball", "--size", size, "--samples", "1")
            self.assertEqual(f"{png.width}x{png.height}", size)

    def test_the_same_for_any_threads(self):
        for scene in ("net", os.path.join(SOURCE, "scenes", "shapes.json"), os.path.join(SOURCE, "scenes", "flat-shapes.json")):
            files = set()
            for threads in ("1", "2", "5"):
                self.picture(scene, *SMALL, "--at", "0.02", "--threads", threads, name="t.png")
                with open(self.path("t.png"), "rb") as file:
                    files.add(file.read())
            self.assertEqual(len(files), 1, scene)

    def test_a_sequence(self):
        result = self.ashlar("picture", "tennis-ball", *SMALL, "--frames", "3", "--every", "0.1", "--at", "0.1", "-o", "fall.png")
        self.assertEqual(result.stdout + result.stderr, "")
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["fall-0001.png", "fall-0002.png", "fall-0003.png"])
        rows = [Png(self.path(f"fall-000{i}.png")).rows for i in (1, 2, 3)]
        self.assertNotEqual(rows[0], rows[1])
        self.assertNotEqual(rows[1], rows[2])

    def test_a_sequence_keeps_its_camera(self):
        # A ball that rises passes one that stays: this one is at the same pixels in all pictures.
        bodies = [{**self.ball([0, 0, 0]), "type": "static"}, {**self.ball([3, 0, 0]), "velocity": [0, 0, 20]}]
        scene = self.scene(bodies, world={"gravity": [0, 0, 0]})
        self.ashlar("picture", scene, *SMALL, "--frames", "2", "--every", "0.5", "-o", "up.png")
        first, last = (Png(self.path(f"up-000{i}.png")) for i in (1, 2))
        same = sum(first.at(x, y) == last.at(x, y) for x in range(96) for y in range(64))
        self.assertGreater(same, 0.8 * 96 * 64)
        self.assertNotEqual(first.rows, last.rows)

    def test_settings_and_methods_reach_the_scene(self):
        plain = self.picture("oscillator", *SMALL, "--at", "1").rows
        self.assertNotEqual(plain, self.picture("oscillator", *SMALL, "--at", "1", "--set", "omega=3").rows)
        self.picture("oscillator", *SMALL, "--at", "1", "--method", "rk4", "--step", "0.01")


STACK = {"bodies": [{"type": "static", "shapes": [{"shape": {"kind": "plane"}}]}]
         + [{"name": f"box {i}", "position": [0, 0, 0.5 + i], "shapes": [{"shape": {"kind": "box", "half_extents": [0.5, 0.5, 0.5]}}]}
            for i in range(4)], "world": {"step": 0.005, "time": 2}}
FRONT = ("--eye", "0,-14,2", "--look", "0,0,2", "--size", "100x100", "--fov", "30")


def luma(rgb):
    return 0.3 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2]


def is_orange(r, g, b):
    return r > 120 and r > 1.5 * g and r > 1.9 * b


class Colours(PictureTest):
    # Half the height is 14 tan 15 deg = 3.75 m at the boxes' centres, 50 pixels; their fronts are a little nearer.
    def heights(self, png):
        return [png.at(50, 50 - int((0.5 + i - 2) * 13.8)) for i in range(4)]

    def test_by_contact_force_the_lowest_box_bears_most(self):
        scene = self.scene(**STACK)
        png = self.picture(scene, *FRONT, "--at", "0.5", "--colour", "force")
        lights = [luma(rgb) for rgb in self.heights(png)]
        self.assertEqual(lights, sorted(lights, reverse=True))
        self.assertGreater(lights[0], lights[3] + 60)

    def test_by_layer_the_highest_is_brightest(self):
        png = self.picture(self.scene(**STACK), *FRONT, "--colour", "layer")
        lights = [luma(rgb) for rgb in self.heights(png)]
        self.assertEqual(lights, sorted(lights))
        self.assertGreater(lights[3], lights[0] + 60)

    def test_by_island_and_sleeping(self):
        apart = self.scene([self.ball([-2, 0, 1]), self.ball([0, 0, 1], 1.01), self.ball([3, 0, 1])], world={"gravity": [0, 0, 0]})
        png = self.picture(apart, "--eye", "0,-20,1", "--look", "0,0,1", "--size", "100x50", "--colour", "island")
        left, middle, right = (hue(png.at(50 + int(x * 4.66), 25)) for x in (-2, 0, 3))
        self.assertLess(abs(left - middle), 0.03)
        self.assertGreater(abs(left - right), 0.2)
        awake = self.picture(self.scene(**STACK), *FRONT, "--at", "0.05", "--colour", "sleeping")
        asleep = self.picture(self.scene(**STACK), *FRONT, "--at", "2", "--colour", "sleeping")
        self.assertTrue(is_blue(*awake.at(50, 50)) and not is_blue(*asleep.at(50, 50)))

    def test_by_speed_in_a_sequence_by_one_scale(self):
        # From rest and without gravity under a load: the speed is proportional to time, and so is the share of yellow.
        scene = self.scene([self.ball([0, 0, 0])], world={"gravity": [0, 0, 0]},
                           forces=[{"kind": "load", "body": 0, "force": [1e4, 0, 0]}])
        self.ashlar("picture", scene, "--eye", "0,-20,0", "--look", "0,0,0", "--size", "60x60", "--colour", "speed",
                    "--frames", "2", "--every", "0.5", "-o", "fast.png")
        slow, fast = (Png(self.path(f"fast-000{i}.png")).at(30, 29) for i in (1, 2))
        self.assertGreater(luma(fast), luma(slow) + 50)
        self.assertGreater(slow[2], slow[0])

    def test_a_legend_where_there_is_room(self):
        scene = self.scene(**STACK)
        views = ("--eye", "0,-14,2", "--look", "0,0,2", "--size", "480x360", "--samples", "1")
        def corner(*more):
            png = self.picture(scene, *views, "--at", "0.5", *more)
            return sum(max(png.at(x, y)) < 60 for x in range(0, 240) for y in range(260, 360))
        self.assertEqual(corner(), 0)
        self.assertGreater(corner("--colour", "layer"), 100)
        self.assertGreater(corner("--show", "forces"), 100)
        self.assertEqual(self.picture(scene, *SMALL, "--colour", "layer").width, 96)

    def test_forces_are_arrows_that_carry(self):
        scene = self.scene(**STACK)
        plain = self.picture(scene, *FRONT, "--at", "0.5", "--dark")
        marked = self.picture(scene, *FRONT, "--at", "0.5", "--dark", "--show", "forces")
        arrows = lambda low, high: sum(is_orange(*marked.at(x, y)) and marked.at(x, y) != plain.at(x, y)
                                       for x in range(100) for y in range(low, high))
        self.assertGreater(arrows(0, 100), 0)
        self.assertGreater(arrows(50, 100), arrows(0, 50))  # more of them below than above


class Machines(PictureTest):
    def test_springs_are_coils(self):
        # Pixels of the spring are wider than a rod: in a flat world a zigzag, in space a helix.
        for planar in (False, True):
            bodies = [{"mass": 1, "position": [0, 0, 0], "type": "static"}, {"mass": 1, "position": [2, 0, 0]}]
            spring = {"kind": "spring", "body_a": 0, "body_b": 1, "stiffness": 1, "rest_length": 1}
            eye = "1,0,4" if planar else "1,-4,0"
            views = ("--eye", eye, "--look", "1,0,0", "--fov", "12", "--size", "200x100")
            world = {"gravity": [0, 0, 0], "planar": planar}
            bare = self.picture(self.scene(bodies, world=world), *views)
            coil = self.picture(self.scene(bodies, world=world, forces=[spring]), *views)
            rows = {y for x in range(80, 120) for y in range(100) if max(abs(a - b) for a, b in zip(bare.at(x, y), coil.at(x, y))) > 60}
            self.assertGreater(max(rows) - min(rows), 10, planar)

    def test_cylinders_are_telescopes(self):
        bodies = [{"name": "load", **self.ball([2, 0, 0], 0.05)}]
        joint = {"kind": "hydraulic", "body_b": "load", "min_length": 1, "max_length": 3, "speed": 0, "max_force": 1}
        scene = self.scene(bodies, joints=[joint], world={"gravity": [0, 0, 0]})
        png = self.picture(scene, "--eye", "1,-4,0", "--look", "1,0,0", "--fov", "12", "--size", "200x100")
        bare = self.picture(self.scene(bodies, world={"gravity": [0, 0, 0]}), "--eye", "1,-4,0", "--look", "1,0,0", "--fov", "12",
                            "--size", "200x100")
        thick = lambda x: sum(png.at(x, y) != bare.at(x, y) for y in range(100))
        self.assertGreater(thick(75), thick(125))
        self.assertGreater(thick(125), 0)


class Recordings(PictureTest):
    EVENTFUL = {"bodies": [{"name": "first", "position": [-2, 0, 0], "velocity": [0, 0, 1], "shapes": [{"shape": {"kind": "sphere", "radius": 1}}]},
                           {"name": "second", "position": [2, 0, 0], "absent": True, "shapes": [{"shape": {"kind": "sphere", "radius": 1}}]}],
                "events": [{"time": 0.2, "kind": "add", "body": "second"}, {"time": 0.3, "kind": "remove", "body": "first"}],
                "world": {"gravity": [0, 0, 0], "step": 0.01, "time": 0.4}}
    VIEWS = ("--eye", "0,-20,0", "--look", "0,0,0", "--size", "100x60", "--fov", "30")

    def record(self):
        scene = self.scene(**self.EVENTFUL)
        self.ashlar("run", scene, "--out", "out")
        return scene

    def test_a_recording_looks_as_its_scene(self):
        scene = self.record()
        for time in ("0", "0.15", "0.25", "0.4"):
            run = self.picture(scene, *self.VIEWS, "--at", time)
            for recording in ("out", "out/recording.h5"):
                replayed = self.picture(recording, *self.VIEWS, "--at", time, name="replayed.png")
                same = sum(run.at(x, y) == replayed.at(x, y) for x in range(100) for y in range(60))
                self.assertGreater(same, 0.995 * 6000, (time, recording))
        early, late = (self.picture("out", *self.VIEWS, "--at", time) for time in ("0.1", "0.35"))
        self.assertTrue(is_blue(*early.at(39, 29)) and not is_blue(*late.at(39, 29)))

    def test_a_sequence_of_a_recording(self):
        self.record()
        result = self.ashlar("picture", "out", *self.VIEWS, "--frames", "3", "--every", "0.2", "--colour", "speed", "-o", "r.png")
        self.assertEqual(result.stdout + result.stderr, "")
        self.assertTrue(all(os.path.exists(self.path(f"r-000{i}.png")) for i in (1, 2, 3)))

    def test_what_cannot_be(self):
        self.record()
        def refuse(text, *arguments):
            self.assertIn(text, self.refused("picture", *arguments, "-o", "a.png"))
        refuse("0.9 s is after the end of the recording", "out", "--at", "0.9")
        refuse("after the end of the recording", "out", "--frames", "9", "--every", "0.1")
        refuse("a recording is as it was run", "out", "--method", "rk4")
        refuse("a recording is as it was run", "out", "--set", "step=0.1")
        refuse("a recording holds no forces", "out", "--colour", "force")
        refuse("No such file", "none.h5")
        self.write("bad.h5", "no recording")
        refuse("is not an HDF5 file", "bad.h5")
        with open(self.path("out/recording.h5"), "r+b") as file:
            file.seek(60)  # inside the first group, so that HDF5 opens the file and fails later
            file.write(bytes(range(200)))
        message = self.refused("picture", "out", "-o", "a.png")
        self.assertIn("recording", message)
        self.assertNotIn("closing library", message)
        with open(self.path("out/recording.h5"), "r+b") as file:
            file.truncate(3000)
        refuse("recording", "out")


class Refusals(PictureTest):
    def refuse(self, text, *arguments, status=2):
        self.assertIn(text, self.refused("picture", *arguments, status=status))

    def test_files_that_cannot_be_written(self):
        self.refuse("give -o FILE.png", "string")
        self.refuse("expected a name that ends in .png", "string", "-o", "a.jpg")
        self.refuse("/dev/null: cannot make the directory", "tennis-ball", *SMALL, "-o", "/dev/null/a.png")
        os.symlink("/dev/full", self.path("full.png"))
        self.refuse("No space left on device", "tennis-ball", *SMALL, "-o", "full.png")

    def test_options(self):
        self.refuse('--at is "-1"', "string", "-o", "a.png", "--at=-1")
        self.refuse('--at is "soon"', "string", "-o", "a.png", "--at", "soon")
        self.refuse('--size is "10"', "string", "-o", "a.png", "--size", "10")
        self.refuse('--size is "0x5"', "string", "-o", "a.png", "--size", "0x5")
        self.refuse('--size is "9x5x3"', "string", "-o", "a.png", "--size", "9x5x3")
        self.refuse('--size is "99999x5"', "string", "-o", "a.png", "--size", "99999x5")
        self.refuse('--eye is "1,2"', "string", "-o", "a.png", "--eye", "1,2")
        self.refuse('--eye is "1,2,x"', "string", "-o", "a.png", "--eye", "1,2,x")
        self.refuse('--fov is "200"', "string", "-o", "a.png", "--fov", "200")
        self.refuse('--samples is "0"', "string", "-o", "a.png", "--samples", "0")
        self.refuse('did you mean "axes"?', "string", "-o", "a.png", "--show", "bounds,axis")
        self.refuse('did you mean "speed"?', "string", "-o", "a.png", "--colour", "sped")
        self.refuse('"sleeping", "speed" or "force"', "string", "-o", "a.png", "--colour", "red")
        self.refuse("nothing can be seen that way", "string", *SMALL, "-o", "a.png", "--eye", "1,1,1", "--look", "1,1,1")
        self.refuse("nothing can be seen that way", "string", *SMALL, "-o", "a.png", "--eye", "0,0,5", "--look", "0,0,1")
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_scenes(self):
        self.refuse('did you mean "string"?', "strng", "-o", "a.png")
        self.refuse("could not be taken", "oscillator", *SMALL, "-o", "a.png", "--method", "explicit-euler",
                    "--step", "1e3", "--at", "6e5", status=3)


if __name__ == "__main__":
    unittest.main()
