//! Who waits, when, and who holds the cores meanwhile.

use serde::{Deserialize, Serialize};

use super::presence::CoresThere;
use crate::ids::{CoreId, JobId, UserId};
use crate::policy::Idling;
use crate::scenario::Scenario;
use crate::trace::attempts::{LaunchKind, launch_kinds, pending_again};
use crate::trace::{CoreIndex, Timeline, Trace};
use crate::units::{SlotTime, Span, Time};

/// A half-open stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// When it begins.
    pub from: Time,
    /// When it ends.
    pub to: Time,
}

impl Stretch {
    /// Its length.
    pub fn length(&self) -> Span {
        self.to.since(self.from)
    }

    /// Whether an instant is in it.
    pub fn contains(&self, at: Time) -> bool {
        self.from <= at && at < self.to
    }
}

/// When a job waits; stretches ascending, none of them touching the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobWaits {
    /// When it has a pending task of a submitted stage.
    pub pending: Vec<Stretch>,
    /// When it has one and holds no core.
    pub idle: Vec<Stretch>,
}

impl JobWaits {
    /// The longest wait, the first of several: without any core if the job waits so for at least half of the time.
    pub fn longest(&self) -> Option<Stretch> {
        let sum = |stretches: &[Stretch]| stretches.iter().map(|stretch| stretch.length().0).sum::<u64>();
        let is_idle = 2 * sum(&self.idle) >= sum(&self.pending);
        let stretches = if is_idle { &self.idle } else { &self.pending };
        stretches.iter().copied().rev().max_by_key(|stretch| stretch.length())
    }
}

/// A change of how many tasks are pending and running.
#[derive(Clone, Copy, Debug)]
struct WaitChange {
    at: Time,
    pending: i64,
    running: i64,
}

/// When a job waits. Looks at every task of the trace.
pub fn job_waits(scenario: &Scenario, trace: &Trace, job: JobId) -> JobWaits {
    JobTasks::new(scenario, trace, job).waits()
}

/// A job's pending and running tasks over time.
#[derive(Clone, Debug)]
pub struct JobTasks(Vec<WaitChange>);

impl JobTasks {
    /// Looks at every task of the trace.
    pub fn new(scenario: &Scenario, trace: &Trace, job: JobId) -> JobTasks {
        JobTasks(changes(scenario, trace, PendingSince::Submission, |other| other == job))
    }

    /// When the job waits.
    pub fn waits(&self) -> JobWaits {
        waits(&self.0)
    }

    /// The tasks pending and running at an instant, after all that happens at it.
    fn at(&self, at: Time) -> (u32, u32) {
        let before = self.0.iter().take_while(|change| change.at <= at);
        let (pending, running) = before
            .fold((0, 0), |(pending, running), change| (pending + change.pending, running + change.running));
        (pending.max(0) as u32, running.max(0) as u32)
    }
}

/// Why a job's pending tasks do not run yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotYet {
    /// Since when it has had pending tasks without a break.
    pub since: Time,
    /// Its pending tasks.
    pub pending: u32,
    /// Its running tasks.
    pub running: u32,
    /// How many cores are there.
    pub there: u32,
    /// Who holds how many cores, the most first.
    pub holders: Vec<(UserId, u32)>,
    /// The core that frees next; `None` if no core is held.
    pub next: Option<NextCore>,
}

/// A core that becomes free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextCore {
    /// The core.
    pub core: CoreId,
    /// When.
    pub at: Time,
    /// How many more become free at that instant.
    pub others: u32,
    /// The next task on it, by index in the trace; `None` if it has none.
    pub next: Option<usize>,
}

/// Why a job's pending tasks do not run yet at an instant; `None` if it has none then. Of several cores that free at
/// once the one that the job gets is preferred, then the first.
pub fn not_yet(
    (scenario, trace): (&Scenario, &Trace),
    index: &CoreIndex,
    tasks: &JobTasks,
    job: JobId,
    at: Time,
) -> Option<NotYet> {
    let (pending, running) = tasks.at(at);
    let since = tasks.waits().pending.iter().find(|stretch| stretch.contains(at))?.from;
    let mut cores = vec![0_u32; trace.users.len()];
    let mut frees: Vec<(CoreId, Time)> = Vec::new();
    for core in (0..trace.cores).map(CoreId) {
        if let Some(run) = index.run_at(trace, core, at) {
            cores[trace.jobs[run.job.index()].user.index()] += 1;
            frees.push((core, run.end));
        }
    }
    let mut holders: Vec<(UserId, u32)> =
        (0..).map(UserId).zip(cores).filter(|&(_, count)| count > 0).collect();
    holders.sort_by_key(|&(user, count)| (std::cmp::Reverse(count), user));
    let first = frees.iter().map(|&(_, end)| end).min();
    let at_once: Vec<CoreId> =
        frees.iter().filter(|&&(_, end)| Some(end) == first).map(|&(core, _)| core).collect();
    let next_task = |core: CoreId| {
        let after = first.and_then(|end| index.next_from(trace, core, end));
        NextCore { core, at: first.unwrap_or_default(), others: at_once.len() as u32 - 1, next: after }
    };
    let nexts: Vec<NextCore> = at_once.iter().map(|&core| next_task(core)).collect();
    let own = |next: &&NextCore| next.next.is_some_and(|task| trace.tasks[task].job == job);
    let next = nexts.iter().find(own).or(nexts.first()).copied();
    let there = CoresThere::new(scenario, trace).at(at);
    Some(NotYet { since, pending, running, there, holders, next })
}

