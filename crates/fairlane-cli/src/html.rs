//! One document with the page, a scenario and what is shown of it. It opens from a file and asks no address for
//! anything.
//!
//! The document is read as windows-1252, in which each byte is a letter, so that the compressed page costs no more than
//! its bytes: in base64 it would be a third longer. Its files are one gzip stream; `html/loader.js` unpacks and starts
//! them.

use std::collections::BTreeSet;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::CliError;
use super::args::{HtmlArgs, ScenarioArg};
use super::open::{INDEX, Page};
use super::output::StagedFile;
use fairlane::catalog;
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane_study::lesson::RECORDING_FILE;
use fairlane_view::link::{LinkBounds, Origin, Session};
use fairlane_view::view::View;

/// What starts the page; it has no letters beyond ASCII.
const LOADER: &str = include_str!("html/loader.js");

/// The script that starts a worker, beside the page.
const WORKER: &str = "fairlane-worker_loader.js";

/// What browsers refuse: everything but what is in the document.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; \
                      img-src data: blob:; connect-src blob: data:; worker-src blob:; base-uri 'none'; form-action 'none'";

/// Writes the document that is asked for, which becomes the file once it is committed.
pub(super) fn stage(
    args: &HtmlArgs,
    source: &ScenarioArg,
    scenario: &Scenario,
    policies: impl IntoIterator<Item = PolicyId>,
) -> Result<Option<StagedFile>, CliError> {
    let Some(path) = &args.html else { return Ok(None) };
    let error = |message: String| CliError::new(path.path().display().to_string(), message);
    let page = Page::of(args.page.as_ref())?;
    let view = View { policies: policies.into_iter().collect::<BTreeSet<_>>(), ..View::default() };
    let session = Session::new(scenario.clone(), origin(source, scenario), view);
    let session = session.to_text(&LinkBounds::LINK).map_err(|fault| {
        error(format!("the scenario is too large for one document ({fault}); take a sample of it"))
    })?;
    let foreign = || {
        let message = "is not of this version; build it with ./fairlane-dev build";
        CliError::new("the page", message)
    };
    let files = files(&page, session).ok_or_else(foreign)?;
    let document = document(scenario.name(), &files).map_err(|fault| error(fault.to_string()))?;
    path.stage(|writer| writer.write_all(&document)).map(Some)
}

/// Where the scenario is from, as the page shows it.
fn origin(source: &ScenarioArg, scenario: &Scenario) -> Origin {
    match source {
        ScenarioArg::Catalog(name) => match catalog::find(name) {
            Some(entry) => Origin::Catalog(entry.name),
            None => Origin::File(name.clone()),
        },
        ScenarioArg::File(path) => {
            let name = path.path().file_name().map(|name| name.to_string_lossy().into_owned());
            Origin::File(name.unwrap_or_else(|| scenario.name().to_owned()))
        }
        ScenarioArg::StandardInput => Origin::File("scenario.json".to_owned()),
    }
}

/// The files of the document by the names that the loader knows; none if the page is another than it expects.
fn files(page: &Page, session: String) -> Option<Vec<(&'static str, Vec<u8>)>> {
    let text = |name: &str| String::from_utf8(page.read(name)?.into_owned()).ok();
    let index = text(INDEX)?;
    let first = between(&index, "<script>", "</script>")?;
    let style = file_in(between(&index, "<link rel=\"stylesheet\"", ">")?)?;
    let script = file_in(between(&index, "import init from", ";")?)?;
    let program = file_in(between(&index, "module_or_path:", "}")?)?;
    let script = text(script)?;
    let later = match script.starts_with("import ") {
        true => Some(text(file_in(script.lines().next()?)?)?),
        false => None,
    };
    let later_program = match &later {
        Some(later) => Some(file_in(between(later, "fetch(new URL(", ",")?)?),
        None => None,
    };
    let mut files = vec![
        ("session", session.into_bytes()),
        ("style.css", page.read(style)?.into_owned()),
        ("first.js", first.as_bytes().to_owned()),
        ("page.js", classic(&script, later.as_deref())?.into_bytes()),
        ("worker.js", replaced(&text(WORKER)?, "await import(script)", "fairlanePage")?.into_bytes()),
        ("program.wasm", page.read(program)?.into_owned()),
    ];
    if let Some(name) = later_program {
        files.push(("later.wasm", page.read(name)?.into_owned()));
    }
    // A page without the recorded run is complete but for one lesson.
    files.extend(page.read(RECORDING_FILE).map(|recording| (RECORDING_FILE, recording.into_owned())));
    Some(files)
}

