//! Programs that do harm are stopped with a message that names the line, and never take the simulation with them.

use fairlane::Scenario;
use fairlane::engine::{Control, SimulationError, simulate_observed};
use fairlane::policy::custom::NoProgram;
use fairlane::policy::{PolicyId, Rule};
use fairlane::replay::Replay;
use fairlane::trace::check;
use fairlane_custom::{Program, ProgramPolicy};
use proptest::prelude::*;
use serde_json::json;

fn scenario(program: &str) -> Scenario {
    let jobs = [("ana", 0.0, [2, 2, 2]), ("ben", 0.5, [1, 1, 1]), ("eve", 0.5, [3, 1, 2])];
    let jobs = jobs.map(|(user, arrival, tasks)| {
        let stages = json!([{ "tasks_s": tasks }, { "tasks_s": [1, 1] }]);
        json!({ "user": user, "arrival_s": arrival, "stages": stages })
    });
    let file = json!({
        "format": "fairlane/scenario@1",
        "cluster": { "cores_per_executor": 2 },
        "policies": { "custom": { "program": program } },
        "jobs": jobs,
    });
    Scenario::from_json(&file.to_string()).expect("a sound scenario")
}

/// The place and the message of a program's error; `None` if it has none.
fn error(program: &str) -> Option<(u32, String)> {
    fairlane_custom::install();
    let scenario = scenario(program);
    let error =
        match simulate_observed(&scenario, "custom".parse().expect("a policy"), &mut |_| Control::Continue) {
            Ok(trace) => {
                assert_eq!(check(&scenario, &trace), Ok(()), "{program}");
                return None;
            }
            Err(SimulationError::Program(NoProgram::Faulty { error, .. })) => error,
            Err(SimulationError::Policy(error)) => match error.rule {
                Rule::Program(error) => error,
                rule => return Some((0, rule.to_string())),
            },
            Err(error) => panic!("{program}: {error}"),
        };
    Some((error.line, error.message))
}

