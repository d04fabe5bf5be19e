// What the camera keeps in view, until somebody turns it: most of what moves now. A body that flies away does not count.
// The camera rests while that fits; when it leaves the picture, or fills little of it, the camera goes along smoothly.
import * as THREE from "three";

const EVERY = 150; // ms between two looks at where bodies are
const FAR = 3.5; // times the median distance from the middle: farther ones have left
const LEAVES = 1.12, SMALL = 0.55, THERE = 0.02; // of the distance that shows all: when the camera starts, and when it is there

const middle = new THREE.Vector3(), size = new THREE.Vector3();
const half = new THREE.Vector3(), shift = new THREE.Vector3(), seen = new THREE.Vector3();

export class Framing {
  constructor(stage) {
    Object.assign(this, { stage, box: new THREE.Box3(), reached: new THREE.Box3(), last: 0, moving: false, anchored: false });
  }

  // Machines that hang on the background go nowhere: all that they have reached stays in view.
  setScene(anchored) {
    Object.assign(this, { anchored, moving: false, last: 0, own: 0 });
    this.reached.makeEmpty();
    this.box.makeEmpty();
  }

  refresh(fresh, now, seconds) {
    const { camera, worlds: [{ crowd }] } = this.stage;
    if (camera.touched || camera.fitted.isEmpty()) return this.rest();
    if (fresh && now - this.last >= EVERY) {
      this.last = now;
      this.look(crowd);
    }
    if (this.box.isEmpty()) return;
    const needed = this.needed(camera), share = needed / camera.span;
    if (!this.moving && (share > LEAVES || share < SMALL)) {
      this.moving = true;
      camera.startFollowing();
    }
    if (!this.moving) return;
    this.box.getCenter(middle);
    const wanted = camera.spanFor(this.box.getSize(size));
    this.moving = camera.glide(middle, wanted, seconds) > THERE;
  }

  rest() {
    this.moving = false;
    this.box.makeEmpty();
    this.reached.makeEmpty();
  }

  look(crowd) {
    this.own ||= 0.5 * this.stage.camera.fitted.getSize(size).length();
    crowd.core(this.box, FAR, 1.2 * this.own);
    if (this.box.isEmpty()) return;
    const least = this.stage.leastFor(crowd);
    if (this.box.getSize(size).length() < least) this.box.expandByScalar(least / 2);
    if (this.anchored) this.box.copy(this.reached.union(this.box));
  }

  // How much of the picture most of what moves takes: 1 is all of it.
  filled() {
    const { camera, worlds: [{ crowd }] } = this.stage, core = new THREE.Box3();
    crowd.core(core, FAR, this.own || 1);
    return 0.82 * camera.spanFor(core.getSize(size)) / camera.span;
  }

  // How far the camera must be to see all of the box from where it looks now.
  needed(camera) {
    seen.copy(camera.controls.target).y -= camera.lift * camera.span;
    half.copy(this.box.max).sub(seen).max(shift.copy(seen).sub(this.box.min)).multiplyScalar(2);
    return camera.spanFor(half);
  }
}
