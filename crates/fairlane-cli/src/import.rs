//! `fairlane import`: a Spark event log as a scenario, with a report of what was carried over.

use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek};
use std::panic;
use std::path::{Path, PathBuf};
use std::slice;

use super::CliError;
use super::args::{ImportArgs, ImportFormat, LogSource};
use super::history::Chosen;
use super::output::{self, Printed, StagedFile};
use super::path::{self, InputPath};
use super::progress::DelayedProgressBar;
use super::table::{self, CellAlign};
use super::text::{self, TextError, printable};
use fairlane::number::counted;
use fairlane_import::spark::files::in_order;
use fairlane_import::spark::{
    FileKind, Import, ImportError, ImportOptions, ImportReport, LogSection, Logs, PoolsFile,
};
use fairlane_import::table::{ColumnMapping, TableReport, TaskTable};

impl From<ImportError> for CliError {
    fn from(error: ImportError) -> CliError {
        CliError::new(error.place, error.message)
    }
}

pub(super) fn run(args: &ImportArgs) -> Result<(), CliError> {
    let (local, servers) = LogSource::apart(&args.logs);
    if let (Some(columns), Some(cores)) = (&args.columns, args.cores) {
        return match servers.as_slice() {
            [] => table(args, &local, columns, cores.get()),
            [server, ..] => Err(CliError::new(server.to_string(), "has logs, no tables; give files")),
        };
    }
    let mut logs = Logs::default();
    each_file(&files(&local)?, |name, file| logs.read_file(name, file))?;
    match Chosen::of(&servers, &args.history)? {
        Chosen::List(list) => {
            return Err(CliError::new("import", format!("choose what to import\n\n{list}")));
        }
        Chosen::Logs(remote) => {
            for log in remote {
                logs.read_file(&log.name(), Cursor::new(log.fetch()?))?;
            }
        }
    }
    let log = logs.into_log()?;
    let pools = args.pools.as_ref().map(pools_file).transpose()?;
    let mode = args.mode.map(Into::into);
    let options = ImportOptions {
        jobs: args.jobs,
        users: args.users.clone(),
        estimates: args.estimates,
        pools,
        mode,
        arrivals: args.arrivals.into(),
        driver_time: args.driver_time,
        executors: args.executors,
        share: args.share,
    };
    let mut import = log.import(&options)?;
    // What is not needed any longer is not held.
    drop(log);
    import.report.replay = import.replay();
    import.report.baseline = import.baseline();
    let Import { scenario, observed, report, .. } = import;
    let scenario = scenario.with_log_error(report.error());
    let staged = args.observed.as_ref().map(|path| path.stage_json(&observed)).transpose()?;
    drop(observed);
    args.scenario.write(|writer| writeln!(writer, "{}", scenario.to_json()))?;
    staged.map_or(Ok(()), StagedFile::commit)?;
    output::print(&match args.format {
        ImportFormat::Table => Printed::Text(report_text(&report)),
        ImportFormat::Json => output::json(&report),
    })
}

/// A file: a log's is read from its beginning to its end, an archive's in any order.
trait Seekable: Read + Seek {}

impl<F: Read + Seek> Seekable for F {}

/// Reads files one after the other.
fn each_file(
    files: &[PathBuf],
    mut read: impl FnMut(&str, &mut dyn Seekable) -> Result<(), ImportError>,
) -> Result<(), CliError> {
    let progress = DelayedProgressBar::new();
    let sizes = files.iter().filter_map(|path| fs::metadata(path).ok());
    progress.bytes(sizes.map(|metadata| metadata.len()).sum());
    for path in files {
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        read(&path.display().to_string(), &mut progress.reading(file))?;
    }
    Ok(())
}

/// Reads a file of Spark's pools.
pub(super) fn pools_file(path: &InputPath) -> Result<PoolsFile, CliError> {
    let name = path.path().display().to_string();
    let error = |message: String| CliError::new(&name, message);
    let (file, _) =
        path::open(path.path()).map_err(|fault| unreadable_as(path.path(), &fault, "a pools file"))?;
    let text = text::read(file, PoolsFile::MAX_BYTES as u64).map_err(|fault| match fault {
        TextError::Io(fault) => unreadable_as(path.path(), &fault, "a pools file"),
        TextError::TooLong => error(PoolsFile::TOO_LONG.to_owned()),
        TextError::NotText(offset) => error(format!("byte {offset} is not UTF-8 text; a pools file is XML")),
    })?;
    Ok(PoolsFile::read(&name, &text)?)
}

/// Imports tables with a row for each task.
fn table(
    args: &ImportArgs,
    tables: &[InputPath],
    columns: &ColumnMapping,
    cores: u32,
) -> Result<(), CliError> {
    let mut table = TaskTable::new(columns.clone());
    for path in tables.iter().map(|table| table.path().to_owned()) {
        match parquet(&path).map_err(|error| unreadable(&path, &error))? {
            Some(file) => quietly(|| table.read_parquet(&path.display().to_string(), file))?,
            None => each_file(slice::from_ref(&path), |name, file| table.read(name, file))?,
        }
    }
    let import = table.import(cores)?;
    let scenario = import.scenario.to_json() + "\n";
    args.scenario.write(|writer| writer.write_all(scenario.as_bytes()))?;
    output::print(&match args.format {
        ImportFormat::Table => Printed::Text(table_text(&import.report)),
        ImportFormat::Json => output::json(&import.report),
    })
}

