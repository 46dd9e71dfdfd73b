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

mod costs;
mod driver;
mod events;
mod hooks;

use crate::ids::{CoreId, Rank, StageId, StageIndex};
use crate::policy::log::{EventKind, PolicyEvent};
use crate::policy::{
    Action, Actions, Admission, Context, Idling, Info, Launch, OfferCause, Outcomes, Phase, Policy,
    PolicyError, PolicyId, PolicyKind, PolicyVisitor, Rule, View,
};
use crate::scenario::Mode;
use crate::scenario::Scenario;
use crate::trace::{JobRun, Journal, Outcome, Round, TaskRun, Trace};
use crate::units::Span;
use costs::Costs;
use driver::{Message, Queue};
use events::{Event, Events, Run};
pub use hooks::Hooks;

/// How far a simulation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Tasks that have been launched.
    pub launched: u64,
    /// Tasks there are.
    pub tasks: u64,
}

/// What an observer wants to happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// Give up; the trace so far is thrown away.
    Stop,
}

/// Why a simulation has no trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The observer asked to stop.
    #[error("the simulation was stopped before its end")]
    Stopped,
    /// The policy broke a rule of the contract.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The policy is known only by name: simulate it with [`simulate_policy`].
    #[error("the policy {0} is not part of this program; pass its type to simulate_policy")]
    Unregistered(PolicyId),
}

/// Events between two calls of an observer.
const EVENTS_PER_REPORT: u32 = 8192;

/// Simulates a whole scenario under a registered policy.
///
/// # Panics
/// If the policy is a [`PolicyKind::Custom`]; see [`simulate_policy`].
pub fn simulate(scenario: &Scenario, policy: PolicyId) -> Trace {
    simulate_observed(scenario, policy, &mut |_| Control::Continue)
        .expect("registered policies keep the contract, and nobody asks to stop")
}

/// Simulates a whole scenario under a policy, reporting to an observer from time to time how far it is.
///
/// # Errors
/// [`SimulationError::Stopped`] if the observer says [`Control::Stop`].
pub fn simulate_observed(
    scenario: &Scenario,
    policy: PolicyId,
    observer: &mut dyn FnMut(Progress) -> Control,
) -> Result<Trace, SimulationError> {
    let run = Simulation { scenario, mode: policy.partitioning, keep: Keep::Trace, observer };
    let record = policy.kind.visit(run).ok_or(SimulationError::Unregistered(policy))?;
    record.map(|(trace, _)| trace)
}

/// As [`simulate_observed`], with the journal that look-ups need to explain decisions.
///
/// # Errors
/// [`SimulationError::Stopped`] if the observer says [`Control::Stop`].
pub fn simulate_with_journal(
    scenario: &Scenario,
    policy: PolicyId,
    observer: &mut dyn FnMut(Progress) -> Control,
) -> Result<(Trace, Journal), SimulationError> {
    let run = Simulation { scenario, mode: policy.partitioning, keep: Keep::TraceAndJournal, observer };
    policy.kind.visit(run).ok_or(SimulationError::Unregistered(policy))?
}

/// Simulates a whole scenario under a policy of the caller's own.
///
/// # Errors
/// The first rule of the contract that the policy breaks.
pub fn simulate_policy<P: Policy>(scenario: &Scenario, partitioning: Mode) -> Result<Trace, PolicyError> {
    let mut engine = Engine::<P>::new(scenario, partitioning);
    while engine.step() {}
    engine.into_trace()
}

/// What is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Trace,
    TraceAndJournal,
}

struct Simulation<'a, 'b> {
    scenario: &'a Scenario,
    mode: Mode,
    keep: Keep,
    observer: &'b mut dyn FnMut(Progress) -> Control,
}

impl PolicyVisitor for Simulation<'_, '_> {
    type Output = Result<(Trace, Journal), SimulationError>;

