//! Reactive FS: equal sharing between jobs, in which a job that has not ended at its deadline is dropped then. A baseline
//! of the Justice paper's evaluation.
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
use super::explain::{Contender, Part};
use super::parameters::DEADLINES;
use super::{Context, Group, Info, JobRankedPolicy, Outcomes};
use crate::ids::Rank;

/// What readers should know of Reactive FS.
pub const INFO: Info = Info {
    id: "reactive-fs",
    title: "Reactive FS",
    name: "Reactive Fair Share",
    source: "Justice paper",
    summary: "As Baseline FS, but a job that has not ended at its deadline is dropped then.",
    key: "running tasks of the job, rank of arrival, running tasks of the stage, stage id",
    group: Group::Deadlines,
    shared: &[DEADLINES],
    outcomes: Outcomes::Any,
    ..Info::DEFAULT
};

/// Equal sharing between jobs until their deadlines. Key: that of [`BaselineFs`].
pub struct ReactiveFs(BaselineFs);

impl JobRankedPolicy for ReactiveFs {
    const DROPS_LATE_JOBS: bool = true;

    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        ReactiveFs(BaselineFs::new(context))
    }

    fn key(&self, job: Rank, running: u32) -> u64 {
        self.0.key(job, running)
    }

    fn explain(&self, job: Rank, running: u32) -> (Part, Vec<Part>) {
        self.0.explain(job, running)
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        BaselineFs::reason(first, second)
    }
}
