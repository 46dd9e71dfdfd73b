//! BoPF: bursts of latency queues are guaranteed their demand as far as long-term fairness allows (bounded priority
//! fairness), with hard guarantees, soft ones and none.
//!
//! Every queue is admitted before the first event ([`admission`]) and gets its class; the class and what its burst has
//! used say where it is in the order ([`bounded`]).
//!
//! ```
//! use fairlane::{Scenario, simulate};
//! let scenario = Scenario::from_json(r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 2 },
//!     "users": [{ "name": "batch" },
//!         { "name": "urgent", "queue": { "kind": "latency", "period_s": 10, "within_s": 2, "demand_core_s": 2 } },
//!         { "name": "greedy", "queue": { "kind": "latency", "period_s": 10, "demand_core_s": 15 } }], "jobs": [
//!     { "user": "batch", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1, 1] }] },
//!     { "user": "urgent", "arrival_s": 0.5, "stages": [{ "tasks_s": [1, 1] }] } ] }"#)?;
//! let trace = simulate(&scenario, "bopf".parse()?);
//! let classes: Vec<&str> = trace.classes.iter().map(|class| class.name()).collect();
//! assert_eq!(classes, ["E", "H", "E"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod admission;
pub mod bounded;

use super::{Info, KeyOrder, Outcomes, PolicyGroup, RankedFrom};
use crate::scenario::parameter::declared;
pub use bounded::Bounded;
use bounded::Variant;

/// What readers should know of BoPF.
pub const INFO: Info = Info {
    id: "bopf",
    title: "BoPF",
    name: "Bounded Priority Fairness",
    source: "BoPF paper",
    summary: "Bursts get what they are promised, as far as the others keep their share.",
    key: "class; remaining demand or dominant share; order of admission or position; rank of arrival, stage id",
    group: PolicyGroup::Queues,
    look: 19,
    parameters: declared::BOPF.parameters,
    outcomes: Outcomes::Any,
    order: KeyOrder::EachLaunch,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// BoPF with hard and soft guarantees.
pub type Bopf = Bounded<Soft>;

/// BoPF as published.
#[derive(Clone, Debug)]
pub struct Soft;

impl Variant for Soft {
    const SOFT: bool = true;

    fn info() -> &'static Info {
        &INFO
    }
}
