//! A policy from outside the library that does what a test wants of it.

use std::cell::Cell;

use fairlane::engine::simulate_policy;
use fairlane::ids::{Rank, StageIndex};
use fairlane::policy::explain::{Key, KeyComponent, Value};
use fairlane::policy::{
    Actions, Admission, Context, Info, Launch, Outcomes, Policy, PolicyError, PolicyId, PolicyKind,
    StageView, View,
};
use fairlane::replay::Replay;
use fairlane::scenario::PartitionMode;
use fairlane::units::{Span, Time};
use fairlane::{Scenario, Trace};

/// What a test's policy does.
#[derive(Clone, Copy, PartialEq)]
pub enum Script {
    /// Launches whatever fits.
    Greedy,
    /// Drops the first job at 2.5 s and rejects the third.
    DropAndReject,
    /// Lets jobs wait and starts each when woken a second after its arrival.
    Delay,
    Launch(Launch),
    Idle,
    StartTwice,
    DropEnded,
    WakeInThePast,
    NeverStart,
    TickAtOnce,
}

thread_local! {
    static SCRIPT: Cell<Script> = const { Cell::new(Script::Greedy) };
}

#[derive(Clone)]
pub struct Scripted {
    script: Script,
    submitted: Vec<StageIndex>,
}

const INFO: Info = Info { id: "scripted", title: "Scripted", outcomes: Outcomes::Any, ..Info::DEFAULT };

impl Policy for Scripted {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(_: &Context) -> Self {
        Scripted { script: SCRIPT.get(), submitted: Vec::new() }
    }

    fn job_arrived(&mut self, job: Rank, view: &View, actions: &mut Actions) -> Admission {
        match self.script {
            Script::DropAndReject if job == Rank(0) => actions.wake(Time(2_500_000), 0),
            Script::DropAndReject if job == Rank(2) => return Admission::Reject,
            Script::Delay => {
                actions.wake(Time(view.now().0 + 1_000_000), job.0);
                return Admission::Wait;
            }
            Script::StartTwice => actions.start(job),
            Script::WakeInThePast if job == Rank(1) => actions.wake(Time(0), 0),
            Script::NeverStart if job == Rank(1) => return Admission::Wait,
            _ => {}
        }
        Admission::Start
    }

    fn stage_submitted(&mut self, stage: StageIndex, _: &View) {
        self.submitted.push(stage);
    }

    fn job_ended(&mut self, job: Rank, _: &View, actions: &mut Actions) {
        if self.script == Script::DropEnded {
            actions.drop(job);
        }
    }

    fn woken(&mut self, token: u32, _: &View, actions: &mut Actions) {
        match self.script {
            Script::Delay => actions.start(Rank(token)),
            _ => actions.drop(Rank(token)),
        }
    }

    fn tick(&self) -> Option<Span> {
        (self.script == Script::TickAtOnce).then_some(Span(0))
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        match self.script {
            Script::Launch(launch) => return Some(launch),
            Script::Idle => return None,
            _ => {}
        }
        let waiting = self.submitted.iter().copied().filter(|&stage| {
            let seen = view.stage(stage);
            seen.is_submitted() && seen.pending() > 0
        });
        waiting.filter_map(|stage| Some(Launch { stage, core: view.lowest_fitting_core(stage)? })).next()
    }

    fn key(&self, stage: StageView) -> Key {
        Key::complete([KeyComponent::new("submission", Value::Number(u64::from(stage.submission())))])
    }
}

/// Simulates a scenario under the policy.
pub fn run(scenario: &Scenario, script: Script) -> Result<Trace, PolicyError> {
    SCRIPT.set(script);
    simulate_policy::<Scripted>(scenario, PartitionMode::Default)
}

/// The same, to be asked.
pub fn replay(scenario: &Scenario, script: Script) -> Replay {
    SCRIPT.set(script);
    let id = PolicyId { kind: PolicyKind::of::<Scripted>(), partitioning: PartitionMode::Default };
    Replay::with(scenario, id, Box::new(Scripted::new(&Context::new(scenario, PartitionMode::Default))))
}
