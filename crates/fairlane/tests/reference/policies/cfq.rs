//! `cfq` (section 4).
#![allow(clippy::assign_op_pattern, reason = "formulas stand as the model words them")]

use super::{Key, Number, Offers, Policy, Whole};
use crate::reference::{Setting, State};

pub struct Cfq {
    r: f64,
    v: f64,
    t: f64,
    /// (D, stage id), in no order.
    active: Vec<(f64, u64)>,
    /// (D, stage id) of every stage submitted.
    deadlines: Vec<(f64, u64)>,
}

impl Cfq {
    pub fn new(setting: &Setting) -> Cfq {
        Cfq { r: setting.cores as f64, v: 0.0, t: 0.0, active: Vec::new(), deadlines: Vec::new() }
    }

    fn submit(&mut self, t: f64, id: u64, estimate: u64) {
        while !self.active.is_empty() {
            self.active.sort_by(|a, b| a.partial_cmp(b).unwrap());
            let d = self.active[0].0;
            let r = self.r / self.active.len() as f64;
            let tf = f64::max(self.t, self.t + (d - self.v) / r);
            if tf > t {
                break;
            }
            self.active.remove(0);
            self.v = d;
            self.t = tf;
        }
        if !self.active.is_empty() {
            self.v = self.v + (t - self.t) * self.r / self.active.len() as f64;
        }
        self.t = t;
        let d = self.v + estimate as f64;
        self.active.push((d, id));
        self.deadlines.push((d, id));
    }

    fn deadline(&self, id: u64) -> f64 {
        self.deadlines.iter().find(|(_, other)| *other == id).unwrap().0
    }
}

impl Policy for Cfq {
    fn ranks_all(&self) -> bool {
        false
    }

    fn offers(&self) -> Offers {
        Offers::Ranking
    }

    fn stage_submitted(&mut self, state: &State, job: usize, stage: usize) {
        let estimate = state.setting.jobs[job].stages[stage].estimate;
        self.submit(state.now as f64, state.ids[job][stage], estimate);
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        let id = state.ids[job][stage];
        vec![Number(self.deadline(id)), Whole(id)]
    }
}
