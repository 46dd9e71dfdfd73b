//! Random scenarios of section 18 to 27 of `docs/model.md`: attempts that are killed, executors that are lost, slow or
//! preferred, micro-batches, and a driver that takes its time.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::clusters::{POOLS, maybe, spark_scenario_of, tenths};
use super::{Random, seconds};

/// A random scenario file as [`spark_scenario_of`], in which tasks may have several attempts.
pub fn attempts_scenario_of(seed: u64, jobs: u64) -> String {
    let mut file: Value = serde_json::from_str(&spark_scenario_of(seed, jobs)).expect("JSON");
    let mut random = Random::new(seed.rotate_left(32));
    driver(&mut random, &mut file["cluster"]);
    let belongs = random.percent(15);
    executors(&mut random, &mut file["cluster"], belongs);
    let most = most_barrier_tasks(&file);
    let [chance_of_cancels, chance_of_barriers, chance_of_places] =
        [0, 0, 0].map(|_| random.pick(&[0, 30, 80]));
    let executors = file["cluster"]["executors"].as_u64().expect("a number");
    for job in file["jobs"].as_array_mut().expect("jobs") {
        if random.percent(chance_of_cancels) {
            job["cancel_s"] = tenths(&mut random, 40);
            maybe(&mut random, 50, job, "interrupt", json!(true));
        }
        pools_of_spark_jobs(&mut random, job);
        for stage in job["stages"].as_array_mut().expect("stages").iter_mut().filter(|_| !belongs) {
            if random.percent(chance_of_places) {
                stage["prefers"] = prefers(&mut random, executors);
                stage["away"] = json!(random.pick(&[1.0, 1.5, 3.0, 0.5]));
            }
            if let Some(most) = &most
                && random.percent(chance_of_barriers)
            {
                barrier(&mut random, stage, most);
            }
        }
    }
    micro_batches(&mut random, &mut file);
    if !belongs {
        limits(&mut Random::new(seed.rotate_left(16)), &mut file);
    }
    file.to_string()
}

/// Resource profiles and exclusions, in three of ten files without dynamic allocation. Every stage keeps an executor
/// that takes its tasks in the end.
fn limits(random: &mut Random, file: &mut Value) {
    let Some(most) = most_barrier_tasks(file).filter(|_| random.percent(30)) else { return };
    let cluster = &mut file["cluster"];
    let executors = cluster["executors"].as_u64().expect("a number");
    let mut profiles = vec![0; executors as usize];
    if random.percent(70) {
        let of = random.pick(&[&[0, 1][..], &[0, 1, 2], &[3]]);
        profiles.iter_mut().for_each(|profile| *profile = random.pick(of));
        cluster["resource_profiles"] = json!(profiles);
    }
    // One of each profile that lasts is never excluded for ever.
    let kept: BTreeMap<u64, u64> =
        most.lasting.iter().map(|&executor| (profiles[executor as usize], executor)).collect();
    let [of_cluster, of_stages] = [0, 0].map(|_| random.pick(&[0, 40, 80]));
    if random.percent(of_cluster) {
        cluster["exclusions"] = exclusions(random, executors, &kept, 40);
    }
    let of_cluster = excluded_for_ever(&cluster["exclusions"]);
    let offered: Vec<u64> = kept.keys().copied().collect();
    for job in file["jobs"].as_array_mut().expect("jobs") {
        for stage in job["stages"].as_array_mut().expect("stages") {
            let profile = random.pick(&offered);
            maybe(random, if profile > 0 { 100 } else { 20 }, stage, "resource_profile", json!(profile));
            if random.percent(of_stages) {
                stage["exclusions"] = exclusions(random, executors, &kept, 8);
            }
            let of_stage = excluded_for_ever(&stage["exclusions"]);
            if stage["barrier"] == true {
                let takes = |&&executor: &&u64| {
                    let excluded = of_cluster.contains(&executor) || of_stage.contains(&executor);
                    profiles[executor as usize] == profile && !excluded
                };
                let lasting = most.lasting.iter().filter(takes).count() as u64;
                let tasks = stage["partitions"].as_u64().expect("a number");
                stage["partitions"] = json!(tasks.min(lasting * most.per_executor(stage)));
            }
        }
    }
}

/// Exclusions within a number of tenths of a second, those of some executors never for ever.
fn exclusions(random: &mut Random, executors: u64, kept: &BTreeMap<u64, u64>, most: u64) -> Value {
    let exclusions = (0..random.between(1, 3)).map(|_| {
        let executor = random.below(executors);
        let mut exclusion = json!({ "executor": executor, "from_s": tenths(random, most) });
        if kept.values().any(|&kept| kept == executor) || random.percent(60) {
            exclusion["for_s"] = tenths(random, 20);
        }
        exclusion
    });
    exclusions.collect()
}

fn excluded_for_ever(exclusions: &Value) -> Vec<u64> {
    let exclusions = exclusions.as_array().into_iter().flatten();
    let for_ever = exclusions.filter(|exclusion| exclusion.get("for_s").is_none());
    for_ever.filter_map(|exclusion| exclusion["executor"].as_u64()).collect()
}

/// Makes micro-batches of some jobs that wait for others.
fn micro_batches(random: &mut Random, file: &mut Value) {
    let chance = random.pick(&[0, 0, 50, 100]);
    for job in file["jobs"].as_array_mut().expect("jobs") {
        if let Some(after) = job.get_mut("after")
            && random.percent(chance)
        {
            after["batch"] = json!(true);
        }
    }
}

/// How long the driver's messages take, half of the time.
fn driver(random: &mut Random, cluster: &mut Value) {
    if random.percent(50) {
        return;
    }
    let longest = random.pick(&[3, 3_000, 100_000, 300_000]);
    for key in ["driver_job_s", "driver_stage_s", "driver_task_s"] {
        let cost: Value = serde_json::from_str(&seconds(random.below(longest))).expect("a number");
        maybe(random, 70, cluster, key, cost);
    }
}

