//! What can happen to the page.

use std::collections::BTreeSet;

use strum::IntoStaticStr;

use super::{
    Answers, ChartChoice, ClusterSwitch, Colouring, Direction, DisplayQuestion, Document, Drawing, Guide,
    Heights, Mark, Notice, PlaybackAction, PollAction, Predict, RunAction, Tab, Toast, UiAction,
    WelcomeAction,
};
use crate::results::shared::Shared;
use fairlane::ids::{JobId, UserId};
use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane::units::Time;
use fairlane_view::TimeAxis;

/// How the chosen jobs change when one is pointed at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JobChoice {
    /// This one alone.
    #[default]
    Only,
    /// This one too, or no longer.
    Toggle,
}

/// What can happen to the page.
#[derive(Clone, Debug, PartialEq, IntoStaticStr)]
pub enum Action {
    /// Another scenario is shown; undo restores the one before.
    Open(Shared<Document>),
    /// The run of real Spark that the page has with it is shown.
    OpenRecording,
    /// This scenario is shown instead of the page that the browser had saved.
    StartWithout(Shared<Document>),
    /// A scenario to start from is shown.
    New,
    /// The scenario is changed.
    Edit(Edit),
    /// The same by a field, which shows itself why a change is not possible.
    EditField(Edit),
    /// An executor is lost at the playhead, or returns then.
    ToggleExecutor(u32),
    /// A job is cancelled at the playhead, or no longer.
    ToggleCancellation(JobId),
    /// Something of the cluster is switched on or off.
    Switch(ClusterSwitch),
    /// A drag starts that will change the scenario.
    DragStart,
    /// The drag means this change of the scenario as it was when it started.
    DragTo(Edit),
    /// The drag means no change for the moment.
    DragBack,
    /// The drag ends; its change stays.
    DragCommit,
    /// The drag is cancelled; everything is as before.
    DragCancel,
    /// The last change is undone.
    Undo,
    /// The change undone last is made again.
    Redo,
    /// A policy is ticked or unticked.
    Toggle(PolicyId),
    /// These policies are ticked, and no others.
    Policies(BTreeSet<PolicyId>),
    /// A policy's panel is shown apart from the one with the same schedule, or folded into it again.
    Fold(PolicyId),
    /// The panels' rows get another height.
    Heights(Heights),
    /// A panel is reduced to its heading, or shown again.
    Collapse(PolicyId),
    /// A panel is brought to the front, on a phone.
    Front(PolicyId),
    /// A panel changes places with the one before or after it.
    MovePanel(PolicyId, Direction),
    /// A policy's virtual time is shown below the ideal, or none.
    VirtualTime(Option<PolicyId>),
    /// Another window of time is shown.
    Zoom(Option<TimeAxis>),
    /// The view is zoomed about a fixed point.
    ZoomBy {
        /// The window that the factor is about.
        base: TimeAxis,
        /// The fixed point, from 0 at the left edge to 1.
        fraction: f64,
        /// New length of the window over the old one.
        factor: f64,
    },
    /// The window is moved by a fraction of its length.
    PanBy(f64),
    /// A chart is dragged: a zoomed one is panned, the whole is scrubbed.
    PanOrScrub {
        /// The window when the drag began.
        base: TimeAxis,
        /// How far it is moved, as a fraction of its length.
        part: f64,
        /// The instant under the pointer.
        at: Time,
    },
    /// A job is chosen.
    Choose(JobId, JobChoice),
    /// No job is chosen.
    ChooseNone,
    /// Colours get another meaning.
    Colour(Colouring),
    /// Schedules are drawn as something else.
    Draw(Drawing),
    /// A mark is switched on or off.
    MarkToggle(Mark),
    /// A user's jobs are chosen, or no longer.
    Follow(UserId),
    /// The page is shown to an audience, or to its reader again.
    Present,
    /// The side shows something else.
    Show(Tab),
    /// Another program is added to the scenario, ticked and shown in its editor.
    Write(&'static str),
    /// A program of the scenario may run: the reader has read it.
    RunProgram(PolicyKind),
    /// A newcomer goes on.
    Welcome(WelcomeAction),
    /// Another tab has let programs run: the text of all approvals, as the browser stores it.
    ApprovedElsewhere(String),
    /// Another chart, or the same one in another way.
    Chart(ChartChoice),
    /// A parameter of a policy, by its index among those that can be tuned, is to be tuned.
    Tune(PolicyId, u8),
    /// Why was this launched, or who would be next?
    Ask(PolicyId, DisplayQuestion),
    /// Why does whom a figure is of wait under a policy, and who holds the cores meanwhile?
    Inspect(PolicyId, FigureSubject),
    /// Two policies are to be compared.
    Compare(PolicyId, PolicyId),
    /// Something about the schedules' playing.
    Playback(PlaybackAction),
    /// Something about simulations and measurements.
    Run(RunAction),
    /// Something about what is open on the page.
    Ui(UiAction),
    /// Something about lessons.
    Guide(Guide),
    /// Something about the question to a class.
    Poll(PollAction),
    /// Something about predictions.
    Predict(Predict),
    /// The browser remembers these predictions.
    Answers(Answers),
}

/// Whom a figure is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureSubject {
    /// A user.
    User(UserId),
    /// One job.
    Job(JobId),
}

