//! The jobs of the scenario: jobs of Spark, or whole SQL executions.

use std::collections::{BTreeMap, HashMap};

use super::JobUnit;
use super::log::Log;
use super::names::{is_connect_plan, is_plan_without_name, readable};
use super::problem::short;
use super::record::{LogJob, StageEnd, TaskEnd, property};
use super::tasks::ImportedTasks;
use super::users::UserRules;

/// The name of the user of jobs of which a log does not say whose they are.
pub const NOBODY: &str = "unknown";

/// A job of the scenario. Instants are milliseconds since 1970.
pub(super) struct ImportJob {
    pub(super) name: String,
    pub(super) user: String,
    /// What its user is read from, if not from what was asked for.
    pub(super) user_source: Option<String>,
    /// The job group that it shares with other jobs of its user; empty if there is none.
    pub(super) group: String,
    /// Whether its jobs of Spark are in several groups, so that it is in none.
    pub(super) in_several_groups: bool,
    pub(super) arrival: u64,
    /// How its user learned of its end.
    pub(super) end: JobEnd,
    /// The SQL execution that it is, if it is one.
    pub(super) execution: Option<u64>,
    /// Jobs of Spark in it that have tasks, by index in the log, in the order of their ids.
    pub(super) spark_jobs: Vec<u32>,
    /// Its stages, by index in [`ImportedTasks::nodes`], in the order of their ids.
    pub(super) nodes: Vec<u32>,
}

/// How a job ended for its user. Instants are milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobEnd {
    /// With its last task: the log does not say otherwise.
    WithTasks,
    /// At an instant, after its last task.
    Answered(u64),
    /// It was cancelled or failed at an instant; tasks ran on.
    Stopped(u64),
    /// It was cancelled at an instant, and its running tasks with it.
    Interrupted(u64),
    /// It had not ended when the log did.
    Unfinished,
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
pub(super) fn group(log: &Log, tasks: &ImportedTasks, unit: JobUnit, users: &UserRules) -> Vec<ImportJob> {
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

fn job(log: &Log, tasks: &ImportedTasks, users: &UserRules, key: JobKey, nodes: Vec<u32>) -> ImportJob {
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
    let (user, user_source) = users.user(log, members());
    let mut name = job_name(log, known.map(|execution| execution.description.as_str()), members());
    // Where groups are users, all of a user's jobs are in one.
    let groups = || members().filter_map(|job| job.group());
    let mut groups: Vec<&str> = if users.are_groups() { Vec::new() } else { groups().collect() };
    groups.dedup();
    let submitted = known.and_then(|execution| execution.started);
    // A query's first jobs may be submitted before it says that it has begun. Nothing runs before it arrives, whatever
    // the clocks say.
    let submitted = submitted.into_iter().chain(members().filter_map(|job| job.submitted));
    let first = nodes.iter().map(|&node| tasks.first(node).0).min().unwrap_or_default();
    let arrival = submitted.chain([first]).min().unwrap_or(first);
    let end = job_end(log, tasks, execution, &spark_jobs, &nodes);
    if end == JobEnd::Unfinished {
        name.push_str(" (unfinished)");
    }
    ImportJob {
        name,
        user: user.to_owned(),
        user_source,
        group: if let [group] = groups.as_slice() { (*group).to_owned() } else { String::new() },
        in_several_groups: groups.len() > 1,
        arrival,
        end,
        execution,
        spark_jobs,
        nodes,
    }
}

/// Milliseconds by which a task's end may be stamped after its job's.
const LATE_STAMP_MS: u64 = 100;

/// How a job ended for its user: an SQL execution when it was over, others with the last of its jobs of Spark.
fn job_end(
    log: &Log,
    tasks: &ImportedTasks,
    execution: Option<u64>,
    spark_jobs: &[u32],
    nodes: &[u32],
) -> JobEnd {
    let members = || spark_jobs.iter().map(|&job| &log.jobs[job as usize]);
    let known = execution.and_then(|execution| log.executions.get(&execution));
    let last = nodes.iter().map(|&node| tasks.last_finish(node)).max().unwrap_or_default();
    let ended = match known.and_then(|execution| execution.ended) {
        Some(ended) => Some(ended),
        // An execution without an end has not ended, whatever its jobs of Spark have.
        None if known.is_some_and(|execution| !execution.has_end) && execution.is_some() => None,
        None => members()
            .map(|job| job.ended)
            .max()
            .flatten()
            .filter(|_| members().all(|job| job.ended.is_some())),
    };
    let has_failed = || known.is_some_and(|execution| execution.failed) || members().any(|job| job.failed);
    let runs = || nodes.iter().flat_map(|&node| &tasks.nodes[node as usize].runs);
    let is_running = || runs().any(|&run| tasks.task_of_run(log, run).end == TaskEnd::Unfinished);
    let is_submitted = || {
        let attempts =
            members().flat_map(|job| &job.stages).flat_map(|&stage| &log.stages[stage as usize].attempts);
        attempts.into_iter().any(|attempt| attempt.submitted > 0 && attempt.end == StageEnd::Open)
    };
    let is_cancelled = || {
        let mut attempts =
            members().flat_map(|job| &job.stages).flat_map(|&stage| &log.stages[stage as usize].attempts);
        attempts.any(|attempt| attempt.end == StageEnd::Cancelled)
    };
    let is_killed = || runs().any(|&run| tasks.task_of_run(log, run).end == TaskEnd::Killed);
    match ended {
        Some(at) if at.saturating_add(LATE_STAMP_MS) < last && has_failed() => JobEnd::Stopped(at),
        Some(at) if has_failed() && is_cancelled() && is_killed() => JobEnd::Interrupted(at),
        Some(at) => JobEnd::Answered(at),
        None if is_running() || is_submitted() => JobEnd::Unfinished,
        None => JobEnd::WithTasks,
    }
}

/// What people call a job: the SQL execution's description or that of its first job of Spark that has one; a query of
/// Spark Connect by its statement; else the place that called Spark, or the last stage's name, which is that place too.
fn job_name<'a>(
    log: &Log,
    execution: Option<&str>,
    jobs: impl Iterator<Item = &'a LogJob> + Clone,
) -> String {
    let property =
        |job: &'a LogJob, name: &str| job.properties.get(name).map(str::trim).filter(|text| !text.is_empty());
    let first = jobs.clone().next();
    let description = execution.filter(|text| !text.is_empty()).map(str::to_owned);
    let description = description.or_else(|| {
        let text = property(first?, property::DESCRIPTION)?;
        Some(if is_plan_without_name(text) { String::new() } else { short(&readable(text)) })
    });
    let is_connect =
        jobs.clone().any(|job| property(job, property::DESCRIPTION).is_some_and(is_connect_plan));
    let statement =
        || jobs.clone().find_map(|job| log.statement(job)).map(|statement| statement.name.clone());
    let call_site = || jobs.clone().find_map(|job| property(job, property::CALL_SITE)).map(short);
    let stage = || first?.stages.last().map(|&stage| log.stages[stage as usize].name.to_string());
    let is_named = |name: &String| !name.is_empty();
    let statement = || Some(statement()?).filter(is_named);
    let of_connect = if is_connect { statement() } else { None };
    of_connect
        .or(description.filter(is_named))
        .or_else(statement)
        .or_else(call_site)
        .or_else(stage)
        .unwrap_or_default()
}
