// Joints and springs between two bodies: one is clicked, then the other; a line leads from the first to the pointer.
import * as THREE from "three";
import { Dots, Lines } from "./strokes.js";

const BACKGROUND = 0; // what nothing moves
const AXES = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
const turned = new THREE.Quaternion(),
  place = new THREE.Vector3();

export class Connecting {
  constructor(stage, send, tell) {
    Object.assign(this, { stage, send, tell, tool: "joint", kind: "ball", axis: "normal", first: null });
    this.line = new Lines(3);
    this.dots = new Dots(10);
    this.colour = new THREE.Color();
  }

  cancel() {
    this.first = null;
    this.line.object.removeFromParent();
    this.dots.object.removeFromParent();
    this.stage.dirty = true;
  }

  click(hit) {
    if (hit.body < 0 && !this.first) return this.tell(`A ${this.tool} needs a body: point at one.`);
    const { crowd, extra } = this.stage.worlds[hit.world],
      id = hit.body < 0 ? BACKGROUND : crowd.bodies[hit.body].id;
    if (!this.first) {
      this.first = {
        id,
        body: hit.body,
        world: hit.world,
        own: this.toBody(crowd.frame, hit),
        normal: hit.normal.clone(),
      };
      extra.add(this.line.object, this.dots.object);
      this.hover(hit);
      return;
    }
    if (this.first.id === id) return this.tell("Two different bodies are needed.");
    const from = this.anchor(crowd.frame).toArray(),
      to = hit.point.toArray();
    if (this.tool === "spring") this.send("spring", { a: this.first.id, b: id, point_a: from, point_b: to });
    else this.send("join", { kind: this.kind, a: this.first.id, b: id, point: from, point_b: to, ...this.axisOf() });
    this.cancel();
  }

  axisOf() {
    if (this.stage.planar) return {};
    return { axis: AXES[this.axis] ?? this.first.normal.toArray() };
  }

  toBody(frame, { body, point }) {
    this.pose(frame, body);
    return point.clone().sub(place).applyQuaternion(turned.invert());
  }

  pose(frame, body) {
    place.fromArray(frame.positions, 3 * body);
    const r = frame.rotations,
      at = 4 * body;
    turned.set(r[at], r[at + 1], r[at + 2], r[at + 3]).normalize();
  }

  // Where the first point is now: its body may move.
  anchor(frame) {
    this.pose(frame, this.first.body);
    return this.first.own.clone().applyQuaternion(turned).add(place);
  }

  hover(hit) {
    if (!this.first) return;
    const { crowd } = this.stage.worlds[this.first.world];
    if (!crowd.frame || !crowd.isHere(this.first.body)) return this.cancel();
    const from = this.anchor(crowd.frame),
      to = hit.point;
    this.colour.set(this.stage.theme.ghost);
    this.line.begin();
    this.line.add(from.x, from.y, from.z, to.x, to.y, to.z, this.colour);
    this.line.end();
    this.dots.begin();
    this.dots.add(from.x, from.y, from.z, this.colour);
    if (hit.body >= 0) this.dots.add(to.x, to.y, to.z, this.colour);
    this.dots.end();
    this.stage.dirty = true;
  }
}
