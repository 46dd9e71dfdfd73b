//! The bench on which one point after the other is measured.

use std::panic::{self, AssertUnwindSafe};

use super::{Cost, GridPoint, ResultRow, RowError, RowLabel, RowOutcome, Workload};
use fairlane::engine::Control;
use fairlane::metrics::{self, Baselines, EvaluationDetail};
use fairlane::policy::PolicyId;
use fairlane::scenario::{Edit, PartitionMode, Scenario, ScenarioError};
use fairlane_view::export::{Figures, Selection};

/// Where points are measured one after the other. Keeps what the next point may share with the last, because
/// neighbours often differ in their policy alone; the results do not depend on what was measured before.
#[derive(Debug, Default)]
pub struct Bench {
    prepared: Option<Prepared>,
}

/// A workload under a load, an error of estimates and a seed.
#[derive(Debug)]
struct Prepared {
    fingerprint: String,
    /// Any point of it.
    point: GridPoint,
    seed: Option<u64>,
    scenario: Result<Scenario, ScenarioError>,
    /// Metrics of policies without runtime partitioning, which are the same under every advisory task runtime, by what
    /// was asked for.
    whole: Vec<(PolicyId, Option<Selection>, (RowOutcome, Cost))>,
    /// The scenario as it was changed last, if it was.
    changed: Option<EditedScenario>,
    own: Baselines,
}

/// A scenario after an edit.
#[derive(Debug)]
struct EditedScenario {
    edit: Edit,
    scenario: Result<Scenario, ScenarioError>,
    baselines: Baselines,
}

impl Bench {
    /// Measures a point of a workload. What cannot be simulated becomes a row that says why.
    pub fn row(&mut self, label: RowLabel, workload: &Workload, point: &GridPoint) -> ResultRow {
        let (outcome, cost) = match caught(|| self.prepared(workload, point).outcome(point)) {
            Ok(Ok((outcome, cost))) => (outcome, Some(cost)),
            Ok(Err(error)) => (failed(point, error.into()), None),
            Err(defect) => {
                // What is kept may be incomplete.
                self.prepared = None;
                (failed(point, defect), None)
            }
        };
        let cost = cost.filter(|_| !point.settings.is_empty());
        ResultRow { label, subject: Some(workload.subject(point)), cost, pareto: None, outcome }
    }

    fn prepared(&mut self, workload: &Workload, point: &GridPoint) -> &mut Prepared {
        let kept = self.prepared.take().filter(|prepared| prepared.is(workload, point));
        self.prepared.insert(kept.unwrap_or_else(|| Prepared::new(workload, point)))
    }
}

fn failed(point: &GridPoint, error: RowError) -> RowOutcome {
    RowOutcome::Failed { policy: Some(point.policy.to_string()), error }
}

/// Runs some work; a panic in it becomes a fault of this one point, so that the others continue.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, RowError> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        RowError::new("", format!("internal error ({text}); report this scenario as a defect of Fairlane"))
    })
}

impl Prepared {
    fn new(workload: &Workload, point: &GridPoint) -> Prepared {
        Prepared {
            fingerprint: workload.fingerprint(),
            point: point.clone(),
            seed: workload.seed(point),
            scenario: workload.prepared(point),
            whole: Vec::new(),
            changed: None,
            own: Baselines::new(1),
        }
    }

    fn is(&self, workload: &Workload, point: &GridPoint) -> bool {
        self.point.load == point.load
            && self.point.settings == point.settings
            && self.point.estimate_error == point.estimate_error
            && self.seed == workload.seed(point)
            && self.fingerprint == workload.fingerprint()
    }

    fn outcome(&mut self, point: &GridPoint) -> Result<(RowOutcome, Cost), ScenarioError> {
        let own = self.scenario.as_ref().map_err(Clone::clone)?;
        let (scenario, baselines) = match &point.edit {
            None => (own, &mut self.own),
            Some(edit) => {
                let kept = self.changed.take().filter(|changed| changed.edit == *edit);
                let changed = self.changed.insert(kept.unwrap_or_else(|| EditedScenario {
                    edit: edit.clone(),
                    scenario: own.with(edit),
                    baselines: Baselines::new(1),
                }));
                (changed.scenario.as_ref().map_err(Clone::clone)?, &mut changed.baselines)
            }
        };
        // Only now, because an edit can be at fault whatever the policy.
        let cut_alone = point.edit.is_none() || point.atr().is_some();
        let is_known = |policy: PolicyId, metrics: &Option<Selection>| {
            cut_alone && policy == point.policy && *metrics == point.metrics
        };
        if let Some((.., known)) = self.whole.iter().find(|(policy, metrics, _)| is_known(*policy, metrics)) {
            return Ok(known.clone());
        }
        let measured = measured(scenario, point, baselines)?;
        if point.policy.partitioning == PartitionMode::Default && cut_alone {
            self.whole.push((point.policy, point.metrics.clone(), measured.clone()));
        }
        Ok(measured)
    }
}

/// The metrics of a simulation that are asked for. Points run side by side already, so that each has a thread of its own
/// and no more.
fn measured(
    scenario: &Scenario,
    point: &GridPoint,
    baselines: &mut Baselines,
) -> Result<(RowOutcome, Cost), ScenarioError> {
    let (policy, observer) = (point.policy, &mut |_: f64| Control::Continue);
    if let Some(selection) = &point.metrics {
        let (figures, trace) = selection.measure(scenario, policy, baselines, observer)?;
        return Ok((RowOutcome::Selected(Box::new(figures)), Cost::of(scenario, &trace)));
    }
    let evaluation = metrics::evaluate(scenario, policy, EvaluationDetail::Full, baselines, observer)?;
    let figures = Figures::new(&evaluation);
    Ok((RowOutcome::Measured(Box::new(figures)), Cost::of(scenario, &evaluation.trace)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_fault() {
        assert_eq!(caught(|| 1), Ok(1));
        let number = 7;
        for (panic, text) in [
            (caught(|| panic!("a fixed text")), "a fixed text"),
            (caught(|| panic!("point {number}")), "point 7"),
        ] {
            let fault: Result<(), RowError> = panic;
            assert!(fault.is_err_and(|fault| fault.message.contains(text)));
        }
    }
}
