//! Who submitted a job: users, groups, pools and sessions.

use fairlane::policy::spark::{Pool, PoolMode};
use fairlane::scenario::{Job, Sessions};
use fairlane_import::spark::{Import, ImportOptions, JobUnit, ModeSource, PoolSource, PoolsFile, UserRule};
use serde_json::json;

use super::{Written, log, sound, users};

#[test]
fn users_follow_the_rule() {
    let properties = |user: Option<&str>, pool: &str, group: &str| json!({ "user.name": user, "spark.scheduler.pool": pool, "spark.jobGroup.id": group });
    let written = Written::new()
        .job(0, 1_000, &[(0, &[], 1)], properties(Some("ana"), "etl", "a/1"))
        .job(1, 1_100, &[(1, &[], 2)], properties(None, "adhoc", "b/1"))
        .task(0, 0, 1_000, 1_100)
        .task(1, 1, 1_100, 1_200);
    let by = |rule: UserRule| users(&written.import_by(rule, None)).join(" ");
    assert_eq!(by(UserRule::Auto), "ana adhoc");
    assert_eq!(by("property".parse().expect("a rule")), "ana adhoc");
    assert_eq!(by(UserRule::Pool), "etl adhoc");
    assert_eq!(by(UserRule::Group(None)), "a/1 b/1");
    let options = ImportOptions { users: UserRule::Description(None), ..ImportOptions::default() };
    let error = log(written.text().as_bytes()).import(&options).expect_err("no description");
    assert!(
        error
            .to_string()
            .starts_with("--users description: no job of the log has a job description; it has: ")
    );
}

#[test]
fn users_can_be_read_from_any_property() {
    let properties =
        |user: &str, team: &str, site: &str| json!({ "user": user, "team": team, "callSite.short": site });
    let written = Written::new()
        .job(0, 1_000, &[(0, &[], 1)], properties("ana@home", "web", "a"))
        .job(1, 1_100, &[(1, &[], 2)], properties("ben@home", "etl", "b"))
        .job(2, 1_200, &[(2, &[], 3)], properties("cho@home", "web", "c"))
        .task(0, 0, 1_000, 1_100)
        .task(1, 1, 1_100, 1_200)
        .task(2, 2, 1_200, 1_300);
    // Databricks sets the property `user`.
    let import = written.import();
    assert_eq!(users(&import), ["ana@home", "ben@home", "cho@home"]);
    let offered: Vec<_> =
        import.report.users.offered.iter().map(|source| (source.source.as_str(), source.users)).collect();
    assert_eq!(offered[..2], [("property user.name", 0), ("property team", 2)], "{offered:?}");
    let team: UserRule = "property:team".parse().expect("a rule");
    assert_eq!(team.to_string(), "property:team");
    assert_eq!(users(&written.import_by(team, None)), ["web", "etl"]);
}

#[test]
fn jobs_of_one_group_are_a_group_of_the_scenario() {
    let of = |user: &str, group: &str, execution: Option<&str>| json!({ "user.name": user, "spark.jobGroup.id": group, "spark.sql.execution.id": execution });
    // Two jobs of ana's group, one of ben's of the same name, one alone in its group; then an SQL execution within
    // ana's group, and one whose jobs are in two groups.
    let written = Written::new()
        .job(0, 1_000, &[(0, &[], 1)], of("ana", "nightly", None))
        .job(1, 1_100, &[(1, &[], 2)], of("ana", "nightly", None))
        .job(2, 1_200, &[(2, &[], 3)], of("ben", "nightly", None))
        .job(3, 1_300, &[(3, &[], 4)], of("ana", "alone", None))
        .job(4, 1_400, &[(4, &[], 5)], of("ana", "nightly", Some("1")))
        .job(5, 1_500, &[(5, &[], 6)], of("ana", "nightly", Some("2")))
        .job(6, 1_600, &[(6, &[], 7)], of("ana", "other", Some("2")));
    let written =
        (0..7).fold(written, |written, id| written.task(id, id, 1_000 + 100 * id, 1_100 + 100 * id));
    let groups = |import: &Import| -> Vec<String> {
        import.scenario.jobs().iter().map(|job| job.group.clone()).collect()
    };
    let import = written.import();
    assert_eq!(groups(&import), ["nightly", "nightly", "", "", "nightly", ""]);
    let jobs = &import.report.jobs;
    assert_eq!((jobs.groups, jobs.in_groups, jobs.in_several_groups), (1, 3, 1));
    let spark = written.import_by(UserRule::Auto, Some(JobUnit::Spark));
    assert_eq!(groups(&spark), ["nightly", "nightly", "", "", "nightly", "nightly", ""]);
    assert_eq!((spark.report.jobs.in_groups, spark.report.jobs.in_several_groups), (4, 0));
    // Groups that are users are no groups as well.
    assert!(groups(&written.import_by(UserRule::Group(None), None)).concat().is_empty());
    // The one of ana, and the three other jobs.
    let groups = fairlane::metrics::job_groups(&import.scenario);
    assert_eq!(groups.len(), 4, "{groups:?}");
}

