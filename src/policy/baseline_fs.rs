//! Baseline FS: equal sharing between jobs, the baseline of the Justice paper's evaluation.

use super::allocating::JobQueue;
use super::explain::{self, Contender, Explainer, Explanation, Part, Ranking, Value};
use super::log::Snapshot;
use super::{Actions, Admission, Candidate, Colour, Context, Group, Info, Launch, Policy, View};
use crate::ids::{Rank, StageId, StageIndex};

/// What readers should know of Baseline FS.
pub const INFO: Info = Info {
    id: "baseline-fs",
    title: "Baseline FS",
    summary: "The job with the fewest running tasks goes first; who submitted it does not matter.",
    key: "running tasks of the job, rank of arrival, running tasks of the stage, stage id",
    group: Group::Elasticity,
    colour: Colour { light: 0x7a_6a4f, dark: 0xc4_b08a },
    ..Info::DEFAULT
};

/// Equal sharing between jobs. Key: (running tasks of the job, rank of arrival, running tasks of the stage, stage id).
#[derive(Default)]
pub struct BaselineFs {
    queue: JobQueue,
}

impl BaselineFs {
    fn update_key(&mut self, stage: StageIndex, view: &View) {
        let job = view.stage(stage).job();
        self.queue.set_key(job, u64::from(self.queue.running(job)));
    }
}

impl Policy for BaselineFs {
    const INFO: &'static Info = &INFO;

    type Explainer = JobCounts;

    fn new(_: &Context) -> Self {
        BaselineFs::default()
    }

    fn job_arrived(&mut self, job: Rank, view: &View, _: &mut Actions) -> Admission {
        self.queue.insert(job, view);
        Admission::Start
    }

    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        self.queue.push(stage, view);
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        self.queue.task_launched(launch.stage, view);
        self.update_key(launch.stage, view);
    }

    fn task_ended(&mut self, launch: Launch, view: &View) {
        self.queue.task_ended(launch.stage, view);
        self.update_key(launch.stage, view);
    }

    fn job_ended(&mut self, job: Rank, view: &View, _: &mut Actions) {
        self.queue.remove(job, view);
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        self.queue.next_task(view)
    }
}

/// Explains keys that begin with the running tasks of the job.
pub struct JobCounts {
    /// Running tasks of the active jobs, by rank.
    running: Vec<u32>,
}

impl Ranking for JobCounts {
    type Key = (u32, Rank, u32, StageId);

    fn key(&self, stage: &Candidate) -> Self::Key {
        (self.running[stage.rank.index()], stage.rank, stage.running, stage.id)
    }
}

impl Explainer for JobCounts {
    fn at(context: &Context, snapshot: &Snapshot) -> Self {
        let mut running = vec![0; context.jobs()];
        for job in snapshot.active_jobs() {
            running[job.index()] = snapshot.jobs.running(job);
        }
        JobCounts { running }
    }

    fn explain(&self, stage: &Candidate) -> Explanation {
        let (running, rank, stage_running, id) = self.key(stage);
        let parts = vec![
            Part::new("running tasks of the job", Value::Tasks(running)),
            Part::new("rank of arrival", Value::Number(u64::from(rank.0))),
            Part::new("running tasks of the stage", Value::Tasks(stage_running)),
            Part::new("stage id", Value::Number(id.0)),
        ];
        Explanation { parts, ..Explanation::default() }
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        let (label, other) = (first.label, second.label);
        let counts = |part: usize| {
            [first, second].map(|stage| match stage.key.parts[part].value {
                Value::Tasks(count) => count,
                _ => 0,
            })
        };
        match first.key.decided_by(second.key) {
            Some(0) => {
                let [mine, theirs] = counts(0);
                let [mine_named, theirs_named] = [label, other].map(|label| format!("{label}'s job"));
                let counts = explain::fewer_running(&mine_named, mine, &theirs_named, theirs);
                format!("{counts}, so {label} goes first.")
            }
            _ => stages_of_equal_jobs(first, second, 1),
        }
    }
}

/// Why the first of two stages goes first where their jobs' keys are equal: rank of arrival, running tasks of the stage
/// and stage id are the parts from `part` on.
pub(super) fn stages_of_equal_jobs(first: &Contender, second: &Contender, part: usize) -> String {
    let (label, other) = (first.label, second.label);
    match first.key.decided_by(second.key) {
        Some(decisive) if decisive == part => {
            format!("The jobs of {label} and {other} are level and {label}'s arrived first, so it goes first.")
        }
        _ => {
            let stages = super::fair::reason_among_stages(first, second, part + 1);
            format!("Both are of one job: {stages}, so {label} goes first.")
        }
    }
}
