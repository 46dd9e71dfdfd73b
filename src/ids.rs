//! Names of things by number, each its own type.
//!
//! ```
//! use fairlane::ids::JobId;
//! let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
//! let user = scenario.jobs()[JobId(0).index()].user;
//! assert_eq!(scenario.users()[user.index()].name, "ana");
//! ```

use serde::{Deserialize, Serialize};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A user, by index in the scenario: the declared ones first, then those named only in jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UserId(pub u32);

/// A job, by index in the scenario file (the model's j).
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    FromBytes,
    IntoBytes,
    Immutable,
    KnownLayout,
    Serialize,
    Deserialize,
)]
#[repr(transparent)]
pub struct JobId(pub u32);

/// A job's index in the order of arrival, ties by [`JobId`] (the model's a).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Rank(pub u32);

/// A stage's global number as Spark gives it: consecutive from the cluster's first stage id on, in
/// the order in which jobs arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StageId(pub u64);

/// A stage's index among the stages of all jobs: its global number less the cluster's first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StageIndex(pub u32);

/// An executor core, `0..R`.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    FromBytes,
    IntoBytes,
    Immutable,
    KnownLayout,
)]
#[repr(transparent)]
pub struct CoreId(pub u32);

impl UserId {
    /// As an index into the scenario's users.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl JobId {
    /// As an index into the scenario's jobs.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Rank {
    /// As an index into a table of jobs in the order of arrival.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl StageIndex {
    /// As an index into a table of the stages of all jobs.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl CoreId {
    /// As an index into the cluster's cores.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
