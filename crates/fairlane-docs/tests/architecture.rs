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

/// The modules of a crate's top level that each of them names, with a file that does.
fn arrows(source: &Path) -> BTreeMap<String, BTreeMap<String, PathBuf>> {
    let mut arrows: BTreeMap<String, BTreeMap<String, PathBuf>> = BTreeMap::new();
    for path in sources(source) {
        let inner = path.strip_prefix(source).expect("a file of the crate");
        let first = inner.components().next().expect("a name").as_os_str().to_string_lossy();
        let module = first.trim_end_matches(".rs").to_owned();
        if module == "lib" {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source");
        for used in used_modules(&text) {
            if used != module {
                arrows.entry(module.clone()).or_default().entry(used).or_insert_with(|| inner.to_owned());
            }
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

/// What follows `crate::` in the code of a file, apart from its comments and its tests.
fn used_modules(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let code: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let mut used = BTreeSet::new();
    for after in code.join("\n").split("crate::").skip(1) {
        let list = after.strip_prefix('{').and_then(|list| list.split('}').next());
        for path in list.unwrap_or(after).split(',').take(if list.is_some() { usize::MAX } else { 1 }) {
            let name: String =
                path.trim_start().chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            used.insert(name);
        }
    }
    used.remove("");
    used
}

#[test]
fn modules_of_the_library_use_only_what_is_above_them() {
    let page = architecture();
    let mut place = BTreeMap::new();
    let rows =
        table(&page, "| place |").into_iter().skip_while(|row| !row[0].contains("crates/fairlane/src"));
    let own = rows.skip(1).take_while(|row| !row[0].starts_with("**"));
    for (index, row) in own.enumerate() {
        for name in quoted(&row[0]) {
            place.entry(name.split(['*', '/']).next().unwrap_or_default().to_owned()).or_insert(index);
        }
    }
    let source = root().join("crates/fairlane/src");
    let mut wrong = Vec::new();
    for (module, uses) in arrows(&source) {
        let at =
            *place.get(&module).unwrap_or_else(|| panic!("docs/architecture.md has no place for {module}"));
        for (used, file) in uses.into_iter().filter(|(used, _)| source.join(format!("{used}.rs")).exists()) {
            let other =
                *place.get(&used).unwrap_or_else(|| panic!("docs/architecture.md has no place for {used}"));
            if other >= at {
                wrong.push(format!("{module} uses {used}, which is not above it ({})", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn paths_are_found_wherever_they_are_in_the_code() {
    let text = "// crate::no\nuse crate::engine::{Control, Progress};\nuse crate::{ids::UserId, units};\n\
        fn f() { crate::simulate(); crate::trace::check() }\n#[cfg(test)]\nmod tests { use crate::not; }";
    let used = used_modules(text);
    let expected = ["engine", "ids", "simulate", "trace", "units"].map(str::to_owned);
    assert_eq!(used, BTreeSet::from(expected));
}
