//! Where BoPF's classes put a queue in the order.

use std::marker::PhantomData;

use super::admission::{AdmissionCondition, AdmissionDecision, verdicts};
use crate::ids::{Rank, StageIndex, UserId};
use crate::policy::drf::DominantShares;
use crate::policy::explain::{
    Contender, Decision, DecisionSubject, Explanation, Key, KeyComponent, NumberedFacts, Value,
};
use crate::policy::usage::{Account, Capacity};
use crate::policy::user_queue::{self, UserOrder, UserQueue};
use crate::policy::{Actions, Admission, Context, Info, Launch, Policy, QueueClass, StageView, View};
use crate::scenario::{Queue, User};
use crate::units::{Time, VirtualTime};

/// A variant of BoPF.
pub trait Variant: Clone {
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
#[derive(Clone, Debug)]
pub struct Bounded<V> {
    turns: QueueTurns,
    waiting: UserQueue,
    variant: PhantomData<V>,
}

/// What says whose turn it is.
#[derive(Clone, Debug)]
struct QueueTurns {
    shares: DominantShares,
    capacity: Capacity,
    accounts: Vec<Account>,
    verdicts: Vec<AdmissionDecision>,
    classes: Vec<QueueClass>,
    queues: Vec<Queue>,
}

/// Where a queue is in the order.
#[derive(Clone, Copy)]
enum QueueTurn {
    /// A guarantee that is owed and holds less than its rate.
    Guaranteed,
    /// A soft guarantee within its window, with the remaining demand in µs of the whole cluster.
    Soft { remaining: f64 },
    /// No guarantee, or one that is owed.
    Shared,
    /// A guarantee whose burst has had its demand.
    Served,
}

impl QueueTurn {
    /// The first part of the key.
    fn title(self) -> &'static str {
        match self {
            QueueTurn::Guaranteed => "1st: guaranteed, below its promised rate",
            QueueTurn::Soft { .. } => "2nd: soft, within its window",
            QueueTurn::Shared => "3rd: by dominant share",
            QueueTurn::Served => "4th: no burst to serve now",
        }
    }
}

impl QueueTurns {
    /// The resources of which a queue demands something, each with the demand of a burst.
    fn demands(&self, queue: &Queue) -> impl Iterator<Item = (usize, u64)> + use<> {
        let demands = [queue.demand.0, queue.memory_demand];
        self.capacity
            .resources()
            .map(move |resource| (resource, demands[resource]))
            .filter(|&(_, demand)| demand > 0)
    }

    fn turn(&self, user: UserId, view: &View) -> QueueTurn {
        let (queue, account, now) = (&self.queues[user.index()], &self.accounts[user.index()], view.now());
        let class = self.classes[user.index()];
        if !matches!(class, QueueClass::Hard | QueueClass::Soft) {
            return QueueTurn::Shared;
        }
        let Some(burst) = account.burst(now) else { return QueueTurn::Served };
        let used = |resource| account.used_in_burst(resource, now);
        if self.demands(queue).any(|(resource, demand)| used(resource) >= demand as f64) {
            return QueueTurn::Served;
        }
        if class == QueueClass::Hard {
            let within = queue.within.0 as f64;
            let held = |resource| self.capacity.held(resource, user, view);
            let below = self.demands(queue).all(|(resource, demand)| held(resource) * within < demand as f64);
            return if below { QueueTurn::Guaranteed } else { QueueTurn::Shared };
        }
        if now >= burst.begin + queue.within {
            return QueueTurn::Shared;
        }
        let part = |(resource, demand): (usize, u64)| {
            (demand as f64 - used(resource)) / self.capacity.of_resource(resource)
        };
        QueueTurn::Soft { remaining: self.demands(queue).map(part).fold(0.0, f64::max) }
    }

    fn order(&self, user: UserId) -> u32 {
        self.verdicts[user.index()].order
    }

    /// What users are ordered by.
    fn user_key(&self, user: UserId, view: &View) -> (u8, VirtualTime, u32) {
        match self.turn(user, view) {
            QueueTurn::Guaranteed => (1, VirtualTime(0.0), self.order(user)),
            QueueTurn::Soft { remaining } => (2, VirtualTime(remaining), self.order(user)),
            turn => {
                let (share, position) = self.shares.user_key(user, view);
                (if matches!(turn, QueueTurn::Shared) { 3 } else { 4 }, share, position)
            }
        }
    }

