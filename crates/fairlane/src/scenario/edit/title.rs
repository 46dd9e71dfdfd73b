//! Names of edits, for the undo button and for screen readers, and the field that each one sets.

use super::{Edit, ObjectPath};
use crate::ids::JobId;
use crate::scenario::Scenario;
use crate::scenario::field::FieldKind;

impl Edit {
    /// What it does, as a button shows it: `move nightly`, `delete 3 jobs`. `before` is the scenario
    /// that is edited.
    pub fn title(&self, before: &Scenario) -> String {
        let job = |job: &JobId| match job.index() < before.jobs.len() {
            true => before.job_label(*job),
            false => "a job".to_owned(),
        };
        let some = |jobs: &[JobId]| match jobs {
            [one] => job(one),
            jobs => format!("{} jobs", jobs.len()),
        };
        let user = |user: &crate::ids::UserId| match before.users.get(user.index()) {
            Some(user) => user.name.clone(),
            None => "a user".to_owned(),
        };
        match self {
            Edit::Set { of, field, value } => {
                let of_what = match of {
                    ObjectPath::Scenario => "the scenario".to_owned(),
                    ObjectPath::User(id) | ObjectPath::Queue(id) => user(id),
                    ObjectPath::Job(id) | ObjectPath::Predecessor(id) | ObjectPath::Stage(id, _) => job(id),
                    ObjectPath::Policy(policy) => {
                        let words = field.strip_suffix("_s").unwrap_or(field).replace('_', " ");
                        return format!("change the {words} of {policy}");
                    }
                    ObjectPath::Cluster
                    | ObjectPath::DynamicAllocation
                    | ObjectPath::Loss(_)
                    | ObjectPath::Exclusion(_)
                    | ObjectPath::Speculation
                    | ObjectPath::Preemption
                    | ObjectPath::Partitioning => String::new(),
                };
                let noun = of
                    .field(field)
                    .map_or_else(|| field.to_string(), |field| field.title.to_ascii_lowercase());
                match (of, field.as_ref()) {
                    (ObjectPath::Stage(..), _) => format!("change a stage's {noun} of {of_what}"),
                    (_, "name") => format!("rename {of_what}"),
                    (_, "description") => format!("describe {of_what}"),
                    (ObjectPath::Job(_), "after") if value.is_null() => {
                        format!("let {of_what} arrive by itself")
                    }
                    (ObjectPath::Job(_), "after") | (ObjectPath::Predecessor(_), "job") => {
                        let before = value.get("job").unwrap_or(value).as_u64();
                        let before = before.and_then(|number| u32::try_from(number).ok()).map(JobId);
                        format!("let {of_what} wait for {}", job(&before.unwrap_or(JobId(u32::MAX))))
                    }
                    (ObjectPath::Predecessor(_), "batch") if *value == true => {
                        format!("make {of_what} a micro-batch")
                    }
                    (ObjectPath::Predecessor(_), "batch") => format!("make {of_what} no micro-batch"),
                    (_, "queue") if value.is_null() => format!("remove the queue of {of_what}"),
                    (_, "queue") => format!("make {of_what} a queue"),
                    (ObjectPath::Cluster, "dynamic_allocation" | "speculation" | "preemption")
                        if value.is_null() =>
                    {
                        format!("switch {noun} off")
                    }
                    (ObjectPath::Cluster, "dynamic_allocation" | "speculation" | "preemption") => {
                        format!("switch {noun} on")
                    }
                    (
                        ObjectPath::Cluster
                        | ObjectPath::DynamicAllocation
                        | ObjectPath::Loss(_)
                        | ObjectPath::Exclusion(_)
                        | ObjectPath::Speculation
                        | ObjectPath::Preemption
                        | ObjectPath::Partitioning,
                        _,
                    ) => {
                        let of_what = match of {
                            ObjectPath::DynamicAllocation => " of dynamic allocation",
                            ObjectPath::Loss(_) => " of a loss",
                            ObjectPath::Exclusion(_) => " of an exclusion",
                            ObjectPath::Speculation => " of speculation",
                            ObjectPath::Preemption => " of preemption",
                            _ => "",
                        };
                        format!("change the {noun}{of_what}")
                    }
                    _ => format!("change the {noun} of {of_what}"),
                }
            }
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
