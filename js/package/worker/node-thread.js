import { parentPort } from "node:worker_threads";
import * as fairlane from "../node.js";
import { answer } from "./answer.js";

parentPort.on("message", async (call) => parentPort.postMessage(await answer(fairlane, call)));
