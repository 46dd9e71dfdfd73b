//! Slow simulations: progress is shown, newer edits do not wait for older ones,
//! and memory is given back.

use std::fmt::Write as _;

use e2e::{Answer, Lab, Site, json};
use fairlane::scenario::edit::{Edit, ObjectPath};

use crate::steps::{self, Files, READY};

const LOADER: &str = "/fairlane-worker_loader.js";

/// A worker that takes no notice of the program it is sent, finds every file valid, and whose simulations come as far
/// as a part of their way. Messages are the bytes of the enums in `src/workers/messages.rs`, which begin with the number of
/// the case.
fn slow(part: f64) -> Answer {
    Answer::script(&format!(
        "const ready = [0], valid = [5], progress = [1, ...new Uint8Array(new Float64Array([{part}]).buffer)];
         const checkText = 3;
         const say = bytes => postMessage([new Uint8Array(bytes)]);
         onmessage = ({{ data }}) => {{
             if (data[1] instanceof WebAssembly.Module) say(ready);
             else say(data[0][0] === checkText ? valid : progress);
         }};"
    ))
}

/// Counts the workers that the page starts and ends from now on, in pages loaded later.
fn count_workers(lab: &Lab) {
    let source = "window.workers = { started: 0, ended: 0 };
        window.Worker = class extends Worker {
          constructor(...parts) { super(...parts); workers.started += 1; }
          terminate() { workers.ended += 1; super.terminate(); }
        };";
    lab.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
}

/// Gives a field of the set-up another value, once the set-up is there.
fn set(lab: &Lab, css: &str, value: u32) {
    lab.wait_for(css);
    lab.eval(&format!(
        "(field => {{ field.value = '{value}'; field.dispatchEvent(new Event('input', {{ bubbles: true }}));
           field.dispatchEvent(new Event('change', {{ bubbles: true }})); }})(document.querySelector({}))",
        json!(css)
    ));
}

#[test]
fn progress_is_shown_and_a_newer_edit_stops_what_is_far_from_done() {
    let site = Site::dist();
    let lab = steps::open(&site, "skew");
    count_workers(&lab);
    site.answer(LOADER, slow(0.25));
    lab.goto("#catalog:skew");
    lab.wait_until("document.querySelector('#panel-uwfq .late')?.innerText.includes('25')");
    lab.wait_until(
        "getComputedStyle(document.querySelector('#panel-uwfq .late progress')).visibility === 'visible'",
    );
    assert_eq!(lab.eval("document.querySelector('#panel-uwfq progress').value"), json!(0.25));
    let label = lab.eval("document.querySelector('#panel-uwfq progress').getAttribute('aria-label')");
    assert!(label.as_str().is_some_and(|label| label.starts_with("Simulating UWFQ")), "{label}");

    // Long enough at work to be ended.
    lab.eval("new Promise(done => setTimeout(done, 400))");
    site.restore();
    set(&lab, "#executors", 3);
    lab.wait_until("document.querySelectorAll('.panel[data-state=done]').length === 2");
    lab.wait_until(READY);
    let ended = lab.eval("workers.ended").as_u64().unwrap_or(0);
    assert!(ended >= 1, "nothing was ended");
    let scenario = steps::native("skew");
    let edit = Edit::set(ObjectPath::Cluster, "executors", 3);
    let scenario = scenario.edited(&edit).expect("a good edit").scenario;
    for policy in ["uwfq", "uwfq-p"] {
        let native = fairlane::simulate(&scenario, steps::policy(policy)).hash();
        assert_eq!(lab.text(&format!("#panel-{policy} .hash")), format!("{native:016x}"));
    }
    assert_eq!(lab.count(".panel .late"), 0);
}

