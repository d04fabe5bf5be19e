// A body is pulled: the pointer moves on a plane that faces the camera, through the point that was grabbed. The
// server has the spring and damper; here a line shows the pull.
import * as THREE from "three";
import { Dots, Lines } from "./strokes.js";

const plane = new THREE.Plane(),
  facing = new THREE.Vector3(),
  turned = new THREE.Quaternion(),
  held = new THREE.Vector3();

export class Grab {
  constructor(stage, send) {
    Object.assign(this, { stage, send, body: -1, target: new THREE.Vector3(), own: new THREE.Vector3() });
    this.line = new Lines(3);
    this.dots = new Dots(9);
    this.colour = new THREE.Color();
  }

  get active() {
    return this.body >= 0;
  }

  // `hit`: {world, body, point}; true when that body can be pulled.
  start(hit) {
    const { crowd, extra } = this.stage.worlds[hit.world];
    if (crowd.bodies[hit.body].type !== "dynamic") return false;
    this.world = hit.world;
    this.body = hit.body;
    this.target.copy(hit.point);
    this.pose(crowd.frame);
    this.own.copy(hit.point).sub(held).applyQuaternion(turned.invert());
    extra.add(this.line.object, this.dots.object);
    this.send("grab", { body: crowd.bodies[hit.body].id, point: hit.point.toArray(), world: hit.world });
    this.waiting = false;
    return true;
  }

  // Where the body's frame is now: `held` and `turned`.
  pose(frame) {
    held.fromArray(frame.positions, 3 * this.body);
    const r = frame.rotations,
      at = 4 * this.body;
    turned.set(r[at], r[at + 1], r[at + 2], r[at + 3]).normalize();
  }

  move(ray) {
    facing.set(0, 0, 1).applyQuaternion(this.stage.camera.camera.quaternion);
    plane.setFromNormalAndCoplanarPoint(facing, this.target);
    if (ray.intersectPlane(plane, held)) {
      this.target.copy(held);
      this.waiting = true;
    }
  }

  // By keys: shares of what one sees.
  moveBy(right, up) {
    const step = this.stage.camera.metresPerPixel(this.target, this.stage.height) * this.stage.height;
    held.set(right * step, up * step, 0).applyQuaternion(this.stage.camera.camera.quaternion);
    this.target.add(held);
    this.waiting = true;
  }

  end() {
    if (!this.active) return;
    if (this.waiting) this.send("drag", { point: this.target.toArray() });
    this.body = -1;
    this.send("drop");
    this.line.object.removeFromParent();
    this.dots.object.removeFromParent();
    this.stage.dirty = true;
  }

  // Once a picture: the line, and at most one message.
  refresh() {
    if (!this.active) return;
    const { crowd } = this.stage.worlds[this.world];
    if (!crowd.frame || !crowd.isHere(this.body)) return this.end();
    if (this.waiting) this.send("drag", { point: this.target.toArray() });
    this.waiting = false;
    this.pose(crowd.frame);
    const from = this.own.clone().applyQuaternion(turned).add(held),
      to = this.target;
    this.colour.set(this.stage.theme.ghost);
    this.line.begin();
    this.line.add(from.x, from.y, from.z, to.x, to.y, to.z, this.colour);
    this.line.end();
    this.dots.begin();
    this.dots.add(from.x, from.y, from.z, this.colour);
    this.dots.add(to.x, to.y, to.z, this.colour);
    this.dots.end();
    this.stage.dirty = true;
  }
}
