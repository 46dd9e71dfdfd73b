//! Whose job it is, by a rule that the reader of a log chooses.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::ImportError;
use super::jobs::NOBODY;
use super::log::Log;
use super::record::{Application, LogJob, property};
use fairlane::scenario::DEFAULT_POOL;

/// What a job's user is read from. A job without it falls back: to its property `user.name` or `user`, the user of its
/// SQL session, Zeppelin's user, its pool if it names one, and the application's user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum UserRule {
    /// What a job has of these, each job on its own.
    #[default]
    Auto,
    /// A local property.
    Property(String),
    /// The user of the SQL session (Thrift server, Spark Connect).
    Session,
    /// The scheduler pool; Spark's is `default` where none is set.
    Pool,
    /// The job group, or the part of it that a pattern names.
    Group(Option<NamePattern>),
    /// The job description, or the part of it that a pattern names.
    Description(Option<NamePattern>),
    /// Who started the application.
    Application,
    /// The application's name.
    Name,
    /// The queue of YARN that the application was submitted to.
    Queue,
}

/// Which part of a text is a name: `{user}` stands for it, and `*` for any other text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern(String);

impl NamePattern {
    const NAME: &'static str = "{user}";
    /// The job groups of Zeppelin (`zeppelin|user|note|paragraph`).
    const ZEPPELIN: &'static str = "zeppelin|{user}|*";

    fn new(text: &str) -> Option<NamePattern> {
        (text.matches(NamePattern::NAME).count() == 1).then(|| NamePattern(text.to_owned()))
    }

    /// The name in a text that is like the pattern: the shortest.
    fn find<'a>(&self, text: &'a str) -> Option<&'a str> {
        let (before, after) = self.0.split_once(NamePattern::NAME)?;
        let start = prefixes(before, text).next()?;
        let rest = &text[start..];
        let is_end = |&end: &usize| prefixes(after, &rest[end..]).any(|length| length == rest.len() - end);
        let ends = rest.char_indices().map(|(at, _)| at).skip(1).chain([rest.len()]);
        ends.filter(|&end| end > 0).find(is_end).map(|end| &rest[..end])
    }
}

/// How many bytes of a text a pattern with `*` can stand for, from its beginning on, ascending.
fn prefixes<'a>(pattern: &'a str, text: &'a str) -> Box<dyn Iterator<Item = usize> + 'a> {
    match pattern.split_once('*') {
        None => Box::new(text.starts_with(pattern).then_some(pattern.len()).into_iter()),
        Some((literal, rest)) if text.starts_with(literal) => {
            let after = &text[literal.len()..];
            let ends = after.char_indices().map(|(at, _)| at).chain([after.len()]);
            Box::new(ends.flat_map(move |at| {
                prefixes(rest, &after[at..]).map(move |length| literal.len() + at + length)
            }))
        }
        Some(_) => Box::new(std::iter::empty()),
    }
}

impl UserRule {
    /// What can be asked for on the command line; `property` may be followed by a colon and a name, `group` and
    /// `description` by one and a pattern.
    pub const WORDS: [&str; 9] =
        ["auto", "property", "session", "pool", "group", "description", "application", "name", "queue"];

    /// What users are read from, in words.
    pub(super) fn source(&self) -> String {
        match self {
            UserRule::Auto => "whatever the log has".to_owned(),
            UserRule::Property(name) => format!("property {name}"),
            UserRule::Session => "user of the SQL session".to_owned(),
            UserRule::Pool => "scheduler pool".to_owned(),
            UserRule::Group(None) => "job group".to_owned(),
            UserRule::Group(Some(NamePattern(pattern))) => format!("job group like {pattern}"),
            UserRule::Description(None) => "job description".to_owned(),
            UserRule::Description(Some(NamePattern(pattern))) => format!("job description like {pattern}"),
            UserRule::Application => "user of the application".to_owned(),
            UserRule::Name => "name of the application".to_owned(),
            UserRule::Queue => "queue of the application".to_owned(),
        }
    }

