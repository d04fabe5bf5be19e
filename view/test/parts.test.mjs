// Small parts of the page that need no browser: poses, ranges, the camera's spring, rims, keys, colours.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";
import { alarmLine } from "../src/alarms.js";
import { bodyColour, modeOf, scaleColour } from "../src/colours.js";
import { columnsOf, ENERGY_WORDS, ERROR_WORDS, imbalance, judge, speedText } from "../src/dial.js";
import { digits } from "../src/dom.js";
import { Frames } from "../src/frames.js";
import { keyOf, keyText } from "../src/keys.js";
import { noteMoves, writeNothing, writePose } from "../src/pose.js";
import { Range, roundUp } from "../src/range.js";
import { Spring } from "../src/spring.js";
import { makeGeometry, outline } from "../src/surface.js";

const close = (a, b, tolerance) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);

test("matrices of shapes are those of three.js", () => {
  const quaternion = new THREE.Quaternion(0.1, -0.5, 0.3, 0.8).normalize(),
    place = new THREE.Vector3(1, -2, 3);
  const own = new THREE.Matrix4().compose(
    new THREE.Vector3(0.2, 0.3, -0.4),
    new THREE.Quaternion(0.5, 0.5, -0.5, 0.5),
    new THREE.Vector3(1, 1, 1),
  );
  const wanted = new THREE.Matrix4().compose(place, quaternion, new THREE.Vector3(1, 1, 1)).multiply(own);
  const out = new Float64Array(20),
    [x, y, z, w] = quaternion.toArray().map((part) => Math.round(32767 * part)); // of any length
  writePose(out, 4, 1, -2, 3, x, y, z, w, Float64Array.from(own.elements), 0);
  wanted.elements.forEach((value, i) => close(out[4 + i], value, 1e-4));
  assert.deepEqual([...out.subarray(0, 4)], [0, 0, 0, 0]);
  writeNothing(out, 4);
  assert.deepEqual([...out.subarray(4)], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
});

test("only what moved is noted as moved", () => {
  const frame = { bodies: 3, positions: new Float32Array(9), rotations: new Int16Array(12) };
  const positions = new Float32Array(9).fill(NaN),
    rotations = new Int16Array(12),
    moved = new Uint8Array(3);
  assert.equal(noteMoves(frame, positions, rotations, moved), 3);
  assert.equal(noteMoves(frame, positions, rotations, moved), 0);
  frame.rotations[11] = 5;
  frame.positions[1] = 1;
  assert.equal(noteMoves(frame, positions, rotations, moved), 2);
  assert.deepEqual([...moved], [1, 0, 1]);
});

test("ranges grow at once and shrink with patience", () => {
  assert.deepEqual([0.3, 1, 1.01, 3, 70, 0, NaN].map(roundUp), [0.5, 1, 2, 5, 100, 0, 0]);
  const range = new Range();
  assert.ok(range.note(3));
  assert.equal(range.high, 5);
  for (let i = 0; i < 50; i++) assert.ok(!range.note(0.1));
  assert.ok(!range.note(4)); // in between it was needed: patience begins anew
  for (let i = 0; i < 89; i++) assert.ok(!range.note(0.1));
  assert.ok(range.note(0.1));
  close(range.high, 0.1, 1e-12);
  range.held = true;
  assert.ok(!range.note(1e6));
});

test("the camera's spring does not overshoot, whatever the frames are", () => {
  const whole = new Spring(5),
    parts = new Spring(5),
    goal = [2, 0, -1];
  whole.pull(goal, 0.3);
  for (let i = 0; i < 30; i++) {
    parts.pull(goal, 0.01);
    assert.ok(parts.place[0] <= 2 && parts.place[2] >= -1);
  }
  for (let i = 0; i < 3; i++) close(whole.place[i], parts.place[i], 1e-12);
  for (let i = 0; i < 300; i++) parts.pull(goal, 0.05);
  for (let i = 0; i < 3; i++) close(parts.place[i], goal[i], 1e-9);
});

const square = {
  positions: new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]),
  normals: new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]),
  indices: new Uint32Array([0, 1, 2, 0, 2, 3]),
};

test("a flat surface has a rim inside of it, unless it is drawn very often", () => {
  assert.deepEqual(outline(square), [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 0],
  ]);
  const geometry = makeGeometry(square, 0.1),
    { position, color } = geometry.attributes;
  assert.equal(geometry.index.count, 6 + 4 * 6);
  for (let i = 0; i < position.count; i++)
    assert.ok(Math.abs(position.getX(i)) <= 1 && Math.abs(position.getY(i)) <= 1);
  assert.ok(color.getX(4) < color.getX(0));
  assert.equal(makeGeometry(square, 0.1, 1e6).index.count, 6);
});

