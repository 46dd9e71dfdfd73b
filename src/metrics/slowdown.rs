//! Slowdown: how many times longer a job takes than alone on the idle cluster, under the same
//! policy and partitioning (UWFQ paper 5.1.1).

use std::collections::HashMap;

use crate::engine;
use crate::ids::{JobId, UserId};
use crate::partition::{self, Mode};
use crate::policy::PolicyId;
use crate::scenario::{Job, Scenario};
use crate::trace::JobRun;
use crate::units::{SlotTime, Span};

/// Response time of every job alone on the idle cluster, arriving at 0, by place in the file.
///
/// Jobs that are alike are simulated once.
pub fn alone_responses(scenario: &Scenario, policy: PolicyId) -> Vec<Span> {
    // Only looked up, never walked.
    let mut known: HashMap<Shape, Span> = HashMap::new();
    (0..scenario.jobs.len() as u32)
        .map(|job| {
            let shape = Shape::new(scenario, &scenario.jobs[job as usize], policy.partitioning);
            *known
                .entry(shape)
                .or_insert_with(|| engine::simulate(&scenario.alone(JobId(job)), policy).jobs[0].response())
        })
        .collect()
}

/// All that the run of a job alone depends on, besides the cluster.
#[derive(PartialEq, Eq, Hash)]
struct Shape {
    user: UserId,
    estimate: SlotTime,
    stages: Vec<(Vec<u32>, SlotTime, Vec<Span>)>,
}

impl Shape {
    fn new(scenario: &Scenario, job: &Job, mode: Mode) -> Shape {
        let stages = job.stages.iter().map(|stage| {
            let count = partition::task_count(stage, mode, &scenario.partitioning);
            (stage.parents.clone(), stage.estimate, partition::durations(&stage.input, count))
        });
        Shape { user: job.user, estimate: job.estimate, stages: stages.collect() }
    }
}

/// A job's slowdown, a ratio: its response time over that alone. A job that takes no time alone has 1
/// if it takes none in company either, and none otherwise.
pub fn slowdown(response: Span, alone: Span) -> Option<f64> {
    match (response, alone) {
        (Span(0), Span(0)) => Some(1.0),
        (_, Span(0)) => None,
        (response, alone) => Some(response.0 as f64 / alone.0 as f64),
    }
}

/// Mean slowdown of the jobs that have one, a ratio; 0 of none.
pub fn mean_slowdown(jobs: &[JobRun], alone: &[Span]) -> f64 {
    let slowdowns = jobs.iter().zip(alone).filter_map(|(job, &alone)| slowdown(job.response(), alone));
    let (sum, count) = slowdowns.fold((0.0, 0_u32), |(sum, count), ratio| (sum + ratio, count + 1));
    sum / f64::from(count.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_equal_jobs_on_one_core() {
        let scenario = Scenario::from_json(
            r#"{"format": "fairlane/scenario@1", "cluster": {"cores_per_executor": 1}, "jobs": [
                {"user": "a", "arrival_s": 5, "stages": [{"tasks_s": [2]}]},
                {"user": "b", "arrival_s": 5, "stages": [{"tasks_s": [2]}]}]}"#,
        )
        .expect("a good scenario");
        let policy = "fifo".parse().expect("a policy");
        let alone = alone_responses(&scenario, policy);
        assert_eq!(alone, [Span(2_000_000); 2]);
        // The first takes as long as alone, the second twice as long.
        assert_eq!(mean_slowdown(&engine::simulate(&scenario, policy).jobs, &alone), 1.5);
    }
}
