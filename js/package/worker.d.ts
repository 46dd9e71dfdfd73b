/// <reference lib="esnext.disposable" />
import type {
  CompareOptions, Comparison, Metric, ModuleSource, Policy, ScenarioSource, SelectedComparison, SimulateOptions,
  SimulationResult, TracedSimulationResult,
} from "./index.js";

export interface RequestOptions {
  /** Cancels the request, even while it is being simulated. */
  signal?: AbortSignal;
}

/** The simulator in a worker, which starts at the first request. Requests are answered one after the other. */
export class Simulator {
  /** `module_or_path`: where the compiled simulator is, if it is not beside its script. */
  constructor(options?: { module_or_path?: ModuleSource | Promise<ModuleSource> });
  simulate(
    scenario: ScenarioSource, policy: Policy, options: SimulateOptions & RequestOptions & { trace: true },
  ): Promise<TracedSimulationResult>;
  simulate(
    scenario: ScenarioSource, policy: Policy, options?: SimulateOptions & RequestOptions,
  ): Promise<SimulationResult>;
  compare<Chosen extends Metric>(
    scenario: ScenarioSource, policies: Policy | Iterable<Policy>, options: CompareOptions<Chosen> & RequestOptions,
  ): Promise<SelectedComparison<Chosen>>;
  compare(
    scenario: ScenarioSource, policies: Policy | Iterable<Policy>, options?: RequestOptions,
  ): Promise<Comparison>;
  /** Ends the worker. Requests that have no answer are rejected; the next request starts another worker. */
  close(): void;
  [Symbol.dispose](): void;
}
