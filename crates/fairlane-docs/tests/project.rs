//! The files around the code: what the README counts, and what others' tools run.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{pages, root};
use fairlane_study::lesson::lessons;

#[test]
fn the_readme_counts_the_lessons() {
    const WORDS: [&str; 31] = [
        "No",
        "One",
        "Two",
        "Three",
        "Four",
        "Five",
        "Six",
        "Seven",
        "Eight",
        "Nine",
        "Ten",
        "Eleven",
        "Twelve",
        "Thirteen",
        "Fourteen",
        "Fifteen",
        "Sixteen",
        "Seventeen",
        "Eighteen",
        "Nineteen",
        "Twenty",
        "Twenty-one",
        "Twenty-two",
        "Twenty-three",
        "Twenty-four",
        "Twenty-five",
        "Twenty-six",
        "Twenty-seven",
        "Twenty-eight",
        "Twenty-nine",
        "Thirty",
    ];
    let readme = pages()[Path::new("README.md")].split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = format!("{} [lessons](docs/lessons.md)", WORDS[lessons().len()]);
    assert!(readme.contains(&expected), "README.md says: {expected}");
}

#[test]
fn a_release_has_the_command_for_five_targets_and_goes_to_the_registries() {
    let text = fs::read_to_string(root().join(".github/workflows/publish.yml")).expect("a workflow");
    let (_, command) = text.split_once("\n  command:\n").expect("the job of the command");
    let (command, rest) = command.split_once("\n  wheels:\n").expect("the job of the wheels");
    let targets: Vec<&str> = command
        .match_indices("target: ")
        .filter_map(|(at, mark)| command[at + mark.len()..].split(',').next())
        .collect();
    assert_eq!(
        targets,
        [
            "x86_64-unknown-linux-gnu",
            "aarch64-unknown-linux-gnu",
            "aarch64-apple-darwin",
            "x86_64-apple-darwin",
            "x86_64-pc-windows-msvc"
        ]
    );
    assert!(command.contains(".ci/embed-page") && command.contains("--features page"));
    // What the owner is asked to set is what the workflow reads.
    let guide = &pages()[Path::new("CONTRIBUTING.md")];
    let words = rest.split(|letter: char| !letter.is_ascii_alphanumeric() && !"_.".contains(letter));
    let names: Vec<&str> =
        words.filter_map(|word| word.strip_prefix("secrets.").or(word.strip_prefix("vars."))).collect();
    assert_eq!(names, ["REGISTRIES", "CARGO_REGISTRY_TOKEN", "NPM_TOKEN", "PYPI_TOKEN"]);
    for name in names {
        assert!(guide.contains(&format!("`{name}`")), "CONTRIBUTING.md does not say what {name} is");
    }
    assert!(rest.contains("SHA256SUMS") && guide.contains("`SHA256SUMS`"));
}

/// A tag can be moved to other code, a commit cannot.
#[test]
fn actions_are_pinned_by_commit() {
    let folder = root().join(".github/workflows");
    let mut actions = 0;
    for workflow in fs::read_dir(folder).expect("workflows").flatten() {
        let text = fs::read_to_string(workflow.path()).expect("a workflow");
        for line in text.lines().filter(|line| line.contains("uses: ")) {
            let (_, action) = line.split_once("uses: ").expect("an action");
            let commit = action.split(['@', ' ']).nth(1).unwrap_or_default();
            let is_pinned = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(
                is_pinned && action.contains(" # v"),
                "{line}: give the commit, and its tag in a comment"
            );
            actions += 1;
        }
    }
    assert!(actions > 0);
}

#[test]
fn nothing_that_python_compiled_is_kept() {
    let listed =
        Command::new("git").arg("-C").arg(root()).args(["ls-files", "*.pyc", "*__pycache__*"]).output();
    let listed = listed.expect("git");
    assert_eq!(String::from_utf8_lossy(&listed.stdout), "");
    let ignored = fs::read_to_string(root().join(".gitignore")).expect("a list");
    assert!(ignored.lines().any(|line| line == "__pycache__/"));
}

/// A package without a digest could be another one tomorrow.
#[test]
fn packages_of_other_languages_have_digests() {
    for name in ["build", "test"] {
        let text = fs::read_to_string(root().join(format!(".ci/npm/{name}/package-lock.json")))
            .expect("a lock file");
        let lock: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let packages = lock["packages"].as_object().expect("packages");
        for (path, package) in packages.iter().filter(|(path, _)| !path.is_empty()) {
            assert!(package["integrity"].is_string(), "{name}: {path} has no digest");
        }
    }
    for name in ["package", "spark", "typos"] {
        let text = fs::read_to_string(root().join(format!(".ci/python/{name}.txt"))).expect("a lock file");
        let lines = text.replace("\\\n", " ");
        let mut packages =
            lines.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).peekable();
        assert!(packages.peek().is_some(), "{name} names packages");
        for package in packages {
            assert!(package.contains("==") && package.contains("--hash=sha256:"), "{name}: {package}");
        }
    }
}
