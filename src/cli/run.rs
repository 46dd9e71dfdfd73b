//! A simulation with all that the command tells of it.

use super::progress::Progress;
use crate::export::Measured;
use crate::metrics::Summary;
use crate::policy::PolicyId;
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
    pub(super) fn new(scenario: &Scenario, policy: PolicyId, progress: &Progress) -> Run {
        let trace = progress.simulate(scenario, policy);
        let alone = progress.alone_responses(scenario, policy);
        let summary = Summary::new(scenario, &trace, &alone);
        Run { policy, trace, alone, summary }
    }

    /// What the machine-readable formats are made from.
    pub(super) fn measured(&self) -> Measured<'_> {
        Measured { trace: &self.trace, alone: &self.alone, summary: &self.summary }
    }
}
