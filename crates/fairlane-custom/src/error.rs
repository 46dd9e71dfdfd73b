//! Errors of the language as sentences with their place in the program.

use fairlane::policy::ProgramError;
use rhai::{EvalAltResult, ParseError, Position};

use crate::language::{LONGEST_TEXT, MAX_CALLS, MAX_ENTRIES, OPERATIONS_PER_CALL};
use crate::names::NAMES;
use crate::syntax::nearest;

/// An error at a place.
pub(crate) fn at(position: Position, message: String) -> ProgramError {
    let number = |number: Option<usize>| number.map_or(0, |number| u32::try_from(number).unwrap_or(u32::MAX));
    ProgramError { line: number(position.line()), column: number(position.position()), message }
}

/// A text that is no program.
pub(crate) fn parse_error(error: &ParseError) -> ProgramError {
    let message = error.err_type().to_string();
    let message = match message.contains("exceeds maximum") || message.contains("maximum complexity") {
        true => "is nested too deeply; give parts of it names with `let`".to_owned(),
        false => message,
    };
    at(error.position(), message)
}

/// A call that has failed; `suspect` is where to look if the error has no place.
pub(crate) fn call_error(mut error: EvalAltResult, suspect: Position) -> ProgramError {
    while let EvalAltResult::ErrorInFunctionCall(_, _, inner, position) = error {
        error = *inner;
        if error.position().is_none() {
            error.set_position(position);
        }
    }
    let position = match error.position() {
        position if position.is_none() => suspect,
        position => position,
    };
    let message = match &error {
        EvalAltResult::ErrorTooManyOperations(_) => {
            format!(
                "takes more than {OPERATIONS_PER_CALL} operations in one call; is there a loop that does not end?"
            )
        }
        EvalAltResult::ErrorStackOverflow(_) => {
            format!("functions call each other more than {MAX_CALLS} deep; does one call itself for ever?")
        }
        EvalAltResult::ErrorDataTooLarge(..) => {
            format!("a text has at most {LONGEST_TEXT} bytes, and a list or map {MAX_ENTRIES} entries")
        }
        EvalAltResult::ErrorRuntime(value, _) => value.to_string(),
        EvalAltResult::ErrorVariableNotFound(name, _) => format!("`{name}` is unknown"),
        EvalAltResult::ErrorFunctionNotFound(call, _) => {
            let types =
                [("f64", "number"), ("i64", "whole number"), ("&str | ImmutableString | String", "text")];
            let call = types.iter().fold(call.clone(), |call, (rust, word)| call.replace(rust, word));
            format!("there is no function or operator `{call}`")
        }
        EvalAltResult::ErrorPropertyNotFound(name, _) => {
            format!("there is no `{name}` in this map; ask with `\"{name}\" in map`, or set it first")
        }
        EvalAltResult::ErrorDotExpr(text, _) => property(text),
        error => {
            let mut text = error.to_string();
            if let Some(place) = text.rfind(" (line ") {
                text.truncate(place);
            }
            text
        }
    };
    at(position, message)
}

/// `Unknown property 'x' - a getter is not registered for type 'stage'` in the terms of the documentation.
fn property(text: &str) -> String {
    let words: Vec<&str> = text.split('\'').collect();
    match words[..] {
        [_, name, _, subject, ..] => {
            let known = NAMES.iter().filter(|known| known.subject.word() == subject);
            let near = nearest(name, known).map(|near| format!("; is `{near}` meant?"));
            format!("a {subject} has no `{name}`{}", near.unwrap_or_default())
        }
        _ => text.to_owned(),
    }
}
