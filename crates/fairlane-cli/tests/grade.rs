//! `fairlane grade`.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use fairlane_study::lesson::answers::Fingerprint;
use fairlane_study::lesson::document::{self, NoFiles};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::command::{fairlane, standard_error, standard_output};

/// A question, a number and a challenge.
const LESSON: &str = "---
title: Homework
due: 2026-12-01
scene: catalog:skew&policies=uwfq
---

## A question

### How many cores are there?
- [ ] Four
- [x] {cores}

## A number

### How long does it take, in seconds?
- [=] {response uwfq report} ± 5 %

## A challenge
<!-- challenge: half · only cluster, partitioning · changes <= 1 -->
<!-- goal: Response time of report: response $ report <= 0.5 * response uwfq report @ start -->
<!-- par: 1.8, 1 change -->
<!-- solution: uwfq,uwfq-p · [] -->
";

/// The fingerprint of what a document asks.
fn asked(text: &str) -> Fingerprint {
    Fingerprint::of(&document::read(text, &NoFiles))
}

/// Right answers of a student.
fn answers(student: &str) -> Value {
    json!({
        "format": "fairlane/answers@1", "document": asked(LESSON).to_string(), "student": student,
        "handed_in": "2026-12-01",
        "answers": [{ "step": 1, "answer": { "chosen": [2] } }, { "step": 2, "answer": { "number": 5.2 } }],
        "challenges": [{ "challenge": "half", "policies": ["uwfq-p"], "work": { "edits": [] },
                         "score": { "value": 1.8, "changes": 1 } }]
    })
}

/// A folder with the lesson and files.
fn folder(files: &[(&str, String)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("lesson.md"), LESSON).expect("a lesson");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

fn grade(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = fairlane(&["grade", "lesson.md"]);
    command.args(arguments).current_dir(folder);
    command
}

/// What is printed of files of which some cannot be graded: the grades of the others, and which these are.
#[track_caller]
fn partly(mut command: Command) -> (String, String) {
    let output = command.assert().code(2).get_output().clone();
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (text(output.stdout), text(output.stderr))
}

/// Files of a lazy, an honest and a dishonest student, and some that cannot be graded.
fn class() -> TempDir {
    let mut forged = answers("Eve");
    forged["challenges"][0]["score"]["value"] = json!(0.9);
    let mut other = answers("Mallory");
    other["document"] = json!(asked(&LESSON.replace("Four", "Two")).to_string());
    let mut late = answers("Bob");
    late["handed_in"] = json!("2026-12-03");
    late["answers"] = json!([{ "step": 2, "answer": { "number": 9 } }]);
    late["challenges"] = json!([]);
    folder(&[
        ("ada.json", answers("Ada").to_string()),
        ("bob.json", late.to_string()),
        ("eve.json", forged.to_string()),
        ("mallory.json", other.to_string()),
        ("torn.json", answers("Tom").to_string()[..200].to_owned()),
        ("formula.json", answers("=1+1").to_string()),
    ])
}

const FILES: [&str; 7] =
    ["ada.json", "bob.json", "eve.json", "mallory.json", "torn.json", "formula.json", "missing.json"];

#[test]
fn a_table_has_points_and_says_what_is_wrong_with_files() {
    let folder = class();
    let (text, error) = partly(grade(folder.path(), &FILES));
    let row = |student: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(student));
        line.unwrap_or_else(|| panic!("{student}: {text}")).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("student"), "student points q1 q2 half reached par handed in");
    assert_eq!(row("Ada"), "Ada 3/3 1 1 1 1.80, 1 change 1.80, 1 change 2026-12-01");
    assert_eq!(row("Bob"), "Bob 0/3 - 0 - - 1.80, 1 change 2026-12-03 late");
    assert_eq!(row("Eve"), "Eve 3/3 1 1 1 1.80, 1 change 1.80, 1 change 2026-12-01");
    for part in [
        "4 of 7 files graded",
        "eve.json: half: the file says 0.90, 1 change, and the simulator 1.80, 1 change",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for part in [
        "mallory.json: not graded: document: it answers another document",
        "torn.json: not graded: ",
        "missing.json: not graded: No such file",
        "3 of 7 files are not graded",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert_eq!((text, error), partly(grade(folder.path(), &FILES)), "the same every time");
}

#[test]
fn files_for_programs_hold_all_of_it() {
    let folder = class();
    let options = ["--csv", "grades.csv", "--json", "grades.json"];
    let arguments: Vec<&str> = FILES.into_iter().chain(options).collect();
    assert_eq!(partly(grade(folder.path(), &arguments)).0, "");
    let csv = fs::read_to_string(folder.path().join("grades.csv")).expect("the grades");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[..2],
        [
            "file,student,points,of,q1,q2,half,half_value,half_changes,half_par_value,half_par_changes,handed_in,late,\
             remarks,error",
            "ada.json,Ada,3,3,1,1,1,1.800001,1,1.800001,1,2026-12-01,false,,",
        ]
    );
    assert_eq!(lines.len(), 1 + FILES.len());
    assert!(csv.contains("formula.json,'=1+1,3"), "no formula for a spreadsheet: {csv}");
    let json: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("grades.json")).expect("the grades"))
            .expect("JSON");
    assert_eq!(json["document"], json!(asked(LESSON).to_string()));
    assert_eq!(json["files"][0]["tasks"][2]["reached"], json!({ "value": 1.800001, "changes": 1 }));
    assert_eq!((&json["files"][1]["is_late"], &json["files"][1]["points"]), (&json!(true), &json!(0)));
    assert!(json["files"][3]["error"].as_str().is_some_and(|error| error.contains("another document")));
}

