// The page: messages go to the parts that show them, what people do goes to the server.
import { makeActions } from "./actions.js";
import { Alarms } from "./alarms.js";
import { Chosen } from "./chosen.js";
import { modeOf } from "./colours.js";
import { Curves } from "./curves.js";
import { makeDial } from "./dial.js";
import { digits, download, find, make, recall, remember, setIcon } from "./dom.js";
import { Drawing } from "./drawing.js";
import { Framing } from "./framing.js";
import { Frames } from "./frames.js";
import { hook } from "./hook.js";
import { bindActions, keyList } from "./keys.js";
import { Inspector } from "./inspector.js";
import { lackingOf } from "./lacking.js";
import { Legend } from "./legend.js";
import { Link } from "./link.js";
import { isLocal, Local } from "./local.js";
import { Notes } from "./notes.js";
import { Pointer } from "./pointer.js";
import { Report } from "./report.js";
import { isEmbedded } from "./report-data.js";
import { Run } from "./report-run.js";
import { Setup } from "./setup.js";
import { Stage } from "./stage.js";
import { Timebar } from "./timebar.js";
import { Tools } from "./tools.js";
import { FRAME, MARKS, SURFACE } from "./wire.js";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
const SIDE = ["setup", "layers", "help"]; // panels of which one is open
const FIRST_LAYERS = ["springs", "cylinders"]; // parts of the machine rather than of the engine
const FEW = 4; // bodies, of which joints are all that says how they hang together
const COMMAND_MOST = 60000; // characters that a command to the server may have, about
const LINES = new Set(["distance", "rope", "pulley", "path"]); // joints that nothing else shows

class Page {
  constructor() {
    this.send = (command, rest) => this.link.send(command, rest);
    this.speeds = SPEEDS;
    this.state = { paused: false, speed: 1 };
    this.layers = new Set(recall("layers", FIRST_LAYERS));
    this.pending = [null, null];
    this.frames = new Frames();
    this.notes = new Notes(find("messages"));
    this.alarms = new Alarms(find("alarms"));
    this.stage = new Stage(find("canvas"));
    const tell = (text) => this.notes.show(text);
    this.tools = new Tools(this.stage, { send: this.send, choose: (body) => this.choose(body), tell });
    this.framing = new Framing(this.stage);
    this.stage.onFirst = (radius) => this.tools.setSize(radius);
    this.pointer = new Pointer(this.stage, find("canvas"), this.tools);
    this.chosen = new Chosen(this.stage);
    this.inspector = new Inspector(make("div", { class: "inspector" }), this.send);
    find("chosen").append(this.inspector.element);
    this.setup = isEmbedded() ? new Run(find("setup")) : new Setup(find("setup"), this.send);
    this.drawing = new Drawing(find("layers"), this);
    this.legend = new Legend(find("legend"), {
      hold: (held) => this.stage.worlds.forEach(({ crowd }) => { crowd.range.held = held; }),
    });
    this.timebar = new Timebar(this.send);
    this.dial = makeDial({ open: (plot) => this.openCurve(plot), wait: () => this.send("play"), realtime: () => {
      const { late } = this.state;
      this.send("method", { name: "realtime" });
      if (late) this.send("play");
    } });
    const dark = matchMedia("(prefers-color-scheme: dark)");
    this.theme = recall("theme", dark.matches ? "dark" : "light");
    dark.addEventListener("change", () => recall("theme", null) ?? this.setTheme(dark.matches ? "dark" : "light"));
    this.curves = new Curves(find("curves"), { theme: this.theme, seek: (time) => this.send("seek", { time }), past: () => this.send("curves") });
    this.actions = makeActions(this);
    bindActions(this.actions);
    find("help").append(...keyList(this.actions), make("h2", {}, "Mouse, touch, pen"), ...this.pointerHelp());
    this.fillSpeeds();
    this.setTheme(this.theme);
    this.setLook({ wireframe: false, ...recall("look", {}) });
    this.stage.setQuality(recall("quality", "auto"));
    new ResizeObserver(() => this.resize()).observe(find("stage"));
    this.resize();
    for (const name of recall("panels", isEmbedded() ? ["setup", "curves"] : [])) this.toggle(name, true);
    this.takeDrops();
    hook(this);
    const handlers = {
      message: (message) => this.receive(message),
      data: (data) => this.take(data),
      state: (state) => this.connection(state),
    };
    this.link = isEmbedded() ? new Report(handlers) : isLocal() ? new Local(handlers) : new Link(handlers);
    requestAnimationFrame((now) => this.tick(now));
  }

