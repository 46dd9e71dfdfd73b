//! What a figure is: its key, how it is shown, and its value.

use fairlane::metrics::EvaluationDetail;
use fairlane::number;

/// Which figures are the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The smallest.
    Less,
    /// The largest.
    More,
    /// None: they have no merit.
    Neither,
}

/// How figures are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Seconds or ratios, to a hundredth.
    Hundredths,
    /// Ratios between 0 and 1, to a thousandth.
    Thousandths,
    /// Whole numbers.
    Count,
    /// Ratios between 0 and 1, as per cent where there is room for typography.
    Percent,
    /// Ratios as per cent with their sign.
    SignedPercent,
}

impl Format {
    /// A figure as the page shows it.
    pub fn text(self, value: f64) -> String {
        match self {
            Format::Hundredths => number::short(value),
            Format::Percent => number::percent(value, 1),
            Format::SignedPercent => number::with_minus(&self.plain(value)),
            Format::Thousandths | Format::Count => self.plain(value),
        }
    }

    /// A figure in plain characters.
    pub fn plain(self, value: f64) -> String {
        match self {
            Format::Hundredths => number::fixed(value, 2),
            Format::Thousandths | Format::Percent => number::fixed(value, 3),
            Format::Count => number::fixed(value, 0),
            Format::SignedPercent => number::signed_percent(value, 0),
        }
    }

    /// In steps of what is shown: figures of as many steps are equal.
    pub(in crate::export) fn steps(self, value: f64) -> i64 {
        let per_unit = match self {
            Format::Hundredths | Format::SignedPercent => 100.0,
            Format::Thousandths | Format::Percent => 1000.0,
            Format::Count => 1.0,
        };
        (value * per_unit).round() as i64
    }
}

/// How a figure is shown in tables.
#[derive(Clone, Copy, Debug)]
pub struct TableFormat {
    /// Heading of its column.
    pub heading: &'static str,
    /// Unit; empty for ratios and counts.
    pub unit: &'static str,
    /// Which are the best.
    pub better: Better,
    /// How they are written.
    pub format: Format,
}

impl TableFormat {
    pub(super) const fn seconds(heading: &'static str) -> TableFormat {
        TableFormat { heading, unit: "s", better: Better::Less, format: Format::Hundredths }
    }

    pub(super) const fn ratio(heading: &'static str, better: Better, format: Format) -> TableFormat {
        TableFormat { heading, unit: "", better, format }
    }

    pub(super) const fn count(heading: &'static str, better: Better) -> TableFormat {
        TableFormat { heading, unit: "", better, format: Format::Count }
    }
}

/// A figure of a `T`: of a whole simulation, or of some of its jobs.
#[derive(Debug)]
pub struct Figure<T> {
    /// Its key in JSON and CSV, with its unit.
    pub id: &'static str,
    /// What it means, with its unit.
    pub meaning: &'static str,
    /// How it is shown.
    pub shown: TableFormat,
    /// How much must be evaluated for it.
    pub detail: EvaluationDetail,
    /// Its value, in its unit; `None` if it does not exist.
    pub value: fn(&T) -> Option<f64>,
}

/// A value of a figure's field.
pub(super) trait Number {
    /// Counts are whole below 2^53, so that an `f64` shows them exactly.
    fn number(self) -> Option<f64>;
}

impl Number for f64 {
    fn number(self) -> Option<f64> {
        Some(self)
    }
}

impl Number for usize {
    fn number(self) -> Option<f64> {
        Some(self as f64)
    }
}

impl<N: Number> Number for Option<N> {
    fn number(self) -> Option<f64> {
        self.and_then(Number::number)
    }
}

/// Declares figures: a struct with a field for each, as JSON has them, how it is made, and the table of those that are
/// numbers. The documentation of a field is what it means.
macro_rules! figures {
    (
        $(#[$attribute:meta])*
        $figures:ident($($given:ident: $of:ty),*);
        $(
            $(#[doc = $doc:literal])+
            $(#[serde($($serde:tt)*)])?
            $field:ident: $type:ty = $value:expr $(, $shown:expr $(, $detail:expr)?)?;
        )*
    ) => {
        $(#[$attribute])*
        #[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
        pub struct $figures {
            $(
                $(#[doc = $doc])+
                $(#[serde($($serde)*)])?
                pub $field: $type,
            )*
        }

        impl $figures {
            fn made($($given: $of),*) -> $figures {
                $figures { $($field: $value,)* }
            }
        }

        impl $figures {
            /// The keys of all of them, in their order.
            pub const KEYS: &[&str] = &[$(stringify!($field)),*];

            /// Those of the figures that are numbers, in their order.
            pub fn table() -> impl Iterator<Item = &'static Figure<$figures>> {
                const ROWS: &[Option<Figure<$figures>>] =
                    &[$(figures!(@row [$($doc),+] $figures $field $(, $shown $(, $detail)?)?)),*];
                ROWS.iter().flatten()
            }
        }
    };
    (@row [$($doc:literal),+] $figures:ident $field:ident) => { None };
    (@row [$($doc:literal),+] $figures:ident $field:ident, $shown:expr) => {
        figures!(@row [$($doc),+] $figures $field, $shown, EvaluationDetail::Responses)
    };
    (@row [$($doc:literal),+] $figures:ident $field:ident, $shown:expr, $detail:expr) => {
        Some(Figure {
            id: stringify!($field),
            meaning: concat!($($doc),+).trim_ascii(),
            shown: $shown,
            detail: $detail,
            value: |figures: &$figures| figures.$field.number(),
        })
    };
}
pub(super) use figures;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_as_text() {
        let texts = [
            Format::Thousandths.text(2.0 / 3.0),
            Format::Count.text(57.0),
            Format::Percent.text(0.97148),
            Format::SignedPercent.text(-0.149),
            Format::SignedPercent.text(5.71),
            Format::SignedPercent.text(-0.0001),
            Format::Hundredths.plain(-0.0001),
        ];
        assert_eq!(texts, ["0.667", "57", "97.1 %", "−15 %", "+571 %", "0 %", "0.00"]);
    }
}
