//! What allocating policies share: the waiting stages by job, where each job has a key that moves with its running
//! tasks and its target (docs/model.md section 9).

use super::queue::CountQueue;
use super::{Launch, View};
use crate::ids::{CoreId, Rank, StageIndex};
use crate::tournament::{self, Tournament};

/// A number that orders as the number it is made of, negative or not; 0 and -0 are equal.
pub fn ordered(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The waiting stages by (key of the job, rank of arrival, running tasks of the stage, stage id).
///
/// O(log jobs) for each launch and end of a task, and for each new key of a job; where memory is modelled, a launch
/// looks at all waiting stages, because the first may not fit.
#[derive(Default)]
pub struct JobQueue {
    /// Jobs with waiting stages, by key.
    order: Tournament,
    jobs: Vec<JobEntry>,
    /// Where memory is modelled: the waiting stages.
    waiting: Vec<StageIndex>,
}

#[derive(Default)]
struct JobEntry {
    key: u64,
    running: u32,
    /// Its waiting stages, by position in the job.
    stages: Option<CountQueue>,
}

impl JobQueue {
    /// A job has arrived; it has no waiting stage yet.
    pub fn insert(&mut self, job: Rank, view: &View) {
        if self.jobs.is_empty() {
            self.jobs.resize_with(view.jobs() as usize, JobEntry::default);
        }
        self.jobs[job.index()].stages = Some(CountQueue::new(view.job(job).stages().len()));
    }

    /// A job has ended.
    pub fn remove(&mut self, job: Rank, view: &View) {
        self.jobs[job.index()].stages = None;
        self.order.clear(job.0);
        self.waiting.retain(|&stage| view.stage(stage).job() != job);
    }

    /// Running tasks of a job.
    pub fn running(&self, job: Rank) -> u32 {
        self.jobs[job.index()].running
    }

    /// Sets a job's key.
    pub fn set_key(&mut self, job: Rank, key: u64) {
        self.jobs[job.index()].key = key;
        self.update_order(job);
    }

    fn update_order(&mut self, job: Rank) {
        let entry = &self.jobs[job.index()];
        match entry.stages.as_ref().and_then(CountQueue::first) {
            Some(_) => self.order.set(job.0, tournament::key(entry.key, 0, job.0)),
            None => self.order.clear(job.0),
        }
    }

    /// A stage is submitted.
    pub fn push(&mut self, stage: StageIndex, view: &View) {
        if view.models_memory() {
            self.waiting.push(stage);
        }
        self.update_stage(stage, view);
        self.update_order(view.stage(stage).job());
    }

    /// A task was launched. The caller sets the job's key afterwards if it depends on the running tasks.
    pub fn task_launched(&mut self, stage: StageIndex, view: &View) {
        self.jobs[view.stage(stage).job().index()].running += 1;
        if view.models_memory() && view.stage(stage).pending() == 0 {
            self.waiting.retain(|&other| other != stage);
        }
        self.update_stage(stage, view);
    }

    /// A task has ended. The caller sets the job's key afterwards if it depends on the running tasks.
    pub fn task_ended(&mut self, stage: StageIndex, view: &View) {
        self.jobs[view.stage(stage).job().index()].running -= 1;
        self.update_stage(stage, view);
    }

    fn update_stage(&mut self, stage: StageIndex, view: &View) {
        let seen = view.stage(stage);
        let Some(stages) = &mut self.jobs[seen.job().index()].stages else { return };
        if seen.pending() > 0 {
            stages.set(seen.position(), seen.running());
        } else {
            stages.remove(seen.position());
        }
    }

    /// The next task by the keys as they are now, on the lowest-numbered free core that it fits.
    pub fn next_task(&self, view: &View) -> Option<Launch> {
        if view.models_memory() {
            let most = view.largest_free_memory()?;
            let fitting = self.waiting.iter().copied().filter(|&stage| view.stage(stage).memory() <= most);
            let stage = fitting.min_by_key(|&stage| {
                let seen = view.stage(stage);
                (self.jobs[seen.job().index()].key, seen.job(), seen.running(), stage)
            })?;
            return Some(Launch { stage, core: view.lowest_fitting_core(stage)? });
        }
        let job = Rank(tournament::seat(self.order.first()?));
        let position = self.jobs[job.index()].stages.as_ref()?.first()?;
        Some(Launch { stage: view.job(job).stage(position), core: view.lowest_free_core()? })
    }

    /// The next task of a job on a core, if it has one that fits it.
    pub fn next_task_of(&self, job: Rank, core: CoreId, view: &View) -> Option<Launch> {
        if !view.models_memory() {
            let position = self.jobs[job.index()].stages.as_ref()?.first()?;
            return Some(Launch { stage: view.job(job).stage(position), core });
        }
        let of_job = self.waiting.iter().copied().filter(|&stage| view.stage(stage).job() == job);
        let fitting = of_job.filter(|&stage| view.fits(stage, core));
        let stage = fitting.min_by_key(|&stage| (view.stage(stage).running(), stage))?;
        Some(Launch { stage, core })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_order() {
        let numbers = [f64::NEG_INFINITY, -2.5, -1.0, -1e-300, -0.0, 1e-300, 1.0, 7.0, f64::INFINITY];
        assert!(numbers.is_sorted_by_key(|&number| ordered(number)));
        assert_eq!(ordered(-0.0), ordered(0.0));
    }
}
