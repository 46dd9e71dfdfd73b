//! Text that comes from outside: read from files within limits, shown without what could move a terminal's cursor.

use std::io::{self, Read};

use fairlane::metrics::ReplayError;
use fairlane::scenario::Scenario;

/// The mark that some editors begin a file with, and that is no part of its text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Why a text could not be read.
pub(crate) enum TextError {
    /// The file cannot be read.
    Io(io::Error),
    /// It has more bytes than the limit.
    TooLong,
    /// It is not UTF-8 from this byte on.
    NotText(usize),
}

/// Reads a whole text of at most `limit` bytes.
pub(crate) fn read(from: impl Read, limit: u64) -> Result<String, TextError> {
    let mut bytes = Vec::new();
    from.take(limit + 1).read_to_end(&mut bytes).map_err(TextError::Io)?;
    if bytes.len() as u64 > limit {
        return Err(TextError::TooLong);
    }
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    String::from_utf8(bytes).map_err(|error| TextError::NotText(error.utf8_error().valid_up_to()))
}

/// How sure answers about a scenario are that is from a log, with the empty line before the tables; empty of others.
pub(crate) fn how_sure(scenario: &Scenario) -> String {
    ReplayError::of_scenario(scenario).map_or_else(String::new, |error| error.sentence() + "\n\n")
}

/// Bytes of a text without the mark at its beginning.
pub(crate) fn unmarked(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// Whether a character could move a terminal's cursor, or reorder, join or hide its neighbours.
pub(crate) fn is_unsafe(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
    ) || character.is_control()
}

/// A text in which every such character is escaped, as JSON escapes it: the way that scenario files write it.
pub(crate) fn printable(text: &str) -> String {
    escaped(text, |_| false)
}

/// Several lines of text, of which all but the line ends are made [`printable`].
pub(crate) fn printable_lines(text: &str) -> String {
    escaped(text, |character| character == '\n')
}

/// A text in which all unsafe characters but some are escaped.
pub(crate) fn escaped(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            _ if is_kept(character) || !is_unsafe(character) => shown.push(character),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            _ => shown.push_str(&format!("\\u{:04x}", u32::from(character))),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_the_cursor_is_escaped_as_in_json() {
        assert_eq!(printable("a\u{1b}[2Jb\nc\u{202e}\u{9b}"), r"a\u001b[2Jb\nc\u202e\u009b");
        assert_eq!(printable_lines("a\nb\r\t"), "a\nb\\r\\t");
        assert_eq!(printable("Ana Müller \\ 日本"), "Ana Müller \\ 日本");
    }

    #[test]
    fn a_byte_order_mark_is_no_text_and_limits_hold() {
        let read = |bytes: &[u8]| read(bytes, 8);
        assert!(matches!(read(b"\xef\xbb\xbf{}"), Ok(text) if text == "{}"));
        assert!(matches!(read(b"123456789"), Err(TextError::TooLong)));
        assert!(matches!(read(b"ab\xff"), Err(TextError::NotText(2))));
    }
}
