//! Policies as the packages for JavaScript and Python take them: by name, or as programs.

use std::collections::BTreeSet;

use fairlane::policy::custom::is_program;
use fairlane::policy::{PolicyId, UnknownPolicy};
use fairlane::scenario::{Edit, Scenario, ScenarioError};
use serde::Deserialize;
use serde_json::Value;

/// A program that is a policy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramRequest {
    program: String,
    /// Its name, with `-p` behind it under runtime partitioning.
    #[serde(default = "usual")]
    policy: String,
    seed: Option<u32>,
}

fn usual() -> String {
    "custom".to_owned()
}

/// The policies of a request, and the scenario with those that are programs: a text is a policy's name; an object has a
/// `program`, and may have a `policy` such as `custom:mine-p`, and a `seed`.
///
/// # Errors
/// No policy at all, no such policy, or two programs of one name.
pub fn policies(scenario: Scenario, given: &[Value]) -> Result<(Scenario, Vec<PolicyId>), ScenarioError> {
    policies_of(scenario, given, |scenario, policy, name, value| {
        scenario.with(&Edit::parameter(policy, name, value))
    })
}

/// As [`policies`], of anything to which `with` gives a parameter of a policy, by the policy's name and its own.
///
/// # Errors
/// As [`policies`], and those of `with`.
pub fn policies_of<W>(
    mut workload: W,
    given: &[Value],
    with: impl Fn(W, &str, &str, Value) -> Result<W, ScenarioError>,
) -> Result<(W, Vec<PolicyId>), ScenarioError> {
    if given.is_empty() {
        return Err(ScenarioError::at("policies", "there is none; give at least one, such as \"uwfq\""));
    }
    let mut programs = BTreeSet::new();
    let mut ids = Vec::new();
    for (index, policy) in given.iter().enumerate() {
        let failed = |message: String| match given.len() {
            1 => ScenarioError::at("", message),
            _ => ScenarioError::at(format!("policies[{index}]"), message),
        };
        let named = |name: &str| name.parse().map_err(|error: UnknownPolicy| failed(error.to_string()));
        if let Some(name) = policy.as_str() {
            ids.push(named(name)?);
            continue;
        }
        let ProgramRequest { program, policy, seed } = ProgramRequest::deserialize(policy)
            .map_err(|error| failed(format!("a policy is a name, or an object with a `program`: {error}")))?;
        let id: PolicyId = named(&policy)?;
        let name = id.kind.info().id;
        if !is_program(id.kind) {
            return Err(failed(format!(
                "{name} is no program's name; call it \"custom\" or \"custom:NAME\""
            )));
        }
        if !programs.insert(name) {
            let message = format!("two programs are called {name}; call one of them \"custom:NAME\"");
            return Err(failed(message));
        }
        workload = with(workload, name, "program", program.into())?;
        if let Some(seed) = seed {
            workload = with(workload, name, "seed", seed.into())?;
        }
        ids.push(id);
    }
    Ok((workload, ids))
}
