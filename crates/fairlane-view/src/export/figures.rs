//! The figures of a simulation in the machine-readable formats of the command line and the page. Keys
//! are stable and contain their units; numbers have full precision, and `null` is a figure that does not exist.
//! `docs/metrics.md` defines each figure.

mod figure;
mod jobs;
mod record;
mod selection;

use serde::{Deserialize, Serialize};

pub use figure::{Better, Figure, Format, TableFormat};
use figure::{Number, figures};
pub use jobs::{JobFigures, job_figures};
pub use record::RecordHeading;
pub(super) use record::{field, may_end_early, text};
pub use selection::{SelectedFigures, Selection};

use fairlane::metrics::{BlockingTotals, Deviation, Evaluation, EvaluationDetail, ResponseGroup, Summary};
use fairlane::scenario::{Scenario, User};
use fairlane::trace::Trace;
use fairlane::units::{MICROS_PER_SECOND, SlotTime, Span};

figures! {
    /// One policy's figures. Those of only some scenarios and policies are left out elsewhere.
    #[derive(Clone, Debug, Deserialize, Serialize)]
    Figures(run: &Evaluation);

    /// As on the command line.
    policy: String = run.trace.policy.to_string();
    /// As `fairlane simulate --hash` prints it.
    trace_hash: String = String::new();
    /// Mean response time of all jobs that finished, in seconds
    mean_response_s: Option<f64> = run.summary.mean_response, TableFormat::seconds("mean");
    /// Mean of the slowest tenth of response times, in seconds
    worst_10_percent_response_s: Option<f64> = run.summary.worst_decile, TableFormat::seconds("worst 10 %");
    /// Response time that half of the jobs do not exceed, in seconds
    p50_response_s: Option<f64> =
        run.summary.percentiles.map(|percentiles| percentiles.p50), TableFormat::seconds("median");
    /// Response time that 95 % of the jobs do not exceed, in seconds
    p95_response_s: Option<f64> =
        run.summary.percentiles.map(|percentiles| percentiles.p95), TableFormat::seconds("p95");
    /// Response time that 99 % of the jobs do not exceed, in seconds
    p99_response_s: Option<f64> =
        run.summary.percentiles.map(|percentiles| percentiles.p99), TableFormat::seconds("p99");
    /// Mean of response time over response time alone on the idle cluster, a ratio
    mean_slowdown: Option<f64> =
        run.summary.mean_slowdown, TableFormat::ratio("slowdown", Better::Less, Format::Hundredths);
    /// When the last task ends, in seconds
    makespan_s: Option<f64> = run.summary.makespan.map(Span::seconds), TableFormat::seconds("makespan");
    /// Mean of the worst tenth of slowdowns, a ratio
    worst_10_percent_slowdown: Option<f64> = run.summary.worst_decile_slowdown,
        TableFormat::ratio("worst slowdowns", Better::Less, Format::Hundredths);
    /// Time that tasks hold cores as a fraction of the time of the cores that were there until the last task ends
    utilization: Option<f64> =
        run.summary.utilization, TableFormat::ratio("utilization", Better::More, Format::Percent);
    /// Jain's index of the users' mean slowdowns: 1 if all are equal, 1/n if one of n users has all of it
    jain_slowdown: Option<f64> =
        run.summary.jain, TableFormat::ratio("Jain", Better::More, Format::Thousandths);
    /// Against practical UJF with the same partitioning.
    against_ujf: Option<Deviation> = run.summary.ujf.as_ref().map(|ujf| ujf.overall);
    /// Against the exact fluid UJF.
    against_fluid: Deviation = run.summary.fluid.overall;
    /// The job with the largest delay against the fluid ideal, by index in the file
    furthest_behind_job: Option<usize> = run.summary.unfairness.map(|furthest| furthest.job.index()),
        TableFormat::count("job", Better::Neither);
    /// The largest delay of any job against the fluid ideal, in seconds: the constant of the paper's bound
    furthest_behind_s: Option<f64> =
        run.summary.unfairness.map(|furthest| furthest.delay / MICROS_PER_SECOND), TableFormat::seconds("worst delay");
    /// The largest delay of UWFQ that its bound allows, for jobs of one stage without overhead, in seconds
    uwfq_allowance_s: f64 = run.summary.allowance / MICROS_PER_SECOND, TableFormat::seconds("allowance");
    /// Time that jobs wait while tasks of jobs ranked behind them hold cores, summed over all jobs, in seconds;
    /// undefined under policies whose order changes with every launch
    inversion_s: Option<f64> =
        run.summary.blocking.as_ref().and_then(BlockingTotals::total_inversion).map(Span::seconds),
        TableFormat::seconds("inversion"), EvaluationDetail::Full;
    /// Core time, of cores that are there, that is idle while only the last task of a stage is left, in core-seconds
    straggler_idle_core_s: Option<f64> =
        run.summary.blocking.as_ref().map(|blocking| blocking.straggler_idle.seconds()),
        TableFormat { unit: "core-s", ..TableFormat::seconds("straggler idle") }, EvaluationDetail::Full;
    /// The groups by response time, the quickest first.
    groups: Vec<GroupFigures> = groups(run);
    /// Every user, in the scenario's order.
    users: Vec<UserFigures> = users(run);
    /// Jobs that the policy ended before all their tasks had run
    #[serde(default, skip_serializing_if = "is_none")]
    dropped: usize = run.summary.unfinished.dropped, TableFormat::count("dropped", Better::Less);
    /// Jobs that the policy refused at their arrival
    #[serde(default, skip_serializing_if = "is_none")]
    rejected: usize = run.summary.unfinished.rejected, TableFormat::count("rejected", Better::Less);
    /// Jobs that were cancelled before all their tasks had run
    #[serde(default, skip_serializing_if = "is_none")]
    cancelled: usize = run.summary.unfinished.cancelled, TableFormat::count("cancelled", Better::Neither);
    /// Jobs that finish no later than their deadline
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deadlines_met: Option<usize> =
        run.summary.special.deadlines.map(|deadlines| deadlines.met), TableFormat::count("met", Better::More);
    /// Satisfied deadlines ratio: those jobs as a part of all
    #[serde(default, skip_serializing_if = "Option::is_none")]
    satisfied_deadlines_ratio: Option<f64> =
        run.summary.special.deadlines.and_then(|deadlines| deadlines.satisfied_ratio()),
        TableFormat::ratio("SDR", Better::More, Format::Thousandths);
    /// Productive time ratio: core time spent on jobs that meet their deadline, as a part of the work of all jobs
    #[serde(default, skip_serializing_if = "Option::is_none")]
    productive_time_ratio: Option<f64> =
        run.summary.special.deadlines.and_then(|deadlines| deadlines.productive_ratio()),
        TableFormat::ratio("PTR", Better::More, Format::Thousandths);
    /// Wasted time ratio: core time spent on the other jobs, as a part of the work of all jobs
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wasted_time_ratio: Option<f64> =
        run.summary.special.deadlines.and_then(|deadlines| deadlines.wasted_ratio()),
        TableFormat::ratio("WTR", Better::Less, Format::Thousandths);
    /// Jain's index of the cores that active jobs of the same parallelism hold, averaged over minutes: 1 if they hold
    /// the same
    #[serde(default, skip_serializing_if = "Option::is_none")]
    equality: Option<f64> = run.summary.special.sharing.and_then(|sharing| sharing.equality),
        TableFormat::ratio("equality", Better::More, Format::Thousandths);
    /// Jain's index of the part of their parallelism that active jobs hold, averaged over minutes: 1 if it is the
    /// same for all
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fairness: Option<f64> = run.summary.special.sharing.and_then(|sharing| sharing.fairness),
        TableFormat::ratio("fairness", Better::More, Format::Thousandths);
    /// Mean of response time alone on the idle cluster over response time, a ratio: 1 is as fast as alone
    #[serde(default, skip_serializing_if = "Option::is_none")]
    progress_rate: Option<f64> =
        run.summary.special.progress, TableFormat::ratio("progress", Better::More, Format::Hundredths);
    /// Mean response time of the jobs of latency queues, in seconds
    #[serde(default, skip_serializing_if = "Option::is_none")]
    latency_queues_mean_response_s: Option<f64> =
        run.summary.special.completions.and_then(|queues| queues.latency), TableFormat::seconds("latency queues");
    /// Mean response time of all other jobs, in seconds
    #[serde(default, skip_serializing_if = "Option::is_none")]
    throughput_queues_mean_response_s: Option<f64> =
        run.summary.special.completions.and_then(|queues| queues.throughput), TableFormat::seconds("other queues");
    /// Mean part of all memory that tasks hold until the last task ends
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory_mean_ratio: Option<f64> = run.summary.special.memory.and_then(|memory| memory.mean),
        TableFormat::ratio("memory", Better::Neither, Format::Percent);
    /// Largest part of all memory that tasks ever hold
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory_peak_ratio: Option<f64> = run.summary.special.memory.map(|memory| memory.peak),
        TableFormat::ratio("peak memory", Better::Neither, Format::Percent);
    /// Core time of the cores that were there until the last task ended, in core-seconds
    #[serde(default, skip_serializing_if = "Option::is_none")]
    held_core_s: Option<f64> = run.summary.special.executors.map(|executors| executors.held.seconds()),
        TableFormat { unit: "core-s", ..TableFormat::seconds("held") };
    /// What tasks held of that, in core-seconds
    #[serde(default, skip_serializing_if = "Option::is_none")]
    working_core_s: Option<f64> = run.summary.special.executors.map(|executors| executors.working.seconds()),
        TableFormat { unit: "core-s", better: Better::Neither, ..TableFormat::seconds("working") };
    /// What no task held of it, in core-seconds
    #[serde(default, skip_serializing_if = "Option::is_none")]
    idle_core_s: Option<f64> = run.summary.special.executors.map(|executors| executors.idle().seconds()),
        TableFormat { unit: "core-s", ..TableFormat::seconds("idle") };
    /// How often tasks were launched; a task may have several attempts
    #[serde(default, skip_serializing_if = "Option::is_none")]
    attempts: Option<usize> = run.summary.special.attempts.map(|costs| costs.attempts),
        TableFormat::count("attempts", Better::Neither);
    /// Core time that came to nothing, in core-seconds: of attempts that were killed or whose task had to run again,
    /// and of those of cancelled jobs what is after their job's end
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wasted_core_s: Option<f64> = run.summary.special.attempts.map(|costs| costs.wasted.seconds()),
        TableFormat { unit: "core-s", ..TableFormat::seconds("wasted") };
    /// Core time during which tasks waited for executors that they prefer although other cores were free, in
    /// core-seconds
    #[serde(default, skip_serializing_if = "Option::is_none")]
    held_back_core_s: Option<f64> = run.summary.special.held_back.map(SlotTime::seconds),
        TableFormat { unit: "core-s", ..TableFormat::seconds("held back") };
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

figures! {
    /// Some of the jobs under one policy.
    #[derive(Clone, Debug, Deserialize, Serialize)]
    PartFigures(part: JobsFigures);

    /// Number of jobs
    jobs: usize = part.jobs, TableFormat::count("jobs", Better::Neither);
    /// Mean response time, in seconds
    mean_response_s: Option<f64> = part.response, TableFormat::seconds("mean");
    /// Mean slowdown, a ratio
    mean_slowdown: Option<f64> = part.slowdown, TableFormat::ratio("slowdown", Better::Less, Format::Hundredths);
    /// As for all jobs.
    against_ujf: Option<Deviation> = part.ujf;
    /// As for all jobs.
    against_fluid: Deviation = part.fluid;
    /// As for all jobs
    inversion_s: Option<f64> = part.inversion.map(Span::seconds), TableFormat::seconds("inversion"),
        EvaluationDetail::Full;
}

/// What the figures of some jobs are made of.
struct JobsFigures {
    jobs: usize,
    response: Option<f64>,
    slowdown: Option<f64>,
    ujf: Option<Deviation>,
    fluid: Deviation,
    inversion: Option<Span>,
}

/// A group of jobs by response time under one policy.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct GroupFigures {
    /// Its ranks in per cent.
    pub group: String,
    /// Its jobs.
    #[serde(flatten)]
    pub part: PartFigures,
}

