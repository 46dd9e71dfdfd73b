//! The points of a sweep and their order.

use xxhash_rust::xxh3::xxh3_64;

use super::{Setting, Workload};
use fairlane::policy::PolicyId;
use fairlane::scenario::Edit;
use fairlane::units::Span;
use fairlane_view::export::Selection;

/// One setting of everything that a sweep turns.
#[derive(Clone, Debug, PartialEq)]
pub struct GridPoint {
    /// Policy and partitioning.
    pub policy: PolicyId,
    /// A change of the workload; `None` leaves it as it is.
    pub edit: Option<Edit>,
    /// Fields of the workload that are set before that, one after the other.
    pub settings: Vec<Setting>,
    /// Arrivals are this many times as fast, as [`Edit::Load`] has it; above 0.
    pub load: f64,
    /// Estimates err by up to this factor, as [`Edit::EstimateErrors`] has it; 1 or more.
    pub estimate_error: f64,
    /// The seed of whatever is random.
    pub seed: Option<u64>,
    /// The metrics to compute; `None` for all.
    pub metrics: Option<Selection>,
}

impl GridPoint {
    /// The workload as it is, under a policy.
    pub fn new(policy: PolicyId) -> GridPoint {
        GridPoint {
            policy,
            edit: None,
            settings: Vec::new(),
            load: 1.0,
            estimate_error: 1.0,
            seed: None,
            metrics: None,
        }
    }

    /// The advisory task runtime, if that is what changes.
    pub fn atr(&self) -> Option<Span> {
        self.edit.as_ref().and_then(Edit::new_advisory_task_runtime)
    }
}

/// A regular grid of points: every combination of its values. In its order the policy changes fastest, then the edit,
/// the settings, the seed, the error of estimates and, slowest, the load.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Policies, at least one.
    pub policies: Vec<PolicyId>,
    /// Changes of the workload; `None`, or none at all, leaves it as it is.
    pub edits: Vec<Option<Edit>>,
    /// For each of several axes the settings of its values.
    pub settings: Vec<Vec<Vec<Setting>>>,
    /// Seeds; the workload's own if empty.
    pub seeds: Vec<u64>,
    /// Factors of the error of estimates; 1 if empty.
    pub estimate_errors: Vec<f64>,
    /// Factors of load; 1 if empty.
    pub loads: Vec<f64>,
    /// The metrics to compute of each point; `None` for all.
    pub metrics: Option<Selection>,
}

impl Grid {
    /// A policy, and everything else as it is.
    pub fn new(policies: Vec<PolicyId>) -> Grid {
        Grid {
            policies,
            edits: Vec::new(),
            settings: Vec::new(),
            seeds: Vec::new(),
            estimate_errors: Vec::new(),
            loads: Vec::new(),
            metrics: None,
        }
    }

    /// The most points a sweep may have.
    pub const MAX_POINTS: usize = 1_000_000;

    /// Number of points; `None` if there are more than [`Grid::MAX_POINTS`].
    pub fn points(&self) -> Option<usize> {
        let sizes = [self.edits.len(), self.seeds.len(), self.estimate_errors.len(), self.loads.len()];
        let product = sizes
            .into_iter()
            .chain(self.settings.iter().map(Vec::len))
            .try_fold(self.policies.len(), |product, size| product.checked_mul(size.max(1)));
        product.filter(|&points| points <= Grid::MAX_POINTS)
    }

    /// The point of that number, from 0 on.
    pub fn point(&self, number: usize) -> GridPoint {
        let mut rest = number;
        let policy = *next(&self.policies, &mut rest).expect("a grid has at least one policy");
        GridPoint {
            policy,
            edit: next(&self.edits, &mut rest).cloned().flatten(),
            settings: self
                .settings
                .iter()
                .filter_map(|axis| next(axis, &mut rest))
                .flatten()
                .cloned()
                .collect(),
            seed: next(&self.seeds, &mut rest).copied(),
            estimate_error: next(&self.estimate_errors, &mut rest).copied().unwrap_or(1.0),
            load: next(&self.loads, &mut rest).copied().unwrap_or(1.0),
            metrics: self.metrics.clone(),
        }
    }

