//! The point of a chart under a pointer, or next to another one in the direction of a key.

use super::{Chart, ChartLayout, SeriesShape};

/// A point's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointIndex {
    /// The series, by index in the chart.
    pub series: usize,
    /// The point, by index in the series.
    pub point: usize,
}

/// The direction of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickHeading {
    /// To the item before.
    Left,
    /// To the item after.
    Right,
    /// To the series above, in a list of the series: the one before.
    Up,
    /// To the series after.
    Down,
    /// To the series' first point.
    First,
    /// To the series' last point.
    Last,
}

/// Where a point is drawn, in logical pixels: the end of a bar, the top of a band.
pub fn position(chart: &Chart, layout: &ChartLayout, spot: PointIndex) -> Option<(f64, f64)> {
    let point = chart.point(spot)?;
    Some(match chart.shape {
        SeriesShape::Bars => {
            let (top, bottom) = layout.bar(point.item, spot.series, chart.series.len());
            (layout.x(point.x), (top + bottom) / 2.0)
        }
        SeriesShape::Stack => (layout.x(point.x), layout.y(top_of(chart, spot))),
        SeriesShape::Dots => {
            (layout.x(point.x) + layout.aside(spot.series, chart.series.len()), layout.y(point.y))
        }
        _ => (layout.x(point.x), layout.y(point.y)),
    })
}

/// How high the bands reach up to and with that of a point.
fn top_of(chart: &Chart, spot: PointIndex) -> f64 {
    let below = chart.series[..=spot.series].iter();
    below.filter_map(|series| series.points.get(spot.point)).map(|point| point.y).sum()
}

/// The point nearest to a position in logical pixels; in bars and stacks the bar or band at that position.
pub fn nearest(chart: &Chart, layout: &ChartLayout, (x, y): (f64, f64)) -> Option<PointIndex> {
    match chart.shape {
        SeriesShape::Stack => nearest_band(chart, layout, x, y),
        SeriesShape::Bars => least(chart, |spot| {
            let point = chart.point(spot)?;
            let (top, bottom) = layout.bar(point.item, spot.series, chart.series.len());
            Some((y - (top + bottom) / 2.0).abs())
        }),
        _ => least(chart, |spot| {
            let (at, height) = position(chart, layout, spot)?;
            Some((at - x).hypot(height - y))
        }),
    }
}

/// The spot at the least distance, the first of several.
fn least(chart: &Chart, distance: impl Fn(PointIndex) -> Option<f64>) -> Option<PointIndex> {
    let series = chart.series.iter().enumerate();
    let spots = series
        .flat_map(|(series, list)| (0..list.points.len()).map(move |point| PointIndex { series, point }));
    let distances = spots.filter_map(|spot| distance(spot).map(|distance| (spot, distance)));
    distances.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(spot, _)| spot)
}

/// The band under a position, or else the topmost one that is not empty there.
fn nearest_band(chart: &Chart, layout: &ChartLayout, x: f64, y: f64) -> Option<PointIndex> {
    let points = &chart.series.first()?.points;
    let at = layout.value_at(x);
    let point = points.partition_point(|point| point.x <= at).saturating_sub(1);
    points.get(point)?;
    let spots = || (0..chart.series.len()).map(|series| PointIndex { series, point });
    let there = |spot: &PointIndex| chart.point(*spot).is_some_and(|point| point.y > 0.0);
    let over = |spot: &PointIndex| layout.y(top_of(chart, *spot)) <= y;
    spots().filter(there).find(over).or_else(|| spots().rfind(there)).or_else(|| spots().next())
}

/// Where the keys begin: at the first point there is.
pub fn start(chart: &Chart) -> Option<PointIndex> {
    let series = chart.series.iter().position(|series| !series.points.is_empty())?;
    Some(PointIndex { series, point: 0 })
}

