//! `reactive-fs` (sections 9 and 11).

use super::baseline_fs::BaselineFs;
use super::{Action, Key, Offers, Policy};
use crate::reference::{Phase, State, deadline};

pub struct ReactiveFs;

impl Policy for ReactiveFs {
    fn offers(&self) -> Offers {
        Offers::OneByOne
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        BaselineFs.key(state, job, stage)
    }

    fn deadline_of(&self, state: &State, job: usize) -> Option<u64> {
        Some(deadline(state.setting, job))
    }

    fn deadline(&mut self, state: &State, job: usize) -> Vec<Action> {
        if state.phases[job] == Phase::Started { vec![Action::Drop(job)] } else { Vec::new() }
    }
}
