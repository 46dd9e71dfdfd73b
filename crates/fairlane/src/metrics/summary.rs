//! All figures of one simulation together.

use serde::{Deserialize, Serialize};

use super::bound::{self, Unfairness};
use super::fairness::{Fairness, ReferenceSchedule};
use super::inversion::{Inversion, inversion_time};
use super::response::{self, ResponseGroup, ResponsePercentiles, Unfinished, group_means};
use super::slowdown;
use super::special::OptionalFigures;
use super::utilization::{makespan, utilization};
use crate::number;
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::units::{SlotTime, Span};

/// The figures of one simulation: a row in a comparison of policies, with its figures by
/// user, by group and by job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Jobs that did not finish. All other figures of jobs are over those that did.
    pub unfinished: Unfinished,
    /// Mean response time, in seconds; `None` if no job finished.
    pub mean_response: Option<f64>,
    /// Mean of the worst tenth of response times, in seconds; `None` if no job finished.
    pub worst_decile: Option<f64>,
    /// What half, 95 and 99 per cent of the response times do not exceed; `None` if no job finished.
    pub percentiles: Option<ResponsePercentiles>,
    /// Mean slowdown, a ratio; `None` if no job has one.
    pub mean_slowdown: Option<f64>,
    /// Mean of the worst tenth of slowdowns, a ratio; `None` if no job has one.
    pub worst_decile_slowdown: Option<f64>,
    /// Mean response time by user, in seconds; `None` for a user without jobs.
    pub by_user: Vec<Option<f64>>,
    /// Mean slowdown by user, a ratio; `None` for a user none of whose jobs has one.
    pub slowdown_by_user: Vec<Option<f64>>,
    /// Each job's group by response time, by index in the file; `None` for a job that did not finish.
    pub groups: Vec<Option<ResponseGroup>>,
    /// Mean response time by group, in seconds, in the order of [`ResponseGroup::ALL`]; `None` for a group
    /// without jobs, which few jobs leave.
    pub by_group: [Option<f64>; 3],
    /// Mean slowdown by group, a ratio, likewise.
    pub slowdown_by_group: [Option<f64>; 3],
    /// From the start of time to the end of the last task; `None` if none ran.
    pub makespan: Option<Span>,
    /// Busy core time over R x makespan, a ratio.
    pub utilization: Option<f64>,
    /// Jain's index over the users' mean slowdowns, a ratio.
    pub jain: Option<f64>,
    /// Against the exact fluid UJF.
    pub fluid: Fairness,
    /// The job furthest behind the fluid UJF; `None` if no job finished.
    pub unfairness: Option<Unfairness>,
    /// What UWFQ may be behind it on jobs of one stage, in µs ([`bound::uwfq_allowance`]).
    pub allowance: f64,
    /// Against practical UJF with the same partitioning; from [`EvaluationDetail::Delays`](super::EvaluationDetail) on.
    pub ujf: Option<Fairness>,
    /// What only some scenarios and policies have; nothing without [`evaluate`](super::evaluate).
    pub special: OptionalFigures,
    /// What keeps jobs and cores waiting; only with [`EvaluationDetail::Full`](super::EvaluationDetail).
    pub blocking: Option<BlockingTotals>,
}

/// What keeps jobs and cores waiting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockingTotals {
    /// Each job's inversion time, by index in the file; `None` under policies that know no inversion.
    pub inversion: Option<Vec<Span>>,
    /// Core time that idles behind stragglers, in core-µs, each µs of a core counted once.
    pub straggler_idle: SlotTime,
    /// The same behind each job's own stragglers, by index in the file.
    pub straggler_idle_by_job: Vec<SlotTime>,
}

impl BlockingTotals {
    pub(super) fn new(
        inversions: Option<&[Vec<Inversion>]>,
        (straggler_idle, straggler_idle_by_job): (SlotTime, Vec<SlotTime>),
    ) -> BlockingTotals {
        let times =
            |jobs: &[Vec<Inversion>]| jobs.iter().map(|inversions| inversion_time(inversions)).collect();
        BlockingTotals { inversion: inversions.map(times), straggler_idle, straggler_idle_by_job }
    }

    /// Inversion time of all jobs together.
    pub fn total_inversion(&self) -> Option<Span> {
        Some(Span(self.inversion.as_ref()?.iter().map(|span| span.0).sum()))
    }
}

impl Summary {
    /// The mean response time, and how many jobs did not finish, in words.
    pub fn mean_response_in_words(&self) -> String {
        let mean =
            self.mean_response.map_or_else(|| "–".to_owned(), |mean| format!("{} s", number::short(mean)));
        let parts = [format!("mean response {mean}")].into_iter().chain(self.unfinished.words());
        parts.collect::<Vec<_>>().join(", ")
    }

    /// Summarizes a trace. `alone` are the response times of its jobs on the idle cluster, from
    /// [`super::alone_responses`]; `fluid` and `ujf` what it is measured against.
    pub(super) fn new(
        scenario: &Scenario,
        trace: &Trace,
        alone: &[Option<Span>],
        fluid: ReferenceSchedule,
        ujf: Option<ReferenceSchedule>,
        blocking: Option<BlockingTotals>,
    ) -> Summary {
        let (jobs, users) = (&trace.jobs, scenario.users().len());
        let slowdowns = slowdown::slowdowns(jobs, alone);
        let slowdown_by_user = slowdown::mean_slowdown_by_user(jobs, &slowdowns, users);
        let groups = response::groups(jobs);
        Summary {
            unfinished: Unfinished::among(jobs),
            mean_response: response::mean_response(jobs),
            worst_decile: response::worst_decile_mean(jobs),
            percentiles: ResponsePercentiles::among(jobs),
            mean_slowdown: slowdown::mean_slowdown(&slowdowns),
            worst_decile_slowdown: slowdown::worst_decile_slowdown(&slowdowns),
            by_user: response::mean_response_by_user(jobs, users),
            jain: slowdown::jain_index(&slowdown_by_user),
            slowdown_by_user,
            by_group: group_means(&groups, jobs.iter().map(|job| job.response().map(Span::seconds))),
            slowdown_by_group: group_means(&groups, slowdowns),
            groups,
            makespan: makespan(trace),
            utilization: utilization(scenario, trace),
            unfairness: bound::bounded_unfairness(jobs, &fluid),
            allowance: bound::uwfq_allowance(scenario, trace),
            fluid: Fairness::new(jobs, users, fluid),
            ujf: ujf.map(|ujf| Fairness::new(jobs, users, ujf)),
            special: OptionalFigures::default(),
            blocking,
        }
    }
}