#[test]
fn a_worker_that_has_grown_too_large_is_given_up_once_it_has_nothing_to_do() {
    let site = Site::dist();
    let lab = steps::open(&site, "skew");
    count_workers(&lab);
    let real = std::fs::read_to_string(e2e::dist().join(&LOADER[1..])).expect("the built page");
    // The case `FromWorker::Memory`, then 2^30 in groups of seven bits.
    let huge =
        "const post = self.postMessage.bind(self), huge = [new Uint8Array([8, 128, 128, 128, 128, 4])];
        self.postMessage = (message, ...rest) => post(message[0][0] === 8 ? huge : message, ...rest);";
    // What is imported runs before the rest, so the lie is imported, too.
    site.answer("/huge.js", Answer::script(huge));
    site.answer(LOADER, Answer::script(&format!("import './huge.js'; {real}")));
    lab.goto("#catalog:skew");
    lab.wait_until(READY);
    lab.wait_until("workers.started > 0 && workers.ended === workers.started");
    site.restore();
    set(&lab, "#executors", 3);
    lab.wait_until("document.querySelectorAll('.panel[data-state=done]').length === 2");
    lab.wait_until(READY);
    assert_eq!(lab.eval("workers.started > workers.ended"), json!(true), "small ones are kept");
}

#[test]
fn schedules_that_would_need_too_much_memory_are_refused_with_the_remedy() {
    let site = Site::dist();
    let files = Files::new();
    let lab = steps::open(&site, "skew");
    site.answer(LOADER, slow(0.5));
    lab.goto("#catalog:two-users");
    let file = files.write(
        "huge.json",
        r#"{ "format": "fairlane/scenario@1", "jobs": [
            { "user": "ana", "arrival_s": 0, "stages": [{ "work_s": 1000000, "partitions": 10000000 }] }] }"#,
    );
    lab.upload("#file", &file);
    lab.wait_until("document.querySelectorAll('.panel[data-state=refused]').length === 3");
    assert_eq!(lab.count(".panel[data-state=pending]"), 2);
    let message = lab.text(".panel[data-state=refused] [role=alert]");
    assert!(message.contains("2 GB") && message.contains("Untick other policies"), "{message}");
    // With fewer policies there is room.
    let refused = lab.eval("document.querySelector('.panel[data-state=refused]').id.replace('panel-', '')");
    for policy in steps::panels(&lab).iter().filter(|id| Some(id.as_str()) != refused.as_str()) {
        steps::click(&lab, &format!("#policy-{policy}"));
    }
    lab.wait_until("document.querySelectorAll('.panel[data-state=pending]').length === 1");
    assert_eq!(lab.count("[role=alert]"), 0);
}

/// A hundred jobs of five hundred tasks each on 32 cores.
fn fifty_thousand_tasks() -> String {
    let mut jobs = String::new();
    for job in 0..100 {
        let comma = if job == 0 { "" } else { "," };
        write!(jobs, r#"{comma}{{ "user": "user{}", "arrival_s": {job}, "stages": [{{ "work_s": 100, "partitions": 500 }}] }}"#, job % 5)
            .expect("text can grow");
    }
    format!(r#"{{ "format": "fairlane/scenario@1", "cluster": {{ "executors": 8 }}, "jobs": [{jobs}] }}"#)
}

#[test]
fn memory_of_what_is_no_longer_shown_is_freed() {
    let site = Site::dist();
    let files = Files::new();
    let lab = steps::open(&site, "skew");
    steps::tick_exactly(&lab, &["fair", "ujf", "cfq", "uwfq"].map(steps::policy));
    let file = files.write("large.json", fifty_thousand_tasks());
    let small = files.write("small.json", steps::native("two-users").to_json());
    let mut taken = Vec::new();
    for round in 0..6 {
        lab.upload("#file", &file);
        lab.wait_until("document.querySelectorAll('.lanes .lane').length === 5");
        lab.wait_until("document.querySelectorAll('.panel[data-state=done]').length === 4");
        lab.wait_until(READY);
        // Each version's schedules replace those before.
        set(&lab, "#executors", 8 + round % 2);
        lab.wait_until(READY);
        lab.upload("#file", &small);
        lab.wait_until("document.querySelectorAll('.lanes .lane').length === 2");
        lab.wait_until(READY);
        lab.cdp("HeapProfiler.collectGarbage", json!({}));
        let usage = lab.cdp("Runtime.getHeapUsage", json!({}));
        println!("round {round}: {usage}");
        taken.push(usage["backingStorageSize"].as_f64().expect("a figure"));
    }
    // The memory of the page's program never shrinks, but what is free in it is used again.
    assert!(taken[5] < taken[1] * 1.2 + 8e6, "{taken:?}");
}
