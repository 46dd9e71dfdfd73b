//! A policy's virtual time and its deadlines over real time.

use super::{Axis, AxisUnit, Chart, ChartPoint, Series, SeriesInk, SeriesShape};
use crate::TimeAxis;
use fairlane::ids::JobId;
use fairlane::replay::{DeadlineSpan, SeriesPoint as TimePoint, VirtualTimeSeries};
use fairlane::scenario::Scenario;
use fairlane::units::MICROS_PER_SECOND;

/// A deadline over real time: a level line.
#[derive(Clone, Debug, PartialEq)]
pub struct Deadline {
    /// Name of its owner, as people call it: a job, or a stage of one.
    pub name: String,
    /// The job.
    pub job: JobId,
    /// The deadline, in core-seconds of virtual time.
    pub deadline: f64,
    /// When it is set, in seconds.
    pub from: f64,
    /// When its last task has started and V has crossed it, in seconds. A deadline that was replaced ends there.
    pub to: f64,
    /// When V crosses it, in seconds; `None` if it does not, or another deadline has replaced it.
    pub crossed: Option<f64>,
}

/// The deadlines of a policy, in the order of the series.
pub fn deadlines(times: &VirtualTimeSeries, scenario: &Scenario) -> Vec<Deadline> {
    let replaced = |index: usize, line: &DeadlineSpan| {
        let later = &times.deadlines[index + 1..];
        later.iter().any(|other| (other.job, other.stage) == (line.job, line.stage))
    };
    let deadline = |(index, line): (usize, &DeadlineSpan)| {
        let name = match line.stage {
            Some(stage) => scenario.stage_label(line.job, stage),
            None => scenario.job_label(line.job),
        };
        let crossed = if replaced(index, line) { None } else { crossing(&times.v, line).map(seconds) };
        let last = line.to.seconds();
        Deadline {
            name,
            job: line.job,
            deadline: seconds(line.deadline),
            from: line.from.seconds(),
            to: crossed.map_or(last, |at| at.max(last)),
            crossed,
        }
    };
    times.deadlines.iter().enumerate().map(deadline).collect()
}

/// V as a line over the window, and each of the [`deadlines`]; both in core-seconds. V is the last series.
pub fn virtual_time(times: &VirtualTimeSeries, scenario: &Scenario, window: TimeAxis) -> Chart {
    let (from, to) = (window.from.seconds(), window.to.seconds());
    let mut v: Vec<(f64, f64)> = times.v.iter().map(|&(at, v)| (seconds(at), seconds(v))).collect();
    if let (Some(&(first, at_first)), Some(&(end, last))) = (v.first(), v.last()) {
        v.insert(0, (from.min(first), if from < first { 0.0 } else { at_first }));
        // V may be read beyond the window.
        if end < to {
            v.push((to, last));
        }
    }
    let series = |name: String, ink: SeriesInk, points: Vec<(f64, f64)>| {
        let points = (0..).zip(points).map(|(item, (x, y))| ChartPoint { item, x, y });
        Series::new(name, ink, points.collect())
    };
    let level = |line: Deadline| {
        let ends = vec![(line.from, line.deadline), (line.to, line.deadline)];
        series(format!("deadline of {}", line.name), SeriesInk::Job(line.job), ends)
    };
    let mut all: Vec<Series> = deadlines(times, scenario).into_iter().map(level).collect();
    all.push(series("virtual time V".to_owned(), SeriesInk::Text, v));
    let highest = all.iter().flat_map(|series| &series.points).map(|point| point.y).fold(0.0, f64::max);
    let x = Axis::linear("real time, s", AxisUnit::Seconds, from, to);
    let y = Axis::from_zero("virtual time, core-s", AxisUnit::CoreSeconds, highest);
    Chart::new("Virtual time and deadlines", (x, y), SeriesShape::Lines, "real time, s", all)
}

fn seconds(micros: f64) -> f64 {
    micros / MICROS_PER_SECOND
}

/// When V reaches a deadline after that is set, in µs; `None` if it does not.
fn crossing(v: &[TimePoint], line: &DeadlineSpan) -> Option<f64> {
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
    use fairlane::replay::Replay;
    use fairlane::scenario::Scenario;
    use fairlane::units::Time;

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
        let times =
            Replay::new(&scenario, policy).expect("a registered policy").virtual_time(&[JobId(0), JobId(1)]);
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
