//! UWFQ, User Weighted Fair Queuing: two-level virtual time, over users and over each user's jobs
//! (the SoCC '25 paper, Algorithms 1 to 3).
//!
//! The paper walks all active users and all jobs of the one who submits, at every arrival.
//! [`Literal`] does. [`Uwfq`] comes to the same schedules and touches only the user concerned:
//!
//! - Active users stand in a tournament by their End, so that the next to leave is at hand.
//! - V moves for all at once; a user's Vu is brought forward when the user is touched (`pace`).
//! - A user's jobs are kept in the order of D_user with the sums of their work (`lists`), so that
//!   no global deadline is ever set: it is worked out where somebody asks, from the work before the
//!   job. It is the same to the last bit, because the sums are whole numbers and are divided once.
//! - The waiting stages stand by job, the jobs by user, the users in a tournament ([`Chains`]): an
//!   arrival moves all deadlines of its user, in step, and those of nobody else.

mod clock;
mod lists;
mod literal;
mod pace;
mod released;
mod waiting;

pub use literal::Literal;
pub use released::Released;
pub use waiting::Chains;

use super::notes::{Admission, Late, Notes, Recorder};
use super::{ArrivingJob, Candidate, Context, Info, KeyBasis, LateStage, Policy, Precedence, Role, SubmittedStage};
use crate::ids::{Rank, StageId, UserId};
use crate::tournament::{self, Tournament};
use crate::units::{SlotTime, Time, VirtualTime, Weight};
use clock::Clock;
use lists::{List, Lists};
use pace::{Next, Pace};

/// The key as numbers.
fn precedence((deadline, rank, id): (VirtualTime, Rank, StageId)) -> Precedence {
    [tournament::ascending(deadline.0), u64::from(rank.0), id.0]
}

/// What a reader should know of UWFQ.
pub const INFO: Info = Info {
    id: "uwfq",
    title: "UWFQ",
    summary: "The job that would end first if users shared the cores, and each user's jobs that share, goes first.",
};

/// User Weighted Fair Queuing in O(log n). Key: (global deadline of the job, rank of arrival, stage id).
#[derive(Debug)]
pub struct Uwfq {
    context: Context,
    clock: Clock,
    users: Vec<UserState>,
    /// Active users by End.
    ends: Tournament,
    /// The users' jobs that have not finished virtually.
    lists: Lists,
    /// D_global of every job that is in no list, by rank: the last it had, or 0 for good on top.
    deadlines: Vec<VirtualTime>,
    recorder: Option<Recorder>,
}

#[derive(Clone, Debug, Default)]
struct UserState {
    active: bool,
    /// Va: V when the user entered, in core-µs per unit of weight.
    virtual_arrival: f64,
    pace: Pace,
    /// Work of the jobs that have finished virtually in this session, in core-µs. Wider than a
    /// job's work because a job can be admitted again and again.
    served: u128,
    jobs: List,
    /// End: D_global of the last job, kept when the list empties.
    end: f64,
    /// The End with which the user last left.
    left_at: Option<f64>,
    /// Jobs in no list of which a stage waits.
    waiting: waiting::Departed,
}

impl UserState {
    /// D_global of a job of this session with so much work in the list up to and with it.
    fn deadline(&self, work: u64, weight: Weight) -> f64 {
        self.virtual_arrival + (self.served + u128::from(work)) as f64 / weight.value()
    }
}

impl Uwfq {
    fn weight(&self, user: UserId) -> Weight {
        self.context.weights[user.index()]
    }

    /// D_global of a job.
    fn deadline(&self, rank: Rank, user: UserId) -> VirtualTime {
        if !self.lists.holds(rank) {
            return self.deadlines[rank.index()];
        }
        let state = &self.users[user.index()];
        let (work, _) = self.lists.work_through(state.jobs, rank);
        VirtualTime(state.deadline(work, self.weight(user)))
    }

