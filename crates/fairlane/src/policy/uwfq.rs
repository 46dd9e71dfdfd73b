//! UWFQ, User Weighted Fair Queuing: two-level virtual time, over users and over each user's jobs
//! (the SoCC '25 paper, Algorithms 1 to 3).
//!
//! The paper walks all active users and all jobs of the one who submits, at every arrival.
//! [`UwfqReference`] does. [`Uwfq`] gives the same schedules and touches only the user concerned:
//!
//! - Active users are in a tournament by their End, which gives the next to leave.
//! - V moves for all at once; a user's Vu is advanced when the user is touched (`user_time`).
//! - A user's jobs are kept in the order of D_user with the sums of their work (`jobs`), so that
//!   no global deadline is ever stored: it is computed when asked for, from the work before the
//!   job. It is the same to the last bit, because the sums are whole numbers and are divided once.
//! - The waiting stages are ordered by job, the jobs by user, the users in a tournament (`waiting`): an
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
mod reference;
mod user_time;
mod waiting;

use std::rc::Rc;

pub use reference::{ReferenceJob, UwfqReference, VirtualUser};

use super::explain::{self, Contender, Explanation, Key, KeyComponent, NumberedFacts, Value};
use super::{
    Actions, Admission, Context, EstimatesRead, Info, KeyBasis, Launch, Policy, PolicyGroup, StageView, View,
    by_key,
};
use crate::ids::{Rank, StageIndex, UserId};
use crate::scenario::parameter::declared;
use crate::tournament::{self, Tournament};
use crate::units::{SlotTime, Span, VirtualTime, Weight};
use clock::UwfqClock;
use jobs::{JobList, JobLists};
use user_time::{NextStep, UserTime};
use waiting::{DepartedJobs, WaitingUsers};

/// What readers should know of UWFQ.
pub const INFO: Info = Info {
    id: "uwfq",
    title: "UWFQ",
    name: "User Weighted Fair Queuing",
    source: "UWFQ paper",
    summary: "The job that would end first if users shared the cores fairly goes first.",
    key: "deadline of the job, rank of arrival, stage id",
    group: PolicyGroup::VirtualTime,
    look: 4,
    parameters: declared::UWFQ.parameters,
    // And those of the stages left, where one is submitted so late that its job is admitted again.
    estimates: EstimatesRead::Jobs,
    basis: KeyBasis::Precedence,
    ..Info::DEFAULT
};

/// What UWFQ does with a stage submitted after its job has finished virtually (paper 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LateStage {
    /// Keep the deadline within the grace period, admit the job again after it.
    Grace(Span),
    /// Deadline 0 from then on.
    Top,
}

/// What was done with a stage submitted after its job had finished virtually.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LateTreatment {
    /// The job kept its deadline: it was within the grace period.
    Kept,
    /// The job was admitted again as if it arrived then.
    Again,
    /// The job goes first from then on: its deadline is 0.
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
    fn decide(self, within: impl FnOnce(Span) -> bool) -> LateTreatment {
        match self {
            LateStage::Grace(grace) if within(grace) => LateTreatment::Kept,
            LateStage::Grace(_) => LateTreatment::Again,
            LateStage::Top => LateTreatment::Top,
        }
    }
}

/// User Weighted Fair Queuing in O(log n). Key: (global deadline of the job, rank of arrival, stage id).
#[derive(Clone, Debug)]
pub struct Uwfq {
    weights: Rc<[Weight]>,
    late_stage: LateStage,
    clock: UwfqClock,
    users: Vec<UwfqUserState>,
    /// Active users by End.
    ends: Tournament,
    /// The users' jobs that have not finished virtually.
    lists: JobLists,
    /// By rank, of the jobs that are in no list: the last D_global that it had, or 0 if it goes first.
    deadlines: Vec<VirtualTime>,
    /// By rank: what was done with the job's last late stage.
    late: Vec<Option<LateTreatment>>,
    waiting: WaitingUsers,
}

#[derive(Clone, Debug, Default)]
struct UwfqUserState {
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
    waiting: DepartedJobs,
}

