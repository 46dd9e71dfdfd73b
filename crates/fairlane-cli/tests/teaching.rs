//! The commands of `docs/teaching.md`, run in a folder with the files that it shows.

use std::path::Path;
use std::{env, fs};

use assert_cmd::Command;
use fairlane_study::lesson::answers::Fingerprint;
use fairlane_study::lesson::document::{self, NoFiles};

/// Set to anything, rewrites fingerprints and what commands print; read the difference before you commit it.
const REWRITE: &str = "FAIRLANE_REWRITE_DOCS";
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/teaching.md");

/// A part of the page.
enum Part {
    /// Lines outside of fences, and fences.
    Line(String),
    /// A fenced block with the words behind its fence.
    Block { fence: String, info: String, lines: Vec<String> },
}

fn parts(page: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let marks = line.chars().take_while(|letter| *letter == '`').count();
        if marks < 3 {
            parts.push(Part::Line(line.to_owned()));
            continue;
        }
        let (fence, info) = line.split_at(marks);
        let block = lines.by_ref().take_while(|line| *line != fence).map(str::to_owned).collect();
        parts.push(Part::Block { fence: fence.to_owned(), info: info.to_owned(), lines: block });
    }
    parts
}

/// The text with the fingerprint of the document in place of any other.
fn with_fingerprint(text: &str, fingerprint: &str) -> String {
    let Some((before, after)) = text.split_once("sha256:") else { return text.to_owned() };
    let rest = after.trim_start_matches(|letter: char| letter.is_ascii_hexdigit());
    format!("{before}{fingerprint}{rest}")
}

/// Runs the commands of a block, and says what it should be.
fn console(folder: &Path, lines: &[String]) -> Vec<String> {
    let mut block = Vec::new();
    for command in lines.iter().filter(|line| line.starts_with("$ ")) {
        block.push(command.clone());
        let mut words = command["$ ".len()..].split(' ');
        assert_eq!(words.next(), Some("fairlane"), "{command}");
        let mut run = Command::new(env!("CARGO_BIN_EXE_fairlane"));
        let output = run.args(words).current_dir(folder).output().expect("the command runs");
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8(output.stdout).expect("text");
        block.extend(printed.lines().map(str::to_owned));
    }
    block
}

#[test]
fn the_commands_of_the_page_on_teaching_print_what_it_shows() {
    let page = fs::read_to_string(PAGE).expect("the page");
    let folder = tempfile::tempdir().expect("a folder");
    let (mut expected, mut fingerprint, mut commands) = (String::new(), String::new(), 0);
    for part in parts(&page) {
        let (fence, info, lines) = match part {
            Part::Line(line) => {
                expected += &format!("{line}\n");
                continue;
            }
            Part::Block { fence, info, lines } => (fence, info, lines),
        };
        let lines = match info.split_once(' ') {
            Some((_, name)) => {
                let lines: Vec<String> =
                    lines.iter().map(|line| with_fingerprint(line, &fingerprint)).collect();
                let path = folder.path().join(name);
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                let text = lines.join("\n") + "\n";
                if name.ends_with(".md") {
                    fingerprint = Fingerprint::of(&document::read(&text, &NoFiles)).to_string();
                }
                fs::write(path, text).expect("a file");
                lines
            }
            None if info == "console" => {
                commands += 1;
                console(folder.path(), &lines)
            }
            None => lines,
        };
        expected += &format!("{fence}{info}\n{}\n{fence}\n", lines.join("\n"));
    }
    assert!(commands >= 3 && folder.path().join("grades.csv").exists(), "the page grades");
    if env::var_os(REWRITE).is_some() {
        return fs::write(PAGE, expected).expect("a writable page");
    }
    assert!(
        page == expected,
        "docs/teaching.md is not what the commands print: run this test with {REWRITE}=1"
    );
}
