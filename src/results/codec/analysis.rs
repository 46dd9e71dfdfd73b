//! What the page knows of one policy's simulation.

use std::cell::{OnceCell, RefCell, RefMut};
use std::collections::BTreeSet;
use std::ops::Deref;

use super::decode::read;
use super::{BlockingDetail, ByteSource};
use crate::results::shared::Shared;
use fairlane::ids::{CoreId, JobId, UserId};
use fairlane::metrics::{self, Evaluation, ScheduleVerdict, Straggler, Stretch, Unfinished, Waiting};
use fairlane::policy::explain::{Decision, Explanation, Value};
use fairlane::policy::{ProgramCall, StageView};
use fairlane::replay::{
    ChoiceFilter, RankedQueue, Replay, ReplayPoint, TargetChange, VirtualTimeSeries, WaitingStage,
};
use fairlane::scenario::Scenario;
use fairlane::trace::{CoreIndex, CoreLoad, JobRun, LoadIndex};
use fairlane::units::{Span, Time};
use fairlane_custom::names;

/// One policy's simulation, ready to be shown: analyzed by a worker, except for what is decoded or made when it is
/// first needed.
#[derive(Debug)]
pub struct Analysis {
    /// What was simulated, what happened, and all figures; those against practical UJF and of what blocks jobs only in
    /// a full analysis.
    pub evaluation: Evaluation,
    /// The page's own copy of the scenario, which is compared by identity.
    pub simulated: Shared<Scenario>,
    /// When nothing happens any longer.
    pub end: Time,
    /// The trace by core; made when first needed, which most schedules of a drag never are.
    pub(super) index: OnceCell<CoreIndex>,
    /// The trace's fingerprint.
    pub hash: u64,
    /// What only a full analysis brings.
    pub extras: Option<Extras>,
}

/// What a full analysis brings beyond the schedule and its figures.
#[derive(Debug)]
pub struct Extras {
    /// Whether the trace obeys the rules; else the rule it breaks.
    pub checks: Result<(), String>,
    /// Who runs and who waits at any instant, and when that changes.
    load: LoadIndex,
    /// Those of [`BlockingDetail`], outside of the page's own memory.
    bytes: Box<dyn ByteSource>,
    /// Answers why; made when first needed. `None` within for a schedule that was observed.
    replay: OnceCell<Option<RefCell<Replay>>>,
    /// Decoded when first needed.
    blocking: OnceCell<BlockingDetail>,
}

/// The figures of a schedule's beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoFar {
    /// When the last of the jobs ends that are in it.
    pub at: Time,
    /// Mean response time of those that finished, in seconds; `None` if none did.
    pub mean_response: Option<f64>,
    /// Those that did not.
    pub unfinished: Unfinished,
}

impl Extras {
    pub(super) fn new(checks: Result<(), String>, load: LoadIndex, bytes: Box<dyn ByteSource>) -> Extras {
        Extras { checks, load, bytes, replay: OnceCell::new(), blocking: OnceCell::new() }
    }
}

impl Deref for Analysis {
    type Target = Evaluation;
    fn deref(&self) -> &Evaluation {
        &self.evaluation
    }
}

impl Analysis {
    /// Whether the scenario that was simulated has a job. One that was added since is not in the schedule yet.
    pub fn has_job(&self, job: JobId) -> bool {
        job.index() < self.trace.jobs.len()
    }

    /// The trace by core; the first call takes time in proportion to the tasks.
    pub fn index(&self) -> &CoreIndex {
        self.index.get_or_init(|| CoreIndex::new(&self.trace))
    }

    /// The verdict on each user, by [`UserId`].
    pub fn verdicts(&self) -> Vec<ScheduleVerdict> {
        metrics::verdicts(&self.trace.jobs, &self.summary)
    }

    /// The verdict on each user as far as the schedule has got by an instant, by [`UserId`].
    pub fn verdicts_by(&self, at: Time) -> Vec<ScheduleVerdict> {
        metrics::verdicts_by(&self.trace.jobs, &self.summary, at)
    }

    /// The schedule's figures as far as it has got by an instant.
    pub fn so_far(&self, at: Time) -> SoFar {
        let ended: Vec<JobRun> = self.trace.jobs.iter().copied().filter(|job| job.end() <= at).collect();
        SoFar {
            at: ended.iter().map(JobRun::end).max().unwrap_or_default(),
            mean_response: metrics::mean_response(&ended),
            unfinished: Unfinished::among(&ended),
        }
    }

