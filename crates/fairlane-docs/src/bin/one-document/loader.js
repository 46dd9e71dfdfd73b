// Starts the page from what this document has in it: nothing is asked of any address.
// The document is read as windows-1252, in which each byte is a letter.
const letters = new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
const byteOf = new Map(Array.from(letters, (letter, byte) => [letter.charCodeAt(0), byte]));

const unpack = () => {
  const packed = document.getElementById("fairlane-packed").textContent;
  const content = new Uint8Array(packed.length);
  let length = 0;
  let shift = 0;
  for (let at = 0; at < packed.length; at++) {
    const byte = byteOf.get(packed.charCodeAt(at));
    // A line end is none of ours; what HTML would change is escaped.
    if (byte === 10) continue;
    if (byte === 61) {
      shift = 64;
      continue;
    }
    content[length++] = byte - shift;
    shift = 0;
  }
  const sizes = JSON.parse(document.getElementById("fairlane-contents").textContent);
  const all = unlzma(content, sizes.reduce((sum, [, size]) => sum + size, 0));
  let start = 0;
  return new Map(sizes.map(([name, size]) => [name, all.subarray(start, (start += size))]));
};

// This document as it was read, into which the page puts another session to save it again.
const source = `<!doctype html>${document.documentElement.outerHTML}`;
const ownFetch = globalThis.fetch;
globalThis.fetch = async (address, ...rest) => {
  if (address !== "fairlane.html") return ownFetch(address, ...rest);
  return new Response(Uint8Array.from(source, (letter) => byteOf.get(letter.charCodeAt(0))));
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
  // A server may say that all its documents are in UTF-8, which has other letters for these bytes.
  if (document.characterSet !== "windows-1252") throw new Error("its server changes its letters; save the file first");
  const content = unpack();
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
  const session = document.getElementById("fairlane-session").textContent;
  if (location.hash.length < 2 && session !== "") location.replace("#" + session);
  const wasm = await fairlanePage.default({ module_or_path: content.get("program.wasm") });
  dispatchEvent(new CustomEvent("TrunkApplicationStarted", { detail: { wasm } }));
};

start().catch((error) => {
  document.querySelector(".loading").textContent =
    `This file is damaged, or this browser is too old for it. Get the file again, or open it in another browser. (${error})`;
});
