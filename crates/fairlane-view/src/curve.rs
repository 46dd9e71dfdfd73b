//! The picture of a performance curve, and the handles by which it is pulled.
//!
//! Slots lie on a logarithmic axis, progress on one from 0. The handles of points are the points. Those of Ernest's
//! model lie on the curve, one for each of its terms, where that term weighs most; pulling one changes its term so that
//! the curve passes through it.

use fairlane::ernest::{self, Sample, rounded};
use fairlane::number;
use fairlane::scenario::PerformanceCurve;
use fairlane::units::{MICROS_PER_SECOND, Span};

/// Where the picture's area is in its drawing, in its own units: left, top, right and lower edge.
pub const AREA: (f64, f64, f64, f64) = (34.0, 12.0, 290.0, 146.0);
/// Width and height of the drawing.
pub const SIZE: (f64, f64) = (300.0, 172.0);

/// Significant digits of what is pulled.
const DIGITS: usize = 3;
/// The part of the height up to which a curve goes when it is first drawn, so that it can be pulled further up.
const FULL: f64 = 0.85;
/// The least progress that can be pulled to, as a part of the height.
const MIN_HEIGHT: f64 = 0.005;
/// Most numbers of slots at which a curve is drawn.
const MAX_STEPS: u32 = 120;

/// How slots and progress are laid out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plot {
    /// The cluster's cores: the right edge.
    pub cores: u32,
    /// The progress at the upper edge.
    pub top: f64,
}

/// What can be pulled.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveHandle {
    /// Number of slots.
    pub slots: u32,
    /// The curve's progress there.
    pub progress: f64,
    /// What it is.
    pub name: String,
}

/// The terms of Ernest's model in the order of their handles from left to right: what readers know them by, and their
/// index among the coefficients of a file.
pub const TERMS: [(&str, usize); 4] =
    [("divided work", 2), ("serial part", 0), ("depth of a tree", 3), ("cost of each slot", 1)];

impl Plot {
    /// A layout with room for some curves and for points of progress.
    pub fn of<'a>(
        cores: u32,
        curves: impl IntoIterator<Item = &'a PerformanceCurve>,
        points: impl IntoIterator<Item = f64>,
    ) -> Plot {
        let slots = steps(cores);
        let heights = curves.into_iter().flat_map(|curve| slots.iter().map(|&slots| curve.progress(slots)));
        let highest = heights.chain(points).filter(|height| height.is_finite()).fold(0.0, f64::max);
        let top = if highest > 0.0 { round_up(highest / FULL) } else { 1.0 };
        Plot { cores, top }
    }

    /// Where a number of slots is, in the drawing's units.
    pub fn x(&self, slots: u32) -> f64 {
        let (left, _, right, _) = AREA;
        let whole = f64::from(self.cores.max(2)).ln();
        left + (right - left) * f64::from(slots.max(1)).ln() / whole
    }

    /// Where a progress is, in the drawing's units; what is beyond the upper edge is on it.
    pub fn y(&self, progress: f64) -> f64 {
        let (_, top, _, bottom) = AREA;
        bottom - (bottom - top) * (progress / self.top).clamp(0.0, 1.0)
    }

    /// The number of slots and the progress at a place of the drawing, within the area.
    pub fn at(&self, x: f64, y: f64) -> (u32, f64) {
        let (left, top, right, bottom) = AREA;
        let slots = f64::from(self.cores.max(2)).powf(((x - left) / (right - left)).clamp(0.0, 1.0));
        let height = ((bottom - y) / (bottom - top)).clamp(MIN_HEIGHT, 1.0);
        (slots.round().clamp(1.0, f64::from(self.cores)) as u32, rounded(height * self.top, DIGITS))
    }

    /// The curve as a path.
    pub fn path(&self, curve: &PerformanceCurve) -> String {
        let slots = steps(self.cores);
        let points =
            slots.iter().map(|&slots| format!("{:.1},{:.1}", self.x(slots), self.y(curve.progress(slots))));
        format!("M{}", points.collect::<Vec<_>>().join("L"))
    }

    /// Numbers of slots to write on the axis: powers of two that have room, and all cores.
    pub fn slot_ticks(&self) -> Vec<u32> {
        let room = |slots: &u32| self.x(self.cores) - self.x(*slots) > 18.0;
        let powers = std::iter::successors(Some(1_u32), |power| power.checked_mul(2));
        let mut ticks: Vec<u32> = powers.take_while(|power| *power < self.cores).filter(room).collect();
        if ticks.len() > 7 {
            let every = ticks.len().div_ceil(7);
            ticks = ticks.into_iter().step_by(every).collect();
        }
        ticks.push(self.cores);
        ticks
    }

    /// Progress to write on the axis.
    pub fn progress_ticks(&self) -> [f64; 3] {
        [0.0, self.top / 2.0, self.top]
    }
}

