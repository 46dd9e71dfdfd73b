//! `sp` (section 9).

use super::drf::Drf;
use super::{Key, Offers, Policy, Whole};
use crate::reference::State;

pub struct Sp;

impl Policy for Sp {
    fn offers(&self) -> Offers {
        Offers::OneByOne
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        let latency = state.setting.users[state.setting.jobs[job].user].queue.latency;
        let mut key = vec![Whole(if latency { 0 } else { 1 })];
        key.extend(Drf.key(state, job, stage));
        key
    }
}
