// The dial: how fast, how exact and how honest with energy the simulation is, now and always in sight. A click on a part
// opens its curve.
//
// The error of a step is the yardstick's, in m/s. It is put in words beside the speed that gravity gives in a step, g h
// (without gravity beside 0.1 m/s): what a solver that did nothing would leave. The energy that the ledger cannot account
// for is put beside what could have moved, as the engine's watch over energies measures it, or else beside the largest
// motion energy and all works so far.
import { digits, find, make } from "./dom.js";

const EVERY = 250, MEMORY = 1500; // ms
const BEHIND = 0.9; // of the wanted speed: below it the simulation cannot keep up
const REST = 0.1; // m/s
export const ERROR_WORDS = [[1e-6, "exact", "good"], [1e-2, "small", "good"], [0.2, "visible", "fair"], [Infinity, "large", "bad"]];
export const ENERGY_WORDS = [[1e-4, "balanced", "good"], [1e-2, "nearly balanced", "good"], [0.1, "drifting", "fair"], [Infinity, "wrong", "bad"]];

const STORED = new Set(["gravity", "springs", "total", "initial", "remainder"]); // no works

export const judge = (words, share) => words.find(([limit]) => share <= limit || limit === Infinity).slice(1);

// Columns of the curves that the dial reads.
export function columnsOf(curves = []) {
  const find = (name) => curves.findIndex((curve) => curve.name === name);
  const works = curves.map((curve, column) => [curve, column])
    .filter(([{ name, group }]) => group === "energy" && name !== "kinetic" && !STORED.has(name)).map(([, column]) => column);
  return { residual: find("residual"), remainder: find("remainder"), kinetic: find("kinetic"), budget: find("energy budget"), works };
}

// The share of the energy that is not accounted for; `most` is the largest motion energy so far, J.
export function imbalance({ remainder, budget, works }, curves, most) {
  if (remainder < 0) return NaN;
  const could = budget >= 0 && curves[budget] > 0 ? curves[budget] : 0;
  const moved = Math.max(could, works.reduce((sum, column) => sum + Math.abs(curves[column]), most));
  return moved > 0 ? Math.abs(curves[remainder]) / moved : 0;
}

// "× 0.1": the speed to one or two digits.
export const speedText = (factor) => `× ${factor >= 9.95 ? Math.round(factor) : Number(factor.toPrecision(factor >= 0.995 ? 2 : 1))}`;

export class Dial {
  // `open(plot)` shows a curve, `realtime()` goes on by that method, `wait()` takes the step with more time.
  constructor(element, { open, realtime, wait }) {
    Object.assign(this, { element, times: [], last: 0, most: 0, columns: columnsOf() });
    const part = (name, label, plot) => {
      const value = make("output", { "aria-live": "off" }), word = make("span", { class: "word" });
      const button = make("button", { type: "button", class: "part", title: `${label}: show its curve`, onclick: () => open(plot) }, make("span", { class: "what" }, label), value, word);
      element.append(button);
      return { button, value, word };
    };
    this.speed = part("speed", "Speed", "stages");
    this.rate = part("rate", "Frame rate", "stages");
    this.error = part("error", "Error of the step", "residual");
    this.energy = part("energy", "Energy", "remainder");
    this.slow = make("p", { class: "slow", role: "status", hidden: true });
    this.slowText = make("span");
    this.offer = make("button", { type: "button", class: "plain", onclick: realtime }, "Use realtime");
    this.longer = make("button", { type: "button", class: "plain", onclick: wait }, "Wait longer");
    this.slow.append(this.slowText, this.offer, this.longer);
    element.append(this.slow);
  }

  setScene(scene) {
    const g = Math.hypot(...(scene.gravity ?? [0, 0, 0]));
    this.unit = g > 0 ? g * scene.step : REST;
    this.columns = columnsOf(scene.curves);
    this.recorded = !!scene.recorded;
    this.forget();
  }

  forget() {
    this.times = [];
    this.most = 0;
    this.told = null;
  }

  // A frame of the first world, at `now` ms.
  push(frame, now) {
    if (this.times.length > 0 && frame.time < this.times.at(-1)[1]) this.forget(); // it began again, or went back
    this.times.push([now, frame.time]);
    while (this.times.length > 2 && now - this.times[0][0] > MEMORY) this.times.shift();
    const { kinetic } = this.columns, energy = kinetic >= 0 ? frame.curves[kinetic] : 0;
    if (energy > this.most) this.most = energy;
    this.frame = frame;
  }

  // Simulated time over wall time of late, counting the step that is under way.
  factor(now) {
    if (this.times.length < 2) return NaN;
    const [[from, begin]] = this.times, [, end] = this.times.at(-1), wall = Math.max(now - from, 1) / 1000;
    return (end - begin) / wall;
  }

  show(part, value, [word, look]) {
    if (part.value.value !== value) part.value.value = value;
    if (part.word.textContent !== word) part.word.textContent = word;
    part.button.dataset.look = look;
  }

  // A line below the figures: why it is slow, and what one can do. Null: nothing to say.
  saySlow(text, { realtime = false, longer = false } = {}) {
    if (this.slow.hidden !== (text === null)) this.slow.hidden = text === null;
    if (text !== null && this.slowText.textContent !== text) this.slowText.textContent = text;
    this.offer.hidden = !realtime;
    this.longer.hidden = !longer;
  }

  refresh(now, { paused, speed, method, late, patience, by_hand: byHand }, rate) {
    if (!this.frame || now - this.last < EVERY) return;
    this.last = now;
    const { residual } = this.columns, { curves } = this.frame, factor = this.factor(now);
    const behind = !paused && !this.recorded && factor < BEHIND * speed && now - this.times[0][0] > 500;
    this.show(this.speed, paused ? "–" : Number.isNaN(factor) ? "…" : speedText(factor), paused ? ["paused", ""] : behind ? ["too slow", "fair"] : ["real time", "good"]);
    this.show(this.rate, `${Math.round(rate)}/s`, ["", ""]);
    const error = residual >= 0 ? curves[residual] : NaN;
    this.show(this.error, Number.isFinite(error) ? `${digits(Number(error.toPrecision(2)))} m/s` : "–",
              Number.isFinite(error) ? judge(ERROR_WORDS, error / this.unit) : ["not recorded", ""]);
    const share = imbalance(this.columns, curves, this.most);
    this.show(this.energy, Number.isFinite(share) ? `${digits(Number((100 * share).toPrecision(2)))} % off` : "–",
              Number.isFinite(share) ? judge(ENERGY_WORDS, share) : ["not recorded", ""]);
    const realtime = method !== "realtime";
    if (late) this.saySlow(`A step by ${method} takes longer than ${digits(Number(patience.toPrecision(2)))} s. It was stopped; nothing was changed.`, { realtime, longer: true });
    else if (byHand) this.saySlow(`A step by ${method} is too slow for the hand: realtime moves the bodies until you let go.`);
    else if (behind) this.saySlow(`Slower than ${speed === 1 ? "real time" : `the chosen speed × ${digits(speed)}`}: ${speedText(factor)}.`, { realtime });
    else this.saySlow(null);
  }
}

export const makeDial = (actions) => new Dial(find("dial"), actions);
