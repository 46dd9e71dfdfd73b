//! Who is treated worst by the schedules on the page.

use super::State;
use crate::results::codec::Analysis;
use fairlane::ids::UserId;
use fairlane::metrics::{ReplayError, ScheduleVerdict};
use fairlane::policy::{OBSERVED, PolicyId};
use fairlane_view::verdict::{self, Cause};

/// The user who is treated worst, and under which policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageVerdict {
    /// The policy.
    pub policy: PolicyId,
    /// The user.
    pub user: UserId,
    /// The user's mean response time over that under ideal sharing (fluid UJF).
    pub ratio: f64,
    /// The user's mean response time, in seconds.
    pub response: f64,
    /// The ticked policy that serves the user best, where it is much better.
    pub best: Option<BetterPolicy>,
    /// What most of the delay is due to.
    pub cause: Option<Cause>,
}

/// A policy that serves the user of a verdict much better, and at what price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BetterPolicy {
    /// The policy.
    pub policy: PolicyId,
    /// The user's mean response time under it, in seconds.
    pub response: f64,
    /// Who loses most by it, if anybody does, and how many other users lose.
    pub loser: Option<(Loser, usize)>,
    /// The 95th percentile of all response times under the verdict's policy and under this one, in seconds.
    pub p95: Option<[f64; 2]>,
}

/// A user whose jobs take longer under a policy that serves another user better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loser {
    /// The user.
    pub user: UserId,
    /// The user's mean response times under the two policies, in seconds.
    pub responses: [f64; 2],
}

/// Ratios from which on a sentence is worth it: the second if there is none of the first.
const WORTH_A_SENTENCE: [f64; 2] = [1.5, 1.05];
/// A mean delay of less than this part of the mean response time of all jobs is not noticed: 0.2 s more of a lookup beside
/// reports that take minutes is nothing to act on, many times a fair share though it is.
const NOTICED: f64 = 0.1;
/// Ratio up to which two figures count as equal; among policies that are equal, the subject of the page is named.
const AS_GOOD: f64 = 1.05;
const SUBJECT: &str = "uwfq";

impl State {
    /// The worst served of all users under all ticked policies, the first of equals; `None` if everybody is served
    /// about as the ideal would, or while schedules are missing. Of a log, under its own scheduler as simulated;
    /// `None` if that is too far from what happened, or all is one user's.
    pub fn worst_served(&self) -> Option<PageVerdict> {
        if !self.is_settled() || self.drag.is_some() {
            return None;
        }
        // A simulation is compared with simulations only: with that of the log's own scheduler, if it is near the log.
        let log = self.document.log.as_deref();
        let error = self.replay_error();
        if (log.is_some() && error.is_none()) || error.is_some_and(|error| !error.is_tolerable()) {
            return None;
        }
        // Nobody who is alone waits for others.
        if log.is_some() && self.document.scenario.users().len() < 2 {
            return None;
        }
        let is_subject = |policy: PolicyId| log.is_none_or(|log| log.known.ran_with == policy);
        let of_each = self.current_analyses().filter(|(policy, _)| is_subject(*policy));
        let of_each = of_each.filter_map(|(policy, analysis)| {
            let worst = self.worst_served_under(analysis)?;
            Some(((policy, worst), worst.ratio?))
        });
        let ((policy, ScheduleVerdict { user, response, .. }), ratio) = verdict::worst_served(of_each)?;
        let response = response.unwrap_or_default();
        let worst = PageVerdict { policy, user, ratio, response, best: None, cause: None };
        let least = WORTH_A_SENTENCE.into_iter().find(|least| ratio >= *least)?;
        // A gain that is smaller than the simulation's error is none.
        let best = best(self, worst, least).filter(|&(_, least)| !self.is_noise(worst.response, least));
        let best = best.map(|(policy, response)| self.better(worst.policy, policy, response));
        // Not too much work for the cores, if another policy serves the user well.
        let is_cause = |cause: &Cause| best.is_none() || !matches!(cause, Cause::Overload(_));
        Some(PageVerdict { best, cause: self.cause(worst).filter(is_cause), ..worst })
    }

