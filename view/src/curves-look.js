// How curves look: Okabe and Ito's colours, which people of any colour vision tell apart, darkened on paper and
// lightened on black; the ninth and later parts of a stack repeat them hatched, lines repeat them dashed.

const light = ["#0072b2", "#d98c00", "#009e73", "#c05f94", "#3a9fd8", "#d55e00", "#b3a500", "#7a5aa6"];
const dark = ["#4aa3df", "#f0ad2e", "#2cc39a", "#e39cc4", "#8fd0f5", "#ff8a3d", "#efe45c", "#b295e0"];

export const looks = {
  light: { colours: light, ink: "#33373d", muted: "#6a7078", grid: "#dedbd4", paper: "#ffffff", mark: "#b00020" },
  dark: { colours: dark, ink: "#d9dce1", muted: "#989fa8", grid: "#33373d", paper: "#1d2025", mark: "#ff6b81" },
};

const dashes = [[], [7, 3], [2, 3], [9, 3, 2, 3], [14, 3], [4, 4], [1, 2], [9, 2, 2, 2, 2, 2]];
export const OTHER_WORLD = [6, 4]; // the dashes of the second of two worlds

export const colourOf = (look, index) => look.colours[index % look.colours.length];
export const isHatched = (look, index) => index >= look.colours.length;
export const dashOf = (index) => dashes[index % dashes.length];

function hatch(context, colour) {
  const size = 6 * devicePixelRatio, tile = new OffscreenCanvas(size, size), pen = tile.getContext("2d");
  pen.globalAlpha = 0.35;
  pen.fillStyle = colour;
  pen.fillRect(0, 0, size, size);
  pen.globalAlpha = 1;
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5 * devicePixelRatio;
  for (const shift of [-size, 0, size]) {
    pen.beginPath();
    pen.moveTo(shift, size);
    pen.lineTo(shift + size, 0);
    pen.stroke();
  }
  return context.createPattern(tile, "repeat");
}

// What the area of a stack's part is filled with.
export function fillOf(look, index, context) {
  const colour = colourOf(look, index);
  return isHatched(look, index) ? hatch(context, colour) : `${colour}b8`;
}