/// Numbers of slots from 1 to all cores at which a curve is drawn: all of them if they are few.
fn steps(cores: u32) -> Vec<u32> {
    if cores <= MAX_STEPS {
        return (1..=cores).collect();
    }
    let power = |step: u32| f64::from(cores).powf(f64::from(step) / f64::from(MAX_STEPS)).round() as u32;
    let mut slots: Vec<u32> = (0..=MAX_STEPS).map(power).collect();
    slots.dedup();
    slots
}

/// The next of 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 and 10 times a power of ten.
fn round_up(value: f64) -> f64 {
    let unit = 10_f64.powf(value.log10().floor());
    let steps = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    let step = steps.into_iter().find(|step| step * unit >= value * (1.0 - 1e-9)).unwrap_or(10.0);
    rounded(step * unit, DIGITS)
}

/// The handles of a curve on a cluster of some cores, from left to right.
pub fn handles(curve: &PerformanceCurve, cores: u32) -> Vec<CurveHandle> {
    let handle = |slots: u32, name: String| CurveHandle { slots, progress: curve.progress(slots), name };
    match curve {
        PerformanceCurve::Points(points) => {
            // A curve may say something of more slots than there are.
            let inside = points.iter().enumerate().filter(|(_, point)| point.0 <= cores);
            inside.map(|(index, point)| handle(point.0, format!("point {}", index + 1))).collect()
        }
        PerformanceCurve::Ernest(_) => {
            let terms = ernest_slots(cores).into_iter();
            terms.map(|(term, slots)| handle(slots, TERMS[term].0.to_owned())).collect()
        }
    }
}

/// Index in [`TERMS`] and slots of each handle of Ernest's model; on few cores there is none for some terms.
fn ernest_slots(cores: u32) -> Vec<(usize, u32)> {
    let part = |power: f64| f64::from(cores).powf(power).round() as u32;
    match cores {
        1 => vec![(0, 1)],
        2 => vec![(0, 1), (3, 2)],
        3 => vec![(0, 1), (1, 2), (3, 3)],
        _ => {
            let serial = part(1.0 / 3.0).clamp(2, cores - 2);
            let tree = part(2.0 / 3.0).clamp(serial + 1, cores - 1);
            vec![(0, 1), (1, serial), (2, tree), (3, cores)]
        }
    }
}

/// The curve with a handle pulled to a number of slots and a progress. Points keep their order; a term of Ernest's
/// model ends at 0.
pub fn pulled(
    curve: &PerformanceCurve,
    handle: usize,
    slots: u32,
    progress: f64,
    cores: u32,
) -> PerformanceCurve {
    match curve {
        PerformanceCurve::Points(points) => {
            let mut points = points.clone();
            let before = handle.checked_sub(1).map_or(1, |before| points[before].0 + 1);
            let after = points.get(handle + 1).map_or(cores, |after| cores.min(after.0 - 1));
            points[handle] = (slots.clamp(before, after.max(before)), progress);
            PerformanceCurve::Points(points)
        }
        PerformanceCurve::Ernest(coefficients) => {
            let mut coefficients = *coefficients;
            let Some(&(term, slots)) = ernest_slots(cores).get(handle) else { return curve.clone() };
            let index = TERMS[term].1;
            let x = f64::from(slots);
            let factors = [1.0, x, 1.0 / x, libm::log(x)];
            let others =
                (0..4).filter(|other| *other != index).map(|other| coefficients[other] * factors[other]);
            let rest: f64 = others.sum();
            let term = rounded(((1.0 / progress - rest) / factors[index]).max(0.0), DIGITS);
            // Without any time at all there is no rate.
            if rest > 0.0 || term > 0.0 {
                coefficients[index] = term;
            }
            PerformanceCurve::Ernest(coefficients)
        }
    }
}

