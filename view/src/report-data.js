// What a report carries inside, as the page uses it. app/report/ writes it.

const ELEMENT = "ashlar-report";

// The data of a report, or null when this page is none.
export function embeddedData() {
  const element = document.getElementById(ELEMENT);
  return element ? JSON.parse(element.textContent) : null;
}

export const isEmbedded = () => document.getElementById(ELEMENT) !== null;

// Packed bytes: {size, data}, zlib in base64.
export async function unpack({ size, data }) {
  const text = atob(data), bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  if (buffer.byteLength !== size) throw new Error(`the report is damaged: ${buffer.byteLength} bytes where ${size} were packed`);
  return buffer;
}

// Surface messages that follow each other, each on its own.
export function splitSurfaces(buffer) {
  const view = new DataView(buffer), messages = [];
  for (let at = 0; at < buffer.byteLength;) {
    const size = 16 + 24 * view.getUint32(at + 8, true) + 12 * view.getUint32(at + 12, true);
    messages.push(buffer.slice(at, at + size));
    at += size;
  }
  return messages;
}

// Curves in rows, as Ring.load takes them.
export function readSeries({ rows, columns, ranged }, buffer) {
  const begin = new Float64Array(buffer, 0, rows), times = new Float64Array(buffer, 8 * rows, rows);
  const history = { times, begin, values: [], early: [], late: [] };
  for (let column = 0, at = 16 * rows; column < columns; column++) {
    const next = () => new Float32Array(buffer, (at += 4 * rows) - 4 * rows, rows);
    const values = next();
    history.values.push(values);
    history.early.push(ranged ? next() : values);
    history.late.push(ranged ? next() : values);
  }
  return history;
}
