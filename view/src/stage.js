// The picture: one or two worlds side by side under one camera, with sun, ground and grid.
import * as THREE from "three";
import { Camera } from "./camera.js";
import { coarsen } from "./coarse.js";
import { themes } from "./colours.js";
import { Crowd } from "./crowd.js";
import { Fine } from "./fine.js";
import { Grid } from "./grid.js";
import { light, SKY, SUN_COLOUR } from "./material.js";
import { Marks } from "./marks.js";
import { Occlusion } from "./occlusion.js";
import { Sky } from "./sky.js";
import { makeGeometry } from "./surface.js";
import { findWalls } from "./walls.js";

const MOST = { software: 250000, hardware: 6000000 }; // triangles in a picture
const TRIED = 3; // pictures of each look that are measured
// The looks, from plain to the finest; ms that a picture may take for the next one to be tried, and to stay.
const LOOKS = ["plain", "lit", "fine"], NEXT_MOST = [6, 9, 0], STAY_MOST = [Infinity, 18, 18];
const FEWEST = 300; // triangles that a surface keeps
const SUN = new THREE.Vector3(-0.5, -0.45, 1).normalize();
const box = new THREE.Box3(),
  extra = new THREE.Box3(),
  size = new THREE.Vector3(),
  centre = new THREE.Vector3();

// Renderers in software are told apart by name: they get a plainer picture.
function isSoftware(gl) {
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  return /swiftshader|llvmpipe|software/i.test(names ? gl.getParameter(names.UNMASKED_RENDERER_WEBGL) : "");
}

