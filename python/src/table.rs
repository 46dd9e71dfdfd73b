//! Tables with a row for each task or job as scenarios.

use std::fs::File;
use std::io::{self, Read, Seek};

use fairlane::scenario::ScenarioError;
use fairlane_import::spark::{FileKind, ImportError};
use fairlane_import::table::{ColumnMapping, TaskTable};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use serde_json::{Value, json};

use crate::input::{parsed, unplaced};

/// A part of a table.
#[derive(FromPyObject)]
pub enum Part {
    /// The path of a file, as comma-separated values or Parquet.
    File(PyBackedStr),
    /// Comma-separated values.
    Values(PyBackedBytes),
}

/// The scenario and the report that `fairlane import --columns` makes of a table.
pub fn imported(parts: &[Part], columns: &str, cores: u32) -> Result<Value, ScenarioError> {
    if cores == 0 {
        return Err(unplaced("a cluster has at least one core; give cores=1 or more"));
    }
    let mapping: ColumnMapping = columns.parse().map_err(|error| unplaced(format!("columns: {error}")))?;
    let mut table = TaskTable::new(mapping);
    for part in parts {
        match part {
            Part::Values(values) => table.read("the table", &**values).map_err(failed)?,
            Part::File(path) => {
                let (file, is_parquet) =
                    opened(path).map_err(|error| unplaced(format!("{path}: {error}")))?;
                let read = if is_parquet { table.read_parquet(path, file) } else { table.read(path, file) };
                read.map_err(failed)?;
            }
        }
    }
    let import = table.import(cores).map_err(failed)?;
    let scenario: Value = parsed(import.scenario.to_compact_json().as_bytes())?;
    Ok(json!({ "scenario": scenario, "report": import.report }))
}

/// A file at its beginning, and whether it is Parquet.
fn opened(path: &str) -> io::Result<(File, bool)> {
    let mut file = File::open(path)?;
    let mut head = Vec::new();
    file.by_ref().take(FileKind::HEAD_BYTES).read_to_end(&mut head)?;
    file.rewind()?;
    Ok((file, FileKind::from_head(&head) == FileKind::Parquet))
}

/// An error of an import.
pub fn failed(error: ImportError) -> ScenarioError {
    ScenarioError { path: error.place, message: error.message, position: None }
}
