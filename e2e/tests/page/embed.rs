//! The dialog that writes what shows the page in another one: previewed, copied, pasted and served.

use std::fs;

use e2e::{Key, Lab, Look, Site, Value, json};
use tempfile::TempDir;

use crate::axe;
use crate::steps::{self, READY};

/// The preview shows what it should.
const PREVIEWED: &str =
    "document.querySelector('#embed-frame')?.contentDocument?.documentElement.dataset.ready === 'true'";

/// Whether something in the preview matches.
fn in_preview(lab: &Lab, css: &str) -> Value {
    lab.eval(&format!(
        "!!document.querySelector('#embed-frame').contentDocument.querySelector({})",
        json!(css)
    ))
}

/// The text to paste in a form.
#[track_caller]
fn snippet(lab: &Lab, form: &str) -> String {
    steps::click(lab, &format!("#embed-as-{form}"));
    lab.wait_until(&format!("document.querySelector('#embed-text').dataset.form === '{form}'"));
    steps::click(lab, "#embed-copy");
    lab.wait_until("document.querySelector('#embed-copied').textContent !== ''");
    let text = lab.eval("document.querySelector('#embed-text').value");
    text.as_str().expect("a text").to_owned()
}

/// Hears what a demo reports, to the element or to the page.
const LISTEN: &str = "<script>window.heard = null; window.shift = 0;
    new PerformanceObserver(list => { for (const entry of list.getEntries()) shift += entry.value; })
        .observe({ type: 'layout-shift', buffered: true });
    addEventListener('message', event => { if (event.data?.type === 'state') heard = event.data; });</script>";

#[test]
fn a_snippet_is_previewed_copied_and_shows_the_demo_in_another_page() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:priority-inversion&policies=uwfq,ujf&at=1.5");
    lab.wait_until(READY);
    lab.wait_for("#embed:not([disabled])");
    lab.click("#embed");
    lab.wait_for("#embed-dialog[open]");
    lab.wait_until(PREVIEWED);
    assert_eq!(in_preview(&lab, "#lanes"), json!(false));
    steps::click(&lab, "#embed-part-lanes");
    lab.wait_until("!!document.querySelector('#embed-frame')?.contentDocument?.querySelector('#lanes')");
    lab.select("#embed-theme", "dark");
    lab.wait_until(&format!(
        "{PREVIEWED} && \
        document.querySelector('#embed-frame').contentDocument.documentElement.dataset.theme === 'dark'"
    ));
    lab.eval("document.querySelector('#embed-height').select()");
    lab.keys("#embed-height", format!("360{}", Key::Tab));
    lab.wait_until("document.querySelector('#embed-frame').clientHeight === 360");
    let element = snippet(&lab, "element");
    assert!(
        element.contains(
            "scenario=\"priority-inversion\" policies=\"ujf,uwfq\" \
        show=\"lanes,panels,transport\" theme=\"dark\" at=\"1.5\""
        ),
        "{element}"
    );
    let frame = snippet(&lab, "frame");
    let picture = snippet(&lab, "picture");
    assert!(picture.contains("<img src=\"data:image/svg+xml,"), "{picture}");
    axe::inject(&lab);
    assert_eq!(axe::faults(&lab, "the dialog"), Vec::<String>::new());
    // Escape closes it and leaves the reader where they were.
    lab.press(Key::Escape);
    lab.wait_until(
        "document.querySelector('#embed-dialog') === null && document.activeElement.id === 'embed'",
    );
    assert_eq!(lab.console_errors(), Vec::<String>::new());
    drop(lab);

    let folder = TempDir::new().expect("a temporary folder");
    let host = Site::folder(folder.path());
    for (name, text) in [("element", &element), ("frame", &frame), ("picture", &picture)] {
        let page = format!(
            "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>An article</title><link rel='icon' \
                href='data:,'>{LISTEN}</head><body><main><h1>An article</h1>{text}<p>The end</p></main></body></html>"
        );
        fs::write(folder.path().join(format!("{name}.html")), page).expect("an article");
        let article = Lab::open_as(&host, Look::DESK, &format!("{name}.html"));
        if name == "picture" {
            article.wait_until("document.querySelector('a img').naturalWidth > 500");
            let link = article.eval("document.querySelector('a').href");
            let start = site.url("#catalog:priority-inversion&policies=ujf,uwfq&at=1.5");
            assert!(link.as_str().is_some_and(|link| link.starts_with(&start)), "{link}");
        } else {
            article.wait_until("heard?.settled === true");
            assert_eq!(
                article.eval("[heard.at, ...Object.keys(heard.meanResponse)]"),
                json!([1.5, "ujf", "uwfq"])
            );
            assert_eq!(article.rect("iframe, fairlane-demo").height, 360.0);
        }
        assert_eq!(article.eval("shift"), json!(0), "{name}");
        assert_eq!(article.console_errors(), Vec::<String>::new());
    }
}

#[test]
fn a_scenario_of_ones_own_a_lesson_and_predictions_can_be_embedded_on_a_phone() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::PHONE.dark(), "two-users");
    lab.wait_for("#embed:not([disabled])");
    lab.click("#embed");
    lab.wait_until(PREVIEWED);
    steps::click(&lab, "#embed-predict");
    lab.wait_until(
        "!!document.querySelector('#embed-frame')?.contentDocument?.querySelector('#predict .contestant')",
    );
    let element = snippet(&lab, "element");
    assert!(element.contains("predict=\"fifo\""), "{element}");
    assert_eq!(lab.eval("document.documentElement.scrollWidth > innerWidth"), json!(false));
    axe::inject(&lab);
    assert_eq!(axe::faults(&lab, "the dialog on a phone"), Vec::<String>::new());
    steps::click(&lab, "#embed-close");
    lab.wait_until("document.querySelector('#embed-dialog') === null");
    drop(lab);

    let lab = Lab::open_as(&site, Look::DESK, "#lesson:skew/2");
    lab.wait_until(READY);
    lab.wait_for("#embed:not([disabled])");
    lab.click("#embed");
    lab.wait_until("!!document.querySelector('#embed-frame')?.contentDocument?.querySelector('.lesson h2')");
    assert!(snippet(&lab, "frame").contains("?embed&amp;show=panels,lesson,transport#lesson:skew/2\""));
}
