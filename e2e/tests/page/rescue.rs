//! Nothing dies in silence: after a panic or a trap anywhere in the page, and where a file does not load, a message says
//! so within a second, the work is kept and offered as a file, one press goes on, and a report can be copied.

use std::time::Duration;

use e2e::{Answer, Key, Lab, Look, Site, Value, json};
use fairlane::Scenario;

use crate::steps::{self, READY};

const MESSAGE: &str = "#fairlane-fatal[open]";
const GO_ON: &str = "#fairlane-fatal-go-on";
const SAVE: &str = "#fairlane-fatal-save";
const ARRIVAL: &str = "document.querySelector(`#lanes [data-job='12']`)?.ariaLabel";

/// Functions of the browser's that throw from now on, where the program does not expect it, and the act that calls each.
/// It ends in a Rust panic where the program relies on the result, else in an error through its frames.
const POISONS: [(&str, &str, Act); 5] = [
    // Yew renders a part that is loaded later.
    ("a component", "poison(Node.prototype, 'cloneNode')", Act::Click("#tab-charts")),
    ("a handler", "poison(Event.prototype, 'preventDefault', event => event.key === 'p')", Act::Press("p")),
    // The scenario is kept a moment after a change.
    ("a timer", "poison(Date, 'now')", Act::Click("#policy-cfq")),
    ("a future", "poison(Clipboard.prototype, 'writeText')", Act::Click("#share")),
    ("a frame", "poison(window, 'requestAnimationFrame')", Act::Click("#play")),
];

/// What a reader does.
#[derive(Clone, Copy)]
enum Act {
    Click(&'static str),
    Press(&'static str),
}

impl Act {
    #[track_caller]
    fn perform(self, lab: &Lab) {
        match self {
            // The mouse would wait for an element that has died meanwhile.
            Act::Click(css) => drop(lab.eval(&format!(
                "(window.actedAt = performance.now(), document.querySelector({}).click())",
                json!(css)
            ))),
            Act::Press(key) => {
                lab.eval("window.actedAt = performance.now()");
                lab.press(key);
            }
        }
    }
}

/// Has a script of the site's own poison a function: the browser says nothing about errors of others.
#[track_caller]
fn poison(site: &Site, lab: &Lab, poison: &str) {
    let script = format!(
        "const poison = (object, name, hits = () => true) => {{ const real = object[name]; \
           object[name] = function (...given) {{ \
             if (hits(this)) throw new Error('poisoned ' + name); return real.apply(this, given); }}; }}; \
         {poison}; \
         new MutationObserver(() => {{ window.shownAt ??= document.querySelector('#fairlane-fatal') && performance.now(); }}) \
           .observe(document.body, {{ childList: true }});"
    );
    site.answer("/poison.js", Answer::script(&script));
    lab.eval(
        "new Promise(done => document.head.append(Object.assign(document.createElement('script'), \
            { src: './poison.js', onload: done })))",
    );
}

/// Moves ben's job by a key; the words of its block then.
#[track_caller]
fn edited(lab: &Lab) -> Value {
    let before = lab.eval(ARRIVAL);
    steps::click(lab, "#lanes [data-job='12']");
    lab.press(Key::Right);
    lab.wait_until(&format!("{ARRIVAL} !== {before}"));
    lab.wait_until(READY);
    lab.eval("document.activeElement.blur()");
    lab.eval(ARRIVAL)
}

/// The report that the message has, once it is there.
#[track_caller]
fn report(lab: &Lab) -> String {
    lab.wait_for(MESSAGE);
    let report = lab.eval("document.querySelector('#fairlane-fatal pre').textContent");
    report.as_str().unwrap_or_default().to_owned()
}

#[test]
fn whatever_stops_the_page_is_said_within_a_second_and_one_press_goes_on() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    for (place, script, act) in POISONS {
        let arrival = edited(&lab);
        // The edit is no reason for what follows.
        lab.eval("new Promise(done => setTimeout(done, 1500))");
        poison(&site, &lab, script);
        act.perform(&lab);
        let report = report(&lab);
        let took = lab.eval("window.shownAt - window.actedAt").as_f64().unwrap_or(f64::INFINITY);
        // The timer's own delay included.
        assert!(took < 1500.0, "{place}: {took} ms from the act to the message");
        let text = lab.text(MESSAGE);
        assert!(text.contains("has stopped because of a bug"), "{place}: {text}");
        assert!(text.contains("Your work is kept") && text.contains("Go on from there"), "{place}: {text}");
        assert!(report.contains(concat!("Version: ", env!("CARGO_PKG_VERSION"))), "{place}: {report}");
        // A release does not say what the browser threw.
        let names_fault = report.contains("poisoned") || report.contains("unwrap_throw");
        assert!(report.contains("Place: ") && names_fault, "{place}: {report}");
        assert!(
            report.contains("EditField") || report.contains("Edit move 1 jobs"),
            "{place}: no steps: {report}"
        );
        assert!(!report.contains("ben"), "{place}: nothing of the scenario: {report}");
        // Nothing reaches the page behind the message, and nobody closes it.
        lab.press(Key::Escape);
        lab.press("z");
        lab.wait_for(MESSAGE);
        lab.click(GO_ON);
        lab.wait_until(&format!("!document.querySelector('#fairlane-fatal') && {READY}"));
        assert_eq!(lab.eval(ARRIVAL), arrival, "{place}: the work is there");
        assert_eq!(
            lab.eval("sessionStorage.getItem('fairlane.rescue')"),
            json!(null),
            "{place}: it is kept once"
        );
        lab.click("#play");
        lab.wait_until("document.querySelector('#slider').value > 0");
        lab.click("#play");
    }
}

#[test]
fn the_step_that_stopped_the_page_is_left_out_and_the_file_has_all() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let arrival = edited(&lab);
    poison(&site, &lab, "poison(Node.prototype, 'cloneNode')");
    Act::Click("#policy-cfq-p").perform(&lab);
    assert!(report(&lab).contains("Toggle cfq-p"), "{}", report(&lab));
    lab.click(SAVE);
    let file = lab.download("two-users-many-jobs-against-one.json");
    let saved = Scenario::from_json(&String::from_utf8(file).expect("text")).expect("a scenario");
    assert_ne!(saved, steps::native("two-users"), "the edit is in the file");
    lab.click(GO_ON);
    lab.wait_until(&format!("!document.querySelector('#fairlane-fatal') && {READY}"));
    assert_eq!(lab.eval(ARRIVAL), arrival);
    assert_eq!(lab.eval("document.querySelector('#policy-cfq-p').checked"), json!(false), "without the step");
}

