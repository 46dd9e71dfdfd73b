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

use super::explain::{self, Contender, Part, Value};
use super::{Context, Group, Info, JobRankedPolicy};
use crate::ids::Rank;

/// What readers should know of Baseline FS.
pub const INFO: Info = Info {
    id: "baseline-fs",
    title: "Baseline FS",
    name: "Baseline Fair Share",
    source: "Justice paper",
    summary: "The job with the fewest running tasks goes first, whoever submitted it.",
    key: "running tasks of the job, rank of arrival, running tasks of the stage, stage id",
    group: Group::Deadlines,
    ..Info::DEFAULT
};

/// Equal sharing between jobs. Key: (running tasks of the job, rank of arrival, running tasks of the stage, stage id).
pub struct BaselineFs;

impl JobRankedPolicy for BaselineFs {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(_: &Context) -> Self {
        BaselineFs
    }

    fn key(&self, _: Rank, running: u32) -> u64 {
        u64::from(running)
    }

    fn explain(&self, _: Rank, running: u32) -> (Part, Vec<Part>) {
        (Part::new("running tasks of the job", Value::Tasks(running)), Vec::new())
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        let [mine, theirs] =
            [first, second].map(|stage| (format!("{}'s job", stage.label), stage.key.tasks(0)));
        let counts = explain::fewer_running(&mine.0, mine.1, &theirs.0, theirs.1);
        format!("{counts}, so {} goes first.", first.label)
    }
}
