//! The catalog keeps its promises: every entry is sound and shows what it asks the reader to look
//! for, and the paper's scenarios come out as its authors measured them.

use fairlane::catalog::macro_benchmark::{MacroBenchmark, SchedulingUnit};
use fairlane::catalog::{self, CatalogSection, ENTRIES};
use fairlane::metrics::{
    by_job_group, group_means, groups, job_groups, mean_response, mean_response_by_user,
};
use fairlane::trace::JobRun;
use fairlane::units::Span;
use fairlane::{PolicyId, Scenario, simulate};

fn scenario(name: &str) -> Scenario {
    catalog::find(name).expect("an entry of the catalog").scenario()
}

fn policy(name: &str) -> PolicyId {
    name.parse().expect("a policy")
}

/// Mean response time of a user's jobs, in seconds.
fn mean_of_user(scenario: &Scenario, policy_name: &str, user: &str) -> f64 {
    let place = scenario.users().iter().position(|other| other.name == user).expect("a user of the scenario");
    let trace = simulate(scenario, policy(policy_name));
    mean_response_by_user(&trace.jobs, scenario.users().len())[place].expect("the user has jobs")
}

#[test]
fn the_parts_of_the_catalog_are_the_whole() {
    let parts: Vec<&str> =
        CatalogSection::ALL.into_iter().flat_map(CatalogSection::entries).map(|entry| entry.name).collect();
    assert_eq!(parts, ENTRIES.iter().map(|entry| entry.name).collect::<Vec<_>>());
}

#[test]
fn every_entry_is_sound_and_named_once() {
    for (place, entry) in ENTRIES.iter().enumerate() {
        let scenario = entry.scenario();
        assert!(!scenario.name().is_empty(), "{}", entry.name);
        assert!(!entry.look_for.is_empty() && !entry.source.is_empty(), "{}", entry.name);
        assert!(ENTRIES[..place].iter().all(|other| other.name != entry.name), "{}", entry.name);
        let suggested: Vec<String> = catalog::suggested(entry).iter().map(PolicyId::to_string).collect();
        assert_eq!(suggested.join(","), entry.policies, "{}", entry.name);
        // In the order in which the page shows them.
        assert!(catalog::suggested(entry).is_sorted(), "{}: {}", entry.name, entry.policies);
        assert_eq!(Scenario::from_json(&scenario.to_json()).as_ref(), Ok(&scenario), "{}", entry.name);
    }
}

#[test]
fn every_file_belongs_to_an_entry() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios");
    for file in std::fs::read_dir(folder).expect("the folder of scenarios") {
        let name = file.expect("a file").file_name().into_string().expect("a plain name");
        let is_known = name == "README.md" || name == "index.json";
        let entry = name.strip_suffix(".json").and_then(catalog::find);
        assert!(is_known || entry.is_some_and(|entry| entry.generator().is_none()), "{name}");
    }
}

/// n cores give the rate p(n) of the job's progress curve.
#[test]
fn elastic_jobs_get_ahead_as_their_curves_say() {
    for job in ["paf-two-jobs", "paf-three-jobs"].map(scenario).iter().flat_map(Scenario::jobs) {
        let curve = job.curve.as_ref().expect("a job with a curve");
        for &(cores, factor) in &job.stages[0].inflation {
            let expected = f64::from(cores) * curve.progress(1) / curve.progress(cores);
            assert!(
                (factor - expected).abs() < 1e-4,
                "{} on {cores} cores: {factor}, not {expected}",
                job.name
            );
        }
    }
}

/// Average response times measured on real Spark, in seconds (UWFQ paper, Table 1 and its published
/// result tables).
const MEASURED: [(&str, &str, f64); 8] = [
    ("paper-scenario-1", "fair", 44.08),
    ("paper-scenario-1", "ujf", 43.11),
    ("paper-scenario-1", "cfq", 32.59),
    ("paper-scenario-1", "uwfq", 29.44),
    ("paper-scenario-2", "fair", 28.11),
    ("paper-scenario-2", "ujf", 29.11),
    ("paper-scenario-2", "cfq", 43.20),
    ("paper-scenario-2", "uwfq", 25.50),
];

#[test]
fn the_papers_averages_come_out_as_measured() {
    let mut errors = Vec::new();
    for (name, policy_name, measured) in MEASURED {
        let simulated = mean_response(&simulate(&scenario(name), policy(policy_name)).jobs).expect("jobs");
        let error = (simulated / measured - 1.0).abs();
        assert!(error < 0.12, "{name} under {policy_name}: {simulated:.2} s against {measured} s measured");
        errors.push(error);
    }
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    assert!(mean < 0.05, "the mean deviation is {:.1} %", 100.0 * mean);
}

