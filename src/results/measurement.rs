//! What workers measure beside the schedules that are shown: sweeps over a number of the scenario, the tuning of a
//! parameter, and jobs alone on some cores. No browser types: tested natively.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::codec;
use super::shared::Shared;
use fairlane::engine::Control;
use fairlane::ernest;
use fairlane::ids::JobId;
use fairlane::metrics::Properties;
use fairlane::policy::PolicyId;
use fairlane::policy::parameters::ParameterKind;
use fairlane::scenario::edit::ObjectPath;
use fairlane::scenario::{Edit, Generator, PartitionMode, Partitioning, Scenario};
use fairlane::units::Span;
use fairlane_study::sweep::tune::{self, METRICS, Tunable, Tuning};
use fairlane_study::sweep::{Grid, GridPoint, Workload};
use fairlane_view::export::PolicyProperties;

/// Most tasks that a sweep simulates at a point: some tenths of a second of a worker's time.
const MAX_TASKS: u64 = 300_000;
/// How far from the scenario's own advisory task runtime a sweep goes, as a factor in either direction.
const ATR_REACH: f64 = 20.0;
/// The numbers of executors of a sweep, as parts of the scenario's own.
const EXECUTOR_PARTS: [f64; 8] = [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0];
/// The idle time-outs of a sweep, in seconds.
const IDLE_S: [f64; 9] = [0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0];
/// How far estimates are off, as factors.
const ERRORS: [f64; 9] = [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0];

/// What is measured.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub enum MeasurementRequest {
    /// A figure at a point of a sweep.
    Figure {
        /// Its name among [`METRICS`].
        metric: String,
        /// The change of the scenario.
        edit: Option<Edit>,
        /// Factor of the error of estimates.
        estimate_error: f64,
        /// Seed of whatever is random in the policy or the generator.
        seed: Option<u64>,
        /// Whether the scenario's generator makes another scenario of the seed.
        generated: bool,
    },
    /// The response time of a job alone on some cores, under FIFO.
    Alone {
        /// The job.
        job: JobId,
        /// How many cores.
        cores: u32,
    },
}

/// A setting of a sweep, or a job alone: what is measured under a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepSetting {
    /// Its position on the axis: seconds, or a factor; `None` for one that is not on the axis of a sweep.
    pub value: Option<f64>,
    /// What is measured, as bytes.
    subject: Rc<[u8]>,
}

/// What is tuned, for what and over how many seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TuningChoice {
    /// The number that is tuned, by its index among [`Tunable::all`] of the policy.
    pub tunable: u8,
    /// What is to be best, by its index among [`METRICS`].
    pub metric: u8,
    /// How many seeds there are beyond the workload's own; of use for generated workloads only.
    pub further_seeds: u8,
}

/// Most seeds that a parameter is tuned over.
pub const MAX_SEEDS: u8 = 20;

/// One figure: a simulation with a setting.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SweepPoint {
    /// The policy.
    pub policy: PolicyId,
    /// What is measured, as bytes, by which figures are found again.
    subject: Rc<[u8]>,
}

/// Figures as far as they are known, or why there is none: of a sweep in the metric's unit, the response time of a job
/// alone in microseconds.
pub type MeasuredMeans = BTreeMap<SweepPoint, Result<f64, String>>;

/// What a policy guarantees in a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedPolicy {
    policy: PolicyId,
    scenario: Shared<Scenario>,
    properties: Shared<Properties>,
}

impl CheckedPolicy {
    /// The properties of a policy in the scenario that was checked.
    pub fn new(
        policy: PolicyId,
        scenario: Shared<Scenario>,
        properties: Shared<Properties>,
    ) -> CheckedPolicy {
        CheckedPolicy { policy, scenario, properties }
    }

    /// What tables and files are made from.
    pub fn properties(&self) -> PolicyProperties<'_> {
        let CheckedPolicy { policy, scenario, properties } = self;
        PolicyProperties { scenario, policy: *policy, properties }
    }
}

