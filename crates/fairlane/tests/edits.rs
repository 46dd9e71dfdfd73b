//! Edits of random scenarios: whatever is done to one, it stays one.

use crate::common;
use crate::common::Random;
use fairlane::Scenario;
use fairlane::ids::{JobId, UserId};
use fairlane::policy::parameters;
use fairlane::scenario::edit::{ObjectPath, Shift};
use fairlane::scenario::field::{Field, FieldKind};
use fairlane::scenario::palette::JobTemplate;
use fairlane::scenario::{Edit, Job, PerformanceCurve, Queue, QueueKind};
use fairlane::units::{SlotTime, Span, Time, Weight};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A figure in microseconds: often round, now and then none or far too much.
fn micros(random: &mut Random) -> u64 {
    match random.below(10) {
        0 => 0,
        1 => random.next(),
        2 => random.below(1 << 51),
        3..=5 => random.below(20_000_000),
        _ => 250_000 * random.below(80),
    }
}

/// A small number that is now and then 0 or enormous.
fn count(random: &mut Random) -> u32 {
    match random.below(20) {
        0 => 0,
        1 => random.next() as u32,
        _ => random.between(1, 12) as u32,
    }
}

/// A name that may be empty, taken or hard to write down.
fn name(random: &mut Random) -> String {
    random.pick(&["", "ana", "b2", "new", "Zoë", "\u{0}\"\\\n\u{1F600}", "a 2", "7"]).to_owned()
}

/// A place in a list of so many, now and then beyond it.
fn place(random: &mut Random, len: usize) -> u32 {
    if random.percent(5) { random.below(len as u64 + 3) as u32 } else { random.below(len as u64) as u32 }
}

fn job(random: &mut Random, scenario: &Scenario) -> JobId {
    JobId(place(random, scenario.jobs().len()))
}

fn user(random: &mut Random, scenario: &Scenario) -> UserId {
    UserId(place(random, scenario.users().len()))
}

fn jobs(random: &mut Random, scenario: &Scenario) -> Vec<JobId> {
    (0..random.below(4)).map(|_| job(random, scenario)).collect()
}

fn shift(random: &mut Random) -> Shift {
    match random.below(20) {
        0 => Shift(random.next() as i64),
        _ => Shift(250_000 * (random.below(41) as i64 - 20)),
    }
}

/// A factor that is now and then none.
fn factor(random: &mut Random) -> f64 {
    random.pick(&[1.0, 1.5, 0.5, 3.25, 0.0, -1.0, 1e-9, f64::NAN, f64::INFINITY])
}

fn points(random: &mut Random) -> Vec<(u32, f64)> {
    (0..random.below(4)).map(|_| (count(random), factor(random))).collect()
}

fn curve(random: &mut Random) -> PerformanceCurve {
    match random.below(2) {
        0 => PerformanceCurve::Ernest([(); 4].map(|()| random.pick(&[0.0, 0.1, 2.0, -0.5, f64::NAN]))),
        _ => PerformanceCurve::Points(points(random)),
    }
}

/// A value for a field, sound or not.
fn value(random: &mut Random, field: &Field) -> Value {
    match field.kind {
        _ if random.percent(10) => Value::Null,
        FieldKind::Text => name(random).into(),
        FieldKind::Number if field.is_time() => Span(micros(random)).seconds().into(),
        FieldKind::Number => factor(random).into(),
        FieldKind::Count => count(random).into(),
        FieldKind::Whole => random.pick(&[0, 1, 256, 4096, u64::MAX]).into(),
        FieldKind::Choice(options) => random.pick(&[options[0].0, options[1].0, "never"]).into(),
        FieldKind::Flag => random.percent(50).into(),
        FieldKind::Stages => (0..random.below(3)).map(|_| random.below(4)).collect(),
        FieldKind::Compound if field.name == "queue" => json!({ "kind": "latency", "demand_core_s": 3 }),
        FieldKind::Compound | FieldKind::Former => json!(points(random)),
    }
}