/// When a user waits: some job of the user has a pending task of a submitted stage. Looks at every task of the trace.
pub fn user_waits(scenario: &Scenario, trace: &Trace, user: UserId) -> Vec<Stretch> {
    user_waits_since(scenario, trace, user, PendingSince::Submission)
}

/// [`user_waits`] where also a job counts that waits for its admission, if so.
pub(super) fn user_waits_since(
    scenario: &Scenario,
    trace: &Trace,
    user: UserId,
    since: PendingSince,
) -> Vec<Stretch> {
    waits(&changes(scenario, trace, since, |job| scenario.jobs()[job.index()].user == user)).pending
}

/// A stage whose tasks are pending from an instant on, until each is launched or the job ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingStage {
    pub(super) job: JobId,
    /// Index of the stage in its job.
    pub(super) stage: u32,
    pub(super) since: Time,
    pub(super) tasks: i64,
    /// Tasks that were never launched; they are pending until the job ends.
    pub(super) never_launched: i64,
}

/// From when on the tasks of a job's first stages are pending under a policy that admits jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PendingSince {
    /// From their submission, once the job is admitted.
    Submission,
    /// From the job's arrival and the driver's work for them.
    Arrival,
}

/// The stages of some jobs that were submitted, or could have been.
pub(super) fn pending_stages(
    scenario: &Scenario,
    trace: &Trace,
    since: PendingSince,
    wanted: impl Fn(JobId) -> bool,
) -> Vec<PendingStage> {
    let mut launched = scenario.per_stage(0_i64);
    let mut ended = scenario.per_stage(0_i64);
    let kinds = launch_kinds(scenario, trace);
    for (run, index) in trace.tasks.iter().zip(0_u32..).filter(|(run, _)| wanted(run.job)) {
        let (job, stage) = (run.job.index(), run.stage as usize);
        let is_first = kinds.as_ref().is_none_or(|kinds| kinds[index as usize] == LaunchKind::First);
        launched[job][stage] += i64::from(is_first);
        ended[job][stage] += i64::from(trace.killed.binary_search(&index).is_err());
    }
    let Timeline { submissions, handled, .. } = Timeline::new(scenario, trace);
    let admits = trace.policy.kind.info().idling == Idling::OnPurpose && since == PendingSince::Arrival;
    let mut stages = Vec::new();
    for (job, spec) in (0..).map(JobId).zip(scenario.jobs()).filter(|&(job, _)| wanted(job)) {
        let (index, end) = (job.index(), trace.jobs[job.index()].end());
        let tasks = |stage: usize| {
            scenario.partitioning().task_count(&spec.stages[stage], trace.policy.partitioning) as i64
        };
        let finished = trace.jobs[index].finish().is_some();
        for (number, stage) in spec.stages.iter().enumerate() {
            let root = stage.parents.is_empty();
            let since = match admits && root {
                true => handled[index] + scenario.cluster().delay_of(stage),
                false => submissions[index][number],
            };
            let parents = || stage.parents.iter().map(|&parent| parent as usize);
            // A job that was dropped or rejected may have stages that were never submitted.
            let submitted =
                finished || (since < end && parents().all(|parent| ended[index][parent] >= tasks(parent)));
            if submitted {
                let tasks = tasks(number);
                let never_launched = tasks - launched[index][number];
                stages.push(PendingStage { job, stage: number as u32, since, tasks, never_launched });
            }
        }
    }
    stages
}

