// The panel of scene and method: scenes with a filter, parameters, presets, a second method to compare with, fields.
import { digits, find, icon, make } from "./dom.js";
import { Fields, inputFor } from "./fields.js";

export class Setup {
  constructor(element, send) {
    Object.assign(this, { element, send, chosen: null, scene: null, state: {} });
  }

  // A hello message.
  setChoices(hello) {
    this.hello = hello;
    this.filter = make("input", {
      type: "search",
      placeholder: "Find a scene",
      "aria-label": "Find a scene",
      oninput: () => this.listScenes(),
    });
    this.list = make("ul", { class: "list", "aria-label": "Scenes" });
    this.parameters = make("form", { onsubmit: (event) => this.load(event) });
    this.method = this.methodSelect("Method", (name) => this.send("method", { name }));
    this.other = this.methodSelect("Compare with", (name) => this.send("compare", { method: name || null }), "nothing");
    this.fields = new Fields(this.send);
    this.alive = make(
      "div",
      {},
      make("h2", {}, "Method"),
      this.method.row,
      this.method.hint,
      this.other.row,
      this.fields.element,
      make("h2", {}, "State"),
      make(
        "div",
        { class: "row" },
        this.button("Save as a scene file", () => this.send("export")),
      ),
    );
    this.fields.build(hello.fields, hello.methods);
    this.element.replaceChildren(make("h2", {}, "Scene"), this.filter, this.list, this.parameters, this.alive);
    this.listScenes();
  }

  button(text, onclick) {
    return make("button", { type: "button", onclick }, text);
  }

  methodSelect(label, change, none) {
    const id = `choose-${label.toLowerCase().replaceAll(" ", "-")}`;
    const select = make(
      "select",
      { id, onchange: () => change(select.value) },
      ...(none ? [make("option", { value: "" }, none)] : []),
      ...this.hello.methods.map(({ name, summary }) => make("option", { value: name, title: summary }, name)),
    );
    return {
      select,
      hint: make("p", { class: "hint" }),
      row: make("div", { class: "field" }, make("label", { for: id }, label), select),
    };
  }

  listScenes() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = ({ name, summary }) => words.every((word) => `${name} ${summary}`.toLowerCase().includes(word));
    const found = this.hello.scenes.filter(fits);
    this.list.replaceChildren(
      ...found.map((scene) =>
        make(
          "li",
          {},
          make(
            "button",
            {
              type: "button",
              "aria-current": scene.name === this.chosen?.name,
              onclick: () => this.choose(scene),
              ondblclick: () => this.load(),
            },
            make("strong", {}, scene.name),
            make("span", {}, scene.summary),
          ),
        ),
      ),
    );
    if (found.length === 0)
      this.list.append(make("li", { class: "hint" }, "No scene has that in its name or description."));
  }

  choose(scene, values = {}) {
    this.chosen = scene;
    for (const button of this.list.querySelectorAll("button"))
      button.setAttribute("aria-current", button.firstChild.textContent === scene.name);
    this.inputs = new Map();
    const rows = (scene.parameters ?? []).map((parameter) => {
      const given = parameter.value ?? parameter.default,
        id = `parameter-${parameter.name}`;
      const input = inputFor(
        { ...parameter, kind: parameter.choices ? "word" : "number" },
        values[parameter.name] ?? given,
        id,
      );
      this.inputs.set(parameter.name, { input, given });
      const limits = parameter.choices ? "" : `; ${digits(parameter.low)} to ${digits(parameter.high)}`;
      return make(
        "div",
        { class: "field" },
        make("label", { for: id }, parameter.name),
        input,
        make(
          "p",
          { class: "hint" },
          `${parameter.summary} (default ${typeof given === "number" ? digits(given) : given}${limits})`,
        ),
      );
    });
    this.parameters.replaceChildren(
      make("h2", {}, scene.name),
      make("p", { class: "hint" }, scene.summary),
      ...rows,
      make(
        "div",
        { class: "row" },
        make("button", { class: "main", type: "submit" }, "Load"),
        ...(rows.length ? [this.button("Defaults", () => this.choose(scene))] : []),
      ),
    );
  }

  load(event) {
    event?.preventDefault();
    if (!this.chosen || !this.parameters.reportValidity()) return;
    const parameters = {};
    for (const [name, { input, given }] of this.inputs) {
      const value = typeof given === "number" ? Number(input.value) : input.value;
      if (value !== given) parameters[name] = value;
    }
    this.send("load", { scene: this.chosen.name, parameters });
  }

  // A scene message: what runs is marked, with its parameters.
  setScene(scene) {
    const known = this.hello?.scenes.find(({ name }) => name === scene.name),
      other = this.scene?.name !== scene.name;
    this.scene = scene;
    this.alive.hidden = !!scene.recorded || scene.editable === false;
    if (!known || !other) return;
    this.choose(known, scene.parameters);
    this.showChosen();
  }

  // Brings the chosen scene into view, without moving anything but the list.
  showChosen() {
    const item = this.list?.querySelector("[aria-current=true]")?.parentElement;
    if (item) this.list.scrollTop = item.offsetTop - this.list.offsetTop - this.list.clientHeight / 3;
  }

  setState(state) {
    this.state = state;
    if (!this.hello) return;
    for (const [{ select, hint }, name] of [
      [this.method, state.method],
      [this.other, state.compare ?? ""],
    ]) {
      if (name && ![...select.options].some((option) => option.value === name))
        select.append(make("option", { value: name }, name));
      select.value = name ?? "";
      hint.textContent = this.hello.methods.find((method) => method.name === name)?.summary ?? "";
    }
    this.fields.setState(state);
  }

  focusFilter() {
    this.filter?.focus();
    this.filter?.select();
  }
  focusCompare() {
    this.other?.select.focus();
  }
}
