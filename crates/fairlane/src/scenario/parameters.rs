//! The parameters of policies, as a file gives them. What they mean and which values are allowed is
//! the business of each policy.

use std::collections::BTreeMap;

use serde_json::Value;

/// Parameters by the id of the policy (without `-p`) and by name; checked where they are made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolicyParameters(BTreeMap<String, BTreeMap<String, Value>>);

impl PolicyParameters {
    /// A parameter's value as it was read; never `null`, which is the same as absent.
    pub fn get(&self, policy: &str, name: &str) -> Option<&Value> {
        self.0.get(policy)?.get(name)
    }

    /// All policies that the file names, by id, each with its parameters by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &BTreeMap<String, Value>)> {
        self.0.iter().map(|(policy, parameters)| (policy.as_str(), parameters))
    }

    /// Adds a policy without parameters.
    pub(crate) fn add_policy(&mut self, policy: &str) -> &mut BTreeMap<String, Value> {
        self.0.entry(policy.to_owned()).or_default()
    }

    /// Sets a parameter, or removes it if the value is `null`. The caller checks the result.
    pub(crate) fn set(&mut self, policy: &str, name: &str, value: Value) {
        let parameters = self.add_policy(policy);
        if value.is_null() {
            parameters.remove(name);
        } else {
            parameters.insert(name.to_owned(), value);
        }
    }
}
