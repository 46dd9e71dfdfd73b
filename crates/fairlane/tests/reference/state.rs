//! What a policy sees of a simulation.

use super::executors::Executor;
use super::setting::Exclusion;
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
#[derive(Clone, Default)]
pub struct Counts {
    pub submitted: bool,
    /// Attempts.
    pub running: u64,
    /// Its tasks that have not been launched or have returned, in the order in which they launch.
    pub pending: Vec<usize>,
    /// Section 24.
    pub marks: Vec<usize>,
    pub tasks: Vec<Task>,
    /// Whether the driver has handled its end, and it was not reopened since.
    pub ended: bool,
    /// Lengths of the attempts that ended by themselves.
    pub lengths: Vec<u64>,
    /// Section 22: whether the level is `any`, and the reset.
    pub level_is_any: bool,
    pub reset: u64,
    /// Whether the delay before its submission runs.
    pub delay_runs: bool,
    /// Section 29: when its first task was launched.
    pub first_launch: Option<u64>,
}

/// How far a task is.
#[derive(Clone, Default)]
pub struct Task {
    pub ended: bool,
    /// The executor and which of its stays it ended in.
    pub output: Option<(usize, u64)>,
    /// Whether its stage has ended and the output is lost.
    pub missing: bool,
    /// The executors on which it had an attempt.
    pub tried: Vec<usize>,
}

/// A task on a core.
#[derive(Clone, Copy)]
pub struct Attempt {
    /// Its line in the trace.
    pub row: usize,
    pub job: usize,
    pub stage: usize,
    pub task: usize,
    pub core: usize,
    pub start: u64,
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
    /// By job.
    pub cancelled: Vec<bool>,
    pub cores: Vec<Core>,
    /// Those that hold a core, in the order of launch.
    pub attempts: Vec<Attempt>,
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

    /// Section 28: tasks that are not launched, of a stage that may not have been submitted.
    pub fn not_launched(&self, job: usize, stage: usize) -> usize {
        let counts = &self.counts[job][stage];
        if counts.submitted { counts.pending.len() } else { self.setting.jobs[job].stages[stage].tasks.len() }
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

    /// Section 23: whether a parent has not ended or has missing tasks.
    pub fn is_blocked(&self, job: usize, stage: usize) -> bool {
        self.setting.jobs[job].stages[stage].parents.iter().any(|&parent| {
            let counts = &self.counts[job][parent];
            !counts.ended || counts.tasks.iter().any(|task| task.missing)
        })
    }

    fn may_run(&self, job: usize, stage: usize) -> bool {
        self.counts[job][stage].submitted
            && self.phases[job] == Phase::Started
            && !self.is_blocked(job, stage)
    }

    /// Pending tasks that count: not of a stage that waits for a parent.
    pub fn pending(&self, job: usize, stage: usize) -> usize {
        if self.may_run(job, stage) { self.counts[job][stage].pending.len() } else { 0 }
    }

    /// Marks that count.
    pub fn marks(&self, job: usize, stage: usize) -> usize {
        if self.may_run(job, stage) { self.counts[job][stage].marks.len() } else { 0 }
    }

    /// All stages of all jobs.
    pub fn stages(&self) -> Vec<(usize, usize)> {
        let jobs = 0..self.counts.len();
        jobs.flat_map(|job| (0..self.counts[job].len()).map(move |stage| (job, stage))).collect()
    }

    /// The submitted stages with pending tasks or marks.
    pub fn waiting(&self) -> Vec<(usize, usize)> {
        let waits = |&(job, stage): &(usize, usize)| self.pending(job, stage) + self.marks(job, stage) > 0;
        self.stages().into_iter().filter(waits).collect()
    }

    /// The number of the Spark job of a stage that has been submitted.
    pub fn spark_job_number(&self, job: usize, stage: usize) -> u64 {
        let spark_job = (job, self.setting.jobs[job].stages[stage].spark_job);
        self.spark_jobs.iter().position(|other| *other == spark_job).unwrap() as u64
    }

    pub fn executor_of(&self, core: usize) -> usize {
        core / self.setting.cores_per_executor as usize
    }

    /// Whether an executor is there and takes tasks.
    pub fn takes_tasks(&self, executor: usize) -> bool {
        self.executors[executor].as_ref().is_some_and(|executor| executor.wanted)
    }

    /// Whether a core runs nothing and its executor takes tasks.
    pub fn is_free(&self, core: usize) -> bool {
        self.cores[core].runs.is_none() && self.takes_tasks(self.executor_of(core))
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
        self.is_free(core)
            && self.free_memory(executor).is_none_or(|free| memory <= free)
            && self.takes(executor as usize, job, stage)
    }

    /// Section 29: whether an executor takes tasks of a stage now.
    pub fn takes(&self, executor: usize, job: usize, stage: usize) -> bool {
        let spec = &self.setting.jobs[job].stages[stage];
        let profile = self.setting.resource_profiles.get(executor).copied().unwrap_or(0);
        if profile != spec.resource_profile {
            return false;
        }
        for exclusion in &self.setting.exclusions {
            if exclusion.executor == executor && self.is_in(exclusion, 0) {
                return false;
            }
        }
        let Some(first) = self.counts[job][stage].first_launch else { return true };
        for exclusion in &spec.exclusions {
            if exclusion.executor == executor && self.now > first && self.is_in(exclusion, first) {
                return false;
            }
        }
        true
    }

    fn is_in(&self, exclusion: &Exclusion, start: u64) -> bool {
        let has_begun = self.now >= start + exclusion.from;
        let is_over = exclusion.lasts.is_some_and(|lasts| self.now >= start + exclusion.from + lasts);
        has_begun && !is_over
    }
}
