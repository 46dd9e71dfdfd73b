//! What holds of every scenario, tried on random ones.

use crate::{common, reference};
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;

use fairlane::engine::{Control, simulate_outcomes};
use fairlane::ids::{CoreId, JobId};
use fairlane::policy::parameters;
use fairlane::policy::{Idling, Outcomes, PolicyKind};
use fairlane::scenario::edit::ObjectPath;
use fairlane::scenario::field::FieldKind;
use fairlane::scenario::{Edit, Input};
use fairlane::trace::{Fault, Outcome, TaskRun, check};
use fairlane::units::{Span, Time};
use fairlane::{PolicyId, Scenario, Trace, simulate};
use flate2::read::GzDecoder;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A sound scenario file of up to a dozen jobs; fewer jobs are simpler.
fn files() -> impl Strategy<Value = String> {
    (any::<u64>(), 1..=12_u64).prop_map(|(seed, jobs)| common::adverse_scenario_of(seed, jobs))
}

/// The same, in which what a task costs depends on where it runs.
fn costly_files() -> impl Strategy<Value = String> {
    (any::<u64>(), 1..=12_u64).prop_map(|(seed, jobs)| common::costly_scenario_of(seed, jobs))
}

/// A sound file of a cluster like a real one: pools, driver time, sessions, executors that come and go.
fn spark_files() -> impl Strategy<Value = String> {
    (any::<u64>(), 2..=8_u64).prop_map(|(seed, jobs)| common::clusters::spark_scenario_of(seed, jobs))
}

fn scenarios() -> impl Strategy<Value = Scenario> {
    files().prop_map(|text| Scenario::from_json(&text).expect("the generator makes sound files"))
}

fn policies() -> impl Strategy<Value = PolicyId> {
    prop::sample::select(PolicyId::all().collect::<Vec<_>>())
}

/// Those under which every task runs and no core idles while one is pending.
fn work_conserving_policies() -> impl Strategy<Value = PolicyId> {
    let conserves = |policy: &PolicyId| {
        let info = policy.kind.info();
        info.idling == Idling::Never && info.outcomes == Outcomes::Finished
    };
    prop::sample::select(PolicyId::all().filter(conserves).collect::<Vec<_>>())
}

/// Slices of an input, in core-microseconds.
fn slices() -> impl Strategy<Value = Vec<u64>> {
    let slice = prop_oneof![Just(0), 1..20_u64, 1..(1_u64 << 40)];
    prop::collection::vec(slice, 1..40)
}

fn input(slices: &[u64]) -> Input {
    Input::of_tasks(slices.iter().map(|&slice| Span(slice))).expect("good slices")
}

