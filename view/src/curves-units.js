// Numbers as people read them: with the prefix of their unit that makes them short.

const prefixes = new Map([[-15, "f"], [-12, "p"], [-9, "n"], [-6, "µ"], [-3, "m"], [0, ""], [3, "k"], [6, "M"], [9, "G"]]);
const prefixable = /^(m|s|J|N|W|Pa|rad|Hz|V|A|N m|N s|N m s|m\/s|m\/s²|m\/s\^2|rad\/s|N\/m|J\/m)$/;
const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

// The unit for numbers up to `size`, and what they are divided by: {factor, unit}.
export function scaledUnit(unit, size) {
  if (unit === "ms") {
    const { factor, unit: scaled } = scaledUnit("s", size * 1e-3);
    return { factor: factor * 1e3, unit: scaled };
  }
  if (!prefixable.test(unit) || !(size > 0) || !Number.isFinite(size) || (size >= 0.1 && size < 1e4))
    return { factor: 1, unit };
  const power = Math.min(Math.max(3 * Math.floor(Math.log10(size) / 3 + 1e-12), -15), 9);
  return { factor: 10 ** power, unit: prefixes.get(power) + unit };
}

const minus = (text) => text.replace("-", "−");

export function powerText(value) {
  const power = Math.round(Math.log10(value));
  return `10${power < 0 ? "⁻" : ""}${[...String(Math.abs(power))].map((digit) => superscripts[digit]).join("")}`;
}

// Labels of an axis whose ticks are `increment` apart.
export function tickText(value, increment) {
  const size = Math.max(Math.abs(value), increment);
  if (value !== 0 && (size >= 1e6 || increment < 1e-6)) return minus(value.toExponential(1));
  let decimals = 0;
  while (decimals < 7 && Math.abs(increment * 10 ** decimals - Math.round(increment * 10 ** decimals)) > 1e-6 * 10 ** decimals * increment) decimals++;
  return minus(value.toFixed(decimals));
}

// A value with its unit.
export function valueText(value, unit, digits = 4) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return unit ? `0 ${unit}` : "0";
  const scaled = scaledUnit(unit, Math.abs(value)), number = value / scaled.factor, size = Math.abs(number);
  if (unit && size < 1e-3) { // below all prefixes
    const [share, power] = value.toExponential(2).split("e");
    return minus(`${share}·${powerText(10 ** power)} ${unit}`);
  }
  const text = size >= 1e5 || size < 1e-3 ? number.toExponential(3) : Number.isInteger(number) ? String(number)
    : number.toPrecision(size >= 1e4 ? 5 : size >= 1e3 ? 4 : digits);
  return minus(scaled.unit ? `${text} ${scaled.unit}` : text);
}
