//! The simulator against what was measured: schedules recorded from real Spark, the deadlines that
//! the authors' UWFQ class gave in them, and the paper's tables.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Output;

use crate::command::fairlane;
use fairlane::catalog::{self, macro_benchmark::MacroBenchmark};
use fairlane::ids::{Rank, StageIndex};
use fairlane::metrics::{by_job_group, job_groups, mean_response};
use fairlane::policy::uwfq_released::UwfqReleased;
use fairlane::policy::{Context, Policy};
use fairlane::scenario::{Cluster, PolicyParameters};
use fairlane::scenario::{Input, PartitionMode};
use fairlane::units::{SlotTime, Time};
use fairlane::{PolicyKind, Scenario, simulate};
use fairlane_study::fidelity::published::{self, MicroComparison};
use fairlane_study::fidelity::recorded::{
    self, FidelityComparison, RecordedRun, RecordedSchedule, RecordedWorkload,
};
use fairlane_study::fidelity::table_2::{self, Assumption, Table2Row, Times};
use flate2::read::GzDecoder;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/spark-3.5.5");

fn text(path: &Path) -> String {
    let bytes = fs::read(path).expect("the file is there");
    if path.extension().is_some_and(|extension| extension == "gz") {
        let mut text = String::new();
        GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).expect("it unpacks");
        return text;
    }
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

fn files(folder: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(Path::new(DATA).join(folder)).expect("the folder is there");
    let mut files: Vec<_> = entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, text(&path))
        })
        .collect();
    files.sort();
    files
}

fn workloads() -> Vec<RecordedWorkload> {
    files("workloads").iter().map(|(_, text)| serde_json::from_str(text).expect("a workload")).collect()
}

fn runs() -> Vec<RecordedRun> {
    let run = |(name, text): &(String, String)| {
        let label = name.trim_end_matches(".json.gz").rsplit('_').next().expect("a label").to_owned();
        RecordedRun { label, schedule: serde_json::from_str(text).expect("a schedule") }
    };
    files("schedules").iter().map(run).collect()
}

fn comparison() -> FidelityComparison {
    recorded::compare(&workloads(), &runs()).expect("sound recordings")
}

#[test]
fn real_spark_is_no_closer_to_itself() {
    let comparison = comparison();
    assert_eq!(comparison.runs.len(), 47);
    let (error, between) = comparison.paired().expect("most workloads ran twice");
    assert!(error <= 1.2 * between, "{error} against {between} between two real runs");
    assert!(comparison.error() <= 1.2 * between, "also with the runs that have no second");
    for (kind, most) in [
        (PolicyKind::Fifo, 0.05),
        (PolicyKind::Fair, 0.05),
        (PolicyKind::Ujf, 0.05),
        (PolicyKind::Cfq, 0.08),
        (PolicyKind::UwfqReleased, 0.08),
    ] {
        let worst = comparison.worst_mean_error(kind).expect("there are runs of each policy");
        assert!(worst <= most, "{kind:?}: a mean response time is off by {worst}");
    }
}

/// What the calibration is worth: without the driver, the launch overhead and the released class the
/// simulator is clearly further from Spark.
#[test]
fn the_calibration_matters() {
    let workloads = workloads();
    let bare = |workload: &RecordedWorkload, run: &RecordedRun| {
        let scenario = recorded::scenario(workload, 300).expect("a sound workload");
        let cores_per_executor = scenario.cluster().cores_per_executor;
        let free_of_costs = Cluster::new(1, cores_per_executor);
        let scenario = scenario.to_builder().cluster(free_of_costs).parameters(PolicyParameters::default());
        let scenario = scenario.build().expect("a good cluster");
        let trace =
            fairlane::simulate(&scenario, run.schedule.scheduler.to_lowercase().parse().expect("known"));
        let by_name: BTreeMap<&str, f64> =
            run.schedule.jobs.iter().map(|job| (job.name.as_str(), job.finish_ms - job.submit_ms)).collect();
        let errors: Vec<f64> = workload
            .jobs
            .iter()
            .zip(&trace.jobs)
            .map(|(job, ran)| {
                let spark = by_name[job.name.as_str()];
                (ran.response().expect("it finishes").seconds() * 1000.0 / spark - 1.0).abs()
            })
            .collect();
        errors.iter().sum::<f64>() / errors.len() as f64
    };
    let errors: Vec<f64> = runs()
        .iter()
        .map(|run| {
            let workload = workloads.iter().find(|workload| workload.workload == run.schedule.workload);
            bare(workload.expect("its workload"), run)
        })
        .collect();
    let bare = errors.iter().sum::<f64>() / errors.len() as f64;
    let calibrated = comparison().error();
    assert!(bare > 2.0 * calibrated, "{bare} without and {calibrated} with the calibration");
}

