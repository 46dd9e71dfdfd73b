// Completes the package in FOLDER, which has the files of js/package and the compiled simulator: version, licences,
// names of policies, and the scenarios of the catalog, which the native command prints.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder, command] = process.argv.slice(2);
const at = (...names) => join(folder, ...names);
const replace = (file, change) => writeFileSync(at(file), change(readFileSync(at(file), "utf8")));
const printed = (...values) =>
  JSON.parse(execFileSync(command, values, { encoding: "utf8", maxBuffer: 1 << 28 }));

const version = /^version = "(.*)"$/m.exec(readFileSync("Cargo.toml", "utf8"))[1];
replace("package.json", (text) => JSON.stringify({ ...JSON.parse(text), version }, null, 2) + "\n");
for (const licence of readdirSync(".").filter((name) => name.startsWith("LICENSE-"))) {
  copyFileSync(licence, at(licence));
}

mkdirSync(at("catalog"));
const entries = printed("catalog", "--format", "json");
const files = [];
for (const { name } of entries) {
  writeFileSync(at("catalog", `${name}.js`), `export default ${JSON.stringify(printed("catalog", name))};\n`);
  files.push(`  ${JSON.stringify(name)}: () => import(${JSON.stringify(`./${name}.js`)}),\n`);
}
writeFileSync(
  at("catalog", "index.js"),
  `export const entries = ${JSON.stringify(entries)};\n\nexport const files = {\n${files.join("")}};\n`,
);

// The types: without the module's inner functions, with the registered policies.
const { default: init, policies } = await import(join(process.cwd(), folder, "node.js"));
await init();
const names = policies().flatMap(({ id }) => [id, `${id}-p`]);
replace("simulator.d.ts", (text) => {
  if (!text.includes("REGISTERED_POLICIES")) throw new Error("simulator.d.ts has no REGISTERED_POLICIES to replace");
  return text.replace("REGISTERED_POLICIES", names.map((name) => `\n  | ${JSON.stringify(name)}`).join(""));
});
