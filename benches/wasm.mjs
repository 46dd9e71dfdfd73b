// Times the benches in WebAssembly. In Node: `node wasm.mjs FOLDER` prints the figures as JSON, and
// `node wasm.mjs FOLDER rates` a table of all policies and workloads, `jumps` one of the jumps of all policies, `programs`
// one of simulations under programs; in a browser the page that index.html is imports this and finds the figures in `window.figures`.

const YARDSTICKS = ["tournament tree", "4-ary heap", "std BinaryHeap"];
const RUNS = 7;

/** The median of some runs, in tasks per second. */
function rate(run) {
  run();
  const rates = [];
  for (let i = 0; i < RUNS; i += 1) {
    const start = performance.now();
    const tasks = run();
    rates.push((tasks / (performance.now() - start)) * 1000);
  }
  return rates.sort((a, b) => a - b)[RUNS >> 1];
}

export function measure(Bench) {
  const bench = new Bench();
  const figures = {};
  YARDSTICKS.forEach((name, number) => (figures[name] = rate(() => bench.yardstick(number))));
  for (const policy of Bench.policies().filter((policy) => !policy.endsWith("-p")))
    figures[policy] = rate(() => bench.simulate(policy, 0));
  return figures;
}

/** Millions of tasks per second of every policy under every workload: the best of some runs. */
function printRates(Bench) {
  const [bench, workloads] = [new Bench(), Bench.workloads()];
  console.log(`| | ${workloads.join(" | ")} |\n|---|${"---|".repeat(workloads.length)}`);
  for (const policy of Bench.policies()) {
    const best = workloads.map((_, number) => {
      const rates = Array.from({ length: RUNS }, () => {
        const start = performance.now();
        return bench.simulate(policy, number) / (performance.now() - start) / 1000;
      });
      return Math.max(...rates).toFixed(1);
    });
    console.log(`| ${policy} | ${best.join(" | ")} |`);
  }
}

/** Mean and worst of jumps to a decision of 10^6 tasks under each policy, in milliseconds. */
export function jumps({ Bench, JumpBench }, count = 1000) {
  const policies = Bench.policies().filter((policy) => !policy.endsWith("-p"));
  return policies.map((policy) => {
    const bench = new JumpBench(policy);
    const times = Array.from({ length: count }, () => {
      const start = performance.now();
      bench.jump();
      return performance.now() - start;
    });
    bench.free();
    const mean = times.reduce((sum, time) => sum + time, 0) / count;
    return { policy, mean, worst: Math.max(...times) };
  });
}

function printJumps(module) {
  console.log("| | mean, ms | worst, ms |\n|---|---|---|");
  for (const { policy, mean, worst } of jumps(module))
    console.log(`| ${policy} | ${mean.toFixed(2)} | ${worst.toFixed(2)} |`);
}

/** The best of some simulations under each program, in milliseconds. */
export function programs({ ProgramBench }) {
  return ProgramBench.titles().map((title, number) => {
    const bench = new ProgramBench(number);
    const times = Array.from({ length: RUNS }, () => {
      const start = performance.now();
      bench.run();
      return performance.now() - start;
    });
    bench.free();
    return { title, best: Math.min(...times) };
  });
}

function printPrograms(module) {
  console.log("| program | ms |\n|---|---|");
  for (const { title, best } of programs(module)) console.log(`| ${title} | ${best.toFixed(1)} |`);
}

if (globalThis.process?.versions?.node) {
  const { readFileSync } = await import("node:fs");
  const { pathToFileURL } = await import("node:url");
  const [, , folder, what] = process.argv;
  const module = await import(pathToFileURL(`${folder}/fairlane_benches.js`));
  module.initSync({ module: readFileSync(`${folder}/fairlane_benches_bg.wasm`) });
  if (what === "rates") printRates(module.Bench);
  else if (what === "jumps") printJumps(module);
  else if (what === "programs") printPrograms(module);
  else console.log(JSON.stringify(measure(module.Bench)));
}
