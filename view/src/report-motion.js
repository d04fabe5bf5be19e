// The motion of a report: where bodies were in each of its frames, and between them. app/report/motion.c tells how the
// bytes are made.

const COMPONENTS = 7;
const REACH_SAMPLES = 20011; // a prime, so that all bodies have their turn
const FAR = 0.05; // the share of places at either end that does not count

// Whole numbers of few bytes: 0, 1, 2, 3, ... are 0, -1, 1, -2, ...
function reader(bytes) {
  let at = 0;
  return {
    byte: () => bytes[at++],
    whole() {
      let value = 0, scale = 1, byte;
      do {
        byte = bytes[at++];
        value += (byte & 127) * scale;
        scale *= 128;
      } while (byte > 127);
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    },
    get isAtEnd() {
      return at === bytes.length;
    },
  };
}

export class Motion {
  constructor({ frames, bodies }, times, quanta, moves) {
    Object.assign(this, { frames, bodies, times });
    this.positions = new Float32Array(3 * frames * bodies);
    this.rotations = new Int16Array(4 * frames * bodies);
    this.read(reader(moves), quanta);
    this.frame = { positions: new Float32Array(3 * bodies), rotations: new Int16Array(4 * bodies), asleep: new Uint8Array(Math.ceil(bodies / 8)) };
    this.speeds = new Float32Array(bodies);
  }

  read(from, quanta) {
    const { bodies } = this, here = new Uint8Array(bodies), fresh = new Uint8Array(bodies);
    const last = new Float64Array(COMPONENTS * bodies), before = new Float64Array(COMPONENTS * bodies);
    for (let frame = 0; frame < this.frames; frame++) {
      readPresence(from, here, fresh, last, before);
      for (let c = 0; c < COMPONENTS; c++)
        for (let body = 0; body < bodies; body++) {
          if (!here[body]) continue;
          const i = COMPONENTS * body + c, foretold = c < 3 ? 2 * last[i] - before[i] : last[i], now = foretold + from.whole();
          before[i] = fresh[body] ? now : last[i];
          last[i] = now;
        }
      this.keep(frame, here, last, quanta);
    }
    if (!from.isAtEnd) throw new Error("the report is damaged: its motion is not as long as it says");
  }

  keep(frame, here, numbers, quanta) {
    for (let body = 0, p = 3 * frame * this.bodies, r = 4 * frame * this.bodies; body < this.bodies; body++, p += 3, r += 4) {
      const i = COMPONENTS * body;
      for (let c = 0; c < 3; c++) this.positions[p + c] = here[body] ? numbers[i + c] * quanta[body] : NaN;
      for (let c = 0; c < 4; c++) this.rotations[r + c] = here[body] ? numbers[i + 3 + c] : 0;
    }
  }

  // The last frame at or before a time.
  find(time) {
    let low = 0, high = this.frames;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle;
    }
    return low;
  }

  get end() {
    return this.times[this.frames - 1];
  }

  // The box of where these bodies were, [low, high], but for the few that went far; null when there are none.
  reach(counts) {
    const values = [[], [], []], stride = Math.max(1, Math.floor((this.frames * this.bodies) / REACH_SAMPLES));
    for (let i = 0; i < this.frames * this.bodies; i += stride)
      if (counts[i % this.bodies] && this.positions[3 * i] === this.positions[3 * i])
        for (let c = 0; c < 3; c++) values[c].push(this.positions[3 * i + c]);
    if (values[0].length === 0) return null;
    for (const list of values) list.sort((a, b) => a - b);
    const at = (share) => values.map((list) => list[Math.round(share * (list.length - 1))]);
    return [at(FAR), at(1 - FAR)];
  }

  // Where bodies are at a time: evenly between two frames, those that are in only one of them as in the earlier one.
  pose(time) {
    const from = this.find(time), to = Math.min(from + 1, this.frames - 1), span = this.times[to] - this.times[from];
    const share = span > 0 ? Math.min(Math.max((time - this.times[from]) / span, 0), 1) : 0;
    const { positions: p, rotations: r } = this, { positions, rotations } = this.frame, n = this.bodies;
    for (let i = 0, a = 3 * n * from, b = 3 * n * to; i < 3 * n; i++) {
      const step = p[b + i] - p[a + i];
      positions[i] = step === step ? p[a + i] + share * step : p[a + i];
    }
    for (let i = 0, a = 4 * n * from, b = 4 * n * to; i < 4 * n; i += 4) mixRotation(r, a + i, b + i, share, rotations, i);
    this.measureSpeeds(from, to, span);
    return this.frame;
  }

  measureSpeeds(from, to, span) {
    const { positions: p, bodies: n } = this;
    for (let i = 0, a = 3 * n * from, b = 3 * n * to; i < n; i++, a += 3, b += 3) {
      const speed = span > 0 ? Math.hypot(p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]) / span : 0;
      this.speeds[i] = speed === speed ? speed : 0;
    }
  }
}

function readPresence(from, here, fresh, last, before) {
  for (let body = 0; body < here.length; body += 8) {
    const bits = from.byte();
    for (let i = body; i < Math.min(body + 8, here.length); i++) {
      const present = (bits >> (i - body)) & 1;
      fresh[i] = present && !here[i] ? 1 : 0;
      if (fresh[i]) {
        last.fill(0, COMPONENTS * i, COMPONENTS * (i + 1));
        before.fill(0, COMPONENTS * i, COMPONENTS * (i + 1));
      }
      here[i] = present;
    }
  }
}

// Quaternions mixed along the straight line between them and made unit again; the writer chose the nearer of the two
// that mean the same.
function mixRotation(r, a, b, share, to, at) {
  if (share === 0 || (r[b] === 0 && r[b + 1] === 0 && r[b + 2] === 0 && r[b + 3] === 0)) {
    for (let c = 0; c < 4; c++) to[at + c] = r[a + c];
    return;
  }
  const x = r[a] + share * (r[b] - r[a]), y = r[a + 1] + share * (r[b + 1] - r[a + 1]);
  const z = r[a + 2] + share * (r[b + 2] - r[a + 2]), w = r[a + 3] + share * (r[b + 3] - r[a + 3]);
  const scale = 32767 / (Math.hypot(x, y, z, w) || 1);
  to[at] = Math.round(x * scale);
  to[at + 1] = Math.round(y * scale);
  to[at + 2] = Math.round(z * scale);
  to[at + 3] = Math.round(w * scale);
}

// A point of a body in the world; body -1 is the background.
export function pointOf({ positions, rotations }, body, [x, y, z], to) {
  if (body < 0) return void to.splice(0, 3, x, y, z);
  const i = 4 * body, scale = 1 / (Math.hypot(rotations[i], rotations[i + 1], rotations[i + 2], rotations[i + 3]) || 1);
  const a = rotations[i] * scale, b = rotations[i + 1] * scale, c = rotations[i + 2] * scale, w = rotations[i + 3] * scale;
  const u = 2 * (b * z - c * y), v = 2 * (c * x - a * z), t = 2 * (a * y - b * x);
  to[0] = positions[3 * body] + x + w * u + b * t - c * v;
  to[1] = positions[3 * body + 1] + y + w * v + c * u - a * t;
  to[2] = positions[3 * body + 2] + z + w * t + a * v - b * u;
}
