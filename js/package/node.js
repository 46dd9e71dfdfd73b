import { readFile } from "node:fs/promises";
import start from "./simulator.js";

export { catalog, scenario } from "./catalog.js";
export { FairlaneError } from "./error.js";
export { compare, policies, simulate } from "./simulator.js";

/** As in a browser, but `fetch` does not read files. */
export default async function init(source) {
  return start(source ?? { module_or_path: await readFile(new URL("./simulator_bg.wasm", import.meta.url)) });
}
