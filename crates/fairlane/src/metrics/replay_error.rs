//! How far a simulation is from what a cluster did.

use serde::{Deserialize, Serialize};

use crate::number::percent;
use crate::scenario::Scenario;
use crate::trace::JobRun;

/// How far simulated response times are from observed ones, over the jobs that have both.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayError {
    /// Error of a job's response time relative to the observed one, without its sign: the mean over the jobs.
    pub mean: f64,
    /// The median of the same; the mean of the two in the middle of an even number of jobs.
    pub median: f64,
    /// Error of the mean response time relative to the observed one; negative if the simulation is too fast.
    pub bias: f64,
}

impl ReplayError {
    /// The largest mean error at which a simulation says something about the cluster.
    pub const TOLERANCE: f64 = 0.15;

    /// What a scenario says of the log that it is from: its mean error alone, which stands for the median as well.
    pub fn of_scenario(scenario: &Scenario) -> Option<ReplayError> {
        let mean = scenario.log_error()?;
        Some(ReplayError { mean, median: mean, bias: 0.0 })
    }

    /// How sure an answer is that begins with this simulation, in a sentence.
    pub fn sentence(&self) -> String {
        let error = percent(self.mean, 1);
        match self.is_tolerable() {
            true => format!(
                "From a log: the simulation of its own scheduler is off by {error} of a job's response time; a change \
                 that is smaller is within the noise."
            ),
            false => format!(
                "No verdict: from a log, and the simulation of its own scheduler is off by {error} of a job's response \
                 time, too far for an answer about another policy or cluster."
            ),
        }
    }

    /// Whether the simulation is near enough to what happened to predict other schedules.
    pub fn is_tolerable(&self) -> bool {
        self.mean <= ReplayError::TOLERANCE
    }

    /// Whether a change of a response time, in seconds, from `before` in this simulation to `after` in another one is
    /// smaller than the error, so that it says nothing.
    pub fn hides(&self, before: f64, after: f64) -> bool {
        (after - before).abs() < self.mean * before
    }
}

/// Compares simulated jobs with the same jobs as they were observed; `None` if no job has a response time in both.
pub fn replay_error(observed: &[JobRun], simulated: &[JobRun]) -> Option<ReplayError> {
    let pairs = observed.iter().zip(simulated).filter_map(|(observed, simulated)| {
        let observed = observed.response().filter(|response| response.0 > 0)?;
        Some((observed.seconds(), simulated.response()?.seconds()))
    });
    let pairs: Vec<(f64, f64)> = pairs.collect();
    let mut errors: Vec<f64> =
        pairs.iter().map(|(observed, simulated)| (simulated / observed - 1.0).abs()).collect();
    errors.sort_by(f64::total_cmp);
    let median = errors.get(errors.len().checked_sub(1)? / 2)?.midpoint(errors[errors.len() / 2]);
    let observed: f64 = pairs.iter().map(|pair| pair.0).sum();
    let simulated: f64 = pairs.iter().map(|pair| pair.1).sum();
    Some(ReplayError {
        mean: errors.iter().sum::<f64>() / errors.len() as f64,
        median,
        bias: simulated / observed - 1.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_below_the_error_are_hidden() {
        let error = ReplayError { mean: 0.1, median: 0.1, bias: 0.0 };
        assert!(error.hides(10.0, 10.9) && error.hides(10.0, 9.1) && error.hides(10.0, 10.0));
        assert!(!error.hides(10.0, 11.1) && !error.hides(10.0, 8.9));
        let exact = ReplayError { mean: 0.0, median: 0.0, bias: 0.0 };
        assert!(!exact.hides(10.0, 10.0));
    }
    use crate::{catalog, simulate};

    #[test]
    fn errors_are_relative_to_what_was_observed() {
        let scenario = catalog::find("two-users").expect("an entry").scenario();
        let [fifo, uwfq] =
            ["fifo", "uwfq"].map(|policy| simulate(&scenario, policy.parse().expect("a policy")));
        let same = ReplayError { mean: 0.0, median: 0.0, bias: 0.0 };
        assert_eq!(replay_error(&fifo.jobs, &fifo.jobs), Some(same));
        let other = replay_error(&fifo.jobs, &uwfq.jobs).expect("jobs");
        assert!(other.mean > other.bias.abs() && !other.is_tolerable(), "{other:?}");
        assert_eq!(replay_error(&[], &[]), None);
    }
}