#[test]
fn harm_is_stopped_and_the_line_named() {
    let cases = [
        ("\nfn key(stage) {\n    loop { }\n}", 3, "operations"),
        ("fn key(stage) {\n    let x = 0;\n    while true { x += 1; }\n    x\n}", 3, "operations"),
        ("fn f(x) {\n    f(x + 1)\n}\nfn key(stage) { f(1) }", 2, "deep"),
        ("let x = 0;\nfn key(stage) {\n    let text = \"ab\";\n    loop { text += text; }\n}", 4, "bytes"),
        ("fn key(stage) {\n    let list = [1];\n    loop { list += list; }\n}", 3, "entries"),
        ("\n0.0 / 0.0", 1, "NaN"),
        ("let n = 0;\nfn key(stage) {\n    this.n += 1;\n    this.n\n}", 3, "changes the state"),
        ("let a = [];\nfn key(stage) {\n    this.a.push(1);\n    this.a.len()\n}", 3, "changes the state"),
        ("fn key(stage) {\n    random()\n}", 2, "random"),
        ("fn key(stage) {\n    stage.note = 1;\n    1\n}", 2, "note"),
        ("running /\n  wait", 2, "unknown"),
        ("runing / weight", 1, "`running`"),
        ("size", 1, "listed"),
        ("fn key(stage) {\n    running\n}", 2, "stage.running"),
        ("let debt = 1;\nfn key(stage) {\n    debt\n}", 3, "this.debt"),
        ("fn key(stage) {\n    stage.size\n}", 2, "no `size`"),
        ("fn key(stage) { 1", 1, "Expecting"),
        ("", 0, "empty"),
        ("fn key(stage) { #{} }", 1, "parts"),
        ("[1, 2, 3, 4, 5]", 1, "4 parts"),
        ("()", 1, "no value"),
        ("job", 1, "is a job"),
        ("fn on_start() { }", 1, "fn key(stage)"),
        ("fn key() { 1 }", 1, "fn key(stage)"),
        ("fn on_lunch(stage) { }\nfn key(stage) { 1 }", 1, "on_launch"),
        ("fn on_tick() { }\nfn key(stage) { 1 }", 1, "period"),
        ("let now = 3; now", 1, "meaning"),
        ("fn on_arrival(job) { \"perhaps\" }\nfn key(stage) { 1 }", 1, "reject"),
        ("fn on_launch(stage) { wake(3, 1); }\nfn key(stage) { 1 }", 1, "on_wake"),
        ("fn key(stage) { 2 ** 3 }", 1, "**"),
        ("eval(\"1\")", 1, "eval"),
        ("sleep(1000)", 1, "sleep"),
        ("import \"x\" as y; 1", 1, "import"),
    ];
    let mut wrong = Vec::new();
    for (program, line, words) in cases {
        let (at, message) = error(program).unwrap_or((9999, "no error".to_owned()));
        if at != line || !message.contains(words) {
            wrong.push(format!("{program}\nline {at}: {message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// A job that a program has kept is as it was: what changes of it is not read as if it were now.
#[test]
fn what_an_earlier_call_got_is_not_read_as_if_it_were_now() {
    let kept = |read: &str| {
        format!(
            "let first = ();\nfn on_arrival(job) {{ if this.first == () {{ this.first = job; }} }}\n\
             fn key(stage) {{ this.first.{read} }}"
        )
    };
    for read in ["waited", "running", "pending", "attained", "user.running"] {
        let (line, message) = error(&kept(read)).expect("an error");
        assert!(line == 3 && message.contains("of an earlier call"), "{read}: {line}, {message}");
    }
    for read in ["arrival", "estimate", "rank", "user.weight"] {
        assert_eq!(error(&kept(read)), None, "{read}");
    }
}

/// What a trial finds is known before the simulation; what takes long or happens late, the simulation finds.
#[test]
fn a_trial_finds_the_mistakes_of_the_first_events() {
    let custom: PolicyId = "custom".parse().expect("a policy");
    let tried = |program: &str| {
        let compiled = Program::new(program).expect("compiles");
        ProgramPolicy::try_out(&scenario(program), custom, compiled).err().map(|error| error.to_string())
    };
    let place = |line: u32, column: u32| format!("line {line}, column {column} of the program: ");
    for (program, line, column, words) in [
        ("let waite", 1, 1, "`key` has no value; answer with what ranks the stage"),
        ("job", 1, 1, "`job` is a job; a key is a number"),
        ("user.runing", 1, 6, "a user has no `runing`; is `running` meant?"),
        ("if user == \"ana\" { 0 } else { 1 }", 1, 9, "a user is no text; is `user.name` meant?"),
        ("if \"ana\" != user { 0 } else { 1 }", 1, 10, "a user is no text; is `user.name` meant?"),
        ("let x = 0; while x == 0 { } x", 1, 18, "is there a loop that does not end?"),
        (
            "fn on_launch(stage) {\n    begin(stage.job);\n}\nfn key(stage) { 1 }",
            2,
            5,
            "no function or operator `begin",
        ),
    ] {
        let error = tried(program).unwrap_or_default();
        assert!(error.starts_with(&place(line, column)) && error.contains(words), "{program}: {error}");
    }
    let target = tried("fn target(job) { job.size }\nfn key(stage) { 1 }").unwrap_or_default();
    assert!(target.contains("a job has no `size`"), "{target}");
    assert_eq!(tried("running / weight"), None);
    // After 1 100 000 operations, the trial knows no more.
    let late = "let x = 0; while x < 60000 { x += 1; } if now > 4.0 { 0.0 / 0.0 } else { 1.0 }";
    assert_eq!(tried(late), None);
    assert!(error(late).is_some_and(|(_, message)| message.contains("NaN")));
    assert_eq!(tried("fn cap(job) { 0 }\nfn key(stage) { 1 }"), None, "not the program's text");
}

#[test]
fn targets_are_those_of_the_program() {
    fairlane_custom::install();
    let targets = |program: &str| {
        let scenario = scenario(program);
        Replay::new(&scenario, "custom".parse().expect("a policy")).expect("installed").targets()
    };
    assert_eq!(targets("running"), None);
    // Two cores, shared by the jobs that have arrived: one, then two more at once.
    let changes = targets(
        "let jobs = 0;\nfn on_arrival(job) { this.jobs += 1; () }\nfn on_job_end(job) { this.jobs -= 1; }\n\
         fn target(job) { 2.0 / this.jobs }\nfn key(stage) { stage.rank }",
    );
    let first: Vec<f64> =
        changes.expect("targets").iter().take(3).map(|change| change.target.cores).collect();
    assert_eq!(first, [2.0, 1.0, 1.0]);
}

#[test]
fn admission_and_caps_decide() {
    assert_eq!(
        error("fn on_arrival(job) { if job.user.name == \"ben\" { \"reject\" } }\nfn key(stage) { 1 }"),
        None
    );
    assert_eq!(error("fn cap(job) { 1 }\nfn key(stage) { stage.rank }"), None);
    let waits = "fn on_arrival(job) { if job.rank > 0 { this.waits.push(job); \"wait\" } }\nlet waits = [];\n\
        fn on_job_end(job) { if !this.waits.is_empty() { start(this.waits.shift()); } }\nfn key(stage) { stage.rank }";
    assert_eq!(error(waits), None);
    let (_, never) = error("fn cap(job) { 0 }\nfn key(stage) { 1 }").expect("an error");
    assert!(never.contains("nothing more will happen"), "{never}");
}

/// Expressions of numbers, names and operators.
fn expressions() -> impl Strategy<Value = String> {
    let names = prop::sample::select(vec![
        "running",
        "pending",
        "weight",
        "estimate",
        "waited",
        "rank",
        "now",
        "free_cores",
        "attained",
        "tie",
        "job.running",
        "user.running",
        "job.attained",
        "deadline",
        "user.position",
        "1",
        "0.5",
        "3.0",
    ]);
    let leaf = names.prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 3, |inner| {
        let operators = prop::sample::select(vec!["+", "-", "*", "/", "%", "<", "=="]);
        prop_oneof![
            (inner.clone(), operators, inner.clone()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("max({a}, {b})")),
            inner.clone().prop_map(|a| format!("sqrt({a})")),
            (inner.clone(), inner.clone(), inner)
                .prop_map(|(a, b, c)| format!("(if {a} > {b} {{ {c} }} else {{ {a} }})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    /// A key gives a sound schedule or an error in a line, and the same each time.
    #[test]
    fn random_keys_give_sound_schedules(key in expressions(), parts in 1_usize..4) {
        let names = ["first", "second", "third"].into_iter().take(parts);
        let parts: Vec<String> = names.map(|name| format!("{name}: {key}")).collect();
        for program in [key.clone(), format!("#{{ {} }}", parts.join(", "))] {
            let found = error(&program);
            prop_assert!(found.as_ref().is_none_or(|(line, _)| *line == 1), "{program}: {found:?}");
            prop_assert_eq!(found, error(&program));
        }
    }
}
