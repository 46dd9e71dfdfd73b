// The page's service worker, with caches of this test's.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

const source = readFileSync(join(resolve(import.meta.dirname, "../.."), "assets/fairlane-offline.js"), "utf8");

/** A version of the lab at an address, installed and activated. */
async function activated(scope, version, caches) {
  const worker = { caches, registration: { scope }, Request };
  runInNewContext(source.replace("const VERSION = ''", `const VERSION = '${version}'`), worker);
  const steps = [];
  const event = { waitUntil: (step) => steps.push(step) };
  worker.oninstall(event);
  worker.onactivate(event);
  await Promise.all(steps);
}

test("labs of one origin keep their own versions and leave others' alone", async () => {
  const kept = new Map();
  const caches = {
    open: async (name) => kept.set(name, true) && { addAll: async () => {} },
    keys: async () => [...kept.keys()],
    delete: async (name) => kept.delete(name),
  };
  await activated("https://one.example/lab/", "1", caches);
  await activated("https://one.example/lab/next/", "1", caches);
  await activated("https://one.example/", "1", caches);
  assert.equal(kept.size, 3);
  await activated("https://one.example/lab/", "2", caches);
  assert.equal(kept.size, 3, "a new version replaces the old one of the same lab");
  assert.equal([...kept.keys()].filter((name) => name.endsWith(" 2")).length, 1);
});
