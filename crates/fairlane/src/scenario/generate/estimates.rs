//! How generated jobs are estimated.

use serde::{Deserialize, Serialize};

use super::ScenarioError;
use super::draw::Draws;
use super::range::{positive, positive_span};
use crate::scenario::error::ensure;
use crate::scenario::json;

/// How a job's size is estimated. Stages share the estimate as they share the true size; the estimates
/// of stages of fixed length are always true.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Estimates {
    /// The true work.
    #[default]
    True,
    /// The same figure for every job.
    Constant(#[serde(deserialize_with = "json::object")] Constant),
    /// The true work times the same factor for every job.
    Factor(#[serde(deserialize_with = "json::object")] Factor),
    /// The true work times a factor of the job's own.
    Random(#[serde(deserialize_with = "json::object")] Random),
}

/// Parameters of [`Estimates::Constant`].
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// The estimate of every job, core-seconds.
    pub work_s: f64,
}

/// Parameters of [`Estimates::Factor`].
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Factor {
    /// Estimate divided by true work.
    pub by: f64,
}

/// Parameters of [`Estimates::Random`].
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Random {
    /// The largest factor f; a job's own lies between 1/f and f, its logarithm drawn evenly.
    pub up_to: f64,
}

impl Estimates {
    pub(super) fn check(&self, path: &str) -> Result<(), ScenarioError> {
        match self {
            Estimates::True => Ok(()),
            Estimates::Constant(constant) => {
                positive_span(constant.work_s, || format!("{path}.constant.work_s"))
            }
            Estimates::Factor(factor) => positive(factor.by, || format!("{path}.factor.by")),
            Estimates::Random(random) => {
                let at = || format!("{path}.random.up_to");
                positive(random.up_to, at)?;
                ensure!(random.up_to >= 1.0, at(), "must be at least 1; 1 is the true work");
                Ok(())
            }
        }
    }

    /// The estimate of a job of a size; both in core-seconds.
    pub(super) fn estimate(&self, size_s: f64, draws: &mut Draws) -> f64 {
        match *self {
            Estimates::True => size_s,
            Estimates::Constant(Constant { work_s }) => work_s,
            Estimates::Factor(Factor { by }) => size_s * by,
            Estimates::Random(Random { up_to }) => size_s * libm::pow(up_to, 2.0 * draws.unit() - 1.0),
        }
    }
}
