import { FairlaneError } from "./error.js";

// Loaded on demand: most of the package's text, which nobody needs to simulate a scenario of their own.
const load = () => import("./catalog/index.js");

export async function catalog() {
  return structuredClone((await load()).entries);
}

export async function scenario(name) {
  const { entries, files } = await load();
  if (!Object.hasOwn(files, name)) {
    const names = entries.map((entry) => entry.name).join(", ");
    throw new FairlaneError(`catalog:${name}: there is no such scenario in the catalog; it has ${names}`, `catalog:${name}`);
  }
  return structuredClone((await files[name]()).default);
}
