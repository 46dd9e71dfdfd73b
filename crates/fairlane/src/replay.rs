//! Why this one? A finished simulation replayed to any decision or instant, where its policy is asked.
//!
//! The engine is deterministic, so an explanation is the live policy, asked at that moment. A [`Replay`] goes forward
//! event by event and back by checkpoints.
//!
//! ```
//! use fairlane::replay::{Replay, ReplayPoint};
//! let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
//! let policy = "uwfq".parse()?;
//! let trace = fairlane::simulate(&scenario, policy);
//! let mut replay = Replay::new(&scenario, policy).expect("a registered policy");
//! let queue = replay.queue(&trace, ReplayPoint::Dispatch(trace.tasks.len() - 1), 5).expect("the last launch");
//! println!("{}", queue.reason);
//! # Ok::<(), fairlane::policy::UnknownPolicy>(())
//! ```

mod queue;
mod series;

use std::collections::BTreeSet;
use std::fmt;

pub use crate::engine::PlaceWait;
pub use queue::{RankedQueue, WaitingStage};
pub use series::{DeadlineSpan, SeriesPoint, TargetChange, VirtualTimeSeries};

use crate::engine::{self, CapturedPolicy, Engine, Round, Search};
use crate::ids::{JobId, UserId};
use crate::policy::explain::{Decision, Explanation, PolicyClock};
use crate::policy::{Actions, Policy, PolicyId, ProgramCall, StageView, View};
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::units::Time;

/// Where in a trace a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayPoint {
    /// The offer round that launched a task, before any of its launches; the task by index in the
    /// trace.
    Dispatch(usize),
    /// An instant, after all that happened at it.
    Instant(Time),
}

/// Which of the decisions between jobs is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceFilter {
    /// Any.
    Any,
    /// One between other jobs than those that waited before this launch, by index in the trace.
    OtherJobs(usize),
}

/// Events between two checkpoints, the most that a jump replays.
const SPACING: u32 = 1 << 13;

/// A simulation that can be asked at any of its decisions.
///
/// The first look at an instant simulates up to it; from then on a look replays at most the events between two
/// checkpoints.
#[derive(Clone)]
pub struct Replay {
    /// States on the way, each with the instant of the last event before it; the first is the start.
    checkpoints: Vec<(Option<Time>, Engine<dyn Policy>)>,
    /// The furthest state so far.
    frontier: Engine<dyn Policy>,
    /// What the policy has decided until then besides the order of stages.
    decisions: Vec<Decision>,
    /// Where the last question was asked.
    here: Engine<dyn Policy>,
    /// The instant of its last event.
    last: Option<Time>,
    captured: Option<CapturedPolicy<dyn Policy>>,
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").field("checkpoints", &self.checkpoints.len()).finish_non_exhaustive()
    }
}

/// A policy and what it sees, at a decision or an instant.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    policy: &'a (dyn Policy + 'static),
    view: &'a View,
    /// At a decision: the offer round that follows.
    round: Option<Round>,
}

impl Replay {
    /// A simulation under a registered policy; `None` for a policy that is not part of this program.
    pub fn new(scenario: &Scenario, policy: PolicyId) -> Option<Replay> {
        Some(Replay::with(scenario, policy, engine::create(scenario, policy).ok()?))
    }

    /// A simulation under a policy of the caller's own.
    pub fn with(scenario: &Scenario, id: PolicyId, policy: Box<dyn Policy>) -> Replay {
        let actions = Actions { decisions: Some(Vec::new()), ..Actions::default() };
        let mut start = Engine::with_policy(scenario, id, policy, actions);
        start.keep_outcomes_only();
        let decisions = start.take_decisions();
        Replay {
            checkpoints: vec![(None, start.clone())],
            frontier: start.clone(),
            decisions,
            here: start,
            last: None,
            captured: None,
        }
    }

    /// Simulates some more events ahead of all questions, which are answered at once from then on; false once none is
    /// left.
    pub fn prepare(&mut self, events: u32) -> bool {
        (0..events.div_ceil(SPACING)).all(|_| self.extend())
    }

    /// Moves the frontier by a checkpoint.
    fn extend(&mut self) -> bool {
        let goes_on = self.frontier.step_many(SPACING);
        // Kept once, and not in every checkpoint.
        self.decisions.extend(self.frontier.take_decisions());
        if goes_on {
            self.checkpoints.push((Some(self.frontier.view().now()), self.frontier.clone()));
        }
        goes_on
    }

    /// Goes to the state after all events before an instant, those at it included or not.
    fn seek(&mut self, at: Time, is_included: bool) {
        let is_ahead = |next: Option<Time>| next.is_some_and(|next| next < at || next == at && is_included);
        while is_ahead(self.frontier.next_instant()) && self.extend() {}
        let before = self.checkpoints.partition_point(|(last, _)| last.is_none() || is_ahead(*last));
        let (_, checkpoint) = &self.checkpoints[before - 1];
        if !self.last.is_none_or(|last| is_ahead(Some(last))) || self.here.handled() < checkpoint.handled() {
            self.here = checkpoint.clone();
        }
        while is_ahead(self.here.next_instant()) && self.here.step_towards(at) {}
        self.last = (self.here.handled() > 0).then_some(self.here.view().now());
    }