    /// A job's response time over that under the fluid ideal; `None` for one that did not finish or needs no time.
    pub fn ratio_to_ideal(&self, job: JobId) -> Option<f64> {
        self.summary.fluid.delays.get(job.index())?.map(|delay| 1.0 + delay)
    }

    /// The user's job that takes longest against the fluid ideal; if none finished, the first one.
    pub fn worst_job(&self, user: UserId) -> Option<JobId> {
        let jobs = (0..).map(JobId).zip(&self.trace.jobs);
        let own = jobs.filter(|(_, run)| run.user == user).map(|(job, _)| job);
        // The first of several that are as bad.
        let ratio = |job: &JobId| self.ratio_to_ideal(*job).unwrap_or(f64::NEG_INFINITY);
        own.reduce(|worst, job| if ratio(&job) > ratio(&worst) { job } else { worst })
    }

    /// An instant of change in the middle of a stretch, or its begin.
    pub fn instant_within(&self, stretch: Stretch) -> Time {
        let middle = stretch.from + Span(stretch.length().0 / 2);
        self.previous_instant(middle + Span(1)).map_or(stretch.from, |at| at.max(stretch.from))
    }

    /// When a job would finish under the ideal fluid UJF.
    pub fn ideal(&self, job: JobId) -> Option<Time> {
        let finish = self.summary.fluid.reference.finishes.get(job.index())?;
        Some(Time(finish.round() as u64))
    }

