//! Priority inversion: a job waits although its key is smaller than that of a stage which holds a
//! core (docs/model.md section 5; the UWFQ paper's Figure 4). Tasks are never preempted, so a stage that
//! arrives late or is promoted waits for those who were there before.
//!
//! A `sweep` passes over the schedule once. It needs the jobs that wait on the wrong side of the largest
//! key on a core, and an `order` of the waiting jobs finds them without looking at all: `ranked` replays
//! the policy key by key; `chains` is for UWFQ, where one arrival moves the keys of all its user's jobs.

mod chains;
mod order;
mod ranked;
mod sweep;

use serde::{Deserialize, Serialize};

use crate::policy::{Context, KeyBasis, PolicyId, PolicyKind, RankedPolicy, RankedVisitor};
use crate::scenario::Scenario;
use crate::trace::{Journal, Trace, finish_order};
use crate::units::{Span, Time};
use chains::Chains;
use order::{Change, Order};
use ranked::{Ranked, Replayed};
use sweep::Sweep;

/// A time during which a job waits behind stages of larger keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inversion {
    /// When it begins.
    pub from: Time,
    /// When it ends.
    pub to: Time,
    /// The runs that hold a core meanwhile, all the time or for a part of it, though their stage's
    /// key is larger; ascending indices in the trace's task list.
    pub holders: Vec<u32>,
}

/// Inversion time of a job: the length of all its inversions.
pub fn inversion_time(inversions: &[Inversion]) -> Span {
    Span(inversions.iter().map(|inversion| inversion.to.since(inversion.from).0).sum())
}

/// Each job's inversions, by index in the file, in the order of time: when it has a pending task of
/// a submitted stage while some core runs a task whose stage's key is larger. `None` for policies
/// whose keys are counts of running tasks, where this means nothing.
///
/// One pass over the trace: O(log n) for each launch and finish, for each arrival and submission as
/// much for each stage of that user on a core, and for each holder that is found.
pub fn inversions(scenario: &Scenario, trace: &Trace, journal: &Journal) -> Option<Vec<Vec<Inversion>>> {
    inversions_of(scenario, trace, journal, &finish_order(trace))
}

/// [`inversions`] where the order in which the tasks finish is known.
pub(super) fn inversions_of(
    scenario: &Scenario,
    trace: &Trace,
    journal: &Journal,
    finish_order: &[u32],
) -> Option<Vec<Vec<Inversion>>> {
    let order = order(scenario, trace.policy, journal)?;
    Some(Sweep::new(scenario, trace, order).run(journal, finish_order))
}

/// The waiting jobs in the order of a policy's keys; none if its keys are no precedence.
fn order<'a>(scenario: &'a Scenario, policy: PolicyId, journal: &'a Journal) -> Option<Box<dyn Order + 'a>> {
    if policy.kind == PolicyKind::Uwfq {
        return Some(Box::new(Chains::new(scenario, &journal.log)));
    }
    policy.kind.visit_ranked(ReplayedOrder(&Context::new(scenario, policy.partitioning)))?
}

struct ReplayedOrder<'a>(&'a Context<'a>);

impl RankedVisitor for ReplayedOrder<'_> {
    type Output = Option<Box<dyn Order>>;

    fn visit<P: RankedPolicy + 'static>(self) -> Self::Output {
        let (number, change) = match P::BASIS {
            KeyBasis::Counts => return None,
            KeyBasis::Submission(number) => (number, Change::Never),
            KeyBasis::Precedence(number) => (number, Change::ByUser),
        };
        let keys = Box::new(Replayed { policy: P::new(self.0), number });
        Some(Box::new(Ranked::new(keys, change, self.0.weights.len(), self.0.jobs())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Control, simulate_with_journal};

    /// From, to (in tenths of a second) and the holders.
    type Plain = (u64, u64, Vec<u32>);

    fn found(jobs: &str, policy: &str) -> Option<Vec<Vec<Plain>>> {
        let file = format!(
            r#"{{ "format": "fairlane/scenario@1", "cluster": {{ "cores_per_executor": 1 }}, "jobs": [{jobs}] }}"#
        );
        let scenario = Scenario::from_json(&file).expect("a sound workload");
        let policy = policy.parse().expect("a policy");
        let (trace, journal) =
            simulate_with_journal(&scenario, policy, &mut |_| Control::Continue).expect("no stop");
        let all = inversions(&scenario, &trace, &journal)?;
        let plain = |found: Inversion| (found.from.0 / 100_000, found.to.0 / 100_000, found.holders);
        Some(all.into_iter().map(|list| list.into_iter().map(plain).collect()).collect())
    }

    /// CFQ: at 1 s V is 1, so the short job's deadline is 2 against 10 core-seconds; it waits for
    /// the long task until 10 s. In tenths of a second.
    #[test]
    fn a_short_job_waits_for_a_long_task() {
        let jobs = r#"{ "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [10] }] },
                      { "user": "ben", "arrival_s": 1, "stages": [{ "tasks_s": [1] }] }"#;
        assert_eq!(found(jobs, "cfq"), Some(vec![vec![], vec![(10, 100, vec![0])]]));
        assert_eq!(found(jobs, "uwfq"), Some(vec![vec![], vec![(10, 100, vec![0])]]));
        // Under FIFO the long job is due the core.
        assert_eq!(found(jobs, "fifo"), Some(vec![vec![], vec![]]));
        assert_eq!(found(jobs, "ujf"), None);
    }

    /// FIFO: when the first stage ends at 1 s, its core is offered before the second stage is
    /// submitted, so the later job takes it until 5 s.
    #[test]
    fn a_job_loses_its_core_between_its_stages() {
        let jobs = r#"{ "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [1] }, { "tasks_s": [1] }] },
                      { "user": "ben", "arrival_s": 0.5, "stages": [{ "tasks_s": [4] }] }"#;
        assert_eq!(found(jobs, "fifo"), Some(vec![vec![(10, 50, vec![1])], vec![]]));
    }
}
