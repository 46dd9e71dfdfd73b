//! The choices of what is shown, and how.

/// Whether the schedule plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// The playhead rests.
    Paused,
    /// The playhead moves.
    Playing,
}

/// Whether the side of the page is unfolded where it is a sheet over the rest, as on a phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheet {
    /// Only its tabs are shown.
    Folded,
    /// All of it.
    Unfolded,
}

/// Which way to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the start.
    Back,
    /// Towards the end.
    Forward,
}

/// A message about something that was done, shown for a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Toast {
    /// It is done.
    Done(Notice),
    /// This was deleted, which the message offers to undo.
    Deleted(String),
}

/// A message that is shown until the reader closes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What did not work.
    pub title: String,
    /// Where and why, and what to do about it.
    pub detail: String,
}
