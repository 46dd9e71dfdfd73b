//! Reads scenarios and generators from files, standard input and the catalog.

use std::io::{self, Read};

use super::args::{ScenarioArg, ScenarioArgs};
use super::text::TextError;
use super::{CliError, path, text};
use fairlane::catalog::{self, Entry};
use fairlane::policy::PolicyId;
use fairlane::scenario::{Edit, Generator, Limits, Scenario};
use fairlane_study::sweep::Workload;

impl ScenarioArg {
    /// The policies that the catalog suggests for this entry; none for other sources.
    pub(super) fn suggested_policies(&self) -> Vec<PolicyId> {
        match self {
            ScenarioArg::Catalog(name) => catalog::find(name).map(catalog::suggested).unwrap_or_default(),
            ScenarioArg::StandardInput | ScenarioArg::File(_) => Vec::new(),
        }
    }

    fn read(&self) -> Result<Scenario, CliError> {
        if let ScenarioArg::Catalog(name) = self {
            return Ok(entry(name)?.scenario());
        }
        self.check(&self.text()?)
    }

    /// The scenario of a text that was read from here.
    pub(super) fn check(&self, text: &str) -> Result<Scenario, CliError> {
        Scenario::from_json(text).map_err(|error| self.error(error.to_string()))
    }

    /// Reads the workload of a sweep.
    pub(super) fn workload(&self) -> Result<Workload, CliError> {
        match self {
            ScenarioArg::Catalog(name) => Ok(entry(name)?.scenario().into()),
            _ => Workload::from_json(&self.text()?).map_err(|error| self.error(error.to_string())),
        }
    }

    /// The text of the file or standard input; an entry of the catalog has none.
    pub(super) fn text(&self) -> Result<String, CliError> {
        match self {
            ScenarioArg::Catalog(_) => Err(self.error("is not a file; give a file, or - for standard input")),
            ScenarioArg::StandardInput => self.read_text(io::stdin().lock()),
            ScenarioArg::File(path) => {
                let (file, metadata) = path::open(path.path()).map_err(|error| self.unreadable(&error))?;
                if metadata.len() > Limits::default().bytes as u64 {
                    return Err(self.too_long());
                }
                self.read_text(file)
            }
        }
    }

    /// Reads everything, up to the limit for a scenario.
    fn read_text(&self, from: impl Read) -> Result<String, CliError> {
        text::read(from, Limits::default().bytes as u64).map_err(|error| match error {
            TextError::Io(error) => self.unreadable(&error),
            TextError::TooLong => self.too_long(),
            TextError::NotText(offset) => {
                self.error(format!("byte {offset} is not UTF-8 text; a scenario is a JSON file"))
            }
        })
    }

    fn error(&self, message: impl Into<String>) -> CliError {
        CliError::new(self.to_string(), message)
    }

    fn unreadable(&self, error: &io::Error) -> CliError {
        self.error(match error.kind() {
            io::ErrorKind::NotFound => {
                "No such file; give a scenario file, - for standard input, or catalog:NAME".to_owned()
            }
            io::ErrorKind::IsADirectory => "Is a directory; give a scenario file in it".to_owned(),
            io::ErrorKind::PermissionDenied => "Permission denied; make the file readable".to_owned(),
            _ => format!("cannot be read: {error}"),
        })
    }

    fn too_long(&self) -> CliError {
        let limit = Limits::default().bytes >> 20;
        self.error(format!("exceeds the limit of {limit} MB; split it or take a sample of it"))
    }
}

/// The entry of the catalog with that name.
pub(super) fn entry(name: &str) -> Result<&'static Entry, CliError> {
    catalog::entry(name).map_err(|error| CliError::new(error.path, error.message))
}

/// Reads a generator file, or returns the generator of an entry of the catalog.
pub(super) fn generator(source: &ScenarioArg) -> Result<Generator, CliError> {
    if let ScenarioArg::Catalog(name) = source {
        return entry(name)?.generator().ok_or_else(|| {
            let generated = catalog::ENTRIES.iter().filter(|entry| entry.generator().is_some());
            let names: Vec<&str> = generated.map(|entry| entry.name).collect();
            source.error(format!(
                "is written by hand, not generated; generated entries are {}",
                names.join(", ")
            ))
        });
    }
    Generator::from_json(&source.text()?).map_err(|error| source.error(error.to_string()))
}

/// Reads the scenario of a command.
pub(super) fn scenario(args: &ScenarioArgs) -> Result<Scenario, CliError> {
    let scenario = args.source.read()?;
    match args.atr {
        None => Ok(scenario),
        Some(atr) => scenario
            .with(&Edit::advisory_task_runtime(atr))
            .map_err(|error| CliError::new(format!("{} with --atr", args.source), error.to_string())),
    }
}
