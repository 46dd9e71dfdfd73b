//! The reader's own work: kept, named, brought back by undo; the story above it; presenting and help.

use e2e::{Key, Lab, Look, Site, json};

use crate::axe;
use crate::steps::{self, READY, shown_scenario};

const ARRIVAL: &str = "document.querySelector(`#lanes [data-job='12']`)?.ariaLabel";

/// Moves ben's job by keys.
#[track_caller]
fn edit(lab: &Lab) {
    lab.click("#lanes [data-job='12']");
    lab.press(Key::Right);
    lab.wait_until("document.querySelector('#reset') !== null");
    lab.wait_until(READY);
}

/// What a newcomer sees, step by step.
fn scene(lab: &Lab, name: &str) {
    lab.wait_until(&format!("document.querySelector('.welcome')?.dataset.scene === '{name}'"));
    lab.wait_until(READY);
}

#[test]
fn a_newcomer_guesses_sees_the_answer_and_changes_something() {
    let site = Site::dist();
    for look in [Look::DESK.sized(1440, 900), Look::DESK.sized(1024, 768), Look::PHONE.dark()] {
        let lab = Lab::open_as(&site, look, "");
        let at = format!("{} px", look.width);
        let controls = |lab: &Lab| {
            lab.eval(
                "Array.from(document.querySelectorAll('button, select, input, a')).filter(e => e.tabIndex >= 0 && \
                 e.checkVisibility() && !e.matches('.block, .sr') && !e.closest('[inert]')).map(e => e.id || e.innerText)",
            )
        };
        axe::inject(&lab);
        let accessible = |lab: &Lab, name: &str| {
            scene(lab, name);
            assert_eq!(axe::faults(lab, &format!("{at}: {name}")), Vec::<String>::new());
        };
        accessible(&lab, "start");
        assert_eq!(controls(&lab), json!(["whole-lab", "go-on"]), "{at}: nothing else asks for attention");
        assert_eq!(steps::panels(&lab), ["fair"], "{at}");
        steps::click(&lab, "#go-on");
        accessible(&lab, "guess");
        // Neither the headline nor a chart shows what follows.
        assert!(!lab.text("#story").contains("13.1"), "{at}: the answer is not there");
        lab.keys("#guess", Key::Right);
        assert_eq!(lab.text(".expected .tag"), "your guess: 3.1\u{a0}s", "{at}");
        steps::click(&lab, "#go-on");
        scene(&lab, "playing");
        accessible(&lab, "answer");
        assert!(lab.text("#story").starts_with("ben waits 13.1\u{a0}s"), "{at}: {}", lab.text("#story"));
        assert!(
            lab.text(".telling").contains("at 3.1\u{a0}s; it came at 13.3\u{a0}s"),
            "{at}: {}",
            lab.text(".telling")
        );
        steps::click(&lab, "#go-on");
        accessible(&lab, "turns");
        lab.wait_for("#panel-uwfq[data-state=done]");
        let overflow = lab.eval("document.documentElement.scrollWidth - innerWidth");
        assert!(overflow.as_i64().is_some_and(|px| px <= 0), "{at}: {overflow} px too wide");
        let (x, y) = lab.rect("#lanes [data-job='12']").centre();
        if look.width > 1000 {
            lab.drag((x, y), (x + 120.0, y));
            scene(&lab, "changed");
            assert!(lab.text("#story").starts_with("Asked at "), "{at}: {}", lab.text("#story"));
            lab.click("#undo");
            scene(&lab, "turns");
        }
        steps::click(&lab, "#go-on");
        lab.wait_until(READY);
        assert_eq!(lab.count(".welcome"), 0, "{at}");
        assert_eq!(steps::panels(&lab), ["fair", "uwfq"], "{at}");
        assert_eq!(lab.console_errors(), Vec::<String>::new(), "{at}");
    }
}

