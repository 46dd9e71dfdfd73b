//! The cluster, its partitioning and the parameters of policies in a file.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::places::{ExclusionFile, LossFile, PreemptionFile, SpeculationFile, exclusions, losses};
use crate::scenario::check;
use crate::scenario::error::{ensure, micros};
use crate::scenario::field::{Field, FieldKind, object};
use crate::scenario::json::{Keyed, Object, given};
use crate::scenario::parameter;
use crate::scenario::{
    Cluster, CoreOwners, Driver, DynamicAllocation, FairTieBreak, Limits, MinPartitions, Partitioning,
    PolicyParameters, ScenarioError,
};
use crate::units::{Span, Time};

object! {
    /// The machines and the fixed costs of using them.
    #[serde(deny_unknown_fields, default)]
    pub(crate) ClusterFile, CLUSTER;

    /// Number of machines.
    executors: u32 = Field::count("Executors").or("1");
    /// Tasks that an executor runs at once.
    cores_per_executor: u32 = Field::count("Cores per executor").or("4");
    /// Time that each task holds its core beyond its work.
    task_overhead_s: f64 = Field::seconds("Task overhead").or("0");
    /// From the end of a stage's parents to its submission.
    stage_delay_s: f64 = Field::seconds("Stage delay").or("0");
    /// The driver handles one event at a time. Time for the arrival of a job.
    #[serde(skip_serializing_if = "is_zero")]
    driver_job_s: f64 = Field::seconds("Driver, per job").or("0");
    /// Time for each stage at the arrival, and again on a later submission.
    #[serde(skip_serializing_if = "is_zero")]
    driver_stage_s: f64 = Field::seconds("Driver, per stage").or("0");
    /// Time for the end of a task.
    #[serde(skip_serializing_if = "is_zero")]
    driver_task_s: f64 = Field::seconds("Driver, per task").or("0");
    /// Ties of Fair and UJF: by stage number, or by name (10 before 2).
    fair_tie_break: FairTieBreak =
        Field::choice("Tie rule", &[("submission", "stage number"), ("spark", "name, as in \
            Spark")]).or("\"submission\"");
    /// Number of the first stage. It affects ties by name: 9 and 10, 99 and 100.
    first_stage_id: u64 = Field::whole("First stage id", "").or("0");
    /// Time that a core spends to join another job (a new JVM: 2 to 3 s in Spark).
    #[serde(skip_serializing_if = "is_zero")]
    core_move_s: f64 = Field::seconds("Core move").or("0");
    /// Memory of an executor: a task needs a core and its stage's memory.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    memory_mb_per_executor: Option<u64> = Field::whole("Memory per executor", "MB").follows("not modelled");
    /// When executors come and go: pairs of an instant in seconds and a number.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    executors_at: Option<Vec<(f64, u32)>> = Field::new(FieldKind::Compound, "Executors over time").follows("always \
        all");
    /// Executors are requested while tasks wait, and removed when idle.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[tsify(type = "DynamicAllocationFile")]
    dynamic_allocation: Option<Object<DynamicAllocationFile>> =
        Field::new(FieldKind::Compound, "Dynamic allocation").follows("none");
    /// Cores stay with a job between its stages; others get those it can spare.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    executors_belong: Option<CoreOwners> =
        Field::choice("Cores belong to", &[("", "nobody"), ("jobs", "jobs")]).follows("nobody");
    /// How fast each executor is, such as 1, 0.25.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    speeds: Option<Vec<f64>> = Field::new(FieldKind::Compound, "Speeds").follows("all 1");
    /// How long a stage waits for the executors that its tasks prefer (locality.wait).
    #[serde(skip_serializing_if = "is_three")]
    locality_wait_s: f64 = Field::seconds("Locality wait").or("3");
    /// Executors that are lost with all that they hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[tsify(type = "LossFile[]")]
    losses: Vec<Object<LossFile>> = Field::new(FieldKind::Compound, "Losses").follows("none");
    /// The resource profile of each executor, which takes such stages' tasks only: 0, 0, 1.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    resource_profiles: Option<Vec<u32>> = Field::new(FieldKind::Compound, "Resource profiles").follows("all 0");
    /// Executors that take no more tasks of any stage, for ever or a while (excludeOnFailure).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[tsify(type = "ExclusionFile[]")]
    exclusions: Vec<Object<ExclusionFile>> = Field::new(FieldKind::Compound, "Exclusions").follows("none");
    /// Slow tasks get a second attempt elsewhere (spark.speculation).
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[tsify(type = "SpeculationFile")]
    speculation: Option<Object<SpeculationFile>> =
        Field::new(FieldKind::Compound, "Speculation").follows("none");
    /// Attempts are killed for users or pools that have had too few cores for too long.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[tsify(type = "PreemptionFile")]
    preemption: Option<Object<PreemptionFile>> = Field::new(FieldKind::Compound, "Preemption").follows("none");
    /// Where `policies.uwfq.grace_s` used to be.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    uwfq_grace_s: Option<f64> = Field::new(FieldKind::Former, "");
    /// Where `policies.uwfq.late_stage` used to be.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    uwfq_late_stage: Option<String> = Field::new(FieldKind::Former, "");
}

