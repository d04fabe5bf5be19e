// What is shown, as a file: numbers as CSV, the plots as a picture.

const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const number = (value) => (Number.isFinite(value) ? String(value) : "nan");

// Rows of the buckets within a window of time. Buckets of several samples have the least and the greatest value beside
// the last one. Two worlds are joined by time; where one has none, its cells are empty.
export function csvText({ rings, curves, names = [], window = [-Infinity, Infinity] }) {
  const ranged = rings.some((ring) => ring.stride > 1 || hasRange(ring));
  const heading = (curve, world, what) =>
    quoted(`${rings.length > 1 ? `${names[world] ?? `world ${world + 1}`}: ` : ""}${curve.name}${what}${curve.unit ? ` [${curve.unit}]` : ""}`);
  const heads = ["time [s]", ...rings.flatMap((_, world) => curves.flatMap((curve) =>
    ["", ...(ranged ? [" least", " greatest"] : [])].map((what) => heading(curve, world, what))))];
  const rows = [heads.join(",")];
  const places = rings.map(() => 0), cells = curves.length * (ranged ? 3 : 1);
  for (;;) {
    const time = Math.min(...rings.map((ring, world) => (places[world] < ring.count ? ring.end[places[world]] : Infinity)));
    if (time === Infinity) break;
    const row = rings.map((ring, world) => {
      if (places[world] >= ring.count || ring.end[places[world]] !== time) return new Array(cells).fill("");
      return cellsOf(ring, places[world]++, curves, ranged);
    });
    if (time >= window[0] && time <= window[1]) rows.push([number(time), ...row.flat()].join(","));
  }
  return `${rows.join("\n")}\n`;
}

function hasRange(ring) {
  for (let i = 0; i < ring.count; i++) if (ring.isRange(i)) return true;
  return false;
}

function cellsOf(ring, at, curves, ranged) {
  return curves.flatMap(({ column }) => {
    const i = column * ring.capacity + at, last = number(ring.last[i]);
    if (!ranged) return [last];
    const low = Math.min(ring.early[i], ring.late[i]), high = Math.max(ring.early[i], ring.late[i]);
    return [last, number(low), number(high)];
  });
}

// The cards as they are on the screen, drawn again on one canvas: titles, plots, legends.
export function picture(grid, cards, look, title) {
  const ratio = devicePixelRatio, margin = 16, top = 44, box = grid.getBoundingClientRect();
  const boxes = cards.map(({ card }) => card.getBoundingClientRect());
  const left = Math.min(...boxes.map((b) => b.left)), above = Math.min(...boxes.map((b) => b.top));
  const width = Math.max(...boxes.map((b) => b.right)) - left + 2 * margin;
  const height = Math.max(...boxes.map((b) => b.bottom)) - above + top + margin;
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width * ratio);
  canvas.height = Math.ceil(height * ratio);
  const pen = canvas.getContext("2d"), font = getComputedStyle(grid).fontFamily;
  pen.scale(ratio, ratio);
  pen.fillStyle = look.paper;
  pen.fillRect(0, 0, width, height);
  pen.fillStyle = look.ink;
  pen.font = `600 15px ${font}`;
  pen.fillText(title, margin, 28);
  pen.translate(margin - left, top - above);
  for (const { card, plot } of cards) drawCard(pen, card, plot, look, font);
  return canvas;
}

function drawText(pen, node, colour) {
  const style = getComputedStyle(node), box = node.getBoundingClientRect();
  if (box.width === 0 || !node.textContent) return;
  pen.save();
  pen.beginPath();
  pen.rect(box.left, box.top - 2, box.width + 1, box.height + 4);
  pen.clip();
  pen.fillStyle = colour;
  pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  pen.textBaseline = "middle";
  pen.textAlign = style.textAlign === "right" || style.textAlign === "end" ? "right" : "left";
  pen.fillText(node.textContent, pen.textAlign === "right" ? box.right : box.left, box.top + box.height / 2);
  pen.restore();
}

function drawSwatch(pen, node, look) {
  const box = node.getBoundingClientRect(), style = getComputedStyle(node);
  const line = node.classList.contains("line");
  const hatched = !line && style.backgroundImage !== "none";
  pen.fillStyle = line ? style.borderTopColor : hatched ? node.dataset.colour : style.backgroundColor;
  pen.fillRect(box.left, line ? box.top + 1 : box.top, box.width, line ? 2 : box.height);
  if (!hatched) return;
  pen.fillStyle = look.paper; // stripes
  for (let y = box.top + 2; y < box.bottom; y += 4) pen.fillRect(box.left, y, box.width, 1.5);
}

function drawDashes(pen, { left, right, bottom }, colour) {
  pen.save();
  pen.strokeStyle = colour;
  pen.setLineDash([3, 2]);
  pen.beginPath();
  pen.moveTo(left, bottom);
  pen.lineTo(right, bottom);
  pen.stroke();
  pen.restore();
}

function drawCard(pen, card, plot, look, font) {
  const title = card.querySelector("h3"), canvas = plot.ctx.canvas, box = canvas.getBoundingClientRect();
  drawText(pen, title, look.ink, font);
  pen.drawImage(canvas, box.left, box.top, box.width, box.height);
  for (const entry of card.querySelectorAll(".curve-entry")) {
    const list = entry.closest(".curve-legend")?.getBoundingClientRect(), at = entry.getBoundingClientRect();
    if (list && (at.top < list.top - 1 || at.bottom > list.bottom + 1)) continue; // scrolled out of sight
    if (entry.getAttribute("aria-pressed") === "false") continue;
    drawSwatch(pen, entry.querySelector(".curve-swatch"), look);
    for (const text of entry.querySelectorAll("span, output")) {
      drawText(pen, text, look.ink);
      if (text.classList.contains("other")) drawDashes(pen, text.getBoundingClientRect(), look.ink);
    }
  }
}

export const fileName = (text, end) => `${text.replace(/[^\p{L}\p{N}_.-]+/gu, "-").replace(/^[-.]+|-+$/g, "").slice(0, 80) || "curves"}${end}`;

export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