    /// The simulation again, to be asked why; `None` of a schedule that was observed, or before a full analysis is
    /// there.
    fn replay(&self) -> Option<RefMut<'_, Replay>> {
        let replay = self
            .extras
            .as_ref()?
            .replay
            .get_or_init(|| Replay::new(&self.scenario, self.trace.policy).map(RefCell::new));
        Some(replay.as_ref()?.borrow_mut())
    }

    fn blocking(&self) -> Option<&BlockingDetail> {
        let extras = self.extras.as_ref()?;
        Some(extras.blocking.get_or_init(|| read(&*extras.bytes).unwrap_or_default()))
    }

    /// The first `most` stages of the ranked queue at a decision or an instant, once a full
    /// analysis is there.
    pub fn ranked_queue(&self, at: ReplayPoint, most: usize) -> Option<RankedQueue> {
        self.replay()?.queue(&self.trace, at, most)
    }

    /// How a program runs at a decision or an instant, and how it ranks a waiting stage; empty under any other policy.
    pub fn program_calls(&self, at: ReplayPoint, stage: (JobId, u32)) -> Vec<ProgramCall> {
        let calls = self.replay().and_then(|mut replay| replay.calls(&self.trace, at, stage));
        calls.unwrap_or_default()
    }

    /// What a program could read of a stage that waits at a decision or an instant, of a job or else the first in the
    /// queue: a value for each of [`NAMES`](fairlane_custom::names::NAMES).
    pub fn names_at(&self, at: ReplayPoint, job: Option<JobId>) -> Option<(WaitingStage, Vec<Value>)> {
        let mut replay = self.replay()?;
        let stages = replay.queue(&self.trace, at, usize::MAX)?.stages;
        let own = stages.iter().find(|stage| Some(stage.job) == job);
        let first = own.or(stages.first())?.clone();
        let moment = replay.at(&self.trace, at)?;
        let is_meant =
            |stage: &StageView| (stage.job_view().id(), stage.position()) == (first.job, first.stage);
        let values = names::values(moment.view().waiting().find(is_meant)?);
        Some((first, values))
    }

    /// The first decision between jobs from a launch on, by the first task that it launches; `None` also before a full
    /// analysis is there.
    pub fn next_choice(&self, from: usize, filter: ChoiceFilter) -> Option<usize> {
        self.replay()?.next_choice(&self.trace, from, filter)
    }

    /// What the policy decided about users and jobs besides the order of stages, in the order of time.
    pub fn decisions(&self) -> Vec<Decision> {
        self.replay().map(|mut replay| replay.decisions().to_vec()).unwrap_or_default()
    }

    /// What the policy knows of the users at a decision or an instant; empty under a policy that does not rank users.
    pub fn users_at(&self, at: ReplayPoint) -> Vec<(UserId, Explanation)> {
        let users = self.replay().and_then(|mut replay| Some(replay.at(&self.trace, at)?.users()));
        users.unwrap_or_default()
    }

    /// The policy's virtual time and the deadlines of some jobs over real time.
    pub fn virtual_time(&self, jobs: &[JobId]) -> Option<VirtualTimeSeries> {
        Some(self.replay()?.virtual_time(jobs))
    }

    /// The cores that the policy wants jobs to hold, once a full analysis is there; `None` if it has no such targets.
    pub fn targets(&self) -> Option<Vec<TargetChange>> {
        self.replay()?.targets()
    }

    /// Stretches of cores held while a chosen job (any, if none is chosen) with an earlier turn waits.
    /// Empty under policies whose order changes with every launch, which know no inversion.
    pub fn inversions(&self, chosen: &BTreeSet<JobId>) -> Vec<(CoreId, Time, Time)> {
        let inversions = self.blocking().into_iter().flat_map(|blocking| &blocking.inversions);
        let jobs = (0..).map(JobId).zip(inversions);
        let wanted = jobs.filter(|(job, _)| chosen.is_empty() || chosen.contains(job));
        let held = wanted.flat_map(|(_, inversions)| inversions).flat_map(|inversion| {
            inversion.holders.iter().map(|&run| {
                let run = &self.trace.tasks[run as usize];
                (run.core, run.start.max(inversion.from), run.end.min(inversion.to))
            })
        });
        let mut stretches: Vec<_> = held.collect();
        stretches.sort();
        stretches.dedup();
        stretches
    }

    /// How many cores run tasks at an instant that are ranked behind a waiting job's; 0 under policies that know no
    /// inversion.
    pub fn cores_behind(&self, job: JobId, at: Time) -> usize {
        let inversions = self.blocking().and_then(|blocking| blocking.inversions.get(job.index()));
        let now =
            inversions.into_iter().flatten().filter(|inversion| inversion.from <= at && at < inversion.to);
        let held = now.flat_map(|inversion| &inversion.holders).filter(|&&run| {
            let run = &self.trace.tasks[run as usize];
            run.start <= at && at < run.end
        });
        held.count()
    }

    /// Who waited for whom: known of a schedule that was observed, or else computed now, in time in proportion to the
    /// tasks.
    pub fn waiting(&self) -> Waiting {
        let known = self.blocking().and_then(|blocking| blocking.waiting.clone());
        known.unwrap_or_else(|| metrics::waiting(&self.scenario, &self.trace))
    }

    /// Stragglers of chosen jobs' stages (any, if none is chosen) and the cores that idle behind them.
    pub fn stragglers(&self, chosen: &BTreeSet<JobId>) -> Vec<(CoreId, Time, Time)> {
        let wanted = |straggler: &&Straggler| {
            straggler.idle.0 > 0 && (chosen.is_empty() || chosen.contains(&straggler.job))
        };
        let mut stretches = Vec::new();
        let all = self.blocking().into_iter().flat_map(|blocking| &blocking.stragglers);
        for straggler in all.filter(wanted) {
            let run = &self.trace.tasks[straggler.run as usize];
            stretches.push((run.core, straggler.from.max(run.start), straggler.to));
            let idle = metrics::idle_behind(&self.scenario, &self.trace, self.index(), straggler);
            stretches.extend(idle.into_iter().map(|core| (core.core, core.from, core.to)));
        }
        stretches
    }

    /// The first instant of change after another; `None` also before a full analysis is there.
    pub fn next_instant(&self, at: Time) -> Option<Time> {
        self.extras.as_ref()?.load.next_instant(&self.trace, at)
    }

    /// The last instant of change before another; `None` also before a full analysis is there.
    pub fn previous_instant(&self, at: Time) -> Option<Time> {
        self.extras.as_ref()?.load.previous_instant(&self.trace, at)
    }

    /// Each user's running and waiting tasks at an instant, once a full analysis is there.
    pub fn load_at(&self, at: Time) -> Option<Vec<CoreLoad>> {
        Some(self.extras.as_ref()?.load.at(&self.trace, at))
    }
}