    /// A job's user, if the log has one for it.
    pub(super) fn user<'a>(&self, log: &'a Log, job: &'a LogJob) -> Option<&'a str> {
        let of_job = |name: &str| job.properties.get(name);
        let part = |text: &'a str, pattern: &Option<NamePattern>| match pattern {
            Some(pattern) => pattern.find(text),
            None => Some(text),
        };
        let value = match self {
            UserRule::Auto => None,
            UserRule::Property(name) => of_job(name),
            UserRule::Pool => Some(of_job(property::POOL).unwrap_or(DEFAULT_POOL)),
            UserRule::Group(pattern) => job.group().and_then(|group| part(group, pattern)),
            UserRule::Description(pattern) => {
                of_job(property::DESCRIPTION).and_then(|description| part(description, pattern))
            }
            UserRule::Session => log.statement(job).map(|statement| statement.user.as_str()),
            UserRule::Application => Some(log.application_of(job).user.as_str()),
            UserRule::Name => Some(log.application_of(job).name.as_str()),
            UserRule::Queue if log.applications.is_empty() => log.setting("spark.yarn.queue"),
            UserRule::Queue => Some(log.application_of(job).queue.as_str()),
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
            UserRule::Group(None) => "group",
            UserRule::Group(Some(NamePattern(pattern))) => return write!(f, "group:{pattern}"),
            UserRule::Description(None) => "description",
            UserRule::Description(Some(NamePattern(pattern))) => return write!(f, "description:{pattern}"),
            UserRule::Application => "application",
            UserRule::Name => "name",
            UserRule::Queue => "queue",
        })
    }
}