/// The properties of policies, as far as they are known, or why there are none.
pub type Checked = BTreeMap<PolicyId, Result<CheckedPolicy, String>>;

/// Finds out what a policy guarantees: what a worker does on request.
///
/// # Errors
/// The scenario cannot be simulated: a sentence.
pub fn check(
    scenario: &Scenario,
    policy: PolicyId,
    report: &mut dyn FnMut(f64) -> Control,
) -> Result<Box<Properties>, String> {
    Properties::measure(scenario, policy, report).map(Box::new).map_err(|error| error.to_string())
}

/// Measures a figure: what a worker does for a point of a sweep. `generator` makes the scenario, as JSON, if another
/// seed is to make another one; `report` is called now and then with the part of the work that is done.
///
/// # Errors
/// There is no figure: a sentence.
pub fn measure(
    scenario: &Scenario,
    policy: PolicyId,
    subject: MeasurementRequest,
    generator: Option<&str>,
    report: &mut dyn FnMut(f64) -> Control,
) -> Result<f64, String> {
    let (metric, edit, estimate_error, seed) = match subject {
        MeasurementRequest::Alone { job, cores } => {
            let sample = ernest::measure(scenario, job, cores, policy.partitioning);
            return sample.map(|sample| sample.response.0 as f64).map_err(|error| error.to_string());
        }
        MeasurementRequest::Figure { metric, edit, estimate_error, seed, .. } => {
            (metric, edit, estimate_error, seed)
        }
    };
    let metric = tune::metric(&metric)?;
    let workload = match generator {
        Some(generator) => Generator::from_json(generator).map(Workload::from),
        None => Ok(Workload::from(scenario.clone())),
    };
    let point = GridPoint { edit, estimate_error, seed, ..GridPoint::new(policy) };
    let varied =
        workload.and_then(|workload| workload.scenario(&point)).map_err(|error| error.to_string())?;
    let (mode, tasks) = (policy.partitioning, tasks(&varied, policy.partitioning, varied.partitioning()));
    if generator.is_none() && tasks > most_tasks(scenario, mode) {
        return Err(format!("the work would be cut into {tasks} tasks; the limit of a sweep is {MAX_TASKS}"));
    }
    let figure = metric.value(&varied, policy, report);
    figure.ok_or_else(|| format!("this scenario has no {} under {policy}", metric.title))
}

impl MeasurementRequest {
    /// Whether the scenario's generator makes another scenario for it.
    pub fn is_generated(&self) -> bool {
        matches!(self, MeasurementRequest::Figure { generated: true, .. })
    }
}

impl SweepSetting {
    fn new(value: Option<f64>, subject: &MeasurementRequest) -> SweepSetting {
        SweepSetting { value, subject: codec::to_bytes(subject).into() }
    }

    /// A point of a sweep over the scenario for its mean response time.
    fn swept(value: f64, edit: Option<Edit>, estimate_error: f64, seed: Option<u64>) -> SweepSetting {
        SweepSetting::figure(RESPONSE, value, edit, estimate_error, seed)
    }

    fn figure(
        metric: &str,
        value: f64,
        edit: Option<Edit>,
        estimate_error: f64,
        seed: Option<u64>,
    ) -> SweepSetting {
        let metric = metric.to_owned();
        let figure = MeasurementRequest::Figure { metric, edit, estimate_error, seed, generated: false };
        SweepSetting::new(Some(value), &figure)
    }

    /// A job alone on some cores.
    pub fn alone(job: JobId, cores: u32) -> SweepSetting {
        SweepSetting::new(None, &MeasurementRequest::Alone { job, cores })
    }

    /// The setting under a policy.
    pub fn under(&self, policy: PolicyId) -> SweepPoint {
        SweepPoint { policy, subject: Rc::clone(&self.subject) }
    }
}

impl SweepPoint {
    /// What is measured.
    pub fn subject(&self) -> MeasurementRequest {
        codec::from_bytes(&self.subject).expect("it was encoded here")
    }
}

