//! Strict priority: latency queues before all others (the second baseline of BoPF).
//!
//! ```
//! use fairlane::{Scenario, simulate};
//! let scenario = Scenario::from_json(r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 1 },
//!     "users": [{ "name": "batch" }, { "name": "urgent", "queue": { "kind": "latency" } }], "jobs": [
//!     { "user": "batch", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1] }] },
//!     { "user": "urgent", "arrival_s": 0.5, "stages": [{ "tasks_s": [1, 1] }] } ] }"#)?;
//! let trace = simulate(&scenario, "sp".parse()?);
//! let order: Vec<u32> = trace.tasks.iter().map(|run| run.job.0).collect();
//! assert_eq!(order, [0, 1, 1, 0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::drf::DominantShares;
use super::explain::{Contender, Explanation, Key, KeyComponent, NumberedFacts, Value};
use super::user_queue::{self, UserOrder, UserQueue};
use super::{Context, Info, KeyOrder, Launch, Policy, PolicyGroup, RankedFrom, StageView, View};
use crate::ids::{StageIndex, UserId};
use crate::scenario::{QueueKind, User};

/// What readers should know of strict priority.
pub const INFO: Info = Info {
    id: "sp",
    title: "Strict priority",
    source: "BoPF paper",
    summary: "Latency queues go first; among equals, the smallest dominant share.",
    key: "kind of queue, then as DRF",
    group: PolicyGroup::Queues,
    look: 16,
    order: KeyOrder::EachLaunch,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// Strict priority. Key: (0 for a latency queue and 1 for a throughput queue, then as [`Drf`]).
#[derive(Clone, Debug)]
pub struct Sp {
    shares: DominantShares,
    /// Indexed by [`UserId`]: 0 for a latency queue, 1 for a throughput queue.
    classes: Vec<u8>,
    queue: UserQueue,
}

impl Sp {
    fn parts(&self, user: UserId, view: &View) -> Vec<KeyComponent> {
        let class = u64::from(self.classes[user.index()]);
        let mut parts = vec![KeyComponent::new("class (0 latency, 1 throughput)", Value::Number(class))];
        parts.extend(self.shares.parts(user, view));
        parts
    }
}

impl Policy for Sp {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        let class = |user: &User| match user.queue.as_ref().map(|queue| queue.kind) {
            Some(QueueKind::Latency) => 0,
            Some(QueueKind::Throughput) | None => 1,
        };
        let classes: Vec<u8> = context.scenario.users().iter().map(class).collect();
        Sp { shares: DominantShares::new(context), queue: UserQueue::new(classes.len()), classes }
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        self.queue.update(view.stage(stage));
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        let (classes, shares) = (&self.classes, &self.shares);
        let order = |user: UserId| {
            let class = u64::from(classes[user.index()]) << 63;
            UserOrder::Settled(class | shares.ascending(user, view), user.0)
        };
        self.queue.next_task(view, order, |user| (classes[user.index()], shares.user_key(user, view)))
    }

    fn key(&self, stage: StageView) -> Key {
        Key::new(stage, self.parts(stage.user(), stage.view()))
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        self.shares.user_facts(stage.user(), stage.view()).into()
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        let (user, other, label) = (first.user, second.user, first.label);
        match part {
            0 => format!("{user} is a latency queue and {other} a throughput queue, so {label} goes first."),
            1 => user_queue::reason_by_share(first, second, 1),
            _ => user_queue::reason_by_list(first, second),
        }
    }

    fn users(&self, view: &View) -> Vec<(UserId, Explanation)> {
        user_queue::all_users(view, |user| Explanation {
            parts: self.parts(user, view),
            facts: self.shares.user_facts(user, view),
        })
    }
}
