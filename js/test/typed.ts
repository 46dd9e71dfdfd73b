// Compiled, not run: what the types allow, and what they do not.
import init, { FairlaneError, catalog, compare, policies, scenario, simulate, toHtml } from "fairlane";
import type { PolicyName, ScenarioFile } from "fairlane";
import { FairlaneDemo } from "fairlane/demo";
import type { FairlaneDemoAttributes } from "fairlane/demo";
import { Simulator } from "fairlane/worker";

await init();
const file: ScenarioFile = {
  format: "fairlane/scenario@1",
  cluster: { executors: 2, fair_tie_break: "spark" },
  policies: { uwfq: { grace_s: 2 } },
  users: [{ name: "ana", weight: 2, queue: { kind: "latency" } }],
  jobs: [{ user: "ana", arrival_s: 0, stages: [{ tasks_s: [1] }, { work_s: 4, parents: [0], inflation: [[2, 1.5]] }] }],
};
const run = simulate(file, "uwfq-p");
const [job, , , core, start] = simulate(file, "uwfq-p", { trace: true }).trace.tasks[0]!;
const ends: Float64Array = run.tasks.end_us;
// Nothing that is given is changed, and an imported JSON file has wider types.
const jobs = [{ user: "ana", arrival_s: 0, stages: [{ tasks_s: [1] }] }] as const;
const frozen = { format: "fairlane/scenario@1", jobs } as const;
const imported: { format: string; jobs: { user: string; arrival_s: number; stages: { tasks_s: number[] }[] }[] } =
  JSON.parse(JSON.stringify(frozen));
console.log(simulate(frozen, "fair").makespan_s, simulate(imported, "fair").makespan_s, ends);
console.log(compare("catalog:skew", policies().map(({ id }) => id)), compare(file, "uwfq"));
// @ts-expect-error: the trace was not asked for
console.log(run.trace);
const responses: (number | null)[] = run.jobs.map((job) => job.response_s);
const hash: string = run.trace_hash;
const mean: number | null = compare(JSON.stringify(file), ["fair", "ujf"]).policies[0]!.mean_response_s;
const selected: number | null = compare(file, "fair", { metrics: ["makespan_s"] }).policies[0]!.makespan_s;
// @ts-expect-error: another metric was asked for
console.log(selected, compare(file, "fair", { metrics: ["makespan_s"] }).policies[0]!.utilization);
// @ts-expect-error: no such metric
compare(file, "fair", { metrics: ["makespan"] });
const slack: number | undefined = run.against_ujf?.slacks;
const names: string[] = [...catalog().map((entry) => entry.name), ...policies().map((policy) => policy.id)];
const policy: PolicyName = "justice";
const other: ScenarioFile = scenario("skew");
const oneDocument: Uint8Array = toHtml(frozen, ["fair", { program: "running" }], new ArrayBuffer(1));
console.log(oneDocument, job + core + start, responses, hash, mean, slack, names, other);

console.log(compare(file, [{ program: "running / weight", policy: "custom:mine" }, "custom-p", "fair"]));
// @ts-expect-error: a program has a name of its own
simulate(file, { program: "running", policy: "fair" });
// @ts-expect-error: no such policy
simulate(file, "lottery");
// @ts-expect-error: a job has stages
simulate({ format: "fairlane/scenario@1", jobs: [{ user: "ana", arrival_s: 0 }] }, policy);
// @ts-expect-error: no such key
const wrong: ScenarioFile = { format: "fairlane/scenario@1", jobs: [], cores: 3 };
console.log(wrong);

const simulator = new Simulator();
try {
  const { makespan_s } = await simulator.simulate(file, policy, { signal: AbortSignal.timeout(1000) });
  console.log(makespan_s);
} catch (error) {
  if (error instanceof FairlaneError) console.log(error.path, error.line);
} finally {
  simulator[Symbol.dispose]();
}

for (const entry of catalog()) console.log(compare(`catalog:${entry.name}`, entry.policies));
console.log(simulate(file, "fair", { trace: true }).trace.killed?.length);
const listed: string[] = ["fair", "uwfq"];
const attributes: FairlaneDemoAttributes = {
  policies: listed, edit: true, "onfairlane-edit": ({ detail }) => console.log(detail.scenario.name),
};
console.log(attributes);
const demo: FairlaneDemo = document.createElement("fairlane-demo");
demo.policies = ["fair", "uwfq-p"];
demo.edit = true;
demo.addEventListener("fairlane-state", ({ detail }) => console.log(detail.at, detail.meanResponse.fair));
demo.addEventListener("fairlane-edit", ({ detail }) => simulate(detail.scenario, "fair"));
demo.ready.then((demo) => demo.seek(1.5));
// @ts-expect-error: no such policy
demo.policies = ["lottery"];
