//! The classes of queues under BoPF.

use serde::{Deserialize, Serialize};

/// The class that a queue gets at its admission (docs/model.md section 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum QueueClass {
    /// H: each burst is guaranteed its demand as a rate.
    Hard,
    /// S: each burst is served first inside its window, after the hard guarantees.
    Soft,
    /// E: shares with the others.
    Elastic,
    /// Not admitted: its jobs end at their arrival.
    Rejected,
}

impl QueueClass {
    /// The word in files.
    pub fn name(self) -> &'static str {
        match self {
            QueueClass::Hard => "H",
            QueueClass::Soft => "S",
            QueueClass::Elastic => "E",
            QueueClass::Rejected => "rejected",
        }
    }

    /// The words for people.
    pub fn title(self) -> &'static str {
        match self {
            QueueClass::Hard => "hard guarantee",
            QueueClass::Soft => "soft guarantee",
            QueueClass::Elastic => "no guarantee",
            QueueClass::Rejected => "rejected",
        }
    }
}
