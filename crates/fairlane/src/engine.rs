//! The loop that turns a scenario and a policy into a trace: events in the model's order, and an
//! offer round after each freed core and each submitted stage, as in Spark's
//! `TaskSchedulerImpl.resourceOffers`.
//!
//! ```
//! use fairlane::{Scenario, engine};
//! let scenario = Scenario::from_json(r#"{ "format": "fairlane/scenario@1", "jobs": [
//!     { "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [1, 2] }] } ] }"#)?;
//! let trace = engine::simulate(&scenario, "fair".parse()?);
//! assert_eq!(trace.end().seconds(), 2.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alone;
mod costs;
mod driver;
mod events;
mod lifecycle;
mod offers;
mod simulate;

pub(crate) use alone::{chain_response, has_short_cut};
pub use simulate::{
    Control, Progress, SimulationError, simulate, simulate_observed, simulate_outcomes, simulate_policy,
    simulate_with_journal,
};

use crate::ids::Rank;
use crate::policy::log::{EventKind, PolicyEvent};
use crate::policy::{Actions, Context, Info, Policy, PolicyError, PolicyId, PolicyKind, Rule, View};
use crate::scenario::{Mode, Scenario};
use crate::trace::{JobRun, Journal, Outcome, TaskRun, Trace};
use crate::units::{Span, Time};
use costs::Costs;
use driver::{Message, Queue};
use events::{Event, Events};

/// A simulation that can be stepped event by event.
pub struct Engine<'a, P: Policy + ?Sized> {
    id: PolicyId,
    info: &'static Info,
    policy: Box<P>,
    view: View<'a>,
    events: Events,
    /// The messages before the driver; `None` where its time costs nothing.
    driver: Option<Queue>,
    /// What tasks cost where they run; `None` where that is their duration and the overhead.
    costs: Option<Costs>,
    overhead: Span,
    /// What the policy wants done.
    actions: Actions,
    tasks: u64,
    /// Tasks launched.
    launched: u32,
    /// `None` if only the jobs' outcomes are wanted.
    trace: Option<Vec<TaskRun>>,
    /// Indices in the trace of the tasks that a drop ended.
    killed: Vec<u32>,
    /// Events that the policy has received.
    received: u32,
    /// Stages submitted.
    submitted: u32,
    /// Written only if somebody will ask why.
    journal: Option<Journal>,
    /// When each job was started, by index in the file.
    starts: Vec<Option<Time>>,
    /// How each job ended, by index in the file.
    outcomes: Vec<Option<Outcome>>,
    /// What the policy did wrong.
    fault: Option<PolicyError>,
}

impl<'a, P: Policy> Engine<'a, P> {
    /// A simulation at its start.
    pub fn new(scenario: &'a Scenario, partitioning: Mode) -> Self {
        Engine::with(scenario, partitioning, P::new(&Context::new(scenario, partitioning)))
    }

    /// A simulation at its start, of a policy that has received no event.
    pub fn with(scenario: &'a Scenario, partitioning: Mode, policy: P) -> Self {
        Engine::of(scenario, PolicyId { kind: PolicyKind::of::<P>(), partitioning }, Box::new(policy))
    }
}

impl<'a, P: Policy + ?Sized> Engine<'a, P> {
    fn of(scenario: &'a Scenario, id: PolicyId, policy: Box<P>) -> Self {
        let partitioning = id.partitioning;
        let mut view = View::new(scenario, partitioning);
        view.alone = alone::ALONE;
        let arrivals = view.jobs.iter().map(|state| scenario.jobs()[state.job.index()].arrival).collect();
        let tasks = view.stages.iter().map(|stage| u64::from(stage.tasks)).sum();
        let cluster = scenario.cluster();
        Engine {
            id,
            info: id.kind.info(),
            policy,
            events: Events::new(cluster.cores(), arrivals),
            driver: cluster.driver.is_modelled().then(Queue::default),
            costs: Costs::new(scenario),
            overhead: cluster.task_overhead,
            actions: Actions::default(),
            tasks,
            launched: 0,
            trace: Some(Vec::with_capacity(tasks as usize)),
            killed: Vec::new(),
            received: 0,
            submitted: 0,
            journal: None,
            starts: vec![None; scenario.jobs().len()],
            outcomes: vec![None; scenario.jobs().len()],
            fault: None,
            view,
        }
    }

