//! Keys with what they depend on, so that one is evaluated again only when something that it reads has changed.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use fairlane::ids::StageIndex;
use fairlane::policy::explain::Key;

/// A key with what it depended on.
#[derive(Clone)]
pub(crate) struct KnownKey {
    pub stamp: Stamp,
    /// Ascends as the first part of the key does.
    pub first: u64,
    pub key: Key,
}

/// What a key depends on, as counters of changes and the time: of all, the time, of the user, of the job and the stage.
pub(crate) type Stamp = [u64; 4];

/// Keys by stage.
pub(crate) type KnownKeys = RefCell<Vec<Option<KnownKey>>>;

/// Waiting stages by their keys.
pub(crate) type KeyQueue = BTreeMap<(u64, Key), StageIndex>;

/// A stage whose key is up to date.
pub(crate) struct RankedStage<'a> {
    pub first: u64,
    pub stage: StageIndex,
    pub keys: &'a KnownKeys,
}

impl RankedStage<'_> {
    fn compare(&self, other: &Self) -> Ordering {
        let keys = self.keys.borrow();
        let key =
            |stage: StageIndex| keys.get(stage.index()).and_then(Option::as_ref).map(|known| &known.key);
        self.first.cmp(&other.first).then_with(|| key(self.stage).cmp(&key(other.stage)))
    }
}

impl PartialEq for RankedStage<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.compare(other).is_eq()
    }
}

impl Eq for RankedStage<'_> {}

impl PartialOrd for RankedStage<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RankedStage<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.compare(other)
    }
}

/// How often something changed: the state or the whole cluster, each user's, job's and stage's counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Epochs {
    pub all: u64,
    pub users: Vec<u64>,
    pub jobs: Vec<u64>,
    pub stages: Vec<u64>,
}

/// Counts a change.
pub(crate) fn count(changes: &mut Vec<u64>, index: usize) {
    if changes.len() <= index {
        changes.resize(index + 1, 0);
    }
    changes[index] += 1;
}
