// Springs, hydraulic cylinders and joints of a report, as marks between the bodies that it moves.
import { pointOf } from "./report-motion.js";
import { LINE, MARKS, MARK_FLOATS, POINT } from "./wire.js";

const a = [0, 0, 0], b = [0, 0, 0];

export class LinkMarks {
  // `layers` are those of the hello message: {name, number}.
  constructor({ springs, joints }, layers) {
    const number = new Map(layers.map((layer) => [layer.name, layer.number]));
    const cylinders = joints.filter(({ shortest }) => shortest !== undefined);
    this.kinds = [["springs", springs, springTension, false], ["cylinders", cylinders, travel, false], ["joints", joints, () => 0, true]]
      .filter(([name, list]) => list.length > 0 && number.has(name))
      .map(([name, list, value, points]) => ({ name, list, value, points, number: number.get(name) }));
  }

  get names() {
    return this.kinds.map(({ name }) => name);
  }

  // A marks message of the layers that are wanted.
  show(frame, wanted, generation) {
    const kinds = this.kinds.filter(({ name }) => wanted.has(name));
    const most = kinds.reduce((sum, { list, points }) => sum + list.length * (points ? 3 : 1), 0);
    const buffer = new ArrayBuffer(4 * MARK_FLOATS * most);
    const marks = { type: MARKS, generation, world: 0, count: 0, bytes: new Uint8Array(buffer), floats: new Float32Array(buffer) };
    for (const { list, value, points, number } of kinds)
      for (const link of list) {
        pointOf(frame, link.a, link.from, a);
        pointOf(frame, link.b, link.to, b);
        if (a[0] !== a[0] || b[0] !== b[0]) continue; // one of its bodies is not there
        const length = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]), shown = value(link, length);
        add(marks, LINE, number, shown, a, b);
        if (!points) continue;
        add(marks, POINT, number, shown, a, a);
        add(marks, POINT, number, shown, b, b);
      }
    return marks;
  }
}

// A rest length below zero means that of the first frame.
function springTension(link, length) {
  if (link.rest < 0) link.rest = length;
  return link.stiffness * (length - link.rest);
}

const travel = ({ shortest }, length) => length - shortest;

function add(marks, kind, layer, value, from, to) {
  const at = MARK_FLOATS * marks.count++;
  marks.bytes[4 * at] = kind;
  marks.bytes[4 * at + 1] = layer;
  marks.floats[at + 1] = value;
  marks.floats.set(from, at + 2);
  marks.floats.set(to, at + 5);
}
