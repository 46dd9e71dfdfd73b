//! Figures by hand, claims, and what is neither.

use super::*;

/// Two cores. ana's job of two 2 s tasks holds both from 0 to 2; ben's of one 1 s task arrives at 1,
/// waits 1 s under FIFO and ends at 3.
fn facts() -> LessonFacts {
    LessonFacts::new(
        Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 2 }, "jobs": [
            { "user": "ana", "name": "a", "arrival_s": 0, "stages": [{ "tasks_s": [2, 2] }] },
            { "user": "ben", "name": "b", "arrival_s": 1, "stages": [{ "tasks_s": [1] }] } ] }"#,
        )
        .expect("a sound scenario"),
    )
}

#[test]
fn figures_by_hand() {
    let facts = facts();
    for (figure, text) in [
        ("cores", "2"),
        ("work a", "4\u{a0}core-seconds"),
        ("work b", "1\u{a0}core-second"),
        ("#work a", "4"),
        ("wait fifo b", "1\u{a0}s"),
        ("response fifo b", "2\u{a0}s"),
        ("mean fifo", "2\u{a0}s"),
        ("work a / cores", "2\u{a0}s"),
        ("response fifo b / alone fifo b", "2"),
        ("finish fifo b - arrival b - alone fifo b", "1\u{a0}s"),
        ("wait fifo b % response fifo b", "50\u{a0}%"),
        ("running fifo ana 1", "2"),
        ("waiting fifo ben 1", "1"),
        ("ideal b", "2\u{a0}s"),
        // From 1 s on both share: V grows by 2 in the first second, and by 1 a second then.
        ("V uwfq 1.5", "2.5\u{a0}core-seconds"),
        ("rate uwfq 1.5", "1"),
        ("D uwfq b 1", "3\u{a0}core-seconds"),
        ("V-end uwfq b", "2\u{a0}s"),
        ("same fifo uwfq", "1"),
        ("tasks fifo a 0", "2"),
        ("served fifo ana 1.5 2.5", "1\u{a0}core-second"),
        ("served fifo ben 0 2", "0\u{a0}core-seconds"),
    ] {
        assert_eq!(facts.evaluate(figure).as_deref(), Ok(text), "{figure}");
    }
}

#[test]
fn claims_hold_or_not() {
    let facts = facts();
    assert_eq!(facts.holds("wait fifo a < wait fifo b <= 1"), Ok(true));
    assert_eq!(facts.holds("wait fifo b < wait fifo a"), Ok(false));
    assert_eq!(facts.holds("mean fifo = mean uwfq"), Ok(true));
    assert!(facts.holds("mean fifo").is_err());
}

#[test]
fn what_is_no_figure_is_an_error() {
    let facts = facts();
    for wrong in [
        "",
        "mean",
        "mean lifo",
        "response fifo c",
        "V fifo x",
        "work a +",
        "mean fifo @ moon",
        "stage-work a 1",
        "Va fair ana 1",
    ] {
        assert!(facts.evaluate(wrong).is_err(), "{wrong}");
    }
}

/// The list is what figures are computed by; an example of each is in the guide, where a test computes it.
#[test]
fn an_expression_is_known_by_its_word_and_by_what_stands_behind_it() {
    let facts = facts();
    let names: std::collections::BTreeSet<&str> = EXPRESSIONS.iter().map(Expression::name).collect();
    assert_eq!(names.len(), EXPRESSIONS.len(), "each word once");
    for expression in EXPRESSIONS {
        let words: Vec<&str> = expression.example.split(' ').collect();
        assert_eq!(words[0], expression.name());
        assert!(expression.takes(words.len() - 1), "{}", expression.form);
        let too_many = format!("{} x x x x x", expression.name());
        let error = facts.evaluate(&too_many).expect_err("too many words").to_string();
        assert!(error.ends_with(&format!("it is written {}", expression.form)), "{error}");
    }
    let error = facts.evaluate("respond fifo a").expect_err("no such word").to_string();
    assert!(error.contains("docs/expressions.md"), "{error}");
    for (figure, text) in [("users", "2"), ("weight ana", "1"), ("stages a", "1"), ("slowdown fifo b", "2")] {
        assert_eq!(facts.evaluate(figure).as_deref(), Ok(text), "{figure}");
    }
    assert_eq!(facts.evaluate("utilization fifo").as_deref(), Ok("83\u{a0}%"));
}

/// What a reader has made of a scenario may take any number of events; who judges it is not held up.
#[test]
fn facts_within_a_bound_have_no_schedule_beyond_it() {
    let scenario = || {
        let text = r#"{ "format": "fairlane/scenario@1", "jobs": [
            { "user": "ana", "arrival_s": 0, "stages": [{ "work_s": 20000, "partitions": 20000 }] } ] }"#;
        Scenario::from_json(text).expect("a sound scenario")
    };
    let (fair, figure) = ("fair".parse().expect("a policy"), "makespan fair");
    let bounded = LessonFacts::new(scenario()).within(0);
    assert!(!bounded.is_within(fair));
    assert!(bounded.figure(figure).is_err_and(|error| error.to_string().contains("stopped")));
    let enough = LessonFacts::new(scenario()).within(10_000_000);
    assert!(enough.is_within(fair));
    assert_eq!(enough.figure(figure), LessonFacts::new(scenario()).figure(figure));
}
