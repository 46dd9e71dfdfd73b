//! A policy's virtual time and its deadlines over real time.

use super::{Axis, Chart, Dots, Ink, Point, Series, Shape, Unit};
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
    let series = |name: String, ink: Ink, list: Vec<(f64, f64)>| Series {
        name,
        ink,
        dots: Dots::Hidden,
        points: list
            .into_iter()
            .enumerate()
            .map(|(item, (x, y))| Point { item: item as u32, x, y })
            .collect(),
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
    let mut series_of_all: Vec<Series> = deadlines.collect();
    series_of_all.push(series("virtual time V".to_owned(), Ink::Plain, v));
    let highest = series_of_all.iter().flat_map(|series| &series.points).map(|point| point.y);
    Chart {
        title: "Virtual time and deadlines".to_owned(),
        x: Axis::linear("real time, s", Unit::Seconds, from, to),
        y: Axis::from_zero("virtual time, core-s", Unit::CoreSeconds, highest.fold(0.0, f64::max)),
        shape: Shape::Lines,
        series: series_of_all,
        item: "real time, s".to_owned(),
        names: Vec::new(),
        marks: Vec::new(),
        notes: Vec::new(),
    }
}
