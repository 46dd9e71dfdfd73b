//! Play reveals: the future as a shadow, the waiting stages as chips, the time on the ruler.

use e2e::{Key, Lab, Look, Site, json};

use crate::steps;

/// The cover over a panel's future: whether there is one, its left edge over the plot's width, and how opaque it is.
#[track_caller]
fn cover(lab: &Lab) -> (bool, f64, f64) {
    let seen = lab.eval(
        "(() => { const plot = document.querySelector('.panel .plot'); const style = getComputedStyle(plot, \
            '::after'); \
          const alpha = style.backgroundImage === 'none' ? \
          Number(style.backgroundColor.split(/[,/]/)[3]?.replace(')', '') ?? 1) : 1; \
          return [style.content !== 'none', parseFloat(style.left) / plot.clientWidth, alpha]; })()",
    );
    (seen[0] == json!(true), seen[1].as_f64().unwrap_or(0.0), seen[2].as_f64().unwrap_or(0.0))
}

#[track_caller]
fn seek(lab: &Lab, fraction: f64) {
    let plot = lab.rect(".axis .plot");
    lab.drag(plot.at(fraction, 0.5), plot.at(fraction, 0.5));
}

#[test]
fn the_future_is_hidden_while_playing_and_by_the_switch() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    assert!(!cover(&lab).0, "while editing everything is shown");
    lab.select("#speed", "0.1");
    lab.click("#play");
    lab.wait_until("document.querySelector('#hide-future').indeterminate");
    lab.click("#play");
    assert!(cover(&lab).0, "a pause does not show what follows");
    seek(&lab, 0.4);
    let (covered, left, opacity) = cover(&lab);
    assert!(covered && (left - 0.4).abs() < 0.02 && opacity < 1.0, "{left} {opacity}");

    // An edit shows everything again, and the reader's choice wins over both.
    lab.click("#lanes [data-job='12']");
    lab.press(Key::Right);
    lab.wait_until(steps::READY);
    assert!(!cover(&lab).0);
    // While it plays again a press hides what was a shadow, and the next one shows it.
    lab.click("#play");
    lab.wait_until("document.querySelector('#hide-future').indeterminate");
    lab.click("#play");
    lab.click("#hide-future");
    assert_eq!(cover(&lab).2, 1.0, "nothing of it is seen");
    lab.click("#hide-future");
    assert!(!cover(&lab).0);
    lab.eval("document.activeElement.blur()");
    lab.press(" ");
    lab.wait_until("document.querySelector('#play').ariaLabel === 'Pause'");
    assert!(!cover(&lab).0, "the reader's choice");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// What the headings and verdicts say is of the jobs that have ended, not of those that will.
#[test]
fn figures_are_of_what_has_happened_while_the_future_is_hidden() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let ratios = |lab: &Lab| lab.texts("#panel-fair .verdicts .ratio");
    let whole = ratios(&lab);
    assert!(!whole.contains(&"–".to_owned()), "{whole:?}");
    lab.click("#hide-future");
    lab.wait_until("document.querySelector('#panel-fair .figure').innerText === 'mean so far –'");
    assert_eq!(ratios(&lab), ["–", "–"], "nothing has ended at the start");
    seek(&lab, 0.5);
    lab.wait_until("/so far \\d/.test(document.querySelector('#panel-fair .figure').innerText)");
    lab.click("#to-end");
    lab.wait_until("!document.querySelector('#panel-fair .figure').innerText.includes('so far')");
    assert_eq!(ratios(&lab), whole);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// An audience that guesses finds the answer nowhere: not in the sentence, the verdicts, a tab or a tip.
