//! Who is treated worst by the schedules on the page.

use super::State;
use fairlane::ids::UserId;
use fairlane::metrics::ReplayError;
use fairlane::policy::{OBSERVED, PolicyId};
use fairlane_import::spark::NOBODY;

/// The user who is treated worst, and under which policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The policy.
    pub policy: PolicyId,
    /// The user.
    pub user: UserId,
    /// The user's mean response time over that under ideal sharing (fluid UJF).
    pub ratio: f64,
    /// The ticked policy that serves the user best, with its ratio, where it is much better.
    pub best: Option<(PolicyId, f64)>,
}

/// A delay below this is none worth a sentence.
const WORTH_A_SENTENCE: f64 = 1.5;

impl State {
    /// The worst served of all users under all ticked policies, the first of equals; `None` if everybody is served about
    /// as the ideal would, or while schedules are missing. Of a log, under its own scheduler as simulated; `None` if
    /// that is too far from what happened.
    pub fn worst_served(&self) -> Option<Verdict> {
        if !self.is_settled() || self.drag.is_some() {
            return None;
        }
        // A simulation is compared with simulations only: with that of the log's own scheduler, if it is near the log.
        let log = self.document.log.as_deref();
        if log.is_some() && !self.replay_error()?.is_tolerable() {
            return None;
        }
        let is_subject = |policy: PolicyId| log.is_none_or(|log| log.ran_with == policy);
        let mut worst: Option<Verdict> = None;
        // Of jobs that a log does not say whose they are, nobody waits.
        let is_nobody =
            |user: UserId| log.is_some() && self.document.scenario.users()[user.index()].name == NOBODY;
        for (policy, analysis) in self.current_analyses().filter(|(policy, _)| is_subject(*policy)) {
            for verdict in analysis.verdicts() {
                let Some(ratio) = verdict.ratio.filter(|_| !is_nobody(verdict.user)) else { continue };
                if ratio >= worst.map_or(WORTH_A_SENTENCE, |worst| worst.ratio + 0.05) {
                    worst = Some(Verdict { policy, user: verdict.user, ratio, best: None });
                }
            }
        }
        worst.map(|worst| Verdict { best: best(self, worst), ..worst })
    }

    /// How far the simulation under the log's own scheduler is from the log; `None` without a log.
    pub fn replay_error(&self) -> Option<ReplayError> {
        Some(self.document.log.as_deref()?.report.baseline.as_ref()?.error)
    }
}

/// The policy under which the user of a verdict waits least, if that is worth a sentence; the first of equals. One that
/// leaves a job of the user unfinished serves nobody well.
fn best(state: &State, worst: Verdict) -> Option<(PolicyId, f64)> {
    let simulated = state.current_analyses().filter(|(policy, _)| *policy != OBSERVED);
    let ratios = simulated.filter_map(|(policy, analysis)| {
        let verdict = analysis.verdicts().into_iter().find(|verdict| verdict.user == worst.user)?;
        Some((policy, verdict.ratio.filter(|_| verdict.unfinished.words().next().is_none())?))
    });
    ratios
        .min_by(|(_, one), (_, other)| one.total_cmp(other))
        .filter(|(_, least)| least * WORTH_A_SENTENCE <= worst.ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::analyze_here;
    use crate::store::{Action, Document};
    use fairlane::catalog;

    #[test]
    fn the_opening_scenario_names_who_is_treated_unfairly() {
        let entry = catalog::find("paper-scenario-1").expect("an entry");
        let mut state = State::new(Document::from_catalog(entry).into());
        assert_eq!(state.worst_served(), None);
        for policy in state.ticked.clone() {
            let analysis = analyze_here(&state.document.scenario, policy);
            state = state.reduce(Action::Finished(state.revision, policy, Ok(analysis)));
        }
        let verdict = state.worst_served().expect("somebody waits");
        let name = &entry.scenario().users()[verdict.user.index()].name.clone();
        assert!(["user3", "user4"].contains(&name.as_str()), "{verdict:?}");
        assert!(verdict.ratio > 2.0, "{verdict:?}");
        let (best, least) = verdict.best.expect("another policy is fairer");
        assert_eq!((best.to_string().as_str(), least < 2.0), ("uwfq", true), "{verdict:?}");
    }
}