/// The released class is driven with the instants at which it was asked in real Spark; what it then
/// decided is recorded. It read its clock some ms before it was logged, so deadlines differ by some ms
/// of the cluster's time, and jobs that are nearly equal can change places.
#[test]
fn the_released_class_gives_the_deadlines_that_were_recorded() {
    let workloads = workloads();
    let (mut stages, mut other_lateness, mut differences) = (0, 0, Vec::new());
    for RecordedRun { schedule, .. } in runs().iter().filter(|run| run.schedule.scheduler == "UWFQ") {
        let workload = workloads.iter().find(|workload| workload.workload == schedule.workload);
        let workload = workload.expect("its workload");
        let scenario = recorded::scenario(workload, 300).expect("a sound workload");
        for (mine, recorded) in replayed(&scenario, schedule) {
            stages += 1;
            match (mine, recorded) {
                (0.0, None) => {}
                (mine, Some(recorded)) if mine > 0.0 => {
                    differences.push((mine - recorded).abs() / f64::from(workload.slots));
                }
                _ => other_lateness += 1,
            }
        }
    }
    assert_eq!(stages, 609);
    assert!(
        other_lateness <= 2,
        "{other_lateness} stages are late here and were not, or the other way round"
    );
    differences.sort_by(f64::total_cmp);
    let at = |part: f64| differences[(part * differences.len() as f64) as usize];
    assert!(at(0.5) <= 10.0, "the median is off by {} ms of the cluster", at(0.5));
    assert!(at(0.8) <= 200.0, "four fifths are within {} ms of the cluster", at(0.8));
}

/// Every stage's deadline after its submission, in core-ms: here, and as recorded first.
fn replayed(scenario: &Scenario, schedule: &RecordedSchedule) -> Vec<(f64, Option<f64>)> {
    /// From the driver's taking a stage up until the class reads its clock, in ms, where no deadline shows it.
    const LATER: f64 = 3.0;
    let mut policy = UwfqReleased::new(&Context::new(scenario, PartitionMode::Default));
    let mut asked = Vec::new();
    let by_name: BTreeMap<&str, usize> =
        scenario.jobs().iter().enumerate().map(|(place, job)| (job.name.as_str(), place)).collect();
    for (rank, job) in schedule.jobs.iter().enumerate() {
        for (index, stage) in job.stages.iter().enumerate() {
            let first = stage.deadlines.first().copied();
            let at = first.map_or(stage.submit_ms + LATER, |(at, _)| at);
            asked.push((at, stage.stage_id, rank, index, first.map(|(_, deadline)| deadline)));
        }
    }
    asked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut deadlines = Vec::new();
    let mut first_stage = BTreeMap::new();
    let mut stages = 0;
    for (at, _, rank, index, recorded) in asked {
        let job = &scenario.jobs()[by_name[schedule.jobs[rank].name.as_str()]];
        if index == 0 {
            policy.arrive(job.estimate, job.stages.len());
            first_stage.insert(rank, (stages, first_stage.len() as u32));
            stages += job.stages.len() as u32;
        }
        let (first, rank) = first_stage[&rank];
        let stage = StageIndex(first + index as u32);
        let deadline = policy.submit(Time((at * 1000.0) as u64), stage, Rank(rank), job.user);
        deadlines.push((deadline / 1000.0, recorded));
    }
    deadlines
}

#[test]
fn table_1_is_met() {
    let rows = published::table_1();
    assert_eq!(rows.len(), 10);
    assert!(published::mean_error(&rows) <= 0.04, "{}", published::mean_error(&rows));
    for row in &rows {
        let MicroComparison { row: published, simulated } = row;
        assert!(row.mean_error().abs() <= 0.10, "{published:?}: {simulated:?}");
        // The users who come now and then: answered soon where users count, late where they do not.
        if published.scenario == "paper-scenario-1" {
            let soon = matches!(published.policy, PolicyKind::Ujf | PolicyKind::Uwfq);
            for figures in [&published.measured, simulated] {
                let infrequent = &figures.users[2..];
                assert!(
                    infrequent.iter().all(|&mean| if soon { mean < 8.0 } else { mean > 25.0 }),
                    "{row:?}"
                );
            }
        }
    }
}

