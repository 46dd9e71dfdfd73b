//! What workers measure beside the schedules that are shown: sweeps over a number of the scenario, the tuning of a
//! parameter, and jobs alone on some cores. No browser types: tested natively.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use fairlane::engine::{self, Control, Progress};
use fairlane::ernest;
use fairlane::ids::JobId;
use fairlane::metrics::{self, Properties};
use fairlane::policy::PolicyId;
use fairlane::policy::parameters::ParameterKind;
use fairlane::scenario::{Generator, Mode, Partitioning, Scenario};
use fairlane::units::Span;
use fairlane_study::sweep::Workload;
use fairlane_study::sweep::tune::{self, Knob, METRICS, Tuning};

/// Most tasks that a sweep simulates at a point: some tenths of a second of a worker's time.
const MOST_TASKS: u64 = 300_000;
/// How far from the scenario's own advisory task runtime a sweep goes, as a factor in either direction.
const ATR_REACH: f64 = 20.0;
/// How far estimates are off, in thousandths of a factor.
const ERRORS: [u32; 9] = [1_000, 1_500, 2_000, 3_000, 4_000, 6_000, 8_000, 12_000, 16_000];

/// What is varied for a single figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub enum Setting {
    /// The advisory task runtime.
    AdvisoryTaskRuntime(Span),
    /// Estimates are off by up to this factor in either direction.
    EstimateError {
        /// The factor, in thousandths; at least 1000.
        thousandths: u32,
        /// Seed of the random numbers.
        seed: u64,
    },
    /// A value of a parameter that is tuned, under one of its seeds.
    Tuned {
        /// What is tuned.
        choice: TuningChoice,
        /// The index of the cell among those of the [`Tuning`].
        cell: u16,
    },
    /// A job is alone on some cores, under FIFO.
    Alone {
        /// The job.
        job: u32,
        /// Number of cores.
        cores: u32,
    },
}

/// What is tuned, for what and over how many seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub struct TuningChoice {
    /// The number that is tuned, by its index among [`Knob::all`] of the policy.
    pub knob: u8,
    /// What is to be best, by its index among [`METRICS`].
    pub metric: u8,
    /// How many seeds there are beyond the workload's own; of use for generated workloads only.
    pub further_seeds: u8,
}

/// Most seeds that a parameter is tuned over.
pub const MOST_SEEDS: u8 = 20;

/// One figure: a simulation with a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SweepPoint {
    /// The value.
    pub setting: Setting,
    /// The policy.
    pub policy: PolicyId,
}

/// Figures as far as they are known, or why there is none: mean response times in seconds, the metric that is tuned for, or
/// the response time of a job alone in microseconds.
pub type Means = BTreeMap<SweepPoint, Result<f64, String>>;

/// The properties of policies ([`Properties`] as JSON), as far as they are known, or why there are none.
pub type Checked = BTreeMap<PolicyId, Result<Rc<str>, String>>;

/// Measures what a policy guarantees, as JSON: what a worker does on request.
///
/// # Errors
/// The scenario cannot be simulated: a sentence.
pub fn check(
    scenario: &Scenario,
    policy: PolicyId,
    report: &mut dyn FnMut(f64) -> Control,
) -> Result<String, String> {
    let properties = Properties::of(scenario, policy, report).map_err(|error| error.to_string())?;
    serde_json::to_string(&properties).map_err(|error| error.to_string())
}

