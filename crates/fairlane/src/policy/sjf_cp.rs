//! SJF-CP: the job with the least work first, and of its stages the one with the longest path to an end (Decima,
//! section 7.1: shortest job first along the critical path).
//!
//! ```
//! use fairlane::{catalog, simulate};
//! let scenario = catalog::find("heavy-first").expect("an entry").scenario();
//! let [sjf_cp, fifo] = ["sjf-cp", "fifo"].map(|policy| simulate(&scenario, policy.parse().expect("a policy")));
//! // A small job behind twenty of a heavy user.
//! let job = scenario.jobs().len() - 1;
//! assert!(sjf_cp.jobs[job].response() < fifo.jobs[job].response());
//! ```

use std::cmp::Reverse;

use super::explain::{self, Contender, Key, KeyComponent, NumberedFacts, Value};
use super::queue::StageQueue;
use super::{
    Actions, Admission, Context, EstimatesRead, Info, KeyBasis, Launch, Policy, PolicyGroup, RankedFrom,
    StageView, View,
};
use crate::ids::{Rank, StageIndex};
use crate::scenario::Job;

/// What readers should know of SJF-CP.
pub const INFO: Info = Info {
    id: "sjf-cp",
    title: "SJF-CP",
    name: "Shortest Job First, Critical Path",
    source: "Decima paper",
    summary: "The job with the least estimated work goes first, along its critical path.",
    key: "estimate of the job, rank of arrival, -critical path of the stage, stage id",
    group: PolicyGroup::JobSizes,
    look: 6,
    estimates: EstimatesRead::Both,
    basis: KeyBasis::Precedence,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// Shortest job first, critical path first. Key: (estimate of the job, rank of arrival, position among the job's
/// stages by (-critical path, stage id)).
#[derive(Clone, Debug)]
pub struct SjfCp {
    /// The stages of the jobs that have arrived.
    stages: Vec<PathRank>,
    waiting: StageQueue<(u64, Rank, u32)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct PathRank {
    /// Estimated work along the longest chain from the stage to an end, itself included, in core-µs.
    critical_path: u64,
    /// Position among the job's stages by (-critical path, stage id).
    position: u32,
}

/// Estimated work along the longest chain from each stage of a job to an end, itself included, in core-µs.
pub(super) fn critical_paths(job: &Job) -> Vec<u64> {
    let mut children = vec![0_u32; job.stages.len()];
    for &parent in job.stages.iter().flat_map(|stage| &stage.parents) {
        children[parent as usize] += 1;
    }
    let mut paths: Vec<u64> = job.stages.iter().map(|stage| stage.estimate.0).collect();
    // A stage is done once its children are.
    let mut done: Vec<usize> = (0..children.len()).filter(|&stage| children[stage] == 0).collect();
    while let Some(stage) = done.pop() {
        for &parent in &job.stages[stage].parents {
            let parent = parent as usize;
            paths[parent] = paths[parent].max(job.stages[parent].estimate.0 + paths[stage]);
            children[parent] -= 1;
            if children[parent] == 0 {
                done.push(parent);
            }
        }
    }
    paths
}

/// The position of each of some things in the order of their keys.
pub(super) fn positions<K: Ord>(count: usize, key: impl Fn(usize) -> K) -> Vec<u32> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&index| key(index));
    let mut positions = vec![0; count];
    (0..).zip(order).for_each(|(position, index)| positions[index] = position);
    positions
}

impl SjfCp {
    fn short_key(&self, stage: StageView) -> (u64, Rank, u32) {
        let position = self.stages[stage.index().index()].position;
        (stage.job_view().estimate().0, stage.job(), position)
    }
}

impl Policy for SjfCp {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(_: &Context) -> Self {
        SjfCp { stages: Vec::new(), waiting: StageQueue::default() }
    }

    fn job_arrived(&mut self, job: Rank, view: &View, _: &mut Actions) -> Admission {
        let paths = critical_paths(view.job(job).spec());
        let positions = positions(paths.len(), |stage| Reverse(paths[stage]));
        let ranks = paths.into_iter().zip(positions);
        self.stages.extend(ranks.map(|(critical_path, position)| PathRank { critical_path, position }));
        Admission::Start
    }

    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        self.waiting.insert(stage, self.short_key(view.stage(stage)));
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        let stage = view.stage(launch.stage);
        if stage.pending() == 0 {
            self.waiting.remove(launch.stage, self.short_key(stage));
        }
    }

    fn task_ended(&mut self, _: Launch, _: &View) {}

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        let seen = view.stage(stage);
        self.waiting.set(stage, self.short_key(seen), seen.pending() > 0);
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        self.waiting.next_task(view)
    }

    fn key(&self, stage: StageView) -> Key {
        let (estimate, rank, position) = self.short_key(stage);
        Key::complete([
            KeyComponent::new("estimated work of the job", Value::Work(estimate as f64)),
            KeyComponent::new("rank of arrival", Value::Number(u64::from(rank.0))),
            KeyComponent::new("position by critical path", Value::Number(u64::from(position))),
        ])
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        let path = self.stages[stage.index().index()].critical_path;
        vec![KeyComponent::new("critical path of the stage", Value::Work(path as f64))].into()
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        let (label, other) = (first.label, second.label);
        match part {
            0 => {
                let figures = explain::against(first.key.work(0), second.key.work(0));
                format!("{label}'s job has the least estimated work ({figures}), so it goes first.")
            }
            1 => format!(
                "The jobs of {label} and {other} have the same estimated work and {label}'s arrived first, so it goes \
                 first."
            ),
            _ => format!(
                "{label} and {other} are of one job and {label} has the longer path to an end, or the smaller stage \
                 id, so it goes first."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    /// A diamond with its end listed first: 0 needs 1 and 2, which need 3.
    #[test]
    fn a_critical_path_is_the_longest_chain_to_an_end() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "jobs": [{ "user": "ana", "arrival_s": 0, "stages": [
                { "tasks_s": [1], "parents": [1, 2] },
                { "tasks_s": [2], "parents": [3] },
                { "tasks_s": [5], "parents": [3] },
                { "tasks_s": [4], "parents": [] }] }] }"#,
        )
        .expect("a sound scenario");
        let paths = critical_paths(&scenario.jobs()[0]);
        assert_eq!(paths, [1_000_000, 3_000_000, 6_000_000, 10_000_000]);
    }
}
