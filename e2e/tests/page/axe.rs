//! axe-core finds no serious fault on the page, whatever is open and in either theme.

use std::env;
use std::fs;
use std::path::PathBuf;

use e2e::{Key, Lab, Look, Scheme, Site, Value, json};

use crate::steps::{self, Files, READY};

const TABS: [&str; 4] = ["compare", "charts", "job", "differences"];

/// axe-core as `fairlane-dev` has installed it.
fn axe_core() -> String {
    let path = env::var_os("FAIRLANE_AXE").map_or_else(in_the_tools_folder, PathBuf::from);
    fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "axe-core cannot be read from {} ({error}): run ./fairlane-dev setup test, which installs it, \
             or name its axe.min.js in FAIRLANE_AXE",
            path.display()
        )
    })
}

/// Where `fairlane-dev` puts it.
fn in_the_tools_folder() -> PathBuf {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache =
        || set("XDG_CACHE_HOME").unwrap_or_else(|| set("HOME").unwrap_or("/tmp".into()).join(".cache"));
    let tools = set("FAIRLANE_TOOLS").unwrap_or_else(|| cache().join("fairlane"));
    let folders = fs::read_dir(&tools).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = folders.map(|folder| folder.join("node_modules/axe-core/axe.min.js"));
    files.filter(|file| file.is_file()).max().unwrap_or(tools)
}

/// Brings axe-core into the page.
#[track_caller]
pub fn inject(lab: &Lab) {
    let injected = lab.cdp("Runtime.evaluate", json!({ "expression": axe_core() }));
    assert_eq!(injected["exceptionDetails"], Value::Null, "axe-core does not run");
    assert_eq!(lab.eval("typeof axe.run"), json!("function"));
}

/// What axe-core reports of the page as it is now, one line per element: rule, element and remedy.
#[track_caller]
pub fn faults(lab: &Lab, at: &str) -> Vec<String> {
    faults_of(lab, at, Rules::All)
}

#[track_caller]
pub fn faults_of(lab: &Lab, at: &str, rules: Rules) -> Vec<String> {
    lab.wait_until(READY);
    // axe-core takes the lane for the background of a label that is scrolled behind the ruler.
    lab.eval(
        "document.querySelectorAll('*').forEach(element => element.scrollTo({ top: 0, behavior: 'instant' }))",
    );
    violations_of(lab, at, rules)
}

/// What axe-core looks for.
#[derive(Clone, Copy)]
pub enum Rules {
    All,
    /// Contrast alone, where the same is looked at in other colours.
    Colours,
}

impl Rules {
    /// In the dark only colours differ from the light.
    pub fn of(look: Look) -> Self {
        if look.scheme == Scheme::Dark { Self::Colours } else { Self::All }
    }
}

/// What axe-core reports of any page, without what is in its frames.
#[track_caller]
pub fn violations(lab: &Lab, at: &str) -> Vec<String> {
    violations_of(lab, at, Rules::All)
}

#[track_caller]
pub fn violations_of(lab: &Lab, at: &str, rules: Rules) -> Vec<String> {
    let only = match rules {
        Rules::All => "",
        Rules::Colours => ", runOnly: ['color-contrast']",
    };
    let found = lab.eval(&format!(
        "axe.run(document, {{ resultTypes: ['violations'], iframes: false{only} }}).then(result => \
           result.violations.filter(fault => ['serious', 'critical'].includes(fault.impact)) \
           .flatMap(fault => fault.nodes.map(node => \
             `${{fault.impact}} ${{fault.id}} at ${{node.target.join(' ')}}: ${{node.failureSummary}}`)))"
    ));
    let found = found.as_array().expect("axe-core's list").iter().filter_map(Value::as_str);
    found.map(|fault| format!("{at}: {}", fault.replace('\n', " "))).collect()
}

