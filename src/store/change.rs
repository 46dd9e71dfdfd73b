//! Other documents: opened, edited, dragged, undone.

use std::collections::BTreeSet;
use std::iter;
use std::rc::Rc;

use super::{
    Announcement, Direction, DisplayQuestion, Document, Guide, Motion, Notice, Restored, Run, RunPhase,
    SetAside, SideSheet, State, Tab, Toast, View,
};
use crate::results::shared::Shared;
use crate::store::history::MemorySize;
use fairlane::catalog;
use fairlane::ids::JobId;
use fairlane::number;
use fairlane::policy::{OBSERVED, PolicyId, PolicyKind, custom};
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane::scenario::{PartitionMode, Scenario, ScenarioError};
use fairlane::units::Time;
use fairlane_view::TimeAxis;

/// A drag that changes the document as long as it lasts.
#[derive(Clone, Debug, PartialEq)]
pub struct Drag {
    /// The document at the start.
    base: Version,
    /// Its title in the history.
    title: String,
    /// The revision then.
    revision: u32,
    /// The axis then, which stays, so that only what is dragged moves.
    pub(super) axis: TimeAxis,
    /// What makes the document out of that at the start.
    edit: Option<Rc<Edit>>,
}

impl Drag {
    /// Whether it is jobs that are dragged.
    pub fn is_of_jobs(&self) -> bool {
        matches!(self.edit.as_deref(), Some(Edit::Move { .. }))
    }

    /// The document at the start, and the edit that makes the present one out of it.
    pub(super) fn edit(&self) -> Option<(&Shared<Document>, &Rc<Edit>)> {
        Some((&self.base.document, self.edit.as_ref()?))
    }
}

/// What can be undone and redone: a document, the jobs chosen in it, and how it was shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    document: Shared<Document>,
    /// As [`State::lineage`].
    lineage: u32,
    /// What was shown. A step between versions of one lineage restores the ticked policies and the chosen jobs; one to
    /// another scenario also the rest that is about its schedules.
    view: View,
}

impl MemorySize for Version {
    fn bytes(&self) -> usize {
        self.document.bytes() + self.view.chosen.len() * size_of::<JobId>()
    }
}

impl State {
    pub(super) fn open(&mut self, document: Shared<Document>) {
        self.commit_drag();
        if document.has_grown_from(&self.document) {
            return self.follow_log(document);
        }
        self.withdraw_undo();
        if self.challenge().is_some() {
            self.guide(Guide::Leave);
        }
        // The scenario that is there already, unchanged, is no step.
        let known = self.document.origin == document.origin && *self.document.scenario == *document.scenario;
        if !known {
            let title = format!("open {}", document.title());
            self.ui.said.clone_from(&title);
            self.history.record(self.version(), title, None);
        }
        // A catalog entry selects the policies and marks that show its point; a file keeps the reader's.
        let marks = self.marks();
        if let Some(entry) = document.entry() {
            self.view.policies = catalog::suggested(entry).into_iter().collect();
        }
        // A log is shown as it ran, as the simulator says that it would have run, and under UWFQ.
        if let Some(log) = &document.log {
            let uwfq = [PartitionMode::Default, PartitionMode::Runtime]
                .map(|mode| PolicyId { kind: PolicyKind::Uwfq, partitioning: mode });
            self.view.policies = uwfq.into_iter().chain([log.known.ran_with]).collect();
            self.view.order = vec![OBSERVED, log.known.ran_with];
            self.pair = Some((OBSERVED, log.known.ran_with));
        }
        let programs = custom::programs(&document.scenario).into_iter();
        self.view.policies.retain(|policy| !custom::is_program(policy.kind));
        self.view
            .policies
            .extend(programs.map(|kind| PolicyId { kind, partitioning: PartitionMode::Default }));
        self.load(document);
        match self.document.entry() {
            Some(_) => self.view.marks = None,
            None => self.mark(marks),
        }
        self.lineage = self.revision;
        self.view.playhead = Time::ZERO;
        self.playback.motion = Motion::Paused;
        // What is slow for one scenario is fast for another.
        self.playback.speed = None;
        self.view.window = None;
        self.view.chosen.clear();
        self.question = None;
        self.ui.notice = None;
        self.ui.opening = None;
    }

    /// Shows what has become of a log that is written on: all that is shown of it stays, with the schedules until those
    /// that are longer are there. It is no step that can be undone.
    fn follow_log(&mut self, document: Shared<Document>) {
        let jobs = document.scenario.jobs().len();
        let mut chosen = std::mem::take(&mut self.view.chosen);
        chosen.retain(|job| job.index() < jobs);
        self.show(document, chosen);
        self.ui.opening = None;
    }

