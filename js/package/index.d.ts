import type {
  CatalogEntry, Comparison, PolicyInfo, PolicyName, ScenarioFile, Simulation, TraceFile,
} from "./simulator.js";

export type * from "./simulator.js";

/** The same, of which nothing is changed. */
export type DeepReadonly<T> = { readonly [Key in keyof T]: DeepReadonly<T[Key]> };

/** A scenario as TypeScript types an imported JSON file. */
export interface ScenarioJson {
  readonly format: string;
  readonly jobs: readonly {
    readonly user: string;
    readonly arrival_s: number;
    readonly stages: readonly object[];
  }[];
}

/** A scenario as an object, its text, or a scenario of the catalog. */
export type ScenarioSource = DeepReadonly<ScenarioFile> | ScenarioJson | `catalog:${string}` | (string & {});

/** Tasks in the order of launch, a typed array per field. */
export interface TaskColumns {
  /** How many. */
  readonly length: number;
  /** The job, by index in the file. */
  readonly job: Uint32Array;
  /** The stage, by index in the job. */
  readonly stage: Uint32Array;
  /** The task, by index in the stage. */
  readonly task: Uint32Array;
  readonly core: Uint32Array;
  /** When it was launched, in whole microseconds. */
  readonly start_us: Float64Array;
  /** When it freed the core, in whole microseconds. */
  readonly end_us: Float64Array;
  /** Indices of the attempts that were killed, ascending. */
  readonly killed: Uint32Array;
  /** Why each of them was, in their order. */
  readonly reasons: readonly ("dropped" | "cancelled" | "lost" | "overtaken" | "preempted")[];
}

/** A program of your own as a policy: an expression that ranks the stages, smallest first, or functions. */
export interface ProgramPolicy {
  readonly program: string;
  /** What it is called: `custom` if nothing is said; `-p` at the end is runtime partitioning. */
  readonly policy?: `custom${string}`;
  /** Where its random numbers start. */
  readonly seed?: number;
}

/** A policy, or a program: its own, or one of the scenario by its name. */
export type Policy = PolicyName | `custom${string}` | ProgramPolicy;

export interface SimulateOptions {
  /** Whether the result has the trace, too. */
  trace?: boolean;
}

/** What `fairlane simulate --format json` prints, with the tasks. */
export interface SimulationResult extends Simulation {
  tasks: TaskColumns;
}

export interface TracedSimulationResult extends SimulationResult {
  /** The trace as the command writes it. */
  trace: TraceFile;
}

/** Where the compiled simulator is, if it is not beside its script. */
export type ModuleSource = string | URL | Request | Response | BufferSource | WebAssembly.Module;

/** Loads the simulator; once, before everything else but `Simulator`. */
export default function init(
  source?: ModuleSource | Promise<ModuleSource> | { module_or_path: ModuleSource | Promise<ModuleSource> },
): Promise<void>;

/** Simulates a scenario under a policy. Throws a `FairlaneError` if the scenario is not valid. */
export function simulate(
  scenario: ScenarioSource, policy: Policy, options: SimulateOptions & { trace: true },
): TracedSimulationResult;
export function simulate(scenario: ScenarioSource, policy: Policy, options?: SimulateOptions): SimulationResult;

/** A metric, by its key in the figures of a policy. */
export type Metric = Exclude<keyof Comparison["policies"][number], "policy">;

export interface CompareOptions<Chosen extends Metric> {
  /** The metrics to compute, and no others; any that there is is cheaper than all. */
  metrics: Iterable<Chosen>;
}

/** A comparison with the metrics that were asked for, which are `null` where they do not exist. */
export interface SelectedComparison<Chosen extends Metric> extends Omit<Comparison, "policies"> {
  policies: Pick<Comparison["policies"][number], "policy" | Chosen>[];
}

/** The figures of each policy, in the order in which the policies are given. */
export function compare<Chosen extends Metric>(
  scenario: ScenarioSource, policies: Policy | Iterable<Policy>, options: CompareOptions<Chosen>,
): SelectedComparison<Chosen>;
export function compare(scenario: ScenarioSource, policies: Policy | Iterable<Policy>): Comparison;

/**
 * One HTML file with the lab, a scenario and policies: it opens from the disk and needs nothing else. `page` is the
 * content of the file `fairlane.html` of a lab, which lies beside its page.
 */
export function toHtml(
  scenario: ScenarioSource, policies: Policy | Iterable<Policy>, page: BufferSource,
): Uint8Array;

/** What the policies declare of themselves. */
export function policies(): PolicyInfo[];

/** The scenarios of the catalog. */
export function catalog(): CatalogEntry[];

/** A scenario of the catalog by its name, to look at or to change. */
export function scenario(name: string): ScenarioFile;

/** What is wrong with a scenario, or a name that is not a policy's or of the catalog. */
export class FairlaneError extends Error {
  /** JSON path such as `jobs[3].stages[0].profile`; empty for the scenario as a whole. */
  readonly path: string;
  /** Line of the JSON text, if it is text that is wrong. */
  readonly line?: number;
  /** Column of the JSON text, if it is text that is wrong. */
  readonly column?: number;
}
