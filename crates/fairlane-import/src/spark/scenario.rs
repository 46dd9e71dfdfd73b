//! From a log to a scenario and the schedule that was observed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::attempts::{self, Attempts};
use super::cores::{self, Placement, Stay};
use super::costs::{self, PreviousTask, TaskCosts};
use super::driver_time::{Delays, DriverTime};
use super::graph::Parents;
use super::jobs::{self, ImportJob, JobEnd};
use super::limits::Limits;
use super::log::Log;
use super::places::{self, Places};
use super::record::{Application, LogJob, StageEnd, TaskEnd, property};
use super::report::{
    ApplicationReport, ClusterReport, EventsReport, ImportReport, JobsReport, OneOfSeveralReport,
    StagesReport, UserReport, UsersReport,
};
use super::tasks::{self, ImportedTasks};
use super::{
    ExecutorRule, Import, ImportError, ImportOptions, JudgedScenarios, allocation, graph, pools, replay,
    sessions, ties, unlike, users,
};
use fairlane::ids::{CoreId, JobId, UserId};
use fairlane::metrics::ReplayError;
use fairlane::policy::OBSERVED;
use fairlane::policy::spark::PoolMode;
use fairlane::scenario::{
    Cluster, DEFAULT_POOL, FairTieBreak, Input, Job, Loss, Scenario, ScenarioError, Stage, User,
};
use fairlane::trace::{self, ExecutorRun, JobRun, KillReason, Outcome, TaskRun, Trace};
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

    fn import_by(&self, options: &ImportOptions) -> Result<Import, ImportError> {
        let mut report = ImportReport::default();
        let mut tasks = tasks::select(self);
        if tasks.runs.is_empty() {
            return Err(ImportError::new("log", no_tasks(self, &tasks)));
        }
        let rule = users::resolved(self, &options.users)?;
        let unit = jobs::unit(self, options.jobs);
        let jobs = jobs::group(self, &tasks, unit, &rule);
        let parents = graph::parents(self, &mut tasks, &jobs, &mut report.stages);
        let placement = cores::place(self, &mut tasks, jobs[0].arrival, &mut report.cluster)?;
        let parameters =
            pools::parameters(self, options, &jobs, &placement.of_applications, &mut report.cluster)?;
        let cluster = &mut report.cluster;
        cluster.first_executor_s = self.first_executor();
        let has_ties = cluster.scheduler_mode == PoolMode::Fair && cluster.pools.len() > 1;
        cluster.ties = has_ties.then(|| ties::count(self, &tasks));
        let mut job_of = vec![0; tasks.nodes.len()];
        for (number, job) in (0..).zip(&jobs) {
            job.nodes.iter().for_each(|&node| job_of[node as usize] = number);
        }
        let before = costs::before(self, &tasks, &placement, &job_of);
        let costs = costs::estimate(self, &tasks, &before, &mut report.costs);
        let start = jobs[0].arrival;
        let (mut schedule, durations) =
            JobSchedule::new(&tasks, &parents, &placement.core, &before, &costs, start);
        let simulated = &mut report.simulated;
        let attempts =
            Attempts::new(self, &tasks, &jobs, &placement, &mut schedule, (&costs, &before), simulated);
        let places = Places::new(self, &tasks, &jobs, &placement, &durations, &attempts, simulated);
        simulated.losses = placement.losses.len() as u64;
        let time = |millis: u64| time_since(start, millis);
        let limits = Limits::new(self, &tasks, &placement, &schedule, &places, &time, simulated);
        let parts = ScenarioParts {
            log: self,
            tasks: &tasks,
            jobs: &jobs,
            parents: &parents,
            schedule: &schedule,
            places: &places,
            attempts: &attempts,
            limits: &limits,
            start,
        };
        let delays = Delays::measured(&parts, &placement, &mut report.driver);
        report.cluster.old_defaults = self.old_defaults();

        let mut cluster = Cluster::new(placement.executors, placement.cores_per_executor);
        let losses = placement.losses.iter().map(|loss| Loss {
            at: parts.time(loss.at),
            executor: loss.place,
            back: loss.back.map(|back| parts.time(back).since(parts.time(loss.at))),
        });
        cluster.losses = losses.collect();
        if cluster.losses.is_empty() {
            cluster.executors_at =
                placement.executors_at.iter().map(|&(at, count)| (parts.time(at), count)).collect();
        }
        limits.apply_to_cluster(&placement, &mut cluster);
        cluster.speculation = attempts::speculation(self, &report.simulated);
        cluster.task_overhead = Span(costs.overhead);
        cluster.core_move = Span(costs.core_move);
        cluster.fair_tie_break = FairTieBreak::Spark;
        if report.simulated.local_stages > 0 {
            places::set_wait(self, &mut cluster);
        }
        let stages = tasks.nodes.iter().map(|node| self.stages[node.stage as usize].id);
        cluster.first_stage_id = stages.min().unwrap_or_default();
        let memory = placement.memory / MEGABYTE;
        let uses_memory = tasks.runs.iter().any(|run| tasks.task(self, run).memory_kib > 0);
        cluster.memory_per_executor = (uses_memory && memory > 0).then_some(memory);

        let users = user_names(&jobs);
        let outcomes = parts.outcomes();
        let ends: Vec<Time> = outcomes.iter().map(|outcome| outcome.at()).collect();
        let mut made = parts.jobs(&users, &cluster, &costs, &durations, &delays, &outcomes)?;
        let applications: Vec<u32> = jobs.iter().map(|job| self.number_of_application(job)).collect();
        sessions::guess(&mut made, &outcomes, &applications, &mut report.sessions);
        report.sessions.arrivals = options.arrivals;
        let made = options.estimates.applied(made, &ends);
        let recorded = Scenario::builder()
            .name(self.application.name.clone())
            .description(self.description(start))
            .users(users.iter().map(|&name| User::named(name)))
            .jobs(made)
            .sessions(options.arrivals)
            .cluster(cluster)
            .parameters(parameters)
            .build()
            .map_err(refused)?;
        drop(durations);
        let observed = parts.trace(&recorded, &placement, outcomes);
        let (scenario, driver_time) =
            parts.likely(&recorded, &observed, options, &delays, &placement, &mut report)?;
        report.driver.rule = driver_time.to_string();
        report.driver.after_s = scenario.jobs().iter().map(|job| job.finish_delay.seconds()).sum();
        report.unlike = unlike::find(self, &tasks, &jobs, &placement, &places, &attempts);

        report.application = ApplicationReport {
            name: self.application.name.clone(),
            id: self.application.id.clone(),
            spark: self.application.version.clone(),
            start_ms: start,
        };
        let numbered = (0..).zip(&self.applications).zip(&placement.of_applications);
        let numbered = numbered.map(|((number, application), &cores)| {
            let times = jobs.iter().zip(&ends).zip(&applications).filter(|&(_, &of)| of == number);
            let times = times.map(|((job, end), _)| (parts.time(job.arrival).seconds(), end.seconds()));
            application.report(cores, times)
        });
        report.applications = numbered.collect();
        report.events = self.events_report();
        self.count_jobs(&tasks, &jobs, &mut report.jobs);
        report.jobs.unit = unit.to_string();
        self.count_stages(&tasks, &mut report.stages);
        report.users = UsersReport {
            rule: options.users.to_string(),
            source: rule.source(),
            offered: users::sources(self),
            fallbacks: parts.fallbacks(),
            users: parts.user_reports(&users),
        };
        let cluster = &mut report.cluster;
        (cluster.executors, cluster.cores_per_executor) = (placement.executors, placement.cores_per_executor);
        cluster.memory_mb_per_executor = scenario.cluster().memory_per_executor;
        (report.observed.moved, report.observed.moved_most_ms) = parts.moved();
        report.tasks = std::mem::take(&mut tasks.report);
        // The check takes as much memory as these.
        drop((schedule, before, placement, job_of, parents, places, limits, attempts, jobs, tasks));
        report.observed.fault = trace::check(&recorded, &observed).err().map(|fault| fault.to_string());
        Ok(Import { scenario, observed, report, recorded, judged: None })
    }

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

    /// The application that a job is of, by its number.
    fn number_of_application(&self, job: &ImportJob) -> u32 {
        job.spark_jobs.first().map_or(0, |&first| self.jobs[first as usize].application)
    }

    /// From the application's start to its first executor, in s.
    fn first_executor(&self) -> Option<f64> {
        let executors = self.executors.iter().filter(|executor| !executor.is_driver);
        let first = executors.filter_map(|executor| executor.added).min()?;
        Some(first.checked_sub(self.application.started?)? as f64 / 1e3)
    }

    pub(super) fn pool(&self, job: u32) -> &str {
        let job = &self.jobs[job as usize];
        match self.applications.get(job.application as usize) {
            Some(application) => &application.pool,
            None => job.properties.get(property::POOL).unwrap_or(DEFAULT_POOL),
        }
    }

    fn events_report(&self) -> EventsReport {
        let counts = &self.counts;
        EventsReport {
            files: counts.files,
            bytes: counts.bytes,
            lines: counts.lines,
            not_needed: counts.unused.clone(),
            cut: counts.cuts.clone(),
            complete: counts.ended,
        }
    }

    fn count_jobs(&self, tasks: &ImportedTasks, jobs: &[ImportJob], report: &mut JobsReport) {
        let with_tasks: BTreeSet<u32> =
            tasks.nodes.iter().map(|node| self.stages[node.stage as usize].job).collect();
        let count =
            |holds: &dyn Fn(&LogJob) -> bool| self.jobs.iter().filter(|job| holds(job)).count() as u64;
        let ran: BTreeSet<u32> = tasks.nodes.iter().map(|node| node.stage).collect();
        report.imported = jobs.len() as u64;
        report.sql = jobs.iter().filter(|job| job.execution.is_some()).count() as u64;
        let in_groups = || jobs.iter().filter(|job| !job.group.is_empty());
        let groups: BTreeSet<(&str, &str)> =
            in_groups().map(|job| (job.user.as_str(), job.group.as_str())).collect();
        report.groups = groups.len() as u64;
        report.in_groups = in_groups().count() as u64;
        report.unfinished = jobs.iter().filter(|job| job.end == JobEnd::Unfinished).count() as u64;
        report.stopped = jobs.iter().filter(|job| job.end.cancelled_at().is_some()).count() as u64;
        let unstarted =
            |job: &LogJob| job.ended.is_none() && !job.stages.iter().any(|stage| ran.contains(stage));
        report.unstarted = self.jobs.iter().filter(|job| unstarted(job)).count() as u64;
        report.in_several_groups = jobs.iter().filter(|job| job.in_several_groups).count() as u64;
        report.spark_in_log = self.jobs.len() as u64;
        report.spark_without_tasks = (self.jobs.len() - with_tasks.len()) as u64;
        report.spark_without_end = count(&|job| job.ended.is_none());
        report.spark_failed = count(&|job| job.failed);
        report.spark_repeated = self.counts.repeated_jobs;
        let with_job: BTreeSet<u64> = self.jobs.iter().filter_map(|job| self.root_execution(job)).collect();
        let executions = || self.executions.iter();
        report.executions_in_log = self.executions.len() as u64;
        report.executions_nested = executions().filter(|(id, known)| known.root != **id).count() as u64;
        report.executions_without_job =
            executions().filter(|(_, known)| !with_job.contains(&known.root)).count() as u64;
        report.executions_without_end = executions().filter(|(_, known)| !known.has_end).count() as u64;
        report.executions_failed = executions().filter(|(_, known)| known.failed).count() as u64;
        report.replanned = self.counts.replanned;
    }

    fn count_stages(&self, tasks: &ImportedTasks, report: &mut StagesReport) {
        let imported: BTreeSet<(u32, u32)> =
            tasks.nodes.iter().map(|node| (node.stage, node.attempt)).collect();
        report.imported = tasks.nodes.len() as u64;
        for (stage, known) in (0..).zip(&self.stages) {
            let ran = imported.range((stage, 0)..=(stage, u32::MAX)).next().is_some();
            report.skipped += u64::from(known.attempts.is_empty() && !ran);
            for attempt in &known.attempts {
                let ran = imported.contains(&(stage, attempt.number));
                report.without_tasks += u64::from(!ran);
                report.retried += u64::from(ran && attempt.number > 0);
                report.barrier += u64::from(ran && known.is_barrier);
                report.of_profiles += u64::from(ran && known.profile > 0);
                report.failed += u64::from(attempt.end == StageEnd::Failed);
                report.cancelled += u64::from(attempt.end == StageEnd::Cancelled);
            }
        }
    }
}

