// Curves over time: what frames bring is kept in bounded rings (one a world) and drawn at most ten times a second in
// plots that share their time axis, zoom and cursor. Of a recording all is there at once (scene.history), and a line
// says where playback is.
import { csvText, fileName, picture, save } from "./curves-export.js";
import { looks } from "./curves-look.js";
import { planPlots } from "./curves-plan.js";
import { Plot, make } from "./curves-plot.js";
import { Ring } from "./curves-ring.js";

const PERIOD = 100; // ms between redraws
const GAP = 500, ASKING = 2000; // ms without a frame after which the past is asked for, and between two such questions
const CHOICE = "ashlar-curves"; // what was shown the last time, in the browser's store
let instances = 0;

export class Curves {
  // `seek` is called with a time when somebody picks one in a plot of a recording, `past` when frames were missed, as by
  // a page that was out of sight: setHistory then brings what there was.
  constructor(element, { theme = "light", seek = null, past = null } = {}) {
    Object.assign(this, { element, onSeek: seek, onGap: past, pushed: null, asked: 0, key: `curves-${instances++}`, worlds: 1, rings: [], plots: [], plans: [] });
    Object.assign(this, { marker: null, span: null, scene: null, names: [], drawn: 0, timer: null });
    this.look = looks[theme] ?? looks.light;
    this.choice = readChoice();
    element.classList.add("curve-panel");
    element.append(this.bar(), (this.grid = make("div", "curve-grid")));
    this.empty = make("p", "curve-empty", "No curves yet.");
    this.grid.append(this.empty);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(element);
    this.seen = new IntersectionObserver((entries) => this.watch(entries), { root: this.grid });
    this.seenCards = new Set();
  }

  bar() {
    const bar = make("div", "curve-bar");
    this.menu = make("details", "curve-menu");
    this.menu.append(make("summary", "", "Plots"), (this.menuList = make("div", "curve-menu-list")));
    this.menu.onkeydown = (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.menu.open = false;
      this.menu.querySelector("summary").focus();
    };
    document.addEventListener("pointerdown", (event) => { if (!this.menu.contains(event.target)) this.menu.open = false; });
    this.reset = make("button", "", "Whole time");
    this.reset.title = "Show the whole time (double click in a plot, or 0)";
    this.reset.disabled = true;
    this.reset.onclick = () => this.zoom(null);
    this.key2 = make("div", "curve-key");
    const csv = make("button", "", "CSV"), png = make("button", "", "PNG");
    csv.title = "Save the numbers of what is shown";
    png.title = "Save a picture of what is shown";
    csv.onclick = () => save(new Blob([this.csv()], { type: "text/csv" }), fileName(this.scene?.name ?? "", ".csv"));
    png.onclick = () => this.savePicture();
    bar.append(this.menu, this.reset, this.key2, csv, png);
    return bar;
  }

  // A scene message. What was drawn stays when the same scene goes on, as after a body was added.
  setScene(scene) {
    const curves = JSON.stringify(scene.curves ?? []), worlds = scene.worlds ?? 1;
    const same = this.scene && this.scene.name === scene.name && this.curvesText === curves;
    if (scene.names) this.names = scene.names;
    Object.assign(this, { scene, curvesText: curves });
    if (!same || scene.history) {
      this.span = null;
      this.marker = null;
      this.rings = [];
      this.plans = planPlots(scene);
    }
    const rebuild = !same || worlds !== this.worlds;
    this.worlds = worlds;
    this.element.classList.toggle("two", worlds > 1);
    this.rings = Array.from({ length: worlds }, (_, world) => this.rings[world] ?? new Ring((scene.curves ?? []).length));
    if (scene.history) this.rings[0].load(scene.history);
    if (rebuild) this.rebuild();
    this.tellWorlds();
    this.schedule();
  }

  // Names of the worlds, as "realtime" and "engineering".
  setWorlds(names) {
    this.names = names;
    this.tellWorlds();
  }

  // A frame message.
  push(frame) {
    const ring = this.rings[frame.world ?? 0];
    if (!ring || !frame.curves) return;
    if (this.scene.recorded) {
      this.seek(frame.time);
      if (frame.time <= ring.latest) return;
    } else if (frame.time <= ring.latest) ring.truncate(frame.time);
    ring.push(frame.time, frame.curves);
    if (ring === this.rings[0]) this.noteGap();
    this.schedule();
  }

  noteGap() {
    const now = performance.now(), missed = this.pushed !== null && now - this.pushed > GAP;
    this.pushed = now;
    if (!missed || !this.onGap || now - this.asked < ASKING) return;
    this.asked = now;
    this.onGap();
  }

  // The past of a running scene's first world, as its engine kept it: in place of what is there, where it has more of it.
  setHistory(history) {
    const old = this.rings[0], times = history?.times ?? [];
    if (!old || this.scene.recorded || times.length < 2 || history.values.length !== old.columns) return;
    if (times.length <= old.count || times[0] > old.earliest) return;
    const ring = new Ring(old.columns);
    ring.load(history);
    for (let i = 0; i < old.count; i++)
      if (old.begin[i] > times.at(-1)) ring.push(old.end[i], Array.from({ length: old.columns }, (_, column) => old.value(column, i)));
    this.rings[0] = ring;
    this.schedule();
  }