impl UwfqUserState {
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
        if !self.lists.holds(rank) {
            return self.deadlines[rank.index()];
        }
        let state = &self.users[user.index()];
        let (work, _) = self.lists.work_through(state.jobs, rank);
        VirtualTime(state.deadline(work, self.weight(user)))
    }

    /// Advances V and T to the instant `now` (µs), letting users leave when the last of their jobs
    /// has finished virtually (Algorithm 2).
    fn advance(&mut self, now: f64) {
        while let Some(first) = self.ends.first() {
            let user = UserId(tournament::slot(first));
            let end = self.users[user.index()].end;
            let finish = self.clock.instant_of(end);
            if finish > now {
                break;
            }
            self.clock.progress(finish);
            self.clock.virtual_time = end;
            self.leave(user);
        }
        self.clock.progress(now);
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
    }

    fn leave(&mut self, user: UserId) {
        while self.depart(user).is_some() {}
        self.ends.clear(user.0);
        self.clock.leave(self.weight(user).millionths());
        let state = &mut self.users[user.index()];
        state.active = false;
        state.left_at = Some(state.end);
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
    fn serve(&mut self, user: UserId) {
        loop {
            let state = &self.users[user.index()];
            let Some(first) = self.lists.first(state.jobs) else { break };
            let (deadline, jobs) = (self.lists.deadline(first), self.lists.len(state.jobs));
            match self.users[user.index()].time.advance(deadline, jobs, &self.clock) {
                NextStep::Done => return,
                NextStep::Finish => _ = self.depart(user),
                NextStep::TooClose => return self.settle(user),
            }
        }
        self.users[user.index()].time.rest(&self.clock);
    }

    /// Replays the paper's sum of a user's Vu, and removes the jobs that have finished by it.
    fn settle(&mut self, user: UserId) {
        let lists = &mut self.lists;
        let first = self.users[user.index()].time.settle(&self.clock, |rank, user_time, deadline| {
            // A job can have left since and have been admitted again.
            if lists.holds(rank) && lists.estimate(rank) as f64 + user_time == deadline {
                lists.correct(rank, deadline);
            }
        });
        while let Some(rank) = self.lists.first(self.users[user.index()].jobs)
            && Some(rank) != first
        {
            self.depart(user);
        }
    }

    /// Inserts a job into its user's list (Algorithm 1, after its phase 1).
    fn admit(&mut self, rank: Rank, user: UserId, estimate: SlotTime) {
        self.enter(user);
        self.serve(user);
        let state = &self.users[user.index()];
        let doubt = state.time.doubt(&self.clock);
        let deadline = state.time.user_time + estimate.0 as f64;
        if self.lists.check_position(state.jobs, deadline, doubt).is_err() {
            self.settle(user);
        }
        let weight = self.weight(user);
        let state = &mut self.users[user.index()];
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
        // Within the grace period nothing follows from it.
        if self.late_stage == LateStage::Top && self.lists.holds(rank) {
            self.serve(user);
        }
        !self.lists.holds(rank)
    }

    fn move_to_top(&mut self, rank: Rank, user: UserId) {
        self.deadlines[rank.index()] = VirtualTime(0.0);
        if self.lists.waits(rank) {
            self.users[user.index()].waiting.push(VirtualTime(0.0), rank);
        }
    }
}