    fn visit<P: Policy + 'static>(self) -> Self::Output {
        #[cfg(target_arch = "wasm32")]
        let mut engine = {
            let id = PolicyId { kind: PolicyKind::of::<P>(), partitioning: self.mode };
            let policy: Box<dyn Hooks> = Box::new(P::new(&Context::new(self.scenario, self.mode)));
            Engine::of(self.scenario, id, policy)
        };
        #[cfg(not(target_arch = "wasm32"))]
        let mut engine = Engine::<P>::new(self.scenario, self.mode);
        if self.keep == Keep::TraceAndJournal {
            engine.keep_journal();
        }
        while engine.step_many(EVENTS_PER_REPORT) {
            if (self.observer)(engine.progress()) == Control::Stop {
                return Err(SimulationError::Stopped);
            }
        }
        Ok(engine.into_record()?)
    }
}

/// A simulation that can be stepped event by event.
pub struct Engine<'a, P: Hooks> {
    id: PolicyId,
    info: &'static Info,
    policy: P,
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
    trace: Vec<TaskRun>,
    /// Places in the trace of the tasks that a drop ended.
    killed: Vec<u32>,
    /// Events that the policy has received.
    received: u32,
    /// Stages submitted.
    submitted: u32,
    /// Written only if somebody will ask why.
    journal: Option<Journal>,
    /// How each job ended, by place in the file.
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
        Engine::of(scenario, PolicyId { kind: PolicyKind::of::<P>(), partitioning }, policy)
    }
}