export class Stage {
  constructor(canvas) {
    const probe = document.createElement("canvas").getContext("webgl2");
    this.software = !probe || isSoftware(probe);
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.software, preserveDrawingBuffer: false });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.autoUpdate = false;
    this.renderer.setScissorTest(true);
    this.canvas = canvas;
    this.scene = new THREE.Scene();
    this.surfaces = new Map(); // number -> message
    this.geometries = new Map(); // number -> BufferGeometry
    this.camera = new Camera(canvas);
    this.grid = new Grid();
    this.worlds = [0, 1].map(() => ({ crowd: new Crowd(), marks: new Marks(), extra: new THREE.Group() }));
    for (const { crowd, marks, extra } of this.worlds) this.scene.add(crowd.group, marks.group, extra);
    this.count = 1;
    this.look = { wireframe: false, fine: false, occlusion: false, shadows: !this.software, grid: true, merge: this.software };
    this.quality = "auto"; // "plain" and "fine" are not measured
    this.costs = [];
    this.occlusion = new Occlusion(this.renderer, this.scene);
    this.fine = new Fine(this.renderer, this.scene);
    this.sky = new Sky(light.up);
    this.radius = 1;
    this.width = this.height = 1;
    this.addLights();
    this.scene.add(this.sky.object, this.grid.object);
    this.setTheme("light");
  }

  addLights() {
    this.diffuse = new THREE.HemisphereLight(SKY.colour, SKY.ground, 1.9);
    this.sun = new THREE.DirectionalLight(SUN_COLOUR, light.sunStrength.value);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.setScalar(this.software ? 1024 : 2048);
    this.sun.shadow.intensity = 0.75;
    this.scene.add(this.diffuse, this.sun, this.sun.target);
  }

  setTheme(name) {
    this.theme = themes[name];
    this.scene.background = new THREE.Color(this.theme.background);
    light.background.value.copy(this.scene.background).convertLinearToSRGB();
    this.sky.setColours(this.theme.background, this.theme.zenith);
    light.skyStrength.value = name === "dark" ? 1.5 : 1.9;
    this.setLights();
    this.grid.setColour(this.theme.grid);
    for (const { crowd } of this.worlds) crowd.setTheme(name);
    this.dirty = true;
  }

  // In the fine picture the surroundings give most of what the hemisphere gives in the plain one.
  setLights() {
    this.diffuse.intensity = (this.look.fine ? 0.3 : 1) * light.skyStrength.value;
    if (this.look.fine) this.fine.light(this.theme, this.up ?? 2);
    else this.fine.dark();
  }

  // "auto", "plain" or "fine".
  setQuality(quality) {
    this.quality = quality;
    this.costs = [];
    this.measured = false;
    this.setFine(quality === "fine" ? "fine" : "plain");
  }
  // "plain"; "lit": physically based materials, light from all around, soft shadows; "fine": ambient occlusion, too.
  setFine(level) {
    const fine = level !== "plain";
    this.look.occlusion = level === "fine";
    if (!this.look.occlusion) this.occlusion.release();
    this.dirty = true;
    if (fine === this.look.fine) return;
    Object.assign(this.look, { fine, merge: this.software && !fine, shadows: fine || !this.software });
    this.sun.castShadow = this.look.shadows;
    this.renderer.shadowMap.needsUpdate = true;
    this.setLights();
    this.resize(this.width, this.height);
    if (this.message) this.rebuild();
  }
  get level() {
    return LOOKS[this.look.fine ? (this.look.occlusion ? 2 : 1) : 0];
  }

  // What pictures cost decides whether the next finer look is tried, and whether it stays. The first picture of a look
  // compiles its programs and does not count.
  measureCost(start) {
    if (this.quality !== "auto" || this.measured || this.planar) return;
    const gl = this.renderer.getContext(), pixel = this.pixel ??= new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); // waits until it is drawn
    this.costs.push(performance.now() - start);
    if (this.costs.length <= TRIED) return;
    const least = Math.min(...this.costs.slice(1)), look = LOOKS.indexOf(this.level);
    this.costs = [];
    if (least > STAY_MOST[look]) this.setFine(LOOKS[look - 1]);
    this.measured = least > NEXT_MOST[look] || look + 1 === LOOKS.length;
    if (!this.measured) this.setFine(LOOKS[look + 1]);
  }

  addSurface(message) {
    this.surfaces.set(message.number, message);
    this.geometries.get(message.number)?.dispose();
    this.geometries.delete(message.number);
  }

  rebuild() {
    const frames = this.worlds.map(({ crowd }) => crowd.frame);
    this.build(this.message);
    this.worlds.forEach(({ crowd }, i) => frames[i] && crowd.place(frames[i]));
  }

  // A scene message: bodies with their shapes. Surfaces have come before.
  build(scene) {
    this.message = scene;
    this.planar = scene.planar;
    this.count = scene.worlds ?? 1;
    this.up = !scene.planar && Math.abs(scene.gravity?.[1] ?? 0) > Math.abs(scene.gravity?.[2] ?? 0) ? 1 : 2; // y or z
    const key = JSON.stringify([scene.name, scene.parameters, scene.planar]);
    if (key !== this.key) {
      this.fresh = true; // fits when the first frame comes
      this.key = key;
      this.walls = new Set();
      this.camera.setKind(scene.planar ? "flat" : this.up === 1 ? "y" : "z");
      this.sky.object.visible = !scene.planar;
      if (this.look.fine) this.setLights();
    }
    this.reach = scene.reach
      ? new THREE.Box3(new THREE.Vector3(...scene.reach[0]), new THREE.Vector3(...scene.reach[1]))
      : null;
    this.rimBreadth = (scene.size ?? 10) / 400;
    const uses = new Map();
    for (const { shapes } of scene.bodies)
      for (const { geometry } of shapes) uses.set(geometry, (uses.get(geometry) ?? 0) + 1);
    for (const [number, geometry] of this.geometries) {
      if (uses.has(number)) continue;
      geometry.dispose();
      this.geometries.delete(number);
    }
    let triangles = 0;
    for (const [number, count] of uses) triangles += (count * (this.surfaces.get(number)?.indices.length ?? 0)) / 3;
    const share = Math.min(1, (this.software ? MOST.software : MOST.hardware) / triangles);
    const geometryOf = (number) => {
      const data = this.surfaces.get(number);
      if (data && !this.geometries.has(number)) {
        const most = Math.max(FEWEST, (share * data.indices.length) / 3);
        this.geometries.set(number, makeGeometry(coarsen(data, most), this.rimBreadth, uses.get(number)));
      }
      return this.geometries.get(number);
    };
    const lift = Math.min(0.1 * this.rimBreadth, (0.3 * (scene.size ?? 10)) / scene.bodies.length);
    for (const { crowd, marks } of this.worlds) {
      crowd.build(scene, geometryOf, { ...this.look, lift, walls: this.walls });
      marks.clear();
      // Springs and cylinders of flat worlds lie over the bodies, which lie over each other.
      marks.group.position.z = scene.planar ? lift * scene.bodies.length + 0.1 * (scene.size ?? 10) : 0;
    }
    this.resize(this.width, this.height);
    this.dirty = true;
  }

  // A frame message: where the bodies of a world are.
  place(frame) {
    const world = this.worlds[frame.world];
    if (!world) return;
    const moved = world.crowd.place(frame);
    if (moved > 0) this.renderer.shadowMap.needsUpdate = true;
    this.dirty = true;
    if (this.fresh && frame.world === 0) {
      this.fresh = false;
      if (!this.planar) this.findWalls();
      this.fit(true);
      this.onFirst?.(this.radius);
      this.unseen = true; // marks may show more, until somebody turns the camera
    }
  }

  findWalls() {
    this.walls = findWalls(this.worlds[0].crowd, this.up);
    if (this.walls.size > 0) for (const { crowd } of this.worlds) crowd.setWalls(this.walls, this.look);
  }

  showMarks(message) {
    const { marks } = this.worlds[message.world] ?? this.worlds[0];
    marks.show(message);
    this.dirty = true;
    if (!this.unseen || this.fresh) return;
    this.unseen = false;
    if (!box.containsBox(marks.bounds(extra.makeEmpty()))) this.fit(true);
  }

  fit(anew = false) {
    this.worlds[0].crowd.bounds(box);
    this.worlds[0].marks.bounds(box);
    if (box.isEmpty()) return;
    if (anew && this.reach) box.union(this.reach); // of the whole motion, where it is known
    const least = this.leastFor(this.worlds[0].crowd);
    if (box.getSize(size).length() < least) box.expandByScalar(least / 2);
    this.measure();
    this.camera.fit(box, anew);
    this.dirty = true;
  }

  // A point mass alone says nothing of where it goes: so much is seen at least, m.
  leastFor({ bodies }) {
    return bodies.filter(({ type }) => type === "dynamic").length > 1 ? 0 : 0.3 * (this.message?.size ?? 1);
  }

  // Brings a body into view.
  fitBody(body) {
    const { crowd } = this.worlds[0];
    if (!crowd.isHere(body)) return this.fit();
    box.makeEmpty();
    for (let shape = crowd.start[body]; shape < crowd.start[body + 1]; shape++) crowd.expand(box, shape);
    box.expandByScalar(0.75 * box.getSize(size).length());
    this.camera.fit(box, false);
    this.camera.touched = true; // it stays there
    this.dirty = true;
  }

  // Ground, sun and marks follow the size of what is there.
  measure() {
    box.getSize(size);
    box.getCenter(centre);
    this.radius = size.length() / 2;
    for (const { marks } of this.worlds) if (marks.radius !== this.radius) marks.setSize(this.radius);
    this.bodySize = this.worlds[0].crowd.usualSize() || this.radius;
    const axis = "xyz"[this.up];
    const ground = this.worlds[0].crowd.ground(this.up);
    this.groundHeight = ground ?? box.min[axis] - 0.2 * this.radius;
    this.camera.setGround(ground !== null);
    this.grid.set(this.groundHeight, this.planar ? null : axis);
    const reach = 1.6 * this.radius,
      shadow = this.sun.shadow;
    this.sun.position.copy(SUN);
    if (this.up === 1) this.sun.position.set(SUN.x, SUN.z, -SUN.y);
    light.towardsSun.value.copy(this.sun.position);
    light.groundHeight.value = ground ?? -1e9;
    light.nearGround.value = 0.12 * this.radius;
    light.up.value.set(0, this.up === 1 ? 1 : 0, this.up === 1 ? 0 : 1);
    this.diffuse.position.copy(light.up.value);
    this.aimSun(centre);
    Object.assign(shadow.camera, {
      left: -reach,
      right: reach,
      top: reach,
      bottom: -reach,
      near: 0.1 * this.radius,
      far: 7 * this.radius,
    });
    shadow.camera.updateProjectionMatrix();
    shadow.normalBias = (2.5 * reach) / shadow.mapSize.x;
    shadow.bias = -0.0004;
  }

  // Shadows are drawn around a place.
  aimSun(place) {
    this.sun.position.copy(light.towardsSun.value).multiplyScalar(3 * this.radius).add(place);
    this.sun.target.position.copy(place);
    this.renderer.shadowMap.needsUpdate = true;
  }

  // Two worlds are coloured by one range.
  shareRange() {
    const [first, second] = this.worlds.map(({ crowd }) => crowd.range);
    first.high = second.high = Math.max(first.high, second.high);
  }

  setLook(look) {
    // Shadows want other meshes.
    const again = this.look.merge && "shadows" in look && look.shadows !== this.look.shadows;
    Object.assign(this.look, look);
    if (again && this.message) this.rebuild();
    else for (const { crowd } of this.worlds) crowd.setLook(this.look);
    this.grid.object.visible = this.look.grid;
    if (this.sun.castShadow !== this.look.shadows) this.sun.castShadow = this.look.shadows;
    this.renderer.shadowMap.needsUpdate = true;
    this.dirty = true;
  }

  resize(width, height) {
    Object.assign(this, { width, height });
    this.renderer.setPixelRatio(this.software ? 1 : Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.setAspect(Math.max(width / this.count, 1) / Math.max(height, 1));
    this.dirty = true;
  }

  // The part of the canvas that shows a world, and where a pixel lies in it, from -1 to 1.
  viewport(world) {
    return { x: (world * this.width) / this.count, width: this.width / this.count };
  }
  worldAt(x) {
    return Math.min(Math.max(Math.floor((x * this.count) / this.width), 0), this.count - 1);
  }
  toUnit(x, y, world, out) {
    const part = this.viewport(world);
    return out.set((2 * (x - part.x)) / part.width - 1, 1 - (2 * y) / this.height);
  }
  toPixel(point, world = 0) {
    const part = this.viewport(world),
      at = point.clone().project(this.camera.camera);
    return [part.x + (0.5 + 0.5 * at.x) * part.width, (0.5 - 0.5 * at.y) * this.height];
  }

  // Draws when anything changed; true when it did.
  draw() {
    if (this.camera.update()) this.dirty = true;
    // A scene is drawn when it has a frame: nothing flickers.
    if (!this.dirty || !this.worlds[0].crowd.frame) return false;
    this.dirty = false;
    const { target } = this.camera.controls;
    this.grid.follow(target, this.camera.seen);
    if (!this.planar && target.distanceTo(this.sun.target.position) > this.radius) this.aimSun(target); // it went along
    const shadows = this.renderer.shadowMap.needsUpdate, start = performance.now();
    for (let world = 0; world < this.count; world++) {
      const { x, width } = this.viewport(world);
      this.worlds.forEach(({ crowd, marks, extra }, i) => {
        crowd.group.visible = marks.group.visible = extra.visible = i === world;
      });
      this.renderer.shadowMap.needsUpdate = shadows || this.count > 1;
      if (this.look.occlusion && !this.planar && this.look.fine)
        this.occlusion.draw(this.camera.camera, { x, width }, this, this.radius, this.bodySize);
      this.renderer.setViewport(x, 0, width, this.height);
      this.renderer.setScissor(x, 0, width, this.height);
      this.renderer.render(this.scene, this.camera.camera);
    }
    this.measureCost(start);
    return true;
  }
}
