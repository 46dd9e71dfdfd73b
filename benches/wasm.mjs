// Times the benches in WebAssembly. In Node: `node wasm.mjs FOLDER` prints the figures as JSON; in a browser
// the page that index.html is imports this and finds them in `window.figures`.

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
  for (const policy of Bench.policies()) figures[policy] = rate(() => bench.simulate(policy));
  return figures;
}

if (globalThis.process?.versions?.node) {
  const { readFileSync } = await import("node:fs");
  const { pathToFileURL } = await import("node:url");
  const folder = process.argv[2];
  const module = await import(pathToFileURL(`${folder}/fairlane_benches.js`));
  module.initSync({ module: readFileSync(`${folder}/fairlane_benches_bg.wasm`) });
  console.log(JSON.stringify(measure(module.Bench)));
}
