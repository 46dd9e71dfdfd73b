//! The loop that turns a scenario and a policy into a trace: events in the model's order, and an
//! offer round after each freed core and each submitted stage, as in Spark's
//! `TaskSchedulerImpl.resourceOffers`.

mod cluster;
mod driver;
mod events;

use crate::ids::{CoreId, Rank, StageId};
use crate::partition;
use crate::policy::line::{Line, Running};
use crate::policy::{ArrivingJob, Candidate, Context, Policy, PolicyId, Role, SubmittedStage, Visitor};
use crate::scenario::Scenario;
use crate::trace::{Heard, JobRun, Journal, Outcome, Round, TaskRun, Trace, What};
use crate::units::{Span, Time};
use cluster::{Cores, JobState, Plan, StageState};
use driver::{Message, Queue};
use events::{Event, Events};

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

/// The observer asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the simulation was stopped before its end")]
pub struct Stopped;

/// Events between two calls of an observer.
const EVENTS_PER_REPORT: u32 = 8192;

/// Simulates a whole scenario under a policy.
pub fn simulate(scenario: &Scenario, policy: PolicyId) -> Trace {
    simulate_observed(scenario, policy, &mut |_| Control::Continue).expect("nobody asks to stop")
}

/// Simulates a whole scenario under a policy, telling an observer now and then how far it is.
///
/// # Errors
/// [`Stopped`] if the observer says [`Control::Stop`].
pub fn simulate_observed(
    scenario: &Scenario,
    policy: PolicyId,
    observer: &mut dyn FnMut(Progress) -> Control,
) -> Result<Trace, Stopped> {
    let run = Run { scenario, policy, journal: Keep::Nothing, observer };
    policy.kind.visit(Context::new(scenario), run).map(|(trace, _)| trace)
}

/// As [`simulate_observed`], with the journal that look-ups need to tell why.
///
/// # Errors
/// [`Stopped`] if the observer says [`Control::Stop`].
pub fn simulate_with_journal(
    scenario: &Scenario,
    policy: PolicyId,
    observer: &mut dyn FnMut(Progress) -> Control,
) -> Result<(Trace, Journal), Stopped> {
    let run = Run { scenario, policy, journal: Keep::Journal, observer };
    let (trace, journal) = policy.kind.visit(Context::new(scenario), run)?;
    Ok((trace, journal.unwrap_or_default()))
}

/// What is kept besides the trace.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Nothing,
    Journal,
}

struct Run<'a, 'b> {
    scenario: &'a Scenario,
    policy: PolicyId,
    journal: Keep,
    observer: &'b mut dyn FnMut(Progress) -> Control,
}

impl Visitor for Run<'_, '_> {
    type Output = Result<(Trace, Option<Journal>), Stopped>;
    fn visit<P: Policy>(self, context: Context) -> Self::Output {
        let mut engine = Engine::<P, P::Line>::new(self.scenario, self.policy, context);
        if self.journal == Keep::Journal {
            engine.keep_journal();
        }
        while engine.step_many(EVENTS_PER_REPORT) {
            if (self.observer)(engine.progress()) == Control::Stop {
                return Err(Stopped);
            }
        }
        Ok(engine.into_record())
    }
}

/// A simulation that can be stepped event by event.
///
/// `L` is how the waiting stages are kept: the policy's own line unless another is asked for, which
/// changes how long a simulation takes and nothing else.
pub struct Engine<'a, P: Policy, L = <P as Policy>::Line> {
    scenario: &'a Scenario,
    id: PolicyId,
    policy: P,
    /// Submitted stages with pending tasks.
    line: L,
    /// The instant of the last event handled.
    now: Time,
    events: Events,
    /// What the driver has before it; `None` where its time costs nothing.
    driver: Option<Queue>,
    cores: Cores,
    jobs: Vec<JobState>,
    stages: Vec<StageState>,
    /// Tasks on cores, by user.
    user_running: Vec<u32>,
    tasks: u64,
    trace: Vec<TaskRun>,
    /// Arrivals and submissions that the policy has heard of.
    heard: u32,
    /// Stages submitted.
    submitted: u32,
    /// Written only if somebody will ask why.
    journal: Option<Journal>,
    /// When each job finished, by place in the file.
    finishes: Vec<Time>,
}

impl<'a, P: Policy, L: Line<P>> Engine<'a, P, L> {
    /// A simulation at its start.
    pub fn new(scenario: &'a Scenario, id: PolicyId, context: Context) -> Self {
        let line = L::new(&context);
        Engine::with(scenario, id, P::new(context), line)
    }

