// The element <fairlane-demo> as a module: import it from the lab, or from the package for JavaScript.
import './fairlane-demo.js';

export const FairlaneDemo = globalThis.customElements?.get('fairlane-demo');
// Where a bundler has moved the script, the address is that of the page's own files: there the page gives the lab's.
const here = import.meta.url;
if (FairlaneDemo && !FairlaneDemo.lab && /\/fairlane-demo\.mjs$/.test(here)) FairlaneDemo.lab = new URL('./', here).href;
