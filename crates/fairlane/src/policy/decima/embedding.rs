//! The embeddings of stages, jobs and the cluster, kept up to date as counts change.
//!
//! A stage's embedding rests on those of its children, which cannot have been submitted while it has not ended. So a
//! change of its counts changes its own embedding, its job's and the global one, and no others.

mod altered;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::{StageView, View};
use super::features::{self, JobCounts, Limit};
use super::network::*;
use crate::ids::{CoreId, Rank, StageIndex};

pub use altered::Given;

/// What the network says of the cluster at a decision.
#[derive(Clone, Debug)]
pub struct Embeddings {
    weights: Arc<Weights>,
    /// The active jobs: those that have arrived and not ended.
    jobs: BTreeMap<Rank, JobEmbedding>,
    /// Stages whose counts have changed since the last update.
    changed: Vec<StageIndex>,
    /// What each core ran last.
    last: Vec<Option<(StageIndex, Rank)>>,
    /// Free cores that are local to no active job, ascending.
    unowned: Vec<CoreId>,
    /// Free cores that are local to an active job, ascending, with what they ran last.
    owned: Vec<(CoreId, StageIndex, Rank)>,
    cluster: [f32; CLUSTER_FEATURES],
    global: Embedding,
    /// Whether a job has arrived or ended since the last update.
    has_other_jobs: bool,
    /// What everybody's inputs bring to the first layers of the two scores, with the biases.
    parts: [FirstLayer; 2],
}

/// A job's part.
#[derive(Clone, Debug)]
struct JobEmbedding {
    stages: Vec<StageEmbedding>,
    counts: JobCounts,
    /// Whether a stage's counts have changed since the last update.
    is_changed: bool,
    embedding: Embedding,
    /// What the global embedding receives.
    message: Embedding,
    /// What the job's inputs bring to the first layers of the two scores.
    parts: [FirstLayer; 2],
}

/// A stage's part.
#[derive(Clone, Debug)]
struct StageEmbedding {
    /// Mean length of its tasks in seconds.
    mean: f32,
    features: [f32; STAGE_FEATURES],
    /// What its children bring.
    from_children: Embedding,
    embedding: Embedding,
    /// What its job receives.
    message: Embedding,
    /// What its inputs bring to the first layer of its score.
    part: FirstLayer,
}

impl StageEmbedding {
    fn new(stage: StageView, from_children: Embedding, weights: &Weights) -> StageEmbedding {
        let mut created = StageEmbedding {
            mean: features::mean_task(stage),
            features: [0.0; STAGE_FEATURES],
            from_children,
            embedding: from_children,
            message: [0.0; EMBEDDING],
            part: [0.0; HIDDEN],
        };
        created.update(stage, weights);
        created
    }

    fn update(&mut self, stage: StageView, weights: &Weights) {
        let counts = [stage.pending(), stage.running()];
        self.set(features::of_stage(counts, self.mean, stage.is_submitted()), weights);
    }

    fn set(&mut self, features: [f32; STAGE_FEATURES], weights: &Weights) {
        self.features = features;
        self.embedding = self.from_children;
        self.embedding.iter_mut().zip(&self.features).for_each(|(sum, feature)| *sum += feature);
        self.message = weights.transform(JOB_MESSAGE, &self.embedding);
        self.part = [0.0; HIDDEN];
        weights.feed(STAGE_SCORE, 0, &self.features, &mut self.part);
        weights.feed(STAGE_SCORE, STAGE_FEATURES, &self.embedding, &mut self.part);
    }
}

