//! A policy's virtual time and its deadlines over real time.

use super::{Axis, Chart, Ink, Point, Series, Shape, Unit};
use crate::scenario::Scenario;
use crate::trace::VirtualTimeSeries;
use crate::units::MICROS_PER_SECOND;
use crate::view::TimeAxis;

/// V as a line over the window, and each deadline as a level line from when it is set until its last
/// task starts, both in core-seconds.
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
    let deadlines = times.deadlines.iter().map(|line| {
        let name = match line.stage {
            Some(stage) => scenario.stage_label(line.job, stage),
            None => scenario.job_label(line.job),
        };
        let y = seconds(line.deadline);
        let ends = vec![(line.from.seconds(), y), (line.to.seconds(), y)];
        series(format!("deadline of {name}"), Ink::Job(line.job), ends)
    });
    let mut all: Vec<Series> = deadlines.collect();
    all.push(series("virtual time V".to_owned(), Ink::Text, v));
    let highest = all.iter().flat_map(|series| &series.points).map(|point| point.y).fold(0.0, f64::max);
    let x = Axis::linear("real time, s", Unit::Seconds, from, to);
    let y = Axis::from_zero("virtual time, core-s", Unit::CoreSeconds, highest);
    Chart::new("Virtual time and deadlines", (x, y), Shape::Lines, "real time, s", all)
}
