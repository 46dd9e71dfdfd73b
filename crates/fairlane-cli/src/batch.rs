//! `fairlane batch`: a result line for each line of standard input, in the same order, each as soon as it is known.
//!
//! So any program that spreads lines over processes or machines and collects what they print can run a sweep.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::rc::Rc;

use super::args::{BatchArgs, ScenarioArg};
use super::output::{self, Pipe};
use super::program::{PolicyArg, workload_with_programs};
use super::sweep::{Faults, threads};
use super::{CliError, parallel};
use fairlane::scenario::{Limits, ScenarioError};
use fairlane_study::sweep::line::{self, Defaults, Location};
use fairlane_study::sweep::{Bench, ResultRow, RowError, RowLabel, RowOutcome, Workload};

/// Bytes that a line may have beside the scenario in it.
const MARGIN: usize = 1 << 20;

/// Files that a thread keeps in memory.
const REMEMBERED: usize = 8;

pub(super) fn run(args: &BatchArgs) -> Result<(), CliError> {
    let defaults = Defaults {
        policy: args.policy.as_ref().map(|policy| policy.id),
        atr: args.atr,
        metrics: args.metrics.clone(),
    };
    let programs = args.policy.as_slice();
    let worker = || {
        let mut rows = RowMaker { defaults: &defaults, programs, bench: Bench::default(), files: Vec::new() };
        move |line: InputLine| rows.row(line)
    };
    let mut faults = Faults::default();
    let mut lines = 0_u64;
    let mut failed = None;
    let mut reader = Pipe::Open;
    let mut unread = None;
    let input = InputLines { from: BufReader::new(io::stdin()), number: 0, unread: &mut unread };
    parallel::ordered(threads(args.threads), input, worker, |row| {
        lines += 1;
        faults.add(&row, || format!("line {lines}"));
        match output::print_line(row.to_json_line()) {
            Ok(Pipe::Open) => ControlFlow::Continue(()),
            Ok(Pipe::Closed) => {
                reader = Pipe::Closed;
                ControlFlow::Break(())
            }
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    if let Some(error) = unread {
        return Err(CliError::new("standard input", format!("cannot be read: {error}")));
    }
    match faults.first {
        None => reader.end(),
        Some(first) => Err(CliError::new(
            "standard input",
            format!(
                "{} of {lines} lines could not be simulated, and their results say why; {first}",
                faults.count
            ),
        )),
    }
}

/// A line as it was read.
struct InputLine {
    /// From 1 on.
    number: u64,
    text: Result<String, RowError>,
}

/// Turns lines into rows, on one thread.
struct RowMaker<'a> {
    defaults: &'a Defaults,
    /// The program of the default policy.
    programs: &'a [PolicyArg],
    bench: Bench,
    /// The files that lines named, the latest last.
    files: Vec<(String, Rc<Workload>)>,
}

impl RowMaker<'_> {
    fn row(&mut self, InputLine { number, text }: InputLine) -> ResultRow {
        let (label, made) = match &text {
            Ok(text) => {
                let label = line::label(text, number);
                (label.clone(), self.measured(label, text))
            }
            Err(fault) => (RowLabel { line: Some(number), ..RowLabel::default() }, Err(fault.clone())),
        };
        made.unwrap_or_else(|error| ResultRow {
            label,
            subject: None,
            cost: None,
            pareto: None,
            outcome: RowOutcome::Failed { policy: None, error },
        })
    }

    fn measured(&mut self, label: RowLabel, text: &str) -> Result<ResultRow, RowError> {
        let request = line::request(text, self.defaults)?;
        let workload = match request.workload {
            Location::Named(name) => self.named(&name)?,
            Location::Inline(text, path) => {
                let workload = Workload::from_json(text).map_err(|error| below(path, error))?;
                Rc::new(self.with_programs(workload)?)
            }
        };
        match request.fingerprint {
            Some(print) if print != workload.fingerprint() => Err(RowError::new(
                "fingerprint",
                format!(
                    "is not that of the scenario here, which is {}; give this machine the same file, or include it \
                        in the lines with `fairlane sweep --points --inline`",
                    workload.fingerprint()
                ),
            )),
            _ => Ok(self.bench.row(label, &workload, &request.point)),
        }
    }

    fn with_programs(&self, workload: Workload) -> Result<Workload, RowError> {
        workload_with_programs(workload, self.programs).map_err(|error| RowError::new("", error.to_string()))
    }

    /// The workload of that name, read once for many lines.
    fn named(&mut self, name: &str) -> Result<Rc<Workload>, RowError> {
        let known = self.files.iter().position(|(known, _)| known == name);
        let entry = match known {
            Some(index) => self.files.remove(index),
            None => (name.to_owned(), Rc::new(self.with_programs(read(name)?)?)),
        };
        let workload = Rc::clone(&entry.1);
        self.files.push(entry);
        if self.files.len() > REMEMBERED {
            self.files.remove(0);
        }
        Ok(workload)
    }
}

fn read(name: &str) -> Result<Workload, RowError> {
    let source = ScenarioArg::from(OsString::from(name));
    if source == ScenarioArg::StandardInput {
        let message = "the lines themselves come from standard input; name a file or catalog:NAME, or include the \
            scenario";
        return Err(RowError::new("scenario", message));
    }
    source.workload().map_err(|error| RowError::new("scenario", error.to_string()))
}

/// An error in a scenario at a path of the line.
fn below(path: &str, error: ScenarioError) -> RowError {
    let inner = RowError::from(error);
    let between = if path.is_empty() || inner.path.is_empty() { "" } else { "." };
    RowError::new(format!("{path}{between}{}", inner.path), inner.message)
}

/// The lines of standard input, read one by one as they are asked for.
struct InputLines<'a, R> {
    from: R,
    /// The number of the last line read; 0 before the first.
    number: u64,
    /// Why no more could be read, if that is not their end.
    unread: &'a mut Option<io::Error>,
}

impl<R: BufRead> Iterator for InputLines<'_, R> {
    type Item = InputLine;
    fn next(&mut self) -> Option<InputLine> {
        match next_line(&mut self.from, Limits::default().bytes + MARGIN) {
            Ok(text) => {
                self.number += 1;
                let text = text?.map(|text| match self.number {
                    1 => text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text),
                    _ => text,
                });
                Some(InputLine { number: self.number, text })
            }
            Err(error) => {
                *self.unread = Some(error);
                None
            }
        }
    }
}

/// Reads a line without its end; `None` after the last. Of a line that is too long or no text only the reason is kept.
fn next_line(from: &mut impl BufRead, most: usize) -> io::Result<Option<Result<String, RowError>>> {
    let mut bytes = Vec::new();
    if from.take(most as u64 + 1).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    } else if bytes.len() > most {
        drop(bytes);
        from.skip_until(b'\n')?;
        return Ok(Some(Err(RowError::new(
            "",
            format!("the line is longer than {} MB, the limit", most >> 20),
        ))));
    }
    Ok(Some(String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        RowError::new("", format!("byte {offset} of the line is not UTF-8 text"))
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_where_they_end_and_long_ones_are_skipped() {
        let mut from = &b"one\n\n12345678\n123456789\nt\xffo\nlast"[..];
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut from, 8).expect("memory is readable") {
            lines.push(line.map_err(|fault| fault.message));
        }
        let text = |text: &str| Ok(text.to_owned());
        assert_eq!(
            lines,
            [
                text("one"),
                text(""),
                text("12345678"),
                Err("the line is longer than 0 MB, the limit".to_owned()),
                Err("byte 1 of the line is not UTF-8 text".to_owned()),
                text("last"),
            ]
        );
    }
}