    /// Where a user is in the order, and until when. What a burst has used stays while the user holds nothing.
    fn place(&self, user: UserId, view: &View) -> UserOrder {
        let has_guarantee = matches!(self.classes[user.index()], QueueClass::Hard | QueueClass::Soft);
        if has_guarantee && view.user_running(user) > 0 {
            return UserOrder::Moving;
        }
        let (first, second) = match self.turn(user, view) {
            QueueTurn::Soft { .. } => return UserOrder::Moving,
            QueueTurn::Guaranteed => (0, self.order(user)),
            QueueTurn::Shared => (1 + self.shares.ascending(user, view), user.0),
            QueueTurn::Served => (1 << 63 | self.shares.ascending(user, view), user.0),
        };
        let queue = &self.queues[user.index()];
        let edge = self.accounts[user.index()].next_edge(view.now(), queue.within).filter(|_| has_guarantee);
        match edge {
            Some(at) => UserOrder::Until(at, first, second),
            None => UserOrder::Settled(first, second),
        }
    }

    /// The same in words and numbers.
    fn parts(&self, user: UserId, view: &View) -> Vec<KeyComponent> {
        let turn = self.turn(user, view);
        let order = KeyComponent::new("order of admission", Value::Number(u64::from(self.order(user))));
        let mut parts = vec![KeyComponent::new("turn", Value::Text(turn.title().into()))];
        match turn {
            QueueTurn::Guaranteed => parts.push(order),
            QueueTurn::Soft { remaining } => {
                parts.extend([KeyComponent::new("remaining demand", Value::Seconds(remaining)), order]);
            }
            QueueTurn::Shared | QueueTurn::Served => parts.extend(self.shares.parts(user, view)),
        }
        parts
    }

    fn user_facts(&self, user: UserId, view: &View) -> Vec<KeyComponent> {
        let (account, now) = (&self.accounts[user.index()], view.now());
        let (queue, verdict) = (&self.queues[user.index()], &self.verdicts[user.index()]);
        let mut facts =
            vec![KeyComponent::new("class of the queue", Value::Text(verdict.class.title().into()))];
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
                facts.push(KeyComponent::new(used, amount(account.used_in_burst(resource, now))));
                facts.push(KeyComponent::new(demanded, amount(demand as f64)));
                facts.push(KeyComponent::new(held, rate(self.capacity.held(resource, user, view))));
                facts.push(KeyComponent::new(promised, rate(demand as f64 / queue.within.0 as f64)));
            }
            if let Some(burst) = account.burst(now) {
                facts.push(KeyComponent::new("begin of its burst", Value::Seconds(burst.begin.0 as f64)));
                facts.push(KeyComponent::new(
                    "end of its window",
                    Value::Seconds((burst.begin + queue.within).0 as f64),
                ));
            }
        } else {
            facts.extend(self.shares.user_facts(user, view));
        }
        facts
    }

    /// Why a user got its class.
    fn decision(&self, user: UserId, users: &[User]) -> Decision {
        let verdict = &self.verdicts[user.index()];
        let name = &users[user.index()].name;
        let (mut parts, mut failed) =
            (vec![KeyComponent::new("queues that share, N", Value::Number(verdict.sharing as u64))], None);
        if let Some((guaranteed, condition)) = verdict.safe {
            let whose = Value::Text(users[guaranteed.index()].name.clone().into());
            parts.push(KeyComponent::new("safe: the guarantee closest to its limit is that of", whose));
            parts.extend(sides(["safe: its demand times N", "safe: capacity over its period"], condition));
            failed = failed.or((!condition.holds()).then(|| {
                format!("with it, {} could no longer be sure of its demand", users[guaranteed.index()].name)
            }));
        }
        if let Some(condition) = verdict.fair {
            parts.extend(sides(["fair: demand times N", "fair: capacity over the period"], condition));
            failed = failed
                .or((!condition.holds()).then(|| "its bursts demand more than its fair share".to_owned()));
        }
        if let Some((at, condition)) = verdict.resource {
            parts.push(KeyComponent::new("resource: rates compared at", Value::Seconds(at.0 as f64)));
            let value = if condition.resource == 0 { Value::Cores } else { Value::Memory };
            parts.push(KeyComponent::new("resource: guaranteed rates and its own", value(condition.asked)));
            parts.push(KeyComponent::new("resource: capacity", value(condition.limit)));
            failed = failed.or((!condition.holds()).then(|| {
                format!("the guaranteed rates and its own are more than the cluster at {:.2} s", at.seconds())
            }));
        }
        let class = verdict.class.title();
        let sentence = match (verdict.class, failed) {
            (QueueClass::Hard, _) => format!("{name} has a hard guarantee: all three conditions hold."),
            (_, Some(failed)) => format!("{name}: {class}, because {failed}."),
            _ => format!("{name}: {class}, because it is a throughput queue."),
        };
        Decision { subject: DecisionSubject::User(user), at: Time::ZERO, sentence, parts }
    }
}

