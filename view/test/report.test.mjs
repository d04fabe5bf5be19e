// Reports without a browser: what was packed is read back, moved, and shown between frames.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { readSeries, splitSurfaces, unpack } from "../src/report-data.js";
import { LinkMarks } from "../src/report-marks.js";
import { Motion, pointOf } from "../src/report-motion.js";

// The writer of app/report/motion.c, again: frames of bodies, each null or seven whole numbers.
function encode(frames) {
  const bytes = [], zero = () => [0, 0, 0, 0, 0, 0, 0];
  let memory = frames[0].map(() => null);
  const put = (value) => {
    let left = value < 0 ? -2 * value - 1 : 2 * value;
    for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
    bytes.push(left);
  };
  for (const frame of frames) {
    for (let i = 0; i < frame.length; i += 8) bytes.push(frame.slice(i, i + 8).reduce((bits, body, k) => bits | (body ? 1 << k : 0), 0));
    for (let c = 0; c < 7; c++)
      frame.forEach((body, i) => {
        const [last, before] = memory[i] ?? [zero(), zero()];
        if (body) put(body[c] - (c < 3 ? 2 * last[c] - before[c] : last[c]));
      });
    memory = frame.map((body, i) => (body ? [body, memory[i] ? memory[i][0] : body] : null));
  }
  return Uint8Array.from(bytes);
}

const still = [0, 0, 0, 32767];

test("motion is read back to the number, also of bodies that come and go, and of large numbers", () => {
  const far = 2 ** 49;
  const frames = [
    [[1, -2, 3, ...still], null, [far, -far, 0, ...still]],
    [[2, -4, 300, ...still], [5, 6, 7, 0, 0, 32767, 0], [far - 1, -far, 0, ...still]],
    [[3, -6, -70000, ...still], null, [far, -far + 5, 0, ...still]],
    [[3, -6, -70000, ...still], [8, 9, 10, 1, 2, 3, -4], [-far, far, 0, ...still]],
  ];
  const quanta = [0.5, 0.25, 1], motion = new Motion({ frames: 4, bodies: 3 }, [0, 1, 2, 3], quanta, encode(frames));
  frames.forEach((frame, f) => frame.forEach((body, b) => {
    const p = [...motion.positions.subarray(9 * f + 3 * b, 9 * f + 3 * b + 3)], r = [...motion.rotations.subarray(12 * f + 4 * b, 12 * f + 4 * b + 4)];
    if (body) assert.deepEqual([p, r], [body.slice(0, 3).map((n) => Math.fround(n * quanta[b])), body.slice(3)]);
    else assert.ok(p.every(Number.isNaN) && r.every((n) => n === 0));
  }));
  assert.throws(() => new Motion({ frames: 3, bodies: 3 }, [0, 1, 2], quanta, encode(frames)), /damaged/);
});

test("between two frames bodies move evenly and stay unit; those that go are where they were", () => {
  const half = Math.round(32767 * Math.SQRT1_2);
  const motion = new Motion({ frames: 2, bodies: 2 }, [1, 3], [1, 1], encode([
    [[0, 0, 0, ...still], [4, 4, 4, ...still]], [[8, 0, 2, 0, 0, half, half], null]]));
  const { positions, rotations } = motion.pose(2);
  assert.deepEqual([...positions], [4, 0, 1, 4, 4, 4]);
  assert.ok(Math.abs(Math.hypot(...rotations.subarray(0, 4)) - 32767) < 2);
  assert.ok(Math.abs((2 * Math.atan2(rotations[2], rotations[3])) - Math.PI / 4) < 1e-3);
  assert.ok(Math.abs(motion.speeds[0] - Math.hypot(8, 2) / 2) < 1e-6 && motion.speeds[1] === 0);
  assert.ok([...motion.pose(3).positions.subarray(3)].every(Number.isNaN));
  assert.deepEqual([...motion.pose(-5).positions.subarray(0, 3)], [0, 0, 0]);
  assert.deepEqual([...motion.pose(99).positions.subarray(0, 3)], [8, 0, 2]);
  assert.deepEqual([0, 1, 2.9, 3, 9].map((time) => motion.find(time)), [0, 0, 0, 1, 1]);
});

