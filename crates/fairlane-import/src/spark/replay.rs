//! How near the simulation under Spark's own scheduler is to what happened.

use serde::{Deserialize, Serialize};

use super::{Import, ImportReport};
use fairlane::engine::{self, Control, Progress, SimulationError};
use fairlane::metrics::{self, ReplayError, replay_error};
use fairlane::policy::PolicyId;
use fairlane::policy::spark::{self, PoolMode};
use fairlane::scenario::{Scenario, ScenarioBuilder};
use fairlane::trace::Trace;

/// A log simulated under its own scheduler: what that says of each user, and how far it is from the log. Both are of
/// one simulation and stay together, so that nobody reads the error of another one beside its numbers.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct LogSimulation {
    error: ReplayError,
    means: Vec<Option<f64>>,
}

impl LogSimulation {
    /// Compares a simulation with the schedule that was observed; `None` if no job has a response time in both.
    pub fn new(observed: &Trace, simulated: &Trace) -> Option<LogSimulation> {
        let error = replay_error(&observed.jobs, &simulated.jobs)?;
        let means = metrics::mean_response_by_user(&simulated.jobs, simulated.users.len());
        Some(LogSimulation { error, means })
    }

    /// How far its response times are from those of the log.
    pub fn error(&self) -> ReplayError {
        self.error
    }

    /// Each user's mean response time in it, in seconds.
    pub fn means(&self) -> &[Option<f64>] {
        &self.means
    }
}

/// The two simulations of a log under its own scheduler.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct LogSimulations {
    /// The log replayed with all that it shows, such as the driver's time of each stage: whether the simulator knows
    /// the scheduler's rules.
    pub replay: LogSimulation,
    /// The imported scenario, in which a change of policy is judged: whether that can be trusted.
    pub scenario: LogSimulation,
}

/// How far simulated response times are from those of the log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplayReport {
    /// The policy that was simulated.
    pub policy: &'static str,
    /// Error of a job's response time, relative to the log's; the mean over the jobs.
    pub mean_error: f64,
    /// Its median.
    pub median_error: f64,
    /// Error of the mean response time, relative to the log's; negative if the simulation is too fast.
    pub bias: f64,
    /// What it owes to which rule.
    pub explained: ExplainedReport,
}

/// By how much the mean error would be larger without one rule of the simulation; `None` where the rule changes
/// nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ExplainedReport {
    /// The order of Spark's pools and jobs: instead of it FIFO by arrival, or under FAIR a share for each user if
    /// there are several pools, else for each stage.
    pub order: Option<f64>,
    /// The driver's time before stages: instead of it none.
    pub driver_time: Option<f64>,
    /// Executors that come and go: instead of it all from the start.
    pub executors: Option<f64>,
}

/// How far the simulation of a scenario is from the log where the scenario is not as recorded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BaselineReport {
    /// As in [`ReplayReport`].
    pub mean_error: f64,
    /// As in [`ReplayReport`].
    pub median_error: f64,
    /// As in [`ReplayReport`].
    pub bias: f64,
    /// Error of the time that executors were held, relative to the log's; `None` where they do not come and go.
    pub held_error: Option<f64>,
}

impl ImportReport {
    /// The mean error of what an answer about the log begins with: of the scenario where it is not as recorded, else of
    /// the replay. `None` as long as nothing was simulated.
    pub fn error(&self) -> Option<f64> {
        let replay = self.replay.as_ref()?.mean_error;
        Some(self.baseline.as_ref().map_or(replay, |baseline| baseline.mean_error))
    }

    /// Says how near simulations are that were made already; what the replay owes to which rule is not known then.
    pub fn compare(&mut self, LogSimulations { replay, scenario }: &LogSimulations) {
        let ReplayError { mean: mean_error, median: median_error, bias } = replay.error;
        let explained = ExplainedReport::default();
        self.replay =
            Some(ReplayReport { policy: spark::INFO.id, mean_error, median_error, bias, explained });
        let ReplayError { mean: mean_error, median: median_error, bias } = scenario.error;
        let baseline = BaselineReport { mean_error, median_error, bias, held_error: None };
        self.baseline = (replay != scenario).then_some(baseline);
    }
}

impl ReplayReport {
    /// Whether the simulation is near enough to the log to predict other schedules.
    pub fn is_near(&self) -> bool {
        self.mean_error <= ReplayError::TOLERANCE
    }
}

impl BaselineReport {
    /// Whether the scenario is near enough to the log to compare others with it.
    pub fn is_near(&self) -> bool {
        self.mean_error <= ReplayError::TOLERANCE
    }
}