/// An edit of any field of any object.
fn of_field(random: &mut Random, scenario: &Scenario) -> Edit {
    let (user, job) = (user(random, scenario), job(random, scenario));
    let stages = scenario.jobs().get(job.index()).map_or(1, |job| job.stages.len());
    let of = match random.below(10) {
        0 => ObjectPath::Scenario,
        1 => ObjectPath::Cluster,
        2 => ObjectPath::Partitioning,
        3 => {
            let sets = parameters::sets();
            let set = sets[random.below(sets.len() as u64) as usize];
            let name = set.parameters.get(random.below(3) as usize).map_or("none", |it| it.name);
            let value = random.pick(&["top", "never"]);
            let value: Value = if random.percent(30) { value.into() } else { factor(random).into() };
            return Edit::set(ObjectPath::Policy(set.id.into()), name, value);
        }
        4 => ObjectPath::User(user),
        5 => ObjectPath::Queue(user),
        6 | 7 => ObjectPath::Job(job),
        _ => ObjectPath::Stage(job, place(random, stages)),
    };
    let field = &of.fields()[random.below(of.fields().len() as u64) as usize];
    if matches!(of, ObjectPath::Job(_)) && field.name == "user" && random.percent(70) {
        let name = scenario.users().get(user.index()).map_or("nobody", |user| &user.name);
        return Edit::set(of, "user", name);
    }
    let value = value(random, field);
    Edit::set(of, field.name, value)
}

/// Any edit, sound or not.
fn edit(random: &mut Random, scenario: &Scenario) -> Edit {
    let weight = Weight::new(random.pick(&[1.0, 2.0, 0.3, 1e-6, 1e6])).expect("a weight");
    match random.below(28) {
        7 => Edit::AddUser { name: name(random), weight },
        8 => Edit::AddUser { name: scenario.free_user_name(), weight },
        9 => Edit::ReorderUser { user: user(random, scenario), index: random.below(6) as usize },
        10 if random.percent(30) => Edit::RemoveUser(user(random, scenario)),
        11 | 12 => {
            let lanes = if random.percent(50) { 0 } else { random.next() as i32 };
            Edit::Move { jobs: jobs(random, scenario), by: shift(random), lanes }
        }
        17 => Edit::AddJob {
            kind: random.pick(&JobTemplate::ALL),
            user: user(random, scenario),
            arrival: Time(micros(random)),
        },
        18 => Edit::Duplicate { jobs: jobs(random, scenario), by: shift(random) },
        19 => Edit::Delete { jobs: jobs(random, scenario) },
        20 => match random.below(10) {
            0 => Edit::PerfectEstimates,
            1 => Edit::Load(factor(random)),
            2 => Edit::EstimateErrors { factor: factor(random), seed: random.next() },
            _ => Edit::Claim { user: user(random, scenario), factor: factor(random) },
        },
        21..=23 => {
            let job = job(random, scenario);
            let stages = scenario.jobs().get(job.index()).map_or(1, |job| job.stages.len());
            let stage = place(random, stages);
            let weight = random.pick(&[0.0, 0.5, 1.0, 3.0, 1e-7, 1e300, -1.0, f64::NAN, f64::INFINITY]);
            match random.below(6) {
                0 => Edit::AddStage(job),
                1 => Edit::RemoveStage(job, stage),
                2 => Edit::Curve { job, curve: Some(curve(random)), handle: None },
                3 => Edit::Slices(job, stage, count(random)),
                _ => Edit::Slice(job, stage, random.below(6) as u32, weight),
            }
        }
        _ => of_field(random, scenario),
    }
}

fn scenario(seed: u64, jobs: u64) -> Scenario {
    Scenario::from_json(&common::random_scenario_of(seed, jobs)).expect("the generator makes sound files")
}

