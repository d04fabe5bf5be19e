// One plot of curves: a card with its title, a uPlot and a legend whose values follow the cursor.
import uPlot from "uplot";
import { OTHER_WORLD, colourOf, dashOf, fillOf, isHatched } from "./curves-look.js";
import { stackParts, stretches } from "./curves-plan.js";
import { powerText, scaledUnit, tickText, valueText } from "./curves-units.js";

const FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
const LEAST_DRAG = 4; // px
const MOST_POINTS = 700; // groups of samples across a plot

export function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

const maps = {
  plain: (value) => value,
  negated: (value) => (value === 0 ? 0 : -value),
};

// The curve's values as they are drawn: gravity's energy from its lowest up, works as what they took.
function mapOf(series, rings) {
  if (series.map !== "lifted") return maps[series.map];
  const lowest = Math.min(...rings.map((ring) => ring.range(series.column)[0]));
  return Number.isFinite(lowest) ? (value) => value - lowest : maps.plain;
}

export class Plot {
  constructor(plan, owner) {
    Object.assign(this, { plan, owner, off: new Set(), inner: [] });
    this.card = make("article", "curve-card");
    this.card.dataset.plot = plan.id;
    this.card.classList.toggle("wide", plan.series.length > 2);
    this.card.append(this.head(), this.body());
    this.build();
  }

  head() {
    const head = make("div", "curve-head");
    const title = make("h3", "", this.plan.title), close = make("button", "curve-close", "×");
    title.title = this.plan.hint || this.plan.title;
    close.title = `Hide ${this.plan.title}`;
    close.setAttribute("aria-label", close.title);
    close.onclick = () => this.owner.show(this.plan.id, false);
    this.values = make("div", "curve-values");
    head.append(title, this.values, close);
    return head;
  }

  body() {
    const body = make("div", "curve-body");
    this.place = make("div", "curve-place");
    this.place.tabIndex = 0;
    this.place.setAttribute("role", "group");
    this.place.setAttribute("aria-label", `${this.plan.title} over time. Arrow keys move the cursor, plus and minus zoom, 0 shows all.`);
    this.place.onkeydown = (event) => this.key(event);
    body.append(this.place);
    if (this.plan.series.length > 1) body.append((this.list = make("div", "curve-legend")));
    return body;
  }

  // Curves in the order of uPlot's series after time: all of the first world, then all of the second.
  build() {
    this.plot?.destroy();
    this.curves = [];
    for (let world = 0; world < this.owner.worlds; world++)
      this.plan.series.forEach((series, index) => this.curves.push({ series, index, world }));
    const { width, height } = this.size();
    this.plot = new uPlot({
      width, height, padding: [6, 10, 0, 0], legend: { show: false }, series: this.series(), axes: this.axes(),
      scales: { x: { time: false, range: () => this.owner.window() }, y: this.yScale() },
      cursor: this.cursor(), select: { show: true },
      hooks: { setCursor: [() => this.tell()], setSelect: [(plot) => this.select(plot)], draw: [(plot) => this.mark(plot)] },
    }, [[], ...this.curves.map(() => [])], this.place);
    this.bindPicking(this.plot.over);
    this.plot.over.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.buildLegend();
  }

