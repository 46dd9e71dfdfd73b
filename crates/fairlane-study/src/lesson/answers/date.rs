//! Days of the calendar.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize, de};

/// A day of the calendar, without a time and a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlainDate {
    year: u16,
    month: u8,
    day: u8,
}

/// A text that is no day.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no day; write it as 2026-12-01")]
pub struct PlainDateError(String);

impl FromStr for PlainDate {
    type Err = PlainDateError;

    fn from_str(text: &str) -> Result<PlainDate, PlainDateError> {
        let error = || PlainDateError(text.chars().take(20).collect());
        let is_sound = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        let mut parts = text.split('-').filter(|_| is_sound);
        let mut part = |digits: usize| parts.next().filter(|part| part.len() == digits)?.parse::<u16>().ok();
        let (year, month, day) = (part(4), part(2), part(2));
        let (Some(year), Some(month), Some(day)) = (year, month, day) else { return Err(error()) };
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 if is_leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => 0,
        };
        match (1..=days).contains(&day) {
            true => Ok(PlainDate { year, month: month as u8, day: day as u8 }),
            false => Err(error()),
        }
    }
}

/// `2026-12-01`.
impl fmt::Display for PlainDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl Serialize for PlainDate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PlainDate {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<PlainDate, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