fn after(scenario: &Scenario, edit: &Edit) -> Scenario {
    scenario.with(edit).expect("a sound edit")
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn edits_fail_with_a_reason_or_make_a_scenario_that_a_file_can_hold(
        seed in any::<u64>(), jobs in 1..8_u64, edits in 1..30_usize,
    ) {
        let mut random = Random::new(!seed);
        let mut scenario = scenario(seed, jobs);
        for _ in 0..edits {
            let edit = edit(&mut random, &scenario);
            prop_assert!(!edit.title(&scenario).is_empty());
            match scenario.edited(&edit) {
                Err(error) => {
                    prop_assert!(!error.message.is_empty() && !error.path.is_empty(), "{edit:?}: {error}");
                }
                Ok(edited) => {
                    let read = Scenario::from_json(&edited.scenario.to_json());
                    prop_assert!(read == Ok(edited.scenario.clone()), "after {edit:?}");
                    let all = 0..edited.scenario.jobs().len() as u32;
                    prop_assert!(edited.jobs.iter().all(|job| all.contains(&job.0)), "{edit:?}");
                    prop_assert!(edited.jobs.is_sorted(), "{edit:?}");
                    // The new numbers name the same jobs, of the same users.
                    for before in (0..scenario.jobs().len() as u32).map(JobId) {
                        let Some(now) = edited.job_now(before) else { continue };
                        prop_assert!(now.index() < edited.scenario.jobs().len());
                        let of_all = matches!(edit, Edit::PerfectEstimates | Edit::EstimateErrors
                            { .. } | Edit::Claim { .. });
                        if !edited.jobs.contains(&now) && !of_all {
                            let (was, is) = (&scenario.jobs()[before.index()], &edited.scenario.jobs()[now.index()]);
                            prop_assert_eq!(&was.stages, &is.stages);
                            if !matches!(edit, Edit::Set { of: ObjectPath::User(_), .. }) {
                                let of = |scenario: &Scenario, job| scenario.user_name(job).to_owned();
                                prop_assert_eq!(of(&scenario, before), of(&edited.scenario, now));
                            }
                        }
                    }
                    scenario = edited.scenario;
                }
            }
        }
    }

    #[test]
    fn what_can_be_taken_back_gives_the_scenario_back(seed in any::<u64>(), jobs in 1..8_u64) {
        let mut random = Random::new(seed);
        let scenario = scenario(seed, jobs);
        let job = JobId(random.below(jobs) as u32);
        let spec = &scenario.jobs()[job.index()];
        let (user, far) = (spec.user, 5_000_000 - spec.arrival.0 as i64 % 5_000_000);
        let all: Vec<JobId> = (0..jobs as u32).map(JobId).collect();
        let new_user = Edit::AddUser { name: scenario.free_user_name(), weight: Weight::ONE };
        let users = scenario.users().len();
        let moved = |by| Edit::Move { jobs: all.clone(), by: Shift(by), lanes: 0 };
        let with_cores = |cores: u32| Edit::set(ObjectPath::Cluster, "cores_per_executor", cores);
        let of = ObjectPath::Job(job);
        let set = |name: &'static str, value: Value| Edit::set(of.clone(), name, value);
        let partitions = |count: u32| Edit::set(ObjectPath::Stage(job, 0), "partitions", count);
        let rename = |name: &str| Edit::set(ObjectPath::User(user), "name", name);
        let pairs = [
            (moved(far), moved(-far)),
            (set("arrival_s", 0.000_077.into()), set("arrival_s", spec.arrival.seconds().into())),
            (
                set("user", scenario.users()[0].name.as_str().into()),
                set("user", scenario.users()[user.index()].name.as_str().into()),
            ),
            (
                Edit::AddJob { kind: JobTemplate::Skewed, user, arrival: Time(1) },
                Edit::Delete { jobs: vec![JobId(jobs as u32)] },
            ),
            (
                Edit::Duplicate { jobs: vec![job], by: Shift(1) },
                Edit::Delete { jobs: vec![JobId(jobs as u32)] },
            ),
            (new_user, Edit::RemoveUser(UserId(users as u32))),
            (
                Edit::ReorderUser { user, index: users - 1 },
                Edit::ReorderUser { user: UserId(users as u32 - 1), index: user.index() },
            ),
            (rename("somebody else"), rename(&scenario.users()[user.index()].name)),
            (Edit::AddStage(job), Edit::RemoveStage(job, spec.stages.len() as u32)),
            (partitions(9), partitions(spec.stages[0].partitions)),
            (with_cores(64), with_cores(scenario.cluster().cores_per_executor)),
        ];
        let sum_of_stages =
            |job: &Job| job.estimate == job.stages.iter().map(|stage| stage.estimate).sum::<SlotTime>();
        for (there, back) in pairs {
            let changed = after(&scenario, &there);
            // An estimate that becomes the sum of its stages' by chance is taken for it from then on.
            let by_chance = !sum_of_stages(spec) && sum_of_stages(&changed.jobs()[job.index()]);
            prop_assert!(by_chance || after(&changed, &back) == scenario, "{there:?}");
        }
    }
}

