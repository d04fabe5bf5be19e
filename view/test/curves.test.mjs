// Curves without a browser: what is remembered, how it is stacked, written and told.
import assert from "node:assert/strict";
import { test } from "node:test";
import { csvText, fileName } from "../src/curves-export.js";
import { planPlots, stackParts, stretches } from "../src/curves-plan.js";
import { Ring } from "../src/curves-ring.js";
import { powerText, scaledUnit, tickText, valueText } from "../src/curves-units.js";

const all = (ring) => ring.view([-Infinity, Infinity], Infinity);

function filled(samples, capacity, value) {
  const ring = new Ring(1, capacity);
  for (let i = 0; i < samples; i++) ring.push(i, [value(i)]);
  return ring;
}

test("a ring keeps all samples while there is room", () => {
  const ring = filled(16, 16, (i) => i * i);
  assert.equal(ring.stride, 1);
  assert.deepEqual(ring.times(all(ring), false), Array.from({ length: 16 }, (_, i) => i));
  assert.deepEqual(ring.line(0, all(ring)), Array.from({ length: 16 }, (_, i) => i * i));
});

test("a full ring halves its resolution and keeps spikes, their order and both ends", () => {
  for (const spike of [0, 1, 500, 617, 999]) {
    const ring = filled(1000, 16, (i) => (i === spike ? 7 : i === spike + 1 ? -3 : 1));
    assert.ok(ring.count <= 16);
    assert.equal(ring.stride, 64);
    const points = ring.line(0, all(ring));
    assert.equal(points.filter((value) => value === 7).length, 1, `spike at ${spike}`);
    if (spike + 1 < 1000) assert.ok(points.indexOf(7) < points.indexOf(-3), `order at ${spike}`);
    const times = ring.times(all(ring), false);
    assert.equal(times.length, points.length);
    assert.deepEqual([times[0], times.at(-1)], [0, 999]);
    assert.ok(times.every((time, i) => i === 0 || time > times[i - 1]));
  }
});

test("buckets hold samples that are neighbours, whatever their number", () => {
  for (let samples = 1; samples < 200; samples++) {
    const ring = filled(samples, 8, (i) => i);
    assert.equal(ring.latest, samples - 1);
    for (let i = 0; i < ring.count; i++) {
      assert.equal(ring.begin[i], i === 0 ? 0 : ring.end[i - 1] + 1);
      assert.deepEqual([ring.early[i], ring.late[i], ring.last[i]], [ring.begin[i], ring.end[i], ring.end[i]]);
    }
  }
});

test("what is not a number is a gap, and does not hide numbers beside it", () => {
  const ring = filled(4, 4, (i) => [NaN, 2, NaN, NaN][i]);
  assert.deepEqual(ring.line(0, all(ring)), [null, 2, null, null]);
  ring.push(4, [NaN]); // merges [NaN 2] [NaN NaN]
  assert.deepEqual(ring.line(0, all(ring)), [2, 2, null, null, null]);
  assert.deepEqual(ring.range(0), [2, 2]);
});

test("time without samples is a gap, in lines and in stacks; sparse samples are not", () => {
  const ring = new Ring(1, 64);
  for (let i = 0; i < 20; i++) ring.push(i < 10 ? i : i + 100, [1]);
  const view = all(ring), line = ring.line(0, view), times = ring.times(view, false), whole = ring.whole(0, view);
  assert.equal(line.indexOf(null), 10);
  assert.equal(line.filter((value) => value === null).length, 1);
  assert.equal(times[10], (9 + 110) / 2);
  assert.equal(times.length, line.length);
  assert.ok(Number.isNaN(whole[10]) && whole.length === ring.times(view, true).length);
  const [{ inner, outer }] = stackParts([whole]);
  assert.deepEqual(stretches(inner, outer, 0, outer.length - 1).map((run) => [run[0], run.at(-1)]), [[0, 9], [11, 20]]);
  const slower = new Ring(1, 64); // from here on a sample stands for more time
  for (let i = 0; i < 20; i++) slower.push(i < 10 ? i : 9 + 100 * (i - 9), [1]);
  assert.ok(!slower.line(0, all(slower)).includes(null));
  const merged = new Ring(1, 8); // buckets of several samples keep the gap, too
  for (let i = 0; i < 40; i++) merged.push(i < 16 ? i : i + 100, [1]);
  assert.equal(merged.line(0, all(merged)).filter((value) => value === null).length, 1);
});

test("a run that is set back forgets what came after", () => {
  const ring = filled(100, 16, (i) => i);
  ring.truncate(50.5);
  assert.equal(ring.latest, 50.5);
  const before = ring.count;
  ring.push(60, [1]);
  assert.equal(ring.count, before + 1);
  ring.truncate(0);
  assert.deepEqual([ring.count, ring.stride, ring.latest], [0, 1, -Infinity]);
});

test("a view draws a window with one bucket beyond, in groups that keep extremes", () => {
  const ring = filled(1000, 1024, (i) => (i === 333 ? 9 : 0));
  const view = ring.view([300, 400], 10);
  assert.deepEqual([view.from, view.to, view.group], [299, 402, 11]);
  assert.equal(ring.line(0, view).filter((value) => value === 9).length, 1);
  assert.equal(ring.times(view, false).length, ring.line(0, view).length);
  assert.equal(ring.times(view, true).length, ring.whole(0, view).length);
  assert.equal(new Ring(1).view([0, 1], 10).to, 0);
});