    /// Keeps a journal from now on; to be called before the first event.
    pub fn keep_journal(&mut self) {
        self.journal = Some(Journal::default());
        self.policy.start_log();
    }

    /// Records the jobs' outcomes without their tasks, which take most of the memory; to be called before the first
    /// event.
    fn keep_outcomes_only(&mut self) {
        self.trace = None;
    }

    /// How far the simulation is.
    pub fn progress(&self) -> Progress {
        Progress { launched: u64::from(self.launched), tasks: self.tasks }
    }

    /// Handles the next event with all that follows from it at once; false if there is none left or the policy has
    /// broken a rule.
    pub fn step(&mut self) -> bool {
        if self.fault.is_some() {
            return false;
        }
        let Some((now, event)) = self.events.next() else { return false };
        self.view.now = now;
        match event {
            Event::TaskFinish { run, core } => self.finish_task(run, core),
            Event::Wake { token } => self.policy.woken(token, &self.view, &mut self.actions),
            Event::Arrival { rank } => self.send_to_driver(Message::Arrival(rank)),
            Event::StageReady { stage } => self.send_to_driver(Message::Ready(stage)),
            Event::Driver => self.finish_message(),
        }
        if !self.actions.0.is_empty() {
            self.act();
        }
        true
    }

    /// Handles up to `count` events; false once there is none left.
    pub fn step_many(&mut self, count: u32) -> bool {
        (0..count).all(|_| self.step())
    }

    /// What happened, and the journal of it, which is empty unless [`Engine::keep_journal`] was called; to be called
    /// once no event is left.
    ///
    /// # Errors
    /// The rule of the contract that the policy has broken.
    pub fn into_record(mut self) -> Result<(Trace, Journal), PolicyError> {
        let mut journal = self.journal.take();
        if let Some(journal) = &mut journal {
            journal.log = self.policy.finish_log();
        }
        Ok((self.into_trace()?, journal.unwrap_or_default()))
    }

    /// What happened; to be called once no event is left.
    ///
    /// # Errors
    /// The rule of the contract that the policy has broken.
    pub fn into_trace(mut self) -> Result<Trace, PolicyError> {
        if let Some(rule) = self.unfinished() {
            self.fault(rule);
        }
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let scenario = self.view.scenario;
        let jobs = scenario.jobs().iter().zip(&self.outcomes).zip(&self.starts);
        let classes = self.policy.classes().to_vec();
        self.killed.sort();
        Ok(Trace {
            scenario: scenario.name().to_owned(),
            policy: self.id,
            cores: scenario.cluster().cores(),
            users: scenario.users().iter().map(|user| user.name.clone()).collect(),
            tasks: self.trace.unwrap_or_default(),
            killed: self.killed,
            jobs: jobs
                .filter_map(|((job, outcome), &started)| {
                    outcome.map(|outcome| JobRun { user: job.user, arrival: job.arrival, started, outcome })
                })
                .collect(),
            classes,
        })
    }

    /// What keeps a job from its end, if no event is left.
    fn unfinished(&self) -> Option<Rule> {
        let mut ranks = (0..self.view.jobs()).map(Rank);
        let rank = ranks.find(|rank| self.outcomes[self.view.job(*rank).id().index()].is_none())?;
        let mut stages = self.view.job(rank).stages();
        let pending = stages.find(|stage| stage.is_submitted() && stage.pending() > 0);
        Some(pending.map_or(Rule::NeverStarted(rank), |stage| Rule::NeverLaunched(stage.index())))
    }

    fn fault(&mut self, rule: Rule) {
        let fault = PolicyError { policy: self.info.id, at: self.view.now, rule };
        self.fault.get_or_insert(fault);
    }

    /// Counts an event that the policy receives.
    fn record(&mut self, kind: EventKind) {
        if let Some(journal) = &mut self.journal {
            journal.events.push(PolicyEvent { at: self.view.now, kind });
        }
        self.received += 1;
    }
}
