//! UWFQ, User Weighted Fair Queuing: two-level virtual time, over users and over each user's jobs
//! (the SoCC '25 paper, Algorithms 1 to 3).
//!
//! The paper walks all active users and all jobs of the one who submits, at every arrival.
//! [`Reference`] does. [`Uwfq`] gives the same schedules and touches only the user concerned:
//!
//! - Active users are in a tournament by their End, which gives the next to leave.
//! - V moves for all at once; a user's Vu is advanced when the user is touched (`user_time`).
//! - A user's jobs are kept in the order of D_user with the sums of their work (`jobs`), so that
//!   no global deadline is ever stored: it is computed when asked for, from the work before the
//!   job. It is the same to the last bit, because the sums are whole numbers and are divided once.
//! - The waiting stages are ordered by job, the jobs by user, the users in a tournament ([`UserQueue`]): an
//!   arrival moves all deadlines of its user, in step, and those of nobody else.
//!
//! ```
//! use fairlane::{catalog, simulate};
//! let scenario = catalog::find("two-users").expect("an entry").scenario();
//! let [uwfq, cfq] = ["uwfq", "cfq"].map(|policy| simulate(&scenario, policy.parse().expect("a policy")));
//! // ben's single job among twelve of ana's.
//! let job = scenario.jobs().len() - 1;
//! assert!(uwfq.jobs[job].response() < cfq.jobs[job].response());
//! ```

mod clock;
mod jobs;
mod queue;
mod reference;
mod user_time;

use std::rc::Rc;

pub use queue::UserQueue;
pub use reference::Reference;

use super::explain::Ranking;
use super::log::{AdmissionCause, Late, LogWriter, PolicyLog};
use super::parameters::{Parameter, ParameterKind};
use super::{
    ArrivingJob, Candidate, Context, Estimates, Group, Info, KeyBasis, Precedence, RankedPolicy, Role,
    SubmittedStage,
};
use crate::ids::{Rank, StageId, UserId};
use crate::tournament::{self, Tournament};
use crate::units::{SlotTime, Span, Time, VirtualTime, Weight};
use clock::Clock;
use jobs::{JobList, JobLists};
use user_time::{Next, UserTime};

/// The key as numbers.
fn precedence((deadline, rank, id): (VirtualTime, Rank, StageId)) -> Precedence {
    [tournament::ascending(deadline.0), u64::from(rank.0), id.0]
}

/// What readers should know of UWFQ.
pub const INFO: Info = Info {
    id: "uwfq",
    title: "UWFQ",
    name: "User Weighted Fair Queuing",
    source: "UWFQ paper",
    summary: "The job that would end first if users shared the cores fairly goes first.",
    key: "deadline of the job, rank of arrival, stage id",
    group: Group::VirtualTime,
    parameters: PARAMETERS,
    // And those of the stages left, where one is submitted so late that its job is admitted again.
    estimates: Estimates::Jobs,
    ..Info::DEFAULT
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "grace_s",
        title: "UWFQ grace",
        summary: "How long a job keeps its deadline after it has finished virtually.",
        unit: "s",
        kind: ParameterKind::Seconds { default: 2.0 },
    },
    Parameter {
        name: "late_stage",
        title: "UWFQ late stages",
        summary: "What happens to a stage submitted after its job has finished virtually.",
        unit: "",
        kind: ParameterKind::Choice {
            options: &[
                ("grace", "keeps the deadline within the grace period, then is admitted again"),
                ("top", "goes first from then on"),
            ],
        },
    },
];

/// What UWFQ does with a stage submitted after its job has finished virtually (paper 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LateStage {
    /// Keep the deadline within the grace period, admit the job again after it.
    Grace(Span),
    /// Deadline 0 from then on.
    Top,
}

impl LateStage {
    fn new(context: &Context) -> LateStage {
        match context.choice(&INFO, "late_stage") {
            0 => LateStage::Grace(context.span(&INFO, "grace_s")),
            _ => LateStage::Top,
        }
    }

    /// What to do with a late stage; asks whether its job is within the grace period if that matters.
    fn decide(self, within: impl FnOnce(Span) -> bool) -> Late {
        match self {
            LateStage::Grace(grace) if within(grace) => Late::Kept,
            LateStage::Grace(_) => Late::Again,
            LateStage::Top => Late::Top,
        }
    }
}

/// User Weighted Fair Queuing in O(log n). Key: (global deadline of the job, rank of arrival, stage id).
#[derive(Debug)]
pub struct Uwfq {
    weights: Rc<[Weight]>,
    late_stage: LateStage,
    clock: Clock,
    users: Vec<UserState>,
    /// Active users by End.
    ends: Tournament,
    /// The users' jobs that have not finished virtually.
    lists: JobLists,
    /// D_global of every job that is in no list, by rank: the last it had, or 0 if it goes first.
    deadlines: Vec<VirtualTime>,
    /// Whether deadlines of jobs that had one have changed since it was asked.
    moved: bool,
    /// A user of whom `deadlines` holds those of the jobs in the list, too.
    listed: Option<UserId>,
    log: LogWriter,
}