    /// XXH3-64, 16 hexadecimal digits, over the grid's values and the workload's fingerprint: rows with the same one
    /// belong together.
    pub fn fingerprint(&self, workload: &Workload) -> String {
        // Numbers as Rust writes them, which is exact, and names without spaces: no two grids give the same text.
        let policies: Vec<String> = self.policies.iter().map(PolicyId::to_string).collect();
        let edits = || self.edits.iter().flatten();
        let micros: Vec<u64> = edits().filter_map(Edit::new_advisory_task_runtime).map(|atr| atr.0).collect();
        let others: Vec<&Edit> = edits().filter(|edit| edit.new_advisory_task_runtime().is_none()).collect();
        let mut text = format!(
            "{} {policies:?} {micros:?} {:?} {:?} {:?}",
            workload.fingerprint(),
            self.seeds,
            self.estimate_errors,
            self.loads
        );
        if !others.is_empty() {
            text += &format!(" {others:?}");
        }
        if !self.settings.is_empty() {
            text += &format!(" {:?}", self.settings);
        }
        if let Some(metrics) = &self.metrics {
            text += &format!(" metrics {:?}", metrics.keys());
        }
        format!("{:016x}", xxh3_64(text.as_bytes()))
    }
}

/// The value that a number's lowest digit picks, the values being the digits; the rest of the number stays.
fn next<'a, T>(values: &'a [T], number: &mut usize) -> Option<&'a T> {
    let base = values.len().max(1);
    let digit = *number % base;
    *number /= base;
    values.get(digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        Grid {
            policies: vec!["fair".parse().expect("a policy"), "uwfq-p".parse().expect("a policy")],
            edits: [100_000, 200_000, 500_000].map(|atr| Some(Edit::advisory_task_runtime(Span(atr)))).into(),
            settings: vec![],
            seeds: vec![],
            estimate_errors: vec![1.0, 2.0],
            loads: vec![0.5],
            metrics: None,
        }
    }

    #[test]
    fn policies_change_fastest_and_loads_slowest() {
        let grid = grid();
        assert_eq!(grid.points(), Some(12));
        let points: Vec<String> = (0..12)
            .map(|number| {
                let point = grid.point(number);
                let GridPoint { policy, load, estimate_error, seed, .. } = &point;
                format!("{policy} {} {load} {estimate_error} {seed:?}", point.atr().expect("it is given"))
            })
            .collect();
        assert_eq!(points[0], "fair 0.1 s 0.5 1 None");
        assert_eq!(points[1], "uwfq-p 0.1 s 0.5 1 None");
        assert_eq!(points[2], "fair 0.2 s 0.5 1 None");
        assert_eq!(points[6], "fair 0.1 s 0.5 2 None");
        assert_eq!(points[11], "uwfq-p 0.5 s 0.5 2 None");
    }

    #[test]
    fn a_grid_too_large_has_no_number() {
        let mut grid = grid();
        grid.seeds = (0..Grid::MAX_POINTS as u64 / 12).collect();
        assert_eq!(grid.points(), Some(999_996));
        grid.seeds.push(0);
        assert_eq!(grid.points(), None);
    }

    #[test]
    fn every_value_and_the_scenario_count_in_the_fingerprint() {
        let scenario = |work: u32| {
            let text = format!(
                r#"{{"format":"fairlane/scenario@1","jobs":[{{"user":"a","arrival_s":0,"stages":[{{"work_s":{work}}}]}}]}}"#
            );
            Workload::from_json(&text).expect("a good scenario")
        };
        let (one, two) = (scenario(1), scenario(2));
        let mut others = vec![grid(); 8];
        others[0].policies.pop();
        others[1].edits.pop();
        others[2].seeds.push(1);
        others[3].estimate_errors.pop();
        others[4].loads.push(1.0);
        others[5].settings.push(vec![vec![Setting("cluster.executors".to_owned(), 2.into())]]);
        others[6].metrics = Selection::new(["makespan_s"]).ok();
        others[7].metrics = Selection::new(["makespan_s", "utilization"]).ok();
        let mut prints: Vec<String> = others.iter().map(|grid| grid.fingerprint(&one)).collect();
        prints.extend([grid().fingerprint(&one), grid().fingerprint(&two)]);
        assert_eq!(grid().fingerprint(&one), prints[8]);
        prints.sort();
        prints.dedup();
        assert_eq!(prints.len(), 10);
    }
}
