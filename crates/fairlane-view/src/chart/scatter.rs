//! Slowdown against job size: who pays for the queue, the small or the large?

use super::{Axis, AxisUnit, Chart, ChartPoint, Series, SeriesInk, SeriesShape};
use fairlane::ids::JobId;
use fairlane::metrics;
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane::trace::JobRun;
use fairlane::units::Span;

/// Most jobs that are shown; more dots cannot be distinguished.
const MOST_JOBS: usize = 3000;

/// A policy, its job runs and the jobs' response times alone.
pub type ScatterInput<'a> = (PolicyId, &'a [JobRun], &'a [Option<Span>]);

/// A dot for each job under each policy, both axes logarithmic: the job's true work in core-seconds
/// and its slowdown. Jobs
/// without work, or without a slowdown, cannot be shown on such axes and are left out.
///
/// Of more than `MOST_JOBS` jobs, evenly spread ones in the order of size are shown.
pub fn slowdown_by_size(scenario: &Scenario, inputs: &[ScatterInput]) -> Chart {
    let mut by_size: Vec<JobId> = (0..scenario.jobs().len() as u32).map(JobId).collect();
    let works: Vec<f64> = scenario.jobs().iter().map(|job| job.work().seconds()).collect();
    by_size.retain(|job| works[job.index()] > 0.0);
    by_size.sort_by(|one, other| works[one.index()].total_cmp(&works[other.index()]));
    let count = by_size.len();
    let kept = count.min(MOST_JOBS);
    let shown: Vec<JobId> = (1..=kept).map(|rank| by_size[rank * count / kept - 1]).collect();
    let series = inputs.iter().map(|(policy, jobs, alone)| {
        let points = shown.iter().filter_map(|job| {
            let (run, alone) = (jobs.get(job.index())?, alone.get(job.index())?);
            let slowdown = metrics::slowdown(run.response()?, (*alone)?)?;
            Some(ChartPoint { item: job.0, x: works[job.index()], y: slowdown })
        });
        Series::new(policy.title(), SeriesInk::Policy(*policy), points.collect())
    });
    let series: Vec<Series> = series.collect();
    let slowdowns = series.iter().flat_map(|series| &series.points).map(|point| point.y);
    let mut notes = Vec::new();
    if kept < count {
        notes.push(format!("{kept} of {count} jobs are shown, evenly spread in the order of size."));
    }
    let name = |job: u32| format!("{} of {}", scenario.job_label(JobId(job)), scenario.user_name(JobId(job)));
    let x = Axis::log("size, core-s", AxisUnit::CoreSeconds, shown.iter().map(|job| works[job.index()]));
    let y = Axis::log("slowdown", AxisUnit::Ratio, slowdowns);
    let names = (0..scenario.jobs().len() as u32).map(name).collect();
    Chart { names, notes, ..Chart::new("Slowdown by job size", (x, y), SeriesShape::Dots, "job", series) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::PointIndex;

    /// One core: ana's job of 2 s at 0, ben's of 1 s at 0 waits for it under FIFO; cleo's needs no time.
    #[test]
    fn dots_by_hand() {
        let scenario = Scenario::from_json(
            r#"{"format": "fairlane/scenario@1", "cluster": {"cores_per_executor": 1}, "jobs": [
                {"user": "ana", "name": "long", "arrival_s": 0, "stages": [{"tasks_s": [2]}]},
                {"user": "ben", "arrival_s": 0, "stages": [{"tasks_s": [1]}]},
                {"user": "cleo", "arrival_s": 9, "stages": [{"tasks_s": [0]}]}]}"#,
        )
        .expect("a good scenario");
        let policy = "fifo".parse().expect("a policy");
        let trace = fairlane::simulate(&scenario, policy);
        let alone = metrics::alone_responses(&scenario, policy);
        let chart = slowdown_by_size(&scenario, &[(policy, &trace.jobs, &alone)]);
        let points: Vec<_> =
            chart.series[0].points.iter().map(|point| (point.item, point.x, point.y)).collect();
        assert_eq!(points, [(1, 1.0, 3.0), (0, 2.0, 1.0)]);
        let reading = chart.reading(PointIndex { series: 0, point: 1 }).expect("a reading");
        assert_eq!(reading.words, "FIFO, long of ana: 1.00");
        let table = chart.table(9);
        assert_eq!(table.head, ["job", "size, core-s", "FIFO, slowdown"]);
        assert_eq!(table.rows, [["long of ana", "2.00", "1.00"], ["job 1 of ben", "1.00", "3.00"]]);
    }
}
