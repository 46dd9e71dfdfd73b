//! From a scenario to the file.

use super::shape::{
    ClusterFile, FORMER_GRACE_S, FORMER_LATE_STAGE, JobFile, PartitioningFile, Policies, QueueFile,
    ScenarioFile, StageFile, UserFile, default_parents,
};
use crate::scenario::json::{Keyed, Object};
use crate::scenario::{
    Cluster, FORMAT, InputForm, Job, Partitioning, PerformanceCurve, PolicyParameters, Queue, Scenario, Stage,
};
use crate::units::{MICROS_PER_SECOND, SlotTime};

pub(super) fn to_file(scenario: &Scenario) -> ScenarioFile {
    ScenarioFile {
        format: FORMAT.to_owned(),
        name: scenario.name().to_owned(),
        description: scenario.description().to_owned(),
        cluster: Object(cluster_to_file(scenario.cluster(), scenario.parameters())),
        partitioning: Object(partitioning_to_file(scenario.partitioning())),
        policies: policies_to_file(scenario.parameters()),
        users: scenario
            .users()
            .iter()
            .map(|user| {
                Object(UserFile {
                    name: user.name.clone(),
                    weight: user.weight.value(),
                    queue: user.queue.as_ref().map(|queue| Object(queue_to_file(queue))),
                })
            })
            .collect(),
        jobs: scenario.jobs().iter().map(|job| Object(job_to_file(scenario, job))).collect(),
    }
}

/// A cluster as a file gives it.
pub(super) fn cluster_to_file(cluster: &Cluster, parameters: &PolicyParameters) -> ClusterFile {
    let formerly = parameters.iter().all(|(policy, _)| policy != "uwfq");
    ClusterFile {
        uwfq_grace_s: formerly.then_some(FORMER_GRACE_S),
        uwfq_late_stage: formerly.then(|| FORMER_LATE_STAGE.to_owned()),
        ..ClusterFile::from(cluster)
    }
}

impl From<&Cluster> for ClusterFile {
    fn from(cluster: &Cluster) -> Self {
        ClusterFile {
            executors: cluster.executors,
            cores_per_executor: cluster.cores_per_executor,
            task_overhead_s: cluster.task_overhead.seconds(),
            stage_delay_s: cluster.stage_delay.seconds(),
            driver_job_s: cluster.driver.job.seconds(),
            driver_stage_s: cluster.driver.stage.seconds(),
            driver_task_s: cluster.driver.task.seconds(),
            fair_tie_break: cluster.fair_tie_break,
            first_stage_id: cluster.first_stage_id,
            core_move_s: cluster.core_move.seconds(),
            memory_mb_per_executor: cluster.memory_per_executor,
            uwfq_grace_s: None,
            uwfq_late_stage: None,
        }
    }
}

impl Default for ClusterFile {
    fn default() -> Self {
        ClusterFile::from(&Cluster::default())
    }
}

/// Partitioning as a file gives it.
pub(super) fn partitioning_to_file(partitioning: &Partitioning) -> PartitioningFile {
    PartitioningFile {
        advisory_task_runtime_s: partitioning.advisory_task_runtime.seconds(),
        min_partitions: partitioning.min_partitions,
    }
}

impl Default for PartitioningFile {
    fn default() -> Self {
        partitioning_to_file(&Partitioning::default())
    }
}

pub(super) fn policies_to_file(parameters: &PolicyParameters) -> Policies {
    parameters.iter().map(|(policy, values)| (policy.to_owned(), Keyed(values.clone()))).collect()
}

fn queue_to_file(queue: &Queue) -> QueueFile {
    QueueFile {
        kind: queue.kind,
        joins_s: queue.joins.seconds(),
        period_s: (queue.period != Queue::default().period).then(|| queue.period.seconds()),
        within_s: (queue.within != queue.period).then(|| queue.within.seconds()),
        demand_core_s: queue.demand.seconds(),
        demand_mb_s: queue.memory_demand as f64 / MICROS_PER_SECOND,
        warp_s: queue.warp.seconds(),
    }
}

fn job_to_file(scenario: &Scenario, job: &Job) -> JobFile {
    let stages_estimate: SlotTime = job.stages.iter().map(|stage| stage.estimate).sum();
    let (ernest, curve) = match &job.curve {
        Some(PerformanceCurve::Ernest(coefficients)) => (Some(*coefficients), None),
        Some(PerformanceCurve::Points(points)) => (None, Some(points.clone())),
        None => (None, None),
    };
    JobFile {
        user: scenario.users()[job.user.index()].name.clone(),
        name: job.name.clone(),
        group: job.group.clone(),
        arrival_s: job.arrival.seconds(),
        estimate_s: (job.estimate != stages_estimate).then(|| job.estimate.seconds()),
        warm_factor: job.warm_factor,
        deadline_s: job.deadline.map(|deadline| deadline.seconds()),
        ernest,
        curve,
        stages: job
            .stages
            .iter()
            .enumerate()
            .map(|(index, stage)| Object(stage_to_file(index, stage)))
            .collect(),
    }
}

fn stage_to_file(index: usize, stage: &Stage) -> StageFile {
    let (tasks_s, work_s, profile) = match stage.input.form() {
        InputForm::Tasks => (Some(stage.input.weights()), None, None),
        InputForm::Profile { work, weights } => {
            let even = weights.as_slice() == [1.0];
            (None, Some(*work as f64 / MICROS_PER_SECOND), (!even).then(|| weights.clone()))
        }
    };
    StageFile {
        name: stage.name.clone(),
        parents: (stage.parents != default_parents(index)).then(|| stage.parents.clone()),
        tasks_s,
        work_s,
        profile,
        partitions: Some(stage.partitions),
        splittable: stage.splittable,
        estimate_s: (stage.estimate != stage.input.work()).then(|| stage.estimate.seconds()),
        first_wave: stage.first_wave,
        inflation: stage.inflation.clone(),
        memory_mb: stage.memory,
    }
}
