//! The starters that exist as registered policies give their schedules, task for task; the others run.

use std::fs;
use std::io::Read;
use std::path::Path;

use fairlane::engine::{Control, simulate_observed};
use fairlane::trace::{Trace, check};
use fairlane::{PolicyId, Scenario, simulate};
use fairlane_custom::starters::STARTERS;
use flate2::read::GzDecoder;
use serde_json::{Value, json};

/// The scenarios of the given cases, each with the parameters that its file gives the policies.
fn cases() -> Vec<(String, Value)> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fairlane/tests");
    let folders = ["cases", "cases-allocation", "cases-spark"];
    let files = folders.iter().flat_map(|folder| {
        fs::read_dir(tests.join(folder))
            .expect("the cases are there")
            .map(|entry| entry.expect("a file").path())
    });
    let mut files: Vec<_> = files.collect();
    files.sort();
    let read = |path: &Path| {
        let mut text = String::new();
        let mut file = fs::File::open(path).expect("a readable case");
        match path.extension() {
            Some(packed) if packed == "gz" => GzDecoder::new(file).read_to_string(&mut text),
            _ => file.read_to_string(&mut text),
        }
        .expect("a readable case");
        let case: Value = serde_json::from_str(&text).expect("JSON");
        (path.display().to_string(), case["scenario"].clone())
    };
    files.iter().map(|path| read(path)).collect()
}

/// A starter with the parameters that the scenario gives to the policy that it is.
fn program(id: &str, text: &str, scenario: &Scenario) -> String {
    let value = |policy: &str, name: &str| scenario.parameters().get(policy, name).cloned();
    let number = |policy: &str, name: &str, default: f64| {
        format!("{:?}", value(policy, name).and_then(|value| value.as_f64()).unwrap_or(default))
    };
    let replace = |text: &str, before: &str, after: &str| {
        assert!(text.contains(before), "{id} has {before}");
        text.replace(before, after)
    };
    match id {
        "uwfq" => {
            let grace = format!("let grace = {};", number("uwfq", "grace_s", 2.0));
            let text = replace(text, "let grace = 2.0;", &grace);
            let top = value("uwfq", "late_stage") == Some("top".into());
            replace(&text, "late_on_top = false", &format!("late_on_top = {top}"))
        }
        "karma" => {
            let text = replace(text, "alpha = 0.5", &format!("alpha = {}", number("karma", "alpha", 0.5)));
            let credits = format!("let credits = {};", number("karma", "credits", 1e6));
            let text = replace(&text, "let credits = 1000000.0;", &credits);
            replace(&text, "period = 1.0", &format!("period = {}", number("karma", "quantum_s", 1.0)))
        }
        "decayed-usage" => replace(
            text,
            "half_life = 60.0",
            &format!("half_life = {}", number("decay", "half_life_s", 60.0)),
        ),
        _ => text.to_owned(),
    }
}

fn run(scenario: &Value, program: &str, policy: &str) -> (Scenario, Trace) {
    let mut scenario = scenario.clone();
    scenario["policies"]["custom"] = json!({ "program": program });
    let scenario = Scenario::from_json(&scenario.to_string()).expect("a sound scenario");
    let policy: PolicyId = policy.parse().expect("a policy");
    let trace = simulate_observed(&scenario, policy, &mut |_| Control::Continue);
    (scenario, trace.unwrap_or_else(|error| panic!("{error}")))
}

/// All starters that are registered policies too, under one partitioning.
fn starters_equal_their_policies(suffix: &str) {
    fairlane_custom::install();
    let (mut traces, cases) = (0, cases());
    for (path, given) in &cases {
        let scenario = Scenario::from_json(&given.to_string()).expect("a sound scenario");
        for starter in STARTERS {
            let Some(same_as) = starter.same_as else { continue };
            let text = program(starter.id, starter.program, &scenario);
            let (_, trace) = run(given, &text, &format!("custom{suffix}"));
            let expected = simulate(&scenario, format!("{same_as}{suffix}").parse().expect("a policy"));
            let mut pairs = trace.tasks.iter().zip(&expected.tasks);
            let differs = pairs.position(|(actual, expected)| actual != expected);
            assert_eq!(differs, None, "{path}: {} against {same_as}{suffix}", starter.id);
            assert!(trace.tasks.len() == expected.tasks.len() && trace.jobs == expected.jobs, "{path}");
            traces += 1;
        }
    }
    assert_eq!((cases.len(), traces), (80, 80 * 7));
}

#[test]
fn starters_give_the_schedules_of_the_policies_that_they_are() {
    starters_equal_their_policies("");
}

#[test]
fn starters_give_those_schedules_under_runtime_partitioning_too() {
    starters_equal_their_policies("-p");
}

#[test]
fn every_starter_gives_a_sound_schedule() {
    fairlane_custom::install();
    for (path, given) in cases().iter().step_by(5) {
        for starter in STARTERS {
            let (scenario, trace) = run(given, starter.program, "custom");
            assert_eq!(check(&scenario, &trace), Ok(()), "{path}: {}", starter.id);
            let (_, again) = run(given, starter.program, "custom");
            assert_eq!(trace.tasks, again.tasks, "{path}: {} twice", starter.id);
        }
    }
}

/// Users with a job of one task each, all there at once; in other lengths, so that they leave one after the other.
fn crowd(users: usize) -> Value {
    let jobs: Vec<_> = (0..users)
        .map(|user| {
            let tasks = [1.0 + (user * 7 % users) as f64 / 64.0];
            json!({ "user": format!("user {user}"), "arrival_s": 0, "stages": [{ "tasks_s": tasks }] })
        })
        .collect();
    json!({
        "format": "fairlane/scenario@1",
        "cluster": { "executors": 4, "cores_per_executor": 4 },
        "jobs": jobs,
    })
}

#[test]
fn every_starter_serves_many_users_at_once() {
    fairlane_custom::install();
    let given = crowd(300);
    for starter in STARTERS {
        let (scenario, trace) = run(&given, starter.program, "custom");
        assert_eq!(check(&scenario, &trace), Ok(()), "{}", starter.id);
        let Some(same_as) = starter.same_as else { continue };
        let expected = simulate(&scenario, same_as.parse().expect("a policy"));
        assert!(trace.tasks.iter().eq(&expected.tasks), "{} against {same_as}", starter.id);
    }
}
