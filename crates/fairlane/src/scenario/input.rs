//! A stage's input: made from a file's figures or an editor's, checked on the way.

use super::ScenarioError;
use super::error::ensure;
use crate::units::{MAX_MICROS, MICROS_PER_SECOND, SlotTime, Span};
use std::fmt::Display;

/// A stage's input: the interval [0, 1) as equal slices, each with its work.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// `prefix[k]` is the work of the first k slices in core-microseconds; `prefix[0]` = 0, so
    /// there is one entry more than there are slices.
    prefix: Vec<u64>,
    /// How the file spells it, kept so that a scenario can be written back as it was read.
    form: InputForm,
}

/// The two ways in which a file gives a stage's input.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputForm {
    /// `tasks_s`: the slices themselves.
    Tasks,
    /// `work_s` and `profile`: total work in core-microseconds and the slices' weights.
    Profile {
        /// Work as the file gives it, in core-microseconds.
        work: u64,
        /// Weights of the slices; at least one, none negative, not all zero.
        weights: Vec<f64>,
    },
}

impl Input {
    /// Number of slices (the model's m).
    pub fn slices(&self) -> usize {
        self.prefix.len() - 1
    }

    /// All the work.
    pub fn work(&self) -> SlotTime {
        SlotTime(self.prefix[self.slices()])
    }

    /// Work of each slice, in core-microseconds.
    pub fn slice_work(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.prefix.windows(2).map(|pair| pair[1] - pair[0])
    }

    /// How heavy each slice is, in the file's own terms: its weight (a ratio) in a profile, its
    /// seconds in a list of tasks.
    pub fn weights(&self) -> Vec<f64> {
        match &self.form {
            InputForm::Tasks => self.slice_work().map(|slice| slice as f64 / MICROS_PER_SECOND).collect(),
            InputForm::Profile { weights, .. } => weights.clone(),
        }
    }

    /// `prefix[k]` is the work of the first k slices in core-microseconds.
    pub fn prefix(&self) -> &[u64] {
        &self.prefix
    }

    /// How the file gives it.
    pub(crate) fn form(&self) -> &InputForm {
        &self.form
    }

    /// An input whose slices are given one by one.
    ///
    /// # Errors
    /// No slice, too many, or too much work.
    pub fn of_tasks(slices: impl IntoIterator<Item = Span>) -> Result<Input, ScenarioError> {
        let slices: Vec<u64> = slices.into_iter().map(|slice| slice.0).collect();
        Input::of_tasks_at(&slices, &"input")
    }

    /// An input of some work shared out among slices by their weights.
    ///
    /// # Errors
    /// No weight, one that is negative or no number, none above zero, or too much work.
    pub fn of_profile(work: SlotTime, weights: Vec<f64>) -> Result<Input, ScenarioError> {
        Input::of_profile_at(work.0, weights, &"input")
    }

    /// One slice without work.
    pub(super) fn empty() -> Input {
        Input { prefix: vec![0, 0], form: InputForm::Tasks }
    }

    /// An input whose slices are given one by one, in core-microseconds (`tasks_s`).
    ///
    /// # Errors
    /// No slice, too many, or too much work; `path` is the stage's.
    pub(crate) fn of_tasks_at(slices: &[u64], path: &dyn Display) -> Result<Input, ScenarioError> {
        let at = || format!("{path}.tasks_s");
        ensure!(!slices.is_empty(), at(), "is empty; a stage has at least one task");
        ensure!(u32::try_from(slices.len()).is_ok(), at(), "is too long; split the stage");
        let mut prefix = Vec::with_capacity(slices.len() + 1);
        let mut sum = 0_u64;
        prefix.push(sum);
        for slice in slices {
            sum = sum.saturating_add(*slice);
            if sum > MAX_MICROS {
                return Err(too_much_work(at()));
            }
            prefix.push(sum);
        }
        Ok(Input { prefix, form: InputForm::Tasks })
    }

    /// An input of some work, in core-microseconds, shared out by weights (`work_s` and
    /// `profile`): `prefix[k] = floor(W * c[k] / c[m] + 0.5)` in `f64`, c the running sum of the
    /// weights from the left.
    ///
    /// # Errors
    /// No weight, one that is negative or no number, none above zero, or too much work; `path` is
    /// the stage's.
    pub(crate) fn of_profile_at(
        work: u64,
        weights: Vec<f64>,
        path: &dyn Display,
    ) -> Result<Input, ScenarioError> {
        let at = || format!("{path}.profile");
        ensure!(
            !weights.is_empty(),
            at(),
            "is empty; give at least one weight, or leave it out for an even input",
        );
        let mut sums = Vec::with_capacity(weights.len() + 1);
        let mut sum = 0.0;
        sums.push(sum);
        for (index, &weight) in weights.iter().enumerate() {
            let at = || format!("{path}.profile[{index}]");
            ensure!(weight.is_finite(), at(), "must be a finite number");
            ensure!(weight >= 0.0, at(), "must not be negative; give 0 or more");
            sum += weight;
            sums.push(sum);
        }
        ensure!(sum != 0.0, at(), "is all zero; at least one weight must be positive");
        ensure!(
            (work as f64 * sum).is_finite(),
            at(),
            "the weights are too large to be added up; only their ratios matter, so use smaller ones"
        );
        let prefix: Vec<u64> = sums.iter().map(|c| (work as f64 * c / sum + 0.5).floor() as u64).collect();
        if prefix[weights.len()] > MAX_MICROS {
            return Err(too_much_work(format!("{path}.work_s")));
        }
        Ok(Input { prefix, form: InputForm::Profile { work, weights } })
    }

