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

use super::explain::{self, Contender, Key, KeyComponent, Value};
use super::queue::{CountQueue, TieOrder};
use super::{Context, Info, Launch, Policy, PolicyGroup, RankedFrom, StageView, View, by_key, tie};
use crate::ids::StageIndex;
use crate::scenario::FairTieBreak;

/// What readers should know of Fair.
pub const INFO: Info = Info {
    id: "fair",
    title: "Fair",
    source: "Spark",
    summary: "The stage with the fewest running tasks goes first, whoever submitted it.",
    key: "running tasks of the stage, tie",
    group: PolicyGroup::Spark,
    look: 1,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// Spark's fair sharing between stages. Key: (running tasks of the stage, tie).
#[derive(Clone, Debug)]
pub struct Fair {
    tie_break: FairTieBreak,
    order: TieOrder,
    /// The waiting stages by their positions in the order of ties.
    counts: CountQueue,
}

impl Policy for Fair {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        let order = TieOrder::new(context, 1, |_| 0);
        let counts = CountQueue::new(order.len_of(0));
        Fair { tie_break: context.scenario.cluster().fair_tie_break, order, counts }
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        let (_, position) = self.order.position(stage);
        self.counts.update(position, view.stage(stage));
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        if !view.has_simple_round() {
            return by_key(self, view);
        }
        let stage = self.order.stage(0, self.counts.first()?);
        Some(Launch { stage, core: view.lowest_free_core()? })
    }

    fn key(&self, stage: StageView) -> Key {
        Key::complete([
            KeyComponent::new("running tasks of the stage", Value::Tasks(stage.running())),
            KeyComponent::new("tie", tie(self.tie_break, stage.id())),
        ])
    }

    fn reason(&self, first: &Contender, second: &Contender, _: usize) -> String {
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

/// Why the first of two stages goes first whose jobs are the same or level: their arrival decides, which is part 1 of
/// the keys, or the running tasks, part 2.
pub(super) fn reason_in_job(first: &Contender, second: &Contender) -> String {
    let (label, other) = (first.label, second.label);
    match first.key.decided_by(second.key) {
        Some(1) => {
            format!(
                "The jobs of {label} and {other} are level and {label}'s arrived first, so it goes first."
            )
        }
        _ => {
            let stages = reason_among_stages(first, second, 2);
            format!("Both are of one job: {stages}, so {label} goes first.")
        }
    }
}
