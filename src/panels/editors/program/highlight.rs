//! A program in colours, with the place of its mistake.

use yew::prelude::*;

use fairlane::policy::ProgramError;
use fairlane_custom::names::NAMES;

/// Words of the language.
const KEYWORDS: [&str; 16] = [
    "break", "const", "continue", "else", "false", "fn", "for", "if", "in", "let", "loop", "return",
    "switch", "this", "true", "while",
];

/// The text in colours; its length in lines is that of the text area over it.
pub fn coloured(text: &str, error: Option<&ProgramError>) -> Html {
    // Where a piece begins: its line, and the characters before it there.
    let (mut line, mut column) = (1, 0);
    let mut pieces: Vec<Html> = Vec::new();
    for (class, piece) in tokens(text) {
        let width = piece.chars().count() as u32;
        let is_wrong = error.is_some_and(|error| {
            let length =
                text.lines().nth(error.line.max(1) as usize - 1).map_or(0, |line| line.chars().count());
            // Of a mistake behind the end, all of the line.
            let is_there = !(1..=length as u32).contains(&error.column)
                || (column + 1..=column + width).contains(&error.column);
            line == error.line && is_there && !piece.contains('\n')
        });
        match piece.rsplit_once('\n') {
            Some((before, after)) => {
                line += 1 + before.matches('\n').count() as u32;
                column = after.chars().count() as u32;
            }
            None => column += width,
        }
        let class = classes!(class, is_wrong.then_some("wrong"));
        pieces.push(match class.is_empty() {
            true => html! { { piece.to_owned() } },
            false => html! { <span {class}>{ piece.to_owned() }</span> },
        });
    }
    // A last empty line has no height otherwise.
    html! { <>{ for pieces }{ "\n" }</> }
}

/// The pieces of a text, each with its class.
fn tokens(mut text: &str) -> Vec<(Option<&'static str>, &str)> {
    let mut tokens = Vec::new();
    while let Some(first) = text.chars().next() {
        let is_word = |char: char| char.is_alphanumeric() || char == '_';
        let until = |found: Option<usize>| found.unwrap_or(text.len());
        let (class, length) = if text.starts_with("//") {
            (Some("comment"), until(text.find('\n')))
        } else if first == '"' {
            (Some("text"), until(text[1..].find(['"', '\n']).map(|at| at + 2)))
        } else if first.is_ascii_digit() {
            (Some("number"), until(text.find(|char| !is_word(char) && char != '.')))
        } else if is_word(first) {
            let length = until(text.find(|char| !is_word(char)));
            let word = &text[..length];
            let class = match word {
                word if KEYWORDS.contains(&word) => Some("keyword"),
                word if NAMES.iter().any(|name| name.name == word) => Some("known"),
                _ => None,
            };
            (class, length)
        } else {
            (
                None,
                until(
                    text[first.len_utf8()..]
                        .find(|char| is_word(char) || "\"/".contains(char))
                        .map(|at| at + first.len_utf8()),
                ),
            )
        };
        let (token, rest) = text.split_at(length);
        tokens.push((class, token));
        text = rest;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highlighting_changes_no_text() {
        for starter in fairlane_custom::starters::STARTERS {
            let joined: String = tokens(starter.program).iter().map(|(_, token)| *token).collect();
            assert_eq!(joined, starter.program);
        }
        let classes: Vec<_> =
            tokens("let a = 1.5; // ü\nrunning / \"x\n").into_iter().filter_map(|(class, _)| class).collect();
        assert_eq!(classes, ["keyword", "number", "comment", "known", "text"]);
    }
}
