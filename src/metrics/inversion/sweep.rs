//! From instant to instant over a schedule: who begins and who ceases to wait behind larger keys.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Bound;

use super::Inversion;
use super::order::{Change, Order, Side};
use crate::ids::{JobId, Rank, StageId, UserId};
use crate::places;
use crate::policy::log::EventKind;
use crate::policy::{self, ArrivingJob, Candidate, Precedence, Role, SubmittedStage};
use crate::scenario::Scenario;
use crate::trace::{Journal, Trace};
use crate::units::{SlotTime, Time};

/// A stage that waits or runs.
struct Stage {
    job: JobId,
    index: u32,
    /// As the policy sees it; running tasks do not matter here.
    candidate: Candidate,
    /// Tasks that no core has had yet.
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
    /// The inversion that has begun: when, and the runs that have been in the way.
    open: Option<(Time, BTreeSet<u32>)>,
}

/// The state at an instant, after all that happens at it.
pub(super) struct Sweep<'a> {
    scenario: &'a Scenario,
    trace: &'a Trace,
    order: Box<dyn Order + 'a>,
    /// By global number less the first.
    stages: Vec<Stage>,
    /// Where each job's stages begin, by place in the file.
    first_stage: Vec<u32>,
    /// Jobs by rank.
    by_rank: Vec<JobId>,
    jobs: Vec<Job>,
    /// The stages that hold cores, by key.
    running: BTreeSet<(Precedence, u32)>,
    /// The same by user.
    running_of: Vec<BTreeSet<u32>>,
    received: u32,
    submitted: u32,
    /// Users of whom something has been heard at this instant that may have changed their keys.
    touched: BTreeSet<UserId>,
    /// Jobs of which a stage has been submitted at this instant, so that their key may have become smaller.
    joined: Vec<Rank>,
    /// Stages on cores whose keys may have become larger at this instant, with the key before it if they held
    /// cores then.
    risen: Vec<(Option<Precedence>, u32)>,
    found: Vec<Vec<Inversion>>,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(scenario: &'a Scenario, trace: &'a Trace, order: Box<dyn Order + 'a>) -> Self {
        let ranks = scenario.ranks();
        let mut first_stage = vec![0; scenario.jobs().len()];
        let mut jobs: Vec<Job> = std::iter::repeat_with(Job::default).take(scenario.jobs().len()).collect();
        let mut stages = Vec::new();
        for (place, (job, index)) in (0..).zip(scenario.stages_by_id()) {
            let spec = &scenario.jobs()[job.index()];
            let rank = ranks[job.index()];
            if index == 0 {
                first_stage[job.index()] = place;
                jobs[rank.index()].unsubmitted = spec.stages.iter().map(|stage| stage.estimate).sum();
            }
            let id = StageId(scenario.cluster().first_stage_id + u64::from(place));
            let tie = policy::tie(scenario.cluster().fair_tie_break, id);
            let candidate =
                Candidate { rank, user: spec.user, id, submission: 0, running: 0, user_running: 0, tie };
            let key = Precedence::default();
            stages.push(Stage { job, index, candidate, pending: 0, runs: BTreeSet::new(), key });
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
            received: 0,
            submitted: 0,
            touched: BTreeSet::new(),
            joined: Vec::new(),
            risen: Vec::new(),
            found: vec![Vec::new(); scenario.jobs().len()],
        }
    }

    pub(super) fn run(mut self, journal: &Journal) -> Vec<Vec<Inversion>> {
        let runs = &self.trace.tasks;
        let mut tasks = vec![0_u32; self.stages.len()];
        for run in 0..runs.len() as u32 {
            tasks[self.stage_of(run) as usize] += 1;
        }
        let ends = places::by_key(runs.len(), |place| runs[place as usize].end.0);
        let (mut launched, mut finished) = (0, 0);
        loop {
            let event = journal.events.get(self.received as usize).map(|event| event.at);
            let launch = runs.get(launched).map(|run| run.start);
            let finish = ends.get(finished).map(|&place| runs[place as usize].end);
            let Some(now) = [event, launch, finish].into_iter().flatten().min() else { break };
            while let Some(event) = journal.events.get(self.received as usize).filter(|event| event.at == now)
            {
                self.receive(now, event.kind, &tasks);
            }
            self.rank_anew();
            while runs.get(launched).is_some_and(|run| run.start == now) {
                self.launch(now, launched as u32);
                launched += 1;
            }
            while ends.get(finished).is_some_and(|&place| runs[place as usize].end == now) {
                self.finish(ends[finished]);
                finished += 1;
            }
            self.compare(now);
        }
        self.found
    }

    /// The stage of a run.
    fn stage_of(&self, run: u32) -> u32 {
        let run = &self.trace.tasks[run as usize];
        self.first_stage[run.job.index()] + run.stage
    }

    /// Lets the policy receive an event of the simulation.
    fn receive(&mut self, now: Time, kind: EventKind, tasks: &[u32]) {
        let event = self.received;
        self.received += 1;
        let user = match kind {
            EventKind::JobEnd(_) => return,
            EventKind::Arrival(rank) => {
                let job = &self.scenario.jobs()[self.by_rank[rank.index()].index()];
                let arriving = ArrivingJob { rank, user: job.user, estimate: job.estimate, event };
                self.order.job_arrived(now, &arriving);
                job.user
            }
            EventKind::Submission(id) => {
                let place = (id.0 - self.scenario.cluster().first_stage_id) as u32;
                let stage = &mut self.stages[place as usize];
                let spec = &self.scenario.jobs()[stage.job.index()].stages[stage.index as usize];
                let Candidate { rank, user, .. } = stage.candidate;
                let (estimate, unsubmitted) = (spec.estimate, self.jobs[rank.index()].unsubmitted);
                self.jobs[rank.index()].unsubmitted.0 -= estimate.0;
                let role = if spec.parents.is_empty() { Role::Root } else { Role::Child };
                let stage_submitted = SubmittedStage { rank, user, id, estimate, role, unsubmitted, event };
                self.order.stage_submitted(now, &stage_submitted);
                stage.candidate.submission = self.submitted;
                stage.pending = tasks[place as usize];
                self.submitted += 1;
                self.join(rank, place);
                user
            }
        };
        if self.order.change() == Change::ByUser {
            self.touched.insert(user);
        }
    }

    /// A stage begins to wait.
    fn join(&mut self, rank: Rank, place: u32) {
        let key = |place: u32| self.order.key(&self.stages[place as usize].candidate);
        let own = key(place);
        let job = &mut self.jobs[rank.index()];
        let at = job.pending.partition_point(|&other| key(other) < own);
        job.pending.insert(at, place);
        self.joined.push(rank);
        self.put(rank);
    }

    /// Gives a job its place by its first pending stage. It must have one.
    fn put(&mut self, rank: Rank) {
        let job = &self.jobs[rank.index()];
        let side = if job.open.is_some() { Side::Inverted } else { Side::Due };
        self.order.put(&self.stages[job.pending[0] as usize].candidate, side);
    }

    /// Brings the keys up to date with what has been received: once for each instant, because many jobs can arrive
    /// at one.
    fn rank_anew(&mut self) {
        for &user in &self.touched {
            self.order.settle(user);
            for &place in &self.running_of[user.index()] {
                let stage = &mut self.stages[place as usize];
                let (before, key) = (stage.key, self.order.key(&stage.candidate));
                if key != before {
                    self.running.remove(&(before, place));
                    self.running.insert((key, place));
                    self.risen.push((Some(before), place));
                    stage.key = key;
                }
            }
        }
    }

    fn launch(&mut self, now: Time, run: u32) {
        let place = self.stage_of(run);
        let stage = &mut self.stages[place as usize];
        let Candidate { rank, user, .. } = stage.candidate;
        if stage.runs.is_empty() {
            stage.key = self.order.key(&stage.candidate);
            self.running.insert((stage.key, place));
            self.running_of[user.index()].insert(place);
            // Its turn had come by the key that it had before something was heard.
            if self.touched.contains(&user) {
                self.risen.push((None, place));
            }
        }
        stage.runs.insert(run);
        stage.pending -= 1;
        if stage.pending > 0 {
            return;
        }
        let job = &mut self.jobs[rank.index()];
        // It is the first, but for what has been received at this very instant.
        job.pending.iter().position(|&other| other == place).map(|at| job.pending.remove(at));
        if job.pending.is_empty() {
            self.order.take(rank, user);
            self.close(rank, now);
        } else {
            self.put(rank);
        }
    }

    fn finish(&mut self, run: u32) {
        let place = self.stage_of(run);
        let stage = &mut self.stages[place as usize];
        stage.runs.remove(&run);
        if stage.runs.is_empty() {
            self.running.remove(&(stage.key, place));
            self.running_of[stage.candidate.user.index()].remove(&place);
        }
    }

    /// Begins and ends inversions, and adds who has come to be in the way of those that go on. While keys stay,
    /// nobody has: only smaller ones get a core.
    fn compare(&mut self, now: Time) {
        self.touched.clear();
        for rank in std::mem::take(&mut self.joined) {
            self.add_holders(rank);
        }
        for (before, place) in std::mem::take(&mut self.risen) {
            let stage = &self.stages[place as usize];
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
        while let Some(rank) = self.order.astray(largest) {
            if self.jobs[rank.index()].open.is_some() {
                self.close(rank, now);
            } else {
                self.jobs[rank.index()].open = Some((now, BTreeSet::new()));
                self.add_holders(rank);
            }
            self.put(rank);
        }
    }

    /// Adds all runs that are in the way of an inverted job with pending stages.
    fn add_holders(&mut self, rank: Rank) {
        let job = &mut self.jobs[rank.index()];
        let (Some((_, holders)), Some(&first)) = (&mut job.open, job.pending.front()) else { return };
        let key = self.order.key(&self.stages[first as usize].candidate);
        let above = (Bound::Excluded((key, u32::MAX)), Bound::Unbounded);
        for &(_, place) in self.running.range(above) {
            holders.extend(&self.stages[place as usize].runs);
        }
    }

    /// Ends a job's inversion, if one has begun.
    fn close(&mut self, rank: Rank, now: Time) {
        if let Some((from, holders)) = self.jobs[rank.index()].open.take() {
            let holders = holders.into_iter().collect();
            self.found[self.by_rank[rank.index()].index()].push(Inversion { from, to: now, holders });
        }
    }
}
