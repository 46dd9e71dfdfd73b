//! The page's figures are the native simulator's, to the last digit shown.

use e2e::{Lab, Site, Value, json};
use fairlane::metrics::{Summary, alone_responses};
use fairlane::{PolicyId, Scenario, simulate};

use crate::steps;

#[test]
fn ten_policies_of_the_papers_scenario_equal_the_native_ones() {
    equal_the_native_ones("paper-scenario-1");
}

#[test]
fn ten_policies_of_the_two_users_equal_the_native_ones() {
    equal_the_native_ones("two-users");
}

#[test]
fn a_single_policy_has_no_best() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    steps::tick_exactly(&lab, &[steps::policy("ujf")]);
    assert_eq!(lab.count("td.best"), 0);
    lab.click("#policy-ujf");
    lab.wait_for(".empty");
    assert_eq!((lab.count(".panel"), lab.count("tbody tr")), (0, 0));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[track_caller]
fn equal_the_native_ones(name: &str) {
    let site = Site::dist();
    let lab = steps::open(&site, name);
    let all = steps::all_ten();
    steps::tick_exactly(&lab, &all);
    assert_eq!(steps::panels(&lab), all.iter().map(ToString::to_string).collect::<Vec<_>>());

    let scenario = steps::native(name);
    let mut summaries = Vec::new();
    for &policy in &all {
        let trace = simulate(&scenario, policy);
        let hash = lab.text(&format!("#panel-{policy}[data-state=done] code.hash"));
        assert_eq!(hash, format!("{:016x}", trace.hash()), "the schedule of {policy}");
        summaries.push(Summary::new(&scenario, &trace, &alone_responses(&scenario, policy)));
    }

    let overview = [
        column("mean", summaries.iter().map(|summary| Some(summary.mean_response))),
        column("worst 10 %", summaries.iter().map(|summary| Some(summary.worst_decile))),
        column("slowdown", summaries.iter().map(|summary| Some(summary.mean_slowdown))),
        column("makespan", summaries.iter().map(|summary| Some(summary.makespan.seconds()))),
    ];
    assert_eq!(table(&lab, "#overview"), expected(&all, &overview));
    assert_eq!(table(&lab, "#by-user"), expected(&all, &by_user(&scenario, &summaries)));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// A heading, and below it each figure as shown with whether it is marked as the best.
type Column = (String, Vec<(String, bool)>);

fn by_user(scenario: &Scenario, summaries: &[Summary]) -> Vec<Column> {
    let users = scenario.users.iter().enumerate();
    users
        .map(|(user, spec)| column(&spec.name, summaries.iter().map(|summary| summary.by_user[user])))
        .collect()
}

/// The smallest figures are the best, unless all are equal; equal means to a hundredth of a second.
fn column(name: &str, values: impl Iterator<Item = Option<f64>>) -> Column {
    let values: Vec<Option<f64>> = values.collect();
    let cents = |value: f64| (value * 100.0).round() as i64;
    let least = values.iter().flatten().map(|&value| cents(value)).min();
    let differ = values.iter().flatten().any(|&value| Some(cents(value)) != least);
    let cell = |value: Option<f64>| match value {
        None => ("–".to_owned(), false),
        Some(value) if value < 99.995 => (format!("{value:.2}"), differ && Some(cents(value)) == least),
        Some(value) => (format!("{value:.1}"), differ && Some(cents(value)) == least),
    };
    (name.to_owned(), values.into_iter().map(cell).collect())
}

fn expected(policies: &[PolicyId], columns: &[Column]) -> Value {
    let head: Vec<&str> =
        std::iter::once("policy").chain(columns.iter().map(|(name, _)| name.as_str())).collect();
    let row = |place: usize| {
        let cells = columns.iter().map(|(_, cells)| json!(cells[place]));
        json!([policies[place].title(), cells.collect::<Vec<_>>()])
    };
    json!([head, (0..policies.len()).map(row).collect::<Vec<_>>()])
}

fn table(lab: &Lab, css: &str) -> Value {
    lab.eval(&format!(
        "(() => {{ const table = document.querySelector('{css}'); return [
          Array.from(table.tHead.rows[0].cells, cell => cell.innerText),
          Array.from(table.tBodies[0].rows, row => [row.cells[0].innerText, Array.from(row.cells).slice(1).map(cell =>
            [(cell.querySelector('b') ?? cell).innerText, cell.classList.contains('best')])])]; }})()"
    ))
}
