//! Queues, deadlines and memory: what lanes, charts and explanations show of them.

use e2e::{Lab, Look, Site, json};

use crate::steps::{self, Files, READY};

/// ana's bursts have windows and a hard guarantee, ben's job is dropped at its deadline under Reactive FS, and cy is
/// rejected under BoPF: three queues would leave too little for ana.
pub const SCENARIO: &str = r#"{ "format": "fairlane/scenario@1", "name": "Queues", "cluster": { "executors": 2, "cores_per_executor": 2, "memory_mb_per_executor": 4096 },
    "users": [
        { "name": "ana", "queue": { "kind": "latency", "period_s": 8, "within_s": 4, "demand_core_s": 12 } },
        { "name": "ben" }, { "name": "cy", "queue": { "kind": "throughput", "joins_s": 1 } } ],
    "jobs": [
        { "user": "ana", "name": "burst", "arrival_s": 0, "deadline_s": 6, "stages": [{ "tasks_s": [1, 1, 1, 1, 1, 1], "memory_mb": 1024 }] },
        { "user": "ben", "name": "etl", "arrival_s": 0, "deadline_s": 5, "stages": [{ "tasks_s": [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2], "memory_mb": 2048 }] },
        { "user": "cy", "name": "report", "arrival_s": 1, "deadline_s": 60, "stages": [{ "tasks_s": [1, 1], "memory_mb": 512 }] },
        { "user": "ana", "name": "burst", "arrival_s": 8, "deadline_s": 6, "stages": [{ "tasks_s": [1, 1, 1, 1, 1, 1], "memory_mb": 1024 }] } ] }"#;

/// The scenario under these policies.
#[track_caller]
fn open(site: &Site, look: Look, policies: &[&str]) -> Lab {
    let files = Files::new();
    let lab = steps::open_as(site, look, "two-users");
    lab.upload("#file", files.write("queues.json", SCENARIO));
    lab.wait_until("document.querySelector('#title').value === 'Queues'");
    lab.wait_until(READY);
    let wanted: Vec<_> = policies.iter().map(|policy| steps::policy(policy)).collect();
    steps::tick_folded(&lab, &wanted);
    lab
}

