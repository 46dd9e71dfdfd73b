//! The choices of what is shown, and how.

/// Whether the schedule plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// The playhead rests.
    Paused,
    /// The playhead moves.
    Playing,
}

/// Whether the side of the page is unfolded: beside the schedules, or on a phone as a sheet over them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideSheet {
    /// Only its tabs are shown.
    Folded,
    /// All of it.
    Unfolded,
    /// On a phone, the set-up in its place: policies, cluster, users. Elsewhere the set-up has a column of its own.
    SetUp,
}

/// Which way to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the start.
    Back,
    /// Towards the end.
    Forward,
}

/// A file that is being read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// The name of the file.
    pub name: String,
    /// The fraction of it that has been read, if that is known.
    pub part: Option<f64>,
}

impl Opening {
    /// A file that has just been opened.
    pub fn named(name: impl Into<String>) -> Opening {
        Opening { name: name.into(), part: None }
    }
}

/// Whether the page is one that the browser had saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restored {
    /// It is another.
    No,
    /// It is, and nothing else has been opened since.
    Yes,
    /// It is not, though there is one: why.
    Aside(Notice),
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
