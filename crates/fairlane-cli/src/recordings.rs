//! Reads schedules recorded from real Spark: the built-in ones, or a folder of them.

use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use include_dir::{Dir, include_dir};
use serde::de::DeserializeOwned;

use super::{CliError, text};
use fairlane_study::fidelity::recorded::{RecordedRun, RecordedSchedule, RecordedWorkload};

/// The built-in recordings; `data/spark-3.5.5/README.md` describes how they were made.
static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../data/spark-3.5.5");

const WORKLOADS: &str = "workloads";
const SCHEDULES: &str = "schedules";

/// Maximum size of an uncompressed file, in bytes: a small damaged file must not fill the memory.
const MAX_BYTES: u64 = 1 << 30;

/// Workloads and the runs recorded of them.
pub(super) struct Recordings {
    pub(super) workloads: Vec<RecordedWorkload>,
    pub(super) runs: Vec<RecordedRun>,
}

/// The built-in recordings.
pub(super) fn built_in() -> Result<Recordings, CliError> {
    let files = |folder: &str| {
        let files = BUILT_IN.get_dir(folder).map(Dir::files).into_iter().flatten();
        files.map(|file| (file.path().display().to_string(), file.contents().to_vec())).collect()
    };
    parse(files(WORKLOADS), files(SCHEDULES))
}

/// Reads a folder of workloads (`workloads/W.json`) and schedules (`schedules/W_POLICY_RUN.json`), each optionally
/// with `.gz`.
pub(super) fn read(folder: &Path) -> Result<Recordings, CliError> {
    let files = |name: &str| -> Result<Vec<(String, Vec<u8>)>, CliError> {
        let folder = folder.join(name);
        let fail = |error: std::io::Error| {
            CliError::new(
                folder.display().to_string(),
                format!("cannot be read: {error}; it must contain the {name}"),
            )
        };
        let mut paths: Vec<_> = fs::read_dir(&folder)
            .map_err(fail)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()
            .map_err(fail)?;
        paths.sort();
        let of_json = |path: &Path| {
            let name = path.to_string_lossy();
            name.ends_with(".json") || name.ends_with(".json.gz")
        };
        paths.retain(|path| of_json(path));
        let read = |path: &Path| {
            let name = path.display().to_string();
            let bytes =
                fs::read(path).map_err(|error| CliError::new(&name, format!("cannot be read: {error}")))?;
            Ok((name, bytes))
        };
        paths.iter().map(|path| read(path)).collect()
    };
    parse(files(WORKLOADS)?, files(SCHEDULES)?)
}

/// Names and contents of files.
type Files = Vec<(String, Vec<u8>)>;

fn parse(workloads: Files, schedules: Files) -> Result<Recordings, CliError> {
    let workloads =
        workloads.into_iter().map(|(name, bytes)| json(&name, bytes)).collect::<Result<_, _>>()?;
    let run = |(name, bytes): (String, Vec<u8>)| -> Result<RecordedRun, CliError> {
        let schedule: RecordedSchedule = json(&name, bytes)?;
        Ok(RecordedRun { label: label(&name), schedule })
    };
    let runs = schedules.into_iter().map(run).collect::<Result<_, _>>()?;
    Ok(Recordings { workloads, runs })
}

/// The part of a schedule's name after the last underscore: `r1`.
fn label(name: &str) -> String {
    let stem = name.trim_end_matches(".gz").trim_end_matches(".json");
    stem.rsplit(['_', '/']).next().unwrap_or(stem).to_owned()
}

fn json<T: DeserializeOwned>(name: &str, bytes: Vec<u8>) -> Result<T, CliError> {
    let text = if name.ends_with(".gz") { decompress(name, &bytes)? } else { bytes };
    serde_json::from_slice(text::unmarked(&text))
        .map_err(|error| CliError::new(name, format!("is not a recording of the expected format: {error}")))
}

fn decompress(name: &str, bytes: &[u8]) -> Result<Vec<u8>, CliError> {
    let mut text = Vec::new();
    let read = GzDecoder::new(bytes).take(MAX_BYTES).read_to_end(&mut text);
    read.map_err(|error| CliError::new(name, format!("cannot be decompressed: {error}")))?;
    Ok(text)
}
