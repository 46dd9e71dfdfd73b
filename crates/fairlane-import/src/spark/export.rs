//! A scenario as a PySpark program that plays it on a real cluster.
//!
//! ```
//! use fairlane_import::spark::Export;
//! let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
//! let export = Export::new(&scenario, "ujf".parse()?)?;
//! assert!(export.pools.contains(r#"<pool name="ana">"#));
//! // Real Spark has no UWFQ.
//! assert!(Export::new(&scenario, "uwfq".parse()?).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;

use serde::Serialize;

use super::pools_file::PoolsFile;
use fairlane::policy::spark::{self, Pool, PoolMode};
use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::{DEFAULT_POOL, ExecutorBounds, Job, PartitionMode, Scenario, Sessions, Stage, User};
use fairlane::units::Span;

/// The program `play.py`, the same for every scenario. It reads the other two files.
pub const PROGRAM: &str = include_str!("export/play.py");

/// The pool of all jobs under Fair.
const FAIR_POOL: &str = "fair";

/// What plays a scenario on Spark, beside [`PROGRAM`].
#[derive(Clone, Debug)]
pub struct Export {
    /// `workload.json`: what is submitted when, with the tasks' lengths.
    pub workload: String,
    /// `pools.xml`: Spark's allocation file.
    pub pools: String,
    /// What is played, and what is not.
    pub report: ExportReport,
}

/// What of a scenario is played.
#[derive(Clone, Debug, Serialize)]
pub struct ExportReport {
    /// The policy, as on the command line.
    pub policy: String,
    /// Cores of the scenario, which the cluster should have.
    pub cores: u32,
    /// Users with jobs.
    pub users: usize,
    /// Jobs.
    pub jobs: usize,
    /// Stages, those added included.
    pub stages: usize,
    /// Tasks, those added included.
    pub tasks: usize,
    /// Time that tasks hold cores, in core-seconds.
    pub core_s: f64,
    /// Stages of one task without length that were added: a job of Spark ends in one stage.
    pub stages_added: usize,
    /// What Spark cannot play and the program does not: tasks take another time than in the scenario.
    pub not_played: Vec<LeftOut>,
    /// What Spark does in its own way or time.
    pub left_to_spark: Vec<LeftOut>,
}

/// Something of a scenario that the program does without.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// How often the scenario has it.
    pub count: usize,
    /// What it is.
    pub what: &'static str,
}

/// Why Spark cannot play a scenario.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// Spark has no such policy.
    #[error(
        "Spark itself has no policy {0}; give spark, fifo, fair or ujf, with -p for the tasks of runtime partitioning"
    )]
    Policy(PolicyId),
    /// Spark's weights are whole numbers below 2^31.
    #[error(
        "users[].weight: the weights are not in the ratio of whole numbers below 2^31, as Spark's are; round them"
    )]
    Weights,
    /// A pool cannot have this name.
    #[error("{0:?} has a control character, which a pool's name cannot have; rename the user, group or pool")]
    Name(String),
}

