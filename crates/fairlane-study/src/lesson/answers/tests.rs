//! Answer files, dates and seeds.

use super::*;
use crate::lesson::document::QuestionOption;
use crate::lesson::document::{self, NoFiles};

const FILE: &str = r#"{
  "format": "fairlane/answers@1",
  "document": "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  "lesson": "Skew",
  "student": "Ada",
  "handed_in": "2026-12-01",
  "answers": [
    { "step": 2, "answer": { "chosen": [2] } },
    { "step": 3, "answer": { "number": 1.8 } }
  ],
  "challenges": [
    { "challenge": "half", "policies": ["uwfq-p"], "work": { "edits": [{ "RemoveUser": 0 }] },
      "score": { "value": 1.8, "changes": 1 } },
    { "challenge": "own", "policies": ["custom"], "work": { "program": "job.estimate" } },
    { "challenge": "all", "policies": [], "work": { "scenario": { "jobs": [] } } }
  ]
}"#;

#[test]
fn a_file_comes_back_as_it_was() {
    let file = AnswerFile::from_json(FILE).expect("a sound file");
    assert_eq!(file.answers[0].answer, GivenAnswer::Chosen(vec![2]));
    assert_eq!(
        file.challenges[0].work,
        ChallengeWork::Edits(vec![Edit::RemoveUser(fairlane::ids::UserId(0))])
    );
    assert_eq!(AnswerFile::from_json(&file.to_json()), Ok(file));
}

