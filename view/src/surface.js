// Surfaces as three.js draws them. Flat ones get a darker rim, round ones a pattern, so that one sees where a body ends
// and how it turns.
import * as THREE from "three";

const RIM = 0.62,
  PATTERN = 0.8; // shares of the body's colour
const LIFT = 0.05; // of the rim's breadth, towards the viewer
const MANY = 20000; // triangles
const WHOLE = 1e-4; // what counts as the same place, as a share of the size

function sizeOf(positions) {
  let size = 0;
  for (const value of positions) size = Math.max(size, Math.abs(value));
  return size;
}

export function isFlat({ positions }) {
  for (let i = 2; i < positions.length; i += 3) if (positions[i] !== 0) return false;
  return true;
}

// True when all points have the same distance from the middle.
function isRound({ positions }) {
  if (positions.length < 3 * 60) return false; // corners of a box have one distance, too
  const radius = Math.hypot(positions[0], positions[1], positions[2]);
  for (let i = 0; i < positions.length; i += 3)
    if (Math.abs(Math.hypot(positions[i], positions[i + 1], positions[i + 2]) - radius) > 1e-3 * radius) return false;
  return radius > 0;
}

// Edges of a flat surface that only one triangle has, as [from, to] numbers of points.
export function outline({ positions, indices }) {
  const step = WHOLE * (sizeOf(positions) || 1),
    names = new Map(),
    ids = new Array(positions.length / 3);
  for (let i = 0; i < ids.length; i++) {
    const name = `${Math.round(positions[3 * i] / step)},${Math.round(positions[3 * i + 1] / step)}`;
    if (!names.has(name)) names.set(name, i);
    ids[i] = names.get(name);
  }
  const edges = new Map();
  for (let t = 0; t < indices.length; t += 3)
    for (let k = 0; k < 3; k++) {
      const from = ids[indices[t + k]],
        to = ids[indices[t + ((k + 1) % 3)]];
      if (edges.has(`${to},${from}`)) edges.delete(`${to},${from}`);
      else edges.set(`${from},${to}`, [from, to]);
    }
  return [...edges.values()];
}

// The rim as two triangles an edge, on the inner (left) side of it; a round surface also gets a spoke.
function addRim(data, breadth) {
  const edges = outline(data),
    p = data.positions,
    points = [],
    triangles = [];
  const strip = (ax, ay, bx, by) => {
    const length = Math.hypot(bx - ax, by - ay) || 1,
      nx = (-(by - ay) / length) * breadth,
      ny = ((bx - ax) / length) * breadth;
    const first = p.length / 3 + points.length / 3;
    points.push(
      ax,
      ay,
      LIFT * breadth,
      bx,
      by,
      LIFT * breadth,
      bx + nx,
      by + ny,
      LIFT * breadth,
      ax + nx,
      ay + ny,
      LIFT * breadth,
    );
    triangles.push(first, first + 1, first + 2, first, first + 2, first + 3);
  };
  for (const [a, b] of edges) strip(p[3 * a], p[3 * a + 1], p[3 * b], p[3 * b + 1]);
  if (isRound({ positions: new Float32Array(edges.flatMap(([a]) => [p[3 * a], p[3 * a + 1], 0])) }))
    strip(0, 0, p[3 * edges[0][0]], p[3 * edges[0][0] + 1]);
  const count = p.length / 3 + points.length / 3,
    colours = new Float32Array(3 * count).fill(1, 0, p.length);
  colours.fill(RIM, p.length);
  const normals = new Float32Array(3 * count);
  for (let i = 2; i < normals.length; i += 3) normals[i] = 1;
  const positions = new Float32Array([...p, ...points]),
    indices = new Uint32Array([...data.indices, ...triangles]);
  return { positions, normals, indices, colours };
}

function addPattern(data) {
  const p = data.positions,
    colours = new Float32Array(p.length);
  for (let i = 0; i < p.length; i += 3) colours.fill(p[i] * p[i + 1] * p[i + 2] < 0 ? PATTERN : 1, i, i + 3);
  return { ...data, colours };
}

// A plane of many corners in place of one of four.
export function finePlane(geometry, reach) {
  const plane = new THREE.PlaneGeometry(2 * reach, 2 * reach, 32, 32);
  plane.computeBoundingSphere();
  plane.userData = geometry.userData;
  return plane;
}

// A plainer ball in place of one that is drawn very often.
export function plainBall(geometry) {
  const ball = new THREE.SphereGeometry(geometry.boundingSphere.radius, 10, 6).deleteAttribute("uv");
  ball.computeBoundingSphere();
  return ball;
}

// How broad and high a flat surface is: the smaller of both.
function breadthOf({ positions }) {
  const low = [Infinity, Infinity],
    high = [-Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 3)
    for (const k of [0, 1]) {
      low[k] = Math.min(low[k], positions[i + k]);
      high[k] = Math.max(high[k], positions[i + k]);
    }
  return Math.min(high[0] - low[0], high[1] - low[1]);
}

// `breadth`: of the rim, m. What is drawn very often has none: nobody would see it.
export function makeGeometry(data, breadth, uses = 1) {
  const flat = isFlat(data),
    round = !flat && isRound(data);
  if (flat && data.indices.length > 0 && (uses * data.indices.length) / 3 < MANY)
    data = addRim(data, Math.min(breadth, 0.08 * breadthOf(data)));
  else if (round) data = addPattern(data);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(data.positions, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(data.normals, 3));
  if (data.colours) geometry.setAttribute("color", new THREE.BufferAttribute(data.colours, 3));
  geometry.setIndex(new THREE.BufferAttribute(data.indices, 1));
  geometry.computeBoundingSphere();
  Object.assign(geometry.userData, { flat, round });
  return geometry;
}
