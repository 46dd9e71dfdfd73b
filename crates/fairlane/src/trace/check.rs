//! What must hold of every trace, whoever made it.

use std::collections::{BTreeMap, HashMap, HashSet};

mod attempts;
mod durations;
mod sessions;
mod stages;

use durations::{CoreHistory, possible_stays, stay};

use super::attempts::{LaunchKind, launch_kinds, task_of};
use super::{ExecutorRun, TaskRun, Timeline, Trace};
use crate::ids::JobId;
use crate::policy::{Idling, OBSERVED, PolicyId};
use crate::scenario::{Cluster, Scenario};
use crate::units::{Span, Time};

/// A rule that a trace breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A task ran twice, or there is no such task.
    #[error("task {task} of stage {stage} of job {job} is there twice or does not exist")]
    NotATask {
        /// The job.
        job: u32,
        /// The stage.
        stage: u32,
        /// The task.
        task: u32,
    },
    /// A task did not run.
    #[error("{missing} tasks never ran")]
    Missing {
        /// How many.
        missing: u64,
    },
    /// A task held its core for another time than its duration and the overhead.
    #[error("task {task} of stage {stage} of job {job} held its core for the wrong time")]
    WrongDuration {
        /// The job.
        job: u32,
        /// The stage.
        stage: u32,
        /// The task.
        task: u32,
    },
    /// A task ran on a core that the cluster does not have.
    #[error("there is no core {core}")]
    NoSuchCore {
        /// The core.
        core: u32,
    },
    /// The number of cores, or the jobs' number, users or arrivals, are not the scenario's.
    #[error("the trace's cores or jobs are not those of the scenario")]
    OtherJobs,
    /// A task ran on an executor that was not there all the time.
    #[error("executor {executor} was not there while a task ran on it at {} s", .at.seconds())]
    NoSuchExecutor {
        /// The executor.
        executor: u32,
        /// When the task began.
        at: Time,
    },
    /// Two tasks held one core at once.
    #[error("two tasks held core {core} at {} s", .at.seconds())]
    Overlap {
        /// The core.
        core: u32,
        /// When the second began.
        at: Time,
    },
    /// A stage began before its job had arrived or a parent had ended (and the delay passed).
    #[error("stage {stage} of job {job} began too early")]
    TooEarly {
        /// The job.
        job: u32,
        /// The stage.
        stage: u32,
    },
    /// The tasks on an executor held more memory than it has.
    #[error("the tasks on executor {executor} held more memory than it has at {} s", .at.seconds())]
    Memory {
        /// The executor.
        executor: u32,
        /// When.
        at: Time,
    },
    /// There is not a reason for each killed attempt, or there are reasons where no scenario's field asks for them.
    #[error("the trace's reasons are not those of its killed attempts")]
    OtherReasons,
    /// An attempt was killed for a reason that did not hold.
    #[error(
        "an attempt of task {task} of stage {stage} of job {job} was killed for a reason that does not hold"
    )]
    WrongReason {
        /// The job.
        job: u32,
        /// The stage.
        stage: u32,
        /// The task.
        task: u32,
    },
    /// An attempt went on after another one had ended its task.
    #[error("an attempt of task {task} of stage {stage} of job {job} went on after another had ended it")]
    NotOvertaken {
        /// The job.
        job: u32,
        /// The stage.
        stage: u32,
        /// The task.
        task: u32,
    },
    /// A task had a second attempt beside the first although that was not slow.
    #[error("task {task} of stage {stage} of job {job} had another attempt before the first was slow")]
    NotSlow {
        /// The job.
        job: u32,
        /// The stage.
        stage: u32,
        /// The task.
        task: u32,
    },
    /// The tasks of a barrier stage did not start together, or one went on without another that was lost.
    #[error("the tasks of barrier stage {stage} of job {job} did not run together")]
    NotTogether {
        /// The job.
        job: u32,
        /// The stage.
        stage: u32,
    },
    /// A task went to an executor that it does not prefer before its stage had waited for the others.
    #[error("task {task} of stage {stage} of job {job} did not wait for an executor that it prefers")]
    NotPreferred {
        /// The job.
        job: u32,
        /// The stage.
        stage: u32,
        /// The task.
        task: u32,
    },
    /// A task went to an executor that took no tasks of its stage then: of another resource profile, or excluded.
    #[error("task {task} of stage {stage} of job {job} went to an executor that takes no tasks of its stage")]
    NotTaken {
        /// The job.
        job: u32,
        /// The stage.
        stage: u32,
        /// The task.
        task: u32,
    },
    /// A task was launched although one of its stage had returned, which goes first.
    #[error("task {task} of stage {stage} of job {job} was launched before one that had returned")]
    OutOfTurn {
        /// The job.
        job: u32,
        /// The stage.
        stage: u32,
        /// The task.
        task: u32,
    },
    /// A job was not cancelled when it should be, or although it should not.
    #[error("job {job} was not cancelled at its time, or although it had ended, or never was to be")]
    WrongCancellation {
        /// The job.
        job: u32,
    },
    /// An executor was there throughout its loss.
    #[error("executor {executor} was not lost at {} s", .at.seconds())]
    NotLost {
        /// The executor.
        executor: u32,
        /// When it should be.
        at: Time,
    },
    /// A core idled while a task was pending.
    #[error("a core idled at {} s while tasks were pending", .at.seconds())]
    Idle {
        /// When.
        at: Time,
    },
    /// A job's finish is not the end of its last task, with its finish delay.
    #[error("job {job} does not finish with its last task, or its finish delay after it")]
    WrongFinish {
        /// The job.
        job: u32,
    },
}