fn executors(random: &mut Random, cluster: &mut Value, belongs: bool) {
    let executors = cluster["executors"].as_u64().expect("a number");
    if random.percent(50) {
        let speeds: Vec<f64> = (0..executors).map(|_| random.pick(&[1.0, 1.0, 2.0, 0.5, 0.3])).collect();
        cluster["speeds"] = json!(speeds);
    }
    if random.percent(60) {
        cluster["losses"] = losses(random, cluster, executors);
    }
    let wait = tenths(random, 20);
    maybe(random, 80, cluster, "locality_wait_s", wait);
    if belongs {
        cluster["executors_belong"] = json!("jobs");
    } else {
        let (quantile, multiplier) =
            (random.pick(&[0.0, 0.25, 0.5, 0.9, 1.0]), random.pick(&[0.0, 0.5, 1.5, 3.0]));
        let speculation = json!({
            "quantile": quantile,
            "multiplier": multiplier,
            "min_s": random.pick(&[0.0, 0.1, 0.25]),
            "interval_s": random.pick(&[0.1, 0.1, 0.07, 0.5]),
        });
        maybe(random, 50, cluster, "speculation", speculation);
        let preemption = json!({
            "threshold": random.pick(&[0.1, 0.5, 0.9, 1.0]),
            "after_s": random.pick(&[0.0, 0.1, 0.5, 1.0]),
            "interval_s": random.pick(&[0.1, 0.2, 0.33, 1.0]),
        });
        maybe(random, 50, cluster, "preemption", preemption);
    }
    if let Some(allocation) = cluster.get_mut("dynamic_allocation")
        && random.percent(50)
    {
        allocation["shuffle_tracking"] = json!(true);
        let timeout = tenths(random, 10);
        maybe(random, 60, allocation, "shuffle_timeout_s", timeout);
    }
}

/// Losses after which one executor is left that is wanted in the end.
fn losses(random: &mut Random, cluster: &Value, executors: u64) -> Value {
    let is_dynamic = cluster.get("dynamic_allocation").is_some();
    let left = random.below(wanted_at_last(cluster));
    let losses = (0..random.between(1, 4)).map(|_| {
        let executor = random.below(executors);
        let mut loss = json!({ "at_s": tenths(random, 50), "executor": executor });
        if !is_dynamic && (executor == left || random.percent(70)) {
            loss["back_s"] = tenths(random, 15);
        }
        loss
    });
    losses.collect()
}

fn wanted_at_last(cluster: &Value) -> u64 {
    let last = cluster["executors_at"].as_array().and_then(|entries| entries.last());
    last.map_or(&cluster["executors"], |entry| &entry[1]).as_u64().expect("a number")
}

/// How many tasks of how much memory each a barrier stage may have, if there may be any.
struct MostTasks {
    by_pools: u64,
    /// The executors that are there in the end.
    lasting: Vec<u64>,
    cores: u64,
    memory: Option<u64>,
}

fn most_barrier_tasks(file: &Value) -> Option<MostTasks> {
    let cluster = &file["cluster"];
    if cluster.get("dynamic_allocation").is_some() {
        return None;
    }
    let pools = file["policies"]["spark"]["pools"].as_array().into_iter().flatten();
    let losses = cluster["losses"].as_array().into_iter().flatten();
    let is_lost = |executor: u64| {
        losses.clone().any(|loss| loss["executor"] == executor && loss.get("back_s").is_none())
    };
    Some(MostTasks {
        by_pools: pools.filter_map(|pool| pool["max_share"].as_u64()).min().unwrap_or(u64::MAX),
        lasting: (0..wanted_at_last(cluster)).filter(|&executor| !is_lost(executor)).collect(),
        cores: cluster["cores_per_executor"].as_u64().expect("a number"),
        memory: cluster["memory_mb_per_executor"].as_u64(),
    })
}

impl MostTasks {
    /// On an executor.
    fn per_executor(&self, stage: &Value) -> u64 {
        let memory = stage["memory_mb"].as_u64().unwrap_or(0);
        let by_memory = self.memory.and_then(|all| all.checked_div(memory)).unwrap_or(u64::MAX);
        self.cores.min(by_memory)
    }
}

/// Makes a barrier stage of one.
fn barrier(random: &mut Random, stage: &mut Value, most: &MostTasks) {
    let most = (most.lasting.len() as u64 * most.per_executor(stage)).min(most.by_pools);
    stage["barrier"] = json!(true);
    stage["partitions"] = json!(random.between(1, most));
    stage.as_object_mut().expect("a stage").remove("splittable");
}

/// A pool for some of a job's Spark jobs.
fn pools_of_spark_jobs(random: &mut Random, job: &mut Value) {
    let chance = random.pick(&[0, 0, 60]);
    let mut pools = BTreeMap::new();
    for stage in job["stages"].as_array_mut().expect("stages") {
        let spark_job = stage["spark_job"].as_u64().unwrap_or(0);
        let drawn = random.percent(chance).then(|| random.pick(&POOLS));
        if let Some(pool) = pools.entry(spark_job).or_insert(drawn) {
            stage["pool"] = json!(pool);
        }
    }
}

/// Lists of executors, some of them empty.
fn prefers(random: &mut Random, executors: u64) -> Value {
    let entries = (0..random.between(1, 5)).map(|_| {
        let chance = random.pick(&[0, 30, 30, 70]);
        (0..executors).filter(|_| random.percent(chance)).collect::<Vec<u64>>()
    });
    json!(entries.collect::<Vec<_>>())
}
