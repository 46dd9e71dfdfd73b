// The worker: `js/pack.mjs` puts the simulator's script before this, so that a worker needs no file of its own. Pages
// of other origins, bundlers and development servers run it as it is.
const port = globalThis.postMessage ? globalThis : (await import("node:worker_threads")).parentPort;
const receive = async (data) => {
  if (data instanceof WebAssembly.Module) return initSync({ module: data });
  const [name, ...values] = data;
  try {
    const value = { simulate, compare }[name](...values);
    const columns = Object.values(value.tasks ?? {}).filter(ArrayBuffer.isView);
    port.postMessage({ value }, columns.map((column) => column.buffer));
  } catch (error) {
    // What is thrown loses its class on the way.
    port.postMessage({ error: { message: error.message, path: error.path, line: error.line, column: error.column } });
  }
};
if (port === globalThis) port.onmessage = ({ data }) => receive(data);
else port.on("message", receive);
