//! Aligned columns for people.

use std::env;
use std::io::{self, IsTerminal};

use comfy_table::{Cell, CellAlignment, LineStyle, Table, TableStyle};

/// Spaces between columns and a line under the heading; no frames, so that a table can be pasted
/// into a mail or cut by column.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// Characters of a name that a table shows.
const NAME_WIDTH: usize = 32;

/// How the best figure of a column stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Emphasis {
    /// By bold letters: on a terminal.
    Bold,
    /// By an asterisk behind it: in files, pipes and where the user wants no styling.
    Asterisk,
}

impl Emphasis {
    /// What suits standard output. `NO_COLOR` and `TERM=dumb` ask for plain text.
    pub(super) fn of_standard_output() -> Emphasis {
        let plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || env::var_os("TERM").is_some_and(|term| term == "dumb");
        if io::stdout().is_terminal() && !plain { Emphasis::Bold } else { Emphasis::Asterisk }
    }

    /// A figure that stands out.
    pub(super) fn best(self, figure: &str) -> String {
        match self {
            Emphasis::Bold => format!("{BOLD}{figure}{NORMAL}"),
            Emphasis::Asterisk => format!("{figure}*"),
        }
    }

    /// A figure that does not, as wide as one that does.
    pub(super) fn other(self, figure: &str) -> String {
        match self {
            Emphasis::Bold => figure.to_owned(),
            Emphasis::Asterisk => format!("{figure} "),
        }
    }
}

/// Stand for the terminal's codes until the columns are aligned, because they take no width
/// (U+2061 and U+2062, invisible operators).
const BOLD: char = '\u{2061}';
const NORMAL: char = '\u{2062}';

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    /// Words.
    Left,
    /// Figures.
    Right,
}

/// Lays out rows under a heading. A cell must hold one line.
pub(super) fn layout(heading: Vec<(String, Align)>, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let aligns: Vec<CellAlignment> = heading
        .iter()
        .map(|(_, align)| match align {
            Align::Left => CellAlignment::Left,
            Align::Right => CellAlignment::Right,
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
    text.replace(BOLD, "\u{1b}[1m").replace(NORMAL, "\u{1b}[0m")
}

/// A name from a scenario as a table shows it: nothing that could move the terminal's cursor, and
/// not too long.
pub(super) fn name(text: &str) -> String {
    let mut shown = String::new();
    for (place, character) in text.chars().enumerate() {
        if place == NAME_WIDTH {
            shown.push('…');
            break;
        }
        match character {
            // Control characters, and those that reorder, join or hide what stands beside them.
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => {
                shown.push('\u{fffd}');
            }
            _ if character.is_control() => shown.push('\u{fffd}'),
            _ => shown.push(character),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bold_figures_keep_the_columns_aligned() {
        let heading = vec![("policy".to_owned(), Align::Left), ("mean".to_owned(), Align::Right)];
        let rows = |emphasis: Emphasis| {
            vec![
                vec!["fair".to_owned(), emphasis.other("10.00")],
                vec!["uwfq-p".to_owned(), emphasis.best("9.00")],
            ]
        };
        let plain = layout(heading.clone(), rows(Emphasis::Asterisk));
        assert_eq!(plain, " policy     mean\n─────────────────\n fair     10.00\n uwfq-p    9.00*\n");
        let bold = layout(heading, rows(Emphasis::Bold));
        assert_eq!(
            bold,
            " policy    mean\n────────────────\n fair     10.00\n uwfq-p    \u{1b}[1m9.00\u{1b}[0m\n"
        );
    }

    #[test]
    fn names_cannot_disturb_a_terminal() {
        assert_eq!(name("a\u{1b}[2Jb\nc"), "a\u{fffd}[2Jb\u{fffd}c");
        assert_eq!(name(&"x".repeat(40)), format!("{}…", "x".repeat(32)));
        assert_eq!(name("Ana Müller"), "Ana Müller");
    }
}
