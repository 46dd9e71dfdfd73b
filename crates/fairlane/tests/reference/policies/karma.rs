//! `karma` (section 9).

use std::cmp::Reverse;

use super::{Key, Number, Offers, Policy, Text, Whole};
use crate::reference::{Setting, State};

pub struct Karma {
    /// By user.
    credits: Vec<f64>,
    targets: Vec<u64>,
}

/// The number as one that ascends with it, for sorting.
fn ascending(credits: f64) -> i64 {
    credits.to_bits() as i64
}

impl Karma {
    pub fn new(setting: &Setting) -> Karma {
        let users = setting.users.len();
        Karma { credits: vec![setting.parameter("karma", "credits", 1e6); users], targets: vec![0; users] }
    }
}

impl Policy for Karma {
    fn offers(&self) -> Offers {
        Offers::OneByOne
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        let user = state.setting.jobs[job].user;
        let above = state.running_of_user(user) as f64 - self.targets[user] as f64;
        let name = Text(state.setting.users[user].name.clone());
        vec![Number(above), name, Whole(state.ranks[job]), Whole(state.ids[job][stage])]
    }

    fn period(&self, setting: &Setting) -> Option<u64> {
        Some((setting.parameter("karma", "quantum_s", 1.0) * 1e6 + 0.5).floor() as u64)
    }

    fn period_over(&mut self, state: &State) {
        let setting = state.setting;
        let alpha = setting.parameter("karma", "alpha", 0.5);
        let all = setting.users.iter().map(|user| user.millionths).sum::<u64>() as f64 / 1e6;
        let users = 0..setting.users.len();
        let fair = |user: usize| setting.cores as f64 * setting.users[user].weight() / all;
        let guaranteed: Vec<u64> = users.clone().map(|user| (alpha * fair(user)).floor() as u64).collect();
        let demands: Vec<u64> = users.clone().map(|user| state.demand_of_user(user)).collect();
        let mut shared = setting.cores.saturating_sub(guaranteed.iter().sum());
        let mut donated: Vec<u64> =
            users.clone().map(|user| guaranteed[user].saturating_sub(demands[user])).collect();
        for user in users.clone() {
            self.credits[user] += (1.0 - alpha) * fair(user);
            self.targets[user] = demands[user].min(guaranteed[user]);
        }
        loop {
            let by_credits =
                |&user: &usize| (ascending(self.credits[user]), Reverse(&setting.users[user].name));
            let borrows = |&user: &usize| self.targets[user] < demands[user] && self.credits[user] >= 1.0;
            let Some(borrower) = users.clone().filter(borrows).max_by_key(by_credits) else { return };
            let by_credits = |&user: &usize| (ascending(self.credits[user]), &setting.users[user].name);
            match users.clone().filter(|&user| donated[user] > 0).min_by_key(by_credits) {
                Some(donor) => {
                    donated[donor] -= 1;
                    self.credits[donor] += 1.0;
                }
                None if shared > 0 => shared -= 1,
                None => return,
            }
            self.targets[borrower] += 1;
            self.credits[borrower] -= 1.0;
        }
    }
}