    /// The same shape with another amount of work: a profile's weights stay, a list of tasks is
    /// scaled (evenly filled if it held no work), each cut rounded down to the core-microsecond.
    pub(super) fn with_work(&self, work: SlotTime, path: &dyn Display) -> Result<Input, ScenarioError> {
        match &self.form {
            InputForm::Profile { weights, .. } => Input::of_profile_at(work.0, weights.clone(), path),
            InputForm::Tasks => {
                let (m, old) = (self.slices() as u128, u128::from(self.work().0));
                let cut = |k: usize| match old {
                    0 => (u128::from(work.0) * k as u128 / m) as u64,
                    _ => (u128::from(work.0) * u128::from(self.prefix[k]) / old) as u64,
                };
                let slices: Vec<u64> = (0..self.slices()).map(|k| cut(k + 1) - cut(k)).collect();
                Input::of_tasks_at(&slices, path)
            }
        }
    }

    /// The same shape in another number of slices, as close as that number allows: each new slice
    /// weighs as much as the part of the input that it covers. The work stays.
    pub(super) fn with_slices(&self, count: u32, path: &dyn Display) -> Result<Input, ScenarioError> {
        match &self.form {
            InputForm::Profile { work, weights } => {
                Input::of_profile_at(*work, resampled(weights, count as usize), path)
            }
            InputForm::Tasks if count == 0 => Input::of_tasks_at(&[], path),
            InputForm::Tasks => {
                let slices = self.durations(u64::from(count));
                Input::of_tasks_at(&slices.into_iter().map(|slice| slice.0).collect::<Vec<_>>(), path)
            }
        }
    }
}

/// Mean weight over each of `count` equal parts of the input. Old and new edges are whole multiples
/// of 1 / (m * count), so overlaps are exact.
fn resampled(weights: &[f64], count: usize) -> Vec<f64> {
    let m = weights.len();
    let part = |index: usize| {
        let (from, to) = (index * m, (index + 1) * m);
        let covered = from / count..to.div_ceil(count);
        let sum: f64 = covered
            .map(|k| {
                let overlap = to.min((k + 1) * count) - from.max(k * count);
                weights[k] * overlap as f64
            })
            .sum();
        sum / m as f64
    };
    (0..count).map(part).collect()
}

fn too_much_work(path: String) -> ScenarioError {
    ScenarioError::at(path, "is more than 2^53 microseconds of work (9007199254 s); use smaller figures")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(weights: &[f64]) -> Input {
        Input::of_profile_at(12_000_000, weights.to_vec(), &"stage").expect("good weights")
    }

    #[test]
    fn more_slices_keep_the_shape_and_fewer_come_back_to_it() {
        let four = profile(&[1.0, 1.0, 5.0, 1.0]);
        let eight = four.with_slices(8, &"stage").expect("eight slices");
        assert_eq!(eight.weights(), [1.0, 1.0, 1.0, 1.0, 5.0, 5.0, 1.0, 1.0]);
        assert_eq!(eight.with_slices(4, &"stage"), Ok(four.clone()));
        // Thirds of [1, 1, 5, 1]: 1 and a third of a quarter of 1, then two halves, …
        let three = four.with_slices(3, &"stage").expect("three slices").weights();
        assert_eq!(three, [1.0, 3.0, 2.0]);
    }

    #[test]
    fn tasks_are_scaled_and_nothing_is_lost() {
        let tasks = Input::of_tasks_at(&[1, 2, 4], &"stage").expect("three tasks");
        let scaled = tasks.with_work(SlotTime(70), &"stage").expect("little work");
        assert_eq!(scaled.slice_work().collect::<Vec<_>>(), [10, 20, 40]);
        assert_eq!(tasks.with_work(SlotTime(100), &"stage").map(|input| input.work()), Ok(SlotTime(100)));
        let empty = Input::of_tasks_at(&[0, 0], &"stage").expect("two tasks");
        let filled = empty.with_work(SlotTime(9), &"stage").expect("little work");
        assert_eq!(filled.slice_work().collect::<Vec<_>>(), [4, 5]);
    }

    #[test]
    fn no_slices_are_refused() {
        assert!(profile(&[1.0]).with_slices(0, &"stage").is_err());
        assert!(Input::of_tasks_at(&[1], &"stage").and_then(|input| input.with_slices(0, &"stage")).is_err());
        assert!(Input::of_profile_at(1, vec![f64::NAN], &"stage").is_err());
        assert!(Input::of_profile_at(1, vec![f64::INFINITY], &"stage").is_err());
    }
}
