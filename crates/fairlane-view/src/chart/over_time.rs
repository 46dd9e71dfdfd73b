//! What policies share out over time: fairness between jobs, dominant shares, memory, and cores held against cores
//! meant.

use super::{Axis, AxisUnit, Chart, ChartPoint, Series, SeriesInk, SeriesShape};
use crate::TimeAxis;
use crate::axis::round_step;
use fairlane::ids::{JobId, UserId};
use fairlane::metrics::{self, Evaluation, Intervals};
use fairlane::replay::TargetChange;
use fairlane::units::{MICROS_PER_SECOND, Time};

/// Most steps over the window.
const MAX_STEPS: f64 = 240.0;

/// Intervals of a round length over a window, and a note on it.
fn steps(window: TimeAxis) -> (Intervals, String) {
    let step = round_step(window.length() as f64 / MAX_STEPS).max(1.0) as u64;
    let first = window.from.0 / step * step;
    let starts = (first..window.to.0).step_by(step as usize).map(|at| Time(at.max(window.from.0))).collect();
    let note = format!("Each point is the mean over {} s.", step as f64 / MICROS_PER_SECOND);
    (Intervals::new(starts, window.to), note)
}

/// A point in the middle of each interval that has a figure.
fn points(
    intervals: &Intervals,
    window: TimeAxis,
    figures: impl IntoIterator<Item = Option<f64>>,
) -> Vec<ChartPoint> {
    let starts = intervals.starts();
    let ends = starts.iter().skip(1).copied().chain([window.to]);
    let middles = starts.iter().zip(ends).map(|(from, to)| (from.seconds() + to.seconds()) / 2.0);
    let known = (0..).zip(middles).zip(figures);
    known.filter_map(|((item, x), figure)| Some(ChartPoint { item, x, y: figure? })).collect()
}

fn time(window: TimeAxis) -> Axis {
    Axis::linear("time, s", AxisUnit::Setting, window.from.seconds(), window.to.seconds())
}

/// A chart of lines over time.
fn lines(title: String, window: TimeAxis, y: Axis, note: String, series: Vec<Series>) -> Chart {
    let series = series.into_iter().map(|series| Series { dots: super::Dots::Hidden, ..series }).collect();
    Chart { notes: vec![note], ..Chart::new(title, (time(window), y), SeriesShape::Lines, "time, s", series) }
}

/// Jain's index of the part of their parallelism that active jobs hold (Justice's fairness), a line per policy.
pub fn fairness_over_time(runs: &[&Evaluation], window: TimeAxis) -> Chart {
    let (intervals, note) = steps(window);
    let series = runs.iter().map(|run| {
        let sharing = metrics::sharing_over_time(&run.scenario, &run.trace, &intervals);
        let figures = sharing.into_iter().map(|sharing| sharing.fairness);
        let policy = run.trace.policy;
        Series::new(policy.title(), SeriesInk::Policy(policy), points(&intervals, window, figures))
    });
    let y = Axis::linear("Jain’s index of active jobs", AxisUnit::Ratio, 0.0, 1.0);
    lines("Fairness between jobs over time".to_owned(), window, y, note, series.collect())
}

/// Each user's dominant share of cores and memory under one policy, a line per user.
pub fn dominant_shares(Evaluation { scenario, trace, .. }: &Evaluation, window: TimeAxis) -> Chart {
    let (intervals, note) = steps(window);
    let shares = metrics::dominant_shares(scenario, trace, &intervals);
    let series = (0..).zip(&trace.users).zip(shares).map(|((user, name), shares)| {
        let points = points(&intervals, window, shares.into_iter().map(Some));
        Series::new(name, SeriesInk::User(UserId(user)), points)
    });
    let y = Axis::linear("dominant share", AxisUnit::Share, 0.0, 1.0);
    let title = format!("Dominant shares under {}", trace.policy.title());
    lines(title, window, y, note, series.collect())
}

/// Memory that each user's tasks hold under one policy, stacked; without series if memory is not modelled.
pub fn memory_in_use(Evaluation { scenario, trace, .. }: &Evaluation, window: TimeAxis) -> Chart {
    let (intervals, note) = steps(window);
    let cluster = scenario.cluster();
    let all = cluster.memory_per_executor.unwrap_or_default() as f64 * f64::from(cluster.executors);
    let held = metrics::memory_in_use(scenario, trace, &intervals).unwrap_or_default();
    let series = (0..).zip(&trace.users).zip(held).map(|((user, name), held)| {
        let figures = (0..).zip(intervals.starts()).zip(held);
        let points = figures.map(|((item, at), y)| ChartPoint { item, x: at.seconds(), y });
        Series::new(name, SeriesInk::User(UserId(user)), points.collect())
    });
    let y = Axis::linear("memory in use, MB", AxisUnit::Cores, 0.0, all);
    let title = format!("Memory in use by user under {}", trace.policy.title());
    let series = series.collect();
    Chart { notes: vec![note], ..Chart::new(title, (time(window), y), SeriesShape::Stack, "from, s", series) }
}

