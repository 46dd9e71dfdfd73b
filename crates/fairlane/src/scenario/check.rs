//! The rules that every scenario keeps.

use std::collections::HashSet;
use std::fmt::Display;

use super::allocation::DynamicAllocation;
use super::curve::check_ascending;
use super::error::ensure;
use super::field::Range;
use super::job;
use super::{
    Cluster, Exclusion, Job, PartitionMode, Partitioning, Scenario, ScenarioError, Stage, User, allocation,
    places, sessions,
};
use crate::units::{MAX_MICROS, Span, Weight};

/// The largest scenario that is accepted.
///
/// They keep a simulation within a few hundred megabytes of memory. A library user who knows
/// better may pass others to [`Scenario::from_json_within`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a file.
    pub bytes: usize,
    /// Users, declared or not.
    pub users: usize,
    /// Jobs.
    pub jobs: usize,
    /// Stages of all jobs together.
    pub stages: usize,
    /// Slices of all inputs together.
    pub slices: usize,
    /// Tasks of all stages together, under either partitioning.
    pub tasks: u64,
    /// Cores.
    pub cores: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            bytes: 64 << 20,
            users: 200_000,
            jobs: 200_000,
            stages: 1_000_000,
            slices: 10_000_000,
            tasks: 20_000_000,
            cores: 100_000,
        }
    }
}

/// Checks a whole scenario.
pub(super) fn check(scenario: &Scenario, limits: &Limits) -> Result<(), ScenarioError> {
    let cluster = &scenario.cluster;
    check_cluster(cluster, limits)?;
    check_partitioning(&scenario.partitioning)?;
    check_users(&scenario.users, limits)?;
    ensure!(!scenario.jobs.is_empty(), "jobs", "there is no job; a scenario needs at least one");
    within(scenario.jobs.len(), limits.jobs, "jobs", &"jobs")?;
    let (mut stages, mut slices) = (0, 0);
    for (index, job) in scenario.jobs.iter().enumerate() {
        let path = format_args!("jobs[{index}]");
        ensure!(
            job.user.index() < scenario.users.len(),
            format!("{path}.user"),
            "there is no user {}; add it or choose another",
            job.user.0,
        );
        check_job(job, &path, cluster)?;
        stages += job.stages.len();
        slices += job.stages.iter().map(|stage| stage.input.slices()).sum::<usize>();
        within(stages, limits.stages, "stages", &path)?;
        within(slices, limits.slices, "slices of input", &path)?;
    }
    sessions::check(&scenario.jobs)?;
    ensure!(
        scenario.log_error.is_none_or(|error| error.is_finite() && error >= 0.0),
        "log_error",
        "is negative or no number; give the mean error that the import has reported, or leave it out",
    );
    check_bursts(scenario)?;
    places::check_caps(scenario)?;
    // Stage ids stay below 2^53, where JSON's numbers are still whole.
    ensure!(
        cluster.first_stage_id <= MAX_MICROS - stages as u64,
        "cluster.first_stage_id",
        "is more than 2^53; use a smaller number",
    );
    check_totals(scenario, limits)
}

/// Checks a count against a limit.
fn within(count: usize, most: usize, what: &str, path: &dyn Display) -> Result<(), ScenarioError> {
    ensure!(
        count <= most,
        path.to_string(),
        "from here on there are more than {most} {what}; split the file"
    );
    Ok(())
}

/// Checks what a job's own fields must fulfil.
fn check_job(job: &Job, path: &dyn Display, cluster: &Cluster) -> Result<(), ScenarioError> {
    WARM_FACTOR.check(job.warm_factor, || format!("{path}.warm_factor"))?;
    ensure!(
        job.deadline.is_none_or(|deadline| job.arrival.0.saturating_add(deadline.0) <= MAX_MICROS),
        format!("{path}.deadline_s"),
        "ends more than 2^53 microseconds (9007199254 s) after the start; use a smaller number"
    );
    if let Some(curve) = &job.curve {
        curve.check(cluster.cores(), path)?;
    }
    check_any_stage(job.stages.len(), path)?;
    places::check_job(job, path)?;
    for (index, stage) in job.stages.iter().enumerate() {
        check_stage(stage, &format_args!("{path}.stages[{index}]"), cluster)?;
    }
    check_parents(&job.stages, path)
}

