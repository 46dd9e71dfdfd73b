//! UWFQ as the paper writes it down: every arrival walks all active users and all jobs of the one
//! who submits.
//!
//! [`Uwfq`](super::Uwfq) gives the same schedules without walking; this is its reference in tests, and it explains
//! the keys, because here the state of every user is explicit.

mod snapshot;

use std::rc::Rc;

use snapshot::reason;

use super::{INFO, LateStage, precedence};
use crate::ids::{Rank, StageId, UserId};
use crate::policy::explain::{Clock, Contender, Explainer, Explanation, Ranking};
use crate::policy::log::{AdmissionCause, Late, LogWriter, PolicyLog, Snapshot};
use crate::policy::queue::Sorted;
use crate::policy::{ArrivingJob, Candidate, Context, Info, KeyBasis, RankedPolicy, Role, SubmittedStage};
use crate::units::{SlotTime, Span, Time, VirtualTime, Weight};

/// User Weighted Fair Queuing, to the letter of the paper. Key: (global deadline of the job, rank of arrival, stage id).
#[derive(Debug)]
pub struct Reference {
    weights: Rc<[Weight]>,
    late_stage: LateStage,
    /// The number of cores R.
    cores: f64,
    /// V: global virtual time, in core-µs per unit of weight.
    virtual_time: f64,
    /// T: the instant to which V has been brought, in µs.
    updated: f64,
    users: Vec<UserState>,
    /// Active users, in the order of the user list.
    active: Vec<UserId>,
    /// Sum of the active users' weights, in millionths.
    active_weight: u64,
    /// D_global of every job that has arrived, by rank.
    deadlines: Vec<VirtualTime>,
    /// What was done with each job's late stages, by rank.
    lateness: Vec<Lateness>,
    log: LogWriter,
}

/// What was done with a job's late stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lateness {
    /// None was late.
    AsArrived,
    /// The last that was late did this. [`Late::Top`] is permanent: the deadline is 0.
    Late(Late),
}

#[derive(Clone, Debug, Default)]
struct UserState {
    /// Va: V when the user entered, in core-µs per unit of weight.
    virtual_arrival: f64,
    /// Vu: what each of the user's jobs has been served in this session, in core-µs.
    user_time: f64,
    /// Work of the jobs that have finished virtually in this session, in core-µs. Wider than a
    /// job's work because a job can be admitted again and again.
    served: u128,
    /// Jobs that have not finished virtually, ordered by (D_user, rank).
    jobs: Vec<VirtualJob>,
    /// End: D_global of the last job, kept when the list empties.
    end: f64,
    /// The End with which the user last left.
    left_at: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct VirtualJob {
    /// D_user: Vu at which the job finishes virtually.
    deadline: VirtualTime,
    rank: Rank,
    estimate: SlotTime,
}

impl UserState {
    /// Serves the user's jobs equally for `dt` µs with `share` cores (Algorithm 3). Reports each job
    /// that finishes virtually and after how many of the microseconds.
    fn serve(&mut self, mut dt: f64, share: f64, mut finishes: impl FnMut(Rank, f64)) {
        let all = dt;
        let mut finished = 0;
        while finished < self.jobs.len() {
            let job = self.jobs[finished];
            let rate = share / (self.jobs.len() - finished) as f64;
            if job.deadline.0 > self.user_time + dt * rate {
                break;
            }
            let spent = job.deadline.0 - self.user_time;
            self.user_time = job.deadline.0;
            dt -= spent / rate;
            self.served += u128::from(job.estimate.0);
            finishes(job.rank, all - dt);
            finished += 1;
        }
        self.jobs.drain(..finished);
        if !self.jobs.is_empty() {
            self.user_time += dt * share / self.jobs.len() as f64;
        }
    }

    fn holds(&self, rank: Rank) -> bool {
        self.jobs.iter().any(|job| job.rank == rank)
    }
}

impl Reference {
    /// W: the sum of the active users' weights.
    fn total_weight(&self) -> f64 {
        self.active_weight as f64 / 1e6
    }

    fn weight(&self, user: UserId) -> Weight {
        self.weights[user.index()]
    }

    /// Advances V, T and every active user to the instant `now` (µs), letting users leave when the
    /// last of their jobs has finished virtually (Algorithm 2).
    fn advance(&mut self, now: f64) {
        while let Some(user) = self.next_to_leave() {
            let end = self.users[user.index()].end;
            let finish =
                self.updated.max(self.updated + (end - self.virtual_time) * self.total_weight() / self.cores);
            if finish > now {
                break;
            }
            self.progress(finish);
            self.virtual_time = end;
            self.log.read(self.updated, self.virtual_time);
            self.leave(user);
        }
        self.progress(now);
        if now.is_finite() {
            self.log.read(self.updated, self.virtual_time);
        }
    }

    /// The active user with the least (End, position in the user list).
    fn next_to_leave(&self) -> Option<UserId> {
        self.active.iter().copied().min_by_key(|user| (VirtualTime(self.users[user.index()].end), *user))
    }

