//! A job alone on the idle cluster: what deadlines and slowdowns rest on.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Control, simulate_outcomes};
use crate::ids::JobId;
use crate::policy::{AloneModel, Idling, Info, Outcomes, PolicyId};
use crate::scenario::{Cluster, Job, PartitionMode, Scenario, Stage};
use crate::units::Span;

/// What policies may ask of a job alone.
pub(super) const ALONE: AloneModel = AloneModel { response: response_alone, gains_by_cores };

/// Response time of a job alone, arriving at 0, on the idle cluster or on one executor with a number of cores; `None`
/// if it does not even finish alone.
fn response_alone(scenario: &Scenario, job: JobId, policy: PolicyId, cores: Option<u32>) -> Option<Span> {
    let (spec, cluster) = (&scenario.jobs()[job.index()], scenario.cluster());
    let executors = cores.map_or((cluster.executors, cluster.cores_per_executor), |cores| (1, cores));
    let chain = has_short_cut(scenario, policy)
        .then(|| chain_response(scenario, policy.partitioning, spec, executors));
    chain.flatten().or_else(|| {
        let mut alone = scenario.alone(job);
        if let (executors, Some(cores_per_executor)) = (1, cores) {
            let speeds = Vec::new();
            let resource_profiles = Vec::new();
            let cluster = alone.cluster().clone();
            let executor = Cluster { executors, cores_per_executor, speeds, resource_profiles, ..cluster };
            let jobs = alone.jobs().iter().map(Job::without_places);
            alone = alone.to_builder().cluster(executor).jobs(jobs).build().ok()?;
        }
        let outcomes = simulate_outcomes(&alone, policy, &mut |_| Control::Continue);
        outcomes.ok()?.first()?.response()
    })
}

/// Whether a job alone surely responds no later with more cores. Where stages run side by side it may (Graham's
/// anomalies); the tasks of one stage at a time that take the first free core in their order leave, with one core more,
/// no core busy for longer.
fn gains_by_cores(scenario: &Scenario, job: JobId, policy: PolicyId) -> bool {
    has_short_cut(scenario, policy) && scenario.jobs()[job.index()].is_chain()
}

/// Whether a job alone takes no other way than [`chain_response`] says: tasks take cores as soon as there are any, and
/// only their own run time.
pub(crate) fn has_short_cut(scenario: &Scenario, policy: PolicyId) -> bool {
    // All fields, so that a new one has to be considered here.
    let Cluster {
        executors: _,
        cores_per_executor: _,
        task_overhead: _,
        stage_delay: _,
        driver,
        fair_tie_break: _,
        first_stage_id: _,
        core_move,
        memory_per_executor: _,
        // A job alone sees all executors.
        executors_at: _,
        dynamic_allocation: _,
        executors_belong,
        speeds,
        // It only matters to stages with preferences, which are no part of a chain.
        locality_wait: _,
        // A job alone loses no executor, and nobody else wants its cores.
        losses: _,
        exclusions: _,
        resource_profiles,
        speculation,
        preemption: _,
    } = scenario.cluster();
    let Info { idling, outcomes, .. } = policy.kind.info();
    let keeps_cores_busy = *idling == Idling::Never && *outcomes == Outcomes::Finished;
    // Then every stage has the profile that all executors have.
    let has_one_profile = resource_profiles.iter().all(|profile| *profile == resource_profiles[0]);
    let has_equal_cores = speeds.iter().all(|&speed| speed == 1.0) && has_one_profile;
    keeps_cores_busy
        && executors_belong.is_none()
        && !driver.is_modelled()
        && *core_move == Span(0)
        && has_equal_cores
        && speculation.is_none()
}

/// Response time of a job alone on some executors, each with some cores, if each of its stages waits for the one
/// before, so that whatever the policy there is one stage at a time, whose tasks take the core that is free first.
/// `None` for other jobs.
pub(crate) fn chain_response(
    scenario: &Scenario,
    mode: PartitionMode,
    job: &Job,
    (executors, cores_per_executor): (u32, u32),
) -> Option<Span> {
    if !job.is_chain() {
        return None;
    }
    let overhead = scenario.cluster().task_overhead;
    let stage_time = |stage: &Stage| {
        let count = scenario.partitioning().task_count(stage, mode);
        // As many tasks at once as the executors have cores and memory for.
        let by_memory =
            scenario.cluster().memory_per_executor.and_then(|most| most.checked_div(stage.memory));
        let per_executor =
            by_memory.map_or(cores_per_executor, |tasks| tasks.min(cores_per_executor.into()) as u32);
        let at_once = executors as usize * per_executor as usize;
        let mut tasks = stage.input.durations(count).into_iter().map(|span| span.0 + overhead.0);
        let mut ends: BinaryHeap<Reverse<u64>> = tasks.by_ref().take(at_once).map(Reverse).collect();
        let mut last = ends.iter().map(|end| end.0).max().unwrap_or(0);
        for task in tasks {
            if let Some(mut first) = ends.peek_mut() {
                first.0 += task;
                last = last.max(first.0);
            }
        }
        last
    };
    let stages = &job.stages;
    let delays = stages.iter().map(|stage| scenario.cluster().delay_of(stage).0);
    Some(Span(stages.iter().map(stage_time).sum::<u64>() + delays.sum::<u64>() + job.finish_delay.0))
}