#[test]
fn damages_are_named_with_their_place() {
    for (from, to, part) in [
        (FILE, "", "the file is empty"),
        (FILE, "[]", "line 1"),
        ("answers@1", "answers@9", "format: the format is \"fairlane/answers@9\""),
        ("sha256:", "sha256:zz", "document: a fingerprint is"),
        ("\"Ada\"", "\"  \"", "student: a name has"),
        ("2026-12-01", "2026-02-30", "handed_in: \"2026-02-30\" is no day"),
        ("\"step\": 3", "\"step\": 2", "answers[1].step: 2 is no step, or is answered twice"),
        ("\"step\": 3", "\"step\": 0", "answers[1].step"),
        ("\"own\"", "\"half\"", "challenges[1].challenge: \"half\" is answered twice"),
        ("uwfq-p", "best", "challenges[0].policies[0]: there is no policy \"best\""),
        ("\"number\": 1.8", "\"numb\": 1.8", "answers[1].answer"),
        ("\"student\": \"Ada\",", "", "missing key"),
        ("\"lesson\"", "\"points\": 9, \"lesson\"", "points"),
        ("[] } } }\n  ]\n}", "[] } } }\n  ]\n} {}", "something follows"),
        ("[] } } }\n  ]\n}", "", "line"),
        ("[\"uwfq-p\"]", &format!("[{}\"uwfq\"]", "\"fair\",".repeat(30)), "challenges[0].policies: at most"),
        (
            "{ \"RemoveUser\": 0 }",
            "{\"RemoveUser\":0},".repeat(1500).trim_end_matches(','),
            "more than 1000 edits",
        ),
    ] {
        let error = AnswerFile::from_json(&FILE.replace(from, to)).expect_err(part).to_string();
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(AnswerFile::from_json(&" ".repeat(MAX_ANSWER_BYTES + 1)).is_err());
}

/// A scenario, and its answers as the page would judge them.
#[test]
fn answers_are_right_or_wrong() {
    let facts = LessonFacts::new(fairlane::catalog::scenario("catalog:skew").expect("an entry"));
    let option = |is_right| QuestionOption { words: Vec::new(), is_right };
    let several = Answers::Options(vec![option(true), option(false), option(true)]);
    let number = |figure: &str, tolerance_percent| Answers::Number {
        figure: figure.to_owned(),
        tolerance_percent,
        line: 1,
    };
    let (long, exact) = (number("response uwfq report", 10.0), number("#response uwfq report", 0.0));
    for (given, answers, is_right) in [
        (GivenAnswer::Chosen(vec![3, 1, 1]), &several, true),
        (GivenAnswer::Chosen(vec![1]), &several, false),
        (GivenAnswer::Chosen(vec![1, 3, 99]), &several, false),
        (GivenAnswer::Number(1.0), &several, false),
        (GivenAnswer::Number(5.5), &long, true),
        (GivenAnswer::Number(4.5), &long, false),
        (GivenAnswer::Number(5.22), &exact, true),
        (GivenAnswer::Number(5.23), &exact, false),
        (GivenAnswer::Chosen(vec![1]), &exact, false),
    ] {
        assert_eq!(given.is_right(answers, &facts), Ok(is_right), "{given:?}");
    }
    assert!(GivenAnswer::Number(1.0).is_right(&number("response uwfq nobody", 1.0), &facts).is_err());
}

#[test]
fn work_is_the_scenario_the_edits_or_a_program() {
    let start = fairlane::catalog::scenario("catalog:two-users").expect("an entry");
    let whole = ChallengeWork::Scenario(serde_json::from_str(&start.to_json()).expect("JSON"));
    assert_eq!(whole.scenario(&start), Ok(start.clone()));
    let edit = Edit::RemoveUser(fairlane::ids::UserId(0));
    assert_eq!(ChallengeWork::Edits(vec![edit.clone()]).scenario(&start), start.with(&edit));
    let program = ChallengeWork::Program("job.estimate".to_owned()).scenario(&start).expect("a program");
    assert!(program.to_json().contains("job.estimate"));
    assert!(ChallengeWork::Scenario(Value::Null).scenario(&start).is_err());
}

/// A question, a challenge and a generator.
const ASKING: &str = r#"---
title: Mine
seed: student
due: 2026-12-01
scene: block:mine&policies=fair
---
```json mine
{ "format": "fairlane/generator@1", "seed": 3, "duration_s": 20,
  "groups": [{ "prefix": "ana", "jobs": 2, "arrivals": "scattered", "sizes": { "exponential": { "mean_s": 9 } } }] }
```
## One
Some text.

### How long?
- [ ] Short
- [x] Long

Why it is so.

## Two
<!-- challenge: faster · only jobs -->
<!-- goal: The mean: mean $ <= 0.5 * mean fair @ start -->
<!-- rule: All cores: cores = 8 -->
<!-- par: 1, 1 change -->
<!-- solution: ujf · [] -->
"#;

#[test]
fn a_fingerprint_is_of_what_is_asked() {
    let of = |text: &str| Fingerprint::of(&document::read(text, &NoFiles));
    let changed = |from: &str, to: &str| {
        assert!(ASKING.contains(from), "{from}");
        of(&ASKING.replace(from, to))
    };
    let asked = of(ASKING);
    for (from, to) in [
        ("2026-12-01", "2027-01-31"),
        ("title: Mine", "title: Ours\nsummary: Shorter\nminutes: 9"),
        ("Some text.", "Some better text, with {cores}."),
        ("- [ ] Short\n- [x] Long", "- [x] Short\n- [ ] Long"),
        ("Why it is so.", "<!-- claim: cores = 8 -->"),
        ("The mean:", "The mean response time:"),
        ("par: 1, 1", "par: 2, 1"),
        ("\"seed\": 3, \"duration_s\": 20,", "\"seed\": 3,\n\n  \"duration_s\": 20,"),
        ("\n", "\r\n"),
    ] {
        assert_eq!(changed(from, to), asked, "{from} asks nothing");
    }
    for (from, to) in [
        ("seed: student\n", ""),
        ("policies=fair", "policies=fifo"),
        ("\"mean_s\": 9", "\"mean_s\": 8"),
        ("How long?", "How short?"),
        ("- [ ] Short", "- [ ] Shorter"),
        ("## One", "## Zero\n\n## One"),
        ("<= 0.5", "<= 0.6"),
        ("only jobs", "only users"),
        ("cores = 8", "cores = 4"),
    ] {
        assert_ne!(changed(from, to), asked, "{from}");
    }
    assert_eq!(Fingerprint::of(&document::read_for(ASKING, &NoFiles, "Ada")), asked, "whoever it is asked");
    let drawn = ASKING.replace("block:mine", "catalog:paf-suite");
    assert_eq!(
        Fingerprint::of(&document::read_for(&drawn, &NoFiles, "Ada")),
        of(&drawn),
        "the catalog draws"
    );
    let text = asked.to_string();
    assert_eq!(text.parse(), Ok(asked));
    for wrong in ["", "sha256:", &text[..70], &format!("{text}0"), "sha256:äääääääääääääääääääääääääääääääää"]
    {
        assert_eq!(wrong.parse::<Fingerprint>(), Err(FingerprintError), "{wrong}");
    }
}

#[test]
fn days_are_those_of_the_calendar() {
    for day in ["2026-12-01", "2024-02-29", "2000-02-29"] {
        assert_eq!(day.parse::<PlainDate>().map(|date| date.to_string()), Ok(day.to_owned()));
    }
    for wrong in
        ["", "2026-2-1", "2026-00-10", "2026-13-01", "2026-04-31", "1900-02-29", "+026-01-01", "20261-1-01"]
    {
        assert!(wrong.parse::<PlainDate>().is_err(), "{wrong}");
    }
    let [early, late] = ["2026-09-30", "2026-10-01"].map(|day| day.parse::<PlainDate>().expect("a day"));
    assert!(early < late);
}

/// The seeds of names that are handed in must never change, or else last year's answers are graded as others'.
#[test]
fn a_name_always_gives_the_same_seed() {
    assert_eq!(student_seed("Ada"), student_seed(" Ada "));
    assert_ne!(student_seed("Ada"), student_seed("ada"));
    assert_eq!(student_seed("abc"), 0xba78_16bf_8f01);
}