    /// Shows another document from scratch: no results are of use.
    pub(super) fn load(&mut self, document: Shared<Document>) {
        self.document = document;
        self.ui.restored = Restored::No;
        self.ui.set_aside = SetAside::default();
        self.begin_anew();
        self.revision += 1;
        self.opened = self.revision;
        self.runs.clear();
        self.means.clear();
        self.properties.clear();
        self.chart.checking = false;
    }

    pub(super) fn edit(&mut self, edit: &Edit) {
        if let Err(error) = self.edited(edit) {
            self.ui.notice = Some(Notice {
                title: "This change is not possible; nothing has changed".to_owned(),
                detail: error.to_string(),
            });
        }
    }

    pub(super) fn edit_field(&mut self, edit: Edit) {
        self.ui.refused = self.edited(&edit).err().map(|error| Rc::new((edit, error)));
    }

    /// Takes an executor away at the playhead, or brings it back then.
    pub(super) fn toggle_executor(&mut self, executor: u32) {
        // A press on the name of one that an edit has just removed.
        if executor < self.document.scenario.cluster().executors {
            self.edit(&Edit::toggle_executor(&self.document.scenario, executor, self.view.playhead));
        }
    }

    /// Cancels a job at the playhead, or no longer does.
    pub(super) fn toggle_cancellation(&mut self, job: JobId) {
        if job.index() < self.document.scenario.jobs().len() {
            self.edit(&Edit::toggle_cancellation(&self.document.scenario, job, self.view.playhead));
        }
    }

    /// Adds a program under a free name, ticks it and shows its editor.
    pub(super) fn write_program(&mut self, program: &'static str) {
        let taken = custom::programs(&self.document.scenario);
        let names =
            iter::once("custom".to_owned()).chain((2..).map(|number| format!("custom:policy-{number}")));
        let mut free = names.filter_map(|name| custom::kind(&name)).filter(|kind| !taken.contains(kind));
        let Some(kind) = free.next() else { return };
        let of = ObjectPath::Policy(kind.info().id.into());
        self.edit(&Edit::Set { of, field: "program".into(), value: program.into() });
        self.view.policies.insert(PolicyId { kind, partitioning: PartitionMode::Default });
        self.view.tab = Tab::Program;
        self.ui.sheet = SideSheet::Unfolded;
    }

    fn edited(&mut self, edit: &Edit) -> Result<(), ScenarioError> {
        // A change by other means, such as a key, ends a drag that is under way.
        self.commit_drag();
        let (document, chosen) = self.document.edited(edit, &self.view.chosen)?;
        if *document.scenario == *self.document.scenario {
            // The same value written differently, or a job that is at the edge already.
            self.view.chosen = chosen;
            return Ok(());
        }
        let title = edit.title(&self.document.scenario);
        self.ui.said.clone_from(&title);
        self.withdraw_undo();
        if let Some(what) = deletion(edit, &self.document.scenario) {
            self.ui.toast = Some(Toast::Deleted(what));
        }
        self.history.record(self.version(), title, edit.field());
        let before = self.document.clone();
        self.show(document, chosen);
        self.approve_written(&before);
        self.announce_move(matches!(edit, Edit::Move { .. }));
        Ok(())
    }

    pub(super) fn version(&self) -> Version {
        Version { document: self.document.clone(), lineage: self.lineage, view: self.view.clone() }
    }

    /// Shows another version of the document. What has been simulated stays visible until the new
    /// schedules are there.
    fn show(&mut self, document: Shared<Document>, chosen: BTreeSet<JobId>) {
        self.view.chosen = chosen;
        if self.document == document {
            return;
        }
        self.document = document;
        self.outdate();
        // Tasks and queues of the old schedules mean nothing in the new ones.
        if let Some((_, asked)) = &mut self.question {
            *asked = DisplayQuestion::Playhead;
        }
    }

    /// Announces to screen readers what a move leads to.
    fn announce_move(&mut self, is_move: bool) {
        let job = self.view.chosen.first().copied().filter(|_| is_move);
        self.ui.announcement = job.map(Announcement::Moved);
    }

    /// Simulates everything again; old results stay visible until then.
    fn outdate(&mut self) {
        self.begin_anew();
        self.means.clear();
        self.properties.clear();
        self.chart.checking = false;
        self.simulate_where(|_| true);
    }

    fn simulate_where(&mut self, is_wanted: impl Fn(&Run) -> bool) {
        self.revision += 1;
        self.runs
            .values_mut()
            .filter(|run| is_wanted(run))
            .for_each(|run| run.phase = RunPhase::Pending(0.0));
    }