/// Checks a trace against its scenario: every task once and for its duration, or as often as the rules of attempts
/// allow, no overlap, stages after their parents, no idle core while a task is pending, jobs finish with their last
/// task.
///
/// Knows nothing of policies or of the engine, so that it can find their faults.
///
/// # Errors
/// The first broken rule.
pub fn check(scenario: &Scenario, trace: &Trace) -> Result<(), Fault> {
    let jobs = trace.jobs.iter().map(|run| (run.user, run.arrival));
    let users = scenario.jobs().iter().map(|job| job.user);
    if trace.cores != scenario.cluster().cores()
        || trace.jobs.len() != scenario.jobs().len()
        || !jobs.eq(users.zip(sessions::expected_arrivals(scenario, trace)))
    {
        return Err(Fault::OtherJobs);
    }
    check_executors(scenario, trace)?;
    let starts = first_starts(scenario, trace)?;
    check_cores(trace)?;
    check_memory(scenario, trace)?;
    attempts::check_attempts(scenario, trace)?;
    let windows = check_order(scenario, trace, &starts)?;
    stages::check_stages(scenario, trace, &windows)?;
    if checks_idling(scenario, trace.policy) {
        check_work_conserving(scenario, trace, windows)
    } else {
        Ok(())
    }
}

/// Whether [`check`] finds cores that are idle while a task is pending: not under a policy that leaves some idle on
/// purpose, nor where memory is modelled, because a core may be idle that no pending task fits, nor where tasks wait
/// for certain executors, may use some only, for each other or for outputs that are lost, nor where cores belong to jobs, which may keep one
/// that they do not need yet.
pub fn checks_idling(scenario: &Scenario, policy: PolicyId) -> bool {
    let cluster = scenario.cluster();
    let mut stages = scenario.jobs().iter().flat_map(|job| &job.stages);
    policy.kind.info().idling == Idling::Never
        && cluster.memory_per_executor.is_none()
        && cluster.losses.is_empty()
        && cluster.executors_belong.is_none()
        && !(scenario.names_kill_reasons() && cluster.driver.is_modelled())
        && stages.all(|stage| !stage.has_places(cluster))
}

/// Checks that tasks run on executors that are there.
fn check_executors(scenario: &Scenario, trace: &Trace) -> Result<(), Fault> {
    if !scenario.cluster().is_elastic() {
        return Ok(());
    }
    let runs = trace.tasks.iter().filter(|run| run.start < run.end);
    for run in runs {
        if stay(scenario, trace, run).is_none_or(|stay| trace.executors[stay].to < run.end) {
            let executor = run.core.0 / scenario.cluster().cores_per_executor;
            return Err(Fault::NoSuchExecutor { executor, at: run.start });
        }
    }
    Ok(())
}

