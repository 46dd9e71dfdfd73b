//! What the REST API of Spark's History Server gives for an event log, made from the log: the fields that the server
//! has, in its spelling and order.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The answers by the paths under which they are saved.
pub fn of(log: &str) -> Vec<(String, Value)> {
    let events: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    vec![
        ("application".to_owned(), application(&events)),
        ("environment".to_owned(), {
            let settings = events.iter().filter_map(|event| event["Spark Properties"].as_object());
            let pairs = settings.flatten().map(|(name, value)| json!([name, value]));
            json!({ "runtime": { "javaVersion": "17" }, "sparkProperties": pairs.collect::<Vec<_>>() })
        }),
        ("allexecutors".to_owned(), executors(&events)),
        ("jobs".to_owned(), jobs(&events)),
        ("sql".to_owned(), executions(&events)),
        ("stages".to_owned(), stages(&events)),
    ]
}

fn is(event: &Value, name: &str) -> bool {
    event["Event"].as_str().is_some_and(|event| event.rsplit('.').next() == Some(name))
}

/// An instant in ms since 1970 as the server writes it.
pub fn date(millis: &Value) -> Value {
    let Some(millis) = millis.as_u64().filter(|&millis| millis > 0) else { return Value::Null };
    let (mut days, ms) = (millis / 86_400_000, millis % 86_400_000);
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let (month, day, s) = (month + 1, days + 1, ms / 1000);
    json!(format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}GMT",
        s / 3600,
        s / 60 % 60,
        s % 60,
        ms % 1000
    ))
}

/// An object without the fields that are null: the server leaves them away.
fn object(mut value: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    value
}

fn application(events: &[Value]) -> Value {
    let start =
        events.iter().find(|event| is(event, "SparkListenerApplicationStart")).cloned().unwrap_or_default();
    let version = events.iter().find_map(|event| event["Spark Version"].as_str()).unwrap_or_default();
    let end = events.iter().find(|event| is(event, "SparkListenerApplicationEnd"));
    let attempt = json!({
        "startTime": date(&start["Timestamp"]), "endTime": end.map(|end| date(&end["Timestamp"])),
        "sparkUser": start["User"], "completed": end.is_some(), "appSparkVersion": version,
    });
    json!({ "id": start["App ID"], "name": start["App Name"], "attempts": [attempt] })
}

fn executors(events: &[Value]) -> Value {
    let mut executors: BTreeMap<String, Value> = BTreeMap::new();
    for event in events {
        let manager = &event["Block Manager ID"]["Executor ID"];
        let Some(id) = event["Executor ID"].as_str().or(manager.as_str()) else { continue };
        let known = executors.entry(id.to_owned()).or_insert_with(
            || json!({ "id": id, "isActive": true, "totalCores": 0, "maxMemory": 0, "executorLogs": {} }),
        );
        if is(event, "SparkListenerExecutorAdded") {
            known["totalCores"] = event["Executor Info"]["Total Cores"].clone();
            known["addTime"] = date(&event["Timestamp"]);
        } else if is(event, "SparkListenerExecutorRemoved") {
            known["isActive"] = json!(false);
            known["removeTime"] = date(&event["Timestamp"]);
        } else if is(event, "SparkListenerBlockManagerAdded") {
            known["maxMemory"] = event["Maximum Memory"].clone();
        }
    }
    executors.into_values().collect()
}

fn jobs(events: &[Value]) -> Value {
    let ends: BTreeMap<u64, &Value> = events
        .iter()
        .filter(|event| is(event, "SparkListenerJobEnd"))
        .filter_map(|event| Some((event["Job ID"].as_u64()?, event)))
        .collect();
    let starts = events.iter().filter(|event| is(event, "SparkListenerJobStart"));
    // The last job is the first of the list.
    let jobs = starts.rev().map(|start| {
        let end = start["Job ID"].as_u64().and_then(|id| ends.get(&id));
        let stages = start["Stage Infos"].as_array().cloned().unwrap_or_default();
        let last = stages.iter().max_by_key(|stage| stage["Stage ID"].as_u64()).cloned().unwrap_or_default();
        let status = match end.map(|end| end["Job Result"]["Result"] == "JobSucceeded") {
            None => "RUNNING",
            Some(true) => "SUCCEEDED",
            Some(false) => "FAILED",
        };
        let properties = &start["Properties"];
        let tags = properties["spark.job.tags"].as_str().map(|tags| tags.split(',').collect::<Vec<_>>());
        object(json!({
            "jobId": start["Job ID"], "name": last["Stage Name"],
            "description": properties["spark.job.description"],
            "submissionTime": date(&start["Submission Time"]),
            "completionTime": end.map(|end| date(&end["Completion Time"])),
            "stageIds": stages.iter().map(|stage| stage["Stage ID"].clone()).collect::<Vec<_>>(),
            "jobGroup": properties["spark.jobGroup.id"], "jobTags": tags.unwrap_or_default(),
            "status": status, "killedTasksSummary": {},
        }))
    });
    jobs.collect()
}

fn executions(events: &[Value]) -> Value {
    let starts = events.iter().filter(|event| is(event, "SparkListenerSQLExecutionStart"));
    let executions = starts.map(|start| {
        let id = &start["executionId"];
        let end =
            events.iter().find(|event| is(event, "SparkListenerSQLExecutionEnd") && event["executionId"] == *id);
        let failed = end.is_some_and(|end| end["errorMessage"].as_str().is_some_and(|error| !error.is_empty()));
        let of_it = events.iter().filter(|event| {
            let execution = &event["Properties"]["spark.sql.execution.id"];
            is(event, "SparkListenerJobStart") && execution.as_str() == Some(&id.to_string())
        });
        let status = if failed { "FAILED" } else { end.map_or("RUNNING", |_| "COMPLETED") };
        object(json!({
            "id": id, "status": status, "description": start["description"], "planDescription": "",
            "submissionTime": date(&start["time"]), "rootExecutionId": start["rootExecutionId"],
            "runningJobIds": [], "failedJobIds": [],
            "successJobIds": of_it.map(|job| job["Job ID"].clone()).collect::<Vec<_>>(), "nodes": [], "edges": [],
        }))
    });
    executions.collect()
}