impl Export {
    /// What plays a scenario under a policy of Spark's own: its scheduler with the scenario's mode and pools, FIFO,
    /// Fair, or UJF by a pool for each user.
    ///
    /// # Errors
    /// The policy is not Spark's, or users or pools have weights or names that Spark's pools cannot have.
    pub fn new(scenario: &Scenario, policy: PolicyId) -> Result<Export, ExportError> {
        let (mode, pools) = match policy.kind {
            PolicyKind::Fifo => (PoolMode::Fifo, Vec::new()),
            PolicyKind::Fair => (PoolMode::Fair, vec![fair_pool(FAIR_POOL, 1)]),
            PolicyKind::Ujf => (PoolMode::Fair, user_pools(scenario)?),
            PolicyKind::Spark => (spark_mode(scenario), declared_pools(scenario)),
            _ => return Err(ExportError::Policy(policy)),
        };
        if let Some(pool) = pools.iter().find(|pool| pool.name.contains(char::is_control)) {
            return Err(ExportError::Name(pool.name.clone()));
        }
        let mut report = ExportReport {
            policy: policy.to_string(),
            cores: scenario.cluster().cores(),
            users: 0,
            jobs: scenario.jobs().len(),
            stages: 0,
            tasks: 0,
            core_s: 0.0,
            stages_added: 0,
            not_played: not_played(scenario, &pools),
            left_to_spark: left_to_spark(scenario),
        };
        let mut users = vec![false; scenario.users().len()];
        let mut jobs = Vec::with_capacity(scenario.jobs().len());
        let order = scenario.arrival_order();
        let mut positions = vec![0; order.len()];
        (0..).zip(&order).for_each(|(position, id)| positions[id.index()] = position);
        for id in order {
            let job = &scenario.jobs()[id.index()];
            users[job.user.index()] = true;
            let (stages, added) = stages(scenario, job, policy.partitioning);
            report.stages += stages.len();
            report.stages_added += usize::from(added);
            for stage in &stages {
                report.tasks += stage.tasks_us.len();
                report.core_s += Span(stage.tasks_us.iter().sum()).seconds();
            }
            let user = scenario.user_name(id);
            let pool = match policy.kind {
                PolicyKind::Ujf => user,
                PolicyKind::Spark => spark::pool_name(scenario, id),
                PolicyKind::Fair => FAIR_POOL,
                _ => DEFAULT_POOL,
            };
            let (group, name) = (format!("job-{}", id.0), scenario.job_label(id));
            let after = job.after.filter(|_| scenario.sessions() == Sessions::Closed);
            let after = after.map(|before| (positions[before.job.index()], before.think.0));
            jobs.push(JobJson { user, pool, group, name, arrival_us: job.arrival.0, after, stages });
        }
        report.users = users.into_iter().filter(|&has_jobs| has_jobs).count();
        let name = match scenario.name() {
            "" => "Fairlane scenario",
            name => name,
        };
        let workload = WorkloadJson { name, cores: report.cores, mode, settings: settings(scenario), jobs };
        let workload = serde_json::to_string(&workload).expect("all keys are strings") + "\n";
        Ok(Export { workload, pools: PoolsFile::write(&pools), report })
    }
}

#[derive(Serialize)]
struct WorkloadJson<'a> {
    name: &'a str,
    cores: u32,
    /// The value of `spark.scheduler.mode`.
    mode: PoolMode,
    /// More settings of Spark's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    settings: BTreeMap<&'static str, String>,
    /// In the order of submission.
    jobs: Vec<JobJson<'a>>,
}

#[derive(Serialize)]
struct JobJson<'a> {
    user: &'a str,
    pool: &'a str,
    group: String,
    name: String,
    arrival_us: u64,
    /// The job before it in its session, by its position, and the pause after that.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<(usize, u64)>,
    stages: Vec<StageJson>,
}

/// Parents are before their children, and the last stage is the only one without any.
#[derive(Serialize)]
struct StageJson {
    parents: Vec<usize>,
    tasks_us: Vec<u64>,
}

/// A job's stages, and whether one was added that joins several last ones.
fn stages(scenario: &Scenario, job: &Job, mode: PartitionMode) -> (Vec<StageJson>, bool) {
    let children = job.children();
    let mut position = vec![0; job.stages.len()];
    let mut open: Vec<usize> = job.stages.iter().map(|stage| stage.parents.len()).collect();
    let mut ready: Vec<usize> = (0..job.stages.len()).rev().filter(|&stage| open[stage] == 0).collect();
    let mut stages = Vec::with_capacity(job.stages.len() + 1);
    while let Some(index) = ready.pop() {
        let stage: &Stage = &job.stages[index];
        position[index] = stages.len();
        let tasks = stage.input.durations(scenario.partitioning().task_count(stage, mode));
        stages.push(StageJson {
            parents: stage.parents.iter().map(|&parent| position[parent as usize]).collect(),
            tasks_us: tasks.into_iter().map(|task| task.0).collect(),
        });
        for &child in children[index].iter().rev() {
            let child = child as usize;
            open[child] -= 1;
            if open[child] == 0 {
                ready.push(child);
            }
        }
    }
    let last: Vec<usize> = (0..job.stages.len())
        .filter(|&stage| children[stage].is_empty())
        .map(|stage| position[stage])
        .collect();
    let added = last.len() > 1;
    if added {
        stages.push(StageJson { parents: last, tasks_us: vec![0] });
    }
    (stages, added)
}

