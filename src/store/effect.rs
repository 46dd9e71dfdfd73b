//! What the last change of the scenario did to its users: their mean response times before it and after it.

use std::collections::BTreeMap;

use super::{Document, State};
use crate::results::shared::Shared;
use fairlane::policy::{OBSERVED, PolicyId};

/// Two states of the page whose schedules were all there: as it is, and as it was before the last change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangeWatch {
    now: Option<PageFigures>,
    before: Option<PageFigures>,
    /// Whether the last change was an undo.
    undid: bool,
}

/// The figures of a page whose schedules were all there.
#[derive(Clone, Debug, PartialEq)]
struct PageFigures {
    document: Shared<Document>,
    lineage: u32,
    /// [`History::step`](super::history::History::step) at the time.
    step: u64,
    by_policy: BTreeMap<PolicyId, PolicyFigures>,
}

#[derive(Clone, Debug, PartialEq)]
struct PolicyFigures {
    by_user: Vec<Option<f64>>,
    p95: Option<f64>,
}

/// What the last change did.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeEffect {
    /// The change, as undo calls it.
    pub change: String,
    /// Whether it was undone.
    pub undone: bool,
    /// The policy under which it did most to one user; `None` if it did nothing to anybody.
    pub most: Option<PolicyEffect>,
    /// The next policies by how much it did to one user, each with that user.
    pub further: Vec<PolicyEffect>,
    /// Policies under which it did nothing to anybody.
    pub unmoved: Vec<PolicyId>,
    /// Whether only policies' parameters are other ones.
    pub is_of_parameters: bool,
}

/// What a change did under one policy. Response times are means, in seconds, before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyEffect {
    /// The policy.
    pub policy: PolicyId,
    /// The users whom it did most to, at most one whose jobs take less time now and one whose jobs take more, the
    /// larger change first.
    pub users: Vec<(String, [f64; 2])>,
    /// The 95th percentile of all response times.
    pub p95: Option<[f64; 2]>,
}

/// A change of a mean by a smaller factor than this is none.
const MIN_FACTOR: f64 = 1.005;
/// Most policies that are told besides the first.
const MAX_FURTHER: usize = 2;
/// Most users of a scenario whose changes are told.
const MAX_USERS: usize = 1000;

impl State {
    /// Notes what the page shows, once all of its schedules are there.
    pub(super) fn watch_change(&mut self, former: &State, is_undo: bool) {
        if self.document != former.document {
            self.watch.undid = is_undo;
        }
        if self.drag.is_some() || !self.is_settled() || self.document.scenario.users().len() > MAX_USERS {
            return;
        }
        let is_known = |now: &PageFigures| {
            let policies = self.current_analyses().map(|(policy, _)| policy);
            now.document == self.document && policies.eq(now.by_policy.keys().copied())
        };
        if self.watch.now.as_ref().is_some_and(is_known) {
            return;
        }
        let figures = self.figures();
        let former = self.watch.now.replace(figures);
        let is_new = |former: &PageFigures| {
            former.lineage == self.lineage
                && former.document != self.document
                && former.step != self.history.step()
        };
        match former {
            Some(former) if is_new(&former) => self.watch.before = Some(former),
            // Further letters of the same field, or another policy: the page before is still that before the change.
            Some(former) if former.lineage == self.lineage => {}
            _ => self.watch.before = None,
        }
    }

    fn figures(&self) -> PageFigures {
        let figures = self.current_analyses().map(|(policy, analysis)| {
            let summary = &analysis.summary;
            let p95 = summary.percentiles.map(|percentiles| percentiles.p95);
            (policy, PolicyFigures { by_user: summary.by_user.clone(), p95 })
        });
        PageFigures {
            document: self.document.clone(),
            lineage: self.lineage,
            step: self.history.step(),
            by_policy: figures.collect(),
        }
    }

    /// What the last change of the scenario did to its users; `None` before any change, while schedules are missing,
    /// and where nothing but words was changed.
    pub fn effect(&self) -> Option<ChangeEffect> {
        let ChangeWatch { now, before, undid } = &self.watch;
        let (now, before) = (now.as_ref()?, before.as_ref()?);
        if now.document != self.document || self.drag.is_some() || !self.is_settled() {
            return None;
        }
        let (scenario, former) = (&now.document.scenario, &before.document.scenario);
        let is_of_parameters = scenario.users() == former.users()
            && scenario.jobs() == former.jobs()
            && scenario.cluster() == former.cluster();
        if is_of_parameters && scenario.parameters() == former.parameters() {
            return None;
        }
        // Of a policy that was not there before nothing has changed.
        let is_new = |policy: &PolicyId| !before.by_policy.contains_key(policy);
        if is_of_parameters && now.by_policy.keys().any(is_new) {
            return None;
        }
        let title = if *undid { self.history.redo_title() } else { self.history.undo_title() };
        let both = now.by_policy.iter().filter(|(policy, _)| **policy != OBSERVED);
        let both = both.filter_map(|(&policy, after)| Some((policy, before.by_policy.get(&policy)?, after)));
        let (mut moved, mut unmoved): (Vec<(f64, PolicyEffect)>, _) = (Vec::new(), Vec::new());
        for (policy, former_figures, figures) in both {
            let users = changed_users(before, former_figures, now, figures);
            let Some(&(first, ..)) = users.first() else {
                unmoved.push(policy);
                continue;
            };
            let p95 = former_figures.p95.zip(figures.p95);
            let effect = PolicyEffect {
                policy,
                users: users.into_iter().map(|(_, name, means)| (name.to_owned(), means)).collect(),
                p95: p95.map(|(before, after)| [before, after]),
            };
            moved.push((first, effect));
        }
        // Of equals the first one.
        moved.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut moved = moved.into_iter().map(|(_, effect)| effect);
        let most = moved.next();
        let further = moved.take(MAX_FURTHER).map(|mut effect| {
            effect.users.truncate(1);
            effect
        });
        let further = further.collect();
        let has_policies = most.is_some() || !unmoved.is_empty();
        let (change, undone) = (title?.to_owned(), *undid);
        has_policies.then_some(ChangeEffect { change, undone, most, further, unmoved, is_of_parameters })
    }
}

