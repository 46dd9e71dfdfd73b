//! The names of policies.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Idling, Info, PolicyKind, custom};
use crate::scenario::PartitionMode;

/// A policy from outside this program, by what it declares of itself. Two are equal if their ids are.
#[derive(Clone, Copy, Debug)]
pub struct CustomPolicy(pub &'static Info);

impl PartialEq for CustomPolicy {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for CustomPolicy {}

impl PartialOrd for CustomPolicy {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for CustomPolicy {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.id.cmp(other.0.id)
    }
}

impl std::hash::Hash for CustomPolicy {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.id.hash(state);
    }
}

/// A policy together with a partitioning, such as `uwfq-p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyId {
    /// Who goes first.
    pub kind: PolicyKind,
    /// How stages are cut into tasks.
    pub partitioning: PartitionMode,
}

/// The policy of traces that were observed on a real cluster and not simulated.
pub const OBSERVED: PolicyId =
    PolicyId { kind: PolicyKind::Custom(CustomPolicy(&OBSERVED_INFO)), partitioning: PartitionMode::Default };

static OBSERVED_INFO: Info = Info {
    id: "observed",
    title: "As it ran",
    summary: "What happened on a real cluster, from its log.",
    key: "none: it was observed",
    // A core of a real cluster idles while the driver plans.
    idling: Idling::OnPurpose,
    ..Info::DEFAULT
};

impl PolicyId {
    /// Every policy under default, then under runtime partitioning.
    pub fn all() -> impl Iterator<Item = PolicyId> {
        [PartitionMode::Default, PartitionMode::Runtime]
            .into_iter()
            .flat_map(|partitioning| PolicyKind::ALL.iter().map(move |&kind| PolicyId { kind, partitioning }))
    }

    /// The name for people: `UWFQ`, `UWFQ-P`.
    pub fn title(self) -> String {
        let suffix = match self.partitioning {
            PartitionMode::Default => "",
            PartitionMode::Runtime => "-P",
        };
        format!("{}{suffix}", self.kind.info().title)
    }

    /// The same policy under the other partitioning or this one.
    pub fn with(self, partitioning: PartitionMode) -> PolicyId {
        PolicyId { partitioning, ..self }
    }
}

/// The name on the command line and in files: `uwfq`, `uwfq-p`.
impl fmt::Display for PolicyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.partitioning {
            PartitionMode::Default => "",
            PartitionMode::Runtime => "-p",
        };
        f.pad(&format!("{}{suffix}", self.kind.info().id))
    }
}

/// A name that is not a policy's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no policy \"{0}\"; the policies are {names}, each also with -p for runtime \
    partitioning", names = names())]
pub struct UnknownPolicy(String);

/// The policies' ids with commas between.
pub(super) fn names() -> String {
    PolicyKind::ALL.iter().map(|kind| kind.info().id).collect::<Vec<_>>().join(", ")
}

impl FromStr for PolicyId {
    type Err = UnknownPolicy;
    fn from_str(text: &str) -> Result<Self, UnknownPolicy> {
        let program = || {
            let (id, partitioning) = match text.strip_suffix("-p") {
                Some(id) => (id, PartitionMode::Runtime),
                None => (text, PartitionMode::Default),
            };
            Some(PolicyId { kind: custom::kind(id)?, partitioning })
        };
        PolicyId::all()
            .find(|policy| policy.to_string() == text)
            .or_else(program)
            .ok_or_else(|| UnknownPolicy(text.to_owned()))
    }
}

impl Serialize for PolicyId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PolicyId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PolicyId, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for policy in PolicyId::all() {
            assert_eq!(policy.to_string().parse(), Ok(policy));
        }
        assert!("UWFQ".parse::<PolicyId>().is_err());
    }

    #[test]
    fn every_policy_declares_what_readers_need() {
        for kind in PolicyKind::ALL {
            let info = kind.info();
            assert!(
                !info.title.is_empty() && info.summary.ends_with('.') && !info.key.is_empty(),
                "{}",
                info.id
            );
        }
        let mut ids: Vec<_> = PolicyKind::ALL.iter().map(|kind| kind.info().id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), PolicyKind::ALL.len(), "ids differ");
    }
}
