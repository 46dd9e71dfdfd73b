//! Axes: the unit of a figure, its text, its position, and the ticks.

use plotters::coord::ranged1d::Ranged;
use plotters::coord::types::RangedCoordf64;

use crate::axis::{decimals, round_step};
use fairlane::number;

/// The unit of an axis's figures, which decides how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisUnit {
    /// Seconds: two decimals below a hundred, one above.
    Seconds,
    /// Seconds that were chosen, not measured: as many decimals as they have.
    Setting,
    /// Core-seconds: as seconds.
    CoreSeconds,
    /// A ratio, such as a slowdown.
    Ratio,
    /// A factor that was chosen, such as how far an estimate is off.
    Factor,
    /// A fraction from 0 to 1, written in percent.
    Share,
    /// A relative difference, written in percent with its sign.
    Change,
    /// Cores, averaged over time: as many decimals as needed, two at most.
    Cores,
    /// None: the axis has names.
    None,
}

impl AxisUnit {
    /// A figure without its unit (but for percent), as in a table.
    pub fn text(self, value: f64) -> String {
        let text = match self {
            AxisUnit::Seconds | AxisUnit::CoreSeconds | AxisUnit::Ratio => number::short(value),
            AxisUnit::Setting | AxisUnit::Factor => number::trimmed(value, 6),
            AxisUnit::Share => number::trimmed(value * 100.0, 1) + " %",
            AxisUnit::Change => number::signed_percent(value, 1),
            AxisUnit::Cores | AxisUnit::None => number::trimmed(value, 2),
        };
        number::with_minus(&text)
    }

    /// A figure with its unit.
    pub fn with_unit(self, value: f64) -> String {
        match self {
            AxisUnit::Seconds | AxisUnit::Setting => format!("{} s", self.text(value)),
            AxisUnit::CoreSeconds => format!("{} core-s", self.text(value)),
            AxisUnit::Factor => format!("factor {}", self.text(value)),
            _ => self.text(value),
        }
    }
}

/// The scale of an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale {
    /// Equal differences are equally long.
    Linear,
    /// Equal ratios are equally long; both ends are above 0.
    Log,
    /// A band for each name, the first at the top.
    Names(Vec<String>),
}

/// One axis of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What its figures are, with the unit.
    pub name: String,
    /// How its figures are written.
    pub unit: AxisUnit,
    /// Their scale.
    pub scale: Scale,
    /// The figure at the left or lower end.
    pub from: f64,
    /// The figure at the right or upper end; more than `from`.
    pub to: f64,
}

impl Axis {
    /// From 0 to a round figure that holds the largest one.
    pub fn from_zero(name: &str, unit: AxisUnit, largest: f64) -> Axis {
        Axis::linear(name, unit, 0.0, rounded_up(largest))
    }

    /// From one figure to another, neither rounded.
    pub fn linear(name: &str, unit: AxisUnit, from: f64, to: f64) -> Axis {
        let to = if to > from { to } else { from + 1.0 };
        Axis { name: name.to_owned(), unit, scale: Scale::Linear, from, to }
    }

    /// Holds 0, the least and the largest figure, with some room beyond.
    pub fn around_zero(name: &str, unit: AxisUnit, least: f64, largest: f64) -> Axis {
        let (least, largest) = (least.min(0.0), largest.max(0.0));
        let step = match largest - least {
            0.0 => 0.01,
            length => round_step(length / 10.0),
        };
        let to = (largest / step).ceil().max(1.0) * step;
        Axis::linear(name, unit, (least / step).floor() * step, to)
    }

    /// Holds the figures, which lie between round ones; from 0 where that takes no more than twice the room.
    pub fn around(name: &str, unit: AxisUnit, figures: impl Iterator<Item = f64>) -> Axis {
        let (least, largest) = figures.fold((f64::INFINITY, 0.0_f64), |(least, largest), figure| {
            (figure.min(least), figure.max(largest))
        });
        if least <= largest - least || least >= largest {
            return Axis::from_zero(name, unit, largest);
        }
        let step = round_step((largest - least) / 10.0);
        Axis::linear(
            name,
            unit,
            ((least / step).floor() - 1.0) * step,
            ((largest / step).ceil() + 1.0) * step,
        )
    }

    /// Equal ratios equally long, from a round figure to a round figure. Figures that are not above
    /// 0 cannot be shown on it.
    pub fn log(name: &str, unit: AxisUnit, figures: impl Iterator<Item = f64>) -> Axis {
        let positive = figures.filter(|&figure| figure > 0.0 && figure.is_finite());
        let (least, largest) = positive
            .fold((f64::INFINITY, 0.0), |(least, largest), figure| (figure.min(least), figure.max(largest)));
        let (from, to) = match largest > 0.0 {
            // The reciprocals of round values are round.
            true => (1.0 / round_step(1.0 / least), round_step(largest)),
            false => (1.0, 10.0),
        };
        let to = if to > from { to } else { from * 2.0 };
        Axis { name: name.to_owned(), unit, scale: Scale::Log, from, to }
    }

