//! What a log's scenario, its trace and its report are all made from, worked out once and in this order: the tasks, the
//! jobs, what stages wait for, the cores, the costs, the schedule, and what is special of attempts and places.

use super::attempts::Attempts;
use super::cores::{self, Placement};
use super::costs::{self, TaskCosts};
use super::graph::{self, Parents};
use super::jobs::{self, ImportJob};
use super::limits::Limits;
use super::log::Log;
use super::places::Places;
use super::report::ImportReport;
use super::schedule::JobSchedule;
use super::tasks::ImportedTasks;
use super::users::UserRules;
use super::{ImportError, JobUnit};
use fairlane::units::Time;

/// All that a scenario and its trace are made of.
pub(super) struct ScenarioParts<'a> {
    pub(super) log: &'a Log,
    pub(super) tasks: ImportedTasks,
    pub(super) jobs: Vec<ImportJob>,
    /// The job of each attempt at a stage, by index in [`ImportedTasks::nodes`].
    pub(super) job_of: Vec<u32>,
    pub(super) parents: Parents,
    pub(super) placement: Placement,
    pub(super) costs: TaskCosts,
    pub(super) schedule: JobSchedule,
    /// The length of each task without its costs, in µs, by index in [`ImportedTasks::runs`].
    pub(super) durations: Vec<u64>,
    pub(super) attempts: Attempts,
    pub(super) places: Places,
    pub(super) limits: Limits,
}

impl<'a> ScenarioParts<'a> {
    /// Those of a log of which some tasks are imported.
    ///
    /// # Errors
    /// The log has more cores than a scenario can have.
    pub(super) fn new(
        log: &'a Log,
        mut tasks: ImportedTasks,
        unit: JobUnit,
        rule: &UserRules,
        report: &mut ImportReport,
    ) -> Result<ScenarioParts<'a>, ImportError> {
        let jobs = jobs::group(log, &tasks, unit, rule);
        let origin = jobs[0].arrival;
        let parents = graph::parents(log, &mut tasks, &jobs, &mut report.stages);
        let placement = cores::place(log, &mut tasks, origin, &mut report.cluster)?;
        let mut job_of = vec![0; tasks.nodes.len()];
        for (number, job) in (0..).zip(&jobs) {
            job.nodes.iter().for_each(|&node| job_of[node as usize] = number);
        }
        let before = costs::before(log, &tasks, &placement, &job_of);
        let costs = costs::estimate(log, &tasks, &before, &mut report.costs);
        let (mut schedule, durations) =
            JobSchedule::new(&tasks, &parents, &placement.core, &before, &costs, origin);
        let simulated = &mut report.simulated;
        let attempts =
            Attempts::new(log, &tasks, &jobs, &placement, &mut schedule, (&costs, &before), simulated);
        let places = Places::new(log, &tasks, &jobs, &placement, &durations, &attempts, simulated);
        let limits = Limits::new(log, &tasks, &placement, &schedule, &places, simulated);
        simulated.losses = placement.losses.len() as u64;
        Ok(ScenarioParts {
            log,
            tasks,
            jobs,
            job_of,
            parents,
            placement,
            costs,
            schedule,
            durations,
            attempts,
            places,
            limits,
        })
    }

    /// An instant of the log, in ms since 1970, as one of the scenario.
    pub(super) fn time(&self, millis: u64) -> Time {
        self.schedule.time(millis)
    }

    /// The application that a job is of, by its number.
    pub(super) fn application_of(&self, job: &ImportJob) -> u32 {
        job.spark_jobs.first().map_or(0, |&first| self.log.jobs[first as usize].application)
    }
}
