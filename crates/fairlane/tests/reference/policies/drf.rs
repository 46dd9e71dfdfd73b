//! `drf` (section 9).

use super::queues::share;
use super::{Key, Number, Offers, Policy, Whole};
use crate::reference::State;

pub struct Drf;

impl Policy for Drf {
    fn offers(&self) -> Offers {
        Offers::OneByOne
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        let user = state.setting.jobs[job].user;
        let rest = [user as u64, state.ranks[job], state.ids[job][stage]];
        std::iter::once(Number(share(state, user))).chain(rest.map(Whole)).collect()
    }
}
