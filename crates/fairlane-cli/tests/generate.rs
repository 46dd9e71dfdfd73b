//! `fairlane generate` as scripts and people meet it.

use std::fs;

use crate::command::{fairlane, standard_error, standard_output};
use assert_cmd::Command;
use fairlane::Scenario;
use fairlane::scenario::Generator;
use fairlane::scenario::generate::{Estimates, Sizes, Skew};
use tempfile::TempDir;

fn generate(args: &[&str]) -> Command {
    let mut command = fairlane(&["generate"]);
    command.args(args);
    command
}

#[track_caller]
fn printed(args: &[&str], input: &str) -> String {
    standard_output(generate(args).write_stdin(input).assert())
}

#[track_caller]
fn complaint(args: &[&str], input: &str) -> String {
    standard_error(generate(args).write_stdin(input).assert())
}

#[track_caller]
fn scenario(text: &str) -> Scenario {
    Scenario::from_json(text).expect("a sound scenario")
}

const SPEC: &str = r#"{ "format": "fairlane/generator@1", "seed": 5, "duration_s": 60, "groups": [
    { "prefix": "ana", "users": 2, "arrivals": { "poisson": { "per_minute": 20 } }, "sizes": { "fixed": { "work_s": 2 } } },
    { "prefix": "ben", "arrivals": { "at_once": {} }, "jobs": 3, "sizes": { "exponential": { "mean_s": 9 } } } ] }"#;

#[test]
fn options_make_the_scenario_that_the_library_makes() {
    let text = printed(&["--seed", "7"], "");
    let generator = Generator { seed: 7, ..Generator::default() };
    assert_eq!(text, generator.scenario().expect("good parameters").to_json() + "\n");
    assert_eq!(scenario(&text).users().len(), 4);
}

#[test]
fn the_seed_decides() {
    let one = printed(&["--seed", "1"], "");
    assert_eq!(one, printed(&["--seed", "1"], ""));
    assert_ne!(one, printed(&["--seed", "2"], ""));
    assert_eq!(printed(&[], ""), printed(&["--seed", "0"], ""));
}

