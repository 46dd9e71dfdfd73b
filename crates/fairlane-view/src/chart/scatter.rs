//! Figures of jobs against their size: who pays for the queue, the small or the large? Who is meant to have many cores?

use super::{Axis, AxisUnit, Chart, ChartPoint, Series, SeriesInk, SeriesShape};
use fairlane::ids::JobId;
use fairlane::metrics::{self, Evaluation};
use fairlane::replay::TargetChange;
use fairlane::scenario::Scenario;
use fairlane::trace::Trace;
use fairlane::units::Time;

/// Most jobs that are shown; more dots cannot be distinguished.
const MAX_JOBS: usize = 3000;

/// A dot for each job under each policy, both axes logarithmic: the job's true work in core-seconds
/// and its slowdown.
pub fn slowdown_by_size(runs: &[&Evaluation]) -> Chart {
    let slowdowns = |run: &Evaluation| {
        let both = run.trace.jobs.iter().zip(&run.alone);
        both.map(|(run, alone)| metrics::slowdown(run.response()?, (*alone)?)).collect()
    };
    let inputs = runs.iter().map(|run| (*run, slowdowns(run)));
    by_size("Slowdown by job size", ("slowdown", AxisUnit::Ratio), inputs)
}

/// A dot for each job under each policy with targets, both axes logarithmic: the job's true work in core-seconds and
/// the cores that the policy means it to hold, as a mean over its time (Decima, Fig. 10d).
pub fn target_by_size(inputs: &[(&Evaluation, Vec<TargetChange>)]) -> Chart {
    let inputs = inputs.iter().map(|(run, targets)| (*run, mean_targets(&run.trace, targets)));
    by_size("Target by job size", ("target, cores", AxisUnit::Cores), inputs)
}

/// By job: its target as a mean from its first until its end; `None` if it has none for any time.
fn mean_targets(trace: &Trace, targets: &[TargetChange]) -> Vec<Option<f64>> {
    // The target in force, since when, and core-µs and µs before.
    let mut jobs: Vec<Option<(f64, Time, f64, f64)>> = vec![None; trace.jobs.len()];
    let until = |(cores, since, sum, time): (f64, Time, f64, f64), at: Time| {
        let span = at.since(since).0 as f64;
        (sum + cores * span, time + span)
    };
    for change in targets {
        let job = &mut jobs[change.job.index()];
        let (sum, time) = job.map_or((0.0, 0.0), |job| until(job, change.at));
        *job = Some((change.target.cores, change.at, sum, time));
    }
    let ends = trace.jobs.iter().map(|run| run.outcome.at());
    let means = jobs.into_iter().zip(ends).map(|(job, end)| {
        let (sum, time) = until(job?, end);
        (time > 0.0).then(|| sum / time)
    });
    means.collect()
}

/// A figure of each job against its size, under each policy; all runs are of one scenario. Jobs without work, or without a figure above 0, cannot be
/// shown on logarithmic axes and are left out. Of more than [`MAX_JOBS`] jobs, evenly spread ones in the order of size
/// are shown.
fn by_size<'a>(
    title: &str,
    (figure, unit): (&str, AxisUnit),
    inputs: impl Iterator<Item = (&'a Evaluation, Vec<Option<f64>>)>,
) -> Chart {
    let mut inputs = inputs.peekable();
    let scenario = inputs.peek().map(|(run, _)| &run.scenario);
    let jobs = scenario.map_or(&[][..], Scenario::jobs);
    let mut by_size: Vec<JobId> = (0..jobs.len() as u32).map(JobId).collect();
    let works: Vec<f64> = jobs.iter().map(|job| job.work().seconds()).collect();
    by_size.retain(|job| works[job.index()] > 0.0);
    by_size.sort_by(|one, other| works[one.index()].total_cmp(&works[other.index()]));
    let count = by_size.len();
    let kept = count.min(MAX_JOBS);
    let shown: Vec<JobId> = (1..=kept).map(|rank| by_size[rank * count / kept - 1]).collect();
    let series = inputs.map(|(run, figures)| {
        let policy = run.trace.policy;
        let points = shown.iter().filter_map(|job| {
            let y = figures.get(job.index()).copied().flatten().filter(|figure| *figure > 0.0)?;
            Some(ChartPoint { item: job.0, x: works[job.index()], y })
        });
        Series::new(policy.title(), SeriesInk::Policy(policy), points.collect())
    });
    let series: Vec<Series> = series.collect();
    let figures = series.iter().flat_map(|series| &series.points).map(|point| point.y);
    let mut notes = Vec::new();
    if kept < count {
        notes.push(format!("{kept} of {count} jobs are shown, evenly spread in the order of size."));
    }
    let name =
        |scenario: &Scenario, job| format!("{} of {}", scenario.job_label(job), scenario.user_name(job));
    let x = Axis::log("size, core-s", AxisUnit::CoreSeconds, shown.iter().map(|job| works[job.index()]));
    let y = Axis::log(figure, unit, figures);
    let names = scenario
        .into_iter()
        .flat_map(|scenario| (0..jobs.len() as u32).map(move |job| name(scenario, JobId(job))));
    let names = names.collect();
    Chart { names, notes, ..Chart::new(title, (x, y), SeriesShape::Dots, "job", series) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::PointIndex;
    use crate::testing::evaluated;

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
        let chart = slowdown_by_size(&[&evaluated(&scenario, "fifo")]);
        let points: Vec<_> =
            chart.series[0].points.iter().map(|point| (point.item, point.x, point.y)).collect();
        assert_eq!(points, [(1, 1.0, 3.0), (0, 2.0, 1.0)]);
        let reading = chart.reading(PointIndex { series: 0, point: 1 }).expect("a reading");
        assert_eq!(reading.words, "FIFO, long of ana: 1.00");
        let table = chart.table(9);
        assert_eq!(table.head, ["job", "size, core-s", "FIFO, slowdown"]);
        assert_eq!(table.rows, [["long of ana", "2.00", "1.00"], ["job 1 of ben", "1.00", "3.00"]]);
    }

    /// Four cores, alpha 1: ana's job (8 core-seconds) is due 4 cores for 1 s, then 3.2 beside ben's (2 core-seconds)
    /// until it ends at 2 s; ben's is due 0.8 for 1 s and 4 for the last.
    #[test]
    fn targets_by_hand() {
        let scenario = Scenario::from_json(
            r#"{"format": "fairlane/scenario@1", "policies": {"wfair": {"alpha": 1}}, "jobs": [
                {"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [2, 2, 2, 2]}]},
                {"user": "ben", "arrival_s": 1, "stages": [{"tasks_s": [1, 1]}]}]}"#,
        )
        .expect("a good scenario");
        let run = evaluated(&scenario, "wfair");
        let replay = fairlane::replay::Replay::new(&scenario, run.trace.policy).expect("a registered policy");
        let chart = target_by_size(&[(&run, replay.targets().expect("targets"))]);
        let points: Vec<_> = chart.series[0].points.iter().map(|point| (point.item, point.x)).collect();
        assert_eq!(points, [(1, 2.0), (0, 8.0)]);
        let targets = [0, 1].map(|index| chart.series[0].points[index].y);
        assert!((targets[0] - 2.4).abs() < 1e-9 && (targets[1] - 3.6).abs() < 1e-9, "{targets:?}");
    }
}
