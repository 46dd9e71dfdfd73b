//! What each action does to the page.

use std::collections::BTreeSet;

use super::predict::PredictCause;
use super::{
    Action, Announcement, ChartChoice, ChartKind, Direction, DisplayMode, DisplayQuestion, Document,
    FigureSubject, InspectorPart, JobChoice, Mark, Motion, Notice, Restored, SideSheet, State, Tab,
};
use crate::results::measurement::TuningChoice;
use crate::results::shared::Shared;
use fairlane::ids::{JobId, UserId};
use fairlane::metrics;
use fairlane::policy::PolicyId;

impl State {
    /// The state after an action.
    pub fn reduce(&self, action: Action) -> State {
        let mut state = self.clone();
        let cause = PredictCause::of_action(&action);
        let is_undo = action == Action::Undo;
        match action {
            Action::Open(document) => state.receive(document),
            Action::OpenRecording => state.open_recording(),
            Action::StartWithout(document) => state.start_without(document),
            Action::New => state.open(Shared::new(Document::blank())),
            Action::Edit(edit) => state.edit(&edit),
            Action::EditField(edit) => state.edit_field(edit),
            Action::ToggleExecutor(executor) => state.toggle_executor(executor),
            Action::ToggleCancellation(job) => state.toggle_cancellation(job),
            Action::Switch(switch) => state.switch(switch),
            Action::DragStart => state.start_drag(),
            Action::DragTo(edit) => state.drag_to(&edit),
            Action::DragBack => state.drag_back(),
            Action::DragCommit => state.commit_drag(),
            Action::DragCancel => state.cancel_drag(),
            Action::Undo => state.step_history(Direction::Back),
            Action::Redo => state.step_history(Direction::Forward),
            Action::Toggle(policy) => state.tick_or_untick(policy),
            Action::Policies(policies) => state.view.policies = policies,
            Action::Fold(policy) => toggle(&mut state.view.unmerged, policy),
            Action::Heights(heights) => state.view.heights = heights,
            Action::Collapse(policy) => toggle(&mut state.view.collapsed, policy),
            Action::Front(policy) => state.ui.front = Some(policy),
            Action::MovePanel(policy, direction) => state.move_panel(policy, direction),
            Action::VirtualTime(policy) => state.view.virtual_time = policy,
            Action::Zoom(window) => state.zoom(window),
            Action::ZoomBy { base, fraction, factor } => {
                state.look_at(base.zoomed(fraction, 1.0 / factor, state.whole()))
            }
            Action::PanBy(part) => state.look_at(state.axis().panned(part, state.whole())),
            Action::PanOrScrub { base, part, at } => state.pan_or_scrub(base, part, at),
            Action::Choose(job, choice) => state.choose(job, choice),
            Action::ChooseNone => state.view.chosen.clear(),
            Action::Colour(colouring) => state.view.colouring = colouring,
            Action::Draw(drawing) => state.view.drawing = drawing,
            Action::MarkToggle(mark) => state.toggle_mark(mark),
            Action::Follow(user) => state.follow(user),
            Action::Present => state.present_or_work(),
            Action::Show(tab) => state.show_tab(tab),
            Action::Write(program) => state.write_program(program),
            Action::RunProgram(program) => state.approve(program),
            Action::Welcome(action) => state.welcome(action),
            Action::ApprovedElsewhere(text) => state.approve_as_elsewhere(&text),
            Action::Chart(choice) => state.chart = choice,
            Action::Tune(policy, tunable) => state.tune(policy, tunable),
            Action::Ask(policy, question) => {
                state.ui.front = Some(policy);
                state.show_question(policy, question);
            }
            Action::Inspect(policy, subject) => state.inspect(policy, subject),
            Action::Compare(one, other) => state.compare_policies(one, other),
            Action::Playback(action) => state.play_back(action),
            Action::Run(action) => state.receive_results(action),
            Action::Ui(action) => state.change_ui(action),
            Action::Guide(guide) => state.guide(guide),
            Action::Poll(action) => state.poll(action),
            Action::Predict(predict) => state.predict(predict),
            Action::Answers(answers) => state.remember(answers),
        }
        state.welcome_or_work();
        let mut state = state.with_runs();
        state.playback.reveal = state.playback.reveal.filter(|_| state.playback.motion == Motion::Playing);
        state.keep_predicting(self, cause);
        state.keep_poll(self);
        state.keep_axis(self);
        state.watch_change(self, is_undo);
        state
    }
}

/// The scenario, and which policies are simulated.
impl State {
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

    fn tick_or_untick(&mut self, policy: PolicyId) {
        // What is being dragged is a step of its own, before this one.
        self.commit_drag();
        let verb = if self.view.policies.contains(&policy) { "untick" } else { "tick" };
        self.history.record(self.version(), format!("{verb} {}", policy.title()), None);
        toggle(&mut self.view.policies, policy);
        let is_ticked = self.view.policies.contains(&policy);
        if is_ticked {
            self.ui.front = Some(policy);
        }
        self.ui.announcement = is_ticked.then_some(Announcement::Ticked(policy));
    }
}

