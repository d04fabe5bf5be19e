// The bodies of one world: every geometry is one instanced mesh, every shape an instance of it. Frames touch only
// what moved, and make no objects.
import * as THREE from "three";
import { bodyColours, modeOf, shareColour, themes } from "./colours.js";
import { makeMaterial } from "./material.js";
import { hides, hidesNot } from "./occlusion.js";
import { Merged } from "./merged.js";
import { noteMoves, writeNothing, writePose } from "./pose.js";
import { Range } from "./range.js";
import { finePlane, plainBall } from "./surface.js";

const STEPS = 256; // colours of the scale
const MUCH = 2.5;
const MANY = 200000; // triangles of balls of one kind
const MERGED = 600000; // corners of a merged mesh at most
const linear = (css) => new THREE.Color(css).toArray(); // as the graphics processor wants it
const shown = ([r, g, b]) => new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace).toArray();
const scale = new Float32Array(3 * STEPS);
for (let i = 0; i < STEPS; i++) scale.set(linear(shareColour(i / (STEPS - 1))), 3 * i);
const set = new Float32Array(bodyColours.flatMap(linear));
const local = new THREE.Matrix4(),
  one = new THREE.Vector3(1, 1, 1),
  middle = new THREE.Vector3(),
  corner = new THREE.Vector3(),
  still = new THREE.Box3();

export class Crowd {
  constructor() {
    this.group = new THREE.Group();
    this.meshes = [];
    this.bodies = [];
    this.range = new Range();
    this.mode = "body";
    this.frame = null;
    this.setTheme("light");
  }

  setTheme(name) {
    this.fixed = Object.fromEntries(
      ["static", "kinematic", "asleep", "awake", "ground"].map((key) => [key, linear(themes[name][key])]),
    );
    this.paint();
  }

  clear() {
    for (const mesh of this.meshes) {
      this.group.remove(mesh);
      mesh.material.dispose();
      mesh.dispose();
    }
    this.meshes = [];
    this.frame = null;
  }

  // A scene message. `geometryOf(number)` gives a surface.
  build(scene, geometryOf, look) {
    this.clear();
    this.bodies = scene.bodies;
    this.bodyOwn = new Float32Array(scene.bodies.flatMap(({ colour }, body) => (colour ? linear(colour) : [...set.subarray(3 * (body % bodyColours.length), 3 * (body % bodyColours.length) + 3)])));
    const uses = new Map(),
      count = scene.bodies.length;
    this.start = new Uint32Array(count + 1); // shapes of body i: start[i] up to start[i + 1]
    const meshOf = [],
      indexOf = [],
      locals = [],
      own = [];
    scene.bodies.forEach((body, number) => {
      for (const shape of body.shapes) {
        const geometry = geometryOf(shape.geometry);
        if (!geometry) continue;
        const opacity = shape.colour ? shape.colour[3] : 1;
        const matt = shape.roughness === undefined ? "" : `${shape.roughness} ${shape.metal}`;
        const key = `${shape.geometry} ${shape.sensor ? "sensor" : ""} ${body.type === "dynamic" ? "" : "fixed"} ${opacity} ${matt}`;
        if (!uses.has(key)) uses.set(key, { name: key, geometry, shape, count: 0 });
        const use = uses.get(key);
        const [w, x, y, z] = shape.rotation;
        local.compose(new THREE.Vector3(...shape.position), new THREE.Quaternion(x, y, z, w), one);
        meshOf.push(use);
        indexOf.push(use.count++);
        locals.push(...local.elements);
        own.push(shape.colour ? shown(shape.colour) : null);
        if (scene.planar) locals[locals.length - 2] += number * look.lift; // later bodies lie over earlier ones
      }
      this.start[number + 1] = meshOf.length;
    });
    for (const use of uses.values()) {
      if (use.geometry.userData.flat && !scene.planar)
        use.geometry = finePlane(use.geometry, use.geometry.boundingSphere.radius / Math.SQRT2);
      if (use.geometry.userData.round && (use.count * use.geometry.index.count) / 3 > MANY)
        use.geometry = plainBall(use.geometry);
      use.mesh = this.makeMesh(use, scene.planar, look);
      this.makeGlass(use.mesh, look.walls);
      use.mesh.material = makeMaterial({ ...use.mesh.userData.kind, ...look });
    }
    this.meshOf = meshOf.map((use) => use.mesh);
    this.indexOf = Uint32Array.from(indexOf);
    this.own = own; // colours that shapes have of their own
    this.locals = Float32Array.from(locals);
    this.positions = new Float32Array(3 * count).fill(NaN);
    this.rotations = new Int16Array(4 * count);
    this.moved = new Uint8Array(count);
    this.scratch = null;
    this.range.reset();
    this.paint();
  }

