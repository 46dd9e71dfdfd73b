//! Decima's comparison of heuristics.

use super::{Finding, FindingsTable, add_partitioned, drawn, mean, mean_response, run, with_parameter};
use fairlane::scenario::Scenario;
use fairlane::scenario::generate::Paper;

/// Batches over which figures are averaged.
const BATCHES: u64 = 5;

pub(super) const REMARK: &str = "The environment is published: 50 executors, 20 of the 22 TPC-H queries at once with \
inputs of 2 to 100 GB, 2.5 s to move an executor to another job. Executors belong to jobs, as in the simulator that \
the authors released. The lengths of tasks are not published. Ours are measured on Spark 3.5.5 with 1 GB, 15 times \
stretched, with as many more tasks as the input is larger. The first tasks of a stage on a core take 1.3 times as \
long, and the tasks of a stage 1.4 times with fifty at once; both factors are chosen, not fitted. Figures are averages \
over five batches; Decima has a hundred. The gain of the best alpha is smaller here: equal shares already finish small \
queries soon.";

pub(super) fn findings() -> Vec<Finding> {
    let mut table = FindingsTable::new("decima-batch");
    let (preset, cluster) = (Paper::Decima.preset(), Paper::Decima.cluster());
    let batches: Vec<Scenario> = (1..=BATCHES).map(|seed| drawn(&preset, seed, cluster.clone())).collect();
    let of = |policy: &str, alpha: f64| -> Vec<f64> {
        let response =
            |batch: &Scenario| mean_response(&run(&with_parameter(batch, "wfair", "alpha", alpha), policy));
        batches.iter().map(response).collect()
    };
    let ratio = |above: &[f64], below: &[f64]| {
        mean(&above.iter().zip(below).map(|(above, below)| above / below).collect::<Vec<_>>())
    };
    let (fifo, fair, shortest) = (of("fifo", 0.0), of("wfair", 0.0), of("sjf-cp", 0.0));
    table.add("9a", "FIFO's mean response over fair's", "about 2.5", ratio(&fifo, &fair), (2, ""));
    table.add("9a", "FIFO's over SJF-CP's", "about 1.6", ratio(&fifo, &shortest), (2, ""));
    table.add(
        "9a",
        "naive weighted fair's (alpha 1) over fair's",
        "above 1",
        ratio(&of("wfair", 1.0), &fair),
        (2, ""),
    );
    // For each batch the best of alpha from -2 to 2 in steps of a quarter.
    let alphas: Vec<f64> = (-8..=8).map(|step| f64::from(step) / 4.0).collect();
    let curves: Vec<Vec<f64>> = alphas.iter().map(|&alpha| of("wfair", alpha)).collect();
    let best = |batch: usize| {
        let of_batch = curves.iter().map(|curve| curve[batch]);
        of_batch.zip(&alphas).min_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or((0.0, &0.0))
    };
    let best: Vec<(f64, &f64)> = (0..batches.len()).map(best).collect();
    let least: Vec<f64> = best.iter().map(|best| best.0).collect();
    let alpha = mean(&best.iter().map(|best| *best.1).collect::<Vec<_>>());
    table.add("9a", "fair's over that with each batch's best alpha", "1.11", ratio(&fair, &least), (2, ""));
    table.add("9a", "best alpha, mean of the batches", "usually around -1", alpha, (2, ""));
    for (policy, alpha, title, published) in [
        ("wfair", 0.0, "fair", "–"),
        ("sjf-cp", 0.0, "SJF-CP", "inflated"),
        ("wfair", -1.0, "weighted fair, alpha -1", "–"),
    ] {
        let inflation = |batch: &Scenario| {
            let trace = run(&with_parameter(batch, "wfair", "alpha", alpha), policy);
            let held: f64 = trace.tasks.iter().map(|run| run.end.since(run.start).seconds()).sum();
            held / batch.jobs().iter().map(|job| job.work().seconds()).sum::<f64>()
        };
        let inflation = mean(&batches.iter().map(inflation).collect::<Vec<_>>());
        table.add("10e", format!("core time held over work, {title}"), published, inflation, (2, ""));
    }
    let policies = ["fifo", "sjf-cp", "wfair", "graphene", "tetris"];
    add_partitioned(&mut table, &batches, &policies, "FIFO / SJF-CP / fair / Graphene / Tetris");
    table.findings
}
