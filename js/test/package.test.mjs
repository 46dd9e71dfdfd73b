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

/** The most that a page loads to simulate: bytes by Brotli. */
const MOST = 240_000;

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
  const bytes = ["simulator_bg.wasm", "simulator.js", "index.js", "error.js", "catalog.js"]
    .map((name) => brotliCompressSync(readFileSync(join(installed, name)), { params }).length)
    .reduce((sum, length) => sum + length);
  console.log(`the JavaScript module: ${bytes} bytes by Brotli`);
  assert.ok(bytes <= MOST, `${bytes} bytes by Brotli, at most ${MOST}`);
});

test("every policy makes the schedules of the native simulator, with the same figures", async () => {
  const policies = fairlane.policies().flatMap(({ id }) => [id, `${id}-p`]);
  for (const name of ["two-users", "weights", "bopf-growing", "paf-three-jobs"]) {
    const scenario = await fairlane.scenario(name);
    const list = policies.join(",");
    const expected = execFileSync(native, ["compare", `catalog:${name}`, "--policies", list, "--format", "json"], {
      encoding: "utf8",
    });
    assert.deepEqual(fairlane.compare(scenario, policies), JSON.parse(expected), name);
  }
});

test("a simulation is that of the command, with its trace", async () => {
  const trace = join(folder, "trace.json");
  const values = ["simulate", "catalog:paper-scenario-2", "--policy", "uwfq-p", "--format", "json", "--trace", trace];
  const expected = JSON.parse(execFileSync(native, values, { encoding: "utf8", maxBuffer: 1 << 28 }));
  const scenario = await fairlane.scenario("paper-scenario-2");
  const simulation = fairlane.simulate(scenario, "uwfq-p");
  assert.deepEqual(simulation, { ...expected, trace: JSON.parse(readFileSync(trace, "utf8")) });
  assert.equal(fairlane.simulate(JSON.stringify(scenario), "uwfq-p").trace_hash, expected.trace_hash);
});

test("the catalog has every scenario of the command", async () => {
  const entries = await fairlane.catalog();
  assert.deepEqual(entries, JSON.parse(execFileSync(native, ["catalog", "--format", "json"], { encoding: "utf8" })));
  const scenario = await fairlane.scenario("skew");
  scenario.jobs.pop();
  assert.notDeepEqual(await fairlane.scenario("skew"), scenario, "a change of the caller's stays the caller's");
  await assert.rejects(fairlane.scenario("toString"), { name: "FairlaneError", path: "catalog:toString" });
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
  for (const nothing of [undefined, null, 7, [], () => {}]) {
    assert.throws(() => fairlane.compare(nothing, ["fair"]), { name: "FairlaneError", path: "" }, String(nothing));
  }
  assert.equal(fairlane.simulate(short, "fifo").makespan_s, 2, "it works after errors");
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
  simulator.close();
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

test("the examples run", () => {
  const examples = (file) =>
    [...readFileSync(file, "utf8").matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code);
  for (const file of [join(installed, "README.md"), join(root, "docs/javascript.md")]) {
    const all = examples(file);
    assert.ok(all.length > 0, `${file} has examples`);
    for (const code of all) {
      writeFileSync(join(folder, "example.js"), code);
      execFileSync(process.execPath, ["example.js"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
    }
  }
});

test("the types are those of the module", { skip: !process.env.FAIRLANE_TSC && "FAIRLANE_TSC is not set" }, () => {
  writeFileSync(join(folder, "typed.ts"), readFileSync(join(import.meta.dirname, "typed.ts")));
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck", "false"];
  assert.ok(existsSync(process.env.FAIRLANE_TSC), process.env.FAIRLANE_TSC);
  execFileSync(process.execPath, [process.env.FAIRLANE_TSC, ...options, "typed.ts"], { cwd: folder, stdio: "inherit" });
});
