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
mod attempts;
mod belonging;
mod costs;
mod driver;
mod events;
mod executors;
mod followers;
mod lifecycle;
mod locality;
mod losses;
mod offers;
mod preemption;
mod simulate;
mod speculation;

pub(crate) use alone::{chain_response, has_short_cut};
pub use locality::PlaceWait;
pub(crate) use locality::place_wait;
pub use simulate::{
    Control, EventBudget, Progress, SimulationError, create, simulate, simulate_observed, simulate_outcomes,
    simulate_policy, simulate_seen, simulate_start,
};

use std::collections::BTreeSet;

use crate::ids::{JobId, Rank, StageIndex};
use crate::policy::explain::Decision;
use crate::policy::{
    Actions, Context, Info, Launch, OfferCause, Policy, PolicyError, PolicyId, PolicyKind, Rule, View,
};
use crate::scenario::{PartitionMode, Scenario};
use crate::trace::{JobRun, KillReason, Outcome, TaskRun, Trace};
use crate::units::{SlotTime, Span, Time};
use belonging::Belonging;
use costs::CoreCosts;
use driver::{DriverMessage, DriverQueue};
use events::{Event, Events, Look, TickKind};
use executors::Executors;
use followers::Followers;
use preemption::Parties;
use speculation::next_look;

/// A simulation that can be stepped event by event, and cloned at any.
pub struct Engine<P: Policy + ?Sized> {
    id: PolicyId,
    info: &'static Info,
    policy: Box<P>,
    scenario: Scenario,
    view: View,
    events: Events,
    /// The messages before the driver; `None` where its time costs nothing.
    driver: Option<DriverQueue>,
    /// What tasks cost where they run; `None` where that is their duration and the overhead.
    costs: Option<CoreCosts>,
    /// Executors that come and go; `None` if all are always there.
    executors: Option<Executors>,
    /// To which jobs cores belong; `None` if every free core is everybody's.
    belonging: Option<Belonging>,
    /// Whether [`Engine::follow_up`] has something to do.
    has_extras: bool,
    followers: Followers,
    overhead: Span,
    /// What the policy wants done.
    actions: Actions,
    tasks: u64,
    /// Tasks launched.
    launched: u32,
    /// `None` if only the jobs' outcomes are wanted.
    trace: Option<Vec<TaskRun>>,
    /// Indices in the trace of the attempts that were killed, and why.
    killed: Vec<(u32, KillReason)>,
    /// Users or pools that attempts are killed for; `None` without preemption.
    parties: Option<Box<Parties>>,
    /// When all attempts and all parties were looked at last.
    last_looks: LastLooks,
    /// Core time during which tasks waited for executors that they prefer although others were free.
    held_back: SlotTime,
    /// Cores that are held back so now.
    held_back_cores: u64,
    /// Stages submitted.
    submitted: u32,
    /// Events handled.
    handled: u64,
    /// Offer rounds so far.
    rounds: u32,
    /// Clones of the engine have neither this nor an observer.
    watch: Option<Watch<P>>,
    observer: Option<Observer<P>>,
    /// When each job arrived, by index in the file.
    arrivals: Vec<Time>,
    /// When each job was started, by index in the file.
    starts: Vec<Option<Time>>,
    /// How each job ended, by index in the file.
    outcomes: Vec<Option<Outcome>>,
    /// Jobs that have not ended.
    open_jobs: u32,
    /// What the policy did wrong.
    fault: Option<PolicyError>,
}

/// When all attempts and all parties were looked at last.
#[derive(Clone, Copy, Default)]
struct LastLooks {
    speculation: Option<Time>,
    preemption: Option<Time>,
    /// The latest tick of any kind.
    tick: Option<(Time, TickKind)>,
}

impl LastLooks {
    /// The first instant, from now on, at which a tick can still come: those of an instant come in their order, each
    /// once, also if a task without length ends after one.
    fn earliest(&self, kind: TickKind, now: Time) -> Time {
        let is_past = self.tick.is_some_and(|(at, latest)| at == now && latest > kind);
        now + Span(u64::from(is_past))
    }
}

