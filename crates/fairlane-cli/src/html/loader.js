// Starts the page from what this document has in it: nothing is asked of any address.
"use strict";
const unpack = async () => {
  // The document is read as windows-1252, in which each byte is a letter; those that HTML would change are escaped.
  const letters = new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
  const bytes = new Map(Array.from(letters, (letter, byte) => [letter.charCodeAt(0), byte]));
  const packed = document.getElementById("fairlane-packed").textContent;
  const content = new Uint8Array(packed.length);
  let length = 0;
  let shift = 0;
  for (let at = 0; at < packed.length; at++) {
    const byte = bytes.get(packed.charCodeAt(at));
    // A line end is none of ours.
    if (byte === 10) continue;
    if (byte === 61) {
      shift = 64;
      continue;
    }
    content[length++] = byte - shift;
    shift = 0;
  }
  const stream = new Blob([content.subarray(0, length)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const all = await new Response(stream).arrayBuffer();
  let start = 0;
  const sizes = JSON.parse(document.getElementById("fairlane-contents").textContent);
  return new Map(sizes.map(([name, size]) => [name, new Uint8Array(all, (start += size) - size, size)]));
};

// What the page's script asks for by address, in the page and in its workers.
const instead = `"use strict";
const fairlaneOpen = XMLHttpRequest.prototype.open;
XMLHttpRequest.prototype.open = function (method, address, ...rest) {
  const file = fairlaneFiles[address];
  return fairlaneOpen.call(this, method, file ? URL.createObjectURL(file) : address, ...rest);
};
const fairlaneFetch = async (name) =>
  new Response(fairlaneFiles[name], { headers: { "Content-Type": "application/wasm" } });
`;

const start = async () => {
  const content = await unpack();
  const text = (name) => new TextDecoder().decode(content.get(name));
  const add = (kind, text) => {
    const element = document.createElement(kind);
    element.textContent = text;
    document.head.append(element);
  };
  globalThis.fairlaneFiles = Object.fromEntries(Array.from(content, ([name, bytes]) => [name, new Blob([bytes])]));
  add("style", text("style.css"));
  add("script", text("first.js"));
  add("script", instead + text("page.js"));
  // There is nothing to be kept for use without a connection.
  Object.defineProperty(navigator, "serviceWorker", { value: undefined });
  // A worker of a file shares no addresses with it: it has the script in its own, and gets the files by a message.
  const receive = `addEventListener("message", (event) => {
    globalThis.fairlaneFiles = event.data;
    event.stopImmediatePropagation();
  }, { once: true });\n`;
  const worker = new Blob([receive, instead, content.get("page.js"), content.get("worker.js")]);
  const address = URL.createObjectURL(worker);
  globalThis.Worker = class extends Worker {
    constructor() {
      super(address);
      this.postMessage(globalThis.fairlaneFiles);
    }
  };
  if (location.hash.length < 2) location.replace("#" + text("session"));
  const wasm = await fairlanePage.default({ module_or_path: content.get("program.wasm") });
  dispatchEvent(new CustomEvent("TrunkApplicationStarted", { detail: { wasm } }));
};

start().catch((error) => {
  document.querySelector(".loading").textContent =
    `This file is damaged, or this browser is too old for it. Get the file again, or open it in another browser. (${error})`;
});