/// How many tasks a scenario would have under a partitioning.
fn tasks(scenario: &Scenario, mode: PartitionMode, partitioning: &Partitioning) -> u64 {
    let stages = scenario.jobs().iter().flat_map(|job| &job.stages);
    stages.map(|stage| partitioning.task_count(stage, mode)).sum()
}

/// Most tasks of a point; a scenario that has more already may keep them.
fn most_tasks(scenario: &Scenario, mode: PartitionMode) -> u64 {
    MAX_TASKS.max(tasks(scenario, mode, scenario.partitioning()))
}

/// The advisory task runtimes of a sweep, ascending: 1, 2 and 5 times powers of ten around the
/// scenario's own, and that one itself. Those that would cut the work into too many tasks are left out.
pub fn advisory_task_runtimes(scenario: &Scenario) -> Vec<SweepSetting> {
    let own = scenario.partitioning().advisory_task_runtime;
    let reach = (own.0 as f64 / ATR_REACH, own.0 as f64 * ATR_REACH);
    let powers = (0..16).map(|power| 10_u64.pow(power));
    let round = powers.flat_map(|power| [power, 2 * power, 5 * power]);
    let mut all: Vec<u64> = round.filter(|&atr| (reach.0..=reach.1).contains(&(atr as f64))).collect();
    all.push(own.0);
    all.sort();
    all.dedup();
    let most = most_tasks(scenario, PartitionMode::Runtime);
    all.retain(|&atr| {
        let advisory_task_runtime = Span(atr);
        let partitioning = Partitioning { advisory_task_runtime, ..scenario.partitioning().clone() };
        tasks(scenario, PartitionMode::Runtime, &partitioning) <= most
    });
    let setting =
        |atr: Span| SweepSetting::swept(atr.seconds(), Some(Edit::advisory_task_runtime(atr)), 1.0, None);
    all.into_iter().map(|atr| setting(Span(atr))).collect()
}

/// How far from its default a parameter is varied, in either direction, and in how many steps from end to end.
const PARAMETER_REACH: f64 = 2.0;
const PARAMETER_STEPS: f64 = 40.0;

/// The tuning of a policy's parameter, as `fairlane tune` does it; `None` if the policy has no such parameter.
/// `generator` makes the scenario, if one does: the first seed is its own, the others follow it.
pub fn tuning(
    scenario: &Scenario,
    generator: Option<&Generator>,
    policy: PolicyId,
    choice: TuningChoice,
) -> Option<Tuning> {
    let tunable = Tunable::all(policy).into_iter().nth(choice.tunable.into())?;
    let metric = *METRICS.get(usize::from(choice.metric))?;
    let further = choice.further_seeds.min(MAX_SEEDS - 1);
    let generator = generator.filter(|_| further > 0);
    let seeds = generator
        .map(|generator| (0..=u64::from(further)).map(|index| generator.seed.wrapping_add(index)).collect());
    let workload = match generator {
        Some(generator) => Workload::from(generator.clone()),
        None => Workload::from(scenario.clone()),
    };
    let values = values(scenario, &tunable);
    let tuning = Tuning::new(workload, policy, tunable, values, metric);
    Some(Tuning { grid: Grid { seeds: seeds.unwrap_or_default(), ..tuning.grid }, ..tuning })
}

/// The values that are tried of a parameter, ascending: in even steps around its default, or the advisory task runtimes
/// of a sweep.
fn values(scenario: &Scenario, tunable: &Tunable) -> Vec<f64> {
    let Some(parameter) = tunable.parameter else {
        return advisory_task_runtimes(scenario).into_iter().filter_map(|setting| setting.value).collect();
    };
    let around = |default: f64, least: f64, most: f64, reach: f64| {
        ((default - reach).max(least), (default + reach).min(most))
    };
    let (from, to) = match parameter.kind {
        ParameterKind::Number { default, least, most } => around(default, least, most, PARAMETER_REACH),
        ParameterKind::OptionalNumber { least, most } => around(least, least, most, PARAMETER_REACH),
        ParameterKind::Whole { default, least, most } => {
            around(default.into(), least.into(), most.into(), PARAMETER_STEPS / 2.0)
        }
        ParameterKind::Seconds { default } => (0.0, (2.0 * default).max(10.0)),
        ParameterKind::Choice { .. } | ParameterKind::Pools | ParameterKind::Program => return Vec::new(),
    };
    let step = match parameter.kind {
        ParameterKind::Whole { .. } => 1.0,
        _ => (to - from) / PARAMETER_STEPS,
    };
    tune::values(from, to, step).unwrap_or_default()
}

