import * as fairlane from "../index.js";
import { answer } from "./answer.js";

self.onmessage = async ({ data }) => self.postMessage(await answer(fairlane, data));
