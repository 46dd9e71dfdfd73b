//! The page's state and the one function that changes it. No browser types: tested natively.

mod action;
mod change;
mod chart;
mod document;
mod lesson;
mod lookup;
mod memory;
mod run;
mod session;
mod shown;

use std::collections::{BTreeMap, BTreeSet};

pub use crate::view::display::{Colouring, Mark, Question, Tab};
pub use action::{Action, Choice};
pub use change::{Drag, Version};
pub use chart::{Against, ChartChoice, ChartKind, Numbers, Size};
pub use document::{Condition, Document};
pub use lesson::{Card, Ending, Guide, Lessons, Tour};
pub use run::{Phase, Run};
pub use shown::{Direction, Motion, Notice};

use super::history::History;
use super::shared::Shared;
use super::sweep::Means;
use crate::ids::JobId;
use crate::policy::PolicyId;
use crate::scenario::catalog;
use crate::units::Time;
use crate::view::TimeAxis;

/// Everything the page shows.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The scenario.
    pub document: Shared<Document>,
    /// Counts documents, so that an answer about an earlier one can be told apart.
    pub revision: u32,
    /// The revision at which the scenario was opened; answers about earlier ones are of no use.
    opened: u32,
    /// Earlier and later versions of the document.
    pub history: History<Version>,
    /// The gesture that is under way.
    pub drag: Option<Drag>,
    /// The ticked policies.
    pub ticked: BTreeSet<PolicyId>,
    /// A run for every ticked policy.
    pub runs: BTreeMap<PolicyId, Run>,
    /// The instant shown.
    pub playhead: Time,
    /// Whether the playhead moves.
    pub motion: Motion,
    /// Simulated seconds a real second shows; `None`: such that the whole takes [`WHOLE_S`].
    pub speed: Option<f64>,
    /// The window of time shown; `None`: all of it.
    pub window: Option<TimeAxis>,
    /// The chosen jobs.
    pub chosen: BTreeSet<JobId>,
    /// What colours stand for.
    pub colouring: Colouring,
    /// Marks that are switched on.
    pub marks: BTreeSet<Mark>,
    /// What the side shows.
    pub tab: Tab,
    /// Whose queue is shown, and when.
    pub question: Option<(PolicyId, Question)>,
    /// The two policies that are compared.
    pub pair: Option<(PolicyId, PolicyId)>,
    /// Which chart is shown, and how.
    pub chart: ChartChoice,
    /// What sweeps have found of this very document.
    pub means: Means,
    /// The file that is being read and checked.
    pub opening: Option<String>,
    /// What the reader should be told.
    pub notice: Option<Notice>,
    /// What the last gesture did, for screen readers.
    pub said: String,
    /// The lesson under way, and those done.
    pub lessons: Lessons,
}

/// Real seconds that a whole schedule takes to play unless a speed is chosen.
pub const WHOLE_S: f64 = 20.0;

impl State {
    /// A page with a document and the policies that suit it.
    pub fn new(document: Shared<Document>) -> State {
        let ticked = match document.entry() {
            Some(entry) => catalog::suggested(entry).into_iter().collect(),
            None => ["fair", "ujf", "cfq", "uwfq"].iter().filter_map(|policy| policy.parse().ok()).collect(),
        };
        State {
            document,
            revision: 0,
            opened: 0,
            history: History::default(),
            drag: None,
            ticked,
            runs: BTreeMap::new(),
            playhead: Time::ZERO,
            motion: Motion::Paused,
            speed: None,
            window: None,
            chosen: BTreeSet::new(),
            colouring: Colouring::User,
            marks: BTreeSet::new(),
            tab: Tab::Results,
            question: None,
            pair: None,
            chart: ChartChoice::default(),
            means: Means::new(),
            opening: None,
            notice: None,
            said: String::new(),
            lessons: Lessons::default(),
        }
        .with_a_run_for_every_ticked_policy()
    }

