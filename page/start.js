// Starts the page.
import start from "./fairlane-page.js";

// The lab requests its interface at once; a demo draws its first picture without.
const href = "INTERFACE";
if (href && !location.search.startsWith("?embed")) {
  const link = document.createElement("link");
  document.head.append(Object.assign(link, { rel: "preload", as: "fetch", crossOrigin: "", href: new URL(href, import.meta.url) }));
}
start();
