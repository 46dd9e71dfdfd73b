//! `fairlane import`: a Spark event log as a scenario, with a report of what was carried over.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::args::{ImportArgs, ImportFormat};
use super::progress::Progress;
use super::table::{self, Align};
use super::{CliError, output};
use crate::number::counted;
use crate::spark::files::in_order;
use crate::spark::{ImportError, ImportOptions, Log, Report};
use crate::table::{Columns, Table, TableReport};

impl From<ImportError> for CliError {
    fn from(error: ImportError) -> CliError {
        CliError::new(error.place, error.message)
    }
}

pub(super) fn run(args: &ImportArgs) -> Result<(), CliError> {
    if let (Some(columns), Some(cores)) = (&args.columns, args.cores) {
        return table(args, columns, cores.get());
    }
    let mut log = Log::default();
    each_file(&files(&args.logs)?, |name, file| log.read(name, file))?;
    let options = ImportOptions { jobs: args.jobs.map(Into::into), users: args.users };
    let import = log.import(&options)?;
    let scenario = import.scenario.to_json() + "\n";
    output::write_file(&args.scenario, |writer| writer.write_all(scenario.as_bytes()))?;
    if let Some(path) = &args.observed {
        output::write_json_file(path, &import.observed)?;
    }
    output::print(&match args.format {
        ImportFormat::Table => text(&import.report),
        ImportFormat::Json => output::json(&import.report),
    })
}

/// Reads files one after the other.
fn each_file(
    files: &[PathBuf],
    mut read: impl FnMut(&str, &mut dyn Read) -> Result<(), ImportError>,
) -> Result<(), CliError> {
    let progress = Progress::new();
    let sizes = files.iter().filter_map(|path| fs::metadata(path).ok());
    progress.bytes(sizes.map(|metadata| metadata.len()).sum());
    for path in files {
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        read(&path.display().to_string(), &mut progress.reading(file))?;
    }
    Ok(())
}

/// Imports tables with a row for each task.
fn table(args: &ImportArgs, columns: &Columns, cores: u32) -> Result<(), CliError> {
    let mut table = Table::new(columns.clone());
    each_file(&args.logs, |name, file| table.read(name, file))?;
    let import = table.import(cores)?;
    let scenario = import.scenario.to_json() + "\n";
    output::write_file(&args.scenario, |writer| writer.write_all(scenario.as_bytes()))?;
    output::print(&match args.format {
        ImportFormat::Table => table_text(&import.report),
        ImportFormat::Json => output::json(&import.report),
    })
}

fn table_text(report: &TableReport) -> String {
    let mut text = String::new();
    let mut line = |line: String| {
        text += &line;
        text.push('\n');
    };
    let rows = &report.rows;
    let left_out = rows.in_table - rows.imported;
    line(format!(
        "rows    {} in the table = {} imported + {left_out} left out",
        rows.in_table, rows.imported
    ));
    for (reason, count) in &rows.left_out {
        line(format!("          left out: {count} {}", table::name(reason)));
    }
    line(format!(
        "cores   {:.3} core-seconds in these rows, {:.3} in the scenario",
        rows.core_s_in_table, rows.core_s_imported
    ));
    let counts = [
        (rows.rounded_cores, "rows rounded to whole cores"),
        (report.parents_unknown, "parents that are not in their job"),
        (report.submitted_later, "rows moved to the arrival of their job"),
        (report.jobs_of_several_users, "jobs of several users, which are the first one's"),
    ];
    list(&mut line, "not as in the table", &counts);
    line(format!(
        "        {} of {}: {}, {}",
        counted(report.jobs, "job"),
        counted(report.users, "user"),
        counted(report.stages, "stage"),
        counted(report.tasks as usize, "task")
    ));
    text
}

/// The files of the logs, a folder's files in its place, a rolling log's by number.
fn files(logs: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut files = Vec::new();
    for log in logs {
        if fs::metadata(log).map_err(|error| unreadable(log, &error))?.is_dir() {
            files.extend(folder(log)?);
        } else {
            files.push(log.clone());
        }
    }
    Ok(ordered(files))
}

fn ordered(files: Vec<PathBuf>) -> Vec<PathBuf> {
    let names: Vec<_> =
        files.iter().map(|path| path.file_name().unwrap_or_default().to_string_lossy()).collect();
    in_order(&names).into_iter().map(|index| files[index].clone()).collect()
}

/// The files of a rolling log's folder.
fn folder(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| unreadable(folder, &error))?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    let files = ordered(files);
    if files.is_empty() {
        let message = "has no event log in it; give a log, or the folder of a rolling one (eventlog_v2_…)";
        return Err(CliError::new(folder.display().to_string(), message));
    }
    Ok(files)
}

