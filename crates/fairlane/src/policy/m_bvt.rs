//! M-BVT: the user whose virtual time is least goes first, and a latency queue may borrow by a warp inside its window
//! (borrowed virtual time for several resources, a baseline of BoPF).
//!
//! ```
//! use fairlane::{Scenario, simulate};
//! let scenario = |warp| Scenario::from_json(&format!(r#"{{ "format": "fairlane/scenario@1", "cluster": {{ "cores_per_executor": 1 }},
//!     "users": [{{ "name": "batch" }}, {{ "name": "urgent", "queue": {{ "kind": "latency", "warp_s": {warp} }} }}], "jobs": [
//!     {{ "user": "batch", "arrival_s": 0, "stages": [{{ "tasks_s": [1, 1, 1] }}] }},
//!     {{ "user": "urgent", "arrival_s": 0.5, "stages": [{{ "tasks_s": [1, 1] }}] }} ] }}"#));
//! let order = |warp| -> Result<Vec<u32>, Box<dyn std::error::Error>> {
//!     Ok(simulate(&scenario(warp)?, "m-bvt".parse()?).tasks.iter().map(|run| run.job.0).collect())
//! };
//! assert_eq!(order(0)?, [0, 1, 0, 1, 0]);
//! assert_eq!(order(2)?, [0, 1, 1, 0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::drf::DominantShares;
use super::explain::{Contender, Explanation, Key, KeyComponent, NumberedFacts, Value};
use super::job_queue::ordered;
use super::usage::{Account, Capacity};
use super::user_queue::{self, UserOrder, UserQueue};
use super::{
    Actions, Admission, Context, Info, KeyOrder, Launch, Policy, PolicyGroup, RankedFrom, StageView, View,
};
use crate::bits::BitSet;
use crate::ids::{Rank, StageIndex, UserId};
use crate::scenario::{QueueKind, User};
use crate::tournament::{self, Tournament};
use crate::units::{Span, Time, VirtualTime};

