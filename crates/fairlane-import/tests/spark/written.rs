//! Logs that tests write.

use fairlane_import::spark::{Import, ImportOptions, JobUnit, UserRule};
use serde_json::{Value, json};

use super::{log, sound};

/// A log that a test writes: lines of JSON.
#[derive(Clone, Default)]
pub struct Written(Vec<String>);

impl Written {
    /// A log of one executor with two cores.
    pub fn new() -> Written {
        Written::default().executor("1", 2, 1_000)
    }

    pub fn event(mut self, name: &str, mut fields: Value) -> Written {
        let fields = fields.as_object_mut().map(std::mem::take).unwrap_or_default();
        let fields: Vec<String> =
            fields.iter().map(|(key, value)| format!(",{}:{value}", json!(key))).collect();
        self.0.push(format!("{{\"Event\":\"{name}\"{}}}", fields.concat()));
        self
    }

    pub fn executor(self, id: &str, cores: u32, at: u64) -> Written {
        let info = json!({ "Total Cores": cores });
        self.event(
            "SparkListenerExecutorAdded",
            json!({ "Timestamp": at, "Executor ID": id, "Executor Info": info }),
        )
    }

    /// A job with stages: id, parents, first RDD.
    pub fn job(self, id: u64, at: u64, stages: &[(u64, &[u64], u64)], properties: Value) -> Written {
        let stages: Vec<Value> = stages
            .iter()
            .map(|(stage, parents, rdd)| {
                json!({ "Stage ID": stage, "Stage Name": format!("count {stage}"), "Parent IDs": parents,
                    "RDD Info": [{ "RDD ID": rdd }, { "RDD ID": 7 }] })
            })
            .collect();
        let fields =
            json!({ "Job ID": id, "Submission Time": at, "Stage Infos": stages, "Properties": properties });
        self.event("SparkListenerJobStart", fields)
    }

    pub fn job_end(self, id: u64, at: u64) -> Written {
        let fields =
            json!({ "Job ID": id, "Completion Time": at, "Job Result": { "Result": "JobSucceeded" } });
        self.event("SparkListenerJobEnd", fields)
    }

    /// A task of a stage on executor 1 that succeeded, with its start.
    pub fn task(self, id: u64, stage: u64, launch: u64, finish: u64) -> Written {
        self.any_task(id, stage, launch, finish, json!({}))
    }

    /// The same with other fields; those of `Task Info` under `info`.
    pub fn any_task(self, id: u64, stage: u64, launch: u64, finish: u64, mut other: Value) -> Written {
        let mut info = json!({ "Task ID": id, "Index": id, "Launch Time": launch, "Finish Time": 0, "Executor \
            ID": "1" });
        let mut fields = json!({ "Stage ID": stage, "Stage Attempt ID": 0, "Task Type": "ShuffleMapTask",
            "Task End Reason": { "Reason": "Success" } });
        merge(&mut info, other["info"].take());
        merge(&mut fields, other);
        let start =
            json!({ "Stage ID": stage, "Stage Attempt ID": fields["Stage Attempt ID"], "Task Info": info });
        info["Finish Time"] = json!(finish);
        fields["Task Info"] = info;
        self.event("SparkListenerTaskStart", start).event("SparkListenerTaskEnd", fields)
    }

    pub fn result(self, id: u64, stage: u64, launch: u64, finish: u64) -> Written {
        self.any_task(id, stage, launch, finish, json!({ "Task Type": "ResultTask" }))
    }

    pub fn completed(self, stage: u64, attempt: u32, failure: Option<&str>) -> Written {
        let info = json!({ "Stage ID": stage, "Stage Attempt ID": attempt, "Failure Reason": failure });
        self.event("SparkListenerStageCompleted", json!({ "Stage Info": info }))
    }

    pub fn execution(self, id: u64, root: u64, at: u64, description: &str) -> Written {
        let fields = json!({ "executionId": id, "rootExecutionId": root, "time": at, "description": description,
            "sparkPlanInfo": { "nodeName": "\"Scan\"" } });
        self.event("org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart", fields)
    }

    pub fn text(&self) -> String {
        self.0.iter().map(|line| format!("{line}\n")).collect()
    }

    #[track_caller]
    pub fn import(&self) -> Import {
        self.import_by(UserRule::Auto, None)
    }

    #[track_caller]
    pub fn import_by(&self, users: UserRule, jobs: Option<JobUnit>) -> Import {
        sound(
            log(self.text().as_bytes())
                .import(&ImportOptions { jobs, users, ..ImportOptions::default() })
                .expect("a log"),
        )
    }
}

fn merge(into: &mut Value, from: Value) {
    if let (Some(into), Value::Object(from)) = (into.as_object_mut(), from) {
        into.extend(from);
    }
}
