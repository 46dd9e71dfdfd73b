//! What the page displays, as its reader or a lesson chooses.

/// A tab at the side of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// Users' response times against the ideal, and all tables.
    #[default]
    Compare,
    /// Charts of figures.
    Charts,
    /// The editor of the chosen job.
    Job,
    /// Why a task was launched.
    Why,
    /// Where two schedules diverge.
    Differences,
}

/// What the tab [`Tab::Why`] explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The ranked queue at the playhead.
    Playhead,
    /// The ranked queue of the round that launched this task, by index in the trace.
    Dispatch(usize),
}

/// What the colours of charts mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colouring {
    /// A hue per user, jobs in two shades.
    #[default]
    User,
    /// A hue per job.
    Job,
    /// A hue per stage, by its index in the job.
    Stage,
}

/// Marks laid over the charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// Cores held while a job with a smaller key waits.
    Inversion,
    /// A stage's straggler and the cores that idle behind it.
    Skew,
}

/// How much of the schedules beyond the playhead is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Future {
    /// All of it.
    Shown,
    /// A shadow of it.
    Ghost,
    /// Nothing: it would answer the question that a lesson asks.
    Secret,
}

impl Future {
    /// Its word in the stylesheet.
    pub fn word(self) -> &'static str {
        match self {
            Future::Shown => "shown",
            Future::Ghost => "ghost",
            Future::Secret => "secret",
        }
    }
}

/// How tall the rows of the panels are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heights {
    /// Low rows.
    #[default]
    Compact,
    /// As tall as all panels in view allow.
    Fit,
    /// Tall rows.
    Large,
}

impl Heights {
    /// All of them, from the lowest.
    pub const ALL: [Heights; 3] = [Heights::Compact, Heights::Fit, Heights::Large];

    /// Its word for people and the stylesheet.
    pub fn word(self) -> &'static str {
        match self {
            Heights::Compact => "compact",
            Heights::Fit => "fit",
            Heights::Large => "large",
        }
    }
}