/// An offer round that launched tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// How many offer rounds there were until it, itself included.
    number: u32,
    /// The first task that it launched, by index in the trace.
    pub first: u32,
    /// The end of its tasks.
    pub end: u32,
}

/// A policy and what it saw before a round.
pub(crate) type CapturedPolicy<P> = Box<(Box<P>, View)>;

/// A look at offer rounds.
enum Watch<P: ?Sized> {
    /// Searches for a round, until it is found.
    Search(Search, Option<Round>),
    /// Captures the policy and what it sees before the round of this number.
    Capture(u32, Option<CapturedPolicy<P>>),
}

/// What an observer sees happen, after the policy has received it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation {
    /// A job has arrived.
    Arrival(Rank),
    /// A stage was submitted.
    Submission(StageIndex),
    /// A task was launched.
    Launch(Launch),
    /// A task has ended, or was ended by the drop of its job.
    End(Launch),
    /// A job has finished, or was dropped after it had started.
    JobEnd(Rank),
    /// All that happens at this instant has happened.
    InstantEnd,
}

/// Sees what happens, with the policy and what it sees.
pub type Observer<P> = Box<dyn FnMut(Observation, &P, &View)>;

/// Which round is searched for.
#[derive(Clone, Debug)]
pub(crate) enum Search {
    /// The one that launches a task, by index in the trace.
    Launch(u32),
    /// The first from a launch on before which tasks of several jobs wait, other than these, and more than stage ids
    /// ranks them.
    Choice { from: u32, except: BTreeSet<JobId> },
}

impl Search {
    /// Whether a round that launches from this task on would do.
    fn wants(&self, first: u32, view: &View, policy: &(impl Policy + ?Sized)) -> bool {
        match self {
            Search::Launch(_) => true,
            Search::Choice { from, except } => {
                first >= *from && {
                    let jobs = view.waiting_jobs();
                    jobs.len() > 1 && jobs != *except && !is_tie(view, policy)
                }
            }
        }
    }

    /// Whether the round that ends with this task is the one.
    fn is_reached(&self, end: u32) -> bool {
        match self {
            Search::Launch(task) => end > *task,
            Search::Choice { .. } => true,
        }
    }
}

/// Whether only stage ids rank the first of the waiting stages before those of other jobs.
fn is_tie(view: &View, policy: &(impl Policy + ?Sized)) -> bool {
    let Some(first) = view.waiting().min_by_key(|&stage| policy.key(stage)) else { return false };
    let others = view.waiting().filter(|stage| stage.job() != first.job());
    others.map(|stage| policy.key(stage)).min().is_some_and(|other| policy.key(first).is_tie(&other))
}

impl<P: Policy + ?Sized> Clone for Engine<P>
where
    Box<P>: Clone,
{
    fn clone(&self) -> Self {
        Engine {
            policy: self.policy.clone(),
            scenario: self.scenario.clone(),
            view: self.view.clone(),
            events: self.events.clone(),
            driver: self.driver.clone(),
            costs: self.costs.clone(),
            executors: self.executors.clone(),
            belonging: self.belonging.clone(),
            followers: self.followers.clone(),
            actions: self.actions.clone(),
            trace: self.trace.clone(),
            killed: self.killed.clone(),
            parties: self.parties.clone(),
            watch: None,
            observer: None,
            arrivals: self.arrivals.clone(),
            starts: self.starts.clone(),
            outcomes: self.outcomes.clone(),
            fault: self.fault.clone(),
            ..*self
        }
    }
}

impl<P: Policy> Engine<P>
where
    Box<P>: Clone,
{
    /// A simulation at its start.
    pub fn new(scenario: &Scenario, partitioning: PartitionMode) -> Self {
        Engine::with(scenario, partitioning, P::new(&Context::new(scenario, partitioning)))
    }

    /// A simulation at its start, of a policy that has received no event.
    pub fn with(scenario: &Scenario, partitioning: PartitionMode, policy: P) -> Self {
        let id = PolicyId { kind: PolicyKind::of::<P>(), partitioning };
        Engine::with_policy(scenario, id, Box::new(policy), Actions::default())
    }
}