    /// The state after an action.
    pub fn reduce(&self, action: Action) -> State {
        let mut state = self.clone();
        match action {
            Action::Open(document) => state.open(document),
            Action::Replace(document, title) => state.replace(document, title),
            Action::Edit(edit) => state.edit(&edit),
            Action::Grab => state.grab(),
            Action::Drag(edit) => state.drag_to(&edit),
            Action::Rest => state.rest_drag(),
            Action::Drop => state.drop_drag(),
            Action::Cancel => state.cancel_drag(),
            Action::Undo => state.travel(Direction::Back),
            Action::Redo => state.travel(Direction::Forward),
            Action::Opening(name) => state.opening = Some(name),
            Action::Warn(notice) => {
                state.notice = Some(notice);
                state.opening = None;
            }
            Action::CloseNotice => state.notice = None,
            Action::Toggle(policy) => {
                if !state.ticked.remove(&policy) {
                    state.ticked.insert(policy);
                }
            }
            Action::Progress(revision, policy, part) => {
                if let (true, Some(run)) = (revision == state.revision, state.runs.get_mut(&policy)) {
                    run.progress(part);
                }
            }
            Action::Finished(revision, policy, result) => {
                if let (true, Some(run)) = (revision >= state.opened, state.runs.get_mut(&policy)) {
                    run.finish(revision, state.revision, result);
                }
                state.playhead = state.playhead.min(state.end());
            }
            Action::Retry(policy) => {
                if let Some(run) = state.runs.get_mut(&policy) {
                    run.retry();
                }
            }
            Action::Seek(time) => {
                state.playhead = time.min(state.end());
                state.motion = Motion::Paused;
            }
            Action::Step(direction) => state.step_to(state.event_beside(direction)),
            Action::StepChosen(direction) => state.step_to(state.launch_beside(direction)),
            Action::SeekFinish => state.step_to(state.next_finish()),
            Action::PlayPause => state.play_or_pause(),
            // A tick that was under way when the playhead was stopped moves nothing.
            Action::Tick(_) if state.motion == Motion::Paused => {}
            Action::Tick(seconds) => {
                let advance = seconds * state.simulated_per_second() * 1e6;
                state.playhead = Time(state.playhead.0 + advance.max(0.0) as u64).min(state.end());
                if state.playhead >= state.end() {
                    state.motion = Motion::Paused;
                }
            }
            Action::Speed(speed) => state.speed = speed,
            Action::Zoom(window) => state.window = window,
            Action::ZoomBy { base, fraction, factor } => {
                state.look_at(base.zoomed(fraction, 1.0 / factor, state.whole()))
            }
            Action::PanBy(part) => state.look_at(state.axis().panned(part, state.whole())),
            Action::PanOrScrub { base, part, at } => match state.window {
                Some(_) => state.look_at(base.panned(part, state.whole())),
                None => {
                    state.playhead = at.min(state.end());
                    state.motion = Motion::Paused;
                }
            },
            Action::Choose(job, choice) => state.choose(job, choice),
            Action::ChooseNone => state.chosen.clear(),
            Action::Colour(colouring) => state.colouring = colouring,
            Action::MarkToggle(mark) => {
                if !state.marks.remove(&mark) {
                    state.marks.insert(mark);
                }
            }
            Action::Show(tab) => state.tab = tab,
            Action::Chart(choice) => state.chart = choice,
            Action::Swept(revision, point, result) => {
                if revision == state.revision {
                    state.means.insert(point, result);
                }
            }
            Action::Ask(policy, asked) => {
                state.question = Some((policy, asked));
                state.tab = Tab::Why;
            }
            Action::Compare(one, other) => {
                state.pair = Some((one, other));
                state.tab = Tab::Differences;
            }
            Action::Guide(guide) => state.guide(guide),
        }
        state.with_a_run_for_every_ticked_policy()
    }

    fn with_a_run_for_every_ticked_policy(mut self) -> State {
        self.runs.retain(|policy, _| self.ticked.contains(policy));
        for &policy in &self.ticked {
            self.runs.entry(policy).or_default();
        }
        memory::bound(&self.document, &mut self.runs);
        self
    }

    fn choose(&mut self, job: JobId, choice: Choice) {
        match choice {
            Choice::Only => self.chosen = [job].into(),
            Choice::Toggle => {
                if !self.chosen.remove(&job) {
                    self.chosen.insert(job);
                }
            }
        }
    }

    /// Shows a window of time, or everything if that is what the window holds.
    fn look_at(&mut self, window: TimeAxis) {
        self.window = (window != self.whole()).then_some(window);
    }

    fn step_to(&mut self, time: Option<Time>) {
        self.motion = Motion::Paused;
        if let Some(time) = time {
            self.playhead = time;
            // A step out of the window takes the window along.
            self.window = self.window.map(|window| window.showing(time, self.whole()));
        }
    }

    fn play_or_pause(&mut self) {
        match self.motion {
            Motion::Playing => self.motion = Motion::Paused,
            Motion::Paused => {
                self.motion = Motion::Playing;
                if self.playhead >= self.end() {
                    self.playhead = Time::ZERO;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