/// By name: whoever stays keeps the own colour, somebody new gets the first that is free, and a file holds all of it.
#[test]
fn users_keep_their_colours_when_others_come_and_go() {
    let colours = |scenario: &Scenario| {
        let users = scenario.users().iter().zip(0..);
        let text = |(user, place): (&fairlane::scenario::User, u32)| {
            format!("{}:{}", user.name, scenario.colour(UserId(place)))
        };
        users.map(text).collect::<Vec<_>>().join(" ")
    };
    let job = |user: &str| json!({"user": user, "arrival_s": 0.0, "stages": [{"tasks_s": [1.0]}]});
    let file = json!({"format": "fairlane/scenario@1", "jobs": [job("ana"), job("ben"), job("cleo")]});
    let scenario = Scenario::from_json(&file.to_string()).expect("a sound file");
    assert_eq!(colours(&scenario), "ana:1 ben:2 cleo:3");
    assert!(!scenario.to_json().contains("colour"), "places say it");
    let without = after(&scenario, &Edit::RemoveUser(UserId(0)));
    assert_eq!(colours(&without), "ben:2 cleo:3");
    let again = Scenario::from_json(&without.to_json()).expect("a sound file");
    assert_eq!(again, without);
    let swapped = after(&again, &Edit::ReorderUser { user: UserId(1), index: 0 });
    assert_eq!(colours(&swapped), "cleo:3 ben:2");
    let new = |name: &str| Edit::AddUser { name: name.to_owned(), weight: Weight::ONE };
    let five = after(&after(&swapped, &new("dan")), &new("eve"));
    assert_eq!((colours(&five).as_str(), five.highest_colour()), ("cleo:3 ben:2 dan:1 eve:4", 4));
    let renamed = after(&five, &Edit::set(ObjectPath::User(UserId(0)), "name", "chloe"));
    assert_eq!(colours(&renamed), "chloe:3 ben:2 dan:1 eve:4");
    let file = file.to_string().replacen('{', r#"{"users":[{"name":"ana","colour":0}],"#, 1);
    let refused = Scenario::from_json(&file).expect_err("no such colour").to_string();
    assert!(refused.contains("users[0].colour"), "{refused}");
}

#[test]
fn jobs_that_move_together_keep_their_distances() {
    let scenario = Scenario::from_json(
        r#"{"format":"fairlane/scenario@1","users":[{"name":"a"},{"name":"b"},{"name":"c"}],"jobs":[
            {"user":"a","arrival_s":1,"stages":[{"work_s":1}]},
            {"user":"b","arrival_s":3,"stages":[{"work_s":1}]},
            {"user":"c","arrival_s":4,"stages":[{"work_s":1}]}]}"#,
    )
    .expect("a good file");
    let moved = |by, lanes| {
        let edit = Edit::Move { jobs: vec![JobId(1), JobId(0), JobId(1)], by: Shift(by), lanes };
        let edited = scenario.edited(&edit).expect("a sound edit");
        assert_eq!(edited.jobs, [JobId(0), JobId(1)]);
        let jobs = edited.scenario.jobs().iter();
        jobs.map(|job| (job.arrival.0, job.user.0)).collect::<Vec<_>>()
    };
    // Not before 0, not below the last lane.
    assert_eq!(moved(-9_000_000, 5), [(0, 1), (2_000_000, 2), (4_000_000, 2)]);
    assert_eq!(moved(i64::MIN, i32::MIN), [(0, 0), (2_000_000, 1), (4_000_000, 2)]);
}

#[test]
fn estimates_that_told_the_truth_follow_it() {
    let scenario = Scenario::from_json(
        r#"{"format":"fairlane/scenario@1","jobs":[{"user":"a","arrival_s":0,"stages":[
            {"work_s":1},{"work_s":1,"estimate_s":9}]}]}"#,
    )
    .expect("a good file");
    let work = |stage| Edit::set(ObjectPath::Stage(JobId(0), stage), "work_s", 4);
    let both = after(&after(&scenario, &work(0)), &work(1));
    let told = |scenario: &Scenario| {
        let job = &scenario.jobs()[0];
        (job.stages[0].estimate.seconds(), job.stages[1].estimate.seconds(), job.estimate.seconds())
    };
    assert_eq!(told(&both), (4.0, 9.0, 13.0));
    assert_eq!(told(&after(&both, &Edit::PerfectEstimates)), (4.0, 4.0, 8.0));
    let constant = Edit::set(ObjectPath::Job(JobId(0)), "estimate_s", 1);
    assert_eq!(told(&after(&after(&scenario, &constant), &work(0))), (4.0, 9.0, 1.0));
}

#[test]
fn stages_behind_a_removed_one_wait_for_its_parents() {
    let scenario = Scenario::from_json(
        r#"{"format":"fairlane/scenario@1","jobs":[{"user":"a","arrival_s":0,"stages":[
            {"work_s":1},{"work_s":1,"parents":[]},{"work_s":1,"parents":[0,1]},
            {"work_s":1,"parents":[1,2]},{"work_s":1,"parents":[3]}]}]}"#,
    )
    .expect("a good file");
    let without = |stage| {
        let edited = after(&scenario, &Edit::RemoveStage(JobId(0), stage));
        edited.jobs()[0].stages.iter().map(|stage| stage.parents.clone()).collect::<Vec<_>>()
    };
    assert_eq!(without(2), [vec![], vec![], vec![1, 0], vec![2]]);
    assert_eq!(without(0), [vec![], vec![0], vec![0, 1], vec![2]]);
    assert_eq!(without(4), [vec![], vec![], vec![0, 1], vec![1, 2]]);
}

