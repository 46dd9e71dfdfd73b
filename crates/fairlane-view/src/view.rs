//! What the page shows of a scenario, as its reader, a link or a lesson chooses.

use std::collections::BTreeSet;

use fairlane::catalog::{self, Entry};
use fairlane::ids::JobId;
use fairlane::policy::PolicyId;
use fairlane::units::Time;

use crate::TimeAxis;

/// What is shown of a scenario, and how. The page, its history, links, saved work, demos and the scenes of lessons hold
/// this one structure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The ticked policies.
    pub policies: BTreeSet<PolicyId>,
    /// The instant shown.
    pub playhead: Time,
    /// The window of time shown; `None`: all of it.
    pub window: Option<TimeAxis>,
    /// The chosen jobs.
    pub chosen: BTreeSet<JobId>,
    /// Marks that are switched on; `None`: those that suit the scenario, see [`Mark::suiting`].
    pub marks: Option<BTreeSet<Mark>>,
    /// What colours mean.
    pub colouring: Colouring,
    /// What the schedules are drawn as.
    pub drawing: Drawing,
    /// What the side shows.
    pub tab: Tab,
    /// Who looks at it.
    pub mode: DisplayMode,
    /// How tall the panels' rows are.
    pub heights: Heights,
    /// Policies in the order in which the reader has moved their panels; the others follow.
    pub order: Vec<PolicyId>,
    /// Policies whose panels are reduced to their headings.
    pub collapsed: BTreeSet<PolicyId>,
    /// Policies whose panels are shown although an earlier one has the same schedule.
    pub unmerged: BTreeSet<PolicyId>,
    /// Policy whose virtual time is shown below the ideal.
    pub virtual_time: Option<PolicyId>,
    /// In a link or a saved page: whether what lies beyond the playhead is hidden until the reader asks for it.
    pub hides_future: bool,
    /// In a link or a saved page: the question to a class how long this job waits under this policy.
    pub asks: Option<(PolicyId, JobId)>,
}

impl View {
    /// A catalog entry with the policies that show its point.
    pub fn suiting(entry: &Entry) -> View {
        View { policies: catalog::suggested(entry).into_iter().collect(), ..View::default() }
    }

    /// The view without the policies that a condition does not hold for, wherever it names them.
    #[must_use]
    pub fn with_policies(mut self, is_kept: impl Fn(&PolicyId) -> bool) -> View {
        self.policies.retain(&is_kept);
        self.order.retain(&is_kept);
        self.collapsed.retain(&is_kept);
        self.unmerged.retain(&is_kept);
        self.virtual_time = self.virtual_time.filter(&is_kept);
        self.asks = self.asks.filter(|(policy, _)| is_kept(policy));
        self
    }
}

/// Who looks at the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DisplayMode {
    /// Somebody who works on it.
    #[default]
    Work,
    /// An audience: larger type, the schedules alone.
    Present,
}

impl DisplayMode {
    /// Each with its word in links; the first is usual and left out.
    pub const WORDS: [(DisplayMode, &str); 2] =
        [(DisplayMode::Work, "work"), (DisplayMode::Present, "present")];
}

impl Tab {
    /// Each with its word in links; the first is usual and left out.
    pub const WORDS: [(Tab, &str); 6] = [
        (Tab::Compare, "compare"),
        (Tab::Charts, "charts"),
        (Tab::Inspector(InspectorPart::Edit), "job"),
        (Tab::Inspector(InspectorPart::Why), "why"),
        (Tab::Differences, "differences"),
        (Tab::Program, "program"),
    ];
}

impl Colouring {
    /// Each with its word in links; the first is usual and left out.
    pub const WORDS: [(Colouring, &str); 3] =
        [(Colouring::User, "user"), (Colouring::Job, "job"), (Colouring::Stage, "stage")];
}

impl Mark {
    /// Each with its word in links.
    pub const WORDS: [(Mark, &str); 2] = [(Mark::Inversion, "inversion"), (Mark::Skew, "skew")];

    /// The marks of what an entry of the catalog is about.
    pub fn suiting(entry: Option<&Entry>) -> BTreeSet<Mark> {
        match entry.map(|entry| entry.name) {
            Some("priority-inversion") => [Mark::Inversion].into(),
            Some("skew" | "atr-too-large") => [Mark::Skew].into(),
            _ => BTreeSet::new(),
        }
    }
}

/// A tab at the side of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// Users' response times against the ideal, and all tables.
    #[default]
    Compare,
    /// Charts of figures.
    Charts,
    /// The chosen job: how it fared under each policy, why its tasks were launched when they were, its editor.
    Inspector(InspectorPart),
    /// Where two schedules diverge.
    Differences,
    /// The editor of the scenario's programs.
    Program,
}

/// What the inspector shows first below how the chosen job fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InspectorPart {
    /// Why a task was launched; the job's editor is folded.
    Why,
    /// The job's editor.
    Edit,
}

/// What the inspector explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisplayQuestion {
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
    /// Nothing, nor what follows from it; what has happened is there.
    Hidden,
    /// Nothing, nor any metric: it would answer the question that the reader is asked.
    Secret,
}

impl Future {
    /// Its words in the stylesheet.
    pub fn words(self) -> &'static str {
        match self {
            Future::Shown => "shown",
            Future::Ghost => "ghost",
            Future::Hidden => "hidden",
            Future::Secret => "hidden secret",
        }
    }

    /// Whether nothing of it is shown.
    pub fn is_hidden(self) -> bool {
        matches!(self, Future::Hidden | Future::Secret)
    }
}

/// What schedules are drawn as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drawing {
    /// Each task on its core.
    #[default]
    Tasks,
    /// How many cores each user holds, as the ideal is drawn.
    Shares,
}

impl Drawing {
    /// Each with its word in links; the first is usual and left out.
    pub const WORDS: [(Drawing, &str); 2] = [(Drawing::Tasks, "tasks"), (Drawing::Shares, "shares")];
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
