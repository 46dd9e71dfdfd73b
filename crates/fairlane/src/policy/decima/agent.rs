//! From scores to launches.

use super::super::{Launch, OfferCause, StageView, View};
use super::embedding::Embeddings;
use super::features::{self, Limit};
use super::network::Weights;
use crate::ids::{CoreId, Rank, StageIndex};
use std::sync::Arc;

/// The state of Decima.
///
/// A job *holds* the cores that run its tasks, and the free ones that ran a task of it last. A freed core goes on with
/// its stage while that has pending tasks. Otherwise the stage with the greatest score goes first, on a core that its
/// job holds; on another one only if its job holds fewer cores than its limit, and if that core is held by nobody, or
/// by a job that holds more than its own limit.
#[derive(Clone, Debug)]
pub struct Agent {
    embeddings: Embeddings,
    /// The free cores that may move to another job.
    released: Vec<CoreId>,
    limits: Vec<Limit>,
    /// In the offer round after a task's end: the freed core and its stage.
    freed: Option<Launch>,
    /// Tasks that hold a core.
    running: u32,
}

impl Agent {
    /// Before anything happens.
    pub fn new(weights: Arc<Weights>, cores: u32) -> Agent {
        Agent {
            embeddings: Embeddings::new(weights, cores),
            released: Vec::new(),
            limits: features::limits(cores),
            freed: None,
            running: 0,
        }
    }

    /// What the network says.
    pub fn embeddings(&self) -> &Embeddings {
        &self.embeddings
    }

    /// The limits that jobs may get.
    pub fn limits(&self) -> &[Limit] {
        &self.limits
    }

    /// A job has arrived.
    pub fn job_arrived(&mut self, job: Rank, view: &View) {
        self.embeddings.job_arrived(job, view);
    }

    /// A job has ended.
    pub fn job_ended(&mut self, job: Rank) {
        self.embeddings.job_ended(job);
    }

    /// Whether no task holds a core.
    pub fn is_idle(&self) -> bool {
        self.running == 0
    }

    /// A stage has other counts than before.
    pub fn counts_changed(&mut self, stage: StageIndex) {
        self.embeddings.counts_changed(stage);
    }

    /// A stage is submitted.
    pub fn stage_submitted(&mut self, stage: StageIndex) {
        self.embeddings.counts_changed(stage);
    }

    /// A task was launched.
    pub fn task_launched(&mut self, launch: Launch, view: &View) {
        self.running += 1;
        self.embeddings.launched(launch.stage, view.stage(launch.stage).job(), launch.core);
        self.embeddings.counts_changed(launch.stage);
    }

    /// A task has ended.
    pub fn task_ended(&mut self, launch: Launch) {
        self.running -= 1;
        self.embeddings.counts_changed(launch.stage);
    }

    /// An offer round starts.
    pub fn offer_started(&mut self, cause: OfferCause) {
        self.freed = match cause {
            OfferCause::TaskEnd(launch) => Some(launch),
            _ => None,
        };
    }

    /// The core that goes on with its stage.
    pub(super) fn kept(&self, view: &View) -> Option<Launch> {
        self.freed.filter(|freed| view.stage(freed.stage).pending() > 0 && view.fits(freed.stage, freed.core))
    }

    /// Brings the scores to the view's instant.
    pub fn update(&mut self, view: &View) {
        if self.embeddings.update(view) {
            self.released = self.find_released();
        }
    }

    /// The next task.
    pub fn next_task(&mut self, view: &View) -> Option<Launch> {
        let kept = self.kept(view);
        self.freed = None;
        if kept.is_some() {
            return kept;
        }
        let most = view.largest_free_memory()?;
        view.waiting().find(|stage| stage.memory() <= most)?;
        self.update(view);
        let nothing_runs = self.running == 0;
        let may_move = nothing_runs || !self.released.is_empty();
        let fitting = view.waiting().filter(|stage| stage.memory() <= most);
        let mut candidates: Vec<Candidate> = fitting
            .filter(|stage| may_move || self.embeddings.counts(stage.job()).idle > 0)
            .map(|stage| self.candidate(stage))
            .collect();
        let mut first = None;
        while !candidates.is_empty() {
            let index = greatest(candidates.iter().map(|candidate| candidate.score));
            let candidate = candidates.remove(index);
            first = first.or(Some(candidate.stage));
            match self.core(candidate, view) {
                CoreChoice::On(core) => return Some(Launch { stage: candidate.stage, core }),
                CoreChoice::NoneFits => {}
                CoreChoice::AtLimit => candidates.retain(|other| other.job != candidate.job),
            }
        }
        // Nothing would ever happen.
        let stage = first.filter(|_| nothing_runs)?;
        Some(Launch { stage, core: view.lowest_fitting_core(stage)? })
    }

