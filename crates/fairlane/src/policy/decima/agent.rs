//! From scores to launches.

use super::super::{Launch, OfferCause, StageView, View};
use super::embedding::Embeddings;
use super::features::{self, Limit};
use super::network::Weights;
use crate::ids::{CoreId, Rank, StageIndex};
use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};
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
        let mut candidates = self.candidates(may_move, most, view);
        let first = candidates.peek().map(|candidate| candidate.stage);
        let mut at_limit = BTreeSet::new();
        while let Some(candidate) = candidates.pop() {
            if at_limit.contains(&candidate.job) {
                continue;
            }
            match self.core(candidate, view) {
                CoreChoice::On(core) => return Some(Launch { stage: candidate.stage, core }),
                CoreChoice::NoneFits => {}
                CoreChoice::AtLimit => _ = at_limit.insert(candidate.job),
            }
        }
        // Nothing would ever happen.
        let stage = first.filter(|_| nothing_runs)?;
        Some(Launch { stage, core: view.lowest_fitting_core(stage)? })
    }

    /// The waiting stages that fit some memory: all, or those of jobs with free cores.
    fn candidates(&self, all: bool, most: u64, view: &View) -> BinaryHeap<Candidate> {
        if all {
            return self.scored(view.waiting(), most);
        }
        let waits = |stage: &StageView| stage.is_submitted() && stage.pending() > 0;
        self.scored(self.owners().into_iter().flat_map(|job| view.job(job).stages().filter(waits)), most)
    }

    fn scored<'a>(&'a self, stages: impl Iterator<Item = StageView<'a>>, most: u64) -> BinaryHeap<Candidate> {
        let fitting = stages.filter(|stage| stage.memory() <= most);
        let scores = self.embeddings.stage_scores(fitting);
        scores.map(|(stage, score)| Candidate { score, stage: stage.index(), job: stage.job() }).collect()
    }

    /// The jobs with free cores, by rank.
    fn owners(&self) -> Vec<Rank> {
        let mut jobs: Vec<Rank> = self.embeddings.owned().iter().map(|(_, _, job)| *job).collect();
        jobs.sort_unstable();
        jobs.dedup();
        jobs
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
        let mut beyond: Vec<(u32, Rank)> = self
            .owners()
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

/// A stage that may be chosen: of two the one with the greater score, or the first, is greater.
#[derive(Clone, Copy)]
struct Candidate {
    stage: StageIndex,
    job: Rank,
    score: f32,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        // 0 and -0 are equal.
        let [one, another] = [self, other].map(|candidate| candidate.score + 0.0);
        one.total_cmp(&another).then(other.stage.cmp(&self.stage))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Candidate) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

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

#[cfg(test)]
mod tests {
    use super::super::Decima;
    use super::*;
    use crate::engine::Engine;
    use crate::policy::explain::Key;
    use crate::policy::{Actions, Admission, Context, Info, Policy};
    use crate::scenario::PartitionMode;
    use crate::{Scenario, catalog};

    impl Agent {
        /// Looks for the greatest score again and again.
        fn next_task_slowly(&mut self, view: &View) -> Option<Launch> {
            if let Some(kept) = self.kept(view) {
                return Some(kept);
            }
            let most = view.largest_free_memory()?;
            self.update(view);
            let nothing_runs = self.running == 0;
            let may_move = nothing_runs || !self.released.is_empty();
            let may = |stage: &StageView| may_move || self.embeddings.counts(stage.job()).idle > 0;
            let fitting = view.waiting().filter(|stage| stage.memory() <= most).filter(may);
            let mut candidates: Vec<Candidate> = fitting.map(|stage| self.candidate(stage)).collect();
            let mut first = None;
            while !candidates.is_empty() {
                let candidate =
                    candidates.remove(greatest(candidates.iter().map(|candidate| candidate.score)));
                first = first.or(Some(candidate.stage));
                match self.core(candidate, view) {
                    CoreChoice::On(core) => return Some(Launch { stage: candidate.stage, core }),
                    CoreChoice::NoneFits => {}
                    CoreChoice::AtLimit => candidates.retain(|other| other.job != candidate.job),
                }
            }
            let stage = first.filter(|_| nothing_runs)?;
            Some(Launch { stage, core: view.lowest_fitting_core(stage)? })
        }
    }

    /// Decima that compares each decision.
    #[derive(Clone)]
    struct Compared(Decima);

    impl Policy for Compared {
        fn info() -> &'static Info {
            Decima::info()
        }

        fn new(context: &Context) -> Self {
            Compared(Decima::new(context))
        }

        fn job_arrived(&mut self, job: Rank, view: &View, actions: &mut Actions) -> Admission {
            self.0.job_arrived(job, view, actions)
        }

        fn job_ended(&mut self, job: Rank, view: &View, actions: &mut Actions) {
            self.0.job_ended(job, view, actions);
        }

        fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
            self.0.stage_submitted(stage, view);
        }

        fn task_launched(&mut self, launch: Launch, view: &View) {
            self.0.task_launched(launch, view);
        }

        fn task_ended(&mut self, launch: Launch, view: &View) {
            self.0.task_ended(launch, view);
        }

        fn offer_started(&mut self, cause: OfferCause, view: &View) {
            self.0.offer_started(cause, view);
        }

        fn next_task(&mut self, view: &View) -> Option<Launch> {
            let slow = self.0.clone().0.get_mut().next_task_slowly(view);
            let quick = self.0.next_task(view);
            assert_eq!(quick, slow, "at {:?}", view.now());
            quick
        }

        fn moves_cores(&self) -> bool {
            true
        }

        fn key(&self, stage: StageView) -> Key {
            self.0.key(stage)
        }
    }

    /// Jobs of two stages and tasks of many lengths on executors whose memory not every stage fits.
    fn with_memory(seed: u64) -> Scenario {
        let number = |index: u64, end: u64| (index + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15 ^ seed) % end;
        let jobs = (0..40).map(|job| {
            let stage = |index| {
                let tasks = (0..1 + number(index, 7)).map(|task| (1 + number(index + task, 30)).to_string());
                let (tasks, memory) = (tasks.collect::<Vec<_>>().join(","), 1 + number(index * 3, 8));
                format!(r#"{{ "memory_mb": {memory}, "tasks_s": [{tasks}] }}"#)
            };
            format!(
                r#"{{ "user": "ana", "arrival_s": {}, "stages": [{}, {}] }}"#,
                number(job, 20),
                stage(job * 10),
                stage(job * 10 + 5)
            )
        });
        let text = format!(
            r#"{{ "format": "fairlane/scenario@1", "jobs": [{}],
                "cluster": {{ "executors": 5, "cores_per_executor": 3, "memory_mb_per_executor": 9 }} }}"#,
            jobs.collect::<Vec<_>>().join(",")
        );
        Scenario::from_json(&text).expect("a sound scenario")
    }

    #[test]
    fn decisions_are_those_of_looking_for_the_greatest_score_again_and_again() {
        let named = ["heavy-first", "branches", "two-users"];
        let named = named.map(|name| catalog::find(name).expect("an entry").scenario());
        for scenario in named.into_iter().chain((0..12).map(with_memory)) {
            let mut engine = Engine::<Compared>::new(&scenario, PartitionMode::Default);
            while engine.step() {}
            engine.into_trace().expect("a schedule");
        }
    }
}
