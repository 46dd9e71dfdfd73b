//! The command `fairlane`: reads a scenario, simulates it and prints the results.
//!
//! `simulate`, `compare` and `catalog` write to standard output once, at the end; `sweep` and `batch` write line by
//! line; `open` serves the page until it is closed. Errors go to standard error with exit code 2 and leave no partial output file, except for a sweep's, which
//! the next run resumes. Where standard output is no longer read, as by `| head`, the command ends silently with exit
//! code 141, as a signal would end it.

mod args;
mod batch;
mod by_group;
mod catalog;
mod compare;
mod generate;
mod grade;
mod history;
mod html;
mod import;
mod input;
mod lesson;
mod open;
mod output;
mod parallel;
mod path;
mod picture;
mod program;
mod progress;
mod properties;
mod recordings;
mod report;
mod simulate;
mod spark_export;
mod standard_output;
mod sweep;
mod table;
mod text;
mod tune;

use std::any::Any;
use std::io::Write;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use args::{Command, CommandLine};

/// Exit code of errors that the user can fix.
const EXIT_ERROR: u8 = 2;
/// Exit code of a bug in Fairlane itself (`EX_SOFTWARE` of BSD's sysexits.h).
const EXIT_BUG: u8 = 70;
/// Exit code where nobody reads standard output any more (128 and the number of SIGPIPE).
const EXIT_READER_GONE: u8 = 141;

/// Runs the command with the arguments of the process.
pub fn main() -> ExitCode {
    fairlane_custom::install();
    guarded(|| {
        match run() {
            Ok(()) => 0,
            Err(CliError::Usage(error)) => {
                // Standard error, and nothing to be done if that fails.
                let _ = error.print();
                u8::try_from(error.exit_code()).unwrap_or(EXIT_ERROR)
            }
            Err(CliError::ReaderGone) => EXIT_READER_GONE,
            Err(CliError::Reported) => EXIT_ERROR,
            Err(error) => {
                print_error(&error.to_string());
                EXIT_ERROR
            }
        }
    })
    .into()
}

/// Runs the body of a command; reports a panic in it on standard error and returns exit code 70.
pub fn guarded(body: impl FnOnce() -> u8) -> u8 {
    let before = panic::take_hook();
    panic::set_hook(Box::new(|info| print_error(&bug_report(info))));
    let code = panic::catch_unwind(AssertUnwindSafe(body)).unwrap_or(EXIT_BUG);
    panic::set_hook(before);
    code
}

fn run() -> Result<(), CliError> {
    let matches = match CommandLine::command().try_get_matches() {
        // Help and version.
        Err(text) if !text.use_stderr() => {
            return output::written(standard_output::check().and_then(|()| text.print()));
        }
        matches => matches?,
    };
    let CommandLine { command } = CommandLine::from_arg_matches(&matches)?;
    path::check(&matches)?;
    match &command {
        Command::Simulate(args) => simulate::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Sweep(args) => sweep::run(args),
        Command::Tune(args) => tune::run(args),
        Command::Properties(args) => properties::run(args),
        Command::Batch(args) => batch::run(args),
        Command::Report(args) => report::run(args),
        Command::Catalog(args) => catalog::run(args),
        Command::Generate(args) => generate::run(args),
        Command::Import(args) => import::run(args),
        Command::Open(args) => open::run(args),
        Command::Lesson(args) => lesson::run(args),
        Command::Grade(args) => grade::run(args),
        Command::SparkExport(args) => spark_export::run(args),
    }
}

/// Why the command ends without having done what it was asked for.
#[derive(Debug, thiserror::Error)]
enum CliError {
    /// A fault with its subject, a file, `standard input` or the like, and the remedy.
    #[error("{}: {message}", text::printable(.subject))]
    Fault { subject: String, message: String },
    /// A command line that is none.
    #[error(transparent)]
    Usage(#[from] clap::Error),
    /// Faults that have been printed, each by itself.
    #[error("there are faults")]
    Reported,
    /// Whoever read standard output has seen enough.
    #[error("nobody reads standard output any more")]
    ReaderGone,
}

impl CliError {
    fn new(subject: impl Into<String>, message: impl Into<String>) -> CliError {
        CliError::Fault { subject: subject.into(), message: message.into() }
    }
}

/// Prints a message to standard error, ignoring failure.
fn print_error(message: &str) {
    let _ = writeln!(std::io::stderr(), "fairlane: {}", text::printable_lines(message));
}

fn bug_report(info: &PanicHookInfo) -> String {
    let location = info.location().map(|location| format!(" at {location}")).unwrap_or_default();
    format!(
        "this is a bug in Fairlane and not in your file: {}{location}. Please report it together with the command and \
         its scenario file.",
        panic_message(info.payload())
    )
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
