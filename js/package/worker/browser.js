import "../index.js";
import { module } from "../core.js";
import { Simulator as Requests } from "./simulator.js";
import thread from "./thread-text.js";

export class Simulator extends Requests {
  constructor({ module_or_path } = {}) {
    super((answered, failed) => {
      const address = URL.createObjectURL(new Blob([thread], { type: "text/javascript" }));
      const worker = new Worker(address, { type: "module" });
      worker.onmessage = ({ data }) => answered(data);
      worker.onerror = (event) =>
        failed(new Error(event.message || "The worker does not start; the page's policy must allow worker-src blob:"));
      const loading = module(module_or_path).then((compiled) => worker.postMessage(compiled));
      return {
        send: (call) => void loading.then(() => worker.postMessage(call), failed),
        end() {
          worker.onmessage = worker.onerror = null;
          worker.terminate();
          URL.revokeObjectURL(address);
        },
      };
    });
  }
}
