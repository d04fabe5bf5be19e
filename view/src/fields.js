// Fields of the method, changed while it runs. With two worlds each has its own.
import { digits, make } from "./dom.js";

const OF_ALL = new Set(["step", "accuracy"]); // of both worlds

// An input for a field or parameter {kind, choices, low, high}.
export function inputFor(field, value, id) {
  const choices = typeof field.choices === "string" ? field.choices.split("|") : field.choices;
  if (choices)
    return make(
      "select",
      { id },
      ...choices.map((word) => make("option", { value: word, selected: word === String(value) }, word)),
    );
  return make("input", {
    id,
    type: "number",
    value,
    step: field.kind === "count" ? 1 : "any",
    min: field.low,
    max: field.high,
    required: true,
    inputmode: "decimal",
  });
}

// The summary of a field; of words only where it says more than they do.
function hintOf({ choices, summary, low, high }) {
  if (choices) return summary === choices.join(" | ") ? null : make("p", { class: "hint" }, summary);
  return make("p", { class: "hint" }, `${summary} (${digits(low)} to ${digits(high)})`);
}

export class Fields {
  constructor(send) {
    Object.assign(this, { send, inputs: new Map(), state: {}, world: 0 });
    this.element = make("div");
  }

  build(fields) {
    this.inputs.clear();
    this.filter = make("input", {
      type: "search",
      placeholder: "Find a field",
      "aria-label": "Find a field of the method",
      oninput: () => this.find(),
    });
    this.which = make("select", {
      "aria-label": "Whose fields",
      onchange: () => {
        this.world = Number(this.which.value);
        this.fill();
      },
    });
    this.rows = fields.map((field) => this.row(field));
    const step = this.row({
      name: "step",
      kind: "number",
      low: 1e-6,
      high: 1,
      value: 0.01,
      summary: "length of a step, s",
    });
    const accuracy = this.row({ name: "accuracy", kind: "number", low: 0, high: 1, value: 0,
      summary: "wanted error of positions, m: steps become as long as it allows; 0: steps of fixed length" });
    this.body = make(
      "details",
      {},
      make("summary", {}, `Fields of the method (${fields.length})`),
      this.which,
      this.filter,
      ...this.rows,
    );
    this.element.replaceChildren(step, accuracy, this.body);
  }

  row(field) {
    const id = `field-${field.name}`,
      input = inputFor(field, field.value, id);
    const row = make(
      "div",
      { class: "field", "data-words": `${field.name} ${field.summary}`.toLowerCase() },
      make("label", { for: id }, field.name),
      input,
      hintOf(field),
    );
    input.addEventListener("change", () => {
      if (!input.reportValidity()) return;
      const value = field.choices ? input.value : Number(input.value);
      this.send("set", {
        field: field.name,
        value,
        ...(this.world > 0 && !OF_ALL.has(field.name) ? { world: this.world } : {}),
      });
    });
    this.inputs.set(field.name, { input, row });
    return row;
  }

  find() {
    const word = this.filter.value.toLowerCase();
    for (const row of this.rows) row.hidden = !row.dataset.words.includes(word);
  }

  setState(state) {
    this.state = state;
    const names = state.compare ? [state.method, state.compare] : [state.method];
    this.world = Math.min(this.world, names.length - 1);
    this.which.hidden = names.length < 2;
    this.which.replaceChildren(
      ...names.map((name, i) =>
        make("option", { value: i, selected: i === this.world }, `${i ? "right" : "left"}: ${name}`),
      ),
    );
    this.fill();
  }

  // Shows values of the state; what somebody is typing stays.
  fill() {
    const values = { ...(this.world ? this.state.compare_fields : this.state.fields), step: this.state.step, accuracy: this.state.accuracy };
    for (const [name, value] of Object.entries(values)) {
      const known = this.inputs.get(name);
      if (!known || value === undefined || document.activeElement === known.input) continue;
      known.input.value = known.input.type === "number" ? Number(value) : value;
    }
  }
}