figures! {
    /// One user under one policy.
    #[derive(Clone, Debug, Deserialize, Serialize)]
    UserFigures(name: &str, part: PartFigures, r: [Option<f64>; 2], share: Option<f64>);

    /// Name.
    user: String = name.to_owned();
    /// The user's jobs.
    #[serde(flatten)]
    part: PartFigures = part;
    /// How much longer the user's jobs take on average than under UJF with the same partitioning; negative is faster
    r_ujf: Option<f64> = r[0], TableFormat::ratio("r UJF", Better::Less, Format::SignedPercent),
        EvaluationDetail::Delays;
    /// The same against the fluid UJF
    r_fluid: Option<f64> = r[1], TableFormat::ratio("r ideal", Better::Less, Format::SignedPercent);
    /// The larger of the mean parts of all cores and of all memory that the user's tasks hold until the last task
    /// ends
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dominant_share: Option<f64> = share, TableFormat::ratio("dominant share", Better::Neither, Format::Percent);
}

/// The figures of a [`Deviation`]. Meanings name the other schedule by `{than}`.
pub const DEVIATION: &[Figure<Deviation>] = &[
    Figure {
        id: "dvr",
        meaning: "Deadline violation ratio: how much later jobs finish than {than}, as a fraction of the response time \
            {than}; mean over those that finish later",
        shown: TableFormat::ratio("DVR", Better::Less, Format::Hundredths),
        detail: EvaluationDetail::Delays,
        value: |it| it.dvr,
    },
    Figure {
        id: "violations",
        meaning: "Jobs that finish later than {than}",
        shown: TableFormat::count("violations", Better::Less),
        detail: EvaluationDetail::Delays,
        value: |it| it.violations.number(),
    },
    Figure {
        id: "dsr",
        meaning: "Deadline slack ratio: how much earlier jobs finish than {than}, as a fraction of the response time \
            {than}; mean over those that finish no later",
        shown: TableFormat::ratio("DSR", Better::More, Format::Hundredths),
        detail: EvaluationDetail::Delays,
        value: |it| it.dsr,
    },
    Figure {
        id: "slacks",
        meaning: "Jobs that finish no later than {than}",
        shown: TableFormat::count("slacks", Better::More),
        detail: EvaluationDetail::Delays,
        value: |it| it.slacks.number(),
    },
];