object! {
    /// Spark's dynamic allocation of executors.
    #[serde(deny_unknown_fields, default)]
    pub(crate) DynamicAllocationFile, DYNAMIC_ALLOCATION;

    /// The least number of executors (minExecutors).
    min: u32 = Field::whole("Least executors", "").or("0");
    /// The largest number of executors (maxExecutors).
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    max: Option<u32> = Field::count("Most executors").follows("all");
    /// Executors at the start (initialExecutors).
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    initial: Option<u32> = Field::whole("Executors at the start", "").follows("the least");
    /// How long tasks wait before more executors are requested (schedulerBacklogTimeout).
    backlog_s: f64 = Field::seconds("Backlog time-out").or("1");
    /// From one request to the next (sustainedSchedulerBacklogTimeout).
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    sustained_s: Option<f64> = Field::seconds("Sustained time-out").follows("the backlog time-out");
    /// How long an executor is idle before it is removed (executorIdleTimeout).
    idle_s: f64 = Field::seconds("Idle time-out").or("60");
    /// From the request for an executor to its first task.
    start_s: f64 = Field::seconds("Start-up time").or("0");
    /// Executors stay for the output of jobs that they hold (shuffleTracking, on in Spark).
    #[serde(skip_serializing_if = "is_no")]
    shuffle_tracking: bool = Field::new(FieldKind::Flag, "Shuffle tracking").or("false");
    /// How long one is idle that holds output of ended jobs until it is removed.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    shuffle_timeout_s: Option<f64> = Field::seconds("Shuffle time-out").follows("never");
}

object! {
    /// How stages are cut into tasks under runtime partitioning.
    #[serde(deny_unknown_fields, default)]
    pub(crate) PartitioningFile, PARTITIONING;

