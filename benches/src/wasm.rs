//! The benches in WebAssembly: whoever loads the module takes the time.

use fairlane::{PolicyId, PolicyKind, Scenario, simulate};
use wasm_bindgen::prelude::*;

use crate::workload::USUAL;
use crate::yardstick::{self, Yardstick};

/// The usual workload, and as many durations for the bare loop.
#[wasm_bindgen]
pub struct Bench {
    scenario: Scenario,
    durations: Vec<u32>,
}

#[wasm_bindgen]
impl Bench {
    /// Reads the workload; not to be timed.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Bench {
        Bench { scenario: USUAL.scenario(), durations: yardstick::durations(USUAL.total() as usize) }
    }

    /// The ids of all policies.
    pub fn policies() -> Vec<String> {
        PolicyKind::ALL.iter().map(|kind| kind.info().id.to_owned()).collect()
    }

    /// Simulates under a policy; the number of tasks. Nothing of the trace is kept.
    pub fn simulate(&self, policy: &str) -> Result<usize, String> {
        let policy: PolicyId = policy.parse().map_err(|error| format!("{error}"))?;
        Ok(simulate(&self.scenario, policy).tasks.len())
    }

    /// Runs the yardstick by number; the number of tasks.
    pub fn yardstick(&self, number: usize) -> usize {
        Yardstick::ALL[number].run(&self.durations, USUAL.cores).len()
    }
}
