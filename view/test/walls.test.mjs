// Walls around what moves are found, floors and single walls are not.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";
import { findWalls } from "../src/walls.js";

// A crowd of boxes [type, middle, size], each with a mesh of its own.
function crowdOf(boxes) {
  const meshes = boxes.map(([, [x, y, z], size], i) => ({
    name: `mesh ${i}`,
    geometry: new THREE.BoxGeometry(...size),
    instanceMatrix: { array: new THREE.Matrix4().makeTranslation(x, y, z).elements },
  }));
  return {
    bodies: boxes.map(([type]) => ({ type })),
    start: boxes.map((_, i) => i).concat(boxes.length),
    meshOf: meshes,
    indexOf: boxes.map(() => 0),
    isHere: () => true,
    isGround: () => false,
    geometryOf: (shape) => meshes[shape].geometry,
  };
}

const inside = [["dynamic", [-1, 0, 0], [1, 1, 1]], ["dynamic", [1, 0.5, 3], [1, 1, 1]]];
const walls = [
  ["static", [-3, 0, 0], [1, 6, 4]],
  ["static", [3, 0, 0], [1, 6, 4]],
  ["static", [0, -3, 0], [6, 1, 4]],
  ["static", [0, 3, 0], [6, 1, 4]],
];
const floor = ["static", [0, 0, -2], [8, 8, 1]];

test("four walls are a container, its floor is none of them", () => {
  assert.deepEqual([...findWalls(crowdOf([...inside, floor, ...walls]), 2)], ["mesh 3", "mesh 4", "mesh 5", "mesh 6"]);
});

test("two walls hide nothing, nor do four when something is outside", () => {
  assert.equal(findWalls(crowdOf([...inside, ...walls.slice(0, 2)]), 2).size, 0);
  assert.equal(findWalls(crowdOf([...inside, ["dynamic", [9, 0, 0], [1, 1, 1]], ...walls]), 2).size, 0);
  assert.equal(findWalls(crowdOf([...inside, floor]), 2).size, 0);
});

test("where y is up, walls stand around in x and z", () => {
  const turned = (list) => list.map(([type, [x, y, z], [a, b, c]]) => [type, [x, z, y], [a, c, b]]);
  assert.equal(findWalls(crowdOf(turned([...inside, ...walls])), 1).size, 4);
  assert.equal(findWalls(crowdOf(turned([...inside, ...walls])), 2).size, 0);
});
