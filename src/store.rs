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
pub mod history;
mod lesson;
mod log;
mod lookup;
mod predict;
mod record;
mod run;
pub mod selectors;
mod session;
mod source;
#[cfg(test)]
mod tests;
mod ui;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub use crate::store::ui::{Direction, Motion, Notice, Opening, Restored, SideSheet, Toast};
pub use crate::store::verdict::PageVerdict;
pub use action::{Action, JobChoice};
pub use announcement::Announcement;
pub use approval::{Approvals, ProgramDigest, UNAPPROVED};
pub use change::{Drag, Version};
pub use chart::{ChartChoice, ChartKind, ChartNumbers, ReferencePolicy, Size};
pub use document::{Document, DocumentCondition};
pub use fairlane_view::display::{
    Colouring, Display, DisplayMode, DisplayQuestion, Future, Heights, Mark, Tab,
};
pub use lesson::{ActiveLesson, AnswerShown, Card, Guide, LessonEnd, Lessons};
pub use log::{ImportedLog, LogImport, LogReport, LogRules};
pub use predict::{After, Answers, Predict, PredictDecision, PredictScore, PredictTurn, Quiz};
pub use record::{KeptVersion, Record, Stamp};
pub use run::{Run, RunPhase, is_loaded_later};
pub use session::{stored, stored_record};
pub use source::{Admitted, SimulationInput};

use predict::PredictCause;

use crate::results::measurement::{Checked, CheckedPolicy, MeasuredMeans, TuningChoice};
use crate::results::shared::Shared;
use crate::store::history::History;
use fairlane::catalog;
use fairlane::ids::{JobId, UserId};
use fairlane::policy::{OBSERVED, PolicyId};
use fairlane::scenario::{Edit, ScenarioError};
use fairlane::units::Time;
use fairlane_view::TimeAxis;

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
    /// The drag under way.
    pub drag: Option<Drag>,
    /// The ticked policies.
    pub ticked: BTreeSet<PolicyId>,
    /// Whether schedules are analyzed in full: not before the first picture, unless something is dragged.
    pub full_results: bool,
    /// A run for every ticked policy.
    pub runs: BTreeMap<PolicyId, Run>,
    /// Policies whose panels are shown although an earlier one has the same schedule.
    pub unmerged: BTreeSet<PolicyId>,
    /// The instant shown.
    pub playhead: Time,
    /// Whether the playhead moves.
    pub motion: Motion,
    /// Whether the future is hidden, as the reader has chosen; `None`: while playing and in lessons.
    pub hides_future: Option<bool>,
    /// Whether the schedule has been played to where the playhead is, and nothing has been changed since.
    pub played: bool,
    /// The part of the schedule that is played to show the answer to a lesson's question.
    pub reveal: Option<TimeAxis>,
    /// Simulated seconds a real second shows; `None`: such that the whole takes [`WHOLE_S`].
    pub speed: Option<f64>,
    /// The window of time shown; `None`: all of it.
    pub window: Option<TimeAxis>,
    /// The chosen jobs.
    pub chosen: BTreeSet<JobId>,
    /// What a press on a job's block does to the others that are chosen.
    pub choice: JobChoice,
    /// What colours mean.
    pub colouring: Colouring,
    /// How tall the panels' rows are.
    pub heights: Heights,
    /// Policies in the order in which the reader has moved their panels; the others follow.
    pub order: Vec<PolicyId>,
    /// Policies whose panels are reduced to their headings.
    pub collapsed: BTreeSet<PolicyId>,
    /// Policy whose virtual time is shown below the ideal.
    pub virtual_time: Option<PolicyId>,
    /// Marks that are switched on.
    pub marks: BTreeSet<Mark>,
    /// The programs that may run.
    pub approvals: Approvals,
    /// What the side shows.
    pub tab: Tab,
    /// Who looks at the page.
    pub mode: DisplayMode,
    /// Whether the side is unfolded.
    pub sheet: SideSheet,
    /// Whether the dialog with the keys and the policies is open.
    pub help: bool,
    /// What has just been done, shown for a moment.
    pub toast: Option<Toast>,
    /// Whose queue is shown, and when.
    pub question: Option<(PolicyId, DisplayQuestion)>,
    /// The two policies that are compared.
    pub pair: Option<(PolicyId, PolicyId)>,
    /// Which chart is shown, and how.
    pub chart: ChartChoice,
    /// Results of sweeps over this very document.
    pub means: MeasuredMeans,
    /// What policies guarantee in the document as it is, as far as it was asked for.
    pub properties: Checked,
    /// Whether the page is one that the browser had saved.
    pub restored: Restored,
    /// The file that is being read and checked.
    pub opening: Option<Opening>,
    /// A message to the reader.
    pub notice: Option<Notice>,
    /// The edit of a field that was refused last, and why.
    pub refused: Option<Rc<(Edit, ScenarioError)>>,
    /// What the last gesture did, for screen readers.
    pub said: String,
    /// The change whose result is read out once it is there.
    pub announcement: Option<Announcement>,
    /// The predictions under way.
    pub predict: Option<Quiz>,
    /// The lesson under way, and those done.
    pub lessons: Lessons,
}

