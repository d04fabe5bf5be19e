// The panel of what is drawn: colours, looks, debug layers.
import { layerColour, modeOf } from "./colours.js";
import { digits, make } from "./dom.js";

export class Drawing {
  // `page` has setColour, setLook, setLayers, setStretch.
  constructor(element, page) {
    Object.assign(this, { element, page, boxes: new Map(), radios: new Map(), looks: new Map() });
  }

  setChoices(hello, shown, stretch) {
    this.boxes.clear();
    this.radios.clear();
    const colours = hello.colours.map((name) => {
      const radio = make("input", {
        type: "radio",
        name: "colour",
        value: name,
        onchange: () => this.page.setColour(name),
      });
      this.radios.set(name, radio);
      return make("label", {}, radio, modeOf(name).text);
    });
    const looks = [
      ["shadows", "Shadows"],
      ["grid", "Grid"],
      ["wireframe", "Wireframe"],
    ].map(([name, text]) => {
      const box = make("input", { type: "checkbox", onchange: () => this.page.setLook({ [name]: box.checked }) });
      this.looks.set(name, box);
      return make("label", {}, box, text);
    });
    const out = make("output", {}, `× ${digits(stretch)}`);
    const slider = make("input", {
      id: "stretch",
      type: "range",
      min: -1.5,
      max: 1.5,
      step: 0.05,
      value: Math.log10(stretch),
      oninput: () => {
        const value = Number((10 ** slider.value).toPrecision(2));
        out.value = `× ${digits(value)}`;
        this.page.setStretch(value);
      },
    });
    this.element.replaceChildren(
      make("h2", {}, "Colours"),
      make("fieldset", { class: "choices", "aria-label": "Colours" }, ...colours),
      (this.reasons = make("p", { class: "hint", hidden: true })),
      make("h2", {}, "Looks"),
      make("div", { class: "choices" }, ...looks),
      this.quality(),
      make("h2", {}, "Debug layers"),
      make("div", { class: "field" }, make("label", { for: "stretch" }, "Arrows ", out), slider),
      ...hello.layers.map((layer) => this.layer(layer, shown.has(layer.name))),
      make(
        "div",
        { class: "row" },
        make("button", { type: "button", onclick: () => this.page.setLayers([]) }, "Hide all layers"),
      ),
    );
  }

  // The fine picture has light from all around, soft shadows and ambient occlusion.
  quality() {
    const texts = { auto: "as fine as there is time for", plain: "plain", fine: "fine" }, { stage } = this.page;
    const select = make("select", { id: "quality", onchange: () => this.page.setQuality(select.value) },
      ...Object.entries(texts).map(([value, text]) => make("option", { value, selected: stage.quality === value }, text)));
    return make("div", { class: "field" }, make("label", { for: "quality" }, "Picture"), select);
  }

  layer({ name, number, summary }, shown) {
    const box = make("input", {
      type: "checkbox",
      checked: shown,
      onchange: () => {
        this.page.setLayers([...this.boxes].filter(([, each]) => each.checked).map(([each]) => each));
      },
    });
    const swatch = make("i", { class: "swatch" });
    swatch.style.background = layerColour(name, number);
    this.boxes.set(name, box);
    return make(
      "label",
      { class: "check" },
      box,
      make("span", {}, swatch, name),
      make("span", { class: "hint", "data-summary": summary }, summary),
    );
  }

  // What cannot be shown of this scene: {colours, layers}, reasons by name. It is disabled, and says why.
  setLacking({ colours, layers }) {
    const reasons = new Map();
    for (const [name, radio] of this.radios) {
      radio.disabled = name in colours;
      if (radio.disabled) reasons.set(colours[name], [...(reasons.get(colours[name]) ?? []), modeOf(name).text]);
    }
    for (const [name, box] of this.boxes) {
      const hint = box.closest("label").querySelector(".hint");
      box.disabled = name in layers;
      hint.textContent = layers[name] ?? hint.dataset.summary;
    }
    this.reasons.hidden = reasons.size === 0;
    this.reasons.replaceChildren(...[...reasons].map(([reason, names]) => make("span", { class: "reason" }, `${names.join(", ")}: ${reason}.`)));
  }

  show({ colour, look, layers }) {
    for (const [name, radio] of this.radios) radio.checked = name === colour;
    for (const [name, box] of this.looks) box.checked = look[name];
    for (const [name, box] of this.boxes) box.checked = layers.has(name);
  }
}
