// Keys: every action of the page has one. Names are those of KeyboardEvent.key; "Shift+" where it matters.
import { make } from "./dom.js";

const NAMES = { " ": "Space", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };

export function keyText(key) {
  return key
    .split("+")
    .map((part, i, all) =>
      part === "" && i > 0
        ? null
        : part === "" && all.length > 1
          ? "+"
          : (NAMES[part] ?? (part.length === 1 ? part.toUpperCase() : part)),
    )
    .filter((part) => part !== null)
    .join(" ");
}

// The key that an event stands for. Shift counts with letters and arrows only: signs need it on some keyboards.
export function keyOf(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  const { key } = event,
    plain = key.length === 1 ? key.toLowerCase() : key;
  return event.shiftKey && (key.length > 1 || /[a-z]/.test(plain)) ? `Shift+${plain}` : plain;
}

// True while a key belongs to the element that has the focus.
function isTaken(event) {
  const { target, key } = event;
  if (target.closest("input:not([type=checkbox], [type=radio], [type=range]), textarea, select"))
    return key !== "Escape";
  if (target.closest("[type=range], [type=radio]"))
    return key.startsWith("Arrow") || ["Home", "End", "PageUp", "PageDown"].includes(key);
  if (target.closest("button, a, summary, [type=checkbox]")) return key === "Enter" || key === " ";
  return false;
}

// Connects actions [{name, keys, text, run}] with keys and with buttons that carry data-action.
export function bindActions(actions) {
  const byKey = new Map(),
    byName = new Map();
  for (const action of actions) {
    byName.set(action.name, action);
    for (const key of action.keys) byKey.set(key, action);
  }
  document.addEventListener("keydown", (event) => {
    const action = isTaken(event) ? null : byKey.get(keyOf(event));
    if (!action || (event.repeat && !action.repeats)) return;
    event.preventDefault();
    action.run(event);
  });
  for (const button of document.querySelectorAll("[data-action]")) {
    const action = byName.get(button.dataset.action);
    button.title = `${action.text} [${keyText(action.keys[0])}]`;
    if (!button.textContent.trim() || button.textContent.trim() === "?") button.setAttribute("aria-label", action.text);
    button.setAttribute("aria-keyshortcuts", action.keys[0] === " " ? "Space" : action.keys[0]);
    button.addEventListener("click", (event) => {
      action.run(event);
      // By the mouse: space then plays, and does not press the button again.
      if (event.detail > 0) document.getElementById("canvas").focus({ preventScroll: true });
    });
  }
}

// The list of keys, by group.
export function keyList(actions) {
  const groups = [...new Set(actions.map((action) => action.group))];
  return groups.flatMap((group) => [
    make("h2", {}, group),
    make(
      "dl",
      { class: "keys" },
      ...actions
        .filter((action) => action.group === group)
        .flatMap((action) => [
          make("dt", {}, ...action.keys.flatMap((key, i) => [i ? " " : "", make("kbd", {}, keyText(key))])),
          make("dd", {}, action.text),
        ]),
    ),
  ]);
}
