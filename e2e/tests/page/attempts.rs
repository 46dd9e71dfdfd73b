//! Executors that are taken away and jobs that are cancelled at the playhead, and what becomes of their attempts.

use e2e::{Lab, Look, Site, json};
use fairlane::Scenario;
use fairlane::ids::JobId;
use fairlane::scenario::edit::ObjectPath;
use fairlane::scenario::{Edit, Preemption};
use fairlane::units::Time;

use crate::editors::fill;
use crate::steps::{self, READY};

/// Moves the playhead by a press on the ruler; to where, in microseconds, as the page says.
fn seek(lab: &Lab, fraction: f64) -> Time {
    let plot = lab.rect(".axis .plot");
    lab.drag(plot.at(fraction, 0.5), plot.at(fraction, 0.5));
    let now = lab.text("#now");
    let seconds: f64 = now.split_whitespace().next().and_then(|text| text.parse().ok()).expect("an instant");
    Time((seconds * 1e6).round() as u64)
}

/// The page has simulated a scenario natively known.
#[track_caller]
fn shows(lab: &Lab, scenario: &Scenario) {
    for policy in ["fair", "uwfq"] {
        let hash = format!("{:016x}", fairlane::simulate(scenario, steps::policy(policy)).hash());
        lab.wait_until(&format!("document.querySelector('#panel-{policy} .hash')?.textContent === '{hash}'"));
    }
    lab.wait_until(READY);
}

#[test]
fn a_press_on_an_executor_takes_it_away_and_a_second_one_brings_it_back() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let scenario = steps::native("two-users");
    let name = "#panel-fair .executor-handle:nth-of-type(2)";
    let label = lab.eval(&format!("document.querySelector({}).ariaLabel", json!(name)));
    assert!(label.as_str().is_some_and(|label| label.starts_with("executor 1")), "{label}");
    let lost_at = seek(&lab, 0.2);
    lab.click(name);
    let lost = scenario.with(&Edit::toggle_executor(&scenario, 1, lost_at)).expect("a possible edit");
    shows(&lab, &lost);
    // Attempts that ended with it are hatched, the executor is away, and the time that came to nothing is counted.
    assert!(lab.count("#panel-fair .killed") > 0 && lab.count("#panel-fair .absent") == 1);
    assert!(lab.texts("#panel-fair .figure").iter().any(|figure| figure.starts_with("wasted")));
    let back_at = seek(&lab, 0.5);
    lab.click(name);
    let back = lost.with(&Edit::toggle_executor(&lost, 1, back_at)).expect("a possible edit");
    shows(&lab, &back);
    // The set-up has the same, for keys.
    steps::click(&lab, "#attempts-and-places");
    assert_eq!(lab.eval("document.querySelector('#loss-0-executor').value"), json!("1"));
    steps::click(&lab, "#loss-0-remove");
    shows(&lab, &scenario);
    for expected in [&back, &lost, &scenario] {
        lab.click("#undo");
        shows(&lab, expected);
    }
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// The executor is lost under a task of `two-users`; a press on the end of the killed attempt answers both questions.
#[test]
fn a_press_on_a_killed_attempt_says_why_it_was_killed_and_when_it_runs_again() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let scenario = steps::native("two-users");
    let lost_at = seek(&lab, 0.2);
    lab.click("#panel-fair .executor-handle:nth-of-type(2)");
    let lost = scenario.with(&Edit::toggle_executor(&scenario, 1, lost_at)).expect("a possible edit");
    shows(&lab, &lost);
    let (x, y) = lab.rect("#panel-fair .killed").at(1.0, 0.5);
    let press = (x - 3.0, y);
    lab.drag(press, press);
    lab.wait_for("#why-killed");
    let story = lab.text("#why-killed");
    assert!(story.contains("killed: executor 1 was lost at"), "{story}");
    assert!(story.contains("The task runs again from"), "{story}");
    assert!(!lab.text("#why-sentence").is_empty());
    lab.click("#tab-compare");
    let columns = lab.texts("#overview thead th");
    assert!(columns.iter().any(|column| column.starts_with("wasted")), "{columns:?}");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Handles of all executors in all panels stay where they are when one is pressed, so that a second press hits the same
