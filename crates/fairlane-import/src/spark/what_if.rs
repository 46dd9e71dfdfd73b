//! The scenario from which questions begin: the log's, but for what predicts other schedules better.

use super::allocation;
use super::driver_time::{Delays, DriverTime};
use super::parts::ScenarioParts;
use super::replay;
use super::report::{ClusterReport, ImportReport};
use super::{ExecutorRule, ImportError, ImportOptions};
use fairlane::metrics::ReplayError;
use fairlane::scenario::Scenario;
use fairlane::trace::Trace;
use fairlane::units::Span;

impl ScenarioParts<'_> {
    /// The scenario from which questions begin, and which driver time it has: the one that was asked for, or the median
    /// unless that is too far from the log and each stage's own is nearer.
    pub(super) fn likely(
        &self,
        recorded: &Scenario,
        observed: &Trace,
        options: &ImportOptions,
        delays: &Delays,
        report: &mut ImportReport,
    ) -> Result<(Scenario, DriverTime), ImportError> {
        let mut made = |time| self.what_if(recorded, time, options, delays, &mut report.cluster);
        if options.driver_time != DriverTime::Auto {
            return Ok((made(options.driver_time)?, options.driver_time));
        }
        let median = made(DriverTime::Median)?;
        let far = replay::mean_error(&median, observed).filter(|&error| error > ReplayError::TOLERANCE);
        if let Some(far) = far {
            let stage = made(DriverTime::Stage)?;
            if replay::mean_error(&stage, observed).is_some_and(|error| error < far) {
                report.driver.median_error = Some(far);
                return Ok((stage, DriverTime::Stage));
            }
        }
        Ok((median, DriverTime::Median))
    }

    /// The scenario of the log, but for what predicts other schedules better.
    fn what_if(
        &self,
        recorded: &Scenario,
        driver_time: DriverTime,
        options: &ImportOptions,
        delays: &Delays,
        report: &mut ClusterReport,
    ) -> Result<Scenario, ImportError> {
        let mut cluster = recorded.cluster().clone();
        let allocation = allocation::of(self.log, &self.tasks, &self.placement, &mut report.allocation);
        if options.executors == ExecutorRule::Dynamic {
            let allocation = allocation.ok_or_else(|| {
                let message = "the log ran without spark.dynamicAllocation.enabled; leave the option out";
                ImportError::new("--executors dynamic", message)
            })?;
            cluster.executors_at.clear();
            // Executors that are asked for are all alike.
            cluster.resource_profiles.clear();
            cluster.exclusions.clear();
            cluster.dynamic_allocation = Some(allocation);
        }
        let is_dynamic = cluster.dynamic_allocation.is_some();
        if driver_time == DriverTime::Stage && options.executors == ExecutorRule::Recorded {
            return Ok(recorded.clone());
        }
        let mut jobs = recorded.jobs().to_vec();
        for (job, imported) in jobs.iter_mut().zip(&self.jobs) {
            for (stage, &node) in job.stages.iter_mut().zip(&imported.nodes) {
                stage.delay = delays.of(node, driver_time, options.executors);
                // Spark refuses barriers under dynamic allocation (SPARK-24942).
                stage.barrier &= !is_dynamic;
                if is_dynamic {
                    stage.resource_profile = 0;
                    stage.exclusions.clear();
                }
            }
            if driver_time == DriverTime::None {
                job.finish_delay = Span(0);
            }
        }
        recorded.to_builder().jobs(jobs).cluster(cluster).build().map_err(ImportError::refused)
    }
}