#[test]
fn pulling_a_bar_shares_the_work_out_anew_or_lengthens_a_task() {
    let scenario = Scenario::from_json(
        r#"{"format":"fairlane/scenario@1","jobs":[{"user":"a","arrival_s":0,"stages":[
            {"work_s":8,"profile":[1,1,1,1]},{"tasks_s":[1,2]}]}]}"#,
    )
    .expect("a good file");
    let slices = |edit: Edit, stage: usize| -> Vec<u64> {
        after(&scenario, &edit).jobs()[0].stages[stage]
            .input
            .slice_work()
            .map(|slice| slice / 100_000)
            .collect()
    };
    let pulled = |stage, slice, weight| Edit::Slice(JobId(0), stage, slice, weight);
    assert_eq!(slices(pulled(0, 2, 5.0), 0), [10, 10, 50, 10]);
    assert_eq!(slices(pulled(1, 0, 2.5), 1), [25, 20]);
    let sliced = after(&scenario, &Edit::Slices(JobId(0), 1, 4));
    assert_eq!(sliced.jobs()[0].stages[1].partitions, 4);
}

/// Limits survive a file and every edit that they allow: what is said of executors that go is forgotten, further ones have
/// the profile 0, and the last of a profile stays as long as a stage needs it.
#[test]
fn limits_follow_the_number_of_executors() {
    let exclusion = |executor: u32| json!({ "executor": executor, "from_s": 1.5, "for_s": 2 });
    let file = json!({
        "format": "fairlane/scenario@1",
        "cluster": { "executors": 3, "resource_profiles": [1, 0, 1], "exclusions": [exclusion(2), exclusion(0)] },
        "jobs": [{ "user": "ana", "arrival_s": 0, "stages": [
            { "tasks_s": [1, 1], "resource_profile": 1, "exclusions": [exclusion(2)] },
            { "tasks_s": [1] }] }],
    });
    let scenario = Scenario::from_json(&file.to_string()).expect("a sound file");
    assert_eq!(Scenario::from_json(&scenario.to_json()), Ok(scenario.clone()));
    let with = |executors: u32| scenario.with(&Edit::set(ObjectPath::Cluster, "executors", executors));
    let more = with(4).expect("more executors");
    assert_eq!(more.cluster().resource_profiles, [1, 0, 1, 0]);
    assert_eq!(more.jobs(), scenario.jobs());
    let fewer = with(2).expect("one of each profile");
    assert_eq!(fewer.cluster().exclusions.iter().map(|one| one.executor).collect::<Vec<_>>(), [0]);
    assert!(fewer.jobs()[0].stages[0].exclusions.is_empty());
    let error = with(1).expect_err("none of profile 0").to_string();
    assert!(error.starts_with("jobs[0].stages[1].resource_profile: is 0, which no executor has"), "{error}");
    let longer = Edit::set(ObjectPath::Exclusion(1), "for_s", 3.5);
    let longer = scenario.with(&longer).expect("a possible edit");
    assert_eq!(longer.cluster().exclusions[1].lasts, Some(Span(3_500_000)));
}

#[test]
fn there_are_never_more_executors_than_the_cluster_has() {
    let fewer = |cluster: Value| {
        let job = json!({ "user": "ana", "arrival_s": 0, "stages": [{ "work_s": 1 }] });
        let file = json!({ "format": "fairlane/scenario@1", "cluster": cluster, "jobs": [job] });
        let scenario = Scenario::from_json(&file.to_string()).expect("a scenario");
        after(&scenario, &Edit::set(ObjectPath::Cluster, "executors", 3)).cluster().clone()
    };
    let came =
        fewer(json!({ "executors": 8, "cores_per_executor": 2, "executors_at": [[0, 2], [1, 8], [9, 1]] }));
    assert_eq!(came.executors_at.iter().map(|&(_, count)| count).collect::<Vec<_>>(), [2, 3, 1]);
    let asked = json!({ "min": 1, "max": 6, "initial": 4 });
    let asked = fewer(json!({ "executors": 8, "cores_per_executor": 2, "dynamic_allocation": asked }));
    let bounds = asked.dynamic_allocation.as_ref().expect("an allocation").bounds(&asked);
    assert_eq!((bounds.min, bounds.max, bounds.initial), (1, 3, 3));
}

