//! What a simulation writes down for those who ask why: the state before each decision.
//! Together with the trace and the scenario it gives every queue at every moment without
//! another simulation.

use serde::{Deserialize, Serialize};

use crate::policy::log::{PolicyEvent, PolicyLog};

/// The journal of one simulation.
///
/// Takes 12 bytes for each offer round that launched something, so at most 12 bytes per task; 16
/// bytes for each arrival, submission and end of a job; and per stage under CFQ some 60 bytes, per
/// job under UWFQ some 130 bytes, none under the other policies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Journal {
    /// The offer rounds that launched something, in their order.
    pub rounds: Vec<Round>,
    /// The events that the policy received, in their order.
    pub events: Vec<PolicyEvent>,
    /// What the policy logged.
    pub log: PolicyLog,
}

/// The state before an offer round. Positions and not instants, because many things can happen at
/// one instant; the instant is that of the launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// Tasks launched before it: the index in the trace of the first task that it launches.
    pub launched: u32,
    /// Tasks ended before it, in the order of (end, launch).
    pub finished: u32,
    /// Events that the policy had received: a length in [`Journal::events`].
    pub events: u32,
}
