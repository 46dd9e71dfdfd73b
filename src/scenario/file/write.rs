//! From a scenario to the file.

use super::FORMAT;
use super::read::default_parents;
use super::shape::{
    ClusterFile, FairTieBreakFile, JobFile, LateStageFile, MinPartitionsFile, PartitioningFile, ScenarioFile,
    StageFile, UserFile,
};
use crate::scenario::json::Object;
use crate::scenario::{
    Cluster, FairTieBreak, InputForm, Job, LateStage, MinPartitions, Partitioning, Scenario,
};
use crate::units::{MICROS_PER_SECOND, SlotTime};

pub(super) fn to_file(scenario: &Scenario) -> ScenarioFile {
    ScenarioFile {
        format: FORMAT.to_owned(),
        name: scenario.name.clone(),
        description: scenario.description.clone(),
        cluster: Object(cluster_to_file(&scenario.cluster)),
        partitioning: Object(partitioning_to_file(&scenario.partitioning)),
        users: scenario
            .users
            .iter()
            .map(|user| Object(UserFile { name: user.name.clone(), weight: user.weight.value() }))
            .collect(),
        jobs: scenario.jobs.iter().map(|job| Object(job_to_file(scenario, job))).collect(),
    }
}

/// A cluster as a file gives it.
pub(in crate::scenario) fn cluster_to_file(cluster: &Cluster) -> ClusterFile {
    ClusterFile {
        executors: cluster.executors,
        cores_per_executor: cluster.cores_per_executor,
        task_overhead_s: cluster.task_overhead.seconds(),
        stage_delay_s: cluster.stage_delay.seconds(),
        driver_job_s: cluster.driver.job.seconds(),
        driver_stage_s: cluster.driver.stage.seconds(),
        driver_task_s: cluster.driver.task.seconds(),
        fair_tie_break: match cluster.fair_tie_break {
            FairTieBreak::Submission => FairTieBreakFile::Submission,
            FairTieBreak::Spark => FairTieBreakFile::Spark,
        },
        first_stage_id: cluster.first_stage_id,
        uwfq_grace_s: cluster.uwfq_grace.seconds(),
        uwfq_late_stage: match cluster.uwfq_late_stage {
            LateStage::Grace => LateStageFile::Grace,
            LateStage::Top => LateStageFile::Top,
            LateStage::Released => LateStageFile::Released,
        },
    }
}

/// Partitioning as a file gives it.
pub(in crate::scenario) fn partitioning_to_file(partitioning: &Partitioning) -> PartitioningFile {
    PartitioningFile {
        advisory_task_runtime_s: partitioning.advisory_task_runtime.seconds(),
        min_partitions: match partitioning.min_partitions {
            MinPartitions::Default => MinPartitionsFile::Default,
            MinPartitions::One => MinPartitionsFile::One,
        },
    }
}

fn job_to_file(scenario: &Scenario, job: &Job) -> JobFile {
    let stages_estimate: SlotTime = job.stages.iter().map(|stage| stage.estimate).sum();
    JobFile {
        user: scenario.users[job.user.index()].name.clone(),
        name: job.name.clone(),
        arrival_s: job.arrival.seconds(),
        estimate_s: (job.estimate != stages_estimate).then(|| job.estimate.seconds()),
        stages: job
            .stages
            .iter()
            .enumerate()
            .map(|(index, stage)| {
                let (tasks_s, work_s, profile) = match &stage.input.form {
                    InputForm::Tasks => {
                        let slices = stage.input.prefix.windows(2).map(|pair| pair[1] - pair[0]);
                        (Some(slices.map(|slice| slice as f64 / MICROS_PER_SECOND).collect()), None, None)
                    }
                    InputForm::Profile { work, weights } => {
                        let even = weights.as_slice() == [1.0];
                        (None, Some(*work as f64 / MICROS_PER_SECOND), (!even).then(|| weights.clone()))
                    }
                };
                Object(StageFile {
                    name: stage.name.clone(),
                    parents: (stage.parents != default_parents(index)).then(|| stage.parents.clone()),
                    tasks_s,
                    work_s,
                    profile,
                    partitions: Some(stage.partitions),
                    splittable: stage.splittable,
                    estimate_s: (stage.estimate != stage.input.work()).then(|| stage.estimate.seconds()),
                })
            })
            .collect(),
    }
}
