//! Tuning: the value of one number that makes a metric best, over seeds.
//!
//! A [`Tuning`] is a list of independent cells, one for each seed and value, so that they can be measured in any
//! order and on any number of threads. [`Tuning::curve`] puts their figures together.
//!
//! ```
//! use fairlane::catalog;
//! use fairlane_study::sweep::tune::{Tunable, Tuning, metric, values};
//! let policy = "wfair".parse()?;
//! let workload = catalog::find("heavy-first").expect("an entry").scenario().into();
//! let alpha = Tunable::find(policy, "alpha")?;
//! let tuning = Tuning::new(workload, policy, alpha, values(-1.0, 1.0, 0.5)?, metric("mean-response")?);
//! let figures = (0..tuning.cells()).map(|cell| tuning.measure(cell)).collect::<Result<_, _>>()?;
//! let curve = tuning.curve(figures);
//! let best = curve.best.expect("all jobs finish");
//! assert!(curve.points[best].mean <= curve.own.mean);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod knob;
mod metric;
mod verdict;

pub use knob::{ATR, Tunable};
pub use metric::{METRICS, Metric, metric};

use serde::Serialize;

use super::{Grid, Workload};
use fairlane::engine::Control;
use fairlane::policy::PolicyId;
use fairlane::scenario::ScenarioError;

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
    if steps >= Grid::MAX_POINTS as f64 {
        return Err(format!("there are more than {} values; make the step larger", Grid::MAX_POINTS));
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

/// What is tuned, over which values and seeds, and for what.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// The scenario, or what makes one of each seed.
    pub workload: Workload,
    /// The number.
    pub knob: Tunable,
    /// Its values, ascending.
    pub values: Vec<f64>,
    /// The cells: one policy, an edit for each value and none at last, and the seeds.
    pub grid: Grid,
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
    /// A tuning for the least or the most of a metric, whichever is better.
    pub fn new(
        workload: Workload,
        policy: PolicyId,
        knob: Tunable,
        values: Vec<f64>,
        metric: Metric,
    ) -> Tuning {
        // The last one is the scenario's own value.
        let edits = values.iter().map(|&value| Some(knob.edit(value))).chain([None]).collect();
        let grid = Grid { edits, ..Grid::new(vec![policy]) };
        Tuning { workload, knob, values, grid, metric, goal: metric.better() }
    }

    /// Under which policy.
    pub fn policy(&self) -> PolicyId {
        self.grid.policies[0]
    }

    fn columns(&self) -> usize {
        self.grid.edits.len()
    }

    /// Number of cells: one for each seed and value, and for the scenario's own value.
    pub fn cells(&self) -> usize {
        self.columns() * self.grid.seeds.len().max(1)
    }

    /// The figure of a cell; `None` if it does not exist, such as a mean over no jobs.
    ///
    /// # Errors
    /// The cell cannot be simulated.
    pub fn measure(&self, cell: usize) -> Result<Option<f64>, ScenarioError> {
        let point = self.grid.point(cell);
        let scenario = self.workload.scenario(&point)?;
        Ok(self.metric.value(&scenario, point.policy, &mut |_| Control::Continue))
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
        let own = self.workload.prepared(&self.grid.point(0)).map(|scenario| self.knob.own(&scenario));
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

#[cfg(test)]
mod tests;
