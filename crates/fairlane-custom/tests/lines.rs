//! Programs line by line, at a decision and at an instant of a replay.

use fairlane::Scenario;
use fairlane::engine::{Control, simulate_observed};
use fairlane::ids::JobId;
use fairlane::policy::ProgramCall;
use fairlane::policy::explain::Value;
use fairlane::replay::{Replay, ReplayPoint};
use fairlane::trace::Trace;
use fairlane::units::Time;
use fairlane_custom::names::{NAMES, values};
use serde_json::json;

/// The schedule of a small scenario under a program, and its replay.
fn replayed(program: &str) -> (Trace, Replay) {
    fairlane_custom::install();
    let stages = json!([{ "tasks_s": [2, 2] }]);
    let jobs = ["ana", "ben", "ana"].map(|user| json!({ "user": user, "arrival_s": 0, "stages": stages }));
    let file = json!({
        "format": "fairlane/scenario@1",
        "cluster": { "executors": 1, "cores_per_executor": 1 },
        "policies": { "custom": { "program": program } },
        "jobs": jobs,
    });
    let scenario = Scenario::from_json(&file.to_string()).expect("a sound scenario");
    let policy = "custom".parse().expect("a policy");
    let trace = simulate_observed(&scenario, policy, &mut |_| Control::Continue).expect("a schedule");
    let replay = Replay::new(&scenario, policy).expect("an installed policy");
    (trace, replay)
}

/// The calls at a moment, and the key of a job's first stage.
fn calls(program: &str, at: ReplayPoint, job: u32) -> Vec<ProgramCall> {
    let (trace, mut replay) = replayed(program);
    replay.calls(&trace, at, (JobId(job), 0)).expect("a stage that waits")
}

/// The number of a value as it is shown, before its unit.
fn amount(value: &Value) -> f64 {
    let text = value.to_string();
    let number = text.split(' ').next().and_then(|number| number.parse().ok());
    number.unwrap_or_else(|| panic!("a number: {text}"))
}

#[test]
fn what_a_name_says_is_what_a_program_reads_by_it() {
    let at = ReplayPoint::Instant(Time(3_000_000));
    for (index, name) in NAMES.iter().enumerate() {
        let (trace, mut replay) = replayed(&name.path());
        let queue = replay.queue(&trace, at, usize::MAX).expect("an instant");
        assert!(!queue.stages.is_empty(), "{}", name.path());
        for stage in queue.stages {
            let view = replay.at(&trace, at).expect("an instant").view();
            let waiting = view.waiting().find(|waiting| waiting.id() == stage.id).expect("it waits");
            let [said, read] = [&values(waiting)[index], &stage.key.parts()[0].value].map(amount);
            // Both are rounded for people, to two digits at least.
            assert!((said - read).abs() <= 0.01, "{}: {said} and {read}", name.path());
        }
    }
}

fn lines(call: &ProgramCall) -> Vec<u32> {
    call.lines.iter().map(|line| line.line).collect()
}

#[test]
fn handlers_of_the_moment_and_then_the_key_run_line_by_line() {
    let program = "let ended = 0;\n\nfn on_task_end(stage) {\n    let more = 1;\n    this.ended += more;\n}\n\n\
        fn key(stage) {\n    let level = 0;\n    while level < this.ended {\n        level += 1;\n    }\n    \
        #{ level: -level, rank: stage.rank }\n}";
    // The third task starts when the second one ends.
    let calls = calls(program, ReplayPoint::Dispatch(2), 1);
    let names: Vec<&str> = calls.iter().map(|call| call.function.as_str()).collect();
    assert_eq!(names, ["on_task_end", "key"]);
    assert_eq!(lines(&calls[0]), [3, 4, 5]);
    let variable = |call: usize, line: usize, name: &str| {
        let found = calls[call].lines[line].variables.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    };
    assert_eq!((variable(0, 2, "more"), variable(0, 2, "this.ended")), (Some("1"), Some("1")));
    // Two tasks have ended: the loop runs twice.
    assert_eq!(lines(&calls[1]), [8, 9, 10, 11, 10, 11, 10, 13]);
    assert_eq!((variable(1, 7, "level"), variable(1, 7, "this.ended")), (Some("2"), Some("2")));
    assert_eq!(calls[1].answer, "level: -2, rank: 1");
}

#[test]
fn an_expression_has_a_line_and_an_answer() {
    let calls = calls("running /\n  weight", ReplayPoint::Instant(Time(1_000_000)), 0);
    assert_eq!(calls.len(), 1);
    assert!(calls[0].function.is_empty() && !calls[0].lines.is_empty(), "{calls:?}");
    assert!(calls[0].answer.ends_with('1') || calls[0].answer.contains("1.00"), "{}", calls[0].answer);
}

#[test]
fn other_policies_have_no_lines() {
    let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
    let policy = "uwfq".parse().expect("a policy");
    let trace = fairlane::simulate(&scenario, policy);
    let mut replay = Replay::new(&scenario, policy).expect("a registered policy");
    assert_eq!(replay.calls(&trace, ReplayPoint::Dispatch(0), (JobId(0), 0)), Some(Vec::new()));
}
