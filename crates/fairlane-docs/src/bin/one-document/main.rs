//! Writes the page as one document, `fairlane.html`, into the folder of a built page: it opens from a file and asks no
//! address for anything. `fairlane_view::export::one_document` puts a session into it.
//!
//! `cargo run -p fairlane-docs --bin one-document -- dist`
//!
//! The document is read as windows-1252, in which each byte is a letter, so that the compressed page costs no more than
//! its bytes: in base64 it would be a third longer. Its files are one LZMA stream, a quarter smaller than gzip's;
//! `lzma.js` unpacks it and `loader.js` starts what is in it.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use lzma_rust2::{LzmaOptions, LzmaWriter};

/// What unpacks the page, and what starts it; they have no letters beyond ASCII.
const LOADER: &str = concat!(include_str!("lzma.js"), include_str!("loader.js"));

/// The script that starts a worker, beside the page.
const WORKER: &str = "fairlane-worker_loader.js";

/// The recorded run of lessons, beside the page.
const RECORDING: &str = "multi-fair.gz";

/// The document.
const DOCUMENT: &str = "fairlane.html";

/// What browsers refuse: everything but what is in the document.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; \
                      img-src data: blob:; connect-src blob: data:; worker-src blob:; base-uri 'none'; form-action 'none'";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let written = match arguments.as_slice() {
        [folder] => write(Path::new(folder)),
        _ => Err("usage: one-document FOLDER".to_owned()),
    };
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("one-document: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the document into the page's folder.
fn write(page: &Path) -> Result<(), String> {
    let foreign = || format!("{} is no page that ./fairlane-dev build has made", page.display());
    let files = files(page).ok_or_else(foreign)?;
    let path = page.join(DOCUMENT);
    let failed = |error: io::Error| format!("{}: {error}", path.display());
    fs::write(&path, document(&files).map_err(failed)?).map_err(failed)
}

/// The files of the document by the names that the loader knows; none if the page is another than it expects.
fn files(page: &Path) -> Option<Vec<(&'static str, Vec<u8>)>> {
    let read = |name: &str| fs::read(page.join(name)).ok();
    let text = |name: &str| fs::read_to_string(page.join(name)).ok();
    let index = text("index.html")?;
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
        ("style.css", read(style)?),
        ("first.js", first.as_bytes().to_owned()),
        ("page.js", classic(&script, later.as_deref())?.into_bytes()),
        ("worker.js", replaced(&text(WORKER)?, "await import(script)", "fairlanePage")?.into_bytes()),
        ("program.wasm", read(program)?),
    ];
    if let Some(name) = later_program {
        files.push(("later.wasm", read(name)?));
    }
    files.push((RECORDING, read(RECORDING)?));
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

/// The whole document, without a session.
fn document(files: &[(&'static str, Vec<u8>)]) -> io::Result<Vec<u8>> {
    let sizes: Vec<(&str, usize)> = files.iter().map(|(name, content)| (*name, content.len())).collect();
    let sizes = serde_json::to_string(&sizes)?;
    let contents: Vec<u8> = files.iter().flat_map(|(_, content)| content).copied().collect();
    let head = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"windows-1252\"><meta http-equiv=\"Content-Security-Policy\" \
         content=\"{POLICY}\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><meta \
         name=\"color-scheme\" content=\"light dark\"><title>Fairlane</title></head><body><div id=\"app\"><p \
         class=\"loading\">Fairlane is loading&hellip;</p></div><noscript>Fairlane needs JavaScript and \
         WebAssembly.</noscript>\n<script type=\"text/plain\" id=\"fairlane-session\"></script>\n<script \
         type=\"application/json\" id=\"fairlane-contents\">{sizes}</script>\n<script type=\"application/x-lzma\" \
         id=\"fairlane-packed\">"
    );
    let mut document = head.into_bytes();
    packed(&contents)?.into_iter().for_each(|byte| escape(byte, &mut document));
    // Without a line's end, which a browser would move into the body.
    let foot = format!("</script>\n<script type=\"module\">\n{LOADER}</script></body></html>");
    document.extend(foot.into_bytes());
    Ok(document)
}

/// The files as one LZMA stream with its header. WebAssembly has no alignment that would help, so that the position of a
/// byte says nothing; what is before it says more than usual.
fn packed(contents: &[u8]) -> io::Result<Vec<u8>> {
    let mut options = LzmaOptions::with_preset(9);
    (options.lc, options.lp, options.pb) = (4, 0, 0);
    (options.dict_size, options.nice_len) = (1 << 23, 273);
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &options, Some(contents.len() as u64))?;
    writer.write_all(contents)?;
    writer.finish()
}

/// Writes a byte so that HTML keeps it: `=` says that 64 is added to the next one.
fn escape(byte: u8, to: &mut Vec<u8>) {
    match byte {
        0 | b'\n' | b'\r' | b'<' | b'=' => to.extend([b'=', byte + 64]),
        byte => to.push(byte),
    }
}
