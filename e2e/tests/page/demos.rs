//! Demos in an article of somebody else: another origin, a folder of its own, three demos in one page.

use std::fs;
use std::time::Duration;

use e2e::{Answer, Lab, Look, Site, Value, json};
use tempfile::TempDir;

use crate::steps;

/// An article with three demos, far apart.
fn article(lab: &str) -> String {
    let space = "<p>…</p><div style='height: 1600px'></div>";
    format!(
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>An article</title><link rel='icon' \
            href='data:,'>
        <script defer src='{lab}fairlane-demo.js'></script></head><body><main><h1>An article</h1>
        <fairlane-demo id='one' scenario='priority-inversion' policies='ujf,uwfq' style='display: block; height: \
        420px'><a href='{lab}'>One</a></fairlane-demo>{space}
        <fairlane-demo id='two' scenario='priority-inversion' policies='uwfq' show='lanes,panels' edit \
        style='display: block; height: 360px'>Two</fairlane-demo>{space}
        <fairlane-demo id='three' src='own.json' policies='fifo' theme='dark' style='display: block; height: \
        300px'>Three</fairlane-demo>
        <p>The end</p></main></body></html>"
    )
}

const OWN: &str = r#"{ "format": "fairlane/scenario@1", "name": "From a file", "cluster": { "executors": 1, "cores_per_executor": 2 },
    "users": [{ "name": "ana" }], "jobs": [{ "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [1, 2, 3] }] }] }"#;

/// Hears what the demos say.
const LISTEN: &str = "(() => { window.heard = {}; window.shift = 0;
    new PerformanceObserver(list => { for (const entry of list.getEntries()) shift += entry.value; })
        .observe({ type: 'layout-shift', buffered: true });
    for (const demo of document.querySelectorAll('fairlane-demo'))
        for (const type of ['ready', 'state', 'error', 'edit'])
            demo.addEventListener(`fairlane-${type}`, ({ detail }) => { (heard[demo.id] ??= {})[type] = detail; \
            }); })()";

fn frames(lab: &Lab) -> Value {
    lab.eval(
        "Array.from(document.querySelectorAll('fairlane-demo'), demo => !!demo.shadowRoot.querySelector('iframe'))",
    )
}

#[track_caller]
fn scroll_to(lab: &Lab, id: &str) {
    lab.eval(&format!(
        "document.getElementById('{id}').scrollIntoView({{ block: 'center', behavior: 'instant' }})"
    ));
    lab.wait_until(&format!("heard.{id}?.state?.settled === true"));
}