/// A file that is dropped on the welcome is opened, and whoever reloads before anything was changed is welcomed again.
#[test]
fn the_welcome_gives_way_and_comes_again() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK.sized(1440, 900), "");
    scene(&lab, "start");
    lab.click("#go-on");
    scene(&lab, "guess");
    lab.eval("new Promise(done => setTimeout(done, 900))");
    lab.reload();
    scene(&lab, "start");
    lab.goto("#catalog:skew");
    lab.wait_for("#panel-uwfq[data-state=done]");
    assert_eq!(lab.count(".welcome"), 0);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn the_page_shows_who_is_treated_unfairly_and_what_to_do_next() {
    let site = Site::dist();
    let lab = steps::whole_lab(&site);
    assert_eq!(lab.eval("document.querySelector('#title').value"), "Two users: many jobs against one");
    assert_eq!(steps::panels(&lab), ["fair", "uwfq"]);
    assert_eq!(lab.eval("document.querySelector('#play').ariaLabel"), "Play", "nothing plays unasked");
    lab.wait_for("#follow");
    let headline = lab.text("#story .headline");
    assert!(headline.starts_with("Under Fair, ben waits 13.1"), "{headline}");
    assert!(headline.contains(" Under UWFQ, "), "how much better it could be: {headline}");
    let cause = lab.text("#story .cause");
    assert!(cause.starts_with("Because ana's 12 jobs hold the cores"), "{cause}");
    assert!(cause.contains("Nobody's mean grows"), "whom it costs: {cause}");
    assert!(lab.text("#story .invitation").contains("drag ben's job"));
    lab.click("#follow");
    lab.wait_until("document.querySelectorAll('#lanes .block.chosen').length === 1");
    lab.click("#tick-next");
    lab.wait_for("#panel-uwfq-p");
    // A returning reader gets what was left, and the paper's scenario is one press away.
    lab.eval("new Promise(done => setTimeout(done, 900))");
    lab.reload();
    lab.wait_until(READY);
    assert_eq!(steps::panels(&lab), ["fair", "uwfq", "uwfq-p"]);
    assert_eq!(lab.eval("document.querySelector('#play').ariaLabel"), "Play");
    lab.click("#to-paper");
    lab.wait_until("document.querySelector('#title').value.startsWith('Paper scenario 1')");
    lab.wait_until(READY);
    assert_eq!(lab.count(".invitation"), 0);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_link_survives_a_reload_at_once() {
    let site = Site::dist();
    let lab = steps::open(&site, "skew");
    lab.reload();
    lab.wait_until(READY);
    assert!(shown_scenario(&lab).starts_with("Skew"), "{}", shown_scenario(&lab));
}

#[test]
fn edits_survive_another_scenario_and_are_found_among_my_scenarios() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    edit(&lab);
    let edited = lab.eval(ARRIVAL);
    lab.wait_for("#effect");
    assert!(!lab.text(".about").contains("ana submits twelve"), "the catalog's story is not this scenario's");
    // A title of its own.
    lab.eval("document.querySelector('#title').select()");
    lab.keys("#title", format!("my test{}", Key::Return));
    lab.wait_until("document.querySelector('#title').value === 'my test'");

    lab.select("#scenario", "skew");
    lab.wait_until("document.querySelector('#title').value.startsWith('Skew')");
    lab.wait_until(READY);
    lab.click("#undo");
    lab.wait_until("document.querySelector('#title').value === 'my test'");
    lab.wait_until(&format!("{ARRIVAL} === {edited}"));
    // A reset and a new cluster can be undone, too.
    for button in ["#reset", "#new"] {
        lab.click(button);
        lab.wait_until("document.querySelector('#title').value !== 'my test'");
        lab.click("#undo");
        lab.wait_until("document.querySelector('#title').value === 'my test'");
        lab.wait_until(&format!("{ARRIVAL} === {edited}"));
    }
    lab.eval("new Promise(done => setTimeout(done, 900))");
    lab.click("#new");
    lab.wait_until("document.querySelector('#title').value === 'Untitled'");

    lab.click("#my-scenarios");
    lab.wait_for(".mine .kept");
    assert_eq!(lab.texts(".mine .kept b"), ["my test"], "one, however often it was changed and renamed");
    assert!(lab.count(".mine .thumbnail rect") > 10);
    lab.click(".mine .delete");
    lab.wait_for("#undelete");
    lab.wait_until("document.querySelectorAll('.mine .kept').length === 0");
    lab.click("#undelete");
    lab.wait_for(".mine .kept");
    lab.click("#save-mine");
    let all = String::from_utf8(lab.download("my-scenarios.jsonl")).expect("text");
    assert!(all.lines().count() == 1 && all.contains("\"my test\""), "{all}");
    // The menu has closed after the choice.
    assert_eq!(lab.count(".mine[open]"), 0);
    lab.click("#my-scenarios");
    lab.click(".mine .kept");
    lab.wait_until("document.querySelector('#title').value === 'my test'");
    lab.wait_until(READY);
    lab.wait_until(&format!("{ARRIVAL} === {edited}"));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// A scenario that is left at once is kept nevertheless.
#[test]
fn what_is_left_at_once_is_kept() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    lab.wait_for("#my-scenarios");
    // In one go, so that less than the moment of rest lies between the change and the choice of another scenario.
    lab.eval(
        "(() => { const type = (value) => { const title = document.querySelector('#title'); title.value = value; \
            title.dispatchEvent(new Event('change', { bubbles: true })); }; \
          type('first of mine'); \
          return new Promise(done => setTimeout(() => { document.querySelector('#new').click(); \
            setTimeout(() => { type('second of mine'); done(); }, 60); }, 60)); })()",
    );
    lab.wait_until("document.querySelector('#title').value === 'second of mine'");
    lab.eval("new Promise(done => setTimeout(done, 900))");
    lab.click("#my-scenarios");
    lab.wait_for(".mine .kept");
    let mut kept = lab.texts(".mine .kept b");
    kept.sort();
    assert_eq!(kept, ["first of mine", "second of mine"]);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn presenting_and_help_come_and_go_by_keys() {
    let site = Site::dist();
    // Panels of one schedule are one.
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:two-users");
    lab.wait_until(READY);
    lab.wait_for("#help:enabled, #help:not([disabled])");
    lab.press("p");
    lab.wait_for(".lab.presenting");
    assert_eq!(lab.eval("document.querySelector('.left').offsetParent === null"), json!(true));
    // All panels are in view, and what is written is read from afar.
    for (width, height) in [(1024, 768), (1280, 800), (1920, 1080)] {
        lab.look(Look::DESK.sized(width, height));
        lab.wait_until(
            "(stage => [...document.querySelectorAll('.panel')].every(panel => { \
               const box = panel.getBoundingClientRect(); \
               return box.top >= stage.top && box.bottom <= stage.bottom + 1; })) \
             (document.querySelector('#stage').getBoundingClientRect())",
        );
        let small = lab.eval(
            "[...document.querySelectorAll('.stage *, .story *, .transport *')].filter(e => e.checkVisibility() && \
               !e.closest('select, .sr') && [...e.childNodes].some(node => node.nodeType === 3 && node.data.trim()) \
               && parseFloat(getComputedStyle(e).fontSize) < 14).map(e => `${e.className}: ${e.textContent}`)",
        );
        assert_eq!(small, json!([]), "{width} x {height}");
    }
    lab.look(Look::DESK);
    lab.press(Key::Escape);
    lab.wait_until("document.querySelector('.presenting') === null");
    lab.press("?");
    lab.wait_for("#help-dialog[open]");
    assert!(lab.text("#help-dialog").contains("UWFQ"));
    lab.press(Key::Escape);
    lab.wait_until("document.querySelector('#help-dialog') === null");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Scenario, policies, marks and the height of rows are at hand, and a lesson stays beside the schedules.
#[test]
fn presenting_keeps_what_a_lecture_needs() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#lesson:skew/2");
    lab.wait_until(READY);
    lab.click("#present");
    lab.wait_for(".lab.presenting");
    assert_eq!(lab.eval("document.activeElement.id"), json!("play"), "the space bar plays");
    let beside = |left: &str| {
        let (left, panel) = (lab.rect(left), lab.rect(".panel"));
        assert!(left.width > 200.0 && left.x + left.width <= panel.x, "{left:?} {panel:?}");
        assert!(panel.width > 500.0, "{panel:?}");
    };
    beside(".lesson");
    for css in ["#scenario", "#mark-inversion", "#mark-skew", "#rows-fit", "#rows-large"] {
        let shown = lab.eval(&format!("document.querySelector('{css}').checkVisibility()"));
        assert_eq!(shown, json!(true), "{css} is at hand");
    }
    lab.click("#open-set-up");
    lab.wait_for(".lab.with-set-up");
    beside(".lesson");
    beside(".left");
    assert_eq!(lab.eval("document.documentElement.scrollWidth > innerWidth"), json!(false));
    // Escape closes what was opened last.
    lab.press(Key::Escape);
    lab.wait_until(
        "document.querySelector('.with-set-up') === null && document.querySelector('.presenting') !== null",
    );
    // What a press on a task asks is answered beside the schedules.
    let task = lab.rect(".panel .chart canvas").at(0.1, 0.05);
    lab.drag(task, task);
    assert!(lab.text("#why-title").contains("starts"), "{}", lab.text("#why-title"));
    beside(".right");
    lab.press(Key::Escape);
    lab.wait_until("document.querySelector('.with-sheet') === null");
    lab.press(Key::Escape);
    lab.wait_until("document.querySelector('.presenting') === null");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn skip_links_lead_past_the_set_up_arrows_move_between_tabs_and_enter_opens_the_editor() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    lab.press(Key::Tab);
    lab.press(Key::Tab);
    lab.press(Key::Return);
    lab.wait_until("document.activeElement.id === 'play'");
    lab.eval("document.querySelector('#tab-charts').focus()");
    lab.click("#tab-charts");
    lab.press(Key::Right);
    lab.wait_until("document.activeElement.id === 'tab-job'");
    lab.eval("document.querySelector(`#lanes [data-job='12']`).focus()");
    lab.press(Key::Return);
    lab.wait_until("document.activeElement.id === 'job-name'");
}

#[test]
fn on_a_phone_a_pressed_task_opens_the_sheet_with_why() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::PHONE, "two-users");
    assert_eq!(
        lab.eval("document.querySelector('#side').offsetParent === null"),
        json!(true),
        "the sheet is folded"
    );
    lab.click("#tab-job");
    lab.wait_for("#why-sentence");
    let (sheet, transport) = (lab.rect(".right"), lab.rect(".transport"));
    assert!(
        (sheet.y + sheet.height - transport.y).abs() < 2.0,
        "the sheet is docked above the transport: {sheet:?} {transport:?}"
    );
    assert!(lab.rect("#why-sentence").y < transport.y);
    lab.click(".fold-sheet");
    lab.wait_until("document.querySelector('#side').offsetParent === null");
    assert_eq!(shown_scenario(&lab), "Two users: many jobs against one");
}

/// Deleting by mistake shows a message, and one press brings the job back.
#[test]
fn what_is_deleted_can_be_brought_back_at_once() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let jobs = |lab: &Lab| lab.count("#lanes [data-job]");
    let before = jobs(&lab);
    steps::click(&lab, "#lanes [data-job='12']");
    lab.press(Key::Delete);
    lab.wait_for("#undo-deletion");
    assert!(lab.text(".toast").contains(" was deleted"), "{}", lab.text(".toast"));
    assert_eq!(jobs(&lab), before - 1);
    lab.click("#undo-deletion");
    lab.wait_until("document.querySelector('.toast') === null");
    assert_eq!(jobs(&lab), before);

    // Once something else is changed, undo would undo that.
    steps::click(&lab, "#lanes [data-job='12']");
    lab.press(Key::Delete);
    lab.wait_for("#undo-deletion");
    lab.click("#new-tiny");
    lab.wait_until("document.querySelector('.toast') === null");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
