//! The benches in WebAssembly: whoever loads the module takes the time.

use fairlane::policy::decima;
use fairlane::{PolicyId, Scenario, simulate};
use wasm_bindgen::prelude::*;

use crate::jumps::Jumps;
use crate::programs::{self, ProgramRun};
use crate::workload::{Extras, USUAL, Workload};
use crate::yardstick::{self, Yardstick};

/// In WebAssembly the network of Decima is there once it is installed.
#[wasm_bindgen(start)]
fn start() {
    decima::install();
}

/// The usual workload with all extras, and as many durations for the bare loop.
#[wasm_bindgen]
pub struct Bench {
    scenarios: [Scenario; 3],
    durations: Vec<u32>,
}

#[wasm_bindgen]
impl Bench {
    /// Reads the workload; not to be timed.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Bench {
        let scenarios = Extras::ALL.map(|extras| Workload::usual_with(extras).scenario());
        Bench { scenarios, durations: yardstick::durations(USUAL.total() as usize) }
    }

    /// The ids of all policies, with and without runtime partitioning.
    pub fn policies() -> Vec<String> {
        PolicyId::all().map(|policy| policy.to_string()).collect()
    }

    /// What the workloads are called, by number.
    pub fn workloads() -> Vec<String> {
        Extras::ALL.map(|extras| extras.name().to_owned()).to_vec()
    }

    /// Simulates a workload by number under a policy; the number of tasks. Nothing of the trace is kept.
    pub fn simulate(&self, policy: &str, workload: usize) -> Result<usize, String> {
        let policy: PolicyId = policy.parse().map_err(|error| format!("{error}"))?;
        Ok(simulate(&self.scenarios[workload], policy).tasks.len())
    }

    /// Runs the yardstick by number; the number of tasks.
    pub fn yardstick(&self, number: usize) -> usize {
        Yardstick::ALL[number].run(&self.durations, USUAL.cores).len()
    }
}

/// A simulation under a program.
#[wasm_bindgen]
pub struct ProgramBench(ProgramRun);

#[wasm_bindgen]
impl ProgramBench {
    /// Under a program by number; not to be timed.
    #[wasm_bindgen(constructor)]
    pub fn new(number: usize) -> ProgramBench {
        ProgramBench(ProgramRun::new(number))
    }

    /// The programs.
    pub fn titles() -> Vec<String> {
        programs::titles().into_iter().map(str::to_owned).collect()
    }

    /// Simulates; the number of tasks.
    pub fn run(&self) -> usize {
        self.0.run()
    }
}

/// Jumps in the usual workload under a policy.
#[wasm_bindgen]
pub struct JumpBench(Jumps);

#[wasm_bindgen]
impl JumpBench {
    /// Simulates and replays; not to be timed.
    #[wasm_bindgen(constructor)]
    pub fn new(policy: &str) -> Result<JumpBench, String> {
        let policy = policy.parse().map_err(|error| format!("{error}"))?;
        Ok(JumpBench(Jumps::new(policy)))
    }

    /// Goes to another decision; the number of stages that wait there.
    pub fn jump(&mut self) -> usize {
        self.0.jump().map_or(0, |queue| queue.waiting)
    }
}
