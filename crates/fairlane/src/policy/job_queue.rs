//! The waiting stages by job: the job with the least key goes first, and then a stage of it.

use std::rc::Rc;

use super::by_memory::{ByMemory, GroupKeys};
use super::queue::CountQueue;
use super::{Launch, View};
use crate::ids::{CoreId, Rank, StageIndex};
use crate::tournament::{self, Tournament};

/// The waiting stages by (key of the job, rank of arrival, order of the stages in the job).
///
/// O(log stages) for each launch and end of a task and for each new key of a job.
#[derive(Default)]
pub struct JobQueue {
    /// By stage index: its position in the order of its job's stages. Empty if that is (running tasks, stage id).
    positions: Rc<[u32]>,
    jobs: Vec<JobEntry>,
    /// Jobs with waiting stages by key, in slots that jobs leave when they end. Unused where memory is modelled.
    order: Tournament,
    free_slots: Vec<u32>,
    slots: u32,
    /// Where memory is modelled: the stages by memory.
    memory: Option<MemoryQueue>,
}

#[derive(Default)]
struct JobEntry {
    key: u64,
    running: u32,
    /// Its waiting stages, where memory is not modelled and until it ends.
    stages: Option<JobStages>,
}

/// The waiting stages of a job.
struct JobStages {
    slot: u32,
    counts: CountQueue,
    /// The stages by position, where that is their order.
    by_position: Vec<u32>,
}

impl JobQueue {
    /// An empty queue. `positions` are, by stage index, those among the stages of a job; none if stages are ordered by
    /// (running tasks, stage id).
    pub fn new(positions: Rc<[u32]>) -> JobQueue {
        JobQueue { positions, ..JobQueue::default() }
    }

