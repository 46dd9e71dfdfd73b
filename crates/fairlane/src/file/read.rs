//! From the file to a checked scenario.

use std::collections::HashMap;
use std::fmt::Display;

use serde_json::Value;

use super::shape::{
    ClusterFile, FORMER_GRACE_S, FORMER_LATE_STAGE, JobFile, PartitioningFile, Policies, QueueFile,
    ScenarioFile, StageFile, UserFile, default_parents,
};
use crate::ids::UserId;
use crate::policy;
use crate::scenario::check;
use crate::scenario::error::{ensure, micros};
use crate::scenario::json::{Keyed, Object};
use crate::scenario::{
    Cluster, Driver, Input, Job, Limits, Partitioning, PerformanceCurve, PolicyParameters, Queue, Scenario,
    ScenarioError, Stage, User,
};
use crate::units::{SlotTime, Span, Time, Weight};

/// Turns the file's figures into the model's and checks them.
pub(super) fn scenario(file: ScenarioFile, limits: &Limits) -> Result<Scenario, ScenarioError> {
    let parameters = parameters(&file.cluster.0, file.policies)?;
    let cluster = cluster(&file.cluster.0, limits)?;
    let mut users = Users::declared(file.users)?;
    let mut jobs = Vec::with_capacity(file.jobs.len());
    for (index, Object(file)) in file.jobs.into_iter().enumerate() {
        jobs.push(job(file, &format_args!("jobs[{index}]"), &cluster, &mut users)?);
    }
    Scenario::builder()
        .name(file.name)
        .description(file.description)
        .cluster(cluster)
        .partitioning(partitioning(&file.partitioning.0)?)
        .parameters(parameters)
        .users(users.all)
        .jobs(jobs)
        .build_within(limits)
}

/// The parameters of a file, wherever it gives them, checked.
pub(super) fn parameters(
    cluster: &ClusterFile,
    policies: Policies,
) -> Result<PolicyParameters, ScenarioError> {
    let mut parameters = PolicyParameters::default();
    for (policy, Keyed(values)) in policies.0 {
        parameters.add_policy(&policy);
        values.into_iter().for_each(|(name, value)| parameters.set(&policy, &name, value));
    }
    policy::parameters::check(&parameters)?;
    let former = [
        ("grace_s", cluster.uwfq_grace_s.map(Value::from), Value::from(FORMER_GRACE_S)),
        ("late_stage", cluster.uwfq_late_stage.clone().map(Value::from), Value::from(FORMER_LATE_STAGE)),
    ];
    for (name, value, default) in former {
        let Some(value) = value else { continue };
        let path = format!("cluster.uwfq_{name}");
        let again = parameters.get("uwfq", name).is_some();
        ensure!(!again, path, "is given a second time as policies.uwfq.{name}; keep that one");
        ensure!(
            value != "released",
            path,
            "was \"released\", which is a policy of its own now: remove it and simulate uwfq-released"
        );
        let is_default = value == default;
        let with = parameters.with("uwfq", name, value);
        let with = with.map_err(|error| ScenarioError::at(path, error.message))?;
        if !is_default {
            parameters = with;
        }
    }
    Ok(parameters)
}

fn job(
    file: JobFile,
    path: &dyn Display,
    cluster: &Cluster,
    users: &mut Users,
) -> Result<Job, ScenarioError> {
    let user = users.named(file.user, &format_args!("{path}.user"))?;
    let arrival = Time(micros(file.arrival_s, || format!("{path}.arrival_s"))?);
    let mut stages = Vec::with_capacity(file.stages.len());
    for (index, Object(file)) in file.stages.into_iter().enumerate() {
        stages.push(stage(file, index, &format_args!("{path}.stages[{index}]"), cluster)?);
    }
    let curve = match (file.ernest, file.curve) {
        (Some(_), Some(_)) => {
            return Err(ScenarioError::at(path.to_string(), "has both ernest and curve; keep one of them"));
        }
        (Some(coefficients), None) => Some(PerformanceCurve::Ernest(coefficients)),
        (None, points) => points.map(PerformanceCurve::Points),
    };
    let deadline = file.deadline_s.map(|seconds| micros(seconds, || format!("{path}.deadline_s")));
    let mut job = Job {
        name: file.name,
        group: file.group,
        warm_factor: file.warm_factor,
        deadline: deadline.transpose()?.map(Span),
        curve,
        ..Job::of(user, arrival, stages)
    };
    if let Some(seconds) = file.estimate_s {
        job.estimate = SlotTime(micros(seconds, || format!("{path}.estimate_s"))?);
    }
    Ok(job)
}