/// DVR against practical UJF.
const UJF_DVR: Figure<Figures> = Figure {
    id: "ujf_dvr",
    value: |it| it.against_ujf?.dvr,
    meaning: "",
    shown: DEVIATION[0].shown,
    detail: EvaluationDetail::Delays,
};

impl Figures {
    /// The figures of a simulation.
    pub fn new(run: &Evaluation) -> Figures {
        Figures { trace_hash: trace_hash(&run.trace), ..Figures::unhashed(run) }
    }

    /// The figures of a simulation without its trace's hash, which takes time.
    pub fn unhashed(run: &Evaluation) -> Figures {
        Figures::made(run)
    }

    /// The figure of an id of the table, or `ujf_dvr`.
    ///
    /// # Panics
    /// If there is none.
    pub fn find(id: &str) -> &'static Figure<Figures> {
        let mut figures = Figures::table().chain([&UJF_DVR]);
        figures.find(|figure| figure.id == id).expect("figures are asked for by ids of the table")
    }
}
/// How many jobs each bin has and how long they are held up by inversions, if that is known.
fn in_bins(
    run: &Evaluation,
    bins: usize,
    bin: impl Fn(usize) -> Option<usize>,
) -> (Vec<usize>, Option<Vec<Span>>) {
    let mut counts = vec![0; bins];
    for bin in (0..run.trace.jobs.len()).filter_map(&bin) {
        counts[bin] += 1;
    }
    let inversion = run.summary.blocking.as_ref().and_then(|blocking| blocking.inversion.as_ref());
    let inversion = inversion.map(|spans| {
        let mut sums = vec![Span(0); bins];
        for (job, &span) in spans.iter().enumerate() {
            if let Some(bin) = bin(job) {
                sums[bin] += span;
            }
        }
        sums
    });
    (counts, inversion)
}