pub fn config() -> ProptestConfig {
    // A failure prints its scenario, which is all there is to keep. `PROPTEST_CASES` asks for more.
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    /// The engine against the slow, obvious one.
    #[test]
    fn the_engine_does_what_the_model_says(text in prop_oneof![files(), costly_files()]) {
        does_what_the_model_says(&text)?;
    }

    /// The same on a cluster like a real one.
    #[test]
    fn the_engine_does_what_spark_does(text in spark_files()) {
        does_what_the_model_says(&text)?;
    }

    /// The same where cores belong to jobs.
    #[test]
    fn jobs_keep_and_get_cores_as_the_model_says(
        text in prop_oneof![files(), costly_files(), spark_files()],
        core_move in 0..3_u32,
    ) {
        let mut file: Value = serde_json::from_str(&text).expect("JSON");
        let cluster = file.as_object_mut().expect("an object").entry("cluster").or_insert(json!({}));
        cluster["executors_belong"] = json!("jobs");
        cluster["core_move_s"] = json!(f64::from(core_move) / 2.0);
        does_what_the_model_says(&file.to_string())?;
    }

    /// Section 28's identity: a job alone, one stage after the other, has all cores in any case.
    #[test]
    fn a_chain_alone_does_not_notice_to_whom_cores_belong(
        stages in prop::collection::vec(prop::collection::vec(0..30_u32, 1..12), 1..6),
        executors in 1..6_u32,
        cores in 1..3_u32,
    ) {
        let stages: Vec<Value> = stages.into_iter().map(|tasks| json!({ "tasks_s": tasks })).collect();
        let of = |cluster: Value| {
            let jobs = json!([{ "user": "ana", "arrival_s": 1, "stages": stages }]);
            let file = json!({ "format": "fairlane/scenario@1", "cluster": cluster, "jobs": jobs });
            simulate(&Scenario::from_json(&file.to_string()).expect("sound"), "fifo".parse().expect("a policy"))
        };
        prop_assert_eq!(
            of(json!({ "executors": executors, "cores_per_executor": cores, "executors_belong": "jobs" })),
            of(json!({ "executors": executors, "cores_per_executor": cores }))
        );
    }

    /// Section 12's identities: other policies as special cases of pools.
    #[test]
    fn the_reference_agrees_with_itself_about_pools(text in spark_files()) {
        let file: Value = serde_json::from_str(&text).expect("JSON");
        let spark = |parameters: Value, spark_jobs: bool| {
            let mut file = file.clone();
            file["policies"]["spark"] = parameters;
            for job in file["jobs"].as_array_mut().expect("jobs") {
                job.as_object_mut().expect("a job").remove("pool");
                for stage in job["stages"].as_array_mut().expect("stages") {
                    let stage = stage.as_object_mut().expect("a stage");
                    if !spark_jobs {
                        stage.remove("spark_job");
                        stage.remove("delay_s");
                    }
                }
            }
            let text = file.to_string();
            move |policy: &str| reference::simulate(&text, policy)
        };

        let weights = [("b10", 3), ("b2", 1), ("Zoë", 2), ("émile", 7), ("ana", 1)];
        let fair = spark(json!({ "default_mode": "FAIR" }), true);
        prop_assert_eq!(fair("spark"), fair("fair"));
        let fifo = spark(json!({ "mode": "FIFO" }), false);
        prop_assert_eq!(fifo("spark-p"), fifo("fifo-p"));
        let pools = weights.map(|(name, weight)| json!({ "name": name, "mode": "FAIR", "weight": weight }));
        let mut file = file.clone();
        file["policies"]["spark"] = json!({ "by": "user", "pools": pools });
        file["users"] = weights.map(|(name, weight)| json!({ "name": name, "weight": weight })).into();
        let text = file.to_string();
        prop_assert_eq!(reference::simulate(&text, "spark"), reference::simulate(&text, "ujf"));
    }

    #[test]
    fn every_trace_is_sound(seed in any::<u64>(), jobs in 1..=12_u64) {
        is_sound(seed, jobs)?;
    }

    #[test]
    fn damaged_traces_are_found_out(
        scenario in scenarios(),
        policy in work_conserving_policies(),
        place in any::<prop::sample::Index>(),
    ) {
        let trace = simulate(&scenario, policy);
        let place = place.index(trace.tasks.len());
        let damaged = |damage: &dyn Fn(&mut Trace)| {
            let mut copy = trace.clone();
            damage(&mut copy);
            copy
        };

        let lost = damaged(&|trace| {
            trace.tasks.remove(place);
        });
        prop_assert_eq!(check(&scenario, &lost), Err(Fault::Missing { missing: 1 }));
        prop_assert!(!each_task_once(&scenario, &lost));

        let twice = damaged(&|trace| trace.tasks.push(trace.tasks[place]));
        prop_assert!(["NotATask", "Overlap"].contains(&fault(check(&scenario, &twice))));
        prop_assert!(!each_task_once(&scenario, &twice));

        let foreign = damaged(&|trace| trace.tasks[place].task += 1_000_000);
        prop_assert_eq!(fault(check(&scenario, &foreign)), "NotATask");

        let stretched = damaged(&|trace| trace.tasks[place].end.0 += 1);
        prop_assert_eq!(fault(check(&scenario, &stretched)), "WrongDuration");

        let finished_later = damaged(&|trace| trace.jobs[0].outcome = Outcome::Finished(trace.jobs[0].end() + Span(1)));
        prop_assert_eq!(check(&scenario, &finished_later), Err(Fault::WrongFinish { job: 0 }));

        // The last task launched leaves its core idle for a microsecond although it is pending.
        let idling = damaged(&|trace| shift(trace.tasks.last_mut().expect("a task"), 1));
        prop_assert!(check(&scenario, &idling).is_err());

        // The first task launched starts with its job's arrival and not before.
        if trace.tasks[0].start > Time::ZERO {
            let early = damaged(&|trace| shift(&mut trace.tasks[0], -1));
            prop_assert_eq!(fault(check(&scenario, &early)), "TooEarly");
        }

        // On a core that is busy at the time.
        let run = trace.tasks[place];
        let at_once = |other: &&TaskRun| other.core != run.core && other.start < run.end && run.start < other.end;
        if let Some(other) = trace.tasks.iter().find(at_once) {
            let core: CoreId = other.core;
            let crowded = damaged(&|trace| trace.tasks[place].core = core);
            prop_assert_eq!(fault(check(&scenario, &crowded)), "Overlap");
            prop_assert!(!one_task_at_a_time(&crowded));
        }
    }

    #[test]
    fn cutting_an_input_loses_nothing(slices in slices(), n in 1..300_u64) {
        let input = input(&slices);
        let durations = input.durations(n);
        prop_assert_eq!(durations.len() as u64, n);
        prop_assert_eq!(durations.iter().map(|span| span.0).sum::<u64>(), input.work().0);
    }

    #[test]
    fn as_many_tasks_as_slices_are_the_slices(slices in slices()) {
        let durations: Vec<u64> =
            input(&slices).durations(slices.len() as u64).iter().map(|span| span.0).collect();
        prop_assert_eq!(durations, slices);
    }

    /// Cutting each of n parts into f gives parts of the same borders, up to rounding down.
    #[test]
    fn finer_cuts_keep_the_coarse_borders(slices in slices(), n in 1..40_u64, f in 1..8_u64) {
        let input = input(&slices);
        let coarse = input.durations(n);
        let fine = input.durations(n * f);
        for (part, span) in coarse.iter().enumerate() {
            let parts = &fine[part * f as usize..(part + 1) * f as usize];
            prop_assert_eq!(parts.iter().map(|span| span.0).sum::<u64>(), span.0);
        }
    }

    #[test]
    fn a_file_written_reads_back_the_same(text in prop_oneof![files(), costly_files()]) {
        let scenario = Scenario::from_json(&text).expect("the generator makes sound files");
        let text = scenario.to_json();
        let again = Scenario::from_json(&text).expect("what is written is sound");
        prop_assert_eq!(&again, &scenario);
        prop_assert_eq!(again.to_json(), text);
    }

    /// Where no two jobs arrive at once, the order of the file says nothing but the jobs' numbers.
    #[test]
    fn the_order_of_the_file_does_not_matter(scenario in scenarios(), seed in any::<u64>()) {
        let mut arrivals = BTreeSet::new();
        let mut jobs = scenario.jobs().to_vec();
        for job in &mut jobs {
            while !arrivals.insert(job.arrival) {
                job.arrival = job.arrival + Span(1);
            }
        }
        let scenario = scenario.to_builder().jobs(jobs).build().expect("microseconds later");
        // new[place] is the job that stands there in the other file.
        let mut new: Vec<usize> = (0..scenario.jobs().len()).collect();
        common::Random::new(seed).shuffle(&mut new);
        let jobs = new.iter().map(|&job| scenario.jobs()[job].clone());
        let other = scenario.to_builder().jobs(jobs).build().expect("the same jobs");
        for policy in PolicyId::all() {
            let mut trace = simulate(&other, policy);
            for run in &mut trace.tasks {
                run.job = JobId(new[run.job.index()] as u32);
            }
            let mut jobs = trace.jobs.clone();
            for (place, job) in trace.jobs.iter().enumerate() {
                jobs[new[place]] = *job;
            }
            trace.jobs = jobs;
            prop_assert_eq!(trace, simulate(&scenario, policy), "{}", policy);
        }
    }

    /// Twice, four or eight times as long everything, twice, four or eight times as long the same
    /// schedule: powers of two, which no f64 rounds.
    #[test]
    fn schedules_scale_with_time(scenario in scenarios(), policy in policies(), power in 1..=3_u32) {
        // The released class counts whole milliseconds, and Decima's network was trained on seconds.
        prop_assume!(!matches!(policy.kind, PolicyKind::UwfqReleased | PolicyKind::Decima));
        let factor = 1 << power;
        let mut jobs = scenario.jobs().to_vec();
        for stage in jobs.iter_mut().flat_map(|job| &mut job.stages) {
            // What is rounded does not scale: cuts, and slices of a profile.
            stage.partitions = stage.input.slices() as u32;
            stage.splittable = false;
            stage.input = Input::of_tasks(stage.input.slice_work().map(Span)).expect("the same slices");
        }
        let small = scenario.to_builder().jobs(jobs).build().expect("fewer tasks");
        let large = scaled(&small, factor);
        let mut expected = simulate(&small, policy);
        for run in &mut expected.tasks {
            run.start.0 *= factor;
            run.end.0 *= factor;
        }
        for job in &mut expected.jobs {
            job.arrival.0 *= factor;
            job.started = job.started.map(|start| Time(start.0 * factor));
            let end = Time(job.end().0 * factor);
            job.outcome = match job.outcome {
                Outcome::Finished(_) => Outcome::Finished(end),
                Outcome::Dropped(_) => Outcome::Dropped(end),
                _ => Outcome::Rejected(end),
            };
        }
        prop_assert_eq!(simulate(&large, policy), expected);
    }
}