impl JobEmbedding {
    fn new(job: Rank, view: &View, weights: &Weights) -> JobEmbedding {
        let spec = view.job(job).spec();
        let children = spec.children();
        let views: Vec<StageView> = view.job(job).stages().collect();
        let mut stages: Vec<Option<StageEmbedding>> = vec![None; views.len()];
        // A stage is done once its children are.
        let mut open: Vec<usize> = children.iter().map(Vec::len).collect();
        let mut done: Vec<usize> = (0..open.len()).filter(|&stage| open[stage] == 0).collect();
        while let Some(stage) = done.pop() {
            let mut sum = [0.0; EMBEDDING];
            for child in children[stage].iter().filter_map(|&child| stages[child as usize].as_ref()) {
                add(&mut sum, &weights.transform(STAGE_MESSAGE, &child.embedding));
            }
            let from_children =
                if children[stage].is_empty() { sum } else { weights.squashed(STAGE_SUM, &sum) };
            stages[stage] = Some(StageEmbedding::new(views[stage], from_children, weights));
            for &parent in &spec.stages[stage].parents {
                open[parent as usize] -= 1;
                if open[parent as usize] == 0 {
                    done.push(parent as usize);
                }
            }
        }
        JobEmbedding {
            stages: stages.into_iter().flatten().collect(),
            counts: JobCounts::default(),
            is_changed: true,
            embedding: [0.0; EMBEDDING],
            message: [0.0; EMBEDDING],
            parts: [[0.0; HIDDEN]; 2],
        }
    }

    /// The job's embedding from its stages'.
    fn update(&mut self, job: Rank, view: &View, weights: &Weights) {
        let view = view.job(job);
        let mut sum = [0.0; EMBEDDING];
        for (stage, of) in view.stages().zip(&self.stages) {
            if !features::has_ended(stage) {
                add(&mut sum, &of.message);
            }
        }
        self.embedding = weights.squashed(JOB_SUM, &sum);
        self.message = weights.transform(GLOBAL_MESSAGE, &self.embedding);
        self.counts.work = features::work_left(view, self.stages.iter().map(|stage| stage.mean));
    }

    fn update_parts(&mut self, weights: &Weights) {
        let features = self.counts.features();
        let starts = [(STAGE_SCORE, STAGE_SCORE_PARTS[0]), (LIMIT_SCORE, 0)];
        for (part, (score, start)) in self.parts.iter_mut().zip(starts) {
            *part = [0.0; HIDDEN];
            weights.feed(score, start, &self.embedding, part);
            weights.feed(score, start + EMBEDDING, &features, part);
        }
    }
}

impl Embeddings {
    /// Of a cluster without jobs.
    pub fn new(weights: Arc<Weights>, cores: u32) -> Embeddings {
        Embeddings {
            weights,
            jobs: BTreeMap::new(),
            changed: Vec::new(),
            last: vec![None; cores as usize],
            unowned: Vec::new(),
            owned: Vec::new(),
            cluster: [0.0; CLUSTER_FEATURES],
            global: [0.0; EMBEDDING],
            has_other_jobs: true,
            parts: [[0.0; HIDDEN]; 2],
        }
    }

    /// A job has arrived.
    pub fn job_arrived(&mut self, job: Rank, view: &View) {
        self.jobs.insert(job, JobEmbedding::new(job, view, &self.weights));
        self.has_other_jobs = true;
    }

    /// A job has ended.
    pub fn job_ended(&mut self, job: Rank) {
        self.jobs.remove(&job);
        self.has_other_jobs = true;
    }

    /// The counts of a stage have changed.
    pub fn counts_changed(&mut self, stage: StageIndex) {
        if self.changed.last() != Some(&stage) {
            self.changed.push(stage);
        }
    }

    /// A task of a stage was launched on a core.
    pub fn launched(&mut self, stage: StageIndex, job: Rank, core: CoreId) {
        self.last[core.index()] = Some((stage, job));
    }

    /// Brings everything to the view's instant; whether anything has changed.
    pub fn update(&mut self, view: &View) -> bool {
        let has_same_cores = !self.update_cores(view);
        if has_same_cores && self.changed.is_empty() && !self.has_other_jobs {
            return false;
        }
        for stage in std::mem::take(&mut self.changed) {
            let stage = view.stage(stage);
            if let Some(job) = self.jobs.get_mut(&stage.job()) {
                job.stages[stage.position() as usize].update(stage, &self.weights);
                job.is_changed = true;
            }
        }
        let mut sum = [0.0; EMBEDDING];
        let mut is_new = std::mem::take(&mut self.has_other_jobs);
        for (&rank, job) in &mut self.jobs {
            if job.is_changed {
                job.update(rank, view, &self.weights);
            }
            is_new |= job.is_changed;
            add(&mut sum, &job.message);
        }
        self.update_counts(view);
        if is_new {
            self.global = self.weights.squashed(GLOBAL_SUM, &sum);
        }
        let active = self.jobs.len() as u32;
        self.cluster =
            features::of_cluster(view.cores(), view.free_cores(), self.unowned.len() as u32, active);
        self.update_parts();
        true
    }

