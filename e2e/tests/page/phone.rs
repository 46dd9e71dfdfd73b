//! The page on a telephone, upright and on its side: what can be done there, and what stays in sight meanwhile.

use e2e::{Key, Lab, Look, Site, json};

use crate::steps::{self, READY};

const BEN: &str = "#lanes [data-job='12']";

/// A tap with a finger on the middle of an element that is in sight.
#[track_caller]
fn tap(lab: &Lab, css: &str) {
    let (x, y) = lab.rect(css).centre();
    let touch = |kind: &str, points: serde_json::Value| {
        lab.cdp("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
    };
    touch("touchStart", json!([{ "x": x, "y": y }]));
    touch("touchEnd", json!([]));
}

/// How many pixels of an element are in the window and above another one.
#[track_caller]
fn seen_above(lab: &Lab, css: &str, sheet: &str) -> f64 {
    let seen = lab.eval(&format!(
        "(() => {{ const box = document.querySelector({}).getBoundingClientRect(); \
           return Math.min(box.bottom, document.querySelector({}).getBoundingClientRect().top) - Math.max(box.top, 0); }})()",
        json!(css),
        json!(sheet)
    ));
    seen.as_f64().unwrap_or_default()
}

#[test]
fn sheets_leave_a_lane_and_a_panel_in_sight() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::PHONE, "two-users&policies=fair,uwfq");
    let shown = |css: &str| lab.eval(&format!("document.querySelector('{css}').checkVisibility()"));
    assert_eq!(shown(".left"), json!(false), "the set-up is folded");
    tap(&lab, BEN);
    lab.wait_for(".lane.sticky");
    for (tab, sheet) in [("#tab-set-up", ".left"), ("#tab-compare", "#side"), ("#tab-job", "#side")] {
        tap(&lab, tab);
        lab.wait_until(&format!("document.querySelector('{sheet}').checkVisibility()"));
        // The reader scrolls to a panel; the chosen job's lane stays.
        lab.eval("document.querySelector('#front-uwfq').click()");
        lab.wait_for("#panel-uwfq.front");
        lab.eval(
            "document.querySelector('#panel-uwfq').scrollIntoView({ block: 'start', behavior: 'instant' })",
        );
        lab.eval("window.scrollBy({ top: -120, behavior: 'instant' })");
        assert!(seen_above(&lab, ".lane.sticky", sheet) >= 40.0, "{tab}: the lane");
        assert!(seen_above(&lab, "#panel-uwfq", sheet) >= 100.0, "{tab}: the panel");
        assert!(lab.rect(sheet).height <= 844.0 / 2.0, "{tab}: half of the screen");
    }
    // Policies are ticked there, and the tab folds the sheet again.
    tap(&lab, "#tab-set-up");
    lab.wait_until("document.querySelector('.left').checkVisibility()");
    tap(&lab, "#policy-ujf");
    lab.wait_for("#panel-ujf[data-state=done]");
    tap(&lab, "#tab-set-up");
    lab.wait_until("!document.querySelector('.left').checkVisibility()");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn one_schedule_is_in_front_and_a_tap_brings_another() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::PHONE, "two-users&policies=fair,uwfq");
    let in_sight = || {
        lab.eval("[...document.querySelectorAll('.panel')].filter(panel => panel.checkVisibility()).map(panel => panel.id)")
    };
    assert_eq!(in_sight(), json!(["panel-fair"]));
    let chart = |policy: &str| lab.rect(&format!("#panel-{policy} .chart canvas"));
    let fair = chart("fair");
    lab.eval("document.querySelector('.fronts').scrollIntoView({ block: 'center', behavior: 'instant' })");
    tap(&lab, "#front-uwfq");
    lab.wait_for("#front-uwfq[aria-pressed=true]");
    assert_eq!(in_sight(), json!(["panel-uwfq"]));
    // Painted, at the size and place of the other one.
    lab.wait_until("document.querySelector('#panel-uwfq .chart canvas').width > 200");
    let uwfq = chart("uwfq");
    assert_eq!((uwfq.x, uwfq.width, uwfq.height), (fair.x, fair.width, fair.height));
    // What has just been ticked is what one wants to see.
    tap(&lab, "#tab-set-up");
    lab.wait_until("document.querySelector('.left').checkVisibility()");
    tap(&lab, "#policy-ujf");
    lab.wait_for("#panel-ujf.front[data-state=done]");
    assert_eq!(in_sight(), json!(["panel-ujf"]));
    // Elsewhere all of them are there.
    lab.look(Look::DESK);
    lab.wait_until("[...document.querySelectorAll('.panel')].every(panel => panel.checkVisibility())");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn the_first_tap_chooses_and_the_second_edits() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::PHONE, "two-users");
    tap(&lab, BEN);
    lab.wait_for(&format!("{BEN}[aria-pressed=true]"));
    // The facts are there, and no sheet.
    assert!(lab.text(".block-tip").starts_with("ben-1 of ben"), "{}", lab.text(".block-tip"));
    assert_eq!(lab.count(".with-sheet"), 0);
    tap(&lab, BEN);
    lab.wait_for(".with-sheet #job-name");
    assert_eq!(lab.count(".block-tip"), 0);
    lab.press(Key::Escape);
    lab.wait_until("document.querySelector('.with-sheet') === null");

    // Several, one tap each.
    tap(&lab, "#view");
    lab.wait_for("#view-sheet:popover-open");
    tap(&lab, "#several");
    lab.press(Key::Escape);
    lab.wait_until("document.querySelector('#view-sheet:popover-open') === null");
    tap(&lab, "#lanes [data-job='3']");
    lab.wait_until("document.querySelectorAll('#lanes [aria-pressed=true]').length === 2");
    assert_eq!(lab.count(".with-sheet"), 0);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn the_headline_never_moves_the_lanes() {
    let site = Site::dist();
    // The opening scenario with its invitation, which is not cut off.
    let lab = Lab::open_as(&site, Look::PHONE.still(), "#catalog:two-users");
    lab.wait_until(READY);
    let stage = || lab.eval("document.querySelector('.stage').getBoundingClientRect().top + scrollY");
    let first = stage();
    lab.wait_for("#story .invitation");
    let whole = "(p => p.checkVisibility() && p.scrollHeight <= p.clientHeight + 1) \
        (document.querySelector('#story .invitation'))";
    for width in [360, 390] {
        lab.look(Look::PHONE.still().sized(width, 740));
        lab.wait_until(whole);
    }
    lab.look(Look::PHONE.still());
    let lane = || lab.eval("document.querySelector('.lane').getBoundingClientRect().top + scrollY");
    let top = lane();
    lab.click("#play");
    lab.wait_for(".playing");
    assert_eq!((stage(), lane()), (first.clone(), top.clone()), "while it plays");
    lab.click("#play");
    for name in ["skew", "paper-scenario-1", "weights"] {
        lab.select("#scenario", name);
        lab.wait_until(READY);
        assert_eq!((stage(), lane()), (first.clone(), top.clone()), "{name}");
    }
    // What is next is a menu.
    tap(&lab, "#next-steps");
    lab.wait_for("#next:popover-open");
    tap(&lab, "#next-lesson");
    lab.wait_for("#lesson");
    assert_eq!(lab.count("#next:popover-open"), 0);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// The playhead's time is whole at both ends, and no tick shows through it.
#[test]
fn the_playheads_time_is_whole() {
    let site = Site::dist();
    for look in [Look::PHONE, Look::DESK] {
        let lab = steps::open_as(&site, look, "two-users");
        for button in ["#to-end", "#to-start"] {
            lab.click(button);
            lab.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
            let label = lab.eval(
                "(() => { const plot = document.querySelector('.axis .plot'), box = plot.getBoundingClientRect(); \
                   const style = getComputedStyle(plot, '::after'); \
                   const left = box.left + parseFloat(style.left) + new DOMMatrix(style.transform).e; \
                   const right = left + parseFloat(style.width) + \
                     (style.boxSizing === 'border-box' ? 0 : 12); \
                   const under = [...document.querySelectorAll('.axis .label')].filter(tick => { \
                     const t = tick.getBoundingClientRect(), style = getComputedStyle(tick); \
                     return t.right > left + 1 && t.left < right - 1 && style.visibility !== 'hidden' && \
                       parseFloat(style.opacity) > 0.2; }); \
                   return [left >= 0, right <= innerWidth, under.map(tick => tick.textContent)]; })()",
            );
            assert_eq!(label, json!([true, true, []]), "{look:?} {button}");
        }
    }
}

/// The row above the lanes has the same height whatever it says, which has to be enough for it.
#[test]
fn the_headline_is_whole_for_every_scenario() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::PHONE, "two-users");
    for entry in fairlane::catalog::ENTRIES.iter() {
        lab.eval(&format!("location.hash = '#catalog:{}'", entry.name));
        lab.wait_until(&format!("document.querySelector('#scenario').value === '{}'", entry.name));
        for width in [360, 390] {
            lab.look(Look::PHONE.sized(width, 844));
            lab.wait_until(READY);
            let cut = lab.eval(
                "(() => { const row = document.querySelector('#story').getBoundingClientRect(); \
                   return [...document.querySelectorAll('#story p')].filter(p => p.checkVisibility()).map(p => p.getBoundingClientRect()) \
                     .filter(box => box.top < row.top || box.bottom > row.bottom).map(box => [box.top, box.bottom, row.bottom]); })()",
            );
            assert_eq!(cut, json!([]), "{} at {width}: {}", entry.name, lab.text("#story"));
            // Nor does a sentence end in three dots.
            let dots = lab.eval(
                "[...document.querySelectorAll('#story p')].filter(p => p.checkVisibility() && \
                 p.scrollHeight > p.clientHeight + 1).map(p => [p.clientHeight, p.scrollHeight])",
            );
            assert_eq!(dots, json!([]), "{} at {width}: {}", entry.name, lab.text("#story"));
        }
    }
}

