//! The jobs with waiting stages by their keys, for policies that rank jobs.

use std::collections::{BTreeMap, BTreeSet};

use super::{JobView, Launch, StageView, View};
use crate::ids::{Rank, StageIndex};

/// The jobs with waiting stages by (key, rank of arrival). O(log jobs) for each new key.
#[derive(Clone, Debug, Default)]
pub struct JobQueue {
    jobs: BTreeSet<(u64, Rank)>,
    /// By rank: the key in `jobs`.
    keys: Vec<Option<u64>>,
    /// The last change, not made yet: a core that becomes free mostly goes to a task of the same job, which takes the
    /// change back.
    last: Option<(Rank, Option<u64>)>,
    stages: StagesByJob,
}

/// The waiting stages of each job by (order, stage id).
#[derive(Clone, Debug, Default)]
pub(super) struct StagesByJob {
    /// Those of jobs that have many, by rank of the job.
    many: BTreeMap<Rank, BTreeSet<(u32, StageIndex)>>,
    /// By stage: the order in `many`.
    orders: Vec<Option<u32>>,
}

/// Stages of a job up to which going through all of them is as quick as keeping them in order.
const FEW_STAGES: usize = 16;

impl StagesByJob {
    /// The counts of a stage have changed, or what orders it in its job.
    pub fn stage_changed(&mut self, stage: StageView, order: u32) {
        if stage.job_view().stages().len() <= FEW_STAGES {
            return;
        }
        let index = stage.index();
        if self.orders.len() <= index.index() {
            self.orders.resize(stage.view().stages() as usize, None);
        }
        let order = (stage.is_submitted() && stage.pending() > 0).then_some(order);
        let before = std::mem::replace(&mut self.orders[index.index()], order);
        if before == order {
            return;
        }
        let waiting = self.many.entry(stage.job()).or_default();
        before.map(|before| waiting.remove(&(before, index)));
        order.map(|order| waiting.insert((order, index)));
        if waiting.is_empty() {
            self.many.remove(&stage.job());
        }
    }

    /// The least waiting stage of a job that needs no more than some memory.
    pub fn first_stage<K: Ord>(
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
        let fits = |stage: &StageIndex| view.stage(*stage).memory() <= most;
        self.many.get(&job.rank())?.iter().map(|&(_, stage)| stage).find(fits)
    }
}

impl JobQueue {
    /// The counts of a stage have changed, or what orders it in its job.
    pub fn stage_changed(&mut self, stage: StageView, order: u32) {
        self.stages.stage_changed(stage, order);
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
        let first = |&(_, job): &(u64, Rank)| self.stages.first_stage(view.job(job), most, view, &order);
        let stage = self.jobs.iter().find_map(first)?;
        Some(Launch { stage, core: view.lowest_fitting_core(stage)? })
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
