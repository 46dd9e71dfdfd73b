//! From the file to a checked scenario.

use std::collections::HashMap;

use super::shape::{
    ClusterFile, FairTieBreakFile, JobFile, LateStageFile, MinPartitionsFile, PartitioningFile, ScenarioFile,
    StageFile, UserFile,
};
use crate::ids::UserId;
use crate::scenario::check::{self, Limits, ScenarioError, Sizes};
use crate::scenario::json::Object;
use crate::scenario::{
    Cluster, Driver, FairTieBreak, Input, Job, LateStage, MinPartitions, Partitioning, Scenario, Stage, User,
};
use crate::units::{SlotTime, Span, Time, Weight, micros_from_seconds};

/// Turns the file's figures into the model's, checking each on the way.
pub(super) struct Builder<'a> {
    pub(super) limits: &'a Limits,
}

impl Builder<'_> {
    pub(super) fn scenario(&self, file: ScenarioFile) -> Result<Scenario, ScenarioError> {
        let cluster = cluster(&file.cluster.0, self.limits)?;
        let partitioning = partitioning(&file.partitioning.0)?;
        check::check_any_job(file.jobs.len())?;
        let mut users = Users::declared(file.users)?;
        let mut jobs = Vec::with_capacity(file.jobs.len());
        let mut sizes = Sizes::default();
        for (index, Object(job)) in file.jobs.into_iter().enumerate() {
            let path = format!("jobs[{index}]");
            let job = self.job(job, &path, &cluster, &mut users)?;
            sizes.add(&job, &path, self.limits)?;
            jobs.push(job);
        }
        check::within(users.list.len(), self.limits.users, "users", "jobs")?;
        check::check_stage_ids(&cluster, &sizes)?;
        let scenario = Scenario {
            name: file.name,
            description: file.description,
            cluster,
            partitioning,
            users: users.list,
            jobs,
        };
        check::check_totals(&scenario, self.limits)?;
        Ok(scenario)
    }

    fn job(
        &self,
        file: JobFile,
        path: &str,
        cluster: &Cluster,
        users: &mut Users,
    ) -> Result<Job, ScenarioError> {
        let user = users.named(file.user, &format!("{path}.user"))?;
        let arrival = Time(micros(file.arrival_s, || format!("{path}.arrival_s"))?);
        check::check_any_stage(file.stages.len(), path)?;
        let mut stages = Vec::with_capacity(file.stages.len());
        for (index, Object(stage)) in file.stages.into_iter().enumerate() {
            stages.push(self.stage(stage, index, &format!("{path}.stages[{index}]"), cluster)?);
        }
        check::check_parents(&stages, path)?;
        let estimate = match file.estimate_s {
            Some(seconds) => SlotTime(micros(seconds, || format!("{path}.estimate_s"))?),
            None => stages.iter().map(|stage| stage.estimate).sum(),
        };
        Ok(Job { user, name: file.name, arrival, estimate, stages })
    }

    fn stage(
        &self,
        file: StageFile,
        index: usize,
        path: &str,
        cluster: &Cluster,
    ) -> Result<Stage, ScenarioError> {
        let (input, default) = match (file.tasks_s, file.work_s, file.profile) {
            (Some(tasks), None, None) => {
                let slice = |(index, &seconds)| micros(seconds, || format!("{path}.tasks_s[{index}]"));
                let slices = tasks.iter().enumerate().map(slice).collect::<Result<Vec<u64>, _>>()?;
                (Input::of_tasks_at(&slices, path)?, tasks.len() as u32)
            }
            (None, Some(work), profile) => {
                let work = micros(work, || format!("{path}.work_s"))?;
                (Input::of_profile_at(work, profile.unwrap_or_else(|| vec![1.0]), path)?, cluster.cores())
            }
            (Some(_), None, Some(_)) => {
                return Err(ScenarioError::at(
                    format!("{path}.profile"),
                    "goes with work_s, not with tasks_s, which gives the slices itself; remove one",
                ));
            }
            (Some(_), Some(_), _) => {
                return Err(ScenarioError::at(path, "has both tasks_s and work_s; keep one of them"));
            }
            (None, None, _) => {
                return Err(ScenarioError::at(path, "has neither tasks_s nor work_s; give one of them"));
            }
        };
        let partitions = file.partitions.unwrap_or(default);
        check::check_partitions(partitions, path)?;
        let estimate = match file.estimate_s {
            Some(seconds) => SlotTime(micros(seconds, || format!("{path}.estimate_s"))?),
            None => input.work(),
        };
        let parents = file.parents.unwrap_or_else(|| default_parents(index));
        Ok(Stage { name: file.name, parents, input, partitions, splittable: file.splittable, estimate })
    }
}

