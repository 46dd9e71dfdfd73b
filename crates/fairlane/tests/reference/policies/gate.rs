//! Section 11: the gate before `deadline-oracle` and `justice`.

use super::{Action, Key, Whole};
use crate::reference::{Phase, Setting, State, deadline};

#[derive(Clone)]
pub struct Gate {
    /// By job, in µs after its arrival.
    pub deadlines: Vec<u64>,
    waiting: Vec<usize>,
    /// By job, from its admission to its end.
    pub allocations: Vec<Option<u64>>,
}

/// min(m, R).
pub fn most(setting: &Setting, job: usize) -> u64 {
    parallelism(setting, job).min(setting.cores)
}

/// m.
pub fn parallelism(setting: &Setting, job: usize) -> u64 {
    setting.jobs[job].stages.iter().map(|stage| stage.tasks.len() as u64).max().unwrap()
}

impl Gate {
    pub fn new(setting: &Setting) -> Gate {
        let jobs = setting.jobs.len();
        let deadlines = (0..jobs).map(|job| deadline(setting, job)).collect();
        Gate { deadlines, waiting: Vec::new(), allocations: vec![None; jobs] }
    }

    pub fn arrive(&mut self, job: usize) {
        self.waiting.push(job);
    }

    /// An admission round; `request` gives r for a job and the time left.
    pub fn round(&mut self, state: &State, request: impl Fn(usize, u64) -> Option<f64>) -> Vec<Action> {
        // A job that was cancelled while it waited has just ended.
        self.waiting.retain(|&job| state.phases[job] == Phase::Waiting);
        self.waiting.sort_by_key(|&job| state.ranks[job]);
        let (mut actions, mut feasible) = (Vec::new(), Vec::new());
        for &job in &self.waiting {
            let waited = state.now - state.arrivals[job];
            let left = self.deadlines[job] as i64 - waited as i64;
            let r = if left <= 0 { None } else { request(job, left as u64) };
            // Section 20.
            let r = r.map(|r| r.max(state.setting.largest_barrier(job) as f64));
            match r.filter(|&r| r <= most(state.setting, job) as f64) {
                Some(r) => feasible.push((r / left as f64, state.ranks[job], job, r as u64)),
                None => actions.push(Action::Drop(job)),
            }
        }
        feasible.sort_by(|a, b| (a.0, a.1).partial_cmp(&(b.0, b.1)).unwrap());
        self.waiting.clear();
        for (_, _, job, r) in feasible {
            let available = state.setting.cores - self.allocations.iter().flatten().sum::<u64>();
            if r <= available {
                self.allocations[job] = Some(r);
                actions.push(Action::Start(job));
            } else {
                self.waiting.push(job);
            }
        }
        actions
    }

    /// How many more tasks a job may run.
    pub fn room(&self, state: &State, job: usize) -> u64 {
        self.allocations[job].unwrap().saturating_sub(state.running_of_job(job))
    }
}

/// (a, N_stage, stage id).
pub fn key(state: &State, job: usize, stage: usize) -> Key {
    [state.ranks[job], state.counts[job][stage].running, state.ids[job][stage]].map(Whole).into()
}