fn does_what_the_model_says(text: &str) -> Result<(), TestCaseError> {
    let scenario = Scenario::from_json(text).expect("the generator makes sound files");
    for policy in PolicyId::all().filter(|policy| reference::knows(policy.kind.info().id)) {
        let trace = simulate(&scenario, policy);
        let expected = reference::simulate(text, &policy.to_string());
        let file: Value = serde_json::from_str(&trace.to_json()).expect("JSON");
        prop_assert_eq!(outcome(&file), expected, "{}", policy);
        prop_assert_eq!(check(&scenario, &trace), Ok(()), "{}", policy);
    }
    Ok(())
}

fn is_sound(seed: u64, jobs: u64) -> Result<(), TestCaseError> {
    let scenario = common::like_real_spark(seed, jobs);
    for policy in PolicyId::all() {
        let trace = simulate(&scenario, policy);
        prop_assert_eq!(check(&scenario, &trace), Ok(()), "{}", policy);
        prop_assert!(each_task_once(&scenario, &trace), "{}", policy);
        prop_assert!(one_task_at_a_time(&trace), "{}", policy);
        prop_assert!(nothing_runs_after_its_job(&trace), "{}", policy);
        let outcomes = simulate_outcomes(&scenario, policy, &mut |_| Control::Continue);
        prop_assert_eq!(outcomes, Ok(trace.jobs), "{}", policy);
    }
    Ok(())
}