/// Checks what a stage's own fields must fulfil, but for its parents.
fn check_stage(stage: &Stage, path: &dyn Display, cluster: &Cluster) -> Result<(), ScenarioError> {
    check_partitions(stage.partitions, path)?;
    FACTOR.check(stage.first_wave, || format!("{path}.first_wave"))?;
    check_ascending(&stage.inflation, &format_args!("{path}.inflation"))?;
    for (index, &(_, factor)) in stage.inflation.iter().enumerate() {
        FACTOR.check(factor, || format!("{path}.inflation[{index}][1]"))?;
    }
    let (most, remedy) = match cluster.memory_per_executor {
        Some(memory) => (memory, "give less, or raise cluster.memory_mb_per_executor"),
        None => (MAX_MEMORY, "give less"),
    };
    ensure!(
        stage.memory <= most,
        format!("{path}.memory_mb"),
        "is more than the {most} MB that an executor can have; {remedy}"
    );
    places::check_stage(stage, path, cluster)
}

pub(super) fn check_any_stage(stages: usize, path: &dyn Display) -> Result<(), ScenarioError> {
    ensure!(stages != 0, format!("{path}.stages"), "a job needs at least one stage");
    Ok(())
}

pub(super) fn check_partitions(partitions: u32, path: &dyn Display) -> Result<(), ScenarioError> {
    ensure!(partitions != 0, format!("{path}.partitions"), "must be at least 1");
    Ok(())
}

/// What a weight must be.
pub(crate) const WEIGHT: Range = Range {
    least: 1e-6,
    most: Weight::MAX,
    rule: "must be between 0.000001 and 1000000; 1 is the usual share",
};
/// What a factor must be that makes a task longer or shorter.
pub(crate) const FACTOR: Range = Range {
    least: f64::from_bits(1),
    most: f64::MAX,
    rule: "must be a finite number above 0; 1 makes no difference",
};
/// What a factor must be by which warm cores are faster.
pub(crate) const WARM_FACTOR: Range =
    Range { least: 1.0, most: f64::MAX, rule: "must be a finite number, 1 or more; 1 makes no difference" };

/// Memory in MB up to which the capacity of a cluster, and what is held of it, are whole numbers in `f64`.
const MAX_MEMORY: u64 = 1 << 53;

pub(crate) fn check_cluster(cluster: &Cluster, limits: &Limits) -> Result<(), ScenarioError> {
    let counts = [("executors", cluster.executors), ("cores_per_executor", cluster.cores_per_executor)];
    for (key, count) in counts {
        ensure!(count != 0, format!("cluster.{key}"), "must be at least 1");
    }
    let cores = u64::from(cluster.executors) * u64::from(cluster.cores_per_executor);
    let most = limits.cores;
    ensure!(
        cores <= most,
        "cluster",
        "{cores} cores are more than the limit of {most}; give fewer executors or cores"
    );
    allocation::check(cluster)?;
    places::check_cluster(cluster)?;
    let memory =
        cluster.memory_per_executor.map(|memory| memory.saturating_mul(u64::from(cluster.executors)));
    let message = match memory {
        Some(0) => "must be at least 1; leave it out if memory does not matter",
        Some(memory) if memory > MAX_MEMORY => "is more than 2^53 MB on all executors together; give less",
        _ => return Ok(()),
    };
    Err(ScenarioError::at("cluster.memory_mb_per_executor", message))
}

pub(crate) fn check_partitioning(partitioning: &Partitioning) -> Result<(), ScenarioError> {
    ensure!(
        partitioning.advisory_task_runtime != Span(0),
        "partitioning.advisory_task_runtime_s",
        "rounds to 0 microseconds; give at least 0.000001 s",
    );
    Ok(())
}