    /// A simulation at its start, of a policy that has seen nothing yet.
    pub fn with(scenario: &'a Scenario, id: PolicyId, policy: P, line: L) -> Self {
        let Plan { jobs, stages, tasks } = Plan::new(scenario, id.partitioning);
        let arrivals = jobs.iter().map(|state| scenario.jobs()[state.job.index()].arrival).collect();
        Engine {
            id,
            policy,
            line,
            now: Time::ZERO,
            events: Events::new(scenario.cluster().cores(), arrivals),
            driver: scenario.cluster().driver.is_modelled().then(Queue::default),
            cores: Cores::new(scenario.cluster().cores()),
            jobs,
            stages,
            user_running: vec![0; scenario.users().len()],
            tasks,
            trace: Vec::with_capacity(tasks as usize),
            heard: 0,
            submitted: 0,
            journal: None,
            finishes: vec![Time::ZERO; scenario.jobs().len()],
            scenario,
        }
    }

    /// Keeps a journal from now on; to be asked for before the first event.
    pub fn keep_journal(&mut self) {
        self.journal = Some(Journal::default());
        self.policy.begin_notes();
    }

    /// How far the simulation is.
    pub fn progress(&self) -> Progress {
        Progress { launched: self.trace.len() as u64, tasks: self.tasks }
    }

    /// Handles the next event with all that follows from it at once; false if there is none left.
    pub fn step(&mut self) -> bool {
        let Some((now, event)) = self.events.next() else { return false };
        self.now = now;
        match event {
            Event::TaskFinish { stage, core } => self.finish_task(stage, core),
            Event::Arrival { rank } => self.tell_driver(Message::Arrival(rank)),
            Event::StageReady { stage } => self.tell_driver(Message::Ready(stage)),
            Event::Driver => self.finish_driving(),
        }
        true
    }

    /// Handles up to `count` events; false once there is none left.
    pub fn step_many(&mut self, count: u32) -> bool {
        (0..count).all(|_| self.step())
    }

    /// What happened and, if [`Engine::keep_journal`] was asked for, the journal of it; to be asked
    /// for once no event is left.
    pub fn into_record(mut self) -> (Trace, Option<Journal>) {
        let mut journal = self.journal.take();
        if let Some(journal) = &mut journal {
            journal.notes = self.policy.end_notes();
        }
        (self.into_trace(), journal)
    }

    /// What happened; to be asked for once no event is left.
    pub fn into_trace(self) -> Trace {
        let jobs = self.scenario.jobs().iter().zip(&self.finishes);
        Trace {
            scenario: self.scenario.name().to_owned(),
            policy: self.id,
            cores: self.scenario.cluster().cores(),
            users: self.scenario.users().iter().map(|user| user.name.clone()).collect(),
            tasks: self.trace,
            jobs: jobs
                .map(|(job, &finish)| JobRun {
                    user: job.user,
                    arrival: job.arrival,
                    outcome: Outcome::Finished(finish),
                })
                .collect(),
        }
    }

    fn arrive(&mut self, rank: Rank) {
        let JobState { job, first_stage, .. } = self.jobs[rank.index()];
        let job = &self.scenario.jobs()[job.index()];
        let event = self.hear(What::Arrival(rank));
        let arriving = ArrivingJob { rank, user: job.user, estimate: job.estimate, event };
        self.policy.job_arrived(self.now, &arriving);
        for (index, stage) in job.stages.iter().enumerate() {
            if stage.parents.is_empty() {
                self.submit((first_stage + index) as u32, Role::Root);
            }
        }
    }

    /// Counts an event that the policy hears of; its number.
    fn hear(&mut self, what: What) -> u32 {
        if let Some(journal) = &mut self.journal {
            journal.heard.push(Heard { at: self.now, what });
        }
        self.heard += 1;
        self.heard - 1
    }