impl Import {
    /// The scenario that the log judges, and that with all that it shows.
    fn judged(&self) -> (&Scenario, &Scenario) {
        match &self.judged {
            Some(judged) => (&judged.scenario, &judged.recorded),
            None => (&self.scenario, &self.recorded),
        }
    }

    /// Simulates what was recorded and the scenario under the log's own scheduler; `None` if no job has a response time
    /// in both. The observer is called now and then.
    ///
    /// # Errors
    /// [`SimulationError::Stopped`] if the observer says [`Control::Stop`].
    pub fn simulations(
        &self,
        scheduler: PolicyId,
        observer: &mut dyn FnMut(Progress) -> Control,
    ) -> Result<Option<LogSimulations>, SimulationError> {
        let mut simulation = |scenario: &Scenario| {
            let simulated = engine::simulate_observed(scenario, scheduler, observer);
            simulated.map(|simulated| LogSimulation::new(&self.observed, &simulated))
        };
        let (judged, recorded) = self.judged();
        let replay = simulation(recorded)?;
        let scenario = match judged == recorded {
            true => replay.clone(),
            false => simulation(judged)?,
        };
        Ok(replay.zip(scenario).map(|(replay, scenario)| LogSimulations { replay, scenario }))
    }

    /// Simulates what was recorded under Spark's scheduler, and without one of its rules each, and compares response
    /// times with those of the log; `None` if no job has any.
    pub fn replay(&self) -> Option<ReplayReport> {
        let (_, scenario) = self.judged();
        let error = |scenario: &Scenario, policy: &str| {
            replay_error(&self.observed.jobs, &simulated(scenario, policy)?.jobs)
        };
        let ReplayError { mean: mean_error, median: median_error, bias } = error(scenario, spark::INFO.id)?;
        let without = |scenario: ScenarioBuilder| {
            Some(error(&scenario.build().ok()?, spark::INFO.id)?.mean - mean_error)
        };
        let mut jobs = scenario.jobs().to_vec();
        let delays = jobs.iter_mut().flat_map(|job| &mut job.stages).filter_map(|stage| stage.delay.take());
        let delayed = delays.count() > 0;
        let mut cluster = scenario.cluster().clone();
        let changes = !std::mem::take(&mut cluster.executors_at).is_empty();
        let explained = ExplainedReport {
            order: error(scenario, self.order_without_pools()).map(|error| error.mean - mean_error),
            driver_time: delayed.then(|| without(scenario.to_builder().jobs(jobs))).flatten(),
            executors: changes.then(|| without(scenario.to_builder().cluster(cluster))).flatten(),
        };
        Some(ReplayReport { policy: spark::INFO.id, mean_error, median_error, bias, explained })
    }

    /// Simulates the scenario under Spark's scheduler and compares it with the log; `None` if the scenario is as
    /// recorded or no job has a response time.
    pub fn baseline(&self) -> Option<BaselineReport> {
        let (scenario, recorded) = self.judged();
        if scenario == recorded {
            return None;
        }
        let simulated = simulated(scenario, spark::INFO.id)?;
        let ReplayError { mean: mean_error, median: median_error, bias } =
            replay_error(&self.observed.jobs, &simulated.jobs)?;
        let (held, recorded) = (held(&simulated), held(&self.observed));
        let held_error = (held > 0.0 && recorded > 0.0).then(|| held / recorded - 1.0);
        Some(BaselineReport { mean_error, median_error, bias, held_error })
    }

    /// The policy that is nearest to Spark's mode and knows neither pools nor numbers of Spark jobs.
    fn order_without_pools(&self) -> &'static str {
        let cluster = &self.report.cluster;
        match cluster.scheduler_mode {
            PoolMode::Fifo => "fifo",
            PoolMode::Fair if cluster.pools.len() > 1 => "ujf",
            PoolMode::Fair => "fair",
        }
    }
}

/// The mean error of a job's response time if a scenario is simulated under Spark's scheduler.
pub(super) fn mean_error(scenario: &Scenario, observed: &Trace) -> Option<f64> {
    Some(replay_error(&observed.jobs, &simulated(scenario, spark::INFO.id)?.jobs)?.mean)
}

fn simulated(scenario: &Scenario, policy: &str) -> Option<Trace> {
    Some(fairlane::simulate(scenario, policy.parse().ok()?))
}

/// Time that executors were there, in executor-µs; 0 if they do not come and go.
fn held(trace: &Trace) -> f64 {
    trace.executors.iter().map(|run| run.to.since(run.from).0 as f64).sum()
}