#[test]
fn a_student_who_hands_in_twice_is_named() {
    let folder =
        folder(&[("one.json", answers("Ada").to_string()), ("two.json", answers(" Ada ").to_string())]);
    let text = standard_output(grade(folder.path(), &["one.json", "two.json"]).assert());
    assert!(text.contains("one.json: student: also in two.json; choose which counts"), "{text}");
    assert!(text.contains("two.json: student: also in one.json"), "{text}");
}

#[test]
fn a_lesson_with_errors_grades_nobody() {
    let folder = folder(&[("ada.json", answers("Ada").to_string())]);
    fs::write(folder.path().join("lesson.md"), "---\ntitle: x\n---\n## One\n").expect("a lesson");
    let error = standard_error(grade(folder.path(), &["ada.json"]).assert());
    assert!(error.contains("lesson.md: line 1: nothing earns a point"), "{error}");
}

/// Each answer file of a folder and its folders, in the order of their names and once, and nothing else.
#[test]
fn a_folder_is_all_answer_files_in_it() {
    let folder = folder(&[("note.txt", "late, sorry".to_owned())]);
    let answers_of = |place: &str, student: &str| {
        let path = folder.path().join("in").join(place);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, answers(student).to_string()).expect("a file");
    };
    answers_of("b.json", "Bea");
    answers_of("a.JSON", "Ada");
    answers_of("aa group/z.json", "Zoe");
    answers_of(".hidden.json", "nobody");
    fs::write(folder.path().join("in/answers.doc"), "see attachment").expect("a file");
    let output = grade(folder.path(), &["in", "in/b.json"]).assert().success().get_output().clone();
    let text = String::from_utf8(output.stdout).expect("text");
    let students: Vec<&str> = text
        .lines()
        .filter(|line| line.contains(" 3/3 "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(students, ["Ada", "Zoe", "Bea"], "{text}");
    assert!(text.contains("3 of 3 files graded"), "{text}");
    let error = String::from_utf8(output.stderr).expect("text");
    assert!(error.contains("in: passed over, since an answer file ends in .json: in/answers.doc"), "{error}");
    fs::create_dir(folder.path().join("empty")).expect("a folder");
    let error = standard_error(grade(folder.path(), &["empty"]).assert());
    assert!(error.contains("empty: no file in this folder ends in .json"), "{error}");
}

/// A longer time, a typo put right and another explanation ask nothing else; another question does.
#[test]
fn a_document_may_be_corrected_after_it_was_handed_out() {
    let folder = folder(&[("ada.json", answers("Ada").to_string())]);
    let hand_out = |text: &str| fs::write(folder.path().join("lesson.md"), text).expect("a lesson");
    hand_out(&LESSON.replace("2026-12-01", "2026-12-24").replace("title: Homework", "title: Home work"));
    let text = standard_output(grade(folder.path(), &["ada.json"]).assert());
    assert!(text.contains("1 of 1 file graded"), "{text}");
    hand_out(&LESSON.replace("How many cores", "How many executors"));
    let (_, error) = partly(grade(folder.path(), &["ada.json"]));
    assert!(
        error.contains("ada.json: not graded: document: it answers another document, or one that asks"),
        "{error}"
    );
}
