//! Random scenarios of a real Spark cluster: pools, driver time, sessions, and executors that come and go.

use serde_json::{Value, json};

use super::{Random, USERS, tenths_scenario_of};

pub const POOLS: [&str; 5] = ["default", "etl", "bi", "b10", "Zoë"];
const GROUPS: [&str; 4] = ["default", "g10", "g2", "émile"];

/// A random scenario file as [`tenths_scenario_of`], on a cluster like a real one.
pub fn spark_scenario_of(seed: u64, jobs: u64) -> String {
    let mut file: Value = serde_json::from_str(&tenths_scenario_of(seed, jobs)).expect("JSON");
    let mut random = Random::new(!seed);
    cluster(&mut random, &mut file["cluster"]);
    file["policies"]["spark"] = parameters(&mut random);
    let chance_of_delays = random.pick(&[0, 30, 70]);
    for job in file["jobs"].as_array_mut().expect("jobs") {
        decorate(&mut random, job, chance_of_delays);
    }
    sessions(&mut random, &mut file);
    file.to_string()
}

/// Tenths of a second up to `most`, now and then not a whole number of them.
pub fn tenths(random: &mut Random, most: u64) -> Value {
    let millis = 100 * random.below(most + 1) + if random.percent(15) { 37 } else { 0 };
    json!(millis as f64 / 1e3)
}

/// Sets a field with a chance in percent.
pub fn maybe(random: &mut Random, chance: u64, object: &mut Value, key: &str, value: Value) {
    if random.percent(chance) {
        object[key] = value;
    }
}

fn cluster(random: &mut Random, cluster: &mut Value) {
    let executors = random.pick(&[1, 2, 3, 4, 5, 8]);
    cluster["executors"] = json!(executors);
    cluster["first_stage_id"] = json!(random.pick(&[0, 5, 8, 9, 96, 99]));
    maybe(random, 40, cluster, "uwfq_grace_s", json!(0));
    match random.below(6) {
        0 => {}
        1 | 2 => cluster["executors_at"] = executors_at(random, executors),
        _ => cluster["dynamic_allocation"] = dynamic_allocation(random, executors),
    }
}

/// Entries, the last of which wants an executor at least.
fn executors_at(random: &mut Random, executors: u64) -> Value {
    let mut micros = random.pick(&[0, 0, 100_000, 500_000, 737_000]);
    let mut entries = Vec::new();
    for _ in 0..random.below(7) {
        entries.push(json!([micros as f64 / 1e6, random.below(executors + 1)]));
        micros += random.pick(&[1, 50_000, 100_000, 100_000, 200_000, 300_000, 600_000, 1_500_000]);
    }
    entries.push(json!([micros as f64 / 1e6, random.between(1, executors)]));
    json!(entries)
}

fn dynamic_allocation(random: &mut Random, executors: u64) -> Value {
    let max = if random.percent(50) { executors } else { random.between(1, executors) };
    let min = random.pick(&[0, 0, 1, 2]).min(max);
    let initial = if random.percent(50) { min } else { random.between(min, max) };
    let mut fields = json!({});
    for (key, value, default) in [("min", min, 0), ("max", max, executors), ("initial", initial, min)] {
        let chance = if value == default { 50 } else { 100 };
        maybe(random, chance, &mut fields, key, json!(value));
    }
    for (key, chance, most) in
        [("backlog_s", 85, 6), ("sustained_s", 60, 5), ("idle_s", 85, 8), ("start_s", 70, 5)]
    {
        let value = tenths(random, most);
        maybe(random, chance, &mut fields, key, value);
    }
    fields
}

/// The parameters of the policy `spark`.
fn parameters(random: &mut Random) -> Value {
    let by = random.pick(&["pool", "pool", "user", "group"]);
    let mut fields = json!({ "by": by });
    let names: &[&str] = match by {
        "user" => &USERS,
        "group" => &GROUPS,
        _ => &POOLS,
    };
    let pools = pools(random, names);
    if pools != json!([]) {
        fields["pools"] = pools;
    }
    // `null` is the same as nothing.
    for key in ["mode", "default_mode"] {
        let mode = random.pick(&[Some("FIFO"), Some("FAIR"), Some("FAIR"), None]);
        maybe(random, 60, &mut fields, key, json!(mode));
    }
    fields
}

/// Pools for some of the names.
pub fn pools(random: &mut Random, names: &[&str]) -> Value {
    let mut pools = Vec::new();
    for name in names {
        if random.percent(65) {
            let mut pool = json!({ "name": name });
            let [weight, min_share, max_share] = [(1, 4), (0, 6), (1, 4)].map(|(a, b)| random.between(a, b));
            let mode = random.pick(&["FIFO", "FAIR"]);
            maybe(random, 60, &mut pool, "weight", json!(weight));
            maybe(random, 60, &mut pool, "min_share", json!(min_share));
            maybe(random, 30, &mut pool, "max_share", json!(max_share));
            maybe(random, 70, &mut pool, "mode", json!(mode));
            pools.push(pool);
        }
    }
    random.shuffle(&mut pools);
    json!(pools)
}

/// A job's pool, group and deadline, its Spark jobs and the delays of its stages.
fn decorate(random: &mut Random, job: &mut Value, chance_of_delays: u64) {
    let [pool, group] = [&POOLS[..], &GROUPS[..]].map(|names| json!(random.pick(names)));
    maybe(random, 75, job, "pool", pool);
    maybe(random, 75, job, "group", group);
    let deadline = tenths(random, 15);
    maybe(random, 40, job, "deadline_s", deadline);
    let chance_of_spark_jobs = random.pick(&[0, 80]);
    for stage in job["stages"].as_array_mut().expect("stages") {
        let (spark_job, delay) = (json!(random.below(4)), tenths(random, 8));
        maybe(random, chance_of_spark_jobs, stage, "spark_job", spark_job);
        maybe(random, chance_of_delays, stage, "delay_s", delay);
    }
    let finish_delay = tenths(random, 8);
    maybe(random, chance_of_delays / 2, job, "finish_delay_s", finish_delay);
}

/// Chains and trees of jobs that follow each other, in any order of the file.
fn sessions(random: &mut Random, file: &mut Value) {
    let jobs = file["jobs"].as_array_mut().expect("jobs");
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    random.shuffle(&mut order);
    let chance = random.pick(&[0, 40, 80]);
    for place in 1..order.len() {
        if random.percent(chance) {
            let before = if random.percent(60) { place - 1 } else { random.below(place as u64) as usize };
            let mut after = json!({ "job": order[before] });
            let think = tenths(random, 6);
            maybe(random, 70, &mut after, "think_s", think);
            jobs[order[place]]["after"] = after;
        }
    }
    let open = random.pick(&["closed", "open"]);
    maybe(random, 40, file, "sessions", json!(open));
}
