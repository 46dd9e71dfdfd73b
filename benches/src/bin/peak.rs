//! The memory of a trace: simulates 10^7 tasks and tells by how much the process grew, in MB (Linux).

use std::{env, fs};

use fairlane::{PolicyId, simulate};
use fairlane_benches::workload::{USUAL, Workload};

/// A figure of this process's memory in MB: `VmRSS`, now, or `VmHWM`, the most there ever was.
fn memory(name: &str) -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024.0 / 1e6)
}

fn main() {
    let policy: PolicyId = env::args().nth(1).as_deref().unwrap_or("uwfq").parse().unwrap_or_else(|error| {
        eprintln!("peak: {error}");
        std::process::exit(2);
    });
    // Stages of many tasks, so that the scenario itself is small.
    let scenario = Workload { jobs: 1000, tasks: 10_000, ..USUAL }.scenario();
    let before = memory("VmRSS");
    let trace = simulate(&scenario, policy);
    let grown = before.zip(memory("VmHWM")).map(|(before, most)| most - before);
    match grown {
        Some(grown) => println!("{} tasks: {grown:.0} MB", trace.tasks.len()),
        None => println!("{} tasks: the system does not tell how much memory they took", trace.tasks.len()),
    }
}
