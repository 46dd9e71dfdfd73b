//! Quantities over time: their mean in each of some intervals.

use crate::ids::JobId;
use crate::trace::{Trace, finish_order};
use crate::units::{Span, Time};

/// Half-open intervals, one after the other.
///
/// ```
/// use fairlane::metrics::Intervals;
/// use fairlane::units::{Span, Time};
/// let minutes = Intervals::every(Span(60_000_000), Time(150_000_000));
/// assert_eq!(minutes.starts(), [Time(0), Time(60_000_000), Time(120_000_000)]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intervals {
    starts: Vec<Time>,
    end: Time,
}

impl Intervals {
    /// Intervals that begin at ascending instants; the last one ends at `end`.
    pub fn new(starts: Vec<Time>, end: Time) -> Intervals {
        Intervals { starts, end }
    }

    /// Intervals of one length from 0 to an end, which may cut the last one short.
    pub fn every(length: Span, end: Time) -> Intervals {
        let starts = (0..end.0).step_by(length.0.max(1) as usize).map(Time).collect();
        Intervals { starts, end }
    }

    /// Where they begin.
    pub fn starts(&self) -> &[Time] {
        &self.starts
    }

    fn end_of(&self, index: usize) -> Time {
        self.starts.get(index + 1).copied().unwrap_or(self.end)
    }
}

/// Adds up a quantity that is constant from one change to the next, and does not exist before the first.
pub(super) struct IntervalMeans<'a> {
    intervals: &'a Intervals,
    /// The interval that `at` lies in.
    index: usize,
    at: Time,
    value: Option<f64>,
    /// By interval: the quantity times µs, and the µs at which it exists.
    sums: Vec<(f64, u64)>,
}

impl<'a> IntervalMeans<'a> {
    pub(super) fn new(intervals: &'a Intervals) -> IntervalMeans<'a> {
        let sums = vec![(0.0, 0); intervals.starts.len()];
        let at = intervals.starts.first().copied().unwrap_or_default();
        IntervalMeans { intervals, index: 0, at, value: None, sums }
    }

    /// The quantity has a value from an instant on, or none. Instants ascend.
    pub(super) fn set(&mut self, at: Time, value: Option<f64>) {
        self.advance(at);
        self.value = value;
    }

    fn advance(&mut self, to: Time) {
        let to = to.min(self.intervals.end);
        while self.at < to && self.index < self.sums.len() {
            let end = self.intervals.end_of(self.index);
            let until = end.min(to);
            if let Some(value) = self.value {
                let span = until.since(self.at).0;
                let (sum, covered) = &mut self.sums[self.index];
                *sum += value * span as f64;
                *covered += span;
            }
            self.at = until;
            self.index += usize::from(until == end);
        }
    }

    /// The mean in each interval over the time at which the quantity exists; `None` where it never does.
    pub(super) fn finish(mut self) -> Vec<Option<f64>> {
        self.advance(self.intervals.end);
        let mean = |(sum, covered): (f64, u64)| (covered > 0).then(|| sum / covered as f64);
        self.sums.into_iter().map(mean).collect()
    }
}

/// Something that changes what jobs hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HoldingChange {
    /// A job arrives.
    Arrival(JobId),
    /// A task takes its core, by index in the trace.
    Launch(usize),
    /// A task frees its core, by index in the trace.
    End(usize),
    /// A job has ended, however it did.
    Exit(JobId),
}

/// Goes through a schedule from instant to instant, each with all that changes at it.
pub(super) fn walk(trace: &Trace, mut visit: impl FnMut(Time, &[(Time, HoldingChange)])) {
    let jobs = || (0..).map(JobId).zip(&trace.jobs);
    let mut changes: Vec<(Time, HoldingChange)> =
        Vec::with_capacity(2 * (trace.tasks.len() + trace.jobs.len()));
    changes.extend(jobs().map(|(job, run)| (run.arrival, HoldingChange::Arrival(job))));
    changes
        .extend(trace.tasks.iter().enumerate().map(|(task, run)| (run.start, HoldingChange::Launch(task))));
    let ends = finish_order(trace).into_iter().map(|task| task as usize);
    changes.extend(ends.map(|task| (trace.tasks[task].end, HoldingChange::End(task))));
    changes.extend(jobs().map(|(job, run)| (run.end(), HoldingChange::Exit(job))));
    changes.sort_by_key(|(at, _)| *at);
    for together in changes.chunk_by(|(one, _), (other, _)| one == other) {
        visit(together[0].0, together);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing until 1 s, then 2, from 3 s on 6, from 5 s on nothing: in intervals of 2 s the means are 2 (over the one
    /// second at which it exists), (2 + 6) / 2, 6 and none.
    #[test]
    fn means_are_over_the_time_at_which_the_quantity_exists() {
        let second = |seconds: u64| Time(seconds * 1_000_000);
        let intervals = Intervals::every(Span(2_000_000), second(7));
        assert_eq!(intervals.starts(), [second(0), second(2), second(4), second(6)]);
        let mut means = IntervalMeans::new(&intervals);
        means.set(second(1), Some(2.0));
        means.set(second(3), Some(6.0));
        means.set(second(5), None);
        assert_eq!(means.finish(), [Some(2.0), Some(4.0), Some(6.0), None]);
    }

    #[test]
    fn a_window_leaves_out_what_lies_before_and_after_it() {
        let intervals = Intervals::new(vec![Time(10), Time(20)], Time(25));
        let mut means = IntervalMeans::new(&intervals);
        means.set(Time(0), Some(1.0));
        means.set(Time(15), Some(3.0));
        means.set(Time(40), Some(9.0));
        assert_eq!(means.finish(), [Some(2.0), Some(3.0)]);
        assert!(IntervalMeans::new(&Intervals::every(Span(1), Time(0))).finish().is_empty());
    }
}
