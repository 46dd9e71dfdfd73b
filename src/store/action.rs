//! What can happen to the page.

use std::collections::BTreeSet;

use super::{
    Answers, ChartChoice, Colouring, Direction, DisplayQuestion, Document, Guide, Heights, Mark, Motion,
    Notice, Opening, Predict, Tab, Toast,
};
use crate::codec::Analysis;
use crate::measurement::SweepPoint;
use crate::shared::Shared;
use fairlane::ids::{JobId, UserId};
use fairlane::metrics::Properties;
use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::edit::Edit;
use fairlane::units::Time;
use fairlane_view::TimeAxis;

/// How the chosen jobs change when one is pointed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobChoice {
    /// This one alone.
    Only,
    /// This one too, or no longer.
    Toggle,
}

/// What can happen to the page.
#[derive(Clone, Debug, PartialEq)]
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
    /// A file of this name is being read and checked.
    Opening(Opening),
    /// A message to the reader; what is on the page stays.
    Warn(Notice),
    /// The message was read.
    CloseNotice,
    /// A policy is ticked or unticked.
    Toggle(PolicyId),
    /// These policies are ticked, and no others.
    Policies(BTreeSet<PolicyId>),
    /// A policy's panel is shown apart from the one with the same schedule, or folded into it again.
    Fold(PolicyId),
    /// A simulation has made progress.
    Progress(u32, PolicyId, f64),
    /// A simulation has ended, or failed with a message.
    Finished(u32, PolicyId, Result<Shared<Analysis>, String>),
    /// The first picture has been painted: what it did not need is computed.
    AnalyzeInFull,
    /// A failed simulation is to be tried again.
    Retry(PolicyId),
    /// The playhead moves to an instant.
    Seek(Time),
    /// The playhead goes to the next or previous event of any ticked policy.
    Step(Direction),
    /// The playhead goes to the next or previous launch of a chosen job's task.
    StepChosen(Direction),
    /// The playhead goes to the next instant at which a chosen job finishes under a ticked policy; after
    /// the last to the first.
    SeekFinish,
    /// Play or pause.
    PlayPause,
    /// Play, or pause, whichever it did before.
    Play(Motion),
    /// Real seconds have passed while playing.
    Tick(f64),
    /// What lies beyond the playhead is to be hidden, or shown.
    HideFuture(bool),
    /// The panels' rows get another height.
    Heights(Heights),
    /// A panel is reduced to its heading, or shown again.
    Collapse(PolicyId),
    /// A panel changes places with the one before or after it.
    MovePanel(PolicyId, Direction),
    /// A policy's virtual time is shown below the ideal, or none.
    VirtualTime(Option<PolicyId>),
    /// Simulated seconds per real second are chosen.
    Speed(Option<f64>),
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
    /// What a press on a job's block does to the others that are chosen.
    ChooseBy(JobChoice),
    /// Colours get another meaning.
    Colour(Colouring),
    /// A mark is switched on or off.
    MarkToggle(Mark),
    /// A user's jobs are chosen, or no longer.
    Follow(UserId),
    /// The page is shown to an audience, or to its reader again.
    Present,
    /// A drag is cancelled, or else the presentation ends, the predictions, or the side is folded.
    Escape,
    /// The sheet is folded.
    FoldSheet,
    /// On a phone, the set-up is unfolded in place of the side, or folded again.
    SetUp,
    /// The dialog with the keys and the policies is opened or closed.
    Help(bool),
    /// Something was done, which is shown for a moment; or that moment is over.
    Toast(Option<Toast>),
    /// The side shows something else.
    Show(Tab),
    /// Another program is added to the scenario, ticked and shown in its editor.
    Write(&'static str),
    /// A program of the scenario may run: the reader has read it.
    RunProgram(PolicyKind),
    /// Another chart, or the same one in another way.
    Chart(ChartChoice),
    /// A parameter of a policy, by its index among those that can be tuned, is to be tuned.
    Tune(PolicyId, u8),
    /// A point of a sweep over a version of the document is known, or cannot be had.
    Swept(u32, SweepPoint, Result<f64, String>),
    /// The properties of a policy in a version of the document are known, as JSON, or cannot be had.
    Checked(u32, PolicyId, Result<Shared<Properties>, String>),
    /// Why was this launched, or who would be next?
    Ask(PolicyId, DisplayQuestion),
    /// Two policies are to be compared.
    Compare(PolicyId, PolicyId),
    /// Something about lessons.
    Guide(Guide),
    /// Something about predictions.
    Predict(Predict),
    /// The browser remembers these predictions.
    Answers(Answers),
}

impl Action {
    /// Whether it changes the scenario.
    pub fn is_edit(&self) -> bool {
        matches!(
            self,
            Action::New
                | Action::Edit(_)
                | Action::EditField(_)
                | Action::DragStart
                | Action::DragTo(_)
                | Action::DragBack
                | Action::DragCommit
                | Action::DragCancel
                | Action::Undo
                | Action::Redo
        )
    }

    /// A file could not be opened; what is on the page stays.
    pub fn not_opened(name: &str, detail: String) -> Action {
        Action::Warn(Notice { title: format!("{name} was not opened; nothing has changed"), detail })
    }
}
