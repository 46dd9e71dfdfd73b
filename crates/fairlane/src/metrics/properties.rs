//! What BoPF's Table 1 asks of a policy, measured in one scenario: is the burst guarantee kept, is long-term fairness
//! kept, does lying about the demand gain anything, does a core idle while work waits.
//!
//! ```
//! use fairlane::engine::Control;
//! use fairlane::metrics::Properties;
//! let scenario = fairlane::catalog::find("bopf-queues").expect("an entry").scenario();
//! let of = |policy: &str| Properties::measure(&scenario, policy.parse().expect("a policy"), &mut |_| Control::Continue);
//! let (drf, bopf) = (of("drf")?, of("bopf-p")?);
//! assert_eq!(drf.guarantee.expect("latency queues").holds(), false);
//! assert_eq!(bopf.guarantee.expect("latency queues").holds(), true);
//! # Ok::<(), fairlane::engine::SimulationError>(())
//! ```

mod conservation;
mod fairness;
mod guarantee;
mod lying;

use serde::{Deserialize, Serialize};

pub use conservation::Conservation;
pub use fairness::{LongTermFairness, Shortfall};
pub use guarantee::{BurstGuarantee, LateBurst};
pub use lying::{FACTORS, Lying, MAX_LIARS, Misreport};

use crate::engine::{self, Control, Progress, SimulationError};
use crate::policy::PolicyId;
use crate::scenario::Scenario;

/// The properties of a policy in one scenario (BoPF, section 2.2 and Table 1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Properties {
    /// The burst guarantee; `None` without a latency queue whose bursts demand something and have jobs.
    pub guarantee: Option<BurstGuarantee>,
    /// Long-term fairness; `None` if no throughput queue waits for long, or there is only one user.
    pub fairness: Option<LongTermFairness>,
    /// Strategyproofness; `None` if the policy reads nothing that a user could lie about.
    pub lying: Option<Lying>,
    /// Pareto efficiency, as far as an idle core can break it.
    pub conservation: Conservation,
}

impl Properties {
    /// Simulates the scenario, and again for each lie. The observer is called now and then with the part of the work
    /// that is done.
    ///
    /// # Errors
    /// [`SimulationError::Stopped`] if the observer says [`Control::Stop`], or what the policy did wrong.
    pub fn measure(
        scenario: &Scenario,
        policy: PolicyId,
        observer: &mut dyn FnMut(f64) -> Control,
    ) -> Result<Properties, SimulationError> {
        let simulations = 1 + lying::lies(scenario, policy);
        let mut done = 0;
        let mut run = |scenario: &Scenario| {
            let part = |progress: Progress| progress.launched as f64 / progress.tasks.max(1) as f64;
            let trace = engine::simulate_observed(scenario, policy, &mut |progress| {
                observer((f64::from(done) + part(progress)) / f64::from(simulations))
            });
            done += 1;
            trace
        };
        let honest = run(scenario)?;
        Ok(Properties {
            guarantee: BurstGuarantee::measure(scenario, &honest),
            fairness: LongTermFairness::measure(scenario, &honest),
            conservation: Conservation::measure(scenario, &honest),
            lying: Lying::measure(scenario, policy, &honest.jobs, &mut |scenario| Ok(run(scenario)?.jobs))?,
        })
    }
}

#[cfg(test)]
mod testing {
    use crate::scenario::Scenario;
    use crate::trace::Trace;

    /// A scenario of one executor and its schedule under a policy. `users` and `jobs` are lists as in a file, without
    /// brackets.
    pub(super) fn simulated(cores: u32, policy: &str, users: &str, jobs: &str) -> (Scenario, Trace) {
        let text = format!(
            r#"{{"format": "fairlane/scenario@1", "cluster": {{"cores_per_executor": {cores}}},
                "users": [{users}], "jobs": [{jobs}]}}"#
        );
        let scenario = Scenario::from_json(&text).expect("a good scenario");
        let trace = crate::simulate(&scenario, policy.parse().expect("a policy"));
        (scenario, trace)
    }
}
