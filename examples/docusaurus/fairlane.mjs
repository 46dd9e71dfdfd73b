// Puts a picture into each <fairlane-demo> of a page that has nothing inside, for readers without scripts and for
// paper. The command fairlane (or what FAIRLANE names) draws it when the site is built.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const folder = ".docusaurus/fairlane";

async function fill(demo, lab) {
  const attribute = (name) => demo.attributes.find((attribute) => attribute.name === name)?.value;
  const [name, file, policies] = ["scenario", "src", "policies"].map(attribute);
  if (!name && !file) return;
  // The address of a file is that of one in the folder static.
  const scenario = name ? `catalog:${name}` : `static/${file.replace(/^\//, "")}`;
  const options = policies ? ["--policies", policies] : [];
  const digest = createHash("sha256").update(`${scenario} ${policies}`).digest("hex").slice(0, 16);
  await mkdir(folder, { recursive: true });
  const command = process.env.FAIRLANE ?? "fairlane";
  await run(command, ["compare", scenario, ...options, "--svg", `${folder}/${digest}.svg`]);
  // Docusaurus escapes an apostrophe twice.
  const alt = (attribute("label") ?? "Schedules of a shared cluster").replaceAll("'", "’");
  const url = name ? `${lab}#catalog:${name}${policies ? `&policies=${policies}` : ""}` : lab;
  const picture = { type: "image", url: `@site/${folder}/${digest}.svg`, alt };
  demo.children = [{ type: "link", url, children: [picture] }];
}

export default function pictures({ lab }) {
  return async (tree, page) => {
    const demos = [];
    const visit = (node) => {
      if (node.name === "fairlane-demo" && node.children.length === 0) demos.push(node);
      node.children?.forEach(visit);
    };
    visit(tree);
    await Promise.all(demos.map((demo) => fill(demo, lab).catch((error) => {
      const why = error.code === "ENOENT"
        ? "there is no command fairlane; install it, or set FAIRLANE to its path"
        : error.stderr || error.message;
      throw new Error(`${page.path}:${demo.position?.start.line}: ${why}`);
    })));
  };
}
