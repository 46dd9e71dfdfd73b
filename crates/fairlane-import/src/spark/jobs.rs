//! The jobs of the scenario: jobs of Spark, or whole SQL executions.

use std::collections::{BTreeMap, HashMap};

use super::JobUnit;
use super::log::Log;
use super::problem::short;
use super::record::{LogJob, property};
use super::tasks::ImportedTasks;
use super::users::UserRule;

/// The name of the user of jobs of which a log does not say whose they are.
pub const NOBODY: &str = "unknown";

/// A job of the scenario. Instants are milliseconds since 1970.
pub(super) struct ImportJob {
    pub(super) name: String,
    pub(super) user: String,
    /// The job group that it shares with other jobs of its user; empty if there is none.
    pub(super) group: String,
    /// Whether its jobs of Spark are in several groups, so that it is in none.
    pub(super) in_several_groups: bool,
    pub(super) arrival: u64,
    /// The SQL execution that it is, if it is one.
    pub(super) execution: Option<u64>,
    /// Jobs of Spark in it that have tasks, by index in the log, in the order of their ids.
    pub(super) spark_jobs: Vec<u32>,
    /// Its stages, by index in [`ImportedTasks::nodes`], in the order of their ids.
    pub(super) nodes: Vec<u32>,
}

/// What distinguishes jobs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum JobKey {
    Job(u32),
    Execution(u64),
}

/// Whether jobs are SQL executions, unless it was chosen: if a job of the log is part of one.
pub(super) fn unit(log: &Log, chosen: Option<JobUnit>) -> JobUnit {
    let in_sql = || log.jobs.iter().any(|job| log.root_execution(job).is_some());
    chosen.unwrap_or_else(|| if in_sql() { JobUnit::Sql } else { JobUnit::Spark })
}

/// The jobs, in the order of arrival, ties by the ids of their first stages.
pub(super) fn group(log: &Log, tasks: &ImportedTasks, unit: JobUnit, users: &UserRule) -> Vec<ImportJob> {
    let id = |node: u32| {
        let node = &tasks.nodes[node as usize];
        (log.stages[node.stage as usize].id, node.attempt)
    };
    let mut nodes: Vec<u32> = (0..tasks.nodes.len() as u32).collect();
    nodes.sort_by_key(|&node| id(node));
    let mut groups: Vec<(JobKey, Vec<u32>)> = Vec::new();
    let mut by_key: HashMap<JobKey, usize> = HashMap::new();
    for node in nodes {
        let job = log.stages[tasks.nodes[node as usize].stage as usize].job;
        let key = match (unit, log.root_execution(&log.jobs[job as usize])) {
            (JobUnit::Sql, Some(execution)) => JobKey::Execution(execution),
            _ => JobKey::Job(job),
        };
        let group = *by_key.entry(key).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[group].1.push(node);
    }
    let mut jobs: Vec<ImportJob> =
        groups.into_iter().map(|(key, nodes)| job(log, tasks, users, key, nodes)).collect();
    jobs.sort_by_key(|job| (job.arrival, id(job.nodes[0])));
    leave_groups_of_one(&mut jobs);
    jobs
}

/// A job alone in its group needs none: Thrift servers and notebooks name one for each statement.
fn leave_groups_of_one(jobs: &mut [ImportJob]) {
    let mut members: BTreeMap<(String, String), u32> = BTreeMap::new();
    let key = |job: &ImportJob| (job.user.clone(), job.group.clone());
    jobs.iter().for_each(|job| *members.entry(key(job)).or_default() += 1);
    for job in jobs {
        if members[&key(job)] == 1 {
            job.group.clear();
        }
    }
}

fn job(log: &Log, tasks: &ImportedTasks, users: &UserRule, key: JobKey, nodes: Vec<u32>) -> ImportJob {
    let mut spark_jobs: Vec<u32> =
        nodes.iter().map(|&node| log.stages[tasks.nodes[node as usize].stage as usize].job).collect();
    spark_jobs.sort_by_key(|&job| log.jobs[job as usize].id);
    spark_jobs.dedup();
    let members = || spark_jobs.iter().map(|&job| &log.jobs[job as usize]);
    let execution = match key {
        JobKey::Execution(execution) => Some(execution),
        JobKey::Job(_) => None,
    };
    let known = execution.and_then(|execution| log.executions.get(&execution));
    let user = members().find_map(|job| users.user(log, job)).unwrap_or(NOBODY);
    let name = match known {
        Some(execution) if !execution.description.is_empty() => execution.description.clone(),
        _ => members().next().map(|job| name(log, job)).unwrap_or_default(),
    };
    // Where groups are users, all of a user's jobs are in one.
    let mut groups: Vec<&str> = match users {
        UserRule::Group => Vec::new(),
        _ => members().map(|job| job.properties.get(property::GROUP).unwrap_or_default().trim()).collect(),
    };
    groups.dedup();
    let submitted = known.and_then(|execution| execution.started);
    let submitted = submitted.or_else(|| members().filter_map(|job| job.submitted).min());
    // Nothing runs before it arrives, whatever the clocks say.
    let first = nodes.iter().map(|&node| tasks.first(node).0).min().unwrap_or_default();
    let arrival = submitted.map_or(first, |submitted| submitted.min(first));
    ImportJob {
        name,
        user: user.trim().to_owned(),
        group: if let [group] = groups.as_slice() { (*group).to_owned() } else { String::new() },
        in_several_groups: groups.len() > 1,
        arrival,
        execution,
        spark_jobs,
        nodes,
    }
}

/// What people call a job of Spark: its description, or the name of its last stage, which is where the user's code
/// called Spark.
fn name(log: &Log, job: &LogJob) -> String {
    let description =
        job.properties.get(property::DESCRIPTION).map(str::trim).filter(|text| !text.is_empty());
    match description {
        Some(description) => short(description),
        None => {
            job.stages.last().map(|&stage| log.stages[stage as usize].name.to_string()).unwrap_or_default()
        }
    }
}
