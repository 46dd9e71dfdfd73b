//! PAF's figures.

use super::{Finding, Table, run, scenario, with_parameter};
use crate::ids::JobId;
use crate::policy::paf;
use crate::scenario::{Cluster, Scenario};
use crate::trace::Trace;
use crate::units::{Span, Time};

pub(super) const REMARK: &str = "The allocations and a few points of the progress curves are published, their data are \
not. Figure 3's tasks are made up. In Figure 4 the curves pass through the four published points. In Figures 8 and 9 \
the nine coefficients of Ernest's model were fitted to the published averages and the 61 slots: that PAF's algorithm \
reaches all of them with one set of curves is the result. A row says *on paper* where Algorithm 1 alone is evaluated, \
and *scheduled* where tasks run; there a task becomes longer the more of its stage run, so that constant cores give \
exactly the curve.";

pub(super) fn findings() -> Vec<Finding> {
    [packing(), two_jobs(), three_jobs()].into_iter().flat_map(|table| table.findings).collect()
}

/// Shortest response over the response with the given cores.
fn packing() -> Table {
    let mut table = Table::of("paf-packing");
    let three = scenario(table.scenario);
    let six = three.to_builder().cluster(Cluster::of(6, 1)).build().expect("a sound cluster");
    let [three, six] = [three, six].map(|scenario| run(&scenario, "fifo").end().seconds());
    table.add("3", "response in 6 slots", "–", six, (1, " s"));
    table.add("3", "response in 3 slots", "slightly longer", three, (1, " s"));
    table
}

fn two_jobs() -> Table {
    let mut table = Table::of("paf-two-jobs");
    let scenario = scenario(table.scenario);
    let given = paf::allocations(&scenario);
    for ((job, share), published) in scenario.jobs().iter().zip(&given).zip(["8", "24"]) {
        table.add(
            "4",
            format!("{}: fair share, on paper", job.name),
            "16",
            f64::from(share.fair_share),
            (0, ""),
        );
        table.add(
            "4",
            format!("{}: with PAF, on paper", job.name),
            published,
            f64::from(share.target),
            (0, ""),
        );
    }
    let [fair, moved] = averages(&scenario);
    table.add("4", "average progress, fair, on paper", "0.80", fair, (2, ""));
    table.add("4", "average progress, PAF, on paper", "0.88", moved, (2, ""));
    for (policy, words, published) in [("baseline-fs", "fair", "0.80"), ("paf", "PAF", "0.88")] {
        let average = mean(&progress(&scenario, policy));
        table.add("4", format!("average progress, {words}, scheduled"), published, average, (2, ""));
    }
    table
}

fn three_jobs() -> Table {
    let mut table = Table::of("paf-three-jobs");
    let scenario = scenario(table.scenario);
    let strict = with_parameter(&scenario, "paf", "alpha", 0.99);
    let given = paf::allocations(&scenario);
    for ((job, share), published) in scenario.jobs().iter().zip(&given).zip(["96", "24", "8"]) {
        table.add(
            "8",
            format!("{}: fair share, on paper", job.name),
            published,
            f64::from(share.fair_share),
            (0, ""),
        );
    }
    let moved = |given: &[paf::Allocation]| f64::from(given[0].fair_share - given[0].target);
    table.add("8", "slots moved at alpha 0.9, on paper", "61", moved(&given), (0, ""));
    table.add("8", "slots moved at alpha 0.99, on paper", "–", moved(&paf::allocations(&strict)), (0, ""));
    let ([fair, loose], [_, tight]) = (averages(&scenario), averages(&strict));
    table.add("9", "average progress, fair, on paper", "0.59", fair, (2, ""));
    table.add("9", "average progress at alpha 0.9, on paper", "0.75", loose, (2, ""));
    table.add("9", "average progress at alpha 0.99, on paper", "0.68", tight, (2, ""));
    for (scenario, policy, words, published) in [
        (&scenario, "ujf", ", fair", "0.59"),
        (&scenario, "paf", " at alpha 0.9", "0.75"),
        (&strict, "paf", " at alpha 0.99", "0.68"),
    ] {
        let average = mean(&progress(scenario, policy));
        table.add("9", format!("average progress{words}, scheduled"), published, average, (2, ""));
    }
    table
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The average of the jobs' progress rates at their fair shares and at PAF's targets. A rate is that of the curve over
/// its value with all cores.
fn averages(scenario: &Scenario) -> [f64; 2] {
    let rate = |job: usize, slots| {
        let curve = scenario.jobs()[job].curve.as_ref().expect("every job has a curve");
        curve.progress(slots) / curve.progress(scenario.cluster().cores())
    };
    let given = paf::allocations(scenario);
    let average = |slots: fn(&paf::Allocation) -> u32| {
        mean(&given.iter().enumerate().map(|(job, given)| rate(job, slots(given))).collect::<Vec<_>>())
    };
    [average(|given| given.fair_share), average(|given| given.target)]
}

/// Each job's progress rate in a schedule until the first job ends: the part of its tasks that is done, times its
/// response alone, over that time.
fn progress(scenario: &Scenario, policy: &str) -> Vec<f64> {
    let trace = run(scenario, policy);
    let until = trace.jobs.iter().map(|job| job.end()).min().unwrap_or_default();
    let rate = |job: JobId| {
        let alone = run(&scenario.alone(job), "fifo").end().seconds();
        done(&trace, job, until) * alone / until.seconds()
    };
    (0..scenario.jobs().len() as u32).map(|job| rate(JobId(job))).collect()
}

/// The part of a job's tasks that is done at an instant; a running one counts by the part of its time.
fn done(trace: &Trace, job: JobId, at: Time) -> f64 {
    let (mut done, mut tasks) = (0.0, 0_u32);
    for run in trace.tasks.iter().filter(|run| run.job == job) {
        let length = run.end.since(run.start);
        let spent = at.min(run.end).max(run.start).since(run.start);
        done += if length == Span(0) { 1.0 } else { spent.seconds() / length.seconds() };
        tasks += 1;
    }
    done / f64::from(tasks.max(1))
}
