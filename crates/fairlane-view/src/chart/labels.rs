//! Where curves and points are named: beside a point, and never over another name.

use super::{Chart, ChartLayout, ChartPoint, SeriesInk, SeriesShape};

/// About how wide a character of a name is, and how high a name is, in logical pixels.
const CHARACTER: f64 = 6.4;
const HEIGHT: f64 = 12.0;
/// From a point to its name: sideways, and up or down to the middle of the name.
const BESIDE: f64 = 8.0;
const ABOVE: f64 = -6.6;
const BELOW: f64 = 11.0;
/// Half of a marker, and what it keeps free.
const MARKER: f64 = 5.0;
/// Most points of a curve that are tried.
const TRIED: usize = 48;

/// A point that is marked, and its name or that of its curve.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PointLabel {
    /// The index of the series.
    pub(super) series: usize,
    /// The point.
    pub(super) point: ChartPoint,
    /// The name and where it is written; `None` if it would cover another one wherever it were: legend and readout
    /// have it.
    pub(super) name: Option<(String, NamePlace)>,
}

/// The place of a name beside its point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NamePlace {
    /// From the point to the name, in logical pixels: negative if it ends left of the point.
    pub(super) beside: f64,
    /// From the point down to the middle of the name, in logical pixels.
    pub(super) down: f64,
}

impl NamePlace {
    /// What a name of this width covers beside a point.
    fn area(self, (x, y): (f64, f64), width: f64) -> Rectangle {
        let from = x + self.beside - if self.beside < 0.0 { width } else { 0.0 };
        let middle = y + self.down;
        [from, middle - HEIGHT / 2.0, from + width, middle + HEIGHT / 2.0]
    }
}

/// Left, upper, right and lower edge in logical pixels.
type Rectangle = [f64; 4];

fn overlap(one: &Rectangle, other: &Rectangle) -> bool {
    one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}

fn width(name: &str) -> f64 {
    name.chars().count() as f64 * CHARACTER
}

/// The labels of a chart of curves: the name of each policy's, wanted at another part of the width, and those of the
/// points of the Pareto edge. A name is written at the closest point beside which it covers no other name and, if
/// there is such a point, no marker either.
pub(super) fn labels(chart: &Chart, layout: &ChartLayout) -> Vec<PointLabel> {
    let marker = |point: &ChartPoint| {
        let (x, y) = (layout.x(point.x), layout.y(point.y));
        [x - MARKER, y - MARKER, x + MARKER, y + MARKER]
    };
    let points = chart.series.iter().flat_map(|series| tried(&series.points));
    let mut places = Places { chart, layout, markers: points.map(marker).collect(), names: Vec::new() };
    let mut labels = Vec::new();
    let count = chart.series.len() as f64;
    for (index, series) in chart.series.iter().enumerate() {
        let (SeriesInk::Policy(_), [first, .., last]) = (series.ink, &series.points[..]) else { continue };
        let wanted = first.x + (last.x - first.x) * (index as f64 + 0.6) / (count + 0.4);
        let closest = series.points.partition_point(|point| point.x < wanted).min(series.points.len() - 1);
        let mut points: Vec<ChartPoint> = tried(&series.points).copied().collect();
        points.push(series.points[closest]);
        points.sort_by(|one, other| (one.x - wanted).abs().total_cmp(&(other.x - wanted).abs()));
        let placed = places.take(&points, &series.name);
        labels.push(PointLabel {
            series: index,
            point: placed.map_or(series.points[closest], |(point, _)| point),
            name: placed.map(|(_, place)| (series.name.clone(), place)),
        });
    }
    let edges = chart.series.iter().enumerate().filter(|(_, series)| series.ink == SeriesInk::Text);
    for (index, series) in edges.filter(|_| chart.shape == SeriesShape::Measured) {
        for &point in &series.points {
            // Without the figure, which the axis has.
            let name = chart.names.get(point.item as usize).and_then(|name| name.split(',').next());
            let placed = name.and_then(|name| Some((name.to_owned(), places.take(&[point], name)?.1)));
            labels.extend(placed.map(|name| PointLabel { series: index, point, name: Some(name) }));
        }
    }
    labels
}

