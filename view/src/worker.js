// The worker of the page without a server: the engine's loop, as app/viewer/engine.c has it, for one page and one thread.
// It follows the module of WebAssembly (makeEngine) in one script. A turn comes LONGEST after the last one, or when the page
// is ready to draw, but not before SHORTEST, so that frames go in step with the display.
const SHORTEST = 1000 / 125, LONGEST = 1000 / 60, AT_MOST = 100; // ms

const decoder = new TextDecoder(), encoder = new TextEncoder(), channel = new MessageChannel();
const commands = [];
let engine, ready = false, changed = false, last = 0, timer = 0;

function mail(address, size, isText) {
  const bytes = engine.HEAPU8.slice(address, address + size);
  if (isText) postMessage(decoder.decode(bytes));
  else postMessage(bytes.buffer, [bytes.buffer]);
}

function withText(text, call) {
  const bytes = encoder.encode(text), address = engine._malloc(bytes.length + 1);
  if (address === 0) throw new Error("out of memory");
  engine.HEAPU8.set(bytes, address);
  engine.HEAPU8[address + bytes.length] = 0;
  const result = call(address, bytes.length);
  engine._free(address);
  return result;
}

function turn() {
  if (!engine) return; // commands wait until it is there
  clearTimeout(timer);
  for (let i = 0; i < commands.length; i++) withText(commands[i], (address, size) => engine._web_obey(address, size));
  if (commands.length > 0) changed = true;
  commands.length = 0;
  const elapsed = performance.now() - last;
  if (elapsed >= (ready ? SHORTEST : LONGEST)) {
    last += elapsed;
    if (engine._web_advance(Math.min(elapsed, AT_MOST) / 1000)) changed = true;
  }
  if (ready && changed) {
    ready = changed = false;
    engine._web_frame();
  }
  const rest = LONGEST - (performance.now() - last);
  if (rest > 1) timer = setTimeout(turn, rest);
  else channel.port2.postMessage(null); // a timer would wait 4 ms
}
channel.port1.onmessage = turn;

function run([scene, method, steps]) {
  const call = (a) => withText(method, (b) => engine.ccall("web_run", "string", ["number", "number", "number"], [a, b, steps]));
  postMessage({ ran: JSON.parse(withText(scene, call)) });
}

async function start({ wasm, scene, paused }) {
  const said = [];
  engine = await makeEngine({ wasmBinary: wasm, print() {}, printErr: (line) => said.push(line), mail });
  if (!withText(scene, (address) => engine._web_open(address, paused))) throw new Error(said.join(" "));
  last = performance.now();
  turn();
}

self.onmessage = ({ data }) => {
  if (data.wasm) start(data).catch((error) => postMessage({ failed: error.message }));
  else if (data.run) run(data.run);
  else {
    if (data === "ready") ready = true;
    else commands.push(data);
    if (performance.now() - last >= SHORTEST) channel.port2.postMessage(null);
  }
};
