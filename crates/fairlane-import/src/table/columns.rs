//! Which column of a table holds what.

use std::fmt;
use std::str::FromStr;

/// What a column can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ColumnKind {
    /// When the task was submitted.
    Submit,
    /// How long it ran.
    Runtime,
    /// When it began to run.
    Start,
    /// When it ended.
    End,
    /// What the rows of a job have in common.
    Job,
    /// Who submitted it.
    User,
    /// Cores that it held.
    Cores,
    /// How many such tasks there were.
    Tasks,
    /// The name by which the rows of a job refer to each other.
    Task,
    /// The names of the rows that must end before it.
    Parents,
}

impl ColumnKind {
    const ALL: [(ColumnKind, &'static str); 10] = [
        (ColumnKind::Submit, "submit"),
        (ColumnKind::Runtime, "runtime"),
        (ColumnKind::Start, "start"),
        (ColumnKind::End, "end"),
        (ColumnKind::Job, "job"),
        (ColumnKind::User, "user"),
        (ColumnKind::Cores, "cores"),
        (ColumnKind::Tasks, "tasks"),
        (ColumnKind::Task, "task"),
        (ColumnKind::Parents, "parents"),
    ];

    /// The word in a mapping.
    pub(super) fn word(self) -> &'static str {
        ColumnKind::ALL.into_iter().find(|(key, _)| *key == self).map_or("", |(_, word)| word)
    }
}

/// A column by its heading or its number from 1, and what its numbers are multiplied by.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ColumnRef {
    pub(super) name: String,
    pub(super) factor: f64,
}

impl ColumnRef {
    fn parse(text: &str) -> Result<ColumnRef, String> {
        let scaled = |(name, factor): (&str, &str), over: bool| {
            let number: f64 =
                factor.trim().parse().ok().filter(|&number: &f64| number > 0.0 && number.is_finite())?;
            Some(ColumnRef {
                name: name.trim().to_owned(),
                factor: if over { number.recip() } else { number },
            })
        };
        // A heading may itself contain these signs.
        let column = text.rsplit_once('/').and_then(|parts| scaled(parts, true));
        let column = column.or_else(|| text.rsplit_once('*').and_then(|parts| scaled(parts, false)));
        let column = column.unwrap_or_else(|| ColumnRef { name: text.trim().to_owned(), factor: 1.0 });
        if column.name.is_empty() { Err(format!("{text:?} names no column")) } else { Ok(column) }
    }

    /// The column's number from 1, if it is given by number.
    pub(super) fn number(&self) -> Option<usize> {
        self.name.parse().ok().filter(|&number| number > 0)
    }
}

/// Which column of a table holds what: `submit=submit_time,runtime=duration,user=owner,unit=ms`.
///
/// A column is a heading or its number from 1; if all are numbers, the table has no headings. `/100` or `*60` behind it
/// scales its numbers. `unit` is that of all times: `s` (unless given), `ms` or `us`. `wta` at the beginning names the
/// columns of the tasks of the Workflow Trace Archive.
///
/// ```
/// use fairlane_import::table::ColumnMapping;
/// assert!("job=job_name,submit=start_time,end=end_time,cores=plan_cpu/100".parse::<ColumnMapping>().is_ok());
/// assert!("wta,user=group_id".parse::<ColumnMapping>().is_ok());
/// let error = "user=owner".parse::<ColumnMapping>().unwrap_err();
/// assert_eq!(error, "names no column for submit; add submit=COLUMN");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnMapping {
    columns: Vec<(ColumnKind, ColumnRef)>,
    /// Microseconds in the unit of all times.
    pub(super) unit: f64,
}

/// The Workflow Trace Archive's tasks.
const WTA: &str = "task=id,parents=parents,job=workflow_id,user=user_id,submit=ts_submit,runtime=runtime,\
                   cores=resource_amount_requested,unit=ms";

impl ColumnMapping {
    pub(super) fn get(&self, key: ColumnKind) -> Option<&ColumnRef> {
        self.columns.iter().find(|(other, _)| *other == key).map(|(_, column)| column)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (ColumnKind, &ColumnRef)> {
        self.columns.iter().map(|(key, column)| (*key, column))
    }

    /// Whether the table has headings.
    pub(super) fn has_headings(&self) -> bool {
        self.columns.iter().any(|(_, column)| column.number().is_none())
    }

    fn set(&mut self, text: &str) -> Result<(), String> {
        let Some((word, value)) = text.split_once('=') else {
            return Err(format!("{text:?} is not KEY=COLUMN, such as submit=submit_time"));
        };
        if word.trim() == "unit" {
            self.unit = match value.trim() {
                "s" => 1e6,
                "ms" => 1e3,
                "us" => 1.0,
                other => return Err(format!("the unit {other:?} is unknown; give s, ms or us")),
            };
            return Ok(());
        }
        let Some((key, _)) = ColumnKind::ALL.into_iter().find(|(_, known)| *known == word.trim()) else {
            let known: Vec<&str> = ColumnKind::ALL.iter().map(|(_, word)| *word).collect();
            return Err(format!("{:?} is unknown; it can be {} or unit", word.trim(), known.join(", ")));
        };
        self.columns.retain(|(other, _)| *other != key);
        self.columns.push((key, ColumnRef::parse(value)?));
        Ok(())
    }
}

impl FromStr for ColumnMapping {
    type Err = String;
    fn from_str(text: &str) -> Result<ColumnMapping, String> {
        let mut columns = ColumnMapping { columns: Vec::new(), unit: 1e6 };
        let whole = match text.strip_prefix("wta") {
            Some(rest) if rest.is_empty() || rest.starts_with(',') => format!("{WTA}{rest}"),
            _ => text.to_owned(),
        };
        for part in whole.split(',') {
            columns.set(part)?;
        }
        if columns.get(ColumnKind::Submit).is_none() {
            return Err("names no column for submit; add submit=COLUMN".to_owned());
        }
        if columns.get(ColumnKind::Runtime).is_none() && columns.get(ColumnKind::End).is_none() {
            return Err(
                "names no column for the length of a task; add runtime=COLUMN, or end=COLUMN".to_owned()
            );
        }
        if columns.get(ColumnKind::Parents).is_some() && columns.get(ColumnKind::Task).is_none() {
            return Err("names parents but no column for what they refer to; add task=COLUMN".to_owned());
        }
        columns.columns.sort_by_key(|(key, _)| *key);
        Ok(columns)
    }
}

impl fmt::Display for ColumnMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            1e6 => "s",
            1e3 => "ms",
            _ => "us",
        };
        for (key, column) in self.iter() {
            write!(f, "{}={}", key.word(), column.name)?;
            if column.factor != 1.0 {
                write!(f, "*{}", column.factor)?;
            }
            f.write_str(",")?;
        }
        write!(f, "unit={unit}")
    }
}
