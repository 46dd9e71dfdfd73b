//! Virtual time and deadlines over real time, as data for a plot.

use super::{Journal, Trace};
use crate::ids::{JobId, Rank, UserId};
use crate::policy::log::{AdmissionEntry, Late};
use crate::scenario::Scenario;
use crate::units::{Time, VirtualTime};

/// A point: an instant in µs (a fraction, because users and stages leave between microseconds) and
/// a virtual time in core-µs.
pub type Point = (f64, f64);

/// A policy's virtual time over real time. Empty for policies that have none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VirtualTimeSeries {
    /// V: straight lines between these points, 0 before the first, level after the last.
    pub v: Vec<Point>,
    /// The deadlines of the jobs asked about: of each stage under CFQ, of each job under UWFQ.
    pub deadlines: Vec<DeadlineLine>,
    /// Vu under UWFQ, of the users of the jobs asked about, a line for each time they were active.
    pub users: Vec<UserLine>,
}

/// A deadline and how long it counted.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadlineLine {
    /// The job.
    pub job: JobId,
    /// The stage whose deadline it is, by index in the job; `None` where it is the job's.
    pub stage: Option<u32>,
    /// When it was set.
    pub from: Time,
    /// When it was replaced, or when the last task it ranked was launched.
    pub to: Time,
    /// D, in core-µs (UWFQ: per unit of weight).
    pub deadline: f64,
}

/// A user's virtual time while the user was active.
#[derive(Clone, Debug, PartialEq)]
pub struct UserLine {
    /// The user.
    pub user: UserId,
    /// Vu in core-µs: straight lines between these points.
    pub points: Vec<Point>,
}

/// V over the whole trace, and the deadlines and users of the jobs given: all of thousands of jobs
/// could not be distinguished in a plot, and a job's deadline can change with every later one.
pub fn virtual_time_series(
    scenario: &Scenario,
    trace: &Trace,
    journal: &Journal,
    jobs: &[JobId],
) -> VirtualTimeSeries {
    let v = journal.log.readings.iter().map(|reading| (reading.at, reading.virtual_time)).collect();
    let mut deadlines = stage_deadlines(scenario, trace, journal, jobs);
    for &job in jobs {
        deadlines.append(&mut job_deadlines(scenario, trace, journal, job));
    }
    let mut users: Vec<UserId> = jobs.iter().map(|job| scenario.jobs()[job.index()].user).collect();
    users.sort();
    users.dedup();
    let users = users.into_iter().flat_map(|user| user_lines(scenario, journal, user)).collect();
    VirtualTimeSeries { v, deadlines, users }
}

fn stage_deadlines(
    scenario: &Scenario,
    trace: &Trace,
    journal: &Journal,
    jobs: &[JobId],
) -> Vec<DeadlineLine> {
    let stages = scenario.stages_by_id();
    let mut last_launch = scenario.per_stage(Time::ZERO);
    for run in &trace.tasks {
        last_launch[run.job.index()][run.stage as usize] = run.start;
    }
    let entries = journal.log.stages.iter().map(|entry| {
        let (job, stage) = stages[(entry.stage.0 - scenario.cluster().first_stage_id) as usize];
        DeadlineLine {
            job,
            stage: Some(stage),
            from: journal.events[entry.event as usize].at,
            to: last_launch[job.index()][stage as usize],
            deadline: entry.start + entry.estimate.0 as f64,
        }
    });
    let mut lines: Vec<DeadlineLine> = entries.filter(|line| jobs.contains(&line.job)).collect();
    lines.sort_by_key(|line| (line.job, line.stage));
    lines
}