  // A click that is no drag picks its time.
  bindPicking(over) {
    let down = NaN;
    over.addEventListener("pointerdown", (event) => { down = event.clientX; });
    over.addEventListener("pointerup", (event) => {
      if (Math.abs(event.clientX - down) < LEAST_DRAG && event.button === 0)
        this.owner.pick(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
    });
  }

  size() {
    const box = this.place.getBoundingClientRect();
    return { width: Math.max(120, Math.floor(box.width)), height: Math.max(80, Math.floor(box.height)) };
  }

  series() {
    const look = () => this.owner.look;
    const stacked = this.plan.kind === "stack", compared = this.owner.worlds > 1;
    return [{}, ...this.curves.map(({ series, index, world }, i) => ({
      label: series.label,
      show: !this.off.has(index),
      stroke: () => colourOf(look(), series.look),
      width: stacked && world === 0 ? 1 : 1.5,
      dash: world > 0 ? OTHER_WORLD : stacked || compared ? [] : dashOf(series.look),
      points: { show: false },
      ...(stacked && { paths: (plot, at, from, to) => this.area(plot, i, at, from, to) }),
      ...(stacked && world === 0 && { fill: (plot) => fillOf(look(), series.look, plot.ctx) }),
    }))];
  }

  // A part of a stack: its outer edge, and the area down to its inner one.
  area(plot, i, at, from, to) {
    const times = plot.data[0], outer = plot.data[at], inner = this.inner[i];
    if (!inner) return null;
    const stroke = new Path2D(), fill = new Path2D();
    const x = (k) => plot.valToPos(times[k], "x", true), y = (value) => plot.valToPos(value, "y", true);
    for (const run of stretches(inner, outer, from, to)) {
      const edge = new Path2D();
      run.forEach((k, n) => (n === 0 ? edge.moveTo(x(k), y(outer[k])) : edge.lineTo(x(k), y(outer[k]))));
      stroke.addPath(edge);
      for (const k of run.reverse()) edge.lineTo(x(k), y(inner[k]));
      edge.closePath();
      fill.addPath(edge);
    }
    return { stroke, fill, flags: 3 };
  }

  axes() {
    const look = () => this.owner.look;
    const common = {
      font: FONT, labelFont: FONT, stroke: () => look().muted, gap: 4,
      grid: { stroke: () => look().grid, width: 1 }, ticks: { stroke: () => look().grid, width: 1, size: 4 },
    };
    const y = {
      ...common, scale: "y", size: 48, labelSize: 16, labelGap: 0, space: 28,
      label: (plot) => this.unitOf(plot).unit,
      ...(this.plan.log && { splits: (plot) => decades(plot.scales.y, plot.bbox.height / devicePixelRatio / 22), filter: (_, splits) => splits }),
      values: (plot, splits, _, __, increment) => this.tickTexts(plot, splits, increment),
    };
    const x = {
      ...common, size: 24, labelSize: 15, labelGap: 0, space: 60, label: "time, s",
      values: (_, splits, __, ___, increment) => splits.map((value) => tickText(value, increment)),
    };
    return [x, y];
  }

  unitOf(plot) {
    const { min, max } = plot.scales.y;
    return this.plan.log ? { factor: 1, unit: this.plan.unit }
      : scaledUnit(this.plan.unit, Math.max(Math.abs(min ?? 0), Math.abs(max ?? 0)));
  }

  tickTexts(plot, splits, increment) {
    if (this.plan.log) return splits.map(powerText);
    const { factor } = this.unitOf(plot);
    return splits.map((value) => tickText(value / factor, increment / factor));
  }

  yScale() {
    if (this.plan.log) return { distr: 3, log: 10, range: (_, low, high) => logRange(low, high) };
    return { range: (_, low, high) => linearRange(low, high, this.plan.kind === "stack") };
  }

  cursor() {
    const quiet = (type) => type !== "mousedown" && type !== "mouseup"; // a drag selects in one plot, for all
    return {
      y: false,
      drag: { x: true, y: false, setScale: false, dist: LEAST_DRAG },
      sync: { key: this.owner.key, setSeries: false, filters: { pub: quiet } },
      points: { show: this.plan.kind !== "stack", size: 6 },
      bind: { dblclick: () => () => this.owner.zoom(null) },
    };
  }

  select(plot) {
    const { left, width } = plot.select;
    if (width < LEAST_DRAG) return;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.owner.zoom([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
  }

  wheel(event) {
    event.preventDefault();
    const { min, max } = this.plot.scales.x;
    if (!(max > min)) return;
    this.scaleAbout(this.plot.posToVal(this.plot.cursor.left ?? 0, "x"), Math.exp(0.0015 * Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 200)));
  }

  scaleAbout(time, factor) {
    const { min, max } = this.plot.scales.x;
    this.owner.zoom([time - (time - min) * factor, time + (max - time) * factor]);
  }

  key(event) {
    const plot = this.plot, width = plot.bbox.width / devicePixelRatio;
    const at = plot.cursor.left >= 0 ? plot.cursor.left : width / 2;
    const move = (by) => plot.setCursor({ left: Math.min(Math.max(at + by, 0), width), top: 1 }, true, true);
    const step = event.shiftKey ? 40 : 4;
    const actions = {
      ArrowLeft: () => move(-step), ArrowRight: () => move(step), Home: () => move(-width), End: () => move(width),
      "+": () => this.scaleAbout(plot.posToVal(at, "x"), 0.7), "=": () => this.scaleAbout(plot.posToVal(at, "x"), 0.7),
      "-": () => this.scaleAbout(plot.posToVal(at, "x"), 1 / 0.7), 0: () => this.owner.zoom(null),
      Enter: () => this.owner.pick(plot.posToVal(at, "x")),
    };
    const action = event.ctrlKey || event.altKey || event.metaKey ? null : actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  // The line that says where playback is.
  mark(plot) {
    const { marker, look } = this.owner, { min, max } = plot.scales.x;
    if (marker === null || marker < min || marker > max) return;
    const { left, top, width, height } = plot.bbox, x = Math.min(Math.max(plot.valToPos(marker, "x", true), left), left + width);
    plot.ctx.save();
    plot.ctx.strokeStyle = look.mark;
    plot.ctx.lineWidth = 1.5 * devicePixelRatio;
    plot.ctx.beginPath();
    plot.ctx.moveTo(x, top);
    plot.ctx.lineTo(x, top + height);
    plot.ctx.stroke();
    plot.ctx.restore();
  }

  buildLegend() {
    const place = this.list ?? this.values;
    place.replaceChildren();
    this.texts = [];
    this.plan.series.forEach((series, index) => place.append(this.legendRow(series, index)));
    this.restyle();
  }

  legendRow(series, index) {
    const row = make("button", "curve-entry");
    row.swatch = make("i", "curve-swatch");
    row.append(row.swatch);
    if (this.list) row.append(make("span", "curve-name", series.label));
    for (let world = 0; world < this.owner.worlds; world++) {
      const text = make("output", world > 0 ? "curve-value other" : "curve-value", "–");
      row.append(text);
      this.texts.push({ text, index, world });
    }
    row.title = `${series.hint} (show or hide)`;
    row.setAttribute("aria-pressed", String(!this.off.has(index)));
    row.onclick = () => this.toggle(index, row);
    row.dataset.index = index;
    return row;
  }

  toggle(index, row) {
    if (!this.off.delete(index)) this.off.add(index);
    row.setAttribute("aria-pressed", String(!this.off.has(index)));
    this.curves.forEach((curve, i) => { if (curve.index === index) this.plot.setSeries(i + 1, { show: !this.off.has(index) }); });
    this.refresh();
  }

  restyle() {
    for (const row of this.card.querySelectorAll(".curve-entry")) {
      const { look: index } = this.plan.series[row.dataset.index], colour = colourOf(this.owner.look, index);
      const stacked = this.plan.kind === "stack";
      row.swatch.dataset.colour = colour;
      row.swatch.style.background = !stacked ? "none" : isHatched(this.owner.look, index)
        ? `repeating-linear-gradient(135deg, ${colour} 0 2px, ${colour}50 2px 5px)` : colour;
      row.swatch.style.borderTop = stacked ? "" : `2px ${dashOf(index).length && this.owner.worlds === 1 ? "dashed" : "solid"} ${colour}`;
      row.swatch.classList.toggle("line", !stacked);
    }
  }

  // New data of the rings; the cursor keeps its place.
  refresh() {
    if (!this.plot) return;
    const rings = this.owner.rings, stacked = this.plan.kind === "stack";
    this.mapped = this.plan.series.map((series) => mapOf(series, rings));
    const window = this.owner.window();
    const tables = rings.map((ring) => (stacked ? this.stacked(ring, ring.view(window, MOST_POINTS)) : this.lines(ring, ring.view(window, MOST_POINTS))));
    const data = tables.length > 1 ? join(tables) : tables[0];
    this.inner = stacked ? data.slice(1).filter((_, i) => i % 2 === 1) : [];
    this.tidy(rings);
    this.plot.setData(stacked ? [data[0], ...data.slice(1).filter((_, i) => i % 2 === 0)] : data);
    this.tell();
  }

  // Parts of a stack that never were anything are not listed.
  tidy(rings) {
    if (this.plan.kind !== "stack") return;
    for (const row of this.list?.children ?? []) {
      const { column } = this.plan.series[row.dataset.index];
      row.hidden = rings.every((ring) => ring.range(column).every((value) => value === 0 || !Number.isFinite(value)));
    }
  }

  lines(ring, view) {
    const positive = (value) => (value > 0 ? value : null);
    return [ring.times(view, false), ...this.plan.series.map((series, i) =>
      ring.line(series.column, view, this.plan.log ? positive : this.mapped[i]))];
  }

  // Edges of every part, outer and inner in turn; parts that are switched off take no room.
  stacked(ring, view) {
    const parts = this.plan.series.map((series, i) => {
      const values = ring.whole(series.column, view);
      return Float64Array.from(values, this.off.has(i) ? (value) => (Number.isNaN(value) ? NaN : 0) : this.mapped[i]);
    });
    return [ring.times(view, true), ...stackParts(parts).flatMap(({ inner, outer }) => [outer, inner])];
  }

  // Values in the legend: at the cursor, at the place of playback, or the newest.
  tell() {
    if (!this.plot || !this.mapped) return;
    const { left } = this.plot.cursor, { rings, marker } = this.owner;
    const time = left >= 0 ? this.plot.posToVal(left, "x") : marker ?? Infinity;
    for (const { text, index, world } of this.texts) {
      const ring = rings[world], at = ring ? ring.find(time) : -1, value = at < 0 ? NaN : ring.value(this.plan.series[index].column, at);
      const shown = valueText(this.mapped[index](value), this.plan.unit);
      if (text.textContent !== shown) text.textContent = shown;
    }
  }

  resize() {
    const size = this.size();
    if (size.width !== this.plot.width || size.height !== this.plot.height) this.plot.setSize(size);
  }

  destroy() {
    this.plot.destroy();
    this.card.remove();
  }
}

// Tables of different times as one; equal times, the usual case of two worlds in step, need no joining.
function join(tables) {
  const [first, ...others] = tables;
  const same = others.every(([times]) => times.length === first[0].length && times.every((time, i) => time === first[0][i]));
  return same ? [first[0], ...tables.flatMap((table) => table.slice(1))] : uPlot.join(tables);
}

function linearRange(low, high, fromZero) {
  if (low == null || high == null || !(high >= low)) return [0, 1];
  if (fromZero) [low, high] = [Math.min(0, low), Math.max(0, high)];
  if (high === low) {
    const half = Math.abs(low) > 0 ? 0.05 * Math.abs(low) : 1;
    return fromZero || low === 0 ? [0, 1] : [low - half, high + half];
  }
  const room = 0.06 * (high - low);
  return [low - (fromZero && low === 0 ? 0 : room), high + (fromZero && high === 0 ? 0 : room)];
}

// Ticks at powers of ten, every one or as few as fit.
function decades({ min, max }, most) {
  const low = Math.round(Math.log10(min)), high = Math.round(Math.log10(max)), step = Math.max(1, Math.ceil((high - low) / most));
  return Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) => 10 ** (low + i * step));
}

function logRange(low, high) {
  if (!(low > 0) || !(high > 0)) return [1e-9, 1];
  const bottom = 10 ** Math.floor(Math.log10(low)), top = 10 ** Math.ceil(Math.log10(high) + 1e-9);
  return [bottom, top > bottom ? top : 10 * bottom];
}
