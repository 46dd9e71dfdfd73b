//! A sweep over a schedule, instant by instant: which jobs start and cease to wait behind larger keys.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Bound;

use super::Inversion;
use super::order::{Change, Order, Side};
use crate::ids::{JobId, Rank, StageId, UserId};
use crate::policy::log::EventKind;
use crate::policy::{self, ArrivingJob, Candidate, Precedence, Role, SubmittedStage};
use crate::scenario::Scenario;
use crate::trace::{Journal, Trace};
use crate::units::{SlotTime, Time};

/// A stage that waits or runs.
struct Stage {
    job: JobId,
    /// Its index in the job.
    in_job: u32,
    /// As the policy sees it; running tasks do not matter here.
    candidate: Candidate,
    /// Tasks not yet launched.
    pending: u32,
    /// The runs that are on cores.
    runs: BTreeSet<u32>,
    /// The key, while there are such runs.
    key: Precedence,
}

/// A job, by rank.
#[derive(Default)]
struct Job {
    /// Estimated work of the stages not yet submitted.
    unsubmitted: SlotTime,
    /// Submitted stages with pending tasks, by key. Keys may change, but not the order within a job.
    pending: VecDeque<u32>,
    /// The inversion in progress: its start, and the runs that have held cores meanwhile.
    open: Option<(Time, BTreeSet<u32>)>,
}