/// What is shown.
impl State {
    fn toggle_mark(&mut self, mark: Mark) {
        let mut marks = self.marks();
        toggle(&mut marks, mark);
        self.mark(marks);
    }

    fn choose(&mut self, job: JobId, choice: JobChoice) {
        match choice {
            // A press on a block that an edit has just removed.
            _ if job.index() >= self.document.scenario.jobs().len() => {}
            JobChoice::Only => {
                self.view.chosen = [job].into();
                self.ask_of(job);
            }
            JobChoice::Toggle => toggle(&mut self.view.chosen, job),
        }
    }

    /// Asks about the playhead, unless the question is about a task of this job: the inspector is of one job throughout.
    fn ask_of(&mut self, job: JobId) {
        let Some((policy, DisplayQuestion::Dispatch(task))) = self.question else { return };
        let analysis = self.runs.get(&policy).and_then(|run| run.analysis.as_ref());
        if analysis.and_then(|analysis| analysis.trace.tasks.get(task)).is_none_or(|run| run.job != job) {
            self.question = Some((policy, DisplayQuestion::Playhead));
        }
    }

    /// Chooses a user's jobs, so that the others step back; or none if they are chosen already.
    fn follow(&mut self, user: UserId) {
        let jobs = self.document.scenario.jobs().iter().enumerate().filter(|(_, job)| job.user == user);
        let jobs = jobs.map(|(index, _)| JobId(index as u32)).collect();
        self.view.chosen = if self.view.chosen == jobs { BTreeSet::new() } else { jobs };
    }

    /// Shows the schedules alone to an audience, with a user to watch if none is chosen; or the page to its reader again.
    fn present_or_work(&mut self) {
        match self.view.mode {
            DisplayMode::Work => {
                // An audience that guesses is not told whom to watch.
                let is_told = self.view.chosen.is_empty() && !self.future().is_hidden();
                let verdict = self.worst_served().filter(|_| is_told);
                let user = verdict.map(|verdict| verdict.user);
                self.view.mode = DisplayMode::Present;
                self.ui.sheet = SideSheet::Folded;
                user.into_iter().for_each(|user| self.follow(user));
            }
            DisplayMode::Present => self.view.mode = DisplayMode::Work,
        }
    }

    fn show_tab(&mut self, tab: Tab) {
        self.ui.beneath = match (self.view.tab, tab) {
            (Tab::Inspector(_), Tab::Inspector(_)) => self.ui.beneath,
            (before, Tab::Inspector(_)) => Some(before).filter(|_| self.ui.sheet == SideSheet::Unfolded),
            _ => None,
        };
        self.view.tab = tab;
        self.ui.sheet = SideSheet::Unfolded;
    }

    /// Shows the chart on which a parameter of a policy is tuned.
    fn tune(&mut self, policy: PolicyId, tunable: u8) {
        let tuned = TuningChoice { tunable, ..self.chart.tuned };
        let (kind, policy) = (ChartKind::Parameter, Some(policy));
        self.chart = ChartChoice { kind, policy, tuned, tuning: true, ..self.chart };
        self.show_tab(Tab::Charts);
    }

    /// Shows why a policy decides so.
    fn show_question(&mut self, policy: PolicyId, question: DisplayQuestion) {
        self.question = Some((policy, question));
        self.show_tab(Tab::Inspector(InspectorPart::Why));
        // The playhead shows the decision.
        if let Some(task) = self.asked_task(policy) {
            let analysis = self.runs.get(&policy).and_then(|run| run.analysis.as_ref());
            let start = analysis.and_then(|analysis| Some(analysis.trace.tasks.get(task)?.start));
            self.step_to(start);
        }
    }

    /// Shows why a job waits under a policy, in the middle of its longest wait; of a user's jobs the one furthest behind
    /// the ideal. Nothing of it is told while the future is hidden.
    fn inspect(&mut self, policy: PolicyId, subject: FigureSubject) {
        let analysis = self.runs.get(&policy).and_then(|run| run.analysis.clone());
        let Some(analysis) = analysis.filter(|_| !self.future().is_hidden()) else { return };
        let job = match subject {
            FigureSubject::User(user) => analysis.worst_job(user),
            FigureSubject::Job(job) => Some(job).filter(|job| analysis.has_job(*job)),
        };
        let Some(job) = job else { return };
        self.choose(job, JobChoice::Only);
        let wait = metrics::job_waits(&analysis.scenario, &analysis.trace, job).longest();
        let arrival = analysis.trace.jobs[job.index()].arrival;
        self.seek(wait.map_or(arrival, |wait| analysis.instant_within(wait)));
        self.ui.front = Some(policy);
        self.show_question(policy, DisplayQuestion::Playhead);
    }

    fn compare_policies(&mut self, one: PolicyId, other: PolicyId) {
        self.pair = Some((one, other));
        self.show_tab(Tab::Differences);
    }
}

/// Removes an item, or inserts it if it is missing.
fn toggle<T: Ord>(set: &mut BTreeSet<T>, item: T) {
    if !set.remove(&item) {
        set.insert(item);
    }
}