/// The submissions, launches and ends of the tasks of some jobs.
fn changes(
    scenario: &Scenario,
    trace: &Trace,
    since: PendingSince,
    wanted: impl Fn(JobId) -> bool,
) -> Vec<WaitChange> {
    let again = pending_again(scenario, trace).into_iter().filter(|change| wanted(change.job));
    let again = again.map(|change| WaitChange { at: change.at, pending: change.more.into(), running: 0 });
    let mut changes: Vec<WaitChange> = again.collect();
    for run in trace.tasks.iter().filter(|run| wanted(run.job)) {
        changes.push(WaitChange { at: run.start, pending: -1, running: 1 });
        changes.push(WaitChange { at: run.end, pending: 0, running: -1 });
    }
    for stage in pending_stages(scenario, trace, since, wanted) {
        changes.push(WaitChange { at: stage.since, pending: stage.tasks, running: 0 });
        // What has not been launched when the job ends waits no longer.
        let end = trace.jobs[stage.job.index()].end();
        changes.push(WaitChange { at: end, pending: -stage.never_launched, running: 0 });
    }
    changes.sort_by_key(|change| change.at);
    changes
}

fn waits(changes: &[WaitChange]) -> JobWaits {
    let mut waits = JobWaits::default();
    let (mut pending, mut running) = (0, 0);
    let mut before = Time::ZERO;
    for at_once in changes.chunk_by(|a, b| a.at == b.at) {
        let at = at_once[0].at;
        if pending > 0 {
            extend(&mut waits.pending, before, at);
            if running == 0 {
                extend(&mut waits.idle, before, at);
            }
        }
        pending += at_once.iter().map(|change| change.pending).sum::<i64>();
        running += at_once.iter().map(|change| change.running).sum::<i64>();
        before = at;
    }
    waits
}

/// Appends a stretch, or lengthens the last one that ends where it begins.
fn extend(stretches: &mut Vec<Stretch>, from: Time, to: Time) {
    match stretches.last_mut() {
        Some(last) if last.to == from => last.to = to,
        _ => stretches.push(Stretch { from, to }),
    }
}

/// Who held the cores during some stretches of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holders {
    /// How long the stretches are together.
    pub length: Span,
    /// Core time held by each user's tasks meanwhile, by [`UserId`]. With what was idle it is that of the cores that were
    /// there.
    pub by_user: Vec<SlotTime>,
    /// Core time that was idle meanwhile.
    pub idle: SlotTime,
}