/// The page's script with the one that loads the rest of the program, as one script that is no module: from a file
/// browsers load no other. It defines `fairlanePage`, and asks `fairlaneFetch` for the rest.
fn classic(script: &str, later: Option<&str>) -> Option<String> {
    const ADDRESS: &str = "import.meta.url";
    let mut script = script.to_owned();
    let mut before = String::new();
    if let Some(later) = later {
        let (import, rest) = script.split_once('\n')?;
        let name = between(import, "import * as ", " from ")?;
        let (_, body) = later.split_once(';').filter(|(import, _)| import.starts_with("import {"))?;
        let program = between(body, "fetch(new URL(", ")")?;
        let body = replaced(body, &format!("fetch(new URL({program}))"), "fairlaneFetch(\"later.wasm\")")?;
        let exports: Vec<&str> = body
            .match_indices("export const ")
            .filter_map(|(at, mark)| body[at + mark.len()..].split(' ').next())
            .collect();
        let exports = exports.join(", ");
        let body = body.replace("export const ", "const ");
        before = format!("const {name} = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();\n");
        script = rest.to_owned();
    }
    let script = script.replace(ADDRESS, "\"fairlane-page.js\"");
    let script = replaced(
        &script,
        "export { initSync, __wbg_init as default };",
        "return { initSync, default: __wbg_init };",
    )?;
    Some(format!("const fairlanePage = (() => {{\n{before}{script}\n}})();\n"))
}

/// A text with another in the place of a part that it has once.
fn replaced(text: &str, part: &str, by: &str) -> Option<String> {
    (text.matches(part).count() == 1).then(|| text.replace(part, by))
}

/// The text between two marks.
fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(between, _)| between)
}

/// The name of the file that a text quotes as an address in the page's folder.
fn file_in(text: &str) -> Option<&str> {
    let quoted = text.split(['"', '\'']).nth(1)?;
    Some(quoted.rsplit('/').next().unwrap_or(quoted))
}

/// The whole document.
fn document(title: &str, files: &[(&'static str, Vec<u8>)]) -> io::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    for (_, content) in files {
        packer.write_all(content)?;
    }
    let packed = packer.finish()?;
    let sizes: Vec<(&str, usize)> = files.iter().map(|(name, content)| (*name, content.len())).collect();
    let sizes = serde_json::to_string(&sizes)?;
    let title: String = title.chars().map(entity).collect();
    let head = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"windows-1252\"><meta http-equiv=\"Content-Security-Policy\" \
         content=\"{POLICY}\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><meta \
         name=\"color-scheme\" content=\"light dark\"><title>{title} &middot; Fairlane</title></head><body><div \
         id=\"app\"><p class=\"loading\">Fairlane is loading&hellip;</p></div><noscript>Fairlane needs JavaScript and \
         WebAssembly.</noscript>\n<script type=\"application/json\" id=\"fairlane-contents\">{sizes}</script>\n<script \
         type=\"application/gzip\" id=\"fairlane-packed\">"
    );
    let mut document = head.into_bytes();
    packed.iter().for_each(|&byte| escape(byte, &mut document));
    let foot = format!("</script>\n<script type=\"module\">\n{LOADER}</script></body></html>\n");
    document.extend(foot.into_bytes());
    Ok(document)
}

/// Writes a byte so that HTML keeps it: `=` says that 64 is added to the next one.
fn escape(byte: u8, to: &mut Vec<u8>) {
    match byte {
        0 | b'\n' | b'\r' | b'<' | b'=' => to.extend([b'=', byte + 64]),
        byte => to.push(byte),
    }
}

/// A letter of a text in HTML, in ASCII.
fn entity(letter: char) -> String {
    match letter {
        letter if letter.is_ascii_alphanumeric() || " .,:-_()".contains(letter) => letter.to_string(),
        letter => format!("&#{};", u32::from(letter)),
    }
}
