//! Karma: a user who leaves part of its guaranteed cores to others earns credits, and pays with them for cores beyond
//! the guarantee later (Vuppalapati et al., OSDI 2023).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use super::explain::{Contender, Explanation, Key, KeyComponent, NumberedFacts, Value};
use super::job_queue::ordered;
use super::user_queue::{self, UserOrder, UserQueue};
use super::{Actions, Context, Info, KeyOrder, Launch, Policy, PolicyGroup, RankedFrom, StageView, View};
use crate::bits::BitSet;
use crate::ids::{StageIndex, UserId};
use crate::scenario::parameter::declared;
use crate::units::Span;

/// What readers should know of Karma.
pub const INFO: Info = Info {
    id: "karma",
    title: "Karma",
    source: "Karma paper",
    summary: "Users earn credits with cores that they leave to others and pay with them when they need many cores.",
    key: "running tasks of the user less target, user name, rank of arrival, stage id",
    group: PolicyGroup::PastUse,
    look: 20,
    parameters: declared::KARMA.parameters,
    order: KeyOrder::EachLaunch,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// Periods with borrowers that are passed over at once, unless they repeat themselves.
const MAX_PERIODS: u64 = 1000;

/// A user's credits, and what they are worth in this quantum.
#[derive(Clone, Debug, PartialEq)]
struct CreditAccount {
    /// Cores that the user may hold in every quantum.
    guaranteed: u32,
    /// Credits that the user gets in every quantum: one for each core of its fair share that is not guaranteed.
    free: f64,
    /// Credits in the quantum whose number is `counted`; later ones have only added what is free.
    credits: f64,
    counted: u64,
    /// Running and pending tasks at the start of the quantum.
    demand: u32,
    /// Cores for this quantum, borrowed ones included.
    target: u32,
    /// Guaranteed cores that others have borrowed in this quantum.
    lent: u32,
}

impl CreditAccount {
    fn running_less_target(&self, user: UserId, view: &View) -> i64 {
        i64::from(view.user_running(user)) - i64::from(self.target)
    }

    /// Credits in a later quantum of a user who has neither borrowed nor lent since.
    fn credits_in(&self, quantum: u64) -> f64 {
        sum_of_steps(self.credits, self.free, quantum - self.counted)
    }
}

/// Karma. Key: (running tasks of the user less target, user name, rank of arrival, stage id).
///
/// A quantum costs O(users with tasks + cores log cores): nobody else has a target, and what is free is added up for
/// them once it counts.
#[derive(Clone, Debug)]
pub struct Karma {
    quantum: Span,
    name_order: Rc<[u32]>,
    accounts: Vec<CreditAccount>,
    /// Users who had tasks at the start of the quantum or whose tasks have changed since, and those who have guaranteed
    /// cores to lend.
    involved: BitSet,
    /// Quanta that have begun.
    quanta: u64,
    cores: u32,
    /// Cores that nobody is guaranteed.
    shared: u32,
    queue: UserQueue,
}

impl Karma {
    /// Gives every user its target for a quantum (Karma, Algorithm 1). `demand` is that of a user, given its demand in
    /// the quantum before.
    fn begin_quantum(&mut self, demand: impl Fn(UserId, u32) -> u32) {
        self.quanta += 1;
        // Who pays next is the greatest, who earns next the least, by (credits, name). Each borrows a core at least, so
        // that no more than the first borrowers do.
        let mut first_borrowers = BinaryHeap::new();
        let mut donors = BinaryHeap::new();
        let mut changed = Vec::new();
        let mut next = self.involved.first();
        while let Some(number) = next {
            let (user, account) = (UserId(number), &mut self.accounts[number as usize]);
            account.demand = demand(user, account.demand);
            let target = account.demand.min(account.guaranteed);
            let before = std::mem::replace(&mut account.target, target);
            if before != target {
                changed.push((user, before));
            }
            account.lent = 0;
            (account.credits, account.counted) = (account.credits_in(self.quanta), self.quanta);
            let (credits, name) = (ordered(account.credits), self.name_order[user.index()]);
            if account.demand > account.guaranteed && account.credits >= 1.0 {
                let borrower = Reverse((credits, Reverse(name), user));
                if first_borrowers.len() < self.cores as usize {
                    first_borrowers.push(borrower);
                } else if let Some(mut last) = first_borrowers.peek_mut()
                    && borrower < *last
                {
                    *last = borrower;
                }
            } else if account.demand < account.guaranteed {
                donors.push(Reverse((credits, name, user)));
            } else if account.demand == 0 {
                self.involved.remove(number);
            }
            next = self.involved.first_from(number + 1);
        }
        let mut borrowers: BinaryHeap<_> = first_borrowers.into_iter().map(|Reverse(user)| user).collect();
        let mut shared = self.shared;
        while let Some((_, name, borrower)) = borrowers.pop() {
            if let Some(Reverse((_, name, donor))) = donors.pop() {
                let account = &mut self.accounts[donor.index()];
                account.lent += 1;
                account.credits += 1.0;
                if account.lent < account.guaranteed - account.demand {
                    donors.push(Reverse((ordered(account.credits), name, donor)));
                }
            } else if shared > 0 {
                shared -= 1;
            } else {
                break;
            }
            let account = &mut self.accounts[borrower.index()];
            if account.target == account.guaranteed {
                changed.push((borrower, account.target));
            }
            account.target += 1;
            account.credits -= 1.0;
            if account.target < account.demand && account.credits >= 1.0 {
                borrowers.push((ordered(account.credits), name, borrower));
            }
        }
        // Of two entries of a user the first has the target of the quantum before.
        changed.sort_by_key(|(user, _)| *user);
        changed.dedup_by_key(|(user, _)| *user);
        for (user, before) in changed {
            if self.accounts[user.index()].target != before {
                self.queue.change(user);
            }
        }
    }

    fn running_less_target(&self, user: UserId, view: &View) -> i64 {
        self.accounts[user.index()].running_less_target(user, view)
    }

    fn parts(&self, user: UserId, view: &View) -> [KeyComponent; 2] {
        let name = self.name_order[user.index()];
        [
            KeyComponent::new(
                "running tasks less target",
                Value::Cores(self.running_less_target(user, view) as f64),
            ),
            KeyComponent::new("user's position by name", Value::Number(u64::from(name))),
        ]
    }

    fn user_facts(&self, user: UserId, view: &View) -> Vec<KeyComponent> {
        let account = &self.accounts[user.index()];
        vec![
            KeyComponent::new("running tasks of the user", Value::Tasks(view.user_running(user))),
            KeyComponent::new("demand in this quantum", Value::Tasks(account.demand)),
            KeyComponent::new("guaranteed", Value::Cores(account.guaranteed.into())),
            KeyComponent::new("lent to others", Value::Cores(account.lent.into())),
            KeyComponent::new("target", Value::Cores(account.target.into())),
            KeyComponent::new("credits", Value::Score(account.credits_in(self.quanta))),
        ]
    }
}

impl Policy for Karma {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        let (alpha, credits) = (context.number(&INFO, "alpha"), context.number(&INFO, "credits"));
        let weights = context.weights.iter();
        let all = weights.clone().map(|weight| weight.millionths()).sum::<u64>() as f64 / 1e6;
        let account = |fair_share: f64| CreditAccount {
            guaranteed: (alpha * fair_share).floor() as u32,
            free: (1.0 - alpha) * fair_share,
            credits,
            counted: 0,
            demand: 0,
            target: 0,
            lent: 0,
        };
        let accounts: Vec<CreditAccount> =
            weights.map(|weight| account(f64::from(context.cores()) * weight.value() / all)).collect();
        let guaranteed = accounts.iter().map(|account| account.guaranteed).sum();
        let mut involved = BitSet::new(accounts.len());
        for (user, _) in (0..).zip(&accounts).filter(|(_, account)| account.guaranteed > 0) {
            involved.insert(user);
        }
        Karma {
            quantum: context.span(&INFO, "quantum_s"),
            name_order: Rc::clone(&context.name_order),
            involved,
            quanta: 0,
            cores: context.cores(),
            shared: context.cores().saturating_sub(guaranteed),
            queue: UserQueue::new(accounts.len()),
            accounts,
        }
    }

    fn tick(&self) -> Option<Span> {
        Some(self.quantum)
    }

    fn ticked(&mut self, view: &View, _: &mut Actions) {
        self.begin_quantum(|user, _| view.user_running(user) + view.user_pending(user));
    }

    /// While nobody demands more than it is guaranteed, nothing but the credits changes. Else the accounts may come back
    /// to what they were, and then do so again and again.
    fn pass_periods(&mut self, periods: u64, _: &View) -> u64 {
        let users: Vec<UserId> = self.involved.iter().map(UserId).collect();
        let account = |karma: &Karma, user: UserId| karma.accounts[user.index()].clone();
        if users.iter().map(|&user| account(self, user)).all(|account| account.demand <= account.guaranteed) {
            self.quanta += periods;
            return periods;
        }
        let state = |karma: &Karma| -> Vec<(f64, u32, u32)> {
            let accounts = users.iter().map(|&user| account(karma, user));
            accounts.map(|account| (account.credits, account.target, account.lent)).collect()
        };
        let (mut passed, mut before, mut since, mut looks_back) = (0, state(self), 0, 1);
        while passed < periods.min(MAX_PERIODS) {
            self.begin_quantum(|_, demand| demand);
            (passed, since) = (passed + 1, since + 1);
            let now = state(self);
            if now == before {
                let repeated = (periods - passed) / since * since;
                self.quanta += repeated;
                users.iter().for_each(|user| self.accounts[user.index()].counted = self.quanta);
                return passed + repeated;
            }
            if since == looks_back {
                (before, since, looks_back) = (now, 0, 2 * looks_back);
            }
        }
        passed
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        let stage = view.stage(stage);
        self.involved.insert(stage.user().0);
        self.queue.update(stage);
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        let (accounts, names) = (&self.accounts, &self.name_order);
        let key =
            |user: UserId| (accounts[user.index()].running_less_target(user, view), names[user.index()]);
        let order = |user: UserId| {
            let (number, name) = key(user);
            UserOrder::Settled((number as u64) ^ 1 << 63, name)
        };
        self.queue.next_task(view, order, key)
    }

    fn key(&self, stage: StageView) -> Key {
        Key::new(stage, self.parts(stage.user(), stage.view()))
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        self.user_facts(stage.user(), stage.view()).into()
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        let [mine, theirs] = [first, second].map(|stage| &stage.key.parts()[0].value);
        let (user, other, label) = (first.user, second.user, first.label);
        match part {
            0 => format!(
                "{user} runs the fewest tasks for its target (running tasks less target: {mine} against {other}'s \
                 {theirs}), so {label} goes first."
            ),
            _ => {
                format!("{user} and {other} are level and {user}'s name comes first, so {label} goes first.")
            }
        }
    }

    fn users(&self, view: &View) -> Vec<(UserId, Explanation)> {
        user_queue::all_users(view, |user| Explanation {
            parts: self.parts(user, view).into(),
            facts: self.user_facts(user, view),
        })
    }
}

