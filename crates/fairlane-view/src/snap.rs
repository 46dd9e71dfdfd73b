//! The grid that dragged things keep to.

use super::axis::round_step;
use fairlane::units::{Span, Time};

/// Least distance of two grid lines, in logical pixels: near enough to aim, far enough to feel.
const MIN_STEP_PX: f64 = 6.0;

/// The grid for dragging at a scale: the smallest 1, 2 or 5 times a power of ten of seconds that is
/// at least six logical pixels wide, and at least a microsecond. `pixel_span` is the microseconds that
/// a logical pixel shows ([`super::TimeAxis::pixel_span`]).
pub fn grid(pixel_span: f64) -> Span {
    Span(round_step(MIN_STEP_PX * pixel_span).max(1.0).round() as u64)
}

/// The nearest instant on a grid; halfway goes to the later one.
pub fn snap(at: Time, grid: Span) -> Time {
    let step = grid.0.max(1);
    Time(at.0.saturating_add(step / 2) / step * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_wide_enough() {
        // 100 s over 1000 px: 0.1 s a pixel, so 0.6 s at least.
        assert_eq!(grid(100_000.0), Span(1_000_000));
        assert_eq!(grid(10_000.0), Span(100_000));
        assert_eq!(grid(3_000.0), Span(20_000));
        assert_eq!(grid(0.01), Span(1));
        assert_eq!(grid(0.0), Span(1));
        for pixels in 1..200 {
            let pixel_span = 1.17_f64.powi(pixels);
            let step = grid(pixel_span).0 as f64;
            let wide = step / pixel_span;
            assert!(wide >= MIN_STEP_PX * 0.999, "{pixel_span}: {wide}");
            assert!(wide <= MIN_STEP_PX * 2.5 || step == 1.0, "{pixel_span}: {wide}");
        }
    }

    #[test]
    fn instants_go_to_the_nearest_line() {
        let grid = Span(500_000);
        assert_eq!(snap(Time(749_999), grid), Time(500_000));
        assert_eq!(snap(Time(750_000), grid), Time(1_000_000));
        assert_eq!(snap(Time(1_234_567), Span(1)), Time(1_234_567));
        assert_eq!(snap(Time(3), Span(0)), Time(3));
    }
}
