//! Performance curves, measured: a job alone on 1, 2, 4, … cores, and Ernest's model fitted to its response times.
//!
//! Ernest (Venkataraman et al., NSDI 2016) describes the time of a job on x cores as t(x) = θ0 + θ1 / x + θ2 ln x +
//! θ3 x with θ >= 0: what is serial, what is divided, what grows with the depth of a tree, and what every core adds.
//! PAF schedules by the progress rate, the shortest time over t(x), which is a [`PerformanceCurve::Ernest`].
//!
//! ```
//! use fairlane::catalog;
//! use fairlane::ernest::{self, Sample};
//! use fairlane::ids::JobId;
//! use fairlane::scenario::PartitionMode;
//! let scenario = catalog::find("two-users").expect("an entry").scenario();
//! let samples: Vec<Sample> = ernest::core_counts(&scenario)
//!     .into_iter()
//!     .map(|cores| ernest::measure(&scenario, JobId(0), cores, PartitionMode::Default))
//!     .collect::<Result<_, _>>()?;
//! let fit = ernest::fit(&samples).expect("the job takes time");
//! assert!(fit.coefficients.iter().all(|term| *term >= 0.0));
//! # Ok::<(), fairlane::ernest::MeasureError>(())
//! ```

mod least_squares;

use crate::engine;
use crate::ids::JobId;
use crate::policy::{PolicyId, PolicyKind};
use crate::scenario::{Cluster, Job, PartitionMode, PerformanceCurve, Scenario};
use crate::units::Span;
use least_squares::non_negative;

/// Most tasks of a job that is measured: some tenths of a second for each number of cores.
pub const MAX_TASKS: u64 = 300_000;

/// A job's response time alone on some cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Number of cores.
    pub cores: u32,
    /// Response time.
    pub response: Span,
}

/// Why a job could not be measured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// It has too many tasks.
    #[error(
        "the job has {0} tasks; at most {MAX_TASKS} are measured: lower its partitions, or draw the curve"
    )]
    TooManyTasks(u64),
    /// It did not end.
    #[error("the job does not end on {0} cores; look at the factors of its stages")]
    NoEnd(u32),
}

/// Ernest's model of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// a0, a1, a2, a3 of t(x) = a0 + a1 x + a2 / x + a3 ln x, in seconds, as a scenario file orders them.
    pub coefficients: [f64; 4],
    /// The largest deviation of the model from a measured time, as a part of that time.
    pub largest_error: f64,
    /// The shortest measured time, in seconds: progress 1.
    pub shortest: f64,
}

/// 1, 2, 4, … up to the cluster's cores, and these.
pub fn core_counts(scenario: &Scenario) -> Vec<u32> {
    let most = scenario.cluster().cores();
    let mut counts: Vec<u32> = std::iter::successors(Some(1_u32), |count| count.checked_mul(2))
        .take_while(|count| *count < most)
        .collect();
    counts.push(most);
    counts
}

/// The response time of a job alone under FIFO on some cores, all else as in the scenario. The cores are those of
/// executors as large as the cluster's, or of as many of their cores as divide the number evenly.
///
/// # Errors
/// A job that cannot be measured, with the remedy.
pub fn measure(
    scenario: &Scenario,
    job: JobId,
    cores: u32,
    mode: PartitionMode,
) -> Result<Sample, MeasureError> {
    let spec = &scenario.jobs()[job.index()];
    let tasks = spec.stages.iter().map(|stage| scenario.partitioning().task_count(stage, mode)).sum();
    if tasks > MAX_TASKS {
        return Err(MeasureError::TooManyTasks(tasks));
    }
    let alone = scenario.alone(job);
    let most = alone.cluster().cores_per_executor.min(cores);
    let each = (1..=most).rev().find(|each| cores.is_multiple_of(*each)).unwrap_or(1);
    let (executors, speeds, resource_profiles) = (cores / each, Vec::new(), Vec::new());
    let cluster = alone.cluster().clone();
    let cluster = Cluster { executors, cores_per_executor: each, speeds, resource_profiles, ..cluster };
    // The curve may not hold for other numbers of cores, and FIFO does not read it.
    let job = Job { curve: None, ..alone.jobs()[0].without_places() };
    let end = || MeasureError::NoEnd(cores);
    let alone = alone.to_builder().cluster(cluster).jobs([job]).build().map_err(|_| end())?;
    let policy = PolicyId { kind: PolicyKind::Fifo, partitioning: mode };
    let response = engine::simulate(&alone, policy).jobs[0].response().ok_or_else(end)?;
    Ok(Sample { cores, response })
}

/// Ernest's model by non-negative least squares over the relative errors, so that the short times of many cores count
/// as much as the long ones of few; `None` if there is no sample or one took no time.
pub fn fit(samples: &[Sample]) -> Option<Fit> {
    let shortest = samples.iter().map(|sample| sample.response.seconds()).reduce(f64::min)?;
    if shortest <= 0.0 {
        return None;
    }
    let rows: Vec<[f64; 4]> = samples
        .iter()
        .map(|sample| terms(sample.cores).map(|term| term / sample.response.seconds()))
        .collect();
    let [serial, divided, tree, each] = non_negative(&rows, &vec![1.0; rows.len()]);
    let mut fit = Fit { coefficients: [serial, each, divided, tree], largest_error: 0.0, shortest };
    let errors =
        samples.iter().map(|sample| (fit.seconds(sample.cores) / sample.response.seconds() - 1.0).abs());
    fit.largest_error = errors.fold(0.0, f64::max);
    Some(fit)
}

/// 1, 1 / x, ln x, x.
fn terms(cores: u32) -> [f64; 4] {
    let x = f64::from(cores);
    [1.0, 1.0 / x, libm::log(x), x]
}

