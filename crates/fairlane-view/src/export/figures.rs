//! The figures of a simulation in the machine-readable formats of the command line and the page. Keys
//! are stable and contain their units; numbers have full precision. `docs/metrics.md` defines each
//! figure.

mod jobs;
mod record;

use serde::{Deserialize, Serialize};

pub use jobs::{JobFigures, job_figures};
pub use record::Heading;
pub(super) use record::{may_end_early, text};

use fairlane::metrics::{Blocking, Deviation, Evaluation, Group, Summary};
use fairlane::scenario::{Scenario, User};
use fairlane::trace::Trace;
use fairlane::units::{MICROS_PER_SECOND, Span};

/// A simulation with its figures.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    /// What happened.
    pub trace: &'a Trace,
    /// Response time of each job alone, by index in the file; `None` if it does not even finish alone.
    pub alone: &'a [Option<Span>],
    /// The figures derived from it.
    pub summary: &'a Summary,
}

impl<'a> From<&'a Evaluation> for Measured<'a> {
    fn from(evaluation: &'a Evaluation) -> Measured<'a> {
        Measured { trace: &evaluation.trace, alone: &evaluation.alone, summary: &evaluation.summary }
    }
}

/// One policy's figures.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Figures {
    /// As on the command line.
    pub policy: String,
    /// As `fairlane simulate --hash` prints it.
    pub trace_hash: String,
    /// Mean response time of the jobs that finished; `null` if none did.
    pub mean_response_s: Option<f64>,
    /// Mean of the worst tenth of response times; `null` if no job finished.
    pub worst_10_percent_response_s: Option<f64>,
    /// Mean slowdown, a ratio; `null` if no job has one.
    pub mean_slowdown: Option<f64>,
    /// From 0 to the end of the last task; `null` if none ran.
    pub makespan_s: Option<f64>,
    /// Mean of the worst tenth of slowdowns, a ratio; `null` if no job has one.
    pub worst_10_percent_slowdown: Option<f64>,
    /// Busy core time over cores x makespan, a ratio; `null` if nothing takes time.
    pub utilization: Option<f64>,
    /// Jain's index over the users' mean slowdowns, a ratio; `null` if no user has one.
    pub jain_slowdown: Option<f64>,
    /// Against practical UJF with the same partitioning; `null` where that was not simulated.
    pub against_ujf: Option<Deviation>,
    /// Against the exact fluid UJF.
    pub against_fluid: Deviation,
    /// The job with the largest delay against the fluid UJF, by index in the file.
    pub furthest_behind_job: Option<usize>,
    /// By how much it finishes later than under the fluid UJF: the paper's C for this schedule.
    pub furthest_behind_s: Option<f64>,
    /// The largest delay of UWFQ that its bound allows, for jobs of one stage without overhead.
    pub uwfq_allowance_s: f64,
    /// All jobs' inversion times together; `null` under policies that define none, or not computed.
    pub inversion_s: Option<f64>,
    /// Core time that is idle behind stragglers; `null` where it was not computed.
    pub straggler_idle_core_s: Option<f64>,
    /// The groups by response time, the quickest first.
    pub groups: Vec<GroupFigures>,
    /// Every user, in the scenario's order.
    pub users: Vec<UserFigures>,
    /// Jobs that the policy dropped; left out if there are none.
    #[serde(default, skip_serializing_if = "is_none")]
    pub dropped: usize,
    /// Jobs that the policy rejected; left out if there are none.
    #[serde(default, skip_serializing_if = "is_none")]
    pub rejected: usize,
    /// Jobs that finished no later than their deadline; left out, as the next five, where jobs are not judged by deadlines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadlines_met: Option<usize>,
    /// The same over all jobs, SDR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub satisfied_deadlines_ratio: Option<f64>,
    /// Core time spent on those jobs over the work of all, PTR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub productive_time_ratio: Option<f64>,
    /// Core time spent on the other jobs over the work of all, WTR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wasted_time_ratio: Option<f64>,
    /// Jain's index of the cores that active jobs of one parallelism hold, over time, a ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equality: Option<f64>,
    /// Jain's index of the part of their parallelism that active jobs hold, over time, a ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<f64>,
    /// Average progress rate, a ratio; left out if no job has a performance curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress_rate: Option<f64>,
    /// Mean response time of the jobs of latency queues; left out, as the next, if no user is a queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_queues_mean_response_s: Option<f64>,
    /// Mean response time of all other jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput_queues_mean_response_s: Option<f64>,
    /// Mean part of the memory in use, a ratio; left out, as the next, if memory is not modelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mean_ratio: Option<f64>,
    /// Largest part of the memory in use, a ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_peak_ratio: Option<f64>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Some of the jobs under one policy.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct PartFigures {
    /// Number of jobs.
    pub jobs: usize,
    /// `null` without jobs.
    pub mean_response_s: Option<f64>,
    /// A ratio; `null` if no job has one.
    pub mean_slowdown: Option<f64>,
    /// As for all jobs.
    pub against_ujf: Option<Deviation>,
    /// As for all jobs.
    pub against_fluid: Deviation,
    /// As for all jobs.
    pub inversion_s: Option<f64>,
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

