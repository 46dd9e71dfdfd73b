//! Whose job it is, by a rule that the reader of a log chooses.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::ImportError;
use super::log::Log;
use super::record::{LogJob, property};
use fairlane::scenario::DEFAULT_POOL;

/// What a job's user is read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum UserRule {
    /// The first that the log has: the property `user.name`; the property `user`, which Databricks sets; the user of
    /// the SQL session; else the pool.
    #[default]
    Auto,
    /// A local property.
    Property(String),
    /// The user of the SQL session (Thrift server, Spark Connect).
    Session,
    /// The scheduler pool; Spark's is `default` where none is set.
    Pool,
    /// The job group.
    Group,
    /// The job description.
    Description,
}

impl UserRule {
    /// What can be asked for on the command line; `property` may be followed by a colon and a name.
    pub const WORDS: [&str; 6] = ["auto", "property", "session", "pool", "group", "description"];

    /// What users are read from, in words.
    pub(super) fn source(&self) -> String {
        match self {
            UserRule::Auto => "whatever the log has".to_owned(),
            UserRule::Property(name) => format!("property {name}"),
            UserRule::Session => "user of the SQL session".to_owned(),
            UserRule::Pool => "scheduler pool".to_owned(),
            UserRule::Group => "job group".to_owned(),
            UserRule::Description => "job description".to_owned(),
        }
    }

    /// A job's user, if the log has one for it.
    pub(super) fn user<'a>(&self, log: &'a Log, job: &'a LogJob) -> Option<&'a str> {
        let of_job = |name: &str| job.properties.get(name);
        let value = match self {
            UserRule::Auto => None,
            UserRule::Property(name) => of_job(name),
            UserRule::Pool => Some(of_job(property::POOL).unwrap_or(DEFAULT_POOL)),
            UserRule::Group => of_job(property::GROUP),
            UserRule::Description => of_job(property::DESCRIPTION),
            UserRule::Session => {
                let tags = of_job(property::TAGS).unwrap_or_default().split(',');
                let mut keys = of_job(property::GROUP).into_iter().chain(tags);
                keys.find_map(|key| log.operations.get(key)).map(String::as_str)
            }
        };
        value.filter(|user| !user.trim().is_empty())
    }
}

impl fmt::Display for UserRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UserRule::Auto => "auto",
            UserRule::Property(name) if name == property::USER_NAME => "property",
            UserRule::Property(name) => return write!(f, "property:{name}"),
            UserRule::Session => "session",
            UserRule::Pool => "pool",
            UserRule::Group => "group",
            UserRule::Description => "description",
        })
    }
}

impl FromStr for UserRule {
    type Err = String;
    fn from_str(text: &str) -> Result<UserRule, String> {
        Ok(match text.split_once(':') {
            Some(("property", name)) if !name.is_empty() => UserRule::Property(name.to_owned()),
            None if text == "auto" => UserRule::Auto,
            None if text == "property" => UserRule::Property(property::USER_NAME.to_owned()),
            None if text == "session" => UserRule::Session,
            None if text == "pool" => UserRule::Pool,
            None if text == "group" => UserRule::Group,
            None if text == "description" => UserRule::Description,
            _ => {
                let words = UserRule::WORDS.join(", ");
                return Err(format!("must be one of {words}, or property:NAME, such as property:user"));
            }
        })
    }
}

/// What a log offers to distinguish users.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UserSource {
    /// What it is.
    pub source: String,
    /// The rule that reads users from it.
    #[serde(skip)]
    pub rule: UserRule,
    /// Different values of it.
    pub users: usize,
    /// Jobs of Spark that have none.
    pub jobs_without: usize,
}

/// What the log offers. Of properties that are not Spark's `user.name`, and others if several jobs share a value.
pub(super) fn sources(log: &Log) -> Vec<UserSource> {
    let source = |rule: UserRule| {
        let mut users = BTreeSet::new();
        let mut jobs_without = 0;
        for job in &log.jobs {
            match rule.user(log, job) {
                Some(user) => drop(users.insert(user)),
                None => jobs_without += 1,
            }
        }
        UserSource { source: rule.source(), rule, users: users.len(), jobs_without }
    };
    let names: BTreeSet<&str> = log.properties.iter().flat_map(|properties| properties.others()).collect();
    let others = names.into_iter().filter(|&name| name != property::USER_NAME);
    let others = others.map(|name| source(UserRule::Property(name.to_owned())));
    let others = others.filter(|found| found.users > 1 && found.users < log.jobs.len() - found.jobs_without);
    [source(UserRule::Property(property::USER_NAME.to_owned()))]
        .into_iter()
        .chain(others)
        .chain([UserRule::Session, UserRule::Pool, UserRule::Group, UserRule::Description].map(source))
        .collect()
}

/// The rule that a rule means in this log: the same, unless the log decides.
///
/// # Errors
/// No job of the log has what the rule asks for.
pub(super) fn resolved(log: &Log, rule: &UserRule) -> Result<UserRule, ImportError> {
    let has = |rule: &UserRule| log.jobs.iter().any(|job| rule.user(log, job).is_some());
    if *rule == UserRule::Auto {
        let property = |name: &str| UserRule::Property(name.to_owned());
        let choices = [property(property::USER_NAME), property(property::USER), UserRule::Session];
        return Ok(choices.into_iter().find(has).unwrap_or(UserRule::Pool));
    }
    if has(rule) {
        return Ok(rule.clone());
    }
    let offers = sources(log).into_iter().filter(|source| source.users > 0);
    let offers: Vec<String> =
        offers.map(|source| format!("{} ({} different)", source.source, source.users)).collect();
    Err(ImportError::new(
        format!("--users {rule}"),
        format!("no job of the log has a {}; it has: {}", rule.source(), offers.join(", ")),
    ))
}