impl Application {
    /// What the report says of it as one of several. `times` are its jobs' arrivals and ends, in s.
    fn report(&self, cores: u32, times: impl Iterator<Item = (f64, f64)>) -> OneOfSeveralReport {
        let mut report = OneOfSeveralReport {
            name: self.name.clone(),
            id: self.id.clone(),
            attempt: self.attempt.clone(),
            user: self.user.clone(),
            queue: self.queue.clone(),
            pool: self.pool.clone(),
            jobs: 0,
            cores,
            from_s: 0.0,
            until_s: 0.0,
        };
        for (from, until) in times {
            report.from_s = if report.jobs == 0 { from } else { report.from_s.min(from) };
            report.until_s = report.until_s.max(until);
            report.jobs += 1;
        }
        report
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

fn refused(error: ScenarioError) -> ImportError {
    ImportError::new("the scenario of this log", error.to_string())
}

/// The users in the order of their first jobs.
fn user_names(jobs: &[ImportJob]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    jobs.iter().map(|job| job.user.as_str()).filter(|user| seen.insert(*user)).collect()
}

/// When each task held its core, in µs of the scenario.
pub(super) struct JobSchedule {
    pub(super) starts: Vec<u64>,
    pub(super) ends: Vec<u64>,
}

impl JobSchedule {
    /// The log's instants, corrected where they cannot be as the log rounds them: a task shorter than its costs ends
    /// later, and what waits for its core or stage begins later.
    fn new(
        tasks: &ImportedTasks,
        parents: &Parents,
        core: &[u32],
        before: &[PreviousTask],
        costs: &TaskCosts,
        start: u64,
    ) -> (JobSchedule, Vec<u64>) {
        let micros = |millis: u64| millis.saturating_sub(start) * 1000;
        let mut free_from: HashMap<u32, u64> = HashMap::new();
        let mut ends_of = vec![0; tasks.nodes.len()];
        let count = tasks.runs.len();
        let mut schedule = JobSchedule { starts: Vec::with_capacity(count), ends: Vec::with_capacity(count) };
        let mut durations = Vec::with_capacity(count);
        for (index, run) in tasks.runs.iter().enumerate() {
            let parents = parents.parents(run.node).iter().map(|&parent| ends_of[parent as usize]);
            let ready = parents.max().unwrap_or(0);
            let free = free_from.entry(core[index]).or_default();
            let start = micros(run.launch).max(ready).max(*free);
            let duration = costs.duration(micros(run.finish).saturating_sub(start), before[index]);
            let end = start + costs.held(duration, before[index]);
            *free = end;
            let end_of = &mut ends_of[run.node as usize];
            *end_of = end.max(*end_of);
            schedule.starts.push(start);
            schedule.ends.push(end);
            durations.push(duration);
        }
        (schedule, durations)
    }
}

/// All that a scenario and its trace are made of.
pub(super) struct ScenarioParts<'a> {
    pub(super) log: &'a Log,
    pub(super) tasks: &'a ImportedTasks,
    pub(super) jobs: &'a [ImportJob],
    pub(super) parents: &'a Parents,
    pub(super) schedule: &'a JobSchedule,
    pub(super) places: &'a Places,
    pub(super) attempts: &'a Attempts,
    pub(super) limits: &'a Limits,
    /// The instant that is 0 s, in ms since 1970.
    start: u64,
}

/// An instant as one of the scenario, both in ms since 1970.
fn time_since(start: u64, millis: u64) -> Time {
    Time(millis.saturating_sub(start).saturating_mul(1000))
}

impl ScenarioParts<'_> {
    /// An instant of the log, in ms since 1970, as one of the scenario.
    pub(super) fn time(&self, millis: u64) -> Time {
        time_since(self.start, millis)
    }