impl<P: Policy + ?Sized> Engine<P>
where
    Box<P>: Clone,
{
    /// `actions` say whether decisions are explained.
    pub(crate) fn with_policy(scenario: &Scenario, id: PolicyId, policy: Box<P>, actions: Actions) -> Self {
        let (info, cluster, jobs) = (id.kind.info(), scenario.cluster(), scenario.jobs());
        let tasks = |stage| scenario.partitioning().task_count(stage, id.partitioning);
        let tasks = jobs.iter().flat_map(|job| &job.stages).map(tasks).sum();
        let period = policy.tick();
        let mut engine = Engine {
            id,
            info,
            events: Events::new(scenario, period),
            policy,
            view: View::new(scenario, id.partitioning, info, alone::ALONE),
            driver: cluster.driver.is_modelled().then(DriverQueue::default),
            costs: CoreCosts::new(scenario),
            executors: Executors::new(cluster),
            belonging: Belonging::new(cluster),
            has_extras: false,
            followers: Followers::new(scenario),
            overhead: cluster.task_overhead,
            actions,
            tasks,
            launched: 0,
            trace: Some(Vec::with_capacity(tasks as usize)),
            killed: Vec::new(),
            parties: None,
            last_looks: LastLooks::default(),
            held_back: SlotTime(0),
            held_back_cores: 0,
            submitted: 0,
            handled: 0,
            rounds: 0,
            watch: None,
            observer: None,
            arrivals: vec![Time::ZERO; jobs.len()],
            starts: vec![None; jobs.len()],
            outcomes: vec![None; jobs.len()],
            open_jobs: jobs.len() as u32,
            fault: None,
            scenario: scenario.clone(),
        };
        engine.has_extras =
            engine.executors.is_some() || engine.belonging.is_some() || engine.view.attempts.is_some();
        engine.start_executors();
        engine.start_parties();
        if period == Some(Span(0)) {
            engine.fault(Rule::ZeroPeriod);
        }
        engine.policy.started(&engine.view, &mut engine.actions);
        engine.act();
        engine.check_program();
        engine
    }

    /// Records the jobs' outcomes without their tasks, which take most of the memory; to be called before the first
    /// event.
    pub(crate) fn keep_outcomes_only(&mut self) {
        self.trace = None;
    }

    /// Reports from now on what happens.
    pub fn observe(&mut self, observer: Observer<P>) {
        self.observer = Some(observer);
    }

    fn report(&mut self, seen: Observation) {
        if let Some(observer) = &mut self.observer {
            observer(seen, &self.policy, &self.view);
        }
    }

    /// Events handled.
    pub(crate) fn handled(&self) -> u64 {
        self.handled
    }

    /// The instant of the next event; `None` if there is none left.
    pub fn next_instant(&mut self) -> Option<Time> {
        self.events.next_instant()
    }

    /// Looks at the cluster at an instant before the next event.
    pub(crate) fn set_now(&mut self, now: Time) {
        self.view.now = now;
    }

    /// What the policy has decided since the last call, if it was asked to explain that.
    pub(crate) fn take_decisions(&mut self) -> Vec<Decision> {
        self.actions.decisions.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Goes on until the round that is searched for is over, and stops after its event; `None` if there is no such
    /// round.
    pub(crate) fn find(&mut self, search: Search) -> Option<Round> {
        self.watch = Some(Watch::Search(search, None));
        while matches!(self.watch, Some(Watch::Search(_, None))) && self.step() {}
        match self.watch.take() {
            Some(Watch::Search(_, found)) => found,
            _ => None,
        }
    }

    /// Goes on until a round, and captures the policy and what it sees before it.
    pub(crate) fn capture(&mut self, round: Round) -> Option<CapturedPolicy<P>> {
        self.watch = Some(Watch::Capture(round.number, None));
        while matches!(self.watch, Some(Watch::Capture(_, None))) && self.step() {}
        match self.watch.take() {
            Some(Watch::Capture(_, captured)) => captured,
            _ => None,
        }
    }

    /// How far the simulation is.
    pub fn progress(&self) -> Progress {
        // Attempts may be more than there are tasks.
        Progress { launched: u64::from(self.launched).min(self.tasks), tasks: self.tasks }
    }

    /// The policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// The policy, to have it record, or to tell it what was decided elsewhere.
    pub fn policy_mut(&mut self) -> &mut P {
        &mut self.policy
    }

    /// An offer round between two events, for a policy that has been told something since the last one: it is asked for
    /// tasks on any free core, also where cores belong to jobs and the policy [moves](Policy::moves_cores) them.
    ///
    /// With [`Engine::next_instant`] a caller decides itself: it goes on while the next event is at this instant, then
    /// decides, tells the policy and offers, until nothing is left to decide.
    pub fn offer_again(&mut self) {
        if self.fault.is_some() {
            return;
        }
        self.offer(if self.belonging.is_some() { OfferCause::Gift } else { OfferCause::Tick });
        if !self.actions.list.is_empty() {
            self.act();
        }
        self.check_program();
        if self.executors.is_some() {
            self.wake_allocation(self.view.now);
        }
        if self.view.attempts.is_some() {
            self.held_back_cores = self.held_back_cores();
        }
    }

    /// Number of jobs that have not ended, those that are yet to arrive among them.
    pub fn open_jobs(&self) -> u32 {
        self.open_jobs
    }

    /// What the policy sees.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Handles the next event with all that follows from it at once; false if there is none left or the policy has
    /// broken a rule.
    ///
    /// Many of a policy's periods that end while nothing else happens are one event.
    pub fn step(&mut self) -> bool {
        self.step_towards(Time(u64::MAX))
    }

    /// As [`Engine::step`] on the way to an instant: the policy receives no tick after it.
    pub fn step_towards(&mut self, last: Time) -> bool {
        if self.fault.is_some() {
            return false;
        }
        let Some((now, event)) = self.events.next() else { return false };
        if self.held_back_cores > 0 {
            self.held_back.0 += self.held_back_cores * now.since(self.view.now).0;
        }
        self.view.now = now;
        self.handled += 1;
        let mut is_change = event != Event::Allocation;
        match event {
            Event::TaskFinish { run, core } => self.finish_task(run, core),
            Event::Wake { token } => self.policy.woken(token, &self.view, &mut self.actions),
            Event::Executors => self.change_executors(),
            Event::Allocation => self.allocate(),
            Event::Arrival { job } => {
                self.arrivals[job.index()] = now;
                for batch in self.followers.arrive(&self.scenario, job, now) {
                    self.events.push_follower(now, batch);
                }
                self.send_to_driver(DriverMessage::Arrival(job));
            }
            Event::StageReady { stage } => self.send_to_driver(DriverMessage::Ready(stage)),
            Event::LocalityOver { stage } => self.end_locality_wait(stage),
            Event::ExclusionOver => self.offer(OfferCause::Executors),
            Event::Cancellation { rank } => self.cancel(rank),
            Event::Loss { loss, is_return } => self.change_by_loss(loss, is_return),
            Event::Speculation => self.look_for_slow_tasks(),
            Event::Preemption => self.look_for_starving(),
            Event::Driver => self.finish_message(),
            Event::Tick => is_change = self.tick(last),
        }
        if !self.actions.list.is_empty() {
            self.act();
        }
        self.check_program();
        if self.has_extras {
            self.follow_up(now, event, is_change);
        }
        if self.observer.is_some() && self.events.next_instant() != Some(now) {
            self.report(Observation::InstantEnd);
        }
        true
    }

    /// What follows from an event where executors come and go, tasks may have several attempts or cores belong to jobs.
    #[inline(never)]
    fn follow_up(&mut self, now: Time, event: Event, is_change: bool) {
        if let Some(kind) = event.tick() {
            self.last_looks.tick = Some((now, kind));
        }
        if self.executors.is_some() && is_change {
            self.wake_allocation(self.last_looks.earliest(TickKind::Allocation, now));
        }
        if self.view.attempts.is_some() {
            self.note_event(event, is_change);
        }
        if self.belonging.is_some() && self.events.next_instant() != Some(now) && self.give_cores() {
            self.check_program();
            if self.executors.is_some() {
                self.wake_allocation(self.view.now + Span(1));
            }
        }
    }

    /// Something has happened where tasks may have several attempts: these have to be looked at again.
    fn note_event(&mut self, event: Event, is_change: bool) {
        let cluster = self.scenario.cluster();
        let looks = self.last_looks;
        if self.open_jobs > 0 && is_change {
            if let Some(rules) = cluster.speculation.as_ref().filter(|_| event != Event::Speculation) {
                let at = looks.earliest(TickKind::Speculation, self.view.now);
                let next = next_look(rules.interval, looks.speculation, at);
                self.events.advance_look(Look::Speculation, next);
            }
            if let Some(rules) = cluster.preemption.as_ref().filter(|_| event != Event::Preemption) {
                let at = looks.earliest(TickKind::Preemption, self.view.now);
                let next = next_look(rules.interval, looks.preemption, at);
                self.events.advance_look(Look::Preemption, next);
            }
        }
        self.held_back_cores = self.held_back_cores();
    }

    /// Handles up to `count` events; false once there is none left.
    pub(crate) fn step_many(&mut self, count: u32) -> bool {
        (0..count).all(|_| self.step())
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
        let scenario = self.scenario;
        let jobs = scenario.jobs().iter().zip(&self.arrivals).zip(&self.outcomes).zip(&self.starts);
        let classes = self.policy.classes().to_vec();
        self.killed.sort_unstable();
        let (killed, reasons): (_, Vec<KillReason>) = self.killed.into_iter().unzip();
        let mut end = self.outcomes.iter().flatten().map(|outcome| outcome.at()).max().unwrap_or_default();
        if self.view.attempts.is_some() {
            // Attempts of cancelled jobs may go on.
            let ends = self.trace.iter().flatten().map(|run| run.end);
            end = ends.max().map_or(end, |last| last.max(end));
        }
        Ok(Trace {
            scenario: scenario.name().to_owned(),
            policy: self.id,
            cores: scenario.cluster().cores(),
            users: scenario.users().iter().map(|user| user.name.clone()).collect(),
            tasks: self.trace.unwrap_or_default(),
            killed,
            reasons: if scenario.names_kill_reasons() { reasons } else { Vec::new() },
            names_outcomes: scenario.has_cancellations(),
            held_back: self.held_back,
            jobs: jobs
                .filter_map(|(((job, &arrival), outcome), &started)| {
                    outcome.map(|outcome| JobRun { user: job.user, arrival, started, outcome })
                })
                .collect(),
            classes,
            executors: self.executors.map(|executors| executors.into_runs(end)).unwrap_or_default(),
        })
    }

    /// What keeps a job that has arrived from its end, if no event is left.
    fn unfinished(&self) -> Option<Rule> {
        let mut ranks = (0..self.view.jobs()).map(Rank);
        let rank = ranks.find(|rank| self.outcomes[self.view.job(*rank).id().index()].is_none())?;
        let mut stages = self.view.job(rank).stages();
        let pending = stages.find(|stage| stage.is_submitted() && stage.pending() > 0);
        Some(pending.map_or(Rule::NeverStarted(rank), |stage| Rule::NeverLaunched(stage.index())))
    }

    /// Faults a policy whose program has failed.
    fn check_program(&mut self) {
        if let Some(error) = self.policy.failure() {
            self.fault(Rule::Program(error));
        }
    }

    fn fault(&mut self, rule: Rule) {
        let fault = PolicyError { policy: self.info.id, at: self.view.now, rule };
        self.fault.get_or_insert(fault);
    }
}