fn unreadable(path: &Path, error: &io::Error) -> CliError {
    let message = match error.kind() {
        io::ErrorKind::NotFound => {
            "No such file; give a Spark event log, or the folder of a rolling one".to_owned()
        }
        io::ErrorKind::PermissionDenied => "Permission denied; make the file readable".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    CliError::new(path.display().to_string(), message)
}

/// The report for people: a sentence for each subject, and a table of the users.
fn text(report: &Report) -> String {
    let mut text = String::new();
    let mut line = |line: String| {
        text += &line;
        text.push('\n');
    };
    let Report { application, events, tasks, jobs, stages, users, cluster, costs, observed, .. } = report;
    let spark = if application.spark.is_empty() { "unknown" } else { &application.spark };
    line(format!("{} ({}), Spark {spark}", table::name(&application.name), table::name(&application.id)));
    line(format!(
        "{} in {}, {:.1} MB of text",
        counted(events.lines as usize, "event"),
        counted(events.files as usize, "file"),
        events.bytes as f64 / 1e6
    ));
    for cut in &events.cut {
        line(format!("  cut: {cut}; what comes before is imported"));
    }
    if !events.complete {
        line("  the end of the application is not in the log".to_owned());
    }
    line(String::new());
    line(format!(
        "tasks   {} in the log = {} imported + {} left out",
        tasks.in_log,
        tasks.imported,
        tasks.in_log - tasks.imported
    ));
    for (reason, count) in &tasks.left_out {
        line(format!("          left out: {count} {reason}"));
    }
    let details = [
        (tasks.failed, "failed attempts"),
        (tasks.killed, "killed attempts"),
        (tasks.speculative, "speculative copies"),
    ];
    list(&mut line, "imported too", &details);
    if tasks.shortened > 0 {
        line(format!(
            "          {} end earlier than stamped, {} ms at most: their core was taken or their stage was over",
            tasks.shortened, tasks.shortened_most_ms
        ));
    }
    list(
        &mut line,
        "the log has again",
        &[(tasks.repeated, "ends of tasks"), (jobs.spark_repeated, "job starts")],
    );
    let what = if jobs.unit == "sql" { "SQL executions, jobs outside of SQL" } else { "jobs of Spark" };
    line(format!(
        "jobs    {} imported ({what}); {} of Spark and {} SQL executions in the log",
        jobs.imported, jobs.spark_in_log, jobs.executions_in_log
    ));
    list(
        &mut line,
        "left out",
        &[
            (jobs.spark_without_tasks, "jobs of Spark without an imported task"),
            (jobs.executions_without_job, "SQL executions without a job"),
        ],
    );
    list(
        &mut line,
        "imported as far as they ran",
        &[
            (jobs.spark_failed, "failed jobs"),
            (jobs.spark_without_end, "jobs without an end"),
            (jobs.executions_failed, "failed SQL executions"),
            (jobs.executions_without_end, "SQL executions without an end"),
        ],
    );
    list(&mut line, "part of others", &[(jobs.executions_nested, "nested SQL executions")]);
    list(&mut line, "planned again", &[(jobs.replanned, "times by adaptive execution")]);
    line(format!("stages  {} imported, {} orders between them", stages.imported, stages.parents));
    list(
        &mut line,
        "left out",
        &[
            (stages.skipped, "skipped stages"),
            (stages.without_tasks, "stages without an imported task"),
            (stages.parents_in_other_jobs, "orders between different jobs"),
            (stages.overlapping_parents, "orders of stages that overlap"),
        ],
    );
    list(
        &mut line,
        "imported as far as they ran",
        &[
            (stages.retried, "further attempts"),
            (stages.failed, "failed attempts"),
            (stages.cancelled, "cancelled attempts"),
        ],
    );
    line(format!(
        "cluster {} x {}; the log names {}, {:.1} cores on average",
        counted(cluster.executors as usize, "executor"),
        counted(cluster.cores_per_executor as usize, "core"),
        counted(cluster.executors_in_log as usize, "executor"),
        cluster.mean_cores
    ));
    list(
        &mut line,
        "not as in the log",
        &[
            (u64::from(cluster.uneven), "executor for several of different sizes"),
            (cluster.guessed_executors, "executors of guessed size"),
        ],
    );
    line(format!(
        "        scheduler {}, {}: nearest policy {}",
        table::name(&cluster.scheduler_mode),
        counted(cluster.pools as usize, "pool"),
        cluster.ran_with
    ));
    if let Some(memory) = cluster.memory_mb_per_executor {
        line(format!("        {memory} MB of memory for each executor"));
    }
    line(format!(
        "costs   {} ms a task, first wave x {}, {} ms for a core to change jobs (from {})",
        costs.task_overhead_s * 1e3,
        costs.first_wave,
        costs.core_move_s * 1e3,
        counted(costs.stages_measured as usize, "stage")
    ));
    line(format!(
        "trace   {}; {} moved by 1 ms or more, {} ms at most",
        observed
            .fault
            .as_ref()
            .map_or("passes the check".to_owned(), |fault| format!("BREAKS A RULE: {fault}")),
        counted(observed.moved as usize, "task"),
        observed.moved_most_ms
    ));
    let unneeded: u64 = events.not_needed.values().sum();
    if unneeded > 0 {
        let names = events.not_needed.iter().map(|(name, count)| format!("{count} {}", table::name(name)));
        line(format!("events  {unneeded} not needed: {}", names.collect::<Vec<_>>().join(", ")));
    }
    line(String::new());
    line(format!("Users by {} (rule {}). The log offers:", users.source, users.rule));
    for source in &users.offered {
        line(format!(
            "  {}: {} different, {} jobs without",
            source.source, source.users, source.jobs_without
        ));
    }
    let heading = [("user", Align::Left), ("jobs", Align::Right), ("core s", Align::Right)];
    let rows = users
        .users
        .iter()
        .map(|user| vec![table::name(&user.name), user.jobs.to_string(), format!("{:.3}", user.core_s)]);
    let table = table::layout(heading.map(|(title, align)| (title.to_owned(), align)).into(), rows);
    text + &table
}

/// A line with those counts that are not 0.
fn list(line: &mut impl FnMut(String), title: &str, counts: &[(u64, &str)]) {
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if !counts.is_empty() {
        line(format!("          {title}: {}", counts.join(", ")));
    }
}
