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

use super::drf::Drf;
use super::explain::{Contender, Explanation, Part, Value};
use super::job_ranked::ordered;
use super::user_ranked::{self, Account, Capacity, Moving, NEVER, UserRankedPolicy, holds_for};
use super::{Context, Group, Info};
use crate::ids::UserId;
use crate::scenario::QueueKind;
use crate::units::{Span, Time};

/// What readers should know of M-BVT.
pub const INFO: Info = Info {
    id: "m-bvt",
    title: "M-BVT",
    name: "Borrowed Virtual Time, many resources",
    source: "BoPF paper",
    summary: "The user who has used the least goes first; latency queues borrow inside their windows.",
    key: "virtual time less warp, then as DRF",
    group: Group::Queues,
    ..Info::DEFAULT
};

/// Borrowed virtual time. Key: (virtual time less warp; dominant share / weight; position in the list of users; rank of
/// arrival; stage id).
pub struct MBvt {
    drf: Drf,
    capacity: Capacity,
    weights: Vec<f64>,
    /// How long a window is, and the warp inside it, of each latency queue.
    warps: Vec<Option<(Span, f64)>>,
    /// Added to each user's virtual time.
    offsets: Vec<f64>,
    /// Each user's unfinished jobs.
    unfinished: Vec<u32>,
    /// The users that have some.
    busy: Vec<UserId>,
}

impl MBvt {
    /// Use of the resource of which the user has used the largest share since 0, in µs of the whole cluster.
    fn dominant_use(&self, account: &Account, now: Time) -> f64 {
        let share = |resource| account.used(resource, now) / self.capacity.of_resource(resource);
        self.capacity.resources().map(share).fold(0.0, f64::max)
    }

    /// Virtual time, in µs of the whole cluster per unit of weight, without the warp.
    fn virtual_time(&self, user: UserId, account: &Account, now: Time) -> f64 {
        self.offsets[user.index()] + self.dominant_use(account, now) / self.weights[user.index()]
    }

    /// The warp of a user at an instant, and until when.
    fn warp(&self, user: UserId, account: &Account, now: Time) -> (f64, Time) {
        let Some((within, warp)) = self.warps[user.index()] else { return (0.0, NEVER) };
        match account.burst(now) {
            None => (0.0, account.joins().unwrap_or(NEVER)),
            Some(burst) if now < burst.begin + within => (warp, burst.begin + within),
            Some(burst) => (0.0, burst.end),
        }
    }

    fn warped_time(&self, user: UserId, account: &Account, now: Time) -> f64 {
        self.virtual_time(user, account, now) - self.warp(user, account, now).0
    }

    fn moving(&self, (user, account): (UserId, &Account), now: Time) -> Moving {
        let (least, most) = self.capacity.rates(account);
        let weight = self.weights[user.index()];
        let virtual_time = self.virtual_time(user, account, now);
        let warp = self.warp(user, account, now).0;
        Moving {
            now: virtual_time - warp,
            rates: (least / weight, most / weight),
            magnitude: virtual_time.abs() + self.offsets[user.index()].abs() + warp,
        }
    }
}

impl UserRankedPolicy for MBvt {
    type Key = (u64, (u64, u32));

    const ONLY_HELD: bool = false;

    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        let users = context.scenario.users();
        let warp = |user: &crate::scenario::User| {
            let queue = user.queue.as_ref().filter(|queue| queue.kind == QueueKind::Latency)?;
            Some((queue.within, queue.warp.0 as f64))
        };
        MBvt {
            drf: Drf::new(context),
            capacity: Capacity::of(context.scenario.cluster()),
            weights: users.iter().map(|user| user.weight.value()).collect(),
            warps: users.iter().map(warp).collect(),
            offsets: vec![0.0; users.len()],
            unfinished: vec![0; users.len()],
            busy: Vec::new(),
        }
    }

    fn job_arrived(&mut self, user: UserId, accounts: &[Account], now: Time) -> Option<f64> {
        self.unfinished[user.index()] += 1;
        if self.unfinished[user.index()] > 1 {
            return None;
        }
        let virtual_time = |user: UserId| self.virtual_time(user, &accounts[user.index()], now);
        let least = self.busy.iter().map(|&other| virtual_time(other)).reduce(f64::min);
        let behind = least.map_or(0.0, |least| least - virtual_time(user));
        self.busy.push(user);
        if behind > 0.0 {
            self.offsets[user.index()] += behind;
            return Some(self.offsets[user.index()]);
        }
        None
    }

    fn job_ended(&mut self, user: UserId) {
        self.unfinished[user.index()] -= 1;
        if self.unfinished[user.index()] == 0 {
            self.busy.retain(|&other| other != user);
        }
    }

    fn restore(&mut self, user: UserId, offset: f64) {
        self.offsets[user.index()] = offset;
    }

    fn key(&self, user: UserId, account: &Account, now: Time) -> Self::Key {
        (ordered(self.warped_time(user, account, now)), self.drf.key(user, account, now))
    }

    fn rests_until(&self, user: UserId, account: &Account, now: Time) -> Option<Time> {
        let (_, most) = self.capacity.rates(account);
        (most == 0.0).then(|| self.warp(user, account, now).1)
    }

    fn holds_until(&self, first: (UserId, &Account), second: (UserId, &Account), now: Time) -> Time {
        let [first_change, second_change] =
            [first, second].map(|(user, account)| self.warp(user, account, now).1);
        let span = holds_for(self.moving(first, now), self.moving(second, now));
        Time(now.0.saturating_add(span.0)).min(first_change).min(second_change)
    }

    fn explain(&self, user: UserId, account: &Account, now: Time) -> Explanation {
        let mut parts = vec![Part::new(
            "virtual time less warp",
            Value::Seconds(self.warped_time(user, account, now) + 0.0),
        )];
        parts.extend(self.drf.share_parts(user, account));
        let mut facts = vec![
            Part::new("offset", Value::Seconds(self.offsets[user.index()])),
            Part::new("use of the cluster", Value::Seconds(self.dominant_use(account, now))),
            Part::new("virtual time", Value::Seconds(self.virtual_time(user, account, now))),
            Part::new("warp", Value::Seconds(self.warp(user, account, now).0)),
        ];
        facts.extend(self.drf.share_facts(user, account));
        Explanation { parts, facts, remark: None }
    }

    fn reason(first: &Contender, second: &Contender, part: usize) -> String {
        match part {
            0 => {
                let [mine, theirs] = [first, second].map(|stage| &stage.key.parts[0].value);
                let (user, label) = (first.user, first.label);
                format!(
                    "{user} has the smaller virtual time, less warp ({mine} against {theirs}), so {label} goes first."
                )
            }
            1 => user_ranked::reason_by_share(first, second, 1),
            _ => user_ranked::reason_by_list(first, second),
        }
    }
}
