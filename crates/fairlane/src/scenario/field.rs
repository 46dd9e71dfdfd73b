//! Parses the text of an editor's field. A message is shown beside its field, so it does not name it.
//!
//! ```
//! use fairlane::scenario::field;
//! use fairlane::units::Span;
//! assert_eq!(field::span("0.25"), Ok(Span(250_000)));
//! assert!(field::count("0").is_err());
//! ```

use super::check::WEIGHT_RANGE;
use super::edit::Shift;
use crate::units::{MICROS_PER_SECOND, SlotTime, Span, Time, Weight, micros_from_seconds};

/// What is wrong with a field's text, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FieldError(String);

fn error<T>(message: impl Into<String>) -> Result<T, FieldError> {
    Err(FieldError(message.into()))
}

/// An instant, from seconds.
pub fn instant(text: &str) -> Result<Time, FieldError> {
    micros(text).map(Time)
}

/// A length of time, from seconds.
pub fn span(text: &str) -> Result<Span, FieldError> {
    micros(text).map(Span)
}

/// Work, from core-seconds.
pub fn work(text: &str) -> Result<SlotTime, FieldError> {
    micros(text).map(SlotTime)
}

/// A signed length of time, from seconds.
pub fn shift(text: &str) -> Result<Shift, FieldError> {
    let seconds = number(text)?;
    match micros_from_seconds(seconds.abs()) {
        Ok(micros) if seconds < 0.0 => Ok(Shift(-(micros as i64))),
        Ok(micros) => Ok(Shift(micros as i64)),
        Err(wrong) => error(wrong.to_string()),
    }
}

/// A user's weight.
pub fn weight(text: &str) -> Result<Weight, FieldError> {
    match Weight::new(number(text)?) {
        Some(weight) => Ok(weight),
        None => error(WEIGHT_RANGE),
    }
}

/// A slice's weight: any number that is not negative.
pub fn slice(text: &str) -> Result<f64, FieldError> {
    match number(text)? {
        weight if weight < 0.0 => error("must not be negative; give 0 or more"),
        weight if !weight.is_finite() => error("must be a finite number; write it with digits, such as 1.5"),
        weight => Ok(weight),
    }
}

/// A number of things of which there is at least one.
pub fn count(text: &str) -> Result<u32, FieldError> {
    match whole(text)? {
        0 => error("must be at least 1"),
        number => u32::try_from(number).or_else(|_| error("is too large; use a smaller number")),
    }
}

/// A whole number, 0 or more.
pub fn whole(text: &str) -> Result<u64, FieldError> {
    let text = text.trim();
    if let Ok(number) = text.parse() {
        return Ok(number);
    }
    match number(text)? {
        value if value < 0.0 => error("must not be negative; give 0 or more"),
        value if value.fract() != 0.0 => error("must be a whole number; leave out what follows the point"),
        value if value > 2_f64.powi(53) || !value.is_finite() => error("is too large; use a smaller number"),
        value => Ok(value as u64),
    }
}

/// Numbers of stages, such as `0, 2`; none if empty.
pub fn stages(text: &str) -> Result<Vec<u32>, FieldError> {
    let parts = text.split([',', ' ']).map(str::trim).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            part.parse().or_else(|_| {
                error(format!("\"{part}\" is not the number of a stage; write numbers such as 0, 2"))
            })
        })
        .collect()
}

fn micros(text: &str) -> Result<u64, FieldError> {
    micros_from_seconds(number(text)?).or_else(|wrong| error(wrong.to_string()))
}

/// A decimal number, with or without the unit s.
pub fn number(text: &str) -> Result<f64, FieldError> {
    let text = text.trim();
    let text = text.strip_suffix('s').map_or(text, str::trim_end);
    if text.is_empty() {
        return error("is empty; give a number");
    }
    match text.parse() {
        Ok(number) => Ok(number),
        Err(_) if text.contains(',') => error("is not a number; write decimals with a point, such as 1.5"),
        Err(_) => error("is not a number; write it with digits, such as 1.5"),
    }
}

