//! Charts as data: series of points over two axes, and queries on them.
//!
//! One [`Chart`] feeds the plot, the readout at the cursor and the table, so that all three show
//! the same numbers. Nothing here depends on a browser: [`ChartLayout`] computes positions, [`nearest`] finds the
//! point under a pointer, and [`draw`] draws on any backend of plotters.
//!
//! ```
//! use fairlane_view::{TimeAxis, chart};
//! let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
//! let trace = fairlane::simulate(&scenario, "uwfq".parse()?);
//! let chart = chart::cores_in_use(&trace, TimeAxis::whole(trace.end()));
//! assert!(!chart.is_empty());
//! println!("{:?}", chart.table(100).rows);
//! # Ok::<(), fairlane::policy::UnknownPolicy>(())
//! ```

mod axis;
mod bars;
mod cores;
mod cost;
mod draw;
mod ecdf;
mod labels;
mod layout;
mod look;
mod over_time;
mod pick;
mod scatter;
mod sweep;
mod table;
mod virtual_time;

pub use axis::{Axis, AxisUnit, Scale};
pub use bars::{Bars, Grouping, deadline_bars, user_bars};
pub use cores::cores_in_use;
pub use cost::{CostPoint, cost_chart};
pub use draw::{HOLLOW, Paint, draw, svg};
pub use ecdf::ecdf;
use layout::Ruler;
pub use layout::{ChartLayout, PlotArea, height};
pub use look::{Marker, SeriesStyle};
pub use over_time::{CoreHolder, dominant_shares, fairness_over_time, held_against_target, memory_in_use};
pub use pick::{PickHeading, PointIndex, nearest, neighbour, position, start};
pub use scatter::{slowdown_by_size, target_by_size};
pub use sweep::{SweepAxis, TunedCurve, sweep_chart, tuned_chart};
pub use table::ChartTable;
pub use virtual_time::{Deadline, deadlines, virtual_time};

use fairlane::ids::{JobId, UserId};
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;

/// Figures over two axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What is shown, in a few words.
    pub title: String,
    /// From left to right.
    pub x: Axis,
    /// From bottom to top; names run from top to bottom.
    pub y: Axis,
    /// How the series are drawn.
    pub shape: SeriesShape,
    /// What belongs together: a policy's figures, or a user's.
    pub series: Vec<Series>,
    /// What an item is called: the heading of the table's first column.
    pub item: String,
    /// Names of the items where a figure does not name them.
    pub names: Vec<String>,
    /// Values of the x axis that are marked, with what they are.
    pub marks: Vec<(f64, String)>,
    /// What the reader must know to read the chart correctly, such as what is left out.
    pub notes: Vec<String>,
}

/// How series are drawn, and which figure of a point is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesShape {
    /// A staircase of the share y that is completed by the time x.
    Shares,
    /// A line from point to point.
    Lines,
    /// A line from point to point with a dot at each measured point.
    Measured,
    /// A horizontal bar for each series in each item's group.
    Bars,
    /// Single dots.
    Dots,
    /// Staircases on top of each other; all series have the same items.
    Stack,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Owner of the colour it has.
    pub ink: SeriesInk,
    /// Whether its points are marked, in shapes that mark them.
    pub dots: Dots,
    /// In ascending order of items; of x too but for [`SeriesShape::Bars`].
    pub points: Vec<ChartPoint>,
}

/// Whether the points of a series are marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dots {
    /// Each was measured.
    #[default]
    Shown,
    /// One figure holds for all of them.
    Hidden,
}

/// A figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChartPoint {
    /// What it is about, the same in every series: a rank, a job, a group, an instant.
    pub item: u32,
    /// In the x axis's unit.
    pub x: f64,
    /// In the y axis's unit.
    pub y: f64,
}

/// Owner of the colour of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesInk {
    /// The policy's; another stroke under runtime partitioning.
    Policy(PolicyId),
    /// The user's, by the place whose colour that is ([`Chart::in_colours_of`]).
    User(UserId),
    /// The job's.
    Job(JobId),
    /// That of text.
    Text,
    /// That of text that steps back: a line to compare with.
    Faint,
}

/// What a chart shows at one position: a figure for each series that has one there.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartReading {
    /// The position, such as `12.50 s`.
    pub at: String,
    /// A figure for each series, `None` where it has none there.
    pub figures: Vec<Option<String>>,
    /// Describes the point to screen readers.
    pub words: String,
}

impl Series {
    /// Points of which each was measured.
    fn new(name: impl Into<String>, ink: SeriesInk, points: Vec<ChartPoint>) -> Series {
        Series { name: name.into(), ink, dots: Dots::Shown, points }
    }
}

