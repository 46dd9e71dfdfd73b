// The packed package, installed into an empty folder as its users install it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

/** The most that a page loads to simulate: bytes by Brotli. Half of it are the programs' language. */
const MAX_BYTES = 660_000;

const root = resolve(import.meta.dirname, "../..");
const native = join(root, "target/debug/fairlane");
const folder = mkdtempSync(join(tmpdir(), "fairlane-package-"));
const installed = join(folder, "node_modules/fairlane");
let fairlane, Simulator;

before(async () => {
  const out = join(root, "target/js");
  const tarballs = readdirSync(out).filter((name) => name.endsWith(".tgz"));
  assert.equal(tarballs.length, 1, "one tarball in target/js; ./fairlane-dev package js makes it");
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  execFileSync("npm", ["install", "--silent", "--offline", "--no-audit", "--no-fund", join(out, tarballs[0])], {
    cwd: folder,
  });
  const require = createRequire(join(folder, "index.js"));
  const load = (name) => import(pathToFileURL(require.resolve(name)));
  fairlane = await load("fairlane");
  ({ Simulator } = await load("fairlane/worker"));
  await fairlane.default();
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** A scenario with so much to do that it does not end by itself within a test. */
const long = () => ({
  format: "fairlane/scenario@1",
  jobs: Array.from({ length: 4000 }, (_, job) => ({
    user: `user ${job % 40}`,
    arrival_s: job / 10,
    stages: [{ work_s: 1000, partitions: 1000 }],
  })),
});
const short = { format: "fairlane/scenario@1", jobs: [{ user: "ana", arrival_s: 0, stages: [{ tasks_s: [1, 2] }] }] };

test("what a page loads to simulate stays small", () => {
  const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
  const bytes = ["simulator_bg.wasm", "simulator.js", "index.js", "core.js", "error.js"]
    .map((name) => brotliCompressSync(readFileSync(join(installed, name)), { params }).length)
    .reduce((sum, length) => sum + length);
  console.log(`the JavaScript module: ${bytes} bytes by Brotli`);
  assert.ok(bytes <= MAX_BYTES, `${bytes} bytes by Brotli, at most ${MAX_BYTES}`);
});

test("every policy makes the schedules of the native simulator, with the same figures", async () => {
  const policies = fairlane.policies().flatMap(({ id }) => [id, `${id}-p`]);
  for (const name of ["two-users", "weights", "bopf-growing", "paf-three-jobs"]) {
    const scenario = fairlane.scenario(name);
    const list = policies.join(",");
    const expected = execFileSync(native, ["compare", `catalog:${name}`, "--policies", list, "--format", "json"], {
      encoding: "utf8",
    });
    assert.deepEqual(fairlane.compare(scenario, policies), JSON.parse(expected), name);
  }
});

test("a simulation is that of the command, with its tasks as columns, and its trace if that is asked for", () => {
  const file = join(folder, "trace.json");
  const values = ["simulate", "catalog:paper-scenario-2", "--policy", "uwfq-p", "--format", "json", "--trace", file];
  const expected = JSON.parse(execFileSync(native, values, { encoding: "utf8", maxBuffer: 1 << 28 }));
  const written = JSON.parse(readFileSync(file, "utf8"));
  const scenario = fairlane.scenario("paper-scenario-2");
  const { tasks, trace, ...figures } = fairlane.simulate(scenario, "uwfq-p", { trace: true });
  assert.deepEqual(figures, expected);
  assert.deepEqual(trace, written);
  const { job, stage, task, core, start_us, end_us, length } = tasks;
  const rows = Array.from({ length }, (_, at) => [job[at], stage[at], task[at], core[at], start_us[at], end_us[at]]);
  assert.deepEqual(rows, written.tasks);
  assert.ok(start_us instanceof Float64Array && job instanceof Uint32Array);
  const untraced = fairlane.simulate("catalog:paper-scenario-2", "uwfq-p");
  assert.equal(untraced.trace, undefined);
  assert.equal(untraced.trace_hash, expected.trace_hash);
  assert.equal(fairlane.simulate(JSON.stringify(scenario), "uwfq-p").trace_hash, expected.trace_hash);
});

test("one document is that of the command", () => {
  const page = mkdtempSync(join(folder, "page-"));
  writeFileSync(join(page, "index.html"), "<html>");
  const document = Buffer.from('<title>Fairlane</title><script id="fairlane-session"></script>\xff', "latin1");
  writeFileSync(join(page, "fairlane.html"), document);
  const file = join(folder, "skew.html");
  const values = ["compare", "catalog:skew", "--policies", "fair,uwfq-p", "--html", file, "--page", page];
  execFileSync(native, values);
  const made = fairlane.toHtml("catalog:skew", ["fair", "uwfq-p"], document);
  assert.deepEqual(Buffer.from(made), readFileSync(file));
  const other = () => fairlane.toHtml("catalog:skew", "fair", new ArrayBuffer(10));
  assert.throws(other, { name: "FairlaneError", message: /is not the page of this version/ });
  assert.throws(() => fairlane.toHtml("catalog:skew", "fair", "fairlane.html"), { message: /fairlane\.html/ });
});

test("killed attempts say why, as the trace of the command does", () => {
  const { tasks, trace } = fairlane.simulate("catalog:machine-dies", "fair", { trace: true });
  assert.deepEqual([...tasks.killed], trace.killed);
  assert.deepEqual(tasks.reasons, trace.reasons);
  assert.deepEqual(tasks.reasons, ["lost", "lost"]);
});

test("the catalog has every scenario of the command", () => {
  const entries = fairlane.catalog();
  assert.deepEqual(entries, JSON.parse(execFileSync(native, ["catalog", "--format", "json"], { encoding: "utf8" })));
  const scenario = fairlane.scenario("skew");
  scenario.jobs.pop();
  assert.notDeepEqual(fairlane.scenario("skew"), scenario, "a change of the caller's stays the caller's");
  assert.throws(() => fairlane.scenario("toString"), { name: "FairlaneError", path: "catalog:toString" });
});

test("policies are a name or any list of names", () => {
  const figures = (policies) => fairlane.compare("catalog:two-users", policies).policies.map(({ policy }) => policy);
  assert.deepEqual(figures("uwfq"), ["uwfq"]);
  assert.deepEqual(figures(new Set(["fair", "uwfq-p"])), ["fair", "uwfq-p"]);
  assert.equal(figures(fairlane.policies().map(({ id }) => id)).length, fairlane.policies().length);
});

test("programs are policies", async () => {
  const program = { program: "running / weight", policy: "custom:mine-p", seed: 7 };
  const file = join(folder, "mine.rhai");
  writeFileSync(file, program.program);
  const values = ["simulate", "catalog:skew", "--policy", `custom:${file}-p`, "--hash"];
  const hash = execFileSync(native, values, { encoding: "utf8" }).trim();
  assert.equal(fairlane.simulate("catalog:skew", program).trace_hash, hash);
  const simulator = new Simulator();
  const compared = await simulator.compare("catalog:skew", ["fair", program, { program: "arrival" }]);
  simulator.close();
  assert.deepEqual(compared.policies.map(({ policy }) => policy), ["fair", "custom:mine-p", "custom"]);
  const same = [{ program: "arrival" }, { program: "-arrival" }];
  assert.throws(() => fairlane.compare(short, same), { path: "policies[1]", message: /two programs are called custom/ });
  const wrong = { name: "FairlaneError", message: /line 1, column 11 of the program: `wait` is unknown/ };
  assert.throws(() => fairlane.simulate(short, { program: "running / wait" }), wrong);
  assert.throws(() => fairlane.simulate(short, { program: "loop { }" }), { message: /does not end/ });
  assert.throws(() => fairlane.simulate(short, "custom"), { message: /policies\.custom\.program/ });
});

test("a call before init says what is missing", () => {
  const code = 'import { policies } from "fairlane"; try { policies(); } catch (error) { console.log(error.message); }';
  writeFileSync(join(folder, "early.js"), code);
  const said = execFileSync(process.execPath, ["early.js"], { cwd: folder, encoding: "utf8" });
  assert.match(said, /await init\(\) before/);
});

test("errors name the place and the remedy", () => {
  const negative = { ...short, jobs: [{ user: "ana", arrival_s: 0, stages: [{ tasks_s: [1, -2] }] }] };
  const path = "jobs[0].stages[0].tasks_s[1]";
  const message = `${path}: must not be negative; give 0 or more seconds`;
  assert.throws(() => fairlane.simulate(negative, "uwfq"), (error) => {
    assert.ok(error instanceof fairlane.FairlaneError && error instanceof Error);
    assert.deepEqual({ ...error }, { name: "FairlaneError", path, line: undefined, column: undefined });
    assert.equal(error.message, message);
    return true;
  });
  assert.throws(() => fairlane.simulate('{ "format" }', "uwfq"), { name: "FairlaneError", line: 1, column: 12 });
  assert.throws(() => fairlane.simulate(short, "lottery"), { name: "FairlaneError", message: /no policy "lottery"/ });
  for (const policy of [undefined, null, 7, ["uwfq"], {}]) {
    assert.throws(() => fairlane.simulate(short, policy), { name: "FairlaneError", message: /A policy is a name/ });
  }
  for (const policies of [undefined, null, 7, {}, [7]]) {
    assert.throws(() => fairlane.compare(short, policies), { name: "FairlaneError" }, String(policies));
  }
  for (const name of [undefined, null, 7, {}]) assert.throws(() => fairlane.scenario(name), { name: "FairlaneError" });
  const circular = { ...short };
  circular.jobs = [circular];
  assert.throws(() => fairlane.simulate(circular, "fair"), { name: "FairlaneError", message: /as JSON/ });
  for (const nothing of [undefined, null, 7, [], () => {}]) {
    assert.throws(() => fairlane.compare(nothing, ["fair"]), { name: "FairlaneError", path: "" }, String(nothing));
  }
  assert.equal(fairlane.simulate(short, "fifo").makespan_s, 2, "it works after errors");
});

test("a comparison has the metrics that are asked for, and those alone", async () => {
  const all = fairlane.compare("catalog:two-users", ["fair", "uwfq-p"]);
  const { policies, ...about } = fairlane.compare("catalog:two-users", ["fair", "uwfq-p"], { metrics: ["users", "makespan_s"] });
  assert.deepEqual(policies, all.policies.map(({ policy, makespan_s, users }) => ({ policy, makespan_s, users })));
  assert.deepEqual(about, Object.fromEntries(Object.entries(all).filter(([key]) => key !== "policies")));
  const simulator = new Simulator();
  const one = await simulator.compare(short, "fair", { metrics: new Set(["mean_response_s"]) });
  simulator.close();
  assert.deepEqual(Object.keys(one.policies[0]), ["policy", "mean_response_s"]);
  assert.throws(() => fairlane.compare(short, "fair", { metrics: ["mean"] }), { path: "metrics", message: /the metrics are/ });
  for (const metrics of [null, 7, "users", {}]) {
    assert.throws(() => fairlane.compare(short, "fair", { metrics }), { message: /Metrics are keys/ }, String(metrics));
  }
  assert.throws(() => fairlane.compare(short, "fair", { metrics: [] }), { path: "metrics" });
});

test("a worker answers, and throws what the functions throw", async () => {
  const simulator = new Simulator();
  const [simulation, comparison] = await Promise.all([
    simulator.simulate(short, "uwfq"),
    simulator.compare(short, ["fifo", "fair"]),
  ]);
  assert.deepEqual(simulation, fairlane.simulate(short, "uwfq"));
  assert.deepEqual(comparison, fairlane.compare(short, ["fifo", "fair"]));
  await assert.rejects(simulator.simulate({ ...short, jobs: [{}] }, "fair"), (error) => {
    return error instanceof fairlane.FairlaneError && error.path === "jobs[0]";
  });
  await assert.rejects(simulator.simulate(short, 7), { name: "FairlaneError", message: /A policy is a name/ });
  assert.ok((await simulator.simulate("catalog:skew", "uwfq", { trace: true })).trace.tasks.length > 0);
  simulator[Symbol.dispose ?? Symbol.for("Symbol.dispose")]();
});

test("a simulation in a worker is cancelled, and the requests behind it are answered", async () => {
  const simulator = new Simulator();
  const controller = new AbortController();
  const cancelled = simulator.simulate(long(), "uwfq", { signal: controller.signal });
  const behind = simulator.simulate(short, "uwfq");
  setTimeout(() => controller.abort(), 300);
  await assert.rejects(cancelled, { name: "AbortError" });
  await assert.rejects(simulator.simulate(long(), "uwfq", { signal: AbortSignal.abort() }), { name: "AbortError" });
  assert.equal((await behind).makespan_s, 2);

  const closed = simulator.simulate(long(), "uwfq");
  simulator.close();
  await assert.rejects(closed, { name: "AbortError" });
});

test("the pages name every function", () => {
  for (const file of [join(installed, "README.md"), join(root, "docs/javascript.md")]) {
    const page = readFileSync(file, "utf8");
    for (const name of Object.keys(fairlane)) assert.ok(page.includes(name === "default" ? "init(" : name), `${file}: ${name}`);
  }
});

test("the examples run", () => {
  const examples = (file) =>
    [...readFileSync(file, "utf8").matchAll(/^```js\n(.*?)^```(?:\n\nprints\n\n```text\n(.*?)^```)?/gms)];
  for (const file of [join(installed, "README.md"), join(root, "docs/javascript.md")]) {
    const all = examples(file);
    assert.ok(all.length > 0, `${file} has examples`);
    for (const [, code, prints] of all) {
      writeFileSync(join(folder, "example.js"), code);
      const stdio = ["ignore", "pipe", "inherit"];
      const printed = execFileSync(process.execPath, ["example.js"], { cwd: folder, encoding: "utf8", stdio });
      if (prints) assert.equal(printed, prints, file);
    }
  }
});

test("the types are those of the module", { skip: !process.env.FAIRLANE_TSC && "FAIRLANE_TSC is not set" }, () => {
  writeFileSync(join(folder, "typed.ts"), readFileSync(join(import.meta.dirname, "typed.ts")));
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck", "false"];
  assert.ok(existsSync(process.env.FAIRLANE_TSC), process.env.FAIRLANE_TSC);
  execFileSync(process.execPath, [process.env.FAIRLANE_TSC, ...options, "typed.ts"], { cwd: folder, stdio: "inherit" });
});
