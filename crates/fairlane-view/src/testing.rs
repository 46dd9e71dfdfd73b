//! What tests of several modules need.

use fairlane::engine::Control;
use fairlane::metrics::{Baselines, Evaluation, EvaluationDetail, evaluate};
use fairlane::scenario::Scenario;

/// A scenario's simulation under a policy, evaluated without what blocks jobs.
pub(crate) fn evaluated(scenario: &Scenario, policy: &str) -> Evaluation {
    let (policy, detail) = (policy.parse().expect("a policy"), EvaluationDetail::Responses);
    let evaluation = evaluate(scenario, policy, detail, &mut Baselines::new(1), &mut |_| Control::Continue);
    evaluation.expect("nobody asks to stop")
}