impl<V: Variant> Policy for Bounded<V> {
    fn info() -> &'static Info {
        V::info()
    }

    fn new(context: &Context) -> Self {
        let (verdicts, users) = (verdicts(context, V::SOFT), context.scenario.users());
        let turns = QueueTurns {
            shares: DominantShares::new(context),
            capacity: Capacity::new(context.scenario.cluster()),
            accounts: users.iter().map(|user| Account::new(user.queue.as_ref())).collect(),
            classes: verdicts.iter().map(|verdict| verdict.class).collect(),
            verdicts,
            queues: users.iter().map(|user| user.queue.clone().unwrap_or_default()).collect(),
        };
        Bounded { turns, waiting: UserQueue::new(users.len()), variant: PhantomData }
    }

    fn started(&mut self, view: &View, actions: &mut Actions) {
        let users = view.scenario().users();
        for user in 0..users.len() as u32 {
            actions.explain(|| self.turns.decision(UserId(user), users));
        }
    }

    fn classes(&self) -> &[QueueClass] {
        &self.turns.classes
    }

    fn job_arrived(&mut self, job: Rank, view: &View, _: &mut Actions) -> Admission {
        match self.turns.classes[view.job(job).user().index()] {
            QueueClass::Rejected => Admission::Reject,
            _ => Admission::Start,
        }
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        let stage = view.stage(launch.stage);
        self.turns.accounts[stage.user().index()].launch(view.now(), stage.memory());
        self.waiting.update(stage);
    }

    fn task_ended(&mut self, launch: Launch, view: &View) {
        let stage = view.stage(launch.stage);
        self.turns.accounts[stage.user().index()].end(view.now(), stage.memory());
        self.waiting.update(stage);
    }

    fn attempt_killed(&mut self, launch: Launch, view: &View) {
        self.task_ended(launch, view);
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        self.waiting.update(view.stage(stage));
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        let turns = &self.turns;
        self.waiting.next_task(view, |user| turns.place(user, view), |user| turns.user_key(user, view))
    }

    fn key(&self, stage: StageView) -> Key {
        Key::new(stage, self.turns.parts(stage.user(), stage.view()))
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        self.turns.user_facts(stage.user(), stage.view()).into()
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        let (user, other, label) = (first.user, second.user, first.label);
        let class = |stage: &Contender| match &stage.key.parts()[0].value {
            Value::Text(turn) => turn.as_bytes()[0] - b'0',
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
                let [mine, theirs] = [first, second].map(|stage| &stage.key.parts()[1].value);
                format!(
                    "{user}'s burst lacks the least ({mine} of the whole cluster against {theirs}), so {label} \
                        goes first."
                )
            }
            (_, 1 | 2) => format!("{user} was admitted before {other}, so {label} goes first."),
            (1, _) => user_queue::reason_by_share(first, second, 1),
            _ => user_queue::reason_by_list(first, second),
        }
    }

    fn users(&self, view: &View) -> Vec<(UserId, Explanation)> {
        user_queue::all_users(view, |user| Explanation {
            parts: self.turns.parts(user, view),
            facts: self.turns.user_facts(user, view),
        })
    }
}

/// Both sides of a condition on amounts.
fn sides(names: [&'static str; 2], condition: AdmissionCondition) -> [KeyComponent; 2] {
    let value = if condition.resource == 0 { Value::Work } else { Value::MemoryWork };
    [KeyComponent::new(names[0], value(condition.asked)), KeyComponent::new(names[1], value(condition.limit))]
}
