//! What can happen to the page.

use super::{ChartChoice, Colouring, Direction, Document, Guide, Mark, Notice, Question, Tab};
use crate::app::codec::Outcome;
use crate::app::shared::Shared;
use crate::app::sweep::SweepPoint;
use crate::ids::JobId;
use crate::policy::PolicyId;
use crate::scenario::edit::Edit;
use crate::units::Time;
use crate::view::TimeAxis;

/// How the chosen jobs change when one is pointed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This one alone.
    Only,
    /// This one too, or no longer.
    Toggle,
}

/// What can happen to the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Another scenario is shown.
    Open(Shared<Document>),
    /// Another scenario takes the place of this one, which an undo brings back; with a title for that.
    Replace(Shared<Document>, String),
    /// The scenario is changed.
    Edit(Edit),
    /// A gesture begins that will change the scenario.
    Grab,
    /// The gesture under way means this change of the scenario as it was when it began.
    Drag(Edit),
    /// The gesture under way means no change for the moment.
    Rest,
    /// The gesture ends; its change stays.
    Drop,
    /// The gesture is given up; all is as before.
    Cancel,
    /// The last change is taken back.
    Undo,
    /// The change taken back last is made again.
    Redo,
    /// A file of this name is being read and checked.
    Opening(String),
    /// Something did not work; what is on the page stays.
    Warn(Notice),
    /// The notice was read.
    CloseNotice,
    /// A policy is ticked or unticked.
    Toggle(PolicyId),
    /// A simulation goes on.
    Progress(u32, PolicyId, f64),
    /// A simulation has ended, or failed with a message.
    Finished(u32, PolicyId, Result<Shared<Outcome>, String>),
    /// A failed simulation is to be tried again.
    Retry(PolicyId),
    /// The playhead is put somewhere.
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
    /// So many real seconds have passed while playing.
    Tick(f64),
    /// Simulated seconds per real second are chosen.
    Speed(Option<f64>),
    /// Another window of time is shown.
    Zoom(Option<TimeAxis>),
    /// So many times as much as in a window is shown, what is at a fraction of it staying there.
    ZoomBy {
        /// The window that the factor is about.
        base: TimeAxis,
        /// What stays where it is, from 0 at the left edge to 1.
        fraction: f64,
        /// Above 1: more of the whole.
        factor: f64,
    },
    /// The window is moved by a part of its length.
    PanBy(f64),
    /// A chart is dragged: a part of the whole is moved, the whole is scrubbed.
    PanOrScrub {
        /// The window when the drag began.
        base: TimeAxis,
        /// How far it is moved, as a fraction of its length.
        part: f64,
        /// The instant under the pointer.
        at: Time,
    },
    /// A job is chosen.
    Choose(JobId, Choice),
    /// Nothing is chosen.
    ChooseNone,
    /// Colours are to stand for something else.
    Colour(Colouring),
    /// A mark is switched on or off.
    MarkToggle(Mark),
    /// The side shows something else.
    Show(Tab),
    /// Another chart, or the same one in another way.
    Chart(ChartChoice),
    /// A point of a sweep over a version of the document is known, or cannot be had.
    Swept(u32, SweepPoint, Result<f64, String>),
    /// Why was this launched, or who would be next?
    Ask(PolicyId, Question),
    /// Two policies are to be compared.
    Compare(PolicyId, PolicyId),
    /// Something about lessons.
    Guide(Guide),
}

impl Action {
    /// A file could not be opened; what is on the page stays.
    pub fn not_opened(name: &str, detail: String) -> Action {
        Action::Warn(Notice { title: format!("{name} was not opened; nothing has changed"), detail })
    }
}
