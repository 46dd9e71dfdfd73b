//! Answers of the REST API of Spark's History Server.

use fairlane_import::spark::{Import, ImportError, ImportOptions, Log, UserRule};
use serde_json::{Value, json};

use super::answers::{self, task_lists};
use super::files::text_of;
use super::{sound, users};

fn read(answers: &[(String, Value)]) -> Result<Log, ImportError> {
    let mut log = Log::default();
    for (path, answer) in answers {
        log.read(path, serde_json::to_string_pretty(answer).expect("JSON").as_bytes())?;
    }
    Ok(log)
}

#[track_caller]
fn import(answers: &[(String, Value)]) -> Import {
    let log = read(answers).expect("answers");
    sound(log.import(&ImportOptions { users: UserRule::Pool, ..ImportOptions::default() }).expect("a log"))
}

/// What answers and the event log have in common: name, user, group, arrival and the stages' tasks of each job.
fn jobs(import: &Import) -> Vec<String> {
    let jobs = import.scenario.jobs().iter();
    let text = jobs.map(|job| {
        let user = &import.scenario.users()[job.user.index()].name;
        let stages = job.stages.iter().map(|stage| format!("{}: {}", stage.name, stage.partitions));
        format!("{} {user} {} {} {:?}", job.name, job.group, job.arrival.0, stages.collect::<Vec<_>>())
    });
    text.collect()
}

/// When each job's last task ended, in ms.
fn ends(import: &Import) -> Vec<u64> {
    import.observed.jobs.iter().filter_map(|job| job.response()).map(|response| response.0 / 1000).collect()
}

#[test]
fn answers_and_the_event_log_give_the_same_jobs() {
    for name in ["multi-fair.gz", "faults.gz", "pitfalls-cluster.gz"] {
        let text = String::from_utf8(text_of(name)).expect("text");
        let mut log = Log::default();
        log.read("log", text.as_bytes()).expect("a log");
        let from_log = sound(
            log.import(&ImportOptions { users: UserRule::Pool, ..ImportOptions::default() }).expect("a log"),
        );
        let mut answers = answers::of(&text);
        let from_answers = import(&answers);
        assert_eq!(jobs(&from_answers), jobs(&from_log), "{name}");
        assert_eq!(from_answers.report.tasks.in_log, from_log.report.tasks.in_log);
        assert_eq!(from_answers.report.tasks.imported, from_log.report.tasks.imported);
        assert_eq!(from_answers.report.cluster.scheduler_mode, from_log.report.cluster.scheduler_mode);
        assert_eq!(from_answers.scenario.cluster().cores(), from_log.scenario.cluster().cores());
        assert_eq!(from_answers.report.application.name, from_log.report.application.name);
        // Orders between stages are guessed from times, so a late stamp may be corrected in one and not the other.
        for (answer, log) in ends(&from_answers).iter().zip(ends(&from_log)) {
            assert!(answer.abs_diff(log) <= 100, "{name}: {answer} {log}");
        }
        // Lists of tasks by themselves, and whatever the order of the files.
        let lists = task_lists(&mut answers[5].1);
        answers.splice(0..0, lists);
        assert_eq!(import(&answers).observed, from_answers.observed, "{name}");
    }
}

fn stage(id: u64, submitted: u64, completed: u64, tasks: Value) -> Value {
    let count = tasks.as_object().map_or(0, serde_json::Map::len);
    json!({ "status": "COMPLETE", "stageId": id, "attemptId": 0, "numCompleteTasks": count, "name": "count", "rddIds": [id],
        "schedulingPool": "ana", "submissionTime": answers::date(&json!(submitted)),
        "completionTime": answers::date(&json!(completed)), "tasks": tasks, "shuffleWriteBytes": 10 })
}

fn task(id: u64, launch: u64, duration: u64) -> (String, Value) {
    let task = json!({ "taskId": id, "index": 0, "attempt": 0, "launchTime": answers::date(&json!(launch)),
        "duration": duration, "executorId": "1", "status": "SUCCESS", "speculative": false });
    (id.to_string(), task)
}

