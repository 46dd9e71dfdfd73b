//! The small markup of lessons: `**strong**`, `*emphasis*`, `` `code` `` and figures in braces.

use super::{FactError, LessonFacts};

/// Words of one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyledText {
    /// How the words are set.
    pub style: MarkupStyle,
    /// The words. For a figure, its expression, or its value after [`evaluated`].
    pub words: String,
}

/// How words are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkupStyle {
    /// As usual.
    Plain,
    /// Strong.
    Strong,
    /// With emphasis.
    Emphasis,
    /// As in the policy's own terms.
    Code,
    /// As a figure of the simulator.
    Figure,
}

/// What opens and closes each style.
const MARKS: [(&str, &str, MarkupStyle); 4] = [
    ("**", "**", MarkupStyle::Strong),
    ("*", "*", MarkupStyle::Emphasis),
    ("`", "`", MarkupStyle::Code),
    ("{", "}", MarkupStyle::Figure),
];

/// The pieces of a text, with their figures as the simulator computes them.
///
/// # Errors
/// The first figure that cannot be computed.
pub fn evaluated(text: &str, facts: &LessonFacts) -> Result<Vec<StyledText>, FactError> {
    let value = |piece: StyledText| match piece.style {
        MarkupStyle::Figure => Ok(StyledText { words: facts.evaluate(&piece.words)?, ..piece }),
        _ => Ok(piece),
    };
    pieces(text).into_iter().map(value).collect()
}

/// The pieces of a text. A mark that is never closed is plain text.
pub fn pieces(text: &str) -> Vec<StyledText> {
    let piece = |style: MarkupStyle, words: &str| StyledText { style, words: words.to_owned() };
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let first = MARKS.iter().filter_map(|&(open, close, style)| {
            let from = rest.find(open)?;
            let inside = from + open.len();
            let length = rest[inside..].find(close).filter(|&length| length > 0)?;
            Some((from, piece(style, &rest[inside..inside + length]), inside + length + close.len()))
        });
        match first.min_by_key(|&(from, ..)| from) {
            Some((from, marked, after)) => {
                if from > 0 {
                    pieces.push(piece(MarkupStyle::Plain, &rest[..from]));
                }
                pieces.push(marked);
                rest = &rest[after..];
            }
            None => {
                pieces.push(piece(MarkupStyle::Plain, rest));
                rest = "";
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn styled(text: &str) -> Vec<(MarkupStyle, String)> {
        pieces(text).into_iter().map(|piece| (piece.style, piece.words)).collect()
    }

    #[test]
    fn each_mark_gives_its_style() {
        let expected = [
            (MarkupStyle::Plain, "The "),
            (MarkupStyle::Strong, "job"),
            (MarkupStyle::Plain, " takes "),
            (MarkupStyle::Figure, "work query"),
            (MarkupStyle::Plain, ", "),
            (MarkupStyle::Code, "V"),
            (MarkupStyle::Plain, " "),
            (MarkupStyle::Emphasis, "grows"),
            (MarkupStyle::Plain, "."),
        ];
        let expected = expected.map(|(style, words)| (style, words.to_owned()));
        assert_eq!(styled("The **job** takes {work query}, `V` *grows*."), expected);
        assert_eq!(styled("{cores}"), [(MarkupStyle::Figure, "cores".to_owned())]);
        assert_eq!(styled("2 ** 3 {"), [(MarkupStyle::Plain, "2 ** 3 {".to_owned())]);
        assert_eq!(styled(""), []);
    }
}
