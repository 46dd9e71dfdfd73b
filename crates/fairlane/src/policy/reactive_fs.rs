//! Reactive FS: equal sharing between jobs, in which a job that has not ended at its deadline is dropped then. A
//! baseline of the Justice paper's evaluation.
//!
//! ```
//! use fairlane::trace::Outcome;
//! use fairlane::units::Time;
//! use fairlane::{Scenario, simulate};
//! // Four core-seconds of work on a core, due after three.
//! let scenario = Scenario::from_json(r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 1 },
//!     "jobs": [{ "user": "ana", "arrival_s": 0, "deadline_s": 3, "stages": [{ "tasks_s": [2, 2] }] }] }"#)?;
//! let trace = simulate(&scenario, "reactive-fs".parse()?);
//! assert_eq!(trace.jobs[0].outcome, Outcome::Dropped(Time(3_000_000)));
//! assert_eq!(trace.killed, [1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::baseline_fs::BaselineFs;
use super::explain::{Contender, Key};
use super::{
    Actions, Admission, Context, Info, JobPhase, KeyOrder, Launch, Outcomes, Policy, PolicyGroup, RankedFrom,
    StageView, View,
};
use crate::ids::{Rank, StageIndex};
use crate::scenario::parameter::declared;

/// What readers should know of Reactive FS.
pub const INFO: Info = Info {
    id: "reactive-fs",
    title: "Reactive FS",
    name: "Reactive Fair Share",
    source: "Justice paper",
    summary: "As Baseline FS, but a job that has not ended at its deadline is dropped then.",
    key: "running tasks of the job, rank of arrival, running tasks of the stage, stage id",
    group: PolicyGroup::Deadlines,
    look: 12,
    shared: &[declared::DEADLINES],
    outcomes: Outcomes::Any,
    order: KeyOrder::EachLaunch,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// Equal sharing between jobs until their deadlines. Key: that of [`BaselineFs`].
#[derive(Clone, Debug)]
pub struct ReactiveFs(BaselineFs);

impl Policy for ReactiveFs {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        ReactiveFs(BaselineFs::new(context))
    }

    fn job_arrived(&mut self, job: Rank, view: &View, actions: &mut Actions) -> Admission {
        let deadline = view.job(job).arrival() + view.deadline(job);
        // The driver may have handled the arrival only later.
        actions.wake(deadline.max(view.now()), job.0);
        Admission::Start
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        self.0.counts_changed(stage, view);
    }

    /// The deadline of a job.
    fn woken(&mut self, job: u32, view: &View, actions: &mut Actions) {
        if view.job(Rank(job)).phase() == JobPhase::Started {
            actions.drop(Rank(job));
        }
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        self.0.next_task(view)
    }

    fn key(&self, stage: StageView) -> Key {
        self.0.key(stage)
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        self.0.reason(first, second, part)
    }
}
