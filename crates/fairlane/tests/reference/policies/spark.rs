//! `fifo`, `fair` and `ujf` (section 4): keys of what runs now.

use super::{Key, KeyPart, Number, Offers, Policy, Text, Whole};
use crate::reference::State;

/// The tie between stages: the stage id, or Spark's name of the stage.
pub fn tie(state: &State, job: usize, stage: usize) -> KeyPart {
    let id = state.ids[job][stage];
    if state.setting.spark_ties { Text(format!("TaskSet_{id}.0")) } else { Whole(id) }
}

pub struct Fifo;

impl Policy for Fifo {
    fn offers(&self) -> Offers {
        Offers::Ranking
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        vec![Whole(state.ranks[job]), Whole(state.ids[job][stage])]
    }
}

pub struct Fair;

impl Policy for Fair {
    fn offers(&self) -> Offers {
        Offers::Ranking
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        vec![Whole(state.counts[job][stage].running), tie(state, job, stage)]
    }
}

pub struct Ujf;

impl Policy for Ujf {
    fn offers(&self) -> Offers {
        Offers::Ranking
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        let user = state.setting.jobs[job].user;
        let spec = &state.setting.users[user];
        let share = state.running_of_user(user) as f64 / spec.weight();
        let running = state.counts[job][stage].running;
        vec![Number(share), Text(spec.name.clone()), Whole(running), tie(state, job, stage)]
    }
}