#[test]
fn what_stops_the_page_at_its_start_is_left_behind_at_a_press() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    edited(&lab);
    lab.eval("new Promise(done => setTimeout(done, 700))");
    let script = "Node.prototype.cloneNode = () => { throw new Error('poisoned start'); }";
    let added = lab.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script }));
    lab.goto("");
    lab.wait_for(MESSAGE);
    let text = lab.text(MESSAGE);
    assert!(text.contains("while it opened what was here before"), "{text}");
    lab.click(SAVE);
    assert!(!lab.download("two-users-many-jobs-against-one.json").is_empty());
    lab.cdp("Page.removeScriptToEvaluateOnNewDocument", json!({ "identifier": added["identifier"] }));
    lab.click(GO_ON);
    lab.wait_until(&format!("!document.querySelector('#fairlane-fatal') && {READY}"));
    assert_eq!(steps::panels(&lab), ["fair", "uwfq"], "as a newcomer sees it");
    assert_eq!(lab.count("#reset"), 0, "without the edit");
}

/// The built page's files that its program consists of.
fn files(end: &str) -> Vec<String> {
    let names = std::fs::read_dir(e2e::dist()).expect("the built page").flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("fairlane-") && name.ends_with(end)).collect()
}

#[test]
fn a_file_that_does_not_load_is_named_and_the_page_loads_again_at_a_press() {
    let site = Site::dist();
    // A browser asks for a file again whose name has a hash.
    site.send_headers(&[("cache-control", "no-store")]);
    let lab = Lab::blank(&site, Look::DESK);
    let script = |name: &String| name.starts_with("fairlane-page-");
    let files = [files(".js"), files("_bg.wasm")].concat();
    let files: Vec<String> = files.into_iter().filter(script).chain(self::files(".css")).collect();
    assert!(files.len() >= 3, "{files:?}");
    for file in files {
        for (answer, is_cut_off) in
            [(Answer::status(404), false), (Answer::status(503), false), (Answer::aborted(), true)]
        {
            site.answer(&format!("/{file}"), answer);
            lab.goto("");
            lab.wait_for(MESSAGE);
            let text = lab.text(MESSAGE);
            assert!(
                text.contains("Fairlane did not load") && text.contains("Check your connection"),
                "{file}: {text}"
            );
            assert!(report(&lab).contains("Place: "), "{file}: {}", report(&lab));
            // Browsers do not say which file of a program was cut off.
            assert!(is_cut_off || text.contains(&file), "{file} is not named: {text}");
            site.restore();
            lab.click(GO_ON);
            lab.wait_until(&format!("!document.querySelector('#fairlane-fatal') && {READY}"));
        }
    }
}

