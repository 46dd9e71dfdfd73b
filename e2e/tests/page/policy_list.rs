//! The list of policies: searched and ticked by keys, with sentences and parameters.

use e2e::{Key, Lab, Look, Site, json};

use crate::steps::{self, READY};

/// The policies that are in sight.
#[track_caller]
fn listed(lab: &Lab) -> Vec<String> {
    lab.texts(".policies > div .policy summary, .policies .more[open] > details[open] .policy summary")
}

#[track_caller]
fn focused(lab: &Lab) -> String {
    lab.eval("document.activeElement.id").as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_policy_is_found_and_ticked_by_keys() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    lab.click("#find-policy");
    lab.press("justice");
    lab.wait_until("document.querySelectorAll('.policy').length === 4");
    assert_eq!(listed(&lab), ["Baseline FS", "Reactive FS", "Deadline oracle", "Justice"]);
    lab.press(Key::Down);
    assert_eq!(focused(&lab), "policy-baseline-fs");
    lab.press(Key::Right);
    assert_eq!(focused(&lab), "policy-baseline-fs-p");
    for _ in 0..9 {
        lab.press(Key::Down);
    }
    assert_eq!(focused(&lab), "policy-justice-p");
    lab.press(Key::Left);
    lab.press(" ");
    lab.wait_until("document.querySelector('#panel-justice[data-state=done]')");
    // Its sentence, which is whole, and its parameters are shown on demand.
    const UNFOLD: &str = ".policy:has(#about-justice) summary";
    steps::click(&lab, UNFOLD);
    assert!(lab.text("#about-justice").contains("former jobs suggest"), "{}", lab.text("#about-justice"));
    assert_eq!(lab.eval("document.querySelector('#justice-kill_above_tasks').value"), json!("10"));
    lab.press(Key::Escape);
    assert_eq!(focused(&lab), "find-policy");
    assert_eq!(lab.eval("document.querySelector('#find-policy').value"), json!(""));
    // The group of what has been ticked stays open.
    assert!(listed(&lab).contains(&"Justice".to_owned()) && listed(&lab).contains(&"FIFO".to_owned()));
    assert!(!listed(&lab).contains(&"PAF".to_owned()), "{:?}", listed(&lab));
    lab.press("nothing like it");
    lab.wait_until("document.querySelectorAll('.policy').length === 0");
    assert!(lab.text(".policies").contains("No policy matches"));
    lab.press(Key::Escape);

    // A parameter is changed where it is, undone like any edit, and tuned.
    lab.wait_for(UNFOLD);
    steps::click(&lab, UNFOLD);
    lab.eval("document.querySelector('#justice-smoothing').select()");
    lab.keys("#justice-smoothing", "0.5");
    lab.press(Key::Return);
    lab.wait_until("!document.querySelector('#undo').disabled");
    lab.wait_until(READY);
    lab.click("#undo");
    lab.wait_until("document.querySelector('#justice-smoothing').value !== '0.5'");
    lab.eval("document.querySelector('#justice-tune-smoothing').focus()");
    lab.press(Key::Return);
    lab.wait_until("document.querySelector('#chart-kind')?.value === 'tune'");
    assert_eq!(lab.eval("document.querySelector('#chart-policy').value"), json!("justice"));
    // The help has the full names.
    lab.click("#help");
    let help = lab.text("#help-dialog");
    assert!(help.contains("UJF: User-Job Fairness") && help.contains("Performance-Aware Fair"), "{help}");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn the_search_works_on_a_phone() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::PHONE, "two-users");
    steps::click(&lab, "#find-policy");
    lab.press("dominant resource");
    lab.wait_until("document.querySelectorAll('.policy').length === 1");
    let tick = lab.rect("#policy-drf");
    let box_of = lab.rect(".tick:has(#policy-drf)");
    assert!(box_of.height >= 40.0 && tick.width >= 20.0, "{box_of:?}");
    steps::click(&lab, "#policy-drf");
    lab.wait_until("document.querySelector('#panel-drf[data-state=done]')");
    lab.wait_until(READY);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// FAIR pools of the users' names and weights are UJF; without pools both users share one, which is FIFO inside.
#[test]
fn a_fair_pool_for_each_user_makes_spark_ujf() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:weights&policies=spark,ujf");
    lab.wait_until(READY);
    let figure = |policy: &str| lab.text(&format!("#panel-{policy} .figure"));
    let before = figure("spark");
    assert_ne!(before, figure("ujf"));
    // The policy is ticked: its pools are in sight with the set-up.
    lab.click("#open-set-up");
    lab.wait_until("document.querySelector('#spark-pools').checkVisibility()");
    steps::click(&lab, "#spark-pools-users");
    lab.wait_for("[data-pool=ben]");
    // Both run the same schedule, which is shown once.
    lab.wait_until("document.querySelector('#panel-spark') === null");
    lab.wait_until("document.querySelector('#panel-ujf h2').innerText.includes('UJF and Spark')");
    let fields = "[...document.querySelectorAll('#spark-pools tbody tr')].map(row => \
        [row.dataset.pool, row.querySelector('select').value, row.querySelector('[id$=weight]').value])";
    assert_eq!(lab.eval(fields), json!([["ana", "FAIR", "3"], ["ben", "FAIR", "1"]]));
    steps::click(&lab, "#spark-pools-none");
    lab.wait_until("document.querySelector('[data-pool=ben]') === null");
    lab.wait_for("#panel-spark .figure");
    lab.wait_until(&format!(
        "document.querySelector('#panel-spark .figure').innerText === {}",
        json!(before)
    ));
}
