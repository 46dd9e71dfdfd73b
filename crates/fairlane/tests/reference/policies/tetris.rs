//! `tetris` (section 9).

use super::{Key, Number, Offers, Policy, Whole};
use crate::reference::State;

pub struct Tetris;

fn score(state: &State, executor: usize, job: usize, stage: usize) -> f64 {
    let c = state.setting.cores_per_executor as usize;
    let cores = executor * c..(executor + 1) * c;
    let free = cores.filter(|&core| state.is_free(core)).count() as f64;
    let c = c as f64;
    let score = (1.0 / c) * (free / c);
    match (state.setting.memory, state.free_memory(executor as u64)) {
        (Some(all), Some(free)) => {
            let mem = state.setting.jobs[job].stages[stage].memory as f64;
            score + (mem / all as f64) * (free as f64 / all as f64)
        }
        _ => score,
    }
}

impl Policy for Tetris {
    fn key_on(&self, state: &State, job: usize, stage: usize, core: usize) -> Key {
        let executor = core / state.setting.cores_per_executor as usize;
        let negative = -score(state, executor, job, stage);
        vec![Number(negative), Whole(state.ranks[job]), Whole(state.ids[job][stage])]
    }

    fn offers(&self) -> Offers {
        Offers::ByExecutor
    }

    /// What preemption goes by.
    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        vec![Whole(state.ranks[job]), Whole(state.ids[job][stage])]
    }
}