#[test]
fn infrequent_users_wait_for_nobody_under_ujf_and_uwfq() {
    let scenario = scenario("paper-scenario-1");
    for user in ["user3", "user4"] {
        for policy in ["ujf", "uwfq"] {
            let mean = mean_of_user(&scenario, policy, user);
            assert!(mean < 8.0, "{user} under {policy}: {mean:.2} s");
        }
        for policy in ["fifo", "fair", "cfq"] {
            let mean = mean_of_user(&scenario, policy, user);
            assert!(mean > 25.0, "{user} under {policy}: {mean:.2} s");
        }
    }
}

#[test]
fn runtime_partitioning_removes_the_priority_inversion() {
    let scenario = scenario("priority-inversion");
    let [fair, default, runtime] =
        ["fair", "uwfq", "uwfq-p"].map(|policy| mean_of_user(&scenario, policy, "ben"));
    // ana's tasks last 6 s each, so nobody gets a core before 6 s.
    assert!(fair > 5.9 && default > 5.9, "fair {fair:.2} s, uwfq {default:.2} s");
    assert!(runtime < 1.5, "uwfq-p {runtime:.2} s");
}

#[test]
fn runtime_partitioning_removes_the_straggler() {
    let scenario = scenario("skew");
    let [default, runtime] =
        ["uwfq", "uwfq-p"].map(|policy| simulate(&scenario, policy.parse().expect("a policy")));
    // The heavy task of 5 s against 12 core-seconds on eight cores and the second stage.
    assert!(default.end().seconds() > 5.0, "{} s", default.end().seconds());
    assert!(runtime.end().seconds() < 2.0, "{} s", runtime.end().seconds());
}

#[test]
fn counting_users_protects_the_one_job_from_the_many() {
    let scenario = scenario("two-users");
    for policy in ["ujf", "uwfq"] {
        let mean = mean_of_user(&scenario, policy, "ben");
        assert!(mean < 4.0, "ben under {policy}: {mean:.2} s");
    }
    for policy in ["fifo", "fair", "cfq"] {
        let mean = mean_of_user(&scenario, policy, "ben");
        assert!(mean > 10.0, "ben under {policy}: {mean:.2} s");
    }
}

/// Mean response times of several users under one policy, in seconds.
fn means<const N: usize>(scenario: &Scenario, policy: &str, users: [&str; N]) -> [f64; N] {
    users.map(|user| mean_of_user(scenario, policy, user))
}

/// When everything has ended, in seconds.
fn end(scenario: &Scenario, policy_name: &str) -> f64 {
    simulate(scenario, policy(policy_name)).end().seconds()
}

#[test]
fn a_heavy_user_who_comes_first_holds_up_nobody_where_users_or_sizes_count() {
    let scenario = scenario("heavy-first");
    let light = ["ana", "ben", "cleo"];
    for policy in ["fifo", "fair"] {
        let means = means(&scenario, policy, light);
        assert!(means.iter().all(|&mean| mean > 30.0), "{policy}: {means:?}");
    }
    for policy in ["ujf", "cfq", "uwfq"] {
        let means = means(&scenario, policy, light);
        assert!(means.iter().all(|&mean| mean < 3.0), "{policy}: {means:?}");
        // It all ends when it did: 320 core-seconds of the heavy user's and 24 of the others' on eight cores.
        assert!(end(&scenario, policy) < 1.002 * end(&scenario, "fifo"), "{policy}");
    }
}

#[test]
fn weights_count_under_ujf_and_uwfq_only() {
    let scenario = scenario("weights");
    let last = |policy_name: &str, user: &str| {
        let trace = simulate(&scenario, policy(policy_name));
        let finishes = trace.jobs.iter().filter(|job| scenario.users()[job.user.index()].name == user);
        finishes.map(|job| job.end().seconds()).fold(0.0, f64::max)
    };
    for policy in ["ujf", "uwfq"] {
        // Three quarters of the cores until ana's 80 of 160 core-seconds are done: 2/3 of the time.
        let ratio = last(policy, "ana") / last(policy, "ben");
        assert!((0.62..0.72).contains(&ratio), "{policy}: {ratio:.3}");
        let [ana, ben] = means(&scenario, policy, ["ana", "ben"]);
        assert!(ben > 1.6 * ana, "{policy}: {ana:.2} s and {ben:.2} s");
    }
    for policy in ["fifo", "fair", "cfq"] {
        let ratio = last(policy, "ana") / last(policy, "ben");
        assert!(ratio > 0.94, "{policy}: {ratio:.3}");
        let [ana, ben] = means(&scenario, policy, ["ana", "ben"]);
        assert!(ben < 1.15 * ana, "{policy}: {ana:.2} s and {ben:.2} s");
    }
}

