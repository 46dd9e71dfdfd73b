//! Whose job it is, by a rule that the reader of a log chooses.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::ImportError;
use super::log::Log;
use super::record::LogJob;

/// What a job's user is read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UserRule {
    /// The first that the log has: the property `user.name`; the user of the SQL session (Thrift server, Spark
    /// Connect); the pool, if there are several; else everything is one user's.
    #[default]
    Auto,
    /// The local property `user.name`.
    Property,
    /// The scheduler pool; Spark's is `default` where none is set.
    Pool,
    /// The job group.
    Group,
    /// The job description.
    Description,
}

impl UserRule {
    /// All of them.
    pub const ALL: [UserRule; 5] =
        [UserRule::Auto, UserRule::Property, UserRule::Pool, UserRule::Group, UserRule::Description];

    /// The word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            UserRule::Auto => "auto",
            UserRule::Property => "property",
            UserRule::Pool => "pool",
            UserRule::Group => "group",
            UserRule::Description => "description",
        }
    }
}

impl fmt::Display for UserRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for UserRule {
    type Err = String;
    fn from_str(text: &str) -> Result<UserRule, String> {
        UserRule::ALL
            .into_iter()
            .find(|rule| rule.word() == text)
            .ok_or_else(|| "must be auto, property, pool, group or description".to_owned())
    }
}

/// Where a user can be read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Property,
    SqlSession,
    Pool,
    Group,
    Description,
}

impl Origin {
    const ALL: [Origin; 5] =
        [Origin::Property, Origin::SqlSession, Origin::Pool, Origin::Group, Origin::Description];

    /// What it is called in reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Origin::Property => "property user.name",
            Origin::SqlSession => "user of the SQL session",
            Origin::Pool => "scheduler pool",
            Origin::Group => "job group",
            Origin::Description => "job description",
        }
    }

    /// The rule that always reads from it.
    fn rule(self) -> Option<UserRule> {
        match self {
            Origin::Property => Some(UserRule::Property),
            Origin::SqlSession => None,
            Origin::Pool => Some(UserRule::Pool),
            Origin::Group => Some(UserRule::Group),
            Origin::Description => Some(UserRule::Description),
        }
    }

    /// A job's user, if the log has one for it.
    pub(super) fn user<'a>(self, log: &'a Log, job: &'a LogJob) -> Option<&'a str> {
        let properties = &job.properties;
        let value = match self {
            Origin::Property => properties.user.as_deref(),
            Origin::Pool => Some(properties.pool.as_deref().unwrap_or("default")),
            Origin::Group => properties.group.as_deref(),
            Origin::Description => properties.description.as_deref(),
            Origin::SqlSession => {
                let tags = properties.tags.as_deref().unwrap_or_default().split(',');
                let mut keys = properties.group.as_deref().into_iter().chain(tags);
                keys.find_map(|key| log.operations.get(key)).map(String::as_str)
            }
        };
        value.filter(|user| !user.trim().is_empty())
    }
}

/// What a log offers to tell users apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UserSource {
    /// What it is.
    pub source: &'static str,
    /// The rule that reads users from it, if one does so always.
    #[serde(skip)]
    pub rule: Option<UserRule>,
    /// Different values of it.
    pub users: usize,
    /// Jobs of Spark that have none.
    pub jobs_without: usize,
}

/// What the log offers.
pub(super) fn sources(log: &Log) -> Vec<UserSource> {
    let source = |origin: Origin| {
        let mut users = BTreeSet::new();
        let mut jobs_without = 0;
        for job in &log.jobs {
            match origin.user(log, job) {
                Some(user) => drop(users.insert(user)),
                None => jobs_without += 1,
            }
        }
        UserSource { source: origin.name(), rule: origin.rule(), users: users.len(), jobs_without }
    };
    Origin::ALL.into_iter().map(source).collect()
}

/// Where a rule reads users from in this log.
///
/// # Errors
/// No job of the log has what the rule asks for.
pub(super) fn origin(log: &Log, rule: UserRule) -> Result<Origin, ImportError> {
    let has = |origin: Origin| log.jobs.iter().any(|job| origin.user(log, job).is_some());
    let chosen = match rule {
        UserRule::Property => Origin::Property,
        UserRule::Pool => Origin::Pool,
        UserRule::Group => Origin::Group,
        UserRule::Description => Origin::Description,
        UserRule::Auto => {
            return Ok(
                match [Origin::Property, Origin::SqlSession].into_iter().find(|&origin| has(origin)) {
                    Some(origin) => origin,
                    None => Origin::Pool,
                },
            );
        }
    };
    if has(chosen) {
        return Ok(chosen);
    }
    let offers = sources(log).into_iter().filter(|source| source.users > 0);
    let offers: Vec<String> =
        offers.map(|source| format!("{} ({} different)", source.source, source.users)).collect();
    Err(ImportError::new(
        format!("--users {rule}"),
        format!("no job of the log has a {}; it has: {}", chosen.name(), offers.join(", ")),
    ))
}
