//! Schedules recorded from real Spark, and how far the simulator is from them, job by job.
//!
//! The yardstick is Spark itself: two runs of one workload differ, because near ties are decided by chance. A
//! simulator cannot be expected to be closer to a run than another run is.
//!
//! ```
//! use fairlane_study::fidelity::recorded::{RecordedWorkload, scenario};
//! let workload: RecordedWorkload = serde_json::from_str(r#"{ "workload": "one job", "slots": 4, "jobs": [
//!     { "user": "ana", "name": "a", "arrival_ms": 0, "stages": [{ "tasks": [100, 100] }] } ] }"#)?;
//! assert_eq!(scenario(&workload, 0)?.cluster().cores(), 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::Deserialize;

use super::{recording_cluster, relative};
use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::{PartitionMode, Scenario};
use fairlane::trace::Timeline;

/// Jobs as they were submitted to Spark.
#[derive(Clone, Debug, Deserialize)]
pub struct RecordedWorkload {
    /// Its name, which schedules refer to.
    pub workload: String,
    /// Cores.
    pub slots: u32,
    /// In the order of submission.
    pub jobs: Vec<WorkloadJob>,
}

/// A job of a workload: stages in a chain.
#[derive(Clone, Debug, Deserialize)]
pub struct WorkloadJob {
    /// Who submitted it.
    pub user: String,
    /// Unique in its workload.
    pub name: String,
    /// When it was to be submitted, in ms.
    pub arrival_ms: f64,
    /// A chain: each stage needs the one before.
    pub stages: Vec<WorkloadStage>,
}

/// A stage of a workload.
#[derive(Clone, Debug, Deserialize)]
pub struct WorkloadStage {
    /// How long each task slept, in ms.
    pub tasks: Vec<f64>,
}

/// What real Spark did with a workload under a policy, once.
#[derive(Clone, Debug, Deserialize)]
pub struct RecordedSchedule {
    /// The workload's name.
    pub workload: String,
    /// `FIFO`, `FAIR`, `UJF`, `CFQ` or `UWFQ`.
    pub scheduler: String,
    /// The jobs, by name those of the workload.
    pub jobs: Vec<ScheduleJob>,
}

/// A job that ran.
#[derive(Clone, Debug, Deserialize)]
pub struct ScheduleJob {
    /// The workload's name for it.
    pub name: String,
    /// When Spark's driver handled its arrival, in ms.
    pub submit_ms: f64,
    /// When Spark's driver handled its end, in ms.
    pub finish_ms: f64,
    /// Its stages.
    pub stages: Vec<ScheduleStage>,
}

/// A stage that ran.
#[derive(Clone, Debug, Deserialize)]
pub struct ScheduleStage {
    /// Spark's stage id.
    pub stage_id: u64,
    /// When Spark's driver submitted it, in ms.
    pub submit_ms: f64,
    /// Instants in ms at which the scheduler class gave it a deadline, and the deadlines. Only CFQ
    /// and UWFQ have them, and not for late stages, which go first.
    #[serde(default)]
    pub deadlines: Vec<(f64, f64)>,
}

/// A recorded run and its label.
#[derive(Clone, Debug)]
pub struct RecordedRun {
    /// Distinguishes it from other runs of the same workload and policy, such as `r1`.
    pub label: String,
    /// What happened.
    pub schedule: RecordedSchedule,
}

/// Recordings that cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{subject}: {sentence}")]
pub struct RecordingError {
    /// The workload or run concerned.
    pub subject: String,
    /// What is wrong and what to do about it.
    pub sentence: String,
}

impl RecordingError {
    fn new(subject: impl Into<String>, sentence: impl Into<String>) -> RecordingError {
        RecordingError { subject: subject.into(), sentence: sentence.into() }
    }
}

/// A job's response times in seconds: from the moment when the driver has handled its arrival until it has
/// handled its end.
#[derive(Clone, Debug, PartialEq)]
pub struct JobComparison {
    /// The job's name.
    pub job: String,
    /// Its user.
    pub user: String,
    /// In this run of real Spark.
    pub spark: f64,
    /// In the simulation.
    pub simulated: f64,
    /// In each other run of real Spark.
    pub others: Vec<f64>,
}

impl JobComparison {
    /// How far the simulation is from this run, relative to it.
    pub fn error(&self) -> f64 {
        relative(self.simulated, self.spark).abs()
    }

    /// How far the other runs are from this one, relative to it and on average; `None` if there is
    /// no other run.
    pub fn between_runs(&self) -> Option<f64> {
        mean(self.others.iter().map(|&other| relative(other, self.spark).abs()))
    }
}

/// A recorded run against its simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct RunComparison {
    /// The workload.
    pub workload: String,
    /// The policy.
    pub policy: PolicyId,
    /// Which run.
    pub run: String,
    /// Every job, in the workload's order.
    pub jobs: Vec<JobComparison>,
}

