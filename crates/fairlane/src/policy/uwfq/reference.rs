//! UWFQ as the paper writes it down: every arrival walks all active users and all jobs of the one
//! who submits.
//!
//! [`Uwfq`](super::Uwfq) gives the same schedules without walking; this is its reference in tests, and what a lesson
//! follows line by line, because here the state of every user is explicit.

use std::rc::Rc;

use super::{INFO, LateStage, LateTreatment};
use crate::ids::{Rank, StageIndex, UserId};
use crate::policy::explain::{Key, KeyComponent, Value};
use crate::policy::{Actions, Admission, Context, Info, Policy, StageView, View};
use crate::units::{SlotTime, Span, Time, VirtualTime, Weight};

/// User Weighted Fair Queuing, to the letter of the paper. Key: (global deadline of the job, rank of arrival, stage
/// id).
#[derive(Clone, Debug)]
pub struct UwfqReference {
    weights: Rc<[Weight]>,
    late_stage: LateStage,
    /// The number of cores R.
    cores: f64,
    /// V: global virtual time, in core-µs per unit of weight.
    virtual_time: f64,
    /// T: the instant to which V has been brought, in µs.
    updated: f64,
    users: Vec<VirtualUser>,
    /// Active users, in the order of the user list.
    active: Vec<UserId>,
    /// Sum of the active users' weights, in millionths.
    active_weight: u64,
    /// D_global of every job that has arrived, by rank.
    deadlines: Vec<VirtualTime>,
    /// By rank: whether the job goes first from a late stage on.
    on_top: Vec<bool>,
}

/// A user in the fluid system.
#[derive(Clone, Debug, Default)]
pub struct VirtualUser {
    /// Va: V when the user entered, in core-µs per unit of weight.
    pub virtual_arrival: f64,
    /// Vu: what each of the user's jobs has been served in this session, in core-µs.
    pub user_time: f64,
    /// Work of the jobs that have finished virtually in this session, in core-µs. Wider than a
    /// job's work because a job can be admitted again and again.
    pub served: u128,
    /// Jobs that have not finished virtually, ordered by (D_user, rank).
    pub jobs: Vec<ReferenceJob>,
    /// End: D_global of the last job, kept when the list empties.
    pub end: f64,
    /// The End with which the user last left.
    left_at: Option<f64>,
}

/// A job in its user's list.
#[derive(Clone, Copy, Debug)]
pub struct ReferenceJob {
    /// D_user: Vu at which the job finishes virtually, in core-µs.
    pub deadline: VirtualTime,
    /// Its rank of arrival.
    pub rank: Rank,
    /// L: the estimated work with which it was admitted.
    pub estimate: SlotTime,
}

impl VirtualUser {
    /// Serves the user's jobs equally for `dt` µs with `share` cores (Algorithm 3).
    fn serve(&mut self, mut dt: f64, share: f64) {
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

impl UwfqReference {
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
            self.leave(user);
        }
        self.progress(now);
    }

    /// The active user with the least (End, position in the user list).
    fn next_to_leave(&self) -> Option<UserId> {
        self.active.iter().copied().min_by_key(|user| (VirtualTime(self.users[user.index()].end), *user))
    }

    fn progress(&mut self, to: f64) {
        let dt = to - self.updated;
        if !self.active.is_empty() {
            let total = self.total_weight();
            self.virtual_time += dt * self.cores / total;
            for &user in &self.active {
                let share = self.weights[user.index()].value() * self.cores / total;
                self.users[user.index()].serve(dt, share);
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
        }
    }

    fn leave(&mut self, user: UserId) {
        self.active.retain(|&other| other != user);
        self.active_weight -= self.weight(user).millionths();
        let state = &mut self.users[user.index()];
        // Rounding can leave jobs in the list; they have finished virtually all the same.
        state.jobs.clear();
        state.left_at = Some(state.end);
    }

    /// V at an instant not before the last event, in core-µs per unit of weight, with how fast it grows: by R over the
    /// active users' weights; `None` while nobody is active.
    pub fn virtual_time_at(&self, now: Time) -> (f64, Option<f64>) {
        let mut policy = self.clone();
        policy.advance(now.0 as f64);
        (policy.virtual_time, (!policy.active.is_empty()).then(|| policy.cores / policy.total_weight()))
    }

    /// A user at an instant not before the last event; `None` if it is not active then.
    pub fn user_at(&self, user: UserId, now: Time) -> Option<VirtualUser> {
        let mut policy = self.clone();
        policy.advance(now.0 as f64);
        policy.is_active(user).then(|| policy.users.swap_remove(user.index()))
    }

    /// D_global of a job that has arrived, in core-µs per unit of weight.
    pub fn deadline(&self, rank: Rank) -> f64 {
        self.deadlines[rank.index()].0
    }

    fn is_active(&self, user: UserId) -> bool {
        self.active.binary_search(&user).is_ok()
    }

    /// Gives a job its deadlines (Algorithm 1, after its phase 1).
    fn admit(&mut self, rank: Rank, user: UserId, estimate: SlotTime) {
        self.enter(user);
        let weight = self.weight(user).value();
        let state = &mut self.users[user.index()];
        let job = ReferenceJob { deadline: VirtualTime(state.user_time + estimate.0 as f64), rank, estimate };
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

impl Policy for UwfqReference {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        UwfqReference {
            cores: f64::from(context.cores()),
            virtual_time: 0.0,
            updated: 0.0,
            users: vec![VirtualUser::default(); context.weights.len()],
            active: Vec::new(),
            active_weight: 0,
            deadlines: vec![VirtualTime(0.0); context.jobs()],
            on_top: vec![false; context.jobs()],
            weights: Rc::clone(&context.weights),
            late_stage: LateStage::new(context),
        }
    }

    fn job_arrived(&mut self, job: Rank, view: &View, _: &mut Actions) -> Admission {
        let job = view.job(job);
        self.advance(view.now().0 as f64);
        self.admit(job.rank(), job.user(), job.estimate());
        Admission::Start
    }

    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        let stage = view.stage(stage);
        if stage.is_root() {
            return;
        }
        self.advance(view.now().0 as f64);
        let (rank, user) = (stage.job(), stage.user());
        if self.users[user.index()].holds(rank) {
            return;
        }
        match self.late_stage.decide(|grace| self.within_grace(user, grace)) {
            LateTreatment::Kept => {}
            LateTreatment::Again => self.admit(rank, user, stage.job_view().unsubmitted() + stage.estimate()),
            LateTreatment::Top => self.on_top[rank.index()] = true,
        }
    }

    fn key(&self, stage: StageView) -> Key {
        let deadline = match self.on_top[stage.job().index()] {
            true => 0.0,
            false => self.deadline(stage.job()),
        };
        Key::new(stage, [KeyComponent::new("global deadline D", Value::WorkPerWeight(deadline))])
    }
}
