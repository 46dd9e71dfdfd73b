//! Tuning: the value of one number that makes a metric best, over seeds.
//!
//! A [`Tuning`] is a list of independent cells, one for each seed and value, so that they can be measured in any order and
//! on any number of threads. [`Tuning::curve`] puts their figures together.
//!
//! ```
//! use fairlane::catalog;
//! use fairlane::sweep::tune::{Goal, Knob, Tuning, metric, values};
//! let policy = "wfair".parse()?;
//! let tuning = Tuning {
//!     workload: catalog::find("heavy-first").expect("an entry").scenario().into(),
//!     policy,
//!     knob: Knob::find(policy, "alpha")?,
//!     values: values(-1.0, 1.0, 0.5)?,
//!     seeds: Vec::new(),
//!     load: 1.0,
//!     estimate_error: 1.0,
//!     metric: metric("mean-response")?,
//!     goal: Goal::Least,
//! };
//! let figures = (0..tuning.cells()).map(|cell| tuning.measure(cell)).collect::<Result<_, _>>()?;
//! let curve = tuning.curve(figures);
//! let best = curve.best.expect("all jobs finish");
//! assert!(curve.points[best].mean <= curve.own.mean);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use serde::Serialize;
use serde_json::Value;

use super::{Grid, Point, Workload};
use crate::engine::{self, Control};
use crate::metrics::{self, Baselines, Detail, Evaluation, Summary};
use crate::policy::parameters::{ParameterKind, ParameterSet};
use crate::policy::{Parameter, PolicyId};
use crate::scenario::{Edit, Mode, Scenario, ScenarioError};
use crate::trace::JobRun;
use crate::units::{MICROS_PER_SECOND, Span, micros_from_seconds};

/// The name of the advisory task runtime among parameters.
pub const ATR: &str = "atr";

/// A number that can be tuned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Knob {
    /// The advisory task runtime, in seconds.
    AdvisoryTaskRuntime,
    /// A parameter of the policy, its own or shared with others.
    Parameter(ParameterSet, &'static Parameter),
}

impl Knob {
    /// The number of that name under a policy.
    ///
    /// # Errors
    /// There is none: a sentence with the remedy.
    pub fn find(policy: PolicyId, name: &str) -> Result<Knob, String> {
        if name == ATR {
            return match policy.partitioning {
                Mode::Runtime => Ok(Knob::AdvisoryTaskRuntime),
                Mode::Default => Err(format!(
                    "{policy} does not use the advisory task runtime; tune it under {}",
                    policy.with(Mode::Runtime)
                )),
            };
        }
        let info = policy.kind.info();
        let sets = || [info.own()].into_iter().chain(info.shared.iter().copied());
        let found = sets().find_map(|set| Some((set, set.find(name)?)));
        match found {
            Some((_, Parameter { kind: ParameterKind::Choice { options }, .. })) => {
                let words: Vec<&str> = options.iter().map(|(word, _)| *word).collect();
                Err(format!(
                    "{name} of {policy} is no number but one of {}; compare scenarios that differ in it",
                    words.join(", ")
                ))
            }
            Some((set, parameter)) => Ok(Knob::Parameter(set, parameter)),
            None => {
                let mut names: Vec<&str> = Knob::parameters(policy).iter().map(Knob::name).collect();
                names.extend((policy.partitioning == Mode::Runtime).then_some(ATR));
                match names.is_empty() {
                    true => Err(format!(
                        "{policy} has no parameters; tune {ATR} under {}",
                        policy.with(Mode::Runtime)
                    )),
                    false => Err(format!("{policy} has no parameter {name}; it has {}", names.join(", "))),
                }
            }
        }
    }

    /// The numbers among a policy's parameters, its own and shared ones.
    pub fn parameters(policy: PolicyId) -> Vec<Knob> {
        let info = policy.kind.info();
        let sets = [info.own()].into_iter().chain(info.shared.iter().copied());
        let knobs = |set: ParameterSet| set.parameters.iter().map(move |it| Knob::Parameter(set, it));
        let is_number = |knob: &Knob| match knob {
            Knob::AdvisoryTaskRuntime => true,
            Knob::Parameter(_, it) => !matches!(it.kind, ParameterKind::Choice { .. }),
        };
        sets.flat_map(knobs).filter(is_number).collect()
    }

