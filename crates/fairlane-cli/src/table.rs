//! Tables with aligned columns.

use std::env;
use std::io::{self, IsTerminal};

use comfy_table::{Cell, CellAlignment, LineStyle, Table, TableStyle};

use super::text::{escaped, printable};

/// Spaces between columns and a rule under the header; no frame, so that a table can be pasted into a mail or cut by
/// column.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// Maximum number of characters of a name.
const NAME_WIDTH: usize = 32;

/// How the best figure of a column is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Emphasis {
    /// In bold: on a terminal.
    Bold,
    /// With an asterisk: in files, pipes and where the user asks for no styling.
    Asterisk,
}

impl Emphasis {
    /// The emphasis for standard output. `NO_COLOR` and `TERM=dumb` ask for no styling.
    pub(super) fn of_standard_output() -> Emphasis {
        let unstyled = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || env::var_os("TERM").is_some_and(|term| term == "dumb");
        if io::stdout().is_terminal() && !unstyled { Emphasis::Bold } else { Emphasis::Asterisk }
    }

    /// The best figure of a column.
    pub(super) fn best(self, figure: &str) -> String {
        match self {
            Emphasis::Bold => format!("{BOLD}{figure}{NORMAL}"),
            Emphasis::Asterisk => format!("{figure}*"),
        }
    }

    /// Any other figure, padded to the same width.
    pub(super) fn other(self, figure: &str) -> String {
        match self {
            Emphasis::Bold => figure.to_owned(),
            Emphasis::Asterisk => format!("{figure} "),
        }
    }
}

/// Placeholders of zero width (invisible operators) for the terminal's codes, replaced when the table is printed.
const BOLD: char = '\u{2061}';
const NORMAL: char = '\u{2062}';

/// Lines for a terminal: they have no codes but those of [`Emphasis::Bold`].
pub(super) fn for_terminal(text: &str) -> String {
    escaped(text, |character| matches!(character, '\n' | BOLD | NORMAL))
        .replace(BOLD, "\u{1b}[1m")
        .replace(NORMAL, "\u{1b}[0m")
}

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellAlign {
    /// Words.
    Left,
    /// Figures.
    Right,
}

/// Lays out rows under a header. A cell is a single line.
pub(super) fn layout(
    heading: Vec<(String, CellAlign)>,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let aligns: Vec<CellAlignment> = heading
        .iter()
        .map(|(_, align)| match align {
            CellAlign::Left => CellAlignment::Left,
            CellAlign::Right => CellAlignment::Right,
        })
        .collect();
    let row = |cells: Vec<String>| -> Vec<Cell> {
        cells
            .into_iter()
            .zip(&aligns)
            .map(|(cell, &align)| Cell::new_owned(cell).set_alignment(align))
            .collect()
    };
    let mut table = Table::new();
    table.load_style(STYLE);
    table.set_header(row(heading.into_iter().map(|(title, _)| title).collect()));
    table.add_rows(rows.into_iter().map(row));
    let mut text = String::new();
    for line in table.lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A name from a scenario, shortened, as [`printable`].
pub(super) fn name(text: &str) -> String {
    match text.char_indices().nth(NAME_WIDTH) {
        Some((end, _)) => printable(&text[..end]) + "…",
        None => printable(text),
    }
}

/// Breaks a text at spaces into lines of at most `width` characters.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bold_figures_keep_the_columns_aligned() {
        let heading = vec![("policy".to_owned(), CellAlign::Left), ("mean".to_owned(), CellAlign::Right)];
        let rows = |emphasis: Emphasis| {
            vec![
                vec!["fair".to_owned(), emphasis.other("10.00")],
                vec!["uwfq-p".to_owned(), emphasis.best("9.00")],
            ]
        };
        let asterisk = layout(heading.clone(), rows(Emphasis::Asterisk));
        assert_eq!(asterisk, " policy     mean\n─────────────────\n fair     10.00\n uwfq-p    9.00*\n");
        let bold = for_terminal(&layout(heading, rows(Emphasis::Bold)));
        assert_eq!(
            bold,
            " policy    mean\n────────────────\n fair     10.00\n uwfq-p    \u{1b}[1m9.00\u{1b}[0m\n"
        );
    }

    #[test]
    fn names_cannot_disturb_a_terminal() {
        assert_eq!(name("a\u{1b}[2J\u{2061}b\nc"), r"a\u001b[2J\u2061b\nc");
        assert_eq!(for_terminal("a\u{1b}[1m\n"), "a\\u001b[1m\n");
        assert_eq!(name(&"x".repeat(40)), format!("{}…", "x".repeat(32)));
        assert_eq!(name("Ana Müller"), "Ana Müller");
    }
}
