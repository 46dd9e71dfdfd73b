//! Where the names of curves are written: beside a point of the curve, and never over each other.

use super::{Chart, ChartLayout, ChartPoint, SeriesInk};

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

/// The name of a curve beside one of its points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CurveLabel {
    /// The index of the curve's series.
    pub(super) series: usize,
    /// The point that is marked.
    pub(super) point: ChartPoint,
    /// Where the name is written; `None` if it would cover another name wherever it were: the legend has it.
    pub(super) name: Option<NamePlace>,
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

/// The labels of all curves of policies, each wanted at another part of the width, and written at the closest point
/// beside which it covers nothing: no other name, and if there is such a point, no marker either.
pub(super) fn curve_labels(chart: &Chart, layout: &ChartLayout) -> Vec<CurveLabel> {
    let marker = |point: &ChartPoint| {
        let (x, y) = (layout.x(point.x), layout.y(point.y));
        [x - MARKER, y - MARKER, x + MARKER, y + MARKER]
    };
    let points = chart.series.iter().flat_map(|series| tried(&series.points));
    let markers: Vec<Rectangle> = points.map(marker).collect();
    let mut names: Vec<Rectangle> = Vec::new();
    let mut labels = Vec::new();
    for (index, series) in chart.series.iter().enumerate() {
        let (SeriesInk::Policy(_), [first, .., last]) = (series.ink, &series.points[..]) else { continue };
        let part = (index as f64 + 0.6) / (chart.series.len() as f64 + 0.4);
        let wanted = first.x + (last.x - first.x) * part;
        let mut points: Vec<&ChartPoint> = tried(&series.points).collect();
        let closest = series.points.partition_point(|point| point.x < wanted).min(series.points.len() - 1);
        points.push(&series.points[closest]);
        points.sort_by(|one, other| (one.x - wanted).abs().total_cmp(&(other.x - wanted).abs()));
        let width = series.name.chars().count() as f64 * CHARACTER;
        let place = |covered: &dyn Fn(&Rectangle) -> bool| {
            points.iter().find_map(|point| {
                let (x, y) = (layout.x(point.x), layout.y(point.y));
                let inwards = if chart.x.fraction(point.x) > 0.5 { -BESIDE } else { BESIDE };
                let places = [(inwards, ABOVE), (inwards, BELOW), (-inwards, ABOVE), (-inwards, BELOW)];
                places.into_iter().find_map(|(beside, down)| {
                    let name = NamePlace { beside, down };
                    let area = name.area((x, y), width);
                    let inside = area[0] >= layout.plot.left
                        && area[1] >= layout.plot.top
                        && area[2] <= layout.width
                        && area[3] <= layout.plot.bottom;
                    (inside && !covered(&area)).then_some((**point, name, area))
                })
            })
        };
        let by_names = |area: &Rectangle| names.iter().any(|name| overlap(name, area));
        let by_any = |area: &Rectangle| by_names(area) || markers.iter().any(|marker| overlap(marker, area));
        let placed = place(&by_any).or_else(|| place(&by_names));
        labels.push(CurveLabel {
            series: index,
            point: placed.map_or(series.points[closest], |(point, ..)| point),
            name: placed.map(|(_, name, _)| name),
        });
        names.extend(placed.map(|(_, _, area)| area));
    }
    labels
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

    fn areas(chart: &Chart, width: f64) -> Vec<Rectangle> {
        let layout = ChartLayout::new(chart, width, 300.0);
        let area = |label: CurveLabel| {
            let point = (layout.x(label.point.x), layout.y(label.point.y));
            let width = chart.series[label.series].name.chars().count() as f64 * CHARACTER;
            Some(label.name?.area(point, width))
        };
        curve_labels(chart, &layout).into_iter().filter_map(area).collect()
    }

    #[test]
    fn names_of_curves_on_one_another_do_not_overlap() {
        let policies = ["spark", "fair", "ujf", "uwfq", "uwfq-p", "cfq"];
        for width in [298.0, 640.0, 1100.0] {
            let areas = areas(&chart(&policies, 8), width);
            let apart = |(index, one): (usize, &Rectangle)| {
                areas[index + 1..].iter().all(|other| !overlap(one, other))
            };
            assert!(areas.iter().enumerate().all(apart), "{width}: {areas:?}");
            assert!(areas.len() >= 3, "{width}: most have their names");
        }
        assert_eq!(areas(&chart(&policies, 8), 1100.0).len(), policies.len());
    }

    #[test]
    fn a_name_without_room_is_left_to_the_legend() {
        let chart = chart(&["spark", "fair", "ujf", "cfq", "uwfq", "uwfq-p", "cfq-p", "fair-p", "ujf-p"], 2);
        let labels = curve_labels(&chart, &ChartLayout::new(&chart, 160.0, 100.0));
        assert_eq!(labels.len(), 9, "each curve keeps its marker");
        assert!(labels.iter().any(|label| label.name.is_none()));
    }
}