/// Who held the cores during some stretches, ascending and apart. O(n log m) for n tasks and m stretches.
pub fn holders(scenario: &Scenario, trace: &Trace, stretches: &[Stretch]) -> Holders {
    let there = CoresThere::new(scenario, trace);
    // The length of all stretches up to the begin of each, so that a task costs two look-ups.
    let mut before = Vec::with_capacity(stretches.len());
    let mut length = 0;
    for stretch in stretches {
        before.push(length);
        length += stretch.length().0;
    }
    let until = |at: Time| {
        let next = stretches.partition_point(|stretch| stretch.from < at);
        next.checked_sub(1)
            .map_or(0, |last| before[last] + at.min(stretches[last].to).since(stretches[last].from).0)
    };
    let all: u64 = stretches.iter().map(|stretch| there.between(stretch.from, stretch.to).0).sum();
    let mut by_user = vec![SlotTime(0); trace.users.len()];
    let mut held = 0;
    for run in &trace.tasks {
        let meanwhile = until(run.end) - until(run.start);
        by_user[trace.jobs[run.job.index()].user.index()].0 += meanwhile;
        held += meanwhile;
    }
    Holders { length: Span(length), by_user, idle: SlotTime(all.saturating_sub(held)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;
    use crate::trace::LoadIndex;

    fn stretch(from: u64, to: u64) -> Stretch {
        Stretch { from: Time(from * 1_000_000), to: Time(to * 1_000_000) }
    }

    fn scenario(cores: u32, jobs: &str) -> Scenario {
        let file = format!(
            r#"{{ "format": "fairlane/scenario@1", "cluster": {{ "executors": 1, "cores_per_executor": {cores} }}, "jobs": [{jobs}] }}"#
        );
        Scenario::from_json(&file).expect("a good scenario")
    }

    fn trace(scenario: &Scenario, policy: &str) -> Trace {
        crate::simulate(scenario, policy.parse().expect("a policy"))
    }

    /// Two cores. ana's four tasks of 2 s arrive at 0 s, ben's two of 1 s at 1 s, cho's one of 1 s at 20 s. FIFO gives
    /// ana both cores until 4 s, then both to ben until 5 s. So ben waits from 1 to 4 s, while ana holds 2 x 3
    /// core-seconds; ana's own last two tasks wait from 0 to 2 s, while she holds 4; cho does not wait.
    #[test]
    fn waits_and_holders_by_hand() {
        let scenario = scenario(
            2,
            r#"{ "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [2, 2, 2, 2] }] },
            { "user": "ben", "arrival_s": 1, "stages": [{ "tasks_s": [1, 1] }] },
            { "user": "cho", "arrival_s": 20, "stages": [{ "tasks_s": [1] }] }"#,
        );
        let trace = trace(&scenario, "fifo");
        let waits = |user| user_waits(&scenario, &trace, UserId(user));
        assert_eq!([waits(0), waits(1), waits(2)], [vec![stretch(0, 2)], vec![stretch(1, 4)], vec![]]);
        let seconds =
            |holders: &Holders| holders.by_user.iter().map(|time| time.seconds()).collect::<Vec<_>>();
        let ben = holders(&scenario, &trace, &waits(1));
        assert_eq!(
            (seconds(&ben), ben.idle, ben.length),
            (vec![6.0, 0.0, 0.0], SlotTime(0), Span(3_000_000))
        );
        assert_eq!(seconds(&holders(&scenario, &trace, &waits(0))), [4.0, 0.0, 0.0]);
        // Over all of 20 s ana holds 8 core-seconds, ben 2, and 30 are idle.
        let all = holders(&scenario, &trace, &[stretch(0, 3), stretch(3, 20)]);
        assert_eq!((seconds(&all), all.idle), (vec![8.0, 2.0, 0.0], SlotTime(30_000_000)));
        assert_eq!(job_waits(&scenario, &trace, JobId(1)).idle, [stretch(1, 4)]);
        assert_eq!(
            job_waits(&scenario, &trace, JobId(0)),
            JobWaits { pending: vec![stretch(0, 2)], idle: vec![] }
        );
        assert_eq!(job_waits(&scenario, &trace, JobId(0)).longest(), Some(stretch(0, 2)));
        assert_eq!(job_waits(&scenario, &trace, JobId(2)).longest(), None);
    }

    /// The same schedule at 1.5 s: ben's two tasks have waited since 1 s, ana holds both cores until 2 s and gets them
    /// again. At 3 s it is the other way round: the cores free at 4 s, and go to ben.
    #[test]
    fn why_not_yet_by_hand() {
        let scenario = scenario(
            2,
            r#"{ "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [2, 2, 2, 2] }] },
            { "user": "ben", "arrival_s": 1, "stages": [{ "tasks_s": [1, 1] }] }"#,
        );
        let trace = trace(&scenario, "fifo");
        let index = CoreIndex::new(&trace);
        let (ben, second) = (JobId(1), |tenths: u64| Time(tenths * 100_000));
        let tasks = JobTasks::new(&scenario, &trace, ben);
        let at = |tenths| not_yet((&scenario, &trace), &index, &tasks, ben, second(tenths));
        let expected = |frees: u64, task: usize| NotYet {
            since: second(10),
            pending: 2,
            running: 0,
            there: 2,
            holders: vec![(UserId(0), 2)],
            next: Some(NextCore { core: CoreId(0), at: second(frees), others: 1, next: Some(task) }),
        };
        assert_eq!([at(15), at(30)], [Some(expected(20, 2)), Some(expected(40, 4))]);
        assert_eq!([at(5), at(40)], [None, None]);
    }

    /// The waits are when the load index counts waiting tasks, and cores add up.
    #[test]
    fn waits_are_when_tasks_wait() {
        for entry in catalog::ENTRIES.iter() {
            let scenario = entry.scenario();
            for policy in catalog::suggested(entry).into_iter().take(2) {
                let trace = crate::simulate(&scenario, policy);
                let loads = LoadIndex::new(&scenario, &trace);
                for user in (0..scenario.users().len() as u32).map(UserId) {
                    let waits = user_waits(&scenario, &trace, user);
                    for run in trace.tasks.iter().step_by(1 + trace.tasks.len() / 100) {
                        let waiting = loads.user_load(&trace, user, run.start).waiting > 0;
                        let inside = waits.iter().any(|stretch| stretch.contains(run.start));
                        assert_eq!(inside, waiting, "{}, {policy}, {user:?} at {:?}", entry.name, run.start);
                    }
                    let holders = holders(&scenario, &trace, &waits);
                    let held: u64 = holders.by_user.iter().map(|time| time.0).sum();
                    let there = CoresThere::new(&scenario, &trace);
                    let all: u64 = waits.iter().map(|wait| there.between(wait.from, wait.to).0).sum();
                    assert_eq!(held + holders.idle.0, all, "{}, {policy}, {user:?}", entry.name);
                }
            }
        }
    }
}