impl Chart {
    /// The chart with the colours that the users of its scenario have.
    pub fn in_colours_of(mut self, scenario: &Scenario) -> Chart {
        for series in &mut self.series {
            if let SeriesInk::User(user) = &mut series.ink {
                *user = UserId(scenario.colour(*user).saturating_sub(1));
            }
        }
        self
    }

    /// A chart without names, marks and notes.
    fn new(
        title: impl Into<String>,
        (x, y): (Axis, Axis),
        shape: SeriesShape,
        item: &str,
        series: Vec<Series>,
    ) -> Chart {
        let (title, item) = (title.into(), item.to_owned());
        Chart { title, x, y, shape, series, item, names: Vec::new(), marks: Vec::new(), notes: Vec::new() }
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.series.iter().all(|series| series.points.is_empty())
    }

    /// The point at a spot.
    pub fn point(&self, spot: PointIndex) -> Option<ChartPoint> {
        self.series.get(spot.series)?.points.get(spot.point).copied()
    }

    /// What the chart shows at one of its points.
    pub fn reading(&self, spot: PointIndex) -> Option<ChartReading> {
        let point = self.point(spot)?;
        let figures = self.series.iter().map(|series| self.figure_beside(series, point));
        let mut figures: Vec<Option<String>> = figures.collect();
        // The point's own figure, even where its series has another point at the same position.
        let (at, own) = match self.shape {
            SeriesShape::Shares => (self.x.unit.with_unit(point.x), self.y.unit.with_unit(point.y)),
            SeriesShape::Dots => (self.item_name(point), self.y.unit.with_unit(point.y)),
            _ => (self.item_name(point), self.answer(point)),
        };
        figures[spot.series] = Some(own.clone());
        let name = &self.series[spot.series].name;
        let words = match self.shape {
            SeriesShape::Shares => format!("{name}: {own} within {at}"),
            _ => format!("{name}, {at}: {own}"),
        };
        Some(ChartReading { at, figures, words })
    }

    /// A series' figure at the position of another series' point.
    fn figure_beside(&self, series: &Series, point: ChartPoint) -> Option<String> {
        match self.shape {
            // The share that is completed by then.
            SeriesShape::Shares => {
                let done = series.points.partition_point(|other| other.x <= point.x);
                let share = done.checked_sub(1).map_or(0.0, |last| series.points[last].y);
                (!series.points.is_empty()).then(|| self.y.unit.with_unit(share))
            }
            SeriesShape::Lines => between(&series.points, point.x).map(|y| self.y.unit.with_unit(y)),
            _ => self.at_item(series, point.item).map(|point| self.answer(point)),
        }
    }

    /// A series' point about an item.
    fn at_item(&self, series: &Series, item: u32) -> Option<ChartPoint> {
        let index = match self.shape {
            // In the order of x, whatever the items.
            SeriesShape::Dots => series.points.iter().position(|point| point.item == item)?,
            _ => series.points.binary_search_by_key(&item, |point| point.item).ok()?,
        };
        Some(series.points[index])
    }

    /// The figure that a point shows, with its unit.
    fn answer(&self, point: ChartPoint) -> String {
        match self.shape {
            SeriesShape::Shares | SeriesShape::Bars => self.x.unit.with_unit(point.x),
            _ => self.y.unit.with_unit(point.y),
        }
    }

    /// The name of a point's item.
    fn item_name(&self, point: ChartPoint) -> String {
        match self.names.get(point.item as usize) {
            Some(name) => name.clone(),
            None => match self.shape {
                SeriesShape::Shares => self.y.unit.with_unit(point.y),
                _ => self.x.unit.with_unit(point.x),
            },
        }
    }
}

/// The y of a line at an x; `None` beyond its ends.
fn between(points: &[ChartPoint], x: f64) -> Option<f64> {
    let after = points.partition_point(|point| point.x < x);
    let next = points.get(after)?;
    match after.checked_sub(1).map(|before| points[before]) {
        _ if next.x == x => Some(next.y),
        Some(before) => Some(before.y + (next.y - before.y) * (x - before.x) / (next.x - before.x)),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[(f64, f64)]) -> Vec<ChartPoint> {
        let points = points.iter().enumerate();
        points.map(|(item, &(x, y))| ChartPoint { item: item as u32, x, y }).collect()
    }

    #[test]
    fn a_line_is_read_between_its_points_and_not_beyond() {
        let points = line(&[(1.0, 10.0), (3.0, 20.0), (3.0, 30.0), (4.0, 30.0)]);
        assert_eq!(between(&points, 2.0), Some(15.0));
        assert_eq!(between(&points, 3.0), Some(20.0), "at a jump: as it was before");
        assert_eq!(between(&points, 4.0), Some(30.0));
        assert_eq!((between(&points, 0.5), between(&points, 4.5)), (None, None));
    }
}