test("the reach leaves out the few that went far", () => {
  const frames = Array.from({ length: 50 }, (_, f) => Array.from({ length: 60 }, (_, b) => [b === 7 ? 1000 * f : b, f, 0, ...still]));
  const motion = new Motion({ frames: 50, bodies: 60 }, frames.map((_, f) => f), new Array(60).fill(1), encode(frames));
  const [low, high] = motion.reach(new Array(60).fill(true));
  assert.ok(high[0] < 60 && high[1] > 45 && low[0] >= 0);
  assert.equal(motion.reach(new Array(60).fill(false)), null);
});

test("packed bytes come back, and damage is told", async () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 7), data = deflateSync(bytes).toString("base64");
  assert.deepEqual(new Uint8Array(await unpack({ size: 1000, data })), bytes);
  await assert.rejects(unpack({ size: 999, data }), /damaged/);
  await assert.rejects(unpack({ size: 1000, data: data.slice(0, 12) }));
});

test("series are columns of rows, with extremes where they were thinned", () => {
  const doubles = [0, 2, 1, 3], floats = [10, 11, 12, 13, 14, 15]; // begin, end; last, early, late
  const buffer = new ArrayBuffer(32 + 24);
  new Float64Array(buffer, 0, 4).set(doubles);
  new Float32Array(buffer, 32).set(floats);
  const thinned = readSeries({ rows: 2, columns: 1, ranged: true }, buffer);
  assert.deepEqual([...thinned.begin, ...thinned.times], [0, 2, 1, 3]);
  assert.deepEqual([thinned.values, thinned.early, thinned.late].map(([column]) => [...column]), [[10, 11], [12, 13], [14, 15]]);
  const whole = readSeries({ rows: 2, columns: 3, ranged: false }, buffer);
  assert.deepEqual(whole.values.map((column) => [...column]), [[10, 11], [12, 13], [14, 15]]);
  assert.equal(whole.early[1], whole.values[1]);
});

test("surfaces are cut apart", () => {
  const message = (number, points, triangles) => {
    const words = new Uint32Array(4 + 6 * points + 3 * triangles);
    words.set([1, number, points, triangles]);
    return words;
  };
  const all = Uint32Array.from([...message(3, 2, 1), ...message(4, 0, 0), ...message(5, 1, 2)]);
  assert.deepEqual(splitSurfaces(all.buffer).map((buffer) => [new Uint32Array(buffer)[1], buffer.byteLength]), [[3, 76], [4, 16], [5, 64]]);
});

test("springs and joints follow their bodies", () => {
  const half = Math.round(32767 * Math.SQRT1_2), frame = { positions: [1, 2, 3, NaN, NaN, NaN], rotations: [0, 0, half, half, 0, 0, 0, 0] };
  const point = [0, 0, 0];
  pointOf(frame, 0, [1, 0, 0], point); // a quarter turn about z
  [1, 3, 3].forEach((value, i) => assert.ok(Math.abs(point[i] - value) < 1e-6));
  const links = new LinkMarks({
    springs: [{ a: -1, b: 0, from: [1, 2, 0], to: [0, 0, 0], stiffness: 10, rest: 1 }, { a: -1, b: 1, from: [0, 0, 0], to: [0, 0, 0], stiffness: 1, rest: 1 }],
    joints: [{ a: 0, b: -1, from: [0, 0, 0], to: [1, 2, 3] }],
  }, [{ name: "springs", number: 4 }, { name: "joints", number: 2 }]);
  assert.deepEqual(links.names, ["springs", "joints"]);
  const marks = links.show(frame, new Set(["springs", "joints"]), 1);
  assert.equal(marks.count, 4); // the second spring's body is not there
  assert.deepEqual([...marks.bytes.subarray(0, 2)], [0, 4]);
  assert.deepEqual([...marks.floats.subarray(1, 8)], [20, 1, 2, 0, 1, 2, 3]);
  assert.equal(links.show(frame, new Set(), 1).count, 0);
});