  // Where playback is.
  seek(time) {
    if (this.marker === time) return;
    this.marker = time;
    this.schedule();
  }

  setTheme(name) {
    this.look = looks[name] ?? looks.light;
    for (const plot of this.plots) {
      plot.restyle();
      plot.plot.redraw(true);
    }
  }

  resize() {
    if (this.element.clientWidth === 0) return;
    for (const plot of this.plots) plot.resize();
    this.schedule();
  }

  rebuild() {
    for (const plot of this.plots) {
      this.seen.unobserve(plot.card);
      plot.destroy();
    }
    this.seenCards.clear();
    this.plots = this.plans.filter((plan) => this.isShown(plan)).map((plan) => this.add(plan));
    this.empty.hidden = this.plots.length > 0;
    this.empty.textContent = this.plans.length > 0 ? "Choose under “Plots” what is to be shown." : "This scene has no curves.";
    this.menuList.replaceChildren(...this.plans.map((plan) => this.menuEntry(plan)));
  }

  add(plan) {
    const card = new Plot(plan, this);
    this.grid.append(card.card);
    card.resize();
    this.seen.observe(card.card);
    return card;
  }

  menuEntry(plan) {
    const label = make("label"), box = make("input");
    box.type = "checkbox";
    box.checked = this.isShown(plan);
    box.onchange = () => this.show(plan.id, box.checked);
    label.append(box, make("span", "", plan.title), make("small", "", plan.unit));
    label.title = plan.hint;
    return label;
  }

  isShown(plan) {
    return this.choice[plan.id] ?? plan.shown;
  }

  show(id, shown) {
    this.choice[id] = shown;
    writeChoice(this.choice);
    const open = this.menu.open;
    this.rebuild();
    this.menu.open = open;
    this.schedule();
  }

  // Shows a plot and brings it into view.
  reveal(id) {
    const plan = this.plans.find((one) => one.id === id);
    if (!plan) return;
    if (!this.isShown(plan)) this.show(id, true);
    const { card } = this.plots.find((plot) => plot.plan === plan) ?? {};
    card?.scrollIntoView({ block: "nearest" });
    card?.classList.add("revealed");
    setTimeout(() => card?.classList.remove("revealed"), 1200);
  }

  tellWorlds() {
    this.key2.replaceChildren();
    if (this.worlds < 2) return;
    for (let world = 0; world < this.worlds; world++)
      this.key2.append(make("i", world > 0 ? "curve-dash other" : "curve-dash"), make("span", "", this.names[world] ?? (world > 0 ? "second" : "first")));
  }

  // The window of time that is shown: what was zoomed to, or all that is there.
  window() {
    const [from, to] = this.span ?? this.extent();
    return to > from ? [from, to] : [from, from + 1];
  }

  extent() {
    const from = Math.min(...this.rings.map((ring) => ring.earliest)), to = Math.max(...this.rings.map((ring) => ring.latest));
    return Number.isFinite(from) ? [from, to] : [0, 0];
  }

  zoom(span) {
    const [from, to] = this.extent();
    if (span) {
      const low = Math.max(from, span[0]), high = Math.min(to, span[1]);
      if (!(high - low > 1e-9 * (to - from))) return;
      span = low <= from && high >= to ? null : [low, high];
    }
    this.span = span;
    this.reset.disabled = span === null;
    this.schedule(true);
  }

  pick(time) {
    if (this.scene?.recorded && this.onSeek) this.onSeek(time);
  }

  watch(entries) {
    for (const { target, isIntersecting } of entries)
      isIntersecting ? this.seenCards.add(target) : this.seenCards.delete(target);
    this.schedule();
  }

  schedule(now = false) {
    if (this.timer !== null) return;
    this.timer = setTimeout(() => requestAnimationFrame(() => this.draw()), now ? 0 : Math.max(0, this.drawn + PERIOD - performance.now()));
  }

  draw() {
    this.timer = null;
    if (this.element.clientWidth === 0) return; // hidden; the observer of its size comes back
    this.drawn = performance.now();
    for (const plot of this.plots) if (this.seenCards.has(plot.card)) plot.refresh();
  }

  csv() {
    const curves = [...new Set(this.plots.flatMap(({ plan }) => plan.series.map(({ column }) => column)))]
      .sort((a, b) => a - b).map((column) => ({ column, ...this.scene.curves[column] }));
    return csvText({ rings: this.rings, curves, names: this.names, window: this.span ?? undefined });
  }

  savePicture() {
    if (this.plots.length === 0) return;
    for (const plot of this.plots) plot.refresh();
    const title = [this.scene.name, ...(this.worlds > 1 ? [this.names.join(" (solid) and ") + " (dashed)"] : [this.scene.method ?? ""])].filter(Boolean).join(", ");
    requestAnimationFrame(() => picture(this.grid, this.plots, this.look, title).toBlob((blob) => save(blob, fileName(this.scene.name, ".png"))));
  }
}

function readChoice() {
  try {
    const choice = JSON.parse(localStorage.getItem(CHOICE));
    return choice && typeof choice === "object" ? choice : {};
  } catch { // no store, as in a file opened from disk under strict settings, or not ours
    return {};
  }
}

function writeChoice(choice) {
  try {
    localStorage.setItem(CHOICE, JSON.stringify(choice));
  } catch { // it is only forgotten
  }
}
