//! The reader's work: a record of *Mine* belongs to the page that it came from, whatever is opened over it and in however
//! many tabs; and whatever the browser does to the storage, the page says so and goes on.

use e2e::{Key, Lab, Look, Site, json};
use fairlane_view::link::{LinkBounds, Origin, Session};
use fairlane_view::view::View;

use crate::steps::{self, READY};

/// Longer than the moment after which changes are saved, with the writing.
const SAVED: &str = "new Promise(done => setTimeout(done, 1200))";

/// The titles under *Mine*, in order.
#[track_caller]
fn mine(lab: &Lab) -> Vec<String> {
    lab.wait_for("#my-scenarios");
    lab.eval("document.querySelector('.mine[open] summary')?.click()");
    lab.click("#my-scenarios");
    lab.wait_until("!document.querySelector('.mine .hint').innerText.includes('loading')");
    let mut titles = lab.texts(".mine .kept b");
    titles.sort();
    lab.press(Key::Escape);
    titles
}

/// Gives the scenario a title, which is an edit like any other.
#[track_caller]
fn rename(lab: &Lab, title: &str) {
    lab.wait_for("#title");
    lab.wait_for("#my-scenarios:not([disabled])");
    lab.eval(&format!(
        "(title => {{ title.value = '{title}'; title.dispatchEvent(new Event('change', {{ bubbles: true }})); }}) \
         (document.querySelector('#title'))"
    ));
    lab.wait_until(&format!("document.querySelector('#title').value === '{title}'"));
    lab.wait_for("#undo:not([disabled])");
}

/// A link to somebody else's scenario.
fn link(title: &str) -> String {
    let scenario = steps::native("two-users").to_builder().name(title).build().expect("a good name");
    let view = View { policies: [steps::policy("fair")].into(), ..View::default() };
    let session = Session::new(scenario, Origin::File("theirs.json".to_owned()), view);
    format!("#{}", session.to_text(&LinkBounds::LINK).expect("a short link"))
}

/// The first edit of an opened link once overwrote what the reader had worked on before.
#[test]
fn a_link_a_lesson_and_a_challenge_over_work_leave_it_alone() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    rename(&lab, "my work");
    lab.eval(SAVED);
    for (suffix, title) in [
        (link("theirs").as_str(), "theirs, changed"),
        ("#lesson:skew/2", "a lesson, changed"),
        ("#challenge:lie", "won"),
    ] {
        lab.goto(suffix);
        lab.wait_until(READY);
        rename(&lab, title);
        lab.eval(SAVED);
    }
    lab.goto("#catalog:skew");
    lab.wait_until(READY);
    assert_eq!(mine(&lab), ["a lesson, changed", "my work", "theirs, changed", "won"]);
    // Whoever opens one goes on with it.
    lab.click("#my-scenarios");
    lab.eval(
        "[...document.querySelectorAll('.mine .kept')].find(e => e.innerText.includes('my work')).click()",
    );
    lab.wait_until("document.querySelector('#title').value === 'my work'");
    rename(&lab, "my work, longer");
    lab.eval(SAVED);
    lab.reload();
    rename(&lab, "my work, longest");
    lab.eval(SAVED);
    assert_eq!(mine(&lab), ["a lesson, changed", "my work, longest", "theirs, changed", "won"]);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Whoever leaves within the moment loses nothing: by a reload, by a link, by closing the tab.
#[test]
fn what_the_moment_of_rest_holds_is_kept_when_the_page_is_left() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    rename(&lab, "by a reload");
    lab.reload();
    lab.wait_until("document.querySelector('#title')?.value === 'by a reload'");
    rename(&lab, "by a link");
    lab.goto("#catalog:skew");
    lab.wait_until(READY);
    lab.eval(SAVED);
    assert_eq!(mine(&lab), ["by a link"]);
    rename(&lab, "by a closed tab");
    let tab = lab.other_tab("#catalog:weights");
    lab.wait_until(READY);
    lab.eval(SAVED);
    assert_eq!(mine(&lab), ["by a closed tab", "by a link"], "a hidden page is kept at once");
    lab.switch_to(tab);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// A browser may end a page a while after the next one has begun, and lets go of its locks only then: what the page had
