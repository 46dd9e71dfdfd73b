//! What happened, as a trace of the scenario.

use std::collections::HashMap;

use super::jobs::{ImportJob, JobEnd};
use super::parts::ScenarioParts;
use super::record::TaskEnd;
use fairlane::ids::{CoreId, JobId};
use fairlane::policy::OBSERVED;
use fairlane::scenario::Scenario;
use fairlane::trace::{ExecutorRun, JobRun, KillReason, Outcome, TaskRun, Trace};
use fairlane::units::Time;

impl ScenarioParts<'_> {
    /// How each job ended for its user.
    pub(super) fn outcomes(&self) -> Vec<Outcome> {
        let outcome = |(job, last): (&ImportJob, Time)| match job.end {
            JobEnd::WithTasks => Outcome::Finished(last),
            JobEnd::Answered(at) => Outcome::Finished(last.max(self.time(at))),
            JobEnd::Stopped(at) | JobEnd::Interrupted(at) => {
                Outcome::Cancelled(self.time(at).max(self.time(job.arrival)))
            }
            JobEnd::Unfinished => Outcome::Dropped(last.max(self.time(self.log.counts.last))),
        };
        self.jobs.iter().zip(self.last_ends()).map(outcome).collect()
    }

    /// When the last task of each job ended.
    pub(super) fn last_ends(&self) -> Vec<Time> {
        let mut ends = vec![Time::ZERO; self.jobs.len()];
        for (run, &end) in self.tasks.runs.iter().zip(&self.schedule.ends) {
            let of_job = &mut ends[self.job_of[run.node as usize] as usize];
            *of_job = Time(end).max(*of_job);
        }
        ends
    }

    /// The trace of what happened: `outcomes` are those of the scenario's jobs.
    pub(super) fn trace(&self, scenario: &Scenario, outcomes: Vec<Outcome>) -> Trace {
        let mut stage_of = vec![0; self.tasks.nodes.len()];
        for job in &self.jobs {
            (0..).zip(&job.nodes).for_each(|(stage, &node)| stage_of[node as usize] = stage);
        }
        let mut tasks: Vec<TaskRun> = Vec::with_capacity(self.tasks.runs.len());
        for (index, run) in self.tasks.runs.iter().enumerate() {
            tasks.push(TaskRun {
                job: JobId(self.job_of[run.node as usize]),
                stage: stage_of[run.node as usize],
                task: self.attempts.number(index as u32),
                core: CoreId(self.placement.core[index]),
                start: Time(self.schedule.starts[index]),
                end: Time(self.schedule.ends[index]),
            });
        }
        let mut order: Vec<u32> = (0..tasks.len() as u32).collect();
        order.sort_by_key(|&index| tasks[index as usize].start);
        let reason = |run: u32| {
            let job = &self.jobs[tasks[run as usize].job.index()];
            let interrupted =
                job.end.interrupts() && self.tasks.task_of_run(self.log, run).end == TaskEnd::Killed;
            if interrupted { Some(KillReason::Cancelled) } else { self.attempts.kill_reason(run) }
        };
        let (killed, reasons): (Vec<u32>, Vec<KillReason>) =
            (0..).zip(&order).filter_map(|(at, &run)| Some((at, reason(run)?))).unzip();
        let tasks = order.iter().map(|&index| tasks[index as usize]).collect();
        let jobs = scenario.jobs().iter().zip(outcomes).map(|(job, outcome)| JobRun {
            user: job.user,
            arrival: job.arrival,
            started: Some(job.arrival),
            outcome,
        });
        Trace {
            scenario: scenario.name().to_owned(),
            policy: OBSERVED,
            cores: scenario.cluster().cores(),
            users: scenario.users().iter().map(|user| user.name.clone()).collect(),
            jobs: jobs.collect(),
            tasks,
            reasons,
            killed,
            names_outcomes: scenario.has_cancellations(),
            held_back: Default::default(),
            classes: Vec::new(),
            executors: self.executors(),
        }
    }

    /// When executors were there, in the order of joining, then of number.
    fn executors(&self) -> Vec<ExecutorRun> {
        let mut last: HashMap<u32, u64> = HashMap::new();
        for (run, &end) in self.tasks.runs.iter().zip(&self.schedule.ends) {
            let last = last.entry(self.tasks.task(self.log, run).executor).or_default();
            *last = end.max(*last);
        }
        let end = self.schedule.ends.iter().copied().max().unwrap_or_default();
        let runs = self.placement.stays.iter().map(|stay| {
            let until = self.time(stay.until).0.min(end);
            // Ends of tasks are corrected.
            let until = last.get(&stay.executor).map_or(until, |&last| until.max(last));
            ExecutorRun { executor: stay.place, from: self.time(stay.from), to: Time(until) }
        });
        let mut runs: Vec<ExecutorRun> = runs.filter(|run| run.from < run.to).collect();
        runs.sort_by_key(|run| (run.from, run.executor));
        runs
    }

    /// How many tasks do not start and end when the log says, and by how much at most, in ms.
    pub(super) fn moved(&self) -> (u64, f64) {
        let (mut moved, mut most) = (0, 0);
        for (index, run) in self.tasks.runs.iter().enumerate() {
            let task = &self.tasks.task(self.log, run);
            let by = self.schedule.starts[index].abs_diff(self.time(task.launch).0);
            let by = self.schedule.ends[index].abs_diff(self.time(task.finish).0).max(by);
            moved += u64::from(by >= 1000);
            most = by.max(most);
        }
        (moved, most as f64 / 1000.0)
    }
}