    /// A job has arrived; it has no waiting stage yet.
    pub fn insert(&mut self, job: Rank, view: &View) {
        if self.jobs.is_empty() {
            self.jobs.resize_with(view.jobs() as usize, JobEntry::default);
            self.memory = view.models_memory().then(|| MemoryQueue::new(view));
        }
        if self.memory.is_some() {
            return;
        }
        let slot = self.free_slots.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        });
        let stages = view.job(job).stages().len() as u32;
        let mut by_position = Vec::new();
        if !self.positions.is_empty() {
            by_position.resize(stages as usize, 0);
            for stage in 0..stages {
                by_position[self.positions[view.job(job).stage(stage).index()] as usize] = stage;
            }
        }
        let counts = CountQueue::new(stages as usize);
        self.jobs[job.index()].stages = Some(JobStages { slot, counts, by_position });
    }

    /// A job has ended.
    pub fn remove(&mut self, job: Rank, view: &View) {
        if let Some(memory) = &mut self.memory {
            view.job(job).stages().for_each(|stage| memory.stages.clear(stage.index()));
            memory.update(job, 0);
        }
        if let Some(JobStages { slot, .. }) = self.jobs[job.index()].stages.take() {
            self.order.clear(slot);
            self.free_slots.push(slot);
        }
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

    /// Sets the keys of active jobs by their running tasks.
    pub fn set_keys(&mut self, active: &[Rank], key: impl Fn(Rank, u32) -> u64) {
        let JobQueue { jobs, order, memory, .. } = self;
        for &job in active {
            let entry = &mut jobs[job.index()];
            entry.key = key(job, entry.running);
        }
        match memory {
            Some(memory) => {
                memory.jobs.set_all(active.iter().map(|&job| (job.0, (jobs[job.index()].key, job))))
            }
            None => order.set_all(active.iter().map(|&job| jobs[job.index()].in_order(job))),
        }
    }

    fn update_order(&mut self, job: Rank) {
        let entry = &self.jobs[job.index()];
        if let Some(memory) = &mut self.memory {
            return memory.update(job, entry.key);
        }
        if entry.stages.is_some() {
            let (slot, key) = entry.in_order(job);
            self.order.set(slot, key);
        }
    }

    /// A stage is submitted.
    pub fn push(&mut self, stage: StageIndex, view: &View) {
        self.update_stage(stage, view);
        self.update_order(view.stage(stage).job());
    }

    /// A task was launched: sets its job's key by the running tasks.
    pub fn task_launched(&mut self, stage: StageIndex, view: &View, key: impl Fn(Rank, u32) -> u64) {
        self.jobs[view.stage(stage).job().index()].running += 1;
        self.update_counts(stage, view, key);
    }

    /// A task has ended: sets its job's key by the running tasks.
    pub fn task_ended(&mut self, stage: StageIndex, view: &View, key: impl Fn(Rank, u32) -> u64) {
        self.jobs[view.stage(stage).job().index()].running -= 1;
        self.update_counts(stage, view, key);
    }

    fn update_counts(&mut self, stage: StageIndex, view: &View, key: impl Fn(Rank, u32) -> u64) {
        self.update_stage(stage, view);
        let job = view.stage(stage).job();
        self.set_key(job, key(job, self.running(job)));
    }

    fn update_stage(&mut self, stage: StageIndex, view: &View) {
        let seen = view.stage(stage);
        let (count, position) = match self.positions.get(stage.index()) {
            Some(&position) => (0, position),
            None => (seen.running(), seen.position()),
        };
        if let Some(memory) = &mut self.memory {
            match seen.pending() {
                0 => memory.stages.clear(stage),
                _ => memory.stages.set(stage, (count, position)),
            }
        } else if let Some(JobStages { counts, .. }) = &mut self.jobs[seen.job().index()].stages {
            match seen.pending() {
                0 => counts.remove(position),
                _ => counts.set(position, count),
            }
        }
    }

    /// The next task by the keys as they are now, on the lowest-numbered free core that it fits.
    pub fn next_task(&self, view: &View) -> Option<Launch> {
        match &self.memory {
            Some(memory) => {
                let stage = memory.first(view.largest_free_memory()?)?;
                Some(Launch { stage, core: view.lowest_fitting_core(stage)? })
            }
            None => {
                let job = Rank((self.order.first()? >> 32) as u32);
                Some(Launch { stage: self.first_of(job, view)?, core: view.lowest_free_core()? })
            }
        }
    }

    /// The next task of a job on a free core, if it has one that fits it.
    pub fn next_task_of(&self, job: Rank, core: CoreId, view: &View) -> Option<Launch> {
        let stage = match &self.memory {
            Some(memory) => {
                let free = view.free_memory_of(view.executor_of(core))?;
                memory.stages.first_of(job.0, free)?
            }
            None => self.first_of(job, view)?,
        };
        Some(Launch { stage, core })
    }

    fn first_of(&self, job: Rank, view: &View) -> Option<StageIndex> {
        let JobStages { counts, by_position, .. } = self.jobs[job.index()].stages.as_ref()?;
        let first = counts.first()?;
        Some(view.job(job).stage(by_position.get(first as usize).copied().unwrap_or(first)))
    }
}

impl JobEntry {
    /// The slot and the key in the order of jobs: that of no waiting stage if there is none. For active jobs.
    fn in_order(&self, job: Rank) -> (u32, u128) {
        match &self.stages {
            Some(JobStages { slot, counts, .. }) if counts.first().is_some() => {
                (*slot, tournament::key(self.key, job.0, *slot))
            }
            Some(JobStages { slot, .. }) => (*slot, tournament::EMPTY),
            None => (0, tournament::EMPTY),
        }
    }
}

/// The waiting stages by memory: by (count, position) in each job, and the jobs by (key, rank).
struct MemoryQueue {
    stages: ByMemory<(u32, u32)>,
    jobs: GroupKeys<(u64, Rank)>,
}

impl MemoryQueue {
    fn new(view: &View) -> MemoryQueue {
        let job_of = |stage: StageIndex| view.stage(stage).job().0;
        MemoryQueue {
            stages: ByMemory::new(view, view.jobs(), &job_of),
            jobs: GroupKeys::new(view, view.jobs()),
        }
    }

    /// A job has another key or other waiting stages.
    fn update(&mut self, job: Rank, key: u64) {
        self.jobs.set(job.0, self.stages.least_of(job.0), (key, job));
    }

    /// The first stage of the first job with a stage that needs no more than some memory.
    fn first(&self, most: u64) -> Option<StageIndex> {
        self.stages.first_of(self.jobs.first(self.stages.fitting(most))?, most)
    }
}