impl RunComparison {
    /// Mean over the jobs of [`JobComparison::error`].
    pub fn error(&self) -> f64 {
        mean(self.jobs.iter().map(JobComparison::error)).unwrap_or_default()
    }

    /// Mean over the jobs of [`JobComparison::between_runs`].
    pub fn between_runs(&self) -> Option<f64> {
        mean(self.jobs.iter().filter_map(JobComparison::between_runs))
    }

    /// Mean response time in this run, in seconds.
    pub fn spark_mean(&self) -> f64 {
        mean(self.jobs.iter().map(|job| job.spark)).unwrap_or_default()
    }

    /// Mean response time in the simulation, in seconds.
    pub fn simulated_mean(&self) -> f64 {
        mean(self.jobs.iter().map(|job| job.simulated)).unwrap_or_default()
    }

    /// How far the simulated mean response time is from the run's, relative to it, with its sign.
    pub fn mean_error(&self) -> f64 {
        relative(self.simulated_mean(), self.spark_mean())
    }
}

/// All recorded runs against their simulations.
#[derive(Clone, Debug, PartialEq)]
pub struct FidelityComparison {
    /// By workload, policy and label.
    pub runs: Vec<RunComparison>,
}

impl FidelityComparison {
    /// Mean over all runs of [`RunComparison::error`].
    pub fn error(&self) -> f64 {
        mean(self.runs.iter().map(RunComparison::error)).unwrap_or_default()
    }

    /// The simulator's mean error and the mean difference between real runs, both over the runs that
    /// have a second one; `None` if none has.
    pub fn paired(&self) -> Option<(f64, f64)> {
        let paired = || self.runs.iter().filter_map(|run| Some((run.error(), run.between_runs()?)));
        mean(paired().map(|(error, _)| error)).zip(mean(paired().map(|(_, between)| between)))
    }

