//! The jobs with waiting stages by their keys, for policies that rank jobs.

use std::collections::{BTreeMap, BTreeSet};

use super::{JobView, Launch, StageView, View};
use crate::ids::{CoreId, Rank, StageIndex};

/// The jobs with waiting stages by (key, rank of arrival). O(log jobs) for each new key.
#[derive(Clone, Debug, Default)]
pub struct JobQueue {
    jobs: BTreeSet<(u64, Rank)>,
    /// By rank: the key in `jobs`.
    keys: Vec<Option<u64>>,
    /// The last change, not made yet: a core that becomes free mostly goes to a task of the same job, which takes the
    /// change back.
    last: Option<(Rank, Option<u64>)>,
    /// The waiting stages of jobs that have many, by rank of the job.
    stages: BTreeMap<Rank, OrderedStages>,
}

/// The waiting stages of a job by (order, stage id).
#[derive(Clone, Debug)]
struct OrderedStages {
    waiting: BTreeSet<(u32, StageIndex)>,
    /// By position in the job: the order in `waiting`.
    orders: Vec<Option<u32>>,
}

/// Stages of a job up to which going through all of them is as quick as keeping them in order.
const FEW_STAGES: usize = 16;

impl JobQueue {
    /// The counts of a stage have changed, or what orders it in its job.
    pub fn stage_changed(&mut self, stage: StageView, order: u32) {
        let count = stage.job_view().stages().len();
        if count <= FEW_STAGES {
            return;
        }
        let of_job = self
            .stages
            .entry(stage.job())
            .or_insert_with(|| OrderedStages { waiting: BTreeSet::new(), orders: vec![None; count] });
        let order = (stage.is_submitted() && stage.pending() > 0).then_some(order);
        let before = std::mem::replace(&mut of_job.orders[stage.position() as usize], order);
        if before != order {
            before.map(|before| of_job.waiting.remove(&(before, stage.index())));
            order.map(|order| of_job.waiting.insert((order, stage.index())));
        }
        if of_job.waiting.is_empty() {
            self.stages.remove(&stage.job());
        }
    }

    /// The least waiting stage of a job that needs no more than some memory.
    fn first_stage<K: Ord>(
        &self,
        job: JobView,
        most: u64,
        view: &View,
        order: impl Fn(StageView) -> K,
    ) -> Option<StageIndex> {
        if job.stages().len() <= FEW_STAGES {
            let waiting = job.stages().filter(|stage| stage.is_submitted() && stage.pending() > 0);
            let fitting = waiting.filter(|stage| stage.memory() <= most);
            return fitting.min_by_key(|&stage| order(stage)).map(|stage| stage.index());
        }
        let waiting = &self.stages.get(&job.rank())?.waiting;
        let fits = |stage: &StageIndex| view.stage(*stage).memory() <= most;
        waiting.iter().map(|&(_, stage)| stage).find(fits)
    }

    /// The counts of a job have changed, or its key: it waits if it has pending tasks.
    pub fn update(&mut self, job: JobView, key: u64) {
        self.set(job.rank(), (job.pending() > 0).then_some(key));
    }

    /// A job does not wait.
    pub fn remove(&mut self, job: Rank) {
        self.set(job, None);
    }

    fn set(&mut self, rank: Rank, key: Option<u64>) {
        if self.last.is_some_and(|(last, _)| last != rank) {
            self.make_last();
        }
        self.last = Some((rank, key));
    }

    /// Makes the last change.
    fn make_last(&mut self) {
        let Some((rank, key)) = self.last.take() else { return };
        if self.keys.len() <= rank.index() {
            self.keys.resize(rank.index() + 1, None);
        }
        let before = std::mem::replace(&mut self.keys[rank.index()], key);
        if before == key {
            return;
        }
        if let Some(before) = before {
            self.jobs.remove(&(before, rank));
        }
        if let Some(key) = key {
            self.jobs.insert((key, rank));
        }
    }

    /// The next task of the first job with one that fits a free core; in a job of the least stage by `order`.
    pub fn next_task<K: Ord>(&mut self, view: &View, order: impl Fn(StageView) -> K) -> Option<Launch> {
        self.make_last();
        let most = view.largest_free_memory()?;
        let first = |&(_, job): &(u64, Rank)| self.first_stage(view.job(job), most, view, &order);
        let stage = self.jobs.iter().find_map(first)?;
        Some(Launch { stage, core: view.lowest_fitting_core(stage)? })
    }

    /// The next task of a job on a free core, if it has one that fits it.
    pub fn next_task_of<K: Ord>(
        &self,
        job: JobView,
        core: CoreId,
        view: &View,
        order: impl Fn(StageView) -> K,
    ) -> Option<Launch> {
        let free = view.free_memory_of(view.executor_of(core)).unwrap_or(u64::MAX);
        Some(Launch { stage: self.first_stage(job, free, view, &order)?, core })
    }
}

/// A number that orders as the number it is made of, negative or not; 0 and -0 are equal.
pub fn ordered(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The number that [`ordered`] has made another one of.
pub fn ordered_number(number: u64) -> f64 {
    f64::from_bits(if number >> 63 == 1 { number & !(1 << 63) } else { !number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_order() {
        let numbers = [f64::NEG_INFINITY, -2.5, -1.0, -1e-300, -0.0, 1e-300, 1.0, 7.0, f64::INFINITY];
        assert!(numbers.is_sorted_by_key(|&number| ordered(number)));
        assert_eq!(ordered(-0.0), ordered(0.0));
        assert!(numbers.iter().all(|&number| ordered_number(ordered(number)) == number));
    }
}
