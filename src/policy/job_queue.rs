//! The waiting stages by job: the job with the least key goes first, and then a stage of it.

use std::rc::Rc;

use super::queue::CountQueue;
use super::{Launch, View};
use crate::bits::BitSet;
use crate::ids::{CoreId, Rank, StageIndex};
use crate::order;
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
            view.job(job).stages().for_each(|stage| memory.clear(stage.index()));
            memory.update(job, 0, view);
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
    pub fn set_key(&mut self, job: Rank, key: u64, view: &View) {
        self.jobs[job.index()].key = key;
        self.update_order(job, view);
    }

    /// Sets the keys of active jobs by their running tasks.
    pub fn set_keys(&mut self, active: &[Rank], key: impl Fn(Rank, u32) -> u64, view: &View) {
        if self.memory.is_some() {
            active.iter().for_each(|&job| self.set_key(job, key(job, self.running(job)), view));
            return;
        }
        let JobQueue { jobs, order, .. } = self;
        order.set_all(active.iter().map(|&job| {
            let entry = &mut jobs[job.index()];
            entry.key = key(job, entry.running);
            entry.in_order(job)
        }));
    }

    fn update_order(&mut self, job: Rank, view: &View) {
        let entry = &self.jobs[job.index()];
        if let Some(memory) = &mut self.memory {
            return memory.update(job, entry.key, view);
        }
        if entry.stages.is_some() {
            let (slot, key) = entry.in_order(job);
            self.order.set(slot, key);
        }
    }

    /// A stage is submitted.
    pub fn push(&mut self, stage: StageIndex, view: &View) {
        self.update_stage(stage, view);
        self.update_order(view.stage(stage).job(), view);
    }

    /// A task was launched. The caller sets the job's key afterwards.
    pub fn task_launched(&mut self, stage: StageIndex, view: &View) {
        self.jobs[view.stage(stage).job().index()].running += 1;
        self.update_stage(stage, view);
    }

    /// A task has ended. The caller sets the job's key afterwards.
    pub fn task_ended(&mut self, stage: StageIndex, view: &View) {
        self.jobs[view.stage(stage).job().index()].running -= 1;
        self.update_stage(stage, view);
    }

    fn update_stage(&mut self, stage: StageIndex, view: &View) {
        let seen = view.stage(stage);
        let (count, position) = match self.positions.get(stage.index()) {
            Some(&position) => (0, position),
            None => (seen.running(), seen.position()),
        };
        if let Some(memory) = &mut self.memory {
            match seen.pending() {
                0 => memory.clear(stage),
                _ => memory.set(stage, count, position),
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
                let most = view.largest_free_memory()?;
                let stage = memory.first_of(memory.first_job(most)?, most, view)?;
                Some(Launch { stage, core: view.lowest_fitting_core(stage)? })
            }
            None => {
                let job = rank(self.order.first()?);
                Some(Launch { stage: self.first_of(job, view)?, core: view.lowest_free_core()? })
            }
        }
    }

    /// The next task of a job on a free core, if it has one that fits it.
    pub fn next_task_of(&self, job: Rank, core: CoreId, view: &View) -> Option<Launch> {
        let stage = match &self.memory {
            Some(memory) => memory.first_of(job, view.free_memory_of(view.executor_of(core))?, view)?,
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

/// The job of a key in the order of jobs.
fn rank(key: u128) -> Rank {
    Rank((key >> 32) as u32)
}

/// The waiting stages by the memory that their tasks hold, so that the first of those that fit is known.
struct MemoryQueue {
    /// By stage index: its slots in the next two.
    slots: Vec<StageSlots>,
    /// Stages with a slot each, job by job and then by memory: the order of stages.
    stages: Tournament,
    /// Those that wait.
    waiting: BitSet,
    /// By slot in `stages`: the stage and its memory.
    in_jobs: Vec<(StageIndex, u64)>,
    /// Stages with a slot each, by memory; a job's key is in the slot of its waiting stage with the least memory.
    jobs: Tournament,
    /// By slot in `jobs`: the memory.
    memory: Vec<u64>,
    /// By rank: the slot of the job's key.
    keyed: Vec<Option<u32>>,
}

#[derive(Clone, Copy, Default)]
struct StageSlots {
    in_job: u32,
    overall: u32,
}

impl MemoryQueue {
    fn new(view: &View) -> MemoryQueue {
        let count = view.stages() as usize;
        let memory = |stage: u32| view.stage(StageIndex(stage)).memory();
        let overall = order::by_key(count, memory);
        let mut in_jobs: Vec<(StageIndex, u64)> =
            overall.iter().map(|&stage| (StageIndex(stage), memory(stage))).collect();
        order::sort_by_key(&mut in_jobs, |&(stage, _)| view.stage(stage).job());
        let mut slots = vec![StageSlots::default(); count];
        (0..).zip(&overall).for_each(|(slot, &stage)| slots[stage as usize].overall = slot);
        (0..).zip(&in_jobs).for_each(|(slot, (stage, _))| slots[stage.index()].in_job = slot);
        MemoryQueue {
            slots,
            stages: Tournament::new(count),
            waiting: BitSet::new(count),
            jobs: Tournament::new(count),
            memory: overall.into_iter().map(memory).collect(),
            in_jobs,
            keyed: vec![None; view.jobs() as usize],
        }
    }

    /// A stage waits, with a count and a position in its job.
    fn set(&mut self, stage: StageIndex, count: u32, position: u32) {
        let slot = self.slots[stage.index()].in_job;
        self.waiting.insert(slot);
        self.stages.set(slot, tournament::key(u64::from(count), position, slot));
    }

    /// A stage does not wait.
    fn clear(&mut self, stage: StageIndex) {
        let slot = self.slots[stage.index()].in_job;
        self.waiting.remove(slot);
        self.stages.clear(slot);
    }

    /// The slots of a job's stages in `stages`.
    fn range(job: Rank, view: &View) -> std::ops::Range<u32> {
        let first = view.job(job).stage(0).0;
        first..first + view.job(job).stages().len() as u32
    }

    /// A job has another key or other waiting stages.
    fn update(&mut self, job: Rank, key: u64, view: &View) {
        let range = Self::range(job, view);
        let least = self.waiting.first_from(range.start).filter(|slot| range.contains(slot));
        let slot = least.map(|slot| self.slots[self.in_jobs[slot as usize].0.index()].overall);
        let before = std::mem::replace(&mut self.keyed[job.index()], slot);
        if let Some(before) = before.filter(|_| before != slot) {
            self.jobs.clear(before);
        }
        if let Some(slot) = slot {
            self.jobs.set(slot, tournament::key(key, job.0, slot));
        }
    }

    /// The job with the least key of those with a waiting stage that needs no more than some memory.
    fn first_job(&self, most: u64) -> Option<Rank> {
        let fitting = self.memory.partition_point(|&memory| memory <= most) as u32;
        self.jobs.first_among(0..fitting).map(rank)
    }

    /// The first stage of a job that needs no more than some memory.
    fn first_of(&self, job: Rank, most: u64, view: &View) -> Option<StageIndex> {
        let range = Self::range(job, view);
        let stages = &self.in_jobs[range.start as usize..range.end as usize];
        let fitting = stages.partition_point(|&(_, memory)| memory <= most) as u32;
        let first = self.stages.first_among(range.start..range.start + fitting)?;
        Some(self.in_jobs[tournament::slot(first) as usize].0)
    }
}