/// Real seconds that a whole schedule takes to play unless a speed is chosen.
pub const WHOLE_S: f64 = 20.0;

/// Real seconds that a schedule takes to play to the answer to a question.
pub const REVEAL_S: f64 = 3.0;

impl State {
    /// A page with a document and the policies that suit it.
    pub fn new(document: Shared<Document>) -> State {
        let ticked = match document.entry() {
            Some(entry) => catalog::suggested(entry).into_iter().collect(),
            None => ["fair", "ujf", "cfq", "uwfq"].iter().filter_map(|policy| policy.parse().ok()).collect(),
        };
        let marks = Mark::suiting(document.entry());
        State {
            document,
            revision: 0,
            opened: 0,
            lineage: 0,
            history: History::default(),
            drag: None,
            ticked,
            full_results: true,
            runs: BTreeMap::new(),
            unmerged: BTreeSet::new(),
            playhead: Time::ZERO,
            motion: Motion::Paused,
            hides_future: None,
            played: false,
            reveal: None,
            speed: None,
            window: None,
            chosen: BTreeSet::new(),
            choice: JobChoice::Only,
            colouring: Colouring::User,
            heights: Heights::default(),
            order: Vec::new(),
            collapsed: BTreeSet::new(),
            virtual_time: None,
            marks,
            approvals: Approvals::default(),
            tab: Tab::Compare,
            mode: DisplayMode::Work,
            sheet: SideSheet::Folded,
            help: false,
            toast: None,
            question: None,
            pair: None,
            chart: ChartChoice::default(),
            means: MeasuredMeans::new(),
            properties: Checked::new(),
            restored: Restored::No,
            opening: None,
            notice: None,
            refused: None,
            said: String::new(),
            announcement: None,
            predict: None,
            lessons: Lessons::default(),
        }
        .with_runs()
    }

    /// The page without what can be computed again.
    pub fn without_results(&self) -> State {
        State {
            runs: BTreeMap::new(),
            means: MeasuredMeans::new(),
            properties: Checked::new(),
            ..self.clone()
        }
    }

    /// How tall the panels' rows are: for an audience as tall as all panels in view allow, or taller.
    pub fn rows(&self) -> Heights {
        match (self.mode, self.heights) {
            (DisplayMode::Present, Heights::Compact) => Heights::Fit,
            (_, heights) => heights,
        }
    }