/// A curve of points with one more, or without a change if there is one at this number of slots; with its index.
pub fn with_point(points: &[(u32, f64)], slots: u32, progress: f64) -> Option<(usize, PerformanceCurve)> {
    let index = points.partition_point(|point| point.0 < slots);
    if points.get(index).is_some_and(|point| point.0 == slots) {
        return None;
    }
    let mut points = points.to_vec();
    points.insert(index, (slots, progress));
    Some((index, PerformanceCurve::Points(points)))
}

/// The widest gap between points where one more can be: at the middle of the longest way on the axis.
pub fn free_slots(points: &[(u32, f64)], cores: u32) -> Option<u32> {
    let mut edges: Vec<u32> = points.iter().map(|point| point.0).filter(|slots| *slots <= cores).collect();
    // The ends are free if no point is there.
    for end in [1, cores] {
        if !edges.contains(&end) {
            return Some(end);
        }
    }
    edges.sort_unstable();
    let gaps = edges.windows(2).filter(|gap| gap[1] - gap[0] > 1);
    let widest = gaps.max_by(|a, b| {
        let width = |gap: &[u32]| f64::from(gap[1]) / f64::from(gap[0]);
        width(a).total_cmp(&width(b))
    })?;
    let middle = (f64::from(widest[0]) * f64::from(widest[1])).sqrt().round() as u32;
    Some(middle.clamp(widest[0] + 1, widest[1] - 1))
}

/// A curve to begin with: twice the slots are worth a little less than twice the progress, up to 1 on all cores.
pub fn first_drawn(cores: u32) -> PerformanceCurve {
    let middle = f64::from(cores).sqrt().round() as u32;
    let mut slots = vec![1, middle, cores];
    slots.dedup();
    let progress = |slots: u32| {
        let time = |slots: u32| 0.25 + 0.75 / f64::from(slots);
        rounded(time(cores) / time(slots), DIGITS)
    };
    PerformanceCurve::Points(slots.into_iter().map(|slots| (slots, progress(slots))).collect())
}

/// The curve as points: its own, or where the handles of Ernest's model are.
pub fn as_points(curve: &PerformanceCurve, cores: u32) -> PerformanceCurve {
    match curve {
        PerformanceCurve::Points(_) => curve.clone(),
        PerformanceCurve::Ernest(_) => {
            let points = handles(curve, cores).into_iter();
            PerformanceCurve::Points(
                points.map(|handle| (handle.slots, rounded(handle.progress, DIGITS))).collect(),
            )
        }
    }
}

/// Ernest's model of the curve: its own, or the one that fits its points best.
pub fn as_ernest(curve: &PerformanceCurve, cores: u32) -> PerformanceCurve {
    let PerformanceCurve::Points(_) = curve else { return curve.clone() };
    let times = handles(curve, cores).into_iter().map(|handle| {
        let response = Span((MICROS_PER_SECOND / handle.progress).round() as u64);
        Sample { cores: handle.slots, response }
    });
    let fit = ernest::fit(&times.collect::<Vec<_>>());
    let coefficients = fit.map_or(FIRST_ERNEST, |fit| fit.coefficients.map(|term| rounded(term, DIGITS)));
    PerformanceCurve::Ernest(coefficients)
}