/// Measures a figure: what a worker does for a point of a sweep. `request` is from [`Setting::request`]; `report` is called
/// now and then with the part of the work that is done.
///
/// # Errors
/// There is no figure: a sentence.
pub fn measure(
    scenario: &Scenario,
    policy: PolicyId,
    request: &str,
    report: &mut dyn FnMut(f64) -> Control,
) -> Result<f64, String> {
    let (setting, generator): (Setting, Option<String>) =
        serde_json::from_str(request).map_err(|error| error.to_string())?;
    let generator = generator.as_deref().map(Generator::from_json).transpose();
    let generator = generator.map_err(|error| error.to_string())?;
    match setting {
        Setting::Tuned { choice, cell } => {
            let tuning = tuning(scenario, generator.as_ref(), policy, choice);
            let tuning = tuning.ok_or_else(|| format!("{policy} has no such parameter"))?;
            let figure = tuning.measure_observed(cell.into(), report).map_err(|error| error.to_string())?;
            figure.ok_or_else(|| format!("this scenario has no {} under {policy}", tuning.metric.title))
        }
        Setting::Alone { job, cores } => {
            let sample = ernest::measure(scenario, JobId(job), cores, policy.partitioning);
            sample.map(|sample| sample.response.0 as f64).map_err(|error| error.to_string())
        }
        Setting::AdvisoryTaskRuntime(_) | Setting::EstimateError { .. } => {
            let varied = setting.apply(scenario, policy)?;
            let mut observer =
                |progress: Progress| report(progress.launched as f64 / progress.tasks.max(1) as f64);
            let trace = engine::simulate_observed(&varied, policy, &mut observer);
            let trace = trace.map_err(|stopped| stopped.to_string())?;
            let mean = metrics::mean_response(&trace.jobs);
            mean.ok_or_else(|| "no job finishes, so there is no mean response time".to_owned())
        }
    }
}

impl Setting {
    /// Its position on the axis: seconds, or a factor; `None` for one that is not on the axis of a sweep.
    pub fn value(self) -> Option<f64> {
        match self {
            Setting::AdvisoryTaskRuntime(atr) => Some(atr.seconds()),
            Setting::EstimateError { thousandths, .. } => Some(f64::from(thousandths) / 1000.0),
            Setting::Tuned { .. } | Setting::Alone { .. } => None,
        }
    }

    /// What a worker is asked; `generator` is that of the scenario, if it has one.
    pub fn request(self, generator: Option<&Generator>) -> String {
        let seeded = matches!(self, Setting::Tuned { choice, .. } if choice.further_seeds > 0);
        let generator = generator.filter(|_| seeded).map(Generator::to_json);
        serde_json::to_string(&(self, generator)).unwrap_or_default()
    }

    /// The scenario with the value of a sweep, for a policy.
    ///
    /// # Errors
    /// What is wrong with the setting, or that it makes more tasks than a sweep simulates.
    fn apply(self, scenario: &Scenario, policy: PolicyId) -> Result<Scenario, String> {
        let mode = policy.partitioning;
        let varied = match self {
            Setting::AdvisoryTaskRuntime(atr) => scenario.with_advisory_task_runtime(atr),
            Setting::EstimateError { thousandths, seed } => {
                scenario.with_estimate_error(f64::from(thousandths) / 1000.0, seed)
            }
            Setting::Tuned { .. } | Setting::Alone { .. } => return Ok(scenario.clone()),
        };
        let varied = varied.map_err(|error| error.to_string())?;
        let tasks = tasks(&varied, mode, varied.partitioning());
        if tasks > most_tasks(scenario, mode) {
            return Err(format!(
                "the work would be cut into {tasks} tasks; the limit of a sweep is {MOST_TASKS}"
            ));
        }
        Ok(varied)
    }
}

/// How many tasks a scenario would have under a partitioning.
fn tasks(scenario: &Scenario, mode: Mode, partitioning: &Partitioning) -> u64 {
    let stages = scenario.jobs().iter().flat_map(|job| &job.stages);
    stages.map(|stage| partitioning.task_count(stage, mode)).sum()
}

/// Most tasks of a point; a scenario that has more already may keep them.
fn most_tasks(scenario: &Scenario, mode: Mode) -> u64 {
    MOST_TASKS.max(tasks(scenario, mode, scenario.partitioning()))
}

