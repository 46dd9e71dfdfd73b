//! What the machine-readable formats say of a simulation, the command's and the page's alike. Keys
//! are stable and carry their units; numbers have full precision.

use serde::{Deserialize, Serialize};

use crate::metrics::{Summary, slowdown};
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::units::Span;

/// A simulation with all that is told of it.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    /// What happened.
    pub trace: &'a Trace,
    /// Response time of each job alone, by place in the file.
    pub alone: &'a [Span],
    /// What it means to users.
    pub summary: &'a Summary,
}

/// One policy's figures.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Figures {
    /// As on the command line.
    pub policy: String,
    /// As `fairlane simulate --hash` prints it.
    pub trace_hash: String,
    /// Mean response time of all jobs.
    pub mean_response_s: f64,
    /// Mean of the worst tenth of response times.
    pub worst_10_percent_response_s: f64,
    /// Mean slowdown, a ratio.
    pub mean_slowdown: f64,
    /// From 0 to the end of the last task.
    pub makespan_s: f64,
    /// Every user, in the scenario's order.
    pub users: Vec<UserFigures>,
}

/// One user under one policy.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct UserFigures {
    /// Name.
    pub user: String,
    /// Number of jobs.
    pub jobs: usize,
    /// `null` for a user without jobs.
    pub mean_response_s: Option<f64>,
}

impl Figures {
    /// The figures of a simulation.
    pub fn new(scenario: &Scenario, run: Measured) -> Figures {
        let Summary { mean_response, worst_decile, mean_slowdown, by_user, makespan, .. } = run.summary;
        let users = scenario.users.iter().zip(jobs_by_user(scenario)).zip(by_user);
        Figures {
            policy: run.trace.policy.to_string(),
            trace_hash: trace_hash(run.trace),
            mean_response_s: *mean_response,
            worst_10_percent_response_s: *worst_decile,
            mean_slowdown: *mean_slowdown,
            makespan_s: makespan.seconds(),
            users: users
                .map(|((user, jobs), &mean_response_s)| UserFigures {
                    user: user.name.clone(),
                    jobs,
                    mean_response_s,
                })
                .collect(),
        }
    }
}

impl Figures {
    /// The names of [`Figures::record`]'s fields.
    pub fn heading(scenario: &Scenario) -> Vec<String> {
        let fixed = [
            "policy",
            "trace_hash",
            "mean_response_s",
            "worst_10_percent_response_s",
            "mean_slowdown",
            "makespan_s",
        ];
        let users = scenario.users.iter().map(|user| format!("mean_response_s[{}]", user.name));
        fixed.into_iter().map(str::to_owned).chain(users).collect()
    }

    /// The figures as a line of a CSV file.
    pub fn record(&self) -> Vec<String> {
        let figures =
            [self.mean_response_s, self.worst_10_percent_response_s, self.mean_slowdown, self.makespan_s];
        let users =
            self.users.iter().map(|user| user.mean_response_s.map_or_else(String::new, |s| s.to_string()));
        let texts = [self.policy.clone(), self.trace_hash.clone()].into_iter();
        texts.chain(figures.map(|figure| figure.to_string())).chain(users).collect()
    }
}

/// One job under one policy.
#[derive(Debug, Serialize)]
pub struct JobFigures<'a> {
    /// Place in the file.
    pub job: usize,
    /// Who submits it.
    pub user: &'a str,
    /// Empty if the file gives none.
    pub name: &'a str,
    /// When it arrives.
    pub arrival_s: f64,
    /// When its last stage ends.
    pub finish_s: f64,
    /// From arrival to finish.
    pub response_s: f64,
    /// Response time alone on the idle cluster, same policy and partitioning.
    pub alone_s: f64,
    /// Response time over that alone, a ratio; `null` if the job takes time only in company.
    pub slowdown: Option<f64>,
}

/// Every job's figures, by place in the file.
pub fn job_figures<'a>(scenario: &'a Scenario, run: Measured<'a>) -> impl Iterator<Item = JobFigures<'a>> {
    let jobs = scenario.jobs.iter().zip(&run.trace.jobs).zip(run.alone).enumerate();
    jobs.map(|(place, ((job, job_run), &alone))| JobFigures {
        job: place,
        user: &scenario.users[job.user.index()].name,
        name: &job.name,
        arrival_s: job_run.arrival.seconds(),
        finish_s: job_run.finish.seconds(),
        response_s: job_run.response().seconds(),
        alone_s: alone.seconds(),
        slowdown: slowdown(job_run.response(), alone),
    })
}

/// The trace's hash as 16 hexadecimal digits.
pub fn trace_hash(trace: &Trace) -> String {
    format!("{:016x}", trace.hash())
}

/// How many jobs each user submits, by user.
pub fn jobs_by_user(scenario: &Scenario) -> Vec<usize> {
    let mut counts = vec![0; scenario.users.len()];
    for job in &scenario.jobs {
        counts[job.user.index()] += 1;
    }
    counts
}
