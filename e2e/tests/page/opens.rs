//! The page opens, on every screen and in both colour schemes.

use e2e::{Lab, Look, Scheme, Site, json};

use crate::steps::{self, READY};

const SCREENS: [Look; 2] = [Look::DESK, Look::PHONE];

#[test]
fn the_page_opens_without_a_complaint_on_every_screen() {
    let site = Site::dist();
    let lab = Lab::open(&site);
    for look in SCREENS {
        for scheme in [Scheme::Light, Scheme::Dark] {
            lab.look(look.in_scheme(scheme));
            lab.goto("#catalog:paper-scenario-1");
            lab.wait_until(READY);
            let at = format!("{} x {}, {}", look.width, look.height, scheme.name());
            nothing_overflows(&lab, &at);
            // The charts have most of the width; the set-up and the comparison are folded at first.
            let chart = lab.rect(".panel .plot.chart").width / f64::from(look.width);
            let least = match look.width {
                0..1400 => 0.5,
                1400..1900 => 0.55,
                _ => 0.65,
            };
            assert!(look.width < 1280 || chart >= least, "{at}: the charts have {chart:.2} of the width");
            for part in
                ["header.top", ".lanes .lane", "#panel-fair", "#policy-fifo", "#tab-compare", ".transport"]
            {
                let part_at = lab.rect(part);
                assert!(part_at.width > 0.0 && part_at.height > 0.0, "{at}: {part} is {part_at:?}");
            }
            for policy in steps::panels(&lab) {
                // On a phone one panel is in front.
                lab.eval(&format!("document.querySelector('#front-{policy}')?.click()"));
                lab.wait_until(&format!("document.querySelector('#panel-{policy}').checkVisibility()"));
                lab.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
                let hues = steps::user_hues(&lab, &format!("#panel-{policy} canvas"));
                assert_eq!(hues, [1, 2, 3, 4], "{at}: users seen in the chart of {policy}");
            }
        }
    }
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn the_papers_policies_fit_on_every_screen() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    for look in SCREENS {
        lab.look(look);
        steps::tick_exactly(&lab, &steps::papers_policies());
        nothing_overflows(&lab, &format!("{} x {}", look.width, look.height));
    }
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_chart_is_as_sharp_as_the_screen_and_follows_its_width() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::DESK.scaled(2.0), "skew");
    let sharp = "(() => { const c = document.querySelector('.chart canvas'); \
        return c.width === Math.round(c.getBoundingClientRect().width * devicePixelRatio); })()";
    lab.wait_until(sharp);
    lab.look(Look::DESK.sized(1000, 700));
    lab.wait_until(sharp);
    lab.look(Look::DESK.sized(1600, 900));
    lab.wait_until(sharp);
}

#[test]
fn every_scenario_of_the_catalog_can_be_picked() {
    let site = Site::dist();
    let lab = steps::open(&site, "skew");
    let values = lab.eval("Array.from(document.querySelector('#scenario').options, o => o.value)");
    let names = fairlane::catalog::ENTRIES.iter().map(|entry| entry.name);
    // Below them is the recorded run.
    assert_eq!(values, json!(names.chain([fairlane_study::lesson::RECORDING]).collect::<Vec<_>>()));
    for entry in fairlane::catalog::ENTRIES.iter() {
        lab.select("#scenario", entry.name);
        let panels = entry.policies.split(',').count();
        // A panel that shows two policies alike has a button for the second.
        let done = "document.querySelectorAll('.panel[data-state=done], [id^=unfold-]').length";
        lab.wait_until(&format!("{done} === {panels}"));
        lab.wait_until(READY);
        steps::show_apart(&lab);
        lab.wait_until(&format!("document.querySelectorAll('.panel[data-state=done]').length === {panels}"));
        assert_eq!(steps::shown_scenario(&lab), entry.title);
        assert_eq!(steps::panels(&lab).join(","), entry.policies);
        assert_eq!(lab.texts(".lanes .user b"), user_names(entry.name));
        assert!(lab.text(".about").contains(entry.look_for), "what to look for in {}", entry.name);
        // The eleventh user has the first one's colour again.
        let users = steps::native(entry.name).users().len().min(10) as u64;
        let hues = steps::user_hues(&lab, ".panel canvas");
        assert_eq!(hues, (1..=users).collect::<Vec<_>>(), "users seen in the chart of {}", entry.name);
    }
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

fn user_names(name: &str) -> Vec<String> {
    let scenario = steps::native(name);
    // Beyond eight the rest share a lane, but a ninth has one too.
    let lanes = if scenario.users().len() == 9 { 9 } else { 8 };
    scenario.users().iter().take(lanes).map(|user| user.name.clone()).collect()
}

#[track_caller]
fn nothing_overflows(lab: &Lab, at: &str) {
    let widths = lab.eval("[document.documentElement.scrollWidth, innerWidth]");
    assert!(widths[0].as_f64() <= widths[1].as_f64(), "{at}: {} px wide in {} px", widths[0], widths[1]);
    // The header of a phone scrolls. A column with a scroll bar of its own hides what is too wide for it from the
    // page's own width.
    let cut = lab.eval(
        "Array.from(document.querySelectorAll('.stage, aside, .top, .transport, .panel')).filter(e => \
         e.scrollWidth > e.clientWidth + 1 && !(e.matches('.top') && innerWidth < 901)) \
         .map(e => `${e.className} ${e.scrollWidth} > ${e.clientWidth}`)",
    );
    assert_eq!(cut, json!([]), "{at}: these are too wide");
}