    fn submit(&mut self, stage: u32, role: Role) {
        let id = self.stage_id(stage);
        let event = self.hear(What::Submission(id));
        let state = &mut self.stages[stage as usize];
        let job = &mut self.jobs[state.rank.index()];
        let spec = &self.scenario.jobs()[job.job.index()].stages[state.index as usize];
        let submitted = SubmittedStage {
            rank: state.rank,
            user: state.user,
            id,
            estimate: spec.estimate,
            role,
            unsubmitted: job.unsubmitted,
            event,
        };
        state.submission = self.submitted;
        self.submitted += 1;
        job.unsubmitted.0 -= spec.estimate.0;
        state.durations = partition::durations(&spec.input, u64::from(state.tasks));
        self.policy.stage_submitted(self.now, &submitted);
        let candidate = self.candidate(stage);
        let seat = self.line.join(&mut self.policy, stage, &candidate);
        self.stages[stage as usize].seat = Some(seat);
        self.offer();
    }

    fn finish_task(&mut self, stage: u32, core: CoreId) {
        self.cores.release(core);
        let state = &mut self.stages[stage as usize];
        state.running -= 1;
        state.finished += 1;
        let ended = state.finished == state.tasks;
        let user_running = &mut self.user_running[state.user.index()];
        *user_running -= 1;
        let running = Running { stage: state.running, user: *user_running };
        self.line.recount(state.seat, state.user, running);
        // The freed core is offered before the driver hears of the stage's end, as in real Spark.
        self.offer();
        self.tell_driver(if ended { Message::StageEnd(stage) } else { Message::TaskEnd });
    }

    fn finish_stage(&mut self, stage: u32) {
        let rank = self.stages[stage as usize].rank;
        let job = &mut self.jobs[rank.index()];
        let first_stage = job.first_stage;
        job.open_stages -= 1;
        if job.open_stages == 0 {
            self.finishes[job.job.index()] = self.now;
        }
        for child in std::mem::take(&mut self.stages[stage as usize].children) {
            let child = first_stage + child as usize;
            self.stages[child].open_parents -= 1;
            if self.stages[child].open_parents > 0 {
                continue;
            }
            match self.scenario.cluster().stage_delay {
                Span(0) => self.submit(child as u32, Role::Child),
                delay => self.events.push_ready_stage(self.now + delay, child as u32),
            }
        }
    }

    /// Offers the free cores, in ascending number, to the waiting stages in the order of their keys.
    ///
    /// After a round no core is free or no stage waits, and one core or one stage comes before the next. So a
    /// round either has one core for whoever is first, or cores for the only stage that waits: the first is
    /// all that matters, and no key has to be compared again within a round.
    fn offer(&mut self) {
        if self.cores.free() == 0 {
            return;
        }
        let Some(stage) = self.line.first(&self.policy) else { return };
        if let Some(journal) = &mut self.journal {
            let launched = self.trace.len() as u32;
            let busy = self.scenario.cluster().cores() - self.cores.free() as u32;
            journal.rounds.push(Round { launched, finished: launched - busy, heard: self.heard });
        }
        self.launch(stage);
        debug_assert!(self.cores.free() == 0 || self.line.first(&self.policy).is_none());
    }

    /// Starts as many of the stage's pending tasks as there are free cores.
    fn launch(&mut self, stage: u32) {
        let overhead = self.scenario.cluster().task_overhead;
        let state = &mut self.stages[stage as usize];
        let before = state.launched;
        while state.launched < state.tasks {
            let Some(core) = self.cores.take() else { break };
            let task = state.launched;
            let end = self.now + state.durations[task as usize] + overhead;
            state.launched += 1;
            let run = TaskRun { job: state.job, stage: state.index, task, core, start: self.now, end };
            self.trace.push(run);
            self.events.push_task_finish(end, stage, core);
        }
        let started = state.launched - before;
        state.running += started;
        let user_running = &mut self.user_running[state.user.index()];
        *user_running += started;
        let running = Running { stage: state.running, user: *user_running };
        let user = state.user;
        if state.pending() == 0 {
            state.durations = Vec::new();
            let seat = state.seat.take().expect("a stage that launches has waited");
            let candidate = self.candidate(stage);
            self.line.leave(&mut self.policy, seat, &candidate);
        }
        self.line.recount(self.stages[stage as usize].seat, user, running);
    }

    /// The stage as its policy sees it.
    fn candidate(&self, stage: u32) -> Candidate {
        let state = &self.stages[stage as usize];
        Candidate {
            rank: state.rank,
            user: state.user,
            id: self.stage_id(stage),
            submission: state.submission,
            running: state.running,
            user_running: self.user_running[state.user.index()],
            tie: state.tie,
        }
    }

    fn stage_id(&self, stage: u32) -> StageId {
        StageId(self.scenario.cluster().first_stage_id + u64::from(stage))
    }
}
