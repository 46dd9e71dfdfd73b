//! The verdict on schedules as it is shown: ratios to the fluid ideal in words, tones and shades, and their order in a
//! table; and the [cause](Cause) of a delay.

mod cause;

use fairlane::ids::UserId;
use fairlane::metrics::{Waiter, Waiting};

pub use cause::Cause;

/// Whether a ratio to the ideal is good or bad, as far as it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatioTone {
    /// No longer than under the ideal.
    Good,
    /// Less than twice as long.
    Fair,
    /// Twice as long or worse.
    Bad,
}

impl RatioTone {
    /// Its class in the stylesheet.
    pub fn class(self) -> &'static str {
        match self {
            RatioTone::Good => "good",
            RatioTone::Fair => "fair",
            RatioTone::Bad => "bad",
        }
    }
}

/// A ratio to the ideal: two digits, `0.8×`, `3.1×`, `12×`.
pub fn ratio(ratio: f64) -> String {
    let decimals = if ratio < 0.095 {
        2
    } else if ratio < 9.95 {
        1
    } else {
        0
    };
    format!("{ratio:.decimals$}×")
}

/// The tone of a ratio as it is shown, so that equal texts have equal tones.
pub fn tone(ratio: f64) -> RatioTone {
    match (ratio * 10.0).round() / 10.0 {
        shown if shown <= 1.0 => RatioTone::Good,
        shown if shown < 2.0 => RatioTone::Fair,
        _ => RatioTone::Bad,
    }
}

/// Ratios that are closer read alike.
const ALIKE: f64 = 0.05;

/// Who is served worst, of whomever and by how many times as long as under the ideal: the greatest ratio, of those that
/// read alike the first.
pub fn worst_served<T>(ratios: impl IntoIterator<Item = (T, f64)>) -> Option<(T, f64)> {
    ratios.into_iter().reduce(|worst, next| if next.1 >= worst.1 + ALIKE { next } else { worst })
}

/// The users who were short of their fair share of the cores, the one who is served worst first, if short of any; then
/// who was short of the most core time. So the first is whom the headline names.
pub fn waiters(waiting: &Waiting, worst: Option<UserId>) -> Vec<&Waiter> {
    let mut rows: Vec<&Waiter> = waiting.rows.iter().collect();
    // The rest stay in their order.
    rows.sort_by_key(|row| Some(row.user) != worst);
    rows
}

/// How strong a cell's colour is, from 0 at a ratio of 1 to 1 at four times as long, or a quarter.
pub fn strength(ratio: f64) -> f64 {
    if ratio > 0.0 { (ratio.log2().abs() / 2.0).min(1.0) } else { 1.0 }
}

/// How a table is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sorting {
    /// In the order of the rows.
    #[default]
    Rows,
    /// By a column, the largest first.
    Falling(usize),
    /// By a column, the smallest first.
    Rising(usize),
}

impl Sorting {
    /// The next one when a column's heading is pressed: largest first, smallest first, as it was.
    pub fn pressed(self, column: usize) -> Sorting {
        match self {
            Sorting::Falling(now) if now == column => Sorting::Rising(column),
            Sorting::Rising(now) if now == column => Sorting::Rows,
            _ => Sorting::Falling(column),
        }
    }

    /// The value of `aria-sort` of a column's heading.
    pub fn aria(self, column: usize) -> &'static str {
        match self {
            Sorting::Falling(now) if now == column => "descending",
            Sorting::Rising(now) if now == column => "ascending",
            _ => "none",
        }
    }
}

/// The rows of a table in the order asked for, by index; `figure` gives a row's figure in a column. Rows without one
/// are last, equal ones keep their order.
pub fn sorted(rows: usize, sorting: Sorting, figure: impl Fn(usize, usize) -> Option<f64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    let (column, sign) = match sorting {
        Sorting::Rows => return order,
        Sorting::Falling(column) => (column, -1.0),
        Sorting::Rising(column) => (column, 1.0),
    };
    let key = |row: usize| figure(row, column).map_or(f64::INFINITY, |figure| sign * figure);
    order.sort_by(|&a, &b| key(a).total_cmp(&key(b)));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_have_two_digits() {
        let texts = [0.05, 0.8, 1.0, 3.13, 9.96, 123.4].map(ratio);
        assert_eq!(texts, ["0.05×", "0.8×", "1.0×", "3.1×", "10×", "123×"]);
    }

    #[test]
    fn what_reads_alike_looks_alike() {
        assert_eq!([0.3, 1.04, 1.06, 1.94, 1.96, 9.0].map(tone), {
            use RatioTone::{Bad, Fair, Good};
            [Good, Good, Fair, Fair, Bad, Bad]
        });
        assert_eq!([0.25, 1.0, 2.0, 4.0, 100.0, 0.0].map(strength), [1.0, 0.0, 0.5, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn the_worst_served_is_the_first_of_those_that_read_alike() {
        let worst = |ratios: &[f64]| worst_served((0..).zip(ratios.iter().copied())).map(|(index, _)| index);
        assert_eq!(worst(&[]), None);
        assert_eq!(worst(&[1.0, 2.0, 1.5]), Some(1));
        assert_eq!(worst(&[2.0, 2.04, 1.0]), Some(0));
        assert_eq!(worst(&[2.0, 2.06]), Some(1));
    }

    #[test]
    fn whoever_is_served_worst_is_the_first_who_waits() {
        let scenario = fairlane::catalog::scenario("catalog:paper-scenario-1").expect("a scenario");
        let trace = fairlane::simulate(&scenario, "fair".parse().expect("a policy"));
        let waiting = fairlane::metrics::waiting(&scenario, &trace);
        let users = |worst| waiters(&waiting, worst).iter().map(|row| row.user).collect::<Vec<_>>();
        let by_core_time = users(None);
        assert!(by_core_time.len() > 2);
        assert_eq!(users(Some(UserId(99))), by_core_time);
        let last = by_core_time[by_core_time.len() - 1];
        let mut expected = by_core_time.clone();
        expected.rotate_right(1);
        assert_eq!(users(Some(last)), expected);
    }

    #[test]
    fn a_heading_sorts_both_ways_and_back() {
        let figures = [[Some(2.0)], [None], [Some(3.0)], [Some(2.0)]];
        let order = |sorting| sorted(figures.len(), sorting, |row, column| figures[row][column]);
        let mut sorting = Sorting::default();
        assert_eq!((order(sorting), sorting.aria(0)), (vec![0, 1, 2, 3], "none"));
        sorting = sorting.pressed(0);
        assert_eq!((order(sorting), sorting.aria(0)), (vec![2, 0, 3, 1], "descending"));
        sorting = sorting.pressed(0);
        assert_eq!((order(sorting), sorting.aria(0)), (vec![0, 3, 2, 1], "ascending"));
        assert_eq!(sorting.pressed(0), Sorting::Rows);
        assert_eq!(sorting.pressed(1), Sorting::Falling(1));
    }
}
