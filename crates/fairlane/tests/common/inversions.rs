//! Inversions by ranking anew, at every instant at which anything is heard of a user, all of the user's
//! waiting and running stages, and by looking at every inverted job: slow where many wait, and with no
//! more in it than the definition. What `metrics::inversions` is held against.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use fairlane::ids::{JobId, StageId, UserId};
use fairlane::metrics::Inversion;
use fairlane::policy::log::EventKind;
use fairlane::policy::{
    ArrivingJob, Candidate, Context, KeyBasis, RankedPolicy, RankedVisitor, Role, SubmittedStage,
};
use fairlane::scenario::Scenario;
use fairlane::trace::{Journal, Trace};
use fairlane::units::{SlotTime, Time};

/// What [`fairlane::metrics::inversions`] must find.
pub fn inversions(scenario: &Scenario, trace: &Trace, journal: &Journal) -> Option<Vec<Vec<Inversion>>> {
    trace.policy.kind.visit_ranked(Looking { scenario, trace, journal })?
}

struct Looking<'a> {
    scenario: &'a Scenario,
    trace: &'a Trace,
    journal: &'a Journal,
}

impl RankedVisitor for Looking<'_> {
    type Output = Option<Vec<Vec<Inversion>>>;

    fn visit<P: RankedPolicy + 'static>(self) -> Self::Output {
        if matches!(P::BASIS, KeyBasis::Counts) {
            return None;
        }
        let policy = P::new(&Context::new(self.scenario, self.trace.policy.partitioning));
        Some(Sweep::new(self, policy).run())
    }
}

/// A stage that waits or runs.
#[derive(Clone, Copy)]
struct Stage<K> {
    job: JobId,
    index: u32,
    /// As the policy sees it; running tasks do not matter here.
    candidate: Candidate,
    pending: u32,
    /// The key with which it stands in the sets, once it has been submitted.
    key: Option<K>,
}

/// The state at an instant, after all that happens at it.
struct Sweep<'a, P: RankedPolicy> {
    of: Looking<'a>,
    policy: P,
    /// By global number less the first.
    stages: Vec<Stage<P::Key>>,
    /// Jobs by rank.
    order: Vec<JobId>,
    /// Where each job's stages begin, by place in the file.
    first_stage: Vec<usize>,
    /// By rank: estimated work of the stages not yet submitted.
    unsubmitted: Vec<SlotTime>,
    /// By user: the stages that wait or run.
    active: Vec<BTreeSet<usize>>,
    /// Users of whom something has been heard at this instant.
    changed: BTreeSet<UserId>,
    waiting: BTreeSet<(P::Key, usize)>,
    /// Runs on cores, by their stage's key.
    running: BTreeSet<(P::Key, u32)>,
    /// The runs of each stage that are on cores.
    runs: Vec<BTreeSet<u32>>,
    received: u32,
    submitted: u32,
    /// Inversions that have begun.
    open: BTreeMap<JobId, (Time, BTreeSet<u32>)>,
    found: Vec<Vec<Inversion>>,
}

impl<'a, P: RankedPolicy> Sweep<'a, P> {
    fn new(of: Looking<'a>, policy: P) -> Self {
        let (jobs, users, cluster) = (of.scenario.jobs(), of.scenario.users(), of.scenario.cluster());
        let ranks = of.scenario.ranks();
        let mut first_stage = vec![0; jobs.len()];
        let mut unsubmitted = vec![SlotTime(0); jobs.len()];
        let mut stages = Vec::new();
        for (place, (job, index)) in of.scenario.stages_by_id().into_iter().enumerate() {
            let spec = &jobs[job.index()];
            let rank = ranks[job.index()];
            if index == 0 {
                first_stage[job.index()] = place;
                unsubmitted[rank.index()] = spec.stages.iter().map(|stage| stage.estimate).sum();
            }
            let id = StageId(cluster.first_stage_id + place as u64);
            let candidate = Candidate {
                rank,
                user: spec.user,
                id,
                submission: 0,
                running: 0,
                user_running: 0,
                tie: id.0,
            };
            stages.push(Stage { job, index, candidate, pending: 0, key: None });
        }
        let runs = vec![BTreeSet::new(); stages.len()];
        Sweep {
            policy,
            stages,
            order: of.scenario.arrival_order(),
            first_stage,
            unsubmitted,
            active: vec![BTreeSet::new(); users.len()],
            changed: BTreeSet::new(),
            waiting: BTreeSet::new(),
            running: BTreeSet::new(),
            runs,
            received: 0,
            submitted: 0,
            open: BTreeMap::new(),
            found: vec![Vec::new(); jobs.len()],
            of,
        }
    }

    fn run(mut self) -> Vec<Vec<Inversion>> {
        let Looking { trace, journal, .. } = self.of;
        let mut tasks = vec![0_u32; self.stages.len()];
        for run in &trace.tasks {
            tasks[self.stage_of(run.job, run.stage)] += 1;
        }
        let mut ends: Vec<u32> = (0..trace.tasks.len() as u32).collect();
        ends.sort_by_key(|&place| trace.tasks[place as usize].end);
        let (mut launched, mut finished) = (0, 0);
        loop {
            let event = journal.events.get(self.received as usize).map(|event| event.at);
            let launch = trace.tasks.get(launched).map(|run| run.start);
            let finish = ends.get(finished).map(|&place| trace.tasks[place as usize].end);
            let Some(now) = [event, launch, finish].into_iter().flatten().min() else { break };
            while let Some(event) = journal.events.get(self.received as usize).filter(|event| event.at == now)
            {
                self.receive(now, event.kind, &tasks);
            }
            self.rank_changed();
            while trace.tasks.get(launched).is_some_and(|run| run.start == now) {
                self.launch(launched as u32);
                launched += 1;
            }
            while ends.get(finished).is_some_and(|&place| trace.tasks[place as usize].end == now) {
                self.finish(ends[finished]);
                finished += 1;
            }
            self.compare(now);
        }
        self.found
    }

