//! Fields of a scenario that a sweep sets.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use fairlane::ids::{JobId, UserId};
use fairlane::scenario::Edit;
use fairlane::scenario::edit::ObjectPath;

/// A field of a scenario, by its path in the file, and its value; `null` leaves it out. In JSON a pair.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Setting(pub String, pub Value);

impl Setting {
    /// The field and its value as an edit.
    ///
    /// # Errors
    /// There is no such field: a sentence with the remedy.
    pub fn edit(&self) -> Result<Edit, String> {
        let Setting(path, value) = self;
        let (object, field) = path.rsplit_once('.').unwrap_or(("", path));
        let of = object_at(object).ok_or_else(|| {
            format!(
                "{path} is no field that can be swept; give one of cluster, cluster.dynamic_allocation, \
                 cluster.speculation, cluster.preemption, cluster.losses[N], cluster.exclusions[N], partitioning, \
                 policies.NAME, users[N], jobs[N] or jobs[N].stages[N], such as cluster.executors"
            )
        })?;
        if of.field(field).is_none() {
            let names: Vec<&str> = of.fields().iter().map(|field| field.name).collect();
            return Err(format!("{path} is no field of a scenario; there are {}", names.join(", ")));
        }
        Ok(Edit::Set { of, field: field.to_owned().into(), value: value.clone() })
    }
}

/// The object at a path in a file; `None` if there is none with fields of its own.
fn object_at(path: &str) -> Option<ObjectPath> {
    Some(match path {
        "" => ObjectPath::Scenario,
        "cluster" => ObjectPath::Cluster,
        "cluster.dynamic_allocation" => ObjectPath::DynamicAllocation,
        "cluster.speculation" => ObjectPath::Speculation,
        "cluster.preemption" => ObjectPath::Preemption,
        "partitioning" => ObjectPath::Partitioning,
        path => {
            if let Some(policy) = path.strip_prefix("policies.") {
                return Some(ObjectPath::Policy(policy.to_owned().into()));
            }
            if let Some((loss, rest)) = item(path, "cluster.losses[") {
                return rest.is_empty().then_some(ObjectPath::Loss(loss));
            }
            if let Some((exclusion, rest)) = item(path, "cluster.exclusions[") {
                return rest.is_empty().then_some(ObjectPath::Exclusion(exclusion));
            }
            if let Some((user, rest)) = item(path, "users[") {
                return match rest {
                    "" => Some(ObjectPath::User(UserId(user))),
                    ".queue" => Some(ObjectPath::Queue(UserId(user))),
                    _ => None,
                };
            }
            let (job, rest) = item(path, "jobs[").map(|(job, rest)| (JobId(job), rest))?;
            match rest {
                "" => ObjectPath::Job(job),
                ".after" => ObjectPath::Predecessor(job),
                rest => {
                    let (stage, rest) = item(rest, ".stages[")?;
                    return rest.is_empty().then_some(ObjectPath::Stage(job, stage));
                }
            }
        }
    })
}

/// The number of a list's item at the start of a path, and what follows it.
fn item<'a>(path: &'a str, list: &str) -> Option<(u32, &'a str)> {
    let (number, rest) = path.strip_prefix(list)?.split_once(']')?;
    Some((number.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_paths() {
        let edit = |path: &str| Setting(path.to_owned(), 2.into()).edit();
        for path in [
            "sessions",
            "cluster.executors",
            "cluster.speeds",
            "cluster.losses[0].at_s",
            "cluster.exclusions[0].for_s",
            "cluster.dynamic_allocation.shuffle_timeout_s",
            "cluster.speculation.multiplier",
            "cluster.preemption.after_s",
            "policies.spark.pools",
            "users[1].weight",
            "users[1].queue.period_s",
            "jobs[0].cancel_s",
            "jobs[12].after.batch",
            "jobs[0].stages[3].barrier",
        ] {
            let Ok(Edit::Set { of, field, .. }) = edit(path) else { panic!("{path} is a field") };
            assert_eq!(of.path_of(&field), path);
        }
        let message = |path: &str| edit(path).expect_err("no field");
        assert!(
            message("cluster.machines").starts_with("cluster.machines is no field of a scenario; there are ")
        );
        for path in ["cluster.losses.at_s", "jobs.cancel_s", "jobs[x].name", "jobs[0].stages[0].tasks[0].s"] {
            assert!(message(path).starts_with(&format!("{path} is no field that can be swept; ")), "{path}");
        }
    }
}