/// The advisory task runtimes of a sweep, ascending: 1, 2 and 5 times powers of ten around the
/// scenario's own, and that one itself. Those that would cut the work into too many tasks are left out.
pub fn advisory_task_runtimes(scenario: &Scenario) -> Vec<Setting> {
    let own = scenario.partitioning().advisory_task_runtime;
    let reach = (own.0 as f64 / ATR_REACH, own.0 as f64 * ATR_REACH);
    let powers = (0..16).map(|power| 10_u64.pow(power));
    let round = powers.flat_map(|power| [power, 2 * power, 5 * power]);
    let mut all: Vec<u64> = round.filter(|&atr| (reach.0..=reach.1).contains(&(atr as f64))).collect();
    all.push(own.0);
    all.sort();
    all.dedup();
    let most = most_tasks(scenario, Mode::Runtime);
    all.retain(|&atr| {
        let advisory_task_runtime = Span(atr);
        let partitioning = Partitioning { advisory_task_runtime, ..scenario.partitioning().clone() };
        tasks(scenario, Mode::Runtime, &partitioning) <= most
    });
    all.into_iter().map(|atr| Setting::AdvisoryTaskRuntime(Span(atr))).collect()
}

/// How far from its default a parameter is varied, in either direction, and in how many steps from end to end.
const PARAMETER_REACH: f64 = 2.0;
const PARAMETER_STEPS: f64 = 40.0;

/// The tuning of a policy's parameter, as `fairlane tune` does it; `None` if the policy has no such parameter. `generator`
/// makes the scenario, if one does: the first seed is its own, the others follow it.
pub fn tuning(
    scenario: &Scenario,
    generator: Option<&Generator>,
    policy: PolicyId,
    choice: TuningChoice,
) -> Option<Tuning> {
    let knob = *Knob::all(policy).get(usize::from(choice.knob))?;
    let metric = *METRICS.get(usize::from(choice.metric))?;
    let further = choice.further_seeds.min(MOST_SEEDS - 1);
    let generator = generator.filter(|_| further > 0);
    let seeds = generator
        .map(|generator| (0..=u64::from(further)).map(|index| generator.seed.wrapping_add(index)).collect());
    Some(Tuning {
        workload: match generator {
            Some(generator) => Workload::from(generator.clone()),
            None => Workload::from(scenario.clone()),
        },
        policy,
        knob,
        values: values(scenario, knob),
        seeds: seeds.unwrap_or_default(),
        load: 1.0,
        estimate_error: 1.0,
        metric,
        goal: metric.better,
    })
}

/// The values that are tried of a parameter, ascending: in even steps around its default, or the advisory task runtimes
/// of a sweep.
fn values(scenario: &Scenario, knob: Knob) -> Vec<f64> {
    let Knob::Parameter(_, parameter) = knob else {
        return advisory_task_runtimes(scenario).into_iter().filter_map(Setting::value).collect();
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
        ParameterKind::Choice { .. } => return Vec::new(),
    };
    let step = match parameter.kind {
        ParameterKind::Whole { .. } => 1.0,
        _ => (to - from) / PARAMETER_STEPS,
    };
    tune::values(from, to, step).unwrap_or_default()
}

/// The cells of a tuning, value by value, so that its curve grows from one end.
pub fn tuned_cells(tuning: &Tuning, choice: TuningChoice) -> Vec<Setting> {
    let (all, seeds) = (tuning.cells(), tuning.seeds.len().max(1));
    let columns = all / seeds;
    let cells = (0..columns).flat_map(|column| (0..seeds).map(move |seed| seed * columns + column));
    cells.map(|cell| Setting::Tuned { choice, cell: cell as u16 }).collect()
}

/// The errors of a sweep over the estimates, ascending from none.
pub fn estimate_errors(seed: u64) -> Vec<Setting> {
    ERRORS.into_iter().map(|thousandths| Setting::EstimateError { thousandths, seed }).collect()
}

#[cfg(test)]
mod tests;