#[test]
fn branches_bring_shares_under_fair_and_none_under_ujf() {
    let scenario = scenario("branches");
    // ben's 16 core-seconds at a fifth and at half of eight cores, and alone after ana's running tasks.
    let [fair, ujf, uwfq] = ["fair", "ujf", "uwfq"].map(|policy| mean_of_user(&scenario, policy, "ben"));
    assert!((9.0..11.0).contains(&fair), "fair {fair:.2} s");
    assert!((4.0..5.0).contains(&ujf), "ujf {ujf:.2} s");
    assert!((2.0..3.0).contains(&uwfq), "uwfq {uwfq:.2} s");
    let west = scenario.jobs()[0].stages.iter().position(|stage| stage.name == "west").expect("a branch");
    for policy_name in ["fair", "ujf", "cfq", "uwfq"] {
        let trace = simulate(&scenario, policy(policy_name));
        let of = |stage: usize| {
            trace.tasks.iter().filter(move |run| run.job.0 == 0 && run.stage as usize == stage)
        };
        let ended = |stage| of(stage).map(|run| run.end).max().expect("the stage has tasks");
        let join = of(5).map(|run| run.start).min().expect("the join has tasks");
        assert!((1..=4).all(|branch| ended(branch) <= ended(west)), "{policy_name}: west is the longest");
        assert_eq!(join, ended(west), "{policy_name}");
    }
}

/// From a batch's trigger to its end, in seconds: the longest, and how many batches were triggered before those that they
/// wait for had ended.
#[test]
fn a_stream_stands_still_under_fifo_and_hardly_waits_where_tasks_are_short() {
    let scenario = scenario("streaming");
    let jobs = scenario.jobs();
    let lags = |policy_name: &str| {
        let trace = simulate(&scenario, policy(policy_name));
        let stream = jobs.iter().zip(&trace.jobs).filter(|(job, _)| job.user.0 == 0);
        let lags: Vec<f64> =
            stream.clone().map(|(job, run)| run.end().since(job.arrival).seconds()).collect();
        let late = stream.filter(|(job, run)| run.arrival > job.arrival).count();
        (lags.into_iter().fold(0.0, f64::max), late)
    };
    let [fifo, ujf, short] = ["fifo", "ujf", "uwfq-p"].map(lags);
    assert_eq!((fifo, ujf, short), ((11.5, 6), (7.5, 6), (1.0, 0)));
}

#[test]
fn true_estimates_make_cfq_as_quick_as_uwfq() {
    let [constants, truth] = ["paper-scenario-2", "paper-scenario-2-true"].map(scenario);
    let mean = |scenario: &Scenario, name: &str| {
        mean_response(&simulate(scenario, policy(name)).jobs).expect("jobs")
    };
    // The same work, arrivals and cluster; UJF, which asks for no estimates, gives the same schedule.
    assert_eq!(simulate(&constants, policy("ujf")).hash(), simulate(&truth, policy("ujf")).hash());
    assert!(mean(&constants, "cfq") > 40.0, "{:.2} s", mean(&constants, "cfq"));
    let [cfq, uwfq] = ["cfq", "uwfq"].map(|name| mean(&truth, name));
    assert!(cfq < 25.0 && (cfq / uwfq - 1.0).abs() < 0.01, "cfq {cfq:.2} s, uwfq {uwfq:.2} s");
    // UWFQ hardly minds the constants: they are alike for all jobs.
    assert!((mean(&constants, "uwfq") / uwfq - 1.0).abs() < 0.01);
}

/// Sum of the runtimes that the authors aimed at, 14 433.9 s, users and groups: as their list has them.
#[test]
fn the_macro_benchmark_is_the_authors_list() {
    let scenario = scenario("macro");
    let groups = job_groups(&scenario);
    assert_eq!((scenario.users().len(), scenario.jobs().len(), groups.len()), (22, 207, 97));
    assert_eq!(scenario.cluster().cores(), 32);
    let work: f64 = scenario.jobs().iter().map(|job| job.work().seconds()).sum();
    assert!((work - (207.0 * 7.605 + 1.05 * 14_433.879)).abs() < 0.1, "{work}");
    let largest = groups.iter().map(|group| group.jobs.len()).max();
    assert_eq!(largest, Some(44));
    for group in &groups {
        let jobs: Vec<_> = group.jobs.iter().map(|job| &scenario.jobs()[job.index()]).collect();
        let runtime: f64 = jobs.iter().map(|job| (job.work().seconds() - 7.605) / 1.05).sum();
        // Every job of a group arrives with it and carries the estimate of all of it.
        assert!(jobs.iter().all(|job| job.user == jobs[0].user && job.arrival == jobs[0].arrival));
        assert!(jobs.iter().all(|job| (job.estimate.seconds() - 4.3 * runtime).abs() < 0.01), "{runtime}");
    }
    assert!(scenario.jobs().is_sorted_by_key(|job| job.arrival));
}