    /// A band for each name.
    pub fn names(name: &str, names: Vec<String>) -> Axis {
        let to = names.len().max(1) as f64;
        Axis { name: name.to_owned(), unit: AxisUnit::None, scale: Scale::Names(names), from: 0.0, to }
    }

    /// The position of a figure: 0 at the left or lower end, 1 at the right or upper one. A name's figure
    /// is its index, and its position is the middle of its band.
    pub fn fraction(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.from) / (self.to - self.from),
            Scale::Log => (value.max(f64::MIN_POSITIVE) / self.from).ln() / (self.to / self.from).ln(),
            Scale::Names(_) => 1.0 - (value + 0.5) / self.to,
        }
    }

    /// The figure at a fraction of the axis: the other way round.
    pub fn value(&self, fraction: f64) -> f64 {
        match self.scale {
            Scale::Linear => self.from + fraction * (self.to - self.from),
            Scale::Log => self.from * (self.to / self.from).powf(fraction),
            Scale::Names(_) => (1.0 - fraction) * self.to - 0.5,
        }
    }

    /// Round figures on it and how they are written, at most this many; of names as many as fit.
    pub(super) fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        let values: Vec<f64> = match &self.scale {
            Scale::Linear => RangedCoordf64::from(self.from..self.to).key_points(most),
            Scale::Log => self.log_ticks(most),
            Scale::Names(names) => {
                let every = names.len().div_ceil(most.max(1)).max(1);
                (0..names.len()).step_by(every).map(|index| index as f64).collect()
            }
        };
        let step = values.get(1).map_or(self.to - self.from, |second| second - values[0]);
        // Plotters adds up the steps, and with them their errors.
        let exact =
            |value: f64| if self.scale == Scale::Linear { (value / step).round() * step } else { value };
        values.into_iter().map(exact).map(|value| (value, self.label(value, step))).collect()
    }

    /// A tick's figure, with as many decimals as the step between ticks needs.
    fn label(&self, value: f64, step: f64) -> String {
        let text = match (&self.scale, self.unit) {
            (Scale::Names(names), _) => return names[value as usize].clone(),
            (Scale::Log, _) => number::grouped(&number::trimmed(value, 6)),
            (_, AxisUnit::Share) => number::percent(value, decimals(step * 100.0)),
            (_, AxisUnit::Change) => number::signed_percent(value, decimals(step * 100.0)),
            _ => number::grouped(&format!("{value:.*}", decimals(step))),
        };
        number::with_minus(&text)
    }

    /// 1, 2 and 5 times powers of ten, or only these. Plotters' logarithmic axes have powers of ten only: too few
    /// for figures of the same magnitude.
    fn log_ticks(&self, most: usize) -> Vec<f64> {
        let (low, high) = (self.from * (1.0 - 1e-9), self.to * (1.0 + 1e-9));
        let round = |digits: &[f64]| -> Vec<f64> {
            let decades = low.log10().floor() as i32..=high.log10().floor() as i32;
            let values = decades.flat_map(|power| digits.iter().map(move |digit| digit * 10_f64.powi(power)));
            values.filter(|value| (low..=high).contains(value)).collect()
        };
        let mut values = round(&[1.0, 2.0, 5.0]);
        if values.len() > most {
            // A single power of ten is no scale.
            values = Some(round(&[1.0])).filter(|powers| powers.len() > 1).unwrap_or(values);
        }
        let every = values.len().div_ceil(most.max(1)).max(1);
        values.into_iter().step_by(every).collect()
    }
}

