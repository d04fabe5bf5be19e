// Colours that people with any colour vision tell apart: Okabe and Ito's set for bodies, a scale that is even in
// lightness for values.

const bodies = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#8c6bb1"];
const scale = [[0.0, 0.13, 0.30], [0.27, 0.31, 0.42], [0.49, 0.49, 0.47], [0.73, 0.68, 0.42], [1.0, 0.92, 0.27]];

export const themes = {
  light: { background: "#f4f2ee", static: "#c9c4ba", kinematic: "#9aa7b0", asleep: "#b4b0a8", awake: "#0072b2" },
  dark: { background: "#16181c", static: "#4b4a47", kinematic: "#66737c", asleep: "#5c5a56", awake: "#56b4e9" },
};

export function bodyColour(number) {
  return bodies[number % bodies.length];
}

// The colour of a value within a range, as css text.
export function scaleColour(value, [low, high]) {
  const share = high > low ? Math.min(Math.max((value - low) / (high - low), 0), 1) : 0;
  const place = share * (scale.length - 1), i = Math.min(Math.floor(place), scale.length - 2), t = place - i;
  const channel = (k) => Math.round(255 * (scale[i][k] + t * (scale[i + 1][k] - scale[i][k])));
  return `rgb(${channel(0)}, ${channel(1)}, ${channel(2)})`;
}