test("the nearest bucket is found", () => {
  const ring = filled(10, 16, (i) => i);
  assert.deepEqual([-5, 0, 0.4, 0.6, 8.7, 99].map((time) => ring.find(time)), [0, 0, 0, 1, 9, 9]);
  assert.equal(new Ring(1).find(0), -1);
});

test("a recording is loaded as a whole", () => {
  const ring = new Ring(2);
  ring.load({ times: [1, 3], begin: [0, 2], values: [[5, 6], [7, 8]], early: [[4, 9], [7, 8]], late: [[5, 6], [7, 8]] });
  assert.deepEqual(ring.times(all(ring), false), [0, 1, 2, 3]);
  assert.deepEqual(ring.line(0, all(ring)), [4, 5, 9, 6]);
  assert.equal(ring.value(1, 1), 8);
});

test("energy is stacked, works as what they took, the remainder apart", () => {
  const names = ["kinetic", "gravity", "springs", "total", "initial", "friction", "remainder"];
  const plots = planPlots({ curves: [...names.map((name) => ({ name, unit: "J", group: "energy" })),
                                     { name: "error", unit: "m", group: "joint_error" }, { name: "tip", unit: "m", group: "outputs" }], joints: [] });
  assert.deepEqual(plots.map(({ id, kind, shown }) => [id, kind, shown]),
                   [["energy", "stack", true], ["remainder", "lines", true], ["output tip", "lines", true], ["joint error", "lines", false]]);
  const energy = plots[0].series.map(({ column, map }) => [column, map]);
  assert.deepEqual(energy, [[0, "plain"], [1, "lifted"], [2, "plain"], [5, "negated"]]);
});

test("stacks grow upwards and downwards from zero", () => {
  const [a, b, c] = stackParts([[1, 2], [-3, 4], [NaN, -5]]);
  assert.deepEqual([a.inner, a.outer], [[0, 0], [1, 2]]);
  assert.deepEqual([b.inner, b.outer], [[0, 2], [-3, 6]]);
  assert.deepEqual([c.inner, c.outer], [[-3, 0], [-3, -5]]);
  const [d] = stackParts([[-1, 0, 2]]);
  assert.deepEqual([d.inner, d.outer], [[0, 0, 0], [-1, 0, 2]]);
  const [, e] = stackParts([[1, 1], [0, -2]]);
  assert.deepEqual([e.inner, e.outer], [[0, 0], [0, -2]]); // nothing yet, but on the side that it will be on
});

test("a part that changes sides is drawn in stretches, and not where it is nothing", () => {
  const [, part] = stackParts([[5, 5, 5, 5, 5], [1, 0, -1, -2, 3]]);
  assert.deepEqual(stretches(part.inner, part.outer, 0, 4), [[0, 1], [2, 3], [4]]);
  const [, noise] = stackParts([[5, 5, 5], [1e-18, -1e-18, 1e-7]]);
  assert.deepEqual(stretches(noise.inner, noise.outer, 0, 2), []);
  const [broken] = stackParts([[Infinity, 1], [2, 2]]);
  assert.deepEqual(broken.outer, [0, 1]);
  const [nothing] = stackParts([[0, 0, NaN]]);
  assert.deepEqual(stretches(nothing.inner, nothing.outer, 0, 2), []);
});

test("CSV quotes names, has extremes where samples were merged, and joins two worlds by time", () => {
  const curves = [{ column: 0, name: 'tip, "left"', unit: "m" }];
  const one = filled(3, 4, (i) => i / 10);
  assert.equal(csvText({ rings: [one], curves }), 'time [s],"tip, ""left"" [m]"\n0,0\n1,0.1\n2,0.2\n');
  assert.equal(csvText({ rings: [one], curves, window: [0.5, 1.5] }), 'time [s],"tip, ""left"" [m]"\n1,0.1\n');
  const merged = csvText({ rings: [filled(5, 4, (i) => [1, 5, 2, NaN, 3][i])], curves: [{ column: 0, name: "x", unit: "" }] });
  assert.equal(merged, "time [s],x,x least,x greatest\n1,5,1,5\n3,nan,2,2\n4,3,3,3\n");
  const other = new Ring(1);
  other.push(1, [7]);
  assert.equal(csvText({ rings: [one, other], curves: [{ column: 0, name: "x", unit: "m" }], names: ["a", "b"] }),
               "time [s],a: x [m],b: x [m]\n0,0,\n1,0.1,7\n2,0.2,\n");
});

test("numbers are told with a short unit", () => {
  assert.equal(valueText(0.0000123456, "m"), "12.35 µm");
  assert.equal(valueText(-0.25, "ms"), "−250 µs");
  assert.equal(valueText(123456, "N"), "123.5 kN");
  assert.equal(valueText(42, ""), "42");
  assert.equal(valueText(0, "J"), "0 J");
  assert.equal(valueText(NaN, "J"), "–");
  assert.equal(valueText(0.00001, "kg"), "1.00·10⁻⁵ kg");
  assert.deepEqual(scaledUnit("m", 0.5), { factor: 1, unit: "m" });
  assert.equal(powerText(1e-6), "10⁻⁶");
  assert.deepEqual([0, 0.25, 0.5].map((value) => tickText(value, 0.25)), ["0.00", "0.25", "0.50"]);
  assert.equal(tickText(-40, 20), "−40");
});

test("file names hold no path and no markup", () => {
  assert.equal(fileName("../a </script> b", ".csv"), "a-script-b.csv");
  assert.equal(fileName("///", ".png"), "curves.png");
});
