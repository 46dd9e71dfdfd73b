//! The projects in `examples/`, which `examples/build` has built into `target/examples`, opened as their readers do.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use e2e::{Answer, Key, Lab, Look, Site, json};

/// The address at which the examples expect the lab.
const PUBLISHED: &str = "https://lab.example/";

fn built(project: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/examples").join(project);
    assert!(folder.is_dir(), "{project} has not been built: run examples/build",);
    folder
}

/// The first demo of the page, and what is in its frame, if the frame is of the page's own origin.
const DEMO: &str = "document.querySelector('fairlane-demo')";
const FRAME: &str = "document.querySelector('fairlane-demo').shadowRoot.querySelector('iframe')";

/// A project of a framework: attributes are the page's state, and change without another frame.
#[track_caller]
fn binds(project: &str) {
    let (site, host) = (Site::dist(), Site::folder(built(project).join("dist")));
    let lab = Lab::open_as(&host, Look::DESK, &format!("?lab={}", site.url("")));
    lab.wait_until("document.querySelector('#shown')?.textContent === 'ujf,uwfq'");
    lab.wait_until("document.querySelectorAll('td').length === 2");
    assert_eq!(
        lab.eval(&format!("[{DEMO}.edit, {DEMO}.policies, {DEMO}.height]")),
        json!([false, "ujf,uwfq", 400])
    );
    lab.eval(&format!(
        "(window.frame = {FRAME}, window.at = null, \
          {DEMO}.addEventListener('fairlane-state', event => window.at = event.detail.at), {DEMO}.seek(2.5))"
    ));
    lab.wait_until("at === 2.5");
    lab.click("#more");
    lab.wait_until("document.querySelector('#shown').textContent === 'fair,ujf,uwfq'");
    lab.wait_until("document.querySelectorAll('td').length === 3");
    lab.click("#edit");
    lab.wait_until(&format!("{DEMO}.edit === true"));
    assert_eq!(
        lab.eval(&format!("frame === {FRAME} && at === 2.5")),
        json!(true),
        "the frame and the instant stay"
    );
    // What the reader makes of the scenario is the page's.
    lab.eval("window.before = document.querySelector('td').textContent");
    lab.eval(&format!(
        "{DEMO}.setScenario({{ format: 'fairlane/scenario@1', \
           jobs: [{{ user: 'ana', arrival_s: 0, stages: [{{ tasks_s: [7] }}] }}] }})"
    ));
    lab.wait_until("document.querySelector('td').textContent === '7'");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn react_binds_properties_and_events() {
    binds("react");
}

/// A process that ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

#[test]
fn vite_serves_the_package_without_configuration() {
    let packages = std::env::var("FAIRLANE_EXAMPLES").expect("FAIRLANE_EXAMPLES, the packages of examples/");
    let port =
        TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port();
    let mut vite = Command::new("node");
    vite.arg(format!("{packages}/vite/bin/vite.js")).args(["--strictPort", "--host", "127.0.0.1", "--port"]);
    vite.arg(port.to_string()).current_dir(built("react")).stdout(Stdio::null());
    let _server = Server(vite.spawn().expect("vite"));
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        thread::sleep(Duration::from_millis(50));
    }
    let site = Site::dist();
    let lab = Lab::blank(&site, Look::DESK);
    lab.cdp("Page.navigate", json!({ "url": format!("http://127.0.0.1:{port}/?lab={}", site.url("")) }));
    lab.wait_until("document.querySelectorAll('td').length === 2");
}

#[test]
fn vue_binds_properties_and_events() {
    binds("vue");
}

#[test]
fn preact_bundled_by_esbuild_binds_properties_and_events() {
    binds("preact");
}

