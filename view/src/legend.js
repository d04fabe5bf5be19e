// What colours and marks mean, at the lower right.
import { layerColour, modeOf, shareColour, SLACK } from "./colours.js";
import { valueText } from "./curves-units.js";
import { make } from "./dom.js";

const SCALE = Array.from({ length: 9 }, (_, i) => shareColour(i / 8)).join();
// What is told of the marks of a layer beside its largest value.
const TEXTS = {
  forces: "normal force up to",
  friction: "friction up to",
  velocities: "speed up to",
  penetration: "overlap up to",
  springs: "spring force up to",
  graph: "stack layers up to",
};

export class Legend {
  constructor(element, { hold }) {
    this.hold = hold; // called with true or false: the range stays as it is
    this.element = element;
    this.mode = this.listed = "";
    this.colours = make("div");
    this.marks = make("div", { class: "marks" });
    element.append(this.colours, this.marks);
  }

  // `largest` of the marks that are shown: name of a layer -> {value, unit}.
  show(mode, theme, high, range, largest) {
    this.showColours(mode, theme, high, range);
    this.showMarks(largest);
    this.element.hidden = this.colours.hidden && this.marks.hidden;
  }

  // The scale is drawn once a mode; its ends follow the range.
  showColours(mode, theme, high, range) {
    const { kind, text, unit } = modeOf(mode);
    this.colours.hidden = kind === "set";
    if (kind === "set") return (this.mode = "");
    const key = `${mode} ${theme.asleep}`;
    if (key !== this.mode) {
      this.mode = key;
      this.unit = unit;
      this.colours.replaceChildren(...(kind === "states" ? this.states(theme) : this.scale(text, range)));
    }
    if (kind === "scale" && this.high !== high) {
      this.high = high;
      this.end.value = valueText(Number(high.toPrecision(3)), unit, 3);
    }
  }

  // A line for each layer whose marks have sizes; values change in place.
  showMarks(largest) {
    const names = [...largest.keys()].filter((name) => name in TEXTS).sort();
    this.marks.hidden = names.length === 0;
    if (names.join() !== this.listed) {
      this.listed = names.join();
      this.outputs = new Map(names.map((name) => [name, make("output")]));
      this.marks.replaceChildren(...names.flatMap((name) => this.line(name)));
    }
    for (const name of names) {
      const { value, unit } = largest.get(name), text = valueText(Number(value.toPrecision(3)), unit, 3), output = this.outputs.get(name);
      if (output.value !== text) output.value = text;
    }
  }

  line(name) {
    const swatch = make("i"), slack = make("i");
    swatch.style.background = name === "graph" ? `linear-gradient(90deg, ${SCALE})` : layerColour(name, 0);
    slack.style.background = SLACK;
    const lines = [swatch, make("span", {}, TEXTS[name]), this.outputs.get(name)];
    return name === "springs" ? [...lines, slack, make("span", {}, "slack spring"), make("span")] : lines;
  }

  states(theme) {
    return [
      make(
        "div",
        { class: "states" },
        ...[
          ["awake", theme.awake],
          ["asleep", theme.asleep],
          ["not movable", theme.static],
        ].flatMap(([name, colour]) => {
          const swatch = make("i");
          swatch.style.background = colour;
          return [swatch, make("span", {}, name)];
        }),
      ),
    ];
  }

  scale(text, range) {
    const strip = make("div", { class: "strip", "aria-hidden": "true" });
    strip.style.background = `linear-gradient(90deg, ${SCALE})`;
    this.high = null;
    this.end = make("output", {}, "");
    const hold = make("input", { type: "checkbox", checked: range.held, onchange: () => this.hold(hold.checked) });
    return [
      make("figcaption", {}, text, make("label", { title: "Keep the range as it is" }, hold, "hold")),
      strip,
      make("div", { class: "ends" }, make("span", {}, "0"), this.end),
    ];
  }
}