test("balls have a pattern, boxes do not", () => {
  const ofThree = (made) => ({
    positions: made.attributes.position.array,
    normals: made.attributes.normal.array,
    indices: Uint32Array.from(made.index.array),
  });
  assert.ok(makeGeometry(ofThree(new THREE.SphereGeometry(2, 32, 16)), 0).hasAttribute("color"));
  assert.ok(!makeGeometry(ofThree(new THREE.BoxGeometry(1, 2, 3)), 0).hasAttribute("color"));
});

test("keys are told apart", () => {
  const press = (key, more = {}) =>
    keyOf({ key, ctrlKey: false, altKey: false, metaKey: false, shiftKey: false, ...more });
  assert.equal(press("?", { shiftKey: true }), "?");
  assert.equal(press("R"), "r");
  assert.equal(press("ArrowLeft", { shiftKey: true }), "Shift+ArrowLeft");
  assert.equal(press("s", { ctrlKey: true }), null);
  assert.deepEqual([" ", "+", "r", "Shift+ArrowUp", "Delete"].map(keyText), ["Space", "+", "R", "Shift ↑", "Delete"]);
});

test("colours of values are even in lightness", () => {
  const lightness = (share) => {
    const [r, g, b] = scaleColour(share, [0, 1])
      .match(/\d+/g)
      .map((part) => new THREE.Color(part / 255, 0, 0).convertSRGBToLinear().r);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  for (let i = 1; i <= 20; i++) assert.ok(lightness(i / 20) > lightness((i - 1) / 20));
  assert.equal(scaleColour(9, [0, 1]), scaleColour(1, [0, 1]));
  assert.equal(scaleColour(5, [2, 2]), scaleColour(0, [0, 1]));
  assert.equal(bodyColour(0), bodyColour(8));
  assert.deepEqual([modeOf("force").unit, modeOf("island").kind, modeOf("unheard-of").kind], ["N", "set", "scale"]);
});

test("numbers are short", () => {
  assert.deepEqual([0, 1e-6, 0.25, 1234.5678, 3e7, -0.01].map(digits), ["0", "1e-6", "0.25", "1235", "3e+7", "-0.01"]);
});

test("means of pictures are those of the last ones", () => {
  const frames = new Frames();
  for (let i = 1; i <= 300; i++) frames.note(20 * i, i <= 180 ? 9 : 1, 2, 3);
  const { count, interval, decode, place, draw, rate } = frames.means;
  assert.deepEqual([count, interval, decode, place, draw, rate], [300, 20, 1, 2, 3, 50]);
});

test("an alarm says its name, since when and where", () => {
  const alarm = { world: 1, name: "energy-made", first: 0.123456, where: 'body "crate"' };
  assert.deepEqual(alarmLine(alarm, ""), ["energy-made", ' since 0.1235 s, body "crate"']);
  assert.deepEqual(alarmLine({ ...alarm, where: "" }, "realtime"), ["energy-made", " by realtime since 0.1235 s"]);
});

test("the dial puts errors in words, and energy beside what has moved", () => {
  assert.deepEqual(judge(ERROR_WORDS, 0), ["exact", "good"]);
  assert.deepEqual(judge(ERROR_WORDS, 0.1), ["visible", "fair"]);
  assert.deepEqual(judge(ENERGY_WORDS, NaN), ["wrong", "bad"]);
  const energy = (name) => ({ name, group: "energy" });
  const columns = columnsOf([energy("kinetic"), energy("gravity"), energy("friction"), energy("remainder"), { name: "residual", group: "residual" }]);
  assert.deepEqual(columns, { residual: 4, remainder: 3, kinetic: 0, budget: -1, works: [2] });
  assert.equal(imbalance(columns, [1, 500, -3, 0.5, 0], 2), 0.1); // of 2 J in motion and 3 J of friction
  assert.equal(imbalance({ ...columns, budget: 4 }, [1, 500, -3, 0.5, 10], 2), 0.05);
  assert.equal(imbalance(columns, [0, 500, 0, 0, 0], 0), 0);
  assert.ok(Number.isNaN(imbalance({ ...columns, remainder: -1 }, [], 0)));
  assert.equal(speedText(0.1234), "× 0.1");
  assert.equal(speedText(1.04), "× 1");
  assert.equal(speedText(12.3), "× 12");
});
