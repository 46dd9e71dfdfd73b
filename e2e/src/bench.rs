//! How fast the built page is: each part opens it, does what a reader would do, and returns figures.
//!
//! The page itself does not measure. The parts use what every browser has: `performance.now()` around the handlers
//! and frames that the events of a real mouse cause.

mod demos;
mod drag;
mod gantt;
mod start;

pub use gantt::open as open_million;

use std::fmt;

/// The name of a part, and the function that measures it.
pub type Part = (&'static str, fn() -> Vec<Figure>);

/// All parts.
pub const PARTS: [Part; 6] = [
    ("gantt", gantt::measure),
    ("start", start::measure),
    ("demos", demos::measure),
    ("articles", demos::measure_articles),
    ("drag", drag::measure),
    ("large", drag::measure_large),
];

/// A figure that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What was measured, in words.
    pub name: String,
    /// How much it is.
    pub value: f64,
    /// The unit of the value: `ms`, `KB`.
    pub unit: &'static str,
    /// The most it should be, where there is a limit.
    pub limit: Option<f64>,
}

impl Figure {
    /// A figure without a limit.
    pub fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Figure {
        Figure { name: name.into(), value, unit, limit: None }
    }

    /// The figure with the most it should be.
    pub fn at_most(self, limit: f64) -> Figure {
        Figure { limit: Some(limit), ..self }
    }

    /// Whether it is within its limit; a figure that could not be measured is not.
    pub fn is_kept(&self) -> bool {
        self.limit.is_none_or(|limit| self.value <= limit)
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "  {:<64} {:>10.3} {:<4}", self.name, self.value, self.unit)?;
        match self.limit {
            None => Ok(()),
            Some(limit) => write!(to, "  {} {limit}", if self.is_kept() { "<=" } else { "OVER" }),
        }
    }
}

/// The value below which this part (0 to 1) of the values lie; NaN without values.
pub fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = ((part * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
    sorted.get(index).copied().unwrap_or(f64::NAN)
}

/// Median, 95th percentile and worst of some values as figures, the first two with their limits.
pub fn spread(name: &str, values: &[f64], unit: &'static str, limits: Option<(f64, f64)>) -> Vec<Figure> {
    let figure = |word: &str, part: f64, limit: Option<f64>| Figure {
        name: format!("{name}: {word}"),
        value: quantile(values, part),
        unit,
        limit,
    };
    vec![
        figure("median", 0.5, limits.map(|(median, _)| median)),
        figure("p95", 0.95, limits.map(|(_, p95)| p95)),
        figure("worst", 1.0, None),
    ]
}
