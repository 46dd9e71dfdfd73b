//! Baseline FS: equal sharing between jobs, the baseline of the Justice paper's evaluation.
//!
//! ```
//! use fairlane::{catalog, simulate};
//! let scenario = catalog::find("heavy-first").expect("an entry").scenario();
//! let [baseline_fs, fifo] = ["baseline-fs", "fifo"].map(|policy| simulate(&scenario, policy.parse().expect("a policy")));
//! // A small job behind twenty of a heavy user.
//! let job = scenario.jobs().len() - 1;
//! assert!(baseline_fs.jobs[job].response() < fifo.jobs[job].response());
//! ```

use super::explain::{self, Contender, Key, KeyComponent, Value};
use super::fair::reason_in_job;
use super::job_queue::JobQueue;
use super::{Context, Info, KeyOrder, Launch, Policy, PolicyGroup, RankedFrom, StageView, View};
use crate::ids::StageIndex;

/// What readers should know of Baseline FS.
pub const INFO: Info = Info {
    id: "baseline-fs",
    title: "Baseline FS",
    name: "Baseline Fair Share",
    source: "Justice paper",
    summary: "The job with the fewest running tasks goes first, whoever submitted it.",
    key: "running tasks of the job, rank of arrival, running tasks of the stage, stage id",
    group: PolicyGroup::Deadlines,
    look: 11,
    order: KeyOrder::EachLaunch,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// Equal sharing between jobs. Key: (running tasks of the job, rank of arrival, running tasks of the stage, stage id).
#[derive(Clone, Debug, Default)]
pub struct BaselineFs {
    queue: JobQueue,
}

impl Policy for BaselineFs {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(_: &Context) -> Self {
        BaselineFs::default()
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        let stage = view.stage(stage);
        self.queue.stage_changed(stage, stage.running());
        let job = stage.job_view();
        self.queue.update(job, u64::from(job.running()));
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        self.queue.next_task(view, |stage| stage.running())
    }

    fn key(&self, stage: StageView) -> Key {
        let running = KeyComponent::new("running tasks of the job", Value::Tasks(stage.job_view().running()));
        Key::of_job(
            stage,
            running,
            KeyComponent::new("running tasks of the stage", Value::Tasks(stage.running())),
        )
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        if part > 0 {
            return reason_in_job(first, second);
        }
        let [mine, theirs] =
            [first, second].map(|stage| (format!("{}'s job", stage.label), stage.key.tasks(0)));
        let counts = explain::fewer_running(&mine.0, mine.1, &theirs.0, theirs.1);
        format!("{counts}, so {} goes first.", first.label)
    }
}
