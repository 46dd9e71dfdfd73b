//! The one time axis that all panels share.
//!
//! ```
//! use fairlane::units::Time;
//! use fairlane_view::TimeAxis;
//! let axis = TimeAxis { from: Time(0), to: Time(4_000_000) };
//! let labels: Vec<String> = axis.ticks(4).into_iter().map(|tick| tick.label).collect();
//! assert_eq!(labels, ["0 s", "1 s", "2 s", "3 s", "4 s"]);
//! ```

use fairlane::units::{MICROS_PER_SECOND, Time};

/// The window of time that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeAxis {
    /// The instant at the left edge.
    pub from: Time,
    /// The instant at the right edge; later than `from`.
    pub to: Time,
}

/// A labelled value on an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Its position as a fraction of the width.
    pub fraction: f64,
    /// Its value, such as `2.5 s`.
    pub label: String,
}

impl TimeAxis {
    /// The window from the start to `end`, widened to a round figure so that the last task does not
    /// touch the edge.
    pub fn whole(end: Time) -> TimeAxis {
        let step = round_step(end.0 as f64 / 40.0).max(1.0);
        let to = ((end.0 as f64 / step).floor() + 1.0) * step;
        TimeAxis { from: Time::ZERO, to: Time((to as u64).max(1)) }
    }

    /// Microseconds from edge to edge.
    pub fn length(&self) -> u64 {
        (self.to.0.saturating_sub(self.from.0)).max(1)
    }

    /// Microseconds that a logical pixel shows on a plot of this width.
    pub fn pixel_span(&self, width_px: f64) -> f64 {
        self.length() as f64 / width_px.max(1.0)
    }

    /// The position of an instant: 0 at the left edge, 1 at the right, beyond them outside the window.
    pub fn fraction(&self, at: Time) -> f64 {
        (at.0 as f64 - self.from.0 as f64) / self.length() as f64
    }

    /// The instant at a fraction of the width, within the window.
    pub fn time(&self, fraction: f64) -> Time {
        let offset = fraction.clamp(0.0, 1.0) * self.length() as f64;
        Time(self.from.0 + offset.round() as u64)
    }

    /// An instant as exact as a plot can show it, such as `2.50 s`.
    pub fn label(&self, at: Time) -> String {
        let decimals = decimals(self.length() as f64 / LABELLED_PARTS / MICROS_PER_SECOND);
        format!("{:.decimals$} s", at.seconds())
    }

    /// Ticks at round times, about this many.
    pub fn ticks(&self, about: usize) -> Vec<Tick> {
        let (step, instants) = round_values(self.from.0 as f64, self.to.0 as f64, about, 1.0);
        let decimals = decimals(step / MICROS_PER_SECOND);
        instants
            .map(|at| {
                let at = Time(at as u64);
                Tick { fraction: self.fraction(at), label: format!("{:.decimals$} s", at.seconds()) }
            })
            .collect()
    }
}

/// The parts of an axis that labels distinguish.
const LABELLED_PARTS: f64 = 200.0;

/// About this many round values between two ends, and the step between them, which is at least
/// `least_step`.
pub(super) fn round_values(
    from: f64,
    to: f64,
    about: usize,
    least_step: f64,
) -> (f64, impl Iterator<Item = f64>) {
    let step = round_step((to - from) / about.max(1) as f64).max(least_step);
    let first = (from / step - 1e-9).ceil() as i64;
    let last = (to / step + 1e-9).floor() as i64;
    (step, (first..=last).map(move |count| count as f64 * step))
}

/// The decimals that multiples of a step need, six at most.
pub(super) fn decimals(step: f64) -> usize {
    (-(step * 1.000_001).log10().floor()).clamp(0.0, 6.0) as usize
}

/// The smallest 1, 2 or 5 times a power of ten that is at least `least`.
pub(super) fn round_step(least: f64) -> f64 {
    if least <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_round_and_holds_the_end() {
        let axis = TimeAxis::whole(Time(144_900_000));
        assert_eq!(axis, TimeAxis { from: Time(0), to: Time(145_000_000) });
        assert_eq!(TimeAxis::whole(Time(0)).length(), 1);
        let one_second = TimeAxis::whole(Time(1_000_000));
        assert_eq!(one_second.to, Time(1_050_000));
    }

    #[test]
    fn fractions_and_times_are_inverse() {
        let axis = TimeAxis { from: Time(1_000), to: Time(3_000) };
        assert_eq!(axis.fraction(Time(2_000)), 0.5);
        assert_eq!(axis.time(0.5), Time(2_000));
        assert_eq!(axis.time(-1.0), Time(1_000));
    }

    #[test]
    fn an_instant_is_as_exact_as_the_plot() {
        let label = |to, at| TimeAxis { from: Time(0), to: Time(to) }.label(Time(at));
        assert_eq!(label(8_600_000, 3_612_345), "3.61 s");
        assert_eq!(label(145_000_000, 11_214_892), "11.2 s");
        assert_eq!(label(2_000, 1_234), "0.00123 s");
    }

    #[test]
    fn ticks_are_round() {
        let labels = |to, about| {
            let ticks = TimeAxis { from: Time(0), to: Time(to) }.ticks(about);
            ticks.into_iter().map(|tick| tick.label).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(labels(8_000_000, 8), "0 s 1 s 2 s 3 s 4 s 5 s 6 s 7 s 8 s");
        assert_eq!(labels(1_050_000, 5), "0.0 s 0.5 s 1.0 s");
        assert_eq!(labels(145_000_000, 8), "0 s 20 s 40 s 60 s 80 s 100 s 120 s 140 s");
    }
}
