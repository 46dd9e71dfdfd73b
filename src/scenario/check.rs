//! What a scenario must fulfil, and how a fault is told.

use std::fmt;

use super::{Scenario, Stage};
use crate::partition::{self, Mode};
use crate::units::MAX_MICROS;

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

/// A fault in a scenario file: where, what, and what to do about it.
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
    let mut tasks = [0_u64; 2];
    let mut last_arrival = 0_u128;
    let mut work = 0_u128;
    let mut estimates = 0_u128;
    let mut delays = 0_u128;
    for (j, job) in scenario.jobs.iter().enumerate() {
        last_arrival = last_arrival.max(u128::from(job.arrival.0));
        estimates += u128::from(job.estimate.0);
        for (s, stage) in job.stages.iter().enumerate() {
            work += u128::from(stage.input.work().0);
            estimates += u128::from(stage.estimate.0);
            delays += u128::from(cluster.stage_delay.0);
            for (mode, total) in [Mode::Default, Mode::Runtime].into_iter().zip(&mut tasks) {
                let count = partition::task_count(stage, mode, &scenario.partitioning);
                *total = total.saturating_add(count);
                if *total > limits.tasks {
                    let remedy = match mode {
                        Mode::Default => "give fewer partitions or split the file",
                        Mode::Runtime => "raise advisory_task_runtime_s or split the file",
                    };
                    return Err(ScenarioError::at(
                        format!("jobs[{j}].stages[{s}]"),
                        format!(
                            "this stage's {count} tasks under {} partitioning bring the total above the limit of {}; {remedy}",
                            mode.name(),
                            limits.tasks
                        ),
                    ));
                }
            }
        }
    }
    let overheads = u128::from(tasks[0].max(tasks[1])) * u128::from(cluster.task_overhead.0);
    for (path, what, total) in [
        (
            "jobs",
            "the last arrival, all work, overheads and stage delays together",
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