    /// Whom a schedule serves worst, as the headline and who waited for whom say it: the user with the greatest ratio
    /// to the ideal among those who wait long enough for others to notice, or else among all. `None` if nobody has one.
    pub fn worst_served_under(&self, analysis: &Analysis) -> Option<ScheduleVerdict> {
        // Of jobs that a log does not say whose they are, nobody waits.
        let is_nobody =
            |user: UserId| self.document.log.as_ref().is_some_and(|log| log.known.nobody.contains(&user));
        let verdicts = analysis.verdicts().into_iter().filter(|verdict| !is_nobody(verdict.user));
        let ratios: Vec<(ScheduleVerdict, f64)> =
            verdicts.filter_map(|verdict| Some((verdict, verdict.ratio?))).collect();
        let least = NOTICED * analysis.summary.mean_response.unwrap_or_default();
        let delay = |(verdict, ratio): &(ScheduleVerdict, f64)| {
            verdict.response.unwrap_or_default() * (1.0 - 1.0 / ratio.max(1.0))
        };
        let noticed = ratios.iter().copied().filter(|one| delay(one) >= least);
        verdict::worst_served(noticed).or_else(|| verdict::worst_served(ratios)).map(|(worst, _)| worst)
    }

    /// Whether a change of a response time, in seconds, is smaller than the simulation's error.
    fn is_noise(&self, from: f64, to: f64) -> bool {
        self.replay_error().is_some_and(|error| error.hides(from, to))
    }

    /// The users whose jobs take longer under a policy than under another one, those who lose most first.
    pub fn losers(&self, than: PolicyId, policy: PolicyId) -> Vec<Loser> {
        let analysis = |policy| self.runs.get(&policy).and_then(|run| run.analysis.as_ref());
        let Some((before, after)) = analysis(than).zip(analysis(policy)) else { return Vec::new() };
        let pairs = before.verdicts().into_iter().zip(after.verdicts());
        let losers = pairs.filter_map(|(before, after)| {
            let responses = [before.response?, after.response?];
            let [from, to] = responses;
            let loses = to > AS_GOOD * from && !self.is_noise(from, to);
            loses.then_some(Loser { user: before.user, responses })
        });
        let mut losers: Vec<Loser> = losers.collect();
        let lost = |loser: &Loser| loser.responses[1] / loser.responses[0];
        losers.sort_by(|one, other| lost(other).total_cmp(&lost(one)));
        losers
    }

    /// A policy that is better than another one for a user with that mean response time, and what it costs the others.
    fn better(&self, than: PolicyId, policy: PolicyId, response: f64) -> BetterPolicy {
        let analysis = |policy| self.runs.get(&policy).and_then(|run| run.analysis.as_ref());
        let (Some(before), Some(after)) = (analysis(than), analysis(policy)) else {
            return BetterPolicy { policy, response, loser: None, p95: None };
        };
        let losers = self.losers(than, policy);
        let p95 = before.summary.percentiles.zip(after.summary.percentiles);
        BetterPolicy {
            policy,
            response,
            loser: losers.first().map(|loser| (*loser, losers.len() - 1)),
            p95: p95.map(|(before, after)| [before.p95, after.p95]),
        }
    }

    fn cause(&self, PageVerdict { policy, user, .. }: PageVerdict) -> Option<Cause> {
        let analysis = self.runs.get(&policy)?.analysis.as_ref()?;
        let job = analysis.worst_job(user)?;
        Cause::of(analysis, job)
    }

    /// How far the simulation of a log's scenario under its own scheduler, which other policies are compared with, is
    /// from the log, or what the scenario says of it; `None` of a scenario that no log knows.
    pub fn replay_error(&self) -> Option<ReplayError> {
        match self.document.log.as_deref() {
            Some(log) => Some(log.known.simulation.as_ref()?.error),
            None => ReplayError::of_scenario(&self.document.scenario),
        }
    }
}

/// The policy under which the user of a verdict waits least, if that is worth a sentence; of equals UWFQ, and of those the
/// one whose panel is first. One that leaves a job of the user unfinished serves nobody well.
fn best(state: &State, worst: PageVerdict, least: f64) -> Option<(PolicyId, f64)> {
    let simulated = state.current_analyses().filter(|(policy, _)| *policy != OBSERVED);
    let served = simulated.filter_map(|(policy, analysis)| {
        let verdict = analysis.verdicts().into_iter().find(|verdict| verdict.user == worst.user)?;
        let ratio = verdict.ratio.filter(|_| verdict.unfinished.words().next().is_none())?;
        Some((policy, verdict.response?, ratio))
    });
    let is_better = |response: f64, ratio: f64| ratio * least <= worst.ratio && response < worst.response;
    let served: Vec<_> = served.filter(|(_, response, ratio)| is_better(*response, *ratio)).collect();
    let least = served.iter().map(|(.., ratio)| *ratio).fold(f64::INFINITY, f64::min);
    let best = served.iter().filter(|(.., ratio)| *ratio <= AS_GOOD * least);
    let best: Vec<(PolicyId, f64)> = best.map(|(policy, response, _)| (*policy, *response)).collect();
    let named = first_named(&state.panels(), best.iter().map(|(policy, _)| *policy))?;
    best.into_iter().find(|(policy, _)| *policy == named)
}

