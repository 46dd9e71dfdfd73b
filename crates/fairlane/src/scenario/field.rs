//! The fields of a scenario's objects. One description of each drives its file, its edits, its field on the page, the
//! types for TypeScript and the tables of `docs/scenario.md`.
//!
//! ```
//! use fairlane::ids::JobId;
//! use fairlane::scenario::edit::ObjectPath;
//! let arrival = ObjectPath::Job(JobId(0)).field("arrival_s").expect("a field of jobs");
//! assert_eq!((arrival.title, arrival.unit), ("Arrival", "s"));
//! assert_eq!(arrival.value(" 1.5 s "), Ok(1.5.into()));
//! assert!(arrival.value("soon").is_err());
//! ```

use serde_json::Value;

use super::ScenarioError;
use super::error::ensure;
use super::parameter::{Parameter, ParameterKind};
use crate::units::{MICROS_PER_SECOND, Time, micros_from_seconds};

/// A field of an object of a scenario's file.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its key in the file.
    pub name: &'static str,
    /// Its label on the page.
    pub title: &'static str,
    /// Its unit; empty for words and plain numbers.
    pub unit: &'static str,
    /// What it may be.
    pub kind: FieldKind,
    /// What holds where a file leaves it out.
    pub default: FieldDefault,
    /// Which numbers it takes beyond what its kind says.
    pub range: Option<Range>,
    /// What it means, in sentences.
    pub summary: &'static str,
}

/// What a field may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A text.
    Text,
    /// A number.
    Number,
    /// A whole number of at least 1.
    Count,
    /// A whole number, 0 or more.
    Whole,
    /// One of several words, each with its name for people; the first is the default.
    Choice(&'static [(&'static str, &'static str)]),
    /// True or false.
    Flag,
    /// Numbers of stages.
    Stages,
    /// A list or an object, which is edited in its own way.
    Compound,
    /// A former place of a policy's parameter, which is only read.
    Former,
}

/// What holds where a file leaves a field out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldDefault {
    /// Nothing: it is an error.
    Required,
    /// This, as JSON.
    Is(&'static str),
    /// Something that other fields decide, in words.
    Follows(&'static str),
}

/// Which numbers a field takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least.
    pub least: f64,
    /// The largest.
    pub most: f64,
    /// The rule, as an error says it.
    pub rule: &'static str,
}

impl Range {
    /// Checks a number; `path` is its own.
    pub(crate) fn check(&self, number: f64, path: impl Fn() -> String) -> Result<(), ScenarioError> {
        ensure!((self.least..=self.most).contains(&number), path(), "{}", self.rule);
        Ok(())
    }
}

impl Field {
    const fn with_unit(kind: FieldKind, title: &'static str, unit: &'static str) -> Field {
        Field { name: "", title, unit, kind, default: FieldDefault::Required, range: None, summary: "" }
    }

    pub(crate) const fn text(title: &'static str) -> Field {
        Field::with_unit(FieldKind::Text, title, "")
    }

    pub(crate) const fn seconds(title: &'static str) -> Field {
        Field::with_unit(FieldKind::Number, title, "s")
    }

    pub(crate) const fn number(title: &'static str, unit: &'static str) -> Field {
        Field::with_unit(FieldKind::Number, title, unit)
    }

    pub(crate) const fn count(title: &'static str) -> Field {
        Field::with_unit(FieldKind::Count, title, "")
    }

    pub(crate) const fn whole(title: &'static str, unit: &'static str) -> Field {
        Field::with_unit(FieldKind::Whole, title, unit)
    }

    pub(crate) const fn choice(
        title: &'static str,
        options: &'static [(&'static str, &'static str)],
    ) -> Field {
        Field::with_unit(FieldKind::Choice(options), title, "")
    }

    pub(crate) const fn new(kind: FieldKind, title: &'static str) -> Field {
        Field::with_unit(kind, title, "")
    }

    /// With a default, as JSON.
    pub(crate) const fn or(self, default: &'static str) -> Field {
        Field { default: FieldDefault::Is(default), ..self }
    }

    /// With a default that follows from other fields, in words.
    pub(crate) const fn follows(self, default: &'static str) -> Field {
        Field { default: FieldDefault::Follows(default), ..self }
    }

    pub(crate) const fn within(self, range: Range) -> Field {
        Field { range: Some(range), ..self }
    }

    /// Whether it is a length of time or an amount of work: microseconds in the model.
    pub fn is_time(&self) -> bool {
        matches!(self.unit, "s" | "core-s" | "MB-s")
    }

    /// What an empty text means; `None` if there must be one.
    pub fn empty(&self) -> Option<&'static str> {
        match self.default {
            FieldDefault::Follows(words) => Some(words),
            FieldDefault::Required | FieldDefault::Is(_) => None,
        }
    }

    /// What is typed into a field, as a file spells it; `null` leaves it out.
    ///
    /// # Errors
    /// What is wrong with the text, and the remedy.
    pub fn value(&self, text: &str) -> Result<Value, FieldError> {
        if self.kind != FieldKind::Stages && text.trim().is_empty() && self.empty().is_some() {
            return Ok(Value::Null);
        }
        Ok(match self.kind {
            FieldKind::Number => number(text)?.into(),
            FieldKind::Count => count(text)?.into(),
            FieldKind::Whole => whole(text)?.into(),
            FieldKind::Stages => stages(text)?.into(),
            FieldKind::Flag => (text == "true").into(),
            FieldKind::Text | FieldKind::Choice(_) | FieldKind::Compound | FieldKind::Former => {
                text.trim().into()
            }
        })
    }

    /// A value of the file as a field shows it.
    pub fn text_of(&self, value: &Value) -> String {
        match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or_default().to_string(),
            Value::Array(items) => items.iter().map(|item| self.text_of(item)).collect::<Vec<_>>().join(", "),
            value => value.to_string(),
        }
    }
}

