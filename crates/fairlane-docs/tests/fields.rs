//! The tables of `docs/scenario.md`: the fields of a scenario's objects, as they are described in the library.

use std::{env, fs};

use fairlane::ids::{JobId, UserId};
use fairlane::scenario::edit::ObjectPath;
use fairlane::scenario::field::{Field, FieldDefault, FieldKind};

use crate::guide::REWRITE;
use crate::root;

const PAGE: &str = "docs/scenario.md";

/// The headings of the page with the objects below them.
const OBJECTS: [(&str, ObjectPath); 12] = [
    ("## `cluster`", ObjectPath::Cluster),
    ("### `cluster.dynamic_allocation`", ObjectPath::DynamicAllocation),
    ("### `cluster.losses[]`", ObjectPath::Loss(0)),
    ("### `cluster.exclusions[]`", ObjectPath::Exclusion(0)),
    ("### `cluster.speculation`", ObjectPath::Speculation),
    ("### `cluster.preemption`", ObjectPath::Preemption),
    ("## `partitioning`", ObjectPath::Partitioning),
    ("## `users[]`", ObjectPath::User(UserId(0))),
    ("### `users[].queue`", ObjectPath::Queue(UserId(0))),
    ("## `jobs[]`", ObjectPath::Job(JobId(0))),
    ("### `jobs[].after`", ObjectPath::Predecessor(JobId(0))),
    ("## `jobs[].stages[]`", ObjectPath::Stage(JobId(0), 0)),
];

fn row(field: &Field) -> String {
    let code = |word: &str| format!("`{}`", word.trim_matches('"'));
    let default = match field.default {
        FieldDefault::Required => "–".to_owned(),
        FieldDefault::Is(json) if json.starts_with('"') => code(json),
        FieldDefault::Is(json) => json.to_owned(),
        FieldDefault::Follows(words) => words.to_owned(),
    };
    let others = match field.kind {
        FieldKind::Choice(options) => {
            let others = options.iter().filter(|(word, _)| !word.is_empty() && code(word) != default);
            others.map(|(word, _)| format!(" or {}", code(word))).collect()
        }
        _ => String::new(),
    };
    let others = if default == "–" { others.replacen(" or ", "", 1) } else { format!("{default}{others}") };
    let allowed = if others.is_empty() { default } else { others };
    format!("| `{}` | {} | {} | {allowed} |", field.name, field.unit, field.summary.trim_end_matches('.'))
}

/// The page with other tables below the headings of objects.
fn with_tables(page: &str) -> String {
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    for (heading, object) in OBJECTS {
        let at = lines.iter().position(|line| line == heading);
        let at = at.unwrap_or_else(|| panic!("{PAGE} has no heading {heading}"));
        let from = at + lines[at..].iter().position(|line| line.starts_with('|')).expect("a table");
        let rows = lines[from..].iter().take_while(|line| line.starts_with('|')).count();
        let fields = object.fields().into_iter().filter(|field| field.kind != FieldKind::Former);
        let table = ["| key | unit | meaning | default |".to_owned(), "|---|---|---|---|".to_owned()];
        lines.splice(from..from + rows, table.into_iter().chain(fields.map(|field| row(&field))));
    }
    lines.join("\n") + "\n"
}

#[test]
fn the_tables_of_a_scenarios_fields_equal_the_library() {
    let path = root().join(PAGE);
    let page = fs::read_to_string(&path).expect("the page");
    let expected = with_tables(&page);
    if env::var_os(REWRITE).is_some() {
        fs::write(&path, &expected).expect("the page can be written");
    } else {
        assert!(
            page == expected,
            "{PAGE} differs from the fields' descriptions: run this test with {REWRITE}=1"
        );
    }
}