#[test]
fn on_its_side_there_is_one_bar() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::LANDSCAPE, "two-users");
    let bars = lab.eval(
        "(() => { const boxes = ['.top', '.transport'].map(css => document.querySelector(css).getBoundingClientRect()); \
           return [boxes[0].top === boxes[1].top, Math.max(...boxes.map(box => box.bottom)), \
             document.documentElement.scrollWidth <= innerWidth, \
             [...document.querySelectorAll('.top > *, .transport > *, .transport > span > *')].filter(e => e.checkVisibility() && \
               e.getBoundingClientRect().width > 2 && e.getBoundingClientRect().right > innerWidth).map(e => e.id)]; })()",
    );
    assert_eq!((&bars[0], &bars[2], &bars[3]), (&json!(true), &json!(true), &json!([])), "{bars}");
    assert!(bars[1].as_f64() <= Some(60.0), "{bars}");
    assert!(lab.rect("#story").height <= 40.0, "the headline is one line: {:?}", lab.rect("#story"));
    // It stays while the schedules are scrolled, and the side is beside them.
    lab.eval("window.scrollTo({ top: 400, behavior: 'instant' })");
    assert_eq!(lab.eval("document.querySelector('.transport').getBoundingClientRect().top"), json!(0));
    tap(&lab, "#tab-compare");
    lab.wait_for(".with-sheet #heat");
    let (side, stage) = (lab.rect(".right"), lab.rect("#panel-fifo .chart canvas"));
    assert!(side.x >= stage.x + stage.width - 1.0, "{side:?} {stage:?}");
    assert!(stage.width >= 250.0, "{stage:?}");
    tap(&lab, "#tab-set-up");
    lab.wait_for(".with-set-up");
    tap(&lab, "#policy-uwfq-p");
    lab.wait_for("#panel-uwfq-p[data-state=done]");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn view_has_the_height_of_rows_and_the_bar_the_whole_time() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::PHONE, "two-users");
    let height = || lab.rect("#panel-fifo .chart canvas").height;
    let low = height();
    tap(&lab, "#view");
    lab.wait_for("#view-sheet:popover-open");
    tap(&lab, "#rows-large");
    lab.wait_for("#rows-large[aria-pressed=true]");
    lab.press(Key::Escape);
    lab.wait_until(READY);
    assert!(height() > 1.5 * low, "{low} {}", height());
    assert!(lab.text(".of").starts_with("of 13."), "{}", lab.text(".of"));
    assert!(lab.rect(".of").x >= 0.0 && lab.rect(".of").height > 8.0);
    // Lanes are high enough for a finger.
    let lanes =
        lab.eval("[...document.querySelectorAll('.track')].map(e => e.getBoundingClientRect().height)");
    assert!(
        lanes.as_array().unwrap().iter().all(|high| (40.0..=72.0).contains(&high.as_f64().unwrap())),
        "{lanes}"
    );
    // A tap on what has words for a mouse shows them.
    lab.eval("document.querySelector('.p95').scrollIntoView({ block: 'center', behavior: 'instant' })");
    tap(&lab, ".p95");
    lab.wait_until("document.querySelector('.block-tip')?.textContent.includes('95 of 100 jobs')");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
