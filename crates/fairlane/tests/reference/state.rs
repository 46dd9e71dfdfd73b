//! What a policy sees of a simulation.

use super::executors::Executor;
use super::{Line, Setting};

/// A core: the stage, by job and index, whose task it runs, and that of its last task.
#[derive(Clone, Copy, Default)]
pub struct Core {
    pub runs: Option<(usize, usize)>,
    pub last: Option<(usize, usize)>,
    /// Section 28: the job that it was given to last, and when.
    pub owner: Option<usize>,
    pub given: u64,
}

/// How far a stage is.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub submitted: bool,
    pub launched: usize,
    pub running: u64,
    pub finished: usize,
}

/// How far a job is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Future,
    Waiting,
    Started,
    Ended,
}

/// What a policy sees.
pub struct State<'a> {
    pub setting: &'a Setting,
    pub now: u64,
    /// When each job arrived, 0 before.
    pub arrivals: Vec<u64>,
    /// a, by job; 0 before it arrives.
    pub ranks: Vec<u64>,
    /// Stage ids by job; none before it arrives.
    pub ids: Vec<Vec<u64>>,
    /// Section 12: the Spark jobs, by job and the file's number, of which a stage has been submitted. A Spark job's
    /// number is its place.
    pub spark_jobs: Vec<(usize, u64)>,
    pub counts: Vec<Vec<Counts>>,
    pub phases: Vec<Phase>,
    pub cores: Vec<Core>,
    /// Those that are there, by number.
    pub executors: Vec<Option<Executor>>,
    /// The tasks launched, in this order, with the ends that they will have.
    pub lines: Vec<Line>,
}

impl State<'_> {
    /// Jobs from arrival to end, by rank.
    pub fn active_jobs(&self) -> Vec<usize> {
        let active = |&job: &usize| matches!(self.phases[job], Phase::Waiting | Phase::Started);
        let mut jobs: Vec<usize> = (0..self.phases.len()).filter(active).collect();
        jobs.sort_by_key(|&job| self.ranks[job]);
        jobs
    }

    /// N_job.
    pub fn running_of_job(&self, job: usize) -> u64 {
        self.counts[job].iter().map(|counts| counts.running).sum()
    }

    /// H_job; N_job where cores belong to nobody.
    pub fn held_by_job(&self, job: usize) -> u64 {
        let free = (0..self.cores.len()).filter(|&core| self.is_free(core) && self.owner(core) == Some(job));
        self.running_of_job(job) + free.count() as u64
    }

    /// The job that a core belongs to.
    pub fn owner(&self, core: usize) -> Option<usize> {
        self.cores[core].owner.filter(|&job| self.phases[job] != Phase::Ended)
    }

    /// N_user.
    pub fn running_of_user(&self, user: usize) -> u64 {
        let jobs = (0..self.counts.len()).filter(|&job| self.setting.jobs[job].user == user);
        jobs.map(|job| self.running_of_job(job)).sum()
    }

    /// Running and pending tasks of a user.
    pub fn demand_of_user(&self, user: usize) -> u64 {
        let jobs = (0..self.counts.len()).filter(|&job| self.setting.jobs[job].user == user);
        let pending = |job: usize| (0..self.counts[job].len()).map(move |stage| self.pending(job, stage));
        self.running_of_user(user) + jobs.flat_map(pending).sum::<usize>() as u64
    }

    pub fn pending(&self, job: usize, stage: usize) -> usize {
        let Counts { submitted, launched, .. } = self.counts[job][stage];
        if submitted { self.setting.jobs[job].stages[stage].tasks.len() - launched } else { 0 }
    }

    /// The submitted stages with pending tasks.
    pub fn waiting(&self) -> Vec<(usize, usize)> {
        let jobs = 0..self.counts.len();
        let stages = jobs.flat_map(|job| (0..self.counts[job].len()).map(move |stage| (job, stage)));
        stages.filter(|&(job, stage)| self.pending(job, stage) > 0).collect()
    }

    /// The number of the Spark job of a stage that has been submitted.
    pub fn spark_job_number(&self, job: usize, stage: usize) -> u64 {
        let spark_job = (job, self.setting.jobs[job].stages[stage].spark_job);
        self.spark_jobs.iter().position(|other| *other == spark_job).unwrap() as u64
    }

    /// Whether a core runs nothing and its executor takes tasks.
    pub fn is_free(&self, core: usize) -> bool {
        let executor = self.executors[core / self.setting.cores_per_executor as usize];
        self.cores[core].runs.is_none() && executor.is_some_and(|executor| executor.wanted)
    }

    /// Memory that the tasks on an executor leave free; `None` if it is not modelled.
    pub fn free_memory(&self, executor: u64) -> Option<u64> {
        let memory = self.setting.memory?;
        let first = executor * self.setting.cores_per_executor;
        let cores = &self.cores[first as usize..(first + self.setting.cores_per_executor) as usize];
        let running = cores.iter().filter_map(|core| core.runs);
        Some(memory - running.map(|(job, stage)| self.setting.jobs[job].stages[stage].memory).sum::<u64>())
    }

    /// Whether a core is free and a task of a stage fits it.
    pub fn fits(&self, job: usize, stage: usize, core: usize) -> bool {
        let executor = core as u64 / self.setting.cores_per_executor;
        let memory = self.setting.jobs[job].stages[stage].memory;
        self.is_free(core) && self.free_memory(executor).is_none_or(|free| memory <= free)
    }

    pub fn lowest_fitting_core(&self, job: usize, stage: usize) -> Option<usize> {
        (0..self.cores.len()).find(|&core| self.fits(job, stage, core))
    }
}
