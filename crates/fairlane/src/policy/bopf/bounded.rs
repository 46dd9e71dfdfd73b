//! Where BoPF's classes put a queue in the order.

use std::marker::PhantomData;

use super::admission::{Condition, Verdict, verdicts};
use crate::ids::UserId;
use crate::policy::drf::Drf;
use crate::policy::explain::{Contender, Decision, Explanation, Part, Subject, Value};
use crate::policy::user_ranked::{self, Account, Capacity, Moving, NEVER, UserRankedPolicy, holds_for};
use crate::policy::{Context, Info, QueueClass};
use crate::scenario::Queue;
use crate::units::Time;

/// A variant of BoPF.
pub trait Variant {
    /// Whether there are soft guarantees.
    const SOFT: bool;
    /// What the policy declares of itself.
    fn info() -> &'static Info;
}

/// Bounded priority. Key, by the first class that applies:
///
/// 1. a hard guarantee that is owed and holds less than its rate: (1, order of admission);
/// 2. a soft guarantee that is owed and inside its window: (2, remaining demand, order of admission);
/// 3. no guarantee, or one that is owed: (3, dominant share / weight, position in the list of users);
/// 4. a guarantee whose burst has had its demand: (4, as 3).
pub struct Bounded<V> {
    drf: Drf,
    capacity: Capacity,
    verdicts: Vec<Verdict>,
    classes: Vec<QueueClass>,
    queues: Vec<Queue>,
    variant: PhantomData<V>,
}

/// Where a queue is in the order, and why.
struct Standing {
    /// 1 to 4.
    class: u8,
    /// The remaining demand of class 2, in µs of the whole cluster.
    remaining: f64,
    /// When the class may change though the queue neither launches nor ends a task.
    until: Time,
}

/// What the first number of the key means.
fn turn(class: u8) -> &'static str {
    match class {
        1 => "1st: guaranteed, below its promised rate",
        2 => "2nd: soft, within its window",
        3 => "3rd: by dominant share",
        _ => "4th: no burst to serve now",
    }
}

impl<V> Bounded<V> {
    /// The resources of which a queue demands something, each with the demand of a burst.
    fn demands(&self, queue: &Queue) -> impl Iterator<Item = (usize, u64)> + use<V> {
        let demands = [queue.demand.0, queue.memory_demand];
        self.capacity
            .resources()
            .map(move |resource| (resource, demands[resource]))
            .filter(|&(_, demand)| demand > 0)
    }

    fn standing(&self, user: UserId, account: &Account, now: Time) -> Standing {
        let queue = &self.queues[user.index()];
        let guarantee = match self.classes[user.index()] {
            QueueClass::Hard => true,
            QueueClass::Soft => false,
            QueueClass::Elastic | QueueClass::Rejected => {
                return Standing { class: 3, remaining: 0.0, until: NEVER };
            }
        };
        let Some(burst) = account.burst(now) else {
            return Standing { class: 4, remaining: 0.0, until: queue.joins };
        };
        let owed = self
            .demands(queue)
            .all(|(resource, demand)| account.used_in_burst(resource, now) < demand as f64);
        if !owed {
            return Standing { class: 4, remaining: 0.0, until: burst.end };
        }
        let spent =
            self.demands(queue).filter_map(|(resource, demand)| account.until_used(resource, demand, now));
        let spent = spent.map(|span| Time(now.0.saturating_add(span.0))).min().unwrap_or(NEVER);
        let until = spent.min(burst.end);
        if guarantee {
            let within = queue.within.0 as f64;
            let below =
                self.demands(queue).all(|(resource, demand)| account.held(resource) * within < demand as f64);
            return Standing { class: if below { 1 } else { 3 }, remaining: 0.0, until };
        }
        let window = burst.begin + queue.within;
        if now >= window {
            return Standing { class: 3, remaining: 0.0, until };
        }
        let part = |(resource, demand): (usize, u64)| {
            (demand as f64 - account.used_in_burst(resource, now)) / self.capacity.of_resource(resource)
        };
        let remaining = self.demands(queue).map(part).fold(0.0, f64::max);
        Standing { class: 2, remaining, until: until.min(window) }
    }