  pointerHelp() {
    return [
      "Drag a body: pull it; let go in motion: throw it.",
      "Drag beside it, or with one finger: turn (flat worlds: move).",
      "Right button or two fingers: move. Wheel or pinch: zoom.",
      "Click a body: choose it.",
    ].map((text) => make("p", {}, text));
  }

  fillSpeeds() {
    this.speed = find("speed");
    this.speed.append(...SPEEDS.map((value) => make("option", { value }, `× ${value}`)));
    this.speed.addEventListener("change", () => this.setSpeed(Number(this.speed.value)));
  }

  // ---- what comes ----

  receive(message) {
    if (message.type === "hello") this.greet(message);
    else if (message.type === "scene") this.setScene(message);
    else if (message.type === "state") this.setState(message);
    else if (message.type === "error") this.notes.show(message.message, "error");
    else if (message.type === "curves") this.curves.setHistory(message.history);
    else if (message.type === "inspected") this.inspector.show(message);
    else if (message.type === "note") this.notes.show(message.message);
    else if (message.type === "export") this.save(message);
  }

  greet(hello) {
    this.hello = hello;
    const known = new Set(hello.layers.map(({ name }) => name));
    this.layers = new Set([...this.layers].filter((name) => known.has(name)));
    for (const { marks } of this.stage.worlds) marks.setLayers(hello.layers);
    this.setup.setChoices(hello);
    this.drawing.setChoices(hello, this.layers, recall("stretch", 1));
    this.setStretch(recall("stretch", 1));
    this.askLayers([...this.layers]);
    this.setColour(recall("colour", "body"));
  }

  setScene(scene) {
    const again = this.scene?.name === scene.name ? this.chosen.body : -1;
    if (this.scene?.name !== scene.name) this.firstLayers(scene);
    this.scene = scene;
    this.canEdit = scene.editable !== false && !scene.recorded;
    find("title").replaceChildren(make("strong", {}, scene.name), make("span", {}, scene.summary ?? ""));
    find("title").title = scene.summary ? `${scene.name}: ${scene.summary}` : scene.name;
    document.title = `${scene.name} – Ashlar`;
    this.pending.fill(null);
    // What hangs on the background goes nowhere.
    const fixed = new Set([0, ...scene.bodies.filter(({ type }) => type !== "dynamic").map(({ id }) => id)]);
    const anchored = [...(scene.joints ?? []), ...(scene.forces ?? [])].some(({ a, b }) => fixed.has(a) !== fixed.has(b) && b !== undefined);
    this.framing.setScene(anchored);
    this.lacking = lackingOf(scene, isEmbedded());
    this.drawing.setLacking(this.lacking);
    if (this.state.colour in this.lacking.colours) this.send("colour", { mode: "body" });
    this.stage.build(scene);
    this.tools.setScene(scene, this.hello?.joints);
    find("tools").hidden = !this.canEdit;
    this.chosen.setLinks(scene, this.canEdit ? (what, id) => this.send("delete", { [what]: id }) : null);
    this.choose(again);
    this.setup.setScene(scene);
    this.timebar.setScene(scene);
    this.dial.setScene(scene);
    this.noteCovers();
    this.curves.setScene(scene);
    this.showLabels();
  }

  setState(state) {
    Object.assign(this.state, state);
    setIcon(find("play"), this.state.paused ? "play" : "pause");
    this.speed.value = this.nearestSpeed();
    this.setup.setState(this.state);
    if (state.alarms) this.alarms.show(state.alarms, [this.state.method, this.state.compare]);
    if (state.layers) this.adoptLayers(state.layers);
    for (const { crowd } of this.stage.worlds) {
      if (crowd.mode === this.state.colour) continue;
      crowd.mode = this.state.colour ?? "body";
      crowd.range.reset();
      crowd.paint();
    }
    this.showDrawing();
    this.showLabels();
    this.stage.dirty = true;
  }

  showLabels() {
    const two = this.stage.count > 1, names = [this.state.method ?? this.scene?.method ?? "", this.state.compare ?? ""];
    find("labels").hidden = !two;
    names.forEach((name, i) => { find(`label-${i}`).textContent = name; });
    if (two) this.curves.setWorlds?.(names);
  }

  // Binary messages: frames wait for the next picture.
  take(data) {
    this.got ||= data.type === FRAME; // also one of a scene that is gone is answered
    if (data.type === SURFACE) this.stage.addSurface(data);
    else if (data.generation !== this.scene?.generation) return;
    else if (data.type === FRAME) this.pending[data.world] = data;
    else if (data.type === MARKS) {
      this.stage.showMarks(data);
      this.newMarks = true;
    }
  }

