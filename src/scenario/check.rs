//! What a scenario must fulfil, and how a fault is told.

use std::collections::HashSet;
use std::fmt;

use super::{Cluster, Job, Partitioning, Scenario, Stage, User};
use crate::partition::{self, Mode};
use crate::units::{MAX_MICROS, Span};

/// The sizes up to which a scenario file is taken.
///
/// They keep a simulation within a few hundred megabytes of memory. A library user who knows
/// better may pass others to [`Scenario::from_json_within`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a file.
    pub bytes: usize,
    /// Users, declared or not.
    pub users: usize,
    /// Jobs.
    pub jobs: usize,
    /// Stages of all jobs together.
    pub stages: usize,
    /// Slices of all inputs together.
    pub slices: usize,
    /// Tasks of all stages together, under either partitioning.
    pub tasks: u64,
    /// Cores.
    pub cores: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            bytes: 64 << 20,
            users: 200_000,
            jobs: 200_000,
            stages: 1_000_000,
            slices: 10_000_000,
            tasks: 20_000_000,
            cores: 100_000,
        }
    }
}

/// A fault in a scenario or generator file: where, what, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// JSON path such as `jobs[3].stages[0].profile`; empty for the file as a whole.
    pub path: String,
    /// A plain sentence.
    pub message: String,
    /// Line and column, where the fault was found while reading.
    pub position: Option<(usize, usize)>,
}

