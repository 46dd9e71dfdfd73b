//! How near the simulations are, and so how sure an answer is.

use super::{LogSection, of_number};
use crate::spark::ImportReport;
use crate::spark::replay::{BaselineReport, ReplayReport};
use crate::spark::report::{ModeSource, PoolReport, PoolSource};
use crate::spark::tasks::WARM_UP;
use crate::spark::unlike::UnlikeReport;
use fairlane::metrics::ReplayError;
use fairlane::policy::spark::PoolMode;

impl ImportReport {
    /// How sure answers about this log are, in a line: the error of what they begin with, and what was not simulated.
    /// `None` as long as nothing was simulated.
    pub(super) fn certainty(&self) -> Option<LogSection> {
        let error = self.error()?;
        let percent = |error: f64| format!("{:.1} %", error * 100.0);
        let text = if error > ReplayError::TOLERANCE {
            format!(
                "no answer: the scenario is off by {} of a job's response time; {NO_VERDICT}",
                percent(error)
            )
        } else {
            format!(
                "a what-if that changes less than {} of a job's response time is within the noise",
                percent(error)
            )
        };
        let unlike: Vec<&str> = self.unlike.iter().map(|unlike| unlike.what).collect();
        let unlike = (!unlike.is_empty()).then(|| format!("not simulated as it was: {}", unlike.join("; ")));
        let second = "how much two runs of the same work differ is not known from one log";
        Some(LogSection::new("sure", text, [unlike, Some(second.to_owned())]))
    }

    pub(super) fn replay_section(&self, replay: &ReplayReport) -> LogSection {
        let ReplayReport { policy, mean_error, median_error, bias, explained } = replay;
        let text = format!(
            "under {policy} a job's response time is off by {:.1} % (median {:.1} %), the mean response by {:+.1} %",
            mean_error * 100.0,
            median_error * 100.0,
            bias * 100.0
        );
        let far = !replay.is_near();
        let without = [
            (explained.order, "the order of Spark's pools and jobs"),
            (explained.driver_time, "the driver's time"),
            (explained.executors, "executors that come and go"),
        ];
        let without = without.into_iter().filter_map(|(more, rule)| {
            Some(format!("without {rule} by {:.1} %", (mean_error + more?) * 100.0))
        });
        let without: Vec<String> = without.collect();
        let without = (!without.is_empty()).then(|| format!("it would be off {}", without.join(", ")));
        let reasons = self.reasons();
        LogSection::new("replay", text, [without, Some(too_far()).filter(|_| far), reasons.filter(|_| far)])
    }

    /// Why a simulation may be far from the log, the likeliest reason first.
    fn reasons(&self) -> Option<String> {
        let cluster = &self.cluster;
        let has_pools = cluster.scheduler_mode == PoolMode::Fair && cluster.allocation_file.is_some();
        let is_assumed = |pool: &&PoolReport| pool.source == PoolSource::Assumed;
        let assumed = cluster.pools.iter().filter(is_assumed).count() as u64;
        let left_out = self
            .tasks
            .left_out
            .iter()
            .filter(|(reason, _)| **reason != WARM_UP)
            .map(|(_, count)| count)
            .sum();
        let known =
            self.unlike.iter().map(|UnlikeReport { what, core_s }| format!("{what} ({core_s:.1} core-s)"));
        let others = [
            (u64::from(!self.stages.has_parents), "log that does not say what stages wait for"),
            (u64::from(cluster.mode_source == ModeSource::Assumed), "mode that is unknown"),
            (if has_pools { assumed } else { 0 }, "pool{|s} that the cluster's file may declare"),
            (cluster.guessed_executors, "executor{|s} of guessed size"),
            (left_out, "task{|s} left out"),
            (self.tasks.early_retries, "{retry|retries} that the log says began before the failure"),
        ];
        let others = others.iter().filter(|(count, _)| *count > 0);
        let reasons: Vec<String> =
            known.chain(others.map(|(count, what)| format!("{count} {}", of_number(*count, what)))).collect();
        (!reasons.is_empty()).then(|| format!("it may be for: {}", reasons.join(", ")))
    }

    pub(super) fn baseline_section(&self, baseline: &BaselineReport) -> LogSection {
        let text = format!(
            "what-ifs begin with this scenario, in which a job's response time is off by {:.1} % (median {:.1} %), \
             the mean response by {:+.1} %",
            baseline.mean_error * 100.0,
            baseline.median_error * 100.0,
            baseline.bias * 100.0
        );
        let far = !baseline.is_near();
        let replay_is_near = self.replay.as_ref().is_some_and(ReplayReport::is_near);
        let held = baseline
            .held_error
            .map(|error| format!("the time that executors are there is off by {:+.1} %", error * 100.0));
        // What the replay has and this scenario has not.
        let driver = (far && replay_is_near).then(|| {
            "the replay is near: it may be for the driver's time (--driver-time stage) or the executors"
                .to_owned()
        });
        let reasons = self.reasons().filter(|_| far && !replay_is_near);
        LogSection::new("what-if", text, [held, Some(too_far()).filter(|_| far), driver, reasons])
    }
}

const NO_VERDICT: &str = "too far from the log for a verdict on another policy or cluster";

fn too_far() -> String {
    format!("more than {} %: {NO_VERDICT}", ReplayError::TOLERANCE * 100.0)
}