#[test]
fn refusals_name_the_field_and_the_remedy() {
    let scenario = Scenario::from_json(
        r#"{"format":"fairlane/scenario@1","users":[{"name":"a"},{"name":"b"}],"jobs":[
            {"user":"a","name":"nightly","arrival_s":0,"stages":[{"work_s":1},{"work_s":1}]}]}"#,
    )
    .expect("a good file");
    let job = JobId(0);
    let stage = |name, value: Value| Edit::set(ObjectPath::Stage(job, 1), name, value);
    let refused = [
        Edit::Delete { jobs: vec![job] },
        Edit::RemoveUser(UserId(0)),
        Edit::set(ObjectPath::User(UserId(1)), "name", "a"),
        Edit::set(ObjectPath::User(UserId(1)), "name", ""),
        Edit::AddUser { name: "b".into(), weight: Weight::ONE },
        Edit::set(ObjectPath::Job(JobId(7)), "name", "x"),
        Edit::set(ObjectPath::Job(job), "arrival_s", 2_f64.powi(52) / 1e6),
        Edit::set(ObjectPath::Job(job), "arrival_s", "soon"),
        Edit::set(ObjectPath::Job(job), "user", "nobody"),
        Edit::set(ObjectPath::Job(job), "stages", json!([])),
        Edit::set(ObjectPath::Job(job), "urgency", 1),
        stage("parents", json!([1])),
        stage("parents", json!([2])),
        stage("parents", json!([0, 0])),
        stage("partitions", 0.into()),
        stage("partitions", u32::MAX.into()),
        stage("tasks_s", json!([1, 2])),
        Edit::Slices(job, 1, 0),
        Edit::Slices(job, 1, u32::MAX),
        Edit::Slice(job, 1, 0, 0.0),
        Edit::Slice(job, 1, 0, -1.0),
        Edit::Slice(job, 1, 3, 1.0),
        Edit::set(ObjectPath::Cluster, "executors", 0),
        Edit::set(ObjectPath::Cluster, "cores_per_executor", u32::MAX),
        Edit::set(ObjectPath::Cluster, "uwfq_grace_s", 1),
        Edit::advisory_task_runtime(Span(0)),
        Edit::RemoveStage(job, 2),
    ];
    let told: Vec<String> =
        refused.iter().map(|edit| scenario.edited(edit).expect_err("a faulty edit").to_string()).collect();
    insta::assert_snapshot!(told.join("\n"));
    let one = after(&scenario, &Edit::RemoveStage(job, 0));
    let error = one.edited(&Edit::RemoveStage(job, 0)).expect_err("the last stage");
    assert_eq!(error.path, "jobs[0].stages");
}

/// A scenario, and edits that set every field of the models of memory, queues and curves.
fn all_models() -> (Scenario, Vec<Edit>) {
    let scenario = Scenario::from_json(
        r#"{"format":"fairlane/scenario@1","users":[{"name":"a"},{"name":"b"}],"jobs":[
            {"user":"a","arrival_s":1,"stages":[{"work_s":4},{"work_s":1}]},
            {"user":"a","arrival_s":3,"stages":[{"work_s":6}]},
            {"user":"b","arrival_s":0,"stages":[{"work_s":1}]}]}"#,
    )
    .expect("a good file");
    let (user, job) = (UserId(0), JobId(0));
    let queue = |name, value: Value| Edit::set(ObjectPath::Queue(user), name, value);
    let points = PerformanceCurve::Points(vec![(1, 0.3), (4, 1.0)]);
    let edits = vec![
        Edit::set(ObjectPath::Cluster, "core_move_s", 2.5),
        Edit::set(ObjectPath::Cluster, "memory_mb_per_executor", 4096),
        Edit::queue(user, Some(&Queue::suggested(&scenario, user))),
        queue("kind", "throughput".into()),
        queue("joins_s", 0.25.into()),
        queue("period_s", 60.into()),
        queue("within_s", 20.into()),
        queue("demand_core_s", 30.000_001.into()),
        queue("demand_mb_s", 1.5.into()),
        queue("warp_s", 0.000_003.into()),
        Edit::set(ObjectPath::Job(job), "deadline_s", 8.000_001),
        Edit::set(ObjectPath::Job(job), "warm_factor", 1.25),
        Edit::Curve { job, curve: Some(PerformanceCurve::Ernest([0.4, 0.01, 1.5, 0.1])), handle: None },
        Edit::Curve { job: JobId(1), curve: Some(points), handle: Some(0) },
        Edit::set(ObjectPath::Stage(job, 1), "first_wave", 1.3),
        Edit::set(ObjectPath::Stage(job, 1), "inflation", json!([[2, 1.0], [4, 1.4]])),
        Edit::set(ObjectPath::Stage(job, 1), "memory_mb", 1024),
    ];
    (scenario, edits)
}