/// The figures of some of the jobs, from those by group or by user.
fn parts(
    (counts, inversion): (Vec<usize>, Option<Vec<Span>>),
    responses: &[Option<f64>],
    slowdowns: &[Option<f64>],
    ujf: Option<&[Deviation]>,
    fluid: &[Deviation],
) -> Vec<PartFigures> {
    let part = |(index, jobs): (usize, usize)| JobsFigures {
        jobs,
        response: responses[index],
        slowdown: slowdowns[index],
        ujf: ujf.map(|ujf| ujf[index]),
        fluid: fluid[index],
        inversion: inversion.as_ref().map(|sums| sums[index]),
    };
    counts.into_iter().enumerate().map(|part_of| PartFigures::made(part(part_of))).collect()
}

fn groups(run: &Evaluation) -> Vec<GroupFigures> {
    let Summary { by_group, slowdown_by_group, ujf, fluid, .. } = &run.summary;
    let bins =
        in_bins(run, ResponseGroup::ALL.len(), |job| run.summary.groups[job].map(ResponseGroup::index));
    let ujf = ujf.as_ref().map(|ujf| &ujf.by_group[..]);
    let parts = parts(bins, by_group, slowdown_by_group, ujf, &fluid.by_group);
    let groups = ResponseGroup::ALL.into_iter().zip(parts);
    groups.map(|(group, part)| GroupFigures { group: group.label().to_owned(), part }).collect()
}

