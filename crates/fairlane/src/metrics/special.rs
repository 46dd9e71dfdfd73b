//! Figures that only some scenarios and policies have: of deadlines, performance curves, queues, memory, executors that
//! come and go, and attempts.

use serde::{Deserialize, Serialize};

use super::attempts::{AttemptCosts, held_back};
use super::deadlines::DeadlineFigures;
use super::memory::MemoryUse;
use super::progress::average_progress;
use super::queues::Completions;
use super::shares::long_term_shares;
use super::sharing::SharingFigures;
use super::utilization::ExecutorUse;
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::units::{SlotTime, Span};

/// Figures that only some scenarios and policies have. Computing those of the others costs nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OptionalFigures {
    /// How jobs fare against their deadlines; `None` where they are not judged by any.
    pub deadlines: Option<DeadlineFigures>,
    /// Equality and fairness over time; `None` where jobs are not judged by deadlines.
    pub sharing: Option<SharingFigures>,
    /// The average progress rate, a ratio; `None` if no job has a performance curve.
    pub progress: Option<f64>,
    /// Average completion by kind of queue; `None` if no user is a queue.
    pub completions: Option<Completions>,
    /// Each user's dominant share in the long run, a ratio; empty if no user is a queue and memory is not modelled.
    pub dominant_shares: Vec<f64>,
    /// Memory in use; `None` if it is not modelled.
    pub memory: Option<MemoryUse>,
    /// What the executors cost; `None` if they do not come and go.
    pub executors: Option<ExecutorUse>,
    /// What attempts cost; `None` if every task has one.
    pub attempts: Option<AttemptCosts>,
    /// Core time during which tasks waited for executors that they prefer although other cores were free, in core-µs;
    /// `None` if no task prefers any.
    pub held_back: Option<SlotTime>,
}

impl OptionalFigures {
    /// Those of a schedule. `alone` are the response times of its jobs on the idle cluster, `due` how long after its
    /// arrival each is due, if jobs are judged by that.
    pub(super) fn new(
        scenario: &Scenario,
        trace: &Trace,
        alone: &[Option<Span>],
        due: Option<&[Span]>,
    ) -> OptionalFigures {
        let has_curves = scenario.jobs().iter().any(|job| job.curve.is_some());
        let completions = Completions::measure(scenario, &trace.jobs);
        let memory = MemoryUse::measure(scenario, trace);
        let has_shares = completions.is_some() || memory.is_some();
        OptionalFigures {
            deadlines: due.map(|due| DeadlineFigures::new(scenario, trace, due)),
            sharing: due.map(|_| SharingFigures::measure(scenario, trace)),
            progress: has_curves.then(|| average_progress(&trace.jobs, alone)).flatten(),
            dominant_shares: if has_shares { long_term_shares(scenario, trace) } else { Vec::new() },
            completions,
            memory,
            executors: scenario.cluster().is_elastic().then(|| ExecutorUse::of(scenario, trace)),
            attempts: AttemptCosts::measure(scenario, trace),
            held_back: held_back(scenario, trace),
        }
    }
}
