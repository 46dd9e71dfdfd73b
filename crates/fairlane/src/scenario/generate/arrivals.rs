//! When a user's jobs arrive.

use serde::{Deserialize, Serialize};

use super::ScenarioError;
use super::draw::Draws;
use super::range::{positive, positive_span, span};
use crate::scenario::error::ensure;
use crate::scenario::json;

/// How the jobs of one user arrive.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Arrivals {
    /// Independently of each other: a Poisson process.
    Poisson(#[serde(deserialize_with = "json::object")] Poisson),
    /// Several at once, repeatedly.
    Bursts(#[serde(deserialize_with = "json::object")] Bursts),
    /// All of the user's `jobs` at the start.
    AtOnce(#[serde(deserialize_with = "json::object")] AtOnce),
    /// All of the user's `jobs` at instants drawn evenly between start and end: a Poisson process of
    /// which the number of arrivals is known.
    Scattered,
}

/// Parameters of [`Arrivals::Poisson`].
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Poisson {
    /// Mean number of a user's jobs in a minute.
    pub per_minute: f64,
}

/// Parameters of [`Arrivals::Bursts`].
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Bursts {
    /// Jobs in a burst.
    pub size: u32,
    /// From one burst to the next, in seconds, before jitter.
    pub every_s: f64,
    /// Each burst is late by an amount drawn evenly between 0 and this, in seconds; at most `every_s`.
    #[serde(default)]
    pub jitter_s: f64,
    /// From one job of a burst to the next, in seconds.
    #[serde(default = "spacing")]
    pub spacing_s: f64,
}

/// Parameters of [`Arrivals::AtOnce`].
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AtOnce {
    /// From one job to the next, in seconds.
    #[serde(default = "spacing")]
    pub spacing_s: f64,
}

/// A millisecond, in seconds: what a driver needs to submit the next job.
pub(super) fn spacing() -> f64 {
    0.001
}

/// Seconds in a minute.
const MINUTE_S: f64 = 60.0;
/// More jobs a minute than this would arrive within one microsecond.
const MAX_PER_MINUTE: f64 = 6e7;

impl Arrivals {
    pub(super) fn check(
        &self,
        duration_s: Option<f64>,
        jobs: Option<u32>,
        path: &str,
    ) -> Result<(), ScenarioError> {
        let at = |key: &str| format!("{path}.arrivals.{key}");
        let needs_jobs = |why: &str| match jobs {
            Some(_) => Ok(()),
            None => Err(ScenarioError::at(format!("{path}.jobs"), format!("is missing; {why}"))),
        };
        match self {
            Arrivals::Poisson(poisson) => {
                positive(poisson.per_minute, || at("poisson.per_minute"))?;
                ensure!(
                    poisson.per_minute <= MAX_PER_MINUTE,
                    at("poisson.per_minute"),
                    "is more than 60000000, a job per microsecond",
                );
            }
            Arrivals::Bursts(bursts) => {
                ensure!(bursts.size != 0, at("bursts.size"), "must be at least 1");
                positive_span(bursts.every_s, || at("bursts.every_s"))?;
                span(bursts.jitter_s, || at("bursts.jitter_s"))?;
                ensure!(
                    bursts.jitter_s <= bursts.every_s,
                    at("bursts.jitter_s"),
                    "must be at most every_s, or bursts would overtake each other",
                );
                span(bursts.spacing_s, || at("bursts.spacing_s"))?;
            }
            Arrivals::AtOnce(at_once) => {
                span(at_once.spacing_s, || at("at_once.spacing_s"))?;
                needs_jobs("give the number of jobs that each user submits at once")?;
            }
            Arrivals::Scattered => {
                needs_jobs("give the number of jobs that each user submits in all")?;
                ensure!(
                    duration_s.is_some(),
                    "duration_s",
                    "is missing; scattered jobs need an end before which they arrive",
                );
            }
        }
        match (duration_s, jobs) {
            (None, None) => Err(ScenarioError::at(
                format!("{path}.jobs"),
                "is missing, and so is duration_s; give one of them, or jobs arrive for ever",
            )),
            _ => Ok(()),
        }
    }

    /// Instants in seconds, at most `jobs` of them and none from `end_s` on; `None` if there are more
    /// than `room`.
    pub(super) fn instants(
        &self,
        start_s: f64,
        end_s: Option<f64>,
        jobs: Option<u32>,
        room: usize,
        draws: &mut Draws,
    ) -> Option<Vec<f64>> {
        let end_s = end_s.unwrap_or(f64::INFINITY);
        let most = jobs.map_or(usize::MAX, |jobs| jobs as usize);
        match *self {
            Arrivals::Poisson(Poisson { per_minute }) => {
                let gap_s = MINUTE_S / per_minute;
                let mut at = start_s;
                let instants = std::iter::repeat_with(|| {
                    at += gap_s * draws.exponential();
                    at
                });
                bounded(instants.take_while(|&at| at < end_s), most, room)
            }
            Arrivals::Bursts(Bursts { size, every_s, jitter_s, spacing_s }) => {
                let bursts =
                    (0_u64..).map(|burst| start_s + every_s * burst as f64).take_while(|&at| at < end_s);
                let jobs = bursts.flat_map(|at| {
                    let at = at + jitter_s * draws.unit();
                    (0..size)
                        .map(move |job| at + spacing_s * f64::from(job))
                        .take_while(move |&at| at < end_s)
                });
                bounded(jobs, most, room)
            }
            Arrivals::AtOnce(AtOnce { spacing_s }) => {
                let instants = (0_u64..).map(|job| start_s + spacing_s * job as f64);
                bounded(instants.take_while(|&at| at < end_s), most, room)
            }
            Arrivals::Scattered => {
                let width_s = end_s - start_s;
                bounded(std::iter::repeat_with(|| start_s + width_s * draws.unit()), most, room)
            }
        }
    }
}

/// The first `most` of them, unless they are more than there is room for.
fn bounded(instants: impl Iterator<Item = f64>, most: usize, room: usize) -> Option<Vec<f64>> {
    let instants: Vec<f64> = instants.take(most.min(room.saturating_add(1))).collect();
    (instants.len() <= room).then_some(instants)
}