/// The model of a job without a curve: three quarters of a slot's time can be divided.
const FIRST_ERNEST: [f64; 4] = [0.25, 0.0, 0.75, 0.0];

/// What a handle says of itself: `4 slots: progress 0.62`.
pub fn handle_text(slots: u32, progress: f64) -> String {
    format!("{}: progress {}", number::counted(slots as usize, "slot"), number::trimmed(progress, 4))
}

/// Ernest's model in words: `0.5 + 4 / x + 0.01 x`, without terms that are 0.
pub fn formula(coefficients: &[f64; 4]) -> String {
    let [a0, a1, a2, a3] = coefficients.map(|term| rounded(term, DIGITS));
    let terms = [(a0, ""), (a2, " / x"), (a3, " ln x"), (a1, " x")];
    let mut text = String::new();
    for (term, unit) in terms.into_iter().filter(|(term, _)| *term != 0.0) {
        let sign = match (text.is_empty(), term < 0.0) {
            (true, true) => "−",
            (true, false) => "",
            (false, true) => " − ",
            (false, false) => " + ",
        };
        text += &format!("{sign}{}{unit}", term.abs());
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(points: &[(u32, f64)]) -> PerformanceCurve {
        PerformanceCurve::Points(points.to_vec())
    }

    #[test]
    fn places_and_figures_are_each_others_inverse() {
        let plot = Plot { cores: 32, top: 1.2 };
        for slots in 1..=32 {
            assert_eq!(plot.at(plot.x(slots), plot.y(0.6)), (slots, 0.6));
        }
        assert_eq!((plot.x(1), plot.x(32)), (AREA.0, AREA.2));
        // Beyond the edges it is at them.
        assert_eq!(plot.at(-99.0, -99.0), (1, 1.2));
        assert_eq!(plot.at(999.0, 999.0), (32, 0.006));
        assert_eq!(Plot { cores: 1, top: 1.0 }.at(AREA.2, 0.0), (1, 1.0));
    }

    #[test]
    fn there_is_room_above_the_curve_and_for_the_numbers() {
        let plot = Plot::of(32, [&points(&[(1, 0.1), (32, 1.0)])], [0.5]);
        assert_eq!(plot.top, 1.2);
        assert_eq!(Plot::of(8, [], []).top, 1.0);
        assert_eq!(Plot::of(8, [], [17.0]).top, 20.0);
        assert_eq!(plot.slot_ticks(), [1, 2, 4, 8, 16, 32]);
        assert_eq!(Plot { cores: 1, ..plot }.slot_ticks(), [1]);
        assert_eq!(Plot { cores: 33, ..plot }.slot_ticks(), [1, 2, 4, 8, 16, 33]);
        assert!(Plot { cores: 5000, ..plot }.slot_ticks().len() <= 8);
        assert!(steps(5000).len() <= 121 && steps(5000).is_sorted());
    }

    #[test]
    fn points_are_pulled_between_their_neighbours() {
        let curve = points(&[(1, 0.2), (4, 0.6), (16, 1.0)]);
        let found: Vec<u32> = handles(&curve, 8).iter().map(|handle| handle.slots).collect();
        assert_eq!(found, [1, 4], "what lies beyond the cluster cannot be pulled");
        assert_eq!(pulled(&curve, 1, 9, 0.7, 16), points(&[(1, 0.2), (9, 0.7), (16, 1.0)]));
        assert_eq!(pulled(&curve, 1, 99, 0.7, 16), points(&[(1, 0.2), (15, 0.7), (16, 1.0)]));
        assert_eq!(pulled(&curve, 2, 99, 0.7, 16), points(&[(1, 0.2), (4, 0.6), (16, 0.7)]));
        assert_eq!(pulled(&curve, 0, 0, 0.7, 16), points(&[(1, 0.7), (4, 0.6), (16, 1.0)]));
    }

    /// p = 1 / (0.5 + 4 / x). At 1 slot 1 / p is 4.5: pulled to p = 0.4, it is 2.5, so 2 are divided.
    #[test]
    fn a_term_follows_its_handle_and_ends_at_none() {
        let curve = PerformanceCurve::Ernest([0.5, 0.0, 4.0, 0.0]);
        let slots: Vec<u32> = handles(&curve, 32).iter().map(|handle| handle.slots).collect();
        assert_eq!(slots, [1, 3, 10, 32]);
        assert_eq!(pulled(&curve, 0, 1, 0.4, 32), PerformanceCurve::Ernest([0.5, 0.0, 2.0, 0.0]));
        // 1 / p at 32 slots is 0.625; as slow as 1.265 it would be by 0.64 more, 0.02 for each slot.
        assert_eq!(pulled(&curve, 3, 32, 1.0 / 1.265, 32), PerformanceCurve::Ernest([0.5, 0.02, 4.0, 0.0]));
        assert_eq!(pulled(&curve, 3, 32, 9.0, 32), curve, "it is 0 already");
        assert_eq!(pulled(&curve, 1, 3, 9.0, 32), PerformanceCurve::Ernest([0.0, 0.0, 4.0, 0.0]));
        let only = PerformanceCurve::Ernest([0.0, 0.0, 4.0, 0.0]);
        assert_eq!(pulled(&only, 0, 1, f64::INFINITY, 32), only, "a job takes some time");
    }

    #[test]
    fn handles_are_apart_on_any_cluster() {
        for cores in 1..200 {
            let slots: Vec<u32> = ernest_slots(cores).into_iter().map(|(_, slots)| slots).collect();
            assert!(slots.windows(2).all(|pair| pair[0] < pair[1]), "{cores}: {slots:?}");
            assert!(slots.iter().all(|slots| (1..=cores).contains(slots)), "{cores}: {slots:?}");
            assert!(
                matches!(first_drawn(cores), PerformanceCurve::Points(points) if points.is_sorted_by(|a, b| a.0 < b.0))
            );
        }
    }

    #[test]
    fn a_new_point_lies_in_the_widest_gap() {
        assert_eq!(free_slots(&[], 8), Some(1));
        assert_eq!(free_slots(&[(1, 1.0)], 8), Some(8));
        assert_eq!(free_slots(&[(1, 1.0), (4, 1.0), (64, 1.0)], 64), Some(16));
        assert_eq!(free_slots(&[(1, 1.0), (2, 1.0)], 2), None);
        assert_eq!(
            with_point(&[(1, 0.1), (8, 1.0)], 4, 0.5),
            Some((1, points(&[(1, 0.1), (4, 0.5), (8, 1.0)])))
        );
        assert_eq!(with_point(&[(1, 0.1)], 1, 0.5), None);
    }

    /// p = 1 / (0.5 + 4 / x) at 1, 2, 3 and 4 slots: 0.222, 0.4, 0.545 and 0.667.
    #[test]
    fn forms_become_each_other() {
        let model = PerformanceCurve::Ernest([0.5, 0.0, 4.0, 0.0]);
        let drawn = as_points(&model, 4);
        assert_eq!(drawn, points(&[(1, 0.222), (2, 0.4), (3, 0.545), (4, 0.667)]));
        let PerformanceCurve::Ernest([a0, a1, a2, a3]) = as_ernest(&drawn, 4) else { panic!("a model") };
        assert!((a0 - 0.5).abs() < 0.02 && (a2 - 4.0).abs() < 0.02 && a1 < 0.01 && a3 < 0.01);
        assert_eq!(as_ernest(&points(&[(9, 1.0)]), 4), PerformanceCurve::Ernest(FIRST_ERNEST));
    }

    #[test]
    fn words() {
        assert_eq!(formula(&[0.5, 0.0, 4.0, 0.0]), "0.5 + 4 / x");
        assert_eq!(formula(&[0.0, 0.0123456, 4.0, -1.0]), "4 / x − 1 ln x + 0.0123 x");
        assert_eq!(formula(&[0.0; 4]), "0");
        assert_eq!(handle_text(1, 0.62), "1 slot: progress 0.62");
    }
}