impl From<&'static Parameter> for Field {
    fn from(parameter: &'static Parameter) -> Field {
        let &Parameter { name, title, unit, summary, ref kind } = parameter;
        let kind_of_field = match *kind {
            ParameterKind::Choice { options } => FieldKind::Choice(options),
            ParameterKind::Pools => FieldKind::Compound,
            ParameterKind::Program => FieldKind::Text,
            _ => FieldKind::Number,
        };
        let default = match kind {
            ParameterKind::OptionalNumber { .. } | ParameterKind::Pools | ParameterKind::Program => {
                FieldDefault::Follows("none")
            }
            _ => FieldDefault::Required,
        };
        Field { name, summary, default, ..Field::with_unit(kind_of_field, title, unit) }
    }
}

/// Declares an object of a file: its struct, and the table of its fields. The documentation of a field is its summary.
macro_rules! object {
    (
        $(#[doc = $about:literal])+
        $(#[derive($($derive:tt)*)])?
        $(#[serde($($whole:tt)*)])?
        $vis:vis $object:ident, $fields:ident;
        $(
            $(#[doc = $doc:literal])+
            $(#[serde($($serde:tt)*)])?
            $(#[tsify($($tsify:tt)*)])?
            $field:ident: $type:ty = $description:expr;
        )*
    ) => {
        $(#[doc = $about])+
        #[derive(serde::Deserialize, serde::Serialize)]
        #[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
        $(#[derive($($derive)*)])?
        $(#[serde($($whole)*)])?
        $vis struct $object {
            $(
                $(#[doc = $doc])+
                $(#[serde($($serde)*)])?
                $(#[cfg_attr(feature = "typescript", tsify($($tsify)*))])?
                $vis $field: $type,
            )*
        }

        $(#[doc = $about])+
        pub const $fields: &[Field] = &[$(Field {
            name: stringify!($field),
            summary: concat!($($doc),+).trim_ascii(),
            ..$description
        }),*];
    };
}
pub(crate) use object;

/// What is wrong with a field's text, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FieldError(String);

fn error<T>(message: impl Into<String>) -> Result<T, FieldError> {
    Err(FieldError(message.into()))
}

/// An instant, from seconds.
pub fn instant(text: &str) -> Result<Time, FieldError> {
    micros_from_seconds(number(text)?).map(Time).or_else(|wrong| error(wrong.to_string()))
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
        value if value > 2_f64.powi(53) => error("is too large; use a smaller number"),
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

/// A finite decimal number, with or without the unit s.
pub fn number(text: &str) -> Result<f64, FieldError> {
    let text = text.trim();
    let text = text.strip_suffix('s').map_or(text, str::trim_end);
    if text.is_empty() {
        return error("is empty; give a number");
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ if text.contains(',') => error("is not a number; write decimals with a point, such as 1.5"),
        _ => error("is not a number; write it with digits, such as 1.5"),
    }
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
    fn text_is_read_as_a_file_spells_it() {
        let optional = Field::seconds("Deadline").follows("the factor");
        assert_eq!((optional.value(" "), optional.value("2 s")), (Ok(Value::Null), Ok(2.0.into())));
        assert_eq!(Field::text("Name").follows("none").value(" nightly "), Ok("nightly".into()));
        assert_eq!(Field::new(FieldKind::Stages, "Waits for").value("0, 2"), Ok(vec![0, 2].into()));
        assert_eq!(Field::new(FieldKind::Stages, "Waits for").text_of(&vec![0, 2].into()), "0, 2");
        assert_eq!(Field::seconds("Arrival").text_of(&1.234_567.into()), "1.234567");
        assert_eq!(Field::seconds("Arrival").text_of(&2.0.into()), "2");
        assert_eq!((count("8"), whole("1e3"), number("0.5 s")), (Ok(8), Ok(1000), Ok(0.5)));
        assert_eq!(whole("9007199254740993"), Ok(9_007_199_254_740_993));
        assert_eq!(points(" 1 0.2,8  0.9; "), Ok(vec![(1, 0.2), (8, 0.9)]));
        assert_eq!(points(&points_text(&[(1, 0.2), (8, 0.9)])), Ok(vec![(1, 0.2), (8, 0.9)]));
    }

    #[test]
    fn wrong_text_says_why() {
        let message = |text: &str| Field::seconds("Arrival").value(text).expect_err("faulty").to_string();
        assert_eq!(message(""), "is empty; give a number");
        assert_eq!(message("s"), "is empty; give a number");
        assert_eq!(message("1,5"), "is not a number; write decimals with a point, such as 1.5");
        assert_eq!(message("a"), "is not a number; write it with digits, such as 1.5");
        assert_eq!(message("nan"), "is not a number; write it with digits, such as 1.5");
        assert!(
            count("0").is_err() && count("2.5").is_err() && count("-1").is_err() && count("1e10").is_err()
        );
        assert!(points("1").is_err() && points("0 1").is_err() && points("1 2 3").is_err());
        assert!(stages("0, x").is_err() && stages("-1").is_err());
    }
}