    fn order(&self, user: UserId) -> u32 {
        self.verdicts[user.index()].order
    }

    fn moving(&self, (user, account): (UserId, &Account), standing: &Standing) -> Moving {
        let (least, most) = self.capacity.rates(account);
        let demands = self.demands(&self.queues[user.index()]);
        let parts = demands.map(|(resource, demand)| demand as f64 / self.capacity.of_resource(resource));
        Moving { now: standing.remaining, rates: (-most, -least), magnitude: parts.fold(0.0, f64::max) }
    }
}

impl<V: Variant> UserRankedPolicy for Bounded<V> {
    type Key = (u8, u64, u32);

    const ONLY_HELD: bool = false;

    fn info() -> &'static Info {
        V::info()
    }

    fn new(context: &Context) -> Self {
        let verdicts = verdicts(context, V::SOFT);
        Bounded {
            drf: Drf::new(context),
            capacity: Capacity::of(context.scenario.cluster()),
            classes: verdicts.iter().map(|verdict| verdict.class).collect(),
            verdicts,
            queues: context
                .scenario
                .users()
                .iter()
                .map(|user| user.queue.clone().unwrap_or_default())
                .collect(),
            variant: PhantomData,
        }
    }

    fn classes(&self) -> &[QueueClass] {
        &self.classes
    }

    fn key(&self, user: UserId, account: &Account, now: Time) -> Self::Key {
        let Standing { class, remaining, .. } = self.standing(user, account, now);
        match class {
            1 => (1, 0, self.order(user)),
            2 => (2, user_ranked::ordered_share(remaining), self.order(user)),
            _ => {
                let (share, position) = self.drf.key(user, account, now);
                (class, share, position)
            }
        }
    }

    fn rests_until(&self, user: UserId, account: &Account, now: Time) -> Option<Time> {
        let Standing { class, until, .. } = self.standing(user, account, now);
        let (_, most) = self.capacity.rates(account);
        (class != 2 || most == 0.0).then_some(until)
    }

    fn holds_until(&self, first: (UserId, &Account), second: (UserId, &Account), now: Time) -> Time {
        let standings = [first, second].map(|(user, account)| self.standing(user, account, now));
        let until = standings[0].until.min(standings[1].until);
        if standings.iter().any(|standing| standing.class != 2) {
            return until;
        }
        let [one, other] = [(first, &standings[0]), (second, &standings[1])];
        let span = holds_for(self.moving(one.0, one.1), self.moving(other.0, other.1));
        until.min(Time(now.0.saturating_add(span.0)))
    }

    fn explain(&self, user: UserId, account: &Account, now: Time) -> Explanation {
        let Standing { class, remaining, .. } = self.standing(user, account, now);
        let order = Part::new("order of admission", Value::Number(u64::from(self.order(user))));
        let mut parts = vec![Part::new("turn", Value::Text(turn(class).to_owned()))];
        match class {
            1 => parts.push(order),
            2 => parts.extend([Part::new("remaining demand", Value::Seconds(remaining)), order]),
            _ => parts.extend(self.drf.share_parts(user, account)),
        }
        let (queue, verdict) = (&self.queues[user.index()], &self.verdicts[user.index()]);
        let mut facts = vec![Part::new("class of the queue", Value::Text(verdict.class.title().to_owned()))];
        if matches!(verdict.class, QueueClass::Hard | QueueClass::Soft) {
            let names = [
                ["used of this burst", "demand of a burst", "cores held", "rate that it is promised"],
                [
                    "memory used of this burst",
                    "memory demand of a burst",
                    "memory held",
                    "memory rate that it is promised",
                ],
            ];
            for (resource, demand) in self.demands(queue) {
                let amount = if resource == 0 { Value::Work } else { Value::MemoryWork };
                let rate = if resource == 0 { Value::Cores } else { Value::Memory };
                let [used, demanded, held, promised] = names[resource];
                facts.push(Part::new(used, amount(account.used_in_burst(resource, now))));
                facts.push(Part::new(demanded, amount(demand as f64)));
                facts.push(Part::new(held, rate(account.held(resource))));
                facts.push(Part::new(promised, rate(demand as f64 / queue.within.0 as f64)));
            }
            if let Some(burst) = account.burst(now) {
                facts.push(Part::new("begin of its burst", Value::Seconds(burst.begin.0 as f64)));
                facts.push(Part::new(
                    "end of its window",
                    Value::Seconds((burst.begin + queue.within).0 as f64),
                ));
            }
        } else {
            facts.extend(self.drf.share_facts(user, account));
        }
        Explanation { parts, facts, remark: None }
    }

    fn reason(first: &Contender, second: &Contender, part: usize) -> String {
        let (user, other, label) = (first.user, second.user, first.label);
        let class = |stage: &Contender| match stage.key.parts[0].value {
            Value::Number(class) => class,
            _ => 0,
        };
        let says = |class| match class {
            1 => "is owed its burst's demand and holds less than the rate it is promised",
            2 => "is inside its window and its burst has not had its demand",
            3 => "shares with the others",
            _ => "has had its burst's demand and lives on what is spare",
        };
        match (part, class(first)) {
            (0, mine) => format!(
                "{user} {}, while {other} {}, so {label} goes first.",
                says(mine),
                says(class(second))
            ),
            (1, 2) => {
                let [mine, theirs] = [first, second].map(|stage| &stage.key.parts[1].value);
                format!(
                    "{user}'s burst lacks the least ({mine} of the whole cluster against {theirs}), so {label} goes first."
                )
            }
            (_, 1 | 2) => format!("{user} was admitted before {other}, so {label} goes first."),
            (1, _) => user_ranked::reason_by_share(first, second, 1),
            _ => user_ranked::reason_by_list(first, second),
        }
    }

    fn decisions(context: &Context) -> Vec<Decision> {
        let users = context.scenario.users();
        let decision = |(user, verdict): (usize, Verdict)| {
            let name = &users[user].name;
            let (mut parts, mut failed) =
                (vec![Part::new("queues that share, N", Value::Number(verdict.sharing as u64))], None);
            if let Some((guaranteed, condition)) = verdict.safe {
                let whose = Value::Text(users[guaranteed.index()].name.clone());
                parts.push(Part::new("safe: the guarantee closest to its limit is that of", whose));
                parts
                    .extend(sides(["safe: its demand times N", "safe: capacity over its period"], condition));
                failed = failed.or((!condition.holds()).then(|| {
                    format!(
                        "with it, {} could no longer be sure of its demand",
                        users[guaranteed.index()].name
                    )
                }));
            }
            if let Some(condition) = verdict.fair {
                parts.extend(sides(["fair: demand times N", "fair: capacity over the period"], condition));
                failed =
                    failed
                        .or((!condition.holds())
                            .then(|| "its bursts demand more than its fair share".to_owned()));
            }
            if let Some((at, condition)) = verdict.resource {
                parts.push(Part::new("resource: rates compared at", Value::Seconds(at.0 as f64)));
                let value = if condition.resource == 0 { Value::Cores } else { Value::Memory };
                parts.push(Part::new("resource: guaranteed rates and its own", value(condition.asked)));
                parts.push(Part::new("resource: capacity", value(condition.limit)));
                failed = failed.or((!condition.holds()).then(|| {
                    format!(
                        "the guaranteed rates and its own are more than the cluster at {:.2} s",
                        at.seconds()
                    )
                }));
            }
            let class = verdict.class.title();
            let sentence = match (verdict.class, failed) {
                (QueueClass::Hard, _) => format!("{name} has a hard guarantee: all three conditions hold."),
                (_, Some(failed)) => format!("{name}: {class}, because {failed}."),
                _ => format!("{name}: {class}, because it is a throughput queue."),
            };
            Decision { subject: Subject::User(UserId(user as u32)), at: Time::ZERO, sentence, parts }
        };
        verdicts(context, V::SOFT).into_iter().enumerate().map(decision).collect()
    }
}

/// Both sides of a condition on amounts.
fn sides(names: [&'static str; 2], condition: Condition) -> [Part; 2] {
    let value = if condition.resource == 0 { Value::Work } else { Value::MemoryWork };
    [Part::new(names[0], value(condition.asked)), Part::new(names[1], value(condition.limit))]
}
