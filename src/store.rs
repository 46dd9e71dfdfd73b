//! The page's state and the one function that changes it. No browser types: tested natively.
//!
//! Uses `results`.

mod action;
mod announcement;
mod approval;
mod change;
mod chart;
pub mod chart_data;
mod document;
mod effect;
pub mod history;
mod lesson;
mod log;
mod lookup;
mod playback;
mod poll;
mod predict;
mod record;
mod reduce;
mod run;
pub mod selectors;
mod session;
mod source;
mod switch;
#[cfg(test)]
mod tests;
mod ui;
mod verdict;
mod view;
mod welcome;

use std::collections::{BTreeMap, BTreeSet};

pub use crate::store::ui::{Direction, Notice, Opening, Restored, SideSheet, Toast, Ui, UiAction};
pub use crate::store::verdict::{BetterPolicy, Loser, PageVerdict};
pub use action::Action;
pub use announcement::Announcement;
pub use approval::{Approvals, ProgramDigest, UNAPPROVED};
pub use change::{Drag, Version};
pub use chart::{ChartChoice, ChartKind, ChartNumbers, ReferencePolicy, Size};
pub use document::{Document, DocumentAction, DocumentCondition};
pub use effect::{ChangeEffect, ChangeWatch, PolicyEffect};
pub use fairlane_view::view::{
    Colouring, DisplayMode, DisplayQuestion, Drawing, Future, Heights, InspectorPart, Mark, Tab, View,
};
pub use lesson::{
    ActiveLesson, AnswerShown, Card, GivenAnswer, Guide, LessonEnd, LessonPlace, LessonProgress, Lessons,
    OpenedLesson, ReachedChallenge, ReadDocument, ResumedLesson, of_others,
};
pub use log::{ImportedLog, LogImport, LogReport, LogRules, ReadLog};
pub use playback::{FutureWish, HidingSwitch, Motion, Playback, PlaybackAction};
pub use poll::{GuessError, MAX_GUESSES, Poll, PollAction, PollScene};
pub use predict::{After, Answers, Predict, PredictDecision, PredictScore, PredictTurn, Quiz};
pub use record::{KeptVersion, Record, Stamp};
pub use run::{Run, RunAction, RunPhase, is_loaded_later};
pub use session::{stored, stored_record};
pub use source::{Admitted, SimulationInput};
pub use switch::{ClusterSwitch, SetAside};
pub use view::{FigureSubject, JobChoice, ViewAction};
pub use welcome::{Welcome, WelcomeAction, WelcomeScene};

use crate::results::measurement::{Checked, MeasuredMeans};
use crate::results::shared::Shared;
use crate::store::history::History;
use fairlane::policy::{OBSERVED, PolicyId};

/// Everything the page shows.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The scenario.
    pub document: Shared<Document>,
    /// Counts documents, which identifies results of earlier ones.
    pub revision: u32,
    /// The revision at which the scenario was opened; results of earlier ones are of no use.
    pub opened: u32,
    /// Identifies the scenario that was opened, whatever edits it has had since.
    pub lineage: u32,
    /// Earlier and later versions of the document, also of those that it has replaced.
    pub history: History<Version>,
    /// What is shown of the scenario.
    pub view: View,
    /// How the schedules are played.
    pub playback: Playback,
    /// What is open on the page, and what it says.
    pub ui: Ui,
    /// The drag under way.
    pub drag: Option<Drag>,
    /// Whether schedules are analyzed in full: not before the first picture, unless something is dragged.
    pub full_results: bool,
    /// A run for every ticked policy.
    pub runs: BTreeMap<PolicyId, Run>,
    /// The programs that may run.
    pub approvals: Approvals,
    /// The policy whose queue is shown, and the instant.
    pub question: Option<(PolicyId, DisplayQuestion)>,
    /// The two policies that are compared.
    pub pair: Option<(PolicyId, PolicyId)>,
    /// Which chart is shown, and how.
    pub chart: ChartChoice,
    /// Results of sweeps over this very document.
    pub means: MeasuredMeans,
    /// What policies guarantee in the document as it is, as far as it was asked for.
    pub properties: Checked,
    /// The predictions under way.
    pub predict: Option<Quiz>,
    /// The question to a class.
    pub poll: Option<Poll>,
    /// The lesson under way, and those done.
    pub lessons: Lessons,
    /// The page before the last change.
    pub watch: ChangeWatch,
}

/// Real seconds that a whole schedule takes to play unless a speed is chosen.
pub const WHOLE_S: f64 = 20.0;

/// Real seconds that a schedule takes to play to the answer to a question.
pub const REVEAL_S: f64 = 3.0;

impl State {
    /// A page with a document and the policies that suit it.
    pub fn new(document: Shared<Document>) -> State {
        let view = match document.entry() {
            Some(entry) => View::suiting(entry),
            None => View {
                policies: ["fair", "ujf", "cfq", "uwfq"]
                    .iter()
                    .filter_map(|name| name.parse().ok())
                    .collect(),
                ..View::default()
            },
        };
        State {
            document,
            revision: 0,
            opened: 0,
            lineage: 0,
            history: History::default(),
            view,
            playback: Playback::default(),
            ui: Ui::default(),
            drag: None,
            full_results: true,
            runs: BTreeMap::new(),
            approvals: Approvals::default(),
            question: None,
            pair: None,
            chart: ChartChoice::default(),
            means: MeasuredMeans::new(),
            properties: Checked::new(),
            predict: None,
            poll: None,
            lessons: Lessons::default(),
            watch: ChangeWatch::default(),
        }
        .with_runs()
    }

    /// The page with what is known of its being saved.
    pub fn with_restored(self, restored: Restored) -> State {
        State { ui: Ui { restored, ..self.ui }, ..self }
    }

    /// The page without what can be computed again.
    pub fn without_results(&self) -> State {
        State {
            runs: BTreeMap::new(),
            means: MeasuredMeans::new(),
            properties: Checked::new(),
            watch: ChangeWatch::default(),
            ..self.clone()
        }
    }

    /// The marks that are switched on.
    pub fn marks(&self) -> BTreeSet<Mark> {
        self.view.marks.clone().unwrap_or_else(|| Mark::suiting(self.document.entry()))
    }

    /// Switches these marks on, and no others.
    fn mark(&mut self, marks: BTreeSet<Mark>) {
        self.view.marks = Some(marks).filter(|marks| *marks != Mark::suiting(self.document.entry()));
    }

    /// How tall the panels' rows are: for an audience as tall as all panels in view allow, or taller.
    pub fn rows(&self) -> Heights {
        match (self.view.mode, self.view.heights) {
            (DisplayMode::Present, Heights::Compact) => Heights::Fit,
            (_, heights) => heights,
        }
    }

    /// The state with a run for every ticked policy.
    pub fn with_runs(mut self) -> State {
        // Nothing simulates what ran.
        self.view.policies.remove(&OBSERVED);
        self.runs.retain(|policy, _| self.view.policies.contains(policy));
        for &policy in &self.view.policies {
            self.runs.entry(policy).or_default();
        }
        let recorded = self.document.log.as_ref();
        if let Some(run) = recorded.and_then(|log| log.run(&self.document.scenario, self.revision)) {
            self.runs.insert(OBSERVED, run);
        }
        run::admit(&self.document, &self.approvals, &mut self.runs);
        self
    }
}
