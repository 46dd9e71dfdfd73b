//! The Decima paper's environment from measured TPC-H profiles (section 7.2): batches of jobs, and Poisson arrivals.
//!
//! A job is one of 22 queries in one of six sizes, 2 to 100 GB: the number of tasks grows in proportion, their length
//! a little. A core belongs to its job until that needs it no longer; moving it to another job costs 2.5 s, a first wave takes 1.3 times as long, and tasks up to 1.4 times
//! the more of their stage run.

use std::sync::LazyLock;

use fairlane::Scenario;
use fairlane::ids::UserId;
use fairlane::scenario::{Cluster, CoreOwners, Input, Job, Stage, User};
use fairlane::units::{Span, Time};
use serde::Deserialize;

use crate::random::MersenneTwister;

/// Single-core executors.
pub const CORES: u32 = 50;
/// Jobs of a batch.
pub const BATCH: usize = 20;
/// Jobs of a stream.
pub const STREAM: usize = 200;
/// The work that arrives over what the cores can do.
const LOAD: f64 = 0.85;
const SIZES: [u32; 6] = [2, 5, 10, 20, 50, 100];

#[derive(Deserialize)]
struct ProfileStage {
    parents: Vec<u32>,
    tasks_ms: Vec<f64>,
}

/// The stages of each query, by the names in the order of texts.
static PROFILES: LazyLock<Vec<(String, Vec<ProfileStage>)>> = LazyLock::new(|| {
    let profiles: std::collections::BTreeMap<String, Vec<ProfileStage>> =
        serde_json::from_str(include_str!("../data/profiles.json")).expect("profiles");
    profiles.into_iter().collect()
});

fn micros(seconds: f64) -> u64 {
    // Rounded to milliseconds as text is.
    let milliseconds = format!("{seconds:.3}").replace('.', "");
    milliseconds.parse::<u64>().expect("a positive number") * 1000
}

fn job(random: &mut MersenneTwister) -> (Job, f64) {
    let (query, stages) = &PROFILES[random.below(PROFILES.len())];
    let size = SIZES[random.below(SIZES.len())];
    let factor = 15.0 * libm::pow(f64::from(size) / 10.0, 0.15);
    let mut work = 0.0;
    let stages = stages.iter().map(|stage| {
        let count = stage.tasks_ms.len();
        let tasks = (count as f64 * f64::from(size) / 10.0).round_ties_even().max(1.0) as usize;
        let spans: Vec<Span> = (0..tasks)
            .map(|_| Span(micros(stage.tasks_ms[random.below(count)].max(1.0) / 1000.0 * factor)))
            .collect();
        work += spans.iter().map(|span| span.0 as f64 / 1e6).sum::<f64>();
        let mut stage_spec = Stage::with_input(Input::of_tasks(spans).expect("tasks"));
        stage_spec.parents.clone_from(&stage.parents);
        stage_spec.first_wave = 1.3;
        stage_spec.inflation = vec![(1, 1.0), (50, 1.4)];
        stage_spec
    });
    let mut job = Job::new(UserId(0), Time::ZERO, stages.collect());
    job.name = format!("{query}-{size}");
    (job, work)
}

fn scenario(name: String, jobs: Vec<Job>) -> Scenario {
    let mut cluster = Cluster::new(CORES, 1);
    cluster.core_move = Span(2_500_000);
    cluster.executors_belong = Some(CoreOwners::Jobs);
    let builder = Scenario::builder().name(name).cluster(cluster).users([User::named("u")]).jobs(jobs);
    builder.build().expect("a sound scenario")
}

/// Jobs that arrive together.
pub fn batch(seed: u32) -> Scenario {
    let mut random = MersenneTwister::new(seed);
    let jobs = (0..BATCH).map(|_| job(&mut random).0).collect();
    scenario(format!("batch {seed}"), jobs)
}

/// Jobs that arrive one after the other, as a Poisson process; the cores are busy for 85 % of the time if no work is
/// added.
pub fn stream(seed: u32, count: usize) -> Scenario {
    let mut random = MersenneTwister::new(seed);
    let (mut jobs, mut arrivals, mut work, mut now) = (Vec::new(), Vec::new(), 0.0, 0.0);
    for _ in 0..count {
        let (job, of_job) = job(&mut random);
        jobs.push(job);
        arrivals.push((now * 1000.0_f64).round_ties_even() / 1000.0);
        work += of_job;
        now += random.exponential();
    }
    let scale = work / (f64::from(CORES) * LOAD) / now.max(1e-9);
    for (job, arrival) in jobs.iter_mut().zip(arrivals) {
        job.arrival = Time(micros(arrival * scale));
    }
    scenario(format!("stream {seed}"), jobs)
}
