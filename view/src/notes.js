// Messages that come and go at the lower edge; read aloud too.
import { icon, make } from "./dom.js";

const STAY = { note: 5000, error: 9000 }; // ms
const MOST = 3;

export class Notes {
  constructor(element) {
    this.element = element;
    element.setAttribute("role", "status");
    element.setAttribute("aria-live", "polite");
  }

  show(text, kind = "note") {
    for (const old of this.element.children) if (old.dataset.text === text) old.remove(); // said again, not twice
    while (this.element.children.length >= MOST) this.element.firstElementChild.remove();
    const message = make(
      "div",
      { class: `message ${kind}`, "data-text": text, role: kind === "error" ? "alert" : null },
      make("p", {}, text),
    );
    const close = make("button", { "aria-label": "Close", onclick: () => message.remove() });
    close.append(icon("close"));
    message.append(close);
    this.element.append(message);
    setTimeout(() => message.remove(), STAY[kind]);
  }
}
