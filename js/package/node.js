import { readFile } from "node:fs/promises";
import { usually } from "./core.js";

// As in a browser, but `fetch` does not read files.
usually(() => readFile(new URL("./simulator_bg.wasm", import.meta.url)));

export { catalog, compare, init as default, policies, scenario, simulate, toHtml } from "./core.js";
export { FairlaneError } from "./error.js";
