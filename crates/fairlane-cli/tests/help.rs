//! `docs/command-line.md` shows what the command says of itself.

use std::{env, fs};

use crate::command::{fairlane, standard_output};

/// Set to anything, rewrites the page; read the difference before you commit it.
const REWRITE: &str = "FAIRLANE_REWRITE_DOCS";

fn help(command: &[&str]) -> String {
    standard_output(fairlane(command).arg("--help").env_remove("COLUMNS").assert())
}

/// The names below a heading such as `Commands:`.
fn names(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    // The rest of a long description is indented further.
    let first = |line| str::strip_prefix(line, "  ").and_then(|line| line.split(' ').next());
    let names = lines.take_while(|line| !line.is_empty()).filter_map(first).filter(|name| !name.is_empty());
    names.filter(|name| *name != "help").collect()
}

#[test]
fn the_page_of_the_command_line_is_its_help() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/command-line.md");
    let shown = fs::read_to_string(path).expect("the page is there");
    let (introduction, _) = shown.split_once("\n## fairlane\n").expect("an introduction, then the help");
    let all = help(&[]);
    let commands = names(&all);
    assert!(commands.contains(&"simulate") && commands.contains(&"import"), "{commands:?}");
    let section = |title: &str, help: &str| {
        // The policies have a page of their own.
        let (options, _) = help.split_once("\nPolicies:\n").unwrap_or((help, ""));
        let lines: Vec<&str> = options.trim_end().lines().map(str::trim_end).collect();
        format!("\n## {title}\n\n```text\n{}\n```\n", lines.join("\n"))
    };
    let mut expected = introduction.to_owned() + &section("fairlane", &all);
    for command in commands {
        let text = help(&[command]);
        expected += &section(&format!("fairlane {command}"), &text);
        if text.contains("\nCommands:\n") {
            for inner in names(&text) {
                expected += &section(&format!("fairlane {command} {inner}"), &help(&[command, inner]));
            }
        }
    }
    if env::var_os(REWRITE).is_some() {
        return fs::write(path, &expected).expect("a writable page");
    }
    assert!(
        shown == expected,
        "docs/command-line.md is not what --help says: run this test with {REWRITE}=1"
    );
}
