//! Markup of charts that answers no gesture: the first picture is made of it, and the interface takes it as it is.

use std::fmt::Write;

use fairlane::number;
use fairlane_view::TimeAxis;
use fairlane_view::gantt::{CoreWindow, Rows};
use fairlane_view::lanes::Block;

/// How a chart is to be read.
pub const READING: &str = "Each row is a core. A pixel column with more than two tasks shows the users\u{2019} shares of that time, \
                           stacked from the bottom; the rest is idle time. Low rows and rows of several cores show a blend of the colours.";

/// Logical pixels that an executor needs for its name, and a core for its number.
const NAME_PX: u32 = 12;
const NUMBER_PX: u32 = 9;

/// Names of executors and numbers of cores beside a chart, where there is room.
pub fn gutter(rows: &Rows, cores_per_executor: u32, window: CoreWindow) -> String {
    if rows.bands.len() != rows.cores as usize {
        return format!("<span class=\"executor\" style=\"top:8px\">{} cores</span>", window.count);
    }
    let mut markup = String::new();
    let mut label = |class: &str, least: u32, (first, last): (u32, u32), text: &dyn std::fmt::Display| {
        let band = |core: u32| rows.bands[(core - window.first) as usize];
        let (top, bottom) = (band(first).0, band(last).1);
        if bottom - top >= least {
            let middle = f64::from(top + bottom) / 2.0;
            // A String takes all text.
            let _ = write!(markup, "<span class=\"{class}\" style=\"top:{middle}px\">{text}</span>");
        }
    };
    let end = window.first + window.count;
    for executor in window.first / cores_per_executor..=(end - 1) / cores_per_executor {
        let first = (executor * cores_per_executor).max(window.first);
        let last = ((executor + 1) * cores_per_executor).min(end) - 1;
        label("executor", NAME_PX, (first, last), &format_args!("executor {executor}"));
    }
    for core in window.first..end {
        label("core", NUMBER_PX, (core, core), &core);
    }
    markup
}

/// Lines through a chart at the ticks of its axis.
pub fn gridlines(axis: TimeAxis) -> String {
    let line = |at: f64| format!("<i class=\"gridline\" style=\"left:{:.3}%\"></i>", at * 100.0);
    axis.ticks(TICKS).iter().map(|tick| line(tick.fraction)).collect()
}

/// The labels of an axis.
pub fn labels(axis: TimeAxis) -> String {
    let label = |at: f64, text: &str| {
        format!("<span class=\"label\" style=\"left:{:.3}%\">{text}</span>", at * 100.0)
    };
    axis.ticks(TICKS).iter().map(|tick| label(tick.fraction, &tick.label)).collect()
}

/// Where a job's block is in a lane of `rows` rows, as a style.
pub fn place(axis: TimeAxis, block: &Block, rows: usize) -> String {
    let (from, to) = (axis.fraction(block.from), axis.fraction(block.to));
    let [left, width, top, height] =
        [from, to - from, block.row as f64 / rows as f64, 1.0 / rows as f64].map(|part| part * 100.0);
    format!("left:{left:.3}%;width:{width:.3}%;top:{top:.3}%;height:{height:.3}%")
}

/// A user's weight, if it is not the usual one, and number of jobs.
pub fn lane_facts(weight: f64, jobs: usize) -> String {
    let jobs = number::counted(jobs, "job");
    if weight == 1.0 { jobs } else { format!("weight {weight}, {jobs}") }
}

/// Most rows of a lane whose blocks are tall enough to have a border.
pub const ROWS_WITH_BORDERS: usize = 6;

/// About how many ticks an axis has.
const TICKS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane::units::Time;

    #[test]
    fn what_has_no_room_has_no_name() {
        let window = CoreWindow::whole(4);
        let tall = gutter(&Rows::new(2, 2, 1.0), 2, window);
        assert!(["executor 0", "executor 1", ">3<"].iter().all(|name| tall.contains(name)), "{tall}");
        let low = gutter(&Rows::new(2, 2, 0.3), 2, window);
        assert!(!low.contains("class=\"core\""), "{low}");
        let many = Rows::new(100, 100, 1.0);
        assert!(gutter(&many, 100, CoreWindow::whole(10_000)).ends_with(">10000 cores</span>"));
    }

    #[test]
    fn an_axis_has_a_line_for_each_label() {
        let axis = TimeAxis { from: Time::ZERO, to: Time(8_000_000) };
        assert_eq!(gridlines(axis).matches("<i ").count(), labels(axis).matches("<span ").count());
        assert!(labels(axis).contains("left:50.000%\">4 s<"));
    }
}
