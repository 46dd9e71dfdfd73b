// Completes the package in FOLDER, which has the files of js/package and the compiled simulator: what Cargo.toml says
// of the project, licences, the element, the worker's text, and the names of policies.
import { copyFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder] = process.argv.slice(2);
const at = (...names) => join(folder, ...names);
const read = (file) => readFileSync(at(file), "utf8");

const cargo = readFileSync("Cargo.toml", "utf8");
const field = (name) => {
  const [, value] = new RegExp(`^${name} = (.*)$`, "m").exec(cargo) ?? [];
  if (!value) throw new Error(`Cargo.toml has no ${name}`);
  return JSON.parse(value);
};
const repository = field("repository");
const metadata = {
  ...JSON.parse(read("package.json")),
  version: field("version"),
  author: field("authors")[0],
  homepage: field("homepage"),
  repository: { type: "git", url: `git+${repository}.git` },
  bugs: { url: `${repository}/issues` },
};
writeFileSync(at("package.json"), JSON.stringify(metadata, null, 2) + "\n");
for (const licence of readdirSync(".").filter((name) => name.startsWith("LICENSE-"))) {
  copyFileSync(licence, at(licence));
}

copyFileSync("assets/fairlane-demo.js", at("demo", "element.js"));
const lab = JSON.stringify(metadata.homepage);
writeFileSync(at("demo", "lab.js"), `/** The published lab. */\nexport const LAB = ${lab};\n`);

// A worker's script is one text without imports.
const alone = (text) => text.replaceAll(/^import .*$/gm, "").replaceAll(/^export (?=class|function)/gm, "")
  .replaceAll(/^export \{.*$/gm, "");
const thread = ["error.js", "simulator.js", "worker/thread.js"].map((file) => alone(read(file))).join("\n");
writeFileSync(at("worker", "thread-text.js"), `export default ${JSON.stringify(thread)};\n`);
rmSync(at("worker", "thread.js"));

// The types: with the registered policies.
const { default: init, policies } = await import(join(process.cwd(), folder, "node.js"));
await init();
const names = policies().flatMap(({ id }) => [id, `${id}-p`]);
const types = read("simulator.d.ts");
if (!types.includes("REGISTERED_POLICIES")) throw new Error("simulator.d.ts has no REGISTERED_POLICIES to replace");
const union = names.map((name) => `\n  | ${JSON.stringify(name)}`).join("");
writeFileSync(at("simulator.d.ts"), types.replace("REGISTERED_POLICIES", union));
