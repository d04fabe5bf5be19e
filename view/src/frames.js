// What pictures cost: milliseconds of the last ones, by part, without making objects on the way.

const KEPT = 120;
const PARTS = ["interval", "decode", "place", "draw"];

export class Frames {
  constructor() {
    this.count = 0;
    this.kept = Object.fromEntries(PARTS.map((part) => [part, new Float64Array(KEPT)]));
    this.last = 0;
  }

  // A picture with a new frame was drawn at `now`, ms.
  note(now, decode, place, draw) {
    const at = this.count++ % KEPT;
    this.kept.interval[at] = this.last ? now - this.last : 0;
    this.kept.decode[at] = decode;
    this.kept.place[at] = place;
    this.kept.draw[at] = draw;
    this.last = now;
  }

  // Means over the last pictures.
  get means() {
    const filled = Math.min(this.count, KEPT),
      means = { count: this.count };
    for (const part of PARTS) {
      let sum = 0;
      for (let i = 0; i < filled; i++) sum += this.kept[part][i];
      means[part] = filled ? sum / filled : 0;
    }
    means.rate = means.interval > 0 ? 1000 / means.interval : 0;
    return means;
  }
}
