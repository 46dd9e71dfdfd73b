//! The choices of what is shown, and how.

/// What the side of the page shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// Tables of the figures.
    #[default]
    Results,
    /// Charts of the figures.
    Charts,
    /// The chosen job's editor.
    Job,
    /// Why a task was launched.
    Why,
    /// Where two schedules part.
    Differences,
}

/// What is asked in the tab [`Tab::Why`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The ranked queue at the playhead.
    Playhead,
    /// The ranked queue of the round that launched this task, by place in the trace.
    Dispatch(usize),
}

/// What the colours of the charts stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colouring {
    /// A hue per user, jobs in two shades.
    #[default]
    User,
    /// A hue per job.
    Job,
    /// A hue per stage of a job, by its place.
    Stage,
}

/// Marks that can be laid over the charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// Who waits, and who holds the cores meanwhile.
    Inversion,
    /// A stage's straggler and the cores that idle behind it.
    Skew,
}

/// Whether the playhead moves by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// It stands.
    Paused,
    /// It moves.
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

/// Something the reader is told until they close it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What did not work.
    pub title: String,
    /// Where and why, and what to do about it.
    pub detail: String,
}
