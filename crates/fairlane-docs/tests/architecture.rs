//! What docs/architecture.md says of crates and modules: who may use whom. There are no cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::{pages, root};

/// The text of docs/architecture.md.
fn architecture() -> String {
    pages()[Path::new("docs/architecture.md")].clone()
}

/// The cells of the table whose heading begins like this.
fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let rows = page.lines().skip_while(|line| !line.starts_with(heading)).skip(2);
    let cells = |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    rows.take_while(|line| line.starts_with('|')).map(cells).collect()
}

/// The names in backquotes.
fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The crates of ours that each crate depends on, apart from its tests.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let folders = fs::read_dir(root().join("crates")).expect("a folder").flatten().map(|entry| entry.path());
    let mut crates = BTreeMap::new();
    for folder in folders.chain([root().to_owned()]) {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let named = manifest.lines().find_map(|line| line.strip_prefix("name = \"")).expect("a name");
        let mut uses = BTreeSet::new();
        let mut in_dependencies = false;
        for line in manifest.lines() {
            if line.starts_with('[') {
                in_dependencies =
                    line.ends_with("dependencies]") && !line.contains("dev-") && !line.contains("workspace");
            } else if in_dependencies && line.starts_with("fairlane") {
                let end = line.find(['.', ' ', '=']).unwrap_or(line.len());
                uses.insert(line[..end].to_owned());
            }
        }
        crates.insert(named.trim_end_matches('"').to_owned(), uses);
    }
    crates
}

#[test]
fn the_table_of_crates_lists_them_all_with_what_they_use() {
    let page = architecture();
    let rows = table(&page, "| crate |");
    let crates = dependencies();
    let names: Vec<String> = rows.iter().map(|row| quoted(&row[0])[0].clone()).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>(), crates.keys().collect(), "the crates of the table");
    for (row, name) in rows.iter().zip(&names) {
        let uses = &crates[name];
        let may: BTreeSet<String> = match row[2].as_str() {
            "nothing of ours" => BTreeSet::new(),
            "all of these" | "all but the command" => crates.keys().cloned().collect(),
            listed => quoted(listed).into_iter().collect(),
        };
        let unlisted: Vec<&String> = uses.difference(&may).collect();
        assert!(unlisted.is_empty(), "{name} uses {unlisted:?}, which docs/architecture.md does not allow");
    }
    // The diagram is for readers; that it names every crate is all that a test can ask.
    let (_, diagram) = page.split_once("direction of dependencies:").expect("the diagram's introduction");
    let diagram = diagram.split("```").nth(1).expect("a diagram");
    for name in names.iter().filter(|name| *name != "fairlane-page") {
        assert!(diagram.contains(name.as_str()), "the diagram of crates lacks {name}");
    }
}

/// Which modules of a folder each of them names, with a file that does; `path` leads to the folder.
fn arrows(folder: &Path, path: &str) -> BTreeMap<String, BTreeMap<String, PathBuf>> {
    let mut arrows: BTreeMap<String, BTreeMap<String, PathBuf>> = BTreeMap::new();
    for file in sources(folder) {
        let inner = file.strip_prefix(folder).expect("a file of the folder");
        let first = inner.components().next().expect("a name").as_os_str().to_string_lossy();
        let module = first.trim_end_matches(".rs").to_owned();
        if ["lib", "main"].contains(&module.as_str()) || FOR_TESTS.contains(&module.as_str()) {
            continue;
        }
        let uses = arrows.entry(module.clone()).or_default();
        let text = fs::read_to_string(&file).expect("a source");
        let text = text.replace(&"super::".repeat(inner.components().count()), path);
        for used in used_modules(&text, path) {
            if used != module && folder.join(format!("{used}.rs")).exists() {
                uses.entry(used).or_insert_with(|| inner.to_owned());
            }
        }
    }
    arrows
}

/// Modules of the page that are compiled for its tests only.
const FOR_TESTS: [&str; 2] = ["testing", "walk"];

/// The modules that are left when those are taken away, again and again, that use none of the rest: if there are any,
/// some of them use each other in a circle.
fn circle(
    mut arrows: BTreeMap<String, BTreeMap<String, PathBuf>>,
) -> BTreeMap<String, BTreeMap<String, PathBuf>> {
    while let Some(free) = arrows.iter().find(|(_, uses)| uses.is_empty()).map(|(name, _)| name.clone()) {
        arrows.remove(&free);
        for uses in arrows.values_mut() {
            uses.remove(&free);
        }
    }
    arrows
}

/// The sources of a folder but for those of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            files.extend(sources(&path));
        } else if name.ends_with(".rs") && name != "tests.rs" {
            files.push(path);
        }
    }
    files
}

/// What a module of tests begins with.
const TESTS: &str = "#[cfg(test)]\nmod ";

