//! The scheduler that a log ran with: its mode and its pools.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use roxmltree::{Document, Node};
use serde_json::json;

use super::jobs::ImportJob;
use super::log::Log;
use super::report::{ClusterReport, ModeSource, PoolReport, PoolSource};
use super::{ImportError, ImportOptions};
use fairlane::policy::spark::{Pool, PoolMode};
use fairlane::scenario::{DEFAULT_POOL, PolicyParameters};

/// The pools that a `fairscheduler.xml` declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PoolsFile(Vec<Pool>);

impl PoolsFile {
    /// The pools, in the order of the file.
    pub fn pools(&self) -> &[Pool] {
        &self.0
    }

    /// Reads a file as Spark does (`FairSchedulableBuilder`): what is missing or no value of its field has Spark's
    /// default. `maxShare`, which Spark ignores, is a cap.
    ///
    /// # Errors
    /// It is not XML.
    pub fn read(name: &str, text: &str) -> Result<PoolsFile, ImportError> {
        let unreadable =
            |error: roxmltree::Error| ImportError::new(name, format!("is not a pools file: {error}"));
        let document = Document::parse(text).map_err(unreadable)?;
        let pools = document.descendants().filter(|node| node.has_tag_name("pool"));
        Ok(PoolsFile(pools.map(|node| declared(&node)).collect()))
    }

    /// The text of a file that declares these pools; of caps, which Spark does not have, it says nothing.
    pub fn write<'a>(pools: impl IntoIterator<Item = &'a Pool>) -> String {
        let pools: String = pools.into_iter().map(element).collect();
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<allocations>\n{pools}</allocations>\n")
    }
}

/// A pool as an element.
fn element(pool: &Pool) -> String {
    let mut name = String::new();
    for character in pool.name.chars() {
        match character {
            '<' | '>' | '&' | '"' | '\'' => {
                write!(name, "&#{};", u32::from(character)).expect("a string takes everything");
            }
            _ => name.push(character),
        }
    }
    let mode = match pool.mode {
        PoolMode::Fifo => "FIFO",
        PoolMode::Fair => "FAIR",
    };
    let Pool { weight, min_share, .. } = pool;
    format!(
        "  <pool name=\"{name}\">\n    <schedulingMode>{mode}</schedulingMode>\n    <weight>{weight}</weight>\n    \
         <minShare>{min_share}</minShare>\n  </pool>\n"
    )
}

/// A pool as its element declares it.
fn declared(element: &Node<'_, '_>) -> Pool {
    let text = |name: &str| {
        let child = element.children().find(|child| child.has_tag_name(name));
        child.and_then(|child| child.text()).unwrap_or_default().trim().to_owned()
    };
    let default = Pool::named(element.attribute("name").unwrap_or_default());
    Pool {
        mode: mode(&text("schedulingMode")).unwrap_or(default.mode),
        weight: text("weight").parse().unwrap_or(default.weight),
        min_share: text("minShare").parse().unwrap_or(default.min_share),
        max_share: text("maxShare").parse().ok().filter(|&cores| cores > 0),
        ..default
    }
}

fn mode(text: &str) -> Option<PoolMode> {
    match text.to_ascii_uppercase().as_str() {
        "FIFO" => Some(PoolMode::Fifo),
        "FAIR" => Some(PoolMode::Fair),
        _ => None,
    }
}

/// The pool that a job of the scenario is in: that of its first job of Spark.
pub(super) fn of<'a>(log: &'a Log, job: &ImportJob) -> &'a str {
    job.spark_jobs.first().map_or(DEFAULT_POOL, |&first| log.pool(first))
}

/// The parameters of the policy `spark` under which a log ran.
///
/// # Errors
/// The pools file declares what no scenario can have.
pub(super) fn parameters(
    log: &Log,
    options: &ImportOptions,
    jobs: &[ImportJob],
    report: &mut ClusterReport,
) -> Result<PolicyParameters, ImportError> {
    let mut users: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for job in jobs {
        users.entry(of(log, job)).or_default().insert(&job.user);
    }
    // Spark's default is FIFO.
    let of_settings = || log.setting("spark.scheduler.mode").and_then(mode).unwrap_or(PoolMode::Fifo);
    let recorded = log.settings.is_some().then(of_settings);
    // Under FIFO nobody names pools.
    let likely = if users.keys().any(|&pool| pool != DEFAULT_POOL) { PoolMode::Fair } else { PoolMode::Fifo };
    let (mode, source) = match (options.mode, recorded) {
        (Some(given), _) => (given, ModeSource::Given),
        (None, Some(recorded)) => (recorded, ModeSource::Log),
        (None, None) => (likely, ModeSource::Assumed),
    };
    let allocation_file = log.setting("spark.scheduler.allocation.file").map(str::to_owned);
    let has_file = options.pools.is_some() || allocation_file.is_some();
    let default_mode = if has_file { PoolMode::Fifo } else { PoolMode::Fair };
    let declared = options.pools.as_ref().map_or(&[][..], |file| &file.0);
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
            source: if known.is_some() { PoolSource::Declared } else { PoolSource::Assumed },
            users: users.get(name).into_iter().flatten().map(|&user| user.to_owned()).collect(),
        }
    });
    report.pools = pools.collect();
    (report.scheduler_mode, report.mode_source) = (mode, source);
    report.allocation_file = allocation_file;
    let in_several =
        jobs.iter().filter(|job| job.spark_jobs.iter().any(|&one| log.pool(one) != of(log, job)));
    report.in_several_pools = in_several.count() as u64;
    Ok(parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pools_file_is_read_as_spark_reads_it() {
        let text = "<?xml version=\"1.0\"?><allocations>
            <pool name=\"etl\"><schedulingMode>fair</schedulingMode><weight> 3 </weight><minShare>4</minShare></pool>
            <pool name=\"a &quot;b&quot; &amp; &lt;c>\"><schedulingMode>LIFO</schedulingMode>
            <weight>some</weight><minShare>2</minShare></pool></allocations>";
        let etl = Pool { mode: PoolMode::Fair, weight: 3, min_share: 4, ..Pool::named("etl") };
        let pools = PoolsFile::read("pools.xml", text).expect("pools");
        assert_eq!(pools, PoolsFile(vec![etl, Pool { min_share: 2, ..Pool::named("a \"b\" & <c>") }]));
        assert_eq!(PoolsFile::read("again.xml", &PoolsFile::write(pools.pools())), Ok(pools));
        let capped = "<pool name=\"etl\"><maxShare>5</maxShare></pool>";
        let capped = PoolsFile::read("pools.xml", capped).expect("pools");
        assert_eq!(capped.pools()[0].max_share, Some(5), "which Spark ignores");
        let error = PoolsFile::read("pools.xml", "weight=3").expect_err("no XML");
        assert!(error.to_string().starts_with("pools.xml: is not a pools file: "), "{error}");
    }
}
