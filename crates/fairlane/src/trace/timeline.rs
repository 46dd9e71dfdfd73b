//! When the driver did what: jobs handled, stages submitted, jobs finished. It follows from the
//! arrivals and the ends of the tasks alone.

use std::collections::{BTreeSet, HashSet};

use super::attempts::task_of;
use super::{JobRun, Trace};
use crate::ids::JobId;
use crate::order;
use crate::scenario::{Job, Scenario, Stage};
use crate::units::{Span, Time};

/// When the driver did what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// When it began to handle each job, by index in the file: at its arrival, or later if it was busy.
    pub handled: Vec<Time>,
    /// When each stage of each job was submitted.
    pub submissions: Vec<Vec<Time>>,
    /// When it knew that each job had ended.
    pub finishes: Vec<Time>,
    /// Until when all of this follows from the trace. At that instant a task without length ended and something else
    /// reached the driver, in an order that the trace does not tell; beyond all instants where there is none.
    pub certain_until: Time,
}

/// What the driver handles, in its order at one instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TimelineMessage {
    /// A task has ended, by index in the trace.
    TaskEnd(u32),
    /// A job arrives, by rank.
    Arrival(usize),
    /// A stage has waited out the stage delay.
    Ready(JobId, u32),
}

struct TimelineReplay<'a> {
    scenario: &'a Scenario,
    /// When the driver is done with all that has happened so far.
    free: Time,
    /// Delayed stages, in the order of time and of their scheduling.
    ready: BTreeSet<(Time, u32, JobId, u32)>,
    /// Stages that were ever delayed.
    delayed: u32,
    submitted: Vec<Vec<bool>>,
    /// Tasks of each stage of each job that have not ended.
    open_tasks: Vec<Vec<u32>>,
    /// Parents of each stage of each job that have not ended.
    open_parents: Vec<Vec<u32>>,
    /// Stages that wait for each stage of each job, ascending.
    children: Vec<Vec<Vec<u32>>>,
    /// Stages of each job that have not ended.
    open_stages: Vec<usize>,
    /// When each job was started, or ended if it never was.
    starts: Vec<Time>,
    /// Whether each job was started.
    started: Vec<bool>,
    timeline: Timeline,
}

impl Timeline {
    /// Replays the driver (docs/model.md section 3, and [`crate::scenario::Driver`]). Where attempts may be killed for
    /// others, its work is left out: then submissions are never later than they were.
    pub fn new(scenario: &Scenario, trace: &Trace) -> Timeline {
        if !scenario.cluster().driver.is_modelled() || scenario.names_kill_reasons() {
            return Timeline::undriven(scenario, trace);
        }
        let tasks = |stage| scenario.partitioning().task_count(stage, trace.policy.partitioning) as u32;
        let open_tasks = scenario.jobs().iter().map(|job| job.stages.iter().map(tasks).collect()).collect();
        let parents = |job: &Job| job.stages.iter().map(|stage| stage.parents.len() as u32).collect();
        let replay = TimelineReplay {
            scenario,
            free: Time::ZERO,
            ready: BTreeSet::new(),
            delayed: 0,
            submitted: scenario.per_stage(false),
            open_tasks,
            open_parents: scenario.jobs().iter().map(parents).collect(),
            children: scenario.jobs().iter().map(Job::children).collect(),
            open_stages: scenario.jobs().iter().map(|job| job.stages.len()).collect(),
            starts: trace.jobs.iter().map(|run| run.started.unwrap_or(run.end())).collect(),
            started: trace.jobs.iter().map(|run| run.started.is_some()).collect(),
            timeline: Timeline {
                handled: vec![Time::ZERO; scenario.jobs().len()],
                submissions: scenario.per_stage(Time::ZERO),
                finishes: vec![Time::ZERO; scenario.jobs().len()],
                certain_until: Time(u64::MAX),
            },
        };
        replay.run(trace)
    }

