//! What a user holds and has used.

use super::View;
use crate::ids::UserId;
use crate::scenario::{Cluster, Queue};
use crate::units::{Span, Time};

/// What the cluster has of each resource: cores, and MB of memory where it is modelled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Capacity {
    amounts: [f64; 2],
    resources: usize,
}

impl Capacity {
    /// That of a cluster.
    pub fn new(cluster: &Cluster) -> Capacity {
        let memory = cluster.memory_per_executor.map(|memory| u64::from(cluster.executors) * memory);
        Capacity {
            amounts: [f64::from(cluster.cores()), memory.unwrap_or(0) as f64],
            resources: 1 + usize::from(memory.is_some()),
        }
    }

    /// The resources there are: 0 is cores, 1 memory.
    pub(crate) fn resources(&self) -> std::ops::Range<usize> {
        0..self.resources
    }

    /// C: how much there is of a resource.
    pub(crate) fn of_resource(&self, resource: usize) -> f64 {
        self.amounts[resource]
    }

    /// What a user holds of a resource: cores or MB.
    pub fn held(&self, resource: usize, user: UserId, view: &View) -> f64 {
        if resource == 0 { f64::from(view.user_running(user)) } else { view.user_memory(user) as f64 }
    }

    /// The largest share of a resource that a user holds, 0 to 1.
    pub fn dominant_share(&self, user: UserId, view: &View) -> f64 {
        let share = |resource| self.held(resource, user, view) / self.of_resource(resource);
        self.resources().map(share).fold(0.0, f64::max)
    }
}

/// A user's burst: from one begin to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BurstWindow {
    /// Its begin.
    pub begin: Time,
    /// The begin of the next.
    pub end: Time,
}

/// What a user holds now and has used so far, of each resource.
#[derive(Clone, Debug)]
pub(super) struct Account {
    /// Cores, MB.
    held: [u64; 2],
    /// Used until `since`, in core-µs and MB-µs.
    used: [u128; 2],
    /// When `held` changed last.
    since: Time,
    /// When the first burst begins, and from the begin of one to the next.
    bursts: Option<(Time, Span)>,
    /// The burst that `since` lies in.
    burst: Option<BurstWindow>,
    /// Used before its begin.
    before: [u128; 2],
}

impl Account {
    /// That of a user who holds and has used nothing.
    pub fn new(queue: Option<&Queue>) -> Account {
        let mut account = Account {
            held: [0; 2],
            used: [0; 2],
            since: Time::ZERO,
            bursts: queue.map(|queue| (queue.joins, queue.period)),
            burst: None,
            before: [0; 2],
        };
        account.burst = account.burst(Time::ZERO);
        account
    }

    /// A task is launched that holds a core and memory.
    pub fn launch(&mut self, now: Time, memory: u64) {
        self.advance(now);
        self.held[0] += 1;
        self.held[1] += memory;
    }

    /// Such a task has ended.
    pub fn end(&mut self, now: Time, memory: u64) {
        self.advance(now);
        self.held[0] -= 1;
        self.held[1] -= memory;
    }

    fn advance(&mut self, now: Time) {
        let burst = self.burst(now);
        if let Some(BurstWindow { begin, .. }) = burst
            && burst != self.burst
        {
            self.before = [0, 1].map(|resource| self.used_until(resource, begin));
            self.burst = burst;
        }
        self.used = [0, 1].map(|resource| self.used_until(resource, now));
        self.since = now;
    }

    /// `at` is not before the last change.
    fn used_until(&self, resource: usize, at: Time) -> u128 {
        self.used[resource] + u128::from(self.held[resource]) * u128::from(at.since(self.since).0)
    }

    /// The burst that an instant, not before the last change, lies in: none before the user joins.
    pub fn burst(&self, at: Time) -> Option<BurstWindow> {
        if let Some(burst) = self.burst
            && at < burst.end
        {
            return Some(burst);
        }
        let (joins, period) = self.bursts?;
        let begun = at.0.checked_sub(joins.0)? / period.0;
        let begin = Time(joins.0 + begun * period.0);
        Some(BurstWindow { begin, end: begin + period })
    }

    /// When the burst that an instant, not before the last change, lies in ends, or its window of some length if that
    /// is earlier and still to come; the first burst's begin before it; `None` for a user without bursts.
    pub fn next_edge(&self, now: Time, window: Span) -> Option<Time> {
        match self.burst(now) {
            Some(BurstWindow { begin, end }) => {
                let close = begin + window;
                Some(if now < close { close.min(end) } else { end })
            }
            None => self.bursts.map(|(joins, _)| joins),
        }
    }

    /// Used since 0, in core-µs or MB-µs.
    pub fn used(&self, resource: usize, now: Time) -> f64 {
        number(self.used_until(resource, now))
    }

    /// Used since the begin of the burst, in core-µs or MB-µs; 0 for a user without one.
    pub(crate) fn used_in_burst(&self, resource: usize, now: Time) -> f64 {
        match self.burst(now) {
            None => 0.0,
            burst if burst == self.burst => number(self.used_until(resource, now) - self.before[resource]),
            Some(BurstWindow { begin, .. }) => {
                number(u128::from(self.held[resource]) * u128::from(now.since(begin).0))
            }
        }
    }
}

/// The nearest number; most amounts fit 64 bits, which is quicker.
fn number(amount: u128) -> f64 {
    match u64::try_from(amount) {
        Ok(amount) => amount as f64,
        Err(_) => amount as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One core from 1 s to 4 s and another from 3 s on, with bursts of 2 s from 0.5 s on, counted every 0.1 s.
    #[test]
    fn use_is_counted_by_burst() {
        let queue =
            Queue { joins: Time(500_000), period: Span(2_000_000), within: Span(1), ..Queue::default() };
        let mut account = Account::new(Some(&queue));
        let running = |at: u64| u64::from((10..40).contains(&at)) + u64::from(at >= 30);
        for at in 0..100 {
            let now = Time(at * 100_000);
            match at {
                10 | 30 => account.launch(now, 7),
                40 => account.end(now, 7),
                _ => {}
            }
            let begin = if at < 5 { None } else { Some(5 + (at - 5) / 20 * 20) };
            assert_eq!(account.burst(now).map(|burst| burst.begin), begin.map(|begin| Time(begin * 100_000)));
            let used = |from: u64| (from..at).map(running).sum::<u64>() as f64 * 100_000.0;
            assert_eq!(account.used(0, now), used(0), "at {at}");
            assert_eq!(account.used_in_burst(0, now), begin.map_or(0.0, used), "at {at}");
            assert_eq!(account.used_in_burst(1, now), 7.0 * begin.map_or(0.0, used), "at {at}");
        }
    }
}
