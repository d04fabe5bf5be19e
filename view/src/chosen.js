// The chosen body: its edges drawn over the picture, and a card with its name, place and speed.
import * as THREE from "three";
import { digits, find, icon, make } from "./dom.js";

const MOST_LINKS = 4;
const SHARP = 25; // degrees between faces whose edge is drawn

export class Chosen {
  constructor(stage) {
    Object.assign(this, { stage, body: -1, card: find("chosen"), shown: "" });
    this.facts = make("dl");
    this.links = make("ul");
    this.card.append(this.facts, this.links);
    this.figures = false;
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
    this.showLinks();
    this.stage.dirty = true;
    if (this.body < 0) return;
    this.outlines.forEach((outline, world) => {
      const { crowd: own } = this.stage.worlds[world];
      for (let shape = own.start[body]; shape < own.start[body + 1]; shape++) {
        const geometry = own.geometryOf(shape);
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

  // Joints and springs of the chosen body, which can be deleted here.
  setLinks(scene, remove) {
    Object.assign(this, { scene, remove });
    this.showLinks();
  }
  showLinks() {
    this.links.replaceChildren();
    const id = this.stage.worlds[0].crowd.bodies[this.body]?.id;
    if (id === undefined || !this.scene) return;
    const own = [
      ["joint", this.scene.joints],
      ["force", this.scene.forces],
    ].flatMap(([what, list]) =>
      (list ?? []).filter(({ a, b }) => a === id || b === id).map((link) => ({ what, ...link })),
    );
    for (const { what, id: number, kind, name } of own.slice(0, MOST_LINKS)) {
      const text = name ? `${kind} “${name}”` : kind;
      const button = make(
        "button",
        {
          type: "button",
          "aria-label": `Delete ${text}`,
          title: `Delete ${text}`,
          onclick: () => this.remove(what, number),
        },
        icon("delete"),
      );
      this.links.append(make("li", {}, make("span", {}, text), ...(this.remove ? [button] : [])));
    }
    if (own.length > MOST_LINKS)
      this.links.append(make("li", { class: "hint" }, `and ${own.length - MOST_LINKS} more`));
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
    const { crowd } = this.stage.worlds[0],
      { frame } = crowd,
      { name, id, type } = crowd.bodies[this.body];
    if (!frame) return;
    const here = crowd.isHere(this.body),
      p = frame.positions.subarray(3 * this.body, 3 * this.body + 3);
    const speed = this.speed(frame);
    const rows = [
      ["Body", `${name || "unnamed"} (${id})`],
      ["Type", crowd.isAsleep(this.body) ? `${type}, asleep` : type],
      [
        "Place",
        here
          ? [...p].map((value) => (Math.abs(value) < 5e-4 ? 0 : value).toFixed(3)).join("  ") + " m"
          : "not in the world",
      ],
      ["Speed", speed === null ? "–" : `${speed < 1e-6 ? 0 : digits(Number(speed.toPrecision(3)))} m/s`],
    ];
    if (this.figures) rows.splice(2); // place and speed stand among the figures
    const text = rows.join();
    if (text === this.shown) return;
    this.shown = text;
    this.facts.replaceChildren(...rows.flatMap(([key, value]) => [make("dt", {}, key), make("dd", {}, value)]));
  }

  // From two frames: m/s of the body's frame.
  speed(frame) {
    const p = frame.positions,
      at = 3 * this.body,
      old = this.old;
    if (old && frame.time > old.time && old.body === this.body)
      this.lastSpeed =
        Math.hypot(p[at] - old.place[0], p[at + 1] - old.place[1], p[at + 2] - old.place[2]) / (frame.time - old.time);
    if (!old || old.body !== this.body) this.lastSpeed = null;
    if (!old || frame.time !== old.time || old.body !== this.body)
      this.old = { body: this.body, time: frame.time, place: [p[at], p[at + 1], p[at + 2]] };
    return this.lastSpeed;
  }
}
