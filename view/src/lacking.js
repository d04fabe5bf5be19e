// What a recording cannot show, because it keeps where bodies are and how fast, but not what the engine knew besides.

const IMPULSES = "a recording keeps no forces of contacts", SLEEP = "a recording does not say who sleeps",
  CONTACTS = "a report keeps no contacts; ashlar view of the recording finds them";
const COLOURS = { recording: { sleeping: SLEEP, force: IMPULSES }, report: { island: CONTACTS, layer: CONTACTS } };
const LAYERS = { forces: IMPULSES, friction: IMPULSES, impacts: IMPULSES, drives: IMPULSES, sleeping: SLEEP };

// {colours, layers}: reasons by name.
export function lackingOf({ recorded }, isReport) {
  if (!recorded) return { colours: {}, layers: {} };
  return { colours: { ...COLOURS.recording, ...(isReport ? COLOURS.report : {}) }, layers: LAYERS };
}
