//! Grades: what is right, late, damaged or forged.

use super::super::answers::{ChallengeWork, ClaimedScore, GivenAnswer};
use super::*;
use crate::lesson::document::NoFiles;
use fairlane::scenario::Edit;
use fairlane::units::Span;

/// A question, a number and a challenge about the skewed job of the catalog.
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

fn no_log(name: &str) -> Result<LessonFacts, String> {
    Err(format!("the log {name} is not here"))
}

/// All answers right, in time, and the challenge at par.
fn sound() -> AnswerFile {
    let mut file = AnswerFile::new(asked(LESSON), "Homework", "Ada");
    file.handed_in = Some("2026-12-01".parse().expect("a day"));
    file.answers = vec![
        QuestionAnswer { step: 1, answer: GivenAnswer::Chosen(vec![2]) },
        QuestionAnswer { step: 2, answer: GivenAnswer::Number(5.2) },
    ];
    file.challenges = vec![ChallengeAnswer {
        challenge: "half".to_owned(),
        policies: vec!["uwfq-p".parse().expect("a policy")],
        work: ChallengeWork::Edits(Vec::new()),
        score: Some(ClaimedScore { value: 1.8, changes: 1 }),
    }];
    file
}

#[track_caller]
fn graded(file: &AnswerFile) -> Grade {
    let assignment = Assignment::new(LESSON, &NoFiles, &no_log).expect("a sound lesson");
    assignment.grade(&file.to_json()).expect("a sound file")
}

fn points(grade: &Grade) -> Vec<u32> {
    grade.marks.iter().map(|mark| mark.points).collect()
}

#[test]
fn right_answers_earn_a_point_each() {
    let grade = graded(&sound());
    assert_eq!(
        (points(&grade), grade.is_late, grade.remarks.as_slice()),
        (vec![1, 1, 1], false, [].as_slice())
    );
    assert_eq!(grade.marks[2].reached.map(words).as_deref(), Some("1.80, 1 change"));
    assert_eq!(grade.marks[2].par, grade.marks[2].reached);
    let mut wrong = sound();
    wrong.answers[0].answer = GivenAnswer::Chosen(vec![1]);
    wrong.answers[1].answer = GivenAnswer::Number(9.0);
    wrong.challenges[0].policies = vec!["uwfq".parse().expect("a policy")];
    wrong.challenges[0].score = None;
    let grade = graded(&wrong);
    assert_eq!((points(&grade), grade.remarks.as_slice()), (vec![0, 0, 0], [].as_slice()));
    assert!(grade.marks.iter().all(|mark| mark.is_answered));
    let grade = graded(&AnswerFile::new(asked(LESSON), "", "Bob"));
    assert_eq!((grade.points(), grade.marks.iter().any(|mark| mark.is_answered)), (0, false));
}

#[test]
fn a_forged_score_is_found_and_earns_nothing() {
    let mut forged = sound();
    forged.challenges[0].score = Some(ClaimedScore { value: 0.5, changes: 1 });
    let grade = graded(&forged);
    assert_eq!(grade.remarks, ["half: the file says 0.50, 1 change, and the simulator 1.80, 1 change"]);
    assert_eq!(grade.marks[2].reached.map(|score| score.changes), Some(1), "the simulator's counts");
    forged.challenges[0].policies = vec!["uwfq".parse().expect("a policy")];
    let grade = graded(&forged);
    assert_eq!(grade.remarks, ["half: the file says 0.50, 1 change, and the simulator no success"]);
    assert_eq!(grade.marks[2].points, 0);
    // An easier job than the challenge allows.
    let mut easier = sound();
    let eased = Edit::advisory_task_runtime(Span(100_000));
    easier.challenges[0].work = ChallengeWork::Edits(vec![eased, Edit::Load(0.1)]);
    assert_eq!(graded(&easier).marks[2].points, 0);
}

#[test]
fn another_document_is_refused() {
    let assignment = Assignment::new(LESSON, &NoFiles, &no_log).expect("a sound lesson");
    let mut forged = sound();
    forged.document = asked(&LESSON.replace("Four", "Two"));
    let error = assignment.grade(&forged.to_json()).expect_err("another document");
    assert!(error.starts_with("document: it answers another document"), "{error}");
    let crlf = LESSON.replace('\n', "\r\n");
    let assignment = Assignment::new(&crlf, &NoFiles, &no_log).expect("a sound lesson");
    assert_eq!(assignment.grade(&sound().to_json()).map(|grade| grade.points()), Ok(3));
    assert!(assignment.grade("{").is_err_and(|error| error.contains("line 1")));
}

#[test]
fn what_is_late_or_unknown_is_said() {
    let mut late = sound();
    late.handed_in = Some("2026-12-02".parse().expect("a day"));
    late.answers.push(QuestionAnswer { step: 3, answer: GivenAnswer::Chosen(vec![1]) });
    late.challenges.push(ChallengeAnswer { challenge: "other".to_owned(), ..late.challenges[0].clone() });
    late.challenges[0].work = ChallengeWork::Edits(vec![Edit::RemoveUser(fairlane::ids::UserId(7))]);
    let grade = graded(&late);
    assert!(grade.is_late);
    for part in [
        "step 3: it asks no question",
        "other: there is no such challenge",
        "half: the work cannot be simulated",
    ] {
        assert!(grade.remarks.iter().any(|remark| remark.starts_with(part)), "{part}: {:?}", grade.remarks);
    }
    late.handed_in = None;
    let grade = graded(&late);
    assert!(!grade.is_late && grade.remarks.iter().any(|remark| remark.starts_with("handed_in: ")));
}

/// Each student's answers are judged in the scenario that the student's name draws.
#[test]
fn a_students_own_scenario_is_drawn_again() {
    let lesson = "---\ntitle: Mine\nseed: student\nscene: catalog:paf-suite&policies=fair\n---\n## One\n\
                  ### How long on average?\n- [=] {mean fair} ± 0.1 %\n";
    let assignment = Assignment::new(lesson, &NoFiles, &no_log).expect("a sound lesson");
    let mean = |name: &str| {
        let scene = document::read_for(lesson, &NoFiles, name).steps[0].scene.clone();
        LessonFacts::new(scene.scenario().expect("sound").expect("drawn"))
            .figure("mean fair")
            .expect("a mean")
            .value
    };
    let points = |student: &str, value: f64| {
        let mut file = AnswerFile::new(asked(lesson), "", student);
        file.answers.push(QuestionAnswer { step: 1, answer: GivenAnswer::Number(value) });
        assignment.grade(&file.to_json()).expect("a sound file").points()
    };
    assert_eq!((points("Ada", mean("Ada")), points("Bob", mean("Bob"))), (1, 1));
    assert_eq!(points("Bob", mean("Ada")), 0, "copied from another student");
}

#[test]
fn a_document_with_errors_or_without_a_task_grades_nobody() {
    for (text, part) in [
        ("---\ntitle: x\n---\n## One\ntext\n", "nothing earns a point"),
        ("---\ntitle: x\n---\n## One\n### Why?\n", "the question has no answers"),
    ] {
        let faults = Assignment::new(text, &NoFiles, &no_log).err().expect("faults");
        assert!(faults.iter().any(|fault| fault.message.contains(part)), "{faults:?}");
    }
}
