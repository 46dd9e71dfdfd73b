//! The figures of the explainer. A figure is followed by its expression in a comment, which
//! readers do not see:
//!
//! ```text
//! The query takes 8.5 s<!-- response fifo query --> under FIFO.
//! ```
//!
//! It is one of the demo above it, or of the session before a colon: `<!-- catalog:skew: longest uwfq report -->`.
//! Expressions are those of the lessons themselves
//! ([`fairlane_study::lesson::LessonFacts`]). One that compares is a claim.

use std::path::Path;

use fairlane::catalog;
use fairlane_study::lesson::{LessonFacts, StepId};

use crate::guide::{attributes, of_the_guide};
use crate::prose;
use crate::recorded;

/// Words before a number that is the name of something in a paper.
const NAMES: [&str; 12] = [
    "Algorithm",
    "Algorithms",
    "Figure",
    "Figures",
    "Section",
    "Sections",
    "Table",
    "line",
    "lines",
    "to",
    "and",
    "equation",
];

/// The page that is about several sessions.
const EXPLAINER: &str = "docs/fair-queuing.md";

/// The session of the last demo in a text.
fn of_demo_above(text: &str) -> String {
    let (_, demo) = text.rsplit_once("<fairlane-demo ").expect("a demo is above");
    let (tag, _) = demo.split_once('>').expect("a tag ends");
    let attributes = attributes(tag);
    let session = attributes.iter().find_map(|&(name, value)| match name {
        "session" => Some(value.to_owned()),
        "scenario" => Some(format!("catalog:{value}")),
        _ => None,
    });
    session.expect("a demo has a scenario or a session")
}

/// The facts of a session.
fn facts(session: &str) -> LessonFacts {
    match StepId::from_fragment(session) {
        Some(step) => recorded::facts(&step.expect("a step of the lesson").step().scene),
        None => LessonFacts::new(catalog::scenario(session).expect("a scenario of the catalog")),
    }
}

#[test]
fn every_figure_of_the_explainer_is_the_simulators() {
    let guide = of_the_guide();
    let mut wrong = Vec::new();
    let page = EXPLAINER;
    let numbered = |line: &str| line.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(". ");
    let of_line =
        |line| if numbered(line) { line.split_once(' ').map_or(line, |(_, rest)| rest) } else { line };
    let words: Vec<&str> =
        prose(&guide[Path::new(page)]).map(of_line).flat_map(str::split_whitespace).collect();
    let text = words.join(" ");
    let mut parts = text.split("<!-- ");
    let mut before = parts.next().unwrap_or_default().to_owned();
    let mut without_figures = String::new();
    for part in parts {
        let (comment, after) = part.split_once(" -->").expect("a comment ends");
        let (session, expression) = match comment.split_once(": ") {
            Some((session, expression)) => (session.to_owned(), expression),
            None => (of_demo_above(&format!("{without_figures}{before}")), comment),
        };
        let facts = facts(&session);
        if expression.contains(['<', '=']) {
            match facts.holds(expression) {
                Ok(true) => {}
                Ok(false) => wrong.push(format!("{page}: {expression} does not hold")),
                Err(error) => wrong.push(format!("{page}: {error}")),
            }
        } else {
            match facts.evaluate(expression) {
                Ok(value) => match before.strip_suffix(value.replace('\u{a0}', " ").as_str()) {
                    Some(rest) if !rest.ends_with(|c: char| c.is_ascii_digit() || c == '.') => {
                        before.truncate(rest.len());
                    }
                    _ => wrong
                        .push(format!("{page}: {expression} is {value}, the page says …{}", ending(&before))),
                },
                Err(error) => wrong.push(format!("{page}: {error}")),
            }
        }
        without_figures += &before;
        after.clone_into(&mut before);
    }
    without_figures += &before;
    for number in numbers(&without_figures) {
        wrong.push(format!("{page}: {number} has no expression"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The last characters of a text.
fn ending(text: &str) -> String {
    let from = text.char_indices().rev().nth(20).map_or(0, |(at, _)| at);
    text[from..].to_owned()
}

/// The words with digits, but for tags, targets of links, code and the names of parts of papers.
fn numbers(text: &str) -> Vec<String> {
    let mut words = String::new();
    let mut until = None;
    for letter in text.chars() {
        match (until, letter) {
            (Some(end), letter) if letter == end => until = None,
            (Some(_), _) => {}
            (None, '<') => until = Some('>'),
            (None, '`') => until = Some('`'),
            (None, '(') if words.ends_with(']') => until = Some(')'),
            (None, letter) => words.push(letter),
        }
    }
    let mut numbers = Vec::new();
    let mut last = "";
    for word in words.split_whitespace() {
        let named =
            NAMES.contains(&last.trim_start_matches('(')) && word.starts_with(|c: char| c.is_ascii_digit());
        if word.contains(|c: char| c.is_ascii_digit()) && !named {
            numbers.push(format!("{last} {word}"));
        }
        last = word;
    }
    numbers
}
