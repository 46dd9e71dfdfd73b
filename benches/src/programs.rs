//! Policies that are programs: 10 000 tasks, of which those of 100 stages wait at once.

use fairlane::engine::{Control, simulate_observed};
use fairlane::scenario::Edit;
use fairlane::{PolicyId, Scenario};
use fairlane_custom::starters::STARTERS;

use crate::workload::{Arrivals, Durations, Extras, Workload};

const WAITING: Workload = Workload {
    jobs: 100,
    stages: 1,
    tasks: 100,
    users: 10,
    cores: 32,
    arrivals: Arrivals::AtOnce,
    durations: Durations::Random,
    extras: Extras::None,
};

/// What is measured, by title: a short expression, and the programs to start from.
pub fn titles() -> Vec<&'static str> {
    [EXPRESSION].into_iter().chain(STARTERS.iter().map(|starter| starter.title)).collect()
}

const EXPRESSION: &str = "running / weight";

/// A simulation under a program.
pub struct ProgramRun {
    scenario: Scenario,
    policy: PolicyId,
}

impl ProgramRun {
    /// Under a program of [`titles`], by number.
    pub fn new(number: usize) -> ProgramRun {
        fairlane_custom::install();
        let program = number.checked_sub(1).map_or(EXPRESSION, |starter| STARTERS[starter].program);
        let edit = Edit::parameter("custom", "program", program);
        let scenario = WAITING.scenario().with(&edit).expect("a sound program");
        ProgramRun { scenario, policy: "custom".parse().expect("a policy") }
    }

    /// Simulates; the number of tasks.
    pub fn run(&self) -> usize {
        let trace = simulate_observed(&self.scenario, self.policy, &mut |_| Control::Continue);
        trace.expect("a sound program").tasks.len()
    }
}