impl Policy for Uwfq {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        Uwfq {
            clock: UwfqClock::new(context.cores()),
            users: vec![UwfqUserState::default(); context.weights.len()],
            ends: Tournament::new(context.weights.len()),
            lists: JobLists::new(context.jobs()),
            deadlines: vec![VirtualTime(0.0); context.jobs()],
            late: vec![None; context.jobs()],
            waiting: WaitingUsers::new(context),
            weights: Rc::clone(&context.weights),
            late_stage: LateStage::new(context),
        }
    }

    fn job_arrived(&mut self, job: Rank, view: &View, _: &mut Actions) -> Admission {
        let job = view.job(job);
        self.advance(view.now().0 as f64);
        self.admit(job.rank(), job.user(), job.estimate());
        // Its first stages may be delayed, while the user's other jobs already have later deadlines.
        self.rank(job.user());
        Admission::Start
    }

    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        let seen = view.stage(stage);
        let (rank, user) = (seen.job(), seen.user());
        if !seen.is_root() {
            self.advance(view.now().0 as f64);
            if self.is_late(rank, user) {
                let late = self.late_stage.decide(|grace| self.within_grace(user, grace));
                self.late[rank.index()] = Some(late);
                match late {
                    LateTreatment::Kept => {}
                    LateTreatment::Again => {
                        self.admit(rank, user, seen.job_view().unsubmitted() + seen.estimate())
                    }
                    LateTreatment::Top => self.move_to_top(rank, user),
                }
            }
        }
        self.insert_waiting(stage, rank, user);
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        let stage = view.stage(launch.stage);
        if stage.pending() == 0 {
            self.remove_waiting(launch.stage, stage.job(), stage.user());
        }
    }

    fn task_ended(&mut self, _: Launch, _: &View) {}

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        let seen = view.stage(stage);
        let (rank, user) = (seen.job(), seen.user());
        match (seen.pending() > 0, self.waiting.has(stage, rank)) {
            (true, false) => self.insert_waiting(stage, rank, user),
            (false, true) => self.remove_waiting(stage, rank, user),
            _ => {}
        }
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        if view.models_memory() {
            return by_key(self, view);
        }
        Some(Launch { stage: self.waiting.first()?, core: view.lowest_free_core()? })
    }

    fn key(&self, stage: StageView) -> Key {
        let deadline = self.deadline(stage.job(), stage.user());
        Key::new(stage, [KeyComponent::new("global deadline D", Value::WorkPerWeight(deadline.0))])
    }

    fn catch_up(&mut self, view: &View) {
        self.advance(view.now().0 as f64);
        for user in (0..self.users.len() as u32).map(UserId) {
            if self.users[user.index()].active {
                self.serve(user);
            }
        }
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        let (rank, user) = (stage.job(), &self.users[stage.user().index()]);
        let late = self.late[rank.index()];
        if late == Some(LateTreatment::Top) {
            let remark = "a stage of the job was submitted after its virtual finish, so the job goes first from \
                then on";
            return NumberedFacts { parts: Vec::new(), remark: Some(remark) };
        }
        if !self.lists.holds(rank) {
            let remark = match late {
                Some(LateTreatment::Kept) => {
                    "the job has finished virtually and keeps its deadline within the grace period"
                }
                _ => "the job has finished virtually and keeps the deadline it had",
            };
            return NumberedFacts { parts: Vec::new(), remark: Some(remark) };
        }
        let (work, before) = self.lists.work_through(user.jobs, rank);
        let estimate = self.lists.estimate(rank);
        let parts = vec![
            KeyComponent::new("V at the user's entry (Va)", Value::WorkPerWeight(user.virtual_arrival)),
            KeyComponent::new("work served since", Value::Work(user.served as f64)),
            KeyComponent::new("jobs of the user before it", Value::Jobs(before)),
            KeyComponent::new("work of those", Value::Work((work - estimate) as f64)),
            KeyComponent::new("its estimated work", Value::Work(estimate as f64)),
            KeyComponent::new("weight", Value::Weight(self.weight(stage.user()))),
            KeyComponent::new("user deadline (D_user)", Value::Work(self.lists.deadline(rank))),
            KeyComponent::new("user virtual time (Vu)", Value::Work(user.time.user_time)),
        ];
        let remark = (late == Some(LateTreatment::Again)).then_some(
            "the job had finished virtually and was admitted again with the work of its remaining stages",
        );
        NumberedFacts { parts, remark }
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        let figures = explain::against(first.key.work(part), second.key.work(part));
        let unit = match (first.weight, second.weight) {
            (Weight::ONE, Weight::ONE) => "",
            _ => " per unit of weight",
        };
        format!("{} has the smallest deadline ({figures}{unit}), so it goes first.", first.label)
    }

    fn clock(&self, view: &View) -> Option<explain::PolicyClock> {
        let active = self.users.iter().zip(&*self.weights).filter(|(user, _)| user.active);
        Some(self.clock.at(view.now().0 as f64, active.map(|(user, weight)| (user.end, weight.millionths()))))
    }

    fn users(&self, _: &View) -> Vec<(UserId, Explanation)> {
        let users = (0..).map(UserId).zip(&self.users).filter(|(_, user)| user.active);
        let explain = |(id, user): (UserId, &UwfqUserState)| {
            let facts = vec![
                KeyComponent::new("Va", Value::WorkPerWeight(user.virtual_arrival)),
                KeyComponent::new("Vu", Value::Work(user.time.user_time)),
                KeyComponent::new("End", Value::WorkPerWeight(user.end)),
                KeyComponent::new("jobs", Value::Jobs(self.lists.len(user.jobs))),
            ];
            (id, Explanation { parts: Vec::new(), facts })
        };
        users.map(explain).collect()
    }
}