#[test]
fn webpack_bundles_the_worker() {
    let host = Site::folder(built("webpack").join("dist"));
    let lab = Lab::open_as(&host, Look::DESK, "");
    lab.wait_until("document.querySelector('#result').textContent.includes('uwfq: ')");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_demo_on_a_slide_pauses_on_the_next_one() {
    let (site, host) = (Site::dist(), Site::folder(built("reveal")));
    let page = fs::read_to_string(built("reveal").join("index.html")).expect("the slides");
    host.answer("/slides.html", Answer::html(&page.replace(PUBLISHED, &site.url(""))));
    let lab = Lab::open_as(&host, Look::DESK, "slides.html");
    lab.eval(&format!(
        "(window.playing = null, \
           {DEMO}.addEventListener('fairlane-state', event => window.playing = event.detail.playing))"
    ));
    lab.press(Key::Right);
    lab.eval(&format!("{DEMO}.ready.then(demo => demo.play())"));
    lab.wait_until("playing === true");
    lab.press(Key::Right);
    lab.wait_until("playing === false");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_book_shows_a_demo() {
    let (site, host) = (Site::dist(), Site::folder(built("mdbook")));
    let script =
        fs::read_to_string(built("mdbook").join("../../../examples/mdbook/demo.js")).expect("the script");
    host.answer("/demo", Answer::script(&script.replace(PUBLISHED, &site.url(""))));
    let lab = Lab::open_as(&host, Look::DESK, "inversion.html");
    lab.wait_until(&format!("{DEMO}.ready && ({DEMO}.ready.then(() => window.shown = true), window.shown)"));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// A page of a documentation tool in a folder: the pictures that lie in it, then the demos, the second of which is the
/// author's own scenario.
#[track_caller]
fn documents(folder: &Path) {
    let (site, host) = (Site::dist(), Site::folder(folder));
    let page = fs::read_to_string(folder.join("index.html")).expect("a page");
    host.answer("/index.html", Answer::html(&page.replace(PUBLISHED, &site.url(""))));
    host.answer("/favicon.ico", Answer::status(200));
    // A demo reads a scenario's file of another origin only where that lets it.
    host.send_headers(&[("access-control-allow-origin", "*")]);
    // Docusaurus knows its pages without the name of the file.
    let lab = Lab::open_as(&host, Look::DESK, "");
    lab.wait_until("document.readyState === 'complete'");
    lab.eval(
        "(window.demos = [...document.querySelectorAll('fairlane-demo')], window.titles = [], \
          demos.forEach((demo, at) => demo.addEventListener('fairlane-state', ({ detail }) => \
            detail.settled && (titles[at] = [detail.title, Object.keys(detail.meanResponse).join()]))))",
    );
    for (at, (title, policies)) in
        [("Skew: one partition five times the others", "fair,uwfq-p"), ("Our own cluster", "fair,uwfq")]
            .iter()
            .enumerate()
    {
        lab.eval(&format!("demos[{at}].scrollIntoView()"));
        lab.wait_until(&format!("demos[{at}].querySelector('a > img').naturalWidth > 0"));
        lab.eval(&format!("demos[{at}].ready.then(demo => demo.seek(1))"));
        lab.wait_until(&format!("titles[{at}]?.join('|') === '{title}|{policies}'"));
    }
    assert_eq!(lab.eval("[demos.length, demos[0].offsetHeight, demos[1].edit]"), json!([2, 400, true]));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// The same of a tool that needs Python, without which its project has not been built.
#[track_caller]
fn documents_if_built(project: &str) {
    match PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/examples").join(project) {
        folder if folder.is_dir() => documents(&folder),
        _ => eprintln!("SKIPPED: {project} has not been built, which needs Python 3.11 or later"),
    }
}

#[test]
fn sphinx_shows_demos() {
    documents_if_built("sphinx");
}

#[test]
fn mkdocs_shows_demos() {
    documents_if_built("mkdocs");
}

#[test]
fn quarto_shows_demos() {
    documents_if_built("quarto");
}

#[test]
fn docusaurus_shows_demos() {
    documents(&built("docusaurus").join("build"));
}
