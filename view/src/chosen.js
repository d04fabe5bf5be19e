// The chosen body: its edges drawn over the picture, and a card with its name, place and speed.
import * as THREE from "three";
import { digits, find, make } from "./dom.js";

const SHARP = 25; // degrees between faces whose edge is drawn

export class Chosen {
  constructor(stage) {
    Object.assign(this, { stage, body: -1, card: find("chosen"), shown: "" });
    this.outlines = stage.worlds.map(() => new THREE.Group());
    this.material = new THREE.LineBasicMaterial({ depthTest: false, transparent: true, opacity: 0.85 });
    stage.worlds.forEach(({ extra }, i) => extra.add(this.outlines[i]));
  }

  // A body by its number in the scene, or -1.
  set(body) {
    const { crowd } = this.stage.worlds[0];
    this.body = body < crowd.bodies.length ? body : -1;
    for (const outline of this.outlines) {
      for (const child of outline.children) child.geometry.dispose();
      outline.clear();
    }
    this.card.hidden = this.body < 0;
    this.shown = "";
    this.stage.dirty = true;
    if (this.body < 0) return;
    this.outlines.forEach((outline, world) => {
      const { crowd: own } = this.stage.worlds[world];
      for (let shape = own.start[body]; shape < own.start[body + 1]; shape++) {
        const { geometry } = own.meshOf[shape];
        let edges = new THREE.EdgesGeometry(geometry, SHARP);
        if (edges.attributes.position.count === 0) edges = new THREE.WireframeGeometry(geometry); // all round
        const lines = new THREE.LineSegments(edges, this.material);
        lines.matrixAutoUpdate = false;
        lines.renderOrder = 9;
        lines.userData = { mesh: own.meshOf[shape], at: 16 * own.indexOf[shape] };
        outline.add(lines);
      }
    });
  }

  // Once a picture.
  refresh() {
    if (this.body < 0) return;
    this.material.color.set(this.stage.theme.chosen);
    for (const outline of this.outlines) {
      for (const lines of outline.children) {
        lines.matrix.fromArray(lines.userData.mesh.instanceMatrix.array, lines.userData.at);
        lines.matrixWorldNeedsUpdate = true;
      }
    }
    this.showCard();
  }

  showCard() {
    const { crowd } = this.stage.worlds[0], { frame } = crowd, { name, id, type } = crowd.bodies[this.body];
    if (!frame) return;
    const here = crowd.isHere(this.body), p = frame.positions.subarray(3 * this.body, 3 * this.body + 3);
    const speed = this.speed(frame);
    const rows = [["Body", `${name || "unnamed"} (${id})`], ["Type", crowd.isAsleep(this.body) ? `${type}, asleep` : type],
                  ["Place", here ? [...p].map((value) => value.toFixed(3)).join("  ") + " m" : "not in the world"],
                  ["Speed", speed === null ? "–" : `${digits(Number(speed.toPrecision(3)))} m/s`]];
    const text = rows.join();
    if (text === this.shown) return;
    this.shown = text;
    this.card.replaceChildren(...rows.flatMap(([key, value]) => [make("dt", {}, key), make("dd", {}, value)]));
  }

  // From two frames: m/s of the body's frame.
  speed(frame) {
    const p = frame.positions, at = 3 * this.body, old = this.old;
    if (old && frame.time > old.time && old.body === this.body)
      this.lastSpeed = Math.hypot(p[at] - old.place[0], p[at + 1] - old.place[1], p[at + 2] - old.place[2]) / (frame.time - old.time);
    if (!old || old.body !== this.body) this.lastSpeed = null;
    if (!old || frame.time !== old.time || old.body !== this.body)
      this.old = { body: this.body, time: frame.time, place: [p[at], p[at + 1], p[at + 2]] };
    return this.lastSpeed;
  }
}
