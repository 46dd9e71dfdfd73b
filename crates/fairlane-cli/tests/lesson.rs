//! `fairlane lesson`.

use std::fs;
use std::path::Path;

use crate::command::{fairlane, printed, standard_error, standard_output};

#[test]
fn a_new_lesson_passes_its_check_and_is_printed_with_its_figures() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("lesson.md");
    let new = printed(&["lesson", "new"], "");
    fs::write(&file, &new).expect("a file");
    let error =
        standard_error(fairlane(&["lesson", "check", file.to_str().expect("a path"), "--strict"]).assert());
    assert!(
        error.contains("line 3: warning: \"TODO: what somebody knows"),
        "what is left is not passed over: {error}"
    );
    fs::write(&file, new.replace("TODO: ", "")).expect("a file");
    let file = file.to_str().expect("a path");
    let text = standard_output(fairlane(&["lesson", "check", file, "--strict"]).assert());
    assert!(text.contains("the job takes 5.22\u{a0}s on 8 cores"), "{text}");
    assert!(text.contains("[x] All but one: 7"), "{text}");
    for part in [
        "5 minutes · 4 steps · 2 questions · 1 challenge · 3 claims\n",
        "   say here what the lesson is about;",
        "   scene: catalog:skew&at=3&jobs=report&policies=uwfq\n",
        "   claim: running uwfq ana 3 = 1: 1 against 1\n",
        "   goal: Response time of report: at most 2.61\u{a0}s; at the start 5.22\u{a0}s\n",
        "   rule: The work stays as it is: work report = work report @ start\n",
        "   par: 1.80\u{a0}s, 1 change, under uwfq-p with 0 edits\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
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
        "wrong.md: line 6: the figure \"nonsense\"",
        "wrong.md: line 7: the claim cores = 9 does not hold: 8 against 9",
        "warned.md: line 6: warning: the number \"8\"",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let output = fairlane(&["lesson", "check", &warned]).assert().success().get_output().clone();
    assert!(String::from_utf8_lossy(&output.stderr).contains("warned.md: line 6: warning"), "{output:?}");
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

/// A generator and a challenge that some students' scenarios have no solution of.
const HOMEWORK: &str = r#"---
title: Homework
seed: student
due: 2026-12-01
scene: block:mine&policies=fifo
---

```json mine
{ "format": "fairlane/generator@1", "seed": 1, "cluster": { "executors": 2, "cores_per_executor": 4 },
  "groups": [
    { "prefix": "ana", "jobs": 4, "arrivals": { "at_once": { "spacing_s": 0.1 } },
      "sizes": { "pareto": { "shape": 1.5, "least_s": 2, "cap_s": 60 } },
      "stages": [{ "name": "scan", "share": 1, "partition_work_s": 1 }] },
    { "prefix": "ben", "jobs": 1, "start_s": 1, "arrivals": { "at_once": { "spacing_s": 0 } },
      "sizes": { "pareto": { "shape": 2, "least_s": 2, "cap_s": 6 } },
      "stages": [{ "name": "read", "share": 1, "partitions": 8 }] } ] }
```

## Let ben pass

<!-- challenge: let-ben-pass · only partitioning -->
<!-- goal: Response time of ben's job: response $ ben1-1 <= 0.5 * response fifo ben1-1 @ start -->
<!-- rule: All work stays: all-work = all-work @ start -->
<!-- par: 1.25424, 1 change -->
<!-- solution: ujf · [] -->
"#;

#[test]
fn a_lesson_with_a_seed_for_each_student_is_checked_as_some() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("homework.md");
    fs::write(&file, HOMEWORK).expect("a file");
    let file = file.to_str().expect("a path");
    let check =
        |options: &[&str]| fairlane(&[&["lesson", "check", "--quiet", file], options].concat()).assert();
    assert_eq!(standard_output(check(&["--tries", "0"])), "", "all is well with the generator's own seed");
    let error = standard_error(check(&[]));
    for part in [
        "line 25: for 15 of 20 made-up students, student-1, student-4, ",
        "the solution does not reach the goal under the rules; correct either (--student student-1 shows it)",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(
        standard_error(check(&["--student", "student-1"])).contains("line 25: the solution does not reach")
    );
    assert!(standard_error(check(&["--tries", "2"])).contains("for 1 of 2 made-up students, student-1: "));
    let easier = HOMEWORK.replace("0.5 * response", "0.999 * response");
    fs::write(folder.path().join("homework.md"), easier).expect("a file");
    let text = standard_output(fairlane(&["lesson", "check", file, "--tries", "3"]).assert());
    assert!(text.contains("Checked as 3 made-up students as well"), "{text}");
    assert!(text.contains("goal: Response time of ben's job: at most "), "{text}");
}
