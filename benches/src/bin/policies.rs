//! Every policy by processor time: `policies rates` prints how many tasks a second each simulates, `policies growth`
//! what a launch and a job cost as users, jobs, stages and cores double, `policies scale` the exponents with which the
//! cost of a task grows, in one table, `policies jumps` how long a look at the queue of a decision takes, `policies
//! programs` how long simulations under programs take, `policies decisions` how long a decision of Decima's network
//! takes. Policies to measure may follow; else all are.
//!
//! Each figure is the best of several runs, so that a busy machine changes little.

use std::env;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use fairlane::engine::Engine;
use fairlane::policy::PolicyKind;
use fairlane::policy::decima::Decima;
use fairlane::scenario::PartitionMode;
use fairlane::trace::JobRun;
use fairlane::{PolicyId, Scenario, catalog, simulate};
use fairlane_benches::jumps::Jumps;
use fairlane_benches::programs::{self, ProgramRun};
use fairlane_benches::workload::{Arrivals, Durations, Extras, USUAL, Workload};

const USAGE: &str = "usage: policies rates|growth|scale|jumps|programs|decisions [POLICY...]";

/// Jumps of which the worst is named.
const JUMPS: u32 = 1000;

/// What doubles, in turn: 8 to 2048.
const SIZES: [u32; 9] = [8, 16, 32, 64, 128, 256, 512, 1024, 2048];

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let asked: Result<Vec<PolicyId>, _> = arguments.map(|id| id.parse()).collect();
    match (what.as_str(), asked) {
        ("rates", Ok(asked)) => rates(&or_all(asked, |_| true)),
        ("growth", Ok(asked)) => {
            growth(&or_all(asked, |policy| policy.partitioning == PartitionMode::Default))
        }
        ("scale", Ok(asked)) => {
            scale(&or_all(asked, |policy| policy.partitioning == PartitionMode::Default));
        }
        ("jumps", Ok(asked)) => {
            jumps(&or_all(asked, |policy| policy.partitioning == PartitionMode::Default));
        }
        ("programs", Ok(_)) => programs(),
        ("decisions", Ok(_)) => decisions(),
        (_, asked) => {
            if let Err(error) = asked {
                eprintln!("policies: {error}");
            }
            eprintln!("{USAGE}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn or_all(asked: Vec<PolicyId>, matches: impl Fn(&PolicyId) -> bool) -> Vec<PolicyId> {
    if asked.is_empty() { PolicyId::all().filter(matches).collect() } else { asked }
}

/// Processor time of a simulation in ns, the least of some runs, and the tasks that it launches.
fn measure(scenario: &Scenario, policy: PolicyId, runs: u32) -> (f64, f64) {
    let run = || simulate(black_box(scenario), policy).tasks.len();
    let start = ProcessTime::now();
    let tasks = run();
    // Short ones are repeated until they are long enough for the clock.
    let times =
        (Duration::from_millis(4).as_nanos() / start.elapsed().as_nanos().max(1)).clamp(1, 5000) as u32;
    let timed = (0..runs).map(|_| {
        let start = ProcessTime::now();
        (0..times).for_each(|_| _ = black_box(run()));
        start.elapsed().as_nanos() as f64 / f64::from(times)
    });
    (timed.fold(f64::INFINITY, f64::min), tasks as f64)
}

fn rates(policies: &[PolicyId]) {
    println!("Millions of tasks per second of a core, 32 cores, 32 users, 10^6 tasks, trace included.\n");
    println!("| | {} |\n|---|---|---|---|", Extras::ALL.map(Extras::name).join(" | "));
    let scenarios = Extras::ALL.map(|extras| Workload::usual_with(extras).scenario());
    for &policy in policies {
        let rate = |scenario| {
            let (time, tasks) = measure(scenario, policy, 5);
            format!("{:.1}", tasks / time * 1e3)
        };
        println!("| {policy} | {} |", scenarios.each_ref().map(rate).join(" | "));
    }
}

fn programs() {
    println!("Milliseconds of a core: 10 000 tasks, 100 stages wait at once; the best of 5 runs.\n");
    println!("| program | ms |\n|---|---|");
    for (number, title) in programs::titles().into_iter().enumerate() {
        let program = ProgramRun::new(number);
        let times = (0..5).map(|_| {
            let start = ProcessTime::now();
            black_box(program.run());
            start.elapsed().as_secs_f64() * 1e3
        });
        println!("| {title} | {:.1} |", times.fold(f64::INFINITY, f64::min));
    }
}

fn jumps(policies: &[PolicyId]) {
    println!("Milliseconds of a core: a jump to a decision of 10^6 tasks and its queue, of {JUMPS} jumps.\n");
    println!("| | mean | worst |\n|---|---|---|");
    for &policy in policies {
        let mut jumps = Jumps::new(policy);
        let times: Vec<f64> = (0..JUMPS)
            .map(|_| {
                let start = ProcessTime::now();
                black_box(jumps.jump());
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        let mean = times.iter().sum::<f64>() / f64::from(JUMPS);
        let worst = times.iter().fold(0.0, |worst: f64, &time| worst.max(time));
        println!("| {policy} | {mean:.2} | {worst:.2} |");
    }
}

fn decisions() {
    println!(
        "Microseconds of an event under decima per task that it launches, in the catalog's decima-batch.\n"
    );
    println!("| | median | 99 % |\n|---|---|---|");
    let scenario = catalog::find("decima-batch").expect("an entry").scenario();
    let decima = "decima".parse().expect("a policy");
    let first_end = simulate(&scenario, decima).jobs.iter().map(JobRun::end).min().expect("some jobs");
    let [mut with_all, mut later] = [Vec::new(), Vec::new()];
    for _ in 0..20 {
        let mut engine = Engine::<Decima>::new(&scenario, PartitionMode::Default);
        loop {
            let before = engine.progress().launched;
            let start = Instant::now();
            if !engine.step() {
                break;
            }
            let time = start.elapsed().as_nanos() as f64 / 1e3;
            let launched = engine.progress().launched - before;
            if launched > 0 {
                let times = if engine.view().now() < first_end { &mut with_all } else { &mut later };
                times.push(time / launched as f64);
            }
        }
    }
    for (name, mut times) in [("all 20 jobs", with_all), ("fewer jobs", later)] {
        times.sort_by(f64::total_cmp);
        println!("| {name} | {:.1} | {:.1} |", times[times.len() / 2], times[times.len() * 99 / 100]);
    }
}

/// What doubles: two workloads that differ by their launches, and one of many jobs, all of some size.
struct Dimension {
    name: &'static str,
    launches: fn(u32) -> [Workload; 2],
    jobs: fn(u32) -> Workload,
}

const BASE: Workload = Workload {
    jobs: 1,
    stages: 1,
    tasks: 1,
    users: 1,
    cores: 32,
    arrivals: Arrivals::AtOnce,
    durations: Durations::Random,
    extras: Extras::Papers,
};

const DIMENSIONS: [Dimension; 4] = [
    Dimension {
        name: "users with a job each",
        launches: |n| [16, 256].map(|tasks| Workload { jobs: n, users: n, tasks, ..BASE }),
        jobs: |n| Workload { jobs: n, users: n, ..BASE },
    },
    Dimension {
        name: "jobs of a user",
        launches: |n| [16, 256].map(|tasks| Workload { jobs: n, tasks, ..BASE }),
        jobs: |n| Workload { jobs: n, ..BASE },
    },
    Dimension {
        name: "stages of a job",
        launches: |n| [16, 256].map(|tasks| Workload { stages: n, tasks, ..BASE }),
        jobs: |n| Workload { stages: n, ..BASE },
    },
    Dimension {
        name: "cores",
        launches: |n| [n / 8, n].map(|tasks| Workload { cores: n, jobs: 64, users: 32, tasks, ..BASE }),
        jobs: |n| Workload { cores: n, jobs: 512, users: 32, tasks: 8, ..BASE },
    },
];

/// Ten times as much, in turn; the last is measured where the one before says that it does not take too long.
const SCALES: [u32; 3] = [1_000, 10_000, 100_000];

/// Seconds that a simulation may take.
const MAX_SECONDS: f64 = 10.0;

/// Makes a workload of a given size.
type MakeWorkload = fn(u32) -> Workload;

/// What grows: ten times so many tasks in a row; so many users, jobs or stages that wait at once, each with a task.
const SCALED: [(&str, MakeWorkload); 4] = [
    ("tasks", |n| Workload { jobs: n / 10, ..USUAL }),
    ("users", |n| Workload { jobs: n, users: n, extras: Extras::None, ..BASE }),
    ("jobs", |n| Workload { jobs: n, extras: Extras::None, ..BASE }),
    ("stages", |n| Workload { stages: n, extras: Extras::None, ..BASE }),
];
/// The second of them.
const USERS: usize = 1;

/// The exponents with which the cost of a task grows: 0 if it is always the same, 1 if it is in proportion.
fn scale(policies: &[PolicyId]) {
    println!(
        "Exponent with which the time of a task grows: with ten times as many tasks one after the other, from 10 000 to \
         100 000 and to 1 000 000; with as many users, jobs or stages of a job that wait at once, from 1000 to 10 000 \
         and to 100 000. That of a whole simulation with idle time, from a thousand to a billion seconds. Last, the time \
         of a task among 100 000 users in that under FIFO.\n"
    );
    let names = SCALED.map(|(name, _)| format!("{name} | ")).join("| ");
    println!("| | {names}| idle | 100 000 users, FIFO = 1 |");
    println!("|---{}|", "|---".repeat(2 * SCALED.len() + 2));
    let scenarios = SCALED.map(|(_, workload)| SCALES.map(|n| workload(n).scenario()));
    let idle = [1e3, 1e9].map(idle_scenario);
    let fifo = PolicyId { kind: PolicyKind::Fifo, partitioning: PartitionMode::Default };
    let fifo = scaled_times(&scenarios[USERS], fifo)[2];
    for &policy in policies {
        let mut cells = Vec::new();
        let mut most_users = None;
        for (index, scenarios) in scenarios.iter().enumerate() {
            let times = scaled_times(scenarios, policy);
            let exponent = |at: usize| Some((times[at + 1]? / times[at]?).log10() - 1.0);
            let cell = |at| exponent(at).map_or("–".to_owned(), |exponent| format!("{exponent:.2}"));
            cells.extend([cell(0), cell(1)]);
            if index == USERS {
                most_users = times[2];
            }
        }
        let [short, long] = idle.each_ref().map(|scenario| measure(scenario, policy, 3).0);
        cells.push(format!("{:.2}", (long / short).log10() / 6.0));
        let ratio = most_users.zip(fifo).map(|(time, fifo)| format!("{:.1}", time / fifo));
        cells.push(ratio.unwrap_or_else(|| "–".to_owned()));
        println!("| {policy} | {} |", cells.join(" | "));
    }
}

/// Processor time in ns by scenario; `None` from where on it would take too long.
fn scaled_times(scenarios: &[Scenario; SCALES.len()], policy: PolicyId) -> [Option<f64>; SCALES.len()] {
    let mut times = [None; SCALES.len()];
    let (mut last, mut growth) = (0.0, 10.0);
    for (index, scenario) in scenarios.iter().enumerate() {
        if last * growth > MAX_SECONDS * 1e9 {
            break;
        }
        let time = if last > 1e8 {
            let start = ProcessTime::now();
            black_box(simulate(scenario, policy));
            start.elapsed().as_nanos() as f64
        } else {
            measure(scenario, policy, 3).0
        };
        if index > 0 {
            growth = (time / last).max(10.0);
        }
        last = time;
        times[index] = Some(time);
    }
    times
}

/// Two jobs with idle seconds between them.
fn idle_scenario(seconds: f64) -> Scenario {
    let job =
        |arrival: f64| format!(r#"{{"user":"u","arrival_s":{arrival},"stages":[{{"tasks_s":[1,1]}}]}}"#);
    let text = format!(r#"{{"format":"fairlane/scenario@1","jobs":[{},{}]}}"#, job(0.0), job(seconds));
    Scenario::from_json(&text).expect("a sound scenario")
}

/// All jobs are there at once, so that as many as there are wait while tasks are launched.
fn growth(policies: &[PolicyId]) {
    println!(
        "Nanoseconds of a core. Ratio: of a size to the one before, in the mean from 128 on; O(n) is 2.\n"
    );
    for extras in [Extras::Papers, Extras::Memory] {
        let of = if extras == Extras::Memory { ", memory modelled" } else { "" };
        let mut ratios = vec![Vec::new(); policies.len()];
        for Dimension { name, launches, jobs } in DIMENSIONS {
            let with = |workload: Workload| Workload { extras, ..workload }.scenario();
            let sizes = SIZES.map(|n| (launches(n).map(with), with(jobs(n)), jobs(n)));
            let launch = |policy| {
                sizes.each_ref().map(|(scenarios, ..)| {
                    let [(short, few), (long, many)] =
                        scenarios.each_ref().map(|scenario| measure(scenario, policy, 3));
                    (long - short) / (many - few)
                })
            };
            let job = |policy| {
                sizes.each_ref().map(|(_, scenario, workload)| {
                    measure(scenario, policy, 5).0 / f64::from(workload.jobs * workload.stages)
                })
            };
            let title = format!("A launch and the end of a task, by {name}{of}");
            print_growth(&title, policies, &mut ratios, launch);
            let what = if name.starts_with("stages") { "stage" } else { "job" };
            print_growth(&format!("A {what} from arrival to end, by {name}{of}"), policies, &mut ratios, job);
        }
        println!("### Ratios{of}: a launch and a job, by users, jobs, stages and cores\n");
        for (policy, ratios) in policies.iter().zip(ratios) {
            let cell = |ratio: &f64| if ratio.is_finite() { format!("{ratio:.2}") } else { "–".to_owned() };
            println!("| {policy} | {} |", ratios.iter().map(cell).collect::<Vec<_>>().join(" | "));
        }
        println!();
    }
}

fn print_growth(
    title: &str,
    policies: &[PolicyId],
    ratios: &mut [Vec<f64>],
    of: impl Fn(PolicyId) -> [f64; SIZES.len()],
) {
    let head = SIZES.map(|size| size.to_string()).join(" | ");
    println!("### {title}\n\n| | {head} | ratio |\n|---|{}---|", "---|".repeat(SIZES.len()));
    for (&policy, ratios) in policies.iter().zip(ratios) {
        let figures = of(policy);
        let ratio = (figures[SIZES.len() - 1] / figures[4]).powf(1.0 / (SIZES.len() - 5) as f64);
        ratios.push(ratio);
        let cells = figures.map(|figure| format!("{figure:.0}")).join(" | ");
        println!("| {policy} | {cells} | {ratio:.2} |");
    }
    println!();
}
