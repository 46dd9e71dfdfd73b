//! The small markup of lessons: `**strong**`, `*emphasis*`, `` `code` `` and figures in braces.

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Plain words.
    Plain(&'a str),
    /// Words that stand out.
    Strong(&'a str),
    /// Words with emphasis.
    Emphasis(&'a str),
    /// Something that is written so in the policy's own terms.
    Code(&'a str),
    /// A figure, to be told by the simulator.
    Figure(&'a str),
}

/// The marks: what opens one and what closes it.
const MARKS: [(&str, &str); 4] = [("**", "**"), ("*", "*"), ("`", "`"), ("{", "}")];

fn marked<'a>(open: &str, words: &'a str) -> Piece<'a> {
    match open {
        "**" => Piece::Strong(words),
        "*" => Piece::Emphasis(words),
        "`" => Piece::Code(words),
        _ => Piece::Figure(words),
    }
}

/// Takes a text apart. A mark that is never closed is plain text.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let first = MARKS.iter().filter_map(|&(open, close)| {
            let from = rest.find(open)?;
            let inside = from + open.len();
            let length = rest[inside..].find(close).filter(|&length| length > 0)?;
            Some((from, marked(open, &rest[inside..inside + length]), inside + length + close.len()))
        });
        match first.min_by_key(|&(from, ..)| from) {
            Some((from, piece, after)) => {
                if from > 0 {
                    pieces.push(Piece::Plain(&rest[..from]));
                }
                pieces.push(piece);
                rest = &rest[after..];
            }
            None => {
                pieces.push(Piece::Plain(rest));
                rest = "";
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_told_apart() {
        assert_eq!(
            pieces("The **job** takes {work query}, `V` *grows*."),
            [
                Piece::Plain("The "),
                Piece::Strong("job"),
                Piece::Plain(" takes "),
                Piece::Figure("work query"),
                Piece::Plain(", "),
                Piece::Code("V"),
                Piece::Plain(" "),
                Piece::Emphasis("grows"),
                Piece::Plain("."),
            ]
        );
        assert_eq!(pieces("{cores}"), [Piece::Figure("cores")]);
        assert_eq!(pieces("2 ** 3 {"), [Piece::Plain("2 ** 3 {")]);
        assert_eq!(pieces(""), []);
    }
}
