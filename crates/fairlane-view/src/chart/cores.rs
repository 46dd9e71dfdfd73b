//! Cores in use over time under one policy, stacked by user.

use std::collections::BTreeSet;

use super::{Axis, AxisUnit, Chart, ChartPoint, Series, SeriesInk, SeriesShape};
use crate::TimeAxis;
use crate::axis::round_step;
use fairlane::ids::UserId;
use fairlane::trace::Trace;
use fairlane::units::{MICROS_PER_SECOND, Time};

/// Most steps over the window; where more changes, each step is the mean of a stretch of time.
const MAX_STEPS: usize = 400;

/// Cores that hold each user's tasks over a window of time, overhead included.
///
/// With at most `MAX_STEPS` changes in the window, a step begins at each of them and is exact. Otherwise the
/// window is cut into intervals of a round length, and a step is the mean over its interval; their sum over time
/// is exact.
pub fn cores_in_use(trace: &Trace, window: TimeAxis) -> Chart {
    let changes = changes(trace, window);
    let (starts, notes) = match changes {
        Some(starts) => (starts, Vec::new()),
        None => {
            let step = round_step(window.length() as f64 / MAX_STEPS as f64).max(1.0) as u64;
            let seconds = step as f64 / MICROS_PER_SECOND;
            let first = window.from.0 / step * step;
            let starts = (first..window.to.0).step_by(step as usize).map(|at| Time(at.max(window.from.0)));
            (starts.collect(), vec![format!("Each step is the mean over {seconds} s.")])
        }
    };
    let held = held(trace, &starts, window.to);
    let series = trace.users.iter().zip(held).enumerate().map(|(user, (name, cores))| {
        let points = (0_u32..).zip(&starts).zip(cores);
        let points = points.map(|((item, at), y)| ChartPoint { item, x: at.seconds(), y });
        Series::new(name, SeriesInk::User(UserId(user as u32)), points.collect())
    });
    let x = Axis::linear("time, s", AxisUnit::Setting, window.from.seconds(), window.to.seconds());
    let y = Axis::linear("cores in use", AxisUnit::Cores, 0.0, f64::from(trace.cores));
    let title = format!("Cores in use by user under {}", trace.policy.title());
    Chart { notes, ..Chart::new(title, (x, y), SeriesShape::Stack, "from, s", series.collect()) }
}

/// The instants in the window at which anything starts or ends, and the window's start; `None` if they
/// are too many.
fn changes(trace: &Trace, window: TimeAxis) -> Option<Vec<Time>> {
    let inside = |at: &Time| *at > window.from && *at < window.to;
    let mut instants = BTreeSet::from([window.from]);
    for run in &trace.tasks {
        instants.extend([run.start, run.end].into_iter().filter(inside));
        if instants.len() > MAX_STEPS {
            return None;
        }
    }
    Some(instants.into_iter().collect())
}

/// For each user the mean number of cores held in each stretch between the starts and the end.
fn held(trace: &Trace, starts: &[Time], end: Time) -> Vec<Vec<f64>> {
    let mut sums = vec![vec![0_u64; starts.len()]; trace.users.len()];
    let end_of = |index: usize| starts.get(index + 1).copied().unwrap_or(end);
    for run in &trace.tasks {
        let user = &mut sums[trace.jobs[run.job.index()].user.index()];
        let first = starts.partition_point(|&start| start <= run.start).saturating_sub(1);
        for (index, sum) in user.iter_mut().enumerate().skip(first) {
            if starts[index] >= run.end {
                break;
            }
            *sum += run.end.min(end_of(index)).0.saturating_sub(run.start.max(starts[index]).0);
        }
    }
    let mean = |index: usize, sum: u64| sum as f64 / end_of(index).since(starts[index]).0.max(1) as f64;
    let mean = |sums: Vec<u64>| sums.into_iter().enumerate().map(|(index, sum)| mean(index, sum)).collect();
    sums.into_iter().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane::catalog;
    use fairlane::scenario::Scenario;
    use fairlane::trace::LoadIndex;

    #[test]
    fn exact_steps_equal_the_look_up() {
        let scenario = catalog::find("two-users").expect("an entry").scenario();
        let trace = fairlane::simulate(&scenario, "uwfq".parse().expect("a policy"));
        let chart = cores_in_use(&trace, TimeAxis::whole(trace.end()));
        assert!(chart.notes.is_empty() && chart.series[0].points.len() > 10);
        let loads = LoadIndex::new(&scenario, &trace);
        for index in 0..chart.series[0].points.len() {
            let at = Time((chart.series[0].points[index].x * 1e6).round() as u64);
            let expected: Vec<f64> =
                loads.at(&trace, at).iter().map(|load| f64::from(load.running)).collect();
            let shown: Vec<f64> = chart.series.iter().map(|series| series.points[index].y).collect();
            assert_eq!(shown, expected, "{at:?}");
        }
    }

    /// Two cores: ana holds one from 0 to 3 s, ben the other from 1 to 2 s.
    #[test]
    fn a_window_is_cut_at_its_edges() {
        let scenario = Scenario::from_json(
            r#"{"format": "fairlane/scenario@1", "cluster": {"cores_per_executor": 2}, "jobs": [
                {"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [3]}]},
                {"user": "ben", "arrival_s": 1, "stages": [{"tasks_s": [1]}]}]}"#,
        )
        .expect("a good scenario");
        let trace = fairlane::simulate(&scenario, "fifo".parse().expect("a policy"));
        let window = TimeAxis { from: Time(500_000), to: Time(4_000_000) };
        let chart = cores_in_use(&trace, window);
        let points = |series: usize| {
            chart.series[series].points.iter().map(|point| (point.x, point.y)).collect::<Vec<_>>()
        };
        assert_eq!(points(0), [(0.5, 1.0), (1.0, 1.0), (2.0, 1.0), (3.0, 0.0)]);
        assert_eq!(points(1), [(0.5, 0.0), (1.0, 1.0), (2.0, 0.0), (3.0, 0.0)]);
    }

    #[test]
    fn means_keep_the_sum() {
        let scenario = catalog::find("paper-scenario-1").expect("an entry").scenario();
        let trace = fairlane::simulate(&scenario, "uwfq".parse().expect("a policy"));
        let window = TimeAxis::whole(trace.end());
        let chart = cores_in_use(&trace, window);
        assert!(chart.series[0].points.len() <= MAX_STEPS, "{}", chart.series[0].points.len());
        assert_eq!(chart.notes, ["Each step is the mean over 0.5 s."]);
        let busy: u64 = trace.tasks.iter().map(|run| run.end.since(run.start).0).sum();
        let shown: f64 = chart
            .series
            .iter()
            .flat_map(|series| series.points.windows(2).map(|pair| pair[0].y * (pair[1].x - pair[0].x)))
            .sum();
        let last = chart.series.iter().filter_map(|series| series.points.last());
        let last: f64 = last.map(|point| point.y * (window.to.seconds() - point.x)).sum();
        let shown = shown + last;
        assert!((shown - busy as f64 / 1e6).abs() < 1e-6, "{shown} against {busy} µs");
    }
}
