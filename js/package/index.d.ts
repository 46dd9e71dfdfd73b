import type { CatalogEntry, ScenarioFile } from "./simulator.js";

export { compare, default, policies, simulate } from "./simulator.js";
export type * from "./simulator.js";

/** The scenarios of the catalog. */
export function catalog(): Promise<CatalogEntry[]>;

/** A scenario of the catalog by its name, to simulate or to change. */
export function scenario(name: string): Promise<ScenarioFile>;

/** What is wrong with a scenario, or a name that is not a policy's or of the catalog. */
export class FairlaneError extends Error {
  /** JSON path such as `jobs[3].stages[0].profile`; empty for the scenario as a whole. */
  readonly path: string;
  /** Line of the JSON text, if it is text that is wrong. */
  readonly line?: number;
  /** Column of the JSON text, if it is text that is wrong. */
  readonly column?: number;
}
