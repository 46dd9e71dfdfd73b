//! Styled text, put together from the events of the Markdown parser.

use super::{StyledText, TextStyle};

/// A piece of text under way.
#[derive(Debug, Default)]
pub(super) struct Inline {
    pieces: Vec<StyledText>,
    strong: u32,
    emphasis: u32,
    link: Option<String>,
    image: Option<String>,
    /// What has been read of a figure whose brace is not closed yet.
    figure: Option<OpenFigure>,
    /// The line of the document that is read.
    line: usize,
}

/// What has been read of a figure, and the line of its brace.
#[derive(Debug)]
struct OpenFigure {
    words: String,
    line: usize,
}

impl Inline {
    /// What is added from now on is on this line of the document.
    pub(super) fn at_line(&mut self, line: usize) {
        self.line = line;
    }

    /// Adds words. The first letter of a text that was written behind a backslash opens no figure.
    pub(super) fn text(&mut self, words: &str, is_escaped: bool) {
        for (index, letter) in words.chars().enumerate() {
            match (&mut self.figure, letter) {
                (Some(_), '}') => {
                    let Some(OpenFigure { words, line }) = self.figure.take() else { continue };
                    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
                    self.pieces.push(StyledText { style: TextStyle::Figure, words, line });
                }
                (Some(figure), letter) => figure.words.push(letter),
                (None, '{') if !(is_escaped && index == 0) => {
                    self.figure = Some(OpenFigure { words: String::new(), line: self.line });
                }
                (None, letter) => self.plain(letter),
            }
        }
    }

    /// Adds words of a style of their own.
    pub(super) fn styled(&mut self, style: TextStyle, words: &str) {
        self.abandon_figure();
        self.pieces.push(StyledText { style, words: words.to_owned(), line: self.line });
    }

    /// Begins (1) or ends (-1) strong words.
    pub(super) fn strong(&mut self, by: i32) {
        self.abandon_figure();
        self.strong = self.strong.saturating_add_signed(by);
    }

    /// Begins (1) or ends (-1) emphasis.
    pub(super) fn emphasis(&mut self, by: i32) {
        self.abandon_figure();
        self.emphasis = self.emphasis.saturating_add_signed(by);
    }

    /// Begins a link, or ends it.
    pub(super) fn link(&mut self, to: Option<String>) {
        self.abandon_figure();
        self.link = to;
    }

    /// Begins the description of a picture, or ends it.
    pub(super) fn image(&mut self, source: Option<String>) {
        self.abandon_figure();
        self.image = source;
    }

    /// Whether nothing has been added.
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.figure.is_none()
    }

    /// The text, and whether a figure was never closed.
    pub(super) fn finish(&mut self) -> (Vec<StyledText>, bool) {
        let is_open = self.abandon_figure();
        let pieces = std::mem::take(self).pieces;
        (pieces, is_open)
    }

    /// Makes an opened figure plain text again; `false` if there was none.
    fn abandon_figure(&mut self) -> bool {
        let Some(figure) = self.figure.take() else { return false };
        "{".chars().chain(figure.words.chars()).for_each(|letter| self.plain(letter));
        true
    }

    fn plain(&mut self, letter: char) {
        let (style, line) = (self.style(), self.line);
        // Plain words are a piece for each line, so that what is wrong with them has its own.
        let goes_on =
            |last: &StyledText| last.style == style && (style != TextStyle::Plain || last.line == line);
        match self.pieces.last_mut() {
            Some(last) if goes_on(last) => last.words.push(letter),
            _ => self.pieces.push(StyledText { style, words: letter.to_string(), line }),
        }
    }

    fn style(&self) -> TextStyle {
        match (&self.image, &self.link) {
            (Some(source), _) => TextStyle::Image(source.clone()),
            (None, Some(to)) => TextStyle::Link(to.clone()),
            (None, None) if self.strong > 0 => TextStyle::Strong,
            (None, None) if self.emphasis > 0 => TextStyle::Emphasis,
            (None, None) => TextStyle::Plain,
        }
    }
}
