//! What a policy in training saw and chose.

use fairlane::ids::Rank;
use fairlane::policy::View;
use fairlane::policy::decima::embedding::Embeddings;
use fairlane::policy::decima::features::{JobCounts, Limit};
use fairlane::policy::decima::network::{CLUSTER_FEATURES, JOB_FEATURES, STAGE_FEATURES};
use fairlane::units::Time;

/// The state before a decision, and what was chosen.
#[derive(Clone, Debug)]
pub struct Step {
    /// When.
    pub at: Time,
    /// The active jobs.
    pub jobs: Vec<StepJob>,
    /// The cluster's features.
    pub cluster: [f32; CLUSTER_FEATURES],
    /// The choices, one after the other.
    pub choices: Vec<StepChoice>,
}

/// A job at a decision.
#[derive(Clone, Debug)]
pub struct StepJob {
    /// Its rank.
    pub rank: Rank,
    /// Its features.
    pub features: [f32; JOB_FEATURES],
    /// What they follow from.
    pub counts: JobCounts,
    /// Its stages that have not ended, children before their parents.
    pub stages: Vec<StepStage>,
}

/// A stage at a decision.
#[derive(Clone, Debug)]
pub struct StepStage {
    /// Its position in the job.
    pub position: u32,
    /// Its features.
    pub features: [f32; STAGE_FEATURES],
    /// Its children, as indices in the list.
    pub children: Vec<usize>,
    /// Whether a parent of it has not ended.
    pub has_parent: bool,
}

/// A choice.
#[derive(Clone, Debug)]
pub struct StepChoice {
    /// Among what.
    pub picked: Picked,
    /// The index of what was chosen, or what the teacher would have.
    pub index: usize,
    /// The logarithm of the probability with which it was chosen.
    pub log_probability: f32,
}

/// What a choice was among.
#[derive(Clone, Debug)]
pub enum Picked {
    /// Stages, as indices of jobs and of their stages.
    Stage(Vec<(usize, usize)>),
    /// Limits of a job, given by its index.
    Limit(usize, Vec<Limit>),
}

impl Step {
    /// The state, without choices.
    pub fn new(view: &View, embeddings: &Embeddings) -> Step {
        let jobs = embeddings.active().iter().map(|&rank| {
            let job = view.job(rank);
            let spec = job.spec();
            let children = spec.children();
            let views: Vec<_> = job.stages().collect();
            let is_open: Vec<bool> = views
                .iter()
                .map(|stage| !stage.is_submitted() || stage.pending() > 0 || stage.running() > 0)
                .collect();
            let mut place = vec![usize::MAX; views.len()];
            let mut stages = Vec::new();
            let mut open: Vec<usize> = children.iter().map(Vec::len).collect();
            let mut done: Vec<usize> = (0..open.len()).filter(|&stage| open[stage] == 0).collect();
            while let Some(stage) = done.pop() {
                let parents = &spec.stages[stage].parents;
                if is_open[stage] {
                    place[stage] = stages.len();
                    stages.push(StepStage {
                        position: stage as u32,
                        features: embeddings.stage_features(views[stage]),
                        children: children[stage].iter().map(|&child| place[child as usize]).collect(),
                        has_parent: parents.iter().any(|&parent| is_open[parent as usize]),
                    });
                }
                for &parent in parents {
                    open[parent as usize] -= 1;
                    if open[parent as usize] == 0 {
                        done.push(parent as usize);
                    }
                }
            }
            StepJob { rank, features: embeddings.job_features(rank), counts: embeddings.counts(rank), stages }
        });
        Step { at: view.now(), jobs: jobs.collect(), cluster: embeddings.cluster(), choices: Vec::new() }
    }

    /// The index of a job.
    pub fn job(&self, rank: Rank) -> usize {
        self.jobs.iter().position(|job| job.rank == rank).expect("an active job")
    }

    /// The indices of a job and its stage.
    pub fn stage(&self, rank: Rank, position: u32) -> (usize, usize) {
        let job = self.job(rank);
        let stages = &self.jobs[job].stages;
        (job, stages.iter().position(|stage| stage.position == position).expect("an open stage"))
    }
}
