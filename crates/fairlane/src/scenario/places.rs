//! Places and attempts: executors that are lost, second attempts of slow tasks, and attempts that are killed for others
//! (docs/model.md sections 18 to 27).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use super::check::FACTOR;
use super::error::ensure;
use super::field::Range;
use super::{Cluster, Job, PartitionMode, Scenario, ScenarioError, Stage, pool};
use crate::units::{MAX_MICROS, Span, Time};

/// An executor that is lost with all that it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// When.
    pub at: Time,
    /// Which executor.
    pub executor: u32,
    /// How long until it is there again; `None` for never.
    pub back: Option<Span>,
}

/// A while during which an executor takes no more tasks: after failures, Spark's `spark.excludeOnFailure`. Tasks that it
/// has go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exclusion {
    /// Which executor.
    pub executor: u32,
    /// When it begins: counted from 0 s for one of the cluster's, from the launch of its first task for one of a stage's.
    pub from: Span,
    /// How long it lasts; `None` for ever.
    pub lasts: Option<Span>,
}

impl Exclusion {
    /// Whether the executor is excluded at an instant, if the exclusion is counted from another one.
    pub fn covers(&self, start: Time, at: Time) -> bool {
        let from = start + self.from;
        from <= at && self.lasts.is_none_or(|lasts| at < from + lasts)
    }

    /// When the executor takes tasks again, if the exclusion is counted from an instant; `None` for never.
    pub fn end(&self, start: Time) -> Option<Time> {
        self.lasts.map(|lasts| start + self.from + lasts)
    }

    fn check(&self, path: &dyn Display, executors: u32) -> Result<(), ScenarioError> {
        ensure!(
            self.executor < executors,
            format!("{path}.executor"),
            "there is no executor {}; they are 0 to {}",
            self.executor,
            executors - 1
        );
        let end = self.from.0.saturating_add(self.lasts.unwrap_or_default().0);
        ensure!(
            end <= MAX_MICROS,
            format!("{path}.{}", if self.from.0 > MAX_MICROS { "from_s" } else { "for_s" }),
            "is more than 2^53 microseconds (9007199254 s) after the start; use a smaller number"
        );
        Ok(())
    }
}

/// When slow tasks get a second attempt: Spark's `spark.speculation`.
#[derive(Clone, Debug, PartialEq)]
pub struct Speculation {
    /// The fraction of a stage's tasks that must have ended, from 0 to 1.
    pub quantile: f64,
    /// How many times as long as the median attempt one must have run.
    pub multiplier: f64,
    /// How long an attempt must have run in any case.
    pub min: Span,
    /// From one look at all attempts to the next.
    pub interval: Span,
}

impl Default for Speculation {
    /// The defaults of Spark 4.
    fn default() -> Self {
        Speculation { quantile: 0.9, multiplier: 3.0, min: Span(100_000), interval: Span(100_000) }
    }
}

/// When attempts are killed for users or pools that have had too few cores for too long, as Databricks' preemption and
/// that of Hadoop's fair scheduler.
#[derive(Clone, Debug, PartialEq)]
pub struct Preemption {
    /// The fraction of its fair share below which a party starves, above 0 and up to 1.
    pub threshold: f64,
    /// How long it starves before attempts are killed for it.
    pub after: Span,
    /// From one look at all parties to the next.
    pub interval: Span,
}

impl Default for Preemption {
    fn default() -> Self {
        Preemption { threshold: 0.5, after: Span(30_000_000), interval: Span(5_000_000) }
    }
}

impl Preemption {
    /// Preemption that can help in a scenario: attempts are killed after a quarter of its longest task, rounded down to 1,
    /// 2 or 5 times a power of ten, and after 30 s at most; looks are a fifth of that apart, 5 s at most.
    ///
    /// ```
    /// use fairlane::scenario::Preemption;
    /// let scenario = fairlane::catalog::find("skew").expect("an entry").scenario();
    /// assert!(Preemption::suiting(&scenario).after < Preemption::default().after);
    /// ```
    pub fn suiting(scenario: &Scenario) -> Preemption {
        let longest_of = |stage: &Stage| {
            let tasks = scenario.partitioning().task_count(stage, PartitionMode::Default);
            stage.input.durations(tasks).into_iter().max()
        };
        let stages = scenario.jobs().iter().flat_map(|job| &job.stages);
        let longest = stages.filter_map(longest_of).max().unwrap_or_default();
        let usual = Preemption::default();
        let after = round_down(longest.0 / 4).min(usual.after.0);
        let interval = round_down(after / 5).min(usual.interval.0);
        Preemption { after: Span(after), interval: Span(interval), ..usual }
    }
}

/// The largest 1, 2 or 5 times a power of ten that is not above a number, and 1 at least; 30 s are as they are.
fn round_down(micros: u64) -> u64 {
    if micros >= 30_000_000 {
        return 30_000_000;
    }
    let power = 10_u64.pow(micros.max(1).ilog10());
    [5, 2, 1].into_iter().map(|factor| factor * power).find(|&round| round <= micros).unwrap_or(1)
}

