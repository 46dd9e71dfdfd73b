//! Names of edits, for the undo button and for screen readers, and the field that each one sets.

use super::{ClusterEdit, Edit, JobEdit, PartitioningEdit, StageEdit, UserEdit};
use crate::ids::{JobId, UserId};
use crate::scenario::Scenario;

impl Edit {
    /// What it does, as a button shows it: `move nightly`, `delete 3 jobs`. `before` is the scenario
    /// that is edited.
    pub fn title(&self, before: &Scenario) -> String {
        let some = |jobs: &[JobId]| match jobs {
            [job] => label(before, *job),
            jobs => format!("{} jobs", jobs.len()),
        };
        let user = |user: &UserId| match before.users.get(user.index()) {
            Some(user) => user.name.clone(),
            None => "a user".to_owned(),
        };
        match self {
            Edit::Name(_) => "rename the scenario".to_owned(),
            Edit::Description(_) => "describe the scenario".to_owned(),
            Edit::Cluster(edit) => format!("change {}", edit.noun()),
            Edit::Partitioning(edit) => format!("change {}", edit.noun()),
            Edit::Parameter { policy, name, .. } => format!("change {policy}.{name}"),
            Edit::User(who, UserEdit::Name(_)) => format!("rename {}", user(who)),
            Edit::User(who, UserEdit::Weight(_)) => format!("change the weight of {}", user(who)),
            Edit::AddUser { name, .. } => format!("add {name}"),
            Edit::ReorderUser { user: who, .. } => format!("reorder {}", user(who)),
            Edit::RemoveUser(who) => format!("remove {}", user(who)),
            Edit::Move { jobs, .. } => format!("move {}", some(jobs)),
            Edit::Job(job, JobEdit::Name(_)) => format!("rename {}", label(before, *job)),
            Edit::Job(job, edit) => format!("change {} of {}", edit.noun(), label(before, *job)),
            Edit::AddJob { kind, .. } => format!("add a {} job", kind.name()),
            Edit::Duplicate { jobs, .. } => format!("duplicate {}", some(jobs)),
            Edit::Delete { jobs } => format!("delete {}", some(jobs)),
            Edit::Stage(job, _, edit) => format!("change {} of {}", edit.noun(), label(before, *job)),
            Edit::AddStage(job) => format!("add a stage to {}", label(before, *job)),
            Edit::RemoveStage(job, _) => format!("remove a stage of {}", label(before, *job)),
            Edit::PerfectEstimates => "make all estimates perfect".to_owned(),
            Edit::Replace(replacement) => replacement.title(),
        }
    }

    /// The field that the edit sets: consecutive edits of one field are one step to undo. `None` for
    /// edits that are never merged.
    pub fn field(&self) -> Option<String> {
        match self {
            Edit::Name(_) => Some("name".to_owned()),
            Edit::Description(_) => Some("description".to_owned()),
            Edit::Cluster(edit) => Some(edit.noun().to_owned()),
            Edit::Partitioning(edit) => Some(edit.noun().to_owned()),
            Edit::Parameter { policy, name, .. } => Some(format!("{policy}.{name}")),
            Edit::User(user, UserEdit::Name(_)) => Some(format!("name of user {}", user.0)),
            Edit::User(user, UserEdit::Weight(_)) => Some(format!("weight of user {}", user.0)),
            Edit::Move { jobs, lanes: 0, .. } => Some(format!("arrival of {jobs:?}")),
            Edit::Job(job, edit) => Some(format!("{} of job {}", edit.noun(), job.0)),
            Edit::Stage(job, stage, StageEdit::Slice(slice, _)) => {
                Some(format!("slice {slice} of stage {stage} of job {}", job.0))
            }
            Edit::Stage(job, stage, edit) => {
                Some(format!("{} of stage {stage} of job {}", edit.noun(), job.0))
            }
            Edit::Replace(replacement) => replacement.field(),
            _ => None,
        }
    }
}

fn label(before: &Scenario, job: JobId) -> String {
    if job.index() < before.jobs.len() { before.job_label(job) } else { "a job".to_owned() }
}

impl ClusterEdit {
    fn noun(&self) -> &'static str {
        match self {
            ClusterEdit::Executors(_) => "the number of executors",
            ClusterEdit::CoresPerExecutor(_) => "the cores per executor",
            ClusterEdit::TaskOverhead(_) => "the task overhead",
            ClusterEdit::StageDelay(_) => "the stage delay",
            ClusterEdit::DriverJob(_) => "the driver's time for a job",
            ClusterEdit::DriverStage(_) => "the driver's time for a stage",
            ClusterEdit::DriverTask(_) => "the driver's time for a task's end",
            ClusterEdit::FairTieBreak(_) => "the tie rule",
            ClusterEdit::FirstStageId(_) => "the first stage id",
        }
    }
}

impl PartitioningEdit {
    fn noun(&self) -> &'static str {
        match self {
            PartitioningEdit::AdvisoryTaskRuntime(_) => "the advisory task runtime",
            PartitioningEdit::MinPartitions(_) => "the least partitions",
        }
    }
}

impl JobEdit {
    fn noun(&self) -> &'static str {
        match self {
            JobEdit::Name(_) => "the name",
            JobEdit::Group(_) => "the group",
            JobEdit::User(_) => "the user",
            JobEdit::Arrival(_) => "the arrival",
            JobEdit::Estimate(_) => "the estimate",
        }
    }
}

impl StageEdit {
    fn noun(&self) -> &'static str {
        match self {
            StageEdit::Name(_) => "a stage's name",
            StageEdit::Parents(_) => "a stage's parents",
            StageEdit::Work(_) => "a stage's work",
            StageEdit::Partitions(_) => "a stage's partitions",
            StageEdit::Splittable(_) => "a stage's partitioning",
            StageEdit::Estimate(_) => "a stage's estimate",
            StageEdit::Slices(_) => "a stage's slices",
            StageEdit::Slice(..) => "a stage's skew",
        }
    }
}