#[test]
fn parts_that_are_cut_off_on_their_way_are_asked_for_again() {
    let site = Site::dist();
    for file in files("-later.wasm") {
        for answer in [Answer::aborted(), Answer::status(404)] {
            site.answer(&format!("/{file}"), answer);
            let lab = Lab::blank(&site, Look::DESK);
            lab.goto("#catalog:skew&tab=why");
            lab.wait_until("document.querySelector('#side [role=alert] .again')");
            site.restore();
            lab.click("#side .again");
            lab.wait_until("document.querySelector('#why-sentence')?.textContent");
            assert_eq!(lab.count("#fairlane-fatal"), 0);
        }
    }
}

#[test]
fn a_file_that_never_comes_is_said_and_the_page_starts_once_it_does() {
    let site = Site::dist();
    let lab = Lab::blank(&site, Look::DESK);
    for file in files("_bg.wasm") {
        site.answer(&format!("/{file}"), Answer::status(503).after(Duration::from_secs(40)));
    }
    lab.goto("");
    lab.wait_until("document.querySelector('.loading')?.innerText.includes('does not answer')");
    site.restore();
    lab.click(".loading button");
    lab.wait_until(READY);
}

/// Two jobs of so many tasks that the simulation takes a while.
const LONG: &str = r#"{ "format": "fairlane/scenario@1", "jobs": [
    { "user": "a", "arrival_s": 0, "stages": [{ "work_s": 4000, "partitions": 40000 }] },
    { "user": "b", "arrival_s": 1, "stages": [{ "work_s": 4000, "partitions": 40000 }] } ] }"#;

#[test]
fn a_worker_that_dies_in_the_middle_says_so_and_its_report_can_be_copied() {
    let site = Site::dist();
    let loader = std::fs::read_to_string(e2e::dist().join("fairlane-worker_loader.js")).expect("the loader");
    let lab = steps::open(&site, "skew");
    // The real program in a worker, until it says how far it is.
    let dying = "const send = postMessage; postMessage = (message, ...rest) => { \
        if (message[0]?.[0] !== 0) { setTimeout(() => { throw new Error('killed'); }); throw new Error('killed'); } \
        send.call(self, message, ...rest); }; ";
    site.answer("/fairlane-worker_loader.js", Answer::script(&format!("{dying}{loader}")));
    let files = steps::Files::new();
    let long = files.write("long.json", LONG);
    lab.goto("#catalog:skew");
    lab.wait_until("document.querySelectorAll('.panel[data-state=failed]').length === 2");
    assert!(lab.text("#panel-uwfq [role=alert] p").contains("stopped unexpectedly"));
    lab.cdp(
        "Browser.grantPermissions",
        json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] }),
    );
    lab.click("#panel-uwfq .report");
    lab.wait_until("document.querySelector('.toast')?.innerText.includes('The report was copied')");
    let copied = lab.eval("navigator.clipboard.readText()");
    let copied = copied.as_str().unwrap_or_default();
    assert!(copied.contains("Version: ") && copied.contains("stopped unexpectedly"), "{copied}");
    site.restore();
    lab.upload("#file", long);
    lab.wait_until("document.querySelectorAll('.lanes .lane').length === 2");
    lab.wait_until(READY);
    assert_eq!(lab.count("#fairlane-fatal"), 0);
}
