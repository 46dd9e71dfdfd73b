//! `bopf` and `n-bopf` (section 10): the BoPF paper's Algorithm 1.

use super::queues::{begin, capacity, held, is_inside, share, used};
use super::{Action, Key, Number, Offers, Policy, Whole};
use crate::reference::setting::Queue;
use crate::reference::{Setting, State};

#[derive(Clone, Copy, PartialEq)]
enum Class {
    H,
    S,
    E,
    Rejected,
}

pub struct Bopf {
    /// By user.
    classes: Vec<Class>,
    /// Users in the order of admission.
    admitted: Vec<usize>,
}

/// Instants at which the first b windows of a queue begin.
fn begins(queue: &Queue, b: u64) -> Vec<u64> {
    (0..b).map(|n| queue.joins + n * queue.period).collect()
}

impl Bopf {
    pub fn new(setting: &Setting, soft: bool) -> Bopf {
        let users = setting.users.len();
        let mut order: Vec<usize> = (0..users).collect();
        order.sort_by_key(|&user| (setting.users[user].queue.joins, user));
        let mut bopf = Bopf { classes: vec![Class::Rejected; users], admitted: Vec::new() };
        for user in order {
            bopf.classes[user] = bopf.class(setting, user, soft);
            if bopf.classes[user] != Class::Rejected {
                bopf.admitted.push(user);
            }
        }
        bopf
    }

    fn class(&self, setting: &Setting, user: usize, soft: bool) -> Class {
        let c = capacity(setting);
        let queue = &setting.users[user].queue;
        let n = ((self.admitted.len() + 1) as f64).max(setting.parameter("bopf", "min_queues", 1.0));
        let d = |queue: &Queue, k: usize| queue.demand[k] as f64;
        let fits = |queue: &Queue| (0..c.len()).all(|k| d(queue, k) * n <= c[k] * queue.period as f64);
        // Safe.
        let guaranteed =
            self.admitted.iter().filter(|&&other| matches!(self.classes[other], Class::H | Class::S));
        if !guaranteed.into_iter().all(|&other| fits(&setting.users[other].queue)) {
            return Class::Rejected;
        }
        // Fair.
        if !queue.latency || !fits(queue) {
            return Class::E;
        }
        // Resource.
        let bursts = |user: usize| {
            let queue = &setting.users[user].queue;
            let arrivals = setting.jobs.iter().filter(|job| job.user == user).map(|job| job.arrival);
            arrivals.max().map_or(1, |last| 1 + last.saturating_sub(queue.joins) / queue.period)
        };
        let hard: Vec<usize> =
            self.admitted.iter().copied().filter(|&other| self.classes[other] == Class::H).collect();
        let own = begins(queue, bursts(user));
        let mut instants = own.clone();
        for &other in &hard {
            let inside = |at: &u64| own.iter().any(|begin| begin < at && *at < begin + queue.within);
            instants.extend(begins(&setting.users[other].queue, bursts(other)).into_iter().filter(inside));
        }
        let there_is_room = instants.into_iter().all(|at| {
            (0..c.len()).all(|k| {
                let mut sum = 0.0;
                for &other in &hard {
                    let queue = &setting.users[other].queue;
                    let windows = begins(queue, bursts(other));
                    if windows.into_iter().any(|begin| begin <= at && at < begin + queue.within) {
                        sum += d(queue, k) / queue.within as f64;
                    }
                }
                sum + d(queue, k) / queue.within as f64 <= c[k]
            })
        });
        match (there_is_room, soft) {
            (true, _) => Class::H,
            (false, true) => Class::S,
            (false, false) => Class::E,
        }
    }
}

impl Policy for Bopf {
    fn offers(&self) -> Offers {
        Offers::OneByOne
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        let user = state.setting.jobs[job].user;
        let (class, queue) = (self.classes[user], &state.setting.users[user].queue);
        let order = self.admitted.iter().position(|&other| other == user).unwrap() as u64;
        let c = capacity(state.setting);
        let held = held(state, user);
        let demanded: Vec<usize> = (0..c.len()).filter(|&k| queue.demand[k] > 0).collect();
        let begin = begin(queue, state.now);
        let used = used(state, user, begin.unwrap_or(0)).map(|used| used as f64);
        let d = |k: usize| queue.demand[k] as f64;
        let guaranteed = matches!(class, Class::H | Class::S);
        let owed = guaranteed && begin.is_some() && demanded.iter().all(|&k| used[k] < d(k));
        let below = demanded.iter().all(|&k| held[k] as f64 * (queue.within as f64) < d(k));
        let mut key = if class == Class::H && owed && below {
            vec![Whole(1), Whole(order)]
        } else if class == Class::S && owed && is_inside(queue, state.now) {
            let left = demanded.iter().map(|&k| (d(k) - used[k]) / c[k]).fold(0.0, f64::max);
            vec![Whole(2), Number(left), Whole(order)]
        } else {
            let class = if class == Class::E || owed { 3 } else { 4 };
            vec![Whole(class), Number(share(state, user)), Whole(user as u64)]
        };
        key.extend([state.ranks[job], state.ids[job][stage]].map(Whole));
        key
    }

    fn classes(&self) -> Vec<&'static str> {
        let name = |class: &Class| match class {
            Class::H => "H",
            Class::S => "S",
            Class::E => "E",
            Class::Rejected => "rejected",
        };
        self.classes.iter().map(name).collect()
    }

    fn job_arrived(&mut self, state: &State, job: usize) -> Vec<Action> {
        match self.classes[state.setting.jobs[job].user] {
            Class::Rejected => vec![Action::Reject(job)],
            _ => vec![Action::Start(job)],
        }
    }
}