  makeMesh({ name, geometry, shape, count }, planar, look) {
    const kind = {
      planar,
      sensor: !!shape.sensor,
      opacity: shape.colour ? shape.colour[3] : 1,
      roughness: shape.roughness ?? 0.7,
      metal: shape.metal ?? 0,
      reach: geometry.userData.flat ? geometry.boundingSphere.radius / Math.SQRT2 : 0,
      vertexColors: geometry.hasAttribute("color"),
    };
    const merge =
      look.merge && !(look.shadows && !planar) && count > 1 && count * geometry.attributes.position.count < MERGED;
    const mesh = merge ? new Merged(geometry, count) : new THREE.InstancedMesh(geometry, undefined, count);
    if (merge) kind.tables = mesh.tables;
    else {
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      mesh.instanceMatrix.array.fill(0); // nothing is seen before the first frame
      mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * count).fill(1), 3);
    }
    mesh.userData = { kind, geometry };
    mesh.name = name;
    mesh.castShadow = !shape.sensor && !planar && !geometry.userData.flat;
    mesh.receiveShadow = !shape.sensor && !planar;
    if (!shape.sensor && !planar && kind.opacity === 1) hides(mesh);
    mesh.frustumCulled = false; // bounds of instances change with every frame
    this.group.add(mesh);
    this.meshes.push(mesh);
    return mesh;
  }

  // A frame message: where bodies are. Returns how many moved.
  place(frame) {
    if (frame.bodies !== this.bodies.length) return 0;
    const count = noteMoves(frame, this.positions, this.rotations, this.moved);
    const { positions: p, rotations: r } = frame;
    for (let body = 0; count > 0 && body < frame.bodies; body++) {
      if (!this.moved[body]) continue;
      for (let shape = this.start[body]; shape < this.start[body + 1]; shape++) {
        const instances = this.meshOf[shape].instanceMatrix,
          at = 16 * this.indexOf[shape];
        if (p[3 * body] === p[3 * body])
          writePose(
            instances.array,
            at,
            p[3 * body],
            p[3 * body + 1],
            p[3 * body + 2],
            r[4 * body],
            r[4 * body + 1],
            r[4 * body + 2],
            r[4 * body + 3],
            this.locals,
            16 * shape,
          );
        else writeNothing(instances.array, at); // NaN: not in the world
        instances.needsUpdate = true;
      }
    }
    this.frame = frame;
    if (frame.colours || this.mode === "sleeping") this.paint();
    return count;
  }

  isHere(body) {
    return !!this.frame && !Number.isNaN(this.frame.positions[3 * body]);
  }

  isAsleep(body) {
    return !!this.frame && !!((this.frame.asleep[body >> 3] >> (body & 7)) & 1);
  }

  // Colours of all instances; values come with the frame.
  paint() {
    if (this.meshes.length === 0) return;
    const values = this.frame?.colours,
      { kind, whole, least = 0 } = modeOf(this.mode);
    if (kind === "scale" && values) this.noteRange(values, whole, least);
    for (let body = 0; body < this.bodies.length; body++) {
      let from = this.bodyOwn,
        at = 3 * body;
      const { type, colour } = this.bodies[body];
      if (type !== "dynamic" && colour === undefined) [from, at] = [this.fixed[type] ?? this.fixed.kinematic, 0];
      else if (kind === "states") [from, at] = [this.isAsleep(body) ? this.fixed.asleep : this.fixed.awake, 0];
      else if (values && kind === "set") {
        if (values[body] < 0)
          [from, at] = [this.fixed.asleep, 0]; // in none
        else [from, at] = [set, 3 * (values[body] % bodyColours.length)];
      } else if (values && kind === "scale") {
        const share = this.range.high > 0 ? Math.min(Math.max(values[body], 0) / this.range.high, 1) : 0;
        [from, at] = [scale, 3 * Math.round(share * (STEPS - 1))];
      }
      const plain = kind === "set" && !values;
      for (let shape = this.start[body]; shape < this.start[body + 1]; shape++) {
        const colours = this.meshOf[shape].instanceColor,
          to = colours.itemSize * this.indexOf[shape],
          ground = type !== "dynamic" && this.isGround(shape) ? this.fixed.ground : null,
          own = (plain ? this.own[shape] : null) ?? ground;
        for (let i = 0; i < 3; i++) colours.array[to + i] = own ? own[i] : from[at + i];
        colours.needsUpdate = true;
      }
    }
  }

  noteRange(values, whole, least) {
    let largest = least;
    for (let body = 0; body < this.bodies.length; body++)
      if (this.bodies[body].type === "dynamic" && values[body] > largest) largest = values[body];
    if (whole) this.range.high = Math.max(this.range.high, largest);
    else this.range.note(largest);
  }

  // Shadows or none, wireframe or none.
  setLook(look) {
    for (const mesh of this.meshes) {
      mesh.material.dispose();
      mesh.material = makeMaterial({ ...mesh.userData.kind, ...look });
    }
  }

  // Walls that hide what moves, by the names of their meshes, become glass.
  setWalls(names, look) {
    for (const mesh of this.meshes) this.makeGlass(mesh, names);
    this.setLook(look);
  }
  makeGlass(mesh, names) {
    if (!names.has(mesh.name)) return;
    mesh.userData.kind.glass = true;
    mesh.castShadow = mesh.receiveShadow = false;
    hidesNot(mesh);
    mesh.renderOrder = 2;
  }

  // The box around all that moves, and around what does not where that is not much larger.
  bounds(box = new THREE.Box3()) {
    box.makeEmpty();
    if (!this.frame) return box;
    this.eachMoving((body) => {
      for (let shape = this.start[body]; shape < this.start[body + 1]; shape++) this.expand(box, shape);
    });
    return this.addStill(box);
  }

  addStill(box) {
    still.makeEmpty();
    for (let body = 0; body < this.bodies.length; body++) {
      if (this.bodies[body].type === "dynamic" || !this.isHere(body)) continue;
      for (let shape = this.start[body]; shape < this.start[body + 1]; shape++) if (!this.isGround(shape)) this.expand(still, shape);
    }
    if (box.isEmpty() || still.isEmpty()) return box.union(still);
    const size = box.getSize(middle).length();
    return still.union(box).getSize(middle).length() < MUCH * size ? box.copy(still) : box;
  }

  // The box around most of what moves: bodies that are more than `far` times the median distance from the median of places,
  // and more than `near` m, have left. What does not move is in it where that is not much larger.
  core(box, far, near) {
    const median = this.median();
    box.makeEmpty();
    if (!median) return;
    const { positions: p } = this.frame, { distances } = this.scratch;
    let found = 0;
    const distance = (body) => Math.hypot(p[3 * body] - median[0], p[3 * body + 1] - median[1], p[3 * body + 2] - median[2]);
    this.eachMoving((body) => { distances[found++] = distance(body); });
    const most = Math.max(far * distances.subarray(0, found).sort()[found >> 1], near);
    this.eachMoving((body) => {
      if (distance(body) > most) return;
      for (let shape = this.start[body]; shape < this.start[body + 1]; shape++) this.expand(box, shape);
    });
    this.addStill(box);
  }

  // The median diameter of shapes that move, m; 0: there are none.
  usualSize() {
    const sizes = [];
    this.bodies.forEach(({ type }, body) => {
      if (type !== "dynamic") return;
      for (let shape = this.start[body]; shape < this.start[body + 1]; shape++) sizes.push(2 * this.geometryOf(shape).boundingSphere.radius);
    });
    return sizes.length ? sizes.sort((a, b) => a - b)[sizes.length >> 1] : 0;
  }

  eachMoving(visit) {
    for (let body = 0; body < this.bodies.length; body++)
      if (this.bodies[body].type === "dynamic" && this.isHere(body)) visit(body);
  }

  // Where most of what moves is: the median of places.
  median() {
    const count = this.bodies.length;
    this.scratch ??= { places: [[], [], []].map(() => new Float32Array(count)), distances: new Float32Array(count) };
    const { places } = this.scratch;
    let found = 0;
    this.eachMoving((body) => {
      for (let i = 0; i < 3; i++) places[i][found] = this.frame.positions[3 * body + i];
      found++;
    });
    return found ? places.map((list) => list.subarray(0, found).sort()[found >> 1]) : null;
  }

  // Planes in space have no end.
  isGround(shape) {
    const { kind } = this.meshOf[shape].userData;
    return kind.reach > 0 && !kind.planar;
  }

  // The height of the lowest level plane that does not move, or null; up is axis 1 or 2.
  ground(up) {
    let lowest = null;
    this.bodies.forEach(({ type }, body) => {
      if (type === "dynamic" || !this.isHere(body)) return;
      for (let shape = this.start[body]; shape < this.start[body + 1]; shape++) {
        const e = this.meshOf[shape].instanceMatrix.array,
          at = 16 * this.indexOf[shape];
        if (this.geometryOf(shape).userData.flat && e[at + 8 + up] > 0.999)
          lowest = Math.min(lowest ?? Infinity, e[at + 12 + up]);
      }
    });
    return lowest;
  }

  geometryOf(shape) {
    return this.meshOf[shape].userData.geometry;
  }

  // The middle of a shape's bounds in the world.
  shapeMiddle(shape, out) {
    const e = this.meshOf[shape].instanceMatrix.array,
      at = 16 * this.indexOf[shape],
      { center: c } = this.geometryOf(shape).boundingSphere;
    return out.set(
      e[at] * c.x + e[at + 4] * c.y + e[at + 8] * c.z + e[at + 12],
      e[at + 1] * c.x + e[at + 5] * c.y + e[at + 9] * c.z + e[at + 13],
      e[at + 2] * c.x + e[at + 6] * c.y + e[at + 10] * c.z + e[at + 14],
    );
  }

  // A point of a body that is seen: the middle of its first shape.
  middle(body, out) {
    if (this.start[body] < this.start[body + 1]) return this.shapeMiddle(this.start[body], out);
    return out.fromArray(this.frame.positions, 3 * body);
  }

  expand(box, shape) {
    const { radius } = this.geometryOf(shape).boundingSphere;
    this.shapeMiddle(shape, middle);
    box.expandByPoint(corner.copy(middle).subScalar(radius));
    box.expandByPoint(corner.copy(middle).addScalar(radius));
  }
}