/// The policy to speak of among equals: UWFQ with either partitioning, else any, and of several the one whose panel is
/// first.
fn first_named(panels: &[PolicyId], equals: impl Iterator<Item = PolicyId>) -> Option<PolicyId> {
    let place = |policy: &PolicyId| panels.iter().position(|panel| panel == policy).unwrap_or(usize::MAX);
    equals.min_by_key(|policy| (policy.kind.info().id != SUBJECT, place(policy)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Document, DocumentAction};
    use crate::testing::{page, policy, recorded_log, settled};
    use fairlane::catalog;
    use fairlane_view::verdict::waiters;

    /// Whom the headline names is the first of those who waited, under its policy: in each scenario of the catalog and
    /// in a log, as opened and with all that was ticked.
    #[test]
    fn the_headline_names_the_first_of_who_waited_for_whom() {
        let catalog = catalog::ENTRIES.iter().filter(|entry| entry.scenario().jobs().len() <= 500);
        let log = State::new(Document::blank().into()).reduce(DocumentAction::Open(recorded_log().into()));
        let mut named = 0;
        for page in catalog.map(|entry| page(entry.name)).chain([log]) {
            let page = settled(page);
            let Some(verdict) = page.worst_served() else { continue };
            let analysis = page.runs[&verdict.policy].analysis.as_ref().expect("a schedule");
            let worst = page.worst_served_under(analysis).expect("somebody waits");
            assert_eq!((worst.user, worst.ratio), (verdict.user, Some(verdict.ratio)));
            let waiting = analysis.waiting();
            let is_short = waiting.rows.iter().any(|row| row.user == verdict.user);
            let first = waiters(&waiting, Some(worst.user)).first().map(|row| row.user);
            assert!(!is_short || first == Some(verdict.user), "{}: {verdict:?}", page.document.title());
            named += usize::from(is_short);
        }
        assert!(named >= 10, "{named}");
    }

    #[test]
    fn the_opening_scenario_names_who_is_treated_unfairly() {
        let page = page("paper-scenario-1");
        assert_eq!(page.worst_served(), None);
        let verdict = settled(page.clone()).worst_served().expect("somebody waits");
        let name = &page.document.scenario.users()[verdict.user.index()].name;
        assert!(["user3", "user4"].contains(&name.as_str()), "{verdict:?}");
        assert!(verdict.ratio > 2.0, "{verdict:?}");
        let best = verdict.best.expect("another policy is fairer");
        assert_eq!(
            (best.policy.to_string().as_str(), 2.0 * best.response < verdict.response),
            ("uwfq", true),
            "{verdict:?}"
        );
        assert!(verdict.cause.is_some(), "{verdict:?}");
        // Whoever had too much loses.
        let (loser, _) = best.loser.expect("a gain has its price");
        assert!(loser.user != verdict.user && loser.responses[0] < loser.responses[1], "{verdict:?}");
    }

    #[test]
    fn of_equals_uwfq_is_named_and_then_the_first_panel() {
        let named = |equals: &[&str], panels: &[&str]| {
            let panels: Vec<PolicyId> = panels.iter().map(|name| policy(name)).collect();
            let name = first_named(&panels, equals.iter().map(|name| policy(name)));
            name.map(|policy| policy.to_string())
        };
        let [fair, uwfq, cut] = ["fair", "uwfq", "uwfq-p"];
        assert_eq!(named(&[fair, uwfq, cut], &[fair, uwfq, cut]).as_deref(), Some(uwfq));
        assert_eq!(named(&[fair, uwfq, cut], &[cut, fair, uwfq]).as_deref(), Some(cut));
        assert_eq!(named(&["ujf", "cfq"], &[fair, "cfq", "ujf"]).as_deref(), Some("cfq"));
        assert_eq!(named(&[], &[fair]), None);
    }

    #[test]
    fn those_who_lose_most_come_first() {
        let state = settled(page("paper-scenario-1"));
        let verdict = state.worst_served().expect("somebody waits");
        let losers = state.losers(verdict.policy, verdict.best.expect("another policy is fairer").policy);
        let lost: Vec<f64> = losers.iter().map(|loser| loser.responses[1] / loser.responses[0]).collect();
        assert!(!lost.is_empty() && lost.is_sorted_by(|one, other| one >= other), "{lost:?}");
        assert_eq!(state.losers(verdict.policy, verdict.policy), []);
    }
}