fn check_users(users: &[User], limits: &Limits) -> Result<(), ScenarioError> {
    within(users.len(), limits.users, "users", &"users")?;
    // Only looked up, never iterated.
    let mut seen = HashSet::with_capacity(users.len());
    for (index, user) in users.iter().enumerate() {
        let path = format!("users[{index}].name");
        check_user_name(&user.name, &path)?;
        ensure!(
            seen.insert(user.name.as_str()),
            path,
            "there is already a user \"{}\"; choose another name, or remove one of the two",
            user.name
        );
        if let Some(queue) = &user.queue {
            queue.check(&format!("users[{index}].queue"))?;
        }
    }
    Ok(())
}

/// Bursts of a queue until its last job that admission looks at one by one.
const MAX_BURSTS: u64 = 1_000_000;

/// Checks that no queue that demands something has more bursts than admission can look at.
fn check_bursts(scenario: &Scenario) -> Result<(), ScenarioError> {
    for job in &scenario.jobs {
        let user = job.user.index();
        let Some(queue) = &scenario.users[user].queue else { continue };
        let bursts = 1 + job.arrival.since(queue.joins).0 / queue.period.0;
        ensure!(
            !queue.has_guarantee() || bursts <= MAX_BURSTS,
            format!("users[{user}].queue.period_s"),
            "means {bursts} bursts until the last job arrives; give a longer period for at most {MAX_BURSTS}",
        );
    }
    Ok(())
}

pub(crate) fn check_user_name(name: &str, path: &dyn Display) -> Result<(), ScenarioError> {
    ensure!(!name.is_empty(), path.to_string(), "is empty; a user needs a name");
    Ok(())
}

/// Checks the parents of one job's stages: each names another stage once, and none is its own
/// ancestor. Parents may follow their children in the file.
pub(super) fn check_parents(stages: &[Stage], path: &dyn Display) -> Result<(), ScenarioError> {
    for (index, stage) in stages.iter().enumerate() {
        for (position, &parent) in stage.parents.iter().enumerate() {
            let at = || format!("{path}.stages[{index}].parents[{position}]");
            let last = stages.len() - 1;
            ensure!(
                parent as usize <= last,
                at(),
                "there is no stage {parent} in this job; its stages are 0 to {last}"
            );
            ensure!(
                !stage.parents[..position].contains(&parent),
                at(),
                "stage {parent} is named twice; name each parent once",
            );
        }
    }
    match stage_in_cycle(stages) {
        Some(index) => Err(ScenarioError::at(
            format!("{path}.stages[{index}].parents"),
            format!(
                "stage {index} waits for itself through its parents; remove one of them to break the cycle"
            ),
        )),
        None => Ok(()),
    }
}

/// A stage on a cycle of parents, determined by removing stages without open parents until none is left
/// (Kahn) and walking the parents of what remains.
fn stage_in_cycle(stages: &[Stage]) -> Option<usize> {
    let children = job::children(stages);
    let mut open: Vec<usize> = stages.iter().map(|stage| stage.parents.len()).collect();
    let mut ready: Vec<usize> = (0..stages.len()).filter(|&index| open[index] == 0).collect();
    while let Some(index) = ready.pop() {
        for child in children[index].iter().map(|&child| child as usize) {
            open[child] -= 1;
            if open[child] == 0 {
                ready.push(child);
            }
        }
    }
    let mut at = (0..stages.len()).find(|&index| open[index] > 0)?;
    // Every remaining stage has a remaining parent, so after one step per stage the walk is on the
    // cycle.
    for _ in 0..stages.len() {
        at = stages[at].parents.iter().map(|&parent| parent as usize).find(|&parent| open[parent] > 0)?;
    }
    Some(at)
}