    /// The policy at a decision or an instant of the trace; `None` if there is no such decision.
    pub fn at(&mut self, trace: &Trace, at: ReplayPoint) -> Option<Moment<'_>> {
        match at {
            ReplayPoint::Instant(instant) => {
                self.seek(instant, true);
                self.here.set_now(instant);
                Some(Moment { policy: self.here.policy(), view: self.here.view(), round: None })
            }
            ReplayPoint::Dispatch(task) => {
                let start = trace.tasks.get(task)?.start;
                self.seek(start, false);
                let round = self.here.clone().find(Search::Launch(task as u32))?;
                self.capture(round)
            }
        }
    }

    fn capture(&mut self, round: Round) -> Option<Moment<'_>> {
        self.captured = self.here.capture(round);
        self.last = Some(self.here.view().now());
        let (policy, view) = &**self.captured.as_ref()?;
        Some(Moment { policy: &**policy, view, round: Some(round) })
    }

    /// The first `most` of the waiting stages at a decision or an instant, in the order in which the policy ranks
    /// them, with the reason; the chosen one in any case.
    pub fn queue(&mut self, trace: &Trace, at: ReplayPoint, most: usize) -> Option<RankedQueue> {
        let task = match at {
            ReplayPoint::Dispatch(task) => Some(task),
            ReplayPoint::Instant(_) => None,
        };
        Some(self.at(trace, at)?.queue(trace, task, most))
    }

    /// How a policy that is a program runs: its functions at the instant, before the decision if it is one, and then the
    /// one that ranks a stage, by its job and its index in it. `None` if there is no such decision or the stage does not
    /// wait.
    pub fn calls(
        &mut self,
        trace: &Trace,
        at: ReplayPoint,
        (job, stage): (JobId, u32),
    ) -> Option<Vec<ProgramCall>> {
        let instant = match at {
            ReplayPoint::Instant(instant) => instant,
            ReplayPoint::Dispatch(task) => trace.tasks.get(task)?.start,
        };
        self.seek(instant, false);
        let mut here = self.here.clone();
        let calls = |policy: &dyn Policy, view: &View| {
            let is_meant =
                |stage_view: &StageView| (stage_view.job_view().id(), stage_view.position()) == (job, stage);
            let stage = view.waiting().find(is_meant)?;
            Some(policy.calls(stage))
        };
        match at {
            ReplayPoint::Instant(_) => {
                here.policy_mut().record_calls();
                while here.next_instant().is_some_and(|next| next <= instant) && here.step_towards(instant) {}
                here.set_now(instant);
                calls(here.policy(), here.view())
            }
            ReplayPoint::Dispatch(task) => {
                let round = here.clone().find(Search::Launch(task as u32))?;
                here.policy_mut().record_calls();
                let captured = here.capture(round)?;
                let (policy, view) = &*captured;
                calls(&**policy, view)
            }
        }
    }

    /// The first decision between jobs that launches this task or a later one: an offer round before which tasks of at
    /// least two jobs wait, and in which more than the stage id ranks the first before those of other jobs. By the first task that it launches; `None` if there is no such round.
    pub fn next_choice(&mut self, trace: &Trace, from: usize, filter: ChoiceFilter) -> Option<usize> {
        let except = match filter {
            ChoiceFilter::Any => BTreeSet::new(),
            ChoiceFilter::OtherJobs(task) => self.at(trace, ReplayPoint::Dispatch(task))?.view.waiting_jobs(),
        };
        self.seek(trace.tasks.get(from)?.start, false);
        let round = self.here.find(Search::Choice { from: from as u32, except });
        self.last = Some(self.here.view().now());
        Some(round?.first as usize)
    }

    /// What the policy decided about users and jobs besides the order of stages, in the order of time.
    pub fn decisions(&mut self) -> &[Decision] {
        while self.extend() {}
        &self.decisions
    }

    /// The simulation at its start.
    fn start(&self) -> Engine<dyn Policy> {
        self.checkpoints[0].1.clone()
    }
}

impl<'a> Moment<'a> {
    /// What the policy sees.
    pub fn view(&self) -> &'a View {
        self.view
    }

    /// The policy, with all that it updates only at its events brought to this moment.
    fn caught_up(&self) -> Box<dyn Policy> {
        let mut policy = dyn_clone::clone_box(self.policy);
        policy.catch_up(self.view);
        policy
    }

    /// The policy's virtual clock, if it has one.
    pub fn clock(&self) -> Option<PolicyClock> {
        self.policy.clock(self.view)
    }

    /// What the policy knows of the users; empty under a policy that does not rank users.
    pub fn users(&self) -> Vec<(UserId, Explanation)> {
        self.caught_up().users(self.view)
    }
}