/// one; so do the schedules when the playhead comes to where more users are active.
#[test]
fn nothing_that_one_presses_moves_when_an_executor_is_lost() {
    let site = Site::dist();
    for entry in ["two-users", "paper-scenario-1"] {
        let lab = steps::open(&site, entry);
        let places = "JSON.stringify([...document.querySelectorAll('.executor-handle, .panel')]\
            .map(it => it.getBoundingClientRect())\
            .map(({ x, y, width, height }) => [x, y, width, height].map(Math.round)))";
        let before = lab.eval(places);
        for fraction in [0.0, 0.2, 0.5] {
            seek(&lab, fraction);
            assert_eq!(lab.eval(places), before, "{entry}, at {fraction}");
        }
        seek(&lab, 0.2);
        lab.click("#panel-fair .executor-handle:nth-of-type(2)");
        lab.wait_for("#panel-fair .killed");
        lab.wait_until(READY);
        assert!(
            lab.texts("#panel-fair .figure").iter().any(|figure| figure.starts_with("wasted")),
            "{entry}"
        );
        assert_eq!(lab.eval(places), before, "{entry}, with a loss");
        assert_eq!(lab.console_errors(), Vec::<String>::new());
    }
}

/// In columns all panels are as high as each other when two are alike: merged, apart and folded again. There and below it,
/// they are as high before the figures at the playhead are there as with them.
#[test]
fn panels_that_are_alike_are_as_high_as_the_others() {
    let site = Site::dist();
    for look in [Look::DESK, Look::DESK.sized(1024, 768)] {
        let lab = Lab::open_as(&site, look, "#catalog:two-users&policies=fifo,fair,cfq,uwfq");
        let heights = || -> Vec<f64> {
            let heights =
                "[...document.querySelectorAll('.panel')].map(panel => panel.getBoundingClientRect().height)";
            serde_json::from_value(lab.eval(heights)).expect("numbers")
        };
        let are_alike = |one: f64, other: f64| (one - other).abs() < 1.0;
        let in_columns = look.width >= 1200;
        let check = |what: &str| {
            let heights = heights();
            let alike = heights.iter().all(|height| are_alike(*height, heights[0]));
            assert!(alike || !in_columns, "{what}: {heights:?}");
            heights
        };
        lab.wait_for("#unfold-cfq");
        let early = heights();
        lab.wait_until(READY);
        let merged = check("merged");
        assert!(
            early.iter().zip(&merged).all(|(early, late)| are_alike(*early, *late)),
            "{early:?} {merged:?}"
        );
        for fraction in [0.1, 0.5] {
            seek(&lab, fraction);
            let now = heights();
            assert!(
                now.iter().zip(&merged).all(|(now, first)| are_alike(*now, *first)),
                "{now:?} {merged:?}"
            );
        }
        lab.click("#unfold-cfq");
        lab.wait_for("#panel-cfq[data-state=done]");
        lab.wait_until(READY);
        check("apart");
        lab.click("#fold-cfq");
        lab.wait_until("!document.querySelector('#panel-cfq')");
        check("folded again");
        assert_eq!(lab.console_errors(), Vec::<String>::new());
    }
}

/// The button that takes executors away stays where it is when it is pressed.
#[test]
fn the_button_of_losses_stays_where_it_is() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    steps::click(&lab, "#attempts-and-places");
    seek(&lab, 0.5);
    lab.eval("document.querySelector('#lose').scrollIntoView({ block: 'center', behavior: 'instant' })");
    let top = "document.querySelector('#lose').getBoundingClientRect().top";
    let place = lab.eval(top).as_f64();
    // Another press would scroll first.
    lab.eval("document.querySelector('#lose').click()");
    lab.wait_until("document.querySelector('#undo').disabled === false");
    lab.wait_until(READY);
    // A second press hits it again.
    let moved = place.zip(lab.eval(top).as_f64()).map(|(before, after)| (before - after).abs());
    assert!(moved.is_some_and(|pixels| pixels < 1.0), "{moved:?}");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// What to look for in an entry about attempts leads to its lesson.
#[test]
fn a_catalog_entry_about_attempts_leads_to_its_lesson() {
    let site = Site::dist();
    for (entry, lesson) in [("preemption", "why-not-kill"), ("machine-dies", "a-machine-dies")] {
        let lab = steps::open(&site, entry);
        steps::click(&lab, &format!(".about [data-lesson='{lesson}']"));
        lab.wait_for(".lesson");
        assert_eq!(lab.console_errors(), Vec::<String>::new());
    }
}