    /// A driver whose work takes no time: stages are submitted when their job is started, or when the last of
    /// their parents has ended and the stage delay has passed.
    fn undriven(scenario: &Scenario, trace: &Trace) -> Timeline {
        // When the tasks of a stage have ended for the first time, and for the last.
        let mut ends = scenario.per_stage(Time::ZERO);
        let mut last_ends = vec![Time::ZERO; scenario.jobs().len()];
        let has_attempts = scenario.names_kill_reasons();
        // Only looked up, never iterated.
        let mut ended = HashSet::new();
        for (index, run) in (0..).zip(&trace.tasks) {
            let killed = has_attempts && trace.killed.binary_search(&index).is_ok();
            if !killed {
                let last = &mut last_ends[run.job.index()];
                *last = run.end.max(*last);
            }
            if !has_attempts || !killed && ended.insert(task_of(run)) {
                let end = &mut ends[run.job.index()][run.stage as usize];
                *end = run.end.max(*end);
            }
        }
        let submission = |start: Time, ends: &[Time], stage: &Stage| {
            let last = stage.parents.iter().map(|&parent| ends[parent as usize]).max();
            last.unwrap_or(start) + scenario.cluster().delay_of(stage)
        };
        let starts = trace.jobs.iter().map(|run| run.started.unwrap_or(run.end()));
        let jobs = scenario.jobs().iter().zip(starts).zip(&ends);
        Timeline {
            handled: trace.jobs.iter().map(|job| job.arrival).collect(),
            submissions: jobs
                .map(|((job, start), ends)| {
                    job.stages.iter().map(|stage| submission(start, ends, stage)).collect()
                })
                .collect(),
            finishes: last_ends,
            certain_until: Time(u64::MAX),
        }
    }
}

