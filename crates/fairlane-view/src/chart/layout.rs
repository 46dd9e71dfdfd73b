//! The layout of a chart, in logical pixels from its upper left corner.

use super::{Axis, Chart, Scale, Shape};
use crate::axis::Tick;

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
const MOST_NAMES: f64 = 0.34;
/// The least distance of two ticks of the x axis beyond the label's length, in characters.
const TICK_GAP: f64 = 3.0;
/// Between two ticks of the y axis.
const ROW: f64 = 38.0;

/// A rectangle in logical pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
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
pub struct Layout {
    /// Of the whole, in logical pixels.
    pub width: f64,
    /// Of the whole, in logical pixels.
    pub height: f64,
    /// The area between the axes.
    pub plot: Area,
    /// Ticks of the x axis.
    pub across: Vec<Tick>,
    /// Ticks of the y axis.
    pub up: Vec<Tick>,
    x: Axis,
    y: Axis,
}

/// Least and usual height of a bar, and the part of a group that is left free.
const BAR: f64 = 9.0;
const LEAST_BAR: f64 = 3.0;
const GROUP_GAP: f64 = 0.24;

/// The height of a chart in a room of this height: bars need their own.
pub fn height(chart: &Chart, room: f64) -> f64 {
    match (&chart.y.scale, chart.shape) {
        (Scale::Names(names), Shape::Bars) => {
            let bars = (names.len() * chart.series.len()).max(1) as f64;
            let share = (room - TOP - BOTTOM) * (1.0 - GROUP_GAP) / bars;
            let group =
                (bars * share.clamp(LEAST_BAR, BAR) / (1.0 - GROUP_GAP)).max(names.len() as f64 * 16.0);
            TOP + BOTTOM + group
        }
        _ => room,
    }
}

/// Room for the dots of one item, and most that two of them are apart.
const SIDE_BY_SIDE: f64 = 48.0;
const MOST_ASIDE: f64 = 7.0;

impl Layout {
    /// Lays a chart out on this many logical pixels.
    pub fn new(chart: &Chart, width: f64, height: f64) -> Layout {
        let across = (width - 80.0).max(40.0);
        let up = chart.y.ticks(((height - TOP - BOTTOM) / ROW).max(2.0) as usize);
        let longest = up.iter().map(|tick| tick.label.chars().count()).max().unwrap_or(0) as f64;
        let left = match chart.y.scale {
            Scale::Names(_) => (longest * CAPITAL).min(width * MOST_NAMES),
            _ => longest * CHARACTER,
        } + GAP;
        let fits = |width: f64| (width / CHARACTER).max(1.0) as usize;
        let up = up
            .into_iter()
            .map(|tick| Tick { label: shortened(&tick.label, fits(left - GAP)), ..tick })
            .collect();
        let mut plot = Area {
            left,
            top: TOP,
            right: (width - RIGHT).max(left + 1.0),
            bottom: (height - BOTTOM).max(TOP + 1.0),
        };
        // As many ticks as fit beside each other. The last one extends by half its length.
        let mut about = (across / 34.0) as usize;
        let across = loop {
            let ticks = chart.x.ticks(about.max(2));
            let longest = ticks.iter().map(|tick| tick.label.chars().count()).max().unwrap_or(1) as f64;
            let room = (plot.right - plot.left) / closest(&ticks);
            if about <= 2 || (longest + TICK_GAP) * CHARACTER <= room {
                // The labels at the ends are whole.
                let half = |tick: Option<&Tick>| {
                    tick.map_or(0, |tick| tick.label.chars().count()) as f64 * CHARACTER / 2.0
                };
                plot.left = plot.left.max(half(ticks.first()).min(width / 4.0));
                plot.right = plot.right.min(width - half(ticks.last())).max(plot.left + 1.0);
                break ticks;
            }
            about -= 1;
        };
        Layout { width, height, plot, across, up, x: chart.x.clone(), y: chart.y.clone() }
    }

    /// The position of a figure of the x axis.
    pub fn x(&self, value: f64) -> f64 {
        self.plot.left + self.x.fraction(value) * (self.plot.right - self.plot.left)
    }

    /// The position of a figure of the y axis.
    pub fn y(&self, value: f64) -> f64 {
        self.plot.bottom - self.y.fraction(value) * (self.plot.bottom - self.plot.top)
    }

    /// The figure of the x axis at a position.
    pub fn value_at(&self, x: f64) -> f64 {
        self.x.value((x - self.plot.left) / (self.plot.right - self.plot.left))
    }

    /// How far a series' dot is moved to the right, so that those of one item are side by side.
    pub fn aside(&self, series: usize, of: usize) -> f64 {
        let step = (SIDE_BY_SIDE / of.max(1) as f64).min(MOST_ASIDE);
        step * (series as f64 - (of.max(1) as f64 - 1.0) / 2.0)
    }

    /// Upper and lower edge of a series' bar in a group of `of` bars.
    pub fn bar(&self, group: u32, series: usize, of: usize) -> (f64, f64) {
        let band = (self.plot.bottom - self.plot.top) / self.y.to;
        let top = self.plot.top + f64::from(group) * band + band * GROUP_GAP / 2.0;
        let bar = band * (1.0 - GROUP_GAP) / of.max(1) as f64;
        (top + series as f64 * bar, top + (series as f64 + 1.0) * bar)
    }
}

/// The length of the axis in distances of its two closest ticks.
fn closest(ticks: &[Tick]) -> f64 {
    let distances = ticks.windows(2).map(|pair| (pair[1].fraction - pair[0].fraction).abs());
    1.0 / distances.fold(1.0_f64, f64::min).max(1e-9)
}

/// A text of at most this many characters; one that is cut ends in an ellipsis.
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
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
                chart.x = Axis::from_zero("", super::super::Unit::Seconds, largest);
                let layout = Layout::new(&chart, width, 240.0);
                assert!(layout.across.len() >= 2, "{largest} on {width}");
                let ends = |tick: &Tick| {
                    let middle = layout.plot.left + tick.fraction * (layout.plot.right - layout.plot.left);
                    let half = tick.label.chars().count() as f64 * CHARACTER / 2.0;
                    (middle - half, middle + half)
                };
                assert!(ends(layout.across.last().expect("a tick")).1 <= width, "{largest} on {width}");
                let apart = layout.across.windows(2).all(|pair| ends(&pair[0]).1 < ends(&pair[1]).0);
                assert!(apart, "{largest} on {width}: {:?}", layout.across);
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
                chart.x = Axis::around_zero("", super::super::Unit::Change, least, largest);
                let layout = Layout::new(&chart, width, 240.0);
                for tick in &layout.across {
                    let middle = layout.plot.left + tick.fraction * (layout.plot.right - layout.plot.left);
                    let half = tick.label.chars().count() as f64 * CHARACTER / 2.0;
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
        let layout = Layout::new(&chart, 300.0, 200.0);
        assert!(layout.plot.left <= 300.0 * MOST_NAMES + GAP);
        assert!(layout.up[0].label.ends_with('…'), "{:?}", layout.up);
        assert_eq!(shortened("ana", 3), "ana");
        assert_eq!(shortened("anna", 3), "an…");
    }

    #[test]
    fn bars_lie_in_their_groups_without_overlap() {
        let chart = bars(3, &["fair", "uwfq"]);
        let height = height(&chart, 500.0);
        let layout = Layout::new(&chart, 300.0, height);
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
