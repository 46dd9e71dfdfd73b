//! `m-bvt` (section 10).

use super::queues::{capacity, is_inside, used};
use super::{Action, Key, Number, Offers, Policy, drf};
use crate::reference::{Setting, State};

pub struct MBvt {
    offsets: Vec<f64>,
}

impl MBvt {
    pub fn new(setting: &Setting) -> MBvt {
        MBvt { offsets: vec![0.0; setting.users.len()] }
    }

    fn virtual_time(&self, state: &State, user: usize) -> f64 {
        let (used, capacity) = (used(state, user, 0), capacity(state.setting));
        let most = (0..capacity.len()).map(|k| used[k] as f64 / capacity[k]).fold(0.0, f64::max);
        self.offsets[user] + most / state.setting.users[user].weight()
    }
}

impl Policy for MBvt {
    fn offers(&self) -> Offers {
        Offers::OneByOne
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        let user = state.setting.jobs[job].user;
        let queue = &state.setting.users[user].queue;
        let warp = if queue.latency && is_inside(queue, state.now) { queue.warp as f64 } else { 0.0 };
        let mut key = vec![Number(self.virtual_time(state, user) - warp)];
        key.extend(drf::Drf.key(state, job, stage));
        key
    }

    fn job_arrived(&mut self, state: &State, job: usize) -> Vec<Action> {
        let user_of = |job: usize| state.setting.jobs[job].user;
        let user = user_of(job);
        let others: Vec<usize> = state.active_jobs().into_iter().filter(|&other| other != job).collect();
        if others.iter().all(|&other| user_of(other) != user) {
            let mine = self.virtual_time(state, user);
            let theirs = others.iter().map(|&other| self.virtual_time(state, user_of(other)));
            if let Some(least) = theirs.reduce(f64::min)
                && mine < least
            {
                self.offsets[user] += least - mine;
            }
        }
        vec![Action::Start(job)]
    }
}
