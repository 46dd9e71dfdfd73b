//! V, the global virtual time, and the steps in which it was advanced.

use crate::policy::explain;
use crate::units::VirtualTime;

/// A step of everybody's progress (Algorithm 2).
#[derive(Clone, Copy, Debug)]
pub(super) struct ClockStep {
    /// Its length in µs.
    pub(super) dt: f64,
    /// W: the sum of the active users' weights.
    pub(super) total_weight: f64,
}

/// The steps since somebody was first active, for those who need the paper's sum.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    pub(super) list: Vec<ClockStep>,
    /// Whether the last step took no time. Of several such in a row only the first is listed: the others find
    /// nothing to do but to remove jobs without work.
    pub(super) still: bool,
    /// Steps that took time, ever.
    pub(super) moves: u64,
}

impl Steps {
    fn push(&mut self, dt: f64, total_weight: f64) {
        self.still = dt == 0.0;
        if !self.still {
            self.moves += 1;
        } else if self.list.last().is_none_or(|step| step.dt == 0.0) {
            return;
        }
        self.list.push(ClockStep { dt, total_weight });
    }
}

/// The state that all active users share.
#[derive(Clone, Debug)]
pub(super) struct UwfqClock {
    /// The number of cores R.
    pub(super) cores: f64,
    /// V: what one unit of weight has been served, in core-µs.
    pub(super) virtual_time: f64,
    /// T: the instant of V, in µs.
    pub(super) now: f64,
    /// Sum of the active users' weights, in millionths; 0 if nobody is active.
    active_weight: u64,
    pub(super) steps: Steps,
}

impl UwfqClock {
    pub(super) fn new(cores: u32) -> Self {
        UwfqClock {
            cores: f64::from(cores),
            virtual_time: 0.0,
            now: 0.0,
            active_weight: 0,
            steps: Steps::default(),
        }
    }

    /// W: the sum of the active users' weights.
    fn total_weight(&self) -> f64 {
        self.active_weight as f64 / 1e6
    }

    /// When V reaches a value if the same users stay active, in µs; now if it has already.
    pub(super) fn instant_of(&self, virtual_time: f64) -> f64 {
        self.now.max(self.now + (virtual_time - self.virtual_time) * self.total_weight() / self.cores)
    }

    /// Advances V to a later instant. It is constant while nobody is active.
    pub(super) fn progress(&mut self, to: f64) {
        if self.active_weight > 0 {
            let (dt, total) = (to - self.now, self.total_weight());
            self.virtual_time += dt * self.cores / total;
            self.steps.push(dt, total);
        }
        self.now = to;
    }

    /// V, its rate and where that changes next, at an instant not before the last; `active` are the Ends and weights,
    /// in millionths, of the active users.
    pub(super) fn at(&self, now: f64, active: impl Iterator<Item = (f64, u64)>) -> explain::PolicyClock {
        let mut ends: Vec<(VirtualTime, u64)> =
            active.map(|(end, weight)| (VirtualTime(end), weight)).collect();
        ends.sort_unstable();
        let mut clock = UwfqClock { steps: Steps::default(), ..*self };
        let mut ends = ends.into_iter().peekable();
        while let Some((end, weight)) = ends.next_if(|(end, _)| clock.instant_of(end.0) <= now) {
            clock.progress(clock.instant_of(end.0));
            clock.virtual_time = end.0;
            clock.leave(weight);
        }
        clock.progress(now);
        let next = ends.peek().map(|(end, _)| end.0);
        explain::PolicyClock {
            virtual_time: clock.virtual_time,
            rate: next.map(|_| clock.cores / clock.total_weight()),
            next,
        }
    }

    /// A user of this weight, in millionths, becomes active.
    pub(super) fn enter(&mut self, weight: u64) {
        self.active_weight += weight;
    }

    /// A user of this weight, in millionths, leaves.
    pub(super) fn leave(&mut self, weight: u64) {
        self.active_weight -= weight;
        if self.active_weight == 0 {
            // Nobody will ask for these steps.
            self.steps.list.clear();
        }
    }
}
