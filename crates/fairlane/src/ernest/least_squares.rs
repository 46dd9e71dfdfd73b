//! Least squares in which no unknown is negative.

/// The `x >= 0` for which the rows times `x` are nearest to the target, by the sum of squares.
///
/// With N unknowns there are 2^N sets of those above 0. The best `x` is the ordinary solution for one of them, so each
/// is tried: for the four of Ernest's model that is simpler than the usual active-set method, and as exact.
/// A larger set is chosen only if it is nearer.
pub(super) fn non_negative<const N: usize>(rows: &[[f64; N]], target: &[f64]) -> [f64; N] {
    let mut sets: Vec<u32> = (1..1_u32 << N).collect();
    sets.sort_by_key(|set| (set.count_ones(), *set));
    let scale: f64 = target.iter().map(|value| value * value).sum();
    let (mut best, mut least) = ([0.0; N], scale);
    for set in sets {
        let Some(x) = ordinary(rows, target, set) else { continue };
        if x.iter().any(|value| *value < 0.0) {
            continue;
        }
        let errors = rows.iter().zip(target).map(|(row, value)| {
            let sum: f64 = row.iter().zip(&x).map(|(factor, unknown)| factor * unknown).sum();
            sum - value
        });
        let squares: f64 = errors.map(|error| error * error).sum();
        if squares < least - scale * INDISTINCT {
            (best, least) = (x, squares);
        }
    }
    best
}

/// What rounding can do, as a part of the squares.
const INDISTINCT: f64 = 1e-20;
/// A column this much shorter than it was, once the others are taken out of it, consists of them.
const DEPENDENT: f64 = 1e-9;

/// Ordinary least squares with the unknowns in a set, the others being 0; `None` if its columns depend on each other.
/// By Gram and Schmidt: each column, less what the columns before it explain, explains a part of the target.
fn ordinary<const N: usize>(rows: &[[f64; N]], target: &[f64], set: u32) -> Option<[f64; N]> {
    let chosen: Vec<usize> = (0..N).filter(|column| set >> column & 1 == 1).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut bases: Vec<Vec<f64>> = Vec::with_capacity(chosen.len());
    // For each column what it has of the bases before it, and what is left of its length.
    let mut shares: Vec<Vec<f64>> = Vec::with_capacity(chosen.len());
    let mut explained = Vec::with_capacity(chosen.len());
    let mut rest = target.to_vec();
    for &column in &chosen {
        let mut vector: Vec<f64> = rows.iter().map(|row| row[column]).collect();
        let length = dot(&vector, &vector).sqrt();
        let mut share = Vec::with_capacity(chosen.len());
        for basis in &bases {
            let part = dot(basis, &vector);
            vector.iter_mut().zip(basis).for_each(|(value, basis)| *value -= part * basis);
            share.push(part);
        }
        let left = dot(&vector, &vector).sqrt();
        if left.is_nan() || left <= length * DEPENDENT {
            return None;
        }
        vector.iter_mut().for_each(|value| *value /= left);
        let part = dot(&vector, &rest);
        rest.iter_mut().zip(&vector).for_each(|(value, basis)| *value -= part * basis);
        share.push(left);
        explained.push(part);
        bases.push(vector);
        shares.push(share);
    }
    // From the last unknown back to the first.
    let mut solution = [0.0; N];
    for last in (0..chosen.len()).rev() {
        let value = explained[last] / shares[last][last];
        solution[chosen[last]] = value;
        for before in 0..last {
            explained[before] -= shares[last][before] * value;
        }
    }
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near<const N: usize>(found: [f64; N], expected: [f64; N]) {
        let close = found.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-12);
        assert!(close, "{found:?} instead of {expected:?}");
    }

    /// y = a + b x through (1, 3), (2, 2), (3, 1): the ordinary solution is 4 - x. Without negative slope, a alone is
    /// their mean, with squares 1 + 0 + 1; b alone is 10 / 14, with squares of 6.9.
    #[test]
    fn a_falling_line_becomes_a_level_one() {
        let rows = [[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]];
        near(ordinary(&rows, &[3.0, 2.0, 1.0], 0b11).expect("a line"), [4.0, -1.0]);
        near(non_negative(&rows, &[3.0, 2.0, 1.0]), [2.0, 0.0]);
    }

    /// y = a + b x through (0, 1), (1, 3), (2, 4): b = 3 / 2 and a = 8 / 3 - 3 / 2.
    #[test]
    fn a_rising_line_is_the_ordinary_one() {
        let rows = [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]];
        near(non_negative(&rows, &[1.0, 3.0, 4.0]), [7.0 / 6.0, 1.5]);
    }

    /// What points the other way is best left out altogether.
    #[test]
    fn nothing_positive_helps_against_a_negative_target() {
        near(non_negative(&[[1.0, 2.0], [1.0, 3.0]], &[-1.0, -2.0]), [0.0, 0.0]);
    }

    /// Two equal columns: one of them does.
    #[test]
    fn columns_that_are_alike_are_used_once() {
        assert_eq!(ordinary(&[[1.0, 1.0], [2.0, 2.0]], &[2.0, 4.0], 0b11), None);
        near(non_negative(&[[1.0, 1.0], [2.0, 2.0]], &[2.0, 4.0]), [2.0, 0.0]);
    }

    /// No other x on a grid around the solution is nearer.
    #[test]
    fn nothing_nearby_is_nearer() {
        let rows = [[1.0, 0.5, 2.0], [0.3, 1.0, 0.1], [0.2, 2.0, 1.0], [1.0, 1.0, 1.0], [0.0, 3.0, 0.7]];
        for target in [[1.0, 2.0, 0.5, 1.0, 3.0], [4.0, -1.0, 2.0, 0.0, -2.0], [-1.0, 0.2, 3.0, 1.0, 0.4]] {
            let squares = |x: [f64; 3]| -> f64 {
                let error = |(row, value): (&[f64; 3], &f64)| {
                    row.iter().zip(x).map(|(factor, unknown)| factor * unknown).sum::<f64>() - value
                };
                rows.iter().zip(&target).map(error).map(|error| error * error).sum()
            };
            let best = non_negative(&rows, &target);
            for step in 0..27_usize {
                let moved = [1, 3, 9].map(|unit| step / unit % 3);
                let x =
                    std::array::from_fn(|index| (best[index] + (moved[index] as f64 - 1.0) * 1e-3).max(0.0));
                assert!(squares(best) <= squares(x) + 1e-12, "{target:?}: {x:?} is nearer than {best:?}");
            }
        }
    }
}