  connection(state) {
    this.connected = state === "open";
    find("lost").hidden = this.connected;
    if (!this.connected) this.tools.cancel();
  }

  // Scene files that are let go over the page.
  takeDrops() {
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", async (event) => {
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      if (!file) return;
      const text = await file.text();
      if (!isLocal() && text.length > COMMAND_MOST)
        return this.notes.show(`${file.name} is too large to be dropped here: run ashlar view ${file.name}.`, "error");
      this.send("open", { name: file.name, text });
    });
  }

  save({ name, text }) {
    const file = name.endsWith(".json") ? name : `${name}.json`;
    download(file, new Blob([text], { type: "application/json" }));
    this.notes.show(`Saved as ${file}.`);
  }

  // ---- pictures ----

  tick(now) {
    requestAnimationFrame((next) => this.tick(next));
    const seconds = (now - (this.before ?? now)) / 1000, start = performance.now();
    this.before = now;
    let fresh = false;
    for (const frame of this.pending) {
      if (!frame) continue;
      fresh = true;
      this.stage.place(frame);
      this.curves.push(frame);
      if (frame.world === 0) this.showTime(frame);
      if (frame.world === 0) this.dial.push(frame, now);
    }
    this.pending.fill(null);
    this.pointer.refresh();
    this.tools.refresh();
    this.timebar.refresh();
    this.dial.refresh(now, this.state, this.frames.means.rate);
    if (this.following) this.follow(seconds);
    else if (!this.tools.grab.active) this.framing.refresh(fresh, now, seconds);
    this.chosen.refresh();
    this.inspector.refresh(now);
    const placed = performance.now();
    this.stage.draw();
    if (fresh || this.newMarks) this.showLegend();
    this.newMarks = false;
    if (fresh) {
      this.frames.note(now, this.link.decoding ?? 0, placed - start, performance.now() - placed);
      this.link.decoding = 0;
    }
    if (this.got) this.send("ready");
    this.got = false;
  }

  showTime(frame) {
    find("clock").value = `${frame.time.toFixed(3)} s`;
    this.timebar.show(frame.time);
  }

  showLegend() {
    const { crowd } = this.stage.worlds[0];
    if (this.stage.count > 1) this.stage.shareRange();
    this.legend.show(crowd.mode, this.stage.theme, crowd.range.high, crowd.range, this.stage.worlds[0].marks.largest);
  }

  follow(seconds) {
    const { crowd } = this.stage.worlds[0], { body } = this.chosen;
    if (body < 0 || !crowd.isHere(body)) return;
    const p = crowd.frame.positions;
    this.stage.camera.follow([p[3 * body], p[3 * body + 1], p[3 * body + 2]], seconds);
  }

  resize() {
    const { clientWidth, clientHeight } = find("stage");
    if (clientWidth <= 0 || clientHeight <= 0) return;
    this.noteCovers();
    this.stage.resize(clientWidth, clientHeight);
    this.stage.draw(); // at once: a canvas is blank after it has changed its size
  }

  // How much of the picture's height the dial and the time bar cover.
  noteCovers() {
    const { height, top } = find("stage").getBoundingClientRect(), dial = find("dial").getBoundingClientRect(), bar = find("timebar");
    Object.assign(this.stage.camera.covered, { above: (dial.bottom - top) / height, below: bar.hidden ? 0 : bar.offsetHeight / height });
  }

  // ---- what people do ----

  choose(body) {
    this.chosen.set(body);
    const chosen = this.stage.worlds[0].crowd.bodies[this.chosen.body];
    this.chosen.figures = !isEmbedded();
    this.inspector.set(chosen && !isEmbedded() ? chosen.id : null, !!this.canEdit && chosen?.type === "dynamic");
    if (body < 0 && this.following) this.toggleFollow();
  }

  chooseNext(way) {
    const { crowd } = this.stage.worlds[0], count = crowd.bodies.length;
    for (let i = 1, body = this.chosen.body; i <= count; i++) {
      body = body < 0 ? (way > 0 ? 0 : count - 1) : (body + way + count) % count;
      if (crowd.isHere(body) && crowd.bodies[body].type === "dynamic") return this.choose(body);
    }
  }

  // The chosen body, or all.
  fit() {
    if (this.chosen.body >= 0) this.stage.fitBody(this.chosen.body);
    else this.stage.fit();
  }

  escape() {
    const open = SIDE.find((name) => !find(name).hidden);
    if (this.tools.grab.active || this.tools.connecting.first) this.tools.cancel();
    else if (this.tools.name !== "hand") this.tools.use("hand");
    else if (this.chosen.body >= 0) this.choose(-1);
    else if (open) this.toggle(open, false);
  }

  toggleFollow() {
    if (!this.following && this.chosen.body < 0) {
      this.chooseNext(1);
      if (this.chosen.body < 0) return;
    }
    this.following = !this.following;
    this.stage.camera.touched = true; // it stays where following ends
    if (this.following) this.stage.camera.startFollowing();
    find("follow").setAttribute("aria-pressed", this.following);
  }

  nearestSpeed() {
    const far = (value) => Math.abs(Math.log(value / this.state.speed));
    return SPEEDS.reduce((best, value) => (far(value) < far(best) ? value : best));
  }
  setSpeed(value) {
    this.send("speed", { value });
    this.notes.show(`Speed × ${digits(value)}`);
  }

  setColour(mode) {
    if (this.hello && !this.hello.colours.includes(mode)) return;
    if (mode in (this.lacking?.colours ?? {})) return;
    remember("colour", mode);
    this.send("colour", { mode });
  }
  nextColour() {
    const list = (this.hello?.colours ?? []).filter((name) => !(name in (this.lacking?.colours ?? {})));
    const mode = list[(list.indexOf(this.state.colour) + 1) % list.length];
    if (!mode) return;
    this.setColour(mode);
    this.notes.show(`Colours: ${modeOf(mode).text}`);
  }

  setLook(look) {
    this.stage.setLook(look);
    const { shadows, grid } = this.stage.look;
    if ("shadows" in look || "grid" in look) remember("look", { shadows, grid });
    find("wireframe").setAttribute("aria-pressed", this.stage.look.wireframe);
    this.showDrawing();
  }

  setQuality(quality) {
    remember("quality", quality);
    this.stage.setQuality(quality);
  }

  setLayers(names) {
    remember("layers", names);
    this.askLayers(names);
  }
  askLayers(names) {
    this.adoptLayers(names);
    this.send("layers", { names });
    this.showDrawing();
  }
  // Until somebody chooses, a scene shows what it is built of.
  firstLayers({ joints, bodies }) {
    if (recall("layers", null)) return;
    const lines = bodies.length <= FEW || (joints ?? []).some(({ kind }) => LINES.has(kind)), names = [...FIRST_LAYERS, ...(lines ? ["joints"] : [])];
    this.askLayers(names.filter((name) => this.hello?.layers.some((layer) => layer.name === name)));
  }
  // All pages of a session see the same layers.
  adoptLayers(names) {
    this.layers = new Set(names);
    for (const { marks } of this.stage.worlds) {
      marks.shown = this.layers;
      if (names.length === 0) marks.clear();
      else marks.redraw();
    }
    this.newMarks = true;
    this.stage.dirty = true;
  }

  setStretch(value) {
    for (const { marks } of this.stage.worlds) marks.setStretch(value);
    remember("stretch", value);
    this.stage.dirty = true;
  }

  showDrawing() {
    this.drawing.show({ colour: this.state.colour ?? "body", look: this.stage.look, layers: this.layers });
  }

  toggleTheme() {
    this.setTheme(this.theme === "dark" ? "light" : "dark");
    remember("theme", this.theme);
  }
  setTheme(name) {
    this.theme = name;
    document.body.dataset.theme = name;
    this.stage.setTheme(name);
    this.curves.setTheme(name);
    this.showLegend();
  }

  toggle(name, open = find(name).hidden) {
    const others = SIDE.includes(name) && open ? SIDE.filter((other) => other !== name) : [];
    for (const panel of [name, ...others]) {
      const shown = panel === name && open;
      if (!shown && find(panel).contains(document.activeElement)) document.querySelector(`[data-panel=${panel}]`).focus();
      find(panel).hidden = !shown;
      document.querySelector(`[data-panel=${panel}]`).setAttribute("aria-expanded", shown);
    }
    if (name === "curves" && open) this.curves.resize();
    if (name === "setup" && open) this.setup.showChosen?.();
    remember("panels", [...SIDE, "curves"].filter((panel) => !find(panel).hidden && panel !== "help"));
  }
  // Shows a plot of the curves, from the dial.
  openCurve(plot) {
    this.toggle("curves", true);
    this.curves.reveal(plot);
  }
  findScene() {
    this.toggle("setup", true);
    this.setup.focusFilter?.();
  }
  askCompare() {
    this.toggle("setup", true);
    this.setup.focusCompare?.();
  }
}

try {
  new Page();
} catch (error) { // without WebGL 2 there is no picture
  find("lost").textContent = `This page cannot be shown: ${error.message}`;
  find("lost").hidden = false;
  throw error;
}
