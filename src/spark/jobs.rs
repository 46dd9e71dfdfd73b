//! The jobs of the scenario: jobs of Spark, or whole SQL executions.

use std::collections::HashMap;

use super::JobUnit;
use super::log::{Log, short};
use super::record::LogJob;
use super::tasks::Tasks;
use super::users::Origin;

/// The name of who submits a job of which the log does not say whose it is.
const NOBODY: &str = "unknown";

/// A job of the scenario. Instants are milliseconds since 1970.
pub(super) struct ImportJob {
    pub(super) name: String,
    pub(super) user: String,
    pub(super) arrival: u64,
    /// The SQL execution that it is, if it is one.
    pub(super) execution: Option<u64>,
    /// Jobs of Spark in it that have tasks, by index in the log, in the order of their ids.
    pub(super) spark_jobs: Vec<u32>,
    /// Its stages, by index in [`Tasks::nodes`], in the order of their ids.
    pub(super) nodes: Vec<u32>,
}

/// What distinguishes jobs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Job(u32),
    Execution(u64),
}

/// Whether jobs are SQL executions, unless it was chosen: if a job of the log is part of one.
pub(super) fn unit(log: &Log, chosen: Option<JobUnit>) -> JobUnit {
    let in_sql = || log.jobs.iter().any(|job| log.root_execution(job).is_some());
    chosen.unwrap_or_else(|| if in_sql() { JobUnit::Sql } else { JobUnit::Spark })
}

/// The jobs, in the order of arrival, ties by the ids of their first stages.
pub(super) fn group(log: &Log, tasks: &Tasks, unit: JobUnit, origin: Origin) -> Vec<ImportJob> {
    let id = |node: u32| {
        let node = &tasks.nodes[node as usize];
        (log.stages[node.stage as usize].id, node.attempt)
    };
    let mut nodes: Vec<u32> = (0..tasks.nodes.len() as u32).collect();
    nodes.sort_by_key(|&node| id(node));
    let mut groups: Vec<(Key, Vec<u32>)> = Vec::new();
    let mut by_key: HashMap<Key, usize> = HashMap::new();
    for node in nodes {
        let job = log.stages[tasks.nodes[node as usize].stage as usize].job;
        let key = match (unit, log.root_execution(&log.jobs[job as usize])) {
            (JobUnit::Sql, Some(execution)) => Key::Execution(execution),
            _ => Key::Job(job),
        };
        let group = *by_key.entry(key).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[group].1.push(node);
    }
    let mut jobs: Vec<ImportJob> =
        groups.into_iter().map(|(key, nodes)| job(log, tasks, origin, key, nodes)).collect();
    jobs.sort_by_key(|job| (job.arrival, id(job.nodes[0])));
    jobs
}

fn job(log: &Log, tasks: &Tasks, origin: Origin, key: Key, nodes: Vec<u32>) -> ImportJob {
    let mut spark_jobs: Vec<u32> =
        nodes.iter().map(|&node| log.stages[tasks.nodes[node as usize].stage as usize].job).collect();
    spark_jobs.sort_by_key(|&job| log.jobs[job as usize].id);
    spark_jobs.dedup();
    let members = || spark_jobs.iter().map(|&job| &log.jobs[job as usize]);
    let execution = match key {
        Key::Execution(execution) => Some(execution),
        Key::Job(_) => None,
    };
    let known = execution.and_then(|execution| log.executions.get(&execution));
    let user = members().find_map(|job| origin.user(log, job)).unwrap_or(NOBODY);
    let name = match known {
        Some(execution) if !execution.description.is_empty() => execution.description.clone(),
        _ => members().next().map(|job| name(log, job)).unwrap_or_default(),
    };
    let submitted = known.and_then(|execution| execution.started);
    let submitted = submitted.or_else(|| members().filter_map(|job| job.submitted).min());
    // Nothing runs before it arrives, whatever the clocks say.
    let first = nodes.iter().map(|&node| tasks.first(node).0).min().unwrap_or_default();
    let arrival = submitted.map_or(first, |submitted| submitted.min(first));
    ImportJob { name, user: user.trim().to_owned(), arrival, execution, spark_jobs, nodes }
}

/// What people call a job of Spark: its description, or the name of its last stage, which is where the user's code
/// called Spark.
fn name(log: &Log, job: &LogJob) -> String {
    let description = job.properties.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
    match description {
        Some(description) => short(description),
        None => job.stages.last().map(|&stage| log.stages[stage as usize].name.clone()).unwrap_or_default(),
    }
}