/// Goes through the page and asks everywhere.
#[track_caller]
fn examine(look: Look, name: &str) {
    let site = Site::dist();
    let files = Files::new();
    let lab = steps::open_as(&site, look, "two-users");
    inject(&lab);
    let faults = |lab: &Lab, at: &str| faults_of(lab, at, Rules::of(look));
    let mut found = faults(&lab, &format!("{name}, as it opens"));
    steps::click(&lab, "#lanes [data-job]");
    lab.wait_for("#lanes [data-job][aria-pressed=true]");
    steps::click(&lab, "#step");
    for tab in TABS {
        steps::click(&lab, &format!("#tab-{tab}"));
        lab.wait_for(&format!("#tab-{tab}[aria-selected=true]"));
        lab.eval("document.querySelectorAll('details:not(.menu)').forEach(part => part.open = true)");
        found.extend(faults(&lab, &format!("{name}, {tab}")));
    }
    steps::edit_job(&lab);
    lab.eval("document.querySelectorAll('#side details').forEach(part => part.open = true)");
    found.extend(faults(&lab, &format!("{name}, the editor of a job")));
    steps::click(&lab, "#tab-charts");
    steps::click(&lab, "#chart-table");
    for chart in ["responses", "users", "fairness", "slowdown", "cores", "atr", "estimates"] {
        lab.select("#chart-kind", chart);
        found.extend(faults(&lab, &format!("{name}, chart {chart}")));
    }
    lab.eval("document.querySelector('#chart-estimates canvas').focus()");
    lab.press(Key::Right);
    steps::click(&lab, "#chart-size");
    lab.wait_for("#chart-dialog[open]");
    found.extend(faults(&lab, &format!("{name}, a large chart")));
    lab.press(Key::Escape);
    lab.eval(
        "(() => { const field = document.querySelector('.left .field input[type=text]'); \
         field.value = 'many'; field.dispatchEvent(new Event('change', { bubbles: true })); })()",
    );
    lab.wait_for(".field.wrong");
    found.extend(faults(&lab, &format!("{name}, a wrong value")));
    lab.eval("document.querySelector('#export').open = true");
    found.extend(faults(&lab, &format!("{name}, the menu open")));
    lab.eval("document.querySelector('#export').open = false");
    if look.touch {
        lab.click(".right .fold-sheet");
        // What lies over the page there.
        for (button, open) in [
            ("#tab-set-up", ".with-set-up"),
            ("#view", "#view-sheet:popover-open"),
            ("#more", "#header-more:popover-open"),
            ("#next-steps", "#next:popover-open"),
        ] {
            steps::click(&lab, button);
            lab.wait_for(open);
            found.extend(faults(&lab, &format!("{name}, {button}")));
            lab.press(Key::Escape);
            lab.wait_until(&format!("document.querySelector('{open}') === null"));
        }
    }
    steps::click(&lab, "#fidelity");
    lab.wait_for("#fidelity-dialog[open] table");
    found.extend(faults(&lab, &format!("{name}, the report")));
    steps::click(&lab, "#fidelity-close");

    lab.upload("#file", files.write("broken.json", "no scenario"));
    lab.wait_for("[role=alert]");
    found.extend(faults(&lab, &format!("{name}, a notice")));

    // More users, so more colours under the blocks' names, and every panel.
    lab.select("#scenario", "paper-scenario-2");
    // Until its panels are there they push the policies down on a telephone.
    lab.wait_until(READY);
    steps::tick_exactly(&lab, &steps::papers_policies());
    found.extend(faults(&lab, &format!("{name}, all ten policies")));
    assert!(found.is_empty(), "axe-core found {}:\n{}", found.len(), found.join("\n"));
}

#[test]
fn axe_finds_no_serious_fault_in_the_light() {
    examine(Look::DESK, "light");
}

#[test]
fn axe_finds_no_serious_fault_in_the_dark() {
    examine(Look::DESK.dark(), "dark");
}

#[test]
fn axe_finds_no_serious_fault_on_a_phone() {
    examine(Look::PHONE, "phone");
}

/// On a phone's side, in forced colours and with textures, as the page opens and with a side sheet.
#[test]
fn axe_finds_no_serious_fault_however_the_page_is_shown() {
    let site = Site::dist();
    let mut found = Vec::new();
    for (look, name) in
        [(Look::LANDSCAPE, "landscape"), (Look::PHONE.dark(), "dark phone"), (Look::DESK.forced(), "forced")]
    {
        let lab = steps::open_as(&site, look, "paper-scenario-2");
        inject(&lab);
        found.extend(faults(&lab, name));
        lab.click("#textures");
        // On a phone it is in a sheet.
        lab.press(Key::Escape);
        lab.eval("document.querySelector(`#lanes [data-job='3']`).click()");
        steps::click(&lab, "#tab-compare");
        lab.wait_for("#heat");
        found.extend(faults(&lab, &format!("{name}, compare, textures")));
    }
    assert!(found.is_empty(), "axe-core found {}:\n{}", found.len(), found.join("\n"));
}
