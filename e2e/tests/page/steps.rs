//! Steps that the tests of the page share.

use std::path::PathBuf;

use e2e::{Lab, Look, Site, Value, json};
use fairlane::catalog;
use fairlane::{PolicyId, Scenario};
use tempfile::TempDir;

/// Every panel shows what it should.
pub const READY: &str = "document.documentElement.dataset.ready === 'true'";

/// The page with a catalog scenario, settled.
#[track_caller]
pub fn open(site: &Site, name: &str) -> Lab {
    open_as(site, Look::DESK, name)
}

#[track_caller]
pub fn open_as(site: &Site, look: Look, name: &str) -> Lab {
    let lab = Lab::open_as(site, look, &format!("#catalog:{name}"));
    lab.wait_until(READY);
    show_apart(&lab);
    lab
}

/// The page as a newcomer opens it, with a press on *The whole lab*.
#[track_caller]
pub fn whole_lab(site: &Site) -> Lab {
    let lab = Lab::open(site);
    lab.wait_for("#whole-lab");
    lab.click("#whole-lab");
    lab.wait_until(READY);
    show_apart(&lab);
    lab
}

/// Puts another text in place of the saved page. In one step, because the page stores itself a moment after each change;
/// and it stays, though the page stores itself as it is left.
#[track_caller]
pub fn store_instead(lab: &Lab, text: &str) {
    lab.eval(&format!(
        "([localStorage, sessionStorage].forEach(s => s.setItem('fairlane.session', '{text}')), \
         Storage.prototype.setItem = () => {{}}, null)"
    ));
}

/// In pages that are opened from now on, what waits for seconds waits a tenth of them: the page registers the worker that
/// keeps it five seconds after its start.
#[track_caller]
pub fn hurry(lab: &Lab) {
    let source = "const patient = setTimeout; \
        window.setTimeout = (then, ms, ...given) => patient(then, ms < 5000 ? ms : ms / 10, ...given);";
    lab.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
}

/// Gives each policy a panel of its own, also those with the schedule of another one.
#[track_caller]
pub fn show_apart(lab: &Lab) {
    lab.eval("document.querySelectorAll('[id^=unfold-]').forEach(button => button.click())");
    lab.wait_until(READY);
}

/// The same scenario natively.
pub fn native(name: &str) -> Scenario {
    catalog::find(name).expect("an entry of the catalog").scenario()
}

pub fn policy(id: &str) -> PolicyId {
    id.parse().expect("a policy")
}

/// The five policies of the UWFQ paper under both partitionings, in the order of the panels.
pub fn papers_policies() -> Vec<PolicyId> {
    let of_paper = ["fifo", "fair", "ujf", "cfq", "uwfq"];
    let mut all: Vec<PolicyId> =
        PolicyId::all().filter(|policy| of_paper.contains(&policy.kind.info().id)).collect();
    all.sort();
    all
}

/// Ticks what is wanted and unticks the rest, then waits for the panels.
#[track_caller]
pub fn tick_exactly(lab: &Lab, wanted: &[PolicyId]) {
    for policy in PolicyId::all() {
        let ticked = lab.eval(&format!("document.querySelector('#policy-{policy}').checked"));
        if ticked != json!(wanted.contains(&policy)) {
            click(lab, &format!("#policy-{policy}"));
            // What is below moves as parameters come and go.
            lab.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
        }
    }
    let count = wanted.len();
    let all = format!(
        "document.querySelectorAll('.panel').length + document.querySelectorAll('[id^=unfold-]').length === {count}"
    );
    lab.wait_until(&all);
    lab.wait_until(READY);
    show_apart(lab);
    lab.wait_until(&format!("document.querySelectorAll('.panel[data-state=done]').length === {count}"));
    lab.wait_until(READY);
}

/// [`tick_exactly`] of policies whose groups may be folded.
#[track_caller]
pub fn tick_folded(lab: &Lab, wanted: &[PolicyId]) {
    lab.eval("document.querySelectorAll('.policies details').forEach(group => group.open = true)");
    tick_exactly(lab, wanted);
}

/// Clicks what may have to be scrolled to: the page keeps it clear of fixed elements, the browser's
/// driver would not.
#[track_caller]
pub fn click(lab: &Lab, css: &str) {
    // What it is folded in opens first.
    lab.rect(css);
    // In the middle, where it stays clear even if something above grows in between.
    lab.eval(&format!(
        "document.querySelector({}).scrollIntoView({{ block: 'center', behavior: 'instant' }})",
        json!(css)
    ));
    lab.click(css);
}

/// Opens the inspector with the editor of the chosen job unfolded.
#[track_caller]
pub fn edit_job(lab: &Lab) {
    lab.click("#tab-job");
    lab.wait_for("#edit-job");
    if lab.eval("document.querySelector('#edit-job').ariaExpanded") == json!("false") {
        click(lab, "#edit-job");
    }
    lab.wait_for("#edit-job[aria-expanded=true]");
}

/// The panels' policies, from top to bottom.
#[track_caller]
pub fn panels(lab: &Lab) -> Vec<String> {
    let ids = lab.eval("Array.from(document.querySelectorAll('.panel'), p => p.id.replace('panel-', ''))");
    ids.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// What the select for the scenario shows.
#[track_caller]
pub fn shown_scenario(lab: &Lab) -> String {
    lab.text("#scenario option:checked")
}

/// Everything a reader sees of a scenario: set-up, lanes, panels, tables, transport, and the charts'
/// pixels.
#[track_caller]
pub fn picture(lab: &Lab) -> Value {
    // Tasks that fly to their new places have landed.
    lab.wait_until("document.querySelector('canvas.moving:not([hidden])') === null");
    lab.eval(
        "[document.querySelector('main').outerHTML, document.querySelector('.transport').outerHTML, \
          document.querySelector('#scenario').outerHTML, document.querySelector('#scenario').selectedIndex, \
          document.querySelector('#slider').value, \
          ...Array.from(document.querySelectorAll('canvas:not(.moving)'), c => c.toDataURL())]",
    )
}

/// Which of the users' colours a chart's pixels have, by number.
#[track_caller]
pub fn user_hues(lab: &Lab, canvas: &str) -> Vec<u64> {
    let hues = lab.eval(&format!(
        "(() => {{
          const canvas = document.querySelector({canvas});
          const pixels = new Uint32Array(canvas.getContext('2d')
            .getImageData(0, 0, canvas.width, canvas.height).data.buffer);
          const present = new Set(pixels);
          const probe = document.body.appendChild(document.createElement('span'));
          const colour = token => {{
            probe.style.color = `var(${{token}})`;
            const [r, g, b] = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
            return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
          }};
          const hues = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].filter(n =>
            present.has(colour(`--user-${{n}}`)) || present.has(colour(`--user-${{n}}-alt`)));
          probe.remove();
          return hues;
        }})()",
        canvas = json!(canvas)
    ));
    hues.as_array().into_iter().flatten().filter_map(Value::as_u64).collect()
}

/// Files to give to the page; they vanish with the value.
pub struct Files(TempDir);

impl Files {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder for the test's files"))
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).expect("the test's folder can be written");
        path
    }

    /// A file of this length that takes no room.
    pub fn sparse(&self, name: &str, bytes: u64) -> PathBuf {
        let path = self.0.path().join(name);
        let file = std::fs::File::create(&path).expect("the test's folder can be written");
        file.set_len(bytes).expect("a sparse file");
        path
    }
}
