// New bodies: a ghost shows where one would be, on the surface that is pointed at; pressing and drawing throws it.
import * as THREE from "three";
import { Lines } from "./strokes.js";

const THROW = 3; // 1/s: a body that is drawn 1 m goes at 3 m/s
const flatGeometries = {
  box: () => new THREE.PlaneGeometry(1, 1),
  ball: () => new THREE.CircleGeometry(0.5, 40),
  polygon: () => new THREE.CircleGeometry(0.5, 6).rotateZ(Math.PI / 6),
};
const solidGeometries = {
  box: () => new THREE.BoxGeometry(1, 1, 1),
  ball: () => new THREE.SphereGeometry(0.5, 24, 16),
  polygon: () => new THREE.CylinderGeometry(0.5, 0.5, 0.5, 6).rotateX(Math.PI / 2),
};
const plane = new THREE.Plane(),
  facing = new THREE.Vector3(),
  drawn = new THREE.Vector3();

export class Adding {
  constructor(stage, send) {
    Object.assign(this, { stage, send, kind: "box", size: 1, pressed: false, velocity: new THREE.Vector3() });
    this.material = new THREE.MeshBasicMaterial({
      transparent: true,
      opacity: 0.45,
      depthWrite: false,
      side: THREE.DoubleSide,
    });
    this.ghost = new THREE.Mesh(new THREE.BufferGeometry(), this.material);
    this.ghost.renderOrder = 5;
    this.arrow = new Lines(3);
    this.colour = new THREE.Color();
  }

  choose(kind) {
    this.kind = kind;
    this.ghost.geometry.dispose();
    this.ghost.geometry = (this.stage.planar ? flatGeometries : solidGeometries)[kind]();
    this.hide();
  }

  hide() {
    this.ghost.removeFromParent();
    this.arrow.object.removeFromParent();
    this.pressed = false;
    this.stage.dirty = true;
  }

  hover(hit) {
    if (this.pressed) return;
    this.ghost.scale.setScalar(this.size);
    this.ghost.position.copy(hit.point);
    if (this.stage.planar) this.ghost.position.z = 0;
    else this.ghost.position.addScaledVector(hit.normal, (this.kind === "polygon" ? 0.25 : 0.5) * this.size * 1.01);
    this.colour.set(this.stage.theme.ghost);
    this.material.color.copy(this.colour);
    this.stage.worlds[hit.world].extra.add(this.ghost);
    this.stage.dirty = true;
  }

  press(hit) {
    this.hover(hit);
    this.pressed = true;
    this.velocity.set(0, 0, 0);
    this.stage.worlds[hit.world].extra.add(this.arrow.object);
    this.arrow.begin();
    this.arrow.end();
  }

  draw(ray) {
    facing.set(0, 0, 1).applyQuaternion(this.stage.camera.camera.quaternion);
    const at = this.ghost.position;
    plane.setFromNormalAndCoplanarPoint(facing, at);
    if (!ray.intersectPlane(plane, drawn)) return;
    this.velocity.copy(drawn).sub(at).multiplyScalar(THROW);
    if (this.velocity.length() < 0.5 * THROW * this.size) this.velocity.set(0, 0, 0); // a click that shook
    this.arrow.begin();
    if (this.velocity.lengthSq() > 0) this.arrow.add(at.x, at.y, at.z, drawn.x, drawn.y, drawn.z, this.colour);
    this.arrow.end();
    this.stage.dirty = true;
  }

  release() {
    if (!this.pressed) return;
    this.add(this.ghost.position, this.velocity);
    this.hide();
  }

  add(point, velocity) {
    const thrown = velocity.lengthSq() > 0 ? { velocity: velocity.toArray() } : {};
    this.send("add", { kind: this.kind, point: point.toArray(), size: this.size, ...thrown });
  }

  // A ball from where one looks, into the picture; in flat worlds from its left edge.
  shoot() {
    const { camera, controls } = this.stage.camera,
      from = new THREE.Vector3(),
      way = new THREE.Vector3();
    if (this.stage.planar) {
      from.set(-0.95, 0, 0).unproject(camera).setZ(0);
      way.copy(controls.target).setZ(0).sub(from);
    } else {
      way.copy(controls.target).sub(camera.position);
      from.copy(camera.position).addScaledVector(way, 0.25);
      way.multiplyScalar(0.75);
    }
    const kind = this.kind;
    this.kind = "ball";
    this.add(from, way.multiplyScalar(1.6)); // there in about 0.6 s
    this.kind = kind;
  }
}
