//! Keys with what they depend on, so that one is evaluated again only when something that it reads has changed.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use fairlane::ids::StageIndex;
use fairlane::policy::StageView;
use fairlane::policy::explain::{KeyComponent, Value};

/// A key with what it depended on.
#[derive(Clone)]
pub(crate) struct KnownKey {
    pub stamp: Stamp,
    pub order: RankedKey,
}

/// A stage's place among the others: as its key, and cheaper to make.
#[derive(Clone)]
pub(crate) struct RankedKey {
    /// Ascends as the first part of the key does.
    pub first: u64,
    pub parts: Rc<[KeyComponent]>,
    /// Rank of arrival and stage id.
    ends: [Value; 2],
}

impl RankedKey {
    pub fn new(stage: StageView, parts: Rc<[KeyComponent]>) -> RankedKey {
        let first = parts.first().map_or(0, |part| part.value.ordered());
        let ends = [u64::from(stage.job().0), stage.id().0].map(Value::Number);
        RankedKey { first, parts, ends }
    }

    fn values(&self) -> impl Iterator<Item = &Value> {
        self.parts.iter().map(|part| &part.value).chain(&self.ends)
    }
}

impl Ord for RankedKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let mut rest = self.values().zip(other.values()).map(|(one, other)| one.compare(other));
        self.first.cmp(&other.first).then_with(|| rest.find(|order| order.is_ne()).unwrap_or(Ordering::Equal))
    }
}

/// What a key depends on, as counters of changes and the time: of all, the time, of the user, of the job and the stage.
pub(crate) type Stamp = [u64; 4];

/// Keys by stage.
pub(crate) type KnownKeys = RefCell<Vec<Option<KnownKey>>>;

/// Answers about a stage or a job under the numbers that it had when it was asked about, where more than these count:
/// who it is, and a state.
#[derive(Clone)]
pub(crate) struct Answers<T> {
    /// How often the state had changed.
    state: u64,
    /// The newest [`Answers::MAX`], in turn.
    known: Vec<(Box<[u64]>, T)>,
    next: usize,
}

impl<T: Clone> Answers<T> {
    /// Counts go up and down by few tasks.
    const MAX: usize = 8;

    /// The answer under the same numbers, if the state is the same as well.
    pub fn get(&mut self, state: u64, numbers: &[u64]) -> Option<T> {
        if self.state != state {
            self.known.clear();
            (self.state, self.next) = (state, 0);
        }
        let known = self.known.iter().find(|(before, _)| **before == *numbers);
        known.map(|(_, answer)| answer.clone())
    }

    /// Remembers an answer to what [`Answers::get`] had none for.
    pub fn insert(&mut self, numbers: &[u64], answer: T) {
        let known = (numbers.into(), answer);
        match self.known.get_mut(self.next) {
            Some(oldest) => *oldest = known,
            None => self.known.push(known),
        }
        self.next = (self.next + 1) % Answers::<T>::MAX;
    }
}

impl<T> Default for Answers<T> {
    fn default() -> Self {
        Answers { state: 0, known: Vec::new(), next: 0 }
    }
}

/// Waiting stages by their keys.
pub(crate) type KeyQueue = BTreeMap<RankedKey, StageIndex>;

/// A stage whose key is up to date.
pub(crate) struct RankedStage<'a> {
    pub first: u64,
    pub stage: StageIndex,
    pub keys: &'a KnownKeys,
}

impl Ord for RankedStage<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let keys = self.keys.borrow();
        let order =
            |stage: StageIndex| keys.get(stage.index()).and_then(Option::as_ref).map(|known| &known.order);
        self.first.cmp(&other.first).then_with(|| order(self.stage).cmp(&order(other.stage)))
    }
}

/// What follows from `Ord`.
macro_rules! ordered {
    ($($type:ty),*) => {$(
        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other).is_eq()
            }
        }

        impl Eq for $type {}

        impl PartialOrd for $type {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }
    )*};
}

ordered!(RankedKey, RankedStage<'_>);

/// How often something changed: the state, the state or the whole cluster, each user's, job's and stage's counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Epochs {
    pub state: u64,
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
