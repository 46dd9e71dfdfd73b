//! The report on how close the simulator is to real Spark, opened on the page.

use e2e::{Lab, Site, json};
use fairlane_study::fidelity::figures::FidelityFigures;

use crate::steps;

/// The cells of a table's row; rows count from 1.
fn row(lab: &Lab, table: &str, number: usize) -> Vec<String> {
    lab.texts(&format!("{table} tbody tr:nth-child({number}) > *"))
}

#[test]
fn the_report_opens_closes_and_leads_to_its_scenarios() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let figures: FidelityFigures =
        serde_json::from_str(include_str!("../../../src/panels/guide/fidelity/report.json"))
            .expect("the report");

    lab.click("#fidelity");
    lab.wait_for("#fidelity-dialog[open] #fidelity-recorded");
    assert_eq!(lab.count("#fidelity-recorded tbody tr"), figures.recorded.runs.len());
    assert_eq!(lab.count("#fidelity-table-1 tbody tr"), 10);
    assert_eq!(lab.count("#fidelity-table-2 tbody tr"), 8);
    let run = &figures.recorded.runs[0];
    let shown = row(&lab, "#fidelity-recorded", 1);
    assert_eq!(shown[0], run.workload);
    assert_eq!(shown[4], format!("{:.2}", run.simulated_mean_response_s));
    let first = &figures.table_1.rows[0];
    let shown = row(&lab, "#fidelity-table-1", 1);
    assert_eq!(
        shown[2..4],
        [format!("{:.2}", first.measured.mean_response_s), format!("{:.2}", first.simulated.mean_response_s)]
    );

    // The keyboard closes it and is back where it was.
    lab.press("\u{e00c}");
    lab.wait_until("document.querySelector('#fidelity-dialog') === null");
    assert_eq!(lab.eval("document.activeElement.id"), json!("fidelity"));

    lab.click("#fidelity");
    lab.click("[data-play=paper-scenario-2]");
    lab.wait_until("document.querySelector('#fidelity-dialog') === null");
    lab.wait_until(steps::READY);
    assert_eq!(lab.eval("document.querySelector('#scenario').value"), json!("paper-scenario-2"));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
