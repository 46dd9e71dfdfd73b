import { Worker } from "node:worker_threads";
import { Simulator as Requests } from "./simulator.js";

export class Simulator extends Requests {
  constructor() {
    super((answered, failed) => {
      const worker = new Worker(new URL("./node-thread.js", import.meta.url));
      worker.on("message", (answer) => {
        // A worker without work does not keep the process alive.
        worker.unref();
        answered(answer);
      });
      worker.on("error", failed);
      return {
        send(call) {
          worker.ref();
          worker.postMessage(call);
        },
        end() {
          worker.removeAllListeners();
          worker.terminate();
        },
      };
    });
  }
}