impl FromStr for UserRule {
    type Err = String;
    fn from_str(text: &str) -> Result<UserRule, String> {
        let pattern = |text: &str| {
            let message =
                || format!("the pattern must have {{user}} once, such as {}", NamePattern::ZEPPELIN);
            NamePattern::new(text).ok_or_else(message).map(Some)
        };
        Ok(match text.split_once(':') {
            Some(("property", name)) if !name.is_empty() => UserRule::Property(name.to_owned()),
            Some(("group", text)) => UserRule::Group(pattern(text)?),
            Some(("description", text)) => UserRule::Description(pattern(text)?),
            None if text == "auto" => UserRule::Auto,
            None if text == "property" => UserRule::Property(property::USER_NAME.to_owned()),
            None if text == "session" => UserRule::Session,
            None if text == "pool" => UserRule::Pool,
            None if text == "group" => UserRule::Group(None),
            None if text == "description" => UserRule::Description(None),
            None if text == "application" => UserRule::Application,
            None if text == "name" => UserRule::Name,
            None if text == "queue" => UserRule::Queue,
            _ => {
                let words = UserRule::WORDS.join(", ");
                return Err(format!(
                    "must be one of {words}, or property:NAME, such as property:user, or group:PATTERN, such as \
                     group:{}",
                    NamePattern::ZEPPELIN
                ));
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
    // Databricks sets dozens, most of them settings.
    let is_setting = |name: &str| {
        let databricks = name.strip_prefix(property::DATABRICKS);
        databricks.is_some_and(|name| !DATABRICKS_OFFERED.contains(&name))
    };
    let others = names.into_iter().filter(|&name| name != property::USER_NAME && !is_setting(name));
    let others = others.map(|name| source(UserRule::Property(name.to_owned())));
    let others = others.filter(|found| found.users > 1 && found.users < log.jobs.len() - found.jobs_without);
    let always = [
        UserRule::Session,
        UserRule::Pool,
        UserRule::Group(None),
        UserRule::Description(None),
        UserRule::Application,
        UserRule::Name,
    ];
    let queue = source(UserRule::Queue);
    [source(UserRule::Property(property::USER_NAME.to_owned()))]
        .into_iter()
        .chain(others)
        .chain(always.map(source))
        .chain(Some(queue).filter(|queue| queue.users > 0))
        .collect()
}

/// Databricks' properties that say whose a job is.
const DATABRICKS_OFFERED: [&str; 3] = ["notebook.path", "notebook.id", "job.id"];

/// How the user of each job is found: a rule, and for a job without it what else the log says.
pub(super) struct UserRules {
    /// The rule that was asked for, or the first that the log has.
    first: UserRule,
    fallbacks: Vec<UserRule>,
}

/// The rules that a rule means in this log.
///
/// # Errors
/// No job of the log has what the rule asks for.
pub(super) fn resolved(log: &Log, rule: &UserRule) -> Result<UserRules, ImportError> {
    let property = |name: &str| UserRule::Property(name.to_owned());
    let says = |rule: &UserRule| log.jobs.iter().any(|job| named(rule, log, job).is_some());
    let mut fallbacks = vec![
        property(property::USER_NAME),
        property(property::USER),
        UserRule::Session,
        UserRule::Group(NamePattern::new(NamePattern::ZEPPELIN)),
    ];
    let one_user =
        |applications: &[Application]| applications.windows(2).all(|two| two[0].user == two[1].user);
    match log.applications.as_slice() {
        [] => fallbacks.extend([UserRule::Pool, UserRule::Application]),
        // All of one user: then they are the users.
        applications if one_user(applications) => fallbacks.push(UserRule::Name),
        _ => fallbacks.push(UserRule::Application),
    }
    fallbacks.retain(|other| other != rule && says(other));
    if *rule == UserRule::Auto {
        let first = if fallbacks.is_empty() { UserRule::Pool } else { fallbacks.remove(0) };
        return Ok(UserRules { first, fallbacks });
    }
    if log.jobs.iter().any(|job| rule.user(log, job).is_some()) {
        return Ok(UserRules { first: rule.clone(), fallbacks });
    }
    let offers = sources(log).into_iter().filter(|source| source.users > 0);
    let offers: Vec<String> =
        offers.map(|source| format!("{} ({} different)", source.source, source.users)).collect();
    Err(ImportError::new(
        format!("--users {rule}"),
        format!("no job of the log has a {}; it has: {}", rule.source(), offers.join(", ")),
    ))
}

/// A job's user by a rule, unless it is a pool that nobody has named: Spark's `default` and the numbers of Databricks.
fn named<'a>(rule: &UserRule, log: &'a Log, job: &'a LogJob) -> Option<&'a str> {
    let is_named = |user: &&str| {
        *rule != UserRule::Pool || (*user != DEFAULT_POOL && !user.bytes().all(|byte| byte.is_ascii_digit()))
    };
    rule.user(log, job).filter(is_named)
}

impl UserRules {
    /// What users are read from.
    pub(super) fn source(&self) -> String {
        self.first.source()
    }

    /// Whether users are job groups as they are.
    pub(super) fn are_groups(&self) -> bool {
        self.first == UserRule::Group(None)
    }

    /// The user of jobs of Spark that belong together: of the first that the rule says something of, or else by the
    /// first fallback, which is returned.
    pub(super) fn user<'a>(
        &self,
        log: &'a Log,
        jobs: impl Iterator<Item = &'a LogJob> + Clone,
    ) -> (&'a str, Option<String>) {
        if let Some(user) = jobs.clone().find_map(|job| self.first.user(log, job)) {
            return (user.trim(), None);
        }
        let fallback = self.fallbacks.iter().find_map(|rule| {
            let user = jobs.clone().find_map(|job| named(rule, log, job))?;
            Some((user.trim(), Some(rule.source())))
        });
        fallback.unwrap_or((NOBODY, Some(UNKNOWN.to_owned())))
    }
}

/// The source of users of whom the log says nothing.
const UNKNOWN: &str = "nothing in the log";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_finds_the_name_in_a_text() {
        let find = |pattern: &str, text: &'static str| {
            NamePattern::new(pattern).and_then(|pattern| pattern.find(text))
        };
        assert_eq!(find(NamePattern::ZEPPELIN, "zeppelin|ana|2ABC|p_1"), Some("ana"));
        assert_eq!(find("{user}|*", "ana|note|7"), Some("ana"));
        assert_eq!(find("{user}|note", "ana|b|note"), Some("ana|b"));
        assert_eq!(find("*/{user}", "a/b"), Some("b"));
        assert_eq!(find("Started by: {user}", "Started by: ana"), Some("ana"));
        assert_eq!(find("{user}|*", "ana"), None);
        assert_eq!(find("{user}|*", "|x"), None);
        assert_eq!(find("ä{user}*", "äö"), Some("ö"));
        assert_eq!((find("no name", "x"), find("{user}{user}", "xx")), (None, None));
    }

    #[test]
    fn words_are_read_back() {
        for word in
            UserRule::WORDS.into_iter().chain(["property:team", "group:{user}|*", "description:by {user}"])
        {
            assert_eq!(word.parse::<UserRule>().map(|rule| rule.to_string()), Ok(word.to_owned()));
        }
        for wrong in ["", "nobody", "group:", "group:*", "property:"] {
            assert!(wrong.parse::<UserRule>().is_err(), "{wrong}");
        }
    }
}
