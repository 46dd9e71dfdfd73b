//! A simulation with everything that is shown of it.

use serde::{Deserialize, Serialize};

use super::alone::AloneCache;
use super::deadlines;
use super::fairness::ReferenceSchedule;
use super::inversion::{Inversion, InversionWatch};
use super::parallel;
use super::special::OptionalFigures;
use super::straggler::{Straggler, idle_time, stragglers_of};
use super::summary::{BlockingTotals, Summary};
use crate::engine::{self, Control, Progress, SimulationError};
use crate::policy::{PolicyId, PolicyKind};
use crate::scenario::PartitionMode;
use crate::scenario::Scenario;
use crate::trace::{Trace, finish_order};
use crate::units::Span;

/// How much of a simulation is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EvaluationDetail {
    /// Response times, slowdowns and delays against the fluid UJF.
    Responses,
    /// Also delays against practical UJF, for which that is simulated too.
    Delays,
    /// Also what keeps jobs and cores waiting.
    Full,
}

/// One policy's simulation, evaluated.
#[derive(Debug)]
pub struct Evaluation {
    /// The scenario that was simulated: ids in the rest are indices into this one and no other.
    pub scenario: Scenario,
    /// What happened.
    pub trace: Trace,
    /// Response time of each job alone, by index in the file; `None` if it does not even finish alone.
    pub alone: Vec<Option<Span>>,
    /// What it means to users.
    pub summary: Summary,
    /// What keeps jobs and cores waiting; only with [`EvaluationDetail::Full`].
    pub causes: Option<Causes>,
}

/// Why jobs and cores wait.
#[derive(Debug)]
pub struct Causes {
    /// From [`inversions`](super::inversions).
    pub inversions: Option<Vec<Vec<Inversion>>>,
    /// From [`stragglers`](super::stragglers).
    pub stragglers: Vec<Straggler>,
}

/// What evaluations of one scenario share, as far as it has been needed: the schedules that they are measured against.
#[derive(Clone, Debug)]
pub struct Baselines {
    threads: usize,
    fluid: Option<ReferenceSchedule>,
    /// Practical UJF by partitioning.
    ujf: Vec<(PartitionMode, ReferenceSchedule)>,
    alone: AloneCache,
}

impl Baselines {
    /// Nothing yet; evaluations run on up to this many threads. Their results do not depend on it.
    pub fn new(threads: usize) -> Baselines {
        Baselines { threads, fluid: None, ujf: Vec::new(), alone: AloneCache::default() }
    }

    /// What another version of the scenario shares with this one: the jobs alone that the change left as they were.
    pub fn after_change(self) -> Baselines {
        Baselines { alone: self.alone.after_change(), ..Baselines::new(self.threads) }
    }
}

/// Roughly the shares of the whole time that the schedule takes, and practical UJF.
const SCHEDULE: f64 = 0.45;
const REFERENCE: f64 = 0.25;

/// Simulates a scenario under a policy and evaluates it. `baselines` must be those of this scenario. The observer is
/// called now and then with the fraction of the work that is done.
///
/// # Errors
/// [`SimulationError::Stopped`] if the observer says [`Control::Stop`].
pub fn evaluate(
    scenario: &Scenario,
    policy: PolicyId,
    detail: EvaluationDetail,
    baselines: &mut Baselines,
    observer: &mut dyn FnMut(f64) -> Control,
) -> Result<Evaluation, SimulationError> {
    let record = if detail < EvaluationDetail::Full { schedule } else { schedule_and_causes };
    let mut evaluation = evaluate_record(scenario, policy, detail, record, baselines, observer)?;
    let due = deadlines::has_deadlines(scenario, policy).then(|| {
        let fifo = PolicyId { kind: PolicyKind::Fifo, partitioning: policy.partitioning };
        let alone = match scenario.jobs().iter().all(|job| job.deadline.is_some()) {
            true => vec![None; scenario.jobs().len()],
            false => baselines.alone.responses(scenario, fifo, baselines.threads),
        };
        deadlines::due(scenario, &alone)
    });
    let Evaluation { trace, alone, summary, .. } = &mut evaluation;
    summary.special = OptionalFigures::new(scenario, trace, alone, due.as_deref());
    Ok(evaluation)
}

