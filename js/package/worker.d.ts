import type { Comparison, PolicyName, ScenarioSource, TracedSimulation } from "./index.js";

export interface RequestOptions {
  /** Cancels the request, even while it is being simulated. */
  signal?: AbortSignal;
}

/** The simulator in a worker, which starts at the first request. Requests are answered one after the other. */
export class Simulator {
  simulate(scenario: ScenarioSource, policy: PolicyName, options?: RequestOptions): Promise<TracedSimulation>;
  compare(scenario: ScenarioSource, policies: PolicyName[], options?: RequestOptions): Promise<Comparison>;
  /** Ends the worker. Requests that have no answer are rejected; the next request starts another worker. */
  close(): void;
}
