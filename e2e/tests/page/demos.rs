//! Demos in an article of somebody else: another origin, a folder of its own, three demos in one page.

use std::fs;

use e2e::{Answer, Lab, Look, Site, Value, json};
use tempfile::TempDir;

use crate::steps;

/// An article with three demos, far apart.
fn article(lab: &str) -> String {
    let space = "<p>…</p><div style='height: 1600px'></div>";
    format!(
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>An article</title><link rel='icon' href='data:,'>
        <script defer src='{lab}fairlane-demo.js'></script></head><body><main><h1>An article</h1>
        <fairlane-demo id='one' scenario='priority-inversion' policies='ujf,uwfq' style='display: block; height: 420px'><a href='{lab}'>One</a></fairlane-demo>{space}
        <fairlane-demo id='two' scenario='priority-inversion' policies='uwfq' show='lanes,panels' edit style='display: block; height: 360px'>Two</fairlane-demo>{space}
        <fairlane-demo id='three' src='own.json' policies='fifo' theme='dark' style='display: block; height: 300px'>Three</fairlane-demo>
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
        for (const type of ['ready', 'state', 'error'])
            demo.addEventListener(type, event => { (heard[demo.id] ??= {})[type] = event.detail; }); })()";

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
    lab.eval("document.getElementById('one').policies(['fair'])");
    lab.wait_until("heard.one.state.settled && Object.keys(heard.one.state.meanResponse).join() === 'fair'");

    // Only a demo whose address allows it is edited; what is wrong is reported.
    scroll_to(&lab, "two");
    lab.eval(&format!("document.getElementById('two').edit({OWN})"));
    lab.wait_until("heard.two.state.title === 'From a file' && heard.two.state.settled");
    lab.eval(&format!("document.getElementById('one').edit({OWN})"));
    lab.wait_until("heard.one.error?.message.includes('read-only')");
    lab.eval("document.getElementById('two').edit({ jobs: 1 })");
    lab.wait_until("heard.two.error?.message.startsWith('edit: ')");
    lab.eval("document.getElementById('two').policies(['best'])");
    lab.wait_until("heard.two.error?.message.startsWith('policies: ')");

    // The page around stays as it is laid out.
    assert_eq!(lab.eval("shift"), json!(0));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_demo_heeds_nobody_but_its_host_and_reaches_nobody() {
    let site = Site::dist();
    let folder = TempDir::new().expect("a temporary folder");
    let page = format!(
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>Host</title></head><body>
        <iframe id='demo' sandbox='allow-scripts allow-same-origin' src='{}?embed&scenario=skew&edit&host=HOST'></iframe>
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
            "<script>setInterval(() => parent.frames[0].postMessage({ fairlane: 1, type: 'seek', at: 2 }, '*'), 50);</script>",
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
    lab.wait_until("states.at(-1)?.settled === true || (document.getElementById('demo').contentWindow.postMessage({ fairlane: 1, type: 'seek', at: 0 }, '*'), false)");
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
        lab.eval("(() => { try { return !!document.getElementById('demo').contentWindow.document; } catch { return 'refused'; } })()"),
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
    for (query, words) in [
        ("?embed&scenario=none", "no scenario \"none\""),
        ("?embed&scenario=skew&show=map", "no part \"map\""),
        ("?embed&src=javascript:alert(1)", "is not allowed"),
        ("?embed&colour=red", "the address has \"colour\""),
    ] {
        let lab = Lab::blank(&site, Look::DESK);
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
        let lab = Lab::blank(&site, Look::DESK);
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
    lab.wait_until("document.querySelectorAll('.panel[data-state=done]').length === 2 && !!document.querySelector('.charts')");
    assert_eq!(lab.eval("document.documentElement.dataset.theme"), json!("dark"));
    assert_eq!(lab.eval("document.querySelectorAll('aside, #story, .palette').length"), json!(0));
    // Read-only: a key that moves a job elsewhere does nothing here.
    let before = lab.eval("document.querySelector('#lanes [data-job]').style.left");
    lab.eval("document.querySelector('#lanes [data-job]').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))");
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
        lab.wait_until("!!document.querySelector('.lesson h2') && document.querySelectorAll('.panel[data-state=done]').length > 0");
        let wide = lab.eval("document.documentElement.scrollWidth > innerWidth");
        assert_eq!(wide, json!(false));
    }
}