#[test]
fn an_article_plays_demos_from_another_origin() {
    let site = Site::dist();
    let folder = TempDir::new().expect("a temporary folder");
    let blog = folder.path().join("blog");
    fs::create_dir(&blog).expect("a folder");
    fs::write(blog.join("article.html"), article(&site.url(""))).expect("an article");
    let host = Site::folder(folder.path());
    host.answer("/blog/own.json", Answer::json(OWN).for_everybody());
    let lab = Lab::open_as(&host, Look::DESK, "blog/article.html");
    lab.eval(LISTEN);

    // Nothing loads before it nears the viewport.
    lab.wait_until("heard.one?.state?.settled === true");
    assert_eq!(frames(&lab), json!([true, false, false]));
    assert_eq!(lab.eval("Object.keys(heard.one.state.meanResponse)"), json!(["ujf", "uwfq"]));
    scroll_to(&lab, "two");
    assert_eq!(frames(&lab), json!([true, true, false]));
    scroll_to(&lab, "three");
    assert_eq!(lab.eval("heard.three.state.title"), json!("From a file"));
    // Three tasks on two cores: the last ends after 4 s.
    assert_eq!(lab.eval("heard.three.state.meanResponse.fifo"), json!(4));

    // Time is moved by the page around, and reported to it.
    lab.eval("document.getElementById('three').seek(1.5)");
    lab.wait_until("heard.three.state.at === 1.5");
    // What is out of sight does not run.
    scroll_to(&lab, "one");
    lab.eval("document.getElementById('one').play()");
    lab.wait_until("heard.one.state.playing === true && heard.one.state.at > 0");
    lab.eval("document.getElementById('one').pause()");
    lab.wait_until("heard.one.state.playing === false");
    lab.eval("document.getElementById('one').policies = ['fair']");
    lab.wait_until("heard.one.state.settled && Object.keys(heard.one.state.meanResponse).join() === 'fair'");

    // Only a demo whose address allows it is edited; what is wrong is reported.
    scroll_to(&lab, "two");
    lab.eval(&format!("document.getElementById('two').setScenario({OWN})"));
    lab.wait_until("heard.two.state.title === 'From a file' && heard.two.state.settled");
    lab.wait_until("heard.two.edit?.scenario.jobs.length === 1");
    lab.eval(&format!("document.getElementById('one').setScenario({OWN})"));
    lab.wait_until("heard.one.error?.message.includes('read-only')");
    lab.eval("document.getElementById('two').setScenario({ jobs: 1 })");
    lab.wait_until("heard.two.error?.message.startsWith('edit: ')");
    lab.eval("document.getElementById('two').policies = ['best']");
    lab.wait_until("heard.two.error?.message.startsWith('show: ')");

    // The page around stays as it is laid out.
    assert_eq!(lab.eval("shift"), json!(0));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn attributes_are_properties_and_change_what_is_shown_without_another_frame() {
    let site = Site::dist();
    let page = format!(
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>Host</title><link rel='icon' href='data:,'>
        <script type='module' src='{}fairlane-demo.mjs'></script></head><body><main>
        <fairlane-demo id='one' scenario='priority-inversion' policies='ujf,uwfq' edit='false' height='300'>
        </fairlane-demo>
        </main></body></html>",
        site.url("")
    );
    // A module of another origin is loaded only if its server allows it; here it is of the same one.
    site.answer("/host.html", Answer::html(&page));
    let lab = Lab::open_as(&site, Look::DESK, "host.html");
    lab.eval(LISTEN);
    lab.wait_until("heard.one?.state?.settled === true || (one.seek(0), false)");
    assert_eq!(
        lab.eval("[one.edit, one.policies, one.height, one.at, one.theme, one.clientHeight]"),
        json!([false, "ujf,uwfq", 300, null, "", 300])
    );
    lab.eval("(window.frame = one.shadowRoot.querySelector('iframe'), one.seek(2), one.height = 360)");
    lab.eval("one.label = 'Inversion'");
    lab.wait_until("heard.one.state.at === 2");
    assert_eq!(lab.eval("[one.clientHeight, frame.title]"), json!([360, "Inversion"]));
    // Several at once, and the subject itself; the frame and the instant stay.
    let inside = "frame.contentDocument";
    lab.eval("(one.theme = 'dark', one.show = ['lanes', 'panels'], one.policies = new Set(['fair', 'cfq', 'uwfq']))");
    lab.wait_until(&format!(
        "{inside}.documentElement.dataset.theme === 'dark' && !!{inside}.querySelector('#lanes')"
    ));
    lab.wait_until("Object.keys(heard.one.state.meanResponse).length === 3 && heard.one.state.settled");
    assert_eq!(lab.eval("heard.one.state.at"), json!(2));
    lab.eval("(one.scenario = 'two-users', one.edit = true)");
    lab.wait_until(&format!(
        "heard.one.state.title !== 'Priority inversion' && !{inside}.querySelector('.read-only')"
    ));
    assert_eq!(lab.eval("heard.one.state.at"), json!(2));
    lab.eval("one.at = 0.5");
    lab.wait_until("heard.one.state.at === 0.5");
    lab.eval("one.chart = 'responses'");
    lab.wait_until(&format!("!!{inside}.querySelector('.charts canvas')"));
    // What is wrong is reported, and what was shown stays.
    lab.eval("one.scenario = 'nothing'");
    lab.wait_until("heard.one.error?.message.includes('no scenario')");
    assert_eq!(lab.eval("frame === one.shadowRoot.querySelector('iframe')"), json!(true));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_demo_that_cannot_be_shown_says_why_in_place() {
    let site = Site::dist();
    let folder = TempDir::new().expect("a temporary folder");
    let demo = |attributes: &str| {
        format!(
            "<!doctype html><meta charset='utf-8'><link rel='icon' href='data:,'>
            <script defer src='{}fairlane-demo.js'></script>
            <script>addEventListener('fairlane-error', ({{ detail }}) => window.fault = detail.message)</script>
            <fairlane-demo id='one' {attributes}><a href='#link'>A link</a></fairlane-demo>",
            site.url("")
        )
    };
    let host = Site::folder(folder.path());
    let lab = Lab::blank(&host, Look::DESK);
    for (attributes, words) in [
        ("scenario='nothing'", "no scenario"),
        ("scenario='skew' policies='best'", "no policy"),
        ("src='missing.json'", "status 404"),
        ("src='http://127.0.0.1:9/own.json'", "could not be fetched"),
        ("src='forbidden.json'", "could not be fetched"),
        ("src='secret.json'", "What it holds is no scenario"),
        ("scenario='skew' lab='ftp://lab.example/'", "serve it over HTTP"),
    ] {
        host.answer("/one.html", Answer::html(&demo(attributes)));
        host.answer("/missing.json", Answer::status(404).for_everybody());
        // The lab may read it, the page around gets to know nothing of it.
        host.answer("/secret.json", Answer::json("{ \"format\": \"hunter2\" }").for_everybody());
        // Its server does not allow the lab to read it.
        host.answer("/forbidden.json", Answer::json(OWN));
        let before = lab.console_errors().len();
        lab.goto("one.html");
        lab.wait_until(&format!(
            "one.ready.catch(error => window.why = error.message) && window.why?.includes({})",
            json!(words)
        ));
        lab.wait_until("window.fault !== undefined");
        assert_eq!(lab.eval("fault === why"), json!(true), "{attributes}: the event has the text");
        assert_eq!(lab.eval("fault.includes('hunter2')"), json!(false), "{attributes}");
        // It is shown in place: by the lab in the frame, or by the element below what is inside it.
        lab.wait_until(
            "!!one.shadowRoot.querySelector('.shown iframe') || one.shadowRoot.querySelector('[part=fault]').checkVisibility()",
        );
        let errors = lab.console_errors().split_off(before);
        assert!(errors.iter().any(|error| error.contains("fairlane-demo: ")), "{attributes}: {errors:?}");
        // A right value is shown.
        lab.eval("(one.lab = null, one.src = null, one.policies = null, one.scenario = 'skew')");
        lab.wait_until("one.ready.then(() => window.shown = true) && window.shown");
    }
    // In a sandbox without an origin.
    host.answer("/one.html", Answer::html(&demo("scenario='skew'")));
    host.answer(
        "/sandbox.html",
        Answer::html(
            "<iframe sandbox='allow-scripts' src='one.html'></iframe><script>
        addEventListener('message', event => window.said = event.data)</script>",
        ),
    );
    let script = "<script>document.addEventListener('fairlane-error', \
        event => parent.postMessage(event.detail.message, '*'))</script>";
    host.answer("/one.html", Answer::html(&format!("{script}{}", demo("scenario='skew'"))));
    lab.goto("sandbox.html");
    lab.wait_until("window.said?.includes('Add allow-same-origin')");
}

#[test]
fn contents_of_an_element_can_be_used_until_its_picture_is_there() {
    let site = Site::dist();
    // The program takes a while.
    site.answer("/fairlane-page", Answer::status(200).after(Duration::from_secs(4)));
    let page = format!(
        "<!doctype html><meta charset='utf-8'><link rel='icon' href='data:,'>
        <script defer src='{}fairlane-demo.js'></script><fairlane-demo id='one' scenario='skew'><a id='link' \
        href='#link'>A link</a></fairlane-demo>",
        site.url("")
    );
    let host = Site::folder(TempDir::new().expect("a temporary folder").path());
    host.answer("/one.html", Answer::html(&page));
    let lab = Lab::open_as(&host, Look::DESK, "one.html");
    lab.wait_until("!!one.shadowRoot?.querySelector('iframe')");
    lab.click("#link");
    assert!(lab.address().ends_with("#link"));
}

#[test]
fn a_page_that_is_a_file_shows_a_demo() {
    let site = Site::dist();
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("article.html");
    fs::write(&file, article(&site.url(""))).expect("an article");
    let lab = Lab::blank(&site, Look::DESK);
    lab.cdp("Page.navigate", json!({ "url": format!("file://{}", file.display()) }));
    lab.wait_until("location.protocol === 'file:' && document.readyState === 'complete'");
    lab.eval(LISTEN);
    lab.wait_until("heard.one?.state?.settled === true || (one.seek(0.5), false)");
    lab.eval("one.seek(1)");
    lab.wait_until("heard.one.state.at === 1");
}

/// Makes a page isolated, together with an embedder policy.
pub const OPENER_POLICY: (&str, &str) = ("cross-origin-opener-policy", "same-origin");

/// A page that is isolated, and what it asks of what it embeds, shows the lab's demo, which is asked for nothing but to
/// let its script be read where everything has to say that.
#[test]
fn an_isolated_page_shows_a_demo_without_credentials() {
    for (embedder, lab_headers) in [
        ("credentialless", &[][..]),
        ("require-corp", &[("cross-origin-resource-policy", "cross-origin")][..]),
    ] {
        let site = Site::dist();
        site.send_headers(lab_headers);
        let host = Site::folder(TempDir::new().expect("a temporary folder").path());
        host.answer("/one.html", Answer::html(&article(&site.url(""))));
        host.send_headers(&[OPENER_POLICY, ("cross-origin-embedder-policy", embedder)]);
        let lab = Lab::open_as(&host, Look::DESK, "one.html");
        assert_eq!(lab.eval("crossOriginIsolated"), json!(true), "{embedder}");
        lab.eval(LISTEN);
        lab.wait_until("heard.one?.state?.settled === true || (one.seek(0.5), false)");
        lab.eval("one.seek(1)");
        lab.wait_until("heard.one.state.at === 1");
        assert_eq!(lab.console_errors(), Vec::<String>::new(), "{embedder}");
    }
}

#[test]
fn a_printed_page_has_its_demos() {
    let site = Site::dist();
    let host = Site::folder(TempDir::new().expect("a temporary folder").path());
    let page = article(&site.url(""));
    host.answer("/one.html", Answer::html(&page));
    host.answer(
        "/eager.html",
        Answer::html(&page.replace("<fairlane-demo", "<fairlane-demo loading='eager'")),
    );
    host.answer("/own.json", Answer::json(OWN).for_everybody());
    // What has not been seen is loaded when the page is printed, and before if it is eager.
    let lab = Lab::open_as(&host, Look::DESK, "one.html");
    lab.wait_until("one.ready.then(() => window.shown = true) && window.shown");
    assert_eq!(frames(&lab), json!([true, false, false]));
    lab.cdp("Page.printToPDF", json!({}));
    assert_eq!(frames(&lab), json!([true, true, true]));
    lab.goto("eager.html");
    lab.wait_until("Promise.all([one, two, three].map(demo => demo.ready)).then(() => window.shown = true) && window.shown");
    let printed = lab.cdp("Page.printToPDF", json!({}));
    assert!(printed["data"].as_str().is_some_and(|pdf| pdf.len() > 10_000), "a document");
}

#[test]
fn a_demo_exchanges_messages_with_its_host_alone() {
    let site = Site::dist();
    let folder = TempDir::new().expect("a temporary folder");
    let page = format!(
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>Host</title></head><body>
        <iframe id='demo' sandbox='allow-scripts allow-same-origin' \
        src='{}?embed&scenario=skew&edit&host=HOST'></iframe>
        <iframe id='hostile' src='{}hostile.html'></iframe></body></html>",
        site.url(""),
        site.url(""),
    );
    fs::write(folder.path().join("host.html"), page).expect("a page");
    let host = Site::folder(folder.path());
    let page = fs::read_to_string(folder.path().join("host.html")).expect("the page");
    fs::write(folder.path().join("host.html"), page.replace("HOST", host.url("").trim_end_matches('/')))
        .expect("a page");
    // A frame beside it posts to it; so does a page that is not the named host.
    site.answer(
        "/hostile.html",
        Answer::html(
            "<script>setInterval(() => parent.frames[0].postMessage({ fairlane: 1, type: 'seek', at: 2 }, '*'), \
                50);</script>",
        ),
    );
    let lab = Lab::open_as(&host, Look::DESK, "host.html");
    lab.eval(
        "(() => { window.states = []; addEventListener('message', event => {
            if (event.data?.type === 'state') states.push(event.data); }); })()",
    );
    let say = |message: &str| {
        lab.eval(&format!("document.getElementById('demo').contentWindow.postMessage({message}, '*')"));
    };
    lab.wait_until("states.at(-1)?.settled === true || \
        (document.getElementById('demo').contentWindow.postMessage({ fairlane: 1, type: 'seek', at: 0 }, '*'), false)");
    say("{ fairlane: 1, type: 'seek', at: 1 }");
    lab.wait_until("states.at(-1).at === 1");
    assert_eq!(lab.eval("states.some(state => state.at === 2)"), json!(false));
    // Not of this version, not of this protocol, not an object.
    for message in ["{ fairlane: 2, type: 'seek', at: 3 }", "{ type: 'seek', at: 3 }", "'seek'", "null"] {
        say(message);
    }
    say("{ fairlane: 1, type: 'seek', at: 0.5 }");
    lab.wait_until("states.at(-1).at === 0.5");
    assert_eq!(lab.eval("states.some(state => state.at >= 2)"), json!(false));
    // Another origin: neither side reads the other.
    assert_eq!(
        lab.eval("(() => { try { return !!document.getElementById('demo').contentWindow.document; } catch { return \
            'refused'; } })()"),
        json!("refused")
    );

    // Opened with another host's name it heeds nobody.
    let elsewhere = lab.eval(
        "new Promise(done => { const frame = document.getElementById('demo');
            frame.src = frame.src.replace(/host=.*/, 'host=https://example.org'); states.length = 0;
            frame.onload = () => { let times = 0; const timer = setInterval(() => {
                frame.contentWindow.postMessage({ fairlane: 1, type: 'seek', at: 1 }, '*');
                if (++times > 20) { clearInterval(timer); done(states.length); } }, 50); }; })",
    );
    assert_eq!(elsewhere, json!(0));
}

