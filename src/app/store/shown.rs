//! The choices of what is shown, and how.

/// Whether the schedule plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// The playhead rests.
    Paused,
    /// The playhead moves.
    Playing,
}

/// Which way to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the start.
    Back,
    /// Towards the end.
    Forward,
}

/// A message that is shown until the reader closes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What did not work.
    pub title: String,
    /// Where and why, and what to do about it.
    pub detail: String,
}
