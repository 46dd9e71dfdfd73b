//! Who is imitated first: shortest remaining job first, and a rule for how many cores a job may hold.

use fairlane::ids::Rank;
use fairlane::policy::decima::embedding::Embeddings;
use fairlane::policy::decima::features::Limit;
use fairlane::policy::{StageView, View};

/// What the teacher knows of the stages, by index.
#[derive(Clone, Debug, Default)]
pub struct Teacher {
    /// Mean length of the tasks in seconds.
    means: Vec<f32>,
    /// Mean task after mean task to an end, in seconds.
    paths: Vec<f32>,
}

/// A core more is worth its move if the stage's work keeps it busy for this many seconds, ...
const GAIN: f32 = 4.076;
/// ... and this many of its tasks.
const GAIN_TASKS: f32 = 0.915;
/// For a job that all others are smaller than, the first is larger by this exponent.
const GAIN_LARGE: f32 = 0.806;
/// With few jobs it is larger by up to this fraction.
const GAIN_FEW: f32 = -0.268;
/// A job keeps idle cores if its running stages are done within so many seconds, ...
const KEEP: f32 = 2.325;
/// ... fewer for a large job, by this exponent, ...
const KEEP_LARGE: f32 = -0.722;
/// ... which takes a stage's last wave at this many mean tasks.
const LAST_WAVE: f32 = 0.233;
/// A stage that waits for its parents needs a core for so many seconds of its work.
const NEXT_GAIN: f32 = 0.109;
/// And so many tasks.
const NEXT_TASKS: f32 = 0.05;

impl Teacher {
    /// A job has arrived.
    pub fn job_arrived(&mut self, job: Rank, view: &View) {
        let job = view.job(job);
        let means: Vec<f32> =
            job.stages().map(|stage| stage.estimate().0 as f32 / 1e6 / stage.tasks() as f32).collect();
        let mut paths = means.clone();
        for _ in 0..means.len() {
            for (stage, spec) in job.spec().stages.iter().enumerate() {
                for &parent in &spec.parents {
                    let parent = parent as usize;
                    paths[parent] = paths[parent].max(means[parent] + paths[stage]);
                }
            }
        }
        self.means.extend(means);
        self.paths.extend(paths);
    }

    /// The score of a stage; the greatest goes first.
    pub fn stage(&self, stage: StageView, embeddings: &Embeddings) -> f32 {
        let counts = embeddings.counts(stage.job());
        let (mean, path) = (self.means[stage.index().index()], self.paths[stage.index().index()]);
        -counts.work.max(0.01).ln() - 0.085 * (1.0 + counts.running as f32).ln() + 0.1 * path.ln()
            - 0.034 * mean.ln()
    }

    /// The cores that a job may hold.
    pub fn limit(&self, job: Rank, view: &View, embeddings: &Embeddings) -> f32 {
        let counts = embeddings.counts(job);
        let running = counts.running as f32;
        let smaller = counts.smaller as f32 / counts.active as f32;
        let gain = GAIN * (GAIN_LARGE * smaller).exp() * (1.0 + GAIN_FEW * counts.active as f32 / 20.0);
        let (mut now, mut left, mut next) = (0_f32, 0_f32, 0_f32);
        for stage in view.job(job).stages() {
            let mean = self.means[stage.index().index()];
            let (pending, tasks) = (stage.pending() as f32, stage.tasks() as f32);
            if !stage.is_submitted() {
                next = next.max(tasks.min(tasks * mean / (NEXT_GAIN + NEXT_TASKS * mean)));
                continue;
            }
            if pending > 0.0 {
                now += (pending * mean / (gain + GAIN_TASKS * mean)).min(pending + stage.running() as f32);
            }
            if pending > 0.0 || stage.running() > 0 {
                left = left.max(mean * (LAST_WAVE + pending / running.max(1.0)));
            }
        }
        let keeps = left < KEEP * (KEEP_LARGE * smaller).exp();
        let kept = if keeps { next.min(counts.held() as f32) } else { running };
        now.max(kept).max(running).max(if now > 0.0 { 1.0 } else { 0.0 })
    }

    /// The index of the least limit that is enough.
    pub fn limit_index(&self, job: Rank, limits: &[Limit], view: &View, embeddings: &Embeddings) -> usize {
        let wanted = self.limit(job, view, embeddings).ceil();
        limits.iter().position(|limit| limit.cores as f32 >= wanted).unwrap_or(limits.len() - 1)
    }
}
