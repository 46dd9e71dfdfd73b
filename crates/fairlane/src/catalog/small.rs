//! Scenarios small enough to follow by eye.

/// A long job of ana's occupies all four cores; a tenth of a second later ben submits a short one,
/// whose deadline is earlier.
pub(super) fn priority_inversion() -> String {
    r#"{ "format": "fairlane/scenario@1", "name": "Priority inversion",
  "cluster": { "executors": 2, "cores_per_executor": 2, "task_overhead_s": 0.01 },
  "partitioning": { "advisory_task_runtime_s": 0.5 },
  "users": [{ "name": "ana" }, { "name": "ben" }],
  "jobs": [
    { "user": "ana", "name": "nightly", "arrival_s": 0,   "stages": [{ "name": "scan", "work_s": 24, "partitions": 4 }] },
    { "user": "ben", "name": "lookup",  "arrival_s": 0.1, "stages": [{ "name": "read", "work_s": 2, "partitions": 4 }] } ] }"#
        .to_owned()
}

/// One job on eight cores: eight partitions, one of them five times the others, and a second short
/// stage that has to wait for the straggler.
pub(super) fn skew() -> String {
    r#"{ "format": "fairlane/scenario@1", "name": "Skew: one partition five times the others",
  "cluster": { "executors": 2, "cores_per_executor": 4, "task_overhead_s": 0.01 },
  "partitioning": { "advisory_task_runtime_s": 0.25 },
  "users": [{ "name": "ana" }],
  "jobs": [
    { "user": "ana", "name": "report", "arrival_s": 0, "stages": [
      { "name": "scan", "work_s": 12, "partitions": 8, "profile": [1, 1, 5, 1, 1, 1, 1, 1] },
      { "name": "sum", "work_s": 1.6, "partitions": 8 }] } ] }"#
        .to_owned()
}

