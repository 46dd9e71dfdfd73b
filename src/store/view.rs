//! What is shown of the scenario and its schedules: policies, panels, the window of time, chosen jobs, tabs.

use std::collections::BTreeSet;

use strum::IntoStaticStr;

use super::{
    Announcement, ChartChoice, ChartKind, Colouring, Direction, DisplayMode, DisplayQuestion, Drawing,
    Heights, InspectorPart, Mark, SideSheet, State, Tab,
};
use crate::results::measurement::TuningChoice;
use fairlane::ids::{JobId, UserId};
use fairlane::metrics;
use fairlane::policy::PolicyId;
use fairlane::units::Time;
use fairlane_view::TimeAxis;

/// What can happen to what is shown.
#[derive(Clone, Debug, PartialEq, IntoStaticStr)]
pub enum ViewAction {
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
}

/// How the chosen jobs change when one is pointed at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JobChoice {
    /// This one alone.
    #[default]
    Only,
    /// This one too, or no longer.
    Toggle,
}

/// Whom a figure is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureSubject {
    /// A user.
    User(UserId),
    /// One job.
    Job(JobId),
}

impl ViewAction {
    /// The policy, job, user, tab or chart that it is about.
    pub(super) fn subject(&self) -> Option<String> {
        Some(match self {
            ViewAction::Toggle(policy)
            | ViewAction::Fold(policy)
            | ViewAction::Collapse(policy)
            | ViewAction::Front(policy)
            | ViewAction::MovePanel(policy, _)
            | ViewAction::Tune(policy, _)
            | ViewAction::Ask(policy, _)
            | ViewAction::Inspect(policy, _) => policy.to_string(),
            ViewAction::Compare(one, other) => format!("{one} {other}"),
            ViewAction::Choose(job, _) => job.0.to_string(),
            ViewAction::Follow(user) => user.0.to_string(),
            ViewAction::Show(tab) => format!("{tab:?}"),
            ViewAction::Chart(choice) => choice.kind.id().to_owned(),
            _ => return None,
        })
    }
}

impl State {
    pub(super) fn change_view(&mut self, action: ViewAction) {
        match action {
            ViewAction::Toggle(policy) => self.tick_or_untick(policy),
            ViewAction::Policies(policies) => self.view.policies = policies,
            ViewAction::Fold(policy) => toggle(&mut self.view.unmerged, policy),
            ViewAction::Heights(heights) => self.view.heights = heights,
            ViewAction::Collapse(policy) => toggle(&mut self.view.collapsed, policy),
            ViewAction::Front(policy) => self.ui.front = Some(policy),
            ViewAction::MovePanel(policy, direction) => self.move_panel(policy, direction),
            ViewAction::VirtualTime(policy) => self.view.virtual_time = policy,
            ViewAction::Zoom(window) => self.zoom(window),
            ViewAction::ZoomBy { base, fraction, factor } => {
                self.look_at(base.zoomed(fraction, 1.0 / factor, self.whole()))
            }
            ViewAction::PanBy(part) => self.look_at(self.axis().panned(part, self.whole())),
            ViewAction::PanOrScrub { base, part, at } => self.pan_or_scrub(base, part, at),
            ViewAction::Choose(job, choice) => self.choose(job, choice),
            ViewAction::ChooseNone => self.view.chosen.clear(),
            ViewAction::Colour(colouring) => self.view.colouring = colouring,
            ViewAction::Draw(drawing) => self.view.drawing = drawing,
            ViewAction::MarkToggle(mark) => self.toggle_mark(mark),
            ViewAction::Follow(user) => self.follow(user),
            ViewAction::Present => self.present_or_work(),
            ViewAction::Show(tab) => self.show_tab(tab),
            ViewAction::Chart(choice) => self.chart = choice,
            ViewAction::Tune(policy, tunable) => self.tune(policy, tunable),
            ViewAction::Ask(policy, question) => {
                self.ui.front = Some(policy);
                self.show_question(policy, question);
            }
            ViewAction::Inspect(policy, subject) => self.inspect(policy, subject),
            ViewAction::Compare(one, other) => self.compare_policies(one, other),
        }
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
