//! The guide, in a folder of somebody's server: demos run in the guide's colours, links lead somewhere, and axe-core
//! finds no serious fault in either theme.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use e2e::{Lab, Look, Site, Value, json};
use tempfile::TempDir;

use crate::axe;

/// Every page of which the number divides by this is looked at in the dark, too: all have the same style sheet.
const IN_THE_DARK: usize = 4;

/// The built page under a sub-path, and the folder that is served.
fn published() -> (Site, TempDir) {
    let root = TempDir::new().expect("a temporary folder");
    let dist = fs::canonicalize(e2e::dist()).expect("the built page");
    std::os::unix::fs::symlink(dist, root.path().join("fairlane")).expect("a link to the built page");
    (Site::folder(root.path()), root)
}

/// The pages of the guide by their paths in it, but for those that are parts of others.
fn pages() -> BTreeMap<PathBuf, String> {
    fn add(root: &Path, folder: &Path, pages: &mut BTreeMap<PathBuf, String>) {
        for entry in fs::read_dir(root.join(folder)).expect("the built guide: run ./fairlane-dev build") {
            let path = folder.join(entry.expect("an entry").file_name());
            if root.join(&path).is_dir() {
                add(root, &path, pages);
            } else if path.extension().is_some_and(|end| end == "html") {
                let text = fs::read_to_string(root.join(&path)).expect("a page is UTF-8");
                pages.insert(path, text);
            }
        }
    }
    let mut pages = BTreeMap::new();
    add(&e2e::dist().join("guide"), Path::new(""), &mut pages);
    pages
}

/// A page as readers open it.
#[track_caller]
fn open(site: &Site, page: &str) -> Lab {
    let lab = Lab::open_as(site, Look::DESK, &format!("fairlane/guide/{page}"));
    lab.wait_for("main h1");
    lab
}

/// What is wrong with a page in the theme that it has.
#[track_caller]
fn faults(lab: &Lab, page: &str, theme: &str) -> Vec<String> {
    axe::inject(lab);
    let rules = if theme == "dark" { axe::Rules::Colours } else { axe::Rules::All };
    axe::violations_of(lab, &format!("{page}, {theme}"), rules)
}

/// Chooses a theme in the guide's menu.
#[track_caller]
fn choose(lab: &Lab, theme: &str) {
    lab.eval(&format!("document.getElementById('mdbook-theme-{theme}').click()"));
    lab.wait_until(&format!("document.documentElement.classList.contains('{theme}')"));
}

/// Scrolls to each demo and waits until it shows its panels or its chart in a theme.
#[track_caller]
pub fn see_the_demos(lab: &Lab, theme: &str) -> usize {
    let count = lab.count("fairlane-demo");
    for index in 0..count {
        let demo = format!("document.querySelectorAll('fairlane-demo')[{index}]");
        lab.eval(&format!("{demo}.scrollIntoView({{ block: 'center', behavior: 'instant' }})"));
        let page = format!("{demo}.shadowRoot?.querySelector('iframe')?.contentDocument");
        lab.wait_until(&format!(
            "(page => page?.documentElement?.dataset.ready === 'true' && page.documentElement.dataset.theme === \
                '{theme}' \
                && !!page.querySelector('.panel[data-state=done], .charts canvas'))({page})"
        ));
        let notices = lab.eval(&format!("{page}.querySelectorAll('.notice, [role=alert]').length"));
        assert_eq!(notices, json!(0), "demo {index}");
        // The frame is as high as its content: nothing scrolls but what has no room in it.
        let scrolls = lab.eval(&format!(
            "(({{ documentElement: page }}) => page.scrollHeight > page.clientHeight)({page})"
        ));
        assert_eq!(scrolls, json!(false), "demo {index}");
    }
    count
}

