//! The page as one document, made of a page as a release has it, and taken apart again.

use std::fs;
use std::io::Read;
use std::process::Command;

use lzma_rust2::LzmaReader;
use tempfile::TempDir;

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
        ("multi-fair.gz", b"recorded"),
    ] {
        fs::write(folder.path().join(name), content).expect("a writable folder");
    }
    folder
}

/// What the program says of a page, if it fails.
fn made(page: &TempDir) -> Result<Vec<u8>, String> {
    let output =
        Command::new(env!("CARGO_BIN_EXE_one-document")).arg(page.path()).output().expect("the program");
    match output.status.success() {
        true => Ok(fs::read(page.path().join("fairlane.html")).expect("the document")),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// What a document has in it, by name, and the document without it.
fn taken_apart(document: &[u8]) -> (Vec<(String, Vec<u8>)>, String) {
    let mark = b"id=\"fairlane-packed\">";
    let start = document.windows(mark.len()).position(|part| part == mark).expect("a mark") + mark.len();
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
    let mut reader = LzmaReader::new_mem_limit(bytes.as_slice(), u32::MAX, None).expect("a header");
    reader.read_to_end(&mut all).expect("LZMA");
    let rest = String::from_utf8([&document[..start], &document[end..]].concat()).expect("text");
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

#[test]
fn one_document_has_the_page() {
    let page = page();
    let document = made(&page).expect("a document");
    let (files, rest) = taken_apart(&document);
    let text = |name: &str| {
        let file = files.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("{name}"));
        std::str::from_utf8(&file.1).expect("text")
    };
    let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
    assert!(files.contains(&("program.wasm".to_owned(), bytes)));
    assert_eq!((text("first.js"), text("later.wasm"), text("multi-fair.gz")), ("first", "later", "recorded"));
    assert_eq!(text("style.css"), "a { content: \"…\" }");
    assert_eq!(text("worker.js"), "const { default: run } = fairlanePage;\n");
    // A script of a file that is a module would not be loaded, and nothing has an address.
    let script = text("page.js");
    for part in ["import ", "import.", "export ", "new URL"] {
        assert!(!script.contains(part), "{part} in\n{script}");
    }
    assert!(script.contains("const load_later = () => fairlaneFetch(\"later.wasm\");"), "{script}");
    assert!(script.contains("return { load_later };") && script.contains("const import1 ="), "{script}");
    assert!(
        rest.contains("content=\"default-src 'none';") && rest.contains("<meta charset=\"windows-1252\">")
    );
    for part in ["http:", "https:", " src=", " href="] {
        assert!(!rest.contains(part), "{part} in\n{rest}");
    }
    assert_eq!(made(&page), Ok(document), "the same page gives the same document");
}

#[test]
fn a_page_that_cannot_be_one_document_is_refused() {
    let page = page();
    fs::write(page.path().join("page-2.js"), "another program").expect("a writable folder");
    assert!(made(&page).is_err_and(|said| said.contains("is no page that ./fairlane-dev build has made")));
    assert!(!page.path().join("fairlane.html").exists());
}
