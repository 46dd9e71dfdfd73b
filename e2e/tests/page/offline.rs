//! The page without a connection, and what its content security policy refuses.

use e2e::{Lab, Look, Site, json};

use crate::steps::{self, READY};

/// A page that a service worker has kept.
#[track_caller]
fn kept(site: &Site) -> Lab {
    let lab = Lab::blank(site, Look::DESK);
    steps::hurry(&lab);
    lab.goto("");
    lab.wait_until(READY);
    lab.eval("void navigator.serviceWorker.ready.then(() => { window.kept = true; })");
    lab.wait_until("window.kept");
    lab
}

#[test]
fn the_lab_and_a_demo_start_and_play_without_a_server() {
    let site = Site::dist();
    let lab = kept(&site);
    drop(site);
    lab.goto("#catalog:skew");
    lab.wait_until(READY);
    let native = fairlane::simulate(&steps::native("skew"), steps::policy("uwfq")).hash();
    assert_eq!(lab.text("#panel-uwfq .hash"), format!("{native:016x}"));
    lab.click("#play");
    lab.wait_until("document.querySelector('#slider').value > 0");
    lab.goto("?embed&scenario=skew&policies=uwfq");
    lab.wait_for("#panel-uwfq[data-state=done]");
    // The guide, too, with its demos; its pictures are not kept.
    lab.goto("guide/index.html");
    lab.wait_for("main h1");
    lab.goto("guide/lessons/skew.html");
    lab.wait_until(
        "!!document.querySelector('fairlane-demo').shadowRoot?.querySelector('iframe')?.contentDocument \
            ?.querySelector('.panel[data-state=done]')",
    );
    let errors = lab.console_errors();
    let errors = errors.into_iter().filter(|error| !error.contains("/guide/img/")).collect::<Vec<_>>();
    assert_eq!(errors, Vec::<String>::new());
}

#[test]
fn one_version_is_kept_with_every_file_it_needs() {
    let lab = kept(&Site::dist());
    let files = "(async () => { const names = await caches.keys(); const cache = await caches.open(names[0]); \
        const paths = (await cache.keys()).map(request => new URL(request.url).pathname); \
        return [names.length, paths.filter(path => path.endsWith('.wasm')).length, paths.includes('/')]; })()";
    let programs = std::fs::read_dir(e2e::dist())
        .expect("the built page")
        .filter(|file| {
            file.as_ref().is_ok_and(|file| file.path().extension().is_some_and(|end| end == "wasm"))
        })
        .count();
    assert!(programs > 0, "the program's files");
    assert_eq!(lab.eval(files), json!([1, programs, true]));
}

#[test]
fn scripts_and_styles_that_are_not_files_of_the_page_are_refused() {
    let site = Site::dist();
    let lab = Lab::open(&site);
    lab.wait_until(READY);
    lab.eval(
        "(() => { window.refused = []; \
            addEventListener('securitypolicyviolation', event => refused.push(event.effectiveDirective)); \
            for (const [tag, text] of [['script', 'window.ran = true'], ['style', 'body { color: red }']]) \
                document.head.append(Object.assign(document.createElement(tag), { textContent: text })); })()",
    );
    lab.wait_until("refused.length === 2");
    assert_eq!(
        lab.eval("[refused.sort(), window.ran ?? false]"),
        json!([["script-src-elem", "style-src-elem"], false])
    );
}