/// Among the users that there are before and after, the one whose mean has fallen most and the one whose mean has risen
/// most, with the factor; the larger change first. Users are the same if they have the same name.
fn changed_users<'a>(
    before: &'a PageFigures,
    former: &PolicyFigures,
    now: &PageFigures,
    figures: &PolicyFigures,
) -> Vec<(f64, &'a str, [f64; 2])> {
    let named = |page: &PageFigures| -> BTreeMap<String, usize> {
        let users = page.document.scenario.users().iter().enumerate();
        users.map(|(index, user)| (user.name.clone(), index)).collect()
    };
    let after = named(now);
    let mean = |figures: &PolicyFigures, user: usize| {
        figures.by_user.get(user).copied().flatten().filter(|mean| *mean > 0.0)
    };
    let (mut fell, mut rose) = (None, None);
    for (index, user) in before.document.scenario.users().iter().enumerate() {
        let means = mean(former, index).zip(after.get(&user.name).and_then(|&user| mean(figures, user)));
        let Some((from, to)) = means else { continue };
        let (factor, most) = if to < from { (from / to, &mut fell) } else { (to / from, &mut rose) };
        let is_more = |(known, ..): &(f64, &str, [f64; 2])| factor > *known;
        if factor >= MIN_FACTOR && most.as_ref().is_none_or(is_more) {
            *most = Some((factor, user.name.as_str(), [from, to]));
        }
    }
    let mut users: Vec<_> = fell.into_iter().chain(rose).collect();
    users.sort_by(|one, other| other.0.total_cmp(&one.0));
    users
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{DocumentAction, ViewAction};
    use crate::testing::{page, policy, settled};
    use fairlane::ids::UserId;
    use fairlane::scenario::edit::{Edit, ObjectPath};

    fn edited(page: &State, edit: Edit) -> State {
        settled(page.reduce(DocumentAction::Edit(edit)))
    }

    #[test]
    fn a_change_is_told_against_the_page_before_it() {
        let opened = settled(page("priority-inversion"));
        assert_eq!(opened.effect(), None, "nothing has changed");
        let larger = edited(&opened, Edit::set(ObjectPath::Cluster, "executors", 4));
        let effect = larger.effect().expect("more cores help");
        let most = effect.most.expect("somebody");
        assert!(most.users.iter().all(|(_, [before, after])| after < before), "{most:?}");
        assert!(effect.change.contains("executors") && !effect.undone && !effect.is_of_parameters);
        // Each figure is the page's own.
        for (name, [before, after]) in &most.users {
            let mean = |page: &State| {
                let users = page.document.scenario.users();
                let user = users.iter().position(|user| user.name == *name).expect("a user");
                let analysis = page.runs[&most.policy].analysis.as_ref().expect("a schedule");
                analysis.summary.by_user[user]
            };
            assert_eq!((mean(&opened), mean(&larger)), (Some(*before), Some(*after)));
        }
        let undone = settled(larger.reduce(DocumentAction::Undo)).effect().expect("less cores harm");
        let back = undone.most.expect("somebody").users;
        assert!(undone.undone && back.iter().all(|(_, [before, after])| after > before), "{back:?}");
    }

    #[test]
    fn no_effect_is_told_too() {
        let opened = settled(page("priority-inversion"));
        let unticked = settled(opened.reduce(ViewAction::Policies([policy("fair")].into())));
        let edit = Edit::set(ObjectPath::Policy("uwfq".into()), "grace_s", 3.5);
        let effect = edited(&unticked, edit).effect().expect("a change");
        assert_eq!(
            (effect.most, effect.unmoved, effect.is_of_parameters),
            (None, vec![policy("fair")], true)
        );
        let named = Edit::set(ObjectPath::Scenario, "name", "Monday");
        assert_eq!(edited(&unticked, named).effect(), None, "words change no schedule");
    }

    #[test]
    fn a_drag_and_a_field_are_one_change_each() {
        let opened = settled(page("priority-inversion"));
        let weight = |page: &State, weight: u32| {
            edited(page, Edit::set(ObjectPath::User(UserId(0)), "weight", weight))
        };
        let typed = weight(&weight(&opened, 2), 20);
        let at_once = weight(&opened, 20);
        assert_eq!(typed.effect().map(|effect| effect.most), at_once.effect().map(|effect| effect.most));
        let other = settled(opened.reduce(DocumentAction::Open(
            Document::from_catalog(fairlane::catalog::find("skew").expect("an entry")).into(),
        )));
        assert_eq!(other.effect(), None, "another scenario is no change of this one");
    }
}