#[test]
fn users_of_sql_sessions_are_known_by_group_or_tag() {
    let import = Written::new()
        .event(
            "org.apache.spark.sql.connect.service.SparkListenerConnectOperationStarted",
            json!({ "jobTag": "tag-1", "userId": "ana" }),
        )
        .event(
            "org.apache.spark.sql.hive.thriftserver.ui.SparkListenerThriftServerOperationStart",
            json!({ "groupId": "group-1", "userName": "ben" }),
        )
        .job(0, 1_000, &[(0, &[], 1)], json!({ "spark.job.tags": "other,tag-1" }))
        .job(1, 1_100, &[(1, &[], 2)], json!({ "spark.jobGroup.id": "group-1" }))
        .task(0, 0, 1_000, 1_100)
        .task(1, 1, 1_100, 1_200)
        .import();
    assert_eq!(users(&import), ["ana", "ben"]);
}

#[test]
fn pools_are_as_declared_or_as_spark_makes_them() {
    let in_pool = |pool: &str| json!({ "user.name": "ana", "spark.scheduler.pool": pool });
    let jobs = Written::new()
        .job(0, 1_000, &[(0, &[], 1)], in_pool("etl"))
        .job(1, 1_100, &[(1, &[], 2)], in_pool("adhoc"))
        .job(2, 1_200, &[(2, &[], 3)], json!({ "user.name": "ben" }))
        .task(0, 0, 1_000, 1_100)
        .task(1, 1, 1_100, 1_200)
        .task(2, 2, 1_200, 1_300);
    let fair = json!({ "spark.scheduler.mode": "FAIR" });
    let written = jobs.clone().event("SparkListenerEnvironmentUpdate", json!({ "Spark Properties": fair }));
    let pools = |import: &Import| fairlane::policy::spark::pools(&import.scenario);
    let import = written.import();
    assert_eq!(
        (import.report.cluster.ran_with, import.report.cluster.mode_source),
        ("spark", ModeSource::Log)
    );
    let of_jobs: Vec<&str> = import.scenario.jobs().iter().map(|job| job.pool.as_str()).collect();
    assert_eq!(of_jobs, ["etl", "adhoc", ""]);
    // Without any pools file Spark 3 makes the pool default FAIR.
    let default = Pool { mode: PoolMode::Fair, ..Pool::named("default") };
    assert_eq!(pools(&import), [Pool::named("adhoc"), default, Pool::named("etl")]);
    assert!(import.report.cluster.pools.iter().all(|pool| pool.source == PoolSource::Assumed));

    let file = "<allocations><pool name=\"etl\"><schedulingMode>FAIR</schedulingMode><weight>3</weight></pool></allocations>";
    let file = PoolsFile::read("pools.xml", file).expect("pools");
    let options = ImportOptions { pools: Some(file), ..ImportOptions::default() };
    let import = sound(log(written.text().as_bytes()).import(&options).expect("a log"));
    let etl = Pool { mode: PoolMode::Fair, weight: 3, ..Pool::named("etl") };
    assert_eq!(pools(&import), [Pool::named("adhoc"), Pool::named("default"), etl]);
    let sources: Vec<PoolSource> = import.report.cluster.pools.iter().map(|pool| pool.source).collect();
    assert_eq!(sources, [PoolSource::Assumed, PoolSource::Assumed, PoolSource::Declared]);

    // Without the settings the mode is unknown, and the report asks for it.
    let import = jobs.import();
    let asks = |import: &Import| {
        let sections = import.report.sections();
        sections.iter().flat_map(|section| &section.details).any(|detail| detail.contains("--mode fair"))
    };
    assert_eq!((import.report.cluster.mode_source, asks(&import)), (ModeSource::Assumed, true));
    let options = ImportOptions { mode: Some(PoolMode::Fifo), ..ImportOptions::default() };
    let import = log(jobs.text().as_bytes()).import(&options).expect("a log");
    assert_eq!((import.report.cluster.scheduler_mode, asks(&import)), (PoolMode::Fifo, false));
}

#[test]
fn users_whose_jobs_never_overlap_wait_for_their_answers() {
    let of = |user: &str, group: &str| json!({ "user.name": user, "spark.jobGroup.id": group });
    // ana asks one after the other and pauses; two of ben's jobs overlap, but not those of his notebook.
    let written = Written::new()
        .job(0, 1_000, &[(0, &[], 1)], of("ana", ""))
        .job(1, 1_250, &[(1, &[], 2)], of("ana", ""))
        .job(2, 1_000, &[(2, &[], 3)], of("ben", "notebook"))
        .job(3, 1_150, &[(3, &[], 4)], of("ben", "notebook"))
        .job(4, 1_160, &[(4, &[], 5)], of("ben", ""))
        .job(5, 701_400, &[(5, &[], 6)], of("ana", ""))
        .task(0, 0, 1_000, 1_100)
        .task(1, 1, 1_250, 1_300)
        .task(2, 2, 1_000, 1_100)
        .task(3, 3, 1_150, 1_250)
        .task(4, 4, 1_260, 1_400)
        .task(5, 5, 701_400, 701_500);
    let import = written.import();
    let after = |job: &Job| job.after.map(|before| (before.job.0, before.think.0 / 1_000));
    let waits: Vec<_> = import.scenario.jobs().iter().map(after).collect();
    assert_eq!(waits, [None, None, Some((1, 50)), None, Some((0, 150)), None]);
    assert_eq!((import.report.sessions.sessions, import.report.sessions.jobs_that_wait), (2, 2));
    assert!(import.scenario.has_sessions());
    let options = ImportOptions { arrivals: Sessions::Open, ..ImportOptions::default() };
    assert!(!sound(log(written.text().as_bytes()).import(&options).expect("a log")).scenario.has_sessions());
}
