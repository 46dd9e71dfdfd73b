//! Edits of single fields: the object is written as a file has it, the field replaced, and the object read again.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Edit, Edited, ObjectPath, exists, kept, stages};
use crate::ids::{JobId, UserId};
use crate::scenario::error::ensure;
use crate::scenario::field::{Field, FieldDefault, FieldKind};
use crate::scenario::file::cluster::{ClusterFile, DynamicAllocationFile, PartitioningFile};
use crate::scenario::file::jobs::{JobFile, PredecessorFile, StageFile};
use crate::scenario::file::places::{ExclusionFile, LossFile, PreemptionFile, SpeculationFile};
use crate::scenario::file::users::{QueueFile, UserFile};
use crate::scenario::json::{Object, parse};
use crate::scenario::parameter;
use crate::scenario::{InputForm, Job, Limits, Predecessor, Queue, Scenario, ScenarioError, Stage};
use crate::units::{MICROS_PER_SECOND, SlotTime, Span, micros_from_seconds};

pub(super) fn set(
    mut after: Scenario,
    of: &ObjectPath,
    name: &str,
    value: &Value,
) -> Result<Edited, ScenarioError> {
    after.check_object(of)?;
    let put = FieldValue { of, name, value };
    put.check_field()?;
    match *of {
        ObjectPath::Scenario => after.set_own(&put)?,
        ObjectPath::Cluster => after.set_cluster(&put)?,
        ObjectPath::DynamicAllocation => {
            let allocation = after.cluster.dynamic_allocation.get_or_insert_default();
            *allocation = put.on(&DynamicAllocationFile::from(&*allocation))?.allocation()?;
        }
        ObjectPath::Loss(index) => {
            let loss = &mut after.cluster.losses[index as usize];
            *loss = put.on(&LossFile::from(*loss))?.loss(index as usize)?;
        }
        ObjectPath::Exclusion(index) => {
            let exclusion = &mut after.cluster.exclusions[index as usize];
            *exclusion = put.on(&ExclusionFile::from(*exclusion))?.exclusion(of)?;
        }
        ObjectPath::Speculation => {
            let speculation = after.cluster.speculation.get_or_insert_default();
            *speculation = put.on(&SpeculationFile::from(&*speculation))?.speculation()?;
        }
        ObjectPath::Preemption => {
            let preemption = after.cluster.preemption.get_or_insert_default();
            *preemption = put.on(&PreemptionFile::from(&*preemption))?.preemption()?;
        }
        ObjectPath::Partitioning => {
            after.partitioning = put.on(&PartitioningFile::from(&after.partitioning))?.partitioning()?;
        }
        ObjectPath::Policy(ref policy) => {
            after.parameters = after.parameters.with(policy, name, value.clone())?;
        }
        ObjectPath::User(user) => {
            let user = &mut after.users[user.index()];
            *user = put.on(&UserFile::from(&*user))?.user(of)?;
        }
        ObjectPath::Queue(user) => {
            let queue = after.users[user.index()].queue.get_or_insert_default();
            *queue = put.on(&QueueFile::from(&*queue))?.queue(of)?;
        }
        ObjectPath::Job(job) => after.set_job(job, &put)?,
        ObjectPath::Predecessor(job) => after.set_predecessor(job, &put)?,
        ObjectPath::Stage(job, stage) => after.set_stage(job, stage, &put)?,
    }
    let edited = Edited::new(after);
    Ok(match *of {
        ObjectPath::User(user) | ObjectPath::Queue(user) => edited.about_user(user),
        ObjectPath::Job(job) | ObjectPath::Predecessor(job) | ObjectPath::Stage(job, _) => {
            edited.about_jobs(vec![job])
        }
        _ => edited,
    })
}

impl Scenario {
    fn set_own(&mut self, put: &FieldValue) -> Result<(), ScenarioError> {
        let text = || put.value.as_str().unwrap_or_default().to_owned();
        match put.name {
            "name" => self.name = text(),
            "description" => self.description = text(),
            "sessions" => self.sessions = put.read()?,
            "log_error" => self.log_error = put.read()?,
            _ => return Err(put.set_as_a_whole()),
        }
        Ok(())
    }

    fn set_cluster(&mut self, put: &FieldValue) -> Result<(), ScenarioError> {
        let mut cluster = put.on(&ClusterFile::from(&self.cluster))?;
        let sets_executors = put.name == "executors";
        if sets_executors {
            cluster.cap_executors();
        }
        self.cluster = cluster.cluster(&Limits::default())?;
        if sets_executors {
            forget_executors(self);
        }
        Ok(())
    }

    fn set_job(&mut self, job: JobId, put: &FieldValue) -> Result<(), ScenarioError> {
        if put.name == "stages" {
            return Err(put.set_as_a_whole());
        }
        let file = put.on(&JobFile::from_job(self, &self.jobs[job.index()]))?;
        let user = self.user_named(&file.user, || put.path())?;
        let job = &mut self.jobs[job.index()];
        let stages = std::mem::take(&mut job.stages);
        *job = file.job(user, put.of, |_| Ok(stages))?;
        Ok(())
    }