    /// The state after an action.
    pub fn reduce(&self, action: Action) -> State {
        let mut state = self.clone();
        let cause = PredictCause::of_action(&action);
        match action {
            Action::Open(document) => state.receive(document),
            Action::OpenRecording => {
                state.lessons.opens = true;
                state.ask_for_recording();
            }
            Action::StartWithout(document) => {
                let title = format!("{} is set aside", self.document.title());
                state.open(document);
                let detail = "The opening scenario is shown instead; nothing is lost.".to_owned();
                state.restored = Restored::Aside(Notice { title, detail });
            }
            Action::New => state.open(Shared::new(Document::blank())),
            Action::Edit(edit) => state.edit(&edit),
            Action::EditField(edit) => state.edit_field(edit),
            Action::DragStart => state.start_drag(),
            Action::DragTo(edit) => state.drag_to(&edit),
            Action::DragBack => state.drag_back(),
            Action::DragCommit => state.commit_drag(),
            Action::DragCancel => state.cancel_drag(),
            Action::Undo => state.step_history(Direction::Back),
            Action::Redo => state.step_history(Direction::Forward),
            Action::Opening(opening) => state.opening = Some(opening),
            Action::Warn(notice) => {
                state.notice = Some(notice);
                state.opening = None;
            }
            Action::CloseNotice => state.notice = None,
            Action::Toggle(policy) => {
                let verb = if state.ticked.contains(&policy) { "untick" } else { "tick" };
                state.history.record(state.version(), format!("{verb} {}", policy.title()), None);
                toggle(&mut state.ticked, policy);
                let is_ticked = state.ticked.contains(&policy);
                state.announcement = is_ticked.then_some(Announcement::Ticked(policy));
            }
            Action::Policies(policies) => state.ticked = policies,
            Action::Fold(policy) => toggle(&mut state.unmerged, policy),
            Action::Progress(revision, policy, part) => {
                let run = state.runs.get_mut(&policy).filter(|_| revision == state.revision);
                if let Some(Run { phase: RunPhase::Pending(done), .. }) = run {
                    *done = part;
                }
            }
            Action::Finished(revision, policy, result) => {
                if let (true, Some(run)) = (revision >= state.opened, state.runs.get_mut(&policy)) {
                    run.finish(revision, state.revision, result);
                }
                state.complete();
                state.playhead = state.playhead.min(state.end());
                state.announce();
            }
            Action::AnalyzeInFull => {
                state.full_results = true;
                state.complete();
            }
            Action::Retry(policy) => {
                if let Some(Run { phase: phase @ RunPhase::Failed(_), .. }) = state.runs.get_mut(&policy) {
                    *phase = RunPhase::Pending(0.0);
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
            Action::Play(motion) if motion == state.motion => {}
            Action::Play(_) => state.play_or_pause(),
            // A late tick after the playhead was paused moves nothing.
            Action::Tick(_) if state.motion == Motion::Paused => {}
            Action::Tick(seconds) => {
                let advance = seconds * state.simulated_per_second() * 1e6;
                let end = state.reveal.map_or_else(|| state.end(), |part| part.to);
                state.playhead = Time(state.playhead.0.saturating_add(advance.max(0.0) as u64)).min(end);
                if state.playhead >= end {
                    state.motion = Motion::Paused;
                    state.played = false;
                }
            }
            Action::HideFuture(hides) => {
                state.hides_future = Some(hides);
                state.predict = state.predict.filter(|_| hides);
            }
            Action::Heights(heights) => state.heights = heights,
            Action::Collapse(policy) => toggle(&mut state.collapsed, policy),
            Action::MovePanel(policy, direction) => state.move_panel(policy, direction),
            Action::VirtualTime(policy) => state.virtual_time = policy,
            Action::Speed(speed) => state.speed = speed.filter(|speed| speed.is_finite() && *speed > 0.0),
            Action::Zoom(window) => state.window = window.filter(is_window),
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
            // A press on a block that an edit has just removed.
            Action::Choose(job, _) if job.index() >= state.document.scenario.jobs().len() => {}
            Action::Choose(job, JobChoice::Only) => state.chosen = [job].into(),
            Action::Choose(job, JobChoice::Toggle) => toggle(&mut state.chosen, job),
            Action::ChooseNone => state.chosen.clear(),
            Action::ChooseBy(choice) => state.choice = choice,
            Action::Colour(colouring) => state.colouring = colouring,
            Action::MarkToggle(mark) => toggle(&mut state.marks, mark),
            Action::Follow(user) => state.follow(user),
            Action::Present => match state.mode {
                DisplayMode::Work => {
                    state.mode = DisplayMode::Present;
                    if let Some(verdict) = self.worst_served().filter(|_| self.chosen.is_empty()) {
                        state.follow(verdict.user);
                    }
                }
                DisplayMode::Present => state.mode = DisplayMode::Work,
            },
            Action::Escape => match (&state.drag, state.mode) {
                (Some(_), _) => state.cancel_drag(),
                (None, DisplayMode::Present) if state.sheet != SideSheet::Folded => {
                    state.sheet = SideSheet::Folded
                }
                (None, DisplayMode::Present) => state.mode = DisplayMode::Work,
                (None, DisplayMode::Work) if state.predict.is_some() => state.predict = None,
                (None, DisplayMode::Work) => state.sheet = SideSheet::Folded,
            },
            Action::FoldSheet => state.sheet = SideSheet::Folded,
            Action::SetUp => {
                state.sheet = match state.sheet {
                    SideSheet::SetUp => SideSheet::Folded,
                    SideSheet::Folded | SideSheet::Unfolded => SideSheet::SetUp,
                }
            }
            Action::Help(open) => state.help = open,
            Action::Toast(toast) => state.toast = toast,
            Action::Show(tab) => {
                state.tab = tab;
                state.sheet = SideSheet::Unfolded;
            }
            Action::Write(program) => state.write_program(program),
            Action::RunProgram(program) => state.approve(program),
            Action::Chart(choice) => state.chart = choice,
            Action::Tune(policy, tunable) => {
                let tuned = TuningChoice { tunable, ..state.chart.tuned };
                let (kind, policy) = (ChartKind::Parameter, Some(policy));
                state.chart = ChartChoice { kind, policy, tuned, tuning: true, ..state.chart };
                state.tab = Tab::Charts;
                state.sheet = SideSheet::Unfolded;
            }
            Action::Swept(revision, point, result) => {
                if revision == state.revision {
                    state.means.insert(point, result);
                }
            }
            Action::Checked(revision, policy, result) => {
                if revision == state.revision {
                    let scenario = state.document.scenario.clone();
                    let checked = |properties| CheckedPolicy::new(policy, scenario, properties);
                    state.properties.insert(policy, result.map(checked));
                }
            }
            Action::Ask(policy, asked) => {
                state.question = Some((policy, asked));
                state.tab = Tab::Why;
                // The playhead shows the decision.
                if let Some(task) = state.asked_task(policy) {
                    let analysis = state.runs.get(&policy).and_then(|run| run.analysis.as_ref());
                    let start = analysis.and_then(|analysis| Some(analysis.trace.tasks.get(task)?.start));
                    state.step_to(start);
                }
                state.sheet = SideSheet::Unfolded;
            }
            Action::Compare(one, other) => {
                state.pair = Some((one, other));
                state.tab = Tab::Differences;
                state.sheet = SideSheet::Unfolded;
            }
            Action::Guide(guide) => state.guide(guide),
            Action::Predict(predict) => state.predict(predict),
            Action::Answers(answers) => state.remember(answers),
        }
        let mut state = state.with_runs();
        state.reveal = state.reveal.filter(|_| state.motion == Motion::Playing);
        state.keep_predicting(self, cause);
        state
    }

    /// The state with a run for every ticked policy.
    pub fn with_runs(mut self) -> State {
        // Nothing simulates what ran.
        self.ticked.remove(&OBSERVED);
        self.runs.retain(|policy, _| self.ticked.contains(policy));
        for &policy in &self.ticked {
            self.runs.entry(policy).or_default();
        }
        if let Some(log) = self.document.log.as_ref().filter(|log| log.recorded(&self.document.scenario)) {
            self.runs.insert(OBSERVED, log.run(self.revision));
        }
        run::admit(&self.document, &self.approvals, &mut self.runs);
        self
    }

    /// Chooses a user's jobs, so that the others step back; or none if they are chosen already.
    fn follow(&mut self, user: UserId) {
        let jobs = self.document.scenario.jobs().iter().enumerate().filter(|(_, job)| job.user == user);
        let jobs = jobs.map(|(index, _)| JobId(index as u32)).collect();
        self.chosen = if self.chosen == jobs { BTreeSet::new() } else { jobs };
    }

    /// Shows a window of time, or everything if that is what the window holds.
    fn look_at(&mut self, window: TimeAxis) {
        self.window = Some(window).filter(|window| is_window(window) && *window != self.whole());
    }

    fn step_to(&mut self, time: Option<Time>) {
        self.motion = Motion::Paused;
        if let Some(time) = time {
            self.playhead = time;
            // The window follows a step out of it.
            self.window = self.window.map(|window| window.showing(time, self.whole()));
        }
    }

    fn play_or_pause(&mut self) {
        match self.motion {
            Motion::Playing => {
                self.motion = Motion::Paused;
                // The millisecond that was shown while it moved.
                self.playhead = Time(self.playhead.0 / 1000 * 1000);
            }
            Motion::Paused => {
                self.motion = Motion::Playing;
                self.played = true;
                if self.playhead >= self.end() {
                    self.playhead = Time::ZERO;
                }
            }
        }
    }
}

/// The last instant that a link writes to the microsecond.
const LAST_INSTANT: Time = Time(1 << 51);

/// Whether a stretch of time can be shown, and comes back from a link.
fn is_window(window: &TimeAxis) -> bool {
    window.from < window.to && window.to <= LAST_INSTANT
}

/// Removes an item, or inserts it if it is missing.
fn toggle<T: Ord>(set: &mut BTreeSet<T>, item: T) {
    if !set.remove(&item) {
        set.insert(item);
    }
}
