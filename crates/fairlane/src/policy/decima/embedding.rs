//! The embeddings of stages, jobs and the cluster, kept up to date as counts change.
//!
//! A stage's embedding rests on those of its children, which cannot have been submitted while it has not ended. So a
//! change of its counts changes its own embedding, its job's and the global one, and no others. A job's position among
//! the jobs by the work left changes with that of any of them: as the last of the job's inputs it is added when a score
//! is asked for, so that what the others bring to the first layers stays.

mod altered;

use std::collections::{BTreeMap, BTreeSet};
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
    /// These by the work left, whose bits ascend as it does.
    by_work: BTreeSet<(u32, Rank)>,
    /// By rank: active jobs with less work left.
    smaller: Vec<u32>,
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
    /// What the job's inputs but for its position bring to the first layers of the two scores.
    parts: [FirstLayer; 2],
}

/// Where a job's inputs of the two scores begin, and where the last of them is, its position.
const JOB_PARTS: [(Perceptron, usize); 2] = [(STAGE_SCORE, STAGE_SCORE_PARTS[0]), (LIMIT_SCORE, 0)];
const POSITION: usize = EMBEDDING + JOB_FEATURES - 1;

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
        for (part, (score, start)) in self.parts.iter_mut().zip(JOB_PARTS) {
            *part = [0.0; HIDDEN];
            weights.feed(score, start, &self.embedding, part);
            weights.feed(score, start + EMBEDDING, &features, part);
        }
    }
}

impl Embeddings {
    /// The embeddings of a cluster without jobs.
    pub fn new(weights: Arc<Weights>, cores: u32) -> Embeddings {
        Embeddings {
            weights,
            jobs: BTreeMap::new(),
            by_work: BTreeSet::new(),
            smaller: Vec::new(),
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
        let embedding = JobEmbedding::new(job, view, &self.weights);
        self.by_work.insert((embedding.counts.work.to_bits(), job));
        self.jobs.insert(job, embedding);
        self.smaller.resize(job.index() + 1, 0);
        self.has_other_jobs = true;
    }

    /// A job has ended.
    pub fn job_ended(&mut self, job: Rank) {
        if let Some(embedding) = self.jobs.remove(&job) {
            self.by_work.remove(&(embedding.counts.work.to_bits(), job));
        }
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
        let mut owners: Vec<Rank> = self.owned.iter().map(|(_, _, job)| *job).collect();
        owners.sort_unstable();
        let mut owners = owners.into_iter().peekable();
        for (&rank, job) in &mut self.jobs {
            let (running, mut idle) = (view.job(rank).running(), 0);
            while owners.next_if_eq(&rank).is_some() {
                idle += 1;
            }
            if job.is_changed {
                self.by_work.remove(&(job.counts.work.to_bits(), rank));
                job.update(rank, view, &self.weights);
                self.by_work.insert((job.counts.work.to_bits(), rank));
            }
            is_new |= job.is_changed;
            if job.is_changed || [job.counts.running, job.counts.idle] != [running, idle] {
                let (work, log_held) = (job.counts.work, features::log1((running + idle) as f32));
                job.counts = JobCounts { work, running, idle, cores: view.cores(), log_held };
                job.update_parts(&self.weights);
                job.is_changed = false;
            }
            add(&mut sum, &job.message);
        }
        if is_new {
            self.global = self.weights.squashed(GLOBAL_SUM, &sum);
            self.rank_by_work();
        }
        let active = self.jobs.len() as u32;
        self.cluster =
            features::of_cluster(view.cores(), view.free_cores(), self.unowned.len() as u32, active);
        self.update_parts();
        true
    }

    /// Counts for each job those with less work left.
    fn rank_by_work(&mut self) {
        let (mut last, mut smaller) = (None, 0);
        for (before, &(work, rank)) in (0..).zip(&self.by_work) {
            if last.replace(work) != Some(work) {
                smaller = before;
            }
            self.smaller[rank.index()] = smaller;
        }
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

    /// Free cores that are local to no active job, ascending.
    pub fn unowned(&self) -> &[CoreId] {
        &self.unowned
    }

    /// Free cores that are local to an active job, ascending, with what they ran last.
    pub fn owned(&self) -> &[(CoreId, StageIndex, Rank)] {
        &self.owned
    }

    /// What a job's own features follow from.
    pub fn counts(&self, job: Rank) -> JobCounts {
        self.jobs[&job].counts
    }

    /// Active jobs with less work left than a job.
    pub fn smaller(&self, job: Rank) -> u32 {
        self.smaller[job.index()]
    }

    /// What all of a job's inputs bring to the first layer of a score.
    fn part(&self, rank: Rank, job: &JobEmbedding, score: usize) -> FirstLayer {
        let (mut part, (of, start)) = (job.parts[score], JOB_PARTS[score]);
        let position = features::position(self.smaller(rank), self.jobs.len() as u32);
        self.weights.feed(of, start + POSITION, &[position], &mut part);
        part
    }

    /// q: the score of a stage of an active job. Without unit; the greatest goes first.
    pub fn stage_score(&self, stage: StageView) -> f32 {
        let job = &self.jobs[&stage.job()];
        self.score(stage, job, &self.part(stage.job(), job, 0))
    }

    fn score(&self, stage: StageView, job: &JobEmbedding, part: &FirstLayer) -> f32 {
        let mut layer = job.stages[stage.position() as usize].part;
        add(&mut layer, part);
        add(&mut layer, &self.parts[0]);
        self.weights.score(STAGE_SCORE, &layer)
    }

    /// [`Embeddings::stage_score`] of stages of active jobs in the order of these, which is quicker.
    pub fn stage_scores<'a>(
        &'a self,
        stages: impl Iterator<Item = StageView<'a>>,
    ) -> impl Iterator<Item = (StageView<'a>, f32)> {
        let mut jobs = self.jobs.iter().peekable();
        let mut part = None;
        stages.filter_map(move |stage| {
            while jobs.next_if(|(rank, _)| **rank < stage.job()).is_some() {
                part = None;
            }
            let (rank, job) = jobs.peek()?;
            let part = part.get_or_insert_with(|| self.part(**rank, job, 0));
            Some((stage, self.score(stage, job, part)))
        })
    }

    /// [`Embeddings::stage_score`] with a job's inputs fed one after the other, and its position counted.
    #[cfg(test)]
    pub fn stage_score_slowly(&self, stage: StageView) -> f32 {
        let job = &self.jobs[&stage.job()];
        let smaller = self.jobs.values().filter(|other| other.counts.work < job.counts.work).count();
        let mut inputs = [&job.embedding[..], &job.counts.features()].concat();
        inputs.push(features::position(smaller as u32, self.jobs.len() as u32));
        let mut part = [0.0; HIDDEN];
        self.weights.feed(STAGE_SCORE, STAGE_SCORE_PARTS[0], &inputs, &mut part);
        self.score(stage, job, &part)
    }

    /// w: the score of a parallelism limit of an active job. Without unit; the greatest counts.
    pub fn limit_score(&self, job: Rank, limit: Limit) -> f32 {
        let (rank, job) = (job, &self.jobs[&job]);
        let mut layer = self.part(rank, job, 1);
        add(&mut layer, &self.parts[1]);
        self.weights.feed(LIMIT_SCORE, LIMIT_SCORE_PARTS[1], &job.counts.limit(limit), &mut layer);
        self.weights.score(LIMIT_SCORE, &layer)
    }
}
