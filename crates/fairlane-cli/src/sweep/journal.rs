//! The file of finished rows, a line each, that a sweep resumes from.
//!
//! Rows are added as they are finished, in any order, each by one write. So whatever ends the process leaves whole rows
//! and at most one half behind them, which the next run cuts off. Rows that were made elsewhere may be added by hand.
//! Once all points are there, they are sorted into the grid's order.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::sync::Mutex;

use crate::parallel::held;
use crate::path::OutputPath;
use crate::{CliError, output, print_error};
use fairlane_study::sweep::ResultRow;

/// The sweep whose rows a file holds.
pub(super) struct Owner {
    /// Fingerprint of the grid and what is swept.
    pub(super) sweep: String,
    /// Fingerprint of what is swept alone.
    pub(super) fingerprint: String,
    /// How many points there are.
    pub(super) points: usize,
}

impl Owner {
    /// What every row begins with.
    fn beginning(&self) -> String {
        format!("{{\"sweep\":\"{}\",\"point\":", self.sweep)
    }
}

/// An open file of rows.
pub(super) struct Journal {
    output: OutputPath,
    rows: Mutex<JournalFile>,
}

struct JournalFile {
    file: File,
    /// Where the next row goes.
    end: u64,
    /// Where each finished point's line is.
    extents: Vec<Option<Extent>>,
}

#[derive(Clone, Copy)]
struct Extent {
    offset: u64,
    /// With its line end.
    bytes: usize,
}

impl Journal {
    /// Opens a file of this sweep's rows, or begins one.
    ///
    /// # Errors
    /// The file is another sweep's or no sweep's, which is then left as it is, or cannot be read and written.
    pub(super) fn open(output: &OutputPath, owner: &Owner) -> Result<Journal, CliError> {
        let path = output.path();
        let error = |sentence: String| CliError::new(path.display().to_string(), sentence);
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(error(
                "is no regular file, so nothing could go on from it; name another, or use --format alone"
                    .to_owned(),
            ));
        }
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|fault| output::unwritable(path, &fault))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(error(
                    "another sweep is at work on it; wait for its end or name another file".to_owned(),
                ));
            }
            // A file system without locks is no reason not to work.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let mut reading = JournalScan::new(owner);
        let finished = reading.all(BufReader::new(&file)).map_err(|fault| error(fault.to_string()))?;
        let mut rows = JournalFile { file, end: reading.end, extents: reading.extents };
        match finished {
            FileEnd::Whole => {}
            FileEnd::NoLineEnd => rows.append(b"\n").map_err(|fault| output::unwritable(path, &fault))?,
            FileEnd::Half => {
                rows.file.set_len(rows.end).map_err(|fault| output::unwritable(path, &fault))?;
                print_error(&format!("{}: cut off half a row at its end", path.display()));
            }
        }
        Ok(Journal { output: output.clone(), rows: Mutex::new(rows) })
    }

    /// A finished point's row.
    pub(super) fn row(&self, point: usize) -> Result<Option<ResultRow>, CliError> {
        let mut rows = held(&self.rows);
        let Some(extent) = rows.extents[point] else { return Ok(None) };
        let line = rows.line(extent).map_err(|fault| self.unreadable(&fault))?;
        let row = serde_json::from_slice(&line);
        row.map(Some).map_err(|fault| self.unreadable(&fault.into()))
    }

    /// Keeps a point's row.
    pub(super) fn add(&self, point: usize, line: &str) -> Result<(), CliError> {
        let mut rows = held(&self.rows);
        let extent = Extent { offset: rows.end, bytes: line.len() };
        rows.append(line.as_bytes()).map_err(|fault| output::unwritable(self.output.path(), &fault))?;
        rows.extents[point] = Some(extent);
        Ok(())
    }

    /// Lets nobody write any more and says what there is.
    pub(super) fn close(&self) -> String {
        let rows = held(&self.rows);
        let (kept, points) = (rows.extents.iter().flatten().count(), rows.extents.len());
        // The lock is never given back: a thread that wants to write waits until the process ends.
        std::mem::forget(rows);
        format!("{kept} of {points} points are in {}", self.output.path().display())
    }

    /// Sorts the rows into the grid's order, all points being there.
    pub(super) fn finish(&self) -> Result<(), CliError> {
        let mut rows = held(&self.rows);
        let extents: Vec<Extent> = rows.extents.iter().flatten().copied().collect();
        let mut end = 0;
        let in_order = extents.iter().all(|extent| {
            let here = extent.offset == end;
            end += extent.bytes as u64;
            here
        });
        if in_order && end == rows.end {
            return Ok(());
        }
        self.output.write(|out| extents.iter().try_for_each(|&extent| out.write_all(&rows.line(extent)?)))
    }

    fn unreadable(&self, fault: &io::Error) -> CliError {
        CliError::new(self.output.path().display().to_string(), format!("cannot be read: {fault}"))
    }
}

