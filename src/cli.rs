//! The native command: reads a scenario, simulates it, prints what came of it.
//!
//! What `simulate`, `compare` and `catalog` print goes to standard output in one piece once it is
//! known; `sweep` and `batch` print line by line. Errors go to standard error with exit code 2 and
//! leave no partial output file, but for a sweep's, which the next run goes on from.

mod args;
mod batch;
mod catalog;
mod compare;
mod generate;
mod input;
mod output;
mod parallel;
mod progress;
mod recordings;
mod report;
mod run;
mod simulate;
mod sweep;
mod table;

use std::any::Any;
use std::io::Write;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::process::ExitCode;

use clap::Parser;

use args::{Command, CommandLine};

/// Exit code of every error that the user can mend.
const EXIT_ERROR: u8 = 2;
/// Exit code of a bug in Fairlane itself (`EX_SOFTWARE` of BSD's sysexits.h).
const EXIT_BUG: u8 = 70;

/// The whole command, from its arguments to its exit code.
pub fn main() -> ExitCode {
    guarded(|| {
        let command_line = match CommandLine::try_parse() {
            Ok(command_line) => command_line,
            Err(error) => {
                // Help and version come this way too; a closed pipe is no reason to complain.
                let _ = error.print();
                return u8::try_from(error.exit_code()).unwrap_or(EXIT_ERROR);
            }
        };
        match run(&command_line.command) {
            Ok(()) => 0,
            Err(error) => {
                complain(&error.to_string());
                EXIT_ERROR
            }
        }
    })
    .into()
}

/// Runs the body of a command; a panic in it becomes a plain sentence on standard error and exit
/// code 70.
pub fn guarded(body: impl FnOnce() -> u8) -> u8 {
    let before = panic::take_hook();
    panic::set_hook(Box::new(|info| complain(&bug_report(info))));
    let code = panic::catch_unwind(AssertUnwindSafe(body)).unwrap_or(EXIT_BUG);
    panic::set_hook(before);
    code
}

fn run(command: &Command) -> Result<(), CliError> {
    match command {
        Command::Simulate(args) => simulate::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Sweep(args) => sweep::run(args),
        Command::Batch(args) => batch::run(args),
        Command::Report(args) => report::run(args),
        Command::Catalog(args) => catalog::run(args),
        Command::Generate(args) => generate::run(args),
    }
}

/// What went wrong: the thing concerned, and a sentence that says what to do.
#[derive(Debug, thiserror::Error)]
#[error("{subject}: {sentence}")]
struct CliError {
    /// A file, `standard input` or the like.
    subject: String,
    sentence: String,
}

impl CliError {
    fn new(subject: impl Into<String>, sentence: impl Into<String>) -> CliError {
        CliError { subject: subject.into(), sentence: sentence.into() }
    }
}

/// A line on standard error. Nobody can be told if that fails.
fn complain(message: &str) {
    let _ = writeln!(std::io::stderr(), "fairlane: {message}");
}

fn bug_report(info: &PanicHookInfo) -> String {
    let place = info.location().map(|location| format!(" at {location}")).unwrap_or_default();
    format!(
        "this is a bug in Fairlane and not in your file: {}{place}. Please report it together with the command and \
         its scenario file.",
        panic_message(info.payload())
    )
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("it gives no message")
}
