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

use std::rc::Rc;

use super::explain::{self, Contender, Explainer, Explanation, Part, Ranking, Value};
use super::log::Snapshot;
use super::queue::KeyHeap;
use super::{Candidate, Context, Estimates, Group, Info, KeyBasis, RankedPolicy};
use crate::ids::Rank;
use crate::scenario::Job;

/// What readers should know of SJF-CP.
pub const INFO: Info = Info {
    id: "sjf-cp",
    title: "SJF-CP",
    name: "Shortest Job First, Critical Path",
    source: "Decima paper",
    summary: "The job with the least estimated work goes first, along its critical path.",
    key: "estimate of the job, rank of arrival, -critical path of the stage, stage id",
    group: Group::JobSizes,
    estimates: Estimates::Both,
    ..Info::DEFAULT
};

/// Shortest job first, critical path first. Key: (estimate of the job, rank of arrival, position among the job's
/// stages by (-critical path, stage id)).
#[derive(Debug)]
pub struct SjfCp {
    /// Each job's estimate in core-µs, by rank.
    estimates: Rc<[u64]>,
    /// By stage index.
    stages: Vec<StageRank>,
    first_stage_id: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct StageRank {
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

impl SjfCp {
    fn stage(&self, stage: &Candidate) -> StageRank {
        self.stages[(stage.id.0 - self.first_stage_id) as usize]
    }
}

impl Ranking for SjfCp {
    type Key = (u64, Rank, u32);

    fn key(&self, stage: &Candidate) -> Self::Key {
        (self.estimates[stage.rank.index()], stage.rank, self.stage(stage).position)
    }
}

impl RankedPolicy for SjfCp {
    const BASIS: KeyBasis<Self::Key> =
        KeyBasis::Submission(|(estimate, rank, position)| [estimate, u64::from(rank.0), u64::from(position)]);

    type Queue = KeyHeap<Self>;
    type Reference = Self;

    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        let jobs = context.scenario.jobs();
        let order = context.scenario.arrival_order();
        let mut stages = Vec::new();
        for &job in &order {
            let paths = critical_paths(&jobs[job.index()]);
            let first = stages.len();
            stages.extend(paths.iter().map(|&critical_path| StageRank { critical_path, position: 0 }));
            let mut by_path: Vec<usize> = (0..paths.len()).collect();
            by_path.sort_by_key(|&stage| std::cmp::Reverse(paths[stage]));
            for (position, stage) in (0..).zip(by_path) {
                stages[first + stage].position = position;
            }
        }
        SjfCp {
            estimates: order.iter().map(|job| jobs[job.index()].estimate.0).collect(),
            stages,
            first_stage_id: context.scenario.cluster().first_stage_id,
        }
    }
}

impl Explainer for SjfCp {
    fn at(context: &Context, _: &Snapshot) -> Self {
        SjfCp::new(context)
    }

    fn explain(&self, stage: &Candidate) -> Explanation {
        let (estimate, rank, position) = self.key(stage);
        let parts = vec![
            Part::new("estimated work of the job", Value::Work(estimate as f64)),
            Part::new("rank of arrival", Value::Number(u64::from(rank.0))),
            Part::new("position by critical path", Value::Number(u64::from(position))),
        ];
        let path =
            Part::new("critical path of the stage", Value::Work(self.stage(stage).critical_path as f64));
        Explanation { parts, facts: vec![path], remark: None }
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        let (label, other) = (first.label, second.label);
        match first.key.decided_by(second.key) {
            Some(0) => {
                let figures = explain::against(first.key.work(0), second.key.work(0));
                format!("{label}'s job has the least estimated work ({figures}), so it goes first.")
            }
            Some(1) => {
                format!(
                    "The jobs of {label} and {other} have the same estimated work and {label}'s arrived first, so it goes first."
                )
            }
            _ => format!(
                "{label} and {other} are of one job and {label} has the longer path to an end, or the smaller stage id, so it goes first."
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