/// A pool for each user. Spark compares running tasks over weight, so that only the weights' ratio matters.
fn user_pools(scenario: &Scenario) -> Result<Vec<Pool>, ExportError> {
    let weights = || scenario.users().iter().map(|user| user.weight.millionths());
    let divisor = weights().fold(0, greatest_common_divisor).max(1);
    let pool = |(user, weight): (&User, u64)| {
        let weight = i32::try_from(weight / divisor).map_err(|_| ExportError::Weights)?;
        Ok(fair_pool(&user.name, weight.unsigned_abs()))
    };
    scenario.users().iter().zip(weights()).map(pool).collect()
}

fn fair_pool(name: &str, weight: u32) -> Pool {
    Pool { mode: PoolMode::Fair, weight, ..Pool::named(name) }
}

fn greatest_common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

fn spark_mode(scenario: &Scenario) -> PoolMode {
    let mode = spark::INFO.own().value(scenario, "mode");
    if mode == "FIFO" { PoolMode::Fifo } else { PoolMode::Fair }
}

/// The pools that the scenario declares. `default` is one of them where it is FAIR: Spark makes it FIFO if there is a
/// file without it.
fn declared_pools(scenario: &Scenario) -> Vec<Pool> {
    let parameter = |name: &str| spark::INFO.own().value(scenario, name);
    let mut pools = spark::read(&parameter("pools")).unwrap_or_default();
    if parameter("default_mode") == "FAIR" && pools.iter().all(|pool| pool.name != DEFAULT_POOL) {
        pools.push(fair_pool(DEFAULT_POOL, 1));
    }
    pools
}

/// The settings of dynamic allocation, where the scenario has it.
fn settings(scenario: &Scenario) -> BTreeMap<&'static str, String> {
    let cluster = scenario.cluster();
    let Some(allocation) = &cluster.dynamic_allocation else { return BTreeMap::new() };
    let ExecutorBounds { min, max, initial } = allocation.bounds(cluster);
    // Spark counts these in whole seconds, from 1 on.
    let seconds = |span: Span| format!("{}s", (span.seconds().round() as u64).max(1));
    let sustained = allocation.sustained.unwrap_or(allocation.backlog);
    BTreeMap::from([
        ("spark.dynamicAllocation.enabled", "true".to_owned()),
        ("spark.dynamicAllocation.shuffleTracking.enabled", "true".to_owned()),
        // Executors with shuffled data leave as others do.
        ("spark.dynamicAllocation.shuffleTracking.timeout", seconds(allocation.idle)),
        ("spark.dynamicAllocation.minExecutors", min.to_string()),
        ("spark.dynamicAllocation.maxExecutors", max.to_string()),
        ("spark.dynamicAllocation.initialExecutors", initial.to_string()),
        ("spark.dynamicAllocation.executorIdleTimeout", seconds(allocation.idle)),
        ("spark.dynamicAllocation.schedulerBacklogTimeout", seconds(allocation.backlog)),
        ("spark.dynamicAllocation.sustainedSchedulerBacklogTimeout", seconds(sustained)),
        ("spark.executor.cores", cluster.cores_per_executor.to_string()),
    ])
}