#[test]
fn lanes_show_windows_deadlines_and_what_does_not_finish() {
    let site = Site::dist();
    let lab = open(&site, Look::DESK, &["fair", "reactive-fs", "bopf"]);
    assert!(lab.count("#lanes .window") >= 2, "ana's windows");
    assert!(lab.text("#lanes .bursts").contains("4 s of every 8 s"), "{}", lab.text("#lanes .bursts"));
    assert!(lab.count("#lanes .due") >= 2, "what is due after the end has no flag");
    // Not by colour alone: the flag has another shape, and the block a label.
    assert!(lab.count("#lanes .due.missed") >= 1);
    let gone = lab.texts("#lanes .gone b");
    assert_eq!(gone, ["✕ dropped, 1 of 3", "✕ rejected, 1 of 3"]);

    // Of a waiting job the block itself says why it waits.
    let plot = lab.rect(".axis .plot");
    lab.drag(plot.at(0.05, 0.5), plot.at(0.05, 0.5));
    lab.hover(lab.rect("#lanes [data-job='1']").centre());
    lab.wait_for(".block-tip");
    let tip = lab.text(".block-tip");
    for words in
        ["etl of ben", "due at 5.000 s", "dropped under Reactive FS", "at the playhead", "waited since"]
    {
        assert!(tip.contains(words), "{words}: {tip}");
    }
    lab.hover(plot.at(0.9, 0.5));
    lab.wait_until("document.querySelector('.block-tip') === null");
    // The same by keys: Tab leads to the chosen job's block.
    lab.click("#lanes [data-job='2']");
    lab.press(e2e::Key::Tab);
    lab.chord(format!("{}{}", e2e::Key::Shift, e2e::Key::Tab));
    lab.wait_until("document.querySelector('.block-tip')?.innerText.includes('rejected under BoPF')");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn charts_show_killed_tasks_drops_and_memory() {
    let site = Site::dist();
    let lab = open(&site, Look::DESK, &["reactive-fs", "bopf"]);
    assert!(lab.count("#panel-reactive-fs .killed") > 0);
    assert!(lab.text("#panel-reactive-fs .marks").contains("etl dropped"));
    assert!(lab.text("#panel-bopf .marks").contains("report rejected"));
    assert_eq!(lab.count("#panel-bopf .killed"), 0);
    // A row of memory for each executor, which cores do not cover.
    assert_eq!(lab.count("#panel-bopf .memory path"), 2);
    let row = lab.rect("#panel-bopf .memory");
    lab.hover(row.at(0.1, 0.5));
    lab.wait_for("#panel-bopf .memory-tip");
    let tip = lab.text("#panel-bopf .memory-tip");
    assert!(tip.contains("of 4096 MB on executor 0"), "{tip}");
    // Verdicts and tables do not count what has not finished.
    assert!(lab.text("#panel-bopf .outcome").contains("1 rejected"));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn decisions_are_explained_with_their_numbers() {
    let site = Site::dist();
    let lab = open(&site, Look::DESK, &["reactive-fs", "bopf", "justice"]);
    lab.click("#tab-job");
    lab.select("#why-policy", "bopf");
    lab.wait_for("#decisions");
    lab.eval("document.querySelectorAll('#decisions, #users-then').forEach(part => part.open = true)");
    let decisions = lab.text("#decisions");
    assert!(decisions.contains("ana has a hard guarantee"), "{decisions}");
    assert!(decisions.contains("could no longer be sure of its demand"), "{decisions}");
    assert!(lab.text("#queues").contains("core-s of its burst used"), "{}", lab.text("#queues"));
    // The conditions, both sides as numbers.
    lab.eval("document.querySelector('#decisions details').open = true");
    let numbers = lab.text("#decisions details");
    for words in ["fair: demand times N", "fair: capacity over the period", "resource: capacity"] {
        assert!(numbers.contains(words), "{words}: {numbers}");
    }
    // A chosen job's decision comes first.
    steps::click(&lab, "#lanes [data-job='2']");
    lab.click("#tab-job");
    lab.wait_for("#decision");
    assert!(lab.text("#decision").contains("cy: rejected"), "{}", lab.text("#decision"));
    lab.select("#why-policy", "justice");
    lab.wait_until(
        "document.querySelector('#decision')?.innerText.includes('most cores that the job can use')",
    );
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Everything ticked at once, on a laptop and on a phone.
#[test]
fn the_panels_of_all_policies_overlap_nowhere() {
    let site = Site::dist();
    let all: Vec<&str> = fairlane::policy::PolicyKind::ALL.iter().map(|kind| kind.info().id).collect();
    let lab = open(&site, Look::DESK.sized(1280, 800), &all);
    for look in [Look::DESK.sized(1280, 800), Look::PHONE] {
        lab.look(look);
        lab.wait_until(READY);
        let width = lab.eval("Math.max(document.documentElement.scrollWidth, innerWidth)");
        assert_eq!(width, json!(look.width), "the page is as wide as the window");
        let overlaps = lab.eval(
            "(() => { const panels = Array.from(document.querySelectorAll('.panel')); const faults = []; \
              for (const panel of panels) { \
                const items = Array.from(panel.querySelectorAll('header > h2, header > span, header > button, \
                .chart, .row > .verdicts')) \
                  .map(e => [e, e.getBoundingClientRect()]).filter(([, b]) => b.width > 2 && b.height > 2); \
                for (const [one, a] of items) { \
                  if (a.right > innerWidth + 1) faults.push(panel.id + ' ' + one.className + ' is cut off'); \
                  for (const [other, b] of items) if (one !== other && !one.contains(other) && !other.contains(one) && \
                    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) \
                    faults.push(`${panel.id}: ${one.className || one.tagName} over ${other.className || \
                    other.tagName}`); } } \
              return faults; })()",
        );
        assert_eq!(overlaps, json!([]), "{} px", look.width);
    }
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
