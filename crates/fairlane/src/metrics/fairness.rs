//! How far a schedule is from a fair one, job by job: the deadline violation ratio (DVR), the
//! deadline slack ratio (DSR) and their counts (UWFQ paper 5.1.1, equations 1 to 3; docs/model.md section 5).
//!
//! The finish time of a job in the fair schedule is its deadline. There are two fair schedules to
//! measure against: practical UJF with the same partitioning, which is what the paper does, and
//! the exact fluid UJF, which no real scheduler can reach.

use serde::{Deserialize, Serialize};

use super::response::{ResponseGroup, groups};
use super::{mean_by, mean_of};
use crate::engine;
use crate::fluid;
use crate::policy::{PolicyId, PolicyKind};
use crate::scenario::{PartitionMode, Scenario};
use crate::trace::JobRun;
use crate::units::Time;

/// A schedule that others are measured against, by index in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReferenceSchedule {
    /// When each job finishes, in µs since the scenario's start.
    pub finishes: Vec<f64>,
    /// Each job's response time, in µs.
    pub responses: Vec<f64>,
}

impl ReferenceSchedule {
    /// A schedule of a scenario's jobs, of which only the finish times are known, in µs.
    pub fn new(scenario: &Scenario, finishes: Vec<f64>) -> ReferenceSchedule {
        let responses =
            finishes.iter().zip(scenario.jobs()).map(|(finish, job)| finish - job.arrival.0 as f64);
        ReferenceSchedule { responses: responses.collect(), finishes }
    }

    /// A schedule that was simulated, in which every job finished.
    pub fn from_jobs(jobs: &[JobRun]) -> ReferenceSchedule {
        ReferenceSchedule {
            finishes: jobs.iter().map(|job| job.end().0 as f64).collect(),
            responses: jobs.iter().map(|job| job.end().since(job.arrival).0 as f64).collect(),
        }
    }

    /// Practical UJF with this partitioning, which is simulated for it.
    pub fn practical_ujf(scenario: &Scenario, partitioning: PartitionMode) -> ReferenceSchedule {
        ReferenceSchedule::from_jobs(
            &engine::simulate(scenario, PolicyId { kind: PolicyKind::Ujf, partitioning }).jobs,
        )
    }

    /// The fluid UJF of [`fluid::finish_times`].
    pub fn fluid_ujf(scenario: &Scenario) -> ReferenceSchedule {
        ReferenceSchedule::new(scenario, fluid::finish_times(scenario))
    }

    /// When each job arrives and finishes, in µs.
    pub fn spans(&self) -> impl Iterator<Item = (f64, f64)> {
        self.finishes.iter().zip(&self.responses).map(|(finish, response)| (finish - response, *finish))
    }

    /// How much later than here a job finishes, in µs; negative if earlier.
    ///
    /// A fluid finish time is a fraction that carries the rounding of f64: differences of less than a
    /// thousandth of a microsecond, or of 10^-12 of the finish time if that is more, are none.
    pub fn delay(&self, job: usize, finish: Time) -> f64 {
        let finish = finish.0 as f64;
        let delay = finish - self.finishes[job];
        if delay.abs() <= (finish * 1e-12).max(1e-3) { 0.0 } else { delay }
    }
}

/// A job's proportional delay r, a ratio (UWFQ paper, equation 1): how much later it finishes than
/// under the reference over its response time there; negative if it finishes earlier. `delay` and
/// `reference_response` in the same unit.
///
/// A job that takes no time at all under the reference has 0 if it finishes no later, and otherwise
/// none: nothing can be said in proportion to nothing.
pub fn relative_delay(delay: f64, reference_response: f64) -> Option<f64> {
    if reference_response > 0.0 { Some(delay / reference_response) } else { (delay <= 0.0).then_some(0.0) }
}

/// Each job's proportional delay r by index in the file, a ratio; see [`relative_delay`]. A job that did not finish has
/// none.
pub fn relative_delays(jobs: &[JobRun], reference: &ReferenceSchedule) -> Vec<Option<f64>> {
    let delay = |(index, job): (usize, &JobRun)| {
        relative_delay(reference.delay(index, job.finish()?), reference.responses[index])
    };
    jobs.iter().enumerate().map(delay).collect()
}

/// Violations and slacks among some jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Deviation {
    /// Deadline violation ratio: mean of r over the jobs with r > 0 (paper, equation 2, which prints
    /// "> 1" under its sum where its figures use 0). `None` without violations.
    pub dvr: Option<f64>,
    /// How many jobs have r > 0.
    pub violations: usize,
    /// Deadline slack ratio: mean of -r over the jobs with r <= 0 (paper, equation 3). `None` without
    /// slacks.
    pub dsr: Option<f64>,
    /// How many jobs have r <= 0. A job that finishes just when it does under the reference counts
    /// here.
    pub slacks: usize,
    /// How many jobs have no r: those that did not finish, and see [`relative_delay`]. They are in neither count.
    pub unrated: usize,
}

impl Deviation {
    /// The deviation that some jobs' proportional delays make.
    pub fn from_delays(delays: impl IntoIterator<Item = Option<f64>>) -> Deviation {
        let (mut late, mut early, mut unrated) = (Vec::new(), Vec::new(), 0);
        for delay in delays {
            match delay {
                Some(delay) if delay > 0.0 => late.push(delay),
                // From 0 and not by the sign alone: there shall be no -0.
                Some(delay) => early.push(0.0 - delay),
                None => unrated += 1,
            }
        }
        Deviation {
            violations: late.len(),
            slacks: early.len(),
            dvr: mean_of(late),
            dsr: mean_of(early),
            unrated,
        }
    }
}

