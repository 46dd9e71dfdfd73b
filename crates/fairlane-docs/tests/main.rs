//! The documentation: lines of at most 120 characters, links that resolve, and no citation of pages outside of
//! the repository; and what it promises of the repository itself.

mod architecture;
mod expressions;
mod fields;
mod figures;
mod guide;
mod lessons;
mod notices;
mod one_document;
mod preemption;
mod project;
#[path = "../../fairlane-study/tests/recorded.rs"]
mod recorded;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

const MAX_CHARACTERS: usize = 120;

/// The repository's folder.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Every Markdown file by its path from the repository's root.
fn pages() -> BTreeMap<PathBuf, String> {
    fn add(root: &Path, folder: &Path, pages: &mut BTreeMap<PathBuf, String>) {
        for entry in fs::read_dir(root.join(folder)).expect("the folder can be read") {
            let path = folder.join(entry.expect("an entry").file_name());
            if root.join(&path).is_dir() {
                add(root, &path, pages);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let text = fs::read_to_string(root.join(&path)).expect("a page is UTF-8");
                pages.insert(path, text);
            }
        }
    }
    let root = root();
    let mut pages = BTreeMap::new();
    for folder in ["docs", "data"] {
        add(root, Path::new(folder), &mut pages);
    }
    for page in [
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "benches/README.md",
        "crates/fairlane/README.md",
        "js/package/README.md",
        "python/README.md",
    ] {
        let text = fs::read_to_string(root.join(page)).expect("the page is there");
        pages.insert(PathBuf::from(page), text);
    }
    pages
}

/// The lines outside of code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let title = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// The targets of links and pictures.
fn targets(text: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for line in prose(text) {
        for (opening, closing) in [("](", ')'), ("src=\"", '"'), ("href=\"", '"')] {
            for rest in line.split(opening).skip(1) {
                targets.extend(rest.split_once(closing).map(|(target, _)| target.to_owned()));
            }
        }
    }
    targets
}

/// A relative path from a page, without `.` and `..`.
fn resolved(page: &Path, target: &str) -> PathBuf {
    let mut path = page.parent().expect("a page is in a folder").to_owned();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => assert!(path.pop(), "{}: {target} leaves the repository", page.display()),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

#[test]
fn no_line_is_longer_than_120_characters() {
    let mut long = Vec::new();
    for (page, text) in pages() {
        for (index, line) in text.lines().enumerate() {
            let length = line.chars().count();
            if length > MAX_CHARACTERS {
                long.push(format!("{}:{}: {length} characters", page.display(), index + 1));
            }
        }
    }
    assert!(long.is_empty(), "wrap these lines or split the table:\n{}", long.join("\n"));
}

#[test]
fn every_relative_link_resolves() {
    let root = root();
    let pages = pages();
    let mut broken = Vec::new();
    for (page, text) in &pages {
        for target in targets(text) {
            if target.contains("://") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let path = if file.is_empty() { page.clone() } else { resolved(page, file) };
            if path.as_os_str().is_empty() && page.starts_with("docs") {
                // The lab (see `guide`).
                continue;
            }
            let found = root.join(&path).exists()
                && (anchor.is_empty() || pages.get(&path).is_some_and(|text| anchors(text).contains(anchor)));
            if !found {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "these links lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn no_page_cites_what_is_not_in_the_repository() {
    for (page, text) in pages() {
        for foreign in ["MODEL.md", "ALLOCATION.md"] {
            assert!(!text.contains(foreign), "{}: cite docs/model.md instead of {foreign}", page.display());
        }
    }
}

#[test]
fn every_policy_of_a_source_is_in_the_model() {
    let model = &pages()[Path::new("docs/model.md")];
    for info in fairlane::PolicyKind::ALL.iter().map(|kind| kind.info()) {
        // A policy that is from nowhere else is defined in its own file.
        let row = format!("| `{}` |", info.id);
        assert!(
            info.source.is_empty() || model.contains(&row),
            "docs/model.md has no row for the policy {}",
            info.id
        );
    }
}
