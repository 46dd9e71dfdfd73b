//! `fairlane grade`: answer files, simulated again, as a table, CSV or JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Serialize;

use super::args::GradeArgs;
use super::lesson::{Beside, read};
use super::output::{self, Printed, StagedFile};
use super::path::InputPath;
use super::table::{self, CellAlign};
use super::text::printable;
use super::{CliError, path, print_error};
use fairlane::number::{self, counted};
use fairlane_study::lesson::ChallengeScore;
use fairlane_study::lesson::answers::MAX_ANSWER_BYTES;
use fairlane_study::lesson::document::MAX_BYTES;
use fairlane_study::lesson::grade::{Assignment, Grade, Mark, words};
use fairlane_view::export::csv;

/// The tag of what `--json` writes.
const FORMAT: &str = "fairlane/grades@1";

/// A file and what came of it.
struct GradedFile {
    name: String,
    /// Why it is not graded, or its grade.
    grade: Result<Grade, String>,
}

pub(super) fn run(args: &GradeArgs) -> Result<(), CliError> {
    let lesson = args.lesson.path();
    let text = read(lesson, MAX_BYTES as u64, "a lesson")?;
    let beside = Beside { folder: path::folder(lesson) };
    let recorded = |log: &str| beside.recorded(log);
    let assignment = Assignment::new(&text, &beside, &recorded).map_err(|faults| {
        let name = lesson.display().to_string();
        faults.iter().for_each(|fault| print_error(&format!("{}: {fault}", printable(&name))));
        CliError::Reported
    })?;
    let mut files: Vec<GradedFile> = answer_files(&args.answers)?
        .iter()
        .map(|path| {
            let name = path.display().to_string();
            let grade = match read(path, MAX_ANSWER_BYTES as u64, "an answer file") {
                Ok(text) => assignment.grade(&text),
                Err(CliError::Fault { message, .. }) => Err(message),
                Err(error) => Err(error.to_string()),
            };
            GradedFile { name, grade }
        })
        .collect();
    remark_repetitions(&mut files);
    write(args, &assignment, &files)?;
    let missing: Vec<(&str, &str)> = files
        .iter()
        .filter_map(|file| Some((file.name.as_str(), file.grade.as_ref().err()?.as_str())))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    for (name, message) in &missing {
        print_error(&format!("{}: not graded: {message}", printable(name)));
    }
    let are = if missing.len() == 1 { "is" } else { "are" };
    print_error(&format!("{} of {} {are} not graded", missing.len(), counted(files.len(), "file")));
    Err(CliError::Reported)
}

/// Prints the table, or writes the files that are asked for.
fn write(args: &GradeArgs, assignment: &Assignment, files: &[GradedFile]) -> Result<(), CliError> {
    let csv = args
        .csv
        .as_ref()
        .map(|path| path.stage(|writer| writer.write_all(lines(assignment, files).as_bytes())));
    let json = args.json.as_ref().map(|path| path.stage_json(&GradesJson::new(assignment, files)));
    let staged: Vec<StagedFile> = csv.into_iter().chain(json).collect::<Result<_, _>>()?;
    match staged.is_empty() {
        true => output::print(&Printed::Text(table(assignment, files))),
        false => staged.into_iter().try_for_each(StagedFile::commit),
    }
}

/// The ending of answer files.
const ENDING: &str = "json";
/// How deep the folders of a folder are searched.
const MAX_DEPTH: u32 = 8;

/// The files of the command line in its order, each once; of a folder all answer files in it and in its folders, in the
/// order of their names. What else is in it is named, so that nobody's file is passed over unseen.
fn answer_files(given: &[InputPath]) -> Result<Vec<PathBuf>, CliError> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut add = |path: PathBuf| {
        if seen.insert(path.clone()) {
            files.push(path);
        }
    };
    for path in given.iter().map(InputPath::path) {
        if !path.is_dir() {
            add(path.to_owned());
            continue;
        }
        let (answers, others) = files_in(path, MAX_DEPTH)?;
        let name = path.display().to_string();
        if answers.is_empty() {
            let message = "no file in this folder ends in .json; give the folder with the answer files";
            return Err(CliError::new(name, message));
        }
        if !others.is_empty() {
            let others = number::list(&others);
            let name = printable(&name);
            print_error(&format!("{name}: passed over, since an answer file ends in .json: {others}"));
        }
        answers.into_iter().for_each(&mut add);
    }
    Ok(files)
}

