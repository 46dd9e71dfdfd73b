//! What is read out once all schedules of a change are there, for those who do not see them.

use super::State;
use fairlane::ids::JobId;
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane_view::arrival;

/// A change whose result is to be read out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announcement {
    /// This job was moved, alone or with others.
    Moved(JobId),
    /// This policy was ticked.
    Ticked(PolicyId),
}

/// Most policies whose result for a job is read out.
const MAX_POLICIES: usize = 4;

impl State {
    /// Says what has come of the last change, once.
    pub(super) fn announce(&mut self) {
        if self.drag.is_some() || !self.is_settled() {
            return;
        }
        let words = match self.ui.announcement.take() {
            // Nothing of what is hidden.
            Some(_) if self.future().is_hidden() => None,
            Some(Announcement::Moved(job)) => self.response_words(job),
            Some(Announcement::Ticked(policy)) => self.mean_words(policy),
            None => None,
        };
        if let Some(words) = words {
            self.ui.said = words;
        }
    }

    /// When a job arrives, and how long it takes under the first policies.
    fn response_words(&self, job: JobId) -> Option<String> {
        let scenario = &self.document.scenario;
        scenario.jobs().get(job.index())?;
        let response = |policy: PolicyId| {
            let analysis = self.runs.get(&policy)?.analysis.as_ref()?;
            let run = analysis.trace.jobs.get(job.index())?;
            let response = match run.response() {
                Some(response) => format!("{} s", number::short(response.seconds())),
                None => run.outcome.name().to_owned(),
            };
            Some(format!("{response} under {}", policy.title()))
        };
        let responses: Vec<String> =
            self.panels().into_iter().take(MAX_POLICIES).filter_map(response).collect();
        Some(format!("{}; response time {}", arrival::sentence(scenario, job), number::list(&responses)))
    }

    /// A policy's mean response time, and its rank among the ticked ones.
    fn mean_words(&self, policy: PolicyId) -> Option<String> {
        let means: Vec<(PolicyId, f64)> = self
            .analyses()
            .filter_map(|(policy, analysis)| Some((policy, analysis.summary.mean_response?)))
            .collect();
        let mean = means.iter().find(|(other, _)| *other == policy)?.1;
        let rank = 1 + means.iter().filter(|(_, other)| *other < mean).count();
        let title = policy.title();
        Some(format!("{title}: mean response {} s, rank {rank} of {}", number::short(mean), means.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::codec::responses_here;
    use crate::store::{DocumentAction, PlaybackAction, RunAction, ViewAction};
    use crate::testing::{page, policy, settled};
    use fairlane::scenario::edit::{Edit, Shift};

    #[test]
    fn a_move_says_when_and_with_what_result_and_a_ticked_policy_its_mean_and_rank() {
        let page = page("two-users").reduce(ViewAction::Policies([policy("fair"), policy("uwfq")].into()));
        let page = settled(page);
        assert_eq!(page.ui.said, "", "nothing has happened");
        let edit = Edit::Move { jobs: vec![JobId(12)], by: Shift(1_000_000), lanes: 0 };
        let page = page.reduce(DocumentAction::Edit(edit));
        let title = page.ui.said.clone();
        let first = responses_here(&page.document.scenario, policy("fair"));
        let half = page.reduce(RunAction::Finished(page.revision, policy("fair"), Ok(first)));
        assert_eq!(half.ui.said, title, "not before all schedules are there");
        let page = settled(page);
        let arrival = number::instant(page.document.scenario.jobs()[12].arrival);
        assert!(page.ui.said.contains(&format!(" arrives at {arrival}; response time ")), "{}", page.ui.said);
        assert!(page.ui.said.contains(" under Fair and "), "{}", page.ui.said);
        let hidden = page.reduce(PlaybackAction::HideFuture(true)).reduce(ViewAction::Toggle(policy("cfq")));
        assert_eq!(settled(hidden).ui.said, page.ui.said, "nothing of what is hidden");
        let page = settled(page.reduce(ViewAction::Toggle(policy("fifo"))));
        assert!(page.ui.said.starts_with("FIFO: mean response "), "{}", page.ui.said);
        assert!(page.ui.said.ends_with(" s, rank 1 of 3"), "{}", page.ui.said);
    }
}