fn written(stages: Value, job_stages: &[u64]) -> Vec<(String, Value)> {
    let job = json!([{ "jobId": 7, "name": "count", "status": "SUCCEEDED", "stageIds": job_stages,
        "submissionTime": answers::date(&json!(1_000)), "jobGroup": "nightly" }]);
    let executors = json!([{ "id": "driver", "totalCores": 0, "maxMemory": 0 }, { "id": "1", "totalCores": 2, "maxMemory": 0 }]);
    [("stages", stages), ("jobs", job), ("executors", executors)]
        .map(|(path, json)| (path.to_owned(), json))
        .into()
}

#[test]
fn a_stage_waits_for_what_had_ended_when_it_was_submitted() {
    // 0 and 1 side by side, 2 after the first of them, 3 after all; 4 was skipped.
    let one = |id: u64, launch: u64, duration: u64| json!({ id.to_string(): task(id, launch, duration).1 });
    let stages = json!([
        stage(3, 1_400, 1_500, one(3, 1_400, 100)),
        stage(2, 1_100, 1_390, one(2, 1_100, 290)),
        stage(1, 1_000, 1_390, one(1, 1_000, 390)),
        stage(0, 1_000, 1_100, one(0, 1_000, 100)),
        json!({ "status": "SKIPPED", "stageId": 4, "attemptId": 0, "name": "skipped" }),
    ]);
    let import = import(&written(stages, &[0, 1, 2, 3, 4]));
    assert_eq!(super::parents(&import, 0), [vec![], vec![], vec![0], vec![1, 2]]);
    assert_eq!((users(&import), import.report.stages.skipped), (vec!["ana"], 1));
    assert_eq!(import.scenario.cluster().cores(), 2, "a driver without cores runs no tasks");
}

#[test]
fn tasks_that_are_not_listed_are_counted() {
    let tasks: serde_json::Map<String, Value> =
        [task(0, 1_000, 100), task(1, 1_000, 50)].into_iter().collect();
    let mut partly = stage(0, 1_000, 1_100, Value::Object(tasks));
    partly["numCompleteTasks"] = json!(5);
    let mut running = stage(1, 1_000, 1_100, json!({ "9": task(9, 1_000, 20).1 }));
    running["tasks"]["9"]["status"] = json!("RUNNING");
    let import = import(&written(json!([partly, running]), &[0, 1]));
    let tasks = &import.report.tasks;
    assert_eq!((tasks.in_log, tasks.imported), (6, 2));
    let left_out: Vec<u64> = tasks.left_out.values().copied().collect();
    assert_eq!(left_out, [3, 1], "{:?}", tasks.left_out);
}

#[test]
fn errors_name_file_line_and_remedy() {
    let message = |path: &str, text: &str| {
        Log::default().read(path, text.as_bytes()).err().map(|error| error.to_string())
    };
    let list = json!([task(0, 1_000, 100).1]).to_string();
    assert_eq!(message("stages/3/0/taskList.json", &list), None);
    let error = message("taskList.json", &list).expect("no stage");
    assert!(error.ends_with("save them as stages/STAGE/ATTEMPT/taskList"), "{error}");
    let error = message("jobs", "[ {\n  \"jobId\" : 1,\n  \"submissionTime\" : \"yesterday\"\n} ]")
        .expect("no instant");
    assert!(
        error.starts_with("jobs, line 4: is not what Spark's REST API gives: the instant \"yesterday\""),
        "{error}"
    );
    assert!(message("jobs", "[ [ 1, 2 ] ]").expect("no object").contains("expected an object"));
    let mut log = Log::default();
    log.read("log", super::Written::new().text().as_bytes()).expect("a log");
    assert!(log.read("jobs", "[]".as_bytes()).expect_err("both").to_string().contains("not both"));
    let mut log = Log::default();
    log.read("jobs", "[]".as_bytes()).expect("an answer");
    assert!(log.read("log", super::Written::new().text().as_bytes()).is_err());
    // A download that was cut off is read up to there.
    let mut log = Log::default();
    log.read("jobs", "[ {\n  \"jobId\" : 1, \"stageIds\" : [ 0 ]\n}, {\n  \"jobId".as_bytes())
        .expect("the first job");
}
