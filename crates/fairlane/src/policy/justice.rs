//! Justice: a job is admitted only with the cores that it is estimated to need for its deadline, from how much of their
//! cores the jobs before it needed (Justice, its paper's Algorithm 1).
//!
//! ```
//! use fairlane::trace::Outcome;
//! use fairlane::{Scenario, simulate};
//! let scenario = Scenario::from_json(r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 2 }, "jobs": [
//!     { "user": "ana", "arrival_s": 0, "deadline_s": 2, "stages": [{ "tasks_s": [1, 1] }] },
//!     { "user": "ben", "arrival_s": 0, "deadline_s": 1, "stages": [{ "tasks_s": [1, 1] }] } ] }"#)?;
//! let trace = simulate(&scenario, "justice".parse()?);
//! // The first job gets all that it can use, so that there is nothing left for the second, until it is too late.
//! assert!(trace.jobs[0].finish().is_some());
//! assert!(matches!(trace.jobs[1].outcome, Outcome::Dropped(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::explain::{KeyComponent, Value};
use super::gate::{EndedJob, Gated, Requests, WaitingJob};
use super::{Context, Idling, Info, KeyOrder, Outcomes, PolicyGroup, RankedFrom, View};
use crate::scenario::parameter::declared;

/// What readers should know of Justice.
pub const INFO: Info = Info {
    id: "justice",
    title: "Justice",
    source: "Justice paper",
    summary: "A job starts only with the cores that former jobs suggest it needs, and keeps them.",
    key: "rank of arrival, running tasks of the stage, stage id, below the job's allocation",
    group: PolicyGroup::Deadlines,
    look: 14,
    parameters: declared::JUSTICE.parameters,
    shared: &[declared::DEADLINES],
    idling: Idling::OnPurpose,
    outcomes: Outcomes::Any,
    order: KeyOrder::EachLaunch,
    targets: true,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// Admission by the fraction of their most cores that former jobs needed.
pub type Justice = Gated<JusticeHistory>;

/// What former jobs needed.
#[derive(Clone, Debug)]
pub struct JusticeHistory {
    bootstrap_jobs: u64,
    smoothing: Option<f64>,
    kill_above_tasks: u32,
    /// Jobs tracked so far.
    tracked: u64,
    /// The least and the greatest rate: the fraction of its most cores that a job needed.
    rates: (f64, f64),
    /// The fraction that the last job was given, and whether it met its deadline.
    last: (f64, bool),
    /// Sum of the errors, or their smoothed mean.
    errors: f64,
}

/// How many cores a job needs, and how that was found.
struct Estimate {
    average: f64,
    correction: f64,
    clamped: f64,
    fraction: f64,
    cores: f64,
}

impl JusticeHistory {
    /// `None` until enough jobs have ended.
    fn estimate(&self, WaitingJob { deadline, left, most, .. }: WaitingJob) -> Option<Estimate> {
        if self.tracked <= self.bootstrap_jobs {
            return None;
        }
        let (last, succeeded) = self.last;
        let (least, greatest) = self.rates;
        let average = (last + if succeeded { least } else { greatest }) / 2.0;
        let correction = self.correction();
        let clamped = (average + correction).min(1.0).max(least);
        let fraction = deadline.0 as f64 / left.0 as f64 * clamped;
        let cores = (fraction * f64::from(most)).ceil().max(1.0);
        Some(Estimate { average, correction, clamped, fraction, cores })
    }

    fn correction(&self) -> f64 {
        match self.smoothing {
            Some(_) => self.errors,
            None => self.errors / self.tracked as f64,
        }
    }
}

impl Requests for JusticeHistory {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        JusticeHistory {
            bootstrap_jobs: context.number(&INFO, "bootstrap_jobs") as u64,
            smoothing: context.optional_number(&INFO, "smoothing"),
            kill_above_tasks: context.number(&INFO, "kill_above_tasks") as u32,
            tracked: 0,
            rates: (f64::INFINITY, f64::NEG_INFINITY),
            last: (0.0, false),
            errors: 0.0,
        }
    }

    fn cores(&mut self, job: WaitingJob, _: &View) -> Option<f64> {
        Some(self.estimate(job).map_or(f64::from(job.most), |estimate| estimate.cores))
    }

    fn steps(&self, job: WaitingJob) -> Vec<KeyComponent> {
        let Some(estimate) = self.estimate(job) else {
            return vec![KeyComponent::new(
                "estimate",
                Value::Text("none yet: too few jobs have ended".into()),
            )];
        };
        vec![
            KeyComponent::new(
                "fraction of the last and the least or greatest job",
                Value::Share(estimate.average),
            ),
            KeyComponent::new("correction by former errors", Value::Share(estimate.correction)),
            KeyComponent::new("fraction, corrected and clamped", Value::Share(estimate.clamped)),
            KeyComponent::new("fraction for the time left", Value::Share(estimate.fraction)),
        ]
    }

    fn job_ended(&mut self, EndedJob { rank, deadline, most, allocation, succeeded }: EndedJob, view: &View) {
        let (spent, most) = (view.job(rank).attained().0 as f64, f64::from(most));
        let rate = (spent / deadline.0 as f64 / most).min(1.0);
        let last = f64::from(allocation) / most;
        let error = rate - last;
        self.errors = match self.smoothing {
            Some(_) if self.tracked == 0 => error,
            Some(b) => b * error + (1.0 - b) * self.errors,
            None => self.errors + error,
        };
        self.rates = (self.rates.0.min(rate), self.rates.1.max(rate));
        self.last = (last, succeeded);
        self.tracked += 1;
    }

    fn drops_late(&self, parallelism: u32) -> bool {
        parallelism > self.kill_above_tasks
    }
}
