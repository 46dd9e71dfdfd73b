//! From a scenario to a trace in one call.

use super::Engine;
#[cfg(not(target_arch = "wasm32"))]
use crate::policy::PolicyVisitor;
#[cfg(target_arch = "wasm32")]
use crate::policy::create;
use crate::policy::{Context, Policy, PolicyError, PolicyId};
use crate::scenario::{Mode, Scenario};
use crate::trace::{JobRun, Journal, Trace};

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
/// If the policy is a [`PolicyKind::Custom`](crate::policy::PolicyKind::Custom); see [`simulate_policy`].
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
    let run = Simulation { scenario, policy, keep: Keep::Trace, observer };
    run.record().map(|(trace, _)| trace)
}

/// As [`simulate_observed`], for the jobs' outcomes alone: the memory does not grow with the tasks.
///
/// # Errors
/// [`SimulationError::Stopped`] if the observer says [`Control::Stop`].
pub fn simulate_outcomes(
    scenario: &Scenario,
    policy: PolicyId,
    observer: &mut dyn FnMut(Progress) -> Control,
) -> Result<Vec<JobRun>, SimulationError> {
    let run = Simulation { scenario, policy, keep: Keep::Outcomes, observer };
    run.record().map(|(trace, _)| trace.jobs)
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
    Simulation { scenario, policy, keep: Keep::TraceAndJournal, observer }.record()
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
    Outcomes,
    Trace,
    TraceAndJournal,
}

struct Simulation<'a, 'b> {
    scenario: &'a Scenario,
    policy: PolicyId,
    keep: Keep,
    observer: &'b mut dyn FnMut(Progress) -> Control,
}

type Record = Result<(Trace, Journal), SimulationError>;

impl Simulation<'_, '_> {
    /// An engine for each policy: fast.
    #[cfg(not(target_arch = "wasm32"))]
    fn record(self) -> Record {
        let id = self.policy;
        id.kind.visit(self).unwrap_or(Err(SimulationError::Unregistered(id)))
    }

    /// One engine for all policies: small.
    #[cfg(target_arch = "wasm32")]
    fn record(self) -> Record {
        let context = Context::new(self.scenario, self.policy.partitioning);
        match create::create(self.policy.kind, &context) {
            Some(policy) => self.run(policy),
            None => Err(SimulationError::Unregistered(self.policy)),
        }
    }

    fn run<P: Policy + ?Sized>(self, policy: Box<P>) -> Record {
        let mut engine = Engine::of(self.scenario, self.policy, policy);
        match self.keep {
            Keep::Outcomes => engine.keep_outcomes_only(),
            Keep::Trace => {}
            Keep::TraceAndJournal => engine.keep_journal(),
        }
        while engine.step_many(EVENTS_PER_REPORT) {
            if (self.observer)(engine.progress()) == Control::Stop {
                return Err(SimulationError::Stopped);
            }
        }
        Ok(engine.into_record()?)
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl PolicyVisitor for Simulation<'_, '_> {
    type Output = Record;

    fn visit<P: Policy + 'static>(self) -> Record {
        let policy = Box::new(P::new(&Context::new(self.scenario, self.policy.partitioning)));
        self.run(policy)
    }
}
