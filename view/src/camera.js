// Where one looks from: a perspective camera about z for space, an orthographic one from the front for flat worlds.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Spring } from "./spring.js";

// Where one first looks from, by what is up.
const FROM = {
  z: new THREE.Vector3(0.52, -0.76, 0.46).normalize(),
  y: new THREE.Vector3(0.4, 0.25, 0.9).normalize(),
  flat: new THREE.Vector3(0, 0, 1),
};
const size = new THREE.Vector3(),
  centre = new THREE.Vector3(),
  shift = new THREE.Vector3(),
  way = new THREE.Vector3();
const LONGEST = 0.5; // s between two pictures that following makes up for
const ROOM = 0.82; // of the picture that a box fills when it is fitted
const BESIDE = 0.89; // likewise from the front, of its width and of what covers leave of its height
const corner = new THREE.Vector3(),
  side = new THREE.Vector3(),
  top = new THREE.Vector3();
const round = new THREE.Spherical(),
  upright = new THREE.Quaternion(),
  axisY = new THREE.Vector3(0, 1, 0);

export class Camera {
  constructor(canvas) {
    this.kinds = {};
    for (const kind of ["z", "y", "flat"]) {
      const camera =
        kind === "flat"
          ? new THREE.OrthographicCamera(-1, 1, 1, -1, -1e4, 1e4)
          : new THREE.PerspectiveCamera(38, 1, 0.01, 1e5);
      camera.up.set(0, kind === "z" ? 0 : 1, kind === "z" ? 1 : 0);
      const controls = new OrbitControls(camera, canvas);
      Object.assign(controls, { enabled: false, zoomToCursor: true, dampingFactor: 0.2, enableDamping: true });
      controls.addEventListener("start", () => {
        this.touched = true;
      });
      this.kinds[kind] = { camera, controls };
    }
    const flat = this.kinds.flat.controls;
    flat.enableRotate = false;
    flat.mouseButtons = { LEFT: THREE.MOUSE.PAN, MIDDLE: THREE.MOUSE.DOLLY, RIGHT: THREE.MOUSE.PAN };
    flat.touches = { ONE: THREE.TOUCH.PAN, TWO: THREE.TOUCH.DOLLY_PAN };
    this.aspect = 1;
    this.height = 2; // m that the orthographic camera sees
    this.covered = { above: 0, below: 0 }; // shares of the height under the dial and the time bar
    this.touched = false; // somebody chose where to look
    this.fitted = new THREE.Box3();
    this.spring = new Spring();
    this.reach = new Spring(2.5); // of the distance's logarithm
    this.setKind("z");
  }

  // "flat", or the axis that is up.
  setKind(kind) {
    this.kind = kind;
    this.planar = kind === "flat";
    for (const { controls } of Object.values(this.kinds)) controls.enabled = false;
    Object.assign(this, this.kinds[kind]); // camera, controls
    this.controls.enabled = true;
    this.camera.position.copy(FROM[kind]).add(this.controls.target);
    this.setAspect(this.aspect);
  }

  // Where there is ground one does not look from below it.
  setGround(is) {
    this.controls.maxPolarAngle = (is ? 0.497 : 0.97) * Math.PI;
  }

  setAspect(aspect) {
    const refit = aspect !== this.aspect && !this.touched && !this.fitted.isEmpty();
    this.aspect = aspect;
    if (refit) return this.fit(this.fitted.clone(), false);
    if (this.planar) {
      const half = this.height / 2;
      Object.assign(this.camera, { left: -half * aspect, right: half * aspect, top: half, bottom: -half });
    } else this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
  }

  // Brings a box into view; from where one first looks, or from where one looks now.
  fit(box, anew) {
    this.touched = false;
    this.fitted.copy(box);
    box.getCenter(centre);
    box.getSize(size);
    way.copy(this.camera.position).sub(this.controls.target).normalize();
    if (anew || way.lengthSq() === 0) way.copy(FROM[this.kind]);
    this.controls.target.copy(centre);
    if (this.planar) {
      this.height = this.spanFor(size);
      this.controls.target.y = centre.y += this.lift * this.height;
      this.camera.zoom = 1;
      this.camera.position.copy(centre).addScaledVector(way, 2 * this.height);
      Object.assign(this.camera, { near: 0.1 * this.height, far: 4 * this.height }); // close by: depths are told apart
      this.setAspect(this.aspect);
    } else {
      const distance = this.distanceFor(size);
      this.camera.position.copy(centre).addScaledVector(way, distance);
      this.camera.aspect = this.aspect;
      this.camera.near = distance / 500;
      this.camera.far = distance * 200;
      this.camera.updateProjectionMatrix();
    }
    this.spring.rest(this.controls.target.toArray());
    this.controls.update();
  }

