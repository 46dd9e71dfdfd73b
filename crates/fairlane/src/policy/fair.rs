//! Fair: the stage with the fewest running tasks first, over all stages alike, as Spark's
//! `FairSchedulingAlgorithm` in a single pool without minimum share.
//!
//! ```
//! use fairlane::{PolicyKind, catalog, simulate};
//! let scenario = catalog::find("weights").expect("an entry").scenario();
//! let trace = simulate(&scenario, "fair".parse()?);
//! // Fair knows no weights: both users submit the same jobs at once and end together.
//! let end = |user| trace.jobs.iter().filter(|job| job.user.0 == user).map(|job| job.end()).max();
//! assert!(end(0).max(end(1)) == Some(trace.end()) && trace.policy.kind == PolicyKind::Fair);
//! # Ok::<(), fairlane::policy::UnknownPolicy>(())
//! ```

use super::explain::{self, Contender, Explainer, Explanation, Part, Ranking, Value};
use super::log::Snapshot;
use super::queue::{CountQueue, ReadyQueue, Slot, TieOrder};
use super::{Candidate, Context, Group, Info, KeyBasis, RankedPolicy, View, tie_value};
use crate::ids::{StageIndex, UserId};
use crate::scenario::FairTieBreak;

/// What readers should know of Fair.
pub const INFO: Info = Info {
    id: "fair",
    title: "Fair",
    source: "Spark",
    summary: "The stage with the fewest running tasks goes first, whoever submitted it.",
    key: "running tasks of the stage, tie",
    group: Group::Spark,
    ..Info::DEFAULT
};

/// Spark's fair sharing between stages. Key: (running tasks of the stage, tie).
#[derive(Debug)]
pub struct Fair {
    tie_break: FairTieBreak,
}

impl Ranking for Fair {
    type Key = (u32, u64);

    fn key(&self, stage: &Candidate) -> Self::Key {
        (stage.running, stage.tie)
    }
}

impl RankedPolicy for Fair {
    const BASIS: KeyBasis<Self::Key> = KeyBasis::Counts;

    type Queue = StageCounts;
    type Reference = Self;

    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        Fair { tie_break: context.scenario.cluster().fair_tie_break }
    }
}

/// All waiting stages by (running tasks of the stage, tie).
pub struct StageCounts {
    order: TieOrder,
    counts: CountQueue,
}

impl ReadyQueue<Fair> for StageCounts {
    fn new(context: &Context) -> Self {
        let order = TieOrder::new(context, 1, |_| 0);
        StageCounts { counts: CountQueue::new(order.len_of(0)), order }
    }

    fn push(&mut self, _: &mut Fair, stage: StageIndex, candidate: &Candidate) -> Slot {
        let (_, position) = self.order.position(stage);
        self.counts.set(position, candidate.running);
        Slot(position)
    }

    fn first(&mut self, _: &Fair) -> Option<StageIndex> {
        self.counts.first().map(|position| self.order.stage(0, position))
    }

    fn remove(&mut self, _: &mut Fair, slot: Slot, _: &Candidate) {
        self.counts.remove(slot.0);
    }

    fn update(&mut self, slot: Option<Slot>, _: UserId, running: u32, _: &View) {
        if let Some(slot) = slot {
            self.counts.set(slot.0, running);
        }
    }
}

impl Explainer for Fair {
    fn at(context: &Context, _: &Snapshot) -> Self {
        Fair::new(context)
    }

    fn explain(&self, stage: &Candidate) -> Explanation {
        let parts = vec![
            Part::new("running tasks of the stage", Value::Tasks(stage.running)),
            Part::new("tie", tie_value(self.tie_break, stage.id)),
        ];
        Explanation { parts, ..Explanation::default() }
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        format!("{}, so {} goes first.", reason_among_stages(first, second, 0), first.label)
    }
}

/// Why the first of two stages goes first when running tasks and then the tie decide, with the
/// running tasks as part number `part` of the key.
pub(super) fn reason_among_stages(first: &Contender, second: &Contender, part: usize) -> String {
    let [mine, theirs] = [first, second].map(|stage| stage.key.tasks(part));
    if mine == theirs {
        let tie = explain::tie_reason(first, second, part + 1);
        format!("{} and {} have {} each and {tie}", first.label, second.label, explain::running(mine))
    } else {
        explain::fewer_running(first.label, mine, second.label, theirs)
    }
}