/// The least round figure that holds one: a tenth of it, rounded, times a whole number.
fn rounded_up(largest: f64) -> f64 {
    if largest <= 0.0 || !largest.is_finite() {
        return 1.0;
    }
    let step = round_step(largest / 10.0);
    (largest / step - 1e-9).ceil() * step
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, most: usize) -> String {
        axis.ticks(most).into_iter().map(|(_, label)| label).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn linear_ticks_are_round_and_keep_their_decimals() {
        let axis = Axis::from_zero("response time, s", AxisUnit::Seconds, 113.9);
        assert_eq!((axis.from, axis.to), (0.0, 120.0));
        assert_eq!(labels(&axis, 5), "0 | 50 | 100");
        assert_eq!(labels(&axis, 7), "0 | 20 | 40 | 60 | 80 | 100 | 120");
        assert_eq!(labels(&Axis::from_zero("", AxisUnit::Seconds, 0.31), 5), "0.0 | 0.1 | 0.2 | 0.3");
        assert_eq!(
            labels(&Axis::linear("", AxisUnit::Share, 0.0, 1.0), 6),
            "0 % | 20 % | 40 % | 60 % | 80 % | 100 %"
        );
        assert_eq!(
            labels(&Axis::from_zero("", AxisUnit::CoreSeconds, 25_000.0), 3),
            "0 | 10\u{202f}000 | 20\u{202f}000"
        );
        assert_eq!(labels(&Axis::from_zero("", AxisUnit::Seconds, 0.0), 3), "0.0 | 0.5 | 1.0");
    }

    #[test]
    fn an_axis_around_figures_begins_near_them_if_zero_is_far() {
        let ends = |figures: &[f64]| {
            let axis = Axis::around("", AxisUnit::Seconds, figures.iter().copied());
            (axis.from, axis.to)
        };
        assert_eq!(ends(&[260.0, 269.5]), (259.0, 271.0));
        assert_eq!(ends(&[2.0, 7.0]).0, 0.0);
        assert_eq!((ends(&[5.0]).0, ends(&[])), (0.0, (0.0, 1.0)));
    }

    #[test]
    fn an_axis_around_zero_has_a_tick_at_zero_and_signs() {
        let axis = Axis::around_zero("", AxisUnit::Change, -0.62, 1.3);
        assert_eq!((axis.from, axis.to), (-0.8, 1.4000000000000001));
        assert_eq!(labels(&axis, 5), "−50 % | 0 % | +50 % | +100 %");
        let level = Axis::around_zero("", AxisUnit::Change, 0.0, 0.0);
        assert_eq!((level.from, level.to), (0.0, 0.01));
    }

    #[test]
    fn log_ticks_are_1_2_5_or_powers_of_ten() {
        let figures = |list: &'static [f64]| list.iter().copied();
        let axis = Axis::log("", AxisUnit::Setting, figures(&[0.02, 0.25, 4.0]));
        assert_eq!((axis.from, axis.to), (0.02, 5.0));
        assert_eq!(labels(&axis, 9), "0.02 | 0.05 | 0.1 | 0.2 | 0.5 | 1 | 2 | 5");
        assert_eq!(labels(&axis, 5), "0.1 | 1");
        let wide = Axis::log("", AxisUnit::Ratio, figures(&[0.0, 3e-5, 7e4]));
        assert_eq!((wide.from, wide.to), (2e-5, 1e5));
        assert_eq!(labels(&wide, 5), "0.0001 | 0.01 | 1 | 100 | 10\u{202f}000");
        assert_eq!(labels(&Axis::log("", AxisUnit::Ratio, figures(&[3.0, 7.0])), 5), "2 | 5 | 10");
        let single = Axis::log("", AxisUnit::Ratio, figures(&[1.0]));
        assert_eq!((single.from, single.to), (1.0, 2.0));
    }

    #[test]
    fn figures_and_fractions_are_inverse() {
        let log = Axis::log("", AxisUnit::Ratio, [1.0, 100.0].into_iter());
        assert!((log.fraction(10.0) - 0.5).abs() < 1e-12);
        assert!((log.value(0.5) - 10.0).abs() < 1e-9);
        let names = Axis::names("", vec!["ana".to_owned(), "ben".to_owned()]);
        assert_eq!((names.fraction(0.0), names.fraction(1.0)), (0.75, 0.25));
        assert_eq!(names.value(0.25), 1.0);
    }

    #[test]
    fn figures_are_written_as_people_read_them() {
        let text = |unit: AxisUnit, value: f64| unit.with_unit(value);
        assert_eq!(text(AxisUnit::Seconds, 12.345), "12.35 s");
        assert_eq!(text(AxisUnit::Seconds, 113.93), "113.9 s");
        assert_eq!(text(AxisUnit::Setting, 0.025), "0.025 s");
        assert_eq!(text(AxisUnit::Factor, 16.0), "factor 16");
        assert_eq!(text(AxisUnit::Share, 0.625), "62.5 %");
        assert_eq!(text(AxisUnit::Share, 1.0), "100 %");
        assert_eq!(text(AxisUnit::Change, -0.1234), "−12.3 %");
        assert_eq!(text(AxisUnit::Change, 0.5), "+50.0 %");
        assert_eq!(text(AxisUnit::Change, -0.0001), "0.0 %");
        assert_eq!(text(AxisUnit::Cores, 3.5), "3.5");
        assert_eq!(text(AxisUnit::CoreSeconds, 24.0), "24.00 core-s");
    }
}