/// One user under one policy.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct UserFigures {
    /// Name.
    pub user: String,
    /// The user's jobs.
    #[serde(flatten)]
    pub part: PartFigures,
    /// How much longer the user's mean response time is than under practical UJF, a ratio of that.
    pub r_ujf: Option<f64>,
    /// The same against the fluid UJF.
    pub r_fluid: Option<f64>,
    /// The user's dominant share in the long run, a ratio; left out if no user is a queue and memory is not modelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dominant_share: Option<f64>,
}

impl Figures {
    /// The figures of a simulation.
    pub fn new(scenario: &Scenario, run: Measured) -> Figures {
        let summary = run.summary;
        let ujf = summary.ujf.as_ref();
        let blocking = summary.blocking.as_ref();
        let furthest = summary.unfairness;
        Figures {
            policy: run.trace.policy.to_string(),
            trace_hash: trace_hash(run.trace),
            mean_response_s: summary.mean_response,
            worst_10_percent_response_s: summary.worst_decile,
            mean_slowdown: summary.mean_slowdown,
            makespan_s: summary.makespan.map(Span::seconds),
            worst_10_percent_slowdown: summary.worst_decile_slowdown,
            utilization: summary.utilization,
            jain_slowdown: summary.jain,
            against_ujf: ujf.map(|ujf| ujf.overall),
            against_fluid: summary.fluid.overall,
            furthest_behind_job: furthest.map(|furthest| furthest.job.index()),
            furthest_behind_s: furthest.map(|furthest| furthest.delay / MICROS_PER_SECOND),
            uwfq_allowance_s: summary.allowance / MICROS_PER_SECOND,
            inversion_s: blocking.and_then(Blocking::total_inversion).map(Span::seconds),
            straggler_idle_core_s: blocking.map(|blocking| blocking.straggler_idle.seconds()),
            groups: groups(run),
            users: users(scenario, run),
            dropped: summary.unfinished.dropped,
            rejected: summary.unfinished.rejected,
            deadlines_met: summary.special.deadlines.map(|deadlines| deadlines.met),
            satisfied_deadlines_ratio: summary
                .special
                .deadlines
                .and_then(|deadlines| deadlines.satisfied_ratio()),
            productive_time_ratio: summary
                .special
                .deadlines
                .and_then(|deadlines| deadlines.productive_ratio()),
            wasted_time_ratio: summary.special.deadlines.and_then(|deadlines| deadlines.wasted_ratio()),
            equality: summary.special.sharing.and_then(|sharing| sharing.equality),
            fairness: summary.special.sharing.and_then(|sharing| sharing.fairness),
            progress_rate: summary.special.progress,
            latency_queues_mean_response_s: summary.special.completions.and_then(|queues| queues.latency),
            throughput_queues_mean_response_s: summary
                .special
                .completions
                .and_then(|queues| queues.throughput),
            memory_mean_ratio: summary.special.memory.and_then(|memory| memory.mean),
            memory_peak_ratio: summary.special.memory.map(|memory| memory.peak),
        }
    }
}

/// How many jobs each bin has and how long they are held up by inversions, if that is known.
fn in_bins(
    run: Measured,
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
    let part = |(index, jobs): (usize, usize)| PartFigures {
        jobs,
        mean_response_s: responses[index],
        mean_slowdown: slowdowns[index],
        against_ujf: ujf.map(|ujf| ujf[index]),
        against_fluid: fluid[index],
        inversion_s: inversion.as_ref().map(|sums| sums[index].seconds()),
    };
    counts.into_iter().enumerate().map(part).collect()
}

fn groups(run: Measured) -> Vec<GroupFigures> {
    let Summary { by_group, slowdown_by_group, ujf, fluid, .. } = run.summary;
    let bins = in_bins(run, Group::ALL.len(), |job| run.summary.groups[job].map(Group::index));
    let ujf = ujf.as_ref().map(|ujf| &ujf.by_group[..]);
    let parts = parts(bins, by_group, slowdown_by_group, ujf, &fluid.by_group);
    let groups = Group::ALL.into_iter().zip(parts);
    groups.map(|(group, part)| GroupFigures { group: group.label().to_owned(), part }).collect()
}

fn users(scenario: &Scenario, run: Measured) -> Vec<UserFigures> {
    let Summary { by_user, slowdown_by_user, ujf, fluid, special, .. } = run.summary;
    let bins = in_bins(run, scenario.users().len(), |job| Some(run.trace.jobs[job].user.index()));
    let by_ujf = ujf.as_ref().map(|ujf| &ujf.by_user[..]);
    let parts = parts(bins, by_user, slowdown_by_user, by_ujf, &fluid.by_user);
    let users = scenario.users().iter().zip(parts).enumerate();
    let figures = |(index, (user, part)): (usize, (&User, PartFigures))| UserFigures {
        user: user.name.clone(),
        part,
        r_ujf: ujf.as_ref().and_then(|ujf| ujf.user_delays[index]),
        r_fluid: fluid.user_delays[index],
        dominant_share: special.dominant_shares.get(index).copied(),
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
