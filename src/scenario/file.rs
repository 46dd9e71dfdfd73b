//! The scenario file, `"format": "fairlane/scenario@1"`: its JSON shape and the way from there to a
//! checked [`Scenario`] and back.

mod read;
mod shape;
mod write;

pub(super) use read::{cluster, partitioning};
pub(super) use shape::{ClusterFile, PartitioningFile};
pub(super) use write::{cluster_to_file, partitioning_to_file};

use super::Scenario;
use super::check::{Limits, ScenarioError};
use super::json::{Kind, check_length};
use read::Builder;
use write::to_file;

/// The tag of the format that this version reads and writes.
pub const FORMAT: &str = "fairlane/scenario@1";

const KIND: Kind = Kind { noun: "a scenario", format: FORMAT };

impl Scenario {
    /// Reads and checks a scenario file within the default [`Limits`].
    ///
    /// # Errors
    /// The first fault found, with its JSON path and a sentence that says what to do.
    pub fn from_json(text: &str) -> Result<Scenario, ScenarioError> {
        Scenario::from_json_within(text, &Limits::default())
    }

    /// Reads and checks a scenario file within other limits. Lists of users and jobs stay bounded
    /// by the default ones.
    ///
    /// # Errors
    /// As [`Scenario::from_json`].
    pub fn from_json_within(text: &str, limits: &Limits) -> Result<Scenario, ScenarioError> {
        check_length(text, limits)?;
        Builder { limits }.scenario(KIND.read(text)?)
    }

    /// The scenario as a file: the same scenario again when read.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(&to_file(self)).expect("a scenario has only keys that are text")
    }

    /// The same file without line ends and spaces: for links and storage.
    pub fn to_compact_json(&self) -> String {
        serde_json::to_string(&to_file(self)).expect("a scenario has only keys that are text")
    }
}

// The golden of messages is kept with insta, which is there for native tests only.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