/// A schedule measured against a reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fairness {
    /// What it is measured against.
    pub reference: ReferenceSchedule,
    /// Each job's proportional delay r, by index in the file, a ratio.
    pub delays: Vec<Option<f64>>,
    /// Over all jobs.
    pub overall: Deviation,
    /// Over each user's jobs.
    pub by_user: Vec<Deviation>,
    /// Over the jobs of each group by response time, in the order of [`ResponseGroup::ALL`].
    pub by_group: [Deviation; 3],
    /// Each user's proportional delay, a ratio: mean response time less that under the reference, over
    /// that under the reference (UWFQ paper 5.3.1, Figure 7), both of the jobs that finished. `None` for a user
    /// without.
    pub user_delays: Vec<Option<f64>>,
    /// Violations and slacks among the users themselves, from `user_delays`.
    pub among_users: Deviation,
}

impl Fairness {
    /// Measures a schedule of the jobs of `users` users.
    pub fn new(jobs: &[JobRun], users: usize, reference: ReferenceSchedule) -> Fairness {
        let delays = relative_delays(jobs, &reference);
        let mut delays_by_user = vec![Vec::new(); users];
        for (job, &delay) in jobs.iter().zip(&delays) {
            delays_by_user[job.user.index()].push(delay);
        }
        let groups = groups(jobs);
        let in_group = |group: ResponseGroup| {
            let delays = groups.iter().zip(&delays).filter(move |(other, _)| **other == Some(group));
            Deviation::from_delays(delays.map(|(_, &delay)| delay))
        };
        let user_delays = user_delays(jobs, users, &reference);
        Fairness {
            overall: Deviation::from_delays(delays.iter().copied()),
            by_user: delays_by_user.into_iter().map(Deviation::from_delays).collect(),
            by_group: ResponseGroup::ALL.map(in_group),
            among_users: Deviation::from_delays(user_delays.iter().copied().filter(Option::is_some)),
            user_delays,
            delays,
            reference,
        }
    }
}

/// Each user's proportional delay; see [`Fairness::user_delays`].
fn user_delays(jobs: &[JobRun], users: usize, reference: &ReferenceSchedule) -> Vec<Option<f64>> {
    // Jobs arrive when they do under the reference, so that delays differ as response times do.
    let finished = || jobs.iter().enumerate().filter_map(|(index, job)| Some((index, job, job.finish()?)));
    let delays = finished().map(|(index, job, at)| (job.user.index(), reference.delay(index, at)));
    let responses = finished().map(|(index, job, _)| (job.user.index(), reference.responses[index]));
    let means = mean_by(users, delays).into_iter().zip(mean_by(users, responses));
    means.map(|(delay, response)| relative_delay(delay?, response?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    #[test]
    fn ratios_of_nothing() {
        assert_eq!(relative_delay(3.0, 4.0), Some(0.75));
        assert_eq!(relative_delay(-3.0, 4.0), Some(-0.75));
        assert_eq!(relative_delay(0.0, 0.0), Some(0.0));
        assert_eq!(relative_delay(1.0, 0.0), None);
    }

    /// Violations of 2 and 1, slacks of 0.5 and 0, one job without a ratio.
    #[test]
    fn counts_and_means_by_hand() {
        let deviation = Deviation::from_delays([Some(2.0), Some(-0.5), None, Some(0.0), Some(1.0)]);
        let expected = Deviation { dvr: Some(1.5), violations: 2, dsr: Some(0.25), slacks: 2, unrated: 1 };
        assert_eq!(deviation, expected);
        assert_eq!(Deviation::from_delays([]), Deviation::default());
        assert_eq!(Deviation::from_delays([Some(0.0)]).dsr.map(f64::is_sign_positive), Some(true));
    }

    /// Thirds of a microsecond count, the rounding of f64 does not.
    #[test]
    fn rounding_is_no_violation() {
        let reference = |finish: f64| ReferenceSchedule { finishes: vec![finish], responses: vec![1.0] };
        assert_eq!(reference(1e6 - 1e-7).delay(0, Time(1_000_000)), 0.0);
        assert_eq!(reference(1e6 + 1e-7).delay(0, Time(1_000_000)), 0.0);
        assert!(reference(1e6 - 1.0 / 3.0).delay(0, Time(1_000_000)) > 0.3);
        // Ten years.
        assert_eq!(reference(3e14 + 1.0).delay(0, Time(300_000_000_000_000)), 0.0);
    }

    #[test]
    fn a_schedule_against_itself_has_only_slacks_of_nothing() {
        let scenario = crate::catalog::find("two-users").expect("an entry").scenario();
        let trace = crate::simulate(&scenario, "ujf-p".parse().expect("a policy"));
        assert!(trace.jobs.iter().all(|job| job.response() > Some(Span(0))));
        let reference = ReferenceSchedule::practical_ujf(&scenario, PartitionMode::Runtime);
        let fairness = Fairness::new(&trace.jobs, scenario.users().len(), reference);
        let jobs = trace.jobs.len();
        assert_eq!(fairness.overall, Deviation { dsr: Some(0.0), slacks: jobs, ..Deviation::default() });
        assert!(fairness.user_delays.iter().all(|delay| *delay == Some(0.0)));
    }
}
