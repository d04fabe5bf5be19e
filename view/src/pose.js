// Matrices of shapes from poses of bodies, written straight into an array of instances: no objects on the way.

// out[at..at+16] = [R(q) | p] times the shape's own matrix local[from..from+16], column by column. The quaternion need
// not be of unit length: it comes as four 16-bit numbers.
export function writePose(out, at, px, py, pz, x, y, z, w, local, from) {
  const s = 2 / (x * x + y * y + z * z + w * w);
  const xx = s * x * x,
    yy = s * y * y,
    zz = s * z * z,
    xy = s * x * y,
    xz = s * x * z,
    yz = s * y * z;
  const wx = s * w * x,
    wy = s * w * y,
    wz = s * w * z;
  for (let column = 0; column < 4; column++) {
    const i = at + 4 * column,
      k = from + 4 * column,
      a = local[k],
      b = local[k + 1],
      c = local[k + 2];
    out[i] = (1 - yy - zz) * a + (xy - wz) * b + (xz + wy) * c;
    out[i + 1] = (xy + wz) * a + (1 - xx - zz) * b + (yz - wx) * c;
    out[i + 2] = (xz - wy) * a + (yz + wx) * b + (1 - xx - yy) * c;
    out[i + 3] = 0;
  }
  out[at + 12] += px;
  out[at + 13] += py;
  out[at + 14] += pz;
  out[at + 15] = 1;
}

// What is absent has no extent: nothing of it is drawn.
export function writeNothing(out, at) {
  out.fill(0, at, at + 15);
  out[at + 15] = 1;
}

// Notes where bodies are, and which of them moved since the last frame: moved[i] is 1 or 0. Returns how many did.
export function noteMoves(frame, positions, rotations, moved) {
  const p = frame.positions,
    r = frame.rotations;
  let count = 0;
  for (let i = 0, a = 0, b = 0; i < frame.bodies; i++, a += 3, b += 4) {
    const same =
      p[a] === positions[a] &&
      p[a + 1] === positions[a + 1] &&
      p[a + 2] === positions[a + 2] &&
      r[b] === rotations[b] &&
      r[b + 1] === rotations[b + 1] &&
      r[b + 2] === rotations[b + 2] &&
      r[b + 3] === rotations[b + 3];
    moved[i] = same ? 0 : 1;
    count += moved[i];
  }
  positions.set(p);
  rotations.set(r);
  return count;
}
