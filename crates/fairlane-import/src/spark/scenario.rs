//! From a log to a scenario and the schedule that was observed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::driver_time::{Delays, DriverTime};
use super::jobs::{self, ImportJob};
use super::log::Log;
use super::parts::ScenarioParts;
use super::report::{ImportReport, SimulatedReport, UsersReport};
use super::tasks::{self, ImportedTasks};
use super::{
    ExecutorRule, Import, ImportError, ImportOptions, JudgedScenarios, attempts, places, pools, sessions,
    users,
};
use fairlane::ids::UserId;
use fairlane::scenario::{
    Cluster, DEFAULT_POOL, FairTieBreak, Input, Job, Loss, PolicyParameters, Scenario, Stage, User,
};
use fairlane::trace::{self, Outcome};
use fairlane::units::{Span, Time};

/// Bytes in what Spark calls a megabyte.
const MEGABYTE: u64 = 1 << 20;

impl Log {
    /// Makes a scenario of the log, the trace of what happened and a report.
    ///
    /// # Errors
    /// No task can be imported, the log has nothing that the rule for users asks for, or the scenario would exceed the
    /// default [`Limits`](fairlane::scenario::Limits).
    pub fn import(&self, options: &ImportOptions) -> Result<Import, ImportError> {
        if !options.share || self.applications.len() < 2 {
            return self.import_by(options);
        }
        // What one shared application would have done, no log says: the simulator is judged by what happened.
        let own = self.import_by(&ImportOptions { share: false, ..options.clone() })?;
        let driver_time = own.report.driver.rule.parse().unwrap_or(options.driver_time);
        let shared = self.import_by(&ImportOptions { driver_time, ..options.clone() })?;
        let judged = JudgedScenarios { scenario: own.scenario, recorded: own.recorded };
        Ok(Import { judged: Some(Box::new(judged)), ..shared })
    }

    /// Makes them by the rules as they are given, even where no log judges the result.
    fn import_by(&self, options: &ImportOptions) -> Result<Import, ImportError> {
        let tasks = tasks::select(self);
        if tasks.runs.is_empty() {
            return Err(ImportError::new("log", no_tasks(self, &tasks)));
        }
        let mut report = ImportReport::default();
        let rule = users::resolved(self, &options.users)?;
        let unit = jobs::unit(self, options.jobs);
        let mut parts = ScenarioParts::new(self, tasks, unit, &rule, &mut report)?;
        let cores = &parts.placement.of_applications;
        let parameters = pools::parameters(self, options, &parts.jobs, cores, &mut report.cluster)?;
        let delays = Delays::measured(&parts, &mut report.driver);
        let outcomes = parts.outcomes();
        let recorded = parts.recorded(options, parameters, &delays, &outcomes, &mut report)?;
        // The trace takes as much memory.
        parts.durations = Vec::new();
        let observed = parts.trace(&recorded, outcomes);
        let (scenario, driver_time) = parts.likely(&recorded, &observed, options, &delays, &mut report)?;

        report.jobs.unit = unit.to_string();
        report.users = UsersReport {
            rule: options.users.to_string(),
            source: rule.source(),
            offered: users::sources(self),
            ..UsersReport::default()
        };
        report.driver.rule = driver_time.to_string();
        report.driver.after_s = scenario.jobs().iter().map(|job| job.finish_delay.seconds()).sum();
        report.cluster.memory_mb_per_executor = scenario.cluster().memory_per_executor;
        parts.take_inventory(&observed, &mut report);
        // The check takes as much memory as these.
        drop(parts);
        report.observed.fault = trace::check(&recorded, &observed).err().map(|fault| fault.to_string());
        Ok(Import { scenario, observed, report, recorded, judged: None })
    }

    /// What the scenario says of itself; `start` is the instant that is 0 s, in ms since 1970.
    fn description(&self, start: u64) -> String {
        let version = match self.application.version.as_str() {
            "" => String::new(),
            version => format!(" {version}"),
        };
        format!(
            "Imported from the event log of the Spark{version} application {}. 0 s is {start} ms after 1970.",
            self.application.id
        )
    }
}

/// Why nothing of a log can be imported.
fn no_tasks(log: &Log, tasks: &ImportedTasks) -> String {
    if log.counts.lines == 0 {
        return "is empty; give a Spark event log".to_owned();
    }
    let left_out: Vec<String> =
        tasks.report.left_out.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    match left_out.as_slice() {
        [] => "has no task; give the event log of an application that ran jobs".to_owned(),
        reasons => format!("has no task that can be imported ({}); give the whole log", reasons.join(", ")),
    }
}

/// The users in the order of their first jobs.
fn user_names(jobs: &[ImportJob]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    jobs.iter().map(|job| job.user.as_str()).filter(|user| seen.insert(*user)).collect()
}

