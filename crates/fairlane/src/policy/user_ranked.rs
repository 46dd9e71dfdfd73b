//! Policies that rank the users by what they hold and have used (docs/model.md sections 9 and 10), and the adapter that
//! makes them a [`Policy`].
//!
//! ```
//! use fairlane::{PolicyKind, catalog, simulate};
//! let scenario = catalog::find("two-users").expect("an entry").scenario();
//! let trace = simulate(&scenario, "drf".parse()?);
//! assert_eq!(trace.policy.kind, PolicyKind::Drf);
//! # Ok::<(), fairlane::policy::UnknownPolicy>(())
//! ```

use std::collections::BTreeSet;
use std::fmt::Debug;

mod account;
mod contest;

pub use account::{Account, Burst, Capacity};
pub use contest::{Moving, NEVER, holds_for};

use super::by_memory::{ByMemory, Least};
use super::explain::{self, Contender, Decision, Explainer, Explanation, Part, Ranking, Value};
use super::log::{EventKind, PolicyLog, Snapshot, ValueEntry};
use super::{Actions, Admission, Candidate, Context, Info, Launch, Policy, QueueClass, View};
use crate::ids::{Rank, StageId, StageIndex, UserId};
use crate::tournament::{self, Tournament};
use crate::units::Time;
use contest::{Contest, Judge};

/// A policy that gives each user a key. The next task is of the user with the least key, and there of the stage with the
/// least (rank of arrival, stage id).
#[expect(unused_variables, reason = "a policy implements the hooks that it needs")]
pub trait UserRankedPolicy: Sized {
    /// What users are ordered by, smallest first. Two users never have equal keys.
    type Key: Ord + Copy + Debug;

    /// Whether keys follow from what users hold now, and not from what they have used or from the time.
    const ONLY_HELD: bool;

    /// What the policy declares of itself.
    fn info() -> &'static Info;

    /// A policy at the start of a simulation.
    fn new(context: &Context) -> Self;

    /// The classes of the users, by [`UserId`], if it has any.
    fn classes(&self) -> &[QueueClass] {
        &[]
    }

    /// A job arrives; a number to log with the user if something of its key has changed by that. `accounts` are those of all
    /// users.
    fn job_arrived(&mut self, user: UserId, accounts: &[Account], now: Time) -> Option<f64> {
        None
    }

    /// A job has ended.
    fn job_ended(&mut self, user: UserId) {}

    /// Applies a number that [`UserRankedPolicy::job_arrived`] has logged, in the order of events.
    fn restore(&mut self, user: UserId, logged: f64) {}

    /// The key of a user at an instant.
    fn key(&self, user: UserId, account: &Account, now: Time) -> Self::Key;

    /// Until when the key of a user surely stays what it is now, if the user neither launches nor ends a task; `None` if it
    /// moves with time. Later than now.
    fn rests_until(&self, user: UserId, account: &Account, now: Time) -> Option<Time> {
        Self::ONLY_HELD.then_some(NEVER)
    }

    /// Until when the key of the first user is surely less than that of the second, which it is now, if neither launches or
    /// ends a task. Later than now. Asked where one of the keys moves with time.
    fn holds_until(&self, first: (UserId, &Account), second: (UserId, &Account), now: Time) -> Time {
        NEVER
    }

    /// The key in words and numbers, part by part, and what it is made of.
    fn explain(&self, user: UserId, account: &Account, now: Time) -> Explanation;

    /// Why the first of two stages goes before the second if the keys of their users differ in a part: a sentence.
    fn reason(first: &Contender, second: &Contender, part: usize) -> String;

    /// What it has decided before the first event.
    fn decisions(context: &Context) -> Vec<Decision> {
        Vec::new()
    }
}

/// The adapter between a [`UserRankedPolicy`] and the engine.
///
/// A launch or an end of a task costs O(log stages + log users). Where keys move with time, which only those of users with
/// running tasks do, those that have overtaken others since come on top.
pub struct UserRanked<P: UserRankedPolicy> {
    policy: P,
    accounts: Vec<Account>,
    waiting: Option<Waiting>,
    /// The users with waiting stages whose keys rest.
    resting: Least<(P::Key, u32)>,
    /// By user: until when the keys of those rest that do not rest for ever.
    until: Tournament,
    /// The users with waiting stages whose keys move with time.
    moving: Contest,
    /// By user: the slot among the resting or the moving.
    places: Vec<Option<Place>>,
    keys: Keys<P::Key>,
    /// Users whose key may have changed otherwise than by time.
    changed: Vec<UserId>,
    /// Whether a user is in `changed`.
    is_changed: Vec<bool>,
    /// Events received.
    events: u32,
    log: Option<PolicyLog>,
}

