//! `uwfq` (section 4): the UWFQ paper's Algorithms 1 to 3 with grace.
#![allow(clippy::assign_op_pattern, reason = "formulas stand as the model words them")]

use super::{Action, Key, Number, Offers, Policy, Whole};
use crate::reference::{Setting, State};

struct UwfqJob {
    d_user: f64,
    a: u64,
    work: u64,
}

#[derive(Default)]
struct UwfqUser {
    millionths: u64,
    active: bool,
    va: f64,
    vu: f64,
    served: u128,
    /// Ordered by (D_user, a).
    jobs: Vec<UwfqJob>,
    end: f64,
    left_with: Option<f64>,
}

impl UwfqUser {
    fn w(&self) -> f64 {
        self.millionths as f64 / 1e6
    }

    fn serve(&mut self, mut dt: f64, share: f64) {
        while !self.jobs.is_empty() {
            let r = share / self.jobs.len() as f64;
            let d_user = self.jobs[0].d_user;
            if d_user > self.vu + dt * r {
                break;
            }
            let spent = d_user - self.vu;
            self.vu = d_user;
            dt = dt - spent / r;
            let job = self.jobs.remove(0);
            self.served += u128::from(job.work);
        }
        if !self.jobs.is_empty() {
            self.vu = self.vu + dt * share / self.jobs.len() as f64;
        }
    }
}

pub struct Uwfq {
    r: f64,
    v: f64,
    t: f64,
    users: Vec<UwfqUser>,
    /// D_job by a.
    deadlines: Vec<f64>,
}

impl Uwfq {
    pub fn new(setting: &Setting) -> Uwfq {
        let users =
            setting.users.iter().map(|user| UwfqUser { millionths: user.millionths, ..UwfqUser::default() });
        Uwfq {
            r: setting.cores as f64,
            v: 0.0,
            t: 0.0,
            users: users.collect(),
            deadlines: vec![0.0; setting.jobs.len()],
        }
    }

    /// W.
    fn weights(&self) -> f64 {
        let active = self.users.iter().filter(|user| user.active);
        active.map(|user| user.millionths).sum::<u64>() as f64 / 1e6
    }

    /// The active user with the least (End, place in the user list).
    fn next_to_leave(&self) -> Option<usize> {
        let mut best: Option<usize> = None;
        for (k, user) in self.users.iter().enumerate() {
            if user.active && best.is_none_or(|best| user.end < self.users[best].end) {
                best = Some(k);
            }
        }
        best
    }

    fn advance(&mut self, t: f64) {
        while let Some(k) = self.next_to_leave() {
            let end = self.users[k].end;
            let tf = f64::max(self.t, self.t + (end - self.v) * self.weights() / self.r);
            if tf > t {
                break;
            }
            self.progress(tf);
            self.v = end;
            self.users[k].active = false;
            self.users[k].left_with = Some(end);
            self.users[k].jobs.clear();
        }
        self.progress(t);
    }

    fn progress(&mut self, to: f64) {
        let w_all = self.weights();
        let dt = to - self.t;
        if self.users.iter().any(|user| user.active) {
            self.v = self.v + dt * self.r / w_all;
            for user in self.users.iter_mut().filter(|user| user.active) {
                let share = user.w() * self.r / w_all;
                user.serve(dt, share);
            }
        }
        self.t = to;
    }

    fn admit(&mut self, a: u64, k: usize, work: u64) {
        let user = &mut self.users[k];
        if !user.active {
            user.active = true;
            user.va = self.v;
            user.vu = 0.0;
            user.served = 0;
        }
        user.jobs.push(UwfqJob { d_user: user.vu + work as f64, a, work });
        user.jobs.sort_by(|x, y| (x.d_user, x.a).partial_cmp(&(y.d_user, y.a)).unwrap());
        for i in 0..user.jobs.len() {
            let work: u128 = user.jobs[..=i].iter().map(|job| u128::from(job.work)).sum();
            let d_global = user.va + (user.served + work) as f64 / user.w();
            self.deadlines[user.jobs[i].a as usize] = d_global;
            user.end = d_global;
        }
    }

    /// "Grace".
    fn stage_with_parents(&mut self, t: f64, a: u64, k: usize, unsubmitted: u64, setting: &Setting) {
        self.advance(t);
        let user = &self.users[k];
        if user.jobs.iter().any(|job| job.a == a) {
            return;
        }
        if setting.late_on_top {
            self.deadlines[a as usize] = 0.0;
            return;
        }
        let grace = setting.grace as f64 * self.r;
        let keeps = user.active || user.left_with.is_some_and(|end| self.v <= end + grace);
        if !keeps {
            self.admit(a, k, unsubmitted);
        }
    }
}

impl Policy for Uwfq {
    fn ranks_all(&self) -> bool {
        false
    }

    fn offers(&self) -> Offers {
        Offers::Ranking
    }

    fn job_arrived(&mut self, state: &State, job: usize) -> Vec<Action> {
        let spec = &state.setting.jobs[job];
        self.advance(state.now as f64);
        self.admit(state.ranks[job], spec.user, spec.estimate);
        vec![Action::Start(job)]
    }

    fn stage_submitted(&mut self, state: &State, job: usize, stage: usize) {
        let spec = &state.setting.jobs[job];
        if spec.stages[stage].parents.is_empty() {
            return;
        }
        let unsubmitted = spec.stages.iter().zip(&state.counts[job]).filter(|(_, counts)| !counts.submitted);
        let unsubmitted = unsubmitted.map(|(stage, _)| stage.estimate).sum();
        self.stage_with_parents(state.now as f64, state.ranks[job], spec.user, unsubmitted, state.setting);
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        let a = state.ranks[job];
        vec![Number(self.deadlines[a as usize]), Whole(a), Whole(state.ids[job][stage])]
    }
}