/// What follows a path in the code of a file, apart from its comments and its tests.
fn used_modules(text: &str, path: &str) -> BTreeSet<String> {
    // Tests in a file of their own are only named here; what follows is code.
    let is_inline = |after: &str| after.split_once(['{', ';']).is_some_and(|(name, _)| name.ends_with(' '));
    let tests = text.match_indices(TESTS).find(|(at, _)| is_inline(&text[at + TESTS.len()..]));
    let code = tests.map_or(text, |(at, _)| &text[..at]);
    let code: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let mut used = BTreeSet::new();
    for after in code.join("\n").split(path).skip(1) {
        let list = after.strip_prefix('{').and_then(|list| list.split('}').next());
        for item in list.unwrap_or(after).split(',').take(if list.is_some() { usize::MAX } else { 1 }) {
            let name: String =
                item.trim_start().chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            used.insert(name);
        }
    }
    used.remove("");
    used
}

/// Holds a folder's modules to the order of their rows in the table of places.
fn check_order(folder: &str) {
    let page = architecture();
    let mut place = BTreeMap::new();
    let heading = format!("**`{folder}`**");
    let rows = table(&page, "| place |").into_iter().skip_while(|row| row[0] != heading);
    let own = rows.skip(1).take_while(|row| !row[0].starts_with("**"));
    for (index, row) in own.enumerate() {
        for name in quoted(&row[0]) {
            place.entry(name.split(['*', '/']).next().unwrap_or_default().to_owned()).or_insert(index);
        }
    }
    let at = |module: &str| {
        *place
            .get(module)
            .unwrap_or_else(|| panic!("docs/architecture.md has no place for {folder}/{module}"))
    };
    let mut wrong = Vec::new();
    for (module, uses) in arrows(&root().join(folder), "crate::") {
        for (used, file) in uses {
            if at(&used) >= at(&module) {
                wrong.push(format!("{module} uses {used}, which is not above it ({})", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn modules_of_the_library_use_only_what_is_above_them() {
    check_order("crates/fairlane/src");
}

/// Each room's file says `Uses` and which others, or `Uses no other room`.
#[test]
fn rooms_of_the_page_use_only_what_they_say() {
    check_order("src");
    let rooms = arrows(&root().join("src"), "crate::");
    let mut wrong = Vec::new();
    for (room, uses) in &rooms {
        let text = fs::read_to_string(root().join(format!("src/{room}.rs"))).expect("a room");
        let said = text.lines().find_map(|line| line.strip_prefix("//! Uses "));
        let said = said.unwrap_or_else(|| panic!("src/{room}.rs has no line that begins with \"//! Uses\""));
        let said: BTreeSet<String> = quoted(said).into_iter().collect();
        let found: BTreeSet<String> = uses.keys().cloned().collect();
        for used in found.difference(&said) {
            wrong.push(format!("{room} uses {used} ({}), and does not say so", uses[used].display()));
        }
        for unused in said.difference(&found) {
            wrong.push(format!("{room} says that it uses {unused}, and does not"));
        }
        println!("{room}: {}", found.into_iter().collect::<Vec<_>>().join(" "));
    }
    println!("{} rooms, {} arrows, none back", rooms.len(), rooms.values().map(BTreeMap::len).sum::<usize>());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_circles_are_among_the_panels() {
    let panels = arrows(&root().join("src/panels"), "crate::panels::");
    println!("{} panels, {} arrows", panels.len(), panels.values().map(BTreeMap::len).sum::<usize>());
    let circle = circle(panels);
    assert!(circle.is_empty(), "panels that use each other: {circle:#?}");
}

#[test]
fn a_circle_is_found_and_what_leads_to_it() {
    let uses = |names: &[&str]| names.iter().map(|&name| (name.to_owned(), PathBuf::new())).collect();
    let arrows = [("a", uses(&["b"])), ("b", uses(&["c"])), ("c", uses(&["b", "d"])), ("d", uses(&[]))];
    let left = circle(arrows.map(|(name, uses)| (name.to_owned(), uses)).into());
    assert_eq!(left.keys().collect::<Vec<_>>(), ["a", "b", "c"]);
}

#[test]
fn paths_are_found_wherever_they_are_in_the_code() {
    let text = "// crate::no\n#[cfg(test)]\nmod more;\nuse crate::engine::{Control, Progress};\nuse crate::{ids::UserId, units};\n\
        fn f() { crate::simulate(); crate::trace::check() }\n#[cfg(test)]\nmod tests { use crate::not; }";
    let used = used_modules(text, "crate::");
    let expected = ["engine", "ids", "simulate", "trace", "units"].map(str::to_owned);
    assert_eq!(used, BTreeSet::from(expected));
}