/// A micro-batch is one by three edits, which say what they do; another predecessor leaves it one.
#[test]
fn a_job_waits_for_another_one_as_a_micro_batch() {
    let file = r#"{"format":"fairlane/scenario@1","jobs":[
        {"user":"a","name":"first","arrival_s":0,"stages":[{"work_s":1}]},
        {"user":"a","name":"second","arrival_s":1,"stages":[{"work_s":1}]},
        {"user":"a","name":"third","arrival_s":2,"stages":[{"work_s":1}]}]}"#;
    let scenario = Scenario::from_json(file).expect("a good file");
    let (third, first, second) = (JobId(2), JobId(0), JobId(1));
    let wait = Edit::wait_for(&scenario, third, Some(first));
    assert_eq!(wait.title(&scenario), "let third wait for first");
    let waits = after(&scenario, &wait);
    let of_third = || ObjectPath::Predecessor(third);
    let batch = Edit::set(of_third(), "batch", true);
    assert_eq!(batch.title(&waits), "make third a micro-batch");
    let stream = after(&after(&waits, &batch), &Edit::set(of_third(), "think_s", 0.5));
    let other = Edit::wait_for(&stream, third, Some(second));
    assert_eq!(other.title(&stream), "let third wait for second");
    let known = after(&stream, &other).jobs()[2].after.expect("it waits");
    assert_eq!((known.job, known.think.0, known.batch), (second, 500_000, true));
    let alone = Edit::wait_for(&stream, third, None);
    assert_eq!(alone.title(&stream), "let third arrive by itself");
    assert_eq!(after(&stream, &alone), scenario);
    // Neither itself nor a job that there is not.
    for (job, part) in [(third, "is the job itself"), (JobId(9), "there is no job 9; the jobs are 0 to 2")] {
        let error = scenario.with(&Edit::wait_for(&scenario, third, Some(job))).expect_err("impossible");
        assert_eq!(error.path, "jobs[2].after.job");
        assert!(error.message.contains(part), "{error}");
    }
}

#[test]
fn every_edit_of_a_model_survives_a_file() {
    let (mut scenario, edits) = all_models();
    for edit in edits {
        let after = after(&scenario, &edit);
        assert_ne!(after, scenario, "{}", edit.title(&scenario));
        // As a file, and as a link has it.
        for file in [after.to_json(), after.to_compact_json()] {
            assert_eq!(Scenario::from_json(&file).as_ref(), Ok(&after), "{}", edit.title(&scenario));
        }
        scenario = after;
    }
    insta::assert_snapshot!(scenario.to_json());
}

#[test]
fn edits_of_a_model_have_titles_and_those_of_one_field_are_one_step() {
    let (scenario, edits) = all_models();
    let described = edits.iter().map(|edit| {
        format!(
            "{}: {}",
            edit.title(&scenario),
            edit.field().unwrap_or_else(|| "a step of its own".to_owned())
        )
    });
    insta::assert_snapshot!(described.collect::<Vec<_>>().join("\n"));
}

/// Two jobs at 1 and 3 s of 5 and 6 core-seconds: every two seconds a burst of 5.5, for which two of the four cores
/// would take 2.75 s. The other user's job of 1 core-second takes them half a second.
#[test]
fn a_suggested_queue_suits_the_jobs() {
    let (scenario, _) = all_models();
    let Queue { kind, joins, period, within, demand, .. } = Queue::suggested(&scenario, UserId(0));
    assert_eq!((kind, joins, period), (QueueKind::Latency, Time(1_000_000), Span(2_000_000)));
    assert_eq!((within, demand), (period, SlotTime(5_500_000)));
    let alone = Queue::suggested(&scenario, UserId(1));
    assert_eq!((alone.joins, alone.period, alone.demand), (Time(0), Span(300_000_000), SlotTime(1_000_000)));
    assert_eq!(alone.within, Span(500_000));
}

