//! Decayed usage: the user whose tasks have held cores for the least time goes first, and what is past counts ever less
//! (the fair share of Slurm and HTCondor).

use std::collections::BTreeSet;
use std::f64::consts::LN_2;
use std::rc::Rc;

use super::explain::{self, Contender, Explanation, Key, KeyComponent, NumberedFacts, Value};
use super::job_queue::{ordered, ordered_number};
use super::user_queue::{self, WaitingUsers};
use super::{Context, Info, KeyOrder, Launch, Policy, PolicyGroup, RankedFrom, StageView, View};
use crate::bits::BitSet;
use crate::ids::{StageIndex, UserId};
use crate::scenario::parameter::declared;
use crate::units::{Time, Weight};

/// What readers should know of decayed usage.
pub const INFO: Info = Info {
    id: "decay",
    title: "Decayed usage",
    source: "Slurm, HTCondor",
    summary: "The user who has used the cores least goes first, and past use counts ever less.",
    key: "decayed core time of the user / weight, position in the list of users, rank of arrival, stage id",
    group: PolicyGroup::PastUse,
    look: 21,
    parameters: declared::DECAY.parameters,
    order: KeyOrder::EachLaunch,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// Core-µs below which decayed use may be rounded to nothing.
const SMALLEST_USE: f64 = 1e-280;

/// Core time that a user has used, of which half is left after a half-life.
#[derive(Clone, Debug, Default)]
struct DecayingUse {
    /// Cores held since `since`.
    held: u32,
    /// Core-µs that are left at `since`.
    left: f64,
    since: Time,
}

impl DecayingUse {
    /// Core-µs that are left at an instant, not before the last change, with the mean life of a core-µs in µs:
    /// `left * e^-x + held * mean_life * (1 - e^-x)` for a time of x mean lives (docs/model.md section 9).
    fn at(&self, now: Time, mean_life: f64) -> f64 {
        let lives = now.since(self.since).0 as f64 / mean_life;
        self.left * libm::exp(-lives) - f64::from(self.held) * mean_life * libm::expm1(-lives)
    }

    /// The user holds another number of cores from now on.
    fn hold(&mut self, held: u32, now: Time, mean_life: f64) {
        *self = DecayingUse { held, left: self.at(now, mean_life), since: now };
    }
}

/// Decayed usage. Key: (decayed core time of the user / weight, position in the list of users, rank of arrival, stage
/// id).
#[derive(Clone, Debug)]
pub struct Decay {
    /// The half-life over ln 2, in µs.
    mean_life: f64,
    usage: Vec<DecayingUse>,
    weights: Rc<[Weight]>,
    waiting: WaitingUsers,
    /// The waiting users who hold cores.
    holding: BitSet,
    /// The other waiting users by [`Decay::place`], and these numbers by user.
    resting: BTreeSet<(u64, UserId)>,
    places: Vec<Option<u64>>,
}

impl Decay {
    fn used(&self, user: UserId, view: &View) -> f64 {
        self.usage[user.index()].at(view.now(), self.mean_life)
    }

    fn used_per_weight(&self, user: UserId, view: &View) -> f64 {
        self.used(user, view) / self.weights[user.index()].value()
    }

    /// What orders users who hold no cores, at any time: their use decays alike, so that the logarithms of what they
    /// have used keep their distances. 0 if a user has used nothing.
    fn place(&self, user: UserId) -> u64 {
        let DecayingUse { left, since, .. } = self.usage[user.index()];
        if left == 0.0 {
            return 0;
        }
        let used = libm::log(left / self.weights[user.index()].value());
        ordered(used + since.0 as f64 / self.mean_life)
    }

    /// A user waits or not, and holds cores or not.
    fn settle(&mut self, user: UserId) {
        let (waits, holds) = (self.waiting.contains(user), self.usage[user.index()].held > 0);
        if waits && holds {
            self.holding.insert(user.0);
        } else {
            self.holding.remove(user.0);
        }
        let place = (waits && !holds).then(|| self.place(user));
        let before = std::mem::replace(&mut self.places[user.index()], place);
        if before != place {
            before.map(|before| self.resting.remove(&(before, user)));
            place.map(|place| self.resting.insert((place, user)));
        }
    }

    /// The users of whom one has used least: those who hold cores, and of the others those whose places are so near the
    /// first that rounding may decide between them. All users if even the first has hardly used anything, because what
    /// is too small to be told apart is ordered by the list of users.
    fn candidates(&self, view: &View) -> Vec<UserId> {
        let mut found: Vec<UserId> = self.holding.iter().map(UserId).collect();
        let mut used = self.resting.range((1, UserId(0))..).peekable();
        if let Some(&&(first, user)) = used.peek() {
            if self.used(user, view) < SMALLEST_USE {
                return self.waiting.iter().collect();
            }
            let near = ordered_number(first);
            let end = ordered(near + 1e-6 + near.abs() * 1e-12);
            found.extend(used.take_while(|(place, _)| *place <= end).map(|(_, user)| *user));
        }
        found.extend(self.resting.first().filter(|(place, _)| *place == 0).map(|(_, user)| *user));
        found
    }

    fn parts(&self, user: UserId, view: &View) -> [KeyComponent; 2] {
        let used = Value::WorkPerWeight(self.used_per_weight(user, view));
        [
            KeyComponent::new("decayed core time of the user / weight", used),
            KeyComponent::new("position in the list of users", Value::Number(u64::from(user.0))),
        ]
    }

    fn user_facts(&self, user: UserId, view: &View) -> Vec<KeyComponent> {
        vec![
            KeyComponent::new("decayed core time of the user", Value::Work(self.used(user, view))),
            KeyComponent::new("running tasks of the user", Value::Tasks(view.user_running(user))),
            KeyComponent::new("weight", Value::Weight(self.weights[user.index()])),
        ]
    }
}

impl Policy for Decay {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        let users = context.weights.len();
        Decay {
            mean_life: context.number(&INFO, "half_life_s") * 1e6 / LN_2,
            usage: vec![DecayingUse::default(); users],
            weights: Rc::clone(&context.weights),
            waiting: WaitingUsers::new(users),
            holding: BitSet::new(users),
            resting: BTreeSet::new(),
            places: vec![None; users],
        }
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        let stage = view.stage(stage);
        let (usage, held) = (&mut self.usage[stage.user().index()], view.user_running(stage.user()));
        if usage.held != held {
            usage.hold(held, view.now(), self.mean_life);
        }
        self.waiting.update(stage);
        self.settle(stage.user());
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        let most = view.largest_free_memory()?;
        let fits = |stage: StageIndex| view.stage(stage).memory() <= most;
        let key = |user: UserId| (ordered(self.used_per_weight(user, view)), user);
        let candidates = self.candidates(view);
        let all_fit = candidates.iter().all(|&user| self.waiting.first_of(user, fits).is_some());
        let stage = match all_fit {
            true => self.waiting.least(candidates.into_iter(), fits, key),
            false => self.waiting.least(self.waiting.iter(), fits, key),
        }?;
        Some(Launch { stage, core: view.lowest_fitting_core(stage)? })
    }

    fn key(&self, stage: StageView) -> Key {
        Key::new(stage, self.parts(stage.user(), stage.view()))
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        self.user_facts(stage.user(), stage.view()).into()
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        if part > 0 {
            return user_queue::reason_by_list(first, second);
        }
        let used = explain::against(first.key.work(0), second.key.work(0));
        let (user, other, label) = (first.user, second.user, first.label);
        format!(
            "{user} has used less core time for its weight than {other}, past use decayed ({used}), so {label} goes \
             first."
        )
    }

    fn users(&self, view: &View) -> Vec<(UserId, Explanation)> {
        user_queue::all_users(view, |user| Explanation {
            parts: self.parts(user, view).into(),
            facts: self.user_facts(user, view),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF_LIFE: u64 = 1_000_000;
    const MEAN_LIFE: f64 = HALF_LIFE as f64 / LN_2;

    fn assert_near(one: f64, other: f64) {
        assert!((one - other).abs() < 1e-6, "{one} {other}");
    }

    #[test]
    fn after_a_half_life_use_counts_half() {
        let used = DecayingUse { held: 0, left: 8e6, since: Time(7) };
        assert_eq!(used.at(Time(7), MEAN_LIFE), 8e6);
        assert_near(used.at(Time(7 + HALF_LIFE), MEAN_LIFE), 4e6);
        assert_near(used.at(Time(7 + 3 * HALF_LIFE), MEAN_LIFE), 1e6);
    }

    /// Every µs is a core-µs that decays from its middle on.
    #[test]
    fn use_is_the_sum_of_what_is_left_of_every_microsecond() {
        let mut usage = DecayingUse::default();
        usage.hold(2, Time(100), MEAN_LIFE);
        usage.hold(3, Time(400), MEAN_LIFE);
        usage.hold(0, Time(500), MEAN_LIFE);
        let held = |at| if at < 400 { 2.0 } else { 3.0 };
        let left = |at| held(at) * libm::exp2(-(999.5 - at as f64) / HALF_LIFE as f64);
        assert_near(usage.at(Time(1000), MEAN_LIFE), (100..500).map(left).sum());
        // Whoever holds two cores for good comes to two mean lives.
        usage.hold(2, Time(1000), MEAN_LIFE);
        assert_near(usage.at(Time(1000 + 50 * HALF_LIFE), MEAN_LIFE), 2.0 * MEAN_LIFE);
    }
}