/// Those that there are.
fn present(counts: impl IntoIterator<Item = (usize, &'static str)>) -> Vec<LeftOut> {
    let counts = counts.into_iter().filter(|&(count, _)| count > 0);
    counts.map(|(count, what)| LeftOut { count, what }).collect()
}

/// What Spark has not, and what makes the time of a task depend on where and when it runs beyond Spark's own costs: a
/// task of the program takes its own time.
fn not_played(scenario: &Scenario, pools: &[Pool]) -> Vec<LeftOut> {
    let jobs = |has: fn(&Job) -> bool| scenario.jobs().iter().filter(|job| has(job)).count();
    let stages = |has: fn(&Stage) -> bool| {
        scenario.jobs().iter().flat_map(|job| &job.stages).filter(|stage| has(stage)).count()
    };
    present([
        (pools.iter().filter(|pool| pool.max_share.is_some()).count(), "pools with max_share"),
        (jobs(|job| job.warm_factor != 1.0), "jobs with warm_factor"),
        (stages(|stage| !stage.inflation.is_empty()), "stages with inflation"),
    ])
}

/// What real Spark has its own costs and rules for, and what its policies do not read.
fn left_to_spark(scenario: &Scenario) -> Vec<LeftOut> {
    let cluster = scenario.cluster();
    let jobs = |has: fn(&Job) -> bool| scenario.jobs().iter().filter(|job| has(job)).count();
    let stages = |has: fn(&Stage) -> bool| {
        scenario.jobs().iter().flat_map(|job| &job.stages).filter(|stage| has(stage)).count()
    };
    let costs = [cluster.task_overhead, cluster.stage_delay, cluster.core_move];
    let costs = costs.iter().filter(|&&cost| cost > Span(0)).count();
    present([
        (costs + usize::from(cluster.driver.is_modelled()), "costs of the cluster (Spark has its own)"),
        (stages(|stage| stage.first_wave != 1.0), "stages with first_wave (Spark has its own)"),
        (stages(|stage| stage.delay.is_some()), "stages with delay_s (the driver has its own)"),
        (stages(|stage| stage.memory > 0), "stages with memory_mb (sleeping tasks need none)"),
        (
            jobs(|job| job.stages.iter().any(|stage| stage.spark_job > 0)),
            "jobs of several Spark jobs, played as one",
        ),
        (cluster.executors_at.len(), "changes in the number of executors (the cluster has its own)"),
        (jobs(|job| job.deadline.is_some()), "deadlines of jobs"),
        (jobs(|job| job.curve.is_some()), "performance curves of jobs"),
        (scenario.users().iter().filter(|user| user.queue.is_some()).count(), "queues of users"),
    ])
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn export(scenario: &str, policy: &str) -> Result<Export, ExportError> {
        let text = format!(r#"{{"format": "fairlane/scenario@1", {scenario}}}"#);
        let scenario = Scenario::from_json(&text).expect("a good scenario");
        Export::new(&scenario, policy.parse().expect("a policy"))
    }

    fn workload(export: &Export) -> Value {
        serde_json::from_str(&export.workload).expect("JSON")
    }

    /// Stage 0 waits for 2 and 1, both of which wait for 3; a later job arrives first.
    #[test]
    fn parents_go_first_and_jobs_by_arrival() {
        let export = export(
            r#""jobs": [{"user": "ana", "arrival_s": 2, "stages": [{"tasks_s": [1], "parents": [2, 1]},
                {"tasks_s": [2], "parents": [3]}, {"tasks_s": [3, 0.5], "parents": [3]}, {"tasks_s": [4], "parents": []}]},
                {"user": "ben", "name": "b", "arrival_s": 1, "stages": [{"work_s": 3, "partitions": 2}]}]"#,
            "fifo",
        )
        .expect("a scenario for Spark");
        let workload = workload(&export);
        assert_eq!((&workload["mode"], &workload["cores"]), (&json!("FIFO"), &json!(4)));
        let job = |user, group, name, arrival_us: u64, stages| {
            json!({ "user": user, "pool": "default", "group": group,
            "name": name, "arrival_us": arrival_us, "stages": stages })
        };
        let stage = |parents: &[u64], tasks_us: &[u64]| json!({ "parents": parents, "tasks_us": tasks_us });
        let ben = job("ben", "job-1", "b", 1_000_000, vec![stage(&[], &[1_500_000, 1_500_000])]);
        let diamond = vec![
            stage(&[], &[4_000_000]),
            stage(&[0], &[2_000_000]),
            stage(&[0], &[3_000_000, 500_000]),
            stage(&[2, 1], &[1_000_000]),
        ];
        assert_eq!(workload["jobs"], json!([ben, job("ana", "job-0", "job 0", 2_000_000, diamond)]));
        let ExportReport { users, stages, tasks, core_s, stages_added, .. } = export.report;
        assert_eq!((users, stages, tasks, core_s, stages_added), (2, 5, 7, 13.5, 0));
    }

    #[test]
    fn several_last_stages_are_joined_and_counted() {
        let export = export(
            r#""jobs": [{"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [1], "parents": []},
                {"tasks_s": [1], "parents": []}]}]"#,
            "fair",
        )
        .expect("a scenario for Spark");
        assert_eq!(workload(&export)["jobs"][0]["stages"][2], json!({ "parents": [0, 1], "tasks_us": [0] }));
        assert_eq!((export.report.stages, export.report.tasks, export.report.stages_added), (3, 3, 1));
        assert_eq!(workload(&export)["jobs"][0]["pool"], "fair");
    }

    #[test]
    fn pools_have_the_ratio_of_the_weights_and_any_name() {
        let jobs = r#""jobs": [{"user": "a", "arrival_s": 0, "stages": [{"tasks_s": [1]}]}]"#;
        let users = |users: &str| export(&format!(r#""users": [{users}], {jobs}"#), "ujf");
        let pools = users(r#"{"name": "a", "weight": 0.5}, {"name": "<b> & \"c\"", "weight": 1.25}"#);
        let pools = pools.expect("pools").pools;
        let weights: Vec<&str> = pools
            .lines()
            .filter_map(|line| line.trim().strip_prefix("<weight>")?.strip_suffix("</weight>"))
            .collect();
        assert_eq!(weights, ["2", "5"]);
        assert!(pools.contains(r#"<pool name="&#60;b&#62; &#38; &#34;c&#34;">"#), "{pools}");
        let far = users(r#"{"name": "a", "weight": 999999.999999}, {"name": "b", "weight": 0.000001}"#);
        assert_eq!(far.err(), Some(ExportError::Weights));
        assert_eq!(users(r#"{"name": "a\tb"}"#).err(), Some(ExportError::Name("a\tb".to_owned())));
    }

    #[test]
    fn what_is_not_played_is_counted() {
        let all = r#""cluster": {"task_overhead_s": 0.1, "driver_job_s": 0.1, "core_move_s": 1, "memory_mb_per_executor": 9},
            "jobs": [{"user": "ana", "arrival_s": 0, "warm_factor": 2, "deadline_s": 9, "stages": [
                {"tasks_s": [1], "first_wave": 2, "inflation": [[1, 2]], "memory_mb": 1}]}]"#;
        let report = export(all, "ujf").expect("pools").report;
        let whats = |left: &[LeftOut]| left.iter().map(|left| (left.count, left.what)).collect::<Vec<_>>();
        assert_eq!(whats(&report.not_played), [(1, "jobs with warm_factor"), (1, "stages with inflation")]);
        let left = [
            (3, "costs of the cluster (Spark has its own)"),
            (1, "stages with first_wave (Spark has its own)"),
            (1, "stages with memory_mb (sleeping tasks need none)"),
            (1, "deadlines of jobs"),
        ];
        assert_eq!(whats(&report.left_to_spark), left);
    }

    #[test]
    fn pools_sessions_and_dynamic_allocation_are_played() {
        let export = export(
            r#""cluster": {"executors": 3, "cores_per_executor": 2, "dynamic_allocation": {"idle_s": 2.5}},
            "policies": {"spark": {"pools": [
                {"name": "etl", "mode": "FAIR", "weight": 3, "min_share": 4, "max_share": 5}]}},
            "jobs": [{"user": "a", "pool": "etl", "arrival_s": 3, "after": {"job": 1, "think_s": 0.5},
                "stages": [{"tasks_s": [1]}]},
                {"user": "a", "arrival_s": 1, "stages": [{"tasks_s": [1]}]}]"#,
            "spark",
        )
        .expect("a scenario for Spark");
        let workload = workload(&export);
        assert_eq!((&workload["mode"], &workload["jobs"][1]["pool"]), (&json!("FAIR"), &json!("etl")));
        assert_eq!(workload["jobs"][1]["after"], json!([0, 500_000]));
        assert_eq!(workload["settings"]["spark.dynamicAllocation.executorIdleTimeout"], "3s");
        assert_eq!(workload["settings"]["spark.dynamicAllocation.maxExecutors"], "3");
        let etl = "<pool name=\"etl\">\n    <schedulingMode>FAIR</schedulingMode>\n    <weight>3</weight>\n    \
                   <minShare>4</minShare>";
        // The pool of the other job is as Spark makes it.
        assert!(export.pools.contains(etl) && export.pools.matches("<pool ").count() == 1);
        assert_eq!(export.report.not_played, [LeftOut { count: 1, what: "pools with max_share" }]);
    }
}
