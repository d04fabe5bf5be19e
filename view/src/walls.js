// Walls around what moves: a silo or a pit. They are drawn like glass, and bodies behind them can be taken hold of.
import * as THREE from "three";

const FEWEST = 3; // walls that make a container
const matrix = new THREE.Matrix4(), moving = new THREE.Box3(), all = new THREE.Box3(), own = new THREE.Box3();
const middle = new THREE.Vector3();

function boxOf(crowd, shape, out) {
  const geometry = crowd.geometryOf(shape);
  if (!geometry.boundingBox) geometry.computeBoundingBox();
  matrix.fromArray(crowd.meshOf[shape].instanceMatrix.array, 16 * crowd.indexOf[shape]);
  return out.copy(geometry.boundingBox).applyMatrix4(matrix);
}

function each(crowd, moves, visit) {
  crowd.bodies.forEach(({ type }, body) => {
    if ((type === "dynamic") !== moves || !crowd.isHere(body)) return;
    for (let shape = crowd.start[body]; shape < crowd.start[body + 1]; shape++)
      if (moves || !crowd.isGround(shape)) visit(shape, boxOf(crowd, shape, own));
  });
}

// The names of meshes of walls, if they stand around all that moves; what lies under it is a floor, not a wall. `up`: 1 or 2.
export function findWalls(crowd, up) {
  const level = ["x", up === 1 ? "z" : "y"], walls = new Set();
  moving.makeEmpty();
  all.makeEmpty();
  each(crowd, true, (shape, box) => moving.union(box));
  moving.getCenter(middle);
  each(crowd, false, (shape, box) => {
    if (level.every((axis) => box.min[axis] < middle[axis] && box.max[axis] > middle[axis])) return;
    walls.add(shape);
    all.union(box);
  });
  const around = level.every((axis) => all.min[axis] <= moving.min[axis] && all.max[axis] >= moving.max[axis]);
  return walls.size >= FEWEST && around ? new Set([...walls].map((shape) => crowd.meshOf[shape].name)) : new Set();
}
