//! A simulation with all that the command shows of it.

use super::parallel;
use super::progress::Progress;
use crate::engine::Control;
use crate::export::Measured;
use crate::metrics::{self, Baselines, Detail, Summary};
use crate::policy::PolicyId;
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::units::Span;

/// One policy's simulation.
pub(super) struct Run {
    pub(super) policy: PolicyId,
    pub(super) trace: Trace,
    /// Response time of each job alone, by index in the file; `None` if it does not even finish alone.
    pub(super) alone: Vec<Option<Span>>,
    pub(super) summary: Summary,
}

impl Run {
    /// What the machine-readable formats are made from.
    pub(super) fn measured(&self) -> Measured<'_> {
        Measured { trace: &self.trace, alone: &self.alone, summary: &self.summary }
    }
}

/// Simulates a scenario under some policies.
pub(super) fn runs(
    scenario: &Scenario,
    policies: impl IntoIterator<Item = PolicyId>,
    detail: Detail,
    progress: &Progress,
) -> Vec<Run> {
    let mut baselines = Baselines::new(parallel::all_cores());
    let run = |policy: PolicyId| {
        let report = progress.fraction(&policy.title());
        let mut observer = |fraction| {
            report(fraction);
            Control::Continue
        };
        let evaluation = metrics::evaluate(scenario, policy, detail, &mut baselines, &mut observer)
            .expect("the observer never asks to stop");
        Run { policy, trace: evaluation.trace, alone: evaluation.alone, summary: evaluation.summary }
    };
    policies.into_iter().map(run).collect()
}
