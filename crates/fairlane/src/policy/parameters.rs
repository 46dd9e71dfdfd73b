//! What policies read of their parameters, which [`scenario::parameter`](crate::scenario::parameter) declares.

use super::{Context, Info, PolicyKind};
use crate::scenario::Scenario;
use crate::scenario::parameter::declared::DEADLINES;
pub use crate::scenario::parameter::{Parameter, ParameterKind, ParameterSet};
use crate::units::{Span, micros_from_seconds};

/// How long after its arrival a job without a deadline is due, from its response time alone under FIFO
/// (docs/model.md section 10).
pub fn default_deadline(scenario: &Scenario, alone: Span) -> Span {
    let factor = DEADLINES.number(scenario, "factor");
    Span((factor * alone.0 as f64 + 0.5).floor() as u64)
}

/// The parameters of all policies: each set once, in the order in which policies are listed.
pub fn sets() -> Vec<ParameterSet> {
    let mut sets: Vec<ParameterSet> = Vec::new();
    for info in PolicyKind::ALL.iter().map(|kind| kind.info()) {
        for set in [info.own()].iter().chain(info.shared) {
            if sets.iter().all(|other| other.id != set.id) {
                sets.push(*set);
            }
        }
    }
    sets
}

impl Context<'_> {
    /// A [`ParameterKind::Number`] or [`ParameterKind::Whole`] that a policy declares.
    pub fn number(&self, info: &Info, name: &str) -> f64 {
        info.own().number(self.scenario, name)
    }

    /// A [`ParameterKind::OptionalNumber`] that a policy declares.
    pub fn optional_number(&self, info: &Info, name: &str) -> Option<f64> {
        info.own().value(self.scenario, name).as_f64()
    }

    /// A [`ParameterKind::Seconds`] that a policy declares.
    pub fn span(&self, info: &Info, name: &str) -> Span {
        Span(micros_from_seconds(self.number(info, name)).unwrap_or_default())
    }

    /// A [`ParameterKind::Choice`] that a policy declares, as the position of the word among the options.
    pub fn choice(&self, info: &Info, name: &str) -> usize {
        info.own().choice(self.scenario, name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parameter::{declared, find_set};

    #[test]
    fn every_parameter_is_described_in_a_sentence_and_may_have_its_default() {
        for set in sets() {
            for Parameter { name, title, summary, unit: _, kind } in set.parameters {
                assert!(!title.is_empty(), "{}.{name}", set.id);
                assert!(summary.ends_with('.') && !summary.contains(". "), "{}.{name}: {summary}", set.id);
                let default = kind.default();
                assert!(default.is_null() || kind.check(&default).is_ok(), "{}.{name}: {default}", set.id);
            }
        }
    }

    /// A scenario's file is checked without the policies, so what it may set is listed apart from them.
    #[test]
    fn what_a_file_may_set_is_what_policies_declare() {
        for set in sets() {
            assert_eq!(find_set(set.id), Some(set));
        }
        let error = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "policies": { "lifo": {} }, "jobs": [] }"#,
        );
        let error = error.expect_err("no such policy").to_string();
        assert!(error.ends_with(&crate::policy::id::names()), "{error}");
        assert_eq!(find_set("deadlines"), Some(declared::DEADLINES));
    }
}
