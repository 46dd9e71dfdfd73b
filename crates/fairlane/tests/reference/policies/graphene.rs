//! `graphene` (section 9).

use super::sjf_cp::critical_path;
use super::wfair::target;
use super::{Key, Negative, Number, Offers, Policy, Whole};
use crate::reference::{Setting, State};

pub struct Graphene;

fn is_troublesome(setting: &Setting, job: usize, stage: usize) -> bool {
    let stages = &setting.jobs[job].stages;
    let mean = |stage: usize| stages[stage].estimate as f64 / stages[stage].tasks.len() as f64;
    let largest = (0..stages.len()).map(mean).fold(0.0, f64::max);
    let is_long = largest != 0.0 && mean(stage) >= setting.parameter("graphene", "long", 0.5) * largest;
    let is_large = setting.memory.is_some_and(|memory| {
        stages[stage].memory as f64 >= setting.parameter("graphene", "memory", 0.5) * memory as f64
    });
    is_long || is_large
}

/// 0 = troublesome or an ancestor of one, else 1.
fn class(setting: &Setting, job: usize, stage: usize) -> u64 {
    let stages = &setting.jobs[job].stages;
    let mut children = (0..stages.len()).filter(|&child| stages[child].parents.contains(&stage));
    let first = is_troublesome(setting, job, stage) || children.any(|child| class(setting, job, child) == 0);
    u64::from(!first)
}

impl Policy for Graphene {
    fn target(&self, state: &State, job: usize) -> Option<f64> {
        Some(target(state, job, state.setting.parameter("graphene", "alpha", -1.0)))
    }

    fn offers(&self) -> Offers {
        Offers::Sticky
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        let target = target(state, job, state.setting.parameter("graphene", "alpha", -1.0));
        let first = -(target - state.held_by_job(job) as f64);
        let class = class(state.setting, job, stage);
        let cp = critical_path(&state.setting.jobs[job], stage);
        vec![Number(first), Whole(state.ranks[job]), Whole(class), Negative(cp), Whole(state.ids[job][stage])]
    }
}
