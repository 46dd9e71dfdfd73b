//! Zooming and panning: from one window of time to another, never beyond the whole.

use super::TimeAxis;
use fairlane::units::Time;

/// The shortest window, in microseconds: a microsecond is then wide enough to be pointed at.
const SHORTEST: u64 = 20;

/// Part of the window between its edge and an instant that is brought into view.
const MARGIN: f64 = 0.05;

impl TimeAxis {
    /// The window with `factor` times the magnification (above 1 zooms in, below 1 zooms out);
    /// the instant at `at`, a fraction of the width, stays where it is unless an edge of `whole` is
    /// met.
    pub fn zoomed(self, at: f64, factor: f64, whole: TimeAxis) -> TimeAxis {
        if !(factor.is_finite() && factor > 0.0 && at.is_finite()) {
            return self.within(whole);
        }
        let length = self.length() as f64;
        let shortest = (SHORTEST as f64).min(whole.length() as f64);
        let new_length = (length / factor).round().clamp(shortest, whole.length() as f64);
        let anchor = self.from.0 as f64 + at * length;
        window((anchor - at * new_length).round(), new_length, whole)
    }

    /// The window moved by a fraction of its width, to later times if positive.
    pub fn panned(self, by: f64, whole: TimeAxis) -> TimeAxis {
        let by = if by.is_finite() { by } else { 0.0 };
        let length = self.length() as f64;
        window((self.from.0 as f64 + by * length).round(), length, whole)
    }

    /// The window as far as `whole` allows: cut if it is longer, moved if it reaches beyond.
    fn within(self, whole: TimeAxis) -> TimeAxis {
        window(self.from.0 as f64, (self.length() as f64).min(whole.length() as f64), whole)
    }

    /// The window moved as little as shows an instant, such as the playhead after a jump.
    pub fn showing(self, at: Time, whole: TimeAxis) -> TimeAxis {
        let fraction = self.fraction(at);
        if fraction < 0.0 {
            self.panned(fraction - MARGIN, whole)
        } else if fraction > 1.0 {
            self.panned(fraction - 1.0 + MARGIN, whole)
        } else {
            self
        }
    }
}

/// A window of a length, from an instant or from where `whole` lets it begin. Whole numbers of
/// microseconds below 2^53, so nothing is lost in `f64`.
fn window(from: f64, length: f64, whole: TimeAxis) -> TimeAxis {
    let last = (whole.from.0 + whole.length()) as f64 - length;
    let from = from.min(last).max(whole.from.0 as f64);
    TimeAxis { from: Time(from as u64), to: Time((from + length) as u64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: TimeAxis = TimeAxis { from: Time(0), to: Time(100_000_000) };

    fn axis(from: u64, to: u64) -> TimeAxis {
        TimeAxis { from: Time(from), to: Time(to) }
    }

    #[test]
    fn the_instant_under_the_pointer_stays() {
        let near = WHOLE.zoomed(0.25, 4.0, WHOLE);
        assert_eq!(near, axis(18_750_000, 43_750_000));
        assert_eq!(near.time(0.25), WHOLE.time(0.25));
        assert_eq!(near.zoomed(0.25, 0.25, WHOLE), WHOLE);
    }

    #[test]
    fn windows_stay_within_the_whole_and_keep_their_length() {
        let near = axis(90_000_000, 95_000_000);
        assert_eq!(near.panned(0.5, WHOLE), axis(92_500_000, 97_500_000));
        assert_eq!(near.panned(9.0, WHOLE), axis(95_000_000, 100_000_000));
        assert_eq!(near.panned(-90.0, WHOLE), axis(0, 5_000_000));
        assert_eq!(near.zoomed(0.0, 1e-9, WHOLE), WHOLE);
        assert_eq!(axis(90_000_000, 190_000_001).within(WHOLE), WHOLE);
        assert_eq!(axis(190_000_000, 195_000_000).within(WHOLE), axis(95_000_000, 100_000_000));
    }

    #[test]
    fn there_is_a_shortest_window() {
        let near = WHOLE.zoomed(0.5, 1e12, WHOLE);
        assert_eq!(near.length(), SHORTEST);
        assert_eq!(near.zoomed(1.0, 2.0, WHOLE).length(), SHORTEST);
        let tiny = axis(0, 5);
        assert_eq!(tiny.zoomed(0.5, 100.0, tiny), tiny);
        assert_eq!(WHOLE.zoomed(0.5, f64::NAN, WHOLE), WHOLE);
        assert_eq!(WHOLE.zoomed(0.5, 0.0, WHOLE), WHOLE);
        assert_eq!(WHOLE.panned(f64::INFINITY, WHOLE), WHOLE);
    }

    #[test]
    fn zooming_in_and_out_again_does_not_drift() {
        let mut window = WHOLE;
        for _ in 0..40 {
            window = window.zoomed(0.37, 1.2, WHOLE);
        }
        for _ in 0..40 {
            window = window.zoomed(0.37, 1.0 / 1.2, WHOLE);
        }
        assert_eq!(window, WHOLE);
    }

    #[test]
    fn jumps_bring_the_instant_into_view() {
        let window = axis(10_000_000, 20_000_000);
        assert_eq!(window.showing(Time(15_000_000), WHOLE), window);
        assert_eq!(window.showing(Time(30_000_000), WHOLE), axis(20_500_000, 30_500_000));
        assert_eq!(window.showing(Time(2_000_000), WHOLE), axis(1_500_000, 11_500_000));
        assert_eq!(window.showing(Time(0), WHOLE), axis(0, 10_000_000));
    }
}
