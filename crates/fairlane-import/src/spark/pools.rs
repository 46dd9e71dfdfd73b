//! The scheduler that a log ran with: its mode and its pools.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::jobs::ImportJob;
use super::log::Log;
use super::pools_file::{PoolsFile, mode};
use super::record::{Application, property};
use super::report::{ClusterReport, ModeSource, PoolReport, PoolSource};
use super::{ImportError, ImportOptions};
use fairlane::policy::spark::{Pool, PoolMode};
use fairlane::scenario::{DEFAULT_POOL, PolicyParameters};

impl Log {
    /// The pool that a job of Spark is in, by the job's index.
    pub(super) fn pool(&self, job: u32) -> &str {
        let job = &self.jobs[job as usize];
        match self.applications.get(job.application as usize) {
            Some(application) => &application.pool,
            None => job.properties.get(property::POOL).unwrap_or(DEFAULT_POOL),
        }
    }
}

/// The pool that a job of the scenario is in: that of its first job of Spark.
pub(super) fn of<'a>(log: &'a Log, job: &ImportJob) -> &'a str {
    job.spark_jobs.first().map_or(DEFAULT_POOL, |&first| log.pool(first))
}

/// The scheduler's mode that an application's settings name.
pub(super) fn mode_of(log: &Log) -> PoolMode {
    log.setting("spark.scheduler.mode").and_then(mode).unwrap_or(PoolMode::Fifo)
}

/// The pools of several applications, which order their jobs as those did. As it was, each has its own executors, with
/// that many cores; shared, they are alike.
fn of_applications(log: &Log, cores: &[u32], share: bool) -> Vec<Pool> {
    let pool = |(application, &cores): (&Application, &u32)| {
        let pool = Pool { mode: application.mode, ..Pool::named(application.pool.as_str()) };
        if share { pool } else { Pool { min_share: cores, max_share: Some(cores.max(1)), ..pool } }
    };
    log.applications.iter().zip(cores).map(pool).collect()
}

/// The parameters of the policy `spark` under which a log ran. `cores` are the most that each of several applications
/// had.
///
/// # Errors
/// The pools file declares what no scenario can have.
pub(super) fn parameters(
    log: &Log,
    options: &ImportOptions,
    jobs: &[ImportJob],
    cores: &[u32],
    report: &mut ClusterReport,
) -> Result<PolicyParameters, ImportError> {
    let mut users: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for job in jobs {
        let pools = job.spark_jobs.iter().map(|&one| log.pool(one));
        pools.chain([of(log, job)]).for_each(|pool| _ = users.entry(pool).or_default().insert(&job.user));
    }
    // Spark's default is FIFO.
    let recorded = log.settings.is_some().then(|| mode_of(log));
    // Under FIFO nobody names pools.
    let likely = if users.keys().any(|&pool| pool != DEFAULT_POOL) { PoolMode::Fair } else { PoolMode::Fifo };
    let (mode, source) = match (options.mode, recorded) {
        (Some(given), _) => (given, ModeSource::Given),
        (None, Some(recorded)) => (recorded, ModeSource::Log),
        (None, None) => (likely, ModeSource::Assumed),
    };
    let allocation_file = log.setting("spark.scheduler.allocation.file").map(str::to_owned);
    let has_file = options.pools.is_some() || allocation_file.is_some();
    let is_fair = !has_file && log.is_default_pool_fair();
    let default_mode = if is_fair { PoolMode::Fair } else { PoolMode::Fifo };
    let of_file = options.pools.as_ref().map_or(&[][..], PoolsFile::pools);
    // Who shares one application may say how.
    let own = match options.share && !of_file.is_empty() {
        true => Vec::new(),
        false => of_applications(log, cores, options.share),
    };
    let source_of_declared = match (own.is_empty(), options.share) {
        (true, _) => PoolSource::Declared,
        (false, true) => PoolSource::Assumed,
        (false, false) => PoolSource::Application,
    };
    let declared = if own.is_empty() { of_file } else { &own };
    let parameters =
        [("mode", json!(mode)), ("default_mode", json!(default_mode)), ("pools", json!(declared))]
            .into_iter()
            .try_fold(PolicyParameters::default(), |parameters, (name, value)| {
                parameters.with("spark", name, value)
            })
            .map_err(|error| ImportError::new("--pools", error.to_string()))?;

    let names: BTreeSet<&str> =
        users.keys().copied().chain(declared.iter().map(|pool| pool.name.as_str())).collect();
    let pools = names.into_iter().map(|name| {
        let known = declared.iter().find(|pool| pool.name == name);
        let made = || match name {
            DEFAULT_POOL => Pool { mode: default_mode, ..Pool::named(name) },
            _ => Pool::named(name),
        };
        PoolReport {
            pool: known.cloned().unwrap_or_else(made),
            source: if known.is_some() { source_of_declared } else { PoolSource::Assumed },
            users: users.get(name).into_iter().flatten().map(|&user| user.to_owned()).collect(),
        }
    });
    report.pools = pools.collect();
    (report.scheduler_mode, report.mode_source) = (mode, source);
    report.allocation_file = allocation_file;
    report.pools_file_remarks = options.pools.iter().flat_map(PoolsFile::remarks).cloned().collect();
    let in_several =
        jobs.iter().filter(|job| job.spark_jobs.iter().any(|&one| log.pool(one) != of(log, job)));
    report.in_several_pools = in_several.count() as u64;
    Ok(parameters)
}
