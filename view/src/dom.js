// Elements of the page, made and found.

export const find = (id) => document.getElementById(id);

// make("p", { class: "hint", onclick() {} }, "text", child): attributes as in html; functions are listeners.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

export function setIcon(button, name) {
  button.querySelector("use").setAttribute("href", `#i-${name}`);
}

// What the page remembers from visit to visit. A page opened from disk may be denied it.
export function recall(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(`ashlar-${key}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}
export function remember(key, value) {
  try {
    localStorage.setItem(`ashlar-${key}`, JSON.stringify(value));
  } catch {
    // not remembered, then
  }
}

// A number for people: about four digits, no trailing noise.
export function digits(value) {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3
    ? Number(value.toPrecision(3)).toExponential()
    : String(Number(value.toPrecision(4)));
}

export function download(name, blob) {
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