/// Twelve jobs of ana's at once, one of ben's a little later, on eight cores.
pub(super) fn two_users() -> String {
    let mut jobs: Vec<String> =
        (1..=12).map(|count| one_stage("ana", &format!("ana-{count}"), 0.0, 8.0, 16, "")).collect();
    jobs.push(one_stage("ben", "ben-1", 0.2, 8.0, 16, ""));
    file("Two users: many jobs against one", r#"{ "name": "ana" }, { "name": "ben" }"#, &jobs)
}

/// ana is owed three times ben's share; both submit the same ten jobs at once, on eight cores.
pub(super) fn weights() -> String {
    let jobs: Vec<String> = (1..=10)
        .flat_map(|count| {
            ["ana", "ben"].map(|user| one_stage(user, &format!("{user}-{count}"), 0.0, 8.0, 16, ""))
        })
        .collect();
    file("Weights: three shares against one", r#"{ "name": "ana", "weight": 3 }, { "name": "ben" }"#, &jobs)
}

/// A heavy user's twenty jobs fill eight cores for 40 s; three others arrive a little later with one job
/// each.
pub(super) fn heavy_first() -> String {
    let mut jobs: Vec<String> =
        (1..=20).map(|count| one_stage("heavy", &format!("heavy-{count}"), 0.0, 16.0, 16, "")).collect();
    for (user, arrival_s) in [("ana", 2.0), ("ben", 4.0), ("cleo", 6.0)] {
        jobs.push(one_stage(user, user, arrival_s, 8.0, 16, ""));
    }
    let users = ["heavy", "ana", "ben", "cleo"].map(|user| format!(r#"{{ "name": "{user}" }}"#));
    file("A heavy user arrives first", &users.join(", "), &jobs)
}

/// ana's job fans out into four branches after a short scan and joins them again; ben's is one stage.
pub(super) fn branches() -> String {
    let branch = |name: &str, work_s: f64| {
        format!(r#"{{ "name": "{name}", "parents": [0], "work_s": {work_s}, "partitions": 16 }}"#)
    };
    let branches = [branch("north", 16.0), branch("east", 16.0), branch("south", 16.0), branch("west", 24.0)];
    let ana = format!(
        r#"{{ "user": "ana", "name": "regions", "arrival_s": 0, "stages": [
      {{ "name": "scan", "work_s": 0.8, "partitions": 8 }},
      {},
      {{ "name": "join", "parents": [1, 2, 3, 4], "work_s": 1.6, "partitions": 8 }} ] }}"#,
        branches.join(",\n      ")
    );
    let ben = one_stage("ben", "lookup", 0.5, 16.0, 16, "");
    file("Parallel branches: a job of many stages", r#"{ "name": "ana" }, { "name": "ben" }"#, &[ana, ben])
}

/// Tasks of 20 ms that cost 50 ms each to launch.
pub(super) fn atr_too_small() -> String {
    r#"{ "format": "fairlane/scenario@1", "name": "ATR too small: overhead wins",
  "cluster": { "executors": 2, "cores_per_executor": 4, "task_overhead_s": 0.05 },
  "partitioning": { "advisory_task_runtime_s": 0.02 },
  "users": [{ "name": "ana" }, { "name": "ben" }],
  "jobs": [
    { "user": "ana", "name": "report", "arrival_s": 0, "stages": [{ "name": "scan", "work_s": 24, "partitions": 8, "profile": [1, 1, 1, 1, 1, 1, 3, 1] }] },
    { "user": "ben", "name": "lookup", "arrival_s": 1, "stages": [{ "name": "read", "work_s": 4, "partitions": 8 }] } ] }"#
        .to_owned()
}

/// The same kind of job with a heavy slice and cheap launches, but tasks of up to 10 s.
pub(super) fn atr_too_large() -> String {
    r#"{ "format": "fairlane/scenario@1", "name": "ATR too large: skew wins",
  "cluster": { "executors": 2, "cores_per_executor": 4, "task_overhead_s": 0.005 },
  "partitioning": { "advisory_task_runtime_s": 10, "min_partitions": "default" },
  "users": [{ "name": "ana" }, { "name": "ben" }],
  "jobs": [
    { "user": "ana", "name": "report", "arrival_s": 0, "stages": [{ "name": "scan", "work_s": 30, "partitions": 8, "profile": [1, 1, 1, 8, 1, 1, 1, 1] }] },
    { "user": "ben", "name": "lookup", "arrival_s": 1, "stages": [{ "name": "read", "work_s": 4, "partitions": 8 }] } ] }"#
        .to_owned()
}

/// ana's large job is estimated at a tenth of its work; the others' estimates are true.
pub(super) fn estimates_off() -> String {
    let jobs = [
        one_stage("ana", "nightly", 0.0, 64.0, 64, r#", "estimate_s": 6.4"#),
        one_stage("ben", "lookup", 0.1, 8.0, 16, ""),
        one_stage("cleo", "lookup", 0.2, 8.0, 16, ""),
    ];
    let users = r#"{ "name": "ana" }, { "name": "ben" }, { "name": "cleo" }"#;
    file("Estimates off by a factor of ten", users, &jobs)
}

/// A job of one stage; `more` is further keys of it.
fn one_stage(user: &str, name: &str, arrival_s: f64, work_s: f64, partitions: u32, more: &str) -> String {
    format!(
        r#"{{ "user": "{user}", "name": "{name}", "arrival_s": {arrival_s}, "stages": [{{ "name": "work", "work_s": {work_s}, "partitions": {partitions}{more} }}] }}"#
    )
}

/// A file on eight cores with a launch overhead of 10 ms.
fn file(name: &str, users: &str, jobs: &[String]) -> String {
    format!(
        r#"{{ "format": "fairlane/scenario@1", "name": "{name}",
  "cluster": {{ "executors": 2, "cores_per_executor": 4, "task_overhead_s": 0.01 }},
  "partitioning": {{ "advisory_task_runtime_s": 0.25 }},
  "users": [{users}],
  "jobs": [
    {} ] }}"#,
        jobs.join(",\n    ")
    )
}
