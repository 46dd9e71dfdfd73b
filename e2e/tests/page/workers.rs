//! Simulations happen in workers, and a worker may die in any way without taking the page along.

use std::time::Duration;

use e2e::{Answer, Key, Lab, Look, Site, json};

use crate::steps::{self, Files, READY};

const LOADER: &str = "/fairlane-worker_loader.js";

/// A worker that is ready and then does this with its first task. What it says is an array: the bytes of
/// `FromWorker` (see `src/workers/messages.rs`), here those of its first case.
fn ready_then(does: &str) -> String {
    format!(
        "onmessage = ({{ data }}) => {{ \
             if (data[1] instanceof WebAssembly.Module) postMessage([new Uint8Array([0])]); else {{ {does} }} \
         }};"
    )
}

/// Opens the page with a broken worker, waits for the panels to report it, and tries again with a sound one.
#[track_caller]
fn survives(answer: Answer, words: &str) -> Lab {
    let site = Site::dist();
    site.answer(LOADER, answer);
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:skew");
    lab.wait_at_most(
        Duration::from_secs(40),
        "document.querySelectorAll('.panel[data-state=failed]').length === 2",
    );
    for policy in ["uwfq", "uwfq-p"] {
        let message = lab.text(&format!("#panel-{policy} [role=alert] p"));
        assert!(message.contains(words), "{policy}: \"{words}\" is not in: {message}");
        assert_eq!(lab.text(&format!("#panel-{policy} [role=alert] button")), "Try again");
    }

    // The page is usable: the theme, a policy more, the lanes.
    lab.click("#theme");
    assert_eq!(lab.eval("document.documentElement.dataset.theme"), json!("light"));
    assert_eq!(lab.texts(".lanes .user b"), ["ana"]);
    assert_eq!(lab.count("#fairlane-fatal"), 0);

    site.restore();
    lab.click("#panel-uwfq [role=alert] button");
    lab.wait_for("#panel-uwfq[data-state=done]");
    assert_eq!(lab.count("#panel-uwfq-p[data-state=failed]"), 1, "the other one waits to be asked");
    lab.click("#panel-uwfq-p [role=alert] button");
    lab.wait_for("#panel-uwfq-p[data-state=done]");
    lab.wait_until(READY);
    let scenario = steps::native("skew");
    for policy in ["uwfq", "uwfq-p"] {
        let native = fairlane::simulate(&scenario, steps::policy(policy)).hash();
        assert_eq!(lab.text(&format!("#panel-{policy} .hash")), format!("{native:016x}"));
    }
    assert_eq!(lab.count("[role=alert]"), 0);
    lab
}

/// Opens the page where no worker starts: it says so once, simulates by itself, also after an edit, and is right.
#[track_caller]
fn simulates_itself(answer: Answer) {
    let site = Site::dist();
    site.answer(LOADER, answer);
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:skew");
    lab.wait_at_most(
        Duration::from_secs(40),
        "document.querySelector('.notice')?.innerText.includes('simulates by itself')",
    );
    lab.wait_until(READY);
    let hash = |policy: &str| lab.text(&format!("#panel-{policy} .hash"));
    let scenario = steps::native("skew");
    for policy in ["uwfq", "uwfq-p"] {
        assert_eq!(
            lab.count(&format!("#panel-{policy}[data-state=done] .trust .ok:not(.dim)")),
            1,
            "in full"
        );
        let native = fairlane::simulate(&scenario, steps::policy(policy)).hash();
        assert_eq!(hash(policy), format!("{native:016x}"));
    }
    lab.click(".notice button");
    let before = hash("uwfq");
    steps::click(&lab, "#lanes [data-job='0']");
    lab.press(Key::Right);
    lab.wait_until(&format!("document.querySelector('#panel-uwfq .hash')?.textContent !== '{before}'"));
    lab.wait_until(READY);
    assert_eq!(lab.count(".notice"), 0, "it says so once");
}

#[test]
fn where_workers_throw_at_the_start_the_page_simulates_itself() {
    simulates_itself(Answer::script("throw new Error('out of order')"));
}

#[test]
fn where_workers_never_start_the_page_simulates_itself() {
    simulates_itself(Answer::script("// says nothing"));
}