/// From when to when an executor takes tasks; after it no longer does, those that it has go on.
fn open_times(scenario: &Scenario, trace: &Trace) -> Vec<ExecutorRun> {
    let Cluster { executors, executors_at, dynamic_allocation, .. } = scenario.cluster();
    let end = trace.end();
    if dynamic_allocation.is_some() {
        return trace.executors.clone();
    }
    let mut open = Vec::new();
    for executor in 0..*executors {
        let mut since = Some(Time::ZERO);
        for &(at, wanted) in executors_at {
            if executor < wanted {
                since.get_or_insert(at);
            } else if let Some(from) = since.take() {
                open.push(ExecutorRun { executor, from, to: at });
            }
        }
        open.extend(since.map(|from| ExecutorRun { executor, from, to: end.max(from) }));
    }
    open
}

/// Checks that the tasks on an executor never hold more memory than it has.
fn check_memory(scenario: &Scenario, trace: &Trace) -> Result<(), Fault> {
    let cluster = scenario.cluster();
    let Some(most) = cluster.memory_per_executor else { return Ok(()) };
    // At one instant tasks end before others are launched.
    let mut changes: BTreeMap<(u32, Time), [u64; 2]> = BTreeMap::new();
    for run in &trace.tasks {
        let executor = run.core.0 / cluster.cores_per_executor;
        let memory = scenario.jobs()[run.job.index()].stages[run.stage as usize].memory;
        changes.entry((executor, run.end)).or_default()[0] += if run.end > run.start { memory } else { 0 };
        changes.entry((executor, run.start)).or_default()[1] += if run.end > run.start { memory } else { 0 };
    }
    let (mut of, mut held) = (0, 0);
    for (&(executor, at), [released, occupied]) in &changes {
        if executor != of {
            (of, held) = (executor, 0);
        }
        held = held + occupied - released;
        if held > most {
            return Err(Fault::Memory { executor, at });
        }
    }
    Ok(())
}

/// Checks the tasks one by one; when the first of each stage began.
fn first_starts(scenario: &Scenario, trace: &Trace) -> Result<HashMap<(u32, u32), Time>, Fault> {
    let mut held = CoreHistory::default();
    let mut durations: HashMap<(u32, u32), Vec<Span>> = HashMap::new();
    // Whether each task has ended.
    let mut ended: HashMap<(u32, u32), Vec<bool>> = HashMap::new();
    for (j, job) in scenario.jobs().iter().enumerate() {
        for (s, stage) in job.stages.iter().enumerate() {
            let n = scenario.partitioning().task_count(stage, trace.policy.partitioning);
            let spans = stage.input.durations(n);
            ended.insert((j as u32, s as u32), vec![false; spans.len()]);
            durations.insert((j as u32, s as u32), spans);
        }
    }
    let mut starts: HashMap<(u32, u32), Time> = HashMap::new();
    let is_repeated = repeated_tasks(scenario, trace);
    for (index, run) in (0..).zip(&trace.tasks) {
        let &TaskRun { job: JobId(job), stage, task, start, .. } = run;
        let spans = durations.get(&(job, stage));
        let Some((&duration, spans)) = spans.and_then(|spans| Some((spans.get(task as usize)?, spans)))
        else {
            return Err(Fault::NotATask { job, stage, task });
        };
        let killed = trace.killed.binary_search(&index).is_ok();
        if !killed && let Some(ended) = ended.get_mut(&(job, stage)) {
            ended[task as usize] = true;
        }
        let stays = possible_stays(scenario, trace, run);
        // Of what was observed each attempt took its own time, a task one of them.
        let is_free = killed || is_repeated.contains(&(job, stage, task));
        let is_free = is_free && trace.policy == OBSERVED;
        if !held.is_right(scenario, run, spans.len() as u32, &stays, duration, killed) && !is_free {
            return Err(Fault::WrongDuration { job, stage, task });
        }
        let first = starts.entry((job, stage)).or_insert(start);
        *first = start.min(*first);
    }
    ended.retain(|&(job, _), _| trace.jobs[job as usize].finish().is_some());
    let missing = ended.values().flatten().filter(|ended| !**ended).count() as u64;
    if missing > 0 { Err(Fault::Missing { missing }) } else { Ok(starts) }
}

