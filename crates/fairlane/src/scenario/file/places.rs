//! Losses, speculation and preemption in a file.

use std::fmt::Display;

use crate::scenario::error::micros;
use crate::scenario::field::{Field, object};
use crate::scenario::json::{Object, given};
use crate::scenario::{Exclusion, Loss, Preemption, ScenarioError, Speculation, places};
use crate::units::{Span, Time};

object! {
    /// An executor that is lost with all that it holds.
    #[serde(deny_unknown_fields)]
    pub(crate) LossFile, LOSS;

    /// When.
    at_s: f64 = Field::seconds("At");
    /// Which executor, from 0 on.
    executor: u32 = Field::whole("Executor", "");
    /// How long until it is there again; not with dynamic allocation.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    back_s: Option<f64> = Field::seconds("Back after").follows("never");
}

object! {
    /// A while during which an executor takes no more tasks, after failures.
    #[serde(deny_unknown_fields)]
    pub(crate) ExclusionFile, EXCLUSION;

    /// Which executor, from 0 on.
    executor: u32 = Field::whole("Executor", "");
    /// From when on: of a stage's, counted from the launch of its first task.
    from_s: f64 = Field::seconds("From");
    /// How long it takes no tasks.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    for_s: Option<f64> = Field::seconds("For").follows("ever");
}

object! {
    /// Second attempts of slow tasks.
    #[serde(deny_unknown_fields, default)]
    pub(crate) SpeculationFile, SPECULATION;

    /// The fraction of a stage's tasks that must have ended (0.75 before Spark 4).
    quantile: f64 = Field::number("Quantile", "").or("0.9").within(places::QUANTILE);
    /// How many times as long as the median one must have run (1.5 before Spark 4).
    multiplier: f64 = Field::number("Multiplier", "×").or("3").within(places::MULTIPLIER);
    /// How long a task must have run in any case (speculation.minTaskRuntime).
    min_s: f64 = Field::seconds("Least run time").or("0.1");
    /// From one look at all tasks to the next (speculation.interval).
    interval_s: f64 = Field::seconds("Interval").or("0.1");
}

object! {
    /// Attempts that are killed for users or pools with too few cores.
    #[serde(deny_unknown_fields, default)]
    pub(crate) PreemptionFile, PREEMPTION;

    /// The fraction of its fair share below which a user or pool starves.
    threshold: f64 = Field::number("Threshold", "").or("0.5").within(places::THRESHOLD);
    /// How long it starves before attempts are killed for it.
    after_s: f64 = Field::seconds("After").or("30");
    /// From one look at all users or pools to the next.
    interval_s: f64 = Field::seconds("Interval").or("5");
}

/// The cluster's losses.
pub(super) fn losses(files: &[Object<LossFile>]) -> Result<Vec<Loss>, ScenarioError> {
    files.iter().enumerate().map(|(index, Object(file))| file.loss(index)).collect()
}

/// The exclusions of the cluster or of a stage, by its path.
pub(super) fn exclusions(
    files: &[Object<ExclusionFile>],
    path: &dyn Display,
) -> Result<Vec<Exclusion>, ScenarioError> {
    let files = files.iter().enumerate();
    files.map(|(index, Object(file))| file.exclusion(&format_args!("{path}.exclusions[{index}]"))).collect()
}

impl ExclusionFile {
    /// The exclusion, by its path.
    pub(crate) fn exclusion(&self, path: &dyn Display) -> Result<Exclusion, ScenarioError> {
        let from = micros(self.from_s, || format!("{path}.from_s"))?;
        let lasts = self.for_s.map(|seconds| micros(seconds, || format!("{path}.for_s"))).transpose()?;
        Ok(Exclusion { executor: self.executor, from: Span(from), lasts: lasts.map(Span) })
    }
}

impl From<Exclusion> for ExclusionFile {
    fn from(exclusion: Exclusion) -> Self {
        ExclusionFile {
            executor: exclusion.executor,
            from_s: exclusion.from.seconds(),
            for_s: exclusion.lasts.map(Span::seconds),
        }
    }
}

impl LossFile {
    /// The loss of that index.
    pub(crate) fn loss(&self, index: usize) -> Result<Loss, ScenarioError> {
        let path = |key: &str| format!("cluster.losses[{index}].{key}");
        let at = micros(self.at_s, || path("at_s"))?;
        let back = self.back_s.map(|seconds| micros(seconds, || path("back_s"))).transpose()?;
        Ok(Loss { at: Time(at), executor: self.executor, back: back.map(Span) })
    }
}

impl From<Loss> for LossFile {
    fn from(loss: Loss) -> Self {
        LossFile { at_s: loss.at.seconds(), executor: loss.executor, back_s: loss.back.map(Span::seconds) }
    }
}

impl SpeculationFile {
    pub(crate) fn speculation(&self) -> Result<Speculation, ScenarioError> {
        let span = |seconds, key: &str| micros(seconds, || format!("cluster.speculation.{key}")).map(Span);
        Ok(Speculation {
            quantile: self.quantile,
            multiplier: self.multiplier,
            min: span(self.min_s, "min_s")?,
            interval: span(self.interval_s, "interval_s")?,
        })
    }
}

impl From<&Speculation> for SpeculationFile {
    fn from(speculation: &Speculation) -> Self {
        SpeculationFile {
            quantile: speculation.quantile,
            multiplier: speculation.multiplier,
            min_s: speculation.min.seconds(),
            interval_s: speculation.interval.seconds(),
        }
    }
}

impl Default for SpeculationFile {
    fn default() -> Self {
        SpeculationFile::from(&Speculation::default())
    }
}

impl PreemptionFile {
    pub(crate) fn preemption(&self) -> Result<Preemption, ScenarioError> {
        let span = |seconds, key: &str| micros(seconds, || format!("cluster.preemption.{key}")).map(Span);
        Ok(Preemption {
            threshold: self.threshold,
            after: span(self.after_s, "after_s")?,
            interval: span(self.interval_s, "interval_s")?,
        })
    }
}

impl From<&Preemption> for PreemptionFile {
    fn from(preemption: &Preemption) -> Self {
        PreemptionFile {
            threshold: preemption.threshold,
            after_s: preemption.after.seconds(),
            interval_s: preemption.interval.seconds(),
        }
    }
}

impl Default for PreemptionFile {
    fn default() -> Self {
        PreemptionFile::from(&Preemption::default())
    }
}
