//! From a scenario to a trace in one call.

use super::{Engine, Observer};
use crate::policy::{
    Actions, Context, Policy, PolicyError, PolicyId, PolicyKind, PolicyVisitor, custom, custom::NoProgram,
    decima,
};
use crate::scenario::{PartitionMode, Scenario, ScenarioError};
use crate::trace::{JobRun, Trace};

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
    /// The network of the policy `decima` has not been loaded; see [`decima::install`].
    #[error("the weights of decima are not loaded; install them first")]
    NoWeights,
    /// The scenario's program is none.
    #[error(transparent)]
    Program(#[from] NoProgram),
}

/// A simulation that fails does so at no place in the file.
impl From<SimulationError> for ScenarioError {
    fn from(error: SimulationError) -> ScenarioError {
        ScenarioError::at("", error.to_string())
    }
}

/// Events between two calls of an observer.
const EVENTS_PER_REPORT: u32 = 8192;

/// A bound on the events of one simulation, or of several one after the other, for callers that must not be held up: how
/// long a simulation takes follows from its events, and not from its tasks.
#[derive(Clone, Debug)]
pub struct EventBudget {
    reports: u32,
}

impl EventBudget {
    /// At most this many events, in steps of some thousands.
    pub fn new(events: u32) -> EventBudget {
        EventBudget { reports: events.div_ceil(EVENTS_PER_REPORT) }
    }

    /// What an observer answers: [`Control::Stop`] once the events are used up. To be called once a report.
    pub fn spend(&mut self) -> Control {
        match self.reports.checked_sub(1) {
            Some(left) => self.reports = left,
            None => return Control::Stop,
        }
        Control::Continue
    }
}

/// Simulates a whole scenario under a registered policy.
///
/// # Panics
/// If the policy is a [`PolicyKind::Custom`](crate::policy::PolicyKind::Custom); see [`simulate_policy`], and
/// [`simulate_observed`] for programs.
pub fn simulate(scenario: &Scenario, policy: PolicyId) -> Trace {
    simulate_observed(scenario, policy, &mut |_| Control::Continue)
        .expect("registered policies keep the contract, and nobody asks to stop")
}

/// Simulates a whole scenario under a policy, reporting to an observer from time to time how far it is.
///
/// # Errors
/// [`SimulationError::Stopped`] if the observer says [`Control::Stop`]; what a program does wrong.
pub fn simulate_observed(
    scenario: &Scenario,
    policy: PolicyId,
    observer: &mut dyn FnMut(Progress) -> Control,
) -> Result<Trace, SimulationError> {
    SimulationRun { scenario, policy, detail: RecordDetail::Trace, observer }.trace()
}

/// As [`simulate_observed`], for the jobs' outcomes alone: the memory does not grow with the tasks.
///
/// # Errors
/// [`SimulationError::Stopped`] if the observer says [`Control::Stop`]; what a program does wrong.
pub fn simulate_outcomes(
    scenario: &Scenario,
    policy: PolicyId,
    observer: &mut dyn FnMut(Progress) -> Control,
) -> Result<Vec<JobRun>, SimulationError> {
    Ok(SimulationRun { scenario, policy, detail: RecordDetail::Outcomes, observer }.trace()?.jobs)
}

/// Simulates a whole scenario under a policy of the caller's own.
///
/// # Errors
/// The first rule of the contract that the policy breaks.
pub fn simulate_policy<P: Policy + Clone>(
    scenario: &Scenario,
    partitioning: PartitionMode,
) -> Result<Trace, PolicyError> {
    let mut engine = Engine::<P>::new(scenario, partitioning);
    while engine.step() {}
    engine.into_trace()
}

/// Simulates the first events of a scenario under a policy of the caller's own.
///
/// # Errors
/// The first rule of the contract that the policy breaks in them.
pub fn simulate_start(
    scenario: &Scenario,
    id: PolicyId,
    policy: Box<dyn Policy>,
    events: u32,
) -> Result<(), PolicyError> {
    let mut engine = Engine::with_policy(scenario, id, policy, Actions::default());
    engine.step_many(events);
    engine.fault.map_or(Ok(()), Err)
}

