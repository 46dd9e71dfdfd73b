//! `--html`: one document with the page in it, taken apart again.

use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use tempfile::TempDir;

use crate::command::{DESIGNED, complaint, folder_with, printed};
use fairlane_view::link::{LinkBounds, Origin, Session};

const INDEX: &str = "<!doctype html><html><head><script>first</script><link rel=\"stylesheet\" href=\"./a-1.css\">\
    <script type=module>import init from './page-2.js';\nconst wasm = await init({ module_or_path: './page-2_bg.wasm' });\
    </script></head></html>";
const SCRIPT: &str = "import * as import1 from \"./page-2-later.js\"\nconst own = import.meta.url;\n\
    export { initSync, __wbg_init as default };\n";
const LATER: &str = "import { initSync } from \"./page-2.js\";\nexport const load_later = () => \
    fetch(new URL(\"./page-2-later.wasm\", import.meta.url));\n";
const WORKER: &str = "const { default: run } = await import(script);\n";

/// A folder with a page as a release has it, of bytes of all kinds.
fn page() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
    for (name, content) in [
        ("index.html", INDEX.as_bytes()),
        ("a-1.css", "a { content: \"…\" }".as_bytes()),
        ("page-2.js", SCRIPT.as_bytes()),
        ("page-2-later.js", LATER.as_bytes()),
        ("page-2_bg.wasm", &bytes),
        ("page-2-later.wasm", b"later"),
        ("fairlane-worker_loader.js", WORKER.as_bytes()),
    ] {
        fs::write(folder.path().join(name), content).expect("a writable folder");
    }
    folder
}

/// What a document has in it, by name, and the document without it.
fn taken_apart(path: &Path) -> (Vec<(String, Vec<u8>)>, String) {
    let document = fs::read(path).expect("the document");
    let find = |mark: &str| {
        document
            .windows(mark.len())
            .position(|part| part == mark.as_bytes())
            .unwrap_or_else(|| panic!("{mark}"))
    };
    let mark = "id=\"fairlane-packed\">";
    let start = find(mark) + mark.len();
    let end = start + document[start..].iter().position(|&byte| byte == b'<').expect("an end");
    let packed = &document[start..end];
    assert!(!packed.iter().any(|byte| [0, b'\n', b'\r'].contains(byte)), "HTML changes these");
    let (mut bytes, mut shift) = (Vec::new(), 0);
    for &byte in packed {
        match byte {
            b'=' => shift = 64,
            byte => {
                bytes.push(byte - shift);
                shift = 0;
            }
        }
    }
    let mut all = Vec::new();
    GzDecoder::new(bytes.as_slice()).read_to_end(&mut all).expect("gzip");
    let rest = [&document[..start], &document[end..]].concat();
    let rest = String::from_utf8(rest).expect("text");
    assert!(rest.is_ascii(), "as the document's encoding has it");
    let sizes = rest.split_once("id=\"fairlane-contents\">").expect("contents").1;
    let sizes: Vec<(String, usize)> =
        serde_json::from_str(sizes.split_once('<').expect("an end").0).expect("names and sizes");
    let mut files = Vec::new();
    for (name, size) in sizes {
        let rest = all.split_off(size);
        files.push((name, all));
        all = rest;
    }
    assert!(all.is_empty());
    (files, rest)
}

fn text<'f>(files: &'f [(String, Vec<u8>)], name: &str) -> &'f str {
    let file = files.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("{name}"));
    std::str::from_utf8(&file.1).expect("text")
}

#[test]
fn one_document_has_the_page_the_scenario_and_the_policies() {
    let (folder, path) =
        folder_with("Ana's & Ben's.json", &DESIGNED.replacen('{', "{ \"name\": \"<Ünder>\",", 1));
    let page = page();
    let page_path = page.path().to_str().expect("text");
    let html = folder.path().join("out.html");
    let to = html.to_str().expect("text");
    printed(&["compare", &path, "--policies", "uwfq-p,fair", "--html", to, "--page", page_path], "");
    let (files, rest) = taken_apart(&html);
    let session = Session::from_text(text(&files, "session"), &LinkBounds::LINK).expect("a session");
    assert_eq!(session.scenario.name(), "<Ünder>");
    assert_eq!(session.origin, Origin::File("Ana's & Ben's.json".to_owned()));
    let policies: Vec<String> = session.view.policies.iter().map(ToString::to_string).collect();
    assert_eq!(policies, ["fair", "uwfq-p"]);
    let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
    assert!(files.contains(&("program.wasm".to_owned(), bytes)));
    assert_eq!((text(&files, "first.js"), text(&files, "later.wasm")), ("first", "later"));
    assert_eq!(text(&files, "style.css"), "a { content: \"…\" }");
    assert_eq!(text(&files, "worker.js"), "const { default: run } = fairlanePage;\n");
    // A script of a file that is a module would not be loaded, and nothing has an address.
    let script = text(&files, "page.js");
    for part in ["import ", "import.", "export ", "new URL"] {
        assert!(!script.contains(part), "{part} in\n{script}");
    }
    assert!(script.contains("const load_later = () => fairlaneFetch(\"later.wasm\");"), "{script}");
    assert!(script.contains("return { load_later };") && script.contains("const import1 ="), "{script}");
    assert!(
        rest.contains("content=\"default-src 'none';") && rest.contains("<meta charset=\"windows-1252\">")
    );
    assert!(rest.contains("<title>&#60;&#220;nder&#62; &middot; Fairlane</title>"), "{rest}");
    for part in ["http:", "https:", " src=", " href="] {
        assert!(!rest.contains(part), "{part} in\n{rest}");
    }
    // The same scenario gives the same document, also by `simulate`.
    let (one, other) = (folder.path().join("one.html"), folder.path().join("other.html"));
    for html in [&one, &other] {
        let to = html.to_str().expect("text");
        printed(
            &["simulate", "catalog:skew", "--policy", "uwfq", "--hash", "--html", to, "--page", page_path],
            "",
        );
    }
    assert_eq!(fs::read(&one).expect("a file"), fs::read(&other).expect("a file"));
    assert!(text(&taken_apart(&one).0, "session").starts_with("catalog:skew&policies=uwfq"));
}

#[test]
fn a_page_that_cannot_be_one_document_is_refused() {
    let page = page();
    let page_path = page.path().to_str().expect("text");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let html = folder.path().join("out.html");
    let arguments = [
        "simulate",
        "catalog:skew",
        "--policy",
        "fair",
        "--html",
        html.to_str().expect("text"),
        "--page",
        page_path,
    ];
    fs::write(page.path().join("page-2.js"), "another program").expect("a writable folder");
    let said = complaint(&arguments, "");
    assert!(said.contains("the page: is not of this version; build it with"), "{said}");
    assert!(!html.exists());
    fs::remove_file(page.path().join("index.html")).expect("a file");
    assert!(complaint(&arguments, "").contains("has no index.html that can be read"));
}