#[test]
fn what_is_hidden_from_an_audience_is_hidden_everywhere() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let shown = "Array.from(document.querySelectorAll('.story, .verdicts .seconds, .verdicts .ratio, .figure, .heat, \
        .response > *, .all-tables > :not(summary), .ideal .flag, .ideals li')).filter(e => e.checkVisibility({ \
        visibilityProperty: true })).map(e => e.innerText).filter(text => /[1-9][\\d.]*\\s?[s×%]/.test(text))";
    assert_ne!(lab.eval(shown), json!([]));
    lab.press("p");
    lab.wait_for(".presenting");
    lab.click("#hide-future");
    lab.wait_for("#reveal");
    let (covered, _, opacity) = cover(&lab);
    assert!(covered && opacity == 1.0);
    assert_eq!(lab.eval(shown), json!([]), "nothing but a wait of 0 s has happened");
    lab.press("p");
    for tab in ["compare", "charts", "differences"] {
        lab.click(&format!("#tab-{tab}"));
        assert_eq!(lab.eval(shown), json!([]), "{tab}");
    }
    lab.click("#reveal");
    lab.wait_until("!document.querySelector('#reveal')");
    assert!(!cover(&lab).0);
    assert_ne!(lab.eval(shown), json!([]));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// The answer is not to be read off the chart beside the question.
#[test]
fn an_open_question_of_a_lesson_hides_the_future_and_the_figures() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#lesson:fifo-and-fair/2");
    lab.wait_until(steps::READY);
    lab.wait_for("[data-option='0']");
    let (covered, _, opacity) = cover(&lab);
    assert!(covered && opacity == 1.0);
    // Nor off the tables, the chart of response times or what is read out.
    lab.click("#tab-compare");
    steps::click(&lab, "#all-tables > summary");
    lab.wait_for("#all-tables canvas, #all-tables svg");
    let seen = lab.eval(
        "Array.from(document.querySelectorAll('.response > *, .heat, #all-tables > :not(summary)')).filter(e => \
          getComputedStyle(e).visibility !== 'hidden').length",
    );
    assert_eq!(seen, json!(0));
    lab.click("#tab-charts");
    lab.wait_for("#side .figure-chart");
    assert_eq!(
        lab.eval("getComputedStyle(document.querySelector('.figure-chart')).visibility"),
        json!("hidden")
    );
    // Nor off deadlines, or off the overview of the whole.
    steps::click(&lab, "#policy-uwfq");
    lab.wait_for("#panel-uwfq[data-state=done]");
    steps::click(&lab, "#ideal-virtual-time");
    lab.wait_for("#virtual-time-row .deadline");
    let uncovered = lab.eval(
        "(plot => { plot.scrollIntoView({ block: 'center', behavior: 'instant' }); \
           const marks = [...plot.querySelectorAll('.deadline, .crossing')]; \
           marks.forEach(mark => mark.style.pointerEvents = 'auto'); \
           return marks.filter(mark => { const box = mark.getBoundingClientRect(); \
             return mark.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)); \
           }).map(mark => mark.title || mark.textContent); })(document.querySelector('#virtual-time-row .plot'))",
    );
    assert_eq!(uncovered, json!([]));
    let hidden = |lab: &Lab, css: &str| {
        lab.eval(&format!("getComputedStyle(document.querySelector('{css}')).visibility")) == json!("hidden")
    };
    assert!(hidden(&lab, "#virtual-time-row .gutter > span"));
    lab.click("#zoom-in");
    lab.wait_for(".overview svg");
    assert!(hidden(&lab, ".overview svg"));
    let spoken = lab.eval("document.querySelector('.panel canvas').ariaLabel");
    assert!(spoken.as_str().is_some_and(|label| !label.contains("mean response")), "{spoken}");
    lab.click("[data-option='0']");
    lab.wait_until(steps::READY);
    assert!(cover(&lab).2 < 1.0, "the answer shows");
}

#[test]
fn the_ruler_shows_the_time_and_stays_in_sight() {
    let site = Site::dist();
    let lab = steps::open(&site, "paper-scenario-1");
    steps::tick_exactly(&lab, &steps::papers_policies());
    let flag = |lab: &Lab| {
        lab.eval("getComputedStyle(document.querySelector('.axis .plot'), '::after').content")
            .as_str()
            .map(str::to_owned)
    };
    lab.click("#to-end");
    assert!(flag(&lab).expect("a flag").contains(" s"));
    steps::click(&lab, "#lanes [data-job]");
    lab.eval("document.querySelector('#stage').scrollTop = 1e6");
    for css in [".axis", ".lane.sticky"] {
        let seen = lab.eval(&format!(
            "document.querySelector('{css}').getBoundingClientRect().top - \
                document.querySelector('#stage').getBoundingClientRect().top"
        ));
        let top = seen.as_f64().expect("a number");
        assert!((-1.0..=40.0).contains(&top), "{css} is {top} px below the stage's edge");
    }
}

