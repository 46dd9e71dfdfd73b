//! The page of expressions: the list by which figures of lessons are computed, each with an example.

use std::collections::BTreeMap;
use std::{env, fs};

use fairlane::catalog;
use fairlane_study::lesson::{EXPRESSIONS, Expression, ExpressionSubject, LessonFacts};

use crate::guide::REWRITE;
use crate::recorded;
use crate::root;

const PAGE: &str = "docs/expressions.md";

#[test]
fn the_page_of_expressions_is_their_list_with_examples() {
    let path = root().join(PAGE);
    let shown = fs::read_to_string(&path).expect("the page is there");
    let (introduction, _) = shown.split_once("\n## ").unwrap_or((&shown, ""));
    let expected = format!("{}\n{}", introduction.trim_end(), tables());
    if env::var_os(REWRITE).is_some() {
        return fs::write(&path, &expected).expect("a writable page");
    }
    assert!(shown == expected, "{PAGE} is not what the list says: run this test with {REWRITE}=1");
}

fn tables() -> String {
    let mut facts = BTreeMap::new();
    let mut text = String::new();
    for subject in ExpressionSubject::ALL {
        text += &format!(
            "\n## {}\n\n| expression | meaning | example | value |\n|---|---|---|---|\n",
            subject.title()
        );
        for expression in EXPRESSIONS.iter().filter(|expression| expression.subject == subject) {
            let facts = facts.entry(expression.scenario()).or_insert_with(|| match expression.scenario() {
                Some(name) => LessonFacts::new(catalog::entry(name).expect("an entry").scenario()),
                None => recorded::recording(),
            });
            text += &row(expression, facts);
        }
    }
    text
}

fn row(expression: &Expression, facts: &LessonFacts) -> String {
    let value = facts.evaluate(expression.example).unwrap_or_else(|error| panic!("{error}"));
    let scenario = match expression.scenario() {
        Some("two-users") | None => String::new(),
        Some(name) => format!(" of `{name}`"),
    };
    format!(
        "| `{}` | {} | `{}`{scenario} | {} |\n",
        expression.form,
        expression.meaning,
        expression.example,
        value.replace('\u{a0}', " ")
    )
}
