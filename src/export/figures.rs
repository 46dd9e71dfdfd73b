//! The figures of a simulation in the machine-readable formats of the command line and the page. Keys
//! are stable and contain their units; numbers have full precision. `docs/metrics.md` defines each
//! figure.

use serde::{Deserialize, Serialize};

use crate::metrics::{Blocking, Deviation, Evaluation, Fairness, Group, Summary, has_deadlines, slowdown};
use crate::policy::{Outcomes, PolicyId};
use crate::scenario::{Scenario, User};
use crate::trace::Trace;
use crate::units::{MICROS_PER_SECOND, Span, Time};

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

/// The columns of a CSV file of [`Figures`].
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// Their names.
    pub names: Vec<String>,
    /// Which of the last ones there are.
    special: Vec<Special>,
}

/// Columns that are only there if a scenario or a policy has what they are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    /// Jobs that did not finish.
    Unfinished,
    /// Deadlines, productive and wasted time, equality and fairness.
    Deadlines,
    /// Progress rates.
    Curves,
    /// Completion by kind of queue.
    Queues,
    /// Dominant shares, by user.
    Shares,
    /// Memory in use.
    Memory,
}

impl Special {
    /// Those of a scenario under some policies.
    fn of(scenario: &Scenario, policies: &[PolicyId]) -> Vec<Special> {
        let queues = scenario.users().iter().any(|user| user.queue.is_some());
        let memory = scenario.cluster().memory_per_executor.is_some();
        let there = [
            (Special::Unfinished, may_end_early(policies)),
            (Special::Deadlines, policies.iter().any(|&policy| has_deadlines(scenario, policy))),
            (Special::Curves, scenario.jobs().iter().any(|job| job.curve.is_some())),
            (Special::Queues, queues),
            (Special::Shares, queues || memory),
            (Special::Memory, memory),
        ];
        there.into_iter().filter(|&(_, there)| there).map(|(special, _)| special).collect()
    }

    /// Those of the columns that are not by user.
    fn columns(self) -> &'static [Column<Figures>] {
        match self {
            Special::Unfinished => UNFINISHED,
            Special::Deadlines => DEADLINES,
            Special::Curves => CURVES,
            Special::Queues => QUEUES,
            Special::Shares => &[],
            Special::Memory => MEMORY,
        }
    }
}

impl Heading {
    /// The columns of a file without any figures.
    pub fn without_figures() -> Heading {
        Heading { names: vec!["policy".to_owned()], special: Vec::new() }
    }
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

    /// The columns of a file of some policies. The first are those of the first version of this format, in the same
    /// order; the last are only there if the scenario or one of the policies has what they are about.
    pub fn heading(scenario: &Scenario, policies: &[PolicyId]) -> Heading {
        let mut names: Vec<String> = ["policy", "trace_hash"].map(str::to_owned).into();
        names.extend(FIRST.iter().map(|(name, _)| (*name).to_owned()));
        let of_users = |name: &str| {
            let name = name.to_owned();
            scenario.users().iter().map(move |user| format!("{name}[{}]", user.name))
        };
        names.extend(of_users("mean_response_s"));
        names.extend(OVERALL.iter().map(|(name, _)| (*name).to_owned()));
        for group in Group::ALL {
            names.extend(PART.iter().map(|(name, _)| format!("group_{}_{name}", group.key())));
        }
        // A user's mean response time is among the first fields.
        for (name, _) in PART.iter().filter(|(name, _)| *name != "mean_response_s") {
            names.extend(of_users(name));
        }
        names.extend(USER.iter().flat_map(|(name, _)| of_users(name)));
        let special = Special::of(scenario, policies);
        for kind in &special {
            names.extend(kind.columns().iter().map(|(name, _)| (*name).to_owned()));
            if *kind == Special::Shares {
                names.extend(of_users("dominant_share"));
            }
        }
        Heading { names, special }
    }