#[test]
fn a_worker_that_throws_at_its_first_task() {
    survives(Answer::script(&ready_then("throw new Error('no')")), "stopped unexpectedly");
}

#[test]
fn a_worker_that_reports_a_panic() {
    // The case `FromWorker::Crashed`, the length of the text and the text.
    let crashed = "postMessage([new Uint8Array([9, 5, ...new TextEncoder().encode('a bug')])])";
    survives(Answer::script(&ready_then(crashed)), "a bug");
}

#[test]
fn workers_that_answer_nonsense() {
    let answers = [
        "'words'",
        "null",
        "undefined",
        "42",
        "{}",
        "[]",
        "[null]",
        "['done']",
        "['done', 'words']",
        "['done', new ArrayBuffer(0)]",
        "['done', new ArrayBuffer(1001)]",
        "['done', new BigUint64Array([3774419327523578214n, 1n << 62n, 1n]).buffer]",
        "['done', 1e15]",
        "['done', Symbol.iterator.description]",
        "['progress', 'half'], postMessage(['valid'])",
        "['error']",
        "[new Uint8Array([])]",
        "[new Uint8Array([2])]",
        "[new Uint8Array([99])]",
    ];
    let site = Site::dist();
    let lab = steps::open(&site, "skew");
    for answer in answers {
        site.answer(LOADER, Answer::script(&ready_then(&format!("postMessage({answer})"))));
        lab.goto("#catalog:skew");
        lab.wait_until("document.querySelectorAll('.panel[data-state=failed]').length === 2");
        assert!(lab.text("#panel-uwfq [role=alert] p").len() > 10, "nothing is reported of {answer}");
        assert_eq!(lab.count("#fairlane-fatal"), 0, "{answer} ends the page");
        site.restore();
        lab.click("#panel-uwfq [role=alert] button");
        lab.wait_for("#panel-uwfq[data-state=done]");
    }
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_file_that_no_worker_can_check_is_reported_and_opens_later() {
    let site = Site::dist();
    let files = Files::new();
    site.answer(LOADER, Answer::status(500));
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:skew");
    lab.wait_until(READY);
    let file = files.write("two.json", steps::native("two-users").to_json());
    lab.upload("#file", &file);
    lab.wait_until("document.querySelector('.notice')?.innerText.includes('not opened')");
    let notice = lab.text(".notice");
    assert!(notice.contains("two.json was not opened") && notice.contains("again"), "no remedy: {notice}");
    site.restore();
    lab.upload("#file", &file);
    lab.wait_until("document.querySelectorAll('.lanes .lane').length === 2");
    lab.wait_until(READY);
    assert_eq!(lab.count(".panel[data-state=done]"), 2);
}

/// The browser says nothing of a worker that it ends, for want of memory for example; its lock is free then.
#[test]
fn a_worker_that_is_killed_without_a_word_is_missed_at_once() {
    let site = Site::dist();
    // Ready, with the lock held, and then at its task for ever.
    let at_work = "onmessage = ({ data }) => { \
            if (data[1] instanceof WebAssembly.Module) navigator.locks.request(data[2], () => { \
                postMessage([new Uint8Array([0])]); return new Promise(() => {}); }); \
            else postMessage([new Uint8Array([1, 0, 0, 0, 0, 0, 0, 208, 63])]); };";
    let lab = steps::open(&site, "two-users");
    site.answer(LOADER, Answer::script(at_work));
    let keep = "window.killable = []; \
        window.Worker = class extends Worker { constructor(...parts) { super(...parts); killable.push(this); } };";
    lab.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": keep }));
    lab.goto("#catalog:skew");
    lab.wait_until("document.querySelector('#panel-uwfq .late')?.innerText.includes('25')");
    site.restore();
    lab.eval("killable.forEach(worker => worker.terminate())");
    let missed = "Array.from(document.querySelectorAll('.panel[role=alert], .panel [role=alert]'), \
        message => message.innerText).join().includes('stopped unexpectedly')";
    lab.wait_at_most(Duration::from_secs(3), missed);
    // On a slow machine only one of the two schedules had a worker by then.
    lab.wait_until(
        "(document.querySelectorAll('.panel [role=alert]').forEach(alert => alert.querySelector('button').click()), \
         document.querySelectorAll('.panel[data-state=done]').length === 2)",
    );
}
