//! The strip that shows the whole schedule above the ruler, and the brush on it: what a drag of the brush means.

use super::TimeAxis;
use fairlane::units::Time;

/// What of the brush is dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrushHandle {
    /// Its left edge.
    Start,
    /// Its right edge.
    End,
    /// All of it.
    Middle,
    /// None of it: a new one is drawn.
    New,
}

/// The shortest window that a brush makes, as a part of the whole.
const SHORTEST: f64 = 0.005;

/// The window that a drag on the strip means: from one fraction of the strip to another, with the window as it was when
/// the drag began.
pub fn dragged(grip: BrushHandle, window: TimeAxis, whole: TimeAxis, from: f64, to: f64) -> TimeAxis {
    let (start, end) = (whole.fraction(window.from), whole.fraction(window.to));
    let by = to - from;
    let (start, end) = match grip {
        BrushHandle::Start => ((start + by).min(end - SHORTEST), end),
        BrushHandle::End => (start, (end + by).max(start + SHORTEST)),
        BrushHandle::Middle => {
            let by = by.clamp(-start, 1.0 - end);
            (start + by, end + by)
        }
        BrushHandle::New => (from.min(to), from.max(to).max(from.min(to) + SHORTEST)),
    };
    let time = |fraction: f64| Time(whole.time(fraction).0);
    let start = start.clamp(0.0, 1.0 - SHORTEST);
    let (from, to) = (time(start), time(end.max(start + SHORTEST)));
    TimeAxis { from, to: to.max(Time(from.0 + 1)) }
}

/// How far a key moves a grip, as a part of the window, or all of the window where it is the middle.
pub const KEY_STEP: f64 = 0.1;

/// Columns of the strip.
pub const COLUMNS: usize = 160;

/// The outlines of numbers that are stacked on each other, one number per column: for each the path of an SVG image
/// that is as wide as there are columns and as high as `top`. Series without any number have none.
pub fn stacked(series: &[Vec<u32>], top: u32) -> Vec<Option<String>> {
    let mut below = vec![0; series.first().map_or(0, Vec::len)];
    let path = |numbers: &Vec<u32>| {
        if numbers.iter().all(|&number| number == 0) {
            return None;
        }
        let mut path = String::new();
        for (column, (number, below)) in numbers.iter().zip(&mut below).enumerate() {
            if *number > 0 {
                let upper = top.saturating_sub(*below + number);
                path += &format!("M{column} {upper}h1.05v{number}h-1.05z");
            }
            *below += number;
        }
        Some(path)
    };
    series.iter().map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: TimeAxis = TimeAxis { from: Time(0), to: Time(1_000_000) };

    fn window(from: u64, to: u64) -> TimeAxis {
        TimeAxis { from: Time(from), to: Time(to) }
    }

    #[test]
    fn edges_zoom_and_the_middle_pans_within_the_whole() {
        let base = window(200_000, 400_000);
        let drag = |grip, from, to| dragged(grip, base, WHOLE, from, to);
        assert_eq!(drag(BrushHandle::Start, 0.2, 0.1), window(100_000, 400_000));
        assert_eq!(drag(BrushHandle::Start, 0.2, -3.0), window(0, 400_000));
        assert_eq!(drag(BrushHandle::Start, 0.2, 0.9), window(395_000, 400_000));
        assert_eq!(drag(BrushHandle::End, 0.4, 0.7), window(200_000, 700_000));
        assert_eq!(drag(BrushHandle::End, 0.4, 9.0), window(200_000, 1_000_000));
        assert_eq!(drag(BrushHandle::End, 0.4, 0.0), window(200_000, 205_000));
        assert_eq!(drag(BrushHandle::Middle, 0.3, 0.5), window(400_000, 600_000));
        assert_eq!(drag(BrushHandle::Middle, 0.3, 0.0), window(0, 200_000));
        assert_eq!(drag(BrushHandle::Middle, 0.3, 1.9), window(800_000, 1_000_000));
        assert_eq!(drag(BrushHandle::New, 0.7, 0.5), window(500_000, 700_000));
        assert_eq!(drag(BrushHandle::New, 1.0, 1.0), window(995_000, 1_000_000));
    }

    #[test]
    fn numbers_are_stacked_from_below() {
        let paths = stacked(&[vec![1, 0], vec![0, 0], vec![2, 3]], 4);
        assert_eq!(paths[0].as_deref(), Some("M0 3h1.05v1h-1.05z"));
        assert_eq!(paths[1], None);
        assert_eq!(paths[2].as_deref(), Some("M0 1h1.05v2h-1.05zM1 1h1.05v3h-1.05z"));
    }
}