    /// What a waiting stage is ranked by: the class, then the score, greatest first.
    pub(super) fn rank(&mut self, stage: StageView) -> (Class, f32) {
        let view = stage.view();
        self.update(view);
        let candidate = self.candidate(stage);
        let class = match self.kept(view) {
            Some(kept) if kept.stage == stage.index() => Class::Keeps,
            _ => match self.core(candidate, view) {
                CoreChoice::On(_) => Class::May,
                _ => Class::AtLimit,
            },
        };
        (class, candidate.score)
    }

    fn candidate(&self, stage: StageView) -> Candidate {
        let score = self.embeddings.stage_score(stage);
        Candidate { stage: stage.index(), job: stage.job(), score }
    }

    /// The limit of a job.
    pub(super) fn limit(&self, job: Rank) -> u32 {
        let scores = self.limits.iter().map(|&limit| self.embeddings.limit_score(job, limit));
        self.limits[greatest(scores)].cores
    }

    /// The free cores that may move to another job: those that nobody holds, then those of jobs with more than their
    /// limit, most beyond it first.
    fn find_released(&self) -> Vec<CoreId> {
        let mut released = self.embeddings.unowned().to_vec();
        let owned = self.embeddings.owned();
        let mut jobs: Vec<Rank> = owned.iter().map(|(_, _, job)| *job).collect();
        jobs.sort_unstable();
        jobs.dedup();
        let mut beyond: Vec<(u32, Rank)> = jobs
            .into_iter()
            .map(|job| (self.embeddings.counts(job).held().saturating_sub(self.limit(job)), job))
            .filter(|(beyond, _)| *beyond > 0)
            .collect();
        beyond.sort_by_key(|&(beyond, job)| (std::cmp::Reverse(beyond), job));
        for (count, job) in beyond {
            let of_job = owned.iter().filter(|(_, _, owner)| *owner == job).map(|(core, _, _)| *core);
            released.extend(of_job.take(count as usize));
        }
        released
    }

    /// The core for a task of a stage, if its job may have one.
    fn core(&self, candidate: Candidate, view: &View) -> CoreChoice {
        let Candidate { stage, job, .. } = candidate;
        let own = self
            .embeddings
            .owned()
            .iter()
            .filter(|(core, _, owner)| *owner == job && view.fits(stage, *core));
        // One that ran the same stage is spared its first wave.
        if let Some((core, ..)) = own.min_by_key(|(core, last, _)| (*last != stage, *core)) {
            return CoreChoice::On(*core);
        }
        match self.released.iter().copied().find(|&core| view.fits(stage, core)) {
            None => CoreChoice::NoneFits,
            Some(core) if self.embeddings.counts(job).held() < self.limit(job) => CoreChoice::On(core),
            Some(_) => CoreChoice::AtLimit,
        }
    }
}

/// A stage that may be chosen.
#[derive(Clone, Copy)]
struct Candidate {
    stage: StageIndex,
    job: Rank,
    score: f32,
}

/// The index of the greatest score, the first of equal ones.
fn greatest(scores: impl Iterator<Item = f32>) -> usize {
    let mut best = (0, f32::NEG_INFINITY);
    for (index, score) in scores.enumerate() {
        if score > best.1 {
            best = (index, score);
        }
    }
    best.0
}

/// The first part of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// A freed core goes on with it.
    Keeps,
    /// It may launch a task.
    May,
    /// Its job may not have another core, or there is none that it fits.
    AtLimit,
}

/// Where a task of a stage may go.
enum CoreChoice {
    On(CoreId),
    /// No core that is its job's, or that may move to it, fits it.
    NoneFits,
    /// Its job holds as many cores as it may.
    AtLimit,
}