#[derive(Clone, Debug, Default)]
struct UserState {
    active: bool,
    /// Va: V when the user entered, in core-µs per unit of weight.
    virtual_arrival: f64,
    time: UserTime,
    /// Work of the jobs that have finished virtually in this session, in core-µs. Wider than a
    /// job's work because a job can be admitted again and again.
    served: u128,
    jobs: JobList,
    /// End: D_global of the last job, kept when the list empties.
    end: f64,
    /// The End with which the user last left.
    left_at: Option<f64>,
    /// Jobs in no list of which a stage waits.
    waiting: queue::Departed,
}

impl UserState {
    /// D_global of a job of this session with this much work in the list up to and including it.
    fn deadline(&self, work: u64, weight: Weight) -> f64 {
        self.virtual_arrival + (self.served + u128::from(work)) as f64 / weight.value()
    }
}

impl Uwfq {
    fn weight(&self, user: UserId) -> Weight {
        self.weights[user.index()]
    }

    /// D_global of a job.
    fn deadline(&self, rank: Rank, user: UserId) -> VirtualTime {
        if !self.lists.holds(rank) || self.listed == Some(user) {
            return self.deadlines[rank.index()];
        }
        let state = &self.users[user.index()];
        let (work, _) = self.lists.work_through(state.jobs, rank);
        VirtualTime(state.deadline(work, self.weight(user)))
    }

    /// Advances V and T to the instant `now` (µs), letting users leave when the last of their jobs
    /// has finished virtually (Algorithm 2).
    fn advance(&mut self, now: f64) {
        self.listed = None;
        while let Some(first) = self.ends.first() {
            let user = UserId(tournament::slot(first));
            let end = self.users[user.index()].end;
            let finish = self.clock.instant_of(end);
            if finish > now {
                break;
            }
            self.clock.progress(finish);
            self.clock.virtual_time = end;
            self.log.read(self.clock.now, self.clock.virtual_time);
            self.leave(user);
        }
        self.clock.progress(now);
        if now.is_finite() {
            self.log.read(self.clock.now, self.clock.virtual_time);
        }
    }

    fn enter(&mut self, user: UserId) {
        let weight = self.weight(user);
        let state = &mut self.users[user.index()];
        if state.active {
            return;
        }
        state.active = true;
        state.virtual_arrival = self.clock.virtual_time;
        state.served = 0;
        state.time.enter(weight.value(), &self.clock);
        self.clock.enter(weight.millionths());
        self.log.enter(user, self.clock.virtual_time);
    }

    fn leave(&mut self, user: UserId) {
        if self.log.is_started() {
            // For the instants at which the jobs have finished; what is too close to decide finishes now.
            self.catch_up(user, WhenClose::Leave);
        }
        while let Some(rank) = self.depart(user) {
            self.log.depart(rank, self.clock.now, self.clock.virtual_time, self.deadlines[rank.index()].0);
        }
        self.ends.clear(user.0);
        self.clock.leave(self.weight(user).millionths());
        let state = &mut self.users[user.index()];
        state.active = false;
        state.left_at = Some(state.end);
        let end = state.end;
        self.log.leave(user, self.clock.now, end);
    }

    /// Removes the first job of a user's list; it keeps the deadline it has.
    fn depart(&mut self, user: UserId) -> Option<Rank> {
        let weight = self.weight(user);
        let state = &mut self.users[user.index()];
        let rank = self.lists.pop_first(&mut state.jobs)?;
        state.served += u128::from(self.lists.estimate(rank));
        let deadline = VirtualTime(state.deadline(0, weight));
        self.deadlines[rank.index()] = deadline;
        if self.lists.waits(rank) {
            state.waiting.push(deadline, rank);
        }
        Some(rank)
    }

    /// Advances a user's Vu to now and removes the jobs that have finished virtually.
    fn catch_up(&mut self, user: UserId, when_close: WhenClose) {
        loop {
            let state = &self.users[user.index()];
            let Some(first) = self.lists.first(state.jobs) else { break };
            let (deadline, jobs) = (self.lists.deadline(first), self.lists.len(state.jobs));
            match self.users[user.index()].time.advance(deadline, jobs, &self.clock) {
                Next::Done => return,
                Next::Finish(at) => self.finish(user, at.0),
                Next::TooClose if when_close == WhenClose::Leave => return,
                Next::TooClose => return self.settle(user),
            }
        }
        self.users[user.index()].time.rest(&self.clock);
    }

    /// The first of a user's jobs finished virtually when V was `at`.
    fn finish(&mut self, user: UserId, at: f64) {
        let Some(rank) = self.depart(user) else { return };
        self.log.depart_by(rank, at, self.deadlines[rank.index()].0);
    }

    /// Replays the paper's sum of a user's Vu, and removes the jobs that have finished by it.
    fn settle(&mut self, user: UserId) {
        let (lists, log) = (&mut self.lists, &mut self.log);
        let first = self.users[user.index()].time.settle(&self.clock, |rank, user_time, deadline| {
            // A job can have left since and have been admitted again.
            if lists.holds(rank) && lists.estimate(rank) as f64 + user_time == deadline {
                lists.correct(rank, deadline);
                log.correct(rank, user_time);
            }
        });
        while let Some(rank) = self.lists.first(self.users[user.index()].jobs)
            && Some(rank) != first
        {
            self.finish(user, self.clock.virtual_time);
        }
    }

