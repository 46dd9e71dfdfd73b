//! Edits of the machines and of runtime partitioning.

use super::{ClusterEdit, PartitioningEdit, kept};
use crate::scenario::{Cluster, Partitioning, ScenarioError};
use crate::units::Span;

pub(super) fn edit_cluster(cluster: &mut Cluster, edit: &ClusterEdit) -> Result<(), ScenarioError> {
    match *edit {
        ClusterEdit::Executors(executors) => cluster.executors = executors,
        ClusterEdit::CoresPerExecutor(cores) => cluster.cores_per_executor = cores,
        ClusterEdit::TaskOverhead(overhead) => {
            cluster.task_overhead = span(overhead, "cluster.task_overhead_s")?;
        }
        ClusterEdit::StageDelay(delay) => cluster.stage_delay = span(delay, "cluster.stage_delay_s")?,
        ClusterEdit::DriverJob(cost) => cluster.driver.job = span(cost, "cluster.driver_job_s")?,
        ClusterEdit::DriverStage(cost) => cluster.driver.stage = span(cost, "cluster.driver_stage_s")?,
        ClusterEdit::DriverTask(cost) => cluster.driver.task = span(cost, "cluster.driver_task_s")?,
        ClusterEdit::FairTieBreak(rule) => cluster.fair_tie_break = rule,
        ClusterEdit::FirstStageId(id) => cluster.first_stage_id = id,
    }
    Ok(())
}

pub(super) fn edit_partitioning(
    partitioning: &mut Partitioning,
    edit: &PartitioningEdit,
) -> Result<(), ScenarioError> {
    match *edit {
        PartitioningEdit::AdvisoryTaskRuntime(atr) => {
            partitioning.advisory_task_runtime = span(atr, "partitioning.advisory_task_runtime_s")?;
        }
        PartitioningEdit::MinPartitions(least) => partitioning.min_partitions = least,
    }
    Ok(())
}

fn span(span: Span, path: &str) -> Result<Span, ScenarioError> {
    kept(span.0, || path.to_owned()).map(Span)
}