impl<'a, P: Hooks> Engine<'a, P> {
    fn of(scenario: &'a Scenario, id: PolicyId, policy: P) -> Self {
        let partitioning = id.partitioning;
        let view = View::new(scenario, partitioning);
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
            trace: Vec::with_capacity(tasks as usize),
            killed: Vec::new(),
            received: 0,
            submitted: 0,
            journal: None,
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

    /// How far the simulation is.
    pub fn progress(&self) -> Progress {
        Progress { launched: self.trace.len() as u64, tasks: self.tasks }
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
        let jobs = scenario.jobs().iter().zip(&self.outcomes);
        self.killed.sort_unstable();
        Ok(Trace {
            scenario: scenario.name().to_owned(),
            policy: self.id,
            cores: scenario.cluster().cores(),
            users: scenario.users().iter().map(|user| user.name.clone()).collect(),
            tasks: self.trace,
            killed: self.killed,
            jobs: jobs
                .filter_map(|(job, outcome)| {
                    outcome.map(|outcome| JobRun { user: job.user, arrival: job.arrival, outcome })
                })
                .collect(),
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

    fn arrive(&mut self, rank: Rank) {
        self.record(EventKind::Arrival(rank));
        self.view.jobs[rank.index()].phase = Phase::Waiting;
        match self.policy.job_arrived(rank, &self.view, &mut self.actions) {
            Admission::Start => self.start(rank),
            Admission::Wait => {}
            Admission::Reject => self.end_early(rank, Outcome::Rejected(self.view.now)),
        }
    }

    fn start(&mut self, rank: Rank) {
        let job = &mut self.view.jobs[rank.index()];
        job.phase = Phase::Started;
        let (first, stages) = (job.first_stage, job.open_stages);
        for stage in (first..first + stages).map(StageIndex) {
            if self.view.state(stage).open_parents == 0 {
                self.submit(stage);
            }
        }
    }

    /// Submits a stage that has waited out the stage delay, unless its job was dropped meanwhile.
    fn submit_ready(&mut self, stage: StageIndex) {
        if self.view.jobs[self.view.state(stage).rank.index()].phase == Phase::Started {
            self.submit(stage);
        }
    }

    fn submit(&mut self, stage: StageIndex) {
        self.record(EventKind::Submission(self.stage_id(stage)));
        let spec = self.view.spec(stage);
        let state = &mut self.view.stages[stage.index()];
        state.submitted = true;
        state.submission = self.submitted;
        state.durations = spec.input.durations(u64::from(state.tasks));
        self.submitted += 1;
        self.view.jobs[state.rank.index()].unsubmitted.0 -= spec.estimate.0;
        self.view.waiting += 1;
        self.policy.stage_submitted(stage, &self.view);
        self.offer(OfferCause::Submission(stage));
    }

    fn finish_task(&mut self, run: Run, core: CoreId) {
        let stage = StageIndex(run.stage);
        let ended = self.free(stage, core);
        let launch = Launch { stage, core };
        self.policy.task_ended(launch, &self.view);
        // The freed core is offered before the driver learns of the stage's end, as in real Spark.
        self.offer(OfferCause::TaskEnd(launch));
        self.send_to_driver(if ended { Message::StageEnd(stage) } else { Message::TaskEnd });
    }

    /// Frees the core of a task that ends now; whether it was its stage's last.
    fn free(&mut self, stage: StageIndex, core: CoreId) -> bool {
        let state = &mut self.view.stages[stage.index()];
        state.running -= 1;
        state.finished += 1;
        state.attained = state.attained.wrapping_add(self.view.now.0);
        self.view.user_running[state.user.index()] -= 1;
        self.view.cores.release(core, state.memory);
        state.finished == state.tasks
    }

    fn finish_stage(&mut self, stage: StageIndex) {
        let rank = self.view.state(stage).rank;
        let job = &mut self.view.jobs[rank.index()];
        if job.phase == Phase::Ended {
            // It was dropped before the driver learned of this.
            return;
        }
        let first_stage = job.first_stage;
        job.open_stages -= 1;
        let ended = job.open_stages == 0;
        self.policy.stage_ended(stage, &self.view);
        for child in std::mem::take(&mut self.view.stages[stage.index()].children) {
            let child = StageIndex(first_stage + child);
            let state = &mut self.view.stages[child.index()];
            state.open_parents -= 1;
            if state.open_parents > 0 {
                continue;
            }
            match self.view.scenario.cluster().stage_delay {
                Span(0) => self.submit(child),
                delay => self.events.push_ready_stage(self.view.now + delay, child),
            }
        }
        if ended {
            self.end_job(rank, Outcome::Finished(self.view.now));
        }
    }

    fn end_job(&mut self, rank: Rank, outcome: Outcome) {
        self.end_early(rank, outcome);
        self.record(EventKind::JobEnd(rank));
        self.policy.job_ended(rank, &self.view, &mut self.actions);
    }

    /// Ends a job without the policy's hook.
    fn end_early(&mut self, rank: Rank, outcome: Outcome) {
        if !matches!(outcome, Outcome::Finished(_)) && self.info.outcomes == Outcomes::Finished {
            self.fault(Rule::UndeclaredOutcome(rank));
        }
        let job = &mut self.view.jobs[rank.index()];
        job.phase = Phase::Ended;
        self.outcomes[job.job.index()] = Some(outcome);
    }

    /// Does what the policy wants done, in the order in which it asked.
    fn act(&mut self) {
        while !self.actions.0.is_empty() && self.fault.is_none() {
            for action in std::mem::take(&mut self.actions.0) {
                match action {
                    Action::Start(rank) if self.phase(rank) == Some(Phase::Waiting) => self.start(rank),
                    Action::Start(rank) => self.fault(Rule::NotWaiting(rank)),
                    Action::Drop(rank) => match self.phase(rank) {
                        Some(Phase::Waiting) => self.end_early(rank, Outcome::Dropped(self.view.now)),
                        Some(Phase::Started) => self.drop_started(rank),
                        _ => self.fault(Rule::NotDroppable(rank)),
                    },
                    Action::Wake { at, .. } if at < self.view.now => self.fault(Rule::WakeInThePast(at)),
                    Action::Wake { at, token } => self.events.push_wake(at, token),
                }
            }
        }
    }

    fn phase(&self, rank: Rank) -> Option<Phase> {
        self.view.jobs.get(rank.index()).map(|job| job.phase)
    }

    /// Ends a running job's tasks and forgets its stages, with an offer round and then the job's end.
    fn drop_started(&mut self, rank: Rank) {
        let job = &self.view.jobs[rank.index()];
        let first = job.first_stage as usize;
        let stages = self.view.job(rank).stages().len();
        for (run, core) in self.events.cancel(|run| (first..first + stages).contains(&(run.stage as usize))) {
            self.trace[run.task as usize].end = self.view.now;
            self.killed.push(run.task);
            self.free(StageIndex(run.stage), core);
        }
        for state in &mut self.view.stages[first..first + stages] {
            if state.submitted && state.pending() > 0 {
                self.view.waiting -= 1;
            }
            state.submitted = false;
            state.durations = Vec::new();
        }
        self.view.jobs[rank.index()].phase = Phase::Ended;
        self.offer(OfferCause::Drop(rank));
        self.end_job(rank, Outcome::Dropped(self.view.now));
    }

    /// An offer round: launches what the policy says while cores are free.
    fn offer(&mut self, cause: OfferCause) {
        if self.view.cores.free() == 0 || self.view.waiting == 0 {
            return;
        }
        self.policy.offer_started(cause, &self.view);
        let (launched, received) = (self.trace.len() as u32, self.received);
        let busy = self.view.cores() - self.view.cores.free();
        while self.view.cores.free() > 0 {
            let Some(launch) = self.policy.next_task(&self.view) else { break };
            if let Err(rule) = self.check(launch) {
                return self.fault(rule);
            }
            self.launch(launch);
            self.policy.task_launched(launch, &self.view);
        }
        if let Some(journal) = &mut self.journal
            && self.trace.len() as u32 > launched
        {
            journal.rounds.push(Round { launched, finished: launched - busy, events: received });
        }
        if self.info.idling == Idling::Never && self.view.waiting > 0 && self.view.cores.free() > 0 {
            self.check_idle();
        }
    }

    fn check(&self, Launch { stage, core }: Launch) -> Result<(), Rule> {
        if !self.view.cores.is_free(core) {
            return Err(Rule::CoreNotFree(core));
        }
        match self.view.stages.get(stage.index()) {
            Some(state) if !state.submitted => Err(Rule::StageNotSubmitted(stage)),
            Some(state) if state.pending() == 0 => Err(Rule::NothingPending(stage)),
            Some(_) if !self.view.fits(stage, core) => Err(Rule::DoesNotFit { stage, core }),
            Some(_) => Ok(()),
            None => Err(Rule::StageNotSubmitted(stage)),
        }
    }

    /// Faults a work-conserving policy that leaves a core idle though a pending task fits it.
    #[cold]
    fn check_idle(&mut self) {
        let most = self.view.largest_free_memory();
        let waiting = self.view.stages.iter().filter(|state| state.submitted && state.pending() > 0);
        let least = waiting.map(|state| state.memory).min();
        if let (Some(least), Some(most)) = (least, most)
            && least <= most
            && let Some(core) = self.view.lowest_free_core()
        {
            self.fault(Rule::IdleCore(core));
        }
    }

    /// Starts the stage's next task on a core.
    fn launch(&mut self, Launch { stage, core }: Launch) {
        let state = &mut self.view.stages[stage.index()];
        let task = state.launched;
        state.launched += 1;
        state.running += 1;
        state.attained = state.attained.wrapping_sub(self.view.now.0);
        self.view.user_running[state.user.index()] += 1;
        self.view.cores.take(core, state.memory);
        let duration = state.durations[task as usize];
        let held = match &mut self.costs {
            None => duration + self.overhead,
            Some(costs) => costs.held(self.view.scenario, state, stage, core, duration) + self.overhead,
        };
        if state.pending() == 0 {
            state.durations = Vec::new();
            self.view.waiting -= 1;
        }
        let (job, index) = (state.job, state.index);
        let end = self.view.now + held;
        self.events.push_task_finish(end, Run { stage: stage.0, task: self.trace.len() as u32 }, core);
        self.trace.push(TaskRun { job, stage: index, task, core, start: self.view.now, end });
    }

    fn stage_id(&self, stage: StageIndex) -> StageId {
        StageId(self.view.scenario.cluster().first_stage_id + u64::from(stage.0))
    }
}
