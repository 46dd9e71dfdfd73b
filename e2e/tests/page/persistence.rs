//! Nothing is lost: reload, share, save.

use e2e::{Key, Lab, Look, Site, Value, json};
use fairlane::Scenario;

use crate::steps::{self, READY};

/// What two equal pages have in common.
#[track_caller]
fn essence(lab: &Lab) -> Value {
    lab.wait_until(READY);
    lab.eval(
        "[Array.from(document.querySelectorAll('.panel'), p => p.id + p.querySelector('code.hash').textContent), \
          document.querySelector('#now').innerText, \
          Array.from(document.querySelectorAll('.axis .label'), l => l.innerText), \
          document.querySelector('#scenario option:checked').innerText, \
          ...Array.from(document.querySelectorAll('.chart canvas:not(.moving)'), c => c.toDataURL())]",
    )
}

/// An edited page, zoomed in, with another policy ticked and the playhead somewhere.
#[track_caller]
fn worked_on(lab: &Lab) {
    let (x, y) = lab.rect("#lanes [data-job='12']").centre();
    lab.drag((x, y), (x + 80.0, y));
    lab.click("#policy-uwfq-p");
    lab.wait_until(READY);
    lab.click("#step");
    lab.click("#step");
    lab.click("#zoom-in");
    // Nothing chosen, so that no job is highlighted in the other page.
    steps::edit_job(lab);
    lab.eval(
        "Array.from(document.querySelectorAll('#side button')).find(b => b.innerText === 'Clear \
        selection').click()",
    );
    lab.wait_until(READY);
}

#[test]
fn a_shared_link_opened_elsewhere_is_the_same_page() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    worked_on(&lab);
    let here = essence(&lab);
    lab.click("#share");
    lab.wait_for(".toast p");
    let link = lab.text(".toast p");
    assert!(link.contains("#fairlane1:"), "{link}");
    let suffix = link[link.find('#').expect("a fragment")..].to_owned();
    drop(lab);

    let there = Lab::open_as(&site, Look::DESK, &suffix);
    assert_eq!(essence(&there), here);
    assert!(!there.address().contains('#'), "the link has been read: {}", there.address());

    // One character of the middle is lost.
    let mut broken = suffix;
    broken.remove(broken.len() / 2);
    there.goto(&broken);
    there.wait_for(".notice");
    assert!(there.text(".notice").starts_with("The link"), "{}", there.text(".notice"));
    there.wait_until(READY);
    assert!(there.count(".panel[data-state=done]") > 0, "the page goes on with the catalog's first");
    assert_eq!(there.console_errors(), Vec::<String>::new());
}

#[test]
fn a_reload_restores_and_corrupt_storage_is_reported() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    worked_on(&lab);
    let before = essence(&lab);
    lab.wait_until("(localStorage.getItem('fairlane.session') ?? '').includes('uwfq-p')");
    // The page keeps itself a moment after the last change.
    lab.eval("new Promise(done => setTimeout(done, 700))");
    lab.reload();
    assert_eq!(essence(&lab), before);

    steps::store_instead(&lab, "fairlane1:AAAA&sum=00000000");
    lab.reload();
    lab.wait_for(".notice");
    assert!(lab.text(".notice").contains("saved in this browser"), "{}", lab.text(".notice"));
    lab.wait_until(READY);
    lab.eval("[...document.querySelectorAll('.notice button')].find(b => b.innerText === 'Close').click()");

    lab.eval("Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }");
    lab.click("#policy-cfq");
    lab.wait_until("document.querySelector('.notice')?.innerText.includes('cannot save the page')");
    lab.click("#save-unsaved");
    let file = lab.download("two-users-many-jobs-against-one.json");
    assert!(Scenario::from_json(&String::from_utf8(file).expect("text")).is_ok());
    lab.wait_until(READY);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// A full database is reported at once, by the list of kept scenarios as well, and the file is offered.
