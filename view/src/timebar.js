// The time bar of recordings.
import { find } from "./dom.js";

export class Timebar {
  constructor(send) {
    Object.assign(this, {
      send,
      bar: find("timebar"),
      slider: find("moment"),
      text: find("duration"),
      held: false,
      wanted: null,
    });
    this.slider.addEventListener("input", () => {
      this.wanted = Number(this.slider.value);
    });
    this.slider.addEventListener("pointerdown", () => {
      this.held = true;
    });
    for (const name of ["pointerup", "pointercancel", "blur"])
      this.slider.addEventListener(name, () => {
        this.held = false;
      });
  }

  setScene({ recorded, duration }) {
    this.bar.hidden = !recorded;
    find("stage").classList.toggle("has-bar", !!recorded);
    this.duration = duration;
    this.slider.max = duration;
    this.slider.step = duration / 2000 || "any";
  }

  show(time) {
    if (this.bar.hidden) return;
    if (!this.held && this.wanted === null) this.slider.value = time;
    const text = `${time.toFixed(2)} of ${this.duration.toFixed(2)} s`;
    if (text !== this.text.value) this.slider.ariaValueText = this.text.value = text;
  }

  // Once a picture: many moves of the slider are one message.
  refresh() {
    if (this.wanted === null) return;
    this.send("seek", { time: this.wanted });
    this.wanted = null;
  }
}