    fn set_predecessor(&mut self, job: JobId, put: &FieldValue) -> Result<(), ScenarioError> {
        let Some(before) = self.jobs[job.index()].after else {
            return Err(put.error("waits for no job; set the whole of after"));
        };
        let before = put.on(&PredecessorFile::from(before))?;
        self.jobs[job.index()].after = Some(before.predecessor(&ObjectPath::Job(job))?);
        Ok(())
    }

    fn set_stage(&mut self, job: JobId, index: u32, put: &FieldValue) -> Result<(), ScenarioError> {
        let cores = self.cluster.cores();
        stages::with_job(&mut self.jobs[job.index()], |stages| {
            let stage = &mut stages[index as usize];
            let is_work = put.name == "work_s" && *stage.input.form() == InputForm::Tasks;
            if let Some(seconds) = put.value.as_f64().filter(|_| is_work) {
                let work = micros_from_seconds(seconds).map_err(|error| put.error(error.to_string()))?;
                stages::refill(stage, stage.input.with_work(SlotTime(work), put.of)?);
            } else {
                let file = put.on(&StageFile::from_stage(index as usize, stage))?;
                *stage = file.stage(index as usize, put.of, cores)?;
            }
            Ok(())
        })
    }
}

/// Tasks no longer prefer executors that there are not any more, and stages no longer exclude them.
fn forget_executors(scenario: &mut Scenario) {
    let executors = scenario.cluster.executors;
    let is_gone = |executor: &u32| *executor >= executors;
    let is_affected = |stage: &Stage| {
        let excluded = stage.exclusions.iter().map(|exclusion| &exclusion.executor);
        stage.prefers.iter().flatten().chain(excluded).any(is_gone)
    };
    if scenario.jobs.iter().any(|job: &Job| job.stages.iter().any(is_affected)) {
        for stage in scenario.jobs.iter_mut().flat_map(|job| &mut job.stages) {
            stage.exclusions.retain(|exclusion| !is_gone(&exclusion.executor));
            stage.prefers.iter_mut().for_each(|entry| entry.retain(|executor| !is_gone(executor)));
        }
    }
}

impl Edit {
    /// A user becomes a queue, or is none any more.
    pub fn queue(user: UserId, queue: Option<&Queue>) -> Edit {
        Edit::set(ObjectPath::User(user), "queue", queue.map(|queue| json(&QueueFile::from(queue))))
    }

    /// A job waits for another one, or for none. One that has waited already keeps its think time and stays a
    /// micro-batch if it was one.
    pub fn wait_for(scenario: &Scenario, job: JobId, before: Option<JobId>) -> Edit {
        let kept = scenario.jobs().get(job.index()).and_then(|job| job.after);
        let Predecessor { think, batch, .. } =
            kept.unwrap_or(Predecessor { job, think: Span(0), batch: false });
        let after = before.map(|job| json(&PredecessorFile::from(Predecessor { job, think, batch })));
        Edit::set(ObjectPath::Job(job), "after", after)
    }
}

/// A value for a field of an object.
struct FieldValue<'a> {
    of: &'a ObjectPath,
    name: &'a str,
    value: &'a Value,
}

impl FieldValue<'_> {
    fn path(&self) -> String {
        self.of.path_of(self.name)
    }

    fn error(&self, message: impl Into<String>) -> ScenarioError {
        ScenarioError::at(self.path(), message)
    }

    fn set_as_a_whole(&self) -> ScenarioError {
        self.error("cannot be set as a whole; set one of its fields")
    }

    /// The object has the field, and a time is not too long; policies check their parameters themselves.
    fn check_field(&self) -> Result<(), ScenarioError> {
        if matches!(self.of, ObjectPath::Policy(_)) {
            return Ok(());
        }
        let field = self.of.field(self.name).filter(|field| field.kind != FieldKind::Former);
        let field = field.ok_or_else(|| self.error("is no field; correct its name"))?;
        if let Some(seconds) = self.value.as_f64().filter(|_| field.is_time()) {
            kept((seconds * MICROS_PER_SECOND) as u64, || self.path())?;
        }
        Ok(())
    }

    /// The value itself; the default if it is `null`.
    fn read<T: DeserializeOwned + Default>(&self) -> Result<T, ScenarioError> {
        let given: Option<T> = self.parse(self.value)?;
        Ok(given.unwrap_or_default())
    }

    /// The object with the value.
    fn on<T: Serialize + DeserializeOwned>(&self, object: &T) -> Result<T, ScenarioError> {
        let mut json = json(object);
        let fields = json.as_object_mut().expect("an object is one in JSON");
        match self.value {
            Value::Null => drop(fields.remove(self.name)),
            value => drop(fields.insert(self.name.to_owned(), value.clone())),
        }
        let Object(object) = self.parse(&json)?;
        Ok(object)
    }

    /// Reads a value as a file is read, from its text: the same code serves both.
    fn parse<T: DeserializeOwned>(&self, json: &Value) -> Result<T, ScenarioError> {
        parse(&json.to_string()).map_err(|ScenarioError { path, message, .. }| {
            ScenarioError::at(self.of.path_of(if path.is_empty() { self.name } else { &path }), message)
        })
    }
}