/// A cell of a tuning.
pub fn tuned_cell(tuning: &Tuning, cell: usize) -> SweepSetting {
    let GridPoint { edit, estimate_error, seed, .. } = tuning.grid.point(cell);
    let (metric, generated) = (tuning.metric.id.to_owned(), seed.is_some());
    SweepSetting::new(None, &MeasurementRequest::Figure { metric, edit, estimate_error, seed, generated })
}

/// The cells of a tuning, value by value, so that its curve grows from one end.
pub fn tuned_cells(tuning: &Tuning) -> Vec<SweepSetting> {
    let columns = tuning.grid.edits.len();
    let cells = (0..columns).flat_map(|column| (column..tuning.cells()).step_by(columns));
    cells.map(|cell| tuned_cell(tuning, cell)).collect()
}

/// The metrics of sweeps.
const RESPONSE: &str = "mean-response";
const CORE_TIME: &str = "core-time";

/// What the cost of executors is swept over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CostAxis {
    /// Their number; under dynamic allocation the largest.
    #[default]
    Executors,
    /// How long they are idle before they are removed, under dynamic allocation.
    IdleTimeout,
}

/// The settings of a sweep over the cost of executors, ascending: each twice, for the core time that they hold and for
/// the mean response time. No time-outs without dynamic allocation.
pub fn costs(scenario: &Scenario, axis: CostAxis) -> Vec<[SweepSetting; 2]> {
    let cluster = scenario.cluster();
    let allocation = cluster.dynamic_allocation.as_ref();
    let (object, field, own, mut values) = match (axis, allocation) {
        (CostAxis::Executors, None) => {
            let own = f64::from(cluster.executors);
            // More than ever came would change nothing.
            let parts =
                EXECUTOR_PARTS.into_iter().filter(|&part| part <= 1.0 || cluster.executors_at.is_empty());
            (ObjectPath::Cluster, "executors", own, parts.map(|part| part * own).collect())
        }
        (CostAxis::Executors, Some(allocation)) => {
            let bounds = allocation.bounds(cluster);
            let all = f64::from(cluster.executors);
            let parts = EXECUTOR_PARTS.map(|part| part * all).to_vec();
            let least = f64::from(bounds.initial.max(1));
            let within = parts.into_iter().filter(|value| (least..=all).contains(value)).collect();
            (ObjectPath::DynamicAllocation, "max", f64::from(bounds.max), within)
        }
        (CostAxis::IdleTimeout, Some(allocation)) => {
            (ObjectPath::DynamicAllocation, "idle_s", allocation.idle.seconds(), IDLE_S.to_vec())
        }
        (CostAxis::IdleTimeout, None) => return Vec::new(),
    };
    if axis == CostAxis::Executors {
        values.iter_mut().for_each(|value| *value = value.round().max(1.0));
    }
    values.push(own);
    values.sort_by(f64::total_cmp);
    values.dedup();
    let setting = |value: f64| {
        let whole = axis == CostAxis::Executors;
        let json: serde_json::Value = if whole { (value as u32).into() } else { value.into() };
        let edit = Edit::set(object.clone(), field, json);
        [CORE_TIME, RESPONSE].map(|metric| SweepSetting::figure(metric, value, Some(edit.clone()), 1.0, None))
    };
    values.into_iter().map(setting).collect()
}

/// The errors of a sweep over the estimates, ascending from none.
pub fn estimate_errors(seed: u64) -> Vec<SweepSetting> {
    ERRORS.map(|factor| SweepSetting::swept(factor, None, factor, Some(seed))).into()
}

#[cfg(test)]
mod tests;
