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

    /// Number of a user's colour in pictures, from 1: the user's own, or else that of the place among the users.
    pub fn colour(&self, user: UserId) -> u32 {
        self.users.get(user.index()).and_then(|user| user.colour).unwrap_or(user.0.saturating_add(1))
    }

    /// The highest number of a user's colour; 0 without users.
    pub fn highest_colour(&self) -> u32 {
        self.colours().into_iter().max().unwrap_or_default()
    }

    /// The colours of all users, in their order.
    fn colours(&self) -> Vec<u32> {
        (0..self.users.len() as u32).map(|user| self.colour(UserId(user))).collect()
    }

    /// Gives all users their colours, in their order: whoever has another place than before keeps the own one.
    fn paint(&mut self, colours: &[u32]) {
        for ((user, &colour), place) in self.users.iter_mut().zip(colours).zip(1..) {
            user.colour = Some(colour).filter(|colour| *colour != place);
        }
    }
}

pub(super) fn add(mut after: Scenario, name: &str, weight: Weight) -> Result<Edited, ScenarioError> {
    let user = UserId(after.users.len() as u32);
    // Nobody else's, were it that of somebody who is gone.
    let mut colours = after.colours();
    colours.extend((1..).find(|colour| !colours.contains(colour)));
    after.users.push(User { weight, ..User::named(name) });
    after.paint(&colours);
    Ok(Edited::new(after).about_user(user))
}

pub(super) fn reorder(mut after: Scenario, user: UserId, index: usize) -> Result<Edited, ScenarioError> {
    after.check_user(user)?;
    let (from, to) = (user.index(), index.min(after.users.len() - 1));
    let mut colours = after.colours();
    let moved = after.users.remove(from);
    after.users.insert(to, moved);
    let own = colours.remove(from);
    colours.insert(to, own);
    after.paint(&colours);
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
    let mut colours = after.colours();
    after.users.remove(user.index());
    colours.remove(user.index());
    after.paint(&colours);
    let mut edited = without_jobs(after, &removed);
    for job in &mut edited.scenario.jobs {
        job.user.0 -= u32::from(job.user > user);
    }
    Ok(edited)
}
