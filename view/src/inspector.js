// Figures of the chosen body: mass, place and speeds, which can be changed, the force of its contacts, and the coordinates and
// reactions of its joints. A joint has a handle for each freedom: it moves the joint, or the target of its motor. The engine is
// asked a few times a second while a body is chosen.
import { digits, make } from "./dom.js";

const EVERY = 250; // ms
const FIELDS = [
  ["mass", "Mass", "kg"],
  ["position", "Place", "m"],
  ["velocity", "Velocity", "m/s"],
  ["angular_velocity", "Turning", "rad/s"],
];
const AXES = ["x", "y", "z"];

const size = (vector) => Math.hypot(...vector);
export const figure = (value) => (Math.abs(value) < 1e-9 ? "0" : digits(Number(value.toPrecision(4))));
const unitOf = (freedom) => (freedom.startsWith("turn") ? "rad" : "m");

export class Inspector {
  constructor(element, send) {
    Object.assign(this, { element, send, body: null, asked: 0, editable: false });
    this.inputs = new Map();
    this.facts = make("dl");
    this.joints = make("div");
    this.undo = make("button", { type: "button", class: "plain", onclick: () => send("undo"), title: "Take the last change back [U]" }, "Undo");
    this.form = make("form", { onsubmit: (event) => event.preventDefault(), "aria-label": "Figures of the chosen body" }, ...FIELDS.map((field) => this.row(field)));
    element.append(this.form, this.facts, this.joints, this.undo);
  }

  row([key, label, unit]) {
    const parts = key === "mass" ? [label] : AXES.map((axis) => `${label} ${axis}`);
    const inputs = parts.map((part) => make("input", { type: "number", step: "any", "aria-label": `${part}, ${unit}`, onchange: () => this.change(key) }));
    this.inputs.set(key, inputs);
    return make("div", { class: "figures", role: "group", "aria-label": label }, make("span", {}, label), ...inputs, make("span", { class: "unit" }, unit));
  }

  // The id of a body, or null.
  set(body, editable) {
    Object.assign(this, { body, editable, asked: 0 });
    this.element.hidden = body === null;
    for (const inputs of this.inputs.values()) for (const input of inputs) Object.assign(input, { disabled: !editable, value: "" });
    this.facts.replaceChildren();
    this.joints.replaceChildren();
    this.undo.hidden = true;
  }

  // Once a picture.
  refresh(now) {
    if (this.body === null || now - this.asked < EVERY) return;
    this.asked = now;
    this.send("inspect", { body: this.body });
  }

  change(key) {
    const values = this.inputs.get(key).map(({ value }) => Number(value));
    if (!values.every(Number.isFinite)) return;
    this.send("change", { body: this.body, [key]: key === "mass" ? values[0] : values });
    document.activeElement?.blur?.();
    this.asked = 0;
  }

  // An `inspected` message.
  show(message) {
    if (message.body !== this.body) return;
    for (const [key, inputs] of this.inputs) {
      const values = [message[key]].flat();
      inputs.forEach((input, i) => {
        const text = figure(values[i]);
        if (input !== document.activeElement && input.value !== text) input.value = text; // not under somebody's hands
      });
    }
    const facts = [["Kinetic energy", `${figure(message.energy)} J`], ["Contact force", `${figure(size(message.contact_force))} N`]];
    this.facts.replaceChildren(...facts.flatMap(([key, value]) => [make("dt", {}, key), make("dd", {}, value)]));
    const open = new Set([...this.joints.querySelectorAll("details[open]")].map(({ dataset }) => dataset.id)); // stay so
    this.joints.replaceChildren(...message.joints.map((joint) => this.joint(joint, open.has(String(joint.id)))));
    this.undo.hidden = !this.editable || message.undo === 0;
  }

  joint({ id, kind, name, force, torque, coordinates, indeterminate }, open) {
    const rows = [
      ...coordinates.map(({ freedom, position, rate }) => [freedom, `${figure(position)} ${unitOf(freedom)}, ${figure(rate)} ${unitOf(freedom)}/s`]),
      ["force", `${figure(size(force))} N`],
      ["torque", `${figure(size(torque))} N m`],
    ];
    const title = `${name ? `${kind} “${name}”` : kind}${indeterminate ? " (one of many solutions)" : ""}`;
    const handles = this.editable ? coordinates.map((coordinate) => this.handle(id, coordinate)) : [];
    return make("details", { open, "data-id": id }, make("summary", {}, title), ...handles, make("dl", {}, ...rows.flatMap(([key, value]) => [make("dt", {}, key), make("dd", {}, value)])));
  }

  // A slider over the range of a freedom, or half a turn or a metre to both sides of where it is. It is kept while somebody holds it.
  handle(id, { freedom, position, target, lower, upper }) {
    const drives = target !== undefined, key = `${id} ${freedom}`, held = document.activeElement;
    if (held?.dataset?.handle === key) return held.parentElement;
    const value = drives ? target : position, reach = freedom.startsWith("turn") ? Math.PI : 1;
    const [low, high] = lower === undefined ? [value - reach, value + reach] : [lower, upper];
    const label = `${drives ? "target of " : ""}${freedom}, ${unitOf(freedom)}`;
    const slider = make("input", {
      type: "range", min: Math.min(low, value), max: Math.max(high, value), step: "any", value, "aria-label": label, "data-handle": key,
      oninput: () => this.send("turn", { joint: id, freedom, [drives ? "target" : "position"]: Number(slider.value) }),
      onchange: () => slider.blur(),
    });
    return make("label", { class: "handle" }, make("span", {}, drives ? `→ ${freedom}` : freedom), slider);
  }
}
