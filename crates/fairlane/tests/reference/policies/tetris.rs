//! `tetris` (section 9).

use super::{Key, Launch, Number, Offers, Policy, Whole, compare};
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
        Offers::Own
    }

    fn key(&self, _: &State, _: usize, _: usize) -> Key {
        unreachable!("its choice is no least key of all stages")
    }

    fn choice(&self, state: &State) -> Option<Launch> {
        let c = state.setting.cores_per_executor as usize;
        for executor in 0..state.cores.len() / c {
            let core = (executor * c..(executor + 1) * c).find(|&core| state.is_free(core));
            let Some(core) = core else { continue };
            let key = |&(job, stage): &(usize, usize)| {
                let negative = -score(state, executor, job, stage);
                vec![Number(negative), Whole(state.ranks[job]), Whole(state.ids[job][stage])]
            };
            let fitting = state.waiting().into_iter().filter(|&(job, stage)| state.fits(job, stage, core));
            if let Some((job, stage)) = fitting.min_by(|a, b| compare(&key(a), &key(b))) {
                return Some(Launch { job, stage, core });
            }
        }
        None
    }
}
