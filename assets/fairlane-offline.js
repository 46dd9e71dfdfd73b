// A service worker: keeps one version of the page, whole, so that it works without a connection.
//
// A new version is loaded in the background and takes over once no page of the old one is open, so that the files of two
// versions never meet.

// A release has its version and files here (.ci/release.mjs). Under `trunk serve` everything is the server's.
const VERSION = '', FILES = [];
// An origin may have several labs, each with caches of its own.
const LAB = `fairlane ${registration.scope} `;
const CACHE = LAB + VERSION;

onactivate = event => event.waitUntil(removeOthers());
oninstall = event => event.waitUntil(keep());
onfetch = event => {
  const { method, url } = event.request;
  if (method === 'GET' && url.startsWith(registration.scope)) event.respondWith(answer(event.request));
};

/** Loads every file as it was built, or none: the browser ends an installation that fails, and tries again later. */
async function keep() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES.map(([file, integrity]) => new Request(file, { cache: 'no-cache', integrity })));
}

async function removeOthers() {
  const others = (await caches.keys()).filter(name => name.startsWith(LAB) && name !== CACHE);
  await Promise.all(others.map(name => caches.delete(name)));
}

/** The file as this version has it. The query of an address, such as a demo's, is the page's business. */
async function answer(request) {
  const cache = await caches.open(CACHE);
  const file = request.url.replace(/\/index\.html(?=[?#]|$)/, '/');
  return (await cache.match(file, { ignoreSearch: true, ignoreVary: true })) ?? fetch(request);
}