/// Runs what may panic and catches it, without the panic's own message: the error says enough.
fn quietly<R>(run: impl FnOnce() -> R) -> R {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    let result = run();
    panic::set_hook(hook);
    result
}

/// A file if it is Parquet.
fn parquet(path: &Path) -> io::Result<Option<File>> {
    let mut file = File::open(path)?;
    let mut head = Vec::new();
    file.by_ref().take(FileKind::HEAD_BYTES).read_to_end(&mut head)?;
    Ok((FileKind::from_head(&head) == FileKind::Parquet).then_some(file))
}

fn table_text(report: &TableReport) -> String {
    let rows = &report.rows;
    let left_out = rows.in_table - rows.imported;
    let reasons = rows.left_out.iter().map(|(reason, count)| Some(format!("left out: {count} {reason}")));
    let counts = [
        (rows.rounded_cores, "row{|s} rounded to whole cores"),
        (report.parents_unknown, "parent{|s} that {is|are} not in {its|their} job"),
        (report.submitted_later, "row{|s} moved to the arrival of {its|their} job"),
        (report.jobs_of_several_users, "job{|s} of several users, which {is|are} the first one's"),
    ];
    let in_table =
        format!("{} in the table = {} imported + {left_out} left out", rows.in_table, rows.imported);
    let cores = format!(
        "{:.3} core-seconds in these rows, {:.3} in the scenario",
        rows.core_s_in_table, rows.core_s_imported
    );
    let jobs = format!(
        "{} of {}: {}, {}",
        counted(report.jobs, "job"),
        counted(report.users, "user"),
        counted(report.stages, "stage"),
        counted(report.tasks as usize, "task")
    );
    paragraphs(&[
        LogSection::new("rows", in_table, reasons),
        LogSection::new("cores", cores, [LogSection::list("not as in the table", &counts)]),
        LogSection::new("jobs", jobs, []),
    ])
}

/// A paragraph for each section.
fn paragraphs(sections: &[LogSection]) -> String {
    let mut text = String::new();
    for LogSection { title, text: sentence, details } in sections {
        text += &format!("{title:<7} {}\n", printable(sentence));
        details.iter().for_each(|detail| text += &format!("          {}\n", printable(detail)));
    }
    text
}

/// Most folders within each other in which logs are looked for.
const MAX_DEPTH: u32 = 4;

/// The files of the logs, a folder's files in its place, a rolling log's by number.
pub(super) fn files(logs: &[InputPath]) -> Result<Vec<PathBuf>, CliError> {
    let (mut files, mut loose) = (Vec::new(), Vec::new());
    for log in logs.iter().map(InputPath::path) {
        if fs::metadata(log).map_err(|error| unreadable(log, &error))?.is_dir() {
            let before = files.len();
            folder(log, MAX_DEPTH, &mut files)?;
            if files.len() == before {
                let message = "has no event log in it; give a log, a folder of logs or that of a rolling one (eventlog_v2_…)";
                return Err(CliError::new(log.display().to_string(), message));
            }
        } else {
            loose.push(log.to_owned());
        }
    }
    files.extend(ordered(loose));
    Ok(files)
}

fn ordered(files: Vec<PathBuf>) -> Vec<PathBuf> {
    let names: Vec<_> =
        files.iter().map(|path| path.file_name().unwrap_or_default().to_string_lossy()).collect();
    in_order(&names).into_iter().map(|index| files[index].clone()).collect()
}

/// The logs in a folder: its files, then those of the folders in it, such as those of rolling logs.
fn folder(folder: &Path, depth: u32, files: &mut Vec<PathBuf>) -> Result<(), CliError> {
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let (mut found, mut folders) = (Vec::new(), Vec::new());
    for entry in entries {
        let path = entry.map_err(|error| unreadable(folder, &error))?.path();
        match path.is_file() {
            true => found.push(path),
            false => folders.push(path),
        }
    }
    found.sort();
    folders.sort();
    files.extend(ordered(found));
    let within = folders.iter().filter(|path| depth > 0 && path.is_dir());
    within.into_iter().try_for_each(|path| self::folder(path, depth - 1, files))
}

pub(super) fn unreadable(path: &Path, error: &io::Error) -> CliError {
    unreadable_as(path, error, "a Spark event log, or the folder of a rolling one")
}

/// Why a file that should be this cannot be read.
fn unreadable_as(path: &Path, error: &io::Error, noun: &str) -> CliError {
    let message = match error.kind() {
        io::ErrorKind::NotFound => format!("No such file; give {noun}"),
        io::ErrorKind::IsADirectory => format!("Is a directory; give {noun}"),
        io::ErrorKind::PermissionDenied => "Permission denied; make the file readable".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    CliError::new(path.display().to_string(), message)
}

/// The report for people: a paragraph for each subject, and a table of the users.
fn report_text(report: &ImportReport) -> String {
    let mut text = paragraphs(&report.sections());
    let users = &report.users;
    text += &format!("\nUsers by {} (rule {}). The log offers:\n", users.source, users.rule);
    for source in &users.offered {
        text += &format!(
            "  {}: {} different, {} jobs without\n",
            source.source, source.users, source.jobs_without
        );
    }
    let heading = [("user", CellAlign::Left), ("jobs", CellAlign::Right), ("core s", CellAlign::Right)];
    let rows = users
        .users
        .iter()
        .map(|user| vec![table::name(&user.name), user.jobs.to_string(), format!("{:.3}", user.core_s)]);
    let table = table::layout(heading.map(|(title, align)| (title.to_owned(), align)).into(), rows);
    text + &table
}
