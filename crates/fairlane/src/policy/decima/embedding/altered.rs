//! What the network would say if one of the numbers that it is given were another.

use super::*;

/// A number that the network is given of a stage, its job or the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// Tasks of the stage that are left.
    TasksLeft,
    /// The mean length of its tasks, in milliseconds.
    MeanTask,
    /// Cores that work on the stage.
    CoresOnStage,
    /// Free cores of the cluster.
    FreeCores,
    /// Free cores that are local to its job.
    LocalCores,
}

impl Given {
    /// All of them.
    pub const ALL: [Given; 5] =
        [Given::TasksLeft, Given::MeanTask, Given::CoresOnStage, Given::FreeCores, Given::LocalCores];
}

impl Embeddings {
    /// The number as it is, for a stage.
    pub fn given(&self, given: Given, stage: StageView) -> u32 {
        let job = &self.jobs[&stage.job()];
        match given {
            Given::TasksLeft => stage.pending(),
            Given::MeanTask => (job.stages[stage.position() as usize].mean * 1000.0 + 0.5) as u32,
            Given::CoresOnStage => stage.running(),
            Given::FreeCores => stage.view().free_cores(),
            Given::LocalCores => job.counts.idle,
        }
    }

    /// The scores of a stage and of another one if a number of the first were this one.
    pub fn altered_scores(&self, given: Given, value: u32, stage: StageView, other: StageView) -> [f32; 2] {
        let mut altered = self.clone();
        altered.alter(given, value, stage);
        [stage, other].map(|stage| altered.stage_score(stage))
    }

    fn alter(&mut self, given: Given, value: u32, stage: StageView) {
        let (rank, view) = (stage.job(), stage.view());
        match given {
            Given::FreeCores => {
                let active = self.jobs.len() as u32;
                let unowned = (self.unowned.len() as u32).min(value);
                self.cluster = features::of_cluster(view.cores(), value, unowned, active);
            }
            Given::LocalCores => {
                let counts = &mut self.job_mut(rank).counts;
                counts.idle = value;
                counts.log_held = features::log1(counts.held() as f32);
            }
            Given::TasksLeft | Given::MeanTask | Given::CoresOnStage => {
                let weights = Arc::clone(&self.weights);
                let job = self.job_mut(rank);
                let work_before = job.counts.work;
                let own = &mut job.stages[stage.position() as usize];
                let (pending, running, before) = (stage.pending(), stage.running(), own.mean);
                let (pending_now, running_now) = match given {
                    Given::TasksLeft => (value, running),
                    Given::CoresOnStage => (pending, value),
                    _ => (pending, running),
                };
                if given == Given::MeanTask {
                    own.mean = value as f32 / 1000.0;
                }
                let mean = own.mean;
                own.set(features::of_stage([pending_now, running_now], mean, stage.is_submitted()), &weights);
                job.update(rank, view, &weights);
                let work = pending_now as f32 * mean - pending as f32 * before;
                job.counts.work = (work_before + work).max(0.0);
                let moved = [work_before, job.counts.work].map(|work| (work.to_bits(), rank));
                self.by_work.remove(&moved[0]);
                self.by_work.insert(moved[1]);
                let mut sum = [0.0; EMBEDDING];
                self.jobs.values().for_each(|job| add(&mut sum, &job.message));
                self.global = weights.squashed(GLOBAL_SUM, &sum);
                self.rank_by_work();
            }
        }
        let weights = Arc::clone(&self.weights);
        self.job_mut(rank).update_parts(&weights);
        self.update_parts();
    }

    fn job_mut(&mut self, job: Rank) -> &mut JobEmbedding {
        self.jobs.get_mut(&job).expect("an active job")
    }
}