    fn update_parts(&mut self) {
        let starts = [(STAGE_SCORE, STAGE_SCORE_PARTS[1]), (LIMIT_SCORE, LIMIT_SCORE_PARTS[0])];
        for (part, (score, start)) in self.parts.iter_mut().zip(starts) {
            *part = self.weights.biases(score);
            self.weights.feed(score, start, &self.global, part);
            self.weights.feed(score, start + EMBEDDING, &self.cluster, part);
        }
    }

    /// Which free cores are local to whom; whether others are than before.
    fn update_cores(&mut self, view: &View) -> bool {
        let (mut unowned, mut owned) = (Vec::new(), Vec::new());
        for core in view.every_free_core() {
            match self.last[core.index()] {
                Some((stage, job)) if self.jobs.contains_key(&job) => owned.push((core, stage, job)),
                _ => unowned.push(core),
            }
        }
        let has_changed = (&unowned, &owned) != (&self.unowned, &self.owned);
        (self.unowned, self.owned) = (unowned, owned);
        has_changed
    }

    /// What the jobs' features follow from.
    fn update_counts(&mut self, view: &View) {
        let (works, mut ascending) = (self.works(), self.works());
        ascending.sort_unstable_by(f32::total_cmp);
        let mut owners: Vec<Rank> = self.owned.iter().map(|(_, _, job)| *job).collect();
        owners.sort_unstable();
        let mut owners = owners.into_iter().peekable();
        for ((&rank, job), &work) in self.jobs.iter_mut().zip(&works) {
            let running = view.job(rank).running();
            let mut idle = 0;
            while owners.next_if_eq(&rank).is_some() {
                idle += 1;
            }
            let before = job.counts;
            let is_same = before.held() == running + idle && before.cores > 0;
            let log_held = if is_same { before.log_held } else { features::log1((running + idle) as f32) };
            let counts = JobCounts {
                work,
                running,
                idle,
                log_held,
                smaller: ascending.partition_point(|&other| other < work) as u32,
                active: works.len() as u32,
                cores: view.cores(),
            };
            if job.is_changed || before != counts {
                job.counts = counts;
                job.is_changed = false;
                job.update_parts(&self.weights);
            }
        }
    }

    /// The work left of each active job.
    fn works(&self) -> Vec<f32> {
        self.jobs.values().map(|job| job.counts.work).collect()
    }

    /// Free cores that are local to no active job, ascending.
    pub fn unowned(&self) -> &[CoreId] {
        &self.unowned
    }

    /// Free cores that are local to an active job, ascending, with what they ran last.
    pub fn owned(&self) -> &[(CoreId, StageIndex, Rank)] {
        &self.owned
    }

    /// What a job's features follow from.
    pub fn counts(&self, job: Rank) -> JobCounts {
        self.jobs[&job].counts
    }

    /// q: the score of a stage of an active job. Without unit; the greatest goes first.
    pub fn stage_score(&self, stage: StageView) -> f32 {
        let job = &self.jobs[&stage.job()];
        let mut layer = job.stages[stage.position() as usize].part;
        add(&mut layer, &job.parts[0]);
        add(&mut layer, &self.parts[0]);
        self.weights.score(STAGE_SCORE, &layer)
    }

    /// w: the score of a parallelism limit of an active job. Without unit; the greatest counts.
    pub fn limit_score(&self, job: Rank, limit: Limit) -> f32 {
        let job = &self.jobs[&job];
        let mut layer = job.parts[1];
        add(&mut layer, &self.parts[1]);
        self.weights.feed(LIMIT_SCORE, LIMIT_SCORE_PARTS[1], &job.counts.limit(limit), &mut layer);
        self.weights.score(LIMIT_SCORE, &layer)
    }
}