    fn jobs(
        &self,
        users: &[&str],
        cluster: &Cluster,
        costs: &TaskCosts,
        durations: &[u64],
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
                let mut stage = self.stage(node, &index, cluster, costs, durations)?;
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

    /// The scenario from which questions begin, and which driver time it has: the one that was asked for, or the median
    /// unless that is too far from the log and each stage's own is nearer.
    fn likely(
        &self,
        recorded: &Scenario,
        observed: &Trace,
        options: &ImportOptions,
        delays: &Delays,
        placement: &Placement,
        report: &mut ImportReport,
    ) -> Result<(Scenario, DriverTime), ImportError> {
        let mut made = |time| self.what_if(recorded, time, options, delays, placement, &mut report.cluster);
        if options.driver_time != DriverTime::Auto {
            return Ok((made(options.driver_time)?, options.driver_time));
        }
        let median = made(DriverTime::Median)?;
        let far = replay::mean_error(&median, observed).filter(|&error| error > ReplayError::TOLERANCE);
        if let Some(far) = far {
            let stage = made(DriverTime::Stage)?;
            if replay::mean_error(&stage, observed).is_some_and(|error| error < far) {
                report.driver.median_error = Some(far);
                return Ok((stage, DriverTime::Stage));
            }
        }
        Ok((median, DriverTime::Median))
    }

    /// The scenario of the log, but for what predicts other schedules better.
    fn what_if(
        &self,
        recorded: &Scenario,
        driver_time: DriverTime,
        options: &ImportOptions,
        delays: &Delays,
        placement: &Placement,
        report: &mut ClusterReport,
    ) -> Result<Scenario, ImportError> {
        let mut cluster = recorded.cluster().clone();
        let allocation = allocation::of(self.log, self.tasks, placement, &mut report.allocation);
        if options.executors == ExecutorRule::Dynamic {
            let allocation = allocation.ok_or_else(|| {
                let message = "the log ran without spark.dynamicAllocation.enabled; leave the option out";
                ImportError::new("--executors dynamic", message)
            })?;
            cluster.executors_at.clear();
            // Executors that are asked for are all alike.
            cluster.resource_profiles.clear();
            cluster.exclusions.clear();
            cluster.dynamic_allocation = Some(allocation);
        }
        let is_dynamic = cluster.dynamic_allocation.is_some();
        if driver_time == DriverTime::Stage && options.executors == ExecutorRule::Recorded {
            return Ok(recorded.clone());
        }
        let mut jobs = recorded.jobs().to_vec();
        for (job, imported) in jobs.iter_mut().zip(self.jobs) {
            for (stage, &node) in job.stages.iter_mut().zip(&imported.nodes) {
                stage.delay = delays.of(node, driver_time, options.executors);
                // Spark refuses barriers under dynamic allocation (SPARK-24942).
                stage.barrier &= !is_dynamic;
                if is_dynamic {
                    stage.resource_profile = 0;
                    stage.exclusions.clear();
                }
            }
            if driver_time == DriverTime::None {
                job.finish_delay = Span(0);
            }
        }
        recorded.to_builder().jobs(jobs).cluster(cluster).build().map_err(refused)
    }

    fn stage(
        &self,
        node: u32,
        index: &BTreeMap<u32, u32>,
        cluster: &Cluster,
        costs: &TaskCosts,
        durations: &[u64],
    ) -> Result<Stage, ImportError> {
        let known = &self.tasks.nodes[node as usize];
        let named = &self.log.stages[known.stage as usize];
        let length =
            |&run: &u32| self.places.duration(run, self.attempts.length(run, durations[run as usize]));
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
        stage.first_wave = costs.first_wave;
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

    /// How each job ended for its user.
    fn outcomes(&self) -> Vec<Outcome> {
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
    fn last_ends(&self) -> Vec<Time> {
        let mut job_of = vec![0; self.tasks.nodes.len()];
        for (number, job) in self.jobs.iter().enumerate() {
            job.nodes.iter().for_each(|&node| job_of[node as usize] = number);
        }
        let mut ends = vec![Time::ZERO; self.jobs.len()];
        for (run, &end) in self.tasks.runs.iter().zip(&self.schedule.ends) {
            let of_job = &mut ends[job_of[run.node as usize]];
            *of_job = Time(end).max(*of_job);
        }
        ends
    }

    fn trace(&self, scenario: &Scenario, placement: &Placement, outcomes: Vec<Outcome>) -> Trace {
        let mut job_and_stage = vec![(0, 0); self.tasks.nodes.len()];
        for (job, known) in (0..).zip(self.jobs) {
            for (stage, &node) in (0..).zip(&known.nodes) {
                job_and_stage[node as usize] = (job, stage);
            }
        }
        let mut tasks: Vec<TaskRun> = Vec::with_capacity(self.tasks.runs.len());
        for (index, run) in self.tasks.runs.iter().enumerate() {
            let (job, stage) = job_and_stage[run.node as usize];
            let (start, end) = (Time(self.schedule.starts[index]), Time(self.schedule.ends[index]));
            let core = CoreId(placement.core[index]);
            tasks.push(TaskRun {
                job: JobId(job),
                stage,
                task: self.attempts.number(index as u32),
                core,
                start,
                end,
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
            executors: self.executors(&placement.stays),
        }
    }

    /// When executors were there, in the order of joining, then of number.
    fn executors(&self, stays: &[Stay]) -> Vec<ExecutorRun> {
        let mut last: HashMap<u32, u64> = HashMap::new();
        for (run, &end) in self.tasks.runs.iter().zip(&self.schedule.ends) {
            let last = last.entry(self.tasks.task(self.log, run).executor).or_default();
            *last = end.max(*last);
        }
        let end = self.schedule.ends.iter().copied().max().unwrap_or_default();
        let runs = stays.iter().map(|stay| {
            let until = self.time(stay.until).0.min(end);
            // Ends of tasks are corrected.
            let until = last.get(&stay.executor).map_or(until, |&last| until.max(last));
            ExecutorRun { executor: stay.place, from: self.time(stay.from), to: Time(until) }
        });
        let mut runs: Vec<ExecutorRun> = runs.filter(|run| run.from < run.to).collect();
        runs.sort_by_key(|run| (run.from, run.executor));
        runs
    }

    /// How many jobs have no user by the rule, by what theirs is read from instead.
    fn fallbacks(&self) -> BTreeMap<String, u64> {
        let mut fallbacks = BTreeMap::new();
        self.jobs.iter().filter_map(|job| job.user_source.clone()).for_each(|source| {
            *fallbacks.entry(source).or_default() += 1;
        });
        fallbacks
    }

    fn user_reports(&self, users: &[&str]) -> Vec<UserReport> {
        let mut reports: Vec<UserReport> =
            users.iter().map(|&name| UserReport { name: name.to_owned(), ..UserReport::default() }).collect();
        let index: BTreeMap<&str, usize> = users.iter().copied().zip(0..).collect();
        for job in self.jobs {
            let report = &mut reports[index[job.user.as_str()]];
            report.jobs += 1;
            report.named_jobs += u64::from(job.user_source.is_none());
            let runs = job.nodes.iter().flat_map(|&node| &self.tasks.nodes[node as usize].runs);
            let held = runs.map(|&run| self.schedule.ends[run as usize] - self.schedule.starts[run as usize]);
            report.core_s += held.sum::<u64>() as f64 / 1e6;
        }
        reports
    }

    /// How many tasks do not start and end when the log says, and by how much at most, in ms.
    fn moved(&self) -> (u64, f64) {
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
