//! `baseline-fs` (section 9).

use super::{Key, Offers, Policy, Whole};
use crate::reference::State;

pub struct BaselineFs;

impl Policy for BaselineFs {
    fn offers(&self) -> Offers {
        Offers::OneByOne
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        let running = [state.running_of_job(job), state.ranks[job], state.counts[job][stage].running];
        running.into_iter().chain([state.ids[job][stage]]).map(Whole).collect()
    }
}