impl ScenarioError {
    pub(crate) fn at(path: impl Into<String>, message: impl Into<String>) -> Self {
        ScenarioError { path: path.into(), message: message.into(), position: None }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        if let Some((line, column)) = self.position {
            write!(f, " (line {line}, column {column})")?;
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioError {}

/// Checks a whole scenario that was put together otherwise than from a file, by the same rules.
pub(super) fn check(scenario: &Scenario, limits: &Limits) -> Result<(), ScenarioError> {
    check_cluster(&scenario.cluster, limits)?;
    check_partitioning(&scenario.partitioning)?;
    check_users(&scenario.users, limits)?;
    check_any_job(scenario.jobs.len())?;
    within(scenario.jobs.len(), limits.jobs, "jobs", "jobs")?;
    let mut sizes = Sizes::default();
    for (index, job) in scenario.jobs.iter().enumerate() {
        let path = format!("jobs[{index}]");
        if job.user.index() >= scenario.users.len() {
            return Err(ScenarioError::at(
                format!("{path}.user"),
                format!("there is no user {}; add it or choose another", job.user.0),
            ));
        }
        check_any_stage(job.stages.len(), &path)?;
        for (stage, spec) in job.stages.iter().enumerate() {
            check_partitions(spec.partitions, &format!("{path}.stages[{stage}]"))?;
        }
        check_parents(&job.stages, &path)?;
        sizes.add(job, &path, limits)?;
    }
    check_stage_ids(&scenario.cluster, &sizes)?;
    check_totals(scenario, limits)
}

/// What there is of the things that only a whole scenario bounds.
#[derive(Default)]
pub(super) struct Sizes {
    stages: usize,
    slices: usize,
}

impl Sizes {
    /// Counts one more job.
    pub(super) fn add(&mut self, job: &Job, path: &str, limits: &Limits) -> Result<(), ScenarioError> {
        self.stages += job.stages.len();
        self.slices += job.stages.iter().map(|stage| stage.input.slices()).sum::<usize>();
        within(self.stages, limits.stages, "stages", path)?;
        within(self.slices, limits.slices, "slices of input", path)
    }
}

/// Checks a count against a limit.
pub(super) fn within(count: usize, most: usize, what: &str, path: &str) -> Result<(), ScenarioError> {
    if count <= most {
        return Ok(());
    }
    Err(ScenarioError::at(path, format!("from here on there are more than {most} {what}; split the file")))
}

pub(super) fn check_cluster(cluster: &Cluster, limits: &Limits) -> Result<(), ScenarioError> {
    let counts = [("executors", cluster.executors), ("cores_per_executor", cluster.cores_per_executor)];
    for (key, count) in counts {
        if count == 0 {
            return Err(ScenarioError::at(format!("cluster.{key}"), "must be at least 1"));
        }
    }
    let cores = u64::from(cluster.executors) * u64::from(cluster.cores_per_executor);
    if cores > limits.cores {
        let most = limits.cores;
        return Err(ScenarioError::at("cluster", format!("{cores} cores are more than the limit of {most}")));
    }
    Ok(())
}

pub(super) fn check_partitioning(partitioning: &Partitioning) -> Result<(), ScenarioError> {
    if partitioning.advisory_task_runtime == Span(0) {
        return Err(ScenarioError::at(
            "partitioning.advisory_task_runtime_s",
            "rounds to 0 microseconds; give at least 0.000001 s",
        ));
    }
    Ok(())
}

/// What a weight must be.
pub(super) const WEIGHT_RANGE: &str = "must be between 0.000001 and 1000000; 1 is the usual share";

fn check_users(users: &[User], limits: &Limits) -> Result<(), ScenarioError> {
    within(users.len(), limits.users, "users", "users")?;
    // Only asked, never walked.
    let mut seen = HashSet::with_capacity(users.len());
    for (index, user) in users.iter().enumerate() {
        let path = format!("users[{index}].name");
        check_user_name(&user.name, &path)?;
        if !seen.insert(user.name.as_str()) {
            return Err(user_twice(&user.name, path));
        }
    }
    Ok(())
}

pub(super) fn check_user_name(name: &str, path: &str) -> Result<(), ScenarioError> {
    if name.is_empty() {
        return Err(ScenarioError::at(path, "is empty; a user needs a name"));
    }
    Ok(())
}

pub(super) fn user_twice(name: &str, path: String) -> ScenarioError {
    ScenarioError::at(path, format!("there is already a user \"{name}\"; give each user once"))
}

pub(super) fn check_any_job(jobs: usize) -> Result<(), ScenarioError> {
    if jobs == 0 {
        return Err(ScenarioError::at("jobs", "there is no job; a scenario needs at least one"));
    }
    Ok(())
}

pub(super) fn check_any_stage(stages: usize, path: &str) -> Result<(), ScenarioError> {
    if stages == 0 {
        return Err(ScenarioError::at(format!("{path}.stages"), "a job needs at least one stage"));
    }
    Ok(())
}

pub(super) fn check_partitions(partitions: u32, path: &str) -> Result<(), ScenarioError> {
    if partitions == 0 {
        return Err(ScenarioError::at(format!("{path}.partitions"), "must be at least 1"));
    }
    Ok(())
}

/// Checks that stage ids stay below 2^53, where JSON's numbers are still whole.
pub(super) fn check_stage_ids(cluster: &Cluster, sizes: &Sizes) -> Result<(), ScenarioError> {
    if cluster.first_stage_id > MAX_MICROS - sizes.stages as u64 {
        return Err(ScenarioError::at("cluster.first_stage_id", "is more than 2^53; use a smaller number"));
    }
    Ok(())
}

/// Checks the parents of one job's stages: each names another stage once, and none is its own
/// ancestor. Parents may stand later in the list.
pub(super) fn check_parents(stages: &[Stage], path: &str) -> Result<(), ScenarioError> {
    for (index, stage) in stages.iter().enumerate() {
        for (place, &parent) in stage.parents.iter().enumerate() {
            let at = || format!("{path}.stages[{index}].parents[{place}]");
            if parent as usize >= stages.len() {
                let last = stages.len() - 1;
                return Err(ScenarioError::at(
                    at(),
                    format!("there is no stage {parent} in this job; its stages are 0 to {last}"),
                ));
            }
            if stage.parents[..place].contains(&parent) {
                return Err(ScenarioError::at(
                    at(),
                    format!("stage {parent} is named twice; name each parent once"),
                ));
            }
        }
    }
    match stage_in_cycle(stages) {
        Some(index) => Err(ScenarioError::at(
            format!("{path}.stages[{index}].parents"),
            format!(
                "stage {index} waits for itself through its parents; remove one of them to break the cycle"
            ),
        )),
        None => Ok(()),
    }
}

/// A stage on a cycle of parents, found by removing stages without open parents until none is left
/// (Kahn) and walking the parents of what remains.
fn stage_in_cycle(stages: &[Stage]) -> Option<usize> {
    let mut children = vec![Vec::new(); stages.len()];
    let mut open: Vec<usize> = stages.iter().map(|stage| stage.parents.len()).collect();
    for (index, stage) in stages.iter().enumerate() {
        for &parent in &stage.parents {
            children[parent as usize].push(index);
        }
    }
    let mut ready: Vec<usize> = (0..stages.len()).filter(|&index| open[index] == 0).collect();
    while let Some(index) = ready.pop() {
        for &child in &children[index] {
            open[child] -= 1;
            if open[child] == 0 {
                ready.push(child);
            }
        }
    }
    let mut at = (0..stages.len()).find(|&index| open[index] > 0)?;
    // Every stage left has a parent that is left too, so after as many steps as there are stages
    // the walk stands on the cycle.
    for _ in 0..stages.len() {
        at = stages[at].parents.iter().map(|&parent| parent as usize).find(|&parent| open[parent] > 0)?;
    }
    Some(at)
}

/// Checks what only the whole scenario shows: that no time, work, weight or task count can leave
/// its range, whatever the policy.
pub(super) fn check_totals(scenario: &Scenario, limits: &Limits) -> Result<(), ScenarioError> {
    let cluster = &scenario.cluster;
    // Tasks are numbered with 32 bits, whatever limits a library user passes.
    let most = limits.tasks.min(u64::from(u32::MAX));
    let mut tasks = [0_u64; 2];
    let mut last_arrival = 0_u128;
    let mut work = 0_u128;
    let mut estimates = 0_u128;
    let mut delays = 0_u128;
    for (j, job) in scenario.jobs.iter().enumerate() {
        last_arrival = last_arrival.max(u128::from(job.arrival.0));
        estimates += u128::from(job.estimate.0);
        delays += u128::from(cluster.driver.job.0);
        for (s, stage) in job.stages.iter().enumerate() {
            work += u128::from(stage.input.work().0);
            estimates += u128::from(stage.estimate.0);
            delays += u128::from(cluster.stage_delay.0) + u128::from(cluster.driver.stage.0);
            for (mode, total) in [Mode::Default, Mode::Runtime].into_iter().zip(&mut tasks) {
                let count = partition::task_count(stage, mode, &scenario.partitioning);
                *total = total.saturating_add(count);
                if *total > most {
                    let remedy = match mode {
                        Mode::Default => "give fewer partitions or split the file",
                        Mode::Runtime => "raise advisory_task_runtime_s or split the file",
                    };
                    return Err(ScenarioError::at(
                        format!("jobs[{j}].stages[{s}]"),
                        format!(
                            "this stage's {count} tasks under {} partitioning bring the total above the limit of {}; {remedy}",
                            mode.name(),
                            most
                        ),
                    ));
                }
            }
        }
    }
    let per_task = u128::from(cluster.task_overhead.0) + u128::from(cluster.driver.task.0);
    let overheads = u128::from(tasks[0].max(tasks[1])) * per_task;
    for (path, what, total) in [
        (
            "jobs",
            "the last arrival, all work, overheads, delays and the driver's time together",
            last_arrival + work + overheads + delays,
        ),
        ("jobs", "all estimates together", estimates),
    ] {
        if total > u128::from(MAX_MICROS) {
            return Err(ScenarioError::at(
                path,
                format!("{what} come to more than 2^53 microseconds (9007199254 s); use smaller figures"),
            ));
        }
    }
    Ok(())
}
