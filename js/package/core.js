// What the package does in browsers and in Node alike: checks what it is given, and hands it to the compiled simulator.
import { FairlaneError } from "./error.js";
import * as simulator from "./simulator.js";

const fail = (message) => {
  throw new FairlaneError(message, "");
};

/** Reads the compiled simulator from an address, a response, bytes, or a promise of one of them. */
async function compile(source) {
  source = await source;
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  const response = source instanceof Response ? source : await fetch(source);
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok || type.startsWith("text/html")) {
    const found = response.ok ? "a page" : `status ${response.status}`;
    throw new Error(
      `${response.url || source}: the server sends ${found} instead of simulator_bg.wasm of the package fairlane. ` +
        'Copy that file to where pages are served, and give its address: await init("/assets/simulator_bg.wasm")',
    );
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

let compiled;
let usual;
let loaded = false;

/** Has `source()` be where the compiled simulator is if nobody says otherwise. */
export function usually(source) {
  usual = source;
}

/** The compiled simulator, which is read once. */
export function module(source) {
  compiled ??= compile(source?.module_or_path ?? source ?? usual());
  // One that failed may be tried again.
  compiled.catch(() => (compiled = undefined));
  return compiled;
}

export async function init(source) {
  await simulator.default({ module_or_path: await module(source) });
  loaded = true;
}

function ready() {
  if (!loaded) throw new Error("The simulator is not loaded: await init() before you call it");
  return simulator;
}

/** A call with the text of a scenario. Lines and columns of a text that we have made mean nothing to the caller. */
export function request(scenario, call) {
  const isText = typeof scenario === "string";
  let text = scenario;
  if (!isText) {
    try {
      text = JSON.stringify(scenario);
    } catch (error) {
      fail(`The scenario cannot be written as JSON: ${error.message}`);
    }
    if (text === undefined) fail(`A scenario is an object, its text or "catalog:NAME", not ${typeof scenario}`);
  }
  const explained = (error) => {
    if (!(error instanceof FairlaneError) || isText) return error;
    return new FairlaneError(error.message.replace(/ \(line \d+, column \d+\)$/, ""), error.path);
  };
  return { call: call(text), explained };
}

/** A policy's name, or the JSON text of a program. */
export function policyOf(policy) {
  if (typeof policy === "string") return policy;
  if (typeof policy?.program === "string") return JSON.stringify(policy);
  return fail('A policy is a name, such as "uwfq" or "uwfq-p", or a program, such as { program: "running / weight" }');
}

export function policiesOf(policies) {
  if (typeof policies === "string" || typeof policies?.program === "string") return [policyOf(policies)];
  if (typeof policies?.[Symbol.iterator] !== "function") fail('Policies are names, such as ["fair", "uwfq-p"]');
  return Array.from(policies, policyOf);
}

function metricsOf(metrics) {
  if (metrics === undefined) return undefined;
  if (typeof metrics !== "string" && typeof metrics?.[Symbol.iterator] === "function") return Array.from(metrics, String);
  return fail('Metrics are keys of figures, such as ["mean_response_s", "users"]');
}

/** The calls of the compiled simulator: a name and its values. */
export const simulateCall = (scenario, policy, options) =>
  request(scenario, (text) => ["simulate", text, policyOf(policy), options?.trace === true]);
export const compareCall = (scenario, policies, options) =>
  request(scenario, (text) => ["compare", text, policiesOf(policies), metricsOf(options?.metrics)]);

/** Bytes that a file or a response has. */
function bytesOf(page) {
  if (page instanceof ArrayBuffer) return new Uint8Array(page);
  if (ArrayBuffer.isView(page)) return new Uint8Array(page.buffer, page.byteOffset, page.byteLength);
  return fail("The page is the content of a lab's fairlane.html, an ArrayBuffer or a Uint8Array");
}

function answered({ call: [name, ...values], explained }) {
  try {
    return ready()[name](...values);
  } catch (error) {
    throw explained(error);
  }
}

export const simulate = (...values) => answered(simulateCall(...values));
export const compare = (...values) => answered(compareCall(...values));
export const toHtml = (scenario, policies, page) =>
  answered(request(scenario, (text) => ["toHtml", text, policiesOf(policies), bytesOf(page)]));
export const policies = () => ready().policies();
export const catalog = () => ready().catalog();
export const scenario = (name) =>
  ready().scenario(typeof name === "string" ? name : fail('A scenario of the catalog has a name, such as "skew"'));
