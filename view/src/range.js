// The range of a colour scale: it grows at once and shrinks only when values have been far below it for a while, so
// that colours do not flicker.

const PATIENCE = 90; // frames

// The next of 1, 2, 5, 10, ... above a value.
export function roundUp(value) {
  if (!(value > 0) || !Number.isFinite(value)) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  for (const step of [1, 2, 5]) if (value <= step * power * (1 + 1e-9)) return step * power;
  return 10 * power;
}

export class Range {
  constructor() {
    this.reset();
  }

  reset() {
    this.high = 0;
    this.low = 0;
    this.quiet = 0;
    this.held = false;
  }

  // Takes the largest value of a frame; true when the range changed.
  note(largest) {
    if (this.held) return false;
    const wanted = roundUp(largest);
    this.quiet = wanted < 0.35 * this.high ? this.quiet + 1 : 0;
    if (wanted <= this.high && this.quiet < PATIENCE) return false;
    const changed = wanted !== this.high;
    this.high = wanted;
    this.quiet = 0;
    return changed;
  }
}
