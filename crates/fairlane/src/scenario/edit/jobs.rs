//! Edits of whole jobs: arrival, user, copies.

use super::{Edited, Shift, kept};
use crate::ids::{JobId, UserId};
use crate::scenario::error::ensure;
use crate::scenario::palette::{self, JobTemplate};
use crate::scenario::{Job, PerformanceCurve, Predecessor, Scenario, ScenarioError};
use crate::units::{Span, Time};

/// The jobs named, each once, ascending.
fn each_once(scenario: &Scenario, jobs: &[JobId]) -> Result<Vec<JobId>, ScenarioError> {
    let mut jobs = jobs.to_vec();
    jobs.sort();
    jobs.dedup();
    jobs.last().map_or(Ok(()), |&last| scenario.check_job(last))?;
    Ok(jobs)
}

pub(super) fn shift(
    mut after: Scenario,
    jobs: &[JobId],
    by: Shift,
    lanes: i32,
) -> Result<Edited, ScenarioError> {
    let jobs = each_once(&after, jobs)?;
    let by = within_time(&after, &jobs, by);
    let lanes = within_lanes(&after, &jobs, lanes);
    for &job in &jobs {
        let spec = &mut after.jobs[job.index()];
        spec.arrival = shifted(spec.arrival, by, job.index())?;
        // A job that moves together with its predecessor follows it anyway.
        if let Some(before) = spec.after.as_mut().filter(|before| jobs.binary_search(&before.job).is_err()) {
            let path = || format!("jobs[{}].after.think_s", job.index());
            before.think = Span(kept(before.think.0.saturating_add_signed(by.0), path)?);
        }
        spec.user = UserId(spec.user.0.wrapping_add_signed(lanes));
    }
    Ok(Edited::new(after).about_jobs(jobs))
}

/// The shift, or as much of it as leaves the earliest job at 0.
fn within_time(scenario: &Scenario, jobs: &[JobId], by: Shift) -> Shift {
    let first = jobs.iter().map(|job| scenario.jobs[job.index()].arrival).min().unwrap_or_default();
    Shift(by.0.max(-(first.0 as i64)))
}

/// The way over lanes, or as much of it as leaves every job on one.
fn within_lanes(scenario: &Scenario, jobs: &[JobId], lanes: i32) -> i32 {
    let users = || jobs.iter().map(|job| scenario.jobs[job.index()].user.0 as i32);
    let up = users().min().unwrap_or(0);
    let down = scenario.users.len() as i32 - 1 - users().max().unwrap_or(0);
    lanes.clamp(-up, down)
}

/// An arrival after a shift that [`within_time`] allows.
fn shifted(arrival: Time, by: Shift, job: usize) -> Result<Time, ScenarioError> {
    let path = || format!("jobs[{job}].arrival_s");
    kept(arrival.0.saturating_add_signed(by.0), path).map(Time)
}

pub(super) fn with_curve(
    mut after: Scenario,
    job: JobId,
    curve: Option<&PerformanceCurve>,
) -> Result<Edited, ScenarioError> {
    after.check_job(job)?;
    after.jobs[job.index()].curve = curve.cloned();
    Ok(Edited::new(after).about_jobs(vec![job]))
}

pub(super) fn add(
    mut after: Scenario,
    kind: JobTemplate,
    user: UserId,
    arrival: Time,
) -> Result<Edited, ScenarioError> {
    after.check_user(user)?;
    let job = JobId(after.jobs.len() as u32);
    let arrival = Time(kept(arrival.0, || format!("jobs[{}].arrival_s", job.0))?);
    let stages = palette::stages(kind, &after.cluster);
    let name = after.free_job_name(kind.name());
    after.jobs.push(Job { name, ..Job::new(user, arrival, stages) });
    Ok(Edited::new(after).about_jobs(vec![job]))
}

pub(super) fn duplicate(mut after: Scenario, jobs: &[JobId], by: Shift) -> Result<Edited, ScenarioError> {
    let jobs = each_once(&after, jobs)?;
    let by = within_time(&after, &jobs, by);
    let first = after.jobs.len();
    let mut copies = Vec::with_capacity(jobs.len());
    for &job in &jobs {
        let index = after.jobs.len();
        let original = &after.jobs[job.index()];
        let name = match original.name.as_str() {
            "" => String::new(),
            name => after.free_job_name(name),
        };
        // A copy follows the copy of what the original follows.
        let before = original.after.and_then(|before| {
            let copied = jobs.binary_search(&before.job).ok()?;
            Some(Predecessor { job: JobId((first + copied) as u32), ..before })
        });
        let copy =
            Job { name, arrival: shifted(original.arrival, by, index)?, after: before, ..original.clone() };
        copies.push(JobId(index as u32));
        after.jobs.push(copy);
    }
    Ok(Edited::new(after).about_jobs(copies))
}

pub(super) fn delete(after: Scenario, jobs: &[JobId]) -> Result<Edited, ScenarioError> {
    let jobs = each_once(&after, jobs)?;
    ensure!(
        jobs.len() != after.jobs.len(),
        "jobs",
        "a scenario needs at least one job; add another one before you delete the last",
    );
    let mut removed = vec![false; after.jobs.len()];
    jobs.iter().for_each(|job| removed[job.index()] = true);
    Ok(without_jobs(after, &removed))
}

/// The scenario without some jobs; the others move up. Who waited for one of them waits for what that one waited for.
pub(super) fn without_jobs(mut after: Scenario, removed: &[bool]) -> Edited {
    let mut next = 0..;
    let jobs_now: Vec<Option<u32>> =
        removed.iter().map(|&removed| if removed { None } else { next.next() }).collect();
    let predecessors: Vec<_> = after.jobs.iter().map(|job| job.after).collect();
    for job in &mut after.jobs {
        while let Some(before) = job.after.filter(|before| removed[before.job.index()]) {
            job.after = predecessors[before.job.index()];
        }
        if let Some(before) = &mut job.after {
            before.job = JobId(jobs_now[before.job.index()].expect("it is not removed"));
        }
    }
    let mut removed = removed.iter();
    after.jobs.retain(|_| removed.next() == Some(&false));
    Edited { jobs_now: Some(jobs_now), ..Edited::new(after) }
}

/// A name and what separates a number after it: `nightly` for `nightly 2`, `ana` and `-` for `ana-1`.
fn without_number(name: &str) -> (&str, &str) {
    let base = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    match base.len() < name.len() {
        true if base.ends_with(['-', ' ', '_']) && base.len() > 1 => base.split_at(base.len() - 1),
        _ => (name, "-"),
    }
}

impl Scenario {
    /// A name that no job has: the name itself, else the next number of its series: `ana-3` where there are `ana-1` and
    /// `ana-2`, `report-2` beside `report`.
    fn free_job_name(&self, name: &str) -> String {
        // Only looked up, never iterated.
        let used: std::collections::HashSet<&str> = self.jobs.iter().map(|job| job.name.as_str()).collect();
        let (base, separator) = without_number(name);
        let numbered = (2_u32..).map(|number| format!("{base}{separator}{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        names.find(|name| !used.contains(name.as_str())).expect("there are more numbers than jobs")
    }
}
