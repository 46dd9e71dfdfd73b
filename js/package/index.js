export { catalog, scenario } from "./catalog.js";
export { FairlaneError } from "./error.js";
export { compare, default, policies, simulate } from "./simulator.js";