#[test]
fn chips_show_what_waits_next_first() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    seek(&lab, 0.3);
    lab.wait_for("#panel-fair .waiting li");
    // Why has the whole queue: its order is that of the chips.
    lab.click("#tab-job");
    lab.select("#why-policy", "fair");
    lab.wait_for("#queue tbody th");
    let queue = lab.texts("#queue tbody th");
    let chips = lab.texts("#panel-fair .waiting li:not(.more) span");
    assert!(!chips.is_empty());
    assert_eq!(queue[..chips.len()], chips[..]);
    let height = lab.rect("#panel-fair canvas").height;
    assert!(lab.rect("#panel-fair .waiting").height <= height + 2.0, "the chips fit beside the chart");
    // Pointing at one says why its job waits.
    lab.hover(lab.rect("#panel-fair .waiting li").centre());
    lab.wait_for("#panel-fair .why-waits");
    let why = lab.text("#panel-fair .why-waits");
    assert!(why.contains("waited since") && why.contains("frees next"), "{why}");
    lab.hover((5.0, 5.0));
    lab.wait_until("document.querySelector('.why-waits') === null");
}

#[test]
fn rows_get_three_heights_and_panels_collapse_and_move() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::DESK.sized(1440, 900), "two-users");
    let height = |lab: &Lab| lab.rect("#panel-fair canvas").height;
    let compact = height(&lab);
    lab.click("#rows-large");
    let large = height(&lab);
    assert!(large > 1.5 * compact, "{large} {compact}");
    lab.click("#rows-fit");
    lab.wait_until(
        "(() => { const stage = document.querySelector('#stage').getBoundingClientRect(); \
          const last = document.querySelector('.panels > :last-child').getBoundingClientRect(); \
          return last.bottom <= stage.bottom && last.bottom > stage.bottom - 60; })()",
    );
    assert_eq!(lab.count("#rows-fit[aria-pressed=true]"), 1);

    let before = steps::panels(&lab);
    lab.click("#panel-fair .collapse");
    assert_eq!(lab.eval("!!document.querySelector('#panel-fair canvas')"), json!(false));
    lab.eval(
        "document.querySelector('#panel-fair .collapse').dispatchEvent(new KeyboardEvent('keydown', \
          { key: 'ArrowUp', altKey: true, bubbles: true, cancelable: true }))",
    );
    let mut expected = before.clone();
    let index = before.iter().position(|panel| panel == "fair").expect("a panel");
    expected.swap(index - 1, index);
    assert_eq!(steps::panels(&lab), expected);

    // By pointer: the first panel's title is dragged below the second panel, which is no press on it.
    let from = lab.rect(".panel:first-child .collapse").at(0.3, 0.5);
    let second = lab.rect(".panel:nth-child(2)");
    lab.eval("document.querySelector('#stage').scrollTop = 0");
    let from = (from.0, lab.rect(".panel:first-child .collapse").centre().1);
    lab.drag(from, (from.0, lab.rect(".panel:nth-child(2)").at(0.5, 0.8).1.max(from.1 + second.height)));
    expected.swap(0, 1);
    lab.wait_until(&format!("document.querySelectorAll('.panel')[1].id === 'panel-{}'", expected[1]));
    assert_eq!(steps::panels(&lab), expected);
    assert_eq!(lab.count(".collapse[aria-expanded=false]"), 1, "only the one that was collapsed");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn the_brush_zooms_pans_and_resets_by_pointer_and_keys() {
    let site = Site::dist();
    let lab = steps::open(&site, "paper-scenario-1");
    let whole = lab.texts(".axis .label");
    assert_eq!(lab.count(".overview"), 0, "only where a part is shown");
    lab.press("+");
    lab.wait_for("#overview-start");
    assert_ne!(lab.texts(".axis .label"), whole);
    let strip = lab.rect(".overview .plot");
    let left = |lab: &Lab| {
        lab.eval("parseFloat(document.querySelector('#overview-middle').style.left)")
            .as_f64()
            .expect("a number")
    };
    let width = |lab: &Lab| {
        lab.eval("parseFloat(document.querySelector('#overview-middle').style.width)")
            .as_f64()
            .expect("a number")
    };
    // Both edges, then the middle.
    lab.drag(lab.rect("#overview-start").centre(), strip.at(0.2, 0.5));
    lab.drag(lab.rect("#overview-end").centre(), strip.at(0.4, 0.5));
    assert!(
        (left(&lab) - 20.0).abs() < 1.5 && (width(&lab) - 20.0).abs() < 1.5,
        "{} {}",
        left(&lab),
        width(&lab)
    );
    lab.drag(strip.at(0.3, 0.5), strip.at(0.5, 0.5));
    assert!(
        (left(&lab) - 40.0).abs() < 1.5 && (width(&lab) - 20.0).abs() < 1.5,
        "{} {}",
        left(&lab),
        width(&lab)
    );
    lab.drag(strip.at(0.6, 0.5), strip.at(0.8, 0.5));
    assert!((width(&lab) - 40.0).abs() < 1.5, "{}", width(&lab));
    lab.eval("document.querySelector('#overview-middle').focus()");
    lab.press(Key::Left);
    assert!((left(&lab) - 36.0).abs() < 1.5, "{}", left(&lab));
    lab.press("0");
    assert_eq!(lab.texts(".axis .label"), whole);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// A lesson points at the first panel: nothing lies over the line around it.
#[test]
fn the_outline_of_the_first_panel_is_not_covered() {
    let site = Site::dist();
    for look in [Look::DESK, Look::PHONE] {
        let lab = steps::open_as(&site, look, "two-users");
        lab.eval("document.querySelector('.panel').scrollIntoView({ block: 'center', behavior: 'instant' })");
        let above = lab.eval(
            "(() => { const area = document.querySelector('.panel').getBoundingClientRect(); \
              return [0.1, 0.5, 0.9].flatMap(part => [1, 4].map(up => document.elementFromPoint( \
                area.left + part * area.width, area.top - up).closest('.tools, .palette, .lanes') === null)); })()",
        );
        assert_eq!(above, json!([true, true, true, true, true, true]));
    }
}

#[test]
fn beyond_eight_users_lanes_fold_and_are_found() {
    let site = Site::dist();
    let jobs: Vec<String> = (0..14)
        .map(|user| format!(r#"{{"user":"member{user}","arrival_s":0,"stages":[{{"work_s":8}}]}}"#))
        .collect();
    let text = format!(r#"{{"format":"fairlane/scenario@1","jobs":[{}]}}"#, jobs.join(","));
    let scenario = fairlane::Scenario::from_json(&text).expect("a good scenario");
    let lab = steps::whole_lab(&site);
    let files = steps::Files::new();
    lab.upload("#file", files.write("many.json", scenario.to_json()));
    lab.wait_for(".lane.rest");
    lab.wait_until(steps::READY);
    let lanes = |lab: &Lab| lab.texts(".lane .user b");
    assert_eq!(lanes(&lab).len(), 8);
    lab.keys("#find-user", "ER11");
    assert_eq!(lanes(&lab).last().map(String::as_str), Some("member11"));
    lab.click("#all-users");
    assert_eq!(lanes(&lab).len(), 14);
    let colours = lab.eval(
        "new Set(Array.from(document.querySelectorAll('.lane .user .dot'), dot => \
            getComputedStyle(dot).backgroundColor)).size",
    );
    assert_eq!(colours, json!(14), "no two users share a colour");
}

/// A copy continues the series of names, and a skew bar ends where the pointer is.
#[test]
fn copies_and_pulled_bars_are_as_one_expects() {
    let site = Site::dist();
    let lab = steps::open(&site, "skew");
    let block = lab.rect("#lanes [data-job='0']");
    lab.drag(block.centre(), block.centre());
    lab.wait_for(".skew");
    let bar = lab.rect(".skew .slice:nth-child(2)");
    let mouse = |kind: &str, (x, y): (f64, f64)| {
        lab.cdp(
            "Input.dispatchMouseEvent",
            json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 }),
        )
    };
    mouse("mousePressed", bar.at(0.5, 0.9));
    for part in [0.7, 0.5, 0.3, 0.1] {
        let point = bar.at(0.5, part);
        mouse("mouseMoved", point);
        lab.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
        let top = lab.rect(".skew .slice:nth-child(2) u").y;
        assert!((top - point.1).abs() <= 2.0, "the bar ends at {top}, the pointer is at {}", point.1);
    }
    mouse("mouseReleased", bar.at(0.5, 0.1));
    lab.wait_until(steps::READY);
    lab.eval("document.querySelector('#lanes [data-job]').focus()");
    lab.chord(format!("{}d", Key::Control));
    lab.wait_until("document.querySelectorAll('#lanes [data-job]').length === 2");
    assert!(lab.eval("document.querySelector('#lanes').textContent.includes('report-2')") == json!(true));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Where V crosses a deadline is read off V's own line, in the plot of the panels' width.
#[test]
fn virtual_time_below_the_ideal_crosses_the_deadlines() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    assert_eq!(lab.count("#virtual-time-row"), 0, "on request only");
    lab.click("#ideal-virtual-time");
    lab.wait_for("#virtual-time-row path.v");
    lab.wait_for("#virtual-time-row .crossing");
    let (row, panel) = (lab.rect("#virtual-time-row .plot"), lab.rect(".panel .plot.chart"));
    assert!((row.x - panel.x).abs() < 1.5 && (row.width - panel.width).abs() < 2.0, "{row:?} {panel:?}");
    let off = lab.eval(
        "(() => { const path = document.querySelector('#virtual-time-row path.v'); const all = path.getTotalLength(); \
          const points = Array.from({ length: 4001 }, (_, i) => path.getPointAtLength(all * i / 4000)); \
          return Array.from(document.querySelectorAll('#virtual-time-row .crossing'), dot => { \
            const [x, y] = [parseFloat(dot.style.left) * 10, parseFloat(dot.style.top)]; \
            return Math.min(...points.map(point => Math.abs(point.x - x) / 10 + Math.abs(point.y - y))); }); })()",
    );
    let off: Vec<f64> = off.as_array().expect("a list").iter().filter_map(|part| part.as_f64()).collect();
    assert!(off.len() >= 3 && off.iter().all(|&percent| percent < 1.0), "{off:?}");
    // Another policy's; then none.
    let v = |lab: &Lab| lab.eval("document.querySelector('#virtual-time-row path.v').getAttribute('d')");
    let before = v(&lab);
    lab.select("#virtual-time-policy", "cfq");
    lab.wait_until(&format!(
        "document.querySelector('#virtual-time-row path.v')?.getAttribute('d') !== {before}"
    ));
    lab.click("#ideal-virtual-time");
    assert_eq!(lab.count("#virtual-time-row"), 0);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Neither the axis nor the time beside the clock says when a schedule ends, and the axis is the same once that is shown.
/// Nobody in an audience asks for colours.
#[test]
fn a_hidden_future_does_not_show_when_it_ends() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let labels =
        "JSON.stringify([...document.querySelectorAll('.axis .label')].map(label => label.innerText))";
    let whole = lab.eval(labels);
    assert_eq!(lab.count(".transport .of"), 1);
    lab.press("p");
    lab.wait_for(".presenting");
    lab.click("#hide-future");
    lab.wait_for("#reveal");
    assert_eq!(lab.count(".transport .of"), 0);
    let hidden = lab.eval(labels);
    assert_ne!(hidden, whole);
    for css in ["#colour", "#draw", "#textures"] {
        let seen = lab.eval(&format!("document.querySelector('{css}').checkVisibility()"));
        assert_eq!(seen, json!(false), "{css}");
    }
    lab.press("p");
    lab.click("#hide-future");
    lab.wait_until("!document.querySelector('#reveal')");
    assert_eq!(lab.eval(labels), hidden, "the ruler stays as it is when the future is shown");
    lab.press("0");
    lab.wait_until(&format!("{labels} === {whole}"));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
