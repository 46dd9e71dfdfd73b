//! `fairlane lesson`.

use std::fs;
use std::path::Path;

use crate::command::{fairlane, printed, standard_error, standard_output};

#[test]
fn a_new_lesson_passes_its_check_and_is_printed_with_its_figures() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("lesson.md");
    fs::write(&file, printed(&["lesson", "new"], "")).expect("a file");
    let file = file.to_str().expect("a path");
    let text = standard_output(fairlane(&["lesson", "check", file, "--strict"]).assert());
    assert!(text.contains("the job takes 5.22\u{a0}s on 8 cores"), "{text}");
    assert!(text.contains("[x] All but one: 7"), "{text}");
    assert_eq!(standard_output(fairlane(&["lesson", "check", file, "--quiet"]).assert()), "");
}

#[test]
fn every_fault_of_every_lesson_is_named_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let lesson = |name: &str, body: &str| {
        let file = folder.path().join(name);
        let text = format!("---\ntitle: A test\nscene: catalog:skew&policies=uwfq\n---\n## Step\n{body}\n");
        fs::write(&file, text).expect("a file");
        file.to_str().expect("a path").to_owned()
    };
    let wrong = lesson("wrong.md", "{nonsense}\n<!-- claim: cores = 9 -->");
    let warned = lesson("warned.md", "8 cores");
    let error = standard_error(fairlane(&["lesson", "check", &wrong, &warned]).assert());
    for part in [
        "wrong.md: line 5: the figure \"nonsense\"",
        "wrong.md: line 7: the claim cores = 9 does not hold: 8 against 9",
        "warned.md: line 5: warning: the number \"8\"",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let output = fairlane(&["lesson", "check", &warned]).assert().success().get_output().clone();
    assert!(String::from_utf8_lossy(&output.stderr).contains("warned.md: line 5: warning"), "{output:?}");
    assert!(standard_error(fairlane(&["lesson", "check", &warned, "--strict"]).assert()).contains("warning"));
}

#[test]
fn files_are_beside_the_lesson_and_nowhere_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let lesson = folder.path().join("lesson.md");
    let check = |source: &str| {
        let text =
            format!("---\ntitle: A test\nscene: {source}&policies=fair\n---\n## Step\n{{cores}} cores\n");
        fs::write(&lesson, text).expect("a file");
        fairlane(&["lesson", "check", lesson.to_str().expect("a path")]).assert()
    };
    let scenario = printed(&["catalog", "two-users"], "");
    fs::write(folder.path().join("mine.json"), scenario).expect("a file");
    assert!(standard_output(check("file:mine.json")).contains("cores"));
    for (source, part) in [
        ("file:../mine.json", "is not beside the document; copy it there"),
        ("file:/etc/hostname", "is not beside the document"),
        ("file:none.json", "No such file"),
        ("log:none.gz", "No such file"),
        ("log:lesson.md", "lesson.md"),
    ] {
        let error = standard_error(check(source));
        assert!(error.contains("line ") && error.contains(part), "{source}: {error}");
    }
    let none = standard_error(fairlane(&["lesson", "check", "none.md"]).assert());
    assert!(none.contains("none.md: No such file"), "{none}");
}

#[test]
fn the_projects_own_lessons_pass_their_check() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let folders =
        ["lessons", "examples/lessons"].map(|folder| fs::read_dir(root.join(folder)).expect("a folder"));
    let files = folders.into_iter().flatten().map(|entry| entry.expect("an entry").path());
    let lessons: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| path.to_str().expect("a path").to_owned())
        .collect();
    assert!(lessons.len() > 17, "{lessons:?}");
    let arguments: Vec<&str> = ["lesson", "check", "--strict", "--quiet"]
        .into_iter()
        .chain(lessons.iter().map(String::as_str))
        .collect();
    assert_eq!(standard_output(fairlane(&arguments).assert()), "");
}