    /// Asks for full analyses in place of quick ones, unless something is dragged or the first picture is still to come.
    pub(super) fn complete(&mut self) {
        let revision = self.revision;
        let is_quick = |run: &Run| {
            run.shown == revision && run.analysis.as_ref().is_some_and(|analysis| analysis.extras.is_none())
        };
        if self.drag.is_some() || !self.runs.values().any(is_quick) {
            return;
        }
        if self.full_results {
            // What failed waits until the reader asks for it.
            self.simulate_where(|run| run.analysis.is_some() || matches!(run.phase, RunPhase::Pending(_)));
        } else {
            let quick = self.runs.values_mut().filter(|run| is_quick(run));
            quick.for_each(|run| run.phase = RunPhase::Pending(1.0));
        }
    }

    pub(super) fn start_drag(&mut self) {
        // One that never ended, such as another finger's, ends here: its change must not be lost to undo.
        self.commit_drag();
        self.withdraw_undo();
        self.drag = Some(Drag {
            base: self.version(),
            title: String::new(),
            revision: self.revision,
            axis: self.axis(),
            edit: None,
        });
    }

    pub(super) fn drag_to(&mut self, edit: &Edit) {
        let Some(drag) = &mut self.drag else { return };
        // An impossible change is skipped; the last possible one stays.
        let Ok((document, chosen)) = drag.base.document.edited(edit, &drag.base.view.chosen) else { return };
        drag.title = edit.title(&drag.base.document.scenario);
        drag.edit = Some(Rc::new(edit.clone()));
        // An unchanged scenario keeps its document, and with it its results.
        let known = [&self.document, &drag.base.document]
            .into_iter()
            .find(|known| *known.scenario == *document.scenario)
            .cloned();
        self.show(known.unwrap_or(document), chosen);
    }

    pub(super) fn drag_back(&mut self) {
        if let Some(Drag { base, .. }) = self.drag.clone() {
            self.show(base.document, base.view.chosen);
        }
    }

    pub(super) fn commit_drag(&mut self) {
        let Some(drag) = self.drag.take() else { return };
        self.end_drag_at(drag.revision);
        if *drag.base.document.scenario == *self.document.scenario {
            self.show(drag.base.document, self.view.chosen.clone());
        } else {
            self.ui.said.clone_from(&drag.title);
            self.announce_move(drag.is_of_jobs());
            self.history.record(drag.base, drag.title, None);
        }
    }

    pub(super) fn cancel_drag(&mut self) {
        if let Some(drag) = self.drag.take() {
            self.show(drag.base.document, drag.base.view.chosen);
            self.end_drag_at(drag.revision);
        }
    }

    /// Asks for full analyses in place of quick ones after a drag that started at a revision.
    fn end_drag_at(&mut self, revision: u32) {
        if revision == self.revision { self.complete() } else { self.outdate() }
    }

    pub(super) fn step_history(&mut self, direction: Direction) {
        if self.drag.is_some() {
            return;
        }
        self.withdraw_undo();
        let (undo, redo) = (self.history.undo_title(), self.history.redo_title());
        let (said, version) = match direction {
            Direction::Back => {
                (undo.map(|title| format!("undone: {title}")), self.history.undo(self.version()))
            }
            Direction::Forward => {
                (redo.map(|title| format!("redone: {title}")), self.history.redo(self.version()))
            }
        };
        if let (Some(said), Some(version)) = (said, version) {
            self.ui.said = said;
            self.restore_version(version);
        }
    }

    /// Takes back the offer to undo a deletion: undo would undo something else by now.
    fn withdraw_undo(&mut self) {
        if let Some(Toast::Deleted(_)) = self.ui.toast {
            self.ui.toast = None;
        }
    }

    fn restore_version(&mut self, version: Version) {
        let Version { document, lineage, view } = version;
        if lineage == self.lineage {
            self.view.policies = view.policies;
            if document == self.document {
                self.view.chosen = view.chosen;
            } else {
                self.show(document, view.chosen);
            }
            return;
        }
        self.load(document);
        self.lineage = lineage;
        // Who looks at the page, and what its side shows, is not the scenario's.
        let View { tab, mode, heights, colouring, .. } = self.view;
        self.view = View { tab, mode, heights, colouring, ..view };
        self.playback.motion = Motion::Paused;
        self.question = None;
    }
}

/// What an edit deletes, in words; `None` if it deletes nothing.
fn deletion(edit: &Edit, scenario: &Scenario) -> Option<String> {
    match edit {
        Edit::Delete { jobs } => match jobs[..] {
            [job] if job.index() < scenario.jobs().len() => Some(scenario.job_label(job)),
            _ => Some(number::counted(jobs.len(), "job")),
        },
        Edit::RemoveStage(job, stage) => Some(scenario.stage_label(*job, *stage)),
        Edit::RemoveUser(user) => Some(scenario.users().get(user.index())?.name.clone()),
        _ => None,
    }
}
