//! A Gantt chart as text: a line per core, for tests and terminals.

use std::fmt::Write;

use super::{CoreIndex, Trace};
use crate::ids::CoreId;
use crate::units::{Span, Time};

/// A line per core, a character per `step`: the letter of the job that holds the core at the
/// beginning of the step (`a` for job 0), `.` if it is idle. A new task shows as a capital letter.
pub fn text_gantt(trace: &Trace, step: Span) -> String {
    let index = CoreIndex::new(trace);
    let steps = trace.end().0.div_ceil(step.0.max(1));
    let mut text = String::new();
    for core in 0..trace.cores {
        let mut line = String::new();
        let mut before = None;
        for at in (0..steps).map(|number| Time(number * step.0)) {
            let run = index.run_at(trace, CoreId(core), at);
            line.push(match run {
                None => '.',
                Some(run) if before == Some(run) => letter(run.job.0),
                Some(run) => letter(run.job.0).to_ascii_uppercase(),
            });
            before = run;
        }
        writeln!(text, "core {core} {line}").expect("text takes every line");
    }
    text
}

fn letter(job: u32) -> char {
    char::from(b'a' + (job % 26) as u8)
}