/// As [`evaluate`] with [`EvaluationDetail::Responses`], without [`Summary::special`]. A program that evaluates nothing
/// else is smaller.
///
/// # Errors
/// [`SimulationError::Stopped`] if the observer says [`Control::Stop`].
pub fn evaluate_responses(
    scenario: &Scenario,
    policy: PolicyId,
    baselines: &mut Baselines,
    observer: &mut dyn FnMut(f64) -> Control,
) -> Result<Evaluation, SimulationError> {
    evaluate_record(scenario, policy, EvaluationDetail::Responses, schedule, baselines, observer)
}

/// Evaluates a schedule that was observed and not simulated, under [`OBSERVED`](crate::policy::OBSERVED): all but why
/// it is as it is. A job alone is simulated under FIFO, under which alone nobody else's rules matter. `baselines`
/// must be those of this scenario.
///
/// # Errors
/// [`SimulationError::Stopped`] if the observer says [`Control::Stop`].
pub fn evaluate_observed(
    scenario: &Scenario,
    trace: Trace,
    baselines: &mut Baselines,
    observer: &mut dyn FnMut(f64) -> Control,
) -> Result<Evaluation, SimulationError> {
    let ujf = PolicyId { kind: PolicyKind::Ujf, partitioning: PartitionMode::Default };
    if !scenario.has_sessions() && baselines.ujf(ujf).is_none() {
        let jobs = engine::simulate_outcomes(scenario, ujf, &mut part(observer, 0.0, 1.0))?;
        baselines.ujf.push((ujf.partitioning, ReferenceSchedule::from_jobs(&jobs)));
    }
    let fifo = PolicyId { kind: PolicyKind::Fifo, partitioning: PartitionMode::Default };
    let alone = baselines.alone.responses(scenario, fifo, baselines.threads);
    let (causes, blocking) = causes_of(scenario, &trace, None);
    let (fluid, ujf) = baselines.references(scenario, &trace, EvaluationDetail::Full);
    let summary = Summary::new(scenario, &trace, &alone, fluid, ujf, Some(blocking));
    Ok(Evaluation { scenario: scenario.clone(), trace, alone, summary, causes: Some(causes) })
}

/// Simulates a scenario under a policy, and finds the causes of waiting if it can.
type RecordFn = fn(&Scenario, PolicyId, &mut dyn FnMut(Progress) -> Control) -> RecordResult;
type RecordResult = Result<(Trace, Option<(Causes, BlockingTotals)>), SimulationError>;

fn schedule(
    scenario: &Scenario,
    policy: PolicyId,
    observer: &mut dyn FnMut(Progress) -> Control,
) -> RecordResult {
    Ok((engine::simulate_observed(scenario, policy, observer)?, None))
}

fn schedule_and_causes(
    scenario: &Scenario,
    policy: PolicyId,
    observer: &mut dyn FnMut(Progress) -> Control,
) -> RecordResult {
    let (trace, inversions) = match InversionWatch::new(scenario, policy) {
        Some((watch, seen)) => {
            (engine::simulate_seen(scenario, policy, seen, observer)?, Some(watch.finish()))
        }
        None => (engine::simulate_observed(scenario, policy, observer)?, None),
    };
    let causes = causes_of(scenario, &trace, inversions);
    Ok((trace, Some(causes)))
}

fn causes_of(
    scenario: &Scenario,
    trace: &Trace,
    inversions: Option<Vec<Vec<Inversion>>>,
) -> (Causes, BlockingTotals) {
    let finish_order = finish_order(trace);
    let (stragglers, busy) = stragglers_of(scenario, trace, &finish_order);
    let blocking =
        BlockingTotals::new(inversions.as_deref(), idle_time(&stragglers, &busy, trace.jobs.len()));
    (Causes { inversions, stragglers }, blocking)
}