    /// Its name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Knob::AdvisoryTaskRuntime => ATR,
            Knob::Parameter(_, parameter) => parameter.name,
        }
    }

    /// Whether it can have a value.
    ///
    /// # Errors
    /// It cannot: a sentence with what it can have.
    pub fn check(&self, value: f64) -> Result<(), String> {
        match self {
            Knob::AdvisoryTaskRuntime => match micros_from_seconds(value) {
                Ok(0) => Err("must be more than 0 seconds".to_owned()),
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
            Knob::Parameter(_, parameter) => parameter.kind.check(&number(value)),
        }
    }

    /// Its value in a scenario.
    pub fn own(&self, scenario: &Scenario) -> f64 {
        match self {
            Knob::AdvisoryTaskRuntime => scenario.partitioning().advisory_task_runtime.seconds(),
            Knob::Parameter(set, parameter) => set.number(scenario, parameter.name),
        }
    }

    /// The edit that sets it; `None` for the advisory task runtime.
    pub fn edit(&self, value: f64) -> Option<Edit> {
        match self {
            Knob::AdvisoryTaskRuntime => None,
            Knob::Parameter(set, parameter) => Some(Edit::Parameter {
                policy: set.id.to_owned(),
                name: parameter.name.to_owned(),
                value: number(value),
            }),
        }
    }

    /// The scenario with it set to a value.
    ///
    /// # Errors
    /// It cannot have the value in this scenario.
    pub fn apply(&self, scenario: &Scenario, value: f64) -> Result<Scenario, ScenarioError> {
        match self.edit(value) {
            Some(edit) => Ok(scenario.edited(&edit)?.scenario),
            None => {
                let micros = micros_from_seconds(value).unwrap_or_default();
                scenario.with_advisory_task_runtime(Span(micros))
            }
        }
    }
}

/// A value as files spell it: whole numbers without a point.
fn number(value: f64) -> Value {
    match value.fract() == 0.0 && value.abs() < 1e15 {
        true => (value as i64).into(),
        false => value.into(),
    }
}

/// Values from one number to another in equal steps, rounded to a billionth.
///
/// # Errors
/// There are none, or more than a sweep may have: a sentence with the remedy.
pub fn values(from: f64, to: f64, step: f64) -> Result<Vec<f64>, String> {
    if !(from.is_finite() && to.is_finite() && step.is_finite() && step > 0.0) {
        return Err("the step must be more than 0, and all three must be finite numbers".to_owned());
    }
    if from > to {
        return Err(format!("{from} to {to} runs backwards; exchange them"));
    }
    let steps = ((to - from) / step + 1e-9).floor();
    if steps >= Grid::MOST as f64 {
        return Err(format!("there are more than {} values; make the step larger", Grid::MOST));
    }
    Ok((0..=steps as u32).map(|index| ((from + f64::from(index) * step) * 1e9).round() / 1e9).collect())
}

/// Whether less of a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The least is best.
    Least,
    /// The most is best.
    Most,
}

/// A figure of a simulation that can be tuned for.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its name on the command line.
    pub id: &'static str,
    /// Its name in sentences.
    pub title: &'static str,
    /// Its unit; empty for a ratio or a count.
    pub unit: &'static str,
    figure: Figure,
}

/// Where a figure comes from.
#[derive(Clone, Copy, Debug)]
enum Figure {
    /// The schedule alone.
    Jobs(fn(&[JobRun]) -> Option<f64>),
    /// An evaluation.
    Summary(Detail, fn(&Summary) -> Option<f64>),
}

