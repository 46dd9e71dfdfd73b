//! `decay` (section 9).

use super::{Key, Number, Offers, Policy, Whole};
use crate::reference::State;

pub struct Decay;

/// u of a user, from its launches and ends up to now.
fn usage(state: &State, user: usize) -> f64 {
    let m = state.setting.parameter("decay", "half_life_s", 60.0) * 1e6 / std::f64::consts::LN_2;
    let mut changes = vec![(state.now, 0)];
    for &[job, _, _, _, start, end] in &state.lines {
        if state.setting.jobs[job as usize].user == user {
            changes.extend([(start, 1), (end, -1)].into_iter().filter(|&(time, _)| time <= state.now));
        }
    }
    changes.sort_unstable();
    let (mut u, mut last, mut running) = (0.0, 0, 0);
    for (time, change) in changes {
        let x = (time - last) as f64 / m;
        u = u * libm::exp(-x) - f64::from(running) * m * libm::expm1(-x);
        (last, running) = (time, running + change);
    }
    u
}

impl Policy for Decay {
    fn offers(&self) -> Offers {
        Offers::OneByOne
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        let user = state.setting.jobs[job].user;
        let rest = [user as u64, state.ranks[job], state.ids[job][stage]];
        let use_per_weight = usage(state, user) / state.setting.users[user].weight();
        std::iter::once(Number(use_per_weight)).chain(rest.map(Whole)).collect()
    }
}
