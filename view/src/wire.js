// The wire form of docs/viewer.md: binary messages of the server as plain objects. Little-endian throughout. Arrays
// are views into the message: nothing is copied, and they live as long as the message does.

export const SURFACE = 1,
  FRAME = 2,
  MARKS = 3;
export const PAUSED = 1,
  RECORDED = 2,
  ENDED = 4,
  COLOURED = 8;
export const LINE = 0,
  ARROW = 1,
  POINT = 2;

const SURFACE_HEADER = 16,
  FRAME_HEADER = 48,
  MARKS_HEADER = 16;
export const MARK_FLOATS = 8; // 32 bytes a mark: kind, layer, 0, 0, value, from, to

function surface(buffer) {
  const [, number, points, triangles] = new Uint32Array(buffer, 0, 4);
  if (buffer.byteLength < SURFACE_HEADER + 24 * points + 12 * triangles) return null;
  const positions = new Float32Array(buffer, SURFACE_HEADER, 3 * points);
  const normals = new Float32Array(buffer, SURFACE_HEADER + 12 * points, 3 * points);
  const indices = new Uint32Array(buffer, SURFACE_HEADER + 24 * points, 3 * triangles);
  return { type: SURFACE, number, positions, normals, indices };
}

function frame(buffer) {
  if (buffer.byteLength < FRAME_HEADER) return null;
  const view = new DataView(buffer);
  const bodies = view.getUint32(40, true),
    curveCount = view.getUint32(44, true),
    flags = view.getUint32(12, true);
  const size = (flags & COLOURED ? 24 : 20) * bodies + Math.ceil(bodies / 8);
  if (buffer.byteLength < FRAME_HEADER + 8 * curveCount + size) return null;
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
    bodies,
    positions,
    rotations,
    colours,
    asleep,
    curves,
  };
}

// Mark i: bytes[32 i] is its kind, bytes[32 i + 1] its layer; floats[8 i + 1] its value, then from[3], to[3].
function marks(buffer) {
  const [, generation, count, world] = new Uint32Array(buffer, 0, 4);
  if (buffer.byteLength < MARKS_HEADER + 4 * MARK_FLOATS * count) return null;
  return {
    type: MARKS,
    generation,
    world,
    count,
    bytes: new Uint8Array(buffer, MARKS_HEADER, 4 * MARK_FLOATS * count),
    floats: new Float32Array(buffer, MARKS_HEADER, MARK_FLOATS * count),
  };
}

// A message as an object, or null when it is none that this page knows or is cut short.
export function decode(buffer) {
  if (buffer.byteLength < 16) return null;
  switch (new Uint32Array(buffer, 0, 1)[0]) {
    case SURFACE:
      return surface(buffer);
    case FRAME:
      return frame(buffer);
    case MARKS:
      return marks(buffer);
    default:
      return null;
  }
}
