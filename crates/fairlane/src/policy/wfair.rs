//! Weighted fair: each active job's target is a share of the cores in proportion to a power of its estimated work
//! (Decima, section 7.1: fair at alpha 0, naive weighted fair at 1, tuned near -1).
//!
//! ```
//! use fairlane::{catalog, simulate};
//! let scenario = catalog::find("heavy-first").expect("an entry").scenario();
//! let [wfair, fifo] = ["wfair", "fifo"].map(|policy| simulate(&scenario, policy.parse().expect("a policy")));
//! // A small job behind twenty of a heavy user.
//! let job = scenario.jobs().len() - 1;
//! assert!(wfair.jobs[job].response() < fifo.jobs[job].response());
//! ```

use super::explain::{Contender, Key, KeyComponent, NumberedFacts, Target, Value};
use super::fair::reason_in_job;
use super::targets::{PowerShares, furthest_below_target};
use super::{
    Actions, Admission, Context, EstimatesRead, Info, KeyOrder, Launch, OfferCause, Placement, Policy,
    PolicyGroup, RankedFrom, StageView, View,
};
use crate::ids::{Rank, StageIndex};
use crate::scenario::parameter::declared;

/// What readers should know of weighted fair.
pub const INFO: Info = Info {
    id: "wfair",
    title: "Weighted fair",
    source: "Decima paper",
    summary: "Jobs share the cores by a power of their estimated work.",
    key: "-(target - running tasks of the job), rank of arrival, running tasks of the stage, stage id",
    group: PolicyGroup::JobSizes,
    look: 7,
    parameters: declared::WFAIR.parameters,
    estimates: EstimatesRead::Jobs,
    order: KeyOrder::EachLaunch,
    placement: Placement::SameJob,
    targets: true,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// Sharing by a power of the estimated work. Key: (-(target - running tasks of the job), rank of arrival, running tasks
/// of the stage, stage id); a freed core goes first to the job that it served.
#[derive(Clone, Debug)]
pub struct Wfair(PowerShares);

impl Policy for Wfair {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        Wfair(PowerShares::new(context, context.number(&INFO, "alpha")))
    }

    fn job_arrived(&mut self, job: Rank, view: &View, _: &mut Actions) -> Admission {
        self.0.job_arrived(job, view);
        Admission::Start
    }

    fn job_ended(&mut self, job: Rank, _: &View, _: &mut Actions) {
        self.0.job_ended(job);
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        let stage = view.stage(stage);
        self.0.counts_changed(stage, stage.running());
    }

    fn offer_started(&mut self, cause: OfferCause, view: &View) {
        self.0.offer_started(cause, view);
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        self.0.next_task(view, |stage| stage.running())
    }

    fn key(&self, stage: StageView) -> Key {
        let running = KeyComponent::new("running tasks of the stage", Value::Tasks(stage.running()));
        Key::of_job(stage, self.0.part(stage.job_view()), running)
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        self.0.facts(stage.job_view()).into()
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        if part == 0 { furthest_below_target(first, second) } else { reason_in_job(first, second) }
    }

    fn target(&self, job: Rank, _: &View) -> Option<Target> {
        self.0.target(job)
    }
}
