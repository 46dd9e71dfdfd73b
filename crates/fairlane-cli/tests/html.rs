//! `--html`: the page's document with the scenario in it.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::command::{DESIGNED, complaint, folder_with, printed};
use fairlane_view::link::{LinkBounds, Origin, Session};

/// The page's document, without most of the page.
const DOCUMENT: &[u8] =
    b"<title>Fairlane</title><script type=\"text/plain\" id=\"fairlane-session\"></script>\xff";

/// A folder with such a page.
fn page() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("index.html"), "<html>").expect("a writable folder");
    fs::write(folder.path().join("fairlane.html"), DOCUMENT).expect("a writable folder");
    folder
}

/// The session in a document.
fn session(path: &Path) -> String {
    let document = fs::read(path).expect("the document");
    assert!(document.ends_with(b"</script>\xff"));
    let text = String::from_utf8_lossy(&document).into_owned();
    let (_, rest) = text.split_once("id=\"fairlane-session\">").expect("a session");
    rest.split_once('<').expect("an end").0.to_owned()
}

#[test]
fn one_document_has_the_scenario_and_the_policies() {
    let (folder, path) =
        folder_with("Ana's & Ben's.json", &DESIGNED.replacen('{', "{ \"name\": \"<Ünder>\",", 1));
    let page = page();
    let page_path = page.path().to_str().expect("text");
    let html = folder.path().join("out.html");
    let to = html.to_str().expect("text");
    printed(&["compare", &path, "--policies", "uwfq-p,fair", "--html", to, "--page", page_path], "");
    let session_of = |path| Session::from_text(&session(path), &LinkBounds::LINK).expect("a session");
    let read = session_of(&html);
    assert_eq!(read.scenario.name(), "<Ünder>");
    assert_eq!(read.origin, Origin::File("Ana's & Ben's.json".to_owned()));
    let policies: Vec<String> = read.view.policies.iter().map(ToString::to_string).collect();
    assert_eq!(policies, ["fair", "uwfq-p"]);
    // The same scenario gives the same document, also by `simulate`.
    let (one, other) = (folder.path().join("one.html"), folder.path().join("other.html"));
    for html in [&one, &other] {
        let to = html.to_str().expect("text");
        let skew =
            ["simulate", "catalog:skew", "--policy", "uwfq", "--hash", "--html", to, "--page", page_path];
        printed(&skew, "");
    }
    assert_eq!(fs::read(&one).expect("a file"), fs::read(&other).expect("a file"));
    assert!(session(&one).starts_with("catalog:skew&policies=uwfq"));
}

#[test]
fn a_page_without_its_document_is_refused() {
    let page = page();
    let page_path = page.path().to_str().expect("text");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let html = folder.path().join("out.html");
    let to = html.to_str().expect("text");
    let arguments = ["simulate", "catalog:skew", "--policy", "fair", "--html", to, "--page", page_path];
    let document = page.path().join("fairlane.html");
    fs::write(&document, "another document").expect("a writable folder");
    for _ in 0..2 {
        let said = complaint(&arguments, "");
        assert!(
            said.contains("the page: fairlane.html is not the page of this version; build it with"),
            "{said}"
        );
        assert!(!html.exists());
        // And once it is not there at all.
        let _ = fs::remove_file(&document);
    }
    fs::remove_file(page.path().join("index.html")).expect("a file");
    assert!(complaint(&arguments, "").contains("has no index.html that can be read"));
}
