// Policies compared in a worker, while the page stays free.
import { Simulator } from "fairlane/worker";

const simulator = new Simulator();
const { policies } = await simulator.compare("catalog:paper-scenario-1", ["fair", "ujf", "cfq", "uwfq"]);
const { tasks } = await simulator.simulate("catalog:skew", "uwfq-p");
simulator.close();
const rows = policies.map(({ policy, mean_response_s }) => `${policy}: ${mean_response_s?.toFixed(2)} s`);
document.getElementById("result").textContent = [...rows, `${tasks.length} tasks`].join("\n");