/// What a quantile must be.
pub(crate) const QUANTILE: Range =
    Range { least: 0.0, most: 1.0, rule: "must be from 0 to 1; 0.9 is nine of ten tasks" };
/// What a multiplier must be.
pub(crate) const MULTIPLIER: Range = Range {
    least: 0.0,
    most: f64::MAX,
    rule: "must be a finite number, 0 or more; 3 is three times the median",
};
/// What a threshold must be.
pub(crate) const THRESHOLD: Range = Range {
    least: f64::from_bits(1),
    most: 1.0,
    rule: "must be above 0 and at most 1; 0.5 is half of the fair share",
};

/// Checks the cluster's fields.
pub(super) fn check_cluster(cluster: &Cluster) -> Result<(), ScenarioError> {
    let executors = cluster.executors;
    let speeds = &cluster.speeds;
    ensure!(
        speeds.is_empty() || speeds.len() == executors as usize,
        "cluster.speeds",
        "has {} numbers for {executors} executors; give one for each, or leave it out",
        speeds.len()
    );
    for (index, &speed) in speeds.iter().enumerate() {
        FACTOR.check(speed, || format!("cluster.speeds[{index}]"))?;
    }
    for (index, loss) in cluster.losses.iter().enumerate() {
        let path = |key: &str| format!("cluster.losses[{index}].{key}");
        ensure!(
            loss.executor < executors,
            path("executor"),
            "there is no executor {}; they are 0 to {}",
            loss.executor,
            executors - 1
        );
        ensure!(
            cluster.dynamic_allocation.is_none() || loss.back.is_none(),
            path("back_s"),
            "goes without dynamic_allocation, which requests another executor itself; leave it out"
        );
        let back = loss.back.unwrap_or_default();
        ensure!(
            loss.at.0.saturating_add(back.0) <= MAX_MICROS,
            path(if loss.at.0 > MAX_MICROS { "at_s" } else { "back_s" }),
            "is more than 2^53 microseconds (9007199254 s) after the start; use a smaller number"
        );
    }
    ensure!(
        cluster.dynamic_allocation.is_some() || cluster.lasting_executors().next().is_some(),
        "cluster.losses",
        "leave no executor in the end, so that jobs could not end; give one of them back_s"
    );
    let profiles = &cluster.resource_profiles;
    ensure!(
        profiles.is_empty() || profiles.len() == executors as usize,
        "cluster.resource_profiles",
        "has {} numbers for {executors} executors; give one for each, or leave it out",
        profiles.len()
    );
    for (index, exclusion) in cluster.exclusions.iter().enumerate() {
        exclusion.check(&format_args!("cluster.exclusions[{index}]"), executors)?;
    }
    let limits =
        [("resource_profiles", !profiles.is_empty()), ("exclusions", !cluster.exclusions.is_empty())];
    if let Some((key, _)) =
        limits.into_iter().find(|&(_, given)| given && cluster.dynamic_allocation.is_some())
    {
        let message =
            "does not go with dynamic_allocation, whose executors are all alike; give executors_at instead";
        return Err(ScenarioError::at(format!("cluster.{key}"), message));
    }
    let owned = cluster.executors_belong.is_some();
    let [profiles, exclusions] = limits;
    let others = [
        ("speculation", cluster.speculation.is_some()),
        ("preemption", cluster.preemption.is_some()),
        profiles,
        exclusions,
    ];
    if let Some((key, _)) = others.into_iter().find(|&(_, given)| owned && given) {
        let message = "does not go with executors_belong, by which cores are their jobs'; remove one of them";
        return Err(ScenarioError::at(format!("cluster.{key}"), message));
    }
    if let Some(Speculation { quantile, multiplier, interval, min: _ }) = &cluster.speculation {
        let path = |key: &str| format!("cluster.speculation.{key}");
        QUANTILE.check(*quantile, || path("quantile"))?;
        MULTIPLIER.check(*multiplier, || path("multiplier"))?;
        ensure!(
            *interval != Span(0),
            path("interval_s"),
            "rounds to 0 microseconds; give at least 0.000001 s"
        );
    }
    if let Some(Preemption { threshold, interval, after: _ }) = &cluster.preemption {
        let path = |key: &str| format!("cluster.preemption.{key}");
        THRESHOLD.check(*threshold, || path("threshold"))?;
        ensure!(
            *interval != Span(0),
            path("interval_s"),
            "rounds to 0 microseconds; give at least 0.000001 s"
        );
    }
    Ok(())
}

/// Checks a job's own fields.
pub(super) fn check_job(job: &Job, path: &dyn Display) -> Result<(), ScenarioError> {
    ensure!(
        job.cancel.is_some() || !job.interrupt,
        format!("{path}.interrupt"),
        "says what a cancellation does, but there is no cancel_s; give it, or leave interrupt out"
    );
    let end = job.arrival.0.saturating_add(job.cancel.unwrap_or_default().0);
    ensure!(
        end <= MAX_MICROS,
        format!("{path}.cancel_s"),
        "ends more than 2^53 microseconds (9007199254 s) after the start; use a smaller number"
    );
    let mut pools: BTreeMap<u32, (usize, &str)> = BTreeMap::new();
    for (index, stage) in job.stages.iter().enumerate() {
        let pool = stage.pool.as_deref().unwrap_or(&job.pool);
        let pool = if pool.is_empty() { super::DEFAULT_POOL } else { pool };
        let &mut (first, other) = pools.entry(stage.spark_job).or_insert((index, pool));
        ensure!(
            pool == other,
            format!("{path}.stages[{index}].pool"),
            "is \"{pool}\", but stage {first} of the same Spark job is in \"{other}\"; give both the same pool, or \
             another spark_job"
        );
    }
    Ok(())
}