/// Tasks with several attempts in a schedule that was observed.
fn repeated_tasks(scenario: &Scenario, trace: &Trace) -> HashSet<(u32, u32, u32)> {
    let mut seen = HashSet::new();
    let is_observed = trace.policy == OBSERVED && scenario.names_kill_reasons();
    let observed = trace.tasks.iter().filter(|_| is_observed);
    observed.map(task_of).filter(|task| !seen.insert(*task)).collect()
}

fn check_cores(trace: &Trace) -> Result<(), Fault> {
    let mut free_from = vec![Time::ZERO; trace.cores as usize];
    for run in &trace.tasks {
        let Some(free) = free_from.get_mut(run.core.index()) else {
            return Err(Fault::NoSuchCore { core: run.core.0 });
        };
        if run.start < *free {
            return Err(Fault::Overlap { core: run.core.0, at: run.start });
        }
        *free = run.end;
    }
    Ok(())
}

/// Checks that stages wait for what they must; the instant of each stage's submission, by which its tasks are pending,
/// as far as the trace tells.
fn check_order(
    scenario: &Scenario,
    trace: &Trace,
    first_starts: &HashMap<(u32, u32), Time>,
) -> Result<HashMap<(u32, u32), Time>, Fault> {
    let mut submissions = HashMap::new();
    let timeline = Timeline::new(scenario, trace);
    for j in (0..scenario.jobs().len()).filter(|&j| trace.jobs[j].finish().is_some()) {
        for (s, &submission) in (0..).zip(&timeline.submissions[j]) {
            let job = j as u32;
            if submission.min(first_starts[&(job, s)]) >= timeline.certain_until {
                continue;
            }
            if first_starts[&(job, s)] < submission {
                return Err(Fault::TooEarly { job, stage: s });
            }
            submissions.insert((job, s), submission);
        }
        // Whether the driver's work for tasks that ran again is known is another question.
        let is_known = !(scenario.names_kill_reasons() && scenario.cluster().driver.is_modelled())
            && timeline.finishes[j].min(trace.jobs[j].end()) < timeline.certain_until;
        if is_known && timeline.finishes[j] + scenario.jobs()[j].finish_delay != trace.jobs[j].end() {
            return Err(Fault::WrongFinish { job: j as u32 });
        }
    }
    Ok(submissions)
}

/// Checks that between two successive instants of change either all cores are busy or nothing is
/// pending.
fn check_work_conserving(
    scenario: &Scenario,
    trace: &Trace,
    submissions: HashMap<(u32, u32), Time>,
) -> Result<(), Fault> {
    /// How the counts of idle cores and pending tasks change at an instant.
    #[derive(Default)]
    struct IdleChange {
        idle: i64,
        pending: i64,
    }
    let cores = scenario.cluster().cores_per_executor;
    let mut open: Vec<Vec<(Time, Time)>> = vec![Vec::new(); scenario.cluster().executors as usize];
    for ExecutorRun { executor, from, to } in open_times(scenario, trace) {
        open[executor as usize].push((from, to));
    }
    let mut changes: BTreeMap<Time, IdleChange> = BTreeMap::new();
    let kinds = launch_kinds(scenario, trace);
    for (index, run) in trace.tasks.iter().enumerate() {
        // When the stages of a job that was dropped were submitted is not known: its tasks only keep cores busy.
        if let Some(&submission) = submissions.get(&(run.job.0, run.stage)) {
            let since = match kinds.as_ref().map_or(LaunchKind::First, |kinds| kinds[index]) {
                LaunchKind::First => submission,
                LaunchKind::Again { since } => since,
                LaunchKind::Copy => run.start,
            };
            changes.entry(since).or_default().pending += 1;
            changes.entry(run.start).or_default().pending -= 1;
        }
        for &(from, to) in &open[(run.core.0 / cores) as usize] {
            let (from, to) = (run.start.max(from), run.end.min(to));
            if from < to {
                changes.entry(from).or_default().idle -= 1;
                changes.entry(to).or_default().idle += 1;
            }
        }
    }
    for &(from, to) in open.iter().flatten() {
        changes.entry(from).or_default().idle += i64::from(cores);
        changes.entry(to).or_default().idle -= i64::from(cores);
    }
    let (mut idle, mut pending) = (0, 0);
    for (&at, change) in &changes {
        idle += change.idle;
        pending += change.pending;
        if pending > 0 && idle > 0 {
            return Err(Fault::Idle { at });
        }
    }
    Ok(())
}