/// A busy driver learns after a job's drop that two parents of one stage have ended.
#[test]
fn stages_of_a_dropped_job_end_before_a_busy_driver() {
    is_sound(12_767_183_159_130_770_684, 8).expect("a sound trace");
}

/// The reference itself against the given traces.
#[test]
fn the_reference_reproduces_the_given_traces() {
    let mut traces = 0;
    for folder in [
        "tests/cases",
        "tests/cases-allocation",
        "tests/cases-spark",
        "tests/cases-attempts",
        "tests/cases-held",
    ] {
        for entry in
            fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).expect("the cases are there")
        {
            let path = entry.expect("a readable folder").path();
            let mut text = String::new();
            let mut file = fs::File::open(&path).expect("a readable case");
            match path.extension() {
                Some(packed) if packed == "gz" => GzDecoder::new(file).read_to_string(&mut text),
                _ => file.read_to_string(&mut text),
            }
            .expect("a readable case");
            traces += reproduces(&serde_json::from_str(&text).expect("JSON"), &path);
        }
    }
    assert_eq!(traces, 240 + 428 + 354 + 659 + 55, "every policy of every case");
}

/// How many traces a case has.
fn reproduces(case: &Value, path: &Path) -> usize {
    let traces = case["traces"].as_object().expect("traces by policy");
    for (policy, expected) in traces {
        let actual = reference::simulate(&case["scenario"].to_string(), policy);
        assert_eq!(actual, outcome(expected), "{} under {policy}", path.display());
    }
    traces.len()
}

/// What a trace's file says.
pub fn outcome(trace: &Value) -> reference::Outcome {
    let jobs = trace["jobs"].as_array().expect("jobs");
    let time = |job: &Value, key: &str| job[key].as_u64().expect("an instant");
    let how = |job: &Value| job["outcome"].as_str().unwrap_or("finished").to_owned();
    let class = |class: &Value| class.as_str().expect("a class").to_owned();
    let classes = trace["classes"].as_object().into_iter().flatten();
    reference::Outcome {
        lines: numbers(&trace["tasks"]),
        killed: killed(trace),
        arrivals: jobs.iter().map(|job| time(job, "arrival_us")).collect(),
        ends: jobs.iter().map(|job| (how(job), time(job, "finish_us"))).collect(),
        classes: classes.map(|(user, it)| (user.clone(), class(it))).collect(),
        executors: trace.get("executors").map_or(Vec::new(), numbers),
    }
}

/// The killed attempts, each with its reason; a drop where a file gives none.
fn killed(trace: &Value) -> Vec<(u32, String)> {
    let killed: Vec<u32> = trace.get("killed").map_or(Vec::new(), numbers);
    let reasons: Option<Vec<String>> = trace.get("reasons").map(numbers);
    let reasons = reasons.unwrap_or_else(|| vec!["dropped".to_owned(); killed.len()]);
    assert_eq!(killed.len(), reasons.len(), "a reason for each");
    killed.into_iter().zip(reasons).collect()
}