/// not written yet is kept, in its record or, if it takes too long, beside it.
#[test]
fn what_a_page_that_ends_slowly_has_changed_is_kept() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    rename(&lab, "before");
    lab.eval(SAVED);
    let first = lab.other_tab("#catalog:skew");
    lab.wait_until(READY);
    // The lock goes to this tab first, which stands for the page that was left.
    lab.eval(
        "navigator.locks.query().then(({ held }) => { \
             const { name } = held.find(({ name }) => name.startsWith('fairlane.record.')); \
             navigator.locks.request(name, () => new Promise(done => setTimeout(done, 500))); \
         })",
    );
    lab.switch_to(first);
    rename(&lab, "within the moment");
    lab.goto("#catalog:weights");
    lab.wait_until(READY);
    // Timers of a tab that is not in sight are slow.
    lab.eval("new Promise(done => setTimeout(done, 4000))");
    let kept = mine(&lab);
    assert!(kept.contains(&"within the moment".to_owned()), "{kept:?}");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn two_tabs_never_overwrite_each_other() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    rename(&lab, "first");
    lab.eval(SAVED);
    // Another tab begins with what was there last, and its changes are its own.
    let first = lab.other_tab("");
    lab.wait_until("document.querySelector('#title')?.value === 'first'");
    rename(&lab, "second");
    lab.wait_for(".toast");
    assert!(lab.text(".toast").contains("is also changed in another tab"), "{}", lab.text(".toast"));
    lab.eval(SAVED);
    assert_eq!(mine(&lab), ["first", "second"]);
    let second = lab.switch_to(first);
    rename(&lab, "first, changed");
    lab.eval(SAVED);
    assert_eq!(mine(&lab), ["first, changed", "second"]);
    // A reload brings back each tab's own page, and its own record.
    lab.reload();
    lab.wait_until("document.querySelector('#title')?.value === 'first, changed'");
    lab.switch_to(second);
    lab.reload();
    lab.wait_until("document.querySelector('#title')?.value === 'second'");
    rename(&lab, "second, changed");
    lab.eval(SAVED);
    assert_eq!(mine(&lab), ["first, changed", "second, changed"]);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Where the browser has no locks, what was written last tells tabs apart.
#[test]
fn two_tabs_without_locks_keep_both_versions() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let no_locks = "(Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined }), null)";
    lab.eval(no_locks);
    rename(&lab, "first");
    lab.eval(SAVED);
    let first = lab.other_tab("");
    lab.wait_until("document.querySelector('#title')?.value === 'first'");
    lab.eval(no_locks);
    let second = lab.switch_to(first);
    rename(&lab, "first, changed");
    lab.eval(SAVED);
    lab.switch_to(second);
    rename(&lab, "second");
    lab.eval(SAVED);
    assert_eq!(mine(&lab), ["first, changed", "second"]);
}

/// Storage that is denied, full, of a newer version or damaged: each has a sentence of its own, and the page goes on.
#[test]
fn each_fault_of_the_database_has_its_sentence() {
    let site = Site::dist();
    let newer = "new Promise((done, failed) => { const request = indexedDB.open('fairlane', 9); \
        request.onsuccess = () => { request.result.close(); done(null); }; request.onerror = failed; })";
    let damaged = "new Promise((done, failed) => { const gone = indexedDB.deleteDatabase('fairlane'); \
        gone.onsuccess = () => { const request = indexedDB.open('fairlane', 1); \
            request.onsuccess = () => { request.result.close(); done(null); }; request.onerror = failed; }; })";
    let denied =
        "(IDBFactory.prototype.open = () => { throw new DOMException('no', 'SecurityError') }, null)";
    let full =
        "(IDBObjectStore.prototype.put = () => { throw new DOMException('no', 'QuotaExceededError') }, null)";
    for (name, fault, words) in [
        ("newer", newer, "A newer version of Fairlane"),
        ("damaged", damaged, "is damaged"),
        ("denied", denied, "denies the page storage"),
        ("full", full, "storage is full"),
    ] {
        let lab = steps::open(&site, "two-users");
        lab.wait_for("#my-scenarios");
        lab.eval(fault);
        rename(&lab, "kept nowhere");
        lab.wait_for("#save-unsaved");
        assert!(lab.text(".notice").contains(words), "{name}: {}", lab.text(".notice"));
        see(&lab, &format!("storage-{name}"));
        lab.click("#my-scenarios");
        lab.wait_until(&format!("document.querySelector('.mine .hint').innerText.includes('{words}')"));
        // The list, then the menu that it is in.
        lab.press(Key::Escape);
        lab.press(Key::Escape);
        lab.click("#save-unsaved");
        assert!(!lab.download("kept-nowhere.json").is_empty());
        assert_eq!(lab.console_errors(), Vec::<String>::new(), "{name}");
    }
}

/// Records that this version cannot read are counted, and nothing overwrites them.
#[test]
fn records_of_another_version_stay() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    rename(&lab, "mine");
    lab.eval(SAVED);
    lab.eval(
        "new Promise(done => { const request = indexedDB.open('fairlane'); request.onsuccess = () => { \
           const records = request.result.transaction('scenarios', 'readwrite').objectStore('scenarios'); \
           records.put('{\"id\":1,\"format\":\"another\"}', 1); records.put(42, 2); \
           records.transaction.oncomplete = () => { request.result.close(); done(null); }; }; })",
    );
    assert_eq!(mine(&lab), ["mine"]);
    lab.click("#my-scenarios");
    lab.wait_for("#unreadable");
    assert!(
        lab.text("#unreadable").starts_with("2 more scenarios cannot be read"),
        "{}",
        lab.text("#unreadable")
    );
    see(&lab, "mine-unreadable");
}