/// Where a user with waiting stages is.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    slot: u32,
    moves: bool,
}

/// The waiting stages of each user; their order is that of rank and id.
enum Waiting {
    /// Where all of them fit: by user, who is in the slot of that number.
    All(Vec<BTreeSet<StageIndex>>),
    /// Where memory is modelled. A user is in the slot of the stage with the least memory.
    ByMemory(ByMemory<()>),
}

impl Waiting {
    fn new(view: &View) -> Waiting {
        let users = view.scenario().users().len();
        match view.models_memory() {
            true => Waiting::ByMemory(ByMemory::new(view, users as u32, &|stage| view.stage(stage).user().0)),
            false => Waiting::All(vec![BTreeSet::new(); users]),
        }
    }

    fn insert(&mut self, user: UserId, stage: StageIndex) {
        match self {
            Waiting::All(users) => _ = users[user.index()].insert(stage),
            Waiting::ByMemory(stages) => stages.set(stage, ()),
        }
    }

    fn remove(&mut self, user: UserId, stage: StageIndex) {
        match self {
            Waiting::All(users) => _ = users[user.index()].remove(&stage),
            Waiting::ByMemory(stages) => stages.clear(stage),
        }
    }

    /// The slot of a user, if a stage waits.
    fn slot(&self, user: UserId) -> Option<u32> {
        match self {
            Waiting::All(users) => (!users[user.index()].is_empty()).then_some(user.0),
            Waiting::ByMemory(stages) => stages.least_of(user.0),
        }
    }

    /// The number of slots.
    fn slots(&self, view: &View) -> usize {
        match self {
            Waiting::All(users) => users.len(),
            Waiting::ByMemory(_) => view.stages() as usize,
        }
    }

    /// The end of the slots of users with a stage that needs no more than some memory.
    fn fitting(&self, most: u64) -> u32 {
        match self {
            Waiting::All(users) => users.len() as u32,
            Waiting::ByMemory(stages) => stages.fitting(most),
        }
    }

    /// The first stage of a user that needs no more than some memory.
    fn first_of(&self, user: UserId, most: u64) -> Option<StageIndex> {
        match self {
            Waiting::All(users) => users[user.index()].first().copied(),
            Waiting::ByMemory(stages) => stages.first_of(user.0, most),
        }
    }
}

/// The keys that were computed last, each with the instant. A user that has changed has none.
struct Keys<K>(Vec<Option<(Time, K)>>);

/// Compares users for the contest.
struct ByKey<'a, P: UserRankedPolicy> {
    policy: &'a P,
    accounts: &'a [Account],
    keys: &'a mut Keys<P::Key>,
    now: Time,
}

impl<P: UserRankedPolicy> ByKey<'_, P> {
    fn key(&mut self, user: u32) -> P::Key {
        let kept = &mut self.keys.0[user as usize];
        match *kept {
            Some((at, key)) if P::ONLY_HELD || at == self.now => key,
            _ => {
                let key = self.policy.key(UserId(user), &self.accounts[user as usize], self.now);
                *kept = Some((self.now, key));
                key
            }
        }
    }
}

impl<P: UserRankedPolicy> Judge for ByKey<'_, P> {
    fn first(&mut self, one: u32, other: u32) -> (u32, Time) {
        let (first, second) = if self.key(one) < self.key(other) { (one, other) } else { (other, one) };
        let of = |user: u32| (UserId(user), &self.accounts[user as usize]);
        (first, self.policy.holds_until(of(first), of(second), self.now))
    }
}

impl<P: UserRankedPolicy> UserRanked<P> {
    fn mark(&mut self, user: UserId) {
        self.keys.0[user.index()] = None;
        if !std::mem::replace(&mut self.is_changed[user.index()], true) {
            self.changed.push(user);
        }
    }

    fn count_event(&mut self) -> u32 {
        self.events += 1;
        self.events - 1
    }

