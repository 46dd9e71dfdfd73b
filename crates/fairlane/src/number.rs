//! Numbers as text for people: the page, its charts, the command line and the lessons share one way of writing.
//!
//! ```
//! use fairlane::number;
//! assert_eq!(number::short(123.456), "123.5");
//! assert_eq!(number::signed_percent(-0.149, 0), "-15 %");
//! ```

use crate::units::Time;

/// A number as JSON has it. JSON's parser serves, which the page needs anyway: the tables of the standard library's, a
/// fiftieth of what a demo loads, are left out.
pub fn parse(text: &str) -> Option<f64> {
    serde_json::from_str(text).ok()
}

/// As many decimals; what rounds to 0 has no sign.
pub fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(size) if !size.contains(|digit: char| ('1'..='9').contains(&digit)) => size.to_owned(),
        _ => text,
    }
}

/// Seconds and ratios: two decimals below a hundred, one above.
pub fn short(value: f64) -> String {
    fixed(value, if value.abs() < 99.995 { 2 } else { 1 })
}

/// Seconds and ratios where there is little room: three digits, `5.45`, `31.8`, `139`.
pub fn three_digits(value: f64) -> String {
    let decimals = match value.abs() {
        size if size < 9.995 => 2,
        size if size < 99.95 => 1,
        _ => 0,
    };
    fixed(value, decimals)
}

/// At most this many decimals, without trailing zeros.
pub fn trimmed(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.to_owned()
}

/// With its sign; what rounds to 0 has none.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}");
    if text.contains(|digit: char| ('1'..='9').contains(&digit)) { text } else { text[1..].to_owned() }
}

/// A ratio in percent.
pub fn percent(ratio: f64, decimals: usize) -> String {
    format!("{:.decimals$} %", ratio * 100.0)
}

/// A ratio in percent with its sign; what rounds to 0 has none.
pub fn signed_percent(ratio: f64, decimals: usize) -> String {
    signed(ratio * 100.0, decimals) + " %"
}

/// An instant with its unit: to the millisecond, or to the microsecond where it needs that.
pub fn instant(time: Time) -> String {
    let decimals = if time.0.is_multiple_of(1_000) { 3 } else { 6 };
    format!("{:.decimals$} s", time.seconds())
}

/// An instant with its unit to the millisecond before it, in sentences: nobody compares it with another one.
pub fn about(time: Time) -> String {
    instant(Time(time.0 / 1_000 * 1_000))
}

/// Groups the digits before the point in threes from five digits on, by narrow no-break spaces.
pub fn grouped(text: &str) -> String {
    let end = text.find('.').unwrap_or(text.len());
    let start = usize::from(text.starts_with('-'));
    let mut out = text.to_owned();
    if end - start > 4 {
        for place in (start + 1..end).rev().filter(|place| (end - place).is_multiple_of(3)) {
            out.insert(place, '\u{202f}');
        }
    }
    out
}

/// The same number with a minus sign instead of a hyphen.
pub fn with_minus(text: &str) -> String {
    text.replace('-', "−")
}

/// A count and its noun: `1 job`, `2 jobs`, `2 policies`.
pub fn counted(count: usize, noun: &str) -> String {
    match noun.strip_suffix("cy") {
        _ if count == 1 => format!("1 {noun}"),
        Some(stem) => format!("{count} {stem}cies"),
        None => format!("{count} {noun}s"),
    }
}

/// Words as a list: `a`, `a and b`, `a, b and c`.
pub fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_keep_four_digits() {
        assert_eq!([short(1.0), short(99.999), short(-123.456)], ["1.00", "100.0", "-123.5"]);
        assert_eq!([short(-0.004), three_digits(-0.004), fixed(-0.006, 2)], ["0.00", "0.00", "-0.01"]);
    }

    #[test]
    fn narrow_numbers_keep_three_digits() {
        assert_eq!([5.451, 31.79, 99.96, 139.2].map(three_digits), ["5.45", "31.8", "100", "139"]);
    }

    #[test]
    fn trimmed_numbers_have_no_trailing_zeros() {
        assert_eq!([trimmed(2.5, 2), trimmed(100.0, 0), trimmed(-0.001, 2)], ["2.5", "100", "0"]);
    }

    #[test]
    fn nothing_has_no_sign() {
        assert_eq!([signed(-0.004, 2), signed(0.0, 2), signed(-0.4, 0)], ["0.00", "0.00", "0"]);
        assert_eq!([signed(-0.006, 2), signed(12.0, 0)], ["-0.01", "+12"]);
        assert_eq!([signed_percent(-0.0001, 1), signed_percent(5.71, 0)], ["0.0 %", "+571 %"]);
    }

    #[test]
    fn instants_show_microseconds_only_where_there_are_any() {
        assert_eq!([instant(Time(1_500_000)), instant(Time(1))], ["1.500 s", "0.000001 s"]);
        assert_eq!(about(Time(107_859_649)), "107.859 s");
    }

    #[test]
    fn digits_are_grouped_from_five_on() {
        let grouped = ["1000", "-12345.678", "1234567"].map(grouped);
        assert_eq!(grouped, ["1000", "-12\u{202f}345.678", "1\u{202f}234\u{202f}567"]);
    }

    #[test]
    fn words_are_joined_as_in_a_sentence() {
        let listed = |count: usize| list(&["a", "b", "c"].map(str::to_owned)[..count]);
        assert_eq!([0, 1, 2, 3].map(listed), ["", "a", "a and b", "a, b and c"]);
    }
}
