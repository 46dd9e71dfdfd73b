//! Sweeps: the same jobs simulated at several values of one number of the scenario. No browser types: tested
//! natively.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::order;
use crate::policy::PolicyId;
use crate::scenario::{Mode, Partitioning, Scenario};
use crate::units::Span;

/// Most tasks that a sweep simulates at a point: some tenths of a second of a worker's time.
const MOST_TASKS: u64 = 300_000;
/// How far from the scenario's own advisory task runtime a sweep goes, as a factor in either direction.
const ATR_REACH: f64 = 20.0;
/// How far estimates are off, in thousandths of a factor.
const ERRORS: [u32; 9] = [1_000, 1_500, 2_000, 3_000, 4_000, 6_000, 8_000, 12_000, 16_000];

/// One value of the number that is swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub enum Setting {
    /// The advisory task runtime.
    AdvisoryTaskRuntime(Span),
    /// Estimates are off by up to this factor in either direction.
    EstimateError {
        /// The factor, in thousandths; at least 1000.
        thousandths: u32,
        /// Seed of the random numbers.
        seed: u64,
    },
}

/// One simulation of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SweepPoint {
    /// The value.
    pub setting: Setting,
    /// The policy.
    pub policy: PolicyId,
}

/// Mean response times in seconds, as far as they are known; or why there is none.
pub type Means = BTreeMap<SweepPoint, Result<f64, String>>;

impl Setting {
    /// Its position on the axis: seconds, or a factor.
    pub fn value(self) -> f64 {
        match self {
            Setting::AdvisoryTaskRuntime(atr) => atr.seconds(),
            Setting::EstimateError { thousandths, .. } => f64::from(thousandths) / 1000.0,
        }
    }

    /// The scenario with this setting, for a policy of a partitioning.
    ///
    /// # Errors
    /// What is wrong with the setting, or that it makes more tasks than a sweep simulates.
    pub fn apply(self, scenario: &Scenario, mode: Mode) -> Result<Scenario, String> {
        let varied = match self {
            Setting::AdvisoryTaskRuntime(atr) => scenario.with_advisory_task_runtime(atr),
            Setting::EstimateError { seed, .. } => scenario.with_estimate_error(self.value(), seed),
        };
        let varied = varied.map_err(|error| error.to_string())?;
        let tasks = tasks(&varied, mode, varied.partitioning());
        if tasks > most_tasks(scenario, mode) {
            return Err(format!(
                "the work would be cut into {tasks} tasks; the limit of a sweep is {MOST_TASKS}"
            ));
        }
        Ok(varied)
    }
}

/// How many tasks a scenario would have under a partitioning.
fn tasks(scenario: &Scenario, mode: Mode, partitioning: &Partitioning) -> u64 {
    let stages = scenario.jobs().iter().flat_map(|job| &job.stages);
    stages.map(|stage| partitioning.task_count(stage, mode)).sum()
}

/// Most tasks of a point; a scenario that has more already may keep them.
fn most_tasks(scenario: &Scenario, mode: Mode) -> u64 {
    MOST_TASKS.max(tasks(scenario, mode, scenario.partitioning()))
}

/// The advisory task runtimes of a sweep, ascending: 1, 2 and 5 times powers of ten around the
/// scenario's own, and that one itself. Those that would cut the work into too many tasks are left out.
pub fn advisory_task_runtimes(scenario: &Scenario) -> Vec<Setting> {
    let own = scenario.partitioning().advisory_task_runtime;
    let reach = (own.0 as f64 / ATR_REACH, own.0 as f64 * ATR_REACH);
    let powers = (0..16).map(|power| 10_u64.pow(power));
    let round = powers.flat_map(|power| [power, 2 * power, 5 * power]);
    let mut all: Vec<u64> = round.filter(|&atr| (reach.0..=reach.1).contains(&(atr as f64))).collect();
    all.push(own.0);
    order::sort(&mut all);
    all.dedup();
    let most = most_tasks(scenario, Mode::Runtime);
    all.retain(|&atr| {
        let advisory_task_runtime = Span(atr);
        let partitioning = Partitioning { advisory_task_runtime, ..scenario.partitioning().clone() };
        tasks(scenario, Mode::Runtime, &partitioning) <= most
    });
    all.into_iter().map(|atr| Setting::AdvisoryTaskRuntime(Span(atr))).collect()
}

/// The errors of a sweep over the estimates, ascending from none.
pub fn estimate_errors(seed: u64) -> Vec<Setting> {
    ERRORS.into_iter().map(|thousandths| Setting::EstimateError { thousandths, seed }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;

    #[test]
    fn runtimes_are_round_but_for_the_scenarios_own() {
        let scenario = catalog::find("skew").expect("an entry").scenario();
        let scenario = scenario.with_advisory_task_runtime(Span(300_000)).expect("a good runtime");
        let values: Vec<f64> = advisory_task_runtimes(&scenario).into_iter().map(Setting::value).collect();
        assert_eq!(values, [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0]);
    }

    #[test]
    fn too_fine_a_cut_is_refused_with_the_figures() {
        let scenario = catalog::find("paper-scenario-1").expect("an entry").scenario();
        let fine = Setting::AdvisoryTaskRuntime(Span(10_000));
        let refused = fine.apply(&scenario, Mode::Runtime).expect_err("too many tasks");
        assert!(refused.ends_with("tasks; the limit of a sweep is 300000"), "{refused}");
        assert!(fine.apply(&scenario, Mode::Default).is_ok(), "it does not touch default partitioning");
        let none = Setting::AdvisoryTaskRuntime(Span(0));
        assert!(none.apply(&scenario, Mode::Runtime).is_err());
        assert!(advisory_task_runtimes(&scenario).len() > 3);
    }

    #[test]
    fn no_error_is_the_scenario_itself() {
        let scenario = catalog::find("two-users").expect("an entry").scenario();
        let settings = estimate_errors(3);
        assert_eq!(settings[0].apply(&scenario, Mode::Default).as_ref(), Ok(&scenario));
        let off = settings[4].apply(&scenario, Mode::Default).expect("a good setting");
        assert_eq!(Ok(off), scenario.with_estimate_error(4.0, 3).map_err(|error| error.to_string()));
    }
}
