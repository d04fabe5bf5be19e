// The engine in the page itself, in place of the server: a worker with the module of WebAssembly (make web). What the page
// carries for it stands in two elements, the worker's script and the packed module.
import { unpack } from "./report-data.js";
import { decode } from "./wire.js";

const SCRIPT = "ashlar-worker", MODULE = "ashlar-engine", FIRST = "box-pile";

export const isLocal = () => document.getElementById(MODULE) !== null;

// What the address asks for behind "#": scene, method, paused, and parameters of the scene.
export function wishOf(hash) {
  const { scene = FIRST, method, paused, ...rest } = Object.fromEntries(new URLSearchParams(hash.slice(1)));
  const parameters = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, Number.isNaN(Number(value)) ? value : Number(value)]));
  return { scene, method, paused: paused !== undefined, parameters };
}

export class Local {
  constructor({ message, data, state }) {
    Object.assign(this, { message, data, state, decoding: 0, awaited: [] });
    this.wish = wishOf(location.hash);
    this.open().catch((error) => this.fail(error.message));
  }

  async open() {
    const text = document.getElementById(SCRIPT).textContent, address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const wasm = await unpack(JSON.parse(document.getElementById(MODULE).textContent));
    this.worker = new Worker(address);
    URL.revokeObjectURL(address);
    this.worker.onerror = ({ message }) => this.fail(message);
    this.worker.onmessage = ({ data }) => this.take(data);
    this.worker.postMessage({ wasm, scene: FIRST, paused: this.wish.paused }, [wasm]);
    const { scene, method, parameters } = this.wish;
    if (scene !== FIRST || method || Object.keys(parameters).length > 0)
      this.send("load", { scene, parameters, ...(method ? { method } : {}) });
    this.state("open");
  }

  fail(why) {
    this.state("lost");
    this.message({ type: "error", command: "", message: `The engine of this page has stopped: ${why}. Reload the page to begin again.` });
  }

  take(data) {
    if (typeof data === "string") return this.message(JSON.parse(data));
    if (data.failed) return this.fail(data.failed);
    if (data.ran) return this.awaited.shift()(data.ran);
    const start = performance.now(), decoded = decode(data);
    this.decoding += performance.now() - start;
    if (decoded) this.data(decoded);
  }

  send(command, rest = {}) {
    this.worker?.postMessage(command === "ready" ? command : JSON.stringify({ do: command, ...rest }));
  }

  // A scene by a method for so many steps, apart from what is seen: {steps, hash, step_ms, seconds}.
  run(scene, method = "", steps = 0) {
    this.worker.postMessage({ run: [scene, method, steps] });
    return new Promise((done) => this.awaited.push(done));
  }
}
