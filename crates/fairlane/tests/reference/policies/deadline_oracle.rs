//! `deadline-oracle` (section 10).

use super::gate::{Gate, key, most};
use super::{Action, Key, Offers, Policy};
use crate::reference::{Setting, State, simulate_setting};

pub struct DeadlineOracle {
    gate: Gate,
}

/// The least x with which the job alone responds in time.
fn request(setting: &Setting, job: usize, left: u64) -> Option<f64> {
    let response = |x: u64| {
        let alone = setting.alone_on(job, x);
        let ends = simulate_setting(&alone, "baseline-fs").ends;
        let (how, end) = &ends[0];
        // A barrier stage may not fit on one executor.
        if how == "finished" { *end } else { u64::MAX }
    };
    (setting.largest_barrier(job).max(1)..=most(setting, job))
        .find(|&x| response(x) <= left)
        .map(|x| x as f64)
}

impl DeadlineOracle {
    pub fn new(setting: &Setting) -> DeadlineOracle {
        DeadlineOracle { gate: Gate::new(setting) }
    }

    fn round(&mut self, state: &State) -> Vec<Action> {
        self.gate.round(state, |job, left| request(state.setting, job, left))
    }
}

impl Policy for DeadlineOracle {
    fn target(&self, _: &State, job: usize) -> Option<f64> {
        self.gate.allocations[job].map(|cores| cores as f64)
    }

    fn offers(&self) -> Offers {
        Offers::OneByOne
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        key(state, job, stage)
    }

    fn room(&self, state: &State, job: usize, _: usize) -> u64 {
        self.gate.room(state, job)
    }

    fn capped_group(&self, _: &State, job: usize, _: usize) -> Option<String> {
        Some(job.to_string())
    }

    fn job_arrived(&mut self, state: &State, job: usize) -> Vec<Action> {
        self.gate.arrive(job);
        self.round(state)
    }

    fn job_ended(&mut self, state: &State, job: usize) -> Vec<Action> {
        self.gate.allocations[job] = None;
        self.round(state)
    }
}