/// The averages that the paper prints, and which of its runs are outliers.
#[test]
fn table_2_is_the_average_of_its_runs() {
    let printed = [
        [46.12, 28.29, 100.5, 164.4, 563.1],
        [54.12, 27.43, 140.9, 215.5, 565.7],
        [37.05, 11.05, 85.67, 298.1, 621.0],
        [41.42, 12.33, 92.36, 343.5, 624.2],
        [49.66, 27.94, 112.7, 202.7, 563.8],
        [50.44, 23.02, 140.2, 214.4, 562.8],
        [28.64, 5.51, 63.78, 284.2, 592.5],
        [31.19, 6.05, 67.44, 314.6, 591.8],
    ];
    for (measured, printed) in table_2::RUNS.iter().zip(printed) {
        for (ours, theirs) in measured.published().all().into_iter().zip(printed) {
            assert!((ours - theirs).abs() < 0.11, "{}: {ours} and {theirs}", measured.policy);
        }
    }
    assert_eq!(table_2::RUNS.map(|measured| measured.regular().len()), [3, 2, 3, 3, 2, 2, 3, 3]);
}

/// The mean of a run follows from those of its ranks if there were 174 responses, and not if there were 162 or 97.
#[test]
fn table_2_counts_174_responses() {
    let off = |count: usize| {
        let (first, second) = (count * 4 / 5, count * 19 / 20);
        let sizes = [first, second - first, count - second].map(|size| size as f64 / count as f64);
        let of = |run: &Times| {
            let mean: f64 = run.ranks.iter().zip(sizes).map(|(mean, size)| mean * size).sum();
            (mean - run.mean).abs()
        };
        table_2::RUNS.iter().flat_map(|measured| measured.runs.iter().map(of)).fold(0.0, f64::max)
    };
    assert!(off(174) < 0.015, "{}", off(174));
    assert!(off(162) > 1.0 && off(97) > 0.3, "{} and {}", off(162), off(97));
    let scenario = MacroBenchmark::default().scenario();
    let groups =
        by_job_group(&job_groups(&scenario), &simulate(&scenario, "fair".parse().expect("a policy")).jobs);
    assert_eq!(table_2::as_the_authors_counted(&scenario, &groups).len(), 174);
}

#[test]
fn table_2_is_met() {
    let rows = table_2::rows();
    assert_eq!(rows.len(), 8);
    for row in &rows {
        for measured in [&row.measured, &row.published] {
            let [mean, ranks @ .., makespan] = row.simulated.against(measured);
            assert!(mean.abs() <= 0.15 && ranks.iter().all(|error| error.abs() <= 0.25), "{row:?}");
            assert!(makespan.abs() <= 0.10, "{row:?}");
        }
    }
    // Every mean and every rank of the quickest and slowest is on the measured side of UJF with the same partitioning.
    for rows in rows.chunks(4) {
        let [fair, ujf, cfq, uwfq] = rows else { panic!("four policies for each partitioning") };
        for row in [fair, cfq, uwfq] {
            let of = |times: fn(&Table2Row) -> &Times| times(row).against(times(ujf));
            let (measured, simulated) = (of(|row| &row.measured), of(|row| &row.simulated));
            assert!(
                measured[..4].iter().zip(&simulated).all(|(one, other)| one.signum() == other.signum()),
                "{}: {measured:.3?} and {simulated:.3?}",
                row.policy
            );
        }
    }
}

/// UWFQ's job is the group: with a deadline for each Spark job the middle ranks of UWFQ-P wait too long.
#[test]
fn table_2_needs_its_assumptions() {
    let errors =
        |assumption| table_2::rows_under(assumption).iter().map(Table2Row::errors).collect::<Vec<_>>();
    let all = errors(Assumption::All);
    let [uwfq_p, jobs] = [&all, &errors(Assumption::JobsOfTheirOwn)].map(|errors| errors[7][2]);
    assert!(uwfq_p.abs() < 0.10 && jobs > 0.25, "{uwfq_p} and {jobs}");
    // Without contention CFQ and UWFQ take no longer than UJF, which they did by 12 %.
    let without = errors(Assumption::NoContention);
    assert!(without[2][4] < -0.10 && without[3][4] < -0.10 && without[2][0] < -0.20, "{without:.3?}");
    assert!(errors(Assumption::EstimatesOfJobs)[6][2] > 0.25);
}

