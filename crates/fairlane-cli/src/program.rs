//! `custom:FILE`: a program of one's own as a policy.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TryMapValueParser, TypedValueParser, ValueParserFactory};
use clap_lex::OsStrExt;

use super::text::{self, TextError, printable};
use super::{CliError, path};
use fairlane::policy::{PolicyId, UnknownPolicy};
use fairlane::scenario::parameter::MAX_PROGRAM_BYTES;
use fairlane::scenario::{Edit, Scenario};
use fairlane_study::sweep::Workload;

/// A policy of the command line, with its program if that is in a file.
#[derive(Clone, Debug)]
pub(super) struct PolicyArg {
    pub(super) id: PolicyId,
    /// Where the program was read.
    pub(super) file: Option<PathBuf>,
    program: Option<String>,
}

impl PolicyArg {
    /// Whether the command line brings its program.
    pub(super) fn has_program(&self) -> bool {
        self.program.is_some()
    }
}

impl ValueParserFactory for PolicyArg {
    type Parser = TryMapValueParser<OsStringValueParser, fn(OsString) -> Result<PolicyArg, String>>;

    fn value_parser() -> Self::Parser {
        OsStringValueParser::new().try_map(PolicyArg::read)
    }
}

impl PolicyArg {
    /// A file has the program called as the file is without its ending; without one the name is a policy's.
    fn read(text: OsString) -> Result<PolicyArg, String> {
        let text = text.to_str().map(|text| OsString::from(text.trim())).unwrap_or(text);
        let Some((path, suffix)) = file(&text) else {
            let id = text.to_string_lossy().parse().map_err(|error: UnknownPolicy| error.to_string())?;
            return Ok(PolicyArg { id, file: None, program: None });
        };
        let error = |message: String| format!("{}: {message}", printable(&path.display().to_string()));
        let (file, _) =
            path::open(&path).map_err(|fault| error(format!("{fault}; give the file of a program")))?;
        let program = text::read(file, MAX_PROGRAM_BYTES as u64).map_err(|fault| {
            error(match fault {
                TextError::Io(fault) => format!("{fault}; give the file of a program"),
                TextError::TooLong => {
                    format!("is longer than {} KB, the limit of a program", MAX_PROGRAM_BYTES >> 10)
                }
                TextError::NotText(offset) => {
                    format!("byte {offset} is not UTF-8 text; give the file of a program")
                }
            })
        })?;
        let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
        let id = format!("custom:{stem}{suffix}").parse().map_err(|_| {
            error(
                "its name names the policy; call the file by at most 40 letters, digits, - and _, not ending in -p"
                    .to_owned(),
            )
        })?;
        Ok(PolicyArg { id, file: Some(path), program: Some(program) })
    }
}

/// The file of a program and the ending of its policy's name, if the text of an argument names a file.
fn file(text: &OsStr) -> Option<(PathBuf, &'static str)> {
    let path = Path::new(text.strip_prefix("custom:")?);
    let is_file = |path: &Path| {
        let text = path.to_string_lossy();
        path.exists() || text.contains(['.', '/'])
    };
    let before = path.file_name().and_then(OsStr::to_str).and_then(|name| name.strip_suffix("-p"));
    let (path, suffix) = match before {
        Some(before) if !path.exists() => (path.with_file_name(before), "-p"),
        _ => (path.to_owned(), ""),
    };
    is_file(&path).then_some((path, suffix))
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