impl ScenarioParts<'_> {
    /// The scenario with all that the log shows. `outcomes` are those of its jobs.
    fn recorded(
        &self,
        options: &ImportOptions,
        parameters: PolicyParameters,
        delays: &Delays,
        outcomes: &[Outcome],
        report: &mut ImportReport,
    ) -> Result<Scenario, ImportError> {
        let cluster = self.cluster(&report.simulated);
        let users = user_names(&self.jobs);
        let mut jobs = self.scenario_jobs(&users, &cluster, delays, outcomes)?;
        let applications: Vec<u32> = self.jobs.iter().map(|job| self.application_of(job)).collect();
        sessions::guess(&mut jobs, outcomes, &applications, &mut report.sessions);
        report.sessions.arrivals = options.arrivals;
        let ends: Vec<Time> = outcomes.iter().map(|outcome| outcome.at()).collect();
        Scenario::builder()
            .name(self.log.application.name.clone())
            .description(self.log.description(self.schedule.origin))
            .users(users.iter().map(|&name| User::named(name)))
            .jobs(options.estimates.applied(jobs, &ends))
            .sessions(options.arrivals)
            .cluster(cluster)
            .parameters(parameters)
            .build()
            .map_err(ImportError::refused)
    }

    /// The cluster as it was.
    fn cluster(&self, simulated: &SimulatedReport) -> Cluster {
        let ScenarioParts { log, tasks, placement, .. } = self;
        let mut cluster = Cluster::new(placement.executors, placement.cores_per_executor);
        let losses = placement.losses.iter().map(|loss| Loss {
            at: self.time(loss.at),
            executor: loss.place,
            back: loss.back.map(|back| self.time(back).since(self.time(loss.at))),
        });
        cluster.losses = losses.collect();
        if cluster.losses.is_empty() {
            cluster.executors_at =
                placement.executors_at.iter().map(|&(at, count)| (self.time(at), count)).collect();
        }
        self.limits.apply_to_cluster(placement, &mut cluster);
        cluster.speculation = attempts::speculation(log, simulated);
        cluster.task_overhead = Span(self.costs.overhead);
        cluster.core_move = Span(self.costs.core_move);
        cluster.fair_tie_break = FairTieBreak::Spark;
        if simulated.local_stages > 0 {
            places::set_wait(log, &mut cluster);
        }
        let stages = tasks.nodes.iter().map(|node| log.stages[node.stage as usize].id);
        cluster.first_stage_id = stages.min().unwrap_or_default();
        let memory = placement.memory / MEGABYTE;
        let uses_memory = tasks.runs.iter().any(|run| tasks.task(log, run).memory_kib > 0);
        cluster.memory_per_executor = (uses_memory && memory > 0).then_some(memory);
        cluster
    }

    /// The jobs of the scenario, with the driver's time that each stage had.
    fn scenario_jobs(
        &self,
        users: &[&str],
        cluster: &Cluster,
        delays: &Delays,
        outcomes: &[Outcome],
    ) -> Result<Vec<Job>, ImportError> {
        let user_ids: BTreeMap<&str, u32> = users.iter().copied().zip(0..).collect();
        let mut jobs = Vec::with_capacity(self.jobs.len());
        for ((job, outcome), last) in self.jobs.iter().zip(outcomes).zip(self.last_ends()) {
            let index: BTreeMap<u32, u32> = job.nodes.iter().copied().zip(0..).collect();
            let spark_jobs: HashMap<u32, u32> = job.spark_jobs.iter().copied().zip(0..).collect();
            let mut stages = Vec::with_capacity(job.nodes.len());
            for &node in &job.nodes {
                let mut stage = self.stage(node, &index, cluster)?;
                let spark_job = self.log.stages[self.tasks.nodes[node as usize].stage as usize].job;
                stage.spark_job = spark_jobs[&spark_job];
                let pool = self.log.pool(spark_job);
                stage.pool = (pool != pools::of(self.log, job)).then(|| pool.to_owned());
                stage.delay = delays.of(node, DriverTime::Stage, ExecutorRule::Recorded);
                stages.push(stage);
            }
            let mut made = Job::new(UserId(user_ids[job.user.as_str()]), self.time(job.arrival), stages);
            made.name.clone_from(&job.name);
            made.group.clone_from(&job.group);
            if let Outcome::Finished(end) = *outcome {
                made.finish_delay = end.since(last);
            }
            places::cancel(&mut made, job.end, |at| self.time(at));
            made.pool = match pools::of(self.log, job) {
                DEFAULT_POOL => String::new(),
                pool => pool.to_owned(),
            };
            jobs.push(made);
        }
        Ok(jobs)
    }

    /// An attempt at a stage as a stage of its job; `index` numbers those of the job.
    fn stage(&self, node: u32, index: &BTreeMap<u32, u32>, cluster: &Cluster) -> Result<Stage, ImportError> {
        let known = &self.tasks.nodes[node as usize];
        let named = &self.log.stages[known.stage as usize];
        let length =
            |&run: &u32| self.places.duration(run, self.attempts.length(run, self.durations[run as usize]));
        let durations = self.attempts.of(node).iter().map(length);
        let durations = durations.chain(self.places.discarded(node));
        let input = Input::of_tasks(durations.map(Span))
            .map_err(|error| ImportError::new(format!("stage {}", named.id), error.to_string()))?;
        let mut stage = Stage::with_input(input);
        stage.name = match known.attempt {
            0 => format!("stage {}: {}", named.id, named.name),
            attempt => format!("stage {} attempt {attempt}: {}", named.id, named.name),
        };
        // What ran as one task may not be divisible at all.
        stage.splittable = stage.partitions > 1;
        self.places.apply(node, &mut stage);
        self.limits.apply(node, &mut stage);
        stage.first_wave = self.costs.first_wave;
        stage.parents = self.parents.parents(node).iter().map(|parent| index[parent]).collect();
        stage.parents.sort_unstable();
        if let Some(memory) = cluster.memory_per_executor {
            let runs = known.runs.iter().map(|&run| self.tasks.task_of_run(self.log, run));
            let most = u64::from(runs.map(|task| task.memory_kib).max().unwrap_or(0).div_ceil(1024));
            // Spark gives each of n tasks at most the n-th part, so memory never keeps a task from its core.
            stage.memory = most.min(memory / u64::from(cluster.cores_per_executor));
        }
        Ok(stage)
    }
}
