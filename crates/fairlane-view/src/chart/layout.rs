//! The layout of a chart, in logical pixels from its upper left corner.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use super::{Axis, Chart, Scale, SeriesShape};
use crate::export::svg::shortened;

/// About how wide a character of a number is, and one of a name, which may be of capitals.
const CHARACTER: f64 = 6.8;
const CAPITAL: f64 = 8.0;
/// Room above the plot for the name of the y axis.
const TOP: f64 = 22.0;
/// Room below it for the ticks of the x axis, and for its name.
const BOTTOM: f64 = 38.0;
/// Room right of it for the half of the last tick.
const RIGHT: f64 = 16.0;
/// Between a label and the plot.
const GAP: f64 = 7.0;
/// The largest part of the width for names.
const MAX_NAMES: f64 = 0.34;
/// The least distance of two ticks of the x axis beyond the label's length, in characters.
const TICK_GAP: f64 = 3.0;
/// Between two ticks of the y axis, and between two names.
const ROW: f64 = 38.0;
const MIN_ROW: f64 = 12.0;

/// A rectangle in logical pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlotArea {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Lower edge.
    pub bottom: f64,
}

/// The positions of a chart's parts.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartLayout {
    /// The width of the whole chart, in logical pixels.
    pub width: f64,
    /// The height of the whole chart, in logical pixels.
    pub height: f64,
    /// The area between the axes.
    pub plot: PlotArea,
    pub(super) x: Ruler,
    pub(super) y: Ruler,
}

/// An axis with its ticks: figures and how they are written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ruler {
    axis: Axis,
    ticks: Vec<(f64, String)>,
}

impl Ruler {
    /// Most characters of a tick.
    fn longest(&self) -> f64 {
        self.ticks.iter().map(|tick| width(Some(tick))).fold(0.0, f64::max)
    }
}

/// Characters of a tick.
fn width(tick: Option<&(f64, String)>) -> f64 {
    tick.map_or(0, |(_, label)| label.chars().count()) as f64
}

impl Ranged for Ruler {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        // Figures beyond the axis are at its end.
        from + (self.axis.fraction(*value).clamp(0.0, 1.0) * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match hint.weight().allow_light_points() {
            true => Vec::new(),
            false => self.ticks.iter().map(|tick| tick.0).collect(),
        }
    }

    fn range(&self) -> Range<f64> {
        self.axis.from..self.axis.to
    }
}

impl ValueFormatter<f64> for Ruler {
    fn format_ext(&self, value: &f64) -> String {
        self.ticks.iter().find(|tick| tick.0 == *value).map(|tick| tick.1.clone()).unwrap_or_default()
    }
}

/// Least and usual height of a bar, and the part of a group that is left free.
const BAR: f64 = 9.0;
const MIN_BAR: f64 = 3.0;
const GROUP_GAP: f64 = 0.24;

/// The height of a chart in a room of this height: bars need their own.
pub fn height(chart: &Chart, room: f64) -> f64 {
    match (&chart.y.scale, chart.shape) {
        (Scale::Names(names), SeriesShape::Bars) => {
            let bars = (names.len() * chart.series.len()).max(1) as f64;
            let share = (room - TOP - BOTTOM) * (1.0 - GROUP_GAP) / bars;
            let group = (bars * share.clamp(MIN_BAR, BAR) / (1.0 - GROUP_GAP)).max(names.len() as f64 * 16.0);
            TOP + BOTTOM + group
        }
        _ => room,
    }
}

/// Room for the dots of one item, and most that two of them are apart.
const SIDE_BY_SIDE: f64 = 48.0;
const MAX_ASIDE: f64 = 7.0;

impl ChartLayout {
    /// Lays a chart out on this many logical pixels.
    pub fn new(chart: &Chart, width: f64, height: f64) -> ChartLayout {
        let room = if matches!(chart.y.scale, Scale::Names(_)) { MIN_ROW } else { ROW };
        let up = chart.y.ticks(1 + ((height - TOP - BOTTOM) / room).max(1.0) as usize);
        let mut y = Ruler { axis: chart.y.clone(), ticks: up };
        let left = match chart.y.scale {
            Scale::Names(_) => (y.longest() * CAPITAL).min(width * MAX_NAMES),
            _ => y.longest() * CHARACTER,
        } + GAP;
        let fits = ((left - GAP) / CHARACTER).max(1.0) as usize;
        for (_, label) in &mut y.ticks {
            *label = shortened(label, fits);
        }
        let mut plot = PlotArea {
            left,
            top: TOP,
            right: (width - RIGHT).max(left + 1.0),
            bottom: (height - BOTTOM).max(TOP + 1.0),
        };
        // As many ticks as fit beside each other.
        let mut most = 1 + ((width - 80.0) / 34.0).max(1.0) as usize;
        let mut x = Ruler { axis: chart.x.clone(), ticks: chart.x.ticks(most) };
        while most > 2 && (x.longest() + TICK_GAP) * CHARACTER > closest(&x) * (plot.right - plot.left) {
            most -= 1;
            x.ticks = chart.x.ticks(most);
        }
        // The labels at the ends are whole.
        let [first, last] = [x.ticks.first(), x.ticks.last()].map(|tick| self::width(tick) * CHARACTER / 2.0);
        plot.left = plot.left.max(first.min(width / 4.0));
        plot.right = plot.right.min(width - last).max(plot.left + 1.0);
        ChartLayout { width, height, plot, x, y }
    }

    /// The position of a figure of the x axis.
    pub fn x(&self, value: f64) -> f64 {
        self.plot.left + self.x.axis.fraction(value) * (self.plot.right - self.plot.left)
    }