impl Scenario {
    fn check_object(&self, of: &ObjectPath) -> Result<(), ScenarioError> {
        match *of {
            ObjectPath::User(user) | ObjectPath::Queue(user) => self.check_user(user),
            ObjectPath::Loss(loss) => exists(loss, self.cluster.losses.len(), "cluster.losses", "loss"),
            ObjectPath::Exclusion(exclusion) => {
                exists(exclusion, self.cluster.exclusions.len(), "cluster.exclusions", "exclusion")
            }
            ObjectPath::Job(job) | ObjectPath::Predecessor(job) => self.check_job(job),
            ObjectPath::Stage(job, stage) => self.check_stage(job, stage),
            ObjectPath::Scenario
            | ObjectPath::Cluster
            | ObjectPath::DynamicAllocation
            | ObjectPath::Speculation
            | ObjectPath::Preemption
            | ObjectPath::Partitioning
            | ObjectPath::Policy(_) => Ok(()),
        }
    }

    fn user_named(&self, name: &str, path: impl Fn() -> String) -> Result<UserId, ScenarioError> {
        let user = self.users.iter().position(|user| user.name == name);
        ensure!(user.is_some(), path(), "there is no user \"{name}\"; add it or choose another");
        Ok(UserId(user.unwrap_or_default() as u32))
    }

    /// The value of a field of an object that exists, as a file would spell it: also one that a file leaves out, as
    /// far as it is known. `null` if nothing holds.
    pub fn value(&self, of: &ObjectPath, field: &Field) -> Value {
        let object = match *of {
            ObjectPath::Scenario => {
                return match field.name {
                    "name" => self.name.as_str().into(),
                    "sessions" => json(&self.sessions),
                    "log_error" => json(&self.log_error),
                    _ => self.description.as_str().into(),
                };
            }
            ObjectPath::Cluster => json(&ClusterFile::from(&self.cluster)),
            ObjectPath::DynamicAllocation => {
                json(&self.cluster.dynamic_allocation.as_ref().map(DynamicAllocationFile::from))
            }
            ObjectPath::Loss(loss) => {
                json(&self.cluster.losses.get(loss as usize).copied().map(LossFile::from))
            }
            ObjectPath::Exclusion(exclusion) => {
                json(&self.cluster.exclusions.get(exclusion as usize).cloned().map(ExclusionFile::from))
            }
            ObjectPath::Speculation => json(&self.cluster.speculation.as_ref().map(SpeculationFile::from)),
            ObjectPath::Preemption => json(&self.cluster.preemption.as_ref().map(PreemptionFile::from)),
            ObjectPath::Partitioning => json(&PartitioningFile::from(&self.partitioning)),
            ObjectPath::Policy(ref policy) => {
                let given = self.parameters.get(policy, field.name).cloned();
                return given.or_else(|| parameter::default(policy, field.name)).unwrap_or_default();
            }
            ObjectPath::User(user) => json(&UserFile::from(&self.users[user.index()])),
            ObjectPath::Queue(user) => match &self.users[user.index()].queue {
                Some(queue) if field.name == "within_s" => return queue.within.seconds().into(),
                queue => json(&queue.as_ref().map(QueueFile::from)),
            },
            ObjectPath::Job(job) => match &self.jobs[job.index()] {
                job if field.name == "estimate_s" => return job.estimate.seconds().into(),
                job => json(&JobFile::from_job(self, job)),
            },
            ObjectPath::Predecessor(job) => json(&self.jobs[job.index()].after.map(PredecessorFile::from)),
            ObjectPath::Stage(job, index) => {
                let stage = &self.jobs[job.index()].stages[index as usize];
                match field.name {
                    "estimate_s" => return stage.estimate.seconds().into(),
                    "work_s" => return stage.input.work().seconds().into(),
                    "parents" => return stage.parents.clone().into(),
                    _ => json(&StageFile::from_stage(index as usize, stage)),
                }
            }
        };
        match (object.get(field.name), field.default) {
            (Some(value), _) => value.clone(),
            (None, FieldDefault::Is(default)) => serde_json::from_str(default).unwrap_or_default(),
            (None, FieldDefault::Required | FieldDefault::Follows(_)) => Value::Null,
        }
    }
}

/// An object as a file has it.
pub(super) fn json(object: &impl Serialize) -> Value {
    let text = serde_json::to_string(object).expect("an object has only keys that are text");
    serde_json::from_str(&text).expect("what was written is JSON")
}
