// The tool in hand: pull, add, connect, delete. It gets what the pointer or the keys aim at.
import * as THREE from "three";
import { Adding } from "./adding.js";
import { Connecting } from "./connecting.js";
import { digits, find, make } from "./dom.js";
import { Grab } from "./grab.js";
import { roundUp } from "./range.js";

const SPACE_JOINTS = [
  "ball",
  "hinge",
  "fixed",
  "slider",
  "cylindrical",
  "planar",
  "universal",
  "point-on-line",
  "point-on-plane",
  "parallel",
  "common-axis",
  "rope",
  "distance",
];
const FLAT_JOINTS = ["hinge", "fixed", "slider", "point-on-line", "rope", "distance"];
const HINTS = {
  box: "Click to add; press and draw to throw.",
  joint: "Click one body, then another, or empty space to fix it there.",
  delete: "Click a body to delete it.",
};

export class Tools {
  // `choose(body number or -1)` is told what was clicked; `tell(text)` shows a note.
  constructor(stage, { send, choose, tell }) {
    Object.assign(this, { stage, send, choose, tell, name: "hand", editable: true });
    this.grab = new Grab(stage, send);
    this.adding = new Adding(stage, send);
    this.connecting = new Connecting(stage, send, tell);
    this.options = find("options");
    this.options.addEventListener("submit", (event) => event.preventDefault());
  }

  get adds() {
    return ["box", "ball", "polygon"].includes(this.name);
  }
  get connects() {
    return ["joint", "spring"].includes(this.name);
  }
  get wantsHover() {
    return this.adds || (this.connects && !!this.connecting.first);
  }

  // A new scene: what was held is gone; sizes fit it.
  setScene(scene, kinds) {
    this.editable = scene.editable !== false && !scene.recorded;
    this.kinds = kinds;
    this.use(this.editable ? this.name : "hand");
  }
  // The scene came into view: new bodies fit it.
  setSize(radius) {
    this.adding.size = roundUp(radius / 12) || 0.5;
    this.showOptions();
  }

  use(name) {
    if (!this.editable && name !== "hand") return;
    this.cancel();
    this.name = name;
    if (this.adds) this.adding.choose(name);
    this.connecting.tool = name;
    for (const button of document.querySelectorAll("[data-tool]"))
      button.setAttribute("aria-pressed", button.dataset.tool === name);
    this.showOptions();
  }

  cancel() {
    this.grab.end();
    this.adding.hide();
    this.connecting.cancel();
  }

  showOptions() {
    this.options.hidden = this.name === "hand";
    const hint = make("p", {}, HINTS[this.adds ? "box" : this.connects ? "joint" : "delete"]);
    this.options.replaceChildren(
      ...(this.adds ? [this.sizeOption()] : []),
      ...(this.name === "joint" ? this.jointOptions() : []),
      hint,
    );
  }

  sizeOption() {
    const shown = make("output", {}, `${digits(this.adding.size)} m`),
      middle = this.stage.radius / 10 || 1;
    const slider = make("input", {
      type: "range",
      min: -1.5,
      max: 1.2,
      step: 0.05,
      value: Math.log10(this.adding.size / middle),
      "aria-label": "Size",
      oninput: () => {
        this.adding.size = Number((middle * 10 ** slider.value).toPrecision(2));
        shown.value = `${digits(this.adding.size)} m`;
      },
    });
    return make("label", {}, "Size", slider, shown);
  }

  jointOptions() {
    const kinds = this.kinds ?? (this.stage.planar ? FLAT_JOINTS : SPACE_JOINTS),
      { connecting } = this;
    if (!kinds.includes(connecting.kind)) connecting.kind = kinds[0];
    const select = (label, list, key) =>
      make(
        "label",
        {},
        label,
        make(
          "select",
          {
            onchange: (event) => {
              connecting[key] = event.target.value;
            },
          },
          ...list.map((name) => make("option", { value: name, selected: name === connecting[key] }, name)),
        ),
      );
    return [
      select("Joint", kinds, "kind"),
      ...(this.stage.planar ? [] : [select("axis", ["normal", "x", "y", "z"], "axis")]),
    ];
  }

  // ---- what the pointer does ----

  press(hit) {
    if (!this.editable) return false;
    if (this.name === "hand") return hit.body >= 0 && this.grab.start(hit);
    if (this.adds) this.adding.press(hit);
    return this.adds;
  }

  move(ray) {
    if (this.grab.active) this.grab.move(ray);
    else if (this.adding.pressed) this.adding.draw(ray);
  }

  release(cancelled) {
    if (cancelled) return this.cancel();
    this.grab.end();
    this.adding.release();
  }

  click(hit) {
    if (this.name === "hand") this.choose(hit.body);
    else if (this.connects) this.connecting.click(hit);
    else if (this.name === "delete") this.remove(hit.world, hit.body);
  }

  // Over a body, or over nothing.
  cursor(body) {
    if (!body || !this.editable) return "";
    if (this.name === "hand") return body.type === "dynamic" ? "grab" : "";
    return "crosshair";
  }

  hover(hit) {
    if (this.adds) this.adding.hover(hit);
    else if (this.connects) this.connecting.hover(hit);
  }

  leave() {
    if (this.adds && !this.adding.pressed) this.adding.hide();
  }

  remove(world, body) {
    if (!this.editable || body < 0) return;
    this.send("delete", { body: this.stage.worlds[world].crowd.bodies[body].id });
  }

  // ---- what keys do: at the chosen body, or where one looks ----

  apply(body) {
    if (!this.editable) return;
    const world = 0,
      { crowd } = this.stage.worlds[world],
      normal = new THREE.Vector3(0, 0, 1);
    const point = new THREE.Vector3();
    if (body >= 0 && crowd.isHere(body)) point.fromArray(crowd.frame.positions, 3 * body);
    else point.copy(this.stage.camera.controls.target);
    const hit = { world, body, point, normal };
    if (this.grab.active) this.grab.end();
    else if (this.name === "hand") body >= 0 ? this.grab.start(hit) : this.tell("Choose a body first: ] and [.");
    else if (this.adds) {
      if (body >= 0) point.z += this.stage.planar ? 0 : 2 * this.adding.size;
      this.adding.add(point, new THREE.Vector3());
    } else this.click(hit);
  }

  refresh() {
    this.grab.refresh();
  }
}
