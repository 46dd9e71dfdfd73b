//! The bench on which one point after the other is measured.

use super::{Fault, Label, Outcome, Point, Row, Workload};
use crate::engine::{self, Control};
use crate::export::{Figures, Measured};
use crate::metrics::{self, Reference, Summary};
use crate::partition::Mode;
use crate::policy::{PolicyId, PolicyKind};
use crate::scenario::{Scenario, ScenarioError};
use crate::units::Span;

/// Where points are measured one after the other. Keeps what the next point may share with the last, because
/// neighbours often differ in their policy alone; what comes out does not depend on what was measured before.
#[derive(Debug, Default)]
pub struct Bench {
    turned: Option<Turned>,
}

/// A workload under a load, an error of estimates and a seed.
#[derive(Debug)]
struct Turned {
    fingerprint: String,
    /// Any point of it.
    point: Point,
    seed: Option<u64>,
    scenario: Result<Scenario, ScenarioError>,
    /// Figures without runtime partitioning: the same under every advisory task runtime.
    whole: Vec<(PolicyId, Figures)>,
    /// The scenario as it was cut last, if that was another way than its own.
    cut: Option<Cut>,
    own: References,
}

/// A scenario under another advisory task runtime.
#[derive(Debug)]
struct Cut {
    atr: Span,
    scenario: Result<Scenario, ScenarioError>,
    references: References,
}

/// Practical UJF by partitioning, as far as it has been asked for.
#[derive(Debug, Default)]
struct References(Vec<(Mode, Reference)>);

impl Bench {
    /// Measures a point of a workload. What cannot be simulated becomes a row that says why.
    pub fn row(&mut self, label: Label, workload: &Workload, point: &Point) -> Row {
        let outcome = match self.turned(workload, point).figures(point) {
            Ok(figures) => Outcome::Measured(Box::new(figures)),
            Err(error) => {
                Outcome::Failed { policy: Some(point.policy.to_string()), error: Fault::from(error) }
            }
        };
        Row { label, subject: Some(workload.subject(point)), outcome }
    }

    fn turned(&mut self, workload: &Workload, point: &Point) -> &mut Turned {
        let kept = self.turned.take().filter(|turned| turned.is(workload, point));
        self.turned.insert(kept.unwrap_or_else(|| Turned::new(workload, point)))
    }
}

impl Turned {
    fn new(workload: &Workload, point: &Point) -> Turned {
        Turned {
            fingerprint: workload.fingerprint(),
            point: point.clone(),
            seed: workload.seed(point),
            scenario: workload.turned(point),
            whole: Vec::new(),
            cut: None,
            own: References::default(),
        }
    }

    fn is(&self, workload: &Workload, point: &Point) -> bool {
        self.point.load == point.load
            && self.point.estimate_error == point.estimate_error
            && self.seed == workload.seed(point)
            && self.fingerprint == workload.fingerprint()
    }

    fn figures(&mut self, point: &Point) -> Result<Figures, ScenarioError> {
        let own = self.scenario.as_ref().map_err(Clone::clone)?;
        let (scenario, references) = match point.atr {
            None => (own, &mut self.own),
            Some(atr) => {
                let kept = self.cut.take().filter(|cut| cut.atr == atr);
                let cut = self.cut.insert(kept.unwrap_or_else(|| Cut {
                    atr,
                    scenario: own.with_advisory_task_runtime(atr),
                    references: References::default(),
                }));
                (cut.scenario.as_ref().map_err(Clone::clone)?, &mut cut.references)
            }
        };
        // Only now, because a runtime can be at fault whatever the policy.
        let known = self.whole.iter().find(|(policy, _)| *policy == point.policy);
        if let Some((_, figures)) = known {
            return Ok(figures.clone());
        }
        let figures = measured(scenario, point.policy, references);
        if point.policy.partitioning == Mode::Default {
            self.whole.push((point.policy, figures.clone()));
        }
        Ok(figures)
    }
}

impl References {
    /// What jobs are measured against under a partitioning.
    fn known_or(&mut self, partitioning: Mode, make: impl FnOnce() -> Reference) -> Reference {
        if let Some((_, known)) = self.0.iter().find(|(mode, _)| *mode == partitioning) {
            return known.clone();
        }
        let reference = make();
        self.0.push((partitioning, reference.clone()));
        reference
    }
}

/// All figures of a simulation.
fn measured(scenario: &Scenario, policy: PolicyId, references: &mut References) -> Figures {
    let (trace, journal) = engine::simulate_with_journal(scenario, policy, &mut |_| Control::Continue)
        .expect("the observer never asks to stop");
    let inversions = metrics::inversions(scenario, &trace, &journal);
    drop(journal);
    let reference = references.known_or(policy.partitioning, || match policy.kind {
        PolicyKind::Ujf => Reference::of(&trace.jobs),
        _ => Reference::practical_ujf(scenario, policy.partitioning),
    });
    let alone = metrics::alone_responses(scenario, policy);
    let summary = Summary::new(scenario, &trace, &alone).against_ujf(&trace, reference).blocked(
        &trace,
        inversions.as_deref(),
        &metrics::stragglers(&trace),
    );
    Figures::new(scenario, Measured { trace: &trace, alone: &alone, summary: &summary })
}