/// Each key of the browser's storage damaged, one by one, and all in every way: the lab starts, says what is lost where
/// something is, and works.
#[test]
fn every_damaged_key_leaves_a_page_that_works() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#lesson:skew/2");
    lab.wait_until(READY);
    steps::click(&lab, "#policy-cfq");
    lab.eval(SAVED);
    let keys =
        lab.eval("[...new Set([...Object.keys(localStorage), ...Object.keys(sessionStorage)])].sort()");
    let keys: Vec<String> = serde_json::from_value(keys).expect("keys");
    assert!(keys.iter().any(|key| key == "fairlane.session") && keys.len() > 3, "{keys:?}");
    let others = ["fairlane.programs", "fairlane.starting", "fairlane.set-aside"];
    let keys: Vec<&str> = keys.iter().map(String::as_str).chain(others).collect();
    let works = |keys: &[&str], damaged: &str| {
        lab.eval(&format!(
            "((keys, damaged) => [localStorage, sessionStorage].forEach(storage => \
               keys.forEach(key => storage.setItem(key, damaged))))({}, {})",
            json!(keys),
            json!(damaged)
        ));
        // The page's own leave-taking must not mend it first.
        lab.eval("(Storage.prototype.setItem = () => {}, null)");
        lab.reload();
        lab.wait_until(READY);
        // Where nothing is left to restore, a newcomer is welcomed.
        if lab.count("#whole-lab") > 0 {
            lab.click("#whole-lab");
        }
        lab.wait_for("#my-scenarios");
        lab.click("#play");
        assert_eq!(lab.console_errors(), Vec::<String>::new(), "{keys:?} = {damaged:?}");
    };
    for key in &keys {
        for damaged in ["fairlane1:AAAA&sum=00000000", "\u{0}\u{ffff},,:\n\n"] {
            works(&[key], damaged);
        }
    }
    for damaged in ["", "x", "fairlane9:AAAA", "1e999"] {
        works(&keys, damaged);
    }
}

/// A saved page that cannot be read is not overwritten: it can be saved as a file from *Mine*.
#[test]
fn a_saved_page_that_cannot_be_read_is_set_aside() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:skew");
    lab.wait_until(READY);
    for (name, text, words) in [
        ("newer-page", "fairlane9:AAAA", "another version of Fairlane"),
        ("damaged-page", "fairlane1:AAAA&sum=00000000", "is damaged"),
    ] {
        steps::store_instead(&lab, text);
        lab.reload();
        lab.wait_for(".notice .save-aside");
        let said = lab.text(".notice");
        assert!(said.contains("saved in this browser") && said.contains(words), "{said}");
        see(&lab, name);
        lab.click(".notice .save-aside");
        assert_eq!(String::from_utf8(lab.download("fairlane-page.txt")).expect("text"), text);
        // Still there after the opening page was changed, and after a reload.
        rename(&lab, "something else");
        lab.eval(SAVED);
        lab.reload();
        lab.wait_for("#my-scenarios");
        lab.click("#my-scenarios");
        lab.wait_for("#set-aside .save-aside");
        lab.press(Key::Escape);
    }
}

/// A page that held up its own restoring is not restored a second time unasked.
#[test]
fn a_page_that_hung_is_not_restored_again_unasked() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    rename(&lab, "it hangs");
    lab.eval(SAVED);
    // As a tab that was ended while it restored leaves it.
    lab.eval(
        "(localStorage.setItem('fairlane.starting', String(Date.now() - 60000)), \
         Storage.prototype.removeItem = () => {}, Storage.prototype.setItem = () => {}, null)",
    );
    lab.reload();
    lab.wait_for(".notice .open-aside");
    assert!(lab.text(".notice").contains("did not open the last time"), "{}", lab.text(".notice"));
    see(&lab, "hung");
    lab.click(".notice .open-aside");
    lab.wait_until("document.querySelector('#title').value === 'it hangs'");
    lab.wait_until(READY);
    // Nor does an address of the catalog depend on it.
    lab.eval("(localStorage.setItem('fairlane.starting', '1'), null)");
    lab.goto("#catalog:skew");
    lab.wait_until(READY);
    assert_eq!(lab.count(".notice"), 0);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Takes a picture of what is said at two sizes in both schemes, if a folder is named for them.
fn see(lab: &Lab, name: &str) {
    let Ok(folder) = std::env::var("FAIRLANE_SHOTS") else { return };
    for (size, look) in [("desk", Look::DESK.sized(1440, 900)), ("phone", Look::PHONE)] {
        for (scheme, look) in [("light", look), ("dark", look.dark())] {
            lab.look(look);
            lab.eval("new Promise(done => setTimeout(done, 300))");
            lab.screenshot(format!("{folder}/{name}-{scheme}-{size}.png"));
        }
    }
    lab.look(Look::DESK);
}
