//! FIFO: jobs in the order of arrival, as Spark's `FIFOSchedulingAlgorithm` (whose job ids follow
//! submission).
//!
//! ```
//! use fairlane::{catalog, simulate};
//! let scenario = catalog::find("two-users").expect("an entry").scenario();
//! let trace = simulate(&scenario, "fifo".parse()?);
//! // All jobs have one stage; those that arrived first are launched first.
//! assert!(trace.tasks.is_sorted_by_key(|run| run.job));
//! # Ok::<(), fairlane::policy::UnknownPolicy>(())
//! ```

use super::explain::{Contender, Key, KeyComponent, Value};
use super::{Context, Info, KeyBasis, Launch, Policy, PolicyGroup, RankedFrom, StageView, View};
use crate::ids::StageIndex;

/// What readers should know of FIFO.
pub const INFO: Info = Info {
    id: "fifo",
    title: "FIFO",
    name: "First in, first out",
    source: "Spark",
    summary: "The job that arrived first takes all the cores it can use.",
    key: "rank of arrival, stage id",
    group: PolicyGroup::Spark,
    look: 0,
    basis: KeyBasis::Precedence,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// First in, first out. Key: (rank of arrival, stage id).
#[derive(Clone, Debug)]
pub struct Fifo {
    /// The first waiting stage, unless it has no pending tasks any more.
    first: Option<StageIndex>,
}

impl Policy for Fifo {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(_: &Context) -> Self {
        Fifo { first: None }
    }

    fn stage_submitted(&mut self, stage: StageIndex, _: &View) {
        self.first = self.first.filter(|&first| first < stage);
    }

    fn task_launched(&mut self, _: Launch, _: &View) {}

    fn task_ended(&mut self, _: Launch, _: &View) {}

    fn counts_changed(&mut self, stage: StageIndex, _: &View) {
        self.first = self.first.filter(|&first| first < stage);
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        if view.models_memory() {
            let most = view.largest_free_memory()?;
            let stage = view.waiting().find(|stage| stage.memory() <= most)?.index();
            return Some(Launch { stage, core: view.lowest_fitting_core(stage)? });
        }
        let first = self.first.filter(|&first| view.stage(first).pending() > 0);
        // The view has the waiting stages in this order.
        self.first = first.or_else(|| Some(view.waiting().next()?.index()));
        Some(Launch { stage: self.first?, core: view.lowest_free_core()? })
    }

    fn key(&self, stage: StageView) -> Key {
        Key::by_stage(stage, [KeyComponent::new("rank of arrival", Value::Number(u64::from(stage.job().0)))])
    }

    fn reason(&self, first: &Contender, second: &Contender, _: usize) -> String {
        format!("{} arrived before {}, so it goes first.", first.label, second.label)
    }
}
