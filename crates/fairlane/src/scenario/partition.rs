//! Cutting a stage's input into tasks: Spark's default and the paper's runtime partitioning.
//!
//! ```
//! use fairlane::scenario::PartitionMode;
//! let scenario = fairlane::catalog::find("skew").expect("an entry").scenario();
//! let stage = &scenario.jobs()[0].stages[0];
//! let tasks = scenario.partitioning().task_count(stage, PartitionMode::Runtime);
//! assert!(tasks > scenario.partitioning().task_count(stage, PartitionMode::Default));
//! let work: u64 = stage.input.durations(tasks).iter().map(|task| task.0).sum();
//! assert_eq!(work, stage.input.work().0);
//! ```

use serde::{Deserialize, Serialize};

use super::{Input, Stage};
use crate::units::Span;

/// Which of the two partitionings cuts a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartitionMode {
    /// The stage's default number of tasks.
    #[default]
    Default,
    /// As many tasks as the estimate holds advisory task runtimes (paper 3.2, the suffix `-p`).
    Runtime,
}

impl PartitionMode {
    /// A word for messages.
    pub fn name(self) -> &'static str {
        match self {
            PartitionMode::Default => "default",
            PartitionMode::Runtime => "runtime",
        }
    }
}

/// How stages are cut into tasks under runtime partitioning (paper 3.2).
#[derive(Clone, Debug, PartialEq)]
pub struct Partitioning {
    /// Advisory task runtime (ATR).
    pub advisory_task_runtime: Span,
    /// The least number of tasks a splittable stage is cut into.
    pub min_partitions: MinPartitions,
}

/// The least number of tasks of a splittable stage under runtime partitioning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum MinPartitions {
    /// The stage's default number.
    #[default]
    Default,
    /// One: the paper's bare formula.
    One,
}

impl Default for Partitioning {
    /// The defaults of a scenario file: tasks of half a second.
    fn default() -> Partitioning {
        Partitioning { advisory_task_runtime: Span(500_000), min_partitions: MinPartitions::default() }
    }
}

impl Partitioning {
    /// Number of tasks of a stage.
    ///
    /// Under [`PartitionMode::Runtime`] a splittable stage gets max(least, ceil(E / ATR)) tasks, with E its
    /// estimate (UWFQ paper 3.2; the floor of the default number is the model's).
    pub fn task_count(&self, stage: &Stage, mode: PartitionMode) -> u64 {
        let default = u64::from(stage.partitions);
        match mode {
            PartitionMode::Runtime if stage.splittable => {
                let least = match self.min_partitions {
                    MinPartitions::Default => default,
                    MinPartitions::One => 1,
                };
                stage.estimate.0.div_ceil(self.advisory_task_runtime.0).max(least)
            }
            _ => default,
        }
    }
}

impl Input {
    /// Durations of the n tasks into which the input is cut, in index order.
    ///
    /// The input is cut into n equal parts in exact integers, so the durations always add up to the
    /// work; with n equal to the number of slices they are the slices.
    pub fn durations(&self, n: u64) -> Vec<Span> {
        if n == self.slices() as u64 {
            return self.slice_work().map(Span).collect();
        }
        if let [_, work] = self.prefix()[..] {
            // Equal parts of one piece, without a division for each.
            let (quotient, remainder) = (work / n, work % n);
            let mut carry = 0;
            let duration = |_| {
                carry += remainder;
                if carry < n {
                    return Span(quotient);
                }
                carry -= n;
                Span(quotient + 1)
            };
            return (0..n).map(duration).collect();
        }
        let mut from = 0;
        (1..=n)
            .map(|i| {
                let to = self.work_before(i, n);
                let duration = Span(to - from);
                from = to;
                duration
            })
            .collect()
    }

    /// Work before the i-th of n equal cuts, in core-microseconds.
    fn work_before(&self, i: u64, n: u64) -> u64 {
        let (k, rest) = divided(i, self.slices() as u64, n);
        let before = self.prefix()[k as usize];
        match self.prefix().get(k as usize + 1) {
            Some(after) => before + divided(after - before, rest, n).0,
            None => before,
        }
    }
}

/// `a * b` divided by `n`, exactly, with the remainder. Most products fit 64 bits, which divide many
/// times faster than 128.
fn divided(a: u64, b: u64, n: u64) -> (u64, u64) {
    match a.checked_mul(b) {
        Some(product) => (product / n, product % n),
        None => {
            let (product, n) = (u128::from(a) * u128::from(b), u128::from(n));
            ((product / n) as u64, (product % n) as u64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(slices: &[u64]) -> Input {
        Input::of_tasks(slices.iter().map(|&slice| Span(slice))).expect("good slices")
    }

    fn cuts(slices: &[u64], n: u64) -> Vec<u64> {
        input(slices).durations(n).into_iter().map(|span| span.0).collect()
    }

    #[test]
    fn as_many_parts_as_slices_gives_the_slices_back() {
        assert_eq!(cuts(&[5, 0, 7, 1], 4), [5, 0, 7, 1]);
    }

    #[test]
    fn a_skewed_slice_is_spread_over_its_parts() {
        assert_eq!(cuts(&[10, 50], 4), [5, 5, 25, 25]);
    }

    #[test]
    fn parts_that_straddle_slices_take_from_both() {
        // Thirds of [0,1) over two slices: 2/3 of the first, its rest and a third of the second, …
        assert_eq!(cuts(&[30, 60], 3), [20, 30, 40]);
    }

    #[test]
    fn products_beyond_64_bits_are_exact() {
        assert_eq!(divided(1 << 53, 3_000_000, 7_000_001), {
            let exact = u128::from(1_u64 << 53) * 3_000_000;
            ((exact / 7_000_001) as u64, (exact % 7_000_001) as u64)
        });
        let work = 8_000_000_000_000_000;
        assert_eq!(cuts(&[work, work / 9], 5_000).iter().sum::<u64>(), work + work / 9);
    }

    #[test]
    fn nothing_is_lost_to_rounding() {
        assert_eq!(cuts(&[1, 1], 7).iter().sum::<u64>(), 2);
    }
}