/// A decimal number, or none if the field is empty.
pub fn optional_number(text: &str) -> Result<Option<f64>, FieldError> {
    if text.trim().is_empty() { Ok(None) } else { number(text).map(Some) }
}

/// A length of time from seconds, or none if the field is empty.
pub fn optional_span(text: &str) -> Result<Option<Span>, FieldError> {
    if text.trim().is_empty() { Ok(None) } else { span(text).map(Some) }
}

/// A whole number, or none if the field is empty.
pub fn optional_whole(text: &str) -> Result<Option<u64>, FieldError> {
    if text.trim().is_empty() { Ok(None) } else { whole(text).map(Some) }
}

/// Points of a whole number and a value, such as `1 0.2, 8 0.9`; none if empty.
pub fn points(text: &str) -> Result<Vec<(u32, f64)>, FieldError> {
    let points = text.split([',', ';']).map(str::trim).filter(|point| !point.is_empty());
    points
        .map(|point| match point.split_whitespace().collect::<Vec<_>>()[..] {
            [x, y] => Ok((count(x)?, number(y)?)),
            _ => error(format!("\"{point}\" is not a point; write pairs of numbers such as 1 0.2, 8 0.9")),
        })
        .collect()
}

/// Points as [`points`] reads them.
pub fn points_text(points: &[(u32, f64)]) -> String {
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{x} {y}")).collect();
    points.join(", ")
}

/// Seconds as a field shows them: every microsecond, and no more digits than that takes.
pub fn seconds(micros: u64) -> String {
    (micros as f64 / MICROS_PER_SECOND).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_as_in_a_file() {
        assert_eq!(instant(" 1.5 "), Ok(Time(1_500_000)));
        assert_eq!(span("0.5 s"), Ok(Span(500_000)));
        assert_eq!(shift("-0.25"), Ok(Shift(-250_000)));
        assert_eq!(work("1e3"), Ok(SlotTime(1_000_000_000)));
        assert_eq!(weight("2"), Ok(Weight::new(2.0).expect("a weight")));
        assert_eq!(count("8"), Ok(8));
        assert_eq!(whole("1e3"), Ok(1000));
        assert_eq!(whole("9007199254740993"), Ok(9_007_199_254_740_993));
        assert_eq!(stages("0, 2"), Ok(vec![0, 2]));
        assert_eq!(stages(""), Ok(vec![]));
        assert_eq!((optional_number(" "), optional_number("0.5")), (Ok(None), Ok(Some(0.5))));
        assert_eq!((optional_span(""), optional_span("2 s")), (Ok(None), Ok(Some(Span(2_000_000)))));
        assert_eq!((optional_whole(" "), optional_whole("512")), (Ok(None), Ok(Some(512))));
        assert_eq!(points(" 1 0.2,8  0.9; "), Ok(vec![(1, 0.2), (8, 0.9)]));
        assert_eq!(points(&points_text(&[(1, 0.2), (8, 0.9)])), Ok(vec![(1, 0.2), (8, 0.9)]));
        assert_eq!(instant(&seconds(1_234_567)), Ok(Time(1_234_567)));
    }

    #[test]
    fn wrong_text_says_why() {
        let message = |result: Result<Span, FieldError>| result.expect_err("faulty").to_string();
        assert_eq!(message(span("")), "is empty; give a number");
        assert_eq!(message(span("s")), "is empty; give a number");
        assert_eq!(message(span("1,5")), "is not a number; write decimals with a point, such as 1.5");
        assert_eq!(message(span("a")), "is not a number; write it with digits, such as 1.5");
        assert_eq!(message(span("-1")), "must not be negative; give 0 or more seconds");
        assert_eq!(message(span("nan")), "must be a finite number of seconds");
        assert!(message(span("1e300")).starts_with("is more than"));
        assert!(
            count("0").is_err() && count("2.5").is_err() && count("-1").is_err() && count("1e10").is_err()
        );
        assert!(weight("0").is_err() && slice("-1").is_err() && slice("inf").is_err());
        assert!(points("1").is_err() && points("0 1").is_err() && points("1 2 3").is_err());
        assert!(stages("0, x").is_err() && stages("-1").is_err());
    }
}
