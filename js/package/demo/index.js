// The element <fairlane-demo>. In Node, where pages are rendered for browsers, it defines nothing.
import "./element.js";
import { LAB } from "./lab.js";

export const FairlaneDemo = globalThis.customElements?.get("fairlane-demo");
if (FairlaneDemo) FairlaneDemo.lab ||= LAB;
