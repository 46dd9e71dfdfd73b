//! Jobs and stages in a file.

use std::fmt::Display;

use super::cluster::{is_no, is_zero};
use super::places::{ExclusionFile, exclusions};
use crate::ids::{JobId, UserId};
use crate::scenario::check;
use crate::scenario::error::micros;
use crate::scenario::field::{Field, FieldKind, object};
use crate::scenario::json::{Object, given};
use crate::scenario::{
    DEFAULT_POOL, Input, InputForm, Job, PerformanceCurve, Predecessor, Scenario, ScenarioError, Stage,
};
use crate::units::{MICROS_PER_SECOND, SlotTime, Span, Time};

object! {
    /// A job: a graph of stages.
    #[serde(deny_unknown_fields)]
    pub(crate) JobFile, JOB;

    /// Who submits it.
    user: String = Field::text("User");
    /// Shown in the lanes and tables.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String = Field::text("Name").follows("none");
    /// Jobs of one user with the same group can be measured as one (fairlane compare --by group).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    group: String = Field::text("Group").follows("none");
    /// The pool of Spark's fair scheduler (spark.scheduler.pool).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pool: String = Field::text("Pool").follows("default");
    /// When it is submitted.
    arrival_s: f64 = Field::seconds("Arrival");
    /// The job whose end its user waits for, unless sessions are open.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[tsify(type = "PredecessorFile")]
    after: Option<Object<PredecessorFile>> = Field::new(FieldKind::Compound, "After").follows("none");
    /// The work that policies assume for the whole job.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    estimate_s: Option<f64> = Field::number("Estimate", "core-s").follows("the sum of its stages' estimates");
    /// How many times as fast a task is on a core whose last task was of this job; at least 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    warm_factor: f64 = Field::number("Warm factor", "×").or("1").within(check::WARM_FACTOR);
    /// How long after its arrival it is due.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    deadline_s: Option<f64> = Field::seconds("Deadline").follows("the deadline factor times its response alone");
    /// From the end of its last stage to its own: the driver commits, or collects the answer.
    #[serde(default, skip_serializing_if = "is_zero")]
    finish_delay_s: f64 = Field::seconds("Finish delay").or("0");
    /// How long after its arrival it is cancelled if it has not ended.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    cancel_s: Option<f64> = Field::seconds("Cancelled after").follows("never");
    /// Whether its running tasks end with it when it is cancelled.
    #[serde(default, skip_serializing_if = "is_no")]
    interrupt: bool = Field::new(FieldKind::Flag, "Interrupt").or("false");
    /// Progress by number of slots: the coefficients of Ernest's model.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    ernest: Option<[f64; 4]> = Field::new(FieldKind::Compound, "Performance curve").follows("none");
    /// Progress by number of slots: points of a curve.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    curve: Option<Vec<(u32, f64)>> = Field::new(FieldKind::Compound, "Performance curve").follows("none");
    /// What it is made of.
    #[tsify(type = "StageFile[]")]
    stages: Vec<Object<StageFile>> = Field::new(FieldKind::Compound, "Stages");
}

object! {
    /// The job that another one waits for.
    #[serde(deny_unknown_fields)]
    pub(crate) PredecessorFile, PREDECESSOR;

    /// Its number in the list of jobs, from 0 on.
    job: u32 = Field::whole("Job", "");
    /// From its end to the arrival of the job that waits.
    #[serde(default, skip_serializing_if = "is_zero")]
    think_s: f64 = Field::seconds("Think time").or("0");
    /// A micro-batch: it arrives when it is due, or once the batches before it have ended.
    #[serde(default, skip_serializing_if = "is_no")]
    batch: bool = Field::new(FieldKind::Flag, "Micro-batch").or("false");
}

object! {
    /// Tasks that can run side by side once all parent stages have ended. Either `tasks_s` or `work_s` is required.
    #[serde(deny_unknown_fields)]
    pub(crate) StageFile, STAGE;

