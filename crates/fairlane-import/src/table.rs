//! Tables with a row for each task as scenarios: traces of other systems, as comma-separated values or, with the
//! feature `parquet`, in Parquet files.
//!
//! ```
//! use fairlane_import::table::TaskTable;
//! let mut table = TaskTable::new("job=job,user=owner,submit=at,runtime=took,cores=cores".parse()?);
//! table.read("trace.csv", "job,owner,at,took,cores\nj1,ana,100,3,2\nj1,ana,100,2,1\nj2,ben,101,?,1\n".as_bytes())?;
//! let import = table.import(4)?;
//! assert_eq!(import.scenario.jobs()[0].stages[0].partitions, 3);
//! assert_eq!(import.report.rows.left_out["whose runtime is no number"], 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod columns;
mod jobs;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::io::Read;

use csv::{ReaderBuilder, StringRecord, Trim};
use serde::Serialize;

use crate::spark::{ImportError, NOBODY, decompressed};
use columns::ColumnKind;
pub use columns::ColumnMapping;
use fairlane::scenario::Scenario;
use fairlane::units::MAX_MICROS;

/// The tag of the report's format.
pub const REPORT_FORMAT: &str = "fairlane/table-import@1";

/// Most rows that are held.
const MAX_ROWS: usize = 10_000_000;
/// Most tasks of a row.
const MAX_TASKS: f64 = 1e6;

/// The rows of a table.
#[derive(Clone, Debug)]
pub struct TaskTable {
    columns: ColumnMapping,
    rows: Vec<TableRow>,
    jobs: Names,
    users: Names,
    report: RowsReport,
}

/// A row that can be imported. Times are in whole microseconds.
#[derive(Clone, Debug)]
struct TableRow {
    /// Index of the job among the table's.
    job: u32,
    user: u32,
    submit: u64,
    runtime: u64,
    /// Tasks of one core each.
    tasks: u32,
    task: String,
    parents: Vec<String>,
}

/// Different names, numbered as they are met.
#[derive(Clone, Debug, Default)]
struct Names {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

/// A table as Fairlane sees it.
#[derive(Clone, Debug)]
pub struct TableImport {
    /// Cluster, users and jobs.
    pub scenario: Scenario,
    /// What was carried over, and what was not.
    pub report: TableReport,
}

/// What of a table was carried over.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TableReport {
    /// [`REPORT_FORMAT`].
    pub format: &'static str,
    /// The mapping of columns.
    pub columns: String,
    /// The first submission, which is 0 s in the scenario, in seconds of the table.
    pub start_s: f64,
    /// Users of the scenario.
    pub users: usize,
    /// Jobs of the scenario.
    pub jobs: usize,
    /// Stages of the scenario.
    pub stages: usize,
    /// Tasks of the scenario, each of one core.
    pub tasks: u64,
    /// The rows.
    pub rows: RowsReport,
    /// Parents that are not among the rows of the same job: left out.
    pub parents_unknown: u64,
    /// Rows without parents that were submitted later than their job: they are at the job's arrival.
    pub submitted_later: u64,
    /// Jobs whose rows name several users: the first row's is the job's.
    pub jobs_of_several_users: u64,
}

/// Rows: in the table = imported + left out.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RowsReport {
    /// Rows below the headings.
    pub in_table: u64,
    /// Rows of the scenario.
    pub imported: u64,
    /// The others, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// Rows whose cores are no whole number: rounded, to at least one.
    pub rounded_cores: u64,
    /// Core time of the rows imported as the table has it, in core-seconds.
    pub core_s_in_table: f64,
    /// The same of the scenario.
    pub core_s_imported: f64,
}

impl TaskTable {
    /// A table without rows.
    pub fn new(columns: ColumnMapping) -> TaskTable {
        TaskTable {
            columns,
            rows: Vec::new(),
            jobs: Names::default(),
            users: Names::default(),
            report: RowsReport::default(),
        }
    }

    /// Reads a file of it, also by gzip, zstd or lz4. Rows that cannot be imported are counted.
    ///
    /// # Errors
    /// The file cannot be read, has none of the columns asked for, or has too many rows.
    pub fn read(&mut self, name: &str, file: impl Read) -> Result<(), ImportError> {
        let file =
            decompressed(file).map_err(|error| ImportError::new(name, format!("cannot be read: {error}")))?;
        let headings = self.columns.has_headings();
        let mut reader =
            ReaderBuilder::new().has_headers(headings).flexible(true).trim(Trim::All).from_reader(file);
        let at = |error: &csv::Error, message: &str| {
            let line =
                error.position().map_or_else(String::new, |position| format!(", line {}", position.line()));
            ImportError::new(format!("{name}{line}"), format!("{message}: {error}"))
        };
        let heading = match headings {
            true => reader.headers().map_err(|error| at(&error, "has no headings"))?.clone(),
            false => StringRecord::new(),
        };
        let fields = self.fields(name, &heading)?;
        let mut record = StringRecord::new();
        loop {
            match reader.read_record(&mut record) {
                Ok(false) => return Ok(()),
                Ok(true) => self.add(name, &fields, &record)?,
                Err(error) if matches!(error.kind(), csv::ErrorKind::Utf8 { .. }) => {
                    self.report.in_table += 1;
                    *self.report.left_out.entry("that are not UTF-8".to_owned()).or_default() += 1;
                }
                Err(error) => return Err(at(&error, "cannot be read")),
            }
        }
    }