    /// Runtime partitioning (-P) cuts stages into tasks of about this length.
    advisory_task_runtime_s: f64 = Field::seconds("Advisory task runtime").or("0.5");
    /// Runtime partitioning cuts a stage into at least this many tasks.
    min_partitions: MinPartitions =
        Field::choice("Minimum tasks", &[("default", "the default"), ("one", "one")]).or("\"default\"");
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
pub(super) fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_three(value: &f64) -> bool {
    *value == 3.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
pub(super) fn is_no(flag: &bool) -> bool {
    !*flag
}

impl ClusterFile {
    /// A cluster as a file gives it.
    pub(crate) fn from_cluster(cluster: &Cluster, parameters: &PolicyParameters) -> ClusterFile {
        let formerly = parameters.iter().all(|(policy, _)| policy != "uwfq");
        ClusterFile {
            uwfq_grace_s: formerly.then_some(FORMER_GRACE_S),
            uwfq_late_stage: formerly.then(|| FORMER_LATE_STAGE.to_owned()),
            ..ClusterFile::from(cluster)
        }
    }

    /// The cluster, checked.
    pub(crate) fn cluster(&self, limits: &Limits) -> Result<Cluster, ScenarioError> {
        let cluster = Cluster {
            executors: self.executors,
            cores_per_executor: self.cores_per_executor,
            task_overhead: span(self.task_overhead_s, "cluster.task_overhead_s")?,
            stage_delay: span(self.stage_delay_s, "cluster.stage_delay_s")?,
            driver: Driver {
                job: span(self.driver_job_s, "cluster.driver_job_s")?,
                stage: span(self.driver_stage_s, "cluster.driver_stage_s")?,
                task: span(self.driver_task_s, "cluster.driver_task_s")?,
            },
            fair_tie_break: self.fair_tie_break,
            first_stage_id: self.first_stage_id,
            core_move: span(self.core_move_s, "cluster.core_move_s")?,
            memory_per_executor: self.memory_mb_per_executor,
            executors_at: self.executors_at()?,
            dynamic_allocation: self
                .dynamic_allocation
                .as_ref()
                .map(|file| file.0.allocation())
                .transpose()?,
            executors_belong: self.executors_belong,
            speeds: self.speeds.clone().unwrap_or_default(),
            locality_wait: span(self.locality_wait_s, "cluster.locality_wait_s")?,
            losses: losses(&self.losses)?,
            resource_profiles: self.resource_profiles.clone().unwrap_or_default(),
            exclusions: exclusions(&self.exclusions, &"cluster")?,
            speculation: self.speculation.as_ref().map(|file| file.0.speculation()).transpose()?,
            preemption: self.preemption.as_ref().map(|file| file.0.preemption()).transpose()?,
        };
        check::check_cluster(&cluster, limits)?;
        Ok(cluster)
    }
}

impl ClusterFile {
    /// With fewer executors than before there are never more than these: `executors_at` and the bounds of dynamic
    /// allocation are lowered to their number, and what is said of others is forgotten. Further ones have the speed 1
    /// and the resource profile 0.
    pub(crate) fn cap_executors(&mut self) {
        let executors = self.executors;
        for (_, count) in self.executors_at.iter_mut().flatten() {
            *count = executors.min(*count);
        }
        if let Some(speeds) = &mut self.speeds {
            speeds.resize(executors as usize, 1.0);
        }
        if let Some(profiles) = &mut self.resource_profiles {
            profiles.resize(executors as usize, 0);
        }
        self.losses.retain(|Object(loss)| loss.executor < executors);
        self.exclusions.retain(|Object(exclusion)| exclusion.executor < executors);
        let Some(Object(DynamicAllocationFile { min, max, initial, .. })) = &mut self.dynamic_allocation
        else {
            return;
        };
        *min = executors.min(*min);
        for bound in [max, initial].into_iter().flatten() {
            *bound = executors.min(*bound);
        }
    }

    fn executors_at(&self) -> Result<Vec<(Time, u32)>, ScenarioError> {
        let Some(entries) = &self.executors_at else { return Ok(Vec::new()) };
        ensure!(!entries.is_empty(), "cluster.executors_at", "has no entry; leave it out, or give one");
        let entry = |(index, &(seconds, executors))| {
            let at = micros(seconds, || format!("cluster.executors_at[{index}][0]"))?;
            Ok((Time(at), executors))
        };
        entries.iter().enumerate().map(entry).collect()
    }
}

impl DynamicAllocationFile {
    /// The allocation.
    pub(crate) fn allocation(&self) -> Result<DynamicAllocation, ScenarioError> {
        let span =
            |seconds, key: &str| micros(seconds, || format!("cluster.dynamic_allocation.{key}")).map(Span);
        Ok(DynamicAllocation {
            min: self.min,
            max: self.max,
            initial: self.initial,
            backlog: span(self.backlog_s, "backlog_s")?,
            sustained: self.sustained_s.map(|seconds| span(seconds, "sustained_s")).transpose()?,
            idle: span(self.idle_s, "idle_s")?,
            start: span(self.start_s, "start_s")?,
            shuffle_tracking: self.shuffle_tracking,
            shuffle_timeout: self
                .shuffle_timeout_s
                .map(|seconds| span(seconds, "shuffle_timeout_s"))
                .transpose()?,
        })
    }
}

impl From<&DynamicAllocation> for DynamicAllocationFile {
    fn from(allocation: &DynamicAllocation) -> Self {
        DynamicAllocationFile {
            min: allocation.min,
            max: allocation.max,
            initial: allocation.initial,
            backlog_s: allocation.backlog.seconds(),
            sustained_s: allocation.sustained.map(Span::seconds),
            idle_s: allocation.idle.seconds(),
            start_s: allocation.start.seconds(),
            shuffle_tracking: allocation.shuffle_tracking,
            shuffle_timeout_s: allocation.shuffle_timeout.map(Span::seconds),
        }
    }
}

impl Default for DynamicAllocationFile {
    fn default() -> Self {
        DynamicAllocationFile::from(&DynamicAllocation::default())
    }
}

impl From<&Cluster> for ClusterFile {
    fn from(cluster: &Cluster) -> Self {
        ClusterFile {
            executors: cluster.executors,
            cores_per_executor: cluster.cores_per_executor,
            task_overhead_s: cluster.task_overhead.seconds(),
            stage_delay_s: cluster.stage_delay.seconds(),
            driver_job_s: cluster.driver.job.seconds(),
            driver_stage_s: cluster.driver.stage.seconds(),
            driver_task_s: cluster.driver.task.seconds(),
            fair_tie_break: cluster.fair_tie_break,
            first_stage_id: cluster.first_stage_id,
            core_move_s: cluster.core_move.seconds(),
            memory_mb_per_executor: cluster.memory_per_executor,
            executors_at: (!cluster.executors_at.is_empty()).then(|| {
                cluster.executors_at.iter().map(|&(at, executors)| (at.seconds(), executors)).collect()
            }),
            dynamic_allocation: cluster
                .dynamic_allocation
                .as_ref()
                .map(|allocation| Object(allocation.into())),
            executors_belong: cluster.executors_belong,
            speeds: (!cluster.speeds.is_empty()).then(|| cluster.speeds.clone()),
            locality_wait_s: cluster.locality_wait.seconds(),
            losses: cluster.losses.iter().map(|&loss| Object(loss.into())).collect(),
            resource_profiles: (!cluster.resource_profiles.is_empty())
                .then(|| cluster.resource_profiles.clone()),
            exclusions: cluster.exclusions.iter().map(|&exclusion| Object(exclusion.into())).collect(),
            speculation: cluster.speculation.as_ref().map(|speculation| Object(speculation.into())),
            preemption: cluster.preemption.as_ref().map(|preemption| Object(preemption.into())),
            uwfq_grace_s: None,
            uwfq_late_stage: None,
        }
    }
}

impl Default for ClusterFile {
    fn default() -> Self {
        ClusterFile::from(&Cluster::default())
    }
}

impl PartitioningFile {
    /// The partitioning.
    pub(crate) fn partitioning(&self) -> Result<Partitioning, ScenarioError> {
        let atr = span(self.advisory_task_runtime_s, "partitioning.advisory_task_runtime_s")?;
        Ok(Partitioning { advisory_task_runtime: atr, min_partitions: self.min_partitions })
    }
}

impl From<&Partitioning> for PartitioningFile {
    fn from(partitioning: &Partitioning) -> Self {
        PartitioningFile {
            advisory_task_runtime_s: partitioning.advisory_task_runtime.seconds(),
            min_partitions: partitioning.min_partitions,
        }
    }
}

impl Default for PartitioningFile {
    fn default() -> Self {
        PartitioningFile::from(&Partitioning::default())
    }
}

fn span(seconds: f64, path: &str) -> Result<Span, ScenarioError> {
    micros(seconds, || path.to_owned()).map(Span)
}

/// Parameters by policy and name.
pub(super) type Policies = Keyed<Keyed<Value>>;

/// Reads parameters; `null` is the same as an absent key.
pub(super) fn policies<'de, D: Deserializer<'de>>(from: D) -> Result<Policies, D::Error> {
    let given = Keyed::<Option<Keyed<Value>>>::deserialize(from)?;
    Ok(given.0.into_iter().filter_map(|(policy, parameters)| Some((policy, parameters?))).collect())
}

pub(super) fn policies_to_file(parameters: &PolicyParameters) -> Policies {
    parameters.iter().map(|(policy, values)| (policy.to_owned(), Keyed(values.clone()))).collect()
}

/// The defaults of the parameters that used to be in `cluster`. They are written there wherever a
/// scenario has no parameters of UWFQ, so that its file, and every fingerprint of it, stays as it was.
const FORMER_GRACE_S: f64 = 2.0;
const FORMER_LATE_STAGE: &str = "grace";

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
    parameter::check(&parameters)?;
    let former = [
        ("grace_s", cluster.uwfq_grace_s.map(Value::from), Value::from(FORMER_GRACE_S)),
        ("late_stage", cluster.uwfq_late_stage.clone().map(Value::from), Value::from(FORMER_LATE_STAGE)),
    ];
    for (name, value, default) in former {
        let Some(value) = value else { continue };
        let path = format!("cluster.uwfq_{name}");
        // The default is written there, and so means nothing.
        let is_default = value == default;
        let again = parameters.get("uwfq", name).is_some() && !is_default;
        ensure!(!again, path, "is given a second time as policies.uwfq.{name}; remove it here");
        ensure!(
            value != "released",
            path,
            "was \"released\", which is a policy of its own now: remove it and simulate uwfq-released"
        );
        let with = parameters.with("uwfq", name, value);
        let with = with.map_err(|error| ScenarioError::at(path, error.message))?;
        if !is_default {
            parameters = with;
        }
    }
    Ok(parameters)
}