    /// The figures as a line of a CSV file; empty where there is none.
    pub fn record(&self, heading: &Heading) -> Vec<String> {
        let mut texts = vec![self.policy.clone(), self.trace_hash.clone()];
        texts.extend(FIRST.iter().map(|(_, figure)| text(figure(self))));
        texts.extend(self.users.iter().map(|user| text(user.part.mean_response_s)));
        texts.extend(OVERALL.iter().map(|(_, figure)| text(figure(self))));
        for group in &self.groups {
            texts.extend(PART.iter().map(|(_, figure)| text(figure(&group.part))));
        }
        for (_, figure) in PART.iter().filter(|(name, _)| *name != "mean_response_s") {
            texts.extend(self.users.iter().map(|user| text(figure(&user.part))));
        }
        texts.extend(USER.iter().flat_map(|(_, figure)| self.users.iter().map(|user| text(figure(user)))));
        for kind in &heading.special {
            texts.extend(kind.columns().iter().map(|(_, figure)| text(figure(self))));
            if *kind == Special::Shares {
                texts.extend(self.users.iter().map(|user| text(user.dominant_share)));
            }
        }
        texts
    }
}

/// A name and a look-up. Counts are whole below 2^53, so that an f64 shows them exactly.
type Column<T> = (&'static str, fn(&T) -> Option<f64>);

const FIRST: &[Column<Figures>] = &[
    ("mean_response_s", |it| it.mean_response_s),
    ("worst_10_percent_response_s", |it| it.worst_10_percent_response_s),
    ("mean_slowdown", |it| it.mean_slowdown),
    ("makespan_s", |it| it.makespan_s),
];

const UNFINISHED: &[Column<Figures>] =
    &[("dropped", |it| Some(it.dropped as f64)), ("rejected", |it| Some(it.rejected as f64))];

const DEADLINES: &[Column<Figures>] = &[
    ("deadlines_met", |it| Some(it.deadlines_met? as f64)),
    ("satisfied_deadlines_ratio", |it| it.satisfied_deadlines_ratio),
    ("productive_time_ratio", |it| it.productive_time_ratio),
    ("wasted_time_ratio", |it| it.wasted_time_ratio),
    ("equality", |it| it.equality),
    ("fairness", |it| it.fairness),
];

const CURVES: &[Column<Figures>] = &[("progress_rate", |it| it.progress_rate)];

const QUEUES: &[Column<Figures>] = &[
    ("latency_queues_mean_response_s", |it| it.latency_queues_mean_response_s),
    ("throughput_queues_mean_response_s", |it| it.throughput_queues_mean_response_s),
];

const MEMORY: &[Column<Figures>] =
    &[("memory_mean_ratio", |it| it.memory_mean_ratio), ("memory_peak_ratio", |it| it.memory_peak_ratio)];

const OVERALL: &[Column<Figures>] = &[
    ("worst_10_percent_slowdown", |it| it.worst_10_percent_slowdown),
    ("utilization", |it| it.utilization),
    ("jain_slowdown", |it| it.jain_slowdown),
    ("ujf_dvr", |it| it.against_ujf?.dvr),
    ("ujf_violations", |it| Some(it.against_ujf?.violations as f64)),
    ("ujf_dsr", |it| it.against_ujf?.dsr),
    ("ujf_slacks", |it| Some(it.against_ujf?.slacks as f64)),
    ("ujf_unrated", |it| Some(it.against_ujf?.unrated as f64)),
    ("fluid_dvr", |it| it.against_fluid.dvr),
    ("fluid_violations", |it| Some(it.against_fluid.violations as f64)),
    ("fluid_dsr", |it| it.against_fluid.dsr),
    ("fluid_slacks", |it| Some(it.against_fluid.slacks as f64)),
    ("fluid_unrated", |it| Some(it.against_fluid.unrated as f64)),
    ("furthest_behind_job", |it| Some(it.furthest_behind_job? as f64)),
    ("furthest_behind_s", |it| it.furthest_behind_s),
    ("uwfq_allowance_s", |it| Some(it.uwfq_allowance_s)),
    ("inversion_s", |it| it.inversion_s),
    ("straggler_idle_core_s", |it| it.straggler_idle_core_s),
];

const PART: &[Column<PartFigures>] = &[
    ("jobs", |it| Some(it.jobs as f64)),
    ("mean_response_s", |it| it.mean_response_s),
    ("mean_slowdown", |it| it.mean_slowdown),
    ("ujf_dvr", |it| it.against_ujf?.dvr),
    ("ujf_violations", |it| Some(it.against_ujf?.violations as f64)),
    ("ujf_dsr", |it| it.against_ujf?.dsr),
    ("ujf_slacks", |it| Some(it.against_ujf?.slacks as f64)),
    ("fluid_dvr", |it| it.against_fluid.dvr),
    ("fluid_violations", |it| Some(it.against_fluid.violations as f64)),
    ("fluid_dsr", |it| it.against_fluid.dsr),
    ("fluid_slacks", |it| Some(it.against_fluid.slacks as f64)),
    ("inversion_s", |it| it.inversion_s),
];

const USER: &[Column<UserFigures>] = &[("r_ujf", |it| it.r_ujf), ("r_fluid", |it| it.r_fluid)];

/// Whether jobs can be dropped or rejected under any of some policies.
pub(super) fn may_end_early(policies: &[PolicyId]) -> bool {
    policies.iter().any(|policy| policy.kind.info().outcomes == Outcomes::Any)
}

/// A field of a CSV file.
pub(super) fn text(figure: Option<f64>) -> String {
    figure.map_or_else(String::new, |figure| figure.to_string())
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

/// One job under one policy.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct JobFigures<'a> {
    /// Index in the file.
    pub job: usize,
    /// Who submits it.
    pub user: &'a str,
    /// Empty if the file gives none.
    pub name: &'a str,
    /// When it arrives.
    pub arrival_s: f64,
    /// When its last stage ends; `null` if it did not finish.
    pub finish_s: Option<f64>,
    /// From arrival to finish; `null` if it did not finish.
    pub response_s: Option<f64>,
    /// Response time alone on the idle cluster, same policy and partitioning; `null` if it does not even finish alone.
    pub alone_s: Option<f64>,
    /// Response time over that alone, a ratio; `null` if the job alone takes no time.
    pub slowdown: Option<f64>,
    /// Its group by response time: ranks in per cent; `null` if it did not finish.
    pub group: Option<&'static str>,
    /// When it finishes under practical UJF with the same partitioning; `null` where that was not
    /// simulated.
    pub finish_ujf_s: Option<f64>,
    /// Its proportional delay against that, the paper's r, a ratio; `null` if it would take no time.
    pub r_ujf: Option<f64>,
    /// When it finishes under the fluid UJF.
    pub finish_fluid_s: f64,
    /// Its proportional delay against that, a ratio; `null` if it would take no time.
    pub r_fluid: Option<f64>,
    /// Inversion time; `null` under policies that define none, or not computed.
    pub inversion_s: Option<f64>,
    /// Core time that is idle behind its stragglers; `null` where it was not computed.
    pub straggler_idle_core_s: Option<f64>,
    /// `dropped` or `rejected`; left out if it finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'static str>,
    /// When it was dropped or rejected; left out if it finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_s: Option<f64>,
}

/// Every job's figures, by index in the file.
pub fn job_figures<'a>(scenario: &'a Scenario, run: Measured<'a>) -> impl Iterator<Item = JobFigures<'a>> {
    let Summary { groups, fluid, ujf, blocking, .. } = run.summary;
    let (ujf, blocking) = (ujf.as_ref(), blocking.as_ref());
    let finish = |fairness: &Fairness, job: usize| fairness.reference.finishes[job] / MICROS_PER_SECOND;
    let jobs = scenario.jobs().iter().zip(&run.trace.jobs).zip(run.alone).enumerate();
    jobs.map(move |(index, ((job, job_run), &alone))| JobFigures {
        outcome: job_run.finish().is_none().then(|| job_run.outcome.name()),
        ended_s: job_run.finish().is_none().then(|| job_run.end().seconds()),
        job: index,
        user: &scenario.users()[job.user.index()].name,
        name: &job.name,
        arrival_s: job_run.arrival.seconds(),
        finish_s: job_run.finish().map(Time::seconds),
        response_s: job_run.response().map(Span::seconds),
        alone_s: alone.map(Span::seconds),
        slowdown: job_run.response().zip(alone).and_then(|(response, alone)| slowdown(response, alone)),
        group: groups[index].map(Group::label),
        finish_ujf_s: ujf.map(|ujf| finish(ujf, index)),
        r_ujf: ujf.and_then(|ujf| ujf.delays[index]),
        finish_fluid_s: finish(fluid, index),
        r_fluid: fluid.delays[index],
        inversion_s: blocking.and_then(|it| Some(it.inversion.as_ref()?[index].seconds())),
        straggler_idle_core_s: blocking.map(|it| it.straggler_idle_by_job[index].seconds()),
    })
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
