import { usually } from "./core.js";

usually(() => new URL("./simulator_bg.wasm", import.meta.url));

export { catalog, compare, init as default, policies, scenario, simulate, toHtml } from "./core.js";
export { FairlaneError } from "./error.js";
