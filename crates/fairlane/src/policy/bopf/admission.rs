//! BoPF's admission of queues (its paper's Algorithm 1): every queue gets its class before the first event.

use crate::ids::UserId;
use crate::order;
use crate::policy::usage::Capacity;
use crate::policy::{Context, QueueClass};
use crate::scenario::parameter::declared::BOPF;
use crate::scenario::{Queue, QueueKind};
use crate::units::Time;

/// Both sides of a condition: it holds if the first is at most the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdmissionCondition {
    /// What is asked for.
    pub asked: f64,
    /// What there is.
    pub limit: f64,
    /// The resource: 0 is cores, 1 memory.
    pub resource: usize,
}

impl AdmissionCondition {
    /// Whether it holds.
    pub fn holds(&self) -> bool {
        self.asked <= self.limit
    }

    /// Whether it says more than another one: the one that does not hold, else the one that is closer to its limit.
    fn is_tighter(&self, other: &AdmissionCondition) -> bool {
        let excess = |condition: &AdmissionCondition| (!condition.holds(), condition.asked / condition.limit);
        excess(self) > excess(other)
    }
}

/// The decision on a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct AdmissionDecision {
    /// Its class.
    pub class: QueueClass,
    /// How many queues were admitted before it.
    pub order: u32,
    /// N: how many queues the cluster is shared between, this one included.
    pub sharing: f64,
    /// *Safe*: the demand of a queue with a guarantee times N (core-µs or MB-µs) against the capacity over its
    /// period, and the queue of which that is closest to its limit. `None` if no queue has a guarantee yet.
    pub safe: Option<(UserId, AdmissionCondition)>,
    /// *Fair*: its own demand times N against the capacity over its period. `None` if that was not asked.
    pub fair: Option<AdmissionCondition>,
    /// *Resource*: the rates (cores or MB) that hard guarantees and its own demand take at the instant at which they
    /// take the most, against the capacity. `None` if that was not asked.
    pub resource: Option<(Time, AdmissionCondition)>,
}

/// A queue with a demand, as admission sees it.
#[derive(Clone, Debug)]
struct QueueDemand {
    joins: u64,
    period: u64,
    within: u64,
    /// b: the number of its bursts.
    bursts: u64,
    demand: [f64; 2],
}

impl QueueDemand {
    fn new(queue: &Queue, last_arrival: Option<Time>) -> QueueDemand {
        let bursts = 1 + last_arrival.map_or(0, |last| last.since(queue.joins).0 / queue.period.0);
        QueueDemand {
            joins: queue.joins.0,
            period: queue.period.0,
            within: queue.within.0,
            bursts,
            demand: [queue.demand.0 as f64, queue.memory_demand as f64],
        }
    }

    /// The rate that a burst demands inside its window.
    fn rate(&self, resource: usize) -> f64 {
        self.demand[resource] / self.within as f64
    }

    fn begin(&self, burst: u64) -> u64 {
        self.joins + burst * self.period
    }

    /// Whether one of its windows holds an instant.
    fn holds(&self, at: u64) -> bool {
        let Some(since) = at.checked_sub(self.joins) else { return false };
        since / self.period < self.bursts && since % self.period < self.within
    }

    /// The begins of its windows strictly between two instants.
    fn begins_between(&self, after: u64, before: u64) -> impl Iterator<Item = u64> + '_ {
        let first = after.checked_sub(self.joins).map_or(0, |since| since / self.period + 1);
        (first..self.bursts).map(|burst| self.begin(burst)).take_while(move |&begin| begin < before)
    }
}

/// The verdicts on all users, by [`UserId`]. `soft` says whether there are soft guarantees.
pub fn verdicts(context: &Context, soft: bool) -> Vec<AdmissionDecision> {
    let scenario = context.scenario;
    let users = scenario.users();
    let mut last_arrivals: Vec<Option<Time>> = vec![None; users.len()];
    for job in scenario.jobs() {
        let last = &mut last_arrivals[job.user.index()];
        *last = (*last).max(Some(job.arrival));
    }
    let queues: Vec<Queue> = users.iter().map(|user| user.queue.clone().unwrap_or_default()).collect();
    let mut desk = AdmissionState {
        capacity: Capacity::new(scenario.cluster()),
        least_sharing: BOPF.number(scenario, "min_queues"),
        soft,
        admitted: 0,
        guarantee: None,
        hard: Vec::new(),
    };
    let mut verdicts: Vec<Option<AdmissionDecision>> = vec![None; users.len()];
    for user in order::by_key(users.len(), |user| queues[user as usize].joins.0) {
        let queue = &queues[user as usize];
        let member = QueueDemand::new(queue, last_arrivals[user as usize]);
        verdicts[user as usize] = Some(desk.admit(UserId(user), queue.kind, member));
    }
    verdicts.into_iter().flatten().collect()
}

/// The state of the admission.
struct AdmissionState {
    capacity: Capacity,
    least_sharing: f64,
    soft: bool,
    admitted: u32,
    /// The queue with a guarantee that can share with the fewest others: with how many queues at most it has its
    /// demand, itself included, and of which resource.
    guarantee: Option<(f64, UserId, QueueDemand, usize)>,
    /// The queues with a hard guarantee, in the order of admission.
    hard: Vec<QueueDemand>,
}

