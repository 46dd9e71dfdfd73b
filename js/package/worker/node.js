import { Worker } from "node:worker_threads";
import "../node.js";
import { module } from "../core.js";
import { Simulator as Requests } from "./simulator.js";
import thread from "./thread-text.js";

export class Simulator extends Requests {
  constructor({ module_or_path } = {}) {
    super((answered, failed) => {
      const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(thread)}`));
      worker.on("message", (answer) => {
        // A worker without work does not keep the process alive.
        worker.unref();
        answered(answer);
      });
      worker.on("error", failed);
      const loading = module(module_or_path).then((compiled) => worker.postMessage(compiled));
      return {
        send(call) {
          worker.ref();
          loading.then(() => worker.postMessage(call), failed);
        },
        end() {
          worker.removeAllListeners();
          worker.terminate();
        },
      };
    });
  }
}
