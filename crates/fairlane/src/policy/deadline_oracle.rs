//! The deadline oracle: a job is admitted only with the fewest cores that meet its deadline, which the oracle knows
//! because it simulates the job alone (the optimum in Justice's evaluation).
//!
//! ```
//! use fairlane::{Scenario, simulate};
//! let scenario = Scenario::from_json(r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 4 }, "jobs": [
//!     { "user": "ana", "arrival_s": 0, "deadline_s": 2, "stages": [{ "tasks_s": [1, 1, 1] }] },
//!     { "user": "ben", "arrival_s": 0, "deadline_s": 2, "stages": [{ "tasks_s": [1, 1, 1] }] } ] }"#)?;
//! let trace = simulate(&scenario, "deadline-oracle".parse()?);
//! assert!(trace.jobs.iter().all(|job| job.response().is_some_and(|response| response.seconds() == 2.0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::ops::RangeInclusive;

use super::explain::{KeyComponent, Value};
use super::gate::{EndedJob, Gated, Requests, WaitingJob};
use super::{Context, Idling, Info, KeyOrder, Outcomes, PolicyGroup, PolicyKind, RankedFrom, View};
use crate::ids::Rank;
use crate::scenario::Stage;
use crate::scenario::parameter::declared;
use crate::units::Span;

/// What readers should know of the deadline oracle.
pub const INFO: Info = Info {
    id: "deadline-oracle",
    title: "Deadline oracle",
    source: "Justice paper",
    summary: "A job starts only with the fewest cores that meet its deadline, which the oracle knows.",
    key: "rank of arrival, running tasks of the stage, stage id, below the job's allocation",
    group: PolicyGroup::Deadlines,
    look: 13,
    shared: &[declared::DEADLINES],
    idling: Idling::OnPurpose,
    outcomes: Outcomes::Any,
    order: KeyOrder::EachLaunch,
    targets: true,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// Admission by simulation.
pub type DeadlineOracle = Gated<Oracle>;

/// What the oracle has found out.
#[derive(Clone, Debug)]
pub struct Oracle {
    /// By rank: what is known of each job, once it has asked.
    jobs: Vec<Option<OracleJob>>,
}

/// What the oracle knows of a job that waits. As time passes fewer numbers of cores are enough, so that it only looks
/// at greater ones.
#[derive(Clone, Debug)]
struct OracleJob {
    /// Core time that its tasks hold at the least, wherever and whenever they run.
    work: u64,
    /// The fewest cores that may still be enough.
    cores: u32,
    /// The response with these; `None` if it has not been simulated or does not end.
    response: Option<Span>,
}

impl Oracle {
    fn known(&mut self, rank: Rank, view: &View) -> &mut OracleJob {
        self.jobs[rank.index()].get_or_insert_with(|| {
            let job = view.job(rank);
            let overhead = view.scenario().cluster().task_overhead;
            let work = job.stages().map(|stage| {
                let durations = stage.spec().input.durations(u64::from(stage.tasks()));
                let factor = least_factor(stage.spec(), job.spec().warm_factor);
                durations
                    .into_iter()
                    .map(|span| (span.0 as f64 * factor).floor() as u64 + overhead.0)
                    .sum::<u64>()
            });
            OracleJob { work: work.sum(), cores: 0, response: None }
        })
    }
}

/// The first of some numbers whose answer is enough, and that answer; all after it are enough, too. Asks for O(log n)
/// answers, n being how far it is from the start.
fn first_by_halves<T>(
    numbers: RangeInclusive<u32>,
    answer: impl Fn(u32) -> T,
    is_enough: impl Fn(&T) -> bool,
) -> Option<(u32, T)> {
    let (mut first, last) = numbers.into_inner();
    let (mut step, mut found) = (1, None);
    while first <= last && found.is_none() {
        let at = last.min(first.saturating_add(step - 1));
        let answer = answer(at);
        match is_enough(&answer) {
            true => found = Some((at, answer)),
            false => (first, step) = (at + 1, step.saturating_mul(2)),
        }
    }
    let mut found = found?;
    while first < found.0 {
        let middle = first + (found.0 - first) / 2;
        let answer = answer(middle);
        match is_enough(&answer) {
            true => found = (middle, answer),
            false => first = middle + 1,
        }
    }
    Some(found)
}

/// A factor that no task of a stage is below (docs/model.md section 8).
fn least_factor(stage: &Stage, warm_factor: f64) -> f64 {
    let inflation = stage.inflation.iter().map(|&(_, factor)| factor).reduce(f64::min).unwrap_or(1.0);
    // A little less, because factors are rounded.
    inflation * stage.first_wave.min(1.0) / warm_factor * (1.0 - 1e-9)
}

impl Requests for Oracle {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        Oracle { jobs: vec![None; context.jobs()] }
    }

    fn cores(&mut self, WaitingJob { rank, left, most, .. }: WaitingJob, view: &View) -> Option<f64> {
        let known = self.known(rank, view);
        if known.cores <= most && known.response.is_none_or(|response| response > left) {
            let policy = PolicyKind::BaselineFs;
            let least = known.work.div_ceil(left.0).min(u64::from(u32::MAX)) as u32;
            let respond = |cores| view.response_alone(rank, policy, Some(cores));
            let is_enough = |response: &Option<Span>| response.is_some_and(|response| response <= left);
            let numbers = least.max(known.cores + 1)..=most;
            let fewest = match view.gains_by_cores(rank, policy) {
                true => first_by_halves(numbers, respond, is_enough),
                false => {
                    numbers.map(|cores| (cores, respond(cores))).find(|(_, response)| is_enough(response))
                }
            };
            (known.cores, known.response) = fewest.unwrap_or((most + 1, None));
        }
        let (cores, response) = (known.cores, known.response);
        let is_enough = response.is_some_and(|response| response <= left);
        if !is_enough {
            self.jobs[rank.index()] = None;
        }
        is_enough.then_some(f64::from(cores))
    }

    fn steps(&self, job: WaitingJob) -> Vec<KeyComponent> {
        let response = self.jobs[job.rank.index()].as_ref().and_then(|known| known.response);
        let seconds = response.map_or(f64::INFINITY, |response| response.0 as f64);
        vec![KeyComponent::new("response alone with that many cores", Value::Seconds(seconds))]
    }

    fn job_ended(&mut self, job: EndedJob, _: &View) {
        self.jobs[job.rank.index()] = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number_is_that_of_a_search() {
        for first in 0..20 {
            for last in 0..20 {
                for threshold in 0..24 {
                    let found =
                        first_by_halves(first..=last, |number| 2 * number, |&answer| answer >= 2 * threshold);
                    let expected = (first..=last).find(|&number| number >= threshold);
                    assert_eq!(
                        found,
                        expected.map(|number| (number, 2 * number)),
                        "{first}..={last}, {threshold}"
                    );
                }
            }
        }
    }
}
