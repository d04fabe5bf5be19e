// The run that a report is about, in the place of the panel of scene and method: what it was, what it cost, how large
// its errors are, its checks, its outputs, its method.
import { valueText } from "./curves-units.js";
import { make } from "./dom.js";

const seconds = (value) => valueText(value, "s");

// Rows of the summary that `ashlar run` wrote: label, unit, and how to find the number.
const summaryRows = [
  ["Steps", "", (s) => s.steps], ["Contacts, most", "", (s) => s.contacts_max],
  ["Step, mean", "ms", (s) => s.step_ms?.mean], ["Step, median", "ms", (s) => s.step_ms?.median], ["Step, longest", "ms", (s) => s.step_ms?.max],
  ["Real-time factor", "×", (s) => s.realtime_factor], ["Iterations, mean", "", (s) => s.iterations_mean],
  ["Residual, largest", "m/s", (s) => s.residual?.max], ["Residual, mean", "m/s", (s) => s.residual?.mean],
  ["Penetration, deepest", "m", (s) => s.penetration_m?.max], ["Penetration at the end", "m", (s) => s.penetration_m?.final],
  ["Joint error, largest", "m", (s) => s.joint_error_m?.max], ["Joint error at the end", "m", (s) => s.joint_error_m?.final],
  ["Energy at the start", "J", (s) => s.energy_J?.initial], ["Energy at the end", "J", (s) => s.energy_J?.final],
  ["Energy drift, relative", "", (s) => s.energy_J?.drift_rel], ["Displacement, largest", "m", (s) => s.displacement_m?.max],
  ["Threads", "", (s) => s.threads],
];

function table(caption, heads, rows) {
  const cells = (tag, texts) => texts.map((text, i) => make(i === 0 && tag === "td" ? "th" : tag, i === 0 && tag === "td" ? { scope: "row" } : {}, text));
  return make("table", { class: "facts" }, ...(caption ? [make("caption", {}, caption)] : []),
    ...(heads.length ? [make("thead", {}, make("tr", {}, ...cells("th", heads)))] : []), make("tbody", {}, ...rows.map((row) => make("tr", {}, ...cells("td", row)))));
}

export class Run {
  constructor(element) {
    this.element = element;
    element.setAttribute("aria-label", "The run");
    const button = document.querySelector("[data-panel=setup]");
    button.querySelector("span").textContent = "Run";
  }

  setChoices({ report: facts }) {
    const { summary } = facts;
    this.element.classList.add("run");
    this.element.replaceChildren(
      make("h2", {}, facts.scene), ...(facts.about ? [make("p", {}, facts.about)] : []), ...this.notes(facts), this.conditions(facts),
      ...this.checks(summary?.checks ?? []), ...(summary ? [make("h2", {}, "Summary"), this.summary(summary)] : []),
      ...this.outputs(facts.outputs), this.method(facts), make("p", { class: "hint" }, this.origin(facts)));
  }

  notes({ notes, summary }) {
    const list = [...notes];
    if (!summary) list.push("No summary.json was beside the recording: costs, errors and checks of the run are not known here.");
    return list.map((text) => make("p", { class: "run-note" }, text));
  }

  conditions(facts) {
    const span = facts.complete ? seconds(facts.ended) : `${seconds(facts.ended)} of ${seconds(facts.planned)}`;
    return table("", [], [["Method", facts.method], ["Step", seconds(facts.step)], ["Time", span], ["Bodies", String(facts.bodies)],
                          ["Joints", String(facts.joints)], ["Samples", String(facts.samples)]]);
  }

  checks(checks) {
    if (checks.length === 0) return [];
    const rows = checks.map(({ name, value, limit, pass }) => {
      const verdict = make("strong", { class: pass ? "pass" : "fail" }, pass ? "✓ pass" : "✗ fail");
      return [name, valueText(value ?? NaN, ""), valueText(limit ?? NaN, ""), verdict];
    });
    return [make("h2", {}, "Checks"), table("", ["Check", "Off by", "Limit", ""], rows)];
  }

  summary(summary) {
    const rows = summaryRows.map(([label, unit, pick]) => [label, unit, pick(summary)])
      .filter(([, , value]) => typeof value === "number").map(([label, unit, value]) => [label, valueText(value, unit)]);
    if (summary.hash) rows.push(["Hash of the end", String(summary.hash)]);
    if (Array.isArray(summary.flags) && summary.flags.length) rows.push(["Flags", summary.flags.join(", ")]);
    return table("", [], rows);
  }

  outputs(outputs) {
    if (outputs.length === 0) return [];
    const rows = outputs.map(({ name, unit, last, least, greatest }) =>
      [name, ...[last, least, greatest].map((value) => valueText(value ?? NaN, unit))]);
    return [make("h2", {}, "Outputs"), table("", ["Output", "Last", "Least", "Greatest"], rows)];
  }

  method({ method, base, fields }) {
    const own = fields.filter((field) => field.own);
    const rows = (list) => table("", [], list.map(({ name, value, summary }) => [make("span", { title: summary }, name), value]));
    return make("div", {}, make("h2", {}, "Method"),
      make("p", {}, own.length ? `${method}; other than in ${base} are:` : `${method}, with its usual fields.`), ...(own.length ? [rows(own)] : []),
      make("details", {}, make("summary", {}, `All ${fields.length} fields`), rows(fields)));
  }

  origin({ recorded_by: recorder, reported_by: reporter, date }) {
    return `Recorded by Ashlar ${recorder}${recorder === reporter ? "" : `, reported by ${reporter}`}; report made ${date ?? ""}.`;
  }

  // What the panel of scene and method has and a report needs not.
  setScene() {}
  setState() {}
  focusFilter() {}
  focusCompare() {}
}
