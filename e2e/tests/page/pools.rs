//! Pools of Spark's scheduler, executors that come and go, and what these cost.

use e2e::{Lab, Look, Site, json};
use fairlane::Scenario;
use fairlane::policy::spark::{Pool, PoolMode};
use fairlane::scenario::edit::{Edit, ObjectPath};

use crate::axe;
use crate::editors::fill;
use crate::gestures::shows;
use crate::steps;

fn spark(field: &'static str, value: serde_json::Value) -> Edit {
    Edit::set(ObjectPath::Policy("spark".into()), field, value)
}

fn edited(scenario: &Scenario, edits: &[Edit]) -> Scenario {
    edits.iter().fold(scenario.clone(), |scenario, edit| scenario.with(edit).expect("a possible edit"))
}

/// The names in the table of pools.
fn names(lab: &Lab) -> serde_json::Value {
    lab.eval("[...document.querySelectorAll('#spark-pools tbody tr')].map(row => row.dataset.pool)")
}

#[test]
fn pools_are_edited_pasted_and_opened() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users&policies=spark,ujf");
    let native = steps::native("two-users");
    lab.wait_for("#spark-pools");
    assert_eq!(names(&lab), json!(["default"]));
    assert!(lab.text("#spark-pools").contains("assumed"), "{}", lab.text("#spark-pools"));
    steps::click(&lab, "#spark-pools-users");
    lab.wait_for("[data-pool=ben]");
    let mut pools: Vec<Pool> = native.users().iter().map(Pool::fair_for).collect();
    let with = |pools: &[Pool]| edited(&native, &[spark("pools", json!(pools)), spark("by", json!("user"))]);
    shows(&lab, &with(&pools));
    fill(&lab, "#spark-pool-1-weight", "3");
    pools[1].weight = 3;
    shows(&lab, &with(&pools));
    fill(&lab, "#spark-pool-1-weight", "0");
    lab.wait_for(".field.wrong #spark-pool-1-weight");
    lab.select("#spark-pool-0-mode", "FIFO");
    pools[0].mode = PoolMode::Fifo;
    shows(&lab, &with(&pools));
    axe::inject(&lab);
    assert_eq!(axe::faults(&lab, "the table of pools"), Vec::<String>::new());

    // A file, pasted and opened.
    steps::click(&lab, "#spark-pools-paste");
    let paste = |text: &str| {
        lab.eval(&format!("document.querySelector('#spark-pools-text').value = {}", json!(text)));
        steps::click(&lab, "#spark-pools-use");
    };
    paste("weight=3");
    lab.wait_until("document.querySelector('.pools [role=alert]')?.innerText.includes('pools file')");
    paste("<allocations><pool name='ben'><weight>2</weight></pool></allocations>");
    lab.wait_until("document.querySelector('#spark-pool-1-weight')?.value === '2'");
    assert_eq!(names(&lab), json!(["ana", "ben"]));
    let files = steps::Files::new();
    let file = "<allocations><pool name='etl'><schedulingMode>FAIR</schedulingMode></pool></allocations>";
    lab.upload("#file", files.write("fairscheduler.xml", file));
    lab.wait_for("[data-pool=etl]");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn executors_come_and_go_and_have_a_cost() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users&policies=spark");
    let native = steps::native("two-users");
    steps::click(&lab, "#dynamic-allocation");
    steps::click(&lab, "#dynamic-add");
    fill(&lab, "#dynamic-idle", "0.5");
    let dynamic = [
        Edit::set(ObjectPath::Cluster, "dynamic_allocation", json!({})),
        Edit::set(ObjectPath::DynamicAllocation, "idle_s", 0.5),
    ];
    shows(&lab, &edited(&native, &dynamic));
    lab.wait_for("#panel-spark .executors path");
    steps::click(&lab, "#all-tables summary");
    lab.wait_until("document.querySelector('#overview')?.innerText.includes('held, core-s')");
    steps::click(&lab, "#tab-charts");
    lab.select("#chart-kind", "cost");
    lab.select("#chart-cost", "idle time-out");
    lab.wait_until("!document.querySelector('#sweep-progress')");
    steps::click(&lab, "#chart-table");
    lab.wait_until("document.querySelector('#chart-numbers')?.innerText.includes('Pareto edge')");
    assert!(lab.text("#chart-numbers").contains("idle for 60 s"), "{}", lab.text("#chart-numbers"));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn pools_fit_a_phone() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::PHONE, "two-users&policies=spark");
    lab.click("#tab-set-up");
    lab.wait_until("document.querySelector('#spark-pools')?.checkVisibility()");
    steps::click(&lab, "#spark-pools-users");
    lab.wait_for("[data-pool=ben]");
    let width = lab.eval("document.documentElement.scrollWidth <= innerWidth");
    assert_eq!(width, json!(true));
}
