//! What a simulation writes down for those who will ask why: in which state each decision was
//! taken. Together with the trace and the scenario it tells every queue at every moment without
//! simulating again.

mod wire;

pub use wire::DamagedJournal;

use crate::ids::{Rank, StageId};
use crate::policy::notes::Notes;
use crate::units::Time;

/// The journal of one simulation.
///
/// Takes 12 bytes for each offer round that launched something, so at most 12 bytes per task; 24
/// bytes for each arrival and each submission of a stage; and per stage under CFQ some 100 bytes, per
/// job under UWFQ some 130 bytes, none under the other policies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    /// The offer rounds that launched something, in their order.
    pub rounds: Vec<Round>,
    /// What the policy heard of, in its order.
    pub heard: Vec<Heard>,
    /// What the policy noted of its own clockwork.
    pub notes: Notes,
}

/// The state before an offer round. Positions and not instants, because many things can happen at
/// one instant; the instant is that of the launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Tasks launched before it: the place in the trace of the first task that it launches.
    pub launched: u32,
    /// Tasks finished before it, in the order of (end, launch).
    pub finished: u32,
    /// Arrivals and submissions that the policy had heard of: a length in [`Journal::heard`].
    pub heard: u32,
}

/// An event that the policy heard of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    /// When.
    pub at: Time,
    /// What.
    pub what: What,
}

/// What a policy hears of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A job arrived.
    Arrival(Rank),
    /// A stage was submitted.
    Submission(StageId),
}