#[test]
fn an_address_that_asks_for_nonsense_says_so() {
    let site = Site::dist();
    let lab = Lab::blank(&site, Look::DESK);
    for (query, words) in [
        ("?embed&scenario=none", "no scenario \"none\""),
        ("?embed&scenario=skew&show=map", "no part \"map\""),
        ("?embed&src=javascript:alert(1)", "is not allowed"),
        ("?embed&colour=red", "the address has \"colour\""),
    ] {
        lab.goto(query);
        lab.wait_until(&format!(
            "document.querySelector('.demo[role=alert]')?.textContent.includes({})",
            json!(words)
        ));
    }
    // A file that is none, too large or somewhere else: the demo says why.
    site.answer("/huge.json", Answer::json(&" ".repeat(5 << 20)));
    for (src, words) in
        [("missing.json", "status 404"), ("huge.json", "larger than the limit"), ("index.html", "not opened")]
    {
        lab.goto(&format!("?embed&src={src}"));
        lab.wait_until(&format!(
            "document.querySelector('.demo[role=alert]')?.textContent.includes({})",
            json!(words)
        ));
    }
}

#[test]
fn a_demo_shows_chosen_parts_and_leads_to_the_lab() {
    let site = Site::dist();
    let lab = Lab::blank(&site, Look::DESK);
    lab.goto("?embed&scenario=skew&policies=uwfq,uwfq-p&show=lanes,panels,ideal,chart,transport&chart=users&at=1&theme=dark");
    lab.wait_until(steps::READY);
    lab.wait_until(
        "document.querySelectorAll('.panel[data-state=done]').length === 2 && \
        !!document.querySelector('.charts')",
    );
    assert_eq!(lab.eval("document.documentElement.dataset.theme"), json!("dark"));
    assert_eq!(lab.eval("document.querySelectorAll('aside, #story, .palette').length"), json!(0));
    // Read-only: a key that moves a job elsewhere does nothing here.
    let before = lab.eval("document.querySelector('#lanes [data-job]').style.left");
    lab.eval(
        "document.querySelector('#lanes [data-job]').dispatchEvent(new KeyboardEvent('keydown', { key: \
        'ArrowRight', bubbles: true }))",
    );
    assert_eq!(lab.eval("document.querySelector('#lanes [data-job]').style.left"), before);
    let link = lab.eval("document.querySelector('.lab-link').getAttribute('href')");
    let link = link.as_str().expect("a link").to_owned();
    assert!(link.starts_with("./#catalog:skew&policies=uwfq,uwfq-p&at=1"), "{link}");
    lab.goto(link.trim_start_matches("./"));
    lab.wait_until(steps::READY);
    assert_eq!(steps::panels(&lab), ["uwfq", "uwfq-p"]);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_lesson_and_a_narrow_frame_fit() {
    let site = Site::dist();
    for look in [Look::DESK, Look::PHONE] {
        let lab = Lab::blank(&site, look);
        lab.goto("?embed&show=lesson,panels,transport#lesson:priority-inversion/1");
        lab.wait_until(
            "!!document.querySelector('.lesson h2') && \
            document.querySelectorAll('.panel[data-state=done]').length > 0",
        );
        let wide = lab.eval("document.documentElement.scrollWidth > innerWidth");
        assert_eq!(wide, json!(false));
    }
}
