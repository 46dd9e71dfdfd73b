//! `justice` (section 10): the Justice paper's Algorithm 1.

use super::gate::{Gate, key, most, parallelism};
use super::{Action, Key, Offers, Policy};
use crate::reference::{Phase, Setting, State};

/// A job that has ended.
struct Tracked {
    rate: f64,
    /// allocation / M.
    last: f64,
    success: bool,
}

pub struct Justice {
    gate: Gate,
    tracked: Vec<Tracked>,
    dropped: Vec<usize>,
}

impl Justice {
    pub fn new(setting: &Setting) -> Justice {
        Justice { gate: Gate::new(setting), tracked: Vec::new(), dropped: Vec::new() }
    }

    fn correction(&self, setting: &Setting) -> f64 {
        let errors: Vec<f64> = self.tracked.iter().map(|job| job.rate - job.last).collect();
        let smoothing = setting.parameter("justice", "smoothing", -1.0);
        if smoothing < 0.0 {
            return errors.iter().fold(0.0, |sum, error| sum + error) / errors.len() as f64;
        }
        let mut s = errors[0];
        for e in &errors[1..] {
            s = smoothing * e + (1.0 - smoothing) * s;
        }
        s
    }

    fn request(&self, setting: &Setting, job: usize, left: u64) -> f64 {
        let m = most(setting, job) as f64;
        let bootstrap = setting.parameter("justice", "bootstrap_jobs", 1.0);
        if self.tracked.len() as f64 <= bootstrap {
            return m;
        }
        let rates = || self.tracked.iter().map(|job| job.rate);
        let least = rates().reduce(f64::min).unwrap();
        let greatest = rates().reduce(f64::max).unwrap();
        let last = self.tracked.last().unwrap();
        let mut f = (last.last + if last.success { least } else { greatest }) / 2.0;
        f += self.correction(setting);
        f = f.min(1.0);
        f = f.max(least);
        f *= self.gate.deadlines[job] as f64 / left as f64;
        (f * m).ceil().max(1.0)
    }

    fn round(&mut self, state: &State) -> Vec<Action> {
        let mut gate = self.gate.clone();
        let actions = gate.round(state, |job, left| Some(self.request(state.setting, job, left)));
        self.gate = gate;
        actions
    }
}

impl Policy for Justice {
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

    fn deadline_of(&self, state: &State, job: usize) -> Option<u64> {
        let most = state.setting.parameter("justice", "kill_above_tasks", 10.0);
        (parallelism(state.setting, job) as f64 > most).then(|| self.gate.deadlines[job])
    }

    fn deadline(&mut self, state: &State, job: usize) -> Vec<Action> {
        if state.phases[job] == Phase::Started {
            self.dropped.push(job);
            return vec![Action::Drop(job)];
        }
        Vec::new()
    }

    fn job_arrived(&mut self, state: &State, job: usize) -> Vec<Action> {
        self.gate.arrive(job);
        self.round(state)
    }

    fn job_ended(&mut self, state: &State, job: usize) -> Vec<Action> {
        let (m, deadline) = (most(state.setting, job) as f64, self.gate.deadlines[job]);
        let of_job = state.lines.iter().filter(|line| line[0] == job as u64);
        let spent: u64 = of_job.map(|line| line[5].min(state.now) - line[4]).sum();
        self.tracked.push(Tracked {
            rate: (spent as f64 / deadline as f64 / m).min(1.0),
            last: self.gate.allocations[job].unwrap() as f64 / m,
            success: !self.dropped.contains(&job)
                && !state.cancelled[job]
                && state.now <= state.arrivals[job] + deadline,
        });
        self.gate.allocations[job] = None;
        self.round(state)
    }
}
