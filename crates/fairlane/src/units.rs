//! Quantities of the model, each its own type so that an instant cannot be added to an instant
//! nor work be mistaken for time.
//!
//! Real time is whole microseconds, work is whole core-microseconds and virtual time is `f64`
//! core-microseconds. Files and people speak of seconds; [`micros_from_seconds`] is the one place
//! where a decimal number of seconds becomes a whole number of microseconds.
//!
//! ```
//! use fairlane::units::{SecondsError, Span, Time, micros_from_seconds};
//! let arrival = Time(micros_from_seconds(1.5)?);
//! let finish = arrival + Span(250_000);
//! assert_eq!(finish.since(arrival).seconds(), 0.25);
//! assert_eq!(micros_from_seconds(-1.0), Err(SecondsError::Negative));
//! # Ok::<(), SecondsError>(())
//! ```

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The largest count of microseconds (or core-microseconds) a scenario may reach: 2^53, the range
/// in which `f64` still holds every whole number. About 285 years.
pub const MAX_MICROS: u64 = 1 << 53;

/// Microseconds in a second.
pub const MICROS_PER_SECOND: f64 = 1e6;

/// Why a number of seconds is not a length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SecondsError {
    /// NaN or an infinity.
    #[error("must be a finite number of seconds")]
    NotFinite,
    /// Below zero.
    #[error("must not be negative; give 0 or more seconds")]
    Negative,
    /// More than 2^53 microseconds.
    #[error("is more than 9007199254 seconds (2^53 microseconds); use a smaller number")]
    TooLarge,
}

/// Whole microseconds of a decimal number of seconds: `floor(x * 1e6 + 0.5)`.
pub fn micros_from_seconds(seconds: f64) -> Result<u64, SecondsError> {
    if !seconds.is_finite() {
        return Err(SecondsError::NotFinite);
    }
    if seconds < 0.0 {
        return Err(SecondsError::Negative);
    }
    let micros = (seconds * MICROS_PER_SECOND + 0.5).floor();
    if micros > MAX_MICROS as f64 {
        return Err(SecondsError::TooLarge);
    }
    Ok(micros as u64)
}

/// Defines whole numbers of microseconds: documentation, name, and what the number is in seconds.
macro_rules! micros {
    ($($(#[$doc:meta])* $unit:ident, $seconds:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
            #[derive(FromBytes, IntoBytes, Immutable, KnownLayout)]
            #[repr(transparent)]
            pub struct $unit(pub u64);

            impl $unit {
                #[doc = $seconds]
                pub fn seconds(self) -> f64 {
                    self.0 as f64 / MICROS_PER_SECOND
                }
            }
        )*
    };
}

micros! {
    /// An instant of simulated real time, in whole microseconds since the scenario's start.
    Time, "This instant in seconds, for people and files.";
    /// A length of simulated real time, in whole microseconds.
    Span, "This length in seconds, for people and files.";
    /// Work (the paper's slot-time L): the time that one core alone would need, in core-microseconds.
    SlotTime, "This work in core-seconds, for people and files.";
}

impl Time {
    /// The scenario's start.
    pub const ZERO: Time = Time(0);

    /// The length from `earlier` to this instant; zero if `earlier` is later.
    pub fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

/// Sums are not checked. A checked scenario keeps them within 2^53: `scenario::check::check_totals` adds the last
/// arrival, all work at its slowest, overheads, delays and estimates in 128 bits and refuses what is more
/// ([`MAX_MICROS`]).
impl Add<Span> for Time {
    type Output = Time;
    fn add(self, span: Span) -> Time {
        Time(self.0 + span.0)
    }
}

impl Sub<Span> for Time {
    type Output = Time;
    fn sub(self, span: Span) -> Time {
        Time(self.0.saturating_sub(span.0))
    }
}

/// Unchecked, as the sums of [`Time`].
impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0 + other.0)
    }
}

/// Unchecked, as the sums of [`Time`].
impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        self.0 += other.0;
    }
}

/// Unchecked, as the sums of [`Time`].
impl Add for SlotTime {
    type Output = SlotTime;
    fn add(self, other: SlotTime) -> SlotTime {
        SlotTime(self.0 + other.0)
    }
}

/// Saturates: sums that large are refused later.
impl std::iter::Sum for SlotTime {
    fn sum<I: Iterator<Item = SlotTime>>(iter: I) -> SlotTime {
        SlotTime(iter.fold(0, |sum, work| sum.saturating_add(work.0)))
    }
}

/// A point of virtual time, in core-microseconds (per unit of weight where users have weights).
///
/// Ordered by IEEE total order, so that it can be a key. The policies never produce NaN.
#[derive(Clone, Copy, Debug, Default)]
pub struct VirtualTime(pub f64);

impl PartialEq for VirtualTime {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for VirtualTime {}
impl PartialOrd for VirtualTime {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for VirtualTime {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// A user's weight, held in whole millionths so that sums of weights are exact.
///
/// A weight is a share: a user of weight 2 is owed twice the service of a user of weight 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Weight(u64);

impl Weight {
    /// Weight 1.
    pub const ONE: Weight = Weight(1_000_000);
    /// The largest weight: a million.
    pub const MAX: f64 = 1e6;

    /// The weight nearest to `value` in millionths, `floor(value * 1e6 + 0.5)`; `None` if that is
    /// not between one millionth and [`Weight::MAX`].
    pub fn new(value: f64) -> Option<Weight> {
        let millionths = (value * 1e6 + 0.5).floor();
        (value <= Weight::MAX && millionths >= 1.0).then_some(Weight(millionths as u64))
    }

    /// A whole number of shares, which may exceed [`Weight::MAX`].
    pub(crate) fn whole(shares: u32) -> Weight {
        Weight(u64::from(shares) * 1_000_000)
    }

    /// Whole millionths.
    pub fn millionths(self) -> u64 {
        self.0
    }

    /// The weight as a number: its millionths divided by 1e6 once.
    pub fn value(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl Default for Weight {
    fn default() -> Self {
        Weight::ONE
    }
}

/// Prints seconds with the fewest digits that keep every microsecond, such as `1.5 s`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.seconds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_half_up_to_the_microsecond() {
        assert_eq!(micros_from_seconds(0.0000005), Ok(1));
        assert_eq!(micros_from_seconds(0.00000049), Ok(0));
        assert_eq!(micros_from_seconds(1.1), Ok(1_100_000));
        assert_eq!(micros_from_seconds(-0.0), Ok(0));
        assert_eq!(micros_from_seconds(-1e-9), Err(SecondsError::Negative));
        assert_eq!(micros_from_seconds(f64::NAN), Err(SecondsError::NotFinite));
        assert_eq!(micros_from_seconds(1e300), Err(SecondsError::TooLarge));
    }

    #[test]
    fn weights_are_whole_millionths() {
        assert_eq!(Weight::new(0.3).map(Weight::millionths), Some(300_000));
        assert_eq!(Weight::new(0.0000001), None);
        assert_eq!(Weight::new(-1.0), None);
        assert_eq!(Weight::new(f64::NAN), None);
        assert_eq!(Weight::new(f64::INFINITY), None);
    }

    #[test]
    fn virtual_time_orders_as_numbers() {
        assert!(VirtualTime(1.0) < VirtualTime(2.0));
        assert!(VirtualTime(0.0) < VirtualTime(f64::MIN_POSITIVE));
    }
}
