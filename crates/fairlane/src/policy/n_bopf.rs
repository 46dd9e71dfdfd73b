//! N-BoPF: BoPF without soft guarantees (its paper's naive variant). A queue that cannot have a hard guarantee shares
//! with the others.
//!
//! ```
//! use fairlane::{Scenario, simulate};
//! let scenario = Scenario::from_json(r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 2 },
//!     "users": [
//!         { "name": "one", "queue": { "kind": "latency", "period_s": 10, "within_s": 2, "demand_core_s": 3 } },
//!         { "name": "two", "queue": { "kind": "latency", "period_s": 10, "within_s": 2, "demand_core_s": 3 } }], "jobs": [
//!     { "user": "one", "arrival_s": 0, "stages": [{ "tasks_s": [1] }] } ] }"#)?;
//! let classes = |policy: &str| -> Result<Vec<&'static str>, fairlane::policy::UnknownPolicy> {
//!     Ok(simulate(&scenario, policy.parse()?).classes.iter().map(|class| class.name()).collect())
//! };
//! assert_eq!(classes("bopf")?, ["H", "S"]);
//! assert_eq!(classes("n-bopf")?, ["H", "E"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::bopf::bounded::{Bounded, Variant};
use super::{Info, KeyOrder, Outcomes, PolicyGroup, RankedFrom};
use crate::scenario::parameter::declared;

/// What readers should know of N-BoPF.
pub const INFO: Info = Info {
    id: "n-bopf",
    title: "N-BoPF",
    name: "Naive Bounded Priority Fairness",
    source: "BoPF paper",
    summary: "BoPF with hard guarantees only.",
    key: "class, then as BoPF",
    group: PolicyGroup::Queues,
    look: 18,
    shared: &[declared::BOPF],
    outcomes: Outcomes::Any,
    order: KeyOrder::EachLaunch,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// BoPF with hard guarantees only. The parameters are those of BoPF.
pub type NBopf = Bounded<Hard>;

/// BoPF without soft guarantees.
#[derive(Clone, Debug)]
pub struct Hard;

impl Variant for Hard {
    const SOFT: bool = false;

    fn info() -> &'static Info {
        &INFO
    }
}