#[test]
fn an_edit_that_is_not_kept_says_so_and_offers_the_file() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    lab.wait_for("#my-scenarios");
    lab.eval("IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError') }");
    steps::click(&lab, "#lanes [data-job='12']");
    lab.press(Key::Right);
    lab.wait_for("#save-unsaved");
    assert!(lab.text(".notice").contains("not kept under Mine"), "{}", lab.text(".notice"));
    lab.click("#my-scenarios");
    lab.wait_until("document.querySelector('.mine .hint').innerText.includes('storage is full')");
    // The list, then the menu that it is in.
    lab.press(Key::Escape);
    lab.press(Key::Escape);
    lab.click("#save-unsaved");
    assert!(!lab.download("two-users-many-jobs-against-one.json").is_empty());
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// A scenario comes back with the policies that were ticked last, also if nothing else was changed since.
#[test]
fn a_kept_scenario_has_its_policies() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    lab.wait_for("#my-scenarios");
    steps::click(&lab, "#lanes [data-job='12']");
    lab.press(Key::Right);
    let pause = "new Promise(done => setTimeout(done, 900))";
    lab.eval(pause);
    steps::click(&lab, "#policy-uwfq-p");
    steps::click(&lab, "#policy-fifo");
    lab.eval(pause);
    lab.select("#scenario", "skew");
    lab.wait_until("document.querySelector('#title').value.startsWith('Skew')");
    lab.click("#my-scenarios");
    lab.click(".mine .kept");
    lab.wait_until("document.querySelector('#title').value.startsWith('Two users')");
    lab.wait_until(READY);
    let ticked = |policy: &str| lab.eval(&format!("document.querySelector('#policy-{policy}').checked"));
    assert_eq!([ticked("uwfq-p"), ticked("fifo")], [json!(true), json!(false)]);
}

/// Whatever follows the # of the address, the page opens it or says that it cannot, also while it is open.
#[test]
fn unknown_and_damaged_links_say_so() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#nonsense");
    lab.wait_for(".notice");
    assert!(lab.text(".notice").contains("no known kind"), "{}", lab.text(".notice"));
    lab.wait_until(READY);
    assert!(!lab.address().contains("nonsense"), "it is said once");
    lab.click(".notice button");
    for (fragment, words) in [
        ("fairlane1:AAAA&sum=00000000", "The link"),
        ("lesson:nothing/1", "no step of a lesson"),
        ("catalog:nothing", "The link"),
    ] {
        lab.eval(&format!("void (location.hash = '{fragment}')"));
        lab.wait_until(&format!("document.querySelector('.notice')?.innerText.includes('{words}')"));
        lab.wait_until(READY);
        lab.click(".notice button");
    }
    lab.eval("void (location.hash = 'catalog:skew')");
    lab.wait_until("document.querySelector('#title')?.value.startsWith('Skew')");
}

#[test]
fn everything_can_be_saved() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let native = steps::native("two-users");
    let save = |id: &str, name: &str| {
        if lab.count("#export[open]") == 0 {
            lab.click("#save");
        }
        lab.click(id);
        lab.download(name)
    };
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let scenario = text(save("#save-scenario", "two-users-many-jobs-against-one.json"));
    assert_eq!(Scenario::from_json(&scenario).as_ref(), Ok(&native));
    let traces: Value =
        serde_json::from_str(&text(save("#save-traces", "two-users-many-jobs-against-one-schedules.json")))
            .expect("JSON");
    let fair = fairlane::simulate(&native, steps::policy("fair"));
    let expected: Value = serde_json::from_str(&fair.to_json()).expect("JSON");
    assert!(traces.as_array().is_some_and(|traces| traces.contains(&expected)));
    let figures = text(save("#save-metrics", "two-users-many-jobs-against-one-figures.csv"));
    assert!(figures.contains(&format!("{:016x}", fair.hash())), "{figures}");
    assert_eq!(
        text(save("#save-jobs", "two-users-many-jobs-against-one-jobs.csv")).lines().count(),
        1 + 5 * 13
    );
    let svg = text(save("#save-svg", "two-users-many-jobs-against-one-charts.svg"));
    assert!(svg.starts_with("<svg") || svg.starts_with("<?xml"), "{}", &svg[..80]);
    let png = save("#save-png", "two-users-many-jobs-against-one-charts.png");
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
    assert_eq!(json!(lab.count(".notice")), json!(0));
}

