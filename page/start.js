// Starts the page. Its first worker loads its scripts while the program is still on its way.
import start from "./fairlane-page.js";

const worker = new Worker("./fairlane-worker_loader.js", { type: "module" });
worker.postMessage(new URL("./fairlane-page.js", import.meta.url).href);
self.fairlaneWorker = worker;
// Without it the program starts one of its own, and says why that fails.
worker.onerror = (event) => {
  event.preventDefault();
  self.fairlaneWorker = undefined;
};
start();