/// As [`simulate_observed`]; `seen` sees all that happens.
///
/// # Errors
/// As [`simulate_observed`].
pub fn simulate_seen(
    scenario: &Scenario,
    policy: PolicyId,
    seen: Observer<dyn Policy>,
    observer: &mut dyn FnMut(Progress) -> Control,
) -> Result<Trace, SimulationError> {
    let created = create(scenario, policy)?;
    let mut engine = Engine::with_policy(scenario, policy, created, Actions::default());
    engine.observe(seen);
    Ok(run(engine, observer)?.into_trace()?)
}

/// Creates a registered policy, or the scenario's program, at the start of a simulation.
///
/// # Errors
/// [`SimulationError::Unregistered`] for a policy that is not part of this program; what is wrong with the scenario's
/// program.
pub fn create(scenario: &Scenario, policy: PolicyId) -> Result<Box<dyn Policy>, SimulationError> {
    struct PolicyConstructor<'a>(&'a Context<'a>);
    impl PolicyVisitor for PolicyConstructor<'_> {
        type Output = Box<dyn Policy>;

        fn visit<P: Policy + Clone + 'static>(self) -> Self::Output {
            Box::new(P::new(self.0))
        }
    }
    if policy.kind == PolicyKind::Decima && decima::weights().is_none() {
        return Err(SimulationError::NoWeights);
    }
    let context = Context::new(scenario, policy.partitioning);
    match policy.kind.visit(PolicyConstructor(&context)) {
        Some(created) => Ok(created),
        None => custom::create(&context, policy)?.ok_or(SimulationError::Unregistered(policy)),
    }
}

/// What is recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RecordDetail {
    Outcomes,
    Trace,
}

struct SimulationRun<'a, 'b> {
    scenario: &'a Scenario,
    policy: PolicyId,
    detail: RecordDetail,
    observer: &'b mut dyn FnMut(Progress) -> Control,
}

impl SimulationRun<'_, '_> {
    /// An engine for each policy: fast.
    #[cfg(not(target_arch = "wasm32"))]
    fn trace(self) -> Result<Trace, SimulationError> {
        let id = self.policy;
        if custom::is_program(id.kind) {
            let created = create(self.scenario, id)?;
            return self.run(created);
        }
        id.kind.visit(self).unwrap_or(Err(SimulationError::Unregistered(id)))
    }

    /// One engine for all policies: small.
    #[cfg(target_arch = "wasm32")]
    fn trace(self) -> Result<Trace, SimulationError> {
        let created = create(self.scenario, self.policy)?;
        self.run(created)
    }

    fn run<P: Policy + ?Sized>(self, policy: Box<P>) -> Result<Trace, SimulationError>
    where
        Box<P>: Clone,
    {
        let mut engine = Engine::with_policy(self.scenario, self.policy, policy, Actions::default());
        if self.detail == RecordDetail::Outcomes {
            engine.keep_outcomes_only();
        }
        Ok(run(engine, self.observer)?.into_trace()?)
    }
}

/// Runs a simulation to its end.
fn run<P: Policy + ?Sized>(
    mut engine: Engine<P>,
    observer: &mut dyn FnMut(Progress) -> Control,
) -> Result<Engine<P>, SimulationError>
where
    Box<P>: Clone,
{
    while engine.step_many(EVENTS_PER_REPORT) {
        if observer(engine.progress()) == Control::Stop {
            return Err(SimulationError::Stopped);
        }
    }
    Ok(engine)
}

#[cfg(not(target_arch = "wasm32"))]
impl PolicyVisitor for SimulationRun<'_, '_> {
    type Output = Result<Trace, SimulationError>;

    fn visit<P: Policy + Clone + 'static>(self) -> Self::Output {
        let policy = Box::new(P::new(&Context::new(self.scenario, self.policy.partitioning)));
        self.run(policy)
    }
}
