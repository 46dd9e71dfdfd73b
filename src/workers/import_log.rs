//! Reading the log of a real cluster, in a worker: the files stay where they are and are read piece by piece.

use std::cell::Cell;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::rc::Rc;
use std::str::FromStr;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, File, FileReaderSync, XmlHttpRequest, XmlHttpRequestResponseType};

use super::messages::FromWorker;
use crate::results::codec::Analyzer;
use crate::store::{LogReport, LogRules};
use crate::workers::serve;
use fairlane::engine::{Control, Progress};
use fairlane::policy::PolicyId;
use fairlane::policy::spark::PoolMode;
use fairlane::scenario::Sessions;
use fairlane_import::spark::files::in_order;
use fairlane_import::spark::{
    Import, ImportError, ImportOptions, LogSimulations, Logs, ModeSource, PoolsFile,
};

/// Bytes of a file that are read at once. Every piece is asked of another process of the browser, which takes as long as
/// the import of a few hundred kilobytes, and several times that on a machine that is busy.
const PIECE: usize = 4 << 20;

/// Reads a log from its files by some rules, in a worker, and sends it to the page.
///
/// # Errors
/// A file cannot be read or is no log, or the log has nothing that the rules ask for: the place and the remedy.
pub fn import(rules: &LogRules, files: &Array) -> Result<(), String> {
    let options = options(rules)?;
    let report = &mut serve::reporter();
    let files = files.iter().map(named).collect::<Result<Vec<(String, Blob)>, String>>()?;
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let total: f64 = files.iter().map(|(_, file)| file.size()).sum();
    let read = Rc::new(Cell::new(0.0));
    let mut logs = Logs::default();
    for index in in_order(&names) {
        let file =
            FileChunks { file: files[index].1.clone(), at: 0.0, read: Rc::clone(&read), total, report };
        logs.read_file(names[index], BufReader::with_capacity(PIECE, file))
            .map_err(|error| error.to_string())?;
    }
    let log = logs.into_log().map_err(|error| error.to_string())?;
    let mut import = log.import(&options).map_err(|error| describe(&error))?;
    drop(log);
    let ran_with = import.report.cluster.ran_with.parse::<PolicyId>().map_err(|error| error.to_string())?;
    let simulations = simulations(&import, ran_with, report)?;
    if let Some(simulations) = &simulations {
        import.report.compare(simulations);
    }
    let cluster = &import.report.cluster;
    let users = &import.report.users;
    let offered = users.offered.iter().filter(|source| source.users > 0);
    let offered = offered.map(|source| (source.rule.to_string(), source.source.clone(), source.users));
    let log = LogReport {
        jobs: import.report.jobs.unit.to_owned(),
        source: users.source.clone(),
        offered: offered.collect(),
        unnamed: users.unnamed(),
        mode: match cluster.mode_source {
            ModeSource::Assumed => String::new(),
            ModeSource::Log | ModeSource::Given => mode_word(cluster.scheduler_mode).to_owned(),
        },
        simulations,
        sections: import.report.sections(),
    };
    let ties = cluster.ties.unwrap_or_default();
    let ties = [ties.ties, ties.to_first];
    let scenario = import.scenario.with_log_error(import.report.error()).to_compact_json();
    // What happened is checked against the log itself, whatever driver time and executors are simulated.
    let mut analyzer = Analyzer::new(import.recorded);
    let results = analyzer.observed(import.observed, report).map_err(|stopped| stopped.to_string())?;
    let message =
        |recorded| FromWorker::Imported { scenario, ran_with, ties, report: Box::new(log), recorded };
    serve::post_results(message, results)
}

/// Simulates a log under its own scheduler.
fn simulations(
    import: &Import,
    ran_with: PolicyId,
    report: &mut dyn FnMut(f64) -> Control,
) -> Result<Option<LogSimulations>, String> {
    let mut observer = |progress: Progress| report(progress.launched as f64 / progress.tasks.max(1) as f64);
    import.simulations(ran_with, &mut observer).map_err(|error| error.to_string())
}

/// A file with its name: one of the reader's, or one beside the page by its address, which a worker may wait for.
fn named(file: JsValue) -> Result<(String, Blob), String> {
    let Some(address) = file.as_string() else {
        let file: File = file.unchecked_into();
        return Ok((file.name(), file.into()));
    };
    let fetched = || {
        let request = XmlHttpRequest::new()?;
        request.open_with_async("GET", &address, false)?;
        request.set_response_type(XmlHttpRequestResponseType::Blob);
        request.send()?;
        let is_there = request.status()? == 200;
        if is_there { request.response()?.dyn_into() } else { Err(JsValue::NULL) }
    };
    match fetched() {
        Ok(file) => Ok((address, file)),
        Err(_) => Err(format!("{address} failed to load; check your connection and open it again")),
    }
}

fn options(rules: &LogRules) -> Result<ImportOptions, String> {
    let pools = match rules.pools.as_str() {
        "" => None,
        text => Some(PoolsFile::read("fairscheduler.xml", text).map_err(|error| error.to_string())?),
    };
    Ok(ImportOptions {
        jobs: rules.jobs.parse().ok(),
        users: parsed(&rules.users)?,
        estimates: parsed(&rules.estimates)?,
        pools,
        mode: [PoolMode::Fifo, PoolMode::Fair].into_iter().find(|mode| mode_word(*mode) == rules.mode),
        driver_time: parsed(&rules.driver_time)?,
        arrivals: if rules.arrivals == "open" { Sessions::Open } else { Sessions::Closed },
        executors: parsed(&rules.executors)?,
        share: rules.share == "share",
    })
}

/// The rule of a word; the usual one if there is none.
fn parsed<T: FromStr<Err = String> + Default>(word: &str) -> Result<T, String> {
    if word.is_empty() { Ok(T::default()) } else { word.parse() }
}

fn mode_word(mode: PoolMode) -> &'static str {
    match mode {
        PoolMode::Fifo => "fifo",
        PoolMode::Fair => "fair",
    }
}

/// An error without the command line's name of an option.
fn describe(error: &ImportError) -> String {
    error.to_string().trim_start_matches("--").to_owned()
}

/// A file, read piece by piece.
struct FileChunks<'a> {
    file: Blob,
    at: f64,
    /// Bytes read of all files.
    read: Rc<Cell<f64>>,
    total: f64,
    report: &'a mut dyn FnMut(f64) -> Control,
}

impl Read for FileChunks<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let end = (self.at + buffer.len() as f64).min(self.file.size()).max(self.at);
        let unreadable =
            |_| io::Error::other("cannot be read; check that it exists and that you may read it");
        let piece = self.file.slice_with_f64_and_f64(self.at, end).map_err(unreadable)?;
        let reader = FileReaderSync::new().map_err(unreadable)?;
        let bytes = Uint8Array::new(&reader.read_as_array_buffer(&piece).map_err(unreadable)?.into());
        let count = bytes.length() as usize;
        bytes.copy_to(&mut buffer[..count]);
        self.at = end;
        self.read.set(self.read.get() + count as f64);
        (self.report)(self.read.get() / self.total.max(1.0));
        Ok(count)
    }
}

impl Seek for FileChunks<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (from, by) = match to {
            SeekFrom::Start(at) => (at as f64, 0),
            SeekFrom::End(by) => (self.file.size(), by),
            SeekFrom::Current(by) => (self.at, by),
        };
        let at = from + by as f64;
        if at < 0.0 {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.at = at;
        Ok(at as u64)
    }
}
