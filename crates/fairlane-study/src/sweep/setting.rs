//! Fields of a scenario that a sweep sets.

use serde::{Deserialize, Serialize};
use serde_json::Value;

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
        let of = match object.split_once('.') {
            None if object.is_empty() => ObjectPath::Scenario,
            None if object == "cluster" => ObjectPath::Cluster,
            None if object == "partitioning" => ObjectPath::Partitioning,
            Some(("cluster", "dynamic_allocation")) => ObjectPath::DynamicAllocation,
            Some(("cluster", "speculation")) => ObjectPath::Speculation,
            Some(("cluster", "preemption")) => ObjectPath::Preemption,
            Some(("policies", policy)) => ObjectPath::Policy(policy.to_owned().into()),
            _ => {
                return Err(format!(
                    "{path} is no field that can be swept; give one of cluster, cluster.dynamic_allocation, \
                     cluster.speculation, cluster.preemption, partitioning or policies.NAME, such as cluster.executors"
                ));
            }
        };
        if of.field(field).is_none() {
            let names: Vec<&str> = of.fields().iter().map(|field| field.name).collect();
            return Err(format!("{path} is no field of a scenario; there are {}", names.join(", ")));
        }
        Ok(Edit::Set { of, field: field.to_owned().into(), value: value.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_paths() {
        let edit = |path: &str| Setting(path.to_owned(), 2.into()).edit();
        for path in
            ["sessions", "cluster.executors", "cluster.dynamic_allocation.idle_s", "policies.spark.pools"]
        {
            assert!(edit(path).is_ok(), "{path}");
        }
        let message = |path: &str| edit(path).expect_err("no field");
        assert!(
            message("cluster.machines").starts_with("cluster.machines is no field of a scenario; there are ")
        );
        assert!(
            message("jobs[0].arrival_s").starts_with("jobs[0].arrival_s is no field that can be swept; ")
        );
    }
}
