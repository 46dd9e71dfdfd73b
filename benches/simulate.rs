//! How quickly the engine works, in tasks per second.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use fairlane::fluid::{self, FluidJob, Sharing};
use fairlane::ids::UserId;
use fairlane::scenario::catalog;
use fairlane::units::{SlotTime, Time, Weight};
use fairlane::{PolicyId, Scenario, simulate};

/// 2000 jobs of 40 users with two stages of 25 tasks each: 10^5 tasks on 64 cores. They come
/// a tenth faster than the cores can serve them, so that hundreds of jobs wait in the end.
fn hundred_thousand_tasks() -> Scenario {
    let mut jobs = String::new();
    for job in 0..2000_u32 {
        // Figures without a pattern but the same every time.
        let mixed = job.wrapping_mul(2_654_435_761) >> 16;
        let (user, arrival, work) = (mixed % 40, f64::from(job) * 0.35, 4.0 + f64::from(mixed % 17));
        let comma = if jobs.is_empty() { "" } else { "," };
        write!(
            jobs,
            r#"{comma}{{"user":"user{user}","arrival_s":{arrival:.2},"stages":[{{"work_s":{work},"partitions":25,"profile":[1,1,3,1]}},{{"work_s":{work},"partitions":25}}]}}"#
        )
        .expect("text takes every job");
    }
    let text = format!(
        r#"{{"format":"fairlane/scenario@1","cluster":{{"executors":16,"cores_per_executor":4,"task_overhead_s":0.005}},"jobs":[{jobs}]}}"#
    );
    Scenario::from_json(&text).expect("a sound scenario")
}

fn policies(group: &mut BenchmarkGroup<WallTime>, scenario: &Scenario) {
    for policy in PolicyId::all() {
        let tasks = simulate(scenario, policy).tasks.len() as u64;
        group.throughput(Throughput::Elements(tasks));
        group.bench_function(policy.to_string(), |bencher| {
            bencher.iter(|| simulate(black_box(scenario), policy));
        });
    }
}

fn paper(criterion: &mut Criterion) {
    let scenario = catalog::find("paper-scenario-1").expect("an entry of the catalog").scenario();
    let mut group = criterion.benchmark_group("paper-scenario-1");
    policies(&mut group, &scenario);
}

fn large(criterion: &mut Criterion) {
    let scenario = hundred_thousand_tasks();
    let mut group = criterion.benchmark_group("100000-tasks");
    group.sampling_mode(SamplingMode::Flat);
    policies(&mut group, &scenario);
}

/// Fluid UJF of so many jobs of a tenth as many users, who come a tenth faster than they can be served:
/// the time by job grows with the logarithm of their number and no more.
fn fluid_ujf(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fluid-ujf");
    for count in [1_000_u32, 10_000, 100_000] {
        let sharing = Sharing { cores: 64, weights: vec![Weight::ONE; count as usize / 10] };
        let jobs: Vec<FluidJob> = (0..count)
            .map(|job| {
                let mixed = job.wrapping_mul(2_654_435_761) >> 8;
                let work = 1_000_000 + u64::from(mixed % 62_000_000);
                let arrival = Time(u64::from(job) * 450_000);
                FluidJob { user: UserId(mixed % (count / 10)), arrival, work: SlotTime(work) }
            })
            .collect();
        group.throughput(Throughput::Elements(u64::from(count)));
        group.bench_function(format!("{count} jobs"), |bencher| {
            bencher.iter(|| fluid::share(black_box(&sharing), black_box(&jobs)));
        });
    }
}

/// Under a minute in all: some twenty figures of about two seconds each.
fn short() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1500))
        .without_plots()
}

criterion_group! { name = benches; config = short(); targets = paper, large, fluid_ujf }
criterion_main!(benches);