    /// Brings V and T to the instant `now` (µs), letting users leave when the last of their jobs
    /// has finished virtually (Algorithm 2).
    fn advance(&mut self, now: f64) {
        while let Some(first) = self.ends.first() {
            let user = UserId(tournament::seat(first));
            let end = self.users[user.index()].end;
            let finish = self.clock.instant_of(end);
            if finish > now {
                break;
            }
            self.clock.progress(finish);
            self.clock.virtual_time = end;
            self.read_clock();
            self.leave(user);
        }
        self.clock.progress(now);
        if now.is_finite() {
            self.read_clock();
        }
    }

    /// Notes V and T, and that this event is where they were brought to.
    fn read_clock(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.read(self.clock.now, self.clock.virtual_time);
        }
    }

    fn hear(&mut self, event: u32) {
        if let Some(recorder) = &mut self.recorder {
            recorder.hear(event);
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
        state.pace.enter(weight.value(), &self.clock);
        self.clock.enter(weight.millionths());
        if let Some(recorder) = &mut self.recorder {
            recorder.enter(user, self.clock.virtual_time);
        }
    }

    fn leave(&mut self, user: UserId) {
        if self.recorder.is_some() {
            // For the instants at which the jobs have finished; what is too close to tell finishes now.
            self.catch_up(user, WhenClose::Leave);
        }
        while let Some(rank) = self.depart(user) {
            if let Some(recorder) = &mut self.recorder {
                recorder.depart(rank, self.clock.now, self.clock.virtual_time, self.deadlines[rank.index()].0);
            }
        }
        self.ends.clear(user.0);
        self.clock.leave(self.weight(user).millionths());
        let state = &mut self.users[user.index()];
        state.active = false;
        state.left_at = Some(state.end);
        let end = state.end;
        if let Some(recorder) = &mut self.recorder {
            recorder.leave(user, self.clock.now, end);
        }
    }

    /// Takes the first job out of a user's list; it keeps the deadline it has.
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

    /// Brings a user's Vu to now and takes out the jobs that have finished virtually.
    fn catch_up(&mut self, user: UserId, when_close: WhenClose) {
        loop {
            let state = &self.users[user.index()];
            let Some(first) = self.lists.first(state.jobs) else { break };
            let (deadline, jobs) = (self.lists.deadline(first), self.lists.len(state.jobs));
                match self.users[user.index()].pace.advance(deadline, jobs, &self.clock) {
                Next::Done => return,
                Next::Finish(at) => self.finish(user, at.0),
                Next::TooClose if when_close == WhenClose::Leave => return,
                Next::TooClose => return self.settle(user),
            }
        }
        self.users[user.index()].pace.rest(&self.clock);
    }

    /// The first of a user's jobs finished virtually when V was `at`.
    fn finish(&mut self, user: UserId, at: f64) {
        let Some(rank) = self.depart(user) else { return };
        if let Some(recorder) = &mut self.recorder {
            recorder.depart_by(rank, at, self.deadlines[rank.index()].0);
        }
    }

    /// Makes up for the paper's sum of a user's Vu, and takes out the jobs that have finished by it.
    fn settle(&mut self, user: UserId) {
        let (lists, recorder) = (&mut self.lists, &mut self.recorder);
        let first = self.users[user.index()].pace.settle(&self.clock, |rank, user_time, deadline| {
            // A job can have left since and have come again, as another admission.
            if lists.holds(rank) && lists.estimate(rank) as f64 + user_time == deadline {
                lists.correct(rank, deadline);
                if let Some(recorder) = recorder {
                    recorder.correct(rank, user_time);
                }
            }
        });
        while let Some(rank) = self.lists.first(self.users[user.index()].jobs)
            && Some(rank) != first
        {
            self.finish(user, self.clock.virtual_time);
        }
    }

    /// Gives a job its place in its user's list (Algorithm 1, after its phase 1).
    fn admit(&mut self, rank: Rank, user: UserId, estimate: SlotTime, admission: Admission) {
        self.enter(user);
        self.catch_up(user, WhenClose::Settle);
        let state = &self.users[user.index()];
        let doubt = state.pace.doubt(&self.clock);
        let deadline = state.pace.user_time + estimate.0 as f64;
        if self.lists.place(state.jobs, deadline, doubt).is_err() {
            self.settle(user);
        }
        let weight = self.weight(user);
        let state = &mut self.users[user.index()];
        if let Some(recorder) = &mut self.recorder {
            recorder.admit(rank, user, admission, estimate, state.pace.user_time);
        }
        let deadline = state.pace.admit(rank, estimate.0, &self.clock.steps);
        self.lists.insert(&mut state.jobs, rank, deadline, estimate.0);
        state.end = state.deadline(self.lists.work(state.jobs), weight);
        self.ends.set(user.0, tournament::key(tournament::ascending(state.end), 0, user.0));
    }

    /// Whether a user's job that has finished virtually still keeps its deadline (paper 4.2).
    fn within_grace(&self, user: UserId) -> bool {
        let grace = self.context.uwfq_grace.0 as f64 * self.clock.cores;
        let state = &self.users[user.index()];
        state.active || state.left_at.is_some_and(|end| self.clock.virtual_time <= end + grace)
    }

    /// A stage with parents of a job has been submitted: has the job finished virtually?
    fn is_late(&mut self, rank: Rank, user: UserId) -> bool {
        // Within the grace period nothing follows from it: it is only asked for to be told.
        let matters = self.context.uwfq_late_stage == LateStage::Top || self.recorder.is_some();
        if matters && self.lists.holds(rank) {
            self.catch_up(user, WhenClose::Settle);
        }
        !self.lists.holds(rank)
    }

    fn put_on_top(&mut self, rank: Rank, user: UserId) {
        self.deadlines[rank.index()] = VirtualTime(0.0);
        if self.lists.waits(rank) {
            self.users[user.index()].waiting.push(VirtualTime(0.0), rank);
        }
    }
}

