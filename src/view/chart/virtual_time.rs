//! A policy's virtual time and its deadlines over real time.

use super::{Axis, Chart, Ink, Point, Series, Shape, Unit};
use crate::scenario::Scenario;
use crate::trace::{self, DeadlineLine, VirtualTimeSeries};
use crate::units::MICROS_PER_SECOND;
use crate::view::TimeAxis;

/// V as a line over the window, and each deadline as a level line from when it is set until its last task starts or
/// until V crosses it, whichever is later; both in core-seconds. A deadline that was replaced ends there.
pub fn virtual_time(times: &VirtualTimeSeries, scenario: &Scenario, window: TimeAxis) -> Chart {
    let seconds = |micros: f64| micros / MICROS_PER_SECOND;
    let (from, to) = (window.from.seconds(), window.to.seconds());
    let mut v: Vec<(f64, f64)> = times.v.iter().map(|&(at, v)| (seconds(at), seconds(v))).collect();
    if let (Some(&(first, at_first)), Some(&(_, last))) = (v.first(), v.last()) {
        v.insert(0, (from.min(first), if from < first { 0.0 } else { at_first }));
        v.push((to, last));
    }
    let series = |name: String, ink: Ink, points: Vec<(f64, f64)>| {
        let points = (0..).zip(points).map(|(item, (x, y))| Point { item, x, y });
        Series::new(name, ink, points.collect())
    };
    let replaced = |index: usize, line: &DeadlineLine| {
        let later = &times.deadlines[index + 1..];
        later.iter().any(|other| (other.job, other.stage) == (line.job, line.stage))
    };
    let deadlines = times.deadlines.iter().enumerate().map(|(index, line)| {
        let name = match line.stage {
            Some(stage) => scenario.stage_label(line.job, stage),
            None => scenario.job_label(line.job),
        };
        let y = seconds(line.deadline);
        let crossed = if replaced(index, line) { None } else { crossing(&times.v, line) };
        let to = crossed.map_or(line.to.seconds(), |at| seconds(at).max(line.to.seconds()));
        let ends = vec![(line.from.seconds(), y), (to, y)];
        series(format!("deadline of {name}"), Ink::Job(line.job), ends)
    });
    let mut all: Vec<Series> = deadlines.collect();
    all.push(series("virtual time V".to_owned(), Ink::Text, v));
    let highest = all.iter().flat_map(|series| &series.points).map(|point| point.y).fold(0.0, f64::max);
    let x = Axis::linear("real time, s", Unit::Seconds, from, to);
    let y = Axis::from_zero("virtual time, core-s", Unit::CoreSeconds, highest);
    Chart::new("Virtual time and deadlines", (x, y), Shape::Lines, "real time, s", all)
}

/// When V reaches a deadline after that is set, in µs; `None` if it does not.
fn crossing(v: &[trace::Point], line: &DeadlineLine) -> Option<f64> {
    let from = line.from.0 as f64;
    let begin = v.partition_point(|&(at, _)| at < from);
    let mut rising = v[begin.saturating_sub(1)..].windows(2);
    let pair = rising.find(|pair| pair[1].0 >= from && pair[1].1 >= line.deadline)?;
    let [(before, low), (after, high)] = [pair[0], pair[1]];
    let part = if high > low { ((line.deadline - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 };
    Some((before + part * (after - before)).max(from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Control, simulate_with_journal};
    use crate::ids::JobId;
    use crate::scenario::Scenario;
    use crate::trace::virtual_time_series;
    use crate::units::Time;

    /// One core. ana's 4 s of work arrive at 0 s, ben's 2 s at 1 s. V grows by 1 per second while ana is alone and by a
    /// half from 1 s on. ben's deadline is 1 + 2 = 3, which V reaches at 5 s: 4 s after he came, with half the core
    /// each. ana's is 4: she has had 1 + 2 by then and the core for herself, so V reaches it at 6 s. Their last tasks
    /// start long before.
    #[test]
    fn deadlines_reach_to_where_v_crosses_them() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "cluster": { "executors": 1, "cores_per_executor": 1 }, "jobs": [
                { "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [4] }] },
                { "user": "ben", "arrival_s": 1, "stages": [{ "tasks_s": [2] }] } ] }"#,
        )
        .expect("a good scenario");
        let policy = "uwfq".parse().expect("a policy");
        let run = simulate_with_journal(&scenario, policy, &mut |_| Control::Continue);
        let (trace, journal) = run.expect("nobody asks to stop");
        let times = virtual_time_series(&scenario, &trace, &journal, &[JobId(0), JobId(1)]);
        let chart = virtual_time(&times, &scenario, TimeAxis { from: Time(0), to: Time(6_000_000) });
        let ends: Vec<(f64, f64)> = chart
            .series
            .iter()
            .filter_map(|series| series.points.last())
            .map(|point| (point.x, point.y))
            .collect();
        assert_eq!(ends[..2], [(6.0, 4.0), (5.0, 3.0)]);
        assert_eq!(ends[2], (6.0, 4.0), "V itself is drawn as far as that");
    }
}
