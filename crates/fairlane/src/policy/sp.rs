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

use super::drf::Drf;
use super::explain::{Contender, Explanation, Part, Value};
use super::user_ranked::{self, Account, UserRankedPolicy};
use super::{Context, Group, Info};
use crate::ids::UserId;
use crate::scenario::{QueueKind, User};
use crate::units::Time;

/// What readers should know of strict priority.
pub const INFO: Info = Info {
    id: "sp",
    title: "Strict priority",
    source: "BoPF paper",
    summary: "Latency queues go first; among equals, the smallest dominant share.",
    key: "kind of queue, then as DRF",
    group: Group::Queues,
    ..Info::DEFAULT
};

/// Strict priority. Key: (0 for a latency queue and 1 for a throughput queue, then as [`Drf`]).
pub struct Sp {
    drf: Drf,
    /// By [`UserId`]: 0 for a latency queue, 1 for a throughput queue.
    classes: Vec<u8>,
}

impl UserRankedPolicy for Sp {
    type Key = (u8, (u64, u32));

    const ONLY_HELD: bool = true;

    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        let class = |user: &User| match user.queue.as_ref().map(|queue| queue.kind) {
            Some(QueueKind::Latency) => 0,
            Some(QueueKind::Throughput) | None => 1,
        };
        Sp { drf: Drf::new(context), classes: context.scenario.users().iter().map(class).collect() }
    }

    fn key(&self, user: UserId, account: &Account, now: Time) -> Self::Key {
        (self.classes[user.index()], self.drf.key(user, account, now))
    }

    fn explain(&self, user: UserId, account: &Account, _: Time) -> Explanation {
        let class = u64::from(self.classes[user.index()]);
        let mut parts = vec![Part::new("class (0 latency, 1 throughput)", Value::Number(class))];
        parts.extend(self.drf.share_parts(user, account));
        Explanation { parts, facts: self.drf.share_facts(user, account), remark: None }
    }

    fn reason(first: &Contender, second: &Contender, part: usize) -> String {
        let (user, other, label) = (first.user, second.user, first.label);
        match part {
            0 => format!("{user} is a latency queue and {other} a throughput queue, so {label} goes first."),
            1 => user_ranked::reason_by_share(first, second, 1),
            _ => user_ranked::reason_by_list(first, second),
        }
    }
}
