// Messages written as docs/viewer.md says are read; what is cut short or unknown is not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ARROW, COLOURED, FRAME, LINE, MARKS, SURFACE, decode } from "../src/wire.js";

function frameMessage({ bodies, curves, coloured }) {
  const size = 48 + 8 * curves + (coloured ? 24 : 20) * bodies + Math.ceil(bodies / 8);
  const buffer = new ArrayBuffer(size),
    view = new DataView(buffer);
  view.setUint32(0, 2, true);
  view.setUint32(4, 7, true);
  view.setUint32(8, 1, true);
  view.setUint32(12, 1 | (coloured ? COLOURED : 0), true);
  view.setFloat64(16, 1.25, true);
  view.setFloat64(24, 0.002, true);
  view.setBigUint64(32, 1234567890123n, true);
  view.setUint32(40, bodies, true);
  view.setUint32(44, curves, true);
  let at = 48;
  for (let i = 0; i < curves; i++, at += 8) view.setFloat64(at, 100 + i, true);
  for (let i = 0; i < 3 * bodies; i++, at += 4) view.setFloat32(at, 0.5 * i, true);
  for (let i = 0; i < 4 * bodies; i++, at += 2) view.setInt16(at, -3 * i, true);
  for (let i = 0; coloured && i < bodies; i++, at += 4) view.setFloat32(at, 10 * i, true);
  for (let i = 0; i < Math.ceil(bodies / 8); i++) view.setUint8(at + i, 0b101 + i);
  return buffer;
}

test("a frame has its parts in their places", () => {
  for (const coloured of [false, true]) {
    const frame = decode(frameMessage({ bodies: 11, curves: 3, coloured }));
    assert.equal(frame.type, FRAME);
    assert.deepEqual(
      [frame.generation, frame.world, frame.time, frame.seconds, frame.step],
      [7, 1, 1.25, 0.002, 1234567890123],
    );
    assert.deepEqual([...frame.curves], [100, 101, 102]);
    assert.equal(frame.positions.length, 33);
    assert.equal(frame.positions[32], 16);
    assert.equal(frame.rotations.length, 44);
    assert.equal(frame.rotations[43], -129);
    assert.equal(frame.colours?.[10], coloured ? 100 : undefined);
    assert.deepEqual([...frame.asleep], [0b101, 0b110]);
  }
});

test("an empty frame is one, too", () => {
  const frame = decode(frameMessage({ bodies: 0, curves: 0, coloured: false }));
  assert.equal(frame.bodies, 0);
  assert.equal(frame.asleep.length, 0);
});

test("a surface has points, normals and triangles", () => {
  const buffer = new ArrayBuffer(16 + 2 * 36 + 12),
    words = new Uint32Array(buffer),
    floats = new Float32Array(buffer);
  words.set([1, 42, 3, 1]);
  floats.set([1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 1, 0, 0, 1, 0, 0, 1], 4);
  words.set([0, 1, 2], 22);
  const surface = decode(buffer);
  assert.deepEqual([surface.type, surface.number], [SURFACE, 42]);
  assert.deepEqual([...surface.positions], [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.deepEqual([...surface.normals], [0, 0, 1, 0, 0, 1, 0, 0, 1]);
  assert.deepEqual([...surface.indices], [0, 1, 2]);
});

test("marks have kind, layer, value and ends", () => {
  const buffer = new ArrayBuffer(16 + 64),
    words = new Uint32Array(buffer),
    floats = new Float32Array(buffer),
    bytes = new Uint8Array(buffer);
  words.set([3, 5, 2, 1]);
  bytes.set([LINE, 12], 16);
  floats.set([2.5, 1, 2, 3, 4, 5, 6], 5);
  bytes.set([ARROW, 3], 48);
  floats.set([-1, 7, 8, 9, 10, 11, 12], 13);
  const marks = decode(buffer);
  assert.deepEqual([marks.type, marks.generation, marks.count, marks.world], [MARKS, 5, 2, 1]);
  assert.deepEqual([marks.bytes[0], marks.bytes[1], marks.bytes[32], marks.bytes[33]], [LINE, 12, ARROW, 3]);
  assert.deepEqual([...marks.floats.subarray(1, 8)], [2.5, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual([...marks.floats.subarray(9, 16)], [-1, 7, 8, 9, 10, 11, 12]);
});

test("what is cut short or unknown is nothing", () => {
  const whole = frameMessage({ bodies: 5, curves: 2, coloured: true });
  for (let size = 0; size < whole.byteLength; size++) assert.equal(decode(whole.slice(0, size)), null, `${size} bytes`);
  assert.equal(decode(new ArrayBuffer(64)), null);
  assert.equal(decode(new Uint32Array([1, 0, 1e9, 1e9]).buffer), null);
  assert.equal(decode(new Uint32Array([3, 0, 1e9, 0]).buffer), null);
});