/// The parents of a stage whose file names none: the stage before.
pub(super) fn default_parents(index: usize) -> Vec<u32> {
    index.checked_sub(1).map(|before| before as u32).into_iter().collect()
}

fn micros(seconds: f64, path: impl Fn() -> String) -> Result<u64, ScenarioError> {
    micros_from_seconds(seconds).map_err(|error| ScenarioError::at(path(), error.to_string()))
}

fn span(seconds: f64, path: &str) -> Result<Span, ScenarioError> {
    micros(seconds, || path.to_owned()).map(Span)
}

/// The cluster of a file, checked.
pub(in crate::scenario) fn cluster(file: &ClusterFile, limits: &Limits) -> Result<Cluster, ScenarioError> {
    let cluster = Cluster {
        executors: file.executors,
        cores_per_executor: file.cores_per_executor,
        task_overhead: span(file.task_overhead_s, "cluster.task_overhead_s")?,
        stage_delay: span(file.stage_delay_s, "cluster.stage_delay_s")?,
        driver: Driver {
            job: span(file.driver_job_s, "cluster.driver_job_s")?,
            stage: span(file.driver_stage_s, "cluster.driver_stage_s")?,
            task: span(file.driver_task_s, "cluster.driver_task_s")?,
        },
        fair_tie_break: match file.fair_tie_break {
            FairTieBreakFile::Submission => FairTieBreak::Submission,
            FairTieBreakFile::Spark => FairTieBreak::Spark,
        },
        first_stage_id: file.first_stage_id,
        uwfq_grace: span(file.uwfq_grace_s, "cluster.uwfq_grace_s")?,
        uwfq_late_stage: match file.uwfq_late_stage {
            LateStageFile::Grace => LateStage::Grace,
            LateStageFile::Top => LateStage::Top,
            LateStageFile::Released => LateStage::Released,
        },
    };
    check::check_cluster(&cluster, limits)?;
    Ok(cluster)
}

/// The partitioning of a file, checked.
pub(in crate::scenario) fn partitioning(file: &PartitioningFile) -> Result<Partitioning, ScenarioError> {
    let advisory_task_runtime = span(file.advisory_task_runtime_s, "partitioning.advisory_task_runtime_s")?;
    let min_partitions = match file.min_partitions {
        MinPartitionsFile::Default => MinPartitions::Default,
        MinPartitionsFile::One => MinPartitions::One,
    };
    let partitioning = Partitioning { advisory_task_runtime, min_partitions };
    check::check_partitioning(&partitioning)?;
    Ok(partitioning)
}

/// The users met so far, found by name.
struct Users {
    list: Vec<User>,
    by_name: HashMap<String, UserId>,
}

impl Users {
    fn declared(files: Vec<Object<UserFile>>) -> Result<Users, ScenarioError> {
        let mut users = Users { list: Vec::new(), by_name: HashMap::new() };
        for (index, Object(file)) in files.into_iter().enumerate() {
            let path = |key: &str| format!("users[{index}].{key}");
            if users.by_name.contains_key(&file.name) {
                return Err(check::user_twice(&file.name, path("name")));
            }
            let weight = Weight::new(file.weight)
                .ok_or_else(|| ScenarioError::at(path("weight"), check::WEIGHT_RANGE))?;
            users.add(file.name, weight, &path("name"))?;
        }
        Ok(users)
    }

    fn named(&mut self, name: String, path: &str) -> Result<UserId, ScenarioError> {
        match self.by_name.get(&name) {
            Some(&user) => Ok(user),
            None => self.add(name, Weight::ONE, path),
        }
    }

    fn add(&mut self, name: String, weight: Weight, path: &str) -> Result<UserId, ScenarioError> {
        check::check_user_name(&name, path)?;
        let user = UserId(self.list.len() as u32);
        self.by_name.insert(name.clone(), user);
        self.list.push(User { name, weight });
        Ok(user)
    }
}
