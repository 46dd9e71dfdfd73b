//! A simulation with all that the command tells of it.

use super::progress::Progress;
use crate::export::Measured;
use crate::metrics::{self, Reference, Summary};
use crate::partition::Mode;
use crate::policy::{PolicyId, PolicyKind};
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::units::Span;

/// One policy's simulation.
pub(super) struct Run {
    pub(super) policy: PolicyId,
    pub(super) trace: Trace,
    /// Response time of each job alone, by place in the file.
    pub(super) alone: Vec<Span>,
    pub(super) summary: Summary,
}

impl Run {
    /// Simulates a scenario and practical UJF beside it.
    pub(super) fn new(scenario: &Scenario, policy: PolicyId, progress: &Progress) -> Run {
        Runs::new(scenario, progress).under(policy)
    }

    /// What the machine-readable formats are made from.
    pub(super) fn measured(&self) -> Measured<'_> {
        Measured { trace: &self.trace, alone: &self.alone, summary: &self.summary }
    }
}

/// Simulates one scenario under several policies, and what they are measured against once.
pub(super) struct Runs<'a> {
    scenario: &'a Scenario,
    progress: &'a Progress,
    /// Practical UJF by partitioning, as far as it has been asked for.
    ujf: Vec<(Mode, Reference)>,
}

impl<'a> Runs<'a> {
    pub(super) fn new(scenario: &'a Scenario, progress: &'a Progress) -> Runs<'a> {
        Runs { scenario, progress, ujf: Vec::new() }
    }

    /// Simulates one policy.
    pub(super) fn under(&mut self, policy: PolicyId) -> Run {
        let Runs { scenario, progress, .. } = *self;
        let (trace, journal) = progress.simulate_with_journal(scenario, policy);
        let inversions = metrics::inversions(scenario, &trace, &journal);
        drop(journal);
        let alone = progress.alone_responses(scenario, policy);
        let summary = Summary::new(scenario, &trace, &alone)
            .against_ujf(&trace, self.reference(&trace))
            .blocked(&trace, inversions.as_deref(), &metrics::stragglers(&trace));
        Run { policy, trace, alone, summary }
    }

    /// What a trace is measured against: practical UJF with the same partitioning.
    fn reference(&mut self, trace: &Trace) -> Reference {
        let partitioning = trace.policy.partitioning;
        if let Some((_, known)) = self.ujf.iter().find(|(mode, _)| *mode == partitioning) {
            return known.clone();
        }
        let ujf = PolicyId { kind: PolicyKind::Ujf, partitioning };
        let reference = match trace.policy == ujf {
            true => Reference::of(&trace.jobs),
            false => Reference::of(&self.progress.simulate_reference(self.scenario, ujf).jobs),
        };
        self.ujf.push((partitioning, reference.clone()));
        reference
    }
}