impl JournalFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(bytes)?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    fn line(&mut self, extent: Extent) -> io::Result<Vec<u8>> {
        let mut line = vec![0; extent.bytes];
        self.file.seek(SeekFrom::Start(extent.offset))?;
        self.file.read_exact(&mut line)?;
        Ok(line)
    }
}

/// How a file ends.
#[derive(Debug, PartialEq)]
enum FileEnd {
    /// With a whole line, or it is empty.
    Whole,
    /// With a whole row, but for its line end.
    NoLineEnd,
    /// Within a row.
    Half,
}

/// Why a sweep cannot resume from a file.
#[derive(Debug, thiserror::Error)]
enum ResumeError {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error(
        "line {0} is a row of another scenario (fingerprint {1}, not {2}); name another file for this one's"
    )]
    OtherScenario(usize, String, String),
    #[error(
        "line {0} is a row of another sweep over the same scenario, with other policies, values or seeds; name \
            another file for this one's"
    )]
    OtherGrid(usize),
    #[error("line {0} is no row of a sweep ({1}); name another file, or delete the line if it is damaged")]
    NoRow(usize, String),
    #[error(
        "lines {0} and {1} both are point {2} but differ; delete one of them, or both to have it measured again"
    )]
    Twice(usize, usize, usize),
}

/// Goes through a file.
struct JournalScan<'a> {
    owner: &'a Owner,
    end: u64,
    extents: Vec<Option<Extent>>,
    /// Line and hash of each finished point.
    seen: Vec<Option<(usize, u64)>>,
}

impl JournalScan<'_> {
    fn new(owner: &Owner) -> JournalScan<'_> {
        JournalScan { owner, end: 0, extents: vec![None; owner.points], seen: vec![None; owner.points] }
    }

    fn all(&mut self, mut file: impl BufRead) -> Result<FileEnd, ResumeError> {
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            if file.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if line.last() != Some(&b'\n') {
                return self.last(number, &mut line);
            }
            self.add(number, &line)?;
        }
        Ok(FileEnd::Whole)
    }

    /// The last line, which has no line end.
    fn last(&mut self, number: usize, line: &mut Vec<u8>) -> Result<FileEnd, ResumeError> {
        let beginning = self.owner.beginning();
        let common = line.len().min(beginning.len());
        let half = line[..common] == beginning.as_bytes()[..common]
            && serde_json::from_slice::<ResultRow>(line).is_err();
        if half {
            return Ok(FileEnd::Half);
        }
        line.push(b'\n');
        self.add(number, line)?;
        self.end -= 1;
        Ok(FileEnd::NoLineEnd)
    }

    fn add(&mut self, number: usize, line: &[u8]) -> Result<(), ResumeError> {
        let row: ResultRow = serde_json::from_slice(line).map_err(|fault| {
            let what = fault.to_string();
            ResumeError::NoRow(number, what.split(" at line ").next().unwrap_or(&what).to_owned())
        })?;
        let (Some(sweep), Some(point), Some(subject)) = (&row.label.sweep, row.label.point, &row.subject)
        else {
            return Err(ResumeError::NoRow(
                number,
                "it does not name its sweep, point and scenario".to_owned(),
            ));
        };
        let (print, ours) = (&subject.fingerprint, &self.owner.fingerprint);
        if print != ours {
            return Err(ResumeError::OtherScenario(number, print.clone(), ours.clone()));
        }
        if *sweep != self.owner.sweep {
            return Err(ResumeError::OtherGrid(number));
        }
        let Some(point) = usize::try_from(point).ok().filter(|&point| point < self.owner.points) else {
            return Err(ResumeError::NoRow(number, format!("there is no point {point} in this sweep")));
        };
        let hash = xxhash_rust::xxh3::xxh3_64(line);
        match self.seen[point] {
            Some((first, other)) if other != hash => return Err(ResumeError::Twice(first, number, point)),
            Some(_) => {}
            None => {
                self.seen[point] = Some((number, hash));
                self.extents[point] = Some(Extent { offset: self.end, bytes: line.len() });
            }
        }
        self.end += line.len() as u64;
        Ok(())
    }
}