impl Fit {
    /// The model's time on some cores, in seconds.
    pub fn seconds(&self, cores: u32) -> f64 {
        let [serial, divided, tree, each] = terms(cores);
        let [a0, a1, a2, a3] = self.coefficients;
        a0 * serial + a1 * each + a2 * divided + a3 * tree
    }

    /// The model as a performance curve: progress 1 is the shortest measured time.
    pub fn curve(&self) -> PerformanceCurve {
        PerformanceCurve::Ernest(self.coefficients.map(|term| rounded(term / self.shortest, 6)))
    }
}

/// The samples themselves as a performance curve: the shortest time over each; `None` if one took no time.
pub fn points(samples: &[Sample]) -> Option<PerformanceCurve> {
    let shortest = samples.iter().map(|sample| sample.response.seconds()).reduce(f64::min)?;
    let points =
        samples.iter().map(|sample| (sample.cores, rounded(shortest / sample.response.seconds(), 6)));
    (shortest > 0.0).then(|| PerformanceCurve::Points(points.collect()))
}

/// A number with at most this many significant digits.
pub fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(times: &[(u32, f64)]) -> Vec<Sample> {
        let sample =
            |&(cores, seconds): &(u32, f64)| Sample { cores, response: Span((seconds * 1e6).round() as u64) };
        times.iter().map(sample).collect()
    }

    /// 2 + 16 / x on 1, 2, 4 and 8 cores is 18, 10, 6 and 4 s.
    #[test]
    fn a_serial_and_a_divided_part_are_found_again() {
        let fit = fit(&samples(&[(1, 18.0), (2, 10.0), (4, 6.0), (8, 4.0)])).expect("times");
        for (found, expected) in fit.coefficients.into_iter().zip([2.0, 0.0, 16.0, 0.0]) {
            assert!((found - expected).abs() < 1e-9, "{:?}", fit.coefficients);
        }
        assert!(fit.largest_error < 1e-9);
        // Progress 1 is 4 s, so 18 s are 4 / 18.
        assert_eq!(fit.curve(), PerformanceCurve::Ernest([0.5, 0.0, 4.0, 0.0]));
        assert!((fit.curve().progress(1) - 4.0 / 18.0).abs() < 1e-9);
    }

    /// 1 + x / 2 + 8 / x: 9.5, 6, 5 and 6 s; the fourth core still helps, the eighth costs.
    #[test]
    fn what_every_core_adds_is_found_again() {
        let fit = fit(&samples(&[(1, 9.5), (2, 6.0), (4, 5.0), (8, 6.0)])).expect("times");
        for (found, expected) in fit.coefficients.into_iter().zip([1.0, 0.5, 8.0, 0.0]) {
            assert!((found - expected).abs() < 1e-9, "{:?}", fit.coefficients);
        }
        assert_eq!(
            points(&samples(&[(1, 9.5), (4, 4.75)])),
            Some(PerformanceCurve::Points(vec![(1, 0.5), (4, 1.0)]))
        );
    }

    #[test]
    fn no_time_has_no_curve() {
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&samples(&[(1, 0.0)])), None);
        assert_eq!(points(&samples(&[(1, 0.0)])), None);
    }

    fn scenario(cluster: &str, stage: &str) -> Scenario {
        let text = format!(
            r#"{{ "format": "fairlane/scenario@1", "cluster": {cluster}, "jobs": [
                {{ "user": "ana", "arrival_s": 7, "ernest": [1, 0, 1, 0], "stages": [{stage}] }}] }}"#
        );
        Scenario::from_json(&text).expect("a good file")
    }

    fn seconds(scenario: &Scenario, mode: PartitionMode) -> Vec<(u32, f64)> {
        let sample = |cores| measure(scenario, JobId(0), cores, mode).expect("it ends");
        core_counts(scenario).into_iter().map(|cores| (cores, sample(cores).response.seconds())).collect()
    }

    /// Six tasks of a second: 6, 3, 2 and, on six cores, 1 s.
    #[test]
    fn a_job_is_measured_on_powers_of_two_and_on_all_cores() {
        let six =
            scenario(r#"{ "executors": 2, "cores_per_executor": 3 }"#, r#"{ "work_s": 6, "partitions": 6 }"#);
        assert_eq!(seconds(&six, PartitionMode::Default), [(1, 6.0), (2, 3.0), (4, 2.0), (6, 1.0)]);
        // Runtime partitioning makes tasks of half a second.
        assert_eq!(seconds(&six, PartitionMode::Runtime), [(1, 6.0), (2, 3.0), (4, 1.5), (6, 1.0)]);
    }

    /// Each executor holds one task of 600 of its 1000 MB. Four cores are two on each of both executors.
    #[test]
    fn every_executor_has_its_memory() {
        let cluster = r#"{ "executors": 2, "cores_per_executor": 3, "memory_mb_per_executor": 1000 }"#;
        let heavy = scenario(cluster, r#"{ "work_s": 6, "partitions": 6, "memory_mb": 600 }"#);
        assert_eq!(seconds(&heavy, PartitionMode::Default), [(1, 6.0), (2, 6.0), (4, 3.0), (6, 3.0)]);
    }

    #[test]
    fn too_many_tasks_are_refused_with_a_remedy() {
        let huge = scenario("{}", r#"{ "work_s": 6, "partitions": 300001 }"#);
        let error = measure(&huge, JobId(0), 1, PartitionMode::Default).expect_err("too many");
        assert_eq!(error, MeasureError::TooManyTasks(300_001));
        assert!(error.to_string().contains("lower its partitions"));
    }

    #[test]
    fn digits_are_significant_ones() {
        assert_eq!([rounded(0.123456, 3), rounded(1234.5, 2), rounded(0.0, 3)], [0.123, 1200.0, 0.0]);
    }
}