fn stage(
    file: StageFile,
    index: usize,
    path: &dyn Display,
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
            return Err(ScenarioError::at(path.to_string(), "has both tasks_s and work_s; keep one of them"));
        }
        (None, None, _) => {
            return Err(ScenarioError::at(
                path.to_string(),
                "has neither tasks_s nor work_s; give one of them",
            ));
        }
    };
    let mut stage = Stage {
        name: file.name,
        parents: file.parents.unwrap_or_else(|| default_parents(index)),
        partitions: file.partitions.unwrap_or(default),
        splittable: file.splittable,
        first_wave: file.first_wave,
        inflation: file.inflation,
        memory: file.memory_mb,
        ..Stage::of(input)
    };
    if let Some(seconds) = file.estimate_s {
        stage.estimate = SlotTime(micros(seconds, || format!("{path}.estimate_s"))?);
    }
    Ok(stage)
}

fn span(seconds: f64, path: &str) -> Result<Span, ScenarioError> {
    micros(seconds, || path.to_owned()).map(Span)
}

/// The cluster of a file, checked.
pub(super) fn cluster(file: &ClusterFile, limits: &Limits) -> Result<Cluster, ScenarioError> {
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
        fair_tie_break: file.fair_tie_break,
        first_stage_id: file.first_stage_id,
        core_move: span(file.core_move_s, "cluster.core_move_s")?,
        memory_per_executor: file.memory_mb_per_executor,
    };
    check::check_cluster(&cluster, limits)?;
    Ok(cluster)
}

/// The partitioning of a file.
pub(super) fn partitioning(file: &PartitioningFile) -> Result<Partitioning, ScenarioError> {
    let advisory_task_runtime = span(file.advisory_task_runtime_s, "partitioning.advisory_task_runtime_s")?;
    Ok(Partitioning { advisory_task_runtime, min_partitions: file.min_partitions })
}

fn queue(file: &QueueFile, path: &str) -> Result<Queue, ScenarioError> {
    let micros = |seconds, key: &str| micros(seconds, || format!("{path}.{key}"));
    let period = match file.period_s {
        Some(seconds) => Span(micros(seconds, "period_s")?),
        None => Queue::default().period,
    };
    Ok(Queue {
        kind: file.kind,
        joins: Time(micros(file.joins_s, "joins_s")?),
        period,
        within: file.within_s.map_or(Ok(period), |seconds| micros(seconds, "within_s").map(Span))?,
        demand: SlotTime(micros(file.demand_core_s, "demand_core_s")?),
        memory_demand: micros(file.demand_mb_s, "demand_mb_s")?,
        warp: Span(micros(file.warp_s, "warp_s")?),
    })
}

/// The users read so far.
struct Users {
    all: Vec<User>,
    by_name: HashMap<String, UserId>,
}

impl Users {
    fn declared(files: Vec<Object<UserFile>>) -> Result<Users, ScenarioError> {
        let mut users = Users { all: Vec::new(), by_name: HashMap::new() };
        for (index, Object(file)) in files.into_iter().enumerate() {
            let path = format!("users[{index}]");
            let weight = Weight::new(file.weight)
                .ok_or_else(|| ScenarioError::at(format!("{path}.weight"), check::WEIGHT_RANGE))?;
            let queue = file.queue.map(|Object(file)| queue(&file, &format!("{path}.queue"))).transpose()?;
            users.add(User { name: file.name, weight, queue });
        }
        Ok(users)
    }

    fn named(&mut self, name: String, path: &dyn Display) -> Result<UserId, ScenarioError> {
        if let Some(&user) = self.by_name.get(&name) {
            return Ok(user);
        }
        check::check_user_name(&name, path)?;
        Ok(self.add(User::named(name)))
    }

    fn add(&mut self, user: User) -> UserId {
        let id = UserId(self.all.len() as u32);
        self.by_name.insert(user.name.clone(), id);
        self.all.push(user);
        id
    }
}
