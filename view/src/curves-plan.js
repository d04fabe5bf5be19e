// Which plots a scene's curves make: the energy ledger as a stack with the numerical remainder apart, the residual on a
// log axis, the time of a step as a stack of its stages, and every output in a plot of its own.

const STORED = ["kinetic", "gravity", "springs"];
const SUMS = ["total", "initial"]; // not parts of the stack: one is its sum, the other its level at the start
// Entries in the order in which they take colours: the frequent ones take those that differ most.
const FREQUENT = [...STORED, "impacts", "friction", "dampers", "motors", "external", "joints", "stabilization", "loads", "drag", "sleep", "callbacks"];
const OUTPUTS_SHOWN = 8; // at first; all can be chosen

const titles = {
  energy: "Energy", remainder: "Numerical remainder", residual: "Residual", penetration: "Penetration",
  "joint error": "Joint error", stages: "Step time", contacts: "Contacts", iterations: "Iterations",
};
const hints = {
  energy: "Where the energy is and where it went; below zero: what was put in",
  remainder: "Energy that no entry of the ledger accounts for: the error of the integration",
  residual: "How far the solution is from solving the step's equations",
  penetration: "The deepest overlap of two bodies",
  "joint error": "The farthest that a joint is from being closed",
  stages: "Wall time of a step, by stage",
  contacts: "What touches",
  iterations: "Iterations of a step, mean since the sample before",
};

const normal = (group) => group.replace(/[-_]/g, " ");

function plot(id, unit, kind, series, more = {}) {
  return { id, title: titles[id] ?? id, hint: hints[id] ?? "", unit, kind, log: false, shown: true, series, ...more };
}

const line = ({ name, column }, look) => ({ label: name, hint: name, column, look, map: "plain" });

// Stored energy as it is, but gravity above its lowest; works as what they took away.
function energyPlots(curves) {
  const parts = curves.filter(({ name }) => !SUMS.includes(name) && name !== "remainder");
  const stack = parts.map(({ name, column }) => ({
    label: name,
    hint: name === "gravity" ? "gravity, above its lowest" : STORED.includes(name) ? name : `${name}: taken away, or put in where negative`,
    column,
    look: Math.max(0, FREQUENT.indexOf(name)),
    map: STORED.includes(name) ? (name === "gravity" ? "lifted" : "plain") : "negated",
  }));
  const rest = curves.filter(({ name }) => name === "remainder").map((curve) => line(curve, 0));
  const plots = stack.length ? [plot("energy", curves[0].unit, "stack", stack)] : [];
  return rest.length ? [...plots, plot("remainder", curves[0].unit, "lines", rest)] : plots;
}

// A whole step, where a recording has it, is no stage; but it may be all that there is.
function stagesOf(curves) {
  const stages = curves.filter(({ name }) => name !== "step");
  return stages.length > 0 ? stages : curves;
}

function groupPlots(group, curves, scene) {
  switch (group) {
    case "energy": return energyPlots(curves);
    case "residual": return [plot(group, curves[0].unit, "lines", curves.map(line), { log: true })];
    case "stages": return [plot(group, curves[0].unit, "stack", stagesOf(curves).map(line))];
    case "joint error":
      return [plot(group, curves[0].unit, "lines", curves.map(line), { shown: (scene.joints ?? []).length > 0 })];
    case "outputs":
      return curves.map((curve, i) => plot(`output ${curve.name}`, curve.unit, "lines", [line(curve, 0)],
                                           { title: curve.name, shown: i < OUTPUTS_SHOWN }));
    default: return [plot(group, curves[0].unit, "lines", curves.map(line))];
  }
}

// The plots of a scene message: energy, then outputs, then its other groups in their order.
export function planPlots(scene) {
  const groups = new Map();
  (scene.curves ?? []).forEach(({ name, unit, group }, column) => {
    if (group === "dial") return; // not plotted
    const key = normal(group);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push({ name, unit: unit ?? "", column });
  });
  const first = ["energy", "outputs"].filter((key) => groups.has(key)), others = [...groups.keys()].filter((key) => !first.includes(key));
  return [...first, ...others].flatMap((group) => groupPlots(group, groups.get(group), scene));
}

const NOTHING = 1e-6; // of the highest stack: what is less is not seen, and its sign is chance

// Parts stacked: positive ones upwards from zero, negative ones downwards, nothings where they were before. Of each part
// its inner and outer edge.
export function stackParts(parts) {
  const rows = parts[0]?.length ?? 0, above = new Float64Array(rows), below = new Float64Array(rows);
  let highest = 0;
  for (let i = 0; i < rows; i++) highest = Math.max(highest, parts.reduce((sum, values) => sum + (Number.isFinite(values[i]) ? Math.abs(values[i]) : 0), 0));
  const missing = Array.from({ length: rows }, (_, i) => parts.every((values) => Number.isNaN(values[i])));
  const something = (value) => Number.isFinite(value) && Math.abs(value) > NOTHING * highest;
  return parts.map((values) => {
    const inner = new Array(rows), outer = new Array(rows);
    let pile = values.find(something) < 0 ? below : above;
    for (let i = 0; i < rows; i++) {
      if (missing[i]) {
        inner[i] = outer[i] = NaN;
        continue;
      }
      const value = something(values[i]) ? values[i] : 0;
      if (value !== 0) pile = value < 0 ? below : above;
      inner[i] = pile[i];
      outer[i] = pile[i] += value;
    }
    return { inner, outer };
  });
}

// The stretches over which a part of a stack lies on one side, as lists of rows; where it is nothing there is none.
export function stretches(inner, outer, from, to) {
  const found = [];
  let run = [], side = 0;
  const end = () => {
    if (side !== 0) found.push(run);
    [run, side] = [[], 0];
  };
  for (let k = from; k <= to; k++) {
    if (Number.isNaN(outer[k])) end(); // a gap
    if (outer[k] == null || Number.isNaN(outer[k])) continue;
    const here = Math.sign(outer[k] - inner[k]);
    if (here !== 0 && side !== 0 && here !== side) end();
    run.push(k);
    side = here || side;
  }
  end();
  return found;
}
