//! Edits of the users, and the numbers that jobs know them by.

use super::{Edited, Renumbering, UserEdit};
use crate::ids::UserId;
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

pub(super) fn change(mut after: Scenario, user: UserId, edit: &UserEdit) -> Result<Edited, ScenarioError> {
    after.check_user(user)?;
    match edit {
        UserEdit::Name(name) => {
            check_free(&after, name, user)?;
            after.users[user.index()].name.clone_from(name);
        }
        UserEdit::Weight(weight) => after.users[user.index()].weight = *weight,
    }
    Ok(Edited::new(after).about_user(user))
}

/// Checks that no other user has a name.
fn check_free(scenario: &Scenario, name: &str, user: UserId) -> Result<(), ScenarioError> {
    let mut users = scenario.users.iter().enumerate();
    if users.any(|(place, other)| place != user.index() && other.name == name) {
        return Err(ScenarioError::at(
            format!("users[{}].name", user.0),
            format!("there is already a user \"{name}\"; choose another name"),
        ));
    }
    Ok(())
}

pub(super) fn add(mut after: Scenario, name: &str, weight: Weight) -> Result<Edited, ScenarioError> {
    let user = UserId(after.users.len() as u32);
    check_free(&after, name, user)?;
    after.users.push(User { weight, ..User::named(name) });
    Ok(Edited::new(after).about_user(user))
}

pub(super) fn place(mut after: Scenario, user: UserId, place: usize) -> Result<Edited, ScenarioError> {
    after.check_user(user)?;
    let place = place.min(after.users.len() - 1);
    // The former numbers, in the order that the users have now.
    let mut order: Vec<u32> = (0..after.users.len() as u32).collect();
    order.remove(user.index());
    order.insert(place, user.0);
    let moved = after.users.remove(user.index());
    after.users.insert(place, moved);
    Ok(renumbered(after, &order).about_user(UserId(place as u32)))
}

pub(super) fn remove(mut after: Scenario, user: UserId) -> Result<Edited, ScenarioError> {
    after.check_user(user)?;
    if after.jobs.iter().all(|job| job.user == user) {
        return Err(ScenarioError::at(
            format!("users[{}]", user.0),
            "all jobs are this user's and a scenario needs at least one; give another user a job first",
        ));
    }
    let mut places = Vec::with_capacity(after.jobs.len());
    let mut left = 0;
    for job in &after.jobs {
        places.push((job.user != user).then_some(left));
        left += u32::from(job.user != user);
    }
    after.jobs.retain(|job| job.user != user);
    after.users.remove(user.index());
    let order: Vec<u32> = (0..=after.users.len() as u32).filter(|&other| other != user.0).collect();
    let mut edited = renumbered(after, &order);
    edited.jobs_now = Renumbering::Places(places);
    Ok(edited)
}

/// Tells the jobs their users' new numbers; `order[new]` is the former one.
fn renumbered(mut after: Scenario, order: &[u32]) -> Edited {
    let former = order.iter().max().map_or(0, |&last| last as usize + 1);
    let mut places = vec![None; former.max(order.len())];
    for (now, &before) in order.iter().enumerate() {
        places[before as usize] = Some(now as u32);
    }
    let users_now = Renumbering::Places(places);
    for job in &mut after.jobs {
        job.user = users_now.of(job.user.0).map(UserId).expect("jobs of users who are gone are gone");
    }
    Edited { users_now, ..Edited::new(after) }
}
