// The connection to the server: messages in, commands out, and again after it was lost.
import { decode } from "./wire.js";

const RETRY = 1000; // ms

export class Link {
  constructor({ message, data, state }) {
    Object.assign(this, { message, data, state, decoding: 0 });
    this.open();
  }

  open() {
    const place = new URL("live", location.href); // beside the page: its path has the token
    place.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(place, "ashlar-1");
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => this.state("open");
    this.socket.onclose = () => {
      this.state("lost");
      setTimeout(() => this.open(), RETRY);
    };
    this.socket.onmessage = ({ data }) => {
      if (typeof data === "string") return this.message(JSON.parse(data));
      const start = performance.now(),
        decoded = decode(data);
      this.decoding += performance.now() - start; // ms, until somebody takes it
      if (decoded) this.data(decoded);
    };
  }

  send(command, rest = {}) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ do: command, ...rest }));
  }
}