/// All attempts at stages with their tasks, as `stages?details=true` gives them.
fn stages(events: &[Value]) -> Value {
    let mut stages: BTreeMap<(u64, u64), Value> = BTreeMap::new();
    let mut tasks: BTreeMap<(u64, u64), BTreeMap<String, Value>> = BTreeMap::new();
    let key =
        |info: &Value| Some((info["Stage ID"].as_u64()?, info["Stage Attempt ID"].as_u64().unwrap_or(0)));
    let described = |info: &Value, pool: &Value, status: &str| {
        let rdds = info["RDD Info"].as_array().cloned().unwrap_or_default();
        object(json!({
            "status": status, "stageId": info["Stage ID"], "attemptId": info["Stage Attempt ID"].as_u64().unwrap_or(0),
            "name": info["Stage Name"], "schedulingPool": pool, "failureReason": info["Failure Reason"],
            "submissionTime": date(&info["Submission Time"]), "completionTime": date(&info["Completion Time"]),
            "rddIds": rdds.iter().map(|rdd| rdd["RDD ID"].clone()).collect::<Vec<_>>(),
        }))
    };
    for event in events {
        let pool = json!(event["Properties"]["spark.scheduler.pool"].as_str().unwrap_or("default"));
        if is(event, "SparkListenerJobStart") {
            for info in event["Stage Infos"].as_array().into_iter().flatten() {
                let Some(key) = key(info) else { continue };
                stages.entry(key).or_insert_with(|| described(info, &pool, "SKIPPED"));
            }
        } else if is(event, "SparkListenerStageSubmitted") {
            let info = &event["Stage Info"];
            key(info).map(|key| stages.insert(key, described(info, &pool, "ACTIVE")));
        } else if is(event, "SparkListenerStageCompleted") {
            let info = &event["Stage Info"];
            let Some(key) = key(info) else { continue };
            let pool = stages.get(&key).map_or(pool, |stage| stage["schedulingPool"].clone());
            let status = if info["Failure Reason"].is_null() { "COMPLETE" } else { "FAILED" };
            stages.insert(key, described(info, &pool, status));
        } else if is(event, "SparkListenerTaskStart") || is(event, "SparkListenerTaskEnd") {
            let (Some(key), Some(id)) = (key(event), event["Task Info"]["Task ID"].as_u64()) else {
                continue;
            };
            tasks.entry(key).or_default().insert(id.to_string(), task(event));
            if event["Task Type"] == "ShuffleMapTask"
                && let Some(stage) = stages.get_mut(&key)
            {
                stage["shuffleWriteTime"] = json!(1);
            }
        }
    }
    for (key, tasks) in tasks {
        let Some(stage) = stages.get_mut(&key) else { continue };
        let count = |status: &str| tasks.values().filter(|task| task["status"] == status).count();
        for (field, status) in [
            ("numActiveTasks", "RUNNING"),
            ("numCompleteTasks", "SUCCESS"),
            ("numFailedTasks", "FAILED"),
            ("numKilledTasks", "KILLED"),
        ] {
            stage[field] = json!(count(status));
        }
        stage["tasks"] = tasks.into_iter().collect();
    }
    stages.into_values().collect()
}

fn task(event: &Value) -> Value {
    let (info, metrics) = (&event["Task Info"], &event["Task Metrics"]);
    let status = match event["Task End Reason"]["Reason"].as_str() {
        _ if is(event, "SparkListenerTaskStart") => "RUNNING",
        Some("Success") => "SUCCESS",
        Some("TaskKilled") => "KILLED",
        _ => "FAILED",
    };
    let [launch, finish] = ["Launch Time", "Finish Time"].map(|field| info[field].as_u64().unwrap_or(0));
    let metric = |name: &str| metrics[name].as_u64().unwrap_or(0);
    let metrics = metrics.is_object().then(|| {
        json!({
            "executorDeserializeTime": metric("Executor Deserialize Time"), "executorRunTime": metric("Executor Run Time"),
            "resultSerializationTime": metric("Result Serialization Time"),
            "peakExecutionMemory": metric("Peak Execution Memory"),
        })
    });
    object(json!({
        "taskId": info["Task ID"], "index": info["Index"], "attempt": info["Attempt"], "launchTime": date(&info["Launch Time"]),
        "duration": finish.checked_sub(launch), "executorId": info["Executor ID"], "host": info["Host"],
        "status": status, "taskLocality": info["Locality"], "speculative": info["Speculative"],
        "accumulatorUpdates": [], "taskMetrics": metrics, "executorLogs": {},
    }))
}

/// The lists of tasks as files of their own, as `stages/ID/ATTEMPT/taskList` gives them; removes them from the stages.
pub fn task_lists(stages: &mut Value) -> Vec<(String, Value)> {
    let mut lists = Vec::new();
    for stage in stages.as_array_mut().into_iter().flatten() {
        let path = format!("stages/{}/{}/taskList", stage["stageId"], stage["attemptId"]);
        let tasks = stage.as_object_mut().and_then(|stage| stage.remove("tasks"));
        let Some(Value::Object(tasks)) = tasks else { continue };
        lists.push((path, tasks.into_values().collect()));
    }
    lists
}
