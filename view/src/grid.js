// A grid without end: lines of unit spacing that fade with the distance, scaled to 1, 2 or 5 times a power of ten by
// what one sees, and moved along with what one looks at by whole squares.
import * as THREE from "three";
import { roundUp } from "./range.js";

const HALF = 50,
  EVERY = 5,
  PIECES = 10; // lines to a side, of which every fifth is stronger; pieces of a line
const FAINT = 0.2,
  STRONG = 0.42;

function unitGrid() {
  const places = [],
    colours = [];
  const add = (x, y, strength) => {
    places.push(x, y, 0);
    colours.push(1, 1, 1, strength * (1 - THREE.MathUtils.smoothstep(Math.hypot(x, y), 0.3 * HALF, 0.95 * HALF)));
  };
  for (let line = -HALF; line <= HALF; line++)
    for (let piece = 0; piece < PIECES; piece++)
      for (const end of [piece, piece + 1]) {
        const along = HALF * (-1 + (2 * end) / PIECES),
          strength = line % EVERY === 0 ? STRONG : FAINT;
        add(line, along, strength);
      }
  const count = places.length / 3;
  for (let i = 0; i < count; i++) {
    // the same the other way
    places.push(places[3 * i + 1], places[3 * i], 0);
    colours.push(...colours.slice(4 * i, 4 * i + 4));
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(places, 3));
  geometry.setAttribute("color", new THREE.Float32BufferAttribute(colours, 4));
  return geometry;
}

export class Grid {
  constructor() {
    this.material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    this.object = new THREE.LineSegments(unitGrid(), this.material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 1;
  }

  // `up`: "y" or "z" with the height along it, m, or null behind flat worlds.
  set(height, up) {
    Object.assign(this, { height, up });
    this.object.rotation.x = up === "y" ? -Math.PI / 2 : 0;
  }

  // Once a picture. `seen`: about how much one sees, m.
  follow(target, seen) {
    const spacing = roundUp(seen / 22) || 1,
      square = EVERY * spacing,
      lift = 5e-4 * seen;
    const x = square * Math.round(target.x / square),
      y = square * Math.round(target.y / square),
      z = square * Math.round(target.z / square);
    this.object.scale.setScalar(spacing);
    if (this.up === "y") this.object.position.set(x, this.height + lift, z);
    else this.object.position.set(x, y, this.up === "z" ? this.height + lift : -lift);
  }

  setColour(css) {
    this.material.color.set(css);
  }
}
