//! What can happen to the scenario, and what that does.

use strum::IntoStaticStr;

use super::Document;
use crate::results::shared::Shared;
use crate::store::{ClusterSwitch, Direction, Notice, Restored, State};
use fairlane::ids::JobId;
use fairlane::policy::PolicyKind;
use fairlane::scenario::edit::{Edit, ObjectPath};

/// What can happen to the scenario.
#[derive(Clone, Debug, PartialEq, IntoStaticStr)]
pub enum DocumentAction {
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
    /// Another program is added to the scenario, ticked and shown in its editor.
    Write(&'static str),
    /// A program of the scenario may run: the reader has read it.
    RunProgram(PolicyKind),
    /// Another tab has let programs run: the text of all approvals, as the browser stores it.
    ApprovedElsewhere(String),
}

impl DocumentAction {
    /// Whether it changes the scenario.
    pub fn is_edit(&self) -> bool {
        !matches!(
            self,
            DocumentAction::Open(_)
                | DocumentAction::OpenRecording
                | DocumentAction::StartWithout(_)
                | DocumentAction::Write(_)
                | DocumentAction::RunProgram(_)
                | DocumentAction::ApprovedElsewhere(_)
        )
    }

    /// Whether it goes on with a drag, or ends it.
    pub(in crate::store) fn continues_drag(&self) -> bool {
        matches!(
            self,
            DocumentAction::DragTo(_)
                | DocumentAction::DragBack
                | DocumentAction::DragCommit
                | DocumentAction::DragCancel
        )
    }

    /// What of the scenario it is about, without the reader's names and values.
    pub(in crate::store) fn subject(&self) -> Option<String> {
        match self {
            DocumentAction::Edit(edit) | DocumentAction::EditField(edit) | DocumentAction::DragTo(edit) => {
                Some(kind_of(edit))
            }
            DocumentAction::ToggleCancellation(job) => Some(job.0.to_string()),
            DocumentAction::ToggleExecutor(executor) => Some(executor.to_string()),
            _ => None,
        }
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

impl State {
    pub(in crate::store) fn change_document(&mut self, action: DocumentAction) {
        match action {
            DocumentAction::Open(document) => self.receive(document),
            DocumentAction::OpenRecording => self.open_recording(),
            DocumentAction::StartWithout(document) => self.start_without(document),
            DocumentAction::New => self.open(Shared::new(Document::blank())),
            DocumentAction::Edit(edit) => self.edit(&edit),
            DocumentAction::EditField(edit) => self.edit_field(edit),
            DocumentAction::ToggleExecutor(executor) => self.toggle_executor(executor),
            DocumentAction::ToggleCancellation(job) => self.toggle_cancellation(job),
            DocumentAction::Switch(switch) => self.switch(switch),
            DocumentAction::DragStart => self.start_drag(),
            DocumentAction::DragTo(edit) => self.drag_to(&edit),
            DocumentAction::DragBack => self.drag_back(),
            DocumentAction::DragCommit => self.commit_drag(),
            DocumentAction::DragCancel => self.cancel_drag(),
            DocumentAction::Undo => self.step_history(Direction::Back),
            DocumentAction::Redo => self.step_history(Direction::Forward),
            DocumentAction::Write(program) => self.write_program(program),
            DocumentAction::RunProgram(program) => self.approve(program),
            DocumentAction::ApprovedElsewhere(text) => self.approve_as_elsewhere(&text),
        }
    }

    fn open_recording(&mut self) {
        self.lessons.opens = true;
        self.ask_for_recording();
    }

    /// Shows another scenario than the page that the browser had saved.
    fn start_without(&mut self, document: Shared<Document>) {
        let title = format!("{} is set aside", self.document.title());
        self.open(document);
        let detail = "The opening scenario is shown instead; nothing is lost.".to_owned();
        self.ui.restored = Restored::Aside(Notice { title, detail });
    }
}
