//! What is open on the page, and what it says to its reader.

use std::rc::Rc;

use strum::IntoStaticStr;

use super::{Announcement, DisplayMode, JobChoice, SetAside, State, Tab, Welcome};
use fairlane::policy::PolicyId;
use fairlane::scenario::{Edit, ScenarioError};

/// What is open on the page, and what it says to its reader.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ui {
    /// Whether the side is unfolded.
    pub sheet: SideSheet,
    /// The tab that the inspector has opened over, to which Escape leads back.
    pub beneath: Option<Tab>,
    /// What a press on a job's block does to the others that are chosen.
    pub choice: JobChoice,
    /// Whether the dialog with the keys and the policies is open.
    pub help: bool,
    /// The policy whose panel was brought to the front, on a phone.
    pub front: Option<PolicyId>,
    /// The file that is being read and checked.
    pub opening: Option<Opening>,
    /// Whether the page is one that the browser had saved.
    pub restored: Restored,
    /// How far a newcomer has come, until the page is the whole laboratory.
    pub welcome: Option<Welcome>,
    /// A message to the reader.
    pub notice: Option<Notice>,
    /// What has just been done, shown for a moment.
    pub toast: Option<Toast>,
    /// The edit of a field that was refused last, and why.
    pub refused: Option<Rc<(Edit, ScenarioError)>>,
    /// What the last gesture did, for screen readers.
    pub said: String,
    /// The change whose result is read out once it is there.
    pub announcement: Option<Announcement>,
    /// The parameters of what the reader has switched off in this scenario.
    pub set_aside: SetAside,
}

/// What can happen to it.
#[derive(Clone, Debug, PartialEq, IntoStaticStr)]
pub enum UiAction {
    /// A file of this name is being read and checked.
    Opening(Opening),
    /// A message to the reader; what is on the page stays.
    Warn(Notice),
    /// The message was read.
    CloseNotice,
    /// What a press on a job's block does to the others that are chosen.
    ChooseBy(JobChoice),
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
}

impl State {
    pub(super) fn change_ui(&mut self, action: UiAction) {
        match action {
            UiAction::Opening(opening) => self.ui.opening = Some(opening),
            UiAction::Warn(notice) => {
                self.ui.notice = Some(notice);
                self.ui.opening = None;
            }
            UiAction::CloseNotice => self.ui.notice = None,
            UiAction::ChooseBy(choice) => self.ui.choice = choice,
            UiAction::Escape => self.escape(),
            UiAction::FoldSheet => self.ui.sheet = SideSheet::Folded,
            UiAction::SetUp => self.unfold_set_up(),
            UiAction::Help(open) => self.ui.help = open,
            UiAction::Toast(toast) => self.ui.toast = toast,
        }
    }

    /// Ends what was begun last.
    fn escape(&mut self) {
        match (&self.drag, self.view.mode) {
            (Some(_), _) => self.cancel_drag(),
            (None, DisplayMode::Present) if self.ui.sheet != SideSheet::Folded => {
                self.ui.sheet = SideSheet::Folded
            }
            (None, DisplayMode::Present) => self.view.mode = DisplayMode::Work,
            (None, DisplayMode::Work) if self.predict.is_some() => self.predict = None,
            // Guesses that a class has made are not lost by a key.
            (None, DisplayMode::Work)
                if self.poll.as_ref().is_some_and(|poll| !poll.is_open() || poll.count() == 0) =>
            {
                self.poll = None;
            }
            (None, DisplayMode::Work) => match (self.view.tab, self.ui.beneath.take()) {
                (Tab::Inspector(_), Some(beneath)) => self.view.tab = beneath,
                _ => self.ui.sheet = SideSheet::Folded,
            },
        }
    }

    fn unfold_set_up(&mut self) {
        self.ui.sheet = match self.ui.sheet {
            SideSheet::SetUp => SideSheet::Folded,
            SideSheet::Folded | SideSheet::Unfolded => SideSheet::SetUp,
        }
    }
}

/// Whether the side of the page is unfolded: beside the schedules, or on a phone as a sheet over them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SideSheet {
    /// Only its tabs are shown.
    #[default]
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Restored {
    /// It is another.
    #[default]
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