/// All of them.
pub const METRICS: &[Metric] = &[
    of_jobs("mean-response", "mean response time", metrics::mean_response),
    of_jobs("worst-10-percent", "mean of the worst tenth of response times", metrics::worst_decile_mean),
    of_summary("slowdown", "mean slowdown", "", Detail::Responses, |it| it.mean_slowdown),
    of_summary("worst-slowdowns", "mean of the worst tenth of slowdowns", "", Detail::Responses, |it| {
        it.worst_decile_slowdown
    }),
    of_summary("makespan", "makespan", "s", Detail::Responses, |it| it.makespan.map(Span::seconds)),
    of_summary("utilization", "utilization", "", Detail::Responses, |it| it.utilization),
    of_summary("jain", "Jain's index of slowdowns", "", Detail::Responses, |it| it.jain),
    of_summary("worst-delay", "largest delay against the ideal", "s", Detail::Responses, |it| {
        it.unfairness.map(|furthest| furthest.delay / MICROS_PER_SECOND)
    }),
    of_summary("dvr", "deadline violation ratio against UJF", "", Detail::Delays, |it| {
        it.ujf.as_ref()?.overall.dvr
    }),
    of_summary("progress", "average progress", "", Detail::Responses, |it| it.special.progress),
    of_summary("deadlines", "satisfied deadlines ratio", "", Detail::Responses, |it| {
        it.special.deadlines?.satisfied_ratio()
    }),
    of_summary("productive", "productive time ratio", "", Detail::Responses, |it| {
        it.special.deadlines?.productive_ratio()
    }),
    of_summary("wasted", "wasted time ratio", "", Detail::Responses, |it| {
        it.special.deadlines?.wasted_ratio()
    }),
    of_summary("latency-queues", "mean response time of latency queues", "s", Detail::Responses, |it| {
        it.special.completions?.latency
    }),
];

const fn of_jobs(id: &'static str, title: &'static str, figure: fn(&[JobRun]) -> Option<f64>) -> Metric {
    Metric { id, title, unit: "s", figure: Figure::Jobs(figure) }
}

const fn of_summary(
    id: &'static str,
    title: &'static str,
    unit: &'static str,
    detail: Detail,
    figure: fn(&Summary) -> Option<f64>,
) -> Metric {
    Metric { id, title, unit, figure: Figure::Summary(detail, figure) }
}

/// The metric of that name.
///
/// # Errors
/// There is none: a sentence with those there are.
pub fn metric(id: &str) -> Result<Metric, String> {
    METRICS.iter().find(|metric| metric.id == id).copied().ok_or_else(|| {
        let ids: Vec<&str> = METRICS.iter().map(|metric| metric.id).collect();
        format!("is no metric; the metrics are {}", ids.join(", "))
    })
}

impl Metric {
    fn of(&self, scenario: &Scenario, policy: PolicyId) -> Option<f64> {
        match self.figure {
            Figure::Jobs(figure) => figure(&engine::simulate(scenario, policy).jobs),
            Figure::Summary(detail, figure) => {
                let mut baselines = Baselines::new(1);
                let evaluation =
                    metrics::evaluate(scenario, policy, detail, &mut baselines, &mut |_| Control::Continue);
                let Evaluation { summary, .. } = evaluation.expect("the observer never asks to stop");
                figure(&summary)
            }
        }
    }
}

/// What is tuned, over which values and seeds, and for what.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// The scenario, or what makes one of each seed.
    pub workload: Workload,
    /// Under which policy.
    pub policy: PolicyId,
    /// The number.
    pub knob: Knob,
    /// Its values, ascending.
    pub values: Vec<f64>,
    /// Seeds; the workload's own if empty.
    pub seeds: Vec<u64>,
    /// As in a [`Point`].
    pub load: f64,
    /// As in a [`Point`].
    pub estimate_error: f64,
    /// What is to be best.
    pub metric: Metric,
    /// Which figures are better.
    pub goal: Goal,
}

/// A value's figures over the seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TunedPoint {
    /// The value.
    pub value: f64,
    /// The mean over the seeds; `null` if some seed has no figure.
    pub mean: Option<f64>,
    /// The least of the figures, likewise.
    pub least: Option<f64>,
    /// The largest of the figures, likewise.
    pub most: Option<f64>,
    /// Standard deviation of a sample; `null` also for a single seed.
    pub deviation: Option<f64>,
    /// A figure for each seed; `null` where it does not exist.
    pub by_seed: Vec<Option<f64>>,
}

/// The metric as a function of the value.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// One for each value.
    pub points: Vec<TunedPoint>,
    /// The value that the scenario has itself.
    pub own: TunedPoint,
    /// The index of the point with the best mean, the first of several; `None` if none has one.
    pub best: Option<usize>,
    /// For each seed its own best value; `None` if it has no figures.
    pub best_by_seed: Vec<Option<f64>>,
}

impl Tuning {
    fn columns(&self) -> usize {
        // The last one is the scenario's own value.
        self.values.len() + 1
    }

    /// Number of cells: one for each seed and value, and for the scenario's own value.
    pub fn cells(&self) -> usize {
        self.columns() * self.seeds.len().max(1)
    }

