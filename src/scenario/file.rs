//! The scenario file, `"format": "fairlane/scenario@1"`: its JSON shape and the way from there to a
//! checked [`Scenario`] and back.

use std::collections::HashMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::check::{self, Limits, ScenarioError, Sizes};
use super::json::{Kind, Object, check_length, given, list_within};
use super::{
    Cluster, Driver, FairTieBreak, Input, InputForm, Job, LateStage, MinPartitions, Partitioning, Scenario,
    Stage, User,
};
use crate::ids::UserId;
use crate::units::{MICROS_PER_SECOND, SlotTime, Span, Time, Weight, micros_from_seconds};

/// The tag of the format that this version reads and writes.
pub const FORMAT: &str = "fairlane/scenario@1";

const KIND: Kind = Kind { noun: "a scenario", format: FORMAT };

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ScenarioFile {
    format: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    description: String,
    #[serde(default)]
    cluster: Object<ClusterFile>,
    #[serde(default)]
    partitioning: Object<PartitioningFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "users_within_limits")]
    users: Vec<Object<UserFile>>,
    #[serde(deserialize_with = "jobs_within_limits")]
    jobs: Vec<Object<JobFile>>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ClusterFile {
    executors: u32,
    cores_per_executor: u32,
    task_overhead_s: f64,
    stage_delay_s: f64,
    #[serde(skip_serializing_if = "is_zero")]
    driver_job_s: f64,
    #[serde(skip_serializing_if = "is_zero")]
    driver_stage_s: f64,
    #[serde(skip_serializing_if = "is_zero")]
    driver_task_s: f64,
    fair_tie_break: FairTieBreakFile,
    first_stage_id: u64,
    uwfq_grace_s: f64,
    uwfq_late_stage: LateStageFile,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum FairTieBreakFile {
    Submission,
    Spark,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum LateStageFile {
    Grace,
    Top,
    Released,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum MinPartitionsFile {
    Default,
    One,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PartitioningFile {
    advisory_task_runtime_s: f64,
    min_partitions: MinPartitionsFile,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct UserFile {
    name: String,
    #[serde(default = "one")]
    weight: f64,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct JobFile {
    user: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    arrival_s: f64,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    estimate_s: Option<f64>,
    stages: Vec<Object<StageFile>>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct StageFile {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    parents: Option<Vec<u32>>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    tasks_s: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    work_s: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    profile: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    partitions: Option<u32>,
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    splittable: bool,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    estimate_s: Option<f64>,
}

/// The driver's costs are an extension of the format: a file that has none stays as it was.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(seconds: &f64) -> bool {
    *seconds == 0.0
}

impl Default for ClusterFile {
    fn default() -> Self {
        cluster_to_file(&Cluster::default())
    }
}

impl Default for PartitioningFile {
    fn default() -> Self {
        partitioning_to_file(&Partitioning::default())
    }
}

fn one() -> f64 {
    1.0
}

fn yes() -> bool {
    true
}

fn is_yes(flag: &bool) -> bool {
    *flag
}

fn users_within_limits<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Object<UserFile>>, D::Error> {
    list_within(from, Limits::default().users, "users")
}

fn jobs_within_limits<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Object<JobFile>>, D::Error> {
    list_within(from, Limits::default().jobs, "jobs")
}

impl Scenario {
    /// Reads and checks a scenario file within the default [`Limits`].
    ///
    /// # Errors
    /// The first fault found, with its JSON path and a sentence that says what to do.
    pub fn from_json(text: &str) -> Result<Scenario, ScenarioError> {
        Scenario::from_json_within(text, &Limits::default())
    }

    /// Reads and checks a scenario file within other limits. Lists of users and jobs stay bounded
    /// by the default ones.
    ///
    /// # Errors
    /// As [`Scenario::from_json`].
    pub fn from_json_within(text: &str, limits: &Limits) -> Result<Scenario, ScenarioError> {
        check_length(text, limits)?;
        Builder { limits }.scenario(KIND.read(text)?)
    }

    /// The scenario as a file: the same scenario again when read.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(&to_file(self)).expect("a scenario has only keys that are text")
    }

    /// The same file without line ends and spaces: for links and storage.
    pub fn to_compact_json(&self) -> String {
        serde_json::to_string(&to_file(self)).expect("a scenario has only keys that are text")
    }
}

/// Turns the file's figures into the model's, checking each on the way.
struct Builder<'a> {
    limits: &'a Limits,
}

impl Builder<'_> {
    fn scenario(&self, file: ScenarioFile) -> Result<Scenario, ScenarioError> {
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
                (Input::of_tasks(&slices, path)?, tasks.len() as u32)
            }
            (None, Some(work), profile) => {
                let work = micros(work, || format!("{path}.work_s"))?;
                (Input::of_profile(work, profile.unwrap_or_else(|| vec![1.0]), path)?, cluster.cores())
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
fn default_parents(index: usize) -> Vec<u32> {
    index.checked_sub(1).map(|before| before as u32).into_iter().collect()
}

fn micros(seconds: f64, path: impl Fn() -> String) -> Result<u64, ScenarioError> {
    micros_from_seconds(seconds).map_err(|error| ScenarioError::at(path(), error.to_string()))
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
pub(super) fn partitioning(file: &PartitioningFile) -> Result<Partitioning, ScenarioError> {
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

fn to_file(scenario: &Scenario) -> ScenarioFile {
    ScenarioFile {
        format: FORMAT.to_owned(),
        name: scenario.name.clone(),
        description: scenario.description.clone(),
        cluster: Object(cluster_to_file(&scenario.cluster)),
        partitioning: Object(partitioning_to_file(&scenario.partitioning)),
        users: scenario
            .users
            .iter()
            .map(|user| Object(UserFile { name: user.name.clone(), weight: user.weight.value() }))
            .collect(),
        jobs: scenario.jobs.iter().map(|job| Object(job_to_file(scenario, job))).collect(),
    }
}

/// A cluster as a file gives it.
pub(super) fn cluster_to_file(cluster: &Cluster) -> ClusterFile {
    ClusterFile {
        executors: cluster.executors,
        cores_per_executor: cluster.cores_per_executor,
        task_overhead_s: cluster.task_overhead.seconds(),
        stage_delay_s: cluster.stage_delay.seconds(),
        driver_job_s: cluster.driver.job.seconds(),
        driver_stage_s: cluster.driver.stage.seconds(),
        driver_task_s: cluster.driver.task.seconds(),
        fair_tie_break: match cluster.fair_tie_break {
            FairTieBreak::Submission => FairTieBreakFile::Submission,
            FairTieBreak::Spark => FairTieBreakFile::Spark,
        },
        first_stage_id: cluster.first_stage_id,
        uwfq_grace_s: cluster.uwfq_grace.seconds(),
        uwfq_late_stage: match cluster.uwfq_late_stage {
            LateStage::Grace => LateStageFile::Grace,
            LateStage::Top => LateStageFile::Top,
            LateStage::Released => LateStageFile::Released,
        },
    }
}

/// Partitioning as a file gives it.
pub(super) fn partitioning_to_file(partitioning: &Partitioning) -> PartitioningFile {
    PartitioningFile {
        advisory_task_runtime_s: partitioning.advisory_task_runtime.seconds(),
        min_partitions: match partitioning.min_partitions {
            MinPartitions::Default => MinPartitionsFile::Default,
            MinPartitions::One => MinPartitionsFile::One,
        },
    }
}

fn job_to_file(scenario: &Scenario, job: &Job) -> JobFile {
    let stages_estimate: SlotTime = job.stages.iter().map(|stage| stage.estimate).sum();
    JobFile {
        user: scenario.users[job.user.index()].name.clone(),
        name: job.name.clone(),
        arrival_s: job.arrival.seconds(),
        estimate_s: (job.estimate != stages_estimate).then(|| job.estimate.seconds()),
        stages: job
            .stages
            .iter()
            .enumerate()
            .map(|(index, stage)| {
                let (tasks_s, work_s, profile) = match &stage.input.form {
                    InputForm::Tasks => {
                        let slices = stage.input.prefix.windows(2).map(|pair| pair[1] - pair[0]);
                        (Some(slices.map(|slice| slice as f64 / MICROS_PER_SECOND).collect()), None, None)
                    }
                    InputForm::Profile { work, weights } => {
                        let even = weights.as_slice() == [1.0];
                        (None, Some(*work as f64 / MICROS_PER_SECOND), (!even).then(|| weights.clone()))
                    }
                };
                Object(StageFile {
                    name: stage.name.clone(),
                    parents: (stage.parents != default_parents(index)).then(|| stage.parents.clone()),
                    tasks_s,
                    work_s,
                    profile,
                    partitions: Some(stage.partitions),
                    splittable: stage.splittable,
                    estimate_s: (stage.estimate != stage.input.work()).then(|| stage.estimate.seconds()),
                })
            })
            .collect(),
    }
}

// The golden of messages is kept with insta, which is there for native tests only.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    fn error_of(text: &str) -> String {
        Scenario::from_json(text).expect_err("the text is faulty").to_string()
    }

    /// A scenario of one job whose only stage is given.
    fn with_stage(stage: &str) -> String {
        format!(r#"{{"format":"{FORMAT}","jobs":[{{"user":"ana","arrival_s":0,"stages":[{stage}]}}]}}"#)
    }

    #[test]
    fn a_minimal_file_gets_the_defaults() {
        let scenario = Scenario::from_json(&with_stage(r#"{"work_s":2}"#)).expect("a minimal file");
        assert_eq!(scenario.cluster.cores(), 4);
        assert_eq!(scenario.jobs[0].stages[0].partitions, 4);
        assert_eq!(scenario.jobs[0].estimate, SlotTime(2_000_000));
        assert_eq!(scenario.users[0].weight, Weight::ONE);
        assert_eq!(scenario.cluster.uwfq_grace, Span(2_000_000));
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let text = with_stage(
            r#"{"tasks_s":[0.1,0.2000004],"parents":[1]},{"work_s":0.3,"profile":[1,0,2.5],"parents":[],"estimate_s":7,"splittable":false,"partitions":2}"#,
        );
        let scenario = Scenario::from_json(&text).expect("a good file");
        assert_eq!(Scenario::from_json(&scenario.to_json()), Ok(scenario));
    }

    #[test]
    fn faults_name_the_place_and_the_remedy() {
        let faults = [
            "",
            "[1, 2",
            "[1, 2]",
            "{\"format\": \"fairlane/trace@1\"}",
            "{}",
            &format!(r#"{{"format":"{FORMAT}"}}"#),
            &format!(r#"{{"format":"{FORMAT}","jobs":[]}}"#),
            &format!(r#"{{"format":"{FORMAT}","jobs":[],"job":1}}"#),
            &format!(
                r#"{{"format":"{FORMAT}","jobs":[{{"user":"","arrival_s":0,"stages":[{{"work_s":1}}]}}]}}"#
            ),
            &format!(r#"{{"format":"{FORMAT}","jobs":[{{"user":"a","arrival_s":0,"stages":[]}}]}}"#),
            &format!(
                r#"{{"format":"{FORMAT}","jobs":[{{"user":"a","arrival_s":-1,"stages":[{{"work_s":1}}]}}]}}"#
            ),
            &format!(
                r#"{{"format":"{FORMAT}","jobs":[{{"user":"a","arrival_s":1e999,"stages":[{{"work_s":1}}]}}]}}"#
            ),
            &format!(r#"{{"format":"{FORMAT}","users":[{{"weight":1}}],"jobs":[]}}"#),
            &format!(
                r#"{{"format":"{FORMAT}","users":[{{"name":"a"}},{{"name":"a"}}],"jobs":[{{"user":"a","arrival_s":0,"stages":[{{"work_s":1}}]}}]}}"#
            ),
            &format!(
                r#"{{"format":"{FORMAT}","users":[{{"name":"a","weight":0}}],"jobs":[{{"user":"a","arrival_s":0,"stages":[{{"work_s":1}}]}}]}}"#
            ),
            &format!(
                r#"{{"format":"{FORMAT}","cluster":{{"executors":0}},"jobs":[{{"user":"a","arrival_s":0,"stages":[{{"work_s":1}}]}}]}}"#
            ),
            &format!(r#"{{"format":"{FORMAT}","cluster":{{"fair_tie_break":"name"}},"jobs":[]}}"#),
            &format!(
                r#"{{"format":"{FORMAT}","partitioning":{{"advisory_task_runtime_s":0.0000001}},"jobs":[{{"user":"a","arrival_s":0,"stages":[{{"work_s":1}}]}}]}}"#
            ),
            &format!(
                r#"{{"format":"{FORMAT}","partitioning":{{"advisory_task_runtime_s":0.000001}},"jobs":[{{"user":"a","arrival_s":0,"stages":[{{"work_s":100}}]}}]}}"#
            ),
            &with_stage("{}"),
            &with_stage(r#"{"work_s":null}"#),
            &with_stage(r#"{"work_s":"1"}"#),
            &with_stage(r#"{"work_s":1,"work_s":2}"#),
            &with_stage(r#"{"work_s":1,"tasks_s":[1]}"#),
            &with_stage(r#"{"tasks_s":[1],"profile":[1]}"#),
            &with_stage(r#"{"tasks_s":[]}"#),
            &with_stage(r#"{"tasks_s":[1,-2]}"#),
            &with_stage(r#"{"work_s":1,"profile":[]}"#),
            &with_stage(r#"{"work_s":1,"profile":[0,0]}"#),
            &with_stage(r#"{"work_s":1,"profile":[1,-1]}"#),
            &with_stage(r#"{"work_s":1,"profile":[1e308,1e308]}"#),
            &with_stage(r#"{"work_s":1,"partitions":0}"#),
            &with_stage(r#"{"work_s":1,"partitions":2.5}"#),
            &with_stage(r#"{"work_s":1,"partitions":4294967295}"#),
            &with_stage(r#"{"work_s":1e10}"#),
            &with_stage(r#"{"work_s":9e9,"splittable":false},{"work_s":9e9,"splittable":false}"#),
            &with_stage(r#"{"work_s":1,"parents":[3]}"#),
            &with_stage(r#"{"work_s":1,"parents":[0]}"#),
            &with_stage(r#"{"work_s":1},{"work_s":1,"parents":[0,0]}"#),
            &with_stage(r#"{"work_s":1,"parents":[]},{"work_s":1,"parents":[2]},{"work_s":1,"parents":[1]}"#),
            &with_stage(r#"{"work_s":1,"colour":"red"}"#),
        ];
        let told: Vec<String> = faults.iter().map(|text| error_of(text)).collect();
        insta::assert_snapshot!(told.join("\n"));
    }

    #[test]
    fn deep_nesting_is_refused_quickly() {
        let message = error_of(&"[".repeat(10 << 20));
        assert!(message.contains("one JSON object"), "{message}");
    }

    #[test]
    fn too_many_jobs_are_refused_without_reading_them_all() {
        let job = r#"{"user":"a","arrival_s":0,"stages":[{"work_s":1}]}"#;
        let text = format!(r#"{{"format":"{FORMAT}","jobs":[{}]}}"#, vec![job; 1_000_000].join(","));
        let message = error_of(&text);
        assert!(message.starts_with("jobs"), "{message}");
        assert!(message.contains("more than 200000 jobs"), "{message}");
    }
}
