//! `wfair` (section 9).

use super::{Key, Number, Offers, Policy, Whole};
use crate::reference::State;

pub struct Wfair;

/// target = R * (T^alpha / S).
pub fn target(state: &State, job: usize, alpha: f64) -> f64 {
    let power = |job: usize| {
        let t = state.setting.jobs[job].estimate.max(1) as f64;
        if alpha == 0.0 {
            1.0
        } else if alpha == 1.0 {
            t
        } else if alpha == -1.0 {
            1.0 / t
        } else {
            libm::pow(t, alpha)
        }
    };
    let s = state.active_jobs().into_iter().fold(0.0, |s, job| s + power(job));
    state.setting.cores as f64 * (power(job) / s)
}

impl Policy for Wfair {
    fn target(&self, state: &State, job: usize) -> Option<f64> {
        Some(target(state, job, state.setting.parameter("wfair", "alpha", 0.0)))
    }

    fn offers(&self) -> Offers {
        Offers::Sticky
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        let target = target(state, job, state.setting.parameter("wfair", "alpha", 0.0));
        let first = -(target - state.held_by_job(job) as f64);
        let running = state.counts[job][stage].running;
        vec![Number(first), Whole(state.ranks[job]), Whole(running), Whole(state.ids[job][stage])]
    }
}