impl Action {
    /// Whether it changes the scenario.
    pub fn is_edit(&self) -> bool {
        matches!(
            self,
            Action::New
                | Action::Edit(_)
                | Action::EditField(_)
                | Action::ToggleExecutor(_)
                | Action::ToggleCancellation(_)
                | Action::Switch(_)
                | Action::DragStart
                | Action::DragTo(_)
                | Action::DragBack
                | Action::DragCommit
                | Action::DragCancel
                | Action::Undo
                | Action::Redo
        )
    }

    /// Whether the reader begins something with it: it does not happen by itself, and does not go on with a drag.
    pub fn begins_step(&self) -> bool {
        !matches!(
            self,
            Action::DragTo(_)
                | Action::DragBack
                | Action::DragCommit
                | Action::DragCancel
                | Action::Playback(PlaybackAction::Tick(_))
                | Action::Run(
                    RunAction::Progress(..)
                        | RunAction::Finished(..)
                        | RunAction::AnalyzeInFull
                        | RunAction::Swept(..)
                        | RunAction::Checked(..)
                )
                | Action::Ui(UiAction::Opening(_) | UiAction::Warn(_) | UiAction::Toast(_))
                | Action::Guide(Guide::Explain | Guide::Reach(..))
                | Action::Predict(Predict::Found(_))
                | Action::Answers(_)
        )
    }

    /// What it is, for the report of a fault: nothing of the reader's files, names or texts.
    pub fn describe(&self) -> String {
        let kind: &'static str = match self {
            Action::Playback(action) => action.into(),
            Action::Run(action) => action.into(),
            Action::Ui(action) => action.into(),
            _ => self.into(),
        };
        match self {
            Action::Edit(edit) | Action::EditField(edit) | Action::DragTo(edit) => {
                format!("{kind} {}", kind_of(edit))
            }
            Action::Toggle(policy)
            | Action::Fold(policy)
            | Action::Run(RunAction::Finished(_, policy, _) | RunAction::Retry(policy))
            | Action::Collapse(policy)
            | Action::Front(policy)
            | Action::MovePanel(policy, _)
            | Action::Tune(policy, _)
            | Action::Ask(policy, _)
            | Action::Inspect(policy, _) => format!("{kind} {policy}"),
            Action::Compare(one, other) => format!("{kind} {one} {other}"),
            Action::Choose(job, _) | Action::ToggleCancellation(job) => format!("{kind} {}", job.0),
            Action::ToggleExecutor(executor) => format!("{kind} {executor}"),
            Action::Follow(user) => format!("{kind} {}", user.0),
            Action::Show(tab) => format!("{kind} {tab:?}"),
            Action::Chart(choice) => format!("{kind} {}", choice.kind.id()),
            _ => kind.to_owned(),
        }
    }

    /// Something was done, which is shown for a moment.
    pub fn done(notice: Notice) -> Action {
        Action::Ui(UiAction::Toast(Some(Toast::Done(notice))))
    }

    /// A message to the reader; what is on the page stays.
    pub fn warn(notice: Notice) -> Action {
        Action::Ui(UiAction::Warn(notice))
    }

    /// A file could not be opened; what is on the page stays.
    pub fn not_opened(name: &str, detail: String) -> Action {
        Action::warn(Notice { title: format!("{name} was not opened; nothing has changed"), detail })
    }
}

/// What an edit does, without the reader's names and values.
fn kind_of(edit: &Edit) -> String {
    match edit {
        Edit::Set { of: ObjectPath::Policy(_), .. } => "a parameter".to_owned(),
        Edit::Set { of, field, .. } => of.path_of(field),
        Edit::AddUser { .. } => "add user".to_owned(),
        Edit::ReorderUser { user, .. } => format!("reorder users[{}]", user.0),
        Edit::RemoveUser(user) => format!("remove users[{}]", user.0),
        Edit::Move { jobs, .. } => format!("move {} jobs", jobs.len()),
        Edit::AddJob { .. } => "add job".to_owned(),
        Edit::Duplicate { jobs, .. } => format!("duplicate {} jobs", jobs.len()),
        Edit::Delete { jobs } => format!("delete {} jobs", jobs.len()),
        Edit::Curve { job, .. } => format!("curve of jobs[{}]", job.0),
        Edit::AddStage(job) => format!("add stage to jobs[{}]", job.0),
        Edit::RemoveStage(job, stage) => format!("remove jobs[{}].stages[{stage}]", job.0),
        Edit::Slices(job, stage, _) | Edit::Slice(job, stage, ..) => {
            format!("slices of jobs[{}].stages[{stage}]", job.0)
        }
        _ => "all jobs".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::policy;
    use fairlane::units::Weight;

    #[test]
    fn a_report_says_what_happened_without_the_readers_words() {
        let secret = "the secret name";
        let named = Edit::set(ObjectPath::User(UserId(2)), "name", secret);
        let added = Edit::AddUser { name: secret.to_owned(), weight: Weight::ONE };
        let steps = [
            Action::Edit(named.clone()),
            Action::EditField(added),
            Action::Edit(Edit::several(secret, vec![named])),
            Action::not_opened(secret, secret.to_owned()),
            Action::Toggle(policy("uwfq-p")),
            Action::Show(Tab::Charts),
        ];
        let described = steps.each_ref().map(Action::describe);
        assert_eq!(
            described,
            [
                "Edit users[2].name",
                "EditField add user",
                "Edit all jobs",
                "Warn",
                "Toggle uwfq-p",
                "Show Charts"
            ]
        );
        assert_eq!(steps.each_ref().map(Action::begins_step), [true, true, true, false, true, true]);
    }
}
