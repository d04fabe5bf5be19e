// Colours: of bodies as the engine gives them (app/picture/palette.c), a scale that is even in lightness for values, and the
// themes, which are those of pictures (app/picture/colour.c).

export const bodyColours = ["#4f7ca3", "#d79b4a", "#5d9a80", "#c4694a", "#86b0cf", "#b784a7", "#d9c26a", "#8577ab"];
const scale = [
  [0.1, 0.24, 0.55],
  [0.31, 0.4, 0.61],
  [0.54, 0.57, 0.6],
  [0.79, 0.73, 0.49],
  [1.0, 0.91, 0.25],
];

export const themes = {
  light: {
    background: "#f3f5f7",
    zenith: "#cfdbe6",
    ground: "#e4e7ea",
    static: "#9aa3ab",
    kinematic: "#6b7f99",
    asleep: "#b4b0a8",
    awake: "#4f7ca3",
    grid: "#8d99a5",
    ghost: "#005f99",
    chosen: "#111418",
  },
  dark: {
    background: "#1d2228",
    zenith: "#0e1115",
    ground: "#2a3037",
    static: "#7d868f",
    kinematic: "#6b7f99",
    asleep: "#5c5a56",
    awake: "#86b0cf",
    grid: "#6b7682",
    ghost: "#6cc0f2",
    chosen: "#ffffff",
  },
};

// What each way of colouring shows: a value on the scale (whose range is at least so long), one of a set, or two
// states.
export const modes = {
  body: { text: "by body", kind: "set" },
  island: { text: "islands", kind: "set" },
  layer: { text: "stack layers", kind: "scale", unit: "", whole: true },
  sleeping: { text: "sleeping", kind: "states" },
  speed: { text: "speed", kind: "scale", unit: "m/s", least: 0.001 },
  force: { text: "contact force", kind: "scale", unit: "N", least: 0.01 },
};
export function modeOf(name) {
  return (
    modes[name] ??
    modes[Object.keys(modes).find((key) => name.includes(key))] ?? { text: name, kind: "scale", unit: "" }
  );
}

export function bodyColour(number) {
  return bodyColours[number % bodyColours.length];
}

// The colour of a share 0..1 of the range, as css text.
export function shareColour(share) {
  const place = Math.min(Math.max(share, 0), 1) * (scale.length - 1),
    i = Math.min(Math.floor(place), scale.length - 2);
  const channel = (k) => Math.round(255 * (scale[i][k] + (place - i) * (scale[i + 1][k] - scale[i][k])));
  return `rgb(${channel(0)}, ${channel(1)}, ${channel(2)})`;
}

// The colour of a value within a range, as css text.
export function scaleColour(value, [low, high]) {
  return shareColour(high > low ? (value - low) / (high - low) : 0);
}

// Colours of marks by the name of their layer; what is not named takes one by its number.
const layerColours = {
  bounds: "#8a8f98",
  axes: "#8a8f98",
  centres: "#e69f00",
  velocities: "#009e73",
  edges: "#cc79a7",
  contacts: "#d55e00",
  normals: "#56b4e9",
  impacts: "#f0e442",
  joints: "#8c6bb1",
  forces: "#d55e00",
  friction: "#009e73",
  penetration: "#e4003a",
  springs: "#4f86a8",
  limits: "#cc79a7",
  drives: "#e69f00",
  cylinders: "#7d8894",
  graph: "#56b4e9",
  sleeping: "#8a8f98",
};
export const SLACK = "#e4003a";
export const axisColours = ["#d55e00", "#009e73", "#0072b2"];
export function layerColour(name, number) {
  return layerColours[name] ?? bodyColour(number);
}
