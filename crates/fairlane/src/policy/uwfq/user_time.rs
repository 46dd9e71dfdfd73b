//! Vu, a user's virtual time: what each of the user's jobs has been served, in core-µs.
//!
//! The paper advances everybody's Vu at every event. Here a user's is advanced when
//! the user is touched, in one step from V, because V grows by what one unit of weight is served. The result
//! is the same number but for its last bits, since the paper's sum is rounded at every event;
//! and where two deadlines meet, the last bits decide. So [`UserTime::doubt`] bounds how far the number may be
//! off, and where that leaves a comparison open the paper's sum is replayed, step
//! by step ([`UserTime::settle`]). That is rare, and never more work than the paper's.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::clock::{ClockStep, Steps, UwfqClock};
use crate::ids::Rank;
use crate::units::VirtualTime;

/// A user's virtual time.
#[derive(Clone, Debug, Default)]
pub(super) struct UserTime {
    weight: f64,
    /// Vu, in core-µs.
    pub(super) user_time: f64,
    /// V at which Vu was read.
    at: f64,
    /// Jobs that have been admitted or have finished virtually since Vu was exact.
    changes: u32,
    /// Jobs that have been admitted since.
    arrivals: u32,
    /// The largest deadline yet.
    largest: f64,
    exact: Exact,
}

/// The paper's sum, as far as it has been replayed.
#[derive(Clone, Debug, Default)]
struct Exact {
    user_time: f64,
    /// Unfinished jobs by (D_user, rank), with the number of the admission.
    jobs: BinaryHeap<Reverse<(VirtualTime, Rank)>>,
    /// Steps done.
    steps: usize,
    /// Steps that took time, of those done or before.
    moves: u64,
    /// Jobs that have been admitted since, each with the number of steps before it and its estimate in core-µs.
    arrivals: Vec<(usize, Rank, u64)>,
}

/// What is to be done next to advance a user's virtual time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextStep {
    /// The first job has finished virtually.
    Finish,
    /// Vu is that of now.
    Done,
    /// Whether the first job has finished is too close to decide.
    TooClose,
}

impl UserTime {
    /// A user enters (Algorithm 1, phase 2).
    pub(super) fn enter(&mut self, weight: f64, clock: &UwfqClock) {
        let exact = Exact { steps: clock.steps.list.len(), moves: clock.steps.moves, ..Exact::default() };
        *self = UserTime { weight, at: clock.virtual_time, exact, ..UserTime::default() };
    }

    /// How far two deadlines, or a deadline and Vu, may be off against each other.
    ///
    /// Each step of the paper's sum and of ours rounds the work served by at most a few units in the last step of
    /// the largest numbers involved. An error in the work served puts Vu off by as much, and a job that
    /// is admitted then keeps it in its deadline, from where it counts once more when the jobs before have
    /// finished: once for each job that has been admitted.
    pub(super) fn doubt(&self, clock: &UwfqClock) -> f64 {
        const UNITS: f64 = 16.0 * f64::EPSILON;
        if self.is_exact(&clock.steps) {
            return 0.0;
        }
        let roundings = (clock.steps.list.len() - self.exact.steps) as f64 + f64::from(self.changes) + 4.0;
        let scale = self.weight * clock.virtual_time + clock.cores * clock.now + self.largest;
        2.0 * roundings * (f64::from(self.arrivals) + 1.0) * UNITS * scale
    }

    /// No time has passed since Vu was the paper's.
    fn is_exact(&self, steps: &Steps) -> bool {
        self.exact.moves == steps.moves
    }

    /// Advances Vu to now or to the next virtual finish, whichever is first. `first` is D_user of the first
    /// of the user's `jobs` jobs.
    pub(super) fn advance(&mut self, first: f64, jobs: u32, clock: &UwfqClock) -> NextStep {
        let needed = first - self.user_time;
        if self.is_exact(&clock.steps) {
            if clock.steps.still && needed <= 0.0 {
                return self.finish(first, clock.virtual_time);
            }
            return NextStep::Done;
        }
        let served = (clock.virtual_time - self.at) * self.weight / f64::from(jobs);
        let doubt = self.doubt(clock);
        if needed > served + doubt {
            self.user_time += served;
            self.at = clock.virtual_time;
            NextStep::Done
        } else if needed < served - doubt {
            let at = self.at + needed * f64::from(jobs) / self.weight;
            self.finish(first, at.clamp(self.at, clock.virtual_time.max(self.at)))
        } else {
            NextStep::TooClose
        }
    }

    fn finish(&mut self, deadline: f64, at: f64) -> NextStep {
        self.user_time = deadline;
        self.at = at;
        self.changes += 1;
        NextStep::Finish
    }

    /// No job is left, so Vu is constant.
    pub(super) fn rest(&mut self, clock: &UwfqClock) {
        self.at = clock.virtual_time;
    }

    /// A job is admitted now; its D_user.
    pub(super) fn admit(&mut self, rank: Rank, estimate: u64, steps: &Steps) -> f64 {
        let deadline = self.user_time + estimate as f64;
        self.largest = self.largest.max(deadline);
        self.changes += 1;
        self.arrivals += 1;
        self.exact.arrivals.push((steps.list.len(), rank, estimate));
        deadline
    }

    /// Replays the paper's sum up to now. Reports each job admitted since the last time, with Vu at its admission
    /// and its D_user; returns the first unfinished job, if any is left.
    pub(super) fn settle(
        &mut self,
        clock: &UwfqClock,
        mut report: impl FnMut(Rank, f64, f64),
    ) -> Option<Rank> {
        let exact = &mut self.exact;
        let mut arrivals = std::mem::take(&mut exact.arrivals).into_iter().peekable();
        let steps = &clock.steps.list;
        for step in exact.steps..=steps.len() {
            while let Some((_, rank, estimate)) = arrivals.next_if(|&(before, ..)| before == step) {
                let deadline = exact.user_time + estimate as f64;
                exact.jobs.push(Reverse((VirtualTime(deadline), rank)));
                report(rank, exact.user_time, deadline);
            }
            if let Some(&ClockStep { dt, total_weight }) = steps.get(step) {
                exact.serve(dt, self.weight * clock.cores / total_weight);
            }
        }
        if clock.steps.still {
            exact.serve(0.0, self.weight);
        }
        exact.steps = steps.len();
        exact.moves = clock.steps.moves;
        self.user_time = exact.user_time;
        self.at = clock.virtual_time;
        (self.changes, self.arrivals) = (0, 0);
        exact.jobs.peek().map(|&Reverse((_, rank))| rank)
    }
}

impl Exact {
    /// Serves the jobs equally for `dt` µs with `share` cores: Algorithm 3 to the letter.
    fn serve(&mut self, mut dt: f64, share: f64) {
        while let Some(&Reverse((deadline, _))) = self.jobs.peek() {
            let rate = share / self.jobs.len() as f64;
            if deadline.0 > self.user_time + dt * rate {
                break;
            }
            let spent = deadline.0 - self.user_time;
            self.user_time = deadline.0;
            dt -= spent / rate;
            self.jobs.pop();
        }
        if !self.jobs.is_empty() {
            self.user_time += dt * share / self.jobs.len() as f64;
        }
    }
}
