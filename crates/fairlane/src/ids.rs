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

/// Defines ids that are also indices: documentation, name, and what the index is into.
macro_rules! indices {
    ($($(#[$doc:meta])* $id:ident, $index:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
            #[derive(FromBytes, IntoBytes, Immutable, KnownLayout)]
            #[repr(transparent)]
            pub struct $id(pub u32);

            impl $id {
                #[doc = $index]
                pub fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

indices! {
    /// A user, by index in the scenario: the declared ones first, then those named only in jobs.
    UserId, "As an index into the scenario's users.";
    /// A job, by index in the scenario file (the model's j).
    JobId, "As an index into the scenario's jobs.";
    /// A job's index in the order of arrival, ties by [`JobId`] (the model's a).
    Rank, "As an index into a table of jobs in the order of arrival.";
    /// A stage's index among the stages of all jobs: its global number less the cluster's first one.
    StageIndex, "As an index into a table of the stages of all jobs.";
    /// An executor core, `0..R`.
    CoreId, "As an index into the cluster's cores.";
}

/// A stage's global number as Spark gives it: consecutive from the cluster's first stage id on, in
/// the order in which jobs arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StageId(pub u64);