/// Checks what only the whole scenario shows: that no time, work, weight or task count can leave
/// its range, whatever the policy.
pub(super) fn check_totals(scenario: &Scenario, limits: &Limits) -> Result<(), ScenarioError> {
    let cluster = &scenario.cluster;
    // Tasks are numbered with 32 bits, whatever limits a library user passes.
    let most = limits.tasks.min(u64::from(u32::MAX));
    let mut tasks = [0_u64; 2];
    let mut last_arrival = 0_u128;
    let mut work = 0_u128;
    let mut estimates = 0_u128;
    let mut delays = cluster.executors_at.last().map_or(0, |&(at, _)| u128::from(at.0));
    delays += cluster
        .losses
        .iter()
        .map(|loss| u128::from(loss.at.0 + loss.back.unwrap_or_default().0))
        .max()
        .unwrap_or(0);
    let end = |exclusion: &Exclusion| u128::from(exclusion.from.0 + exclusion.lasts.unwrap_or_default().0);
    let last_end = |exclusions: &[Exclusion]| exclusions.iter().map(end).max().unwrap_or(0);
    delays += last_end(&cluster.exclusions);
    // Every loss may have all tasks run again, and every task may have a copy.
    let repeats = (1 + cluster.losses.len() as u128) * if cluster.speculation.is_some() { 2 } else { 1 };
    // The longest from a submission to the first executor.
    let wait_for_executors = cluster
        .dynamic_allocation
        .as_ref()
        .map_or(0, |allocation| allocation.backlog.0 + allocation.start.0 + 2 * DynamicAllocation::TICK.0);
    let slowness = cluster.speeds.iter().map(|speed| 1.0 / speed).fold(1.0, f64::max);
    for (j, job) in scenario.jobs.iter().enumerate() {
        last_arrival = last_arrival.max(u128::from(job.arrival.0));
        estimates += u128::from(job.estimate.0);
        delays += u128::from(cluster.driver.job.0 + job.after.map_or(0, |before| before.think.0));
        delays += u128::from(job.finish_delay.0);
        for (s, stage) in job.stages.iter().enumerate() {
            estimates += u128::from(stage.estimate.0);
            delays += u128::from(cluster.delay_of(stage).0 + cluster.driver.stage.0 + wait_for_executors);
            let mut most_tasks = 0;
            for (mode, total) in [PartitionMode::Default, PartitionMode::Runtime].into_iter().zip(&mut tasks)
            {
                let count = scenario.partitioning.task_count(stage, mode);
                most_tasks = most_tasks.max(count);
                *total = total.saturating_add(count);
                if *total > most {
                    let remedy = match mode {
                        PartitionMode::Default => "give fewer partitions or split the file",
                        PartitionMode::Runtime => "raise advisory_task_runtime_s or split the file",
                    };
                    return Err(ScenarioError::at(
                        format!("jobs[{j}].stages[{s}]"),
                        format!(
                            "this stage's {count} tasks under {} partitioning bring the total above the limit of \
                                {}; {remedy}",
                            mode.name(),
                            most
                        ),
                    ));
                }
            }
            delays += last_end(&stage.exclusions);
            if stage.has_preferences() {
                delays += u128::from(most_tasks) * u128::from(cluster.locality_wait.0) * repeats;
            }
            work = work.saturating_add(slowest_work(stage, most_tasks, slowness));
        }
    }
    let per_task = [cluster.task_overhead, cluster.driver.task, cluster.core_move];
    let per_task: u128 = per_task.iter().map(|span| u128::from(span.0)).sum();
    let overheads = u128::from(tasks[0].max(tasks[1])) * per_task;
    let time = work.saturating_add(overheads).saturating_mul(repeats).saturating_add(last_arrival + delays);
    let what = "the last arrival, all work, overheads, delays and the driver's time together";
    for (what, total) in [(what, time), ("all estimates together", estimates)] {
        ensure!(
            total <= u128::from(MAX_MICROS),
            "jobs",
            "{what} are more than 2^53 microseconds (9007199254 s); use smaller figures"
        );
    }
    Ok(())
}

/// The longest that a stage's tasks can hold cores, in core-µs, wherever and whenever they run: the slowest executor
/// takes `slowness` times as long.
fn slowest_work(stage: &Stage, tasks: u64, slowness: f64) -> u128 {
    let work = stage.input.work().0;
    let inflation = stage.inflation.iter().map(|&(_, factor)| factor).fold(0.0, f64::max);
    let factor = if stage.inflation.is_empty() { 1.0 } else { inflation }
        * stage.first_wave.max(1.0)
        * stage.away.max(1.0)
        * slowness;
    if factor <= 1.0 {
        return u128::from(work);
    }
    // Each task's length is rounded up by half a microsecond at most; `as` stops at the largest number.
    ((work as f64 * factor).ceil() as u128).saturating_add(u128::from(tasks))
}