/// The answer files in a folder and the names of the others, in the order of their names.
fn files_in(folder: &Path, depth: u32) -> Result<(Vec<PathBuf>, Vec<String>), CliError> {
    let unreadable = |error: io::Error| {
        CliError::new(
            folder.display().to_string(),
            format!("cannot be read: {error}; make the folder readable"),
        )
    };
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| Ok(entry.map_err(unreadable)?.path())).collect::<Result<_, CliError>>()?;
    paths.sort();
    let (mut answers, mut others) = (Vec::new(), Vec::new());
    for path in paths {
        if path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")) {
            continue;
        }
        if path.is_dir() && depth > 0 {
            let (inner, inner_others) = files_in(&path, depth - 1)?;
            answers.extend(inner);
            others.extend(inner_others);
        } else if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(ENDING)) {
            answers.push(path);
        } else {
            others.push(path.display().to_string());
        }
    }
    Ok((answers, others))
}

/// Says of each student who has handed in several files which these are.
fn remark_repetitions(files: &mut [GradedFile]) {
    let mut of_student: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files.iter() {
        if let Ok(grade) = &file.grade {
            of_student.entry(grade.student.clone()).or_default().push(file.name.clone());
        }
    }
    for file in files {
        let Ok(grade) = &mut file.grade else { continue };
        let others = of_student.get(&grade.student).into_iter().flatten().filter(|name| **name != file.name);
        let others: Vec<String> = others.cloned().collect();
        if !others.is_empty() {
            grade.remarks.push(format!("student: also in {}; choose which counts", number::list(&others)));
        }
    }
}

/// A row per file that could be graded, then what is to be said of files.
fn table(assignment: &Assignment, files: &[GradedFile]) -> String {
    let right = |title: &str| (title.to_owned(), CellAlign::Right);
    let mut heading = vec![("student".to_owned(), CellAlign::Left), right("points")];
    for task in assignment.tasks() {
        heading.push(right(&task.label()));
        if task.challenge.is_some() {
            heading.extend([right("reached"), right("par")]);
        }
    }
    heading.push(("handed in".to_owned(), CellAlign::Left));
    let graded = files.iter().filter_map(|file| file.grade.as_ref().ok());
    let rows = graded.clone().map(|grade| {
        let mut row =
            vec![table::name(&grade.student), format!("{}/{}", grade.points(), assignment.tasks().len())];
        for (task, mark) in assignment.tasks().iter().zip(&grade.marks) {
            row.push(if mark.is_answered { mark.points.to_string() } else { "-".to_owned() });
            if task.challenge.is_some() {
                row.extend([mark.reached, mark.par].map(|score| score.map_or_else(|| "-".to_owned(), words)));
            }
        }
        let late = if grade.is_late { " late" } else { "" };
        row.push(grade.handed_in.map_or_else(|| "-".to_owned(), |day| format!("{day}{late}")));
        row
    });
    let mut text = table::layout(heading, rows);
    let count = graded.count();
    text += &format!("{} of {} graded\n", count, counted(files.len(), "file"));
    for GradedFile { name, grade } in files {
        let remarks = grade.iter().flat_map(|grade| &grade.remarks);
        remarks.for_each(|remark| text += &format!("{name}: {remark}\n"));
    }
    text
}

