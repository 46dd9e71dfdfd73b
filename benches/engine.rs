//! How quick the engine is, in tasks per second: against bare loops, policy against policy and size
//! against size. `bench` (see README.md) makes a table of the ratios.

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use fairlane::catalog;
use fairlane::engine::simulate_policy;
use fairlane::fluid::{self, FluidCluster, FluidJob};
use fairlane::ids::UserId;
use fairlane::metrics;
use fairlane::policy::uwfq;
use fairlane::scenario::PartitionMode;
use fairlane::trace;
use fairlane::units::{SlotTime, Time, Weight};
use fairlane::{PolicyId, PolicyKind, Scenario, simulate};
use fairlane_benches::jumps::Jumps;
use fairlane_benches::workload::{ADVERSE, LITERAL, USUAL, WAITING};
use fairlane_benches::{Workload, yardstick, yardstick::Yardstick};

/// The policies without runtime partitioning, which does not change what is simulated but into how many tasks.
fn policies() -> impl Iterator<Item = PolicyId> {
    PolicyKind::ALL.iter().map(|&kind| PolicyId { kind, partitioning: PartitionMode::Default })
}

fn run(group: &mut BenchmarkGroup<WallTime>, name: &str, scenario: &Scenario, policy: PolicyId) {
    group.bench_function(format!("{policy}/{name}"), |bencher| {
        bencher.iter(|| simulate(black_box(scenario), policy));
    });
}

fn group<'a>(criterion: &'a mut Criterion, name: &str, tasks: u64) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(tasks));
    group
}

fn bare_loops(criterion: &mut Criterion) {
    let durations = yardstick::durations(USUAL.total() as usize);
    let mut group = group(criterion, "yardstick", USUAL.total());
    for yardstick in Yardstick::ALL {
        group.bench_function(yardstick.name(), |bencher| {
            bencher.iter(|| yardstick.run(black_box(&durations), USUAL.cores));
        });
    }
}

fn usual(criterion: &mut Criterion) {
    let scenario = USUAL.scenario();
    let mut group = group(criterion, "policies", USUAL.total());
    for policy in policies() {
        run(&mut group, "usual", &scenario, policy);
    }
}

/// A jump to some decision of a million tasks, and the queue that is explained there.
fn jumps(criterion: &mut Criterion) {
    let mut group = group(criterion, "jumps", 1);
    for policy in policies() {
        let mut jumps = Jumps::new(policy);
        group.bench_function(format!("{policy}/jump"), |bencher| bencher.iter(|| jumps.jump()));
    }
}

/// The paper's walk, where little waits and where much does.
fn reference(criterion: &mut Criterion) {
    for (name, workload) in LITERAL {
        let scenario = workload.scenario();
        let id = PolicyId { kind: PolicyKind::Uwfq, partitioning: PartitionMode::Default };
        let mut group = group(criterion, "reference UWFQ", workload.total());
        run(&mut group, name, &scenario, id);
        group.bench_function(format!("reference/{name}"), |bencher| {
            bencher.iter(|| simulate_policy::<uwfq::UwfqReference>(&scenario, PartitionMode::Default));
        });
    }
}

fn sizes(criterion: &mut Criterion, what: &str, workloads: &[(u32, Workload)]) {
    for (size, workload) in workloads {
        let scenario = workload.scenario();
        let mut group = group(criterion, what, workload.total());
        for policy in policies() {
            run(&mut group, &size.to_string(), &scenario, policy);
        }
    }
}

fn tasks(criterion: &mut Criterion) {
    let sizes_of = [1_000, 10_000, 100_000, 1_000_000];
    sizes(criterion, "tasks", &sizes_of.map(|tasks| (tasks, Workload { jobs: tasks / 100, ..USUAL })));
}

fn jobs(criterion: &mut Criterion) {
    let sizes_of = [100, 1_000, 10_000, 100_000];
    sizes(criterion, "jobs", &sizes_of.map(|jobs| (jobs, Workload { jobs, tasks: 10, ..USUAL })));
}