    fn progress(&mut self, to: f64) {
        let dt = to - self.updated;
        if !self.active.is_empty() {
            let total = self.total_weight();
            let (from, virtual_from, rate) = (self.updated, self.virtual_time, self.cores / total);
            self.virtual_time += dt * self.cores / total;
            for &user in &self.active {
                let share = self.weights[user.index()].value() * self.cores / total;
                self.users[user.index()].serve(dt, share, |rank, after| {
                    let at = (from + after).min(to);
                    self.log.depart(rank, at, virtual_from + after * rate, self.deadlines[rank.index()].0);
                });
            }
        }
        self.updated = to;
    }

    fn enter(&mut self, user: UserId) {
        if let Err(position) = self.active.binary_search(&user) {
            self.active.insert(position, user);
            self.active_weight += self.weight(user).millionths();
            let state = &mut self.users[user.index()];
            state.virtual_arrival = self.virtual_time;
            state.user_time = 0.0;
            state.served = 0;
            self.log.enter(user, self.virtual_time);
        }
    }

    fn leave(&mut self, user: UserId) {
        self.active.retain(|&other| other != user);
        self.active_weight -= self.weight(user).millionths();
        let state = &mut self.users[user.index()];
        // Rounding can leave jobs in the list; they have finished virtually all the same.
        let rest = std::mem::take(&mut state.jobs);
        state.left_at = Some(state.end);
        let end = state.end;
        for job in rest {
            let deadline = self.deadlines[job.rank.index()].0;
            self.log.depart(job.rank, self.updated, self.virtual_time, deadline);
        }
        self.log.leave(user, self.updated, end);
    }

    fn is_active(&self, user: UserId) -> bool {
        self.active.binary_search(&user).is_ok()
    }

    /// Gives a job its deadlines (Algorithm 1, after its phase 1).
    fn admit(&mut self, rank: Rank, user: UserId, estimate: SlotTime, cause: AdmissionCause) {
        self.enter(user);
        let weight = self.weight(user).value();
        let state = &mut self.users[user.index()];
        self.log.admit(rank, user, cause, estimate, state.user_time);
        let job = VirtualJob { deadline: VirtualTime(state.user_time + estimate.0 as f64), rank, estimate };
        let position =
            state.jobs.partition_point(|other| (other.deadline, other.rank) < (job.deadline, job.rank));
        state.jobs.insert(position, job);
        self.set_deadlines(user, weight);
    }

    /// Gives every job in a user's list its D_global, and the user the End.
    fn set_deadlines(&mut self, user: UserId, weight: f64) {
        let state = &mut self.users[user.index()];
        let mut work = state.served;
        for job in &state.jobs {
            work += u128::from(job.estimate.0);
            let deadline = state.virtual_arrival + work as f64 / weight;
            self.deadlines[job.rank.index()] = VirtualTime(deadline);
            state.end = deadline;
        }
    }

    /// Whether a user's job that has finished virtually still keeps its deadline (paper 4.2).
    fn within_grace(&self, user: UserId, grace: Span) -> bool {
        let grace = grace.0 as f64 * self.cores;
        let left_at = self.users[user.index()].left_at;
        self.is_active(user) || left_at.is_some_and(|end| self.virtual_time <= end + grace)
    }
}

impl Ranking for Reference {
    type Key = (VirtualTime, Rank, StageId);

    fn key(&self, stage: &Candidate) -> Self::Key {
        let deadline = match self.lateness[stage.rank.index()] {
            Lateness::Late(Late::Top) => VirtualTime(0.0),
            _ => self.deadlines[stage.rank.index()],
        };
        (deadline, stage.rank, stage.id)
    }
}

impl RankedPolicy for Reference {
    const BASIS: KeyBasis<Self::Key> = KeyBasis::Precedence(precedence);

    type Queue = Sorted;
    type Reference = Self;

    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        Reference {
            cores: f64::from(context.cores()),
            virtual_time: 0.0,
            updated: 0.0,
            users: vec![UserState::default(); context.weights.len()],
            active: Vec::new(),
            active_weight: 0,
            deadlines: vec![VirtualTime(0.0); context.jobs()],
            lateness: vec![Lateness::AsArrived; context.jobs()],
            log: LogWriter::default(),
            weights: Rc::clone(&context.weights),
            late_stage: LateStage::new(context),
        }
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
        if self.users[stage.user.index()].holds(stage.rank) {
            return;
        }
        let late = self.late_stage.decide(|grace| self.within_grace(stage.user, grace));
        self.lateness[stage.rank.index()] = Lateness::Late(late);
        self.log.add_late(stage.rank, late);
        if late == Late::Again {
            self.admit(stage.rank, stage.user, stage.unsubmitted, AdmissionCause::Again);
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

impl Explainer for Reference {
    fn at(context: &Context, snapshot: &Snapshot) -> Self {
        Reference::at_snapshot(context, snapshot)
    }

    fn explain(&self, stage: &Candidate) -> Explanation {
        self.explain_key(stage)
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        reason(first, second)
    }

    fn clock(&self) -> Option<Clock> {
        Some(self.read_all())
    }
}