#[test]
fn demos_of_the_lessons_run_in_the_guides_colours() {
    let (site, _root) = published();
    let mut wrong = Vec::new();
    let lessons =
        fairlane_study::lesson::lessons().iter().map(|lesson| format!("lessons/{}.html", lesson.id));
    let lab = Lab::blank(&site, Look::DESK);
    let others = ["index.html", "fair-queuing.html"].map(str::to_owned);
    for (index, page) in others.into_iter().chain(lessons).enumerate() {
        lab.goto(&format!("fairlane/guide/{page}"));
        lab.wait_for("main h1");
        choose(&lab, "light");
        assert!(see_the_demos(&lab, "light") > 0, "{page} has no demo");
        wrong.extend(faults(&lab, &page, "light"));
        if index.is_multiple_of(IN_THE_DARK) {
            choose(&lab, "navy");
            see_the_demos(&lab, "dark");
            wrong.extend(faults(&lab, &page, "dark"));
        }
        assert_eq!(lab.console_errors(), Vec::<String>::new(), "{page}");
    }
    assert!(wrong.is_empty(), "axe-core found {}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_other_pages_open_in_light_and_dark() {
    let (site, _root) = published();
    let mut wrong = Vec::new();
    let lab = Lab::blank(&site, Look::DESK);
    let other = |page: &Path| !page.starts_with("lessons") && page != "print.html" && page != "toc.html";
    let pages: Vec<PathBuf> = pages().into_keys().filter(|page| other(page)).collect();
    assert!(pages.len() > 20, "{pages:?}");
    for (index, page) in pages.into_iter().enumerate() {
        let page = page.display().to_string();
        lab.goto(&format!("fairlane/guide/{page}"));
        lab.wait_for("main h1");
        choose(&lab, "light");
        wrong.extend(faults(&lab, &page, "light"));
        if index.is_multiple_of(IN_THE_DARK) {
            choose(&lab, "navy");
            wrong.extend(faults(&lab, &page, "dark"));
        }
        let broken = lab.eval(
            "Promise.all(Array.from(document.querySelectorAll('main img:not(fairlane-demo img)'), image => { \
                image.loading = 'eager'; return image.decode().then(() => null, () => image.src); })) \
                .then(sources => sources.filter(source => source !== null))",
        );
        assert_eq!(broken, json!([]), "{page}: pictures that are not there");
        assert_eq!(lab.console_errors(), Vec::<String>::new(), "{page}");
    }
    assert!(wrong.is_empty(), "axe-core found {}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_demo_is_played_and_leads_to_the_lab_and_words_are_found() {
    let (site, _root) = published();
    let lab = open(&site, "lessons/skew.html");
    see_the_demos(&lab, "light");
    lab.eval(
        "(() => { const demo = document.querySelector('fairlane-demo'); window.at = []; \
            demo.addEventListener('fairlane-state', event => at.push(event.detail.at)); demo.play(); })()",
    );
    lab.wait_until("window.at.some(at => at > 0)");
    let link = lab.eval(
        "document.querySelector('fairlane-demo').shadowRoot.querySelector('iframe').contentDocument \
            .querySelector('.lab-link').href",
    );
    let link = link.as_str().expect("a link").to_owned();
    assert!(link.starts_with(&site.url("fairlane/#")), "{link}");
    lab.eval("document.getElementById('mdbook-search-toggle').click()");
    lab.keys("#mdbook-searchbar", "straggler");
    lab.wait_until("document.querySelectorAll('#mdbook-searchresults li').length > 1");
    lab.goto("fairlane/");
    lab.wait_for("#whole-lab");
    lab.click("#whole-lab");
    lab.wait_until(crate::steps::READY);
    lab.click("#help");
    lab.wait_for("#help-dialog[open]");
    let links =
        lab.eval("[...document.querySelectorAll('#help-dialog a[href*=guide]')].map(link => link.href)");
    let pages = ["fair-queuing", "index"].map(|page| site.url(&format!("fairlane/guide/{page}.html")));
    assert_eq!(links, json!(pages));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Tries whatever a text could smuggle into a page; the browser reports what it refuses.
const SMUGGLE: &str = "(() => { window.smuggled = []; window.refused = []; \
    addEventListener('securitypolicyviolation', event => refused.push(event.effectiveDirective)); \
    const add = (name, attributes, textContent) => { \
        const element = Object.assign(document.createElement(name), { textContent }); \
        for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value); \
        document.body.append(element); }; \
    add('script', {}, 'smuggled.push(1)'); \
    add('script', { src: 'data:text/javascript,smuggled.push(2)' }); \
    add('img', { src: 'data:,', onerror: 'smuggled.push(3)' }); \
    setTimeout('smuggled.push(4)'); \
    fetch('/').then(() => smuggled.push(5), () => {}); \
    add('style', {}, 'main { display: none }'); })()";

#[test]
fn the_content_security_policy_blocks_injected_code() {
    for (page, text) in pages() {
        // What is shown in place of the contents where there are no scripts.
        if page == Path::new("toc.html") {
            assert!(!text.contains("<script"));
            continue;
        }
        let policy = text.split_once(
            "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self' ",
        );
        let scripts = policy.and_then(|(_, policy)| policy.split_once(';'));
        let (scripts, _) = scripts.unwrap_or_else(|| panic!("{} has no policy", page.display()));
        let hashes = scripts.split(' ').all(|source| source.starts_with("'sha256-"));
        assert!(hashes, "{}: {scripts}", page.display());
    }
    let (site, _root) = published();
    let lab = open(&site, "lessons/skew.html");
    lab.eval(SMUGGLE);
    lab.wait_until("window.refused.length >= 6");
    let refused = lab.eval("window.refused.sort()");
    let expected = [
        "connect-src",
        "script-src",
        "script-src-attr",
        "script-src-elem",
        "script-src-elem",
        "style-src-elem",
    ];
    assert_eq!(refused, json!(expected));
    assert_eq!(lab.eval("window.smuggled"), json!([]));
}

/// The values of the attributes `href` and `src` in a page.
fn targets(text: &str) -> Vec<&str> {
    let of = |opening: &'static str| text.split(opening).skip(1).filter_map(|rest| rest.split('"').next());
    of(" href=\"").chain(of(" src=\"")).collect()
}

/// A relative path from a page, without `.` and `..`: from the folder of the guide.
fn resolved(page: &Path, target: &str) -> PathBuf {
    let mut path = Path::new("guide").join(page.parent().expect("a page is in a folder"));
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

#[test]
fn every_link_of_the_built_guide_leads_somewhere() {
    let pages = pages();
    let mut broken = Vec::new();
    for (page, text) in &pages {
        for target in targets(text).into_iter().filter(|target| !target.contains(':') || target.contains("#"))
        {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            if file.contains("://") {
                continue;
            }
            let path = match file {
                "" => Path::new("guide").join(page),
                file => resolved(page, file),
            };
            let built = e2e::dist().join(&path);
            let there = built.is_file() || built.join("index.html").is_file();
            // The lab keeps its state there.
            let in_the_lab = path.as_os_str().is_empty();
            let named = || {
                let inside = path.strip_prefix("guide").expect("a page of the guide");
                pages.get(inside).is_some_and(|text| text.contains(&format!(" id=\"{anchor}\"")))
            };
            if !there || !(anchor.is_empty() || in_the_lab || named()) {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "these links lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn the_page_for_printing_has_every_chapter_and_no_frames() {
    let text = &pages()[Path::new("print.html")];
    for lesson in fairlane_study::lesson::lessons() {
        assert!(text.contains(&format!("#lesson:{}", lesson.id)), "{}", lesson.id);
    }
    let (site, _root) = published();
    let lab = Lab::blank(&site, Look::DESK);
    // Headless, nothing answers the dialog.
    lab.cdp(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({ "source": "window.print = () => { window.printed = true; };" }),
    );
    lab.goto("fairlane/guide/print.html");
    lab.wait_until("window.printed === true");
    let frames =
        lab.eval("[...document.querySelectorAll('fairlane-demo')].some(demo => demo.shadowRoot !== null)");
    assert_eq!(frames, Value::Bool(false));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