/// What to do where it is too close to tell whether a job has finished virtually.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WhenClose {
    /// Find out.
    Settle,
    /// Leave it in the list.
    Leave,
}

impl Policy for Uwfq {
    type Key = (VirtualTime, Rank, StageId);

    const BASIS: KeyBasis<Self::Key> = KeyBasis::Precedence(precedence);

    type Line = Chains;

    fn new(context: Context) -> Self {
        Uwfq {
            clock: Clock::new(context.cores),
            users: vec![UserState::default(); context.weights.len()],
            ends: Tournament::new(context.weights.len()),
            lists: Lists::new(context.jobs),
            deadlines: vec![VirtualTime(0.0); context.jobs],
            recorder: None,
            context,
        }
    }

    fn job_arrived(&mut self, now: Time, job: &ArrivingJob) {
        self.hear(job.event);
        self.advance(now.0 as f64);
        self.admit(job.rank, job.user, job.estimate, Admission::Arrival);
    }

    fn stage_submitted(&mut self, now: Time, stage: &SubmittedStage) {
        if stage.role == Role::Root {
            return;
        }
        self.hear(stage.event);
        self.advance(now.0 as f64);
        if !self.is_late(stage.rank, stage.user) {
            return;
        }
        let late = match self.context.uwfq_late_stage {
            LateStage::Grace if self.within_grace(stage.user) => Late::Kept,
            LateStage::Grace => Late::Again,
            LateStage::Top => Late::Top,
            LateStage::Released => unreachable!("the registry gives these scenarios to the released class"),
        };
        if let Some(recorder) = &mut self.recorder {
            recorder.come_late(stage.rank, late);
        }
        match late {
            Late::Kept => {}
            Late::Again => self.admit(stage.rank, stage.user, stage.unsubmitted, Admission::Again),
            Late::Top => self.put_on_top(stage.rank, stage.user),
        }
    }

    fn key(&self, stage: &Candidate) -> Self::Key {
        (self.deadline(stage.rank, stage.user), stage.rank, stage.id)
    }

    fn begin_notes(&mut self) {
        self.recorder = Some(Recorder::default());
    }

    fn end_notes(&mut self) -> Notes {
        if let Some(recorder) = &mut self.recorder {
            recorder.hear_no_more();
        }
        self.advance(f64::INFINITY);
        self.recorder.take().map(Recorder::into_notes).unwrap_or_default()
    }
}