    /// The position of a figure of the y axis.
    pub fn y(&self, value: f64) -> f64 {
        self.plot.bottom - self.y.axis.fraction(value) * (self.plot.bottom - self.plot.top)
    }

    /// The figure of the x axis at a position.
    pub fn value_at(&self, x: f64) -> f64 {
        self.x.axis.value((x - self.plot.left) / (self.plot.right - self.plot.left))
    }

    /// How far a series' dot is moved to the right, so that those of one item are side by side.
    pub fn aside(&self, series: usize, of: usize) -> f64 {
        let step = (SIDE_BY_SIDE / of.max(1) as f64).min(MAX_ASIDE);
        step * (series as f64 - (of.max(1) as f64 - 1.0) / 2.0)
    }

    /// Upper and lower edge of a series' bar in a group of `of` bars.
    pub fn bar(&self, group: u32, series: usize, of: usize) -> (f64, f64) {
        let (top, bottom) = bar(group, series, of);
        (self.y(top), self.y(bottom))
    }
}

/// Upper and lower edge of a series' bar in a group of `of` bars, as figures of the y axis.
pub(super) fn bar(group: u32, series: usize, of: usize) -> (f64, f64) {
    let bar = (1.0 - GROUP_GAP) / of.max(1) as f64;
    let top = f64::from(group) - 0.5 + GROUP_GAP / 2.0 + series as f64 * bar;
    (top, top + bar)
}

/// The distance of the two closest ticks, as a part of the axis.
fn closest(ruler: &Ruler) -> f64 {
    let at = |tick: &(f64, String)| ruler.axis.fraction(tick.0);
    ruler.ticks.windows(2).map(|pair| at(&pair[1]) - at(&pair[0])).fold(1.0, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Bars, Grouping, user_bars};

    fn bars(users: usize, policies: &[&str]) -> Chart {
        let users: Vec<String> = (1..=users).map(|user| format!("user with a long name {user}")).collect();
        let figures: Vec<Option<f64>> = vec![Some(2.0); users.len()];
        let rows: Vec<_> =
            policies.iter().map(|policy| (policy.parse().expect("a policy"), figures.clone())).collect();
        user_bars(&Bars::RESPONSE, &rows, &users, Grouping::Policy)
    }

    #[test]
    fn ticks_never_touch_each_other() {
        let mut chart = bars(3, &["fair", "uwfq"]);
        for largest in [0.003, 1.0, 47.0, 150.0, 98_000.0, 7_654_321.0] {
            for width in [200.0, 298.0, 358.0, 1200.0] {
                chart.x = Axis::from_zero("", super::super::AxisUnit::Seconds, largest);
                let layout = ChartLayout::new(&chart, width, 240.0);
                let ticks = &layout.x.ticks;
                assert!(ticks.len() >= 2, "{largest} on {width}");
                let ends = |tick: &(f64, String)| {
                    let half = super::width(Some(tick)) * CHARACTER / 2.0;
                    (layout.x(tick.0) - half, layout.x(tick.0) + half)
                };
                assert!(ends(ticks.last().expect("a tick")).1 <= width, "{largest} on {width}");
                let apart = ticks.windows(2).all(|pair| ends(&pair[0]).1 < ends(&pair[1]).0);
                assert!(apart, "{largest} on {width}: {ticks:?}");
            }
        }
    }

    /// Such as "+20 %" at the right and "−20 %" at the left, beside names of one letter.
    #[test]
    fn labels_at_the_ends_are_whole() {
        let rows = [("uwfq".parse().expect("a policy"), vec![Some(1.0)])];
        let mut chart = user_bars(&Bars::AGAINST_UJF, &rows, &["a".to_owned()], Grouping::User);
        for (least, largest) in [(-0.2, 0.2), (-0.02, 0.2), (-3.0, 12.0), (-0.001, 0.0)] {
            for width in [160.0, 298.0, 358.0] {
                chart.x = Axis::around_zero("", super::super::AxisUnit::Change, least, largest);
                let layout = ChartLayout::new(&chart, width, 240.0);
                for tick in &layout.x.ticks {
                    let middle = layout.x(tick.0);
                    let half = super::width(Some(tick)) * CHARACTER / 2.0;
                    assert!(middle - half >= 0.0 && middle + half <= width, "{tick:?} on {width}");
                }
            }
        }
    }

    #[test]
    fn long_names_leave_room_for_the_plot() {
        let chart = user_bars(
            &Bars::RESPONSE,
            &[("uwfq".parse().expect("a policy"), vec![Some(1.0)])],
            &["a name that is longer than any label should be".to_owned()],
            Grouping::User,
        );
        let layout = ChartLayout::new(&chart, 300.0, 200.0);
        assert!(layout.plot.left <= 300.0 * MAX_NAMES + GAP);
        assert!(layout.y.ticks[0].1.ends_with('…'), "{:?}", layout.y);
        assert_eq!(shortened("ana", 3), "ana");
        assert_eq!(shortened("anna", 3), "an…");
    }

    #[test]
    fn bars_lie_in_their_groups_without_overlap() {
        let chart = bars(3, &["fair", "uwfq"]);
        let height = height(&chart, 500.0);
        let layout = ChartLayout::new(&chart, 300.0, height);
        let mut last = layout.plot.top;
        for group in 0..2 {
            for series in 0..3 {
                let (top, bottom) = layout.bar(group, series, 3);
                assert!(top >= last - 1e-9 && bottom > top, "{group} {series}");
                last = bottom;
            }
        }
        assert!(last <= layout.plot.bottom);
    }
}
