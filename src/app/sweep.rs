//! Sweeps: the same jobs simulated at several values of one number of the scenario. No browser types: tested
//! natively.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::order;
use crate::policy::PolicyId;
use crate::policy::parameters::ParameterKind;
use crate::scenario::{Mode, Partitioning, Scenario};
use crate::sweep::tune::{self, Knob};
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
    /// A number among the policy's parameters.
    Parameter {
        /// Its index among [`Knob::parameters`].
        index: u8,
        /// Its value, in thousandths.
        thousandths: i64,
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
            Setting::Parameter { thousandths, .. } => thousandths as f64 / 1000.0,
        }
    }

    /// The scenario with this setting, for a policy.
    ///
    /// # Errors
    /// What is wrong with the setting, or that it makes more tasks than a sweep simulates.
    pub fn apply(self, scenario: &Scenario, policy: PolicyId) -> Result<Scenario, String> {
        let mode = policy.partitioning;
        let varied = match self {
            Setting::Parameter { index, .. } => match Knob::parameters(policy).get(usize::from(index)) {
                Some(knob) => knob.apply(scenario, self.value()),
                None => return Err(format!("{policy} has no such parameter")),
            },
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

/// How far from its default a parameter is varied, in either direction, and in how many steps from end to end.
const PARAMETER_REACH: f64 = 2.0;
const PARAMETER_STEPS: f64 = 40.0;

/// The values of a sweep over a parameter of a policy, ascending: around its default in even steps, and the scenario's own.
pub fn parameter_values(scenario: &Scenario, policy: PolicyId, index: u8) -> Vec<Setting> {
    let knobs = Knob::parameters(policy);
    let Some(knob @ Knob::Parameter(_, parameter)) = knobs.get(usize::from(index)) else { return Vec::new() };
    let around = |default: f64, least: f64, most: f64, reach: f64| {
        ((default - reach).max(least), (default + reach).min(most))
    };
    let (from, to) = match parameter.kind {
        ParameterKind::Number { default, least, most } => around(default, least, most, PARAMETER_REACH),
        ParameterKind::OptionalNumber { least, most } => around(least, least, most, PARAMETER_REACH),
        ParameterKind::Whole { default, least, most } => {
            around(default.into(), least.into(), most.into(), PARAMETER_STEPS / 2.0)
        }
        ParameterKind::Seconds { default } => (0.0, (2.0 * default).max(10.0)),
        ParameterKind::Choice { .. } => return Vec::new(),
    };
    let step = match parameter.kind {
        ParameterKind::Whole { .. } => 1.0,
        _ => (to - from) / PARAMETER_STEPS,
    };
    let mut all: Vec<i64> = tune::values(from, to, step)
        .unwrap_or_default()
        .into_iter()
        .chain([knob.own(scenario)])
        .map(|value| (value * 1000.0).round() as i64)
        .collect();
    order::sort(&mut all);
    all.dedup();
    all.into_iter().map(|thousandths| Setting::Parameter { index, thousandths }).collect()
}

/// The best of some points of a sweep, the first of several: the one with the least mean response time.
pub fn best(means: &Means, points: impl Iterator<Item = SweepPoint>) -> Option<(SweepPoint, f64)> {
    let known = points.filter_map(|point| Some((point, *means.get(&point)?.as_ref().ok()?)));
    known.reduce(|best, other| if other.1 < best.1 { other } else { best })
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
        let [fair, fair_p] = ["fair", "fair-p"].map(|id| id.parse().expect("a policy"));
        let refused = fine.apply(&scenario, fair_p).expect_err("too many tasks");
        assert!(refused.ends_with("tasks; the limit of a sweep is 300000"), "{refused}");
        assert!(fine.apply(&scenario, fair).is_ok(), "it does not touch default partitioning");
        let none = Setting::AdvisoryTaskRuntime(Span(0));
        assert!(none.apply(&scenario, fair_p).is_err());
        assert!(advisory_task_runtimes(&scenario).len() > 3);
    }

    #[test]
    fn no_error_is_the_scenario_itself() {
        let scenario = catalog::find("two-users").expect("an entry").scenario();
        let settings = estimate_errors(3);
        let fair = "fair".parse().expect("a policy");
        assert_eq!(settings[0].apply(&scenario, fair).as_ref(), Ok(&scenario));
        let off = settings[4].apply(&scenario, fair).expect("a good setting");
        assert_eq!(Ok(off), scenario.with_estimate_error(4.0, 3).map_err(|error| error.to_string()));
    }

    #[test]
    fn parameters_vary_around_their_default_and_include_the_own_value() {
        let scenario = catalog::find("two-users").expect("an entry").scenario();
        let values = |policy: &str| -> Vec<f64> {
            let policy = policy.parse().expect("a policy");
            parameter_values(&scenario, policy, 0).into_iter().map(Setting::value).collect()
        };
        let wfair = values("wfair");
        assert_eq!((wfair.len(), wfair[0], wfair[1], wfair[20], wfair[40]), (41, -2.0, -1.9, 0.0, 2.0));
        let paf = values("paf");
        assert_eq!((paf.len(), paf[0], paf[36], paf[40]), (41, 0.0, 0.9, 1.0));
        assert!(values("fifo").is_empty());
        let policy: PolicyId = "wfair".parse().expect("a policy");
        let own = Knob::parameters(policy)[0].apply(&scenario, 0.55).expect("a good value");
        let all = parameter_values(&own, policy, 0);
        assert_eq!((all.len(), all[26].value()), (42, 0.55));
        assert_eq!(all[26].apply(&scenario, policy), Ok(own));
        assert!(Setting::Parameter { index: 9, thousandths: 0 }.apply(&scenario, policy).is_err());
    }

    #[test]
    fn the_best_is_the_first_of_the_least_means() {
        let policy = "wfair".parse().expect("a policy");
        let point =
            |thousandths| SweepPoint { setting: Setting::Parameter { index: 0, thousandths }, policy };
        let means = Means::from([
            (point(1), Ok(3.0)),
            (point(2), Ok(2.0)),
            (point(3), Ok(2.0)),
            (point(4), Err("too many tasks".to_owned())),
        ]);
        assert_eq!(best(&means, (0..6).map(point)), Some((point(2), 2.0)));
        assert_eq!(best(&Means::new(), (0..6).map(point)), None);
    }
}