fn evaluate_record(
    scenario: &Scenario,
    policy: PolicyId,
    detail: EvaluationDetail,
    record: RecordFn,
    baselines: &mut Baselines,
    observer: &mut dyn FnMut(f64) -> Control,
) -> Result<Evaluation, SimulationError> {
    let threads = baselines.threads;
    let schedule = |observer: &mut dyn FnMut(Progress) -> Control| record(scenario, policy, observer);
    let ujf = PolicyId { kind: PolicyKind::Ujf, partitioning: policy.partitioning };
    let shares_references = !scenario.has_sessions();
    let needs_ujf = shares_references
        && detail >= EvaluationDetail::Delays
        && policy != ujf
        && baselines.ujf(ujf).is_none();
    let mut measure =
        |observer: &mut dyn FnMut(Progress) -> Control| -> Result<Vec<Option<Span>>, SimulationError> {
            if needs_ujf {
                let jobs = engine::simulate_outcomes(scenario, ujf, observer)?;
                baselines.ujf.push((ujf.partitioning, ReferenceSchedule::from_jobs(&jobs)));
            }
            if shares_references {
                baselines.fluid.get_or_insert_with(|| ReferenceSchedule::fluid_ujf(scenario));
            }
            Ok(baselines.alone.responses(scenario, policy, threads))
        };
    let ((trace, causes), alone) = if parallel::is_spread(threads) {
        let (schedule, alone) = parallel::both(
            || schedule(&mut part(observer, 0.0, 1.0)),
            || measure(&mut |_| Control::Continue),
        );
        (schedule?, alone?)
    } else {
        let record = schedule(&mut part(observer, 0.0, SCHEDULE))?;
        (record, measure(&mut part(observer, 1.0 - REFERENCE, REFERENCE))?)
    };
    if shares_references
        && detail >= EvaluationDetail::Delays
        && policy == ujf
        && baselines.ujf(ujf).is_none()
    {
        baselines.ujf.push((ujf.partitioning, ReferenceSchedule::from_jobs(&trace.jobs)));
    }
    let (fluid, ujf) = baselines.references(scenario, &trace, detail);
    let (causes, blocking) = causes.unzip();
    let summary = Summary::new(scenario, &trace, &alone, fluid, ujf, blocking);
    Ok(Evaluation { scenario: scenario.clone(), trace, alone, summary, causes })
}

/// An observer of a simulation that takes a share of the whole, from a fraction on.
fn part(observer: &mut dyn FnMut(f64) -> Control, from: f64, share: f64) -> impl FnMut(Progress) -> Control {
    move |progress| {
        observer(from + share * (progress.launched as f64 / progress.tasks.max(1) as f64).min(1.0))
    }
}

impl Baselines {
    /// The fair schedules that a trace is measured against. In sessions the schedule decides when jobs arrive, so each
    /// trace has its own, with its arrivals (docs/model.md section 13).
    fn references(
        &mut self,
        scenario: &Scenario,
        trace: &Trace,
        detail: EvaluationDetail,
    ) -> (ReferenceSchedule, Option<ReferenceSchedule>) {
        let ujf = PolicyId { kind: PolicyKind::Ujf, partitioning: trace.policy.partitioning };
        if scenario.has_sessions() {
            let arrived = scenario.with_arrivals(trace.jobs.iter().map(|job| job.arrival));
            let practical = || ReferenceSchedule::practical_ujf(&arrived, ujf.partitioning);
            return (
                ReferenceSchedule::fluid_ujf(&arrived),
                (detail >= EvaluationDetail::Delays).then(practical),
            );
        }
        let fluid = self.fluid.get_or_insert_with(|| ReferenceSchedule::fluid_ujf(scenario)).clone();
        (fluid, self.ujf(ujf).filter(|_| detail >= EvaluationDetail::Delays).cloned())
    }

    fn ujf(&self, ujf: PolicyId) -> Option<&ReferenceSchedule> {
        self.ujf.iter().find(|(mode, _)| *mode == ujf.partitioning).map(|(_, reference)| reference)
    }
}