/// A number to which a step, not negative, is added many times, each sum rounded. O(log times): between two powers of
/// 2 every sum is as far from the one before, once a first one has settled which way ties are rounded.
fn sum_of_steps(mut sum: f64, step: f64, mut times: u64) -> f64 {
    let exponent = |number: f64| number.to_bits() >> 52;
    while times > 1 {
        let [before, first, second] = [sum, sum + step, sum + step + step];
        if first == before {
            return sum;
        }
        (sum, times) = (first, times - 1);
        if [before, second].map(exponent) == [exponent(first); 2] && second > first {
            let distance = second.to_bits() - first.to_bits();
            let room = ((exponent(first) + 1) << 52) - 1 - first.to_bits();
            let steps = times.min(room / distance);
            (sum, times) = (f64::from_bits(first.to_bits() + steps * distance), times - steps);
        }
    }
    if times == 1 { sum + step } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;
    use crate::scenario::PartitionMode;

    /// Numbers below an end, the same each time.
    fn random(mut state: u64) -> impl FnMut(u64) -> u64 {
        move |end| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % end
        }
    }

    #[test]
    fn a_sum_of_steps_is_what_a_loop_adds_up() {
        let mut random = random(7);
        let edges = [(0.0, 0.1), (1e6, 0.5), (4_503_599_627_370_495.0, 0.75), (9_007_199_254_740_991.0, 1.0)];
        let any = (0..2000).map(|_| {
            let scale = |power: u64| libm::exp2(power as f64 - 20.0);
            (random(1000) as f64 * scale(random(60)), random(1000) as f64 / 7.0 * scale(random(30)))
        });
        for (start, step) in edges.into_iter().chain(any.collect::<Vec<_>>()) {
            let mut sum: f64 = start;
            for times in 0..3000 {
                assert_eq!(sum_of_steps(start, step, times), sum, "{start} and {times} times {step}");
                sum += step;
            }
        }
        assert_eq!(sum_of_steps(1e6, 0.5, 1_700_000_000), 851e6);
    }

    /// Algorithm 1 over all accounts and with every borrower and donor in order.
    fn begin_quantum_of_all(accounts: &mut [CreditAccount], names: &[u32], mut shared: u32, demands: &[u32]) {
        for (account, &demand) in accounts.iter_mut().zip(demands) {
            account.demand = demand;
            account.target = demand.min(account.guaranteed);
            account.lent = 0;
            account.credits += account.free;
            account.counted += 1;
        }
        let users = 0..accounts.len();
        let borrows = |account: &CreditAccount| {
            account.demand > account.guaranteed && account.target < account.demand && account.credits >= 1.0
        };
        let lends = |account: &CreditAccount| account.demand + account.lent < account.guaranteed;
        loop {
            let order = |accounts: &[CreditAccount], user: usize| ordered(accounts[user].credits);
            let borrowers = users.clone().filter(|&user| borrows(&accounts[user]));
            let Some(borrower) = borrowers.max_by_key(|&user| (order(accounts, user), Reverse(names[user])))
            else {
                return;
            };
            let donors = users.clone().filter(|&user| lends(&accounts[user]));
            match donors.min_by_key(|&user| (order(accounts, user), names[user])) {
                Some(donor) => {
                    accounts[donor].lent += 1;
                    accounts[donor].credits += 1.0;
                }
                None if shared > 0 => shared -= 1,
                None => return,
            }
            accounts[borrower].target += 1;
            accounts[borrower].credits -= 1.0;
        }
    }

    /// Users with weights of all sizes, many of them without tasks, few or many credits, for many quanta; now and then
    /// quanta are passed over.
    #[test]
    fn accounts_of_users_without_tasks_and_few_borrowers_are_those_of_all() {
        for seed in 0..60 {
            let mut random = random(seed);
            let (users, cores) = (1 + random(40), 1 + random(30));
            let list: Vec<String> = (0..users)
                .map(|user| format!(r#"{{ "name": "u{}", "weight": {} }}"#, (user * 7) % 41, 1 + random(9)))
                .collect();
            let (alpha, credits) = (random(5) as f64 / 4.0, [0, 3, 50, 1_000_000][random(4) as usize]);
            let text = format!(
                r#"{{ "format": "fairlane/scenario@1", "cluster": {{ "cores_per_executor": {cores} }}, "users": [{}],
                    "policies": {{ "karma": {{ "alpha": {alpha}, "credits": {credits} }} }},
                    "jobs": [{{ "user": "u0", "arrival_s": 0, "stages": [{{ "tasks_s": [1] }}] }}] }}"#,
                list.join(",")
            );
            let scenario = Scenario::from_json(&text).expect("a sound scenario");
            let context = Context::new(&scenario, PartitionMode::Default);
            let engine = crate::engine::Engine::<Karma>::new(&scenario, PartitionMode::Default);
            let mut karma = Karma::new(&context);
            let (mut all, mut demands) = (karma.accounts.clone(), vec![0; users as usize]);
            for _ in 0..200 {
                for _ in 0..random(4) {
                    let user = random(users);
                    demands[user as usize] = if random(2) == 0 { 0 } else { random(2 * cores) as u32 };
                    karma.involved.insert(user as u32);
                }
                let before: Vec<u32> = karma.accounts.iter().map(|account| account.target).collect();
                karma.queue = UserQueue::new(users as usize);
                karma.begin_quantum(|user, _| demands[user.index()]);
                begin_quantum_of_all(&mut all, &karma.name_order, karma.shared, &demands);
                let changed = |user: &UserId| karma.accounts[user.index()].target != before[user.index()];
                let expected: Vec<UserId> = (0..users as u32).map(UserId).filter(changed).collect();
                let mut found = karma.queue.changed().to_vec();
                found.sort_unstable();
                found.dedup();
                assert_eq!(found, expected, "seed {seed}");
                if random(5) == 0 {
                    let periods = 1 + random(60);
                    let passed = karma.pass_periods(periods, engine.view());
                    assert!(0 < passed && passed <= periods);
                    (0..passed).for_each(|_| {
                        begin_quantum_of_all(&mut all, &karma.name_order, karma.shared, &demands);
                    });
                }
                for (account, slow) in karma.accounts.iter().zip(&all) {
                    let credits = account.credits_in(karma.quanta);
                    assert_eq!(CreditAccount { credits, counted: slow.counted, ..account.clone() }, *slow);
                    assert_eq!(karma.quanta, slow.counted);
                }
            }
        }
    }

    /// Six cores for three users: each is guaranteed one, and gets a credit per quantum for the other.
    #[test]
    fn who_has_lent_most_borrows_most() {
        let job =
            |user| format!(r#"{{ "user": "{user}", "arrival_s": 0, "stages": [{{ "tasks_s": [1] }}] }}"#);
        let scenario = Scenario::from_json(&format!(
            r#"{{ "format": "fairlane/scenario@1", "cluster": {{ "cores_per_executor": 6 }},
                "policies": {{ "karma": {{ "credits": 6 }} }}, "jobs": [{}, {}, {}] }}"#,
            job("ana"),
            job("ben"),
            job("eve")
        ))
        .expect("a sound scenario");
        let mut karma = Karma::new(&Context::new(&scenario, PartitionMode::Default));
        let mut quantum = |demands: [u32; 3]| {
            (0..3).for_each(|user| karma.involved.insert(user));
            karma.begin_quantum(|user, _| demands[user.index()]);
            (
                [0, 1, 2].map(|user| karma.accounts[user].target),
                [0, 1, 2].map(|user| karma.accounts[user].credits),
            )
        };
        // The three shared cores are enough.
        assert_eq!(quantum([3, 2, 1]), ([3, 2, 1], [5.0, 6.0, 7.0]));
        // ben and eve lend a core each, and ana borrows the three shared ones as well.
        assert_eq!(quantum([6, 0, 0]), ([6, 0, 0], [1.0, 8.0, 9.0]));
        // All want everything: eve has a credit more than ben and ana has few.
        assert_eq!(quantum([6, 6, 6]), ([1, 2, 3], [2.0, 8.0, 8.0]));
    }
}
