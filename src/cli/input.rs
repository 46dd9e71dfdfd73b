//! Where a scenario comes from: a file, standard input or the catalog.

use std::convert::Infallible;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::str::FromStr;

use super::CliError;
use super::args::ScenarioArgs;
use crate::policy::PolicyId;
use crate::scenario::catalog::{self, Entry};
use crate::scenario::{Generator, Limits, Scenario};
use crate::sweep::Workload;

/// Where a scenario comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// `-`.
    StandardInput,
    /// `catalog:NAME`.
    Catalog(String),
    /// Anything else.
    File(PathBuf),
}

impl FromStr for Source {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<Source, Infallible> {
        Ok(match (text, text.strip_prefix("catalog:")) {
            ("-", _) => Source::StandardInput,
            (_, Some(name)) => Source::Catalog(name.to_owned()),
            (path, None) => Source::File(PathBuf::from(path)),
        })
    }
}

/// The source as messages name it.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::StandardInput => f.write_str("standard input"),
            Source::Catalog(name) => write!(f, "catalog:{name}"),
            Source::File(path) => write!(f, "{}", path.display()),
        }
    }
}

impl Source {
    /// The policies that the source suggests; none unless it is the catalog.
    pub(super) fn suggested_policies(&self) -> Vec<PolicyId> {
        match self {
            Source::Catalog(name) => catalog::find(name).map(catalog::suggested).unwrap_or_default(),
            Source::StandardInput | Source::File(_) => Vec::new(),
        }
    }

    fn read(&self) -> Result<Scenario, CliError> {
        if let Source::Catalog(name) = self {
            return Ok(entry(name)?.scenario());
        }
        Scenario::from_json(&self.text()?).map_err(|error| self.error(error.to_string()))
    }

    /// Reads what is to be swept.
    pub(super) fn workload(&self) -> Result<Workload, CliError> {
        match self {
            Source::Catalog(name) => Ok(entry(name)?.scenario().into()),
            _ => Workload::from_json(&self.text()?).map_err(|error| self.error(error.to_string())),
        }
    }

    /// What the file or standard input holds; the catalog has no text.
    fn text(&self) -> Result<String, CliError> {
        match self {
            Source::Catalog(_) => Err(self.error("is no file; name a file, or - for standard input")),
            Source::StandardInput => self.read_text(io::stdin().lock()),
            Source::File(path) => {
                let file = File::open(path).map_err(|error| self.unreadable(&error))?;
                let metadata = file.metadata().map_err(|error| self.unreadable(&error))?;
                if metadata.is_dir() {
                    return Err(self.error("is a directory; name a scenario file in it"));
                }
                if metadata.len() > Limits::default().bytes as u64 {
                    return Err(self.too_long());
                }
                self.read_text(file)
            }
        }
    }

    /// Reads all there is, but no more than a scenario may have.
    fn read_text(&self, from: impl Read) -> Result<String, CliError> {
        let most = Limits::default().bytes as u64;
        let mut bytes = Vec::new();
        from.take(most + 1).read_to_end(&mut bytes).map_err(|error| self.unreadable(&error))?;
        if bytes.len() as u64 > most {
            return Err(self.too_long());
        }
        String::from_utf8(bytes).map_err(|error| {
            let place = error.utf8_error().valid_up_to();
            self.error(format!("byte {place} is not UTF-8 text; a scenario is a JSON file"))
        })
    }

    fn error(&self, sentence: impl Into<String>) -> CliError {
        CliError::new(self.to_string(), sentence)
    }

    fn unreadable(&self, error: &io::Error) -> CliError {
        let sentence = match error.kind() {
            io::ErrorKind::NotFound => {
                "there is no such file; name a scenario file, - for standard input, or catalog:NAME"
                    .to_owned()
            }
            io::ErrorKind::PermissionDenied => "Permission denied; make the file readable".to_owned(),
            _ => format!("cannot be read: {error}"),
        };
        self.error(sentence)
    }

    fn too_long(&self) -> CliError {
        let most = Limits::default().bytes >> 20;
        self.error(format!("is longer than {most} MB, the limit; split it or take a sample of it"))
    }
}

/// The catalog's entry of that name.
pub(super) fn entry(name: &str) -> Result<&'static Entry, CliError> {
    catalog::find(name).ok_or_else(|| {
        let names: Vec<&str> = catalog::ENTRIES.iter().map(|entry| entry.name).collect();
        CliError::new(
            format!("catalog:{name}"),
            format!("there is no such scenario in the catalog; it has {}", names.join(", ")),
        )
    })
}

/// Reads the generator of a file, or the one that an entry of the catalog is made by.
pub(super) fn generator(source: &Source) -> Result<Generator, CliError> {
    if let Source::Catalog(name) = source {
        return entry(name)?.generator().ok_or_else(|| {
            let made = catalog::ENTRIES.iter().filter(|entry| entry.generator().is_some());
            let names: Vec<&str> = made.map(|entry| entry.name).collect();
            source.error(format!("is written by hand and not generated; generated are {}", names.join(", ")))
        });
    }
    Generator::from_json(&source.text()?).map_err(|error| source.error(error.to_string()))
}

/// Reads the scenario that a command is about.
pub(super) fn scenario(args: &ScenarioArgs) -> Result<Scenario, CliError> {
    let scenario = args.source.read()?;
    match args.atr {
        None => Ok(scenario),
        Some(atr) => scenario
            .with_advisory_task_runtime(atr)
            .map_err(|error| CliError::new(format!("{} with --atr", args.source), error.to_string())),
    }
}
