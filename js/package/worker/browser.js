import { Simulator as Requests } from "./simulator.js";

export class Simulator extends Requests {
  constructor() {
    super((answered, failed) => {
      const worker = new Worker(new URL("./browser-thread.js", import.meta.url), { type: "module" });
      worker.onmessage = ({ data }) => answered(data);
      worker.onerror = (event) => failed(new Error(event.message || "The worker cannot be loaded."));
      return { send: (call) => worker.postMessage(call), end: () => worker.terminate() };
    });
  }
}