    fn point(&self, cell: usize) -> Point {
        let seed = self.seeds.get(cell / self.columns()).copied();
        Point { seed, load: self.load, estimate_error: self.estimate_error, ..Point::new(self.policy) }
    }

    /// The figure of a cell; `None` if it does not exist, such as a mean over no jobs.
    ///
    /// # Errors
    /// The cell cannot be simulated.
    pub fn measure(&self, cell: usize) -> Result<Option<f64>, ScenarioError> {
        let scenario = self.workload.prepared(&self.point(cell))?;
        match self.values.get(cell % self.columns()) {
            Some(&value) => Ok(self.metric.of(&self.knob.apply(&scenario, value)?, self.policy)),
            None => Ok(self.metric.of(&scenario, self.policy)),
        }
    }

    /// Whether a figure is better than another.
    fn is_better(&self, figure: f64, than: f64) -> bool {
        match self.goal {
            Goal::Least => figure < than,
            Goal::Most => figure > than,
        }
    }

    /// The index of the best of some figures, the first of several.
    fn best(&self, figures: impl Iterator<Item = Option<f64>>) -> Option<usize> {
        let known = figures.enumerate().filter_map(|(index, figure)| Some((index, figure?)));
        known
            .reduce(|best, other| if self.is_better(other.1, best.1) { other } else { best })
            .map(|(index, _)| index)
    }

    /// The curve from the figures of all cells, in their order.
    pub fn curve(&self, figures: Vec<Option<f64>>) -> Curve {
        let own = self.workload.prepared(&self.point(0)).map(|scenario| self.knob.own(&scenario));
        let column = |index: usize| figures.iter().skip(index).step_by(self.columns()).copied().collect();
        let points: Vec<TunedPoint> =
            (0..).zip(&self.values).map(|(index, &value)| TunedPoint::new(value, column(index))).collect();
        let best_by_seed = figures.chunks(self.columns()).map(|row| {
            let best = self.best(row[..self.values.len()].iter().copied())?;
            Some(self.values[best])
        });
        Curve {
            best: self.best(points.iter().map(|point| point.mean)),
            best_by_seed: best_by_seed.collect(),
            own: TunedPoint::new(own.unwrap_or_default(), column(self.values.len())),
            points,
        }
    }
}