    /// Shown in tooltips and tables.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String = Field::text("Name").follows("none");
    /// Numbers of the stages that must end first, such as 0, 1.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    parents: Option<Vec<u32>> = Field::new(FieldKind::Stages, "Waits for").follows("the stage before");
    /// Lengths of the tasks; or `work_s`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    tasks_s: Option<Vec<f64>> = Field::new(FieldKind::Compound, "Tasks");
    /// Time that it takes on a single core.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    work_s: Option<f64> = Field::number("Work", "core-s");
    /// How `work_s` is spread over the input: weights of equal slices.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    profile: Option<Vec<f64>> = Field::new(FieldKind::Compound, "Profile").or("[1]");
    /// Default number of tasks.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    partitions: Option<u32> = Field::count("Tasks").follows("the length of tasks_s, or the cores");
    /// Runtime partitioning may change the number of tasks; never that of a barrier stage.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    splittable: Option<bool> = Field::new(FieldKind::Flag, "Splittable").or("true");
    /// The work that policies and runtime partitioning assume for the stage.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    estimate_s: Option<f64> = Field::number("Estimate", "core-s").follows("the true work");
    /// How many times as long a task takes on a core whose last task was not of this stage.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    first_wave: f64 = Field::number("First wave", "×").or("1").within(check::FACTOR);
    /// Pairs of a number n and a factor on a task that starts as the n-th running task of the stage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    inflation: Vec<(u32, f64)> = Field::new(FieldKind::Compound, "Inflation").follows("none");
    /// Which of its job's Spark jobs it belongs to: an SQL query runs several.
    #[serde(default, skip_serializing_if = "is_first")]
    spark_job: u32 = Field::whole("Spark job", "").or("0");
    /// From the end of its last parent, or the job's start, on.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    delay_s: Option<f64> = Field::seconds("Delay").follows("the cluster's, or 0 without parents");
    /// Memory that each task holds with its core.
    #[serde(default, skip_serializing_if = "is_none")]
    memory_mb: u64 = Field::whole("Memory", "MB").or("0");
    /// The pool of its Spark job (spark.scheduler.pool).
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pool: Option<String> = Field::text("Pool").follows("the job's");
    /// Its tasks start together or not at all (barrier execution).
    #[serde(default, skip_serializing_if = "is_no")]
    barrier: bool = Field::new(FieldKind::Flag, "Barrier").or("false");
    /// Lists of the executors that hold its input, spread over it as slices are: [[0], [1, 2]].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    prefers: Vec<Vec<u32>> = Field::new(FieldKind::Compound, "Prefers").follows("none");
    /// How many times as long a task takes on an executor that it does not prefer.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    away: f64 = Field::number("Away", "×").or("1").within(check::FACTOR);
    /// Only executors of this resource profile take its tasks (cluster.resource_profiles).
    #[serde(default, skip_serializing_if = "is_first")]
    resource_profile: u32 = Field::whole("Resource profile", "").or("0");
    /// Executors that take no more tasks of it, for ever or a while (excludeOnFailure).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[tsify(type = "ExclusionFile[]")]
    exclusions: Vec<Object<ExclusionFile>> = Field::new(FieldKind::Compound, "Exclusions").follows("none");
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_none(value: &u64) -> bool {
    *value == 0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_first(value: &u32) -> bool {
    *value == 0
}

fn one() -> f64 {
    1.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_one(value: &f64) -> bool {
    *value == 1.0
}

impl PredecessorFile {
    /// The job that the job at `job` waits for.
    pub(crate) fn predecessor(self, job: &dyn Display) -> Result<Predecessor, ScenarioError> {
        let think = micros(self.think_s, || format!("{job}.after.think_s"))?;
        Ok(Predecessor { job: JobId(self.job), think: Span(think), batch: self.batch })
    }
}

impl From<Predecessor> for PredecessorFile {
    fn from(before: Predecessor) -> Self {
        PredecessorFile { job: before.job.0, think_s: before.think.seconds(), batch: before.batch }
    }
}

impl JobFile {
    /// The job of a user; `path` is its own, `stages` reads its stages.
    pub(crate) fn job(
        self,
        user: UserId,
        path: &dyn Display,
        stages: impl FnOnce(Vec<Object<StageFile>>) -> Result<Vec<Stage>, ScenarioError>,
    ) -> Result<Job, ScenarioError> {
        let arrival = Time(micros(self.arrival_s, || format!("{path}.arrival_s"))?);
        let stages = stages(self.stages)?;
        let curve = match (self.ernest, self.curve) {
            (Some(_), Some(_)) => {
                return Err(ScenarioError::at(
                    path.to_string(),
                    "has both ernest and curve; keep one of them",
                ));
            }
            (Some(coefficients), None) => Some(PerformanceCurve::Ernest(coefficients)),
            (None, points) => points.map(PerformanceCurve::Points),
        };
        let after = self.after.map(|Object(before)| before.predecessor(path));
        let deadline = self.deadline_s.map(|seconds| micros(seconds, || format!("{path}.deadline_s")));
        let finish_delay = Span(micros(self.finish_delay_s, || format!("{path}.finish_delay_s"))?);
        let cancel = self.cancel_s.map(|seconds| micros(seconds, || format!("{path}.cancel_s")));
        let mut job = Job {
            name: self.name,
            group: self.group,
            pool: if self.pool == DEFAULT_POOL { String::new() } else { self.pool },
            after: after.transpose()?,
            warm_factor: self.warm_factor,
            deadline: deadline.transpose()?.map(Span),
            finish_delay,
            cancel: cancel.transpose()?.map(Span),
            interrupt: self.interrupt,
            curve,
            ..Job::new(user, arrival, stages)
        };
        if let Some(seconds) = self.estimate_s {
            job.estimate = SlotTime(micros(seconds, || format!("{path}.estimate_s"))?);
        }
        Ok(job)
    }

    /// A job's own fields as a file has them.
    pub(crate) fn from_job(scenario: &Scenario, job: &Job) -> JobFile {
        let stages_estimate: SlotTime = job.stages.iter().map(|stage| stage.estimate).sum();
        let (ernest, curve) = match &job.curve {
            Some(PerformanceCurve::Ernest(coefficients)) => (Some(*coefficients), None),
            Some(PerformanceCurve::Points(points)) => (None, Some(points.clone())),
            None => (None, None),
        };
        JobFile {
            user: scenario.users()[job.user.index()].name.clone(),
            name: job.name.clone(),
            group: job.group.clone(),
            pool: job.pool.clone(),
            arrival_s: job.arrival.seconds(),
            after: job.after.map(|before| Object(before.into())),
            estimate_s: (job.estimate != stages_estimate).then(|| job.estimate.seconds()),
            warm_factor: job.warm_factor,
            deadline_s: job.deadline.map(Span::seconds),
            finish_delay_s: job.finish_delay.seconds(),
            cancel_s: job.cancel.map(Span::seconds),
            interrupt: job.interrupt,
            ernest,
            curve,
            stages: Vec::new(),
        }
    }
}

/// The parents of a stage whose file names none: the stage before.
fn default_parents(index: usize) -> Vec<u32> {
    index.checked_sub(1).map(|before| before as u32).into_iter().collect()
}

impl StageFile {
    /// The stage of that index; `path` is its own, `cores` how many the cluster has.
    pub(crate) fn stage(self, index: usize, path: &dyn Display, cores: u32) -> Result<Stage, ScenarioError> {
        let (input, default) = match (self.tasks_s, self.work_s, self.profile) {
            (Some(tasks), None, None) => {
                let slice = |(index, &seconds)| micros(seconds, || format!("{path}.tasks_s[{index}]"));
                let slices = tasks.iter().enumerate().map(slice).collect::<Result<Vec<u64>, _>>()?;
                (Input::of_tasks_at(&slices, path)?, tasks.len() as u32)
            }
            (None, Some(work), profile) => {
                let work = micros(work, || format!("{path}.work_s"))?;
                (Input::of_profile_at(work, profile.unwrap_or_else(|| vec![1.0]), path)?, cores)
            }
            (Some(_), None, Some(_)) => {
                return Err(ScenarioError::at(
                    format!("{path}.profile"),
                    "goes with work_s, not with tasks_s, which gives the slices itself; remove one",
                ));
            }
            (tasks, ..) => {
                let both = "has both tasks_s and work_s; keep one of them";
                let neither = "has neither tasks_s nor work_s; give one of them";
                return Err(ScenarioError::at(
                    path.to_string(),
                    if tasks.is_some() { both } else { neither },
                ));
            }
        };
        let delay = self.delay_s.map(|seconds| micros(seconds, || format!("{path}.delay_s")));
        let mut stage = Stage {
            name: self.name,
            parents: self.parents.unwrap_or_else(|| default_parents(index)),
            partitions: self.partitions.unwrap_or(default),
            splittable: self.splittable.unwrap_or(!self.barrier),
            first_wave: self.first_wave,
            inflation: self.inflation,
            memory: self.memory_mb,
            spark_job: self.spark_job,
            delay: delay.transpose()?.map(Span),
            pool: self.pool,
            barrier: self.barrier,
            prefers: self.prefers,
            away: self.away,
            resource_profile: self.resource_profile,
            exclusions: exclusions(&self.exclusions, path)?,
            ..Stage::with_input(input)
        };
        if let Some(seconds) = self.estimate_s {
            stage.estimate = SlotTime(micros(seconds, || format!("{path}.estimate_s"))?);
        }
        Ok(stage)
    }

    /// The stage of that index as a file has it.
    pub(crate) fn from_stage(index: usize, stage: &Stage) -> StageFile {
        let (tasks_s, work_s, profile) = match stage.input.form() {
            InputForm::Tasks => (Some(stage.input.weights()), None, None),
            InputForm::Profile { work, weights } => {
                let even = weights.as_slice() == [1.0];
                (None, Some(*work as f64 / MICROS_PER_SECOND), (!even).then(|| weights.clone()))
            }
        };
        StageFile {
            name: stage.name.clone(),
            parents: (stage.parents != default_parents(index)).then(|| stage.parents.clone()),
            tasks_s,
            work_s,
            profile,
            partitions: Some(stage.partitions),
            splittable: (!stage.splittable).then_some(false),
            estimate_s: (stage.estimate != stage.input.work()).then(|| stage.estimate.seconds()),
            first_wave: stage.first_wave,
            inflation: stage.inflation.clone(),
            spark_job: stage.spark_job,
            delay_s: stage.delay.map(Span::seconds),
            memory_mb: stage.memory,
            pool: stage.pool.clone(),
            barrier: stage.barrier,
            prefers: stage.prefers.clone(),
            away: stage.away,
            resource_profile: stage.resource_profile,
            exclusions: stage.exclusions.iter().map(|&exclusion| Object(exclusion.into())).collect(),
        }
    }
}