    fn stage_of(&self, job: JobId, stage: u32) -> usize {
        self.first_stage[job.index()] + stage as usize
    }

    /// Lets the policy receive an event of the simulation.
    fn receive(&mut self, now: Time, kind: EventKind, tasks: &[u32]) {
        let event = self.received;
        self.received += 1;
        let user = match kind {
            EventKind::Drop(_) | EventKind::JobEnd(_) => return,
            EventKind::Arrival(rank) => {
                let job = &self.of.scenario.jobs()[self.order[rank.index()].index()];
                let arriving = ArrivingJob { rank, user: job.user, estimate: job.estimate, event };
                self.policy.job_arrived(now, &arriving);
                job.user
            }
            EventKind::Submission(id) => {
                let place = (id.0 - self.of.scenario.cluster().first_stage_id) as usize;
                let stage = &mut self.stages[place];
                let spec = &self.of.scenario.jobs()[stage.job.index()].stages[stage.index as usize];
                let Candidate { rank, user, .. } = stage.candidate;
                let unsubmitted = self.unsubmitted[rank.index()];
                self.unsubmitted[rank.index()].0 -= spec.estimate.0;
                let role = if spec.parents.is_empty() { Role::Root } else { Role::Child };
                let estimate = spec.estimate;
                self.policy.stage_submitted(
                    now,
                    &SubmittedStage { rank, user, id, estimate, role, unsubmitted, event },
                );
                stage.candidate.submission = self.submitted;
                self.submitted += 1;
                stage.pending = tasks[place];
                self.active[user.index()].insert(place);
                if matches!(P::BASIS, KeyBasis::Submission(_)) {
                    self.rank(place);
                }
                user
            }
        };
        if matches!(P::BASIS, KeyBasis::Precedence(_)) {
            self.changed.insert(user);
        }
    }

    /// Brings the sets up to date with what has been heard: an event can only change the keys of its own user's
    /// stages. Once for each instant, because many jobs can arrive at one.
    fn rank_changed(&mut self) {
        for user in std::mem::take(&mut self.changed) {
            let active = std::mem::take(&mut self.active[user.index()]);
            for &place in &active {
                self.rank(place);
            }
            self.active[user.index()] = active;
        }
    }

    /// Brings the sets up to date with a stage's key.
    fn rank(&mut self, place: usize) {
        let stage = self.stages[place];
        let key = self.policy.key(&stage.candidate);
        if stage.key == Some(key) {
            return;
        }
        if let Some(old) = stage.key {
            self.waiting.remove(&(old, place));
            for &run in &self.runs[place] {
                self.running.remove(&(old, run));
            }
        }
        self.stages[place].key = Some(key);
        if stage.pending > 0 {
            self.waiting.insert((key, place));
        }
        self.running.extend(self.runs[place].iter().map(|&run| (key, run)));
    }

    fn launch(&mut self, run: u32) {
        let of = &self.of.trace.tasks[run as usize];
        let place = self.stage_of(of.job, of.stage);
        let stage = &mut self.stages[place];
        stage.pending -= 1;
        self.runs[place].insert(run);
        let Some(key) = stage.key else { return };
        self.running.insert((key, run));
        if stage.pending == 0 {
            self.waiting.remove(&(key, place));
        }
    }

    fn finish(&mut self, run: u32) {
        let of = &self.of.trace.tasks[run as usize];
        let place = self.stage_of(of.job, of.stage);
        let stage = &self.stages[place];
        self.runs[place].remove(&run);
        if let Some(key) = stage.key {
            self.running.remove(&(key, run));
        }
        if stage.pending == 0 && self.runs[place].is_empty() {
            self.active[stage.candidate.user.index()].remove(&place);
        }
    }

    /// Begins and ends inversions.
    fn compare(&mut self, now: Time) {
        let mut inverted: BTreeMap<JobId, P::Key> = BTreeMap::new();
        if let Some(&(largest, _)) = self.running.last() {
            let smaller = self.waiting.iter().take_while(|&&(key, _)| key < largest);
            for &(key, place) in smaller {
                // The first of a job's stages has its smallest key.
                inverted.entry(self.stages[place].job).or_insert(key);
            }
        }
        let over: Vec<JobId> = self.open.keys().copied().filter(|job| !inverted.contains_key(job)).collect();
        for job in over {
            self.close(job, now);
        }
        for (job, key) in inverted {
            let (_, holders) = self.open.entry(job).or_insert_with(|| (now, BTreeSet::new()));
            let above = (Bound::Excluded((key, u32::MAX)), Bound::Unbounded);
            holders.extend(self.running.range(above).map(|&(_, run)| run));
        }
    }

    fn close(&mut self, job: JobId, now: Time) {
        if let Some((from, holders)) = self.open.remove(&job) {
            let holders = holders.into_iter().collect();
            self.found[job.index()].push(Inversion { from, to: now, holders });
        }
    }
}