/// Owner of the cores that are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoreHolder {
    /// Those of all jobs.
    #[default]
    All,
    /// Those of a user's jobs.
    User(UserId),
    /// Those of a job.
    Job(JobId),
}

/// Cores that some jobs hold under one policy, against those that it means them to hold and, where it starts from a
/// fair share, that.
pub fn held_against_target(
    Evaluation { scenario, trace, .. }: &Evaluation,
    targets: &[TargetChange],
    whose: CoreHolder,
    window: TimeAxis,
) -> Chart {
    let (intervals, note) = steps(window);
    let is_shown = |job: JobId| match whose {
        CoreHolder::All => Some(0),
        CoreHolder::User(user) => (trace.jobs[job.index()].user == user).then_some(0),
        CoreHolder::Job(shown) => (job == shown).then_some(0),
    };
    let mut all = metrics::allocations(trace, targets, &intervals, 1, is_shown);
    let Some(allocation) = all.pop() else {
        return lines(String::new(), window, time(window), note, Vec::new());
    };
    let figures =
        || allocation.held.iter().chain(&allocation.target).chain(&allocation.fair_share).copied().flatten();
    let y = Axis::from_zero("cores", AxisUnit::Cores, figures().fold(1.0, f64::max));
    let (ink, of_whom) = match whose {
        CoreHolder::All => (SeriesInk::Policy(trace.policy), "all jobs".to_owned()),
        CoreHolder::User(user) => (SeriesInk::User(user), format!("{}’s jobs", trace.users[user.index()])),
        CoreHolder::Job(job) => (SeriesInk::User(trace.jobs[job.index()].user), scenario.job_label(job)),
    };
    let title = format!("Cores of {of_whom} under {}, held and meant", trace.policy.title());
    let has_shares = allocation.fair_share.iter().any(Option::is_some);
    let mut series = vec![
        Series::new("held", ink, points(&intervals, window, allocation.held)),
        Series::new("target", SeriesInk::Text, points(&intervals, window, allocation.target)),
    ];
    if has_shares {
        series.push(Series::new(
            "fair share",
            SeriesInk::Faint,
            points(&intervals, window, allocation.fair_share),
        ));
    }
    lines(title, window, y, note, series)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::evaluated;
    use fairlane::Scenario;
    use fairlane::replay::Replay;

    /// Two cores and 100 MB: ana holds one core and 80 MB from 0 to 2 s, ben one and 20 MB from 1 to 2 s.
    fn scenario() -> Scenario {
        Scenario::from_json(
            r#"{"format": "fairlane/scenario@1",
                "cluster": {"cores_per_executor": 2, "memory_mb_per_executor": 100}, "jobs": [
                {"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [2], "memory_mb": 80}]},
                {"user": "ben", "arrival_s": 1, "stages": [{"tasks_s": [1], "memory_mb": 20}]}]}"#,
        )
        .expect("a good scenario")
    }

    fn at(series: &Series, x: f64) -> Option<f64> {
        series.points.iter().rfind(|point| point.x <= x).map(|point| point.y)
    }

    #[test]
    fn figures_over_time_by_hand() {
        let scenario = scenario();
        let run = &evaluated(&scenario, "drf");
        let window = TimeAxis::whole(run.trace.end());
        let shares = dominant_shares(run, window);
        assert_eq!((at(&shares.series[0], 0.5), at(&shares.series[1], 0.5)), (Some(0.8), Some(0.0)));
        assert_eq!(at(&shares.series[1], 1.5), Some(0.5));
        let memory = memory_in_use(run, window);
        assert_eq!((memory.y.to, at(&memory.series[1], 1.5)), (100.0, Some(20.0)));
        let fairness = fairness_over_time(&[run], window);
        assert_eq!(at(&fairness.series[0], 1.5), Some(1.0));
        assert!(fairness.notes[0].starts_with("Each point is the mean over "));
    }

    /// Under weighted fair ana's job is due both cores alone, and one of them beside ben's.
    #[test]
    fn cores_held_and_meant_by_hand() {
        let scenario = scenario();
        let run = evaluated(&scenario, "wfair");
        let replay = Replay::new(&scenario, run.trace.policy).expect("a registered policy");
        let targets = replay.targets().expect("it has targets");
        let whole = TimeAxis::whole(run.trace.end());
        let chart = |whose| held_against_target(&run, &targets, whose, whole);
        let ana = chart(CoreHolder::User(UserId(0)));
        assert_eq!(chart(CoreHolder::Job(JobId(0))).series[1].points, ana.series[1].points);
        assert_eq!(ana.series.len(), 2, "weighted fair starts from no fair share");
        let figures = |chart: &Chart, x| [0, 1].map(|series| at(&chart.series[series], x));
        assert_eq!(figures(&ana, 0.5), [Some(1.0), Some(2.0)]);
        assert_eq!(figures(&ana, 1.5), [Some(1.0), Some(1.0)]);
        assert_eq!(figures(&chart(CoreHolder::All), 1.5), [Some(2.0), Some(2.0)]);
    }
}