    /// Inserts a job into its user's list (Algorithm 1, after its phase 1).
    fn admit(&mut self, rank: Rank, user: UserId, estimate: SlotTime, cause: AdmissionCause) {
        self.moved = true;
        self.enter(user);
        self.catch_up(user, WhenClose::Settle);
        let state = &self.users[user.index()];
        let doubt = state.time.doubt(&self.clock);
        let deadline = state.time.user_time + estimate.0 as f64;
        if self.lists.check_position(state.jobs, deadline, doubt).is_err() {
            self.settle(user);
        }
        let weight = self.weight(user);
        let state = &mut self.users[user.index()];
        self.log.admit(rank, user, cause, estimate, state.time.user_time);
        let deadline = state.time.admit(rank, estimate.0, &self.clock.steps);
        self.lists.insert(&mut state.jobs, rank, deadline, estimate.0);
        state.end = state.deadline(self.lists.work(state.jobs), weight);
        self.ends.set(user.0, tournament::key(tournament::ascending(state.end), 0, user.0));
    }

    /// Whether a user's job that has finished virtually still keeps its deadline (paper 4.2).
    fn within_grace(&self, user: UserId, grace: Span) -> bool {
        let grace = grace.0 as f64 * self.clock.cores;
        let state = &self.users[user.index()];
        state.active || state.left_at.is_some_and(|end| self.clock.virtual_time <= end + grace)
    }

    /// A stage with parents of a job has been submitted: has the job finished virtually?
    fn is_late(&mut self, rank: Rank, user: UserId) -> bool {
        // Within the grace period nothing follows from it but an entry in the log.
        let matters = self.late_stage == LateStage::Top || self.log.is_started();
        if matters && self.lists.holds(rank) {
            self.catch_up(user, WhenClose::Settle);
        }
        !self.lists.holds(rank)
    }

    fn move_to_top(&mut self, rank: Rank, user: UserId) {
        self.moved = true;
        self.deadlines[rank.index()] = VirtualTime(0.0);
        if self.lists.waits(rank) {
            self.users[user.index()].waiting.push(VirtualTime(0.0), rank);
        }
    }
}

/// What to do where it is too close to decide whether a job has finished virtually.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WhenClose {
    /// Find out.
    Settle,
    /// Leave it in the list.
    Leave,
}

impl Ranking for Uwfq {
    type Key = (VirtualTime, Rank, StageId);

    fn key(&self, stage: &Candidate) -> Self::Key {
        (self.deadline(stage.rank, stage.user), stage.rank, stage.id)
    }
}

impl RankedPolicy for Uwfq {
    const BASIS: KeyBasis<Self::Key> = KeyBasis::Precedence(precedence);

    type Queue = UserQueue;
    type Reference = Reference;

    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        Uwfq {
            clock: Clock::new(context.cores()),
            users: vec![UserState::default(); context.weights.len()],
            ends: Tournament::new(context.weights.len()),
            lists: JobLists::new(context.jobs()),
            deadlines: vec![VirtualTime(0.0); context.jobs()],
            moved: false,
            listed: None,
            log: LogWriter::default(),
            weights: Rc::clone(&context.weights),
            late_stage: LateStage::new(context),
        }
    }

    fn take_moved(&mut self, user: UserId) -> bool {
        if !std::mem::take(&mut self.moved) {
            return false;
        }
        let (weight, state) = (self.weight(user), &self.users[user.index()]);
        let deadlines = &mut self.deadlines;
        self.lists.visit(state.jobs, &mut |rank, work| {
            deadlines[rank.index()] = VirtualTime(state.deadline(work, weight));
        });
        self.listed = Some(user);
        true
    }

    fn job_arrived(&mut self, now: Time, job: &ArrivingJob) {
        self.log.set_event(job.event);
        self.advance(now.0 as f64);
        self.admit(job.rank, job.user, job.estimate, AdmissionCause::Arrival);
    }

    fn stage_submitted(&mut self, now: Time, stage: &SubmittedStage) {
        if stage.role == Role::Root {
            return;
        }
        self.log.set_event(stage.event);
        self.advance(now.0 as f64);
        if !self.is_late(stage.rank, stage.user) {
            return;
        }
        let late = self.late_stage.decide(|grace| self.within_grace(stage.user, grace));
        self.log.add_late(stage.rank, late);
        match late {
            Late::Kept => {}
            Late::Again => self.admit(stage.rank, stage.user, stage.unsubmitted, AdmissionCause::Again),
            Late::Top => self.move_to_top(stage.rank, stage.user),
        }
    }

    fn start_log(&mut self) {
        self.log.start();
    }

    fn finish_log(&mut self) -> PolicyLog {
        self.log.end_events();
        self.advance(f64::INFINITY);
        self.log.finish()
    }
}
