// Mouse, touch and pen: what is pressed goes to the tool, and to the camera where the tool has no use for it.
import * as THREE from "three";
import { pick } from "./pick.js";

const unit = new THREE.Vector2(),
  caster = new THREE.Raycaster(),
  ground = new THREE.Plane(),
  up = new THREE.Vector3();
const CLICK = 5; // pixels that a press may move and still be a click

export class Pointer {
  // `tools`: {press(hit), move(hit or ray), release(), click(hit), hover(hit), leave()}.
  constructor(stage, canvas, tools) {
    Object.assign(this, { stage, canvas, tools, pressed: null, at: null });
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    for (const name of ["pointerup", "pointercancel"])
      canvas.addEventListener(name, (event) => this.up(event), { capture: true });
    canvas.addEventListener("pointerleave", () => {
      this.at = null;
      tools.leave();
    });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  ray(x, y, world) {
    caster.setFromCamera(this.stage.toUnit(x, y, world, unit), this.stage.camera.camera);
    if (this.stage.planar) caster.ray.origin.z = 100; // orthographic: from the front
    return caster.ray;
  }

  // What lies under a pixel: {world, body or -1, point, normal}.
  hit(x, y) {
    const world = this.stage.worldAt(x),
      ray = this.ray(x, y, world),
      found = pick(this.stage.worlds[world].crowd, ray);
    if (found) return { world, ...found };
    const point = new THREE.Vector3(),
      normal = up.copy(this.stage.camera.camera.up).clone();
    if (this.stage.planar) ray.at(100, point).setZ(0);
    else {
      ground.set(up, -this.stage.groundHeight);
      const target = this.stage.camera.controls.target,
        far = 4 * this.stage.camera.camera.position.distanceTo(target);
      if (!ray.intersectPlane(ground, point) || point.distanceTo(ray.origin) > far) {
        normal.copy(ray.direction).negate();
        ground.setFromNormalAndCoplanarPoint(normal, target);
        ray.intersectPlane(ground, point);
      }
    }
    return { world, body: -1, point, normal };
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  down(event) {
    this.canvas.focus({ preventScroll: true });
    if (this.pressed) {
      if (this.pressed.taken) event.stopImmediatePropagation(); // a second finger does not disturb what the first holds
      return;
    }
    if (event.button !== 0) return;
    const [x, y] = this.place(event),
      hit = this.hit(x, y);
    const taken = this.tools.press(hit);
    this.pressed = { id: event.pointerId, x, y, hit, taken, still: true };
    if (!taken) return;
    event.stopImmediatePropagation(); // the camera stays
    this.canvas.setPointerCapture(event.pointerId);
  }

  move(event) {
    const [x, y] = this.place(event),
      pressed = this.pressed;
    this.at = [x, y];
    this.moved = true;
    if (!pressed) return; // hovering is looked at once a picture
    if (event.pointerId !== pressed.id) return;
    if (Math.hypot(x - pressed.x, y - pressed.y) > CLICK) pressed.still = false;
    if (!pressed.taken) return;
    event.stopImmediatePropagation();
    this.tools.move(this.ray(x, y, pressed.hit.world));
  }

  up(event) {
    const pressed = this.pressed;
    if (!pressed || event.pointerId !== pressed.id) return;
    this.pressed = null;
    if (pressed.taken) {
      event.stopImmediatePropagation();
      this.tools.release(event.type === "pointercancel");
    }
    if (pressed.still && event.type === "pointerup") this.tools.click(pressed.hit);
    if (event.pointerType !== "mouse") this.at = null;
  }

  // Once a picture, so that many events of one moment cost one search.
  refresh() {
    if (this.pressed || !this.at) return;
    if (this.tools.wantsHover) return this.tools.hover(this.hit(...this.at));
    if (!this.moved) return;
    this.moved = false;
    const { body, world } = this.hit(...this.at),
      { bodies } = this.stage.worlds[world].crowd;
    this.canvas.style.cursor = this.tools.cursor(body >= 0 ? bodies[body] : null);
  }
}