    /// Finds the places of the users whose keys may have changed.
    fn settle(&mut self, now: Time) {
        while let Some(first) = self.until.first().filter(|&first| (first >> 64) as u64 <= now.0) {
            let user = tournament::slot(first);
            self.until.clear(user);
            self.mark(UserId(user));
        }
        let Some(waiting) = &self.waiting else { return };
        let mut judge = ByKey { policy: &self.policy, accounts: &self.accounts, keys: &mut self.keys, now };
        for user in self.changed.drain(..) {
            self.is_changed[user.index()] = false;
            let slot = waiting.slot(user);
            let rests = slot.and_then(|_| self.policy.rests_until(user, &self.accounts[user.index()], now));
            let place = slot.map(|slot| Place { slot, moves: rests.is_none() });
            let before = std::mem::replace(&mut self.places[user.index()], place);
            match before.filter(|_| before != place) {
                Some(Place { slot, moves: true }) => self.moving.update(slot, None, &mut judge),
                Some(Place { slot, moves: false }) => self.resting.set(slot, None),
                None => {}
            }
            match place {
                Some(Place { slot, moves: true }) => self.moving.update(slot, Some(user.0), &mut judge),
                Some(Place { slot, moves: false }) => {
                    self.resting.set(slot, Some((judge.key(user.0), user.0)))
                }
                None => {}
            }
            match rests.filter(|&until| until != NEVER) {
                Some(until) => self.until.set(user.0, tournament::key(until.0, 0, user.0)),
                None if self.until.get(user.0).is_some() => self.until.clear(user.0),
                None => {}
            }
        }
    }

    /// The first stage that needs no more than some memory.
    fn first(&mut self, most: u64, now: Time) -> Option<StageIndex> {
        self.settle(now);
        let waiting = self.waiting.as_ref()?;
        let end = waiting.fitting(most);
        let resting = self.resting.first(0, end);
        let mut judge = ByKey { policy: &self.policy, accounts: &self.accounts, keys: &mut self.keys, now };
        let moving = self.moving.first(end, now, &mut judge).map(|user| (judge.key(user), user));
        let (_, first) = resting.into_iter().chain(moving).min()?;
        waiting.first_of(UserId(first), most)
    }
}

impl<P: UserRankedPolicy> Policy for UserRanked<P> {
    type Explainer = UserExplainer<P>;

    fn info() -> &'static Info {
        P::info()
    }

    fn new(context: &Context) -> Self {
        let users = context.scenario.users();
        UserRanked {
            policy: P::new(context),
            accounts: users.iter().map(|user| Account::new(user.queue.as_ref())).collect(),
            waiting: None,
            resting: Least::new(0),
            until: Tournament::new(if P::ONLY_HELD { 0 } else { users.len() }),
            moving: Contest::new(0),
            places: vec![None; users.len()],
            keys: Keys(vec![None; users.len()]),
            changed: Vec::new(),
            is_changed: vec![false; users.len()],
            events: 0,
            log: None,
        }
    }

    fn classes(&self) -> &[QueueClass] {
        self.policy.classes()
    }

    fn job_arrived(&mut self, job: Rank, view: &View, _: &mut Actions) -> Admission {
        let (event, user) = (self.count_event(), view.job(job).user());
        if self.policy.classes().get(user.index()) == Some(&QueueClass::Rejected) {
            return Admission::Reject;
        }
        if let Some(value) = self.policy.job_arrived(user, &self.accounts, view.now()) {
            self.mark(user);
            if let Some(log) = &mut self.log {
                log.values.push(ValueEntry { event, quantity: 0, subject: u64::from(user.0), value });
            }
        }
        Admission::Start
    }

    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        self.count_event();
        let user = view.stage(stage).user();
        let (resting, moving) = (&mut self.resting, &mut self.moving);
        let waiting = self.waiting.get_or_insert_with(|| {
            let waiting = Waiting::new(view);
            *resting = Least::new(waiting.slots(view));
            *moving = Contest::new(if P::ONLY_HELD { 0 } else { waiting.slots(view) });
            waiting
        });
        waiting.insert(user, stage);
        self.mark(user);
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        let stage = view.stage(launch.stage);
        let user = stage.user();
        self.accounts[user.index()].launch(view.now(), stage.memory());
        if let Some(waiting) = self.waiting.as_mut().filter(|_| stage.pending() == 0) {
            waiting.remove(user, launch.stage);
        }
        self.mark(user);
    }

    fn task_ended(&mut self, launch: Launch, view: &View) {
        let stage = view.stage(launch.stage);
        self.accounts[stage.user().index()].end(view.now(), stage.memory());
        self.mark(stage.user());
    }

    fn job_ended(&mut self, job: Rank, view: &View, _: &mut Actions) {
        self.count_event();
        self.policy.job_ended(view.job(job).user());
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        let stage = self.first(view.largest_free_memory()?, view.now())?;
        Some(Launch { stage, core: view.lowest_fitting_core(stage)? })
    }

    fn start_log(&mut self) {
        self.log = Some(PolicyLog::default());
    }

    fn finish_log(&mut self) -> PolicyLog {
        self.log.take().unwrap_or_default()
    }
}