impl AdmissionState {
    fn admit(&mut self, user: UserId, kind: QueueKind, member: QueueDemand) -> AdmissionDecision {
        let sharing = f64::from(self.admitted + 1).max(self.least_sharing);
        let guarantee = self.guarantee.as_ref();
        let safe =
            guarantee.map(|(_, user, member, resource)| (*user, self.share(member, sharing, *resource)));
        let mut verdict = AdmissionDecision {
            class: QueueClass::Rejected,
            order: self.admitted,
            sharing,
            safe,
            fair: None,
            resource: None,
        };
        if safe.is_some_and(|(_, safe)| !safe.holds()) {
            return verdict;
        }
        self.admitted += 1;
        verdict.class = QueueClass::Elastic;
        if kind == QueueKind::Throughput {
            return verdict;
        }
        let shares = self.capacity.resources().map(|resource| self.share(&member, sharing, resource));
        verdict.fair = tightest(shares.map(|fair| (fair, ()))).map(|(fair, ())| fair);
        if verdict.fair.is_some_and(|fair| !fair.holds()) {
            return verdict;
        }
        let (condition, at) = self.resource(&member);
        verdict.resource = Some((at, condition));
        if condition.holds() {
            verdict.class = QueueClass::Hard;
        } else if self.soft {
            verdict.class = QueueClass::Soft;
        } else {
            return verdict;
        }
        for resource in self.capacity.resources() {
            let most = self.most_sharing(&member, resource);
            if self.guarantee.as_ref().is_none_or(|(least, ..)| most < *least) {
                self.guarantee = Some((most, user, member.clone(), resource));
            }
        }
        if verdict.class == QueueClass::Hard {
            self.hard.push(member);
        }
        verdict
    }

    /// A queue's demand times the queues that share, against the capacity over its period.
    fn share(&self, member: &QueueDemand, sharing: f64, resource: usize) -> AdmissionCondition {
        AdmissionCondition {
            asked: member.demand[resource] * sharing,
            limit: self.capacity.of_resource(resource) * member.period as f64,
            resource,
        }
    }

    /// The largest whole number of sharing queues with which [`AdmissionState::share`] holds.
    fn most_sharing(&self, member: &QueueDemand, resource: usize) -> f64 {
        let AdmissionCondition { asked: demand, limit, .. } = self.share(member, 1.0, resource);
        let mut most = (limit / demand).floor();
        // More queues than there can be. Not a number if both are 0.
        if demand == 0.0 || most > 1e12 {
            return f64::INFINITY;
        }
        while demand * most > limit {
            most -= 1.0;
        }
        while demand * (most + 1.0) <= limit {
            most += 1.0;
        }
        most
    }

    /// The rates at the instant at which they are closest to the limit, of those at which a window of the queue or of
    /// a hard guarantee inside one begins.
    fn resource(&self, member: &QueueDemand) -> (AdmissionCondition, Time) {
        // All windows at once: if even that holds, no instant has to be looked at, because rounding is monotone.
        // Neither has any for a queue that demands nothing, because the hard guarantees fit beside each other.
        let all = self.rates(member, |_| true);
        if all.holds() || self.capacity.resources().all(|resource| member.demand[resource] == 0.0) {
            let at = member.begin(0);
            return (self.rates(member, |hard| hard.holds(at)), Time(at));
        }
        let mut worst: Option<(AdmissionCondition, u64)> = None;
        for burst in 0..member.bursts {
            let begin = member.begin(burst);
            let end = begin + member.within;
            let inside = self.hard.iter().flat_map(|hard| hard.begins_between(begin, end));
            for at in std::iter::once(begin).chain(inside) {
                let rates = self.rates(member, |hard| hard.holds(at));
                if !rates.holds() {
                    return (rates, Time(at));
                }
                if worst.is_none_or(|(worst, _)| rates.is_tighter(&worst)) {
                    worst = Some((rates, at));
                }
            }
        }
        worst.map_or((all, Time(member.joins)), |(rates, at)| (rates, Time(at)))
    }

    /// The rates of the hard guarantees that count and of a queue, of the resource of which they take the largest part.
    fn rates(&self, member: &QueueDemand, counts: impl Fn(&QueueDemand) -> bool) -> AdmissionCondition {
        let mut sums = [0.0, 0.0];
        for hard in self.hard.iter().filter(|hard| counts(hard)) {
            for resource in self.capacity.resources() {
                sums[resource] += hard.rate(resource);
            }
        }
        let condition = |resource: usize| AdmissionCondition {
            asked: sums[resource] + member.rate(resource),
            limit: self.capacity.of_resource(resource),
            resource,
        };
        let conditions = self.capacity.resources().map(|resource| (condition(resource), ()));
        tightest(conditions).map_or_else(|| condition(0), |(condition, ())| condition)
    }
}

/// The condition that is closest to its limit or beyond it; the first of equal ones.
fn tightest<T>(conditions: impl Iterator<Item = (AdmissionCondition, T)>) -> Option<(AdmissionCondition, T)> {
    conditions.reduce(|best, next| if next.0.is_tighter(&best.0) { next } else { best })
}
