//! Section 10 and the shares of section 9: what users hold and have used, counted again at every question.

use crate::reference::setting::Queue;
use crate::reference::{Setting, State};

/// C, by resource: cores, and memory if it is modelled.
pub fn capacity(setting: &Setting) -> Vec<f64> {
    let executors = setting.cores / setting.cores_per_executor;
    let memory = setting.memory.map(|memory| (executors * memory) as f64);
    std::iter::once(setting.cores as f64).chain(memory).collect()
}

/// held_k of a user.
pub fn held(state: &State, user: usize) -> [u64; 2] {
    let mut held = [0, 0];
    for (job, stage) in state.cores.iter().filter_map(|core| core.runs) {
        if state.setting.jobs[job].user == user {
            held[0] += 1;
            held[1] += state.setting.jobs[job].stages[stage].memory;
        }
    }
    held
}

/// used_k of a user since an instant.
pub fn used(state: &State, user: usize, since: u64) -> [u128; 2] {
    let mut used = [0, 0];
    for &[job, stage, _, _, start, end] in &state.lines {
        let (job, from, to) = (&state.setting.jobs[job as usize], start.max(since), end.min(state.now));
        if job.user == user && from < to {
            used[0] += u128::from(to - from);
            used[1] += u128::from(to - from) * u128::from(job.stages[stage as usize].memory);
        }
    }
    used
}

/// Dominant share of a user / weight.
pub fn share(state: &State, user: usize) -> f64 {
    let (held, capacity) = (held(state, user), capacity(state.setting));
    let shares = (0..capacity.len()).map(|k| held[k] as f64 / capacity[k]);
    shares.fold(0.0, f64::max) / state.setting.users[user].weight()
}

/// T(n) of the burst that an instant lies in.
pub fn begin(queue: &Queue, now: u64) -> Option<u64> {
    let mut begin = queue.joins;
    if now < begin {
        return None;
    }
    begin += (now - begin) / queue.period * queue.period;
    Some(begin)
}

/// Whether an instant lies in a window.
pub fn is_inside(queue: &Queue, now: u64) -> bool {
    begin(queue, now).is_some_and(|begin| now < begin + queue.within)
}
