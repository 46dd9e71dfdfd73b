//! `fairlane catalog`: the built-in scenarios.

use super::args::{CatalogArgs, CatalogFormat};
use super::output::Printed;
use super::table::wrapped;
use super::{CliError, input, output};
use fairlane::catalog::{CatalogSection, ENTRIES, Entry};
use fairlane_view::export::documents::CatalogEntry;

/// Maximum width of a line, in characters.
const WIDTH: usize = 96;
/// Indents every line of an entry but its first.
const INDENT: &str = "    ";

pub(super) fn run(args: &CatalogArgs) -> Result<(), CliError> {
    output::print(&match (&args.name, args.format) {
        (Some(name), _) => Printed::Data(input::entry(name)?.scenario().to_json() + "\n"),
        (None, CatalogFormat::Text) => Printed::Text(list()),
        (None, CatalogFormat::Json) => {
            output::json(&ENTRIES.iter().map(CatalogEntry::from).collect::<Vec<_>>())
        }
    })
}

fn list() -> String {
    let mut text = String::new();
    for section in CatalogSection::ALL {
        let entries: Vec<String> = section.entries().map(described).collect();
        text.push_str(&format!("{}\n\n{}\n", section.title(), entries.join("\n")));
    }
    text + "Run one with `fairlane compare catalog:NAME`, print its file with `fairlane catalog NAME`.\n"
}

fn described(entry: &Entry) -> String {
    let mut text = format!("{}: {}\n", entry.name, entry.title);
    let facts = format!("Policies: {}. Source: {}.", entry.policies, entry.source);
    for line in [entry.look_for, &facts].into_iter().flat_map(|words| wrapped(words, WIDTH - INDENT.len())) {
        text.push_str(&format!("{INDENT}{line}\n"));
    }
    text
}
