//! PAF's figures.

use super::{
    Finding, FindingsTable, add_partitioned, drawn, mean, run, scenario, splittable, with, with_parameter,
};
use fairlane::ids::JobId;
use fairlane::policy::paf;
use fairlane::scenario::generate::preset::{Paper, SuiteJob, suite_jobs};
use fairlane::scenario::{Cluster, Scenario};
use fairlane::trace::Trace;
use fairlane::units::{Span, Time};

pub(super) const REMARK: &str = "The allocations and a few points of the progress curves are published, their data are \
not. Figure 3's tasks are made up. In Figure 4 the curves pass through the four published points. In Figures 8 and 9 \
the nine coefficients of Ernest's model were fitted to the published averages and the 61 slots: that PAF's algorithm \
reaches all of them with one set of curves is the result. A row says *on paper* where Algorithm 1 alone is evaluated, \
and *scheduled* where tasks run; there a task becomes longer the more of its stage run, so that constant cores give \
exactly the curve. The suite's ranges are published, its jobs and arrivals are not: ours has 60 jobs of up to 24 \
tasks, and 300, 75 and 30 slots stand for 8000, 2000 and 800. On paper the published shape comes out. Scheduled, all \
jobs at once, it does not: a job gets its share only as tasks end, by then others have ended and left their cores, and \
cores that move are cold. Given exactly its slots and keeping them, each job makes the progress of the paper; so it is \
the assumption that a share is a fixed set of cores that decides, more than stages or warm-up.";

pub(super) fn findings() -> Vec<Finding> {
    [packing(), two_jobs(), three_jobs(), suite()].into_iter().flat_map(|table| table.findings).collect()
}

/// Shortest response over the response with the given cores.
fn packing() -> FindingsTable {
    let mut table = FindingsTable::new("paf-packing");
    let three = scenario(table.scenario);
    let six = three.to_builder().cluster(Cluster::new(6, 1)).build().expect("a sound cluster");
    let [three, six] = [three, six].map(|scenario| run(&scenario, "fifo").end().seconds());
    table.add("3", "response in 6 slots", "–", six, (1, " s"));
    table.add("3", "response in 3 slots", "slightly longer", three, (1, " s"));
    table
}

