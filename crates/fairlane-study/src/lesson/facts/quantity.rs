//! Figures with units, and their text.

use std::fmt;

use fairlane::number;
use fairlane::units::MICROS_PER_SECOND;

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityUnit {
    /// Seconds of real time.
    Seconds,
    /// Work or virtual time.
    CoreSeconds,
    /// Whole things.
    Count,
    /// A ratio.
    Ratio,
    /// A part of a hundred.
    Percent,
}

/// A figure with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// The value in the unit.
    pub value: f64,
    /// The unit.
    pub unit: QuantityUnit,
}

/// Most decimals of a figure: microseconds.
pub(in crate::lesson) const MAX_DECIMALS: usize = 6;

impl Quantity {
    /// The value without its unit, rounded as people read it: two decimals (three below a tenth), one of
    /// a ratio, none of a percentage, without closing zeros.
    pub fn bare(self) -> String {
        number::trimmed(self.value, self.decimals())
    }

    /// The value with its unit and at least so many decimals, without closing zeros: for figures that are compared and
    /// would show the same number.
    pub(in crate::lesson) fn precise(self, decimals: usize) -> String {
        self.with_unit(&number::trimmed(self.value, self.decimals().max(decimals)))
    }

    /// How many decimals people read.
    pub(in crate::lesson) fn decimals(self) -> usize {
        match self.unit {
            QuantityUnit::Percent => 0,
            QuantityUnit::Ratio => 1,
            // What is whole shows none; half of a count is no count.
            QuantityUnit::Count => 2,
            _ if self.value.abs() < 0.0995 => 3,
            _ => 2,
        }
    }

    /// A number with the unit of this figure, behind a space that does not break.
    pub(in crate::lesson) fn with_unit(self, number: &str) -> String {
        match self.unit {
            QuantityUnit::Seconds => format!("{number}\u{a0}s"),
            QuantityUnit::CoreSeconds if number == "1" => format!("{number}\u{a0}core-second"),
            QuantityUnit::CoreSeconds => format!("{number}\u{a0}core-seconds"),
            QuantityUnit::Percent => format!("{number}\u{a0}%"),
            QuantityUnit::Count | QuantityUnit::Ratio => number.to_owned(),
        }
    }
}

/// With the unit, behind a space that does not break: `1.5 s`, `16 core-seconds`, `4`, `27 %`.
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_unit(&self.bare()))
    }
}

pub(super) fn combined(one: Quantity, sign: &str, other: Quantity) -> Quantity {
    let same = one.unit == other.unit;
    let (value, unit) = match sign {
        "+" => (one.value + other.value, one.unit),
        "-" => (one.value - other.value, one.unit),
        "*" => (one.value * other.value, if one.unit == QuantityUnit::Count { other.unit } else { one.unit }),
        "%" => (100.0 * one.value / other.value, QuantityUnit::Percent),
        // Work over cores is time.
        _ => match (one.unit, other.unit) {
            (QuantityUnit::CoreSeconds, QuantityUnit::Count) => {
                (one.value / other.value, QuantityUnit::Seconds)
            }
            (unit, QuantityUnit::Count) if !same => (one.value / other.value, unit),
            _ => (one.value / other.value, QuantityUnit::Ratio),
        },
    };
    Quantity { value, unit }
}

pub(super) fn seconds(value: f64) -> Quantity {
    Quantity { value, unit: QuantityUnit::Seconds }
}

pub(super) fn core_seconds(value: f64) -> Quantity {
    Quantity { value, unit: QuantityUnit::CoreSeconds }
}

pub(super) fn core_micros(value: f64) -> Quantity {
    core_seconds(value / MICROS_PER_SECOND)
}

pub(super) fn count(value: u64) -> Quantity {
    Quantity { value: value as f64, unit: QuantityUnit::Count }
}

pub(super) fn percent(value: f64) -> Quantity {
    Quantity { value, unit: QuantityUnit::Percent }
}

/// A rate of virtual time, in cores.
pub(super) fn count_of(value: f64) -> Quantity {
    Quantity { value, unit: QuantityUnit::Ratio }
}