/// What readers should know of M-BVT.
pub const INFO: Info = Info {
    id: "m-bvt",
    title: "M-BVT",
    name: "Borrowed Virtual Time, many resources",
    source: "BoPF paper",
    summary: "The user who has used the least goes first; latency queues borrow inside their windows.",
    key: "virtual time less warp, then as DRF",
    group: PolicyGroup::Queues,
    look: 17,
    order: KeyOrder::EachLaunch,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// Borrowed virtual time. Key: (virtual time less warp; dominant share / weight; position in the list of users; rank of
/// arrival; stage id).
#[derive(Clone, Debug)]
pub struct MBvt {
    times: VirtualTimes,
    /// Each user's unfinished jobs.
    unfinished: Vec<u32>,
    /// The users with unfinished jobs who hold no core, by virtual time, which stays.
    resting: Tournament,
    /// The users with unfinished jobs who hold cores. Tasks of cancelled jobs may hold some after their user's last.
    holding: BitSet,
    queue: UserQueue,
}

impl MBvt {
    /// A user's jobs or tasks have changed.
    fn settle(&mut self, user: UserId, view: &View) {
        let is_unfinished = self.unfinished[user.index()] > 0;
        let holds = view.user_running(user) > 0;
        if holds && is_unfinished {
            self.holding.insert(user.0);
        } else {
            self.holding.remove(user.0);
        }
        if holds || !is_unfinished {
            self.resting.clear(user.0);
        } else {
            let time = ordered(self.times.virtual_time(user, view.now()));
            self.resting.set(user.0, tournament::key(time, 0, user.0));
        }
    }

    /// The least virtual time of the users with unfinished jobs.
    fn least_time(&self, now: Time) -> Option<f64> {
        let resting = self.resting.first().map(tournament::slot);
        let users = self.holding.iter().chain(resting).map(UserId);
        users.map(|user| self.times.virtual_time(user, now)).reduce(f64::min)
    }
}

/// The users' virtual times.
#[derive(Clone, Debug)]
struct VirtualTimes {
    shares: DominantShares,
    capacity: Capacity,
    accounts: Vec<Account>,
    weights: Vec<f64>,
    /// How long a window is, and the warp inside it, of each latency queue.
    warps: Vec<Option<(Span, f64)>>,
    /// Added to each user's virtual time.
    offsets: Vec<f64>,
}

impl VirtualTimes {
    /// Use of the resource of which the user has used the largest share since 0, in µs of the whole cluster.
    fn dominant_use(&self, user: UserId, now: Time) -> f64 {
        let account = &self.accounts[user.index()];
        let share = |resource| account.used(resource, now) / self.capacity.of_resource(resource);
        self.capacity.resources().map(share).fold(0.0, f64::max)
    }

    /// Virtual time, in µs of the whole cluster per unit of weight, without the warp.
    fn virtual_time(&self, user: UserId, now: Time) -> f64 {
        self.offsets[user.index()] + self.dominant_use(user, now) / self.weights[user.index()]
    }

    /// The warp of a user at an instant.
    fn warp(&self, user: UserId, now: Time) -> f64 {
        let Some((within, warp)) = self.warps[user.index()] else { return 0.0 };
        let burst = self.accounts[user.index()].burst(now);
        burst.filter(|burst| now < burst.begin + within).map_or(0.0, |_| warp)
    }

    fn warped_time(&self, user: UserId, now: Time) -> f64 {
        self.virtual_time(user, now) - self.warp(user, now)
    }

    /// Where a user is in the order. What it has used stays while it holds nothing, its warp to the next edge of a
    /// window.
    fn order(&self, user: UserId, view: &View) -> UserOrder {
        if view.user_running(user) > 0 {
            return UserOrder::Moving;
        }
        let now = view.now();
        let time = ordered(self.warped_time(user, now));
        let edge = self.warps[user.index()]
            .and_then(|(within, _)| self.accounts[user.index()].next_edge(now, within));
        match edge {
            Some(at) => UserOrder::Until(at, time, user.0),
            None => UserOrder::Settled(time, user.0),
        }
    }

    fn key(&self, user: UserId, view: &View) -> (u64, (VirtualTime, u32)) {
        (ordered(self.warped_time(user, view.now())), self.shares.user_key(user, view))
    }

    fn parts(&self, user: UserId, view: &View) -> Vec<KeyComponent> {
        let time = Value::Seconds(self.warped_time(user, view.now()) + 0.0);
        let mut parts = vec![KeyComponent::new("virtual time less warp", time)];
        parts.extend(self.shares.parts(user, view));
        parts
    }

    fn user_facts(&self, user: UserId, view: &View) -> Vec<KeyComponent> {
        let now = view.now();
        let mut facts = vec![
            KeyComponent::new("offset", Value::Seconds(self.offsets[user.index()])),
            KeyComponent::new("use of the cluster", Value::Seconds(self.dominant_use(user, now))),
            KeyComponent::new("virtual time", Value::Seconds(self.virtual_time(user, now))),
            KeyComponent::new("warp", Value::Seconds(self.warp(user, now))),
        ];
        facts.extend(self.shares.user_facts(user, view));
        facts
    }
}

impl Policy for MBvt {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        let users = context.scenario.users();
        let warp = |user: &User| {
            let queue = user.queue.as_ref().filter(|queue| queue.kind == QueueKind::Latency)?;
            Some((queue.within, queue.warp.0 as f64))
        };
        let times = VirtualTimes {
            shares: DominantShares::new(context),
            capacity: Capacity::new(context.scenario.cluster()),
            accounts: users.iter().map(|user| Account::new(user.queue.as_ref())).collect(),
            weights: users.iter().map(|user| user.weight.value()).collect(),
            warps: users.iter().map(warp).collect(),
            offsets: vec![0.0; users.len()],
        };
        MBvt {
            times,
            unfinished: vec![0; users.len()],
            resting: Tournament::new(users.len()),
            holding: BitSet::new(users.len()),
            queue: UserQueue::new(users.len()),
        }
    }

    fn job_arrived(&mut self, job: Rank, view: &View, _: &mut Actions) -> Admission {
        let (user, now) = (view.job(job).user(), view.now());
        if self.unfinished[user.index()] == 0 {
            let behind = self.least_time(now).map_or(0.0, |least| least - self.times.virtual_time(user, now));
            self.times.offsets[user.index()] += behind.max(0.0);
        }
        self.unfinished[user.index()] += 1;
        self.settle(user, view);
        Admission::Start
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        let stage = view.stage(launch.stage);
        self.times.accounts[stage.user().index()].launch(view.now(), stage.memory());
        self.queue.update(stage);
        self.settle(stage.user(), view);
    }

    fn task_ended(&mut self, launch: Launch, view: &View) {
        let stage = view.stage(launch.stage);
        self.times.accounts[stage.user().index()].end(view.now(), stage.memory());
        self.queue.update(stage);
        self.settle(stage.user(), view);
    }

    fn attempt_killed(&mut self, launch: Launch, view: &View) {
        self.task_ended(launch, view);
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        let stage = view.stage(stage);
        self.queue.update(stage);
        self.settle(stage.user(), view);
    }

    fn job_ended(&mut self, job: Rank, view: &View, _: &mut Actions) {
        let user = view.job(job).user();
        self.unfinished[user.index()] -= 1;
        self.settle(user, view);
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        let times = &self.times;
        self.queue.next_task(view, |user| times.order(user, view), |user| times.key(user, view))
    }

    fn key(&self, stage: StageView) -> Key {
        Key::new(stage, self.times.parts(stage.user(), stage.view()))
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        self.times.user_facts(stage.user(), stage.view()).into()
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        match part {
            0 => {
                let [mine, theirs] = [first, second].map(|stage| &stage.key.parts()[0].value);
                let (user, label) = (first.user, first.label);
                format!(
                    "{user} has the smaller virtual time, less warp ({mine} against {theirs}), so {label} goes first."
                )
            }
            1 => user_queue::reason_by_share(first, second, 1),
            _ => user_queue::reason_by_list(first, second),
        }
    }

    fn users(&self, view: &View) -> Vec<(UserId, Explanation)> {
        user_queue::all_users(view, |user| Explanation {
            parts: self.times.parts(user, view),
            facts: self.times.user_facts(user, view),
        })
    }
}