/// A heading, and a line per file.
fn lines(assignment: &Assignment, files: &[GradedFile]) -> String {
    let mut heading: Vec<String> = ["file", "student", "points", "of"].map(str::to_owned).into();
    for task in assignment.tasks() {
        heading.push(task.label());
        if let Some(name) = &task.challenge {
            heading.extend(SCORES.map(|column| format!("{name}_{column}")));
        }
    }
    heading.extend(["handed_in", "late", "remarks", "error"].map(str::to_owned));
    let columns = heading.len();
    let mut text = csv::line(&heading);
    for GradedFile { name, grade } in files {
        let mut line = vec![cell(name)];
        match grade {
            Ok(grade) => {
                let of = assignment.tasks().len().to_string();
                line.extend([cell(&grade.student), grade.points().to_string(), of]);
                for (task, mark) in assignment.tasks().iter().zip(&grade.marks) {
                    line.push(if mark.is_answered { mark.points.to_string() } else { String::new() });
                    if task.challenge.is_some() {
                        line.extend(scores(mark));
                    }
                }
                line.push(grade.handed_in.map_or_else(String::new, |day| day.to_string()));
                line.extend([grade.is_late.to_string(), cell(&grade.remarks.join("; ")), String::new()]);
            }
            Err(message) => {
                line.resize(columns - 1, String::new());
                line.push(cell(message));
            }
        }
        text += &csv::line(&line);
    }
    text
}

/// The columns of a challenge behind its points.
const SCORES: [&str; 4] = ["value", "changes", "par_value", "par_changes"];

fn scores(mark: &Mark) -> impl Iterator<Item = String> {
    let cells = |score: Option<ChallengeScore>| match score {
        Some(score) => [score.value.to_string(), score.changes.to_string()],
        None => [String::new(), String::new()],
    };
    [mark.reached, mark.par].into_iter().flat_map(cells)
}

/// A text of somebody else's as a cell that no spreadsheet takes for a formula.
fn cell(text: &str) -> String {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{text}"),
        false => text.to_owned(),
    }
}

/// What `--json` writes.
#[derive(Serialize)]
struct GradesJson<'a> {
    format: &'static str,
    lesson: &'a str,
    document: String,
    files: Vec<FileJson<'a>>,
}

#[derive(Serialize)]
struct FileJson<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(flatten)]
    grade: Option<GradeJson<'a>>,
}

#[derive(Serialize)]
struct GradeJson<'a> {
    student: &'a str,
    points: u32,
    of: usize,
    tasks: Vec<MarkJson>,
    handed_in: Option<String>,
    is_late: bool,
    remarks: &'a [String],
}

#[derive(Serialize)]
struct MarkJson {
    task: String,
    is_answered: bool,
    points: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    reached: Option<ScoreJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    par: Option<ScoreJson>,
}

#[derive(Serialize)]
struct ScoreJson {
    value: f64,
    changes: u32,
}

impl<'a> GradesJson<'a> {
    fn new(assignment: &'a Assignment, files: &'a [GradedFile]) -> GradesJson<'a> {
        let file = |GradedFile { name, grade }: &'a GradedFile| FileJson {
            file: name,
            error: grade.as_ref().err().map(String::as_str),
            grade: grade.as_ref().ok().map(|grade| GradeJson::new(assignment, grade)),
        };
        GradesJson {
            format: FORMAT,
            lesson: &assignment.lesson().title,
            document: assignment.fingerprint().to_string(),
            files: files.iter().map(file).collect(),
        }
    }
}

impl<'a> GradeJson<'a> {
    fn new(assignment: &Assignment, grade: &'a Grade) -> GradeJson<'a> {
        let score = |ChallengeScore { value, changes }| ScoreJson { value, changes };
        let marks = assignment.tasks().iter().zip(&grade.marks).map(|(task, mark)| MarkJson {
            task: task.label(),
            is_answered: mark.is_answered,
            points: mark.points,
            reached: mark.reached.map(score),
            par: mark.par.map(score),
        });
        GradeJson {
            student: &grade.student,
            points: grade.points(),
            of: assignment.tasks().len(),
            tasks: marks.collect(),
            handed_in: grade.handed_in.map(|day| day.to_string()),
            is_late: grade.is_late,
            remarks: &grade.remarks,
        }
    }
}
