// Surfaces with fewer triangles, for renderers that could not draw all of them: corners that lie in the same cell of a
// grid and look the same way become one.

// Corners of the same cell whose normals have the same signs: two sides of a thin limb stay apart.
function cluster({ positions: p, normals: n, indices }, low, cell) {
  const seats = new Map(), seatOf = new Uint32Array(p.length / 3), points = [], normals = [], counts = [];
  for (let i = 0; i < seatOf.length; i++) {
    const place = [0, 1, 2].map((k) => Math.floor((p[3 * i + k] - low[k]) / cell));
    const side = [0, 1, 2].map((k) => (n[3 * i + k] < 0 ? "-" : "+")).join("");
    const key = `${place.join()} ${side}`;
    let seat = seats.get(key);
    if (seat === undefined) {
      seats.set(key, (seat = counts.length));
      counts.push(0);
      points.push(0, 0, 0);
      normals.push(0, 0, 0);
    }
    seatOf[i] = seat;
    counts[seat]++;
    for (let k = 0; k < 3; k++) {
      points[3 * seat + k] += p[3 * i + k];
      normals[3 * seat + k] += n[3 * i + k];
    }
  }
  const triangles = [];
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b, c] = [seatOf[indices[t]], seatOf[indices[t + 1]], seatOf[indices[t + 2]]];
    if (a !== b && b !== c && c !== a) triangles.push(a, b, c);
  }
  for (let i = 0; i < counts.length; i++) {
    const length = Math.hypot(normals[3 * i], normals[3 * i + 1], normals[3 * i + 2]) || 1;
    for (let k = 0; k < 3; k++) {
      points[3 * i + k] /= counts[i];
      normals[3 * i + k] /= length;
    }
  }
  return { positions: new Float32Array(points), normals: new Float32Array(normals), indices: new Uint32Array(triangles) };
}

// A surface of at most so many triangles; the same one where it has no more.
export function coarsen(surface, most) {
  if (surface.indices.length <= 3 * most) return surface;
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  surface.positions.forEach((value, i) => {
    low[i % 3] = Math.min(low[i % 3], value);
    high[i % 3] = Math.max(high[i % 3], value);
  });
  const size = Math.max(...high.map((value, k) => value - low[k]));
  for (let cells = Math.max(Math.sqrt(most), 2); cells >= 2; cells *= 0.8) {
    const coarse = cluster(surface, low, size / cells);
    if (coarse.indices.length <= 3 * most && coarse.indices.length > 0) return { ...surface, ...coarse };
  }
  return surface;
}