    /// The largest [`RunComparison::mean_error`] of a policy, without its sign.
    pub fn worst_mean_error(&self, kind: PolicyKind) -> Option<f64> {
        let runs = self.runs.iter().filter(|run| run.policy.kind == kind);
        runs.map(|run| run.mean_error().abs()).max_by(f64::total_cmp)
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// How long Spark is busy with its first job before it is as quick as it is later, in ms: it loads and compiles
/// classes. In the recordings the first task is launched 18 ms after the first job was received on average, 13 ms in
/// the median; later ones on free cores take 3 to 5 ms.
const START_MS: f64 = 15.0;

/// The workload as a scenario on the machine that recorded it ([`recording_cluster`]). UWFQ is the
/// authors' released class with its grace of 3000 ms x cores / 2. No job arrives within the first 15 ms after the first
/// one was received, which Spark needs to start.
///
/// # Errors
/// [`RecordingError`] if the workload is not a valid scenario.
pub fn scenario(workload: &RecordedWorkload, first_stage_id: u64) -> Result<Scenario, RecordingError> {
    let stage = |stage: &WorkloadStage| {
        let tasks: Vec<f64> = stage.tasks.iter().map(|millis| millis / 1000.0).collect();
        serde_json::json!({ "tasks_s": tasks, "splittable": false })
    };
    let started = first_arrival(workload) + START_MS;
    let job = |job: &WorkloadJob| {
        let stages: Vec<_> = job.stages.iter().map(stage).collect();
        let arrival = job.arrival_ms.max(started) / 1000.0;
        serde_json::json!({ "user": job.user, "name": job.name, "arrival_s": arrival, "stages": stages })
    };
    let jobs: Vec<_> = workload.jobs.iter().map(job).collect();
    let file = serde_json::json!({
        "format": "fairlane/scenario@1",
        "name": workload.workload,
        "policies": { "uwfq-released": { "grace_s": 1.5 } },
        "jobs": jobs,
    });
    Scenario::from_json(&file.to_string())
        .and_then(|scenario| {
            scenario.to_builder().cluster(recording_cluster(workload.slots, first_stage_id)).build()
        })
        .map_err(|error| RecordingError::new(format!("workload {}", workload.workload), error.to_string()))
}

/// When the first job was to be submitted, in ms.
fn first_arrival(workload: &RecordedWorkload) -> f64 {
    workload.jobs.iter().map(|job| job.arrival_ms).fold(f64::INFINITY, f64::min)
}

/// Simulates every workload under every recorded policy, and compares.
///
/// # Errors
/// [`RecordingError`] if a run belongs to no workload, has other jobs or an unknown policy.
pub fn compare(
    workloads: &[RecordedWorkload],
    runs: &[RecordedRun],
) -> Result<FidelityComparison, RecordingError> {
    let mut groups: BTreeMap<(String, PolicyId), Vec<&RecordedRun>> = BTreeMap::new();
    for run in runs {
        let policy = policy(run)?;
        groups.entry((run.schedule.workload.clone(), policy)).or_default().push(run);
    }
    let mut all = Vec::new();
    for ((name, policy), mut group) in groups {
        let workload = workloads.iter().find(|workload| workload.workload == name).ok_or_else(|| {
            RecordingError::new(subject(group[0]), format!("there is no workload \"{name}\"; add its file"))
        })?;
        group.sort_by(|a, b| a.label.cmp(&b.label));
        all.extend(compare_group(workload, policy, &group)?);
    }
    Ok(FidelityComparison { runs: all })
}

fn subject(run: &RecordedRun) -> String {
    format!("run {} of {} under {}", run.label, run.schedule.workload, run.schedule.scheduler)
}

fn policy(run: &RecordedRun) -> Result<PolicyId, RecordingError> {
    let word = run.schedule.scheduler.to_lowercase();
    let known = PolicyKind::ALL.iter().copied().find(|kind| kind.info().id == word);
    // What was recorded under UWFQ is the class that its authors released.
    let kind = known.map(|kind| if kind == PolicyKind::Uwfq { PolicyKind::UwfqReleased } else { kind });
    let kind = kind.ok_or_else(|| {
        let sentence = format!("there is no policy \"{word}\"; use FIFO, FAIR, UJF, CFQ or UWFQ");
        RecordingError::new(subject(run), sentence)
    })?;
    Ok(PolicyId { kind, partitioning: PartitionMode::Default })
}

fn compare_group(
    workload: &RecordedWorkload,
    policy: PolicyId,
    runs: &[&RecordedRun],
) -> Result<Vec<RunComparison>, RecordingError> {
    let recorded: Vec<Vec<f64>> =
        runs.iter().map(|run| recorded_responses(workload, run)).collect::<Result<_, _>>()?;
    let ids = |run: &&RecordedRun| {
        run.schedule.jobs.iter().flat_map(|job| &job.stages).map(|stage| stage.stage_id).min()
    };
    let mut simulated: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    let mut compared = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let first_stage_id = ids(run).unwrap_or_default();
        let simulated = match simulated.entry(first_stage_id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(simulated_responses(workload, policy, first_stage_id)?),
        };
        let others = |job: usize| {
            let others = recorded.iter().enumerate().filter(|(other, _)| *other != index);
            others.map(|(_, responses)| responses[job]).collect()
        };
        let jobs = workload.jobs.iter().enumerate().map(|(at, job)| JobComparison {
            job: job.name.clone(),
            user: job.user.clone(),
            spark: recorded[index][at],
            simulated: simulated[at],
            others: others(at),
        });
        compared.push(RunComparison {
            workload: workload.workload.clone(),
            policy,
            run: run.label.clone(),
            jobs: jobs.collect(),
        });
    }
    Ok(compared)
}

fn simulated_responses(
    workload: &RecordedWorkload,
    policy: PolicyId,
    first_stage_id: u64,
) -> Result<Vec<f64>, RecordingError> {
    let scenario = scenario(workload, first_stage_id)?;
    let trace = fairlane::simulate(&scenario, policy);
    let timeline = Timeline::new(&scenario, &trace);
    let jobs = trace.jobs.iter().zip(&timeline.handled);
    let mut responses: Vec<f64> = jobs.map(|(job, &handled)| job.end().since(handled).seconds()).collect();
    // The first job is received before Spark has started, and waits for it.
    let first = first_arrival(workload);
    let first = workload.jobs.iter().position(|job| job.arrival_ms == first);
    if let Some(response) = first.and_then(|first| responses.get_mut(first)) {
        *response += START_MS / 1000.0;
    }
    Ok(responses)
}

/// The run's response times in seconds, in the workload's order.
fn recorded_responses(workload: &RecordedWorkload, run: &RecordedRun) -> Result<Vec<f64>, RecordingError> {
    let by_name: BTreeMap<&str, &ScheduleJob> =
        run.schedule.jobs.iter().map(|job| (job.name.as_str(), job)).collect();
    if by_name.len() != workload.jobs.len() || run.schedule.jobs.len() != workload.jobs.len() {
        let sentence = format!(
            "has {} jobs, but its workload has {}; record every job exactly once",
            run.schedule.jobs.len(),
            workload.jobs.len()
        );
        return Err(RecordingError::new(subject(run), sentence));
    }
    let response = |job: &WorkloadJob| {
        let ran = by_name.get(job.name.as_str()).ok_or_else(|| {
            RecordingError::new(
                subject(run),
                format!("job \"{}\" of its workload is missing; record every job exactly once", job.name),
            )
        })?;
        let millis = ran.finish_ms - ran.submit_ms;
        if millis > 0.0 {
            Ok(millis / 1000.0)
        } else {
            Err(RecordingError::new(
                subject(run),
                format!(
                    "job \"{}\" finishes before it is submitted; correct submit_ms or finish_ms",
                    job.name
                ),
            ))
        }
    };
    workload.jobs.iter().map(response).collect()
}