#[test]
fn slow_executors_second_attempts_and_preemption_are_switches_of_the_set_up() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let cluster =
        |field: &'static str, value: serde_json::Value| Edit::set(ObjectPath::Cluster, field, value);
    let mut scenario = steps::native("two-users");
    steps::click(&lab, "#attempts-and-places");
    lab.eval(
        "(slider => { slider.value = '0.25'; slider.dispatchEvent(new Event('change', { bubbles: true })); })\
         (document.querySelector('#speed-1'))",
    );
    scenario = scenario.with(&cluster("speeds", json!([1.0, 0.25]))).expect("a possible edit");
    shows(&lab, &scenario);
    steps::click(&lab, "#speculation");
    scenario = scenario.with(&cluster("speculation", json!({}))).expect("a possible edit");
    shows(&lab, &scenario);
    assert_eq!(lab.count("#speculation-quantile"), 1);
    // Preemption begins with what suits tasks of this length, and has what was typed when it is switched on again.
    steps::click(&lab, "#preemption");
    let suiting = Preemption::suiting(&scenario);
    scenario = scenario.with(&Edit::preemption(Some(&suiting))).expect("a possible edit");
    shows(&lab, &scenario);
    fill(&lab, "#preemption-threshold", "0.75");
    let typed = Edit::set(ObjectPath::Preemption, "threshold", 0.75);
    let typed = scenario.with(&typed).expect("a possible edit");
    shows(&lab, &typed);
    steps::click(&lab, "#preemption");
    shows(&lab, &typed.with(&Edit::preemption(None)).expect("a possible edit"));
    steps::click(&lab, "#preemption");
    shows(&lab, &typed);
    // Rows of the slow executor say so, and each of these has a lesson.
    assert!(lab.texts("#panel-fair .core.slow").iter().all(|text| text.ends_with("¼×")));
    assert!(lab.count("#panel-fair .core.slow") > 0);
    for lesson in ["a-machine-dies", "slow-machine", "why-not-kill", "wait-for-your-data"] {
        assert_eq!(lab.count(&format!(".hint [data-lesson='{lesson}']")), 1);
    }
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_job_becomes_a_micro_batch_in_its_editor() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let mut scenario = steps::native("two-users");
    let job = JobId(1);
    steps::click(&lab, "#lanes [data-job='1']");
    steps::edit_job(&lab);
    steps::click(&lab, "#job-after-section");
    fill(&lab, "#job-after", "1");
    lab.wait_until("document.querySelector('#job-after-help')?.textContent.includes('is the job itself')");
    fill(&lab, "#job-after", "0");
    scenario = scenario.with(&Edit::wait_for(&scenario, job, Some(JobId(0)))).expect("a possible edit");
    shows(&lab, &scenario);
    steps::click(&lab, "#job-batch");
    let of = ObjectPath::Predecessor(job);
    scenario = scenario.with(&Edit::set(of, "batch", true)).expect("a possible edit");
    shows(&lab, &scenario);
    assert_eq!(lab.text("#job-after-section"), "Micro-batch after ana-1");
    let label = lab.eval("document.querySelector(\"#lanes [data-job='1']\").ariaLabel");
    assert!(
        label.as_str().is_some_and(|label| label.contains("a micro-batch: arrives at 0.000 s")),
        "{label}"
    );
    lab.click("#undo");
    lab.click("#undo");
    shows(&lab, &steps::native("two-users"));
    assert_eq!(lab.text("#job-after-section"), "Sessions and micro-batches");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_job_is_cancelled_at_the_playhead() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let scenario = steps::native("two-users");
    let at = seek(&lab, 0.3);
    steps::click(&lab, "#lanes [data-job='0']");
    steps::edit_job(&lab);
    steps::click(&lab, "#job-cancel-section");
    steps::click(&lab, "#job-cancel-now");
    let cancelled = scenario.with(&Edit::toggle_cancellation(&scenario, JobId(0), at));
    shows(&lab, &cancelled.expect("a possible edit"));
    lab.click("#undo");
    shows(&lab, &scenario);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