  // From how far away along `way` all corners of a box are seen, with room for the tools beside it.
  distanceFor(size) {
    const high = ROOM * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)), wide = high * this.aspect;
    side.crossVectors(this.camera.up, way).normalize();
    top.crossVectors(way, side);
    let distance = Math.max(0.3 * size.length(), 1e-3);
    for (let i = 0; i < 8; i++) {
      corner.set(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5).multiply(size);
      const across = Math.max(Math.abs(corner.dot(side)) / wide, Math.abs(corner.dot(top)) / high);
      distance = Math.max(distance, corner.dot(way) + across);
    }
    return distance;
  }

  // Follows a point, as if on a spring with a damper.
  follow(point, seconds) {
    const [x, y, z] = this.spring.pull(point, Math.min(seconds, LONGEST));
    this.shift(shift.set(x, y, z).sub(this.controls.target));
  }

  // By which share of the height a flat world is looked at from above its middle, which so lies in the middle of what is not covered.
  get lift() {
    return this.planar ? (this.covered.above - this.covered.below) / 2 : 0;
  }

  // Goes towards looking at a point from a distance, smoothly. How far it has still to go, of that distance.
  glide(point, span, seconds) {
    const time = Math.min(seconds, LONGEST), before = this.span;
    point.y += this.lift * span;
    this.follow(point.toArray(), seconds);
    this.reach.place[0] = Math.log(before);
    this.setSpan(Math.exp(this.reach.pull([Math.log(span), 0, 0], time)[0]));
    return Math.abs(this.span / span - 1) + this.controls.target.distanceTo(point) / span;
  }

  // From how far away, or how high a picture, a box of this size is seen.
  spanFor(size) {
    const { above, below } = this.covered;
    if (this.planar) return Math.max(size.y / Math.max(1 - above - below, 0.3), size.x / this.aspect, 1e-3) / BESIDE;
    way.copy(this.camera.position).sub(this.controls.target).normalize();
    return this.distanceFor(size);
  }
  get span() {
    return this.planar ? this.height / this.camera.zoom : this.camera.position.distanceTo(this.controls.target);
  }
  setSpan(span) {
    const factor = span / this.span;
    if (this.planar) {
      this.camera.zoom /= factor;
      this.camera.updateProjectionMatrix();
      return;
    }
    this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    if (span < 20 * this.camera.near || span > 0.02 * this.camera.far) {
      Object.assign(this.camera, { near: span / 500, far: span * 200 });
      this.camera.updateProjectionMatrix();
    }
  }

  startFollowing() {
    this.spring.rest(this.controls.target.toArray());
    this.reach.rest([Math.log(this.span), 0, 0]);
  }

  shift(by) {
    this.controls.target.add(by);
    this.camera.position.add(by);
  }

  // Turns about what one looks at, in rad; to the right and up.
  turn(right, up) {
    this.touched = true;
    if (this.planar) return this.pan(right, up);
    upright.setFromUnitVectors(this.camera.up, axisY);
    way.copy(this.camera.position).sub(this.controls.target).applyQuaternion(upright);
    round.setFromVector3(way);
    round.theta += right;
    round.phi = Math.min(Math.max(round.phi - up, 0.03), this.controls.maxPolarAngle);
    way.setFromSpherical(round).applyQuaternion(upright.invert());
    this.camera.position.copy(this.controls.target).add(way);
  }

  // About how much one sees, m.
  get seen() {
    return this.planar ? this.height / this.camera.zoom : this.camera.position.distanceTo(this.controls.target);
  }

  // Moves sideways and up, by shares of what one sees.
  pan(right, up) {
    this.touched = true;
    shift.set(right * this.seen, up * this.seen, 0).applyQuaternion(this.camera.quaternion);
    this.shift(shift);
  }

  zoom(factor) {
    this.touched = true;
    if (this.planar) {
      this.camera.zoom *= factor;
      this.camera.updateProjectionMatrix();
    } else this.camera.position.sub(this.controls.target).divideScalar(factor).add(this.controls.target);
  }

  // How many metres a pixel is, at a point.
  metresPerPixel(point, height) {
    if (this.planar) return this.height / this.camera.zoom / height;
    const distance = Math.max(
      way
        .copy(point)
        .sub(this.camera.position)
        .dot(shift.set(0, 0, -1).applyQuaternion(this.camera.quaternion)),
      1e-6,
    );
    return (2 * distance * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2))) / height;
  }

  // True when the view moved since the last call.
  update() {
    this.controls.update();
    this.camera.updateMatrixWorld();
    const { elements: e } = this.camera.matrixWorld,
      key = this.key ?? (this.key = new Float64Array(18));
    let changed = key[16] !== this.camera.zoom || key[17] !== this.aspect;
    for (let i = 0; i < 16; i++) changed ||= key[i] !== e[i];
    key.set(e);
    key[16] = this.camera.zoom;
    key[17] = this.aspect;
    return changed;
  }
}
