//! The users with waiting stages, for policies that rank users.

use std::collections::BTreeSet;

use super::explain::{Contender, Explanation};
use super::{Launch, StageView, View};
use crate::bits::BitSet;
use crate::ids::{StageIndex, UserId};
use crate::tournament::{self, Tournament};
use crate::units::Time;

/// The users with waiting stages, and these by rank of arrival and stage id.
#[derive(Clone, Debug)]
pub(super) struct WaitingUsers {
    /// Waiting stages, indexed by [`UserId`].
    stages: Vec<BTreeSet<StageIndex>>,
    /// Users with waiting stages.
    waiting: BitSet,
    /// By stage: whether it waits.
    waits: Vec<bool>,
}

impl WaitingUsers {
    /// No stage waits.
    pub fn new(users: usize) -> WaitingUsers {
        WaitingUsers { stages: vec![BTreeSet::new(); users], waiting: BitSet::new(users), waits: Vec::new() }
    }

    /// The counts of a stage have changed: it waits if it has pending tasks.
    pub fn update(&mut self, stage: StageView) {
        let (index, waits) = (stage.index(), stage.pending() > 0);
        if self.waits.len() <= index.index() {
            self.waits.resize(stage.view().stages() as usize, false);
        }
        if std::mem::replace(&mut self.waits[index.index()], waits) == waits {
            return;
        }
        let user = stage.user();
        let stages = &mut self.stages[user.index()];
        if waits {
            stages.insert(index);
            self.waiting.insert(user.0);
        } else {
            stages.remove(&index);
            if stages.is_empty() {
                self.waiting.remove(user.0);
            }
        }
    }

    /// Whether a user has waiting stages.
    pub fn contains(&self, user: UserId) -> bool {
        self.waiting.contains(user.0)
    }

    /// The users, by position in the list of users.
    pub fn iter(&self) -> impl Iterator<Item = UserId> + '_ {
        self.waiting.iter().map(UserId)
    }

    /// The first stage of a user that fits.
    pub fn first_of(&self, user: UserId, fits: impl Fn(StageIndex) -> bool) -> Option<StageIndex> {
        self.stages[user.index()].iter().copied().find(|&stage| fits(stage))
    }

    /// The first stage that fits of the user with the least key among some.
    pub fn least<K: Ord>(
        &self,
        users: impl Iterator<Item = UserId>,
        fits: impl Fn(StageIndex) -> bool,
        key: impl Fn(UserId) -> K,
    ) -> Option<StageIndex> {
        let mut first: Option<(K, StageIndex)> = None;
        for user in users {
            let key = key(user);
            if first.as_ref().is_none_or(|(least, _)| key < *least)
                && let Some(stage) = self.first_of(user, &fits)
            {
                first = Some((key, stage));
            }
        }
        Some(first?.1)
    }
}

/// The users with waiting stages in the order of their keys.
///
/// A policy says for how long the key of a user stays what it is ([`UserOrder`]). A launch costs O(log users), and
/// besides looks at the users whose keys change all the time.
#[derive(Clone, Debug)]
pub(super) struct UserQueue {
    users: WaitingUsers,
    /// Those of them whose keys stay, by what they are ordered by.
    settled: Tournament,
    /// The others.
    moving: BitSet,
    /// When the keys of settled users change.
    changes: BTreeSet<(Time, UserId)>,
    /// Users whose keys have changed since the last look.
    changed: Vec<UserId>,
}

/// How a user's key is ordered, and for how long.
#[derive(Clone, Copy, Debug)]
pub(super) enum UserOrder {
    /// Until the counts of its tasks change it is behind all users with lesser numbers, compared one after the other.
    Settled(u64, u32),
    /// The same, but no longer than until an instant.
    Until(Time, u64, u32),
    /// Its key changes as time passes.
    Moving,
}

impl UserQueue {
    /// No stage waits.
    pub fn new(users: usize) -> UserQueue {
        UserQueue {
            users: WaitingUsers::new(users),
            settled: Tournament::new(users),
            moving: BitSet::new(users),
            changes: BTreeSet::new(),
            changed: Vec::new(),
        }
    }

    /// The counts of a stage have changed: it waits if it has pending tasks.
    pub fn update(&mut self, stage: StageView) {
        let user = stage.user();
        self.users.update(stage);
        if self.changed.last() != Some(&user) {
            self.changed.push(user);
        }
    }

    /// The key of a user may have changed.
    pub fn change(&mut self, user: UserId) {
        self.changed.push(user);
    }

    /// The users whose keys may have changed since the last task.
    #[cfg(test)]
    pub fn changed(&self) -> &[UserId] {
        &self.changed
    }

    /// The next task of the user with the least key of those with one that fits a free core, whose first such stage it
    /// is. `order` has to order settled users as `key` does.
    pub fn next_task<K: Ord>(
        &mut self,
        view: &View,
        order: impl Fn(UserId) -> UserOrder,
        key: impl Fn(UserId) -> K,
    ) -> Option<Launch> {
        self.settle(view.now(), order);
        let most = view.largest_free_memory()?;
        let fits = |stage: StageIndex| view.stage(stage).memory() <= most;
        let first = self.settled.first().map(|first| UserId(tournament::slot(first)));
        let of_first = first.and_then(|user| self.users.first_of(user, fits));
        let stage = if first.is_some() && of_first.is_none() {
            // Its tasks fit nowhere, so the other settled users have to be looked at, too.
            self.users.least(self.users.iter(), fits, key)
        } else if self.moving.first().is_some() {
            self.users.least(self.moving.iter().map(UserId).chain(first), fits, key)
        } else {
            of_first
        }?;
        Some(Launch { stage, core: view.lowest_fitting_core(stage)? })
    }

    /// Orders the users whose keys have changed by an instant.
    fn settle(&mut self, now: Time, order: impl Fn(UserId) -> UserOrder) {
        while let Some(&(at, user)) = self.changes.first()
            && at <= now
        {
            self.changes.pop_first();
            self.changed.push(user);
        }
        while let Some(user) = self.changed.pop() {
            let order = self.users.contains(user).then(|| order(user));
            match order {
                Some(UserOrder::Settled(first, second) | UserOrder::Until(_, first, second)) => {
                    self.settled.set(user.0, tournament::key(first, second, user.0));
                }
                _ => self.settled.clear(user.0),
            }
            match order {
                Some(UserOrder::Moving) => self.moving.insert(user.0),
                _ => _ = self.moving.remove(user.0),
            }
            if let Some(UserOrder::Until(at, ..)) = order {
                self.changes.insert((at, user));
            }
        }
    }
}

/// What is known of each user.
pub(super) fn all_users(view: &View, explain: impl Fn(UserId) -> Explanation) -> Vec<(UserId, Explanation)> {
    let users = 0..view.scenario().users().len() as u32;
    users.map(|user| (UserId(user), explain(UserId(user)))).collect()
}

/// Why the first of two users goes first when the user list decides: a sentence.
pub(super) fn reason_by_list(first: &Contender, second: &Contender) -> String {
    let (user, other, label) = (first.user, second.user, first.label);
    format!("{user} and {other} are level and {user} is first in the list of users, so {label} goes first.")
}

/// Why the first of two users goes first when the dominant shares decide, which are a part of the keys: a sentence.
pub(super) fn reason_by_share(first: &Contender, second: &Contender, part: usize) -> String {
    let [mine, theirs] = [first, second].map(|stage| &stage.key.parts()[part].value);
    let (user, other, label) = (first.user, second.user, first.label);
    format!(
        "{user} has the smaller dominant share ({mine} against {other}'s {theirs}), so {label} goes first."
    )
}