/// Explains the keys of a [`UserRankedPolicy`].
pub struct UserExplainer<P> {
    policy: P,
    accounts: Vec<Account>,
    now: Time,
}

impl<P: UserRankedPolicy> Ranking for UserExplainer<P> {
    type Key = (P::Key, Rank, StageId);

    fn key(&self, stage: &Candidate) -> Self::Key {
        let account = &self.accounts[stage.user.index()];
        (self.policy.key(stage.user, account, self.now), stage.rank, stage.id)
    }
}

impl<P: UserRankedPolicy> Explainer for UserExplainer<P> {
    fn at(context: &Context, snapshot: &Snapshot) -> Self {
        let (scenario, now) = (context.scenario, Time(snapshot.at as u64));
        let users = scenario.users();
        let mut amounts = vec![([0; 2], [0; 2], [0; 2]); users.len()];
        let burst = |user: UserId| Account::new(users[user.index()].queue.as_ref()).burst(now);
        let order = scenario.arrival_order();
        for event in snapshot.events {
            let EventKind::Arrival(job) = event.kind else { continue };
            let user = scenario.jobs()[order[job.index()].index()].user;
            let (held, used, in_burst) = &mut amounts[user.index()];
            add(held, snapshot.jobs.held(job));
            if !P::ONLY_HELD {
                add(used, snapshot.jobs.used(job, Time::ZERO));
                add(in_burst, burst(user).map_or([0; 2], |burst| snapshot.jobs.used(job, burst.begin)));
            }
        }
        let accounts = users.iter().zip(amounts);
        let account = |(user, (held, used, in_burst)): (&crate::scenario::User, _)| {
            Account::at(user.queue.as_ref(), now, held, used, in_burst)
        };
        let mut policy = P::new(context);
        let events = snapshot.event_count();
        for entry in snapshot.log.values.iter().take_while(|entry| entry.event < events) {
            policy.restore(UserId(entry.subject as u32), entry.value);
        }
        UserExplainer { policy, accounts: accounts.map(account).collect(), now }
    }

    fn explain(&self, stage: &Candidate) -> Explanation {
        let mut explanation = self.policy.explain(stage.user, &self.accounts[stage.user.index()], self.now);
        explanation.parts.push(Part::new("rank of arrival", Value::Number(u64::from(stage.rank.0))));
        explanation.parts.push(Part::new("stage id", Value::Number(stage.id.0)));
        explanation
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        let (label, other) = (first.label, second.label);
        let stages = first.key.parts.len() - 2;
        match first.key.decided_by(second.key) {
            Some(part) if part < stages => P::reason(first, second, part),
            Some(part) if part == stages => {
                format!(
                    "{label} and {other} are of one user and {label}'s job arrived first, so it goes first."
                )
            }
            _ => format!(
                "{label} and {other} are of one job and {}.",
                explain::tie_reason(first, second, stages + 1)
            ),
        }
    }

    fn users(&self) -> Vec<(UserId, Explanation)> {
        let accounts = (0..).map(UserId).zip(&self.accounts);
        accounts.map(|(user, account)| (user, self.policy.explain(user, account, self.now))).collect()
    }

    fn decisions(context: &Context, _: &PolicyLog) -> Vec<Decision> {
        P::decisions(context)
    }
}

fn add<T: std::ops::AddAssign>(sums: &mut [T; 2], amounts: [T; 2]) {
    for (sum, amount) in sums.iter_mut().zip(amounts) {
        *sum += amount;
    }
}

/// A number that orders as a share that is not negative.
pub(super) fn ordered_share(share: f64) -> u64 {
    tournament::ascending(share)
}

/// Why the first of two users goes first when the user list decides: a sentence.
pub(super) fn reason_by_list(first: &Contender, second: &Contender) -> String {
    let (user, other, label) = (first.user, second.user, first.label);
    format!("{user} and {other} are level and {user} is first in the list of users, so {label} goes first.")
}

/// Why the first of two users goes first when the dominant shares decide, which are a part of the keys: a sentence.
pub(super) fn reason_by_share(first: &Contender, second: &Contender, part: usize) -> String {
    let [mine, theirs] = [first, second].map(|stage| &stage.key.parts[part].value);
    let (user, other, label) = (first.user, second.user, first.label);
    format!(
        "{user} has the smaller dominant share ({mine} against {other}'s {theirs}), so {label} goes first."
    )
}