    /// Adds a row, or counts why it is left out.
    ///
    /// # Errors
    /// There are too many.
    fn add(
        &mut self,
        name: &str,
        fields: &[(ColumnKind, usize, f64)],
        record: &StringRecord,
    ) -> Result<(), ImportError> {
        self.report.in_table += 1;
        if let Err(reason) = self.row(fields, record) {
            *self.report.left_out.entry(reason).or_default() += 1;
        }
        if self.rows.len() > MAX_ROWS {
            let message = format!("has more than {MAX_ROWS} rows; give a part of it");
            return Err(ImportError::new(name, message));
        }
        Ok(())
    }

    /// Where each column is.
    fn fields(
        &self,
        name: &str,
        heading: &StringRecord,
    ) -> Result<Vec<(ColumnKind, usize, f64)>, ImportError> {
        let field = |(key, column): (ColumnKind, &columns::ColumnRef)| {
            let named = heading.iter().position(|other| other.trim_start_matches('\u{feff}') == column.name);
            let place = named.or_else(|| column.number().map(|number| number - 1));
            place.map(|place| (key, place, column.factor)).ok_or_else(|| {
                let there: Vec<&str> = heading.iter().take(30).collect();
                let message = format!(
                    "has no column {:?} for {}; it has {}",
                    column.name,
                    key.word(),
                    there.join(", ")
                );
                ImportError::new(name, message)
            })
        };
        self.columns.iter().map(field).collect()
    }

    /// Adds a row that can be imported.
    ///
    /// # Errors
    /// Why it is left out.
    fn row(&mut self, fields: &[(ColumnKind, usize, f64)], record: &StringRecord) -> Result<(), String> {
        let text = |key: ColumnKind| {
            let field = fields.iter().find(|(other, ..)| *other == key);
            field.map(|&(_, place, factor)| (record.get(place).unwrap_or(""), factor))
        };
        let number = |key: ColumnKind| -> Result<Option<f64>, String> {
            let Some((text, factor)) = text(key) else { return Ok(None) };
            let number: Option<f64> = text.parse().ok().filter(|number: &f64| number.is_finite());
            number
                .map(|number| Some(number * factor))
                .ok_or_else(|| format!("whose {} is no number", key.word()))
        };
        let unit = self.columns.unit;
        let micros = |key: ColumnKind, value: f64| {
            let micros = (value * unit + 0.5).floor();
            match micros {
                _ if micros < 0.0 => Err(format!("whose {} is negative", key.word())),
                _ if micros > MAX_MICROS as f64 => Err(format!("whose {} is too large", key.word())),
                _ => Ok(micros as u64),
            }
        };
        let submit = micros(ColumnKind::Submit, number(ColumnKind::Submit)?.unwrap_or_default())?;
        let runtime = match (number(ColumnKind::Runtime)?, number(ColumnKind::End)?) {
            (Some(runtime), _) => micros(ColumnKind::Runtime, runtime)?,
            (None, end) => {
                let start = match number(ColumnKind::Start)? {
                    Some(start) => micros(ColumnKind::Start, start)?,
                    None => submit,
                };
                let end = micros(ColumnKind::End, end.unwrap_or_default())?;
                end.checked_sub(start).ok_or("that end before they start")?
            }
        };
        let cores = number(ColumnKind::Cores)?.unwrap_or(1.0);
        let count = number(ColumnKind::Tasks)?.unwrap_or(1.0);
        if cores < 0.0 || count < 0.0 {
            return Err("whose cores or tasks are negative".to_owned());
        }
        let (whole, times) = (cores.round().max(1.0), count.round().max(1.0));
        if whole * times > MAX_TASKS {
            return Err(format!("of more than {MAX_TASKS} cores"));
        }
        let seconds = runtime as f64 / 1e6;
        let list = |(text, _): (&str, f64)| {
            let names = text.split(|c: char| c.is_whitespace() || "[](){},;|'\"".contains(c));
            names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
        };
        let row = TableRow {
            job: match text(ColumnKind::Job) {
                Some((job, _)) if !job.is_empty() => self.jobs.number(job),
                // A job of its own, by a name that no field can have: fields are trimmed.
                _ => self.jobs.number(&format!(" row {}", self.report.in_table)),
            },
            user: self.users.number(text(ColumnKind::User).map_or(NOBODY, |(user, _)| user).trim()),
            submit,
            runtime,
            tasks: (whole * times) as u32,
            task: text(ColumnKind::Task).map_or_else(String::new, |(task, _)| task.to_owned()),
            parents: text(ColumnKind::Parents).map_or_else(Vec::new, list),
        };
        self.report.rounded_cores += u64::from(whole != cores || times != count);
        self.report.core_s_in_table += cores * count * seconds;
        self.report.core_s_imported += f64::from(row.tasks) * seconds;
        self.report.imported += 1;
        self.rows.push(row);
        Ok(())
    }
}