/// What has been written.
struct Places<'a> {
    chart: &'a Chart,
    layout: &'a ChartLayout,
    markers: Vec<Rectangle>,
    names: Vec<Rectangle>,
}

impl Places<'_> {
    /// Writes a name at the first of some points that has room for it.
    fn take(&mut self, points: &[ChartPoint], name: &str) -> Option<(ChartPoint, NamePlace)> {
        let width = width(name);
        let free = |point: ChartPoint, beside_markers: bool| {
            let at = (self.layout.x(point.x), self.layout.y(point.y));
            let inwards = if self.chart.x.fraction(point.x) > 0.5 { -BESIDE } else { BESIDE };
            let places = [(inwards, ABOVE), (inwards, BELOW), (-inwards, ABOVE), (-inwards, BELOW)];
            let areas = places.map(|(beside, down)| {
                let place = NamePlace { beside, down };
                (point, place, place.area(at, width))
            });
            areas.into_iter().find(|(_, _, area)| {
                let plot = self.layout.plot;
                let inside = area[0] >= plot.left
                    && area[1] >= plot.top
                    && area[2] <= self.layout.width
                    && area[3] <= plot.bottom;
                let is_free = |taken: &[Rectangle]| taken.iter().all(|other| !overlap(area, other));
                inside && is_free(&self.names) && (beside_markers || is_free(&self.markers))
            })
        };
        let first = |beside_markers| points.iter().find_map(|&point| free(point, beside_markers));
        let (point, place, area) = first(false).or_else(|| first(true))?;
        self.names.push(area);
        Some((point, place))
    }
}

/// Some of a curve's points, evenly spread.
fn tried(points: &[ChartPoint]) -> impl Iterator<Item = &ChartPoint> {
    points.iter().step_by(points.len().div_ceil(TRIED).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{CostPoint, cost_chart};

    /// Curves that lie on one another, as policies' do where they agree.
    fn chart(policies: &[&str], points: u32) -> Chart {
        let point = |policy: &&str, executors: u32| CostPoint {
            policy: policy.parse().expect("a policy"),
            setting: format!("{executors} executors"),
            held: 100.0 * f64::from(executors),
            response: 20.0 / f64::from(executors),
        };
        let all = policies.iter().flat_map(|policy| (1..=points).map(move |n| point(policy, n)));
        cost_chart(&all.collect::<Vec<_>>())
    }

    /// The names that are written, and what they cover.
    fn written(chart: &Chart, width: f64) -> (Vec<String>, Vec<Rectangle>) {
        let layout = ChartLayout::new(chart, width, 300.0);
        let area = |label: PointLabel| {
            let (name, place) = label.name?;
            let area = place.area((layout.x(label.point.x), layout.y(label.point.y)), super::width(&name));
            Some((name, area))
        };
        labels(chart, &layout).into_iter().filter_map(area).unzip()
    }

    #[test]
    fn names_of_curves_on_one_another_do_not_overlap() {
        let policies = ["spark", "fair", "ujf", "uwfq", "uwfq-p", "cfq"];
        for width in [298.0, 640.0, 1100.0] {
            let (_, areas) = written(&chart(&policies, 8), width);
            let apart = |(index, one): (usize, &Rectangle)| {
                areas[index + 1..].iter().all(|other| !overlap(one, other))
            };
            assert!(areas.iter().enumerate().all(apart), "{width}: {areas:?}");
            assert!(areas.len() >= 3, "{width}: {areas:?}");
        }
        let (names, _) = written(&chart(&policies, 8), 1100.0);
        assert_eq!(names.iter().filter(|name| !name.ends_with("executors")).count(), policies.len());
        assert!(names.contains(&"8 executors".to_owned()), "points of the edge have names: {names:?}");
    }

    #[test]
    fn a_name_without_room_is_left_to_the_legend() {
        let chart = chart(&["spark", "fair", "ujf", "cfq", "uwfq", "uwfq-p", "cfq-p", "fair-p", "ujf-p"], 2);
        let labels = labels(&chart, &ChartLayout::new(&chart, 160.0, 100.0));
        let curves = labels.iter().filter(|label| label.series < 9);
        assert_eq!(curves.clone().count(), 9, "each curve keeps its marker");
        assert!(curves.clone().any(|label| label.name.is_none()));
    }
}
