//! How much work a job holds.

use serde::{Deserialize, Serialize};

use super::ScenarioError;
use super::draw::Draws;
use super::range::{positive, positive_span};
use crate::scenario::error::ensure;
use crate::scenario::json;

/// Distribution of a job's slot-time over all stages with a share of it.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Sizes {
    /// Every job the same.
    Fixed(#[serde(deserialize_with = "json::object")] FixedSize),
    /// Memoryless around a mean.
    Exponential(#[serde(deserialize_with = "json::object")] Exponential),
    /// Heavy-tailed: most jobs near the least, few of them most of the work.
    Pareto(#[serde(deserialize_with = "json::object")] Pareto),
}

/// Parameters of [`Sizes::Fixed`].
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FixedSize {
    /// Work of a job, core-seconds.
    pub work_s: f64,
}

/// Parameters of [`Sizes::Exponential`].
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Exponential {
    /// Mean work of a job, core-seconds.
    pub mean_s: f64,
}

/// Parameters of [`Sizes::Pareto`].
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pareto {
    /// The tail's exponent: P(size > x) falls as x to the power of minus this. The smaller, the
    /// heavier; at 1 and below, the mean of an uncapped distribution is infinite.
    pub shape: f64,
    /// The smallest size, core-seconds.
    pub least_s: f64,
    /// The largest, core-seconds: the distribution is truncated there (a bounded Pareto), so no jobs
    /// pile up at the cap.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "json::given")]
    pub cap_s: Option<f64>,
}

impl Sizes {
    pub(super) fn check(&self, path: &str) -> Result<(), ScenarioError> {
        let at = |key: &str| format!("{path}.{key}");
        match self {
            Sizes::Fixed(fixed) => positive_span(fixed.work_s, || at("fixed.work_s")),
            Sizes::Exponential(exponential) => positive_span(exponential.mean_s, || at("exponential.mean_s")),
            Sizes::Pareto(pareto) => {
                positive(pareto.shape, || at("pareto.shape"))?;
                positive_span(pareto.least_s, || at("pareto.least_s"))?;
                let Some(cap_s) = pareto.cap_s else { return Ok(()) };
                positive_span(cap_s, || at("pareto.cap_s"))?;
                ensure!(cap_s > pareto.least_s, at("pareto.cap_s"), "must be more than least_s");
                Ok(())
            }
        }
    }

    /// A size in core-seconds, by inversion of the distribution function.
    pub(super) fn draw(&self, draws: &mut Draws) -> f64 {
        match *self {
            Sizes::Fixed(FixedSize { work_s }) => work_s,
            Sizes::Exponential(Exponential { mean_s }) => mean_s * draws.exponential(),
            Sizes::Pareto(pareto) => {
                let above = 1.0 - draws.unit() * (1.0 - pareto.beyond_cap());
                pareto.least_s * libm::pow(above, -1.0 / pareto.shape)
            }
        }
    }

    /// The distribution's mean in core-seconds; `None` if it is infinite.
    pub fn mean_s(&self) -> Option<f64> {
        match *self {
            Sizes::Fixed(FixedSize { work_s }) => Some(work_s),
            Sizes::Exponential(Exponential { mean_s }) => Some(mean_s),
            Sizes::Pareto(Pareto { shape, least_s, cap_s: None }) => {
                (shape > 1.0).then(|| least_s * shape / (shape - 1.0))
            }
            Sizes::Pareto(pareto @ Pareto { shape, least_s, cap_s: Some(cap_s) }) => {
                let within = 1.0 - pareto.beyond_cap();
                // The integral of x^-shape from least to cap, in units of the least.
                let integral = match shape {
                    1.0 => libm::log(cap_s / least_s),
                    _ => (libm::pow(cap_s / least_s, 1.0 - shape) - 1.0) / (1.0 - shape),
                };
                Some(least_s * shape * integral / within)
            }
        }
    }
}

impl Pareto {
    /// The part of the uncapped distribution that lies beyond the cap; 0 without one.
    fn beyond_cap(&self) -> f64 {
        self.cap_s.map_or(0.0, |cap_s| libm::pow(self.least_s / cap_s, self.shape))
    }
}