fn two_jobs() -> FindingsTable {
    let mut table = FindingsTable::new("paf-two-jobs");
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

fn three_jobs() -> FindingsTable {
    let mut table = FindingsTable::new("paf-three-jobs");
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
    let moved = |given: &[paf::PafAllocation]| f64::from(given[0].fair_share - given[0].target);
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

/// Figure 10's suites with these seeds.
const SEEDS: [u64; 3] = [1, 2, 3];

/// What jobs of the suite differ by.
type Attribute = fn(&SuiteJob) -> f64;

/// Figures 10 to 12: the suite on paper, and scheduled under several assumptions.
fn suite() -> FindingsTable {
    let mut table = FindingsTable::new("paf-suite");
    let usual = Paper::Paf.preset();
    let all = Paper::Paf.cluster().cores();
    let suites = SEEDS.map(|seed| suite_jobs(&usual, seed));
    let on_slots = |slots| SEEDS.map(|seed| drawn(&usual, seed, Cluster::new(slots, 1)));
    for (slots, words, published) in [
        (all, "many slots", "0.78 / 0.88 / 0.90"),
        (all / 4, "fewer slots", "less gain"),
        (all / 10, "few slots", "less gain"),
    ] {
        let of = on_slots(slots).map(|scenario| {
            let strict = averages(&with_parameter(&scenario, "paf", "alpha", 0.99));
            let [fair, loose] = averages(&scenario);
            [fair, strict[1], loose]
        });
        let values = (0..3).map(|at| mean(&of.map(|values| values[at]))).collect();
        let quantity = format!("average progress on paper, {words}: fair / alpha 0.99 / 0.9");
        table.add_all("10", quantity, published, values, (2, ""));
    }
    // Gains of all jobs on paper, by what may explain them.
    let mut gains = Vec::new();
    for (jobs, scenario) in suites.iter().zip(on_slots(all)) {
        for ((job, spec), given) in jobs.iter().zip(scenario.jobs()).zip(paf::allocations(&scenario)) {
            let Some(curve) = spec.curve.as_ref().filter(|_| given.fair_share > 0) else { continue };
            gains.push((job, curve.progress(given.target) / curve.progress(given.fair_share) - 1.0));
        }
    }
    let explanations: [(&str, &str, &str, Attribute); 3] = [
        ("11a", "shape", "ascending", |job| job.shape),
        ("11b", "warm-up factor", "descending", |job| job.warm_factor),
        ("12", "parallelism over weight", "ascending", |job| {
            job.tasks_s.len() as f64 / f64::from(job.weight)
        }),
    ];
    for (figure, name, published, of) in explanations {
        gains.sort_by(|one, other| of(one.0).total_cmp(&of(other.0)));
        let thirds = gains.chunks(gains.len().div_ceil(3));
        let means = thirds.map(|third| 100.0 * mean(&third.iter().map(|job| job.1).collect::<Vec<_>>()));
        let quantity = format!("gain on paper by {name}: least / middle / greatest third");
        table.add_all(figure, quantity, published, means.collect(), (1, " %"));
    }
    let without_warm_up = with(&usual, &[("warm", 1.0)]);
    for (preset, stages, words) in [
        (&usual, 1.0, "one stage"),
        (&usual, 8.0, "eight stages"),
        (&without_warm_up, 1.0, "one stage, no warm-up"),
        (&without_warm_up, 8.0, "eight stages, no warm-up"),
    ] {
        let preset = with(preset, &[("stages", stages)]);
        let scenarios = SEEDS.map(|seed| drawn(&preset, seed, Paper::Paf.cluster()));
        let kept = mean_pair(scenarios.each_ref().map(kept_cores));
        table.add_all(
            "ours",
            format!("average progress, {words}, each job's cores kept: fair / PAF"),
            "–",
            kept,
            (2, ""),
        );
        let handed = mean_pair(scenarios.each_ref().map(handed_around));
        table.add_all(
            "ours",
            format!("average progress, {words}, scheduled: fair / PAF"),
            "–",
            handed,
            (2, ""),
        );
    }
    let cut = SEEDS.map(|seed| splittable(&drawn(&usual, seed, Paper::Paf.cluster())));
    add_partitioned(&mut table, &cut, &["paf", "baseline-fs"], "PAF / equal shares");
    table
}

fn mean_pair(pairs: [[f64; 2]; SEEDS.len()]) -> Vec<f64> {
    (0..2).map(|at| mean(&pairs.map(|pair| pair[at]))).collect()
}

/// The shortest time in which each job can be done.
fn shortest(scenario: &Scenario) -> Vec<f64> {
    let of = |index: usize| run(&scenario.alone(JobId(index as u32)), "fifo").end().seconds();
    (0..scenario.jobs().len()).map(of).collect()
}

/// Average progress with fair shares and PAF's targets if each job has exactly its slots to itself. A job without any
/// makes none.
fn kept_cores(scenario: &Scenario) -> [f64; 2] {
    let shortest = shortest(scenario);
    let given = paf::allocations(scenario);
    let average = |slots: fn(&paf::PafAllocation) -> u32| {
        let progress = given.iter().enumerate().map(|(index, given)| {
            if slots(given) == 0 {
                return 0.0;
            }
            let alone = scenario
                .alone(JobId(index as u32))
                .to_builder()
                .cluster(Cluster::new(slots(given), 1))
                .build();
            shortest[index] / run(&alone.expect("a sound cluster"), "fifo").end().seconds()
        });
        mean(&progress.collect::<Vec<_>>())
    };
    [average(|given| given.fair_share), average(|given| given.target)]
}

/// Average progress of a schedule in which cores are handed around, without the jobs' curves (fair shares) and with
/// them.
fn handed_around(scenario: &Scenario) -> [f64; 2] {
    let shortest = shortest(scenario);
    let mut jobs = scenario.jobs().to_vec();
    jobs.iter_mut().for_each(|job| job.curve = None);
    let fair = scenario.to_builder().jobs(jobs).build().expect("a job needs no curve");
    [&fair, scenario].map(|scenario| {
        let trace = run(scenario, "paf");
        let progress = shortest.iter().zip(&trace.jobs).map(|(shortest, job)| shortest / job.end().seconds());
        mean(&progress.collect::<Vec<_>>())
    })
}

/// The average of the jobs' progress rates at their fair shares and at PAF's targets. A rate is that of the curve over
/// its value with all cores.
fn averages(scenario: &Scenario) -> [f64; 2] {
    let rate = |job: usize, slots| {
        let curve = scenario.jobs()[job].curve.as_ref().expect("every job has a curve");
        curve.progress(slots) / curve.progress(scenario.cluster().cores())
    };
    let given = paf::allocations(scenario);
    let average = |slots: fn(&paf::PafAllocation) -> u32| {
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
