//! Fairlane's own files, `fairlane/scenario@1` and `fairlane/generator@1`: the way from their JSON to a checked
//! [`Scenario`] or a [`Generator`](crate::scenario::Generator) and back. Each object is declared once, with the
//! [description](crate::scenario::field) of its fields.

pub(crate) mod cluster;
mod generator;
pub(crate) mod jobs;
pub(crate) mod places;
pub(crate) mod users;

use serde::Deserializer;
use serde_json::Value;

use crate::scenario::field::{Field, FieldKind, object};
use crate::scenario::json::{DocumentKind, Object, check_length, list_within};
use crate::scenario::parameter;
use crate::scenario::{FORMAT, Job, Limits, PolicyParameters, Scenario, ScenarioError, Sessions};
use cluster::{ClusterFile, PartitioningFile, Policies, parameters, policies, policies_to_file};
use jobs::{JobFile, StageFile};
use users::{UserFile, UserTable};

const KIND: DocumentKind = DocumentKind { noun: "a scenario", format: FORMAT };

object! {
    /// A scenario: a cluster, its users and their jobs. Times are in seconds (`_s`), rounded to the microsecond.
    #[serde(deny_unknown_fields)]
    pub(crate) ScenarioFile, SCENARIO;

    /// `fairlane/scenario@1`.
    #[tsify(type = "\"fairlane/scenario@1\"")]
    format: String = Field::new(FieldKind::Compound, "Format");
    /// Title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String = Field::text("Name").follows("none");
    /// A few sentences for the reader.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    description: String = Field::text("Description").follows("none");
    /// The machines.
    #[serde(default)]
    #[tsify(type = "ClusterFile")]
    cluster: Object<ClusterFile> = Field::new(FieldKind::Compound, "Cluster").or("{}");
    /// How stages are cut into tasks under runtime partitioning.
    #[serde(default)]
    #[tsify(type = "PartitioningFile")]
    partitioning: Object<PartitioningFile> = Field::new(FieldKind::Compound, "Partitioning").or("{}");
    /// Whether jobs wait for the jobs that they come after.
    #[serde(default, skip_serializing_if = "is_default")]
    sessions: Sessions =
        Field::choice("Sessions", &[("closed", "jobs wait for answers"), ("open", "jobs arrive as in the file")])
            .or("\"closed\"");
    /// The mean error of a job's response time when a scenario that was imported from a log is simulated under the log's
    /// own scheduler, relative to the log's (0.019 for 1.9 %).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    log_error: Option<f64> = Field::new(FieldKind::Compound, "Error of the log").follows("none");
    /// Parameters by policy and name, such as `{ uwfq: { grace_s: 2 } }`.
    #[serde(default, skip_serializing_if = "Policies::is_empty", deserialize_with = "policies")]
    #[tsify(type = "Record<string, Record<string, number | string | Pool[] | null> | null>")]
    policies: Policies = Field::new(FieldKind::Compound, "Policies").or("{}");
    /// Users with a weight or a queue; others exist with weight 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "users_within_limits")]
    #[tsify(type = "UserFile[]")]
    users: Vec<Object<UserFile>> = Field::new(FieldKind::Compound, "Users").or("[]");
    /// Who submits what, and when.
    #[serde(deserialize_with = "jobs_within_limits")]
    #[tsify(type = "JobFile[]")]
    jobs: Vec<Object<JobFile>> = Field::new(FieldKind::Compound, "Jobs");
}

fn is_default(sessions: &Sessions) -> bool {
    *sessions == Sessions::default()
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
    /// The first error, with its JSON path and the remedy.
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
        let file: ScenarioFile = KIND.read(text)?;
        let parameters = parameters(&file.cluster.0, file.policies)?;
        let cluster = file.cluster.0.cluster(limits)?;
        let mut users = UserTable::declared(file.users)?;
        let mut jobs = Vec::with_capacity(file.jobs.len());
        for (index, Object(file)) in file.jobs.into_iter().enumerate() {
            let path = format_args!("jobs[{index}]");
            let user = users.named(&file.user, &format_args!("{path}.user"))?;
            let stage = |(index, Object(file)): (usize, Object<StageFile>)| {
                file.stage(index, &format_args!("{path}.stages[{index}]"), cluster.cores())
            };
            jobs.push(file.job(user, &path, |stages| stages.into_iter().enumerate().map(stage).collect())?);
        }
        Scenario::builder()
            .name(file.name)
            .description(file.description)
            .cluster(cluster)
            .partitioning(file.partitioning.0.partitioning()?)
            .parameters(parameters)
            .users(users.all)
            .jobs(jobs)
            .sessions(file.sessions)
            .log_error(file.log_error)
            .build_within(limits)
    }

    fn to_file(&self) -> ScenarioFile {
        let job = |job: &Job| {
            let stages =
                (0..).zip(&job.stages).map(|(index, stage)| Object(StageFile::from_stage(index, stage)));
            Object(JobFile { stages: stages.collect(), ..JobFile::from_job(self, job) })
        };
        ScenarioFile {
            format: FORMAT.to_owned(),
            name: self.name().to_owned(),
            description: self.description().to_owned(),
            cluster: Object(ClusterFile::from_cluster(self.cluster(), self.parameters())),
            partitioning: Object(self.partitioning().into()),
            sessions: self.sessions(),
            log_error: self.log_error(),
            policies: policies_to_file(self.parameters()),
            users: self.users().iter().map(|user| Object(user.into())).collect(),
            jobs: self.jobs().iter().map(job).collect(),
        }
    }

    /// The scenario as a file: the same scenario again when read.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(&self.to_file()).expect("a scenario has only keys that are text")
    }

    /// The same file without line ends and spaces: for links and storage.
    pub fn to_compact_json(&self) -> String {
        serde_json::to_string(&self.to_file()).expect("a scenario has only keys that are text")
    }
}

impl PolicyParameters {
    /// The same parameters but for one, whose name and value the policy checks. `null` removes it.
    ///
    /// # Errors
    /// No such policy or parameter, or a value that it cannot have.
    pub fn with(&self, policy: &str, name: &str, value: Value) -> Result<PolicyParameters, ScenarioError> {
        let mut parameters = self.clone();
        parameters.set(policy, name, value);
        parameter::check(&parameters)?;
        Ok(parameters)
    }
}

// The golden of messages is kept with insta, which is there for native tests only.
#[cfg(test)]
mod tests;
