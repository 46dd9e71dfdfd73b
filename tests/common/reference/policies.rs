//! Section 4 of `docs/model.md`: the five policies, word for word.
#![allow(clippy::assign_op_pattern, reason = "formulas stand as the model words them")]

use std::cmp::Ordering;

use super::{Setting, Stage};

/// A part of a key; keys are compared part by part.
#[derive(Debug, PartialEq)]
pub enum KeyPart {
    Whole(u64),
    Number(f64),
    Text(String),
}

/// Compares two keys of one policy.
pub fn compare(a: &[KeyPart], b: &[KeyPart]) -> Ordering {
    for pair in a.iter().zip(b) {
        let order = match pair {
            (KeyPart::Whole(a), KeyPart::Whole(b)) => a.cmp(b),
            (KeyPart::Number(a), KeyPart::Number(b)) => a.partial_cmp(b).unwrap(),
            (KeyPart::Text(a), KeyPart::Text(b)) => a.cmp(b),
            _ => panic!("keys of one policy have the same parts"),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}

/// All policies at once, of which one decides.
pub struct Policies<'a> {
    kind: String,
    setting: &'a Setting,
    /// a, by place in the file.
    ranks: Vec<u64>,
    cfq: Cfq,
    uwfq: Uwfq,
}

impl<'a> Policies<'a> {
    pub fn new(kind: &str, setting: &'a Setting, ranks: Vec<u64>) -> Self {
        let users =
            setting.users.iter().map(|user| UwfqUser { millionths: user.millionths, ..UwfqUser::default() });
        let uwfq = Uwfq {
            r: setting.cores as f64,
            v: 0.0,
            t: 0.0,
            users: users.collect(),
            deadlines: vec![0.0; ranks.len()],
        };
        let cfq = Cfq { r: setting.cores as f64, v: 0.0, t: 0.0, active: Vec::new(), deadlines: Vec::new() };
        Policies { kind: kind.to_owned(), setting, ranks, cfq, uwfq }
    }

    pub fn job_arrived(&mut self, now: u64, job: usize) {
        let a = self.ranks[job];
        let spec = &self.setting.jobs[job];
        self.uwfq.advance(now as f64);
        self.uwfq.admit(a, spec.user, spec.estimate);
    }

    pub fn stage_submitted(&mut self, now: u64, job: usize, id: u64, stage: &Stage, unsubmitted: u64) {
        self.cfq.submit(now as f64, id, stage.estimate);
        if !stage.parents.is_empty() {
            let user = self.setting.jobs[job].user;
            self.uwfq.stage_with_parents(now as f64, self.ranks[job], user, unsubmitted, self.setting);
        }
    }

    pub fn key(&self, job: usize, id: u64, running: u64, user_running: u64) -> Vec<KeyPart> {
        let a = self.ranks[job];
        let user = &self.setting.users[self.setting.jobs[job].user];
        let tie = match self.setting.spark_ties {
            true => KeyPart::Text(format!("TaskSet_{id}.0")),
            false => KeyPart::Whole(id),
        };
        match self.kind.as_str() {
            "fifo" => vec![KeyPart::Whole(a), KeyPart::Whole(id)],
            "fair" => vec![KeyPart::Whole(running), tie],
            "ujf" => {
                let weight = user.millionths as f64 / 1e6;
                let share = KeyPart::Number(user_running as f64 / weight);
                vec![share, KeyPart::Text(user.name.clone()), KeyPart::Whole(running), tie]
            }
            "cfq" => vec![KeyPart::Number(self.cfq.deadline(id)), KeyPart::Whole(id)],
            "uwfq" => {
                let deadline = self.uwfq.deadlines[a as usize];
                vec![KeyPart::Number(deadline), KeyPart::Whole(a), KeyPart::Whole(id)]
            }
            other => panic!("there is no policy {other}"),
        }
    }
}

struct Cfq {
    r: f64,
    v: f64,
    t: f64,
    /// (D, stage id), in no order.
    active: Vec<(f64, u64)>,
    /// (D, stage id) of every stage submitted.
    deadlines: Vec<(f64, u64)>,
}

impl Cfq {
    fn submit(&mut self, t: f64, id: u64, estimate: u64) {
        while !self.active.is_empty() {
            self.active.sort_by(|a, b| a.partial_cmp(b).unwrap());
            let d = self.active[0].0;
            let r = self.r / self.active.len() as f64;
            let tf = f64::max(self.t, self.t + (d - self.v) / r);
            if tf > t {
                break;
            }
            self.active.remove(0);
            self.v = d;
            self.t = tf;
        }
        if !self.active.is_empty() {
            self.v = self.v + (t - self.t) * self.r / self.active.len() as f64;
        }
        self.t = t;
        let d = self.v + estimate as f64;
        self.active.push((d, id));
        self.deadlines.push((d, id));
    }

    fn deadline(&self, id: u64) -> f64 {
        self.deadlines.iter().find(|(_, other)| *other == id).unwrap().0
    }
}

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

struct Uwfq {
    r: f64,
    v: f64,
    t: f64,
    users: Vec<UwfqUser>,
    /// D_job by a.
    deadlines: Vec<f64>,
}

impl Uwfq {
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
