//! The characters of a link: base64, decimal seconds, and what mail programs make of them.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use fairlane::units::{MAX_MICROS, Time};

/// Microseconds in a second.
const SECOND: u64 = 1_000_000;

/// Bytes in URL-safe base64 without padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// Bytes from what [`base64`] wrote.
pub(super) fn from_base64(text: &str) -> Option<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD.decode(text).ok()
}

/// An instant in seconds with as many decimals as it has, exactly: `1.5`, `0.000001`.
pub(super) fn decimal(at: Time) -> String {
    let (whole, rest) = (at.0 / SECOND, at.0 % SECOND);
    if rest == 0 { whole.to_string() } else { format!("{whole}.{rest:06}").trim_end_matches('0').to_owned() }
}

/// An instant from decimal seconds, exactly; more than six decimals are too many.
pub(super) fn micros(text: &str) -> Option<Time> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(decimals) || decimals.len() > 6 {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let rest: u64 = format!("{decimals:0<6}").parse().ok()?;
    let micros = whole.checked_mul(SECOND)?.checked_add(rest)?;
    (micros <= MAX_MICROS).then_some(Time(micros))
}

/// Text in which no character is written as `%2C` or the like, which is how some programs pass
/// links on; ours hold no `%` of their own. `None` if it is not plain text then.
pub(super) fn unescaped(text: &str) -> Option<String> {
    let bytes = percent_decoded(text)?;
    bytes.is_ascii().then(|| String::from_utf8(bytes).ok()).flatten()
}

/// The bytes of text in which some are written as `%2C` or the like.
pub(super) fn percent_decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
        bytes.push(match byte {
            b'%' => (digit()? * 16 + digit()?) as u8,
            byte => byte,
        });
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_exact() {
        for (micros_count, text) in
            [(0, "0"), (1, "0.000001"), (1_500_000, "1.5"), (MAX_MICROS, "9007199254.740992")]
        {
            assert_eq!(decimal(Time(micros_count)), text);
            assert_eq!(micros(text), Some(Time(micros_count)));
        }
        for wrong in ["", ".", "1.", ".5", "-1", "+1", "1e3", "1.0000001", "9007199254.740993", "1 ", "٣"] {
            assert_eq!(micros(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn escapes_are_undone() {
        assert_eq!(unescaped("a%2Cb%3a").as_deref(), Some("a,b:"));
        assert_eq!(unescaped("100%"), None);
        assert_eq!(unescaped("%zz"), None);
        assert_eq!(unescaped("%ff"), None);
        assert_eq!(unescaped("ä"), None);
    }
}
