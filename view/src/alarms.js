// Alarms of the run: what went wrong, since when and where, and what to do. Shown until the scene begins again. A click on one
// shows what it means; on narrow pages the advice, too.
import { make } from "./dom.js";

const MOST = 4;

// One line of words for an alarm, such as "energy-made since 0.35 s, body "crate"".
export function alarmLine({ name, first, where }, method) {
  const by = method ? ` by ${method}` : "", at = where ? `, ${where}` : "";
  return [name, `${by} since ${Number(first.toPrecision(4))} s${at}`];
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export class Alarms {
  constructor(element) {
    this.element = element;
  }

  show(alarms, methods = []) {
    const two = alarms.some(({ world }) => world > 0);
    this.element.hidden = alarms.length === 0;
    this.element.replaceChildren(...alarms.slice(0, MOST).map((alarm) => {
      const [name, rest] = alarmLine(alarm, two ? methods[alarm.world] : "");
      return make("li", { title: alarm.meaning },
        make("details", {},
          make("summary", {}, make("strong", {}, name), rest, make("span", { class: "advice" }, `${sentence(alarm.advice)}.`)),
          make("p", {}, `${sentence(alarm.meaning)}.`)));
    }));
  }
}
