//! The workload generator: what is typed gives what the command gives.

use e2e::{Look, Site};
use fairlane::scenario::Generator;

use crate::steps::{self, READY};

/// Replaces the contents of a field.
#[track_caller]
fn type_into(lab: &e2e::Lab, css: &str, text: &str) {
    lab.eval(&format!("document.querySelector('{css}').select()"));
    lab.keys(css, text);
}

#[test]
fn a_seed_gives_the_scenario_that_the_command_gives() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    steps::click(&lab, "#generator");
    type_into(&lab, "#gen-seed", "4711");
    type_into(&lab, "#gen-users", "3");
    lab.select("#gen-sizes", "pareto");
    lab.select("#gen-skew", "zipf");
    lab.select("#gen-estimates", "random");
    type_into(&lab, "#gen-load", "0.9");
    lab.wait_until("document.querySelector('#gen-summary').innerText.includes('a load of 0.90 on 8 cores')");
    let jobs = lab.text("#gen-summary");
    steps::click(&lab, "#gen-make");
    lab.wait_until("document.querySelector('#scenario option:checked').innerText === 'Generated, seed 4711'");
    lab.wait_until(READY);

    lab.click("#save");
    lab.click("#save-scenario");
    let page = String::from_utf8(lab.download("generated-seed-4711.json")).expect("text");
    // `crates/fairlane-cli/tests/generate.rs` holds the command to the same file.
    let generator = Generator::from_json(include_str!("../../../crates/fairlane/tests/page-generator.json"))
        .expect("a good file");
    let native = generator.scenario().expect("good parameters");
    assert_eq!(page, native.to_json());
    assert!(jobs.starts_with(&format!("{} jobs of", native.jobs().len())), "{jobs}");

    // It is a step like any other.
    lab.click("#undo");
    lab.wait_until("document.querySelector('#scenario').value === 'two-users'");
    lab.wait_until(READY);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_load_beyond_the_cores_is_warned_of_and_the_tasks_are_forecast() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    steps::click(&lab, "#generator");
    type_into(&lab, "#gen-load", "8");
    lab.wait_until("document.querySelector('#gen-summary').innerText.includes('Warning: that is 8.0 times')");
    assert!(lab.text("#gen-summary").contains("tasks ("), "{}", lab.text("#gen-summary"));
    type_into(&lab, "#gen-load", "0.8");
    lab.wait_until("document.querySelector('#gen-summary').innerText.includes('a load of 0.80')");
    assert!(!lab.text("#gen-summary").contains("Warning"));
}

#[test]
fn a_wrong_figure_is_reported_beside_its_field() {
    let site = Site::dist();
    let lab = steps::open(&site, "skew");
    lab.look(Look::PHONE);
    steps::click(&lab, "#generator");
    type_into(&lab, "#gen-load", "-1");
    lab.wait_until("document.querySelector('#gen-load').getAttribute('aria-invalid') === 'true'");
    assert_eq!(lab.text("#gen-load-help"), "must be more than 0");
    assert_eq!(lab.eval("document.querySelector('#gen-make').disabled"), true);
    type_into(&lab, "#gen-load", "1");
    lab.wait_until("!document.querySelector('#gen-make').disabled");
    lab.press("\u{e007}");
    lab.wait_until("document.querySelector('#scenario option:checked').innerText === 'Generated, seed 0'");
    lab.wait_until(READY);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_surprise_shows_its_seed_and_keeps_the_policies_parameters() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    steps::click(&lab, "#more-cluster");
    lab.select("#uwfq-late_stage", "top");
    steps::click(&lab, "#generator");
    steps::click(&lab, "#gen-surprise");
    lab.wait_until("document.querySelector('#gen-seed').value !== '0'");
    let seed = lab.eval("document.querySelector('#gen-seed').value");
    let seed = seed.as_str().expect("a seed").to_owned();
    steps::click(&lab, "#gen-make");
    lab.wait_until(&format!(
        "document.querySelector('#scenario option:checked').innerText === 'Generated, seed {seed}'"
    ));
    lab.wait_until(READY);
    assert_eq!(lab.eval("document.querySelector('#uwfq-late_stage').value"), "top");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_papers_workload_fills_the_form_and_can_be_changed() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    steps::click(&lab, "#generator");
    lab.select("#gen-workload", "justice");
    lab.wait_for("#gen-executors");
    assert_eq!(lab.eval("document.querySelector('#gen-executors').value"), "12");
    assert_eq!(lab.eval("document.querySelector('#gen-preset-jobs').value"), "160");
    type_into(&lab, "#gen-seed", "7");
    type_into(&lab, "#gen-cores", "2");
    type_into(&lab, "#gen-preset-spread", "2");
    lab.wait_until("document.querySelector('#gen-preset-spread').getAttribute('aria-invalid') === 'true'");
    assert_eq!(lab.text("#gen-preset-spread-help"), "must be a number from 0 to 0.99");
    type_into(&lab, "#gen-preset-spread", "0.2");
    type_into(&lab, "#gen-preset-jobs", "90");
    lab.wait_until("document.querySelector('#gen-summary').innerText.includes('on 24 cores')");
    assert!(lab.text("#gen-summary").starts_with("90 jobs of"), "{}", lab.text("#gen-summary"));
    steps::click(&lab, "#gen-make");
    lab.wait_until("document.querySelector('#scenario option:checked').innerText.includes('seed 7')");
    lab.wait_until(READY);
    lab.click("#undo");
    lab.wait_until("document.querySelector('#scenario').value === 'two-users'");
    lab.wait_until(READY);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
