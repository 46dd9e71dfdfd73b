//! Scenarios small enough to follow by eye.

/// A long job of ana's takes all four cores; a tenth of a second later ben submits a short one,
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
    let job = |user: &str, name: &str, arrival_s: f64| {
        format!(
            r#"{{ "user": "{user}", "name": "{name}", "arrival_s": {arrival_s}, "stages": [{{ "name": "work", "work_s": 8, "partitions": 16 }}] }}"#
        )
    };
    let mut jobs: Vec<String> = (1..=12).map(|count| job("ana", &format!("ana-{count}"), 0.0)).collect();
    jobs.push(job("ben", "ben-1", 0.2));
    format!(
        r#"{{ "format": "fairlane/scenario@1", "name": "Two users: many jobs against one",
  "cluster": {{ "executors": 2, "cores_per_executor": 4, "task_overhead_s": 0.01 }},
  "partitioning": {{ "advisory_task_runtime_s": 0.25 }},
  "users": [{{ "name": "ana" }}, {{ "name": "ben" }}],
  "jobs": [
    {} ] }}"#,
        jobs.join(",\n    ")
    )
}