fn users(run: &Evaluation) -> Vec<UserFigures> {
    let Summary { by_user, slowdown_by_user, ujf, fluid, special, .. } = &run.summary;
    let bins = in_bins(run, run.scenario.users().len(), |job| Some(run.trace.jobs[job].user.index()));
    let by_ujf = ujf.as_ref().map(|ujf| &ujf.by_user[..]);
    let parts = parts(bins, by_user, slowdown_by_user, by_ujf, &fluid.by_user);
    let users = run.scenario.users().iter().zip(parts).enumerate();
    let figures = |(index, (user, part)): (usize, (&User, PartFigures))| {
        let r = [ujf.as_ref().and_then(|ujf| ujf.user_delays[index]), fluid.user_delays[index]];
        UserFigures::made(&user.name, part, r, special.dominant_shares.get(index).copied())
    };
    users.map(figures).collect()
}

/// The trace's hash as 16 hexadecimal digits.
pub fn trace_hash(trace: &Trace) -> String {
    format!("{:016x}", trace.hash())
}

/// How many jobs each user submits, by user.
pub fn jobs_by_user(scenario: &Scenario) -> Vec<usize> {
    let mut counts = vec![0; scenario.users().len()];
    for job in scenario.jobs() {
        counts[job.user.index()] += 1;
    }
    counts
}