#[test]
fn refused_edits_of_a_model_name_the_field_and_the_remedy() {
    let (scenario, edits) = all_models();
    let scenario = edits.iter().fold(scenario, |scenario, edit| after(&scenario, edit));
    let (user, job) = (UserId(0), JobId(0));
    let queue = |name, value: f64| Edit::set(ObjectPath::Queue(user), name, value);
    let curve = |curve| Edit::Curve { job, curve: Some(curve), handle: None };
    let stage = |name, value: Value| Edit::set(ObjectPath::Stage(job, 1), name, value);
    let refused = [
        Edit::set(ObjectPath::Cluster, "core_move_s", 2_f64.powi(52) / 1e6),
        Edit::set(ObjectPath::Cluster, "memory_mb_per_executor", 0),
        Edit::set(ObjectPath::Cluster, "memory_mb_per_executor", 1023),
        Edit::queue(UserId(2), None),
        queue("period_s", 0.0),
        queue("period_s", 19.0),
        queue("within_s", 0.0),
        queue("within_s", 60.000_001),
        Edit::set(ObjectPath::Job(JobId(9)), "deadline_s", 1),
        Edit::set(ObjectPath::Job(job), "deadline_s", 2_f64.powi(52) / 1e6),
        Edit::set(ObjectPath::Job(job), "warm_factor", 0.5),
        curve(PerformanceCurve::Points(vec![])),
        curve(PerformanceCurve::Points(vec![(2, 1.0), (2, 2.0)])),
        curve(PerformanceCurve::Ernest([0.0; 4])),
        stage("first_wave", 0.into()),
        stage("inflation", json!([[0, 1.0]])),
        stage("inflation", json!([[1, -1.0]])),
        stage("memory_mb", 4097.into()),
        Edit::set(ObjectPath::Stage(job, 2), "memory_mb", 1),
    ];
    let refused = refused.iter().map(|edit| scenario.edited(edit).expect_err("a faulty edit").to_string());
    insta::assert_snapshot!(refused.collect::<Vec<_>>().join("\n"));
}

/// Every field with a range, in an object of each kind: what is below the least is refused at its path, the least is
/// not.
#[test]
fn numbers_out_of_their_range_are_refused() {
    let (scenario, _) = all_models();
    let (user, job) = (UserId(0), JobId(0));
    let objects = [
        ObjectPath::Cluster,
        ObjectPath::Partitioning,
        ObjectPath::User(user),
        ObjectPath::Queue(user),
        ObjectPath::Job(job),
        ObjectPath::Stage(job, 0),
    ];
    let mut ranges = 0;
    for of in objects {
        for (field, range) in of.fields().iter().filter_map(|field| Some((field, field.range?))) {
            let error =
                scenario.with(&Edit::set(of.clone(), field.name, range.least - 1.0)).expect_err("too small");
            assert_eq!((error.path, error.message.as_str()), (of.path_of(field.name), range.rule));
            assert!(scenario.with(&Edit::set(of.clone(), field.name, range.least)).is_ok(), "{}", field.name);
            ranges += 1;
        }
    }
    assert!(ranges >= 3);
}

fn with_cores(cores: u32) -> Scenario {
    Scenario::from_json(&format!(
        r#"{{"format":"fairlane/scenario@1","cluster":{{"cores_per_executor":{cores}}},
            "jobs":[{{"user":"ana","arrival_s":0,"stages":[{{"work_s":1}}]}}]}}"#
    ))
    .expect("a good file")
}

/// Response time of a job of a kind, alone on a cluster of so many cores, in seconds.
fn alone(kind: JobTemplate, cores: u32) -> f64 {
    let edit = Edit::AddJob { kind, user: UserId(0), arrival: Time(7) };
    let added = with_cores(cores).edited(&edit).expect("the palette fits any cluster");
    let job = added.jobs[0];
    assert_eq!((job, added.scenario.jobs()[1].name.as_str()), (JobId(1), kind.name()));
    let trace = fairlane::simulate(&added.scenario.alone(job), "fair".parse().expect("a policy"));
    trace.jobs[0].response().expect("it finishes").seconds()
}

#[test]
fn kinds_mean_the_same_on_any_cluster() {
    for cores in [1, 2, 8, 32, 1000] {
        assert_eq!(alone(JobTemplate::Tiny, cores), 0.5);
        assert_eq!(alone(JobTemplate::Short, cores), 2.0);
        assert_eq!(alone(JobTemplate::Long, cores), 10.0);
        assert_eq!(alone(JobTemplate::TwoStage, cores), 1.5);
        assert_eq!(alone(JobTemplate::Custom, cores), 1.0);
    }
    for cores in [4, 8, 32] {
        assert_eq!(alone(JobTemplate::Skewed, cores), 5.0);
    }
    assert!((alone(JobTemplate::Skewed, 1000) - 5.0).abs() < 0.1);
}