/// A job's D_global as it changes: with each later job of its user that finishes virtually before
/// it, and when it is admitted again or moved to the top.
fn job_deadlines(scenario: &Scenario, trace: &Trace, journal: &Journal, job: JobId) -> Vec<DeadlineLine> {
    let log = &journal.log;
    let rank = scenario.ranks()[job.index()];
    let weight = scenario.users()[scenario.jobs()[job.index()].user.index()].weight.value();
    let mut changes: Vec<(u32, f64)> = Vec::new();
    for (index, mine) in log.admissions.iter().enumerate().filter(|(_, entry)| entry.rank == rank) {
        let start = log.sessions[mine.session as usize].virtual_arrival;
        let of_session = |entry: &&AdmissionEntry| entry.session == mine.session;
        let before = log.admissions[..index].iter().filter(of_session);
        let counts = before.filter(|entry| entry.left.event <= mine.event || order(entry) < order(mine));
        let mut work: u128 = counts.map(|entry| u128::from(entry.estimate.0)).sum();
        work += u128::from(mine.estimate.0);
        changes.push((mine.event, start + work as f64 / weight));
        let later = log.admissions[index + 1..].iter().take_while(|entry| entry.event < mine.left.event);
        for entry in later.filter(of_session).filter(|entry| order(entry) < order(mine)) {
            work += u128::from(entry.estimate.0);
            changes.push((entry.event, start + work as f64 / weight));
        }
    }
    changes.extend(
        log.late
            .iter()
            .filter(|entry| entry.rank == rank && entry.late == Late::Top)
            .map(|entry| (entry.event, 0.0)),
    );
    changes.dedup_by_key(|&mut (_, deadline)| deadline.to_bits());
    let last_launch = trace.tasks.iter().rev().find(|run| run.job == job).map_or(Time::ZERO, |run| run.start);
    let ends = changes.iter().skip(1).map(|&(event, _)| journal.events[event as usize].at);
    let ends: Vec<Time> = ends.chain([last_launch]).collect();
    let lines = changes.iter().zip(ends);
    lines
        .map(|(&(event, deadline), to)| {
            let from = journal.events[event as usize].at;
            DeadlineLine { job, stage: None, from, to, deadline }
        })
        .collect()
}

/// The order of a user's list: (D_user, rank).
fn order(entry: &AdmissionEntry) -> (VirtualTime, Rank) {
    (VirtualTime(entry.user_time + entry.estimate.0 as f64), entry.rank)
}

/// Vu, session by session. Between two changes of the user's list it grows by weight / jobs for
/// each unit of V.
fn user_lines(scenario: &Scenario, journal: &Journal, user: UserId) -> Vec<UserLine> {
    /// A change of the user's list.
    struct Change {
        at: f64,
        v: f64,
        user_time: f64,
        jobs: i32,
    }
    let log = &journal.log;
    let weight = scenario.users()[user.index()].weight.value();
    let mut lines = Vec::new();
    for (index, session) in log.sessions.iter().enumerate().filter(|(_, session)| session.user == user) {
        let mut changes: Vec<Change> = Vec::new();
        for entry in log.admissions.iter().filter(|entry| entry.session as usize == index) {
            let (at, v, left) = (entry.at, entry.virtual_time, entry.left);
            changes.push(Change { at, v, user_time: entry.user_time, jobs: 1 });
            let deadline = order(entry).0.0;
            changes.push(Change { at: left.at, v: left.virtual_time, user_time: deadline, jobs: -1 });
        }
        changes.sort_by(|a, b| {
            a.at.total_cmp(&b.at).then(a.v.total_cmp(&b.v)).then(a.user_time.total_cmp(&b.user_time))
        });
        let mut points: Vec<Point> = Vec::new();
        let mut jobs = 0;
        for (change, next) in changes.iter().zip(changes.iter().skip(1).map(Some).chain([None])) {
            jobs += change.jobs;
            points.push((change.at, change.user_time));
            let until = next.map_or(session.left.at, |next| next.at);
            let begin = log.readings.partition_point(|reading| reading.at <= change.at);
            for reading in log.readings[begin..].iter().take_while(|reading| reading.at < until) {
                let grown = (reading.virtual_time - change.v).max(0.0) * weight / f64::from(jobs.max(1));
                points.push((reading.at, change.user_time + if jobs > 0 { grown } else { 0.0 }));
            }
        }
        points.dedup();
        lines.push(UserLine { user, points });
    }
    lines
}