/// What the entry says, counted by group.
#[test]
fn the_macro_benchmark_shows_what_it_says() {
    let means = |name: &str, policy_name: &str| {
        let scenario = scenario(name);
        let trace = simulate(&scenario, policy(policy_name));
        let runs = by_job_group(&job_groups(&scenario), &trace.jobs);
        let responses = runs.iter().map(|run| run.response().map(Span::seconds));
        group_means(&groups(&runs), responses).map(|mean| mean.expect("97 groups fill every rank"))
    };
    let ujf = means("macro", "ujf");
    for name in ["cfq", "uwfq"] {
        let [quickest, _, slowest] = means("macro", name);
        assert!(quickest < 0.55 * ujf[0] && slowest > 1.15 * ujf[2], "{name}: {quickest} and {slowest}");
        let [cut, ..] = means("macro-p", name);
        assert!(cut < 0.55 * quickest, "{name}: {cut} and {quickest}");
    }
}

/// A group as one job with its stages side by side is the same to policies that see stages; only UWFQ sees jobs.
#[test]
fn groups_as_jobs_change_uwfq_alone() {
    let jobs = MacroBenchmark::default();
    let (jobs, merged) = (jobs.scenario(), MacroBenchmark { unit: SchedulingUnit::Group, ..jobs }.scenario());
    assert_eq!((merged.jobs().len(), job_groups(&merged).len()), (97, 97));
    for name in ["fair", "ujf", "cfq", "uwfq"] {
        let responses = |scenario: &Scenario| -> Vec<_> {
            let runs = by_job_group(&job_groups(scenario), &simulate(scenario, policy(name)).jobs);
            runs.iter().map(JobRun::response).collect()
        };
        assert_eq!(responses(&jobs) == responses(&merged), name != "uwfq", "{name}");
    }
}

fn with_atr(scenario: &Scenario, seconds: f64) -> Scenario {
    let micros = fairlane::units::micros_from_seconds(seconds).expect("a length");
    scenario
        .with(&fairlane::scenario::Edit::advisory_task_runtime(fairlane::units::Span(micros)))
        .expect("a sound scenario")
}

#[test]
fn a_tiny_atr_costs_more_than_it_gives() {
    let scenario = scenario("atr-too-small");
    let [default, tiny] = ["uwfq", "uwfq-p"].map(|policy| end(&scenario, policy));
    assert!(tiny > 1.6 * default, "{default:.2} s and {tiny:.2} s");
    let trace = simulate(&scenario, policy("uwfq-p"));
    let held: f64 = trace.tasks.iter().map(|run| run.end.since(run.start).seconds()).sum();
    let work: f64 = scenario.jobs().iter().map(|job| job.work().seconds()).sum();
    assert!(held - work > work, "launching takes {:.1} s of {held:.1} s", held - work);
    let mended = end(&with_atr(&scenario, 0.5), "uwfq-p");
    assert!(mended < 0.6 * default, "{mended:.2} s at an ATR of 0.5 s");
}

#[test]
fn a_huge_atr_leaves_the_straggler() {
    let scenario = scenario("atr-too-large");
    let [default, huge] = ["uwfq", "uwfq-p"].map(|name| simulate(&scenario, policy(name)));
    assert_eq!(default.tasks, huge.tasks);
    let straggler = huge.tasks.iter().max_by_key(|run| run.end.since(run.start)).expect("there are tasks");
    assert!((straggler.end.since(straggler.start).seconds() - 16.0).abs() < 0.01);
    let others = huge.tasks.iter().filter(|run| *run != straggler).map(|run| run.end.seconds());
    let others = others.fold(0.0, f64::max);
    assert!(others < 5.0 && huge.end() == straggler.end, "seven cores wait from {others:.2} s on");
    let mended = end(&with_atr(&scenario, 0.25), "uwfq-p");
    assert!(mended < 5.0, "{mended:.2} s at an ATR of 0.25 s");
}

#[test]
fn wrong_estimates_hurt_those_who_told_the_truth() {
    let wrong = scenario("estimates-off");
    let right = Scenario::from_json(&wrong.to_json().replace("\"estimate_s\": 6.4", "\"estimate_s\": 64"))
        .expect("sound");
    assert_ne!(wrong, right);
    let small = ["ben", "cleo"];
    for policy in ["cfq", "uwfq"] {
        let means = means(&wrong, policy, small);
        assert!(means.iter().all(|&mean| mean > 8.0), "{policy}: {means:?}");
    }
    let ujf = means(&wrong, "ujf", small);
    assert!(ujf.iter().all(|&mean| mean < 5.0), "{ujf:?}");
    for policy in ["cfq", "uwfq"] {
        let means = means(&right, policy, small);
        assert!(means.iter().zip(ujf).all(|(&mean, ujf)| mean < ujf), "{policy}: {means:?} against {ujf:?}");
    }
}
