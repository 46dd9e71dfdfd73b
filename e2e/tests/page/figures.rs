//! The page's figures are the native simulator's, to the last digit shown.

use e2e::{Lab, Site, Value, json};
use fairlane::engine::Control;
use fairlane::metrics::{
    self, Baselines, Deviation, Evaluation, EvaluationDetail, ResponsePercentiles, Summary,
};
use fairlane::units::Span;
use fairlane::{PolicyId, Scenario};

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
    let all = steps::papers_policies();
    steps::tick_exactly(&lab, &all);
    assert_eq!(steps::panels(&lab), all.iter().map(ToString::to_string).collect::<Vec<_>>());

    let scenario = steps::native(name);
    let (mut summaries, mut baselines) = (Vec::new(), Baselines::new(1));
    for &policy in &all {
        let record =
            metrics::evaluate(&scenario, policy, EvaluationDetail::Full, &mut baselines, &mut |_| {
                Control::Continue
            });
        let Evaluation { trace, summary, .. } = record.expect("nobody asks to stop");
        let hash = lab.text(&format!("#panel-{policy}[data-state=done] code.hash"));
        assert_eq!(hash, format!("{:016x}", trace.hash()), "the schedule of {policy}");
        summaries.push(summary);
    }

    lab.click("#all-tables summary");
    let percentiles =
        |of: fn(ResponsePercentiles) -> f64| summaries.iter().map(move |summary| summary.percentiles.map(of));
    let overview = [
        column("mean", summaries.iter().map(|summary| summary.mean_response)),
        column("worst 10 %", summaries.iter().map(|summary| summary.worst_decile)),
        column("slowdown", summaries.iter().map(|summary| summary.mean_slowdown)),
        column("makespan", summaries.iter().map(|summary| summary.makespan.map(Span::seconds))),
        column("median", percentiles(|percentiles| percentiles.p50)),
        column("p95", percentiles(|percentiles| percentiles.p95)),
        column("p99", percentiles(|percentiles| percentiles.p99)),
    ];
    assert_eq!(table(&lab, "#overview"), expected(&all, &overview));
    assert_eq!(table(&lab, "#by-user"), expected(&all, &by_user(&scenario, &summaries)));
    let groups = ["0–80 %", "80–95 %", "95–100 %"].into_iter().enumerate();
    let mut by_group: Vec<Column> = groups
        .map(|(group, name)| column(name, summaries.iter().map(|summary| summary.by_group[group])))
        .collect();
    by_group.push(column("worst slowdowns", summaries.iter().map(|summary| summary.worst_decile_slowdown)));
    assert_eq!(table(&lab, "#by-group"), expected(&all, &by_group));

    // UJF has nothing to show against itself.
    let ujf = summaries.iter().zip(&all).map(|(summary, policy)| {
        summary.ujf.as_ref().filter(|_| !policy.to_string().starts_with("ujf")).map(|ujf| ujf.overall)
    });
    let mut against_ujf = deviation(&ujf.collect::<Vec<_>>());
    against_ujf.push(most("Jain", 3, summaries.iter().map(|summary| summary.jain)));
    assert_eq!(table(&lab, "#against-ujf"), expected(&all, &against_ujf));

    let ideal: Vec<_> = summaries.iter().map(|summary| Some(summary.fluid.overall)).collect();
    let mut against_ideal = deviation(&ideal);
    let furthest = summaries.iter().map(|summary| summary.unfairness.map(|furthest| furthest.delay / 1e6));
    against_ideal.push(column("worst delay, s", furthest));
    assert_eq!(table(&lab, "#against-ideal"), expected(&all, &against_ideal));

    let blocking = |summary: &Summary| summary.blocking.clone().expect("it was asked for");
    let inversion =
        summaries.iter().map(|summary| blocking(summary).total_inversion().map(|span| span.seconds()));
    let idle = summaries.iter().map(|summary| Some(blocking(summary).straggler_idle.seconds()));
    let shown = table(&lab, "#use-of-cores");
    assert_eq!(shown[0], json!(["policy", "utilization", "inversion", "straggler idle"]));
    let without_utilization =
        expected(&all, &[column("inversion", inversion), column("straggler idle", idle)]);
    for (row, (_, summary)) in all.iter().zip(&summaries).enumerate() {
        let in_use = format!("{:.1} %", summary.utilization.expect("work") * 100.0);
        assert_eq!(shown[1][row][1][0][0], json!(in_use));
        assert_eq!(shown[1][row][1][1], without_utilization[1][row][1][0]);
        assert_eq!(shown[1][row][1][2], without_utilization[1][row][1][1]);
    }
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// A heading, and below it each figure as shown with whether it is marked as the best.
type Column = (String, Vec<(String, bool)>);

fn by_user(scenario: &Scenario, summaries: &[Summary]) -> Vec<Column> {
    let users = scenario.users().iter().enumerate();
    users
        .map(|(user, spec)| column(&spec.name, summaries.iter().map(|summary| summary.by_user[user])))
        .collect()
}

fn deviation(of: &[Option<Deviation>]) -> Vec<Column> {
    let count =
        |figure: fn(&Deviation) -> usize| of.iter().map(move |of| of.as_ref().map(|of| figure(of) as f64));
    let fewest = most("violations", 0, count(|of| of.violations).map(|count| count.map(|count| -count)));
    let positive = |(text, best): (String, bool)| (text.trim_start_matches('-').to_owned(), best);
    vec![
        column("DVR", of.iter().map(|of| of.and_then(|of| of.dvr))),
        (fewest.0, fewest.1.into_iter().map(positive).collect()),
        most("DSR", 2, of.iter().map(|of| of.and_then(|of| of.dsr))),
        most("slacks", 0, count(|of| of.slacks)),
    ]
}

/// The largest figures are the best, unless all are equal as shown.
fn most(name: &str, decimals: usize, values: impl Iterator<Item = Option<f64>>) -> Column {
    let shown = |value: f64| format!("{value:.decimals$}");
    let values: Vec<Option<f64>> = values.collect();
    let best = values.iter().flatten().copied().reduce(f64::max).map(shown);
    let differ = values.iter().flatten().any(|&value| Some(shown(value)) != best);
    let cell = |value: Option<f64>| match value.map(shown) {
        None => ("–".to_owned(), false),
        Some(text) => (text.clone(), differ && Some(text) == best),
    };
    (name.to_owned(), values.into_iter().map(cell).collect())
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
    let row = |index: usize| {
        let cells = columns.iter().map(|(_, cells)| json!(cells[index]));
        json!([policies[index].title(), cells.collect::<Vec<_>>()])
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
