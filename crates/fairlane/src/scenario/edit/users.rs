//! Edits of the users, and of the numbers by which jobs refer to them.

use super::Edited;
use super::jobs::without_jobs;
use crate::ids::UserId;
use crate::scenario::error::ensure;
use crate::scenario::{Scenario, ScenarioError, User};
use crate::units::Weight;

impl Scenario {
    /// A name that no user has: `user 3` for the third user, or the next number that is free.
    pub fn free_user_name(&self) -> String {
        let free = |name: &String| self.users.iter().all(|user| user.name != *name);
        let mut names = (self.users.len() + 1..).map(|number| format!("user {number}"));
        names.find(free).expect("there are more numbers than users")
    }
}

pub(super) fn add(mut after: Scenario, name: &str, weight: Weight) -> Result<Edited, ScenarioError> {
    let user = UserId(after.users.len() as u32);
    after.users.push(User { weight, ..User::named(name) });
    Ok(Edited::new(after).about_user(user))
}

pub(super) fn reorder(mut after: Scenario, user: UserId, index: usize) -> Result<Edited, ScenarioError> {
    after.check_user(user)?;
    let (from, to) = (user.index(), index.min(after.users.len() - 1));
    let moved = after.users.remove(from);
    after.users.insert(to, moved);
    for job in &mut after.jobs {
        let number = job.user.index();
        let shifted =
            number - usize::from(from < number) + usize::from(to <= number - usize::from(from < number));
        job.user = UserId(if number == from { to } else { shifted } as u32);
    }
    Ok(Edited::new(after).about_user(UserId(to as u32)))
}

pub(super) fn remove(mut after: Scenario, user: UserId) -> Result<Edited, ScenarioError> {
    after.check_user(user)?;
    ensure!(
        !after.jobs.iter().all(|job| job.user == user),
        format!("users[{}]", user.0),
        "all jobs are this user's and a scenario needs at least one; give another user a job first",
    );
    let removed: Vec<bool> = after.jobs.iter().map(|job| job.user == user).collect();
    after.users.remove(user.index());
    let mut edited = without_jobs(after, &removed);
    for job in &mut edited.scenario.jobs {
        job.user.0 -= u32::from(job.user > user);
    }
    Ok(edited)
}
