//! The ranges of a generator's parameters.

use std::collections::BTreeMap;

use super::range::{positive, positive_span, span};
use super::{Generator, UserGroup, preset, stages};
use crate::scenario::check::{check_cluster, check_partitioning};
use crate::scenario::error::ensure;
use crate::scenario::{Limits, ScenarioError};

impl Generator {
    /// Checks every parameter, so that the draws can only fail by exceeding a limit.
    pub(super) fn check(&self, limits: &Limits) -> Result<(), ScenarioError> {
        check_cluster(&self.cluster, limits)?;
        check_partitioning(&self.partitioning)?;
        if self.preset.is_some() {
            return preset::check(self);
        }
        if let Some(duration_s) = self.duration_s {
            positive_span(duration_s, || "duration_s".to_owned())?;
        }
        if let Some(load) = self.load {
            positive(load, || "load".to_owned())?;
            ensure!(self.duration_s.is_some(), "load", "is work per core and time; give duration_s with it");
        }
        ensure!(!self.groups.is_empty(), "groups", "is empty; give at least one group of users, or a preset");
        let users: u64 = self.groups.iter().map(|group| u64::from(group.users)).sum();
        let users = usize::try_from(users).unwrap_or(usize::MAX);
        if users > limits.users {
            let most = limits.users;
            return Err(ScenarioError::at(
                "groups",
                format!("{users} users are more than the limit of {most}; give fewer"),
            ));
        }
        let mut weights: BTreeMap<String, (usize, f64)> = BTreeMap::new();
        let mut labels: BTreeMap<String, usize> = BTreeMap::new();
        for (index, group) in self.groups.iter().enumerate() {
            let path = format!("groups[{index}]");
            group.check(self.duration_s, &path)?;
            for user in 0..group.users {
                let name = group.user_name(user);
                let label = group.label(&name);
                if let Some(other) = labels.insert(label.clone(), index) {
                    return Err(ScenarioError::at(
                        format!("{path}.prefix"),
                        format!(
                            "groups[{other}] already has jobs called \"{label}\"; choose another prefix or kind"
                        ),
                    ));
                }
                let &mut (other, weight) = weights.entry(name.clone()).or_insert((index, group.weight));
                ensure!(
                    weight == group.weight,
                    format!("{path}.weight"),
                    "groups[{other}] gives user \"{name}\" the weight {weight}; give the same one here",
                );
            }
        }
        Ok(())
    }
}

impl UserGroup {
    fn check(&self, duration_s: Option<f64>, path: &str) -> Result<(), ScenarioError> {
        let at = |key: &str| format!("{path}.{key}");
        ensure!(self.users != 0, at("users"), "must be at least 1");
        self.weight(path)?;
        span(self.start_s, || at("start_s"))?;
        span(self.stagger_s, || at("stagger_s"))?;
        let last_s = self.start_s + self.stagger_s * f64::from(self.users - 1);
        if let Some(duration_s) = duration_s.filter(|&duration_s| last_s >= duration_s) {
            let message =
                format!("the last user begins at {last_s} s, which is not before duration_s = {duration_s}");
            return Err(ScenarioError::at(
                at(if self.start_s >= duration_s { "start_s" } else { "stagger_s" }),
                message,
            ));
        }
        ensure!(self.jobs != Some(0), at("jobs"), "must be at least 1");
        self.arrivals.check(duration_s, self.jobs, path)?;
        self.sizes.check(&at("sizes"))?;
        stages::check(&self.stages, path)?;
        self.estimates.check(&at("estimates"))
    }
}