/// All that a link is to carry, as the page shows it.
#[track_caller]
fn carried(lab: &Lab) -> Value {
    lab.wait_until(READY);
    lab.eval(
        "(() => { const all = (css, of) => Array.from(document.querySelectorAll(css), of); \
          return { title: document.querySelector('#title').value, \
            origin: document.querySelector('#scenario option:checked').innerText, \
            schedules: all('.panel', p => p.id + p.querySelector('code.hash')?.textContent), \
            collapsed: all('.collapse[aria-expanded=false]', e => e.closest('.panel').id), \
            chosen: all('#lanes [aria-pressed=true]', e => e.dataset.job), \
            marks: all('.switch input', e => e.id + e.checked).filter(mark => mark.startsWith('mark-')), \
            colour: document.querySelector('#colour').value, \
            legend: all('#legend li', e => e.innerText), \
            tab: document.querySelector('.tabs [aria-selected=true]').id, \
            mode: document.querySelector('#present').ariaPressed, \
            rows: all('[id^=rows-][aria-pressed=true]', e => e.id), \
            grace: document.querySelector('#uwfq-grace_s')?.value, \
            atr: document.querySelector('#atr').value, \
            at: document.querySelector('#slider').value, \
            window: all('.axis .label', l => l.innerText) }; })()",
    )
}

/// Shares the page as it is, and opens the link in another browser.
#[track_caller]
fn shared(site: &Site, lab: Lab) -> (Value, Lab, String) {
    let here = carried(&lab);
    // The button is out of sight while presenting.
    lab.eval("document.querySelector('#share').click()");
    lab.wait_for(".toast p");
    let link = lab.eval("document.querySelector('.toast p').textContent");
    let link = link.as_str().expect("a link");
    let suffix = link[link.find('#').expect("a fragment")..].trim().to_owned();
    drop(lab);
    (here, Lab::open_as(site, Look::DESK.sized(1440, 900), &suffix), suffix)
}

#[test]
fn a_link_carries_all_that_the_page_shows() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::DESK.sized(1440, 900), "two-users");
    let fill = |css: &str, text: &str| {
        lab.wait_for(css);
        // What is folded has no selection before it is in sight.
        lab.click(css);
        lab.eval(&format!("document.querySelector('{css}').select()"));
        lab.keys(css, format!("{text}{}", Key::Return));
    };
    fill("#title", "carried");
    fill("#uwfq-grace_s", "3.5");
    lab.wait_until(READY);
    lab.select("#colour", "job");
    lab.click("#mark-inversion");
    lab.click("#mark-skew");
    lab.click("#rows-fit");
    lab.click("#zoom-in");
    lab.click("#policy-uwfq-p");
    lab.wait_until(READY);
    lab.click("#step");
    lab.click("#lanes [data-job='2']");
    lab.eval(
        "document.querySelector(`#lanes [data-job='12']`).dispatchEvent(new KeyboardEvent('keydown', { key: ' ', \
            bubbles: true }))",
    );
    lab.wait_until("document.querySelectorAll('#lanes [aria-pressed=true]').length === 2");
    steps::click(&lab, "#panel-cfq .collapse");
    lab.eval("document.activeElement.blur()");
    lab.press("p");
    lab.wait_for(".presenting");
    // A presentation begins with the schedules alone.
    lab.eval("document.querySelector('#tab-job').click()");
    lab.wait_for(".with-sheet");
    let (here, there, _) = shared(&site, lab);
    assert_eq!(
        (&here["title"], &here["colour"], &here["tab"], &here["mode"], &here["grace"]),
        (&json!("carried"), &json!("job"), &json!("tab-job"), &json!("true"), &json!("3.5"))
    );
    assert_eq!(here["chosen"], json!(["2", "12"]));
    assert_eq!(carried(&there), here);
    assert_eq!(there.console_errors(), Vec::<String>::new());
}

#[test]
fn a_generated_workload_travels_as_its_seed() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::DESK.sized(1440, 900), "two-users");
    steps::click(&lab, "#generator");
    lab.wait_for("#gen-seed");
    lab.eval("document.querySelector('#gen-seed').select()");
    lab.keys("#gen-seed", "4711");
    steps::click(&lab, "#gen-make");
    lab.wait_until("document.querySelector('#scenario option:checked').innerText === 'Generated, seed 4711'");
    lab.wait_until(READY);
    let (here, there, suffix) = shared(&site, lab);
    assert!(suffix.starts_with("#generator1:"), "{suffix}");
    assert!(suffix.len() < 1000, "{} letters", suffix.len());
    assert_eq!(carried(&there), here);
}
