// Debug layers: what the engine sees, drawn over the bodies. Springs are coils (red when slack), hydraulic cylinders
// telescopes, the contact graph has the colours of its layers.
import * as THREE from "three";
import { axisColours, layerColour, shareColour, SLACK } from "./colours.js";
import { coil, Dots, Lines, round, Solids } from "./strokes.js";
import { ARROW, LINE, MARK_FLOATS } from "./wire.js";

const MANY_SPRINGS = 300; // more are drawn as lines
const STRETCHED = new Set(["forces", "friction", "velocities", "normals"]); // arrows whose length one may choose
const UNITS = { forces: "N", friction: "N", velocities: "m/s", penetration: "m", springs: "N" }; // of values that are told
const TOUCHING = 1e-6; // of the scene's size: shapes that overlap by less only touch
const PARTS = new Set(["springs", "cylinders", "joints"]),
  place = new THREE.Vector3();
const slack = new THREE.Color(SLACK),
  axes = axisColours.map((css) => new THREE.Color(css));
const scale = Array.from({ length: 32 }, (_, i) => new THREE.Color(shareColour(i / 31)));

export class Marks {
  constructor() {
    this.lines = new Lines(2);
    this.thick = new Lines(4.5);
    this.dots = new Dots(7);
    this.heads = new Solids(round(0, 1), { over: true });
    this.coils = new Solids(coil());
    this.barrels = new Solids(round(1, 1));
    this.rods = new Solids(round(1, 1));
    this.parts = [this.lines, this.thick, this.dots, this.heads, this.coils, this.barrels, this.rods];
    this.group = new THREE.Group();
    this.group.add(...this.parts.map((part) => part.object));
    this.layers = []; // by number: {name, colour}
    this.largest = new Map(); // name of a layer that is shown -> {value, unit}, the largest of its marks
    this.shown = new Set();
    this.stretch = 1;
    this.clear();
    this.setSize(1);
  }

  setLayers(list) {
    this.layers = [];
    for (const { name, number } of list)
      this.layers[number] = { name, colour: new THREE.Color(layerColour(name, number)) };
  }

  setStretch(stretch) {
    this.stretch = stretch;
    this.redraw();
  }

  // How large the scene is, m: what has no size of its own follows it.
  setSize(radius) {
    this.radius = radius;
    this.redraw();
  }

  redraw() {
    if (this.message) this.show(this.message);
  }

  clear() {
    this.message = null;
    this.largest.clear();
    this.shortest = []; // of telescopes
    for (const part of this.parts) {
      part.begin();
      part.end();
    }
  }

  show(message) {
    this.message = message;
    for (const part of this.parts) part.begin();
    const { bytes, floats: f } = message,
      springs = this.countOf(message, "springs");
    let telescopes = 0,
      top = 1;
    for (let i = 0; i < message.count; i++)
      if (this.layers[bytes[32 * i + 1]]?.name === "graph") top = Math.max(top, f[MARK_FLOATS * i + 1]);
    this.largest.clear();
    for (let i = 0; i < message.count; i++) {
      const layer = this.layers[bytes[32 * i + 1]],
        at = MARK_FLOATS * i,
        kind = bytes[32 * i];
      if (!layer || !this.shown.has(layer.name)) continue;
      if (layer.name === "penetration" && f[at + 1] < TOUCHING * this.radius) continue;
      if (layer.name in UNITS || layer.name === "graph") this.noteLargest(layer.name, f[at + 1]);
      const colour = this.colourOf(layer, f[at + 1], top);
      if (kind === ARROW) this.addArrow(f, at, colour, STRETCHED.has(layer.name) ? this.stretch : 1);
      else if (kind !== LINE) this.dots.add(f[at + 2], f[at + 3], f[at + 4], colour);
      else if (layer.name === "springs" && springs <= MANY_SPRINGS) this.addCoil(f, at, colour);
      else if (layer.name === "cylinders") this.addTelescope(f, at, colour, telescopes++);
      else this.addLine(layer.name === "penetration" ? this.thick : this.lines, f, at, colour);
    }
    for (const part of this.parts) part.end();
  }

  noteLargest(name, value) {
    const known = this.largest.get(name);
    if (!known) this.largest.set(name, { value, unit: UNITS[name] ?? "" });
    else if (value > known.value) known.value = value;
  }

  // The box around springs, cylinders and joints: parts of the machine that no body is at.
  bounds(box) {
    const { bytes, floats: f, count } = this.message ?? { count: 0 };
    for (let i = 0; i < count; i++) {
      if (!PARTS.has(this.layers[bytes[32 * i + 1]]?.name) || bytes[32 * i] !== LINE) continue;
      for (const at of [MARK_FLOATS * i + 2, MARK_FLOATS * i + 5]) box.expandByPoint(place.fromArray(f, at));
    }
    return box;
  }

  countOf({ bytes, count }, name) {
    let found = 0;
    for (let i = 0; i < count; i++) if (this.layers[bytes[32 * i + 1]]?.name === name) found++;
    return found;
  }

  colourOf(layer, value, top) {
    if (layer.name === "springs" && value <= 0) return slack;
    if (layer.name === "axes") return axes[value] ?? layer.colour;
    if (layer.name === "graph") return scale[Math.round((31 * Math.min(Math.max(value, 0), top)) / top)];
    return layer.colour;
  }

  addLine(lines, f, at, colour) {
    lines.add(f[at + 2], f[at + 3], f[at + 4], f[at + 5], f[at + 6], f[at + 7], colour);
    if (lines === this.thick) this.dots.add(f[at + 2], f[at + 3], f[at + 4], colour);
  }

  addArrow(f, at, colour, stretch) {
    const x = f[at + 2],
      y = f[at + 3],
      z = f[at + 4];
    const wx = stretch * (f[at + 5] - x),
      wy = stretch * (f[at + 6] - y),
      wz = stretch * (f[at + 7] - z),
      length = Math.hypot(wx, wy, wz);
    if (!(length > 0)) return;
    const head = Math.min(0.3 * length, 0.05 * this.radius),
      share = (length - head) / length;
    this.lines.add(x, y, z, x + share * wx, y + share * wy, z + share * wz, colour);
    this.heads.add(x + share * wx, y + share * wy, z + share * wz, wx, wy, wz, head, 0.32 * head, colour);
  }

  addCoil(f, at, colour) {
    const x = f[at + 2],
      y = f[at + 3],
      z = f[at + 4],
      wx = f[at + 5] - x,
      wy = f[at + 6] - y,
      wz = f[at + 7] - z;
    const length = Math.hypot(wx, wy, wz);
    if (length > 0) this.coils.add(x, y, z, wx, wy, wz, length, Math.min(0.03 * this.radius, 0.16 * length), colour);
  }

  // The barrel is as long as the cylinder was at its shortest; the rod is the rest.
  addTelescope(f, at, colour, number) {
    const x = f[at + 2],
      y = f[at + 3],
      z = f[at + 4],
      wx = f[at + 5] - x,
      wy = f[at + 6] - y,
      wz = f[at + 7] - z;
    const length = Math.hypot(wx, wy, wz);
    if (!(length > 0)) return;
    this.shortest[number] = Math.min(this.shortest[number] ?? Infinity, length);
    const barrel = 0.72 * this.shortest[number],
      breadth = Math.min(0.022 * this.radius, 0.12 * length);
    this.barrels.add(x, y, z, wx, wy, wz, barrel, breadth, colour);
    this.rods.add(x, y, z, wx, wy, wz, length, 0.45 * breadth, colour);
  }
}