fn users(criterion: &mut Criterion) {
    let shape = Workload { jobs: 10_000, tasks: 10, ..USUAL };
    sizes(criterion, "users", &[1, 10, 100, 1_000, 10_000].map(|users| (users, Workload { users, ..shape })));
}

fn stages(criterion: &mut Criterion) {
    let shape = |stages| Workload { jobs: 10_000 / stages, stages, tasks: 10, ..USUAL };
    sizes(criterion, "stages", &[1, 10, 100, 1_000].map(|stages| (stages, shape(stages))));
}

fn cores(criterion: &mut Criterion) {
    sizes(
        criterion,
        "cores",
        &[8, 32, 100, 1_000, 10_000].map(|cores| (cores, Workload { jobs: 1_000, cores, ..USUAL })),
    );
}

fn adverse(criterion: &mut Criterion) {
    for (name, workload) in ADVERSE {
        let scenario = workload.scenario();
        let mut group = group(criterion, "adverse", workload.total());
        for policy in policies() {
            run(&mut group, name, &scenario, policy);
        }
    }
}

/// What is found out about a schedule: the time by task grows with the logarithm of their number and no more.
fn found_out(criterion: &mut Criterion) {
    for (name, workload) in WAITING {
        for jobs in [1_000, 10_000, 100_000] {
            let workload = workload(jobs);
            let scenario = workload.scenario();
            let mut group = group(criterion, "found out", workload.total());
            for policy in ["cfq", "uwfq"] {
                let policy: PolicyId = policy.parse().expect("a policy");
                let trace = simulate(&scenario, policy);
                group.bench_function(format!("inversions, {policy}, {name}/{jobs}"), |bencher| {
                    bencher.iter(|| metrics::inversions(&scenario, policy));
                });
                if policy.kind != PolicyKind::Uwfq {
                    continue;
                }
                group.bench_function(format!("stragglers, {name}/{jobs}"), |bencher| {
                    bencher.iter(|| {
                        metrics::straggler_idle_time(
                            &scenario,
                            &trace,
                            &metrics::stragglers(&scenario, &trace),
                        )
                    });
                });
                group.bench_function(format!("check, {name}/{jobs}"), |bencher| {
                    bencher.iter(|| trace::check(&scenario, &trace));
                });
            }
        }
    }
}

fn paper(criterion: &mut Criterion) {
    let scenario = catalog::find("paper-scenario-1").expect("an entry of the catalog").scenario();
    for policy in PolicyId::all() {
        let tasks = simulate(&scenario, policy).tasks.len() as u64;
        run(&mut group(criterion, "paper-scenario-1", tasks), "paper", &scenario, policy);
    }
}

/// Fluid UJF of so many jobs of a tenth as many users, who come a tenth faster than they can be served:
/// the time by job grows with the logarithm of their number and no more.
fn fluid_ujf(criterion: &mut Criterion) {
    for count in [1_000_u32, 10_000, 100_000] {
        let sharing = FluidCluster { cores: 64, weights: vec![Weight::ONE; count as usize / 10] };
        let jobs: Vec<FluidJob> = (0..count)
            .map(|job| {
                let mixed = job.wrapping_mul(2_654_435_761) >> 8;
                let work = 1_000_000 + u64::from(mixed % 62_000_000);
                let arrival = Time(u64::from(job) * 450_000);
                FluidJob { user: UserId(mixed % (count / 10)), arrival, work: SlotTime(work) }
            })
            .collect();
        group(criterion, "fluid UJF", u64::from(count)).bench_function(format!("fluid/{count}"), |bencher| {
            bencher.iter(|| fluid::share(black_box(&sharing), black_box(&jobs)));
        });
    }
}

/// Few samples of long runs: some ten minutes in all.
fn short() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500))
        .without_plots()
}

criterion_group! {
    name = benches;
    config = short();
    targets = bare_loops, usual, jumps, reference, tasks, jobs, users, stages, cores, adverse, found_out, paper,
        fluid_ujf
}
criterion_main!(benches);
