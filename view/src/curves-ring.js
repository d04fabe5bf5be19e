// What curves remember: a bounded number of buckets of samples. A bucket keeps, of every column, the least and the
// greatest value in the order in which they came, and the last one. When all buckets are in use, neighbours are merged
// in pairs and from then on a bucket takes twice as many samples: memory stays bounded, spikes stay visible.

export const CAPACITY = 4096;
const GAP = 8; // times as long as the times between samples beside it

export class Ring {
  constructor(columns, capacity = CAPACITY) {
    this.columns = columns;
    this.capacity = Math.max(2, capacity & ~1);
    this.allocate();
    this.clear();
  }

  allocate() {
    const size = this.columns * this.capacity;
    this.begin = new Float64Array(this.capacity); // times of a bucket's first and last sample
    this.end = new Float64Array(this.capacity);
    this.early = new Float64Array(size); // the extreme that came first, the other one, and the last value;
    this.late = new Float64Array(size); // column after column
    this.last = new Float64Array(size);
  }

  clear() {
    this.count = 0; // buckets in use
    this.stride = 1; // samples a full bucket holds
    this.filled = 0; // samples in the newest bucket
    this.version = (this.version ?? 0) + 1; // changes with the content
  }

  get latest() {
    return this.count > 0 ? this.end[this.count - 1] : -Infinity;
  }

  get earliest() {
    return this.count > 0 ? this.begin[0] : Infinity;
  }

  push(time, values) {
    this.version++;
    if (this.count === 0 || this.filled === this.stride) {
      if (this.count === this.capacity) this.halve();
      return this.open(time, values);
    }
    const at = this.count - 1;
    this.end[at] = time;
    this.filled++;
    for (let column = 0, i = at; column < this.columns; column++, i += this.capacity) {
      const value = values[column] ?? NaN;
      this.last[i] = value;
      this.take(i, value);
    }
  }

  open(time, values) {
    const at = this.count++;
    this.begin[at] = this.end[at] = time;
    this.filled = 1;
    for (let column = 0, i = at; column < this.columns; column++, i += this.capacity)
      this.early[i] = this.late[i] = this.last[i] = values[column] ?? NaN;
  }

  // Widens the extremes at place i by a value that came after them.
  take(i, value) {
    const early = this.early[i], late = this.late[i];
    if (Number.isNaN(value)) return;
    if (Number.isNaN(late)) this.early[i] = this.late[i] = value;
    else if (value > Math.max(early, late)) [this.early[i], this.late[i]] = [Math.min(early, late), value];
    else if (value < Math.min(early, late)) [this.early[i], this.late[i]] = [Math.max(early, late), value];
  }

  // All buckets are full, and their number is even.
  halve() {
    const half = this.count >> 1;
    for (let at = 0; at < half; at++) {
      const from = 2 * at;
      this.begin[at] = this.begin[from];
      this.end[at] = this.end[from + 1];
      for (let column = 0, base = 0; column < this.columns; column++, base += this.capacity) {
        [this.early[base + at], this.late[base + at]] = this.extremes(base + from, base + from + 1);
        this.last[base + at] = this.last[base + from + 1];
      }
    }
    this.count = half;
    this.stride *= 2;
    this.filled = this.stride;
  }

  // Forgets what came at or after a time: a run that was set back goes on from there.
  truncate(time) {
    let count = this.count;
    while (count > 0 && this.begin[count - 1] >= time) count--;
    this.version++;
    this.count = count;
    this.filled = this.stride; // a bucket that the time is within stays as it is, and ends there
    if (count === 0) this.clear();
    else this.end[count - 1] = Math.min(this.end[count - 1], time);
  }

  // The whole of a recording at once, as buckets: when each begins and ends, and of each column the last values and the
  // extremes.
  load({ times, begin = times, values, early = values, late = values }) {
    const rows = times.length;
    this.capacity = Math.max(this.capacity, (rows + 1) & ~1);
    this.allocate();
    this.clear();
    this.begin.set(begin);
    this.end.set(times);
    for (let column = 0, base = 0; column < this.columns; column++, base += this.capacity) {
      this.early.set(early[column], base);
      this.late.set(late[column], base);
      this.last.set(values[column], base);
    }
    this.count = rows;
    this.filled = 1;
  }

