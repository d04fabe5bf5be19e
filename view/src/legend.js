// What colours mean, at the lower right.
import { modeOf, shareColour } from "./colours.js";
import { digits, make } from "./dom.js";

export class Legend {
  constructor(element, { hold }) {
    this.element = element;
    this.hold = hold; // called with true or false: the range stays as it is
    this.mode = "";
  }

  // The scale is drawn once a mode; its ends follow the range.
  show(mode, theme, high, range) {
    const { kind, text, unit } = modeOf(mode);
    this.element.hidden = kind === "set";
    if (kind === "set") return (this.mode = "");
    const key = `${mode} ${theme.asleep}`;
    if (key !== this.mode) {
      this.mode = key;
      this.element.replaceChildren(...(kind === "states" ? this.states(theme) : this.scale(text, unit, range)));
    }
    if (kind === "scale" && this.high !== high) {
      this.high = high;
      this.end.value = digits(high);
    }
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

  scale(text, unit, range) {
    const strip = make("canvas", { width: 256, height: 1, "aria-hidden": "true" }),
      pen = strip.getContext("2d");
    for (let i = 0; i < 256; i++) {
      pen.fillStyle = shareColour(i / 255);
      pen.fillRect(i, 0, 1, 1);
    }
    this.high = null;
    this.end = make("output", {}, "");
    const hold = make("input", { type: "checkbox", checked: range.held, onchange: () => this.hold(hold.checked) });
    return [
      make(
        "figcaption",
        {},
        unit ? `${text}, ${unit}` : text,
        make("label", { title: "Keep the range as it is" }, hold, "hold"),
      ),
      strip,
      make("div", { class: "ends" }, make("span", {}, "0"), this.end),
    ];
  }
}
