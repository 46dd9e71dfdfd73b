//! `custom:FILE`: a program of one's own as a policy.

use std::fs;
use std::path::Path;
use std::str::FromStr;

use super::CliError;
use fairlane::policy::{PolicyId, UnknownPolicy};
use fairlane::scenario::{Edit, Scenario};
use fairlane_study::sweep::Workload;

/// A policy of the command line, with its program if that is in a file.
#[derive(Clone, Debug)]
pub(super) struct PolicyArg {
    pub(super) id: PolicyId,
    program: Option<String>,
}

impl PolicyArg {
    /// Whether the command line brings its program.
    pub(super) fn has_program(&self) -> bool {
        self.program.is_some()
    }
}

impl FromStr for PolicyArg {
    type Err = String;

    /// A file has the program called as the file is without its ending; without one the name is a policy's.
    fn from_str(text: &str) -> Result<PolicyArg, String> {
        let text = text.trim();
        let file = text.strip_prefix("custom:").map(|path| match path.strip_suffix("-p") {
            Some(before) if !Path::new(path).exists() => (before, "-p"),
            _ => (path, ""),
        });
        let Some((path, suffix)) =
            file.filter(|(path, _)| Path::new(path).exists() || path.contains(['.', '/']))
        else {
            let id = text.parse().map_err(|error: UnknownPolicy| error.to_string())?;
            return Ok(PolicyArg { id, program: None });
        };
        let program = fs::read_to_string(path)
            .map_err(|error| format!("{path}: {error}; give the file of a program"))?;
        let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let id = format!("custom:{stem}{suffix}").parse().map_err(|_| {
            format!(
                "{path}: its name names the policy; call the file by at most 40 letters, digits, - and _, not ending \
                 in -p"
            )
        })?;
        Ok(PolicyArg { id, program: Some(program) })
    }
}

/// A scenario with the programs of some policies.
pub(super) fn with_programs(scenario: Scenario, policies: &[PolicyArg]) -> Result<Scenario, CliError> {
    policies.iter().try_fold(scenario, |scenario, policy| match &policy.program {
        None => Ok(scenario),
        Some(program) => scenario
            .with(&Edit::parameter(policy.id.kind.info().id, "program", program.as_str()))
            .map_err(|error| CliError::new(policy.id.to_string(), error.to_string())),
    })
}

/// A workload with the programs of some policies.
pub(super) fn workload_with_programs(
    workload: Workload,
    policies: &[PolicyArg],
) -> Result<Workload, CliError> {
    policies.iter().try_fold(workload, |workload, policy| match &policy.program {
        None => Ok(workload),
        Some(program) => workload
            .with_parameter(policy.id.kind.info().id, "program", program.as_str().into())
            .map_err(|error| CliError::new(policy.id.to_string(), error.to_string())),
    })
}