fn numbers<T: serde::de::DeserializeOwned>(list: &Value) -> Vec<T> {
    serde_json::from_value(list.clone()).expect("numbers")
}

fn shift(run: &mut TaskRun, by: i64) {
    run.start.0 = run.start.0.saturating_add_signed(by);
    run.end.0 = run.end.0.saturating_add_signed(by);
}

/// Which fault it is, without the place.
fn fault(outcome: Result<(), Fault>) -> &'static str {
    match outcome {
        Ok(()) => "none",
        Err(Fault::NotATask { .. }) => "NotATask",
        Err(Fault::Missing { .. }) => "Missing",
        Err(Fault::WrongDuration { .. }) => "WrongDuration",
        Err(Fault::Overlap { .. }) => "Overlap",
        Err(Fault::Memory { .. }) => "Memory",
        Err(Fault::TooEarly { .. }) => "TooEarly",
        Err(Fault::Idle { .. }) => "Idle",
        Err(Fault::WrongFinish { .. }) => "WrongFinish",
        Err(Fault::NoSuchCore { .. }) => "NoSuchCore",
        Err(Fault::OtherJobs) => "OtherJobs",
        Err(_) => "a new fault",
    }
}

#[test]
fn a_trace_of_something_else_is_told() {
    let scenario = Scenario::from_json(&common::random_scenario(3)).expect("a sound file");
    let trace = simulate(&scenario, "fair".parse().expect("a policy"));
    let damaged = |damage: fn(&mut Trace)| {
        let mut trace = trace.clone();
        damage(&mut trace);
        fault(check(&scenario, &trace))
    };
    assert_eq!(damaged(|_| {}), "none");
    assert_eq!(damaged(|trace| trace.tasks[0].core.0 = trace.cores), "NoSuchCore");
    assert_eq!(damaged(|trace| trace.cores += 1), "OtherJobs");
    assert_eq!(damaged(|trace| trace.jobs.truncate(1)), "OtherJobs");
    assert_eq!(damaged(|trace| trace.jobs[0].arrival.0 += 1), "OtherJobs");
}

fn nothing_runs_after_its_job(trace: &Trace) -> bool {
    trace.tasks.iter().all(|run| run.end <= trace.jobs[run.job.index()].end())
}

/// By going through all tasks for every task; of a job that was dropped, none ran twice.
fn each_task_once(scenario: &Scenario, trace: &Trace) -> bool {
    let mut tasks = 0;
    for (j, job) in scenario.jobs().iter().enumerate() {
        let finished = trace.jobs[j].finish().is_some();
        for (s, stage) in job.stages.iter().enumerate() {
            for i in 0..scenario.partitioning().task_count(stage, trace.policy.partitioning) {
                let is_it =
                    |run: &&TaskRun| (run.job.index(), run.stage as usize, u64::from(run.task)) == (j, s, i);
                let times = trace.tasks.iter().filter(is_it).count();
                if times > 1 || finished && times == 0 {
                    return false;
                }
                tasks += times;
            }
        }
    }
    trace.tasks.len() == tasks
}

/// By comparing every two tasks of a core.
fn one_task_at_a_time(trace: &Trace) -> bool {
    trace.tasks.iter().enumerate().all(|(place, a)| {
        trace.tasks[..place].iter().all(|b| a.core != b.core || a.end <= b.start || b.end <= a.start)
    })
}

/// The scenario with every time and all work multiplied: all fields and parameters that are described as such.
fn scaled(scenario: &Scenario, factor: u64) -> Scenario {
    let sets = parameters::sets().into_iter().filter(|set| set.id != "deadlines");
    let mut objects: Vec<ObjectPath> = sets.map(|set| ObjectPath::Policy(set.id.into())).collect();
    objects.extend([ObjectPath::Cluster, ObjectPath::Partitioning]);
    for (id, job) in (0..).map(JobId).zip(scenario.jobs()) {
        // A job's estimate may follow those of its stages.
        objects.extend((0..job.stages.len() as u32).map(|stage| ObjectPath::Stage(id, stage)));
        objects.push(ObjectPath::Job(id));
    }
    objects.iter().fold(scenario.clone(), |large, of| {
        let times =
            of.fields().into_iter().filter(|field| field.is_time() && field.kind == FieldKind::Number);
        times.fold(large, |large, field| match scenario.value(of, &field).as_f64() {
            Some(seconds) => {
                let edit = Edit::Set {
                    of: of.clone(),
                    field: field.name.into(),
                    value: (seconds * factor as f64).into(),
                };
                large.with(&edit).expect("less than 2^51")
            }
            None => large,
        })
    })
}
