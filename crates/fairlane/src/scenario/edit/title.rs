//! Names of edits, for the undo button and for screen readers, and the field that each one sets.

use serde_json::Value;

use super::{Edit, ObjectPath};
use crate::ids::{JobId, UserId};
use crate::scenario::Scenario;
use crate::scenario::field::FieldKind;

impl Edit {
    /// What it does, as a button shows it: `move nightly`, `delete 3 jobs`. `before` is the scenario
    /// that is edited.
    pub fn title(&self, before: &Scenario) -> String {
        let job = |job: &JobId| job_title(before, *job);
        let some = |jobs: &[JobId]| match jobs {
            [one] => job(one),
            jobs => format!("{} jobs", jobs.len()),
        };
        let user = |user: &UserId| user_title(before, *user);
        match self {
            Edit::Set { of, field, value } => set_title(before, of, field, value),
            Edit::AddUser { name, .. } => format!("add {name}"),
            Edit::ReorderUser { user: who, .. } => format!("reorder {}", user(who)),
            Edit::RemoveUser(who) => format!("remove {}", user(who)),
            Edit::Move { jobs, .. } => format!("move {}", some(jobs)),
            Edit::AddJob { kind, .. } => format!("add a {} job", kind.name()),
            Edit::Duplicate { jobs, .. } => format!("duplicate {}", some(jobs)),
            Edit::Delete { jobs } => format!("delete {}", some(jobs)),
            Edit::Curve { job: of, curve: None, .. } => {
                format!("remove the performance curve of {}", job(of))
            }
            Edit::Curve { job: of, .. } => format!("change the performance curve of {}", job(of)),
            Edit::AddStage(of) => format!("add a stage to {}", job(of)),
            Edit::RemoveStage(of, _) => format!("remove a stage of {}", job(of)),
            Edit::Slices(of, ..) => format!("change a stage's slices of {}", job(of)),
            Edit::Slice(of, ..) => format!("change a stage's skew of {}", job(of)),
            Edit::PerfectEstimates => "make all estimates perfect".to_owned(),
            Edit::Load(_) => "change the load".to_owned(),
            Edit::EstimateErrors { .. } => "make estimates err".to_owned(),
            Edit::Claim { user: who, .. } => format!("change what {} claims", user(who)),
            Edit::Several { title, .. } => title.to_string(),
        }
    }

    /// The field that the edit sets: consecutive edits of one field are one step to undo. `None` for
    /// edits that are never merged.
    pub fn field(&self) -> Option<String> {
        match self {
            Edit::Set { of, field, .. } => {
                let compound = of.field(field).is_none_or(|field| field.kind == FieldKind::Compound);
                (!compound).then(|| of.path_of(field))
            }
            Edit::Move { jobs, lanes: 0, .. } => Some(format!("arrival of {jobs:?}")),
            Edit::Curve { job, handle: Some(handle), .. } => {
                Some(format!("handle {handle} of the curve of job {}", job.0))
            }
            Edit::Slices(job, stage, _) => Some(format!("slices of stage {stage} of job {}", job.0)),
            Edit::Slice(job, stage, slice, _) => {
                Some(format!("slice {slice} of stage {stage} of job {}", job.0))
            }
            _ => None,
        }
    }
}

/// A job's name, also of one that does not exist.
fn job_title(before: &Scenario, job: JobId) -> String {
    match job.index() < before.jobs.len() {
        true => before.job_label(job),
        false => "a job".to_owned(),
    }
}

/// A user's name, also of one that does not exist.
fn user_title(before: &Scenario, user: UserId) -> String {
    before.users.get(user.index()).map_or_else(|| "a user".to_owned(), |user| user.name.clone())
}

/// What setting a field of an object does.
fn set_title(before: &Scenario, of: &ObjectPath, field: &str, value: &Value) -> String {
    let noun = of.field(field).map_or_else(|| field.to_owned(), |field| field.title.to_ascii_lowercase());
    let change = |what: &str| match field {
        "name" => format!("rename {what}"),
        "description" => format!("describe {what}"),
        _ => format!("change the {noun} of {what}"),
    };
    let is_removed = value.is_null();
    match of {
        ObjectPath::Scenario => change("the scenario"),
        ObjectPath::Cluster => match field {
            "dynamic_allocation" | "speculation" | "preemption" => {
                format!("switch {noun} {}", if is_removed { "off" } else { "on" })
            }
            _ => format!("change the {noun}"),
        },
        ObjectPath::DynamicAllocation => change("dynamic allocation"),
        ObjectPath::Loss(_) => change("a loss"),
        ObjectPath::Exclusion(_) => change("an exclusion"),
        ObjectPath::Speculation => change("speculation"),
        ObjectPath::Preemption => change("preemption"),
        ObjectPath::Partitioning => format!("change the {noun}"),
        ObjectPath::Policy(policy) => {
            format!("change the {} of {policy}", field.strip_suffix("_s").unwrap_or(field).replace('_', " "))
        }
        ObjectPath::User(user) | ObjectPath::Queue(user) => {
            let user = user_title(before, *user);
            match field {
                "queue" if is_removed => format!("remove the queue of {user}"),
                "queue" => format!("make {user} a queue"),
                _ => change(&user),
            }
        }
        ObjectPath::Job(id) => {
            let job = job_title(before, *id);
            match field {
                "after" if is_removed => format!("let {job} arrive by itself"),
                "after" => wait_title(before, &job, value.get("job").unwrap_or(value)),
                _ => change(&job),
            }
        }
        ObjectPath::Predecessor(id) => {
            let job = job_title(before, *id);
            match field {
                "job" => wait_title(before, &job, value),
                "batch" if *value == true => format!("make {job} a micro-batch"),
                "batch" => format!("make {job} no micro-batch"),
                _ => change(&job),
            }
        }
        ObjectPath::Stage(job, _) => format!("change a stage's {noun} of {}", job_title(before, *job)),
    }
}

/// What making a job wait for another one does, given by its number.
fn wait_title(before: &Scenario, job: &str, other: &Value) -> String {
    let other = other.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(u32::MAX);
    format!("let {job} wait for {}", job_title(before, JobId(other)))
}