/// The point beside another one; the same one where there is none.
pub fn neighbour(chart: &Chart, spot: PointIndex, heading: PickHeading) -> Option<PointIndex> {
    let point = chart.point(spot)?;
    let length = chart.series[spot.series].points.len();
    let at = |point: usize| PointIndex { point, ..spot };
    Some(match heading {
        PickHeading::Left => at(spot.point.saturating_sub(1)),
        PickHeading::Right => at((spot.point + 1).min(length - 1)),
        PickHeading::First => at(0),
        PickHeading::Last => at(length - 1),
        PickHeading::Up | PickHeading::Down => {
            let others = chart.series.iter().enumerate();
            let mut others = others.filter(|(index, series)| match heading {
                PickHeading::Up => *index < spot.series && !series.points.is_empty(),
                _ => *index > spot.series && !series.points.is_empty(),
            });
            let other = if heading == PickHeading::Up { others.next_back() } else { others.next() };
            let Some((series, list)) = other else { return Some(spot) };
            // The same item where items are shared, or else the one that is least far along the axis.
            let shared = chart.shape != SeriesShape::Lines;
            let same = list.points.iter().position(|other| shared && other.item == point.item);
            let distance = |index: &usize| (list.points[*index].x - point.x).abs();
            let close = || (0..list.points.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
            PointIndex { series, point: same.or_else(close)? }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, AxisUnit, ChartPoint, Dots, Series, SeriesInk};
    use super::*;

    fn chart(shape: SeriesShape, series: &[&[(u32, f64, f64)]]) -> Chart {
        let series = series.iter().enumerate().map(|(index, points)| Series {
            name: format!("series {index}"),
            ink: SeriesInk::Text,
            dots: Dots::Shown,
            points: points.iter().map(|&(item, x, y)| ChartPoint { item, x, y }).collect(),
        });
        Chart {
            title: String::new(),
            x: Axis::linear("", AxisUnit::Seconds, 0.0, 10.0),
            y: Axis::linear("", AxisUnit::Seconds, 0.0, 10.0),
            shape,
            series: series.collect(),
            item: String::new(),
            names: Vec::new(),
            marks: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn spot(series: usize, point: usize) -> PointIndex {
        PointIndex { series, point }
    }

    #[test]
    fn the_nearest_dot_is_the_nearest_on_the_screen() {
        let chart = chart(SeriesShape::Dots, &[&[(0, 1.0, 1.0), (1, 9.0, 9.0)], &[(0, 5.0, 5.0)]]);
        let layout = ChartLayout::new(&chart, 400.0, 400.0);
        let near = |x, y| nearest(&chart, &layout, (layout.x(x), layout.y(y)));
        assert_eq!(near(1.2, 0.9), Some(spot(0, 0)));
        assert_eq!(near(6.0, 5.5), Some(spot(1, 0)));
        assert_eq!(near(20.0, 20.0), Some(spot(0, 1)), "beyond the plot");
        let (x, y) = position(&chart, &layout, spot(1, 0)).expect("a point");
        assert_eq!((x, y), (layout.x(5.0) + 3.5, layout.y(5.0)), "the second of two is at the right");
    }

    #[test]
    fn in_a_stack_the_band_under_the_pointer_is_meant() {
        // Two bands of 2 and 3 from 0 to 4, and nothing of the first from 4 on.
        let chart =
            chart(SeriesShape::Stack, &[&[(0, 0.0, 2.0), (1, 4.0, 0.0)], &[(0, 0.0, 3.0), (1, 4.0, 1.0)]]);
        let layout = ChartLayout::new(&chart, 400.0, 400.0);
        let near = |x, y| nearest(&chart, &layout, (layout.x(x), layout.y(y)));
        assert_eq!(near(1.0, 1.0), Some(spot(0, 0)));
        assert_eq!(near(1.0, 3.0), Some(spot(1, 0)));
        assert_eq!(near(1.0, 9.0), Some(spot(1, 0)), "above all bands: the topmost");
        assert_eq!(near(6.0, 0.5), Some(spot(1, 1)), "an empty band cannot be meant");
        assert_eq!(position(&chart, &layout, spot(1, 0)), Some((layout.x(0.0), layout.y(5.0))));
    }

    #[test]
    fn keys_walk_along_a_series_and_over_to_others() {
        let chart = chart(
            SeriesShape::Measured,
            &[&[(0, 1.0, 1.0), (1, 2.0, 1.0), (2, 3.0, 1.0)], &[], &[(0, 1.0, 2.0), (2, 3.0, 2.0)]],
        );
        let go = |from, heading| neighbour(&chart, from, heading).expect("a point");
        assert_eq!(start(&chart), Some(spot(0, 0)));
        assert_eq!(go(spot(0, 0), PickHeading::Left), spot(0, 0));
        assert_eq!(go(spot(0, 0), PickHeading::Right), spot(0, 1));
        assert_eq!(go(spot(0, 2), PickHeading::Right), spot(0, 2));
        assert_eq!(go(spot(0, 0), PickHeading::Last), spot(0, 2));
        assert_eq!(go(spot(0, 2), PickHeading::Down), spot(2, 1), "the same item, beyond an empty series");
        assert_eq!(go(spot(0, 1), PickHeading::Down), spot(2, 0), "no such item: the nearest");
        assert_eq!(go(spot(2, 1), PickHeading::Up), spot(0, 2));
        assert_eq!(go(spot(2, 1), PickHeading::Down), spot(2, 1));
        assert_eq!(neighbour(&chart, spot(1, 0), PickHeading::Left), None);
        assert_eq!(start(&super::super::Chart { series: Vec::new(), ..chart }), None);
    }
}