impl TimelineReplay<'_> {
    fn run(mut self, trace: &Trace) -> Timeline {
        let order = trace.arrival_order();
        let ends = order::by_key(trace.tasks.len(), |run| trace.tasks[run as usize].end.0);
        let (mut ended, mut arrived) = (0, 0);
        loop {
            // A task without length can end at the very instant of what brings its stage about.
            let submitted = |&&run: &&u32| {
                let run = &trace.tasks[run as usize];
                self.submitted[run.job.index()][run.stage as usize]
            };
            let end = ends.get(ended).filter(submitted);
            let end = end.map(|&run| (trace.tasks[run as usize].end, TimelineMessage::TaskEnd(run)));
            let arrival = order
                .get(arrived)
                .filter(|&&job| !self.awaits_end(job, trace))
                .map(|job| (trace.jobs[job.index()].arrival, TimelineMessage::Arrival(arrived)));
            let ready =
                self.ready.first().map(|&(at, _, job, stage)| (at, TimelineMessage::Ready(job, stage)));
            let Some((at, message)) = [end, arrival, ready].into_iter().flatten().min() else { break };
            if let TimelineMessage::TaskEnd(run) = message
                && trace.tasks[run as usize].start == at
                && [arrival, ready].into_iter().flatten().any(|(other, _)| other == at)
            {
                let certain_until = &mut self.timeline.certain_until;
                *certain_until = at.min(*certain_until);
            }
            match message {
                TimelineMessage::TaskEnd(run) => {
                    ended += 1;
                    // Tasks that a drop ends are no message to the driver.
                    if trace.killed.binary_search(&run).is_err() {
                        let run = &trace.tasks[run as usize];
                        self.task_end(at, run.job, run.stage, trace.jobs[run.job.index()]);
                    }
                }
                TimelineMessage::Arrival(rank) => {
                    arrived += 1;
                    self.arrive(at, order[rank]);
                }
                TimelineMessage::Ready(job, stage) => {
                    self.ready.pop_first();
                    self.work(at, self.scenario.cluster().driver.stage);
                    self.submit(job, stage);
                }
            }
        }
        self.timeline
    }

    /// Whether a job arrives only once another has ended, which may be later at the same instant.
    fn awaits_end(&self, job: JobId, trace: &Trace) -> bool {
        let Some(before) = self.scenario.predecessor(job).map(|before| before.job.index()) else {
            return false;
        };
        // A micro-batch may arrive before the job that it follows.
        let has_followed =
            trace.jobs[before].finish().is_some_and(|end| end <= trace.jobs[job.index()].arrival);
        has_followed && self.open_stages[before] > 0
    }

    /// Queues work of the driver that is due at an instant, and returns when the work begins.
    fn work(&mut self, at: Time, cost: Span) -> Time {
        let begin = self.free.max(at);
        self.free = begin + cost;
        begin
    }

    /// Submits a stage as soon as the driver is done.
    fn submit(&mut self, job: JobId, stage: u32) {
        self.submitted[job.index()][stage as usize] = true;
        self.timeline.submissions[job.index()][stage as usize] = self.free;
    }

    fn stages(&self, count: usize) -> Span {
        Span(self.scenario.cluster().driver.stage.0 * count as u64)
    }

    fn arrive(&mut self, at: Time, job: JobId) {
        let stages = &self.scenario.jobs()[job.index()].stages;
        let roots = (0..).zip(stages).filter(|(_, stage)| stage.parents.is_empty());
        let cost = self.scenario.cluster().driver.job + self.stages(stages.len());
        self.timeline.handled[job.index()] = self.work(at, cost);
        for (stage, spec) in roots {
            // Later than now if the policy made it wait.
            let start = self.starts[job.index()];
            match self.scenario.cluster().delay_of(spec) {
                Span(0) => {
                    self.submit(job, stage);
                    self.timeline.submissions[job.index()][stage as usize] = start;
                }
                delay if self.started[job.index()] => self.delay(start + delay, job, stage),
                delay => self.timeline.submissions[job.index()][stage as usize] = start + delay,
            }
        }
    }

    fn delay(&mut self, at: Time, job: JobId, stage: u32) {
        self.ready.insert((at, self.delayed, job, stage));
        self.delayed += 1;
    }

    fn task_end(&mut self, at: Time, job: JobId, stage: u32, run: JobRun) {
        let open = &mut self.open_tasks[job.index()];
        open[stage as usize] -= 1;
        let ended = open[stage as usize] == 0;
        let task = self.scenario.cluster().driver.task;
        if !ended {
            self.work(at, task);
            return;
        }
        let mut children = std::mem::take(&mut self.children[job.index()][stage as usize]);
        let open_parents = &self.open_parents[job.index()];
        let scenario = self.scenario;
        let delay_of =
            |child: u32| scenario.cluster().delay_of(&scenario.jobs()[job.index()].stages[child as usize]);
        let submitted =
            children.iter().filter(|&&child| delay_of(child) == Span(0) && open_parents[child as usize] == 1);
        let cost = task + self.stages(submitted.count());
        self.work(at, cost);
        if run.finish().is_none() && run.end() < self.free {
            // The job was dropped before the driver was done: its other stages still wait for this one.
            return;
        }
        let open_parents = &mut self.open_parents[job.index()];
        children.retain(|&child| {
            open_parents[child as usize] -= 1;
            open_parents[child as usize] == 0
        });
        for child in children {
            match delay_of(child) {
                Span(0) => self.submit(job, child),
                delay => self.delay(self.free + delay, job, child),
            }
        }
        self.open_stages[job.index()] -= 1;
        if self.open_stages[job.index()] == 0 {
            self.timeline.finishes[job.index()] = self.free;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate;

    /// Two jobs of one user whose tasks have no length; the first executor is there 1 s after the first arrives.
    fn certain_until(second_arrives: f64) -> Time {
        let text = format!(
            r#"{{ "format": "fairlane/scenario@1",
            "cluster": {{ "driver_stage_s": 0.001, "dynamic_allocation": {{ "backlog_s": 0.9 }} }}, "jobs": [
                {{ "user": "ana", "arrival_s": 0.1, "stages": [{{ "work_s": 0 }}] }},
                {{ "user": "ben", "arrival_s": {second_arrives}, "stages": [{{ "work_s": 0 }}] }}] }}"#
        );
        let scenario = Scenario::from_json(&text).expect("a sound file");
        let trace = simulate(&scenario, "fair".parse().expect("a policy"));
        Timeline::new(&scenario, &trace).certain_until
    }

    #[test]
    fn the_order_of_one_instant_is_not_certain() {
        assert_eq!(certain_until(1.1), Time(1_100_000));
        assert_eq!(certain_until(1.2), Time(u64::MAX));
    }
}
