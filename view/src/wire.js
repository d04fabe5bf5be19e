// The wire form of docs/viewer.md: binary messages of the server as plain objects. Little-endian throughout.

export const SURFACE = 1, FRAME = 2, MARKS = 3;
export const PAUSED = 1, RECORDED = 2, ENDED = 4, COLOURED = 8;

const FRAME_HEADER = 48, MARK_SIZE = 32;

function surface(buffer) {
  const [, number, points, triangles] = new Uint32Array(buffer, 0, 4);
  const positions = new Float32Array(buffer, 16, 3 * points);
  const normals = new Float32Array(buffer, 16 + 12 * points, 3 * points);
  const indices = new Uint32Array(buffer, 16 + 24 * points, 3 * triangles);
  return { type: SURFACE, number, positions, normals, indices };
}

function frame(buffer) {
  const view = new DataView(buffer);
  const bodies = view.getUint32(40, true), curveCount = view.getUint32(44, true), flags = view.getUint32(12, true);
  let at = FRAME_HEADER;
  const curves = new Float64Array(buffer, at, curveCount);
  at += 8 * curveCount;
  const positions = new Float32Array(buffer, at, 3 * bodies);
  at += 12 * bodies;
  const rotations = new Int16Array(buffer, at, 4 * bodies);
  at += 8 * bodies;
  const colours = flags & COLOURED ? new Float32Array(buffer, at, bodies) : null;
  at += colours ? 4 * bodies : 0;
  const asleep = new Uint8Array(buffer, at, Math.ceil(bodies / 8));
  return {
    type: FRAME,
    generation: view.getUint32(4, true),
    world: view.getUint32(8, true),
    flags,
    time: view.getFloat64(16, true),
    seconds: view.getFloat64(24, true),
    step: Number(view.getBigUint64(32, true)),
    bodies, positions, rotations, colours, asleep, curves,
  };
}

function marks(buffer) {
  const view = new DataView(buffer);
  const count = view.getUint32(8, true), list = new Array(count);
  for (let i = 0, at = 16; i < count; i++, at += MARK_SIZE) {
    const numbers = new Float32Array(buffer, at + 4, 7);
    list[i] = { kind: view.getUint8(at), layer: view.getUint8(at + 1), value: numbers[0], from: numbers.subarray(1, 4),
                to: numbers.subarray(4, 7) };
  }
  return { type: MARKS, generation: view.getUint32(4, true), world: view.getUint32(12, true), list };
}

// A message as an object, or null when it is none that this page knows.
export function decode(buffer) {
  if (buffer.byteLength < 16) return null;
  switch (new Uint32Array(buffer, 0, 1)[0]) {
    case SURFACE: return surface(buffer);
    case FRAME: return frame(buffer);
    case MARKS: return marks(buffer);
    default: return null;
  }
}
