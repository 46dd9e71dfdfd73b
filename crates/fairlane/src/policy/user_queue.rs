//! The users with waiting stages, for policies that rank users.

use std::collections::BTreeSet;

use super::explain::{Contender, Explanation};
use super::{Launch, StageView, View};
use crate::ids::{StageIndex, UserId};

/// The waiting stages of each user, by rank of arrival and stage id.
#[derive(Clone, Debug)]
pub(super) struct UserQueue {
    /// By [`UserId`].
    stages: Vec<BTreeSet<StageIndex>>,
}

impl UserQueue {
    /// No stage waits.
    pub fn new(users: usize) -> UserQueue {
        UserQueue { stages: vec![BTreeSet::new(); users] }
    }

    /// The counts of a stage have changed: it waits if it has pending tasks.
    pub fn update(&mut self, stage: StageView) {
        let stages = &mut self.stages[stage.user().index()];
        if stage.pending() == 0 {
            stages.remove(&stage.index());
        } else if stage.running() == 0 {
            stages.insert(stage.index());
        }
    }

    /// The next task of the user with the least key of those with one that fits a free core, whose first such stage it
    /// is. Asks for the keys of all users with waiting stages.
    pub fn next_task<K: Ord>(&self, view: &View, key: impl Fn(UserId) -> K) -> Option<Launch> {
        let most = view.largest_free_memory()?;
        let fits = |stage: &&StageIndex| view.stage(**stage).memory() <= most;
        let waiting = (0..).map(UserId).zip(&self.stages).filter(|(_, stages)| !stages.is_empty());
        let mut first: Option<(K, StageIndex)> = None;
        for (user, stages) in waiting {
            let key = key(user);
            if first.as_ref().is_none_or(|(least, _)| key < *least)
                && let Some(&stage) = stages.iter().find(fits)
            {
                first = Some((key, stage));
            }
        }
        let (_, stage) = first?;
        Some(Launch { stage, core: view.lowest_fitting_core(stage)? })
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
