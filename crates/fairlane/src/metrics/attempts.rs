//! What killed and repeated attempts cost, and waiting for executors (docs/model.md section 27).

use serde::{Deserialize, Serialize};

use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::units::SlotTime;

/// What attempts cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptCosts {
    /// How often tasks were launched.
    pub attempts: usize,
    /// Core time that came to nothing, in core-µs: of attempts that were killed or whose task had to run again, and of
    /// those of cancelled jobs what is after their job's end.
    pub wasted: SlotTime,
}

impl AttemptCosts {
    /// Those of a schedule; `None` if every task has one attempt, or none if the policy drops its job.
    pub fn measure(scenario: &Scenario, trace: &Trace) -> Option<AttemptCosts> {
        scenario
            .names_kill_reasons()
            .then(|| AttemptCosts { attempts: trace.tasks.len(), wasted: trace.wasted() })
    }
}

/// Core time during which tasks waited for executors that they prefer although other cores were free, in core-µs;
/// `None` if no task prefers any.
pub fn held_back(scenario: &Scenario, trace: &Trace) -> Option<SlotTime> {
    let mut stages = scenario.jobs().iter().flat_map(|job| &job.stages);
    stages.any(|stage| stage.has_preferences()).then_some(trace.held_back)
}
