// A report in place of the server: it answers the page's commands from the data inside it.
import { modes } from "./colours.js";
import { embeddedData, readSeries, splitSurfaces, unpack } from "./report-data.js";
import { LinkMarks } from "./report-marks.js";
import { Motion } from "./report-motion.js";
import { ENDED, FRAME, PAUSED, RECORDED, decode } from "./wire.js";

const LONGEST = 0.1; // s of wall time between two pictures that playback makes up for
const ALONE = new Set(["load", "open", "method", "set", "compare", "export", "grab", "add", "join", "spring", "delete"]);

export class Report {
  constructor({ message, data, state }) {
    Object.assign(this, { message, data, state, decoding: 0, time: 0, speed: 1, playing: false, colour: "body", layers: new Set() });
    this.open().catch((error) => {
      state("lost");
      message({ type: "error", command: "", message: `This report cannot be shown: ${error.message}` });
    });
  }

  async open() {
    const data = embeddedData(), { motion, series } = data;
    const [times, quanta, moves, surfaces, values] = await Promise.all(
      [motion.times, motion.quanta, motion.moves, data.surfaces, series.values].map(unpack));
    this.motion = new Motion(motion, new Float64Array(times), new Float32Array(quanta), new Uint8Array(moves));
    this.history = readSeries(series, values);
    this.links = new LinkMarks(data.links, data.layers);
    this.scene = { ...data.scene, generation: 1, worlds: 1, recorded: true, editable: false, duration: this.motion.end,
                   reach: this.motion.reach(data.scene.bodies.map(({ type }) => type === "dynamic")) };
    this.time = this.motion.times[0];
    this.links.show(this.motion.pose(this.time), new Set(this.links.names), 1); // springs at rest take their lengths here
    this.state("open");
    this.message({ type: "hello", version: data.version, scenes: [], methods: [], fields: [], colours: Object.keys(modes),
                   layers: data.layers.filter(({ name }) => this.links.names.includes(name)), report: data.facts });
    for (const surface of splitSurfaces(surfaces)) this.data(decode(surface));
    this.message({ type: "scene", ...this.scene, history: this.history });
    this.tell();
    this.show();
  }

  tell() {
    this.message({ type: "state", paused: !this.playing, speed: this.speed, method: this.scene.method, fields: {}, layers: [...this.layers],
                   colour: this.colour, step: this.scene.step, compare: null });
  }

  // The present frame, and the marks that are wanted.
  show() {
    const { positions, rotations, asleep } = this.motion.pose(this.time), ended = this.time >= this.motion.end;
    const flags = RECORDED | (this.playing ? 0 : PAUSED) | (ended ? ENDED : 0);
    this.data({
      type: FRAME, generation: 1, world: 0, flags, time: this.time, seconds: 0, step: Math.round(this.time / this.scene.step),
      bodies: this.motion.bodies, positions, rotations, asleep, colours: this.colour === "speed" ? this.motion.speeds : null, curves: this.values(),
    });
    if (this.layers.size > 0) this.data(this.links.show({ positions, rotations }, this.layers, 1));
  }

  // The curves' values at the present time.
  values() {
    const { times, values } = this.history;
    let low = 0, high = times.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] < this.time) low = middle + 1;
      else high = middle;
    }
    return Float64Array.from(values, (column) => column[low]);
  }

  play() {
    if (this.playing) return;
    if (this.time >= this.motion.end) this.time = this.motion.times[0];
    this.playing = true;
    let before = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      this.time = Math.min(this.time + this.speed * Math.min(Math.max(now - before, 0) / 1000, LONGEST), this.motion.end);
      before = now;
      if (this.time >= this.motion.end) this.pause();
      this.show();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    this.tell();
  }

  pause() {
    this.playing = false;
    this.tell();
  }

  moveTo(time) {
    this.time = Math.min(Math.max(time, this.motion.times[0]), this.motion.end);
    this.show();
  }

  // Frames that the report has; from between two of them a step leads to the nearer side.
  step(count) {
    const { motion } = this, at = motion.find(this.time);
    const between = count < 0 && this.time > motion.times[at] ? 1 : 0;
    this.pause();
    this.moveTo(motion.times[Math.min(Math.max(at + count + between, 0), motion.frames - 1)]);
  }

  send(command, rest = {}) {
    if (!this.motion) return;
    switch (command) {
      case "play": return this.play();
      case "pause":
        this.pause();
        return this.show(); // in place of a frame that still waits and says that it plays
      case "step": return this.step(rest.count ?? 1);
      case "back": return this.step(-(rest.count ?? 1));
      case "seek": return this.moveTo(rest.time);
      case "reset":
        this.pause();
        return this.moveTo(this.motion.times[0]);
      case "speed": this.speed = rest.value; break;
      case "colour": this.colour = rest.mode; break;
      case "layers": this.layers = new Set(rest.names.filter((name) => this.links.names.includes(name))); break;
      default:
        if (ALONE.has(command)) this.message({ type: "error", command, message: "A report only plays what was recorded; ashlar view runs the scene." });
        return;
    }
    this.tell();
    this.show();
  }
}
