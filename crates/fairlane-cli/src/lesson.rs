//! `fairlane lesson`: documents that teach, checked by simulating what they say.

use std::io;
use std::path::{Component, Path, PathBuf};

use super::args::{LessonArgs, LessonCheckArgs, LessonCommand};
use super::output::Printed;
use super::path;
use super::text::{self, TextError, printable};
use super::{CliError, output, print_error};
use fairlane::number::{counted, list};
use fairlane::scenario::Limits;
use fairlane_import::spark::{DriverTime, Import, ImportOptions, Log};
use fairlane_study::lesson::LessonFacts;
use fairlane_study::lesson::document::{
    self, LessonFault, LessonFiles, LessonSeed, MAX_BYTES, Severity, TEMPLATE, TriedFault, made_up_students,
    try_students,
};

pub(super) fn run(args: &LessonArgs) -> Result<(), CliError> {
    match &args.command {
        LessonCommand::Check(args) => check(args),
        LessonCommand::New => output::print(&Printed::Data(TEMPLATE.to_owned())),
    }
}

/// Checks all lessons, and says of each what is wrong, before the command fails because of one.
fn check(args: &LessonCheckArgs) -> Result<(), CliError> {
    let mut texts = Vec::new();
    let mut is_sound = true;
    for path in &args.lessons {
        let name = path.path().display().to_string();
        let text = read(path.path(), MAX_BYTES as u64, "a lesson")?;
        let beside = Beside { folder: path::folder(path.path()) };
        let lesson = match &args.student {
            Some(name) => document::read_for(&text, &beside, name),
            None => document::read(&text, &beside),
        };
        let checked = document::check(&lesson, &|log| beside.recorded(log));
        for fault in &checked.faults {
            print_error(&format!("{}: {fault}", printable(&name)));
        }
        is_sound &= checked.is_sound() && !(args.strict && checked.faults.iter().any(is_warning));
        texts.push(checked.to_text(&lesson));
        if lesson.seed == LessonSeed::Student && args.student.is_none() && args.tries > 0 {
            let students = made_up_students(args.tries);
            let tried = try_students(&text, &beside, &|log| beside.recorded(log), &students);
            tried.iter().for_each(|found| {
                print_error(&format!("{}: {}", printable(&name), of_students(found, args.tries)))
            });
            is_sound &= !tried.iter().any(|found| found.is_error() || args.strict);
            let count = counted(students.len(), "made-up student");
            texts.push(format!("Checked as {count} as well, whose names begin with student-.\n"));
        }
    }
    if !is_sound {
        return Err(CliError::Reported);
    }
    match args.quiet {
        true => Ok(()),
        false => output::print(&Printed::Text(texts.join("\n"))),
    }
}

/// What is wrong for some students, whose names draw the scenarios in which it is.
fn of_students(TriedFault { fault, students }: &TriedFault, tries: u32) -> String {
    let LessonFault { line, message, .. } = fault;
    let (one, count) = (&students[0], students.len());
    let names = list(students);
    format!(
        "line {line}: for {count} of {tries} made-up students, {names}: {message} (--student {one} shows it)"
    )
}

fn is_warning(fault: &LessonFault) -> bool {
    fault.severity == Severity::Warning
}

/// The folder of a document, with the files that the document names.
pub(super) struct Beside<'a> {
    pub(super) folder: &'a Path,
}

impl Beside<'_> {
    /// A file in the folder or below it, and nowhere else: a document may come from anybody.
    fn path(&self, name: &str) -> Result<PathBuf, String> {
        let is_below = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        match is_below && !name.is_empty() {
            true => Ok(self.folder.join(name)),
            false => Err(format!("the file {name:?} is not beside the document; copy it there")),
        }
    }

    /// What happened in a recorded run.
    pub(super) fn recorded(&self, name: &str) -> Result<LessonFacts, String> {
        let path = self.path(name)?;
        let (file, _) = path::open(&path).map_err(|error| unreadable(&path, &error))?;
        let mut log = Log::default();
        log.read(name, file).map_err(|error| error.to_string())?;
        let options = ImportOptions { driver_time: DriverTime::Stage, ..ImportOptions::default() };
        let Import { scenario, observed, report, .. } =
            log.import(&options).map_err(|error| error.to_string())?;
        let ties = report.cluster.ties.map_or([0, 0], |ties| [ties.ties, ties.to_first]);
        Ok(LessonFacts::recorded(scenario, observed, ties))
    }
}

impl LessonFiles for Beside<'_> {
    fn text(&self, name: &str) -> Result<String, String> {
        let path = self.path(name)?;
        read(&path, Limits::default().bytes as u64, "a scenario").map_err(|error| error.to_string())
    }
}

/// Reads a file of at most `limit` bytes.
pub(super) fn read(path: &Path, limit: u64, what: &str) -> Result<String, CliError> {
    let error = |message: String| CliError::new(path.display().to_string(), message);
    let (file, _) = path::open(path).map_err(|found| error(unreadable(path, &found)))?;
    text::read(file, limit).map_err(|found| {
        error(match found {
            TextError::Io(found) => unreadable(path, &found),
            TextError::TooLong => format!("exceeds the limit of {} MB for {what}; divide it", limit >> 20),
            TextError::NotText(offset) => {
                format!("byte {offset} is not UTF-8 text; save {what} as UTF-8")
            }
        })
    })
}

/// Why a file cannot be read, and the remedy.
fn unreadable(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!("No such file; is {} spelled right?", path.display()),
        io::ErrorKind::IsADirectory => "Is a directory; give a file in it".to_owned(),
        io::ErrorKind::PermissionDenied => "Permission denied; make the file readable".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}