/// The state at an instant, after all that happens at it.
pub(super) struct Sweep<'a> {
    scenario: &'a Scenario,
    trace: &'a Trace,
    order: Box<dyn Order + 'a>,
    /// By global number less the first.
    stages: Vec<Stage>,
    /// Where each job's stages begin, by index in the file.
    first_stage: Vec<u32>,
    /// Jobs by rank.
    by_rank: Vec<JobId>,
    jobs: Vec<Job>,
    /// The stages that hold cores, by key.
    running: BTreeSet<(Precedence, u32)>,
    /// The same by user.
    running_of: Vec<BTreeSet<u32>>,
    heard: u32,
    submitted: u32,
    /// Users whose keys an event at this instant may have changed.
    touched: BTreeSet<UserId>,
    /// Jobs with a stage submitted at this instant, so that their key may have become smaller.
    joined: Vec<Rank>,
    /// Stages on cores whose keys may have become larger at this instant, with the key before it if they held
    /// cores then.
    risen: Vec<(Option<Precedence>, u32)>,
    /// Whether a stage of a larger key may go first because the others' tasks do not fit any core.
    fit_decides: bool,
    /// Whether waiting jobs, running stages or keys have changed since the last comparison.
    changed: bool,
    inversions: Vec<Vec<Inversion>>,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(scenario: &'a Scenario, trace: &'a Trace, order: Box<dyn Order + 'a>) -> Self {
        let ranks = scenario.ranks();
        let mut first_stage = vec![0; scenario.jobs().len()];
        let mut jobs: Vec<Job> = std::iter::repeat_with(Job::default).take(scenario.jobs().len()).collect();
        let mut stages = Vec::new();
        for (index, (job, in_job)) in (0..).zip(scenario.stages_by_id()) {
            let spec = &scenario.jobs()[job.index()];
            let rank = ranks[job.index()];
            if in_job == 0 {
                first_stage[job.index()] = index;
                jobs[rank.index()].unsubmitted = spec.stages.iter().map(|stage| stage.estimate).sum();
            }
            let id = StageId(scenario.cluster().first_stage_id + u64::from(index));
            let tie = policy::tie(scenario.cluster().fair_tie_break, id);
            let candidate =
                Candidate { rank, user: spec.user, id, submission: 0, running: 0, user_running: 0, tie };
            let key = Precedence::default();
            stages.push(Stage { job, in_job, candidate, pending: 0, runs: BTreeSet::new(), key });
        }
        Sweep {
            scenario,
            trace,
            order,
            stages,
            first_stage,
            by_rank: scenario.arrival_order(),
            jobs,
            running: BTreeSet::new(),
            running_of: vec![BTreeSet::new(); scenario.users().len()],
            heard: 0,
            submitted: 0,
            touched: BTreeSet::new(),
            joined: Vec::new(),
            risen: Vec::new(),
            fit_decides: scenario.cluster().memory_per_executor.is_some(),
            changed: false,
            inversions: vec![Vec::new(); scenario.jobs().len()],
        }
    }

    pub(super) fn run(mut self, journal: &Journal, ends: &[u32]) -> Vec<Vec<Inversion>> {
        let runs = &self.trace.tasks;
        let mut tasks = vec![0_u32; self.stages.len()];
        for run in 0..runs.len() as u32 {
            tasks[self.stage_of(run) as usize] += 1;
        }
        let (mut launched, mut finished) = (0, 0);
        loop {
            let event = journal.events.get(self.heard as usize).map(|heard| heard.at);
            let launch = runs.get(launched).map(|run| run.start);
            let finish = ends.get(finished).map(|&index| runs[index as usize].end);
            let Some(now) = [event, launch, finish].into_iter().flatten().min() else { break };
            while let Some(heard) = journal.events.get(self.heard as usize).filter(|heard| heard.at == now) {
                self.handle(now, heard.kind, &tasks);
            }
            self.update_keys();
            while runs.get(launched).is_some_and(|run| run.start == now) {
                self.launch(now, launched as u32);
                launched += 1;
            }
            while ends.get(finished).is_some_and(|&index| runs[index as usize].end == now) {
                self.finish(ends[finished]);
                finished += 1;
            }
            self.compare(now);
        }
        self.inversions
    }

    /// The stage of a run.
    fn stage_of(&self, run: u32) -> u32 {
        let run = &self.trace.tasks[run as usize];
        self.first_stage[run.job.index()] + run.stage
    }

    /// Repeats an event that the policy received in the simulation.
    fn handle(&mut self, now: Time, kind: EventKind, tasks: &[u32]) {
        let event = self.heard;
        self.heard += 1;
        let user = match kind {
            EventKind::Drop(_) | EventKind::JobEnd(_) => return,
            EventKind::Arrival(rank) => {
                let job = &self.scenario.jobs()[self.by_rank[rank.index()].index()];
                let arriving = ArrivingJob { rank, user: job.user, estimate: job.estimate, event };
                self.order.job_arrived(now, &arriving);
                job.user
            }
            EventKind::Submission(id) => {
                let index = (id.0 - self.scenario.cluster().first_stage_id) as u32;
                let stage = &mut self.stages[index as usize];
                let spec = &self.scenario.jobs()[stage.job.index()].stages[stage.in_job as usize];
                let Candidate { rank, user, .. } = stage.candidate;
                let (estimate, unsubmitted) = (spec.estimate, self.jobs[rank.index()].unsubmitted);
                self.jobs[rank.index()].unsubmitted.0 -= estimate.0;
                let role = if spec.parents.is_empty() { Role::Root } else { Role::Child };
                let stage_submitted = SubmittedStage { rank, user, id, estimate, role, unsubmitted, event };
                self.order.stage_submitted(now, &stage_submitted);
                stage.candidate.submission = self.submitted;
                stage.pending = tasks[index as usize];
                self.submitted += 1;
                self.join(rank, index);
                user
            }
        };
        if self.order.change() == Change::ByUser {
            self.touched.insert(user);
        }
    }

    /// A stage begins to wait.
    fn join(&mut self, rank: Rank, index: u32) {
        let key = |index: u32| self.order.key(&self.stages[index as usize].candidate);
        let own = key(index);
        let job = &mut self.jobs[rank.index()];
        let at = job.pending.partition_point(|&other| key(other) < own);
        job.pending.insert(at, index);
        self.joined.push(rank);
        self.update_job(rank);
    }

    /// Updates a job's key to that of its first pending stage. It must have one.
    fn update_job(&mut self, rank: Rank) {
        self.changed = true;
        let job = &self.jobs[rank.index()];
        let side = if job.open.is_some() { Side::Inverted } else { Side::Due };
        self.order.update(&self.stages[job.pending[0] as usize].candidate, side);
    }

    /// Updates the keys that events have changed: once for each instant, because many jobs can arrive at one.
    fn update_keys(&mut self) {
        for &user in &self.touched {
            self.changed = true;
            self.order.update_user(user);
            for &index in &self.running_of[user.index()] {
                let stage = &mut self.stages[index as usize];
                let (before, key) = (stage.key, self.order.key(&stage.candidate));
                if key != before {
                    self.running.remove(&(before, index));
                    self.running.insert((key, index));
                    // Nobody starts to wait behind a key that has become smaller, such as that of a job moved to the top.
                    if key > before {
                        self.risen.push((Some(before), index));
                    }
                    stage.key = key;
                }
            }
        }
    }

    fn launch(&mut self, now: Time, run: u32) {
        let index = self.stage_of(run);
        let stage = &mut self.stages[index as usize];
        let Candidate { rank, user, .. } = stage.candidate;
        let Some(pending) = stage.pending.checked_sub(1) else { return };
        stage.pending = pending;
        if stage.runs.is_empty() {
            stage.key = self.order.key(&stage.candidate);
            self.changed = true;
            self.running.insert((stage.key, index));
            self.running_of[user.index()].insert(index);
        }
        stage.runs.insert(run);
        // It was chosen by the key that it had before this instant's events, or because those before it do not fit.
        if self.fit_decides || stage.runs.len() == 1 && self.touched.contains(&user) {
            self.changed = true;
            self.risen.push((None, index));
        }
        if pending > 0 {
            return;
        }
        let job = &mut self.jobs[rank.index()];
        // It is the first, but for this instant's events.
        job.pending.iter().position(|&other| other == index).map(|at| job.pending.remove(at));
        if job.pending.is_empty() {
            self.changed = true;
            self.order.remove(rank, user);
            self.close(rank, now);
        } else {
            self.update_job(rank);
        }
    }

    fn finish(&mut self, run: u32) {
        let index = self.stage_of(run);
        let stage = &mut self.stages[index as usize];
        stage.runs.remove(&run);
        if stage.runs.is_empty() {
            self.changed = true;
            self.running.remove(&(stage.key, index));
            self.running_of[stage.candidate.user.index()].remove(&index);
        }
    }

    /// Starts and ends inversions, and adds new holders to those that continue. While keys stay the same and memory is
    /// not modelled there are none: only smaller ones get a core.
    fn compare(&mut self, now: Time) {
        if !self.changed {
            return;
        }
        self.touched.clear();
        for rank in std::mem::take(&mut self.joined) {
            self.add_holders(rank);
        }
        for (before, index) in std::mem::take(&mut self.risen) {
            let stage = &self.stages[index as usize];
            if stage.runs.is_empty() {
                continue;
            }
            for rank in self.order.inverted_between(before, stage.key) {
                if let Some((_, holders)) = &mut self.jobs[rank.index()].open {
                    holders.extend(&stage.runs);
                }
            }
        }
        let largest = self.running.last().map(|&(key, _)| key);
        while let Some(rank) = self.order.on_wrong_side(largest) {
            if self.jobs[rank.index()].open.is_some() {
                self.close(rank, now);
            } else {
                self.jobs[rank.index()].open = Some((now, BTreeSet::new()));
                self.add_holders(rank);
            }
            self.update_job(rank);
        }
        self.changed = false;
    }

    /// Adds all runs that an inverted job with pending stages waits behind.
    fn add_holders(&mut self, rank: Rank) {
        let job = &mut self.jobs[rank.index()];
        let (Some((_, holders)), Some(&first)) = (&mut job.open, job.pending.front()) else { return };
        let key = self.order.key(&self.stages[first as usize].candidate);
        let above = (Bound::Excluded((key, u32::MAX)), Bound::Unbounded);
        for &(_, index) in self.running.range(above) {
            holders.extend(&self.stages[index as usize].runs);
        }
    }

    /// Ends a job's inversion, if it has one.
    fn close(&mut self, rank: Rank, now: Time) {
        if let Some((from, holders)) = self.jobs[rank.index()].open.take() {
            let holders = holders.into_iter().collect();
            self.inversions[self.by_rank[rank.index()].index()].push(Inversion { from, to: now, holders });
        }
    }
}
