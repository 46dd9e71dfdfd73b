// How long a user's tasks wait after the job has arrived, on average under two policies.
import init, { scenario, simulate } from "fairlane";

await init();
const skew = scenario("skew");
for (const policy of ["fair", "uwfq-p"]) {
  const { jobs, tasks } = simulate(skew, policy);
  const waits = {};
  for (let index = 0; index < tasks.length; index += 1) {
    const { user, arrival_s } = jobs[tasks.job[index]];
    (waits[user] ??= []).push(tasks.start_us[index] / 1e6 - arrival_s);
  }
  for (const [user, all] of Object.entries(waits)) {
    console.log(policy, user, (all.reduce((sum, wait) => sum + wait) / all.length).toFixed(3));
  }
}