/// An outlier run is what a machine 6 % slower would measure: UJF's first run has a mean 31 % larger than the others'.
#[test]
fn an_outlier_run_is_a_slower_machine() {
    let mean = |factor: f64| {
        let scenario = MacroBenchmark::default().scenario();
        let mut jobs = scenario.jobs().to_vec();
        for stage in jobs.iter_mut().flat_map(|job| &mut job.stages) {
            let work = SlotTime((stage.input.work().0 as f64 * factor) as u64);
            stage.input = Input::of_profile(work, stage.input.weights()).expect("a sound input");
        }
        let slower = scenario.to_builder().jobs(jobs).build().expect("a sound scenario");
        let runs = simulate(&slower, "ujf".parse().expect("a policy")).jobs;
        let groups = by_job_group(&job_groups(&slower), &runs);
        mean_response(&table_2::as_the_authors_counted(&slower, &groups)).expect("all finish")
    };
    let slower = mean(1.06) / mean(1.0);
    assert!((1.2..1.4).contains(&slower), "{slower}");
}

/// Tasks of the stages that the authors' partitioner cut.
#[test]
fn the_partitioner_read_the_runtime_of_the_job() {
    let scenario = catalog::find("macro-p").expect("an entry").scenario();
    let stages = scenario.jobs().iter().flat_map(|job| &job.stages).filter(|stage| stage.partitions > 1);
    assert_eq!(stages.map(|stage| stage.partitions).sum::<u32>(), 29_578);
}

fn report(arguments: &[&str]) -> Output {
    fairlane(&["report"]).args(arguments).output().expect("it runs")
}

#[test]
fn the_documentation_shows_the_report_of_today() {
    let printed = String::from_utf8(report(&["--format", "markdown"]).stdout).expect("text");
    let papers = printed.find("\n## PAF").expect("other papers' results come last") + 1;
    for (name, part) in [("fidelity.md", printed[..papers].trim_end()), ("papers.md", &printed[papers..])] {
        let path = format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"));
        let shown = fs::read_to_string(path).expect("the page is there");
        assert!(
            shown.trim_end().ends_with(part.trim_end()),
            "write what `fairlane report --format markdown` prints at the end of docs/{name}:\n{part}"
        );
    }
}

#[test]
fn the_page_shows_the_report_of_today() {
    let printed = String::from_utf8(report(&["--format", "json"]).stdout).expect("text");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../src/panels/guide/fidelity/report.json");
    let shown = fs::read_to_string(path).expect("the page's figures are there");
    assert!(shown == printed, "write what `fairlane report --format json` prints into {path}");
}

#[test]
fn a_folder_of_other_recordings_is_compared_likewise() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["workloads", "schedules"] {
        fs::create_dir(folder.path().join(name)).expect("a folder in it");
    }
    let path = |name: &str| folder.path().join(name);
    fs::copy(format!("{DATA}/workloads/tiny.json"), path("workloads/tiny.json")).expect("a copy");
    let schedule = text(Path::new(&format!("{DATA}/schedules/tiny_FIFO_r2.json.gz")));
    fs::write(path("schedules/tiny_FIFO_r2.json"), &schedule).expect("a schedule that is not packed");
    let folder_name = folder.path().to_str().expect("a name of letters").to_owned();
    let out = report(&["--recorded", &folder_name, "--format", "csv"]);
    assert!(out.status.success());
    let lines = String::from_utf8(out.stdout).expect("text");
    assert_eq!(lines.lines().count(), 7, "a heading and six jobs");
    assert!(lines.contains("\ntiny,fifo,r2,A1,A,"), "{lines}");

    let fails = |what: &str| {
        let out = report(&["--recorded", &folder_name]);
        let said = String::from_utf8(out.stderr).expect("text");
        assert_eq!(out.status.code(), Some(2), "{said}");
        assert!(said.contains(what) && out.stdout.is_empty(), "{said}");
    };
    fs::write(path("schedules/tiny_FIFO_r2.json"), schedule.replace("\"A2\"", "\"A9\"")).expect("written");
    fails("job \"A2\" of its workload is missing");
    fs::write(path("schedules/tiny_FIFO_r2.json"), schedule.replace("FIFO", "LIFO")).expect("written");
    fails("there is no policy \"lifo\"");
    fs::write(path("schedules/tiny_FIFO_r2.json"), "[]").expect("written");
    fails("is not a recording of the expected format");
    fs::write(path("schedules/tiny_FIFO_r2.json.gz"), "no archive").expect("written");
    fs::remove_file(path("schedules/tiny_FIFO_r2.json")).expect("removed");
    fails("cannot be decompressed");
    fs::remove_file(path("schedules/tiny_FIFO_r2.json.gz")).expect("removed");
    fs::remove_dir(path("schedules")).expect("removed");
    fails("cannot be read");
}