#[test]
fn a_random_seed_is_reported_and_gives_the_same_scenario_again() {
    for options in [&["--users", "2"][..], &["--spec", "-", "--load", "0.5"]] {
        let run = |seed: &str| {
            let args = [options, &["--seed", seed]].concat();
            let output = generate(&args).write_stdin(SPEC).assert().success().get_output().clone();
            [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text"))
        };
        let [surprise, report] = run("random");
        let seed = report
            .strip_prefix("fairlane: drew the seed ")
            .and_then(|rest| rest.split_once(';'))
            .map(|(seed, _)| seed)
            .unwrap_or_else(|| panic!("no seed in {report}"));
        assert_eq!(
            report,
            format!("fairlane: drew the seed {seed}; --seed {seed} gives the same scenario\n")
        );
        assert_eq!(run(seed), [surprise.clone(), String::new()]);
        assert_eq!(scenario(&surprise).name(), format!("Generated, seed {seed}"));
        assert_ne!(run("random")[0], surprise);
    }
    let complaint = complaint(&["--seed", "lucky"], "");
    assert!(
        complaint.contains("must be a whole number from 0 to 18446744073709551615, or random"),
        "{complaint}"
    );
}

#[test]
fn every_option_counts() {
    let args = [
        "--users=3",
        "--jobs=5",
        "--arrivals=bursts:2:10:1",
        "--sizes=pareto:1.1:2:300",
        "--stages=single",
        "--partitions=16",
        "--skew=zipf:1",
        "--estimates=random:3",
        "--executors=2",
        "--cores=8",
        "--overhead=0.02",
        "--atr=0.25",
        "--duration=60",
        "--load=0.9",
        "--seed=18446744073709551615",
    ];
    let made = scenario(&printed(&args, ""));
    assert_eq!((made.users().len(), made.jobs().len()), (3, 15));
    assert_eq!((made.cluster().executors, made.cluster().cores_per_executor), (2, 8));
    assert_eq!(
        (made.cluster().task_overhead.0, made.partitioning().advisory_task_runtime.0),
        (20_000, 250_000)
    );
    assert!(made.jobs().iter().all(|job| job.stages.len() == 1 && job.stages[0].partitions == 16));
    assert!(made.jobs().iter().any(|job| job.estimate != job.work()));
    let work: f64 = made.jobs().iter().map(|job| job.work().seconds()).sum();
    assert!((work / (16.0 * 60.0) - 0.9).abs() < 1e-6, "{work}");

    let spec = [&args[..], &["--print-spec"]].concat();
    let generator = Generator::from_json(&printed(&spec, "")).expect("a good file");
    assert_eq!(generator.seed, u64::MAX);
    let group = &generator.groups[0];
    assert!(matches!(group.sizes, Sizes::Pareto(_)) && matches!(group.stages[0].skew, Skew::Zipf(_)));
    assert!(matches!(group.estimates, Estimates::Random(_)));
}

#[test]
fn the_printed_spec_makes_the_same_scenario_again() {
    let args = ["--users", "2", "--sizes", "fixed:3.5", "--skew", "heavy:4", "--seed", "9"];
    let spec = printed(&[&args[..], &["--print-spec"]].concat(), "");
    assert_eq!(printed(&["--spec", "-"], &spec), printed(&args, ""));
}

/// What the page's test types into the page.
#[test]
fn the_same_figures_give_the_same_scenario_as_on_the_page() {
    let args = [
        "--seed=4711",
        "--users=3",
        "--sizes=pareto:1.1:4:1000",
        "--skew=zipf:1",
        "--estimates=random:3",
        "--load=0.9",
        "--executors=2",
        "--cores=4",
        "--atr=0.25",
    ];
    let generator =
        Generator::from_json(include_str!("../../fairlane/tests/page-generator.json")).expect("a good file");
    assert_eq!(printed(&args, ""), generator.scenario().expect("good parameters").to_json() + "\n");
    assert_eq!(
        printed(&[&args[..], &["--print-spec"]].concat(), ""),
        include_str!("../../fairlane/tests/page-generator.json")
    );
}

#[test]
fn a_spec_has_several_groups_and_gives_way_to_seed_duration_and_load() {
    let made = scenario(&printed(&["--spec", "-"], SPEC));
    let names: Vec<&str> = made.users().iter().map(|user| user.name.as_str()).collect();
    assert_eq!(names, ["ana1", "ana2", "ben1"]);
    assert_eq!(made.name(), "Generated, seed 5");
    let other = scenario(&printed(&["--spec", "-", "--seed", "6", "--duration", "30", "--load", "2"], SPEC));
    assert_eq!(other.name(), "Generated, seed 6");
    assert!(other.jobs().iter().all(|job| job.arrival.seconds() < 30.0));
    let work: f64 = other.jobs().iter().map(|job| job.work().seconds()).sum();
    assert!((work / (4.0 * 30.0) - 2.0).abs() < 1e-6, "{work}");
}

#[test]
fn a_generated_entry_of_the_catalog_accepts_another_seed() {
    let text = printed(&["--spec", "catalog:paf-suite"], "");
    let entry = fairlane::catalog::find("paf-suite").expect("an entry");
    assert_eq!(text, entry.scenario().to_json() + "\n");
    assert_ne!(text, printed(&["--spec", "catalog:paf-suite", "--seed", "99"], ""));
    let message = complaint(&["--spec", "catalog:skew"], "");
    assert!(message.contains("written by hand") && message.contains("paf-suite"), "{message}");
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("made.json");
    let name = path.to_str().expect("a name");
    generate(&["--seed", "3", "--output", name]).assert().success().stdout("").stderr("");
    assert_eq!(fs::read_to_string(&path).expect("a file"), printed(&["--seed", "3"], ""));
    generate(&["--seed", "4", "--users", "0", "-o", name]).assert().code(2);
    assert_eq!(fs::read_to_string(&path).expect("a file"), printed(&["--seed", "3"], ""));
    let missing = folder.path().join("none/made.json");
    assert!(complaint(&["-o", missing.to_str().expect("a name")], "").contains("No such folder"));
}

#[test]
fn faults_name_the_parameter_and_the_remedy() {
    let cases = [
        (&["--users", "0"][..], "fairlane: generate: groups[0].users: must be at least 1\n"),
        (
            &["--duration", "-1"],
            "fairlane: generate: duration_s: must not be negative; give 0 or more seconds\n",
        ),
        (&["--load", "nan"], "fairlane: generate: load: must be a finite number\n"),
        (
            &["--load", "1", "--jobs", "3"],
            "fairlane: generate: load: is work per core and time; give duration_s with it\n",
        ),
        (&["--overhead", "-1"], "fairlane: --overhead: must not be negative; give 0 or more seconds\n"),
    ];
    for (args, expected) in cases {
        assert_eq!(complaint(args, ""), expected);
    }
    let message = complaint(&["--arrivals", "sometimes"], "");
    assert!(
        message.contains("must be poisson:PER_MINUTE") && message.contains("such as poisson:8"),
        "{message}"
    );
    assert!(complaint(&["--seed=-1"], "").contains("--seed"));
    assert!(complaint(&["--spec", "-", "--users", "3"], SPEC).contains("cannot be used with"));
    let message = complaint(&["--spec", "-"], r#"{ "format": "fairlane/generator@1", "groups": [{}] }"#);
    assert!(message.starts_with("fairlane: standard input: groups[0]: missing key `prefix`"), "{message}");
}

#[test]
fn a_papers_workload_is_drawn_from_a_seed() {
    let drawn = |seed: &str| printed(&["--spec", "catalog:justice-severe", "--seed", seed], "");
    assert_eq!(scenario(&drawn("1")), scenario(&printed(&["--spec", "catalog:justice-severe"], "")));
    assert_ne!(scenario(&drawn("1")), scenario(&drawn("2")));
    let refused = complaint(&["--spec", "catalog:justice-severe", "--load", "0.5"], "");
    assert!(refused.contains("load: is for groups of users; leave it out with a preset"), "{refused}");
    // The same by options, and by the file that it prints.
    let options = ["--preset", "justice:load=4:spread=0.2", "--seed", "7"];
    let spec = printed(&[&options[..], &["--print-spec"]].concat(), "");
    assert!(spec.contains(r#""spread": 0.2"#) && spec.contains(r#""load": 4,"#), "{spec}");
    assert_eq!(printed(&["--spec", "-"], &spec), printed(&options, ""));
    let message = complaint(&["--preset", "justice:jobs=0"], "");
    assert!(message.contains("preset.justice.jobs: must be a whole number from 1 to 5000"), "{message}");
    let message = complaint(&["--preset", "sparrow"], "");
    assert!(message.contains("there are paf, bopf, justice, decima"), "{message}");
}