/// Checks a stage's own fields.
pub(super) fn check_stage(stage: &Stage, path: &dyn Display, cluster: &Cluster) -> Result<(), ScenarioError> {
    FACTOR.check(stage.away, || format!("{path}.away"))?;
    for (index, entry) in stage.prefers.iter().enumerate() {
        let mut seen = BTreeSet::new();
        for (position, &executor) in entry.iter().enumerate() {
            let at = || format!("{path}.prefers[{index}][{position}]");
            let last = cluster.executors - 1;
            ensure!(
                executor < cluster.executors,
                at(),
                "there is no executor {executor}; they are 0 to {last}"
            );
            ensure!(seen.insert(executor), at(), "executor {executor} is named twice; name each once");
        }
    }
    for (index, exclusion) in stage.exclusions.iter().enumerate() {
        exclusion.check(&format_args!("{path}.exclusions[{index}]"), cluster.executors)?;
    }
    ensure!(
        stage.exclusions.is_empty() || cluster.dynamic_allocation.is_none(),
        format!("{path}.exclusions"),
        "does not go with dynamic_allocation, whose executors are all alike; give executors_at instead"
    );
    let profile = stage.resource_profile;
    ensure!(
        (0..cluster.executors).any(|executor| cluster.resource_profile(executor) == profile),
        format!("{path}.resource_profile"),
        "is {profile}, which no executor has; give it to one in cluster.resource_profiles, or choose another"
    );
    let lasting = cluster.lasting_executors_of(stage).count() as u64;
    let limit = match (stage.exclusions.is_empty(), cluster.resource_profiles.is_empty()) {
        (false, _) => format!("{path}.exclusions"),
        (true, true) => "cluster.exclusions".to_owned(),
        (true, false) => format!("{path}.resource_profile"),
    };
    ensure!(
        cluster.dynamic_allocation.is_some() || lasting > 0,
        limit,
        "leaves no executor in the end that takes the stage's tasks, so that it could not end; let one of its profile \
         stay, or give an exclusion for_s"
    );
    let fields = [
        ("barrier", stage.barrier),
        ("prefers", !stage.prefers.is_empty()),
        ("exclusions", !stage.exclusions.is_empty()),
    ];
    if let Some((key, _)) = fields.into_iter().find(|&(_, given)| given && cluster.executors_belong.is_some())
    {
        let message =
            "does not go with cluster.executors_belong, by which cores are their jobs'; remove one of them";
        return Err(ScenarioError::at(format!("{path}.{key}"), message));
    }
    if !stage.barrier {
        return Ok(());
    }
    ensure!(
        !stage.splittable,
        format!("{path}.splittable"),
        "is true, but the tasks of a barrier stage are fixed; leave it out, or remove barrier"
    );
    ensure!(
        cluster.dynamic_allocation.is_none(),
        format!("{path}.barrier"),
        "does not go with dynamic_allocation (SPARK-24942); remove one of them"
    );
    let by_memory = cluster.memory_per_executor.and_then(|memory| memory.checked_div(stage.memory));
    let per_executor = by_memory.unwrap_or(u64::MAX).min(cluster.cores_per_executor.into());
    let most = lasting * per_executor;
    ensure!(
        u64::from(stage.partitions) <= most,
        format!("{path}.barrier"),
        "needs {} cores at once, and there are at most {most} that its tasks fit; give it fewer tasks",
        stage.partitions
    );
    Ok(())
}

/// Checks that every barrier stage fits the cap of its pool.
pub(super) fn check_caps(scenario: &Scenario) -> Result<(), ScenarioError> {
    let has_barrier = |job: &Job| job.stages.iter().any(|stage| stage.barrier);
    if !scenario.jobs.iter().any(has_barrier) || !pool::has_pools(scenario) {
        return Ok(());
    }
    let pools = pool::declared(scenario);
    for (id, job) in (0..).map(crate::ids::JobId).zip(scenario.jobs()) {
        for (index, stage) in (0..).zip(&job.stages).filter(|(_, stage)| stage.barrier) {
            let name = pool::stage_pool_name(scenario, id, index);
            let cap = pools.iter().find(|pool| pool.name == name).and_then(|pool| pool.max_share);
            let most = cap.unwrap_or(u32::MAX);
            ensure!(
                stage.partitions <= most,
                format!("jobs[{}].stages[{index}].barrier", id.0),
                "needs {} cores at once, and its pool \"{name}\" has at most {most}; raise max_share",
                stage.partitions
            );
        }
    }
    Ok(())
}
