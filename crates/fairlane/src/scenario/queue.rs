//! Users as queues: bursts that come again and again, and what each of them is promised.

use super::error::ensure;
use super::{Scenario, ScenarioError};
use crate::ids::UserId;
use crate::units::{SlotTime, Span, Time};

/// What the queue policies know of a user (BoPF). A user without one is a throughput queue that
/// demands nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// What it wants.
    pub kind: QueueKind,
    /// When its first burst begins.
    pub joins: Time,
    /// From the begin of one burst to the next; above 0.
    pub period: Span,
    /// Within this long from its begin a burst is owed its demand; above 0, at most the period.
    pub within: Span,
    /// Cores that a burst demands, in core-µs.
    pub demand: SlotTime,
    /// Memory that a burst demands, in MB-µs.
    pub memory_demand: u64,
    /// By how much M-BVT sets its virtual time back inside a window.
    pub warp: Span,
}

/// The two kinds of queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum QueueKind {
    /// Its bursts are to end soon.
    Latency,
    /// It is to get through much work in the long run.
    #[default]
    Throughput,
}

impl Default for Queue {
    /// A throughput queue from the start on, with a burst every five minutes that demands nothing.
    fn default() -> Queue {
        Queue {
            kind: QueueKind::default(),
            joins: Time::ZERO,
            period: Span(300_000_000),
            within: Span(300_000_000),
            demand: SlotTime(0),
            memory_demand: 0,
            warp: Span(0),
        }
    }
}

impl Queue {
    /// Whether a guarantee may be given: it is a latency queue whose bursts demand something.
    pub(crate) fn has_guarantee(&self) -> bool {
        self.kind == QueueKind::Latency && (self.demand > SlotTime(0) || self.memory_demand > 0)
    }

    /// `path` is the queue's.
    pub(super) fn check(&self, path: &str) -> Result<(), ScenarioError> {
        for (key, span) in [("period_s", self.period), ("within_s", self.within)] {
            ensure!(
                span != Span(0),
                format!("{path}.{key}"),
                "rounds to 0 microseconds; give at least 0.000001 s",
            );
        }
        ensure!(
            self.within <= self.period,
            format!("{path}.within_s"),
            "is longer than the period of {}; give at most that",
            self.period,
        );
        Ok(())
    }

    /// A queue that suits a user's jobs: a latency queue whose bursts begin with the first of them, come as often as
    /// jobs have arrived on average, and demand their mean work. Its window is as long as half of the cores take over
    /// that, or as the period if that is shorter.
    pub fn suggested(scenario: &Scenario, user: UserId) -> Queue {
        let jobs: Vec<_> = scenario.jobs.iter().filter(|job| job.user == user).collect();
        let mut bursts: Vec<Time> = jobs.iter().map(|job| job.arrival).collect();
        bursts.sort();
        bursts.dedup();
        let usual = Queue { kind: QueueKind::Latency, ..Queue::default() };
        let (Some(&first), Some(&last)) = (bursts.first(), bursts.last()) else { return usual };
        let work: u64 = jobs.iter().map(|job| job.work().0).sum();
        let gaps = bursts.len() as u64 - 1;
        let period = last.since(first).0.checked_div(gaps).map_or(usual.period, Span);
        let demand = SlotTime(work / (gaps + 1));
        let within = Span((2 * demand.0 / u64::from(scenario.cluster.cores())).max(1)).min(period);
        Queue { joins: first, period, within, demand, ..usual }
    }
}