  // The bucket that holds a time, or the nearest one; -1 when there is none.
  find(time) {
    let low = 0, high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.begin[middle] <= time) low = middle + 1;
      else high = middle;
    }
    if (low === 0 || low === this.count) return low === 0 ? Math.min(0, this.count - 1) : low - 1;
    return this.begin[low] - time < time - this.end[low - 1] ? low : low - 1;
  }

  value(column, at) {
    return this.last[column * this.capacity + at];
  }

  // Which buckets to draw within a window of time, one beyond at each side: {from, to, group}, where `group` of them are
  // drawn as one so that there are at most about `most`.
  view([low, high], most) {
    const from = Math.max(0, this.find(low) - 1), to = Math.min(this.count, this.find(high) + 2);
    return { from, to, group: Math.max(1, Math.ceil((to - from) / most)) };
  }

  // Whether samples are missing before a bucket: the time since the one before is far longer than those beside it. The
  // newest is not judged: nobody knows yet whether samples have become sparse.
  isGap(at, from) {
    if (at <= from || at + 1 >= this.count) return false;
    const since = (i) => this.begin[i] - this.end[i - 1], beside = Math.max(at > 1 ? since(at - 1) : 0, since(at + 1));
    return at > 1 && since(at) > GAP * beside;
  }

  // Points to draw lines through: of every group both extremes, in their order. What is not a number is null, a
  // gap, and so is time without samples.
  // A stack, whose values must belong together, goes through the last ones (`whole`).
  times({ from, to, group }, whole) {
    const times = [];
    for (let i = from; i < to; i += group) {
      const last = Math.min(i + group, to) - 1;
      if (this.isGap(i, from)) times.push((this.end[i - 1] + this.begin[i]) / 2);
      if (!whole && this.end[last] > this.begin[i]) times.push(this.begin[i]);
      times.push(this.end[last]);
    }
    return times;
  }

  line(column, { from, to, group }, map = (value) => value) {
    const base = column * this.capacity, points = [];
    const add = (value) => points.push(Number.isFinite(value) ? map(value) : null);
    for (let i = from; i < to; i += group) {
      const last = Math.min(i + group, to) - 1;
      if (this.isGap(i, from)) points.push(null);
      if (last === i) {
        if (this.isRange(i)) add(this.early[base + i]);
        add(this.late[base + i]);
        continue;
      }
      const [first, second] = this.extremes(base + i, base + last);
      add(first);
      add(second);
    }
    return points;
  }

  // The least and the greatest value of places `from` to `to`, in the order in which they came.
  extremes(from, to) {
    let low = NaN, high = NaN, lowAt = 0, highAt = 0;
    for (let i = from, at = 0; i <= to; i++)
      for (const value of [this.early[i], this.late[i]]) {
        at++;
        if (!(low <= value) && value === value) [low, lowAt] = [value, at];
        if (!(high >= value) && value === value) [high, highAt] = [value, at];
      }
    return lowAt <= highAt ? [low, high] : [high, low];
  }

  whole(column, { from, to, group }) {
    const base = column * this.capacity, values = [];
    for (let i = from; i < to; i += group) {
      if (this.isGap(i, from)) values.push(NaN);
      values.push(this.last[base + Math.min(i + group, to) - 1]);
    }
    return values;
  }

  isRange(i) {
    return this.end[i] > this.begin[i];
  }

  // The least and greatest finite value of a column; [Infinity, -Infinity] when there is none.
  range(column) {
    const base = column * this.capacity;
    let low = Infinity, high = -Infinity;
    for (let i = base; i < base + this.count; i++)
      for (const value of [this.early[i], this.late[i]]) {
        if (!Number.isFinite(value)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    return [low, high];
  }
}