impl TunedPoint {
    fn new(value: f64, by_seed: Vec<Option<f64>>) -> TunedPoint {
        let all: Option<Vec<f64>> = by_seed.iter().copied().collect();
        let known = all.filter(|all| !all.is_empty());
        let mean = known.as_ref().map(|all| all.iter().sum::<f64>() / all.len() as f64);
        let deviation = known.as_ref().zip(mean).filter(|(all, _)| all.len() > 1).map(|(all, mean)| {
            let squares: f64 = all.iter().map(|figure| (figure - mean) * (figure - mean)).sum();
            (squares / (all.len() - 1) as f64).sqrt()
        });
        let extreme = |of: fn(f64, f64) -> f64| known.as_ref().and_then(|all| all.iter().copied().reduce(of));
        TunedPoint { value, mean, least: extreme(f64::min), most: extreme(f64::max), deviation, by_seed }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    fn policy(id: &str) -> PolicyId {
        id.parse().expect("a policy")
    }

    #[test]
    fn values_are_round() {
        let all = values(-2.0, 2.0, 0.1).expect("values");
        assert_eq!(all.len(), 41);
        assert_eq!((all[0], all[17], all[20], all[40]), (-2.0, -0.3, 0.0, 2.0));
        assert_eq!(values(0.5, 0.5, 1.0), Ok(vec![0.5]));
        assert_eq!(values(0.0, 1.0, 0.4), Ok(vec![0.0, 0.4, 0.8]));
        for (from, to, step) in [(1.0, 0.0, 0.1), (0.0, 1.0, 0.0), (0.0, f64::NAN, 1.0), (0.0, 1e9, 1e-3)] {
            assert!(values(from, to, step).is_err(), "{from} {to} {step}");
        }
    }

    #[test]
    fn what_cannot_be_tuned_is_refused_with_what_can() {
        let refused = |id: &str, name: &str| Knob::find(policy(id), name).expect_err("no number");
        assert_eq!(refused("wfair", "beta"), "wfair has no parameter beta; it has alpha");
        assert_eq!(refused("wfair-p", "beta"), "wfair-p has no parameter beta; it has alpha, atr");
        assert_eq!(refused("fifo", "alpha"), "fifo has no parameters; tune atr under fifo-p");
        assert_eq!(refused("paf", "atr"), "paf does not use the advisory task runtime; tune it under paf-p");
        let alpha = Knob::find(policy("paf"), "alpha").expect("a parameter");
        assert_eq!(alpha.check(1.5), Err("must be a number from 0 to 1".to_owned()));
        let factor = Knob::find(policy("justice"), "factor").expect("a shared parameter");
        assert_eq!((factor.name(), factor.check(3.0)), ("factor", Ok(())));
        assert!(metric("beauty").is_err_and(|message| message.contains("mean-response, ")));
    }

    /// Figures 1 and 3 at one value, 2 and 2 at the next, none and 1 at the last; 5 and 5 with the scenario's own value.
    #[test]
    fn the_curve_by_hand() {
        let scenario = crate::catalog::find("two-users").expect("an entry").scenario();
        let tuning = |goal| Tuning {
            workload: scenario.clone().into(),
            policy: policy("wfair"),
            knob: Knob::find(policy("wfair"), "alpha").expect("a parameter"),
            values: vec![-1.0, 1.0, 2.0],
            seeds: vec![7, 8],
            load: 1.0,
            estimate_error: 2.0,
            metric: METRICS[0],
            goal,
        };
        let figures = vec![Some(1.0), Some(2.0), None, Some(5.0), Some(3.0), Some(2.0), Some(1.0), Some(5.0)];
        let curve = tuning(Goal::Least).curve(figures.clone());
        assert_eq!(tuning(Goal::Least).cells(), figures.len());
        let first = &curve.points[0];
        assert_eq!((first.mean, first.least, first.most), (Some(2.0), Some(1.0), Some(3.0)));
        assert_eq!(first.deviation, Some(2.0_f64.sqrt()));
        assert_eq!((curve.points[2].mean, curve.points[2].deviation), (None, None));
        // The first of two that are as good.
        assert_eq!((curve.best, curve.own.value, curve.own.mean), (Some(0), 0.0, Some(5.0)));
        assert_eq!(curve.best_by_seed, [Some(-1.0), Some(2.0)]);
        let most = tuning(Goal::Most).curve(figures);
        assert_eq!((most.best, most.best_by_seed), (Some(0), vec![Some(1.0), Some(-1.0)]));
    }

    /// One core, which z holds until 1 s. a (3 s) and b (1 s) have arrived by then. At alpha -1 the smaller job's target is
    /// larger, so b goes first: responses 1, 4.75 and 1.5 s. At alpha 1 a goes first, and at 0, where all targets are
    /// equal, too, by its rank: 1, 3.75 and 4.5 s.
    #[test]
    fn small_jobs_first_is_best_for_the_mean() {
        let scenario = Scenario::from_json(
            r#"{"format": "fairlane/scenario@1", "cluster": {"cores_per_executor": 1}, "jobs": [
                {"user": "z", "arrival_s": 0, "stages": [{"tasks_s": [1]}]},
                {"user": "a", "arrival_s": 0.25, "stages": [{"tasks_s": [3]}]},
                {"user": "b", "arrival_s": 0.5, "stages": [{"tasks_s": [1]}]}]}"#,
        )
        .expect("a good scenario");
        let tuning = Tuning {
            workload: scenario.into(),
            policy: policy("wfair"),
            knob: Knob::find(policy("wfair"), "alpha").expect("a parameter"),
            values: values(-1.0, 1.0, 1.0).expect("values"),
            seeds: Vec::new(),
            load: 1.0,
            estimate_error: 1.0,
            metric: metric("mean-response").expect("a metric"),
            goal: Goal::Least,
        };
        let figures: Result<Vec<_>, _> = (0..tuning.cells()).map(|cell| tuning.measure(cell)).collect();
        let curve = tuning.curve(figures.expect("all cells can be simulated"));
        let means: Vec<Option<f64>> = curve.points.iter().map(|point| point.mean).collect();
        let [small_first, by_rank] = [7_250_000.0, 9_250_000.0].map(|sum| sum / 3.0 / 1e6);
        assert_eq!(means, [Some(small_first), Some(by_rank), Some(by_rank)]);
        assert_eq!((curve.best, curve.own.mean), (Some(0), Some(by_rank)));
        assert_eq!(curve.own.deviation, None);
    }
}
