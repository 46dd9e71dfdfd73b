//! UWFQ as its authors' released scheduler class decides, to the millisecond.
//!
//! The class follows the paper's algorithms in whole milliseconds and differs from them in what it
//! does at the edges. All of it was read off the published class and confirmed against the
//! deadlines recorded from it in real Spark (`crates/fairlane-cli/tests/fidelity.rs`):
//!
//! - Every clock and every amount of work is a whole number of milliseconds; each product is cut
//!   towards zero. A job can so be left in its user's list when the user leaves; it then counts
//!   once more when the user is active again.
//! - Virtual time moves only when a stage is submitted.
//! - A stage whose job has left the list is late: its deadline is 0, so it goes first.
//! - A late stage reactivates a user who has left: with the old virtual arrival within the
//!   grace period, else as of now. The user then shares the cores until a millisecond before the
//!   next submission, also with an empty list; this slows virtual time down for everybody.
//! - Weights are not known to it.
//!
//! ```
//! use fairlane::{catalog, simulate};
//! let scenario = catalog::find("two-users").expect("an entry").scenario();
//! let [uwfq_released, fifo] = ["uwfq-released", "fifo"].map(|policy| simulate(&scenario, policy.parse().expect("a policy")));
//! // ben's single job among twelve of ana's.
//! let job = scenario.jobs().len() - 1;
//! assert!(uwfq_released.jobs[job].response() < fifo.jobs[job].response());
//! ```

use std::cmp::Reverse;
use std::rc::Rc;

use super::explain::{self, Contender, Key, KeyComponent, NumberedFacts, PolicyClock, Value};
use super::{
    Actions, Admission, Context, EstimatesRead, Info, KeyBasis, Launch, Policy, PolicyGroup, StageView, View,
};
use crate::ids::{Rank, StageIndex, UserId};
use crate::scenario::parameter::declared;
use crate::units::{SlotTime, Span, Time};

/// What readers should know of the released UWFQ.
pub const INFO: Info = Info {
    id: "uwfq-released",
    title: "UWFQ released",
    name: "User Weighted Fair Queuing, the code",
    source: "UWFQ paper",
    summary: "UWFQ as its authors released it: whole milliseconds, late stages first, no weights.",
    key: "deadline of the stage, order of submission",
    group: PolicyGroup::VirtualTime,
    look: 5,
    parameters: declared::UWFQ_RELEASED.parameters,
    estimates: EstimatesRead::Jobs,
    basis: KeyBasis::Precedence,
    ..Info::DEFAULT
};

const MICROS_PER_MILLI: u64 = 1000;

/// The released scheduler class. Key: (deadline of the stage, order of submission).
#[derive(Clone, Debug)]
pub struct UwfqReleased {
    name_order: Rc<[u32]>,
    grace: Span,
    /// The number of cores R.
    cores: f64,
    /// V in core-ms.
    virtual_time: i64,
    /// T: the instant of V, in ms.
    updated: i64,
    users: Vec<ReleasedUser>,
    /// Active users, in the order of the user list.
    active: Vec<UserId>,
    /// The jobs, indexed by rank.
    jobs: Vec<ReleasedJob>,
    /// By stage index, of every stage submitted, in core-ms.
    deadlines: Vec<i64>,
    /// The waiting stages, the first last; to be sorted again after a submission.
    waiting: Vec<StageIndex>,
    in_order: bool,
}

#[derive(Clone, Debug, Default)]
struct ReleasedUser {
    /// Whether the user has ever been active.
    known: bool,
    /// Va in core-ms: the virtual arrival and all work that has finished virtually since.
    virtual_arrival: i64,
    /// Vu in core-ms. Continues where it was when the user is active again.
    user_time: i64,
    /// End in core-ms: D_global of the last job when the deadlines were last set.
    end: i64,
    /// Jobs that have not finished virtually, ordered by (D_user, rank).
    jobs: Vec<ReleasedVirtualJob>,
}

#[derive(Clone, Copy, Debug)]
struct ReleasedVirtualJob {
    /// D_user in core-ms.
    deadline: i64,
    rank: Rank,
    /// L in core-ms.
    estimate: i64,
}

#[derive(Clone, Debug, Default)]
struct ReleasedJob {
    /// L in core-ms.
    estimate: i64,
    /// Whether it has been in its user's list.
    admitted: bool,
    /// Stages submitted while it was in the list.
    stages: Vec<StageIndex>,
}

impl ReleasedUser {
    /// Lets the user's jobs share `share` cores between two instants in ms.
    fn serve(&mut self, share: f64, from: i64, to: i64) {
        let mut from = from;
        let mut finished = 0;
        let rate = |finished: usize, jobs: usize| share / (jobs - finished) as f64;
        while let Some(job) = self.jobs.get(finished) {
            let rate = rate(finished, self.jobs.len());
            if job.deadline > self.user_time + cut((to - from) as f64 * rate) {
                break;
            }
            let spent = job.deadline - self.user_time;
            // A job left over from the user's last session may have a deadline that has passed; it costs nothing.
            if spent >= 0 {
                self.user_time = job.deadline;
                from += cut(spent as f64 / rate);
                self.virtual_arrival += job.estimate;
            }
            finished += 1;
        }
        if finished < self.jobs.len() {
            self.user_time += cut((to - from) as f64 * rate(finished, self.jobs.len()));
        }
        self.jobs.drain(..finished);
    }
}

/// Towards zero, as a cast to a whole number does on the Java virtual machine.
fn cut(value: f64) -> i64 {
    value as i64
}

impl UwfqReleased {
    /// The cores that each active user is due.
    fn share(&self) -> f64 {
        self.cores / self.active.len() as f64
    }

    fn advance(&mut self, now: i64) {
        let mut order = self.active.clone();
        order.sort_by_key(|user| (self.users[user.index()].end, self.name_order[user.index()]));
        for user in order {
            let share = self.share();
            let state = &self.users[user.index()];
            let finish = if state.jobs.is_empty() {
                now - 1
            } else if state.end <= self.virtual_time + cut((now - self.updated) as f64 * share) {
                self.updated + cut((state.end - self.virtual_time) as f64 / share)
            } else {
                break;
            };
            self.progress(finish, share);
            self.active.retain(|&other| other != user);
        }
        self.progress(now, self.share());
    }

    fn progress(&mut self, to: i64, share: f64) {
        if to < self.updated {
            return;
        }
        if !self.active.is_empty() {
            self.virtual_time += cut((to - self.updated) as f64 * share);
            for &user in &self.active {
                self.users[user.index()].serve(share, self.updated, to);
            }
        }
        self.updated = to;
    }

    /// Makes a user active. A user who was active before keeps the virtual arrival if the
    /// submission goes on with a known job within the grace period.
    fn enter(&mut self, user: UserId, goes_on: bool) {
        let Err(position) = self.active.binary_search(&user) else { return };
        self.active.insert(position, user);
        let grace = self.grace.0 as f64 / MICROS_PER_MILLI as f64 * self.cores;
        let state = &mut self.users[user.index()];
        let revived = state.known && goes_on && (self.virtual_time - state.end) as f64 <= grace;
        if !revived {
            state.virtual_arrival = self.virtual_time;
        }
        if !state.known {
            state.known = true;
            state.end = self.virtual_time;
        }
    }

    /// Sets the deadlines of a user's jobs in a chain, and so those of their stages.
    fn set_deadlines(&mut self, user: UserId) {
        let state = &mut self.users[user.index()];
        let mut deadline = state.virtual_arrival;
        for job in &state.jobs {
            deadline += job.estimate;
            for &stage in &self.jobs[job.rank.index()].stages {
                self.deadlines[stage.index()] = deadline;
            }
        }
        if !state.jobs.is_empty() {
            state.end = deadline;
        }
    }
}

fn micros(millis: i64) -> f64 {
    millis as f64 * MICROS_PER_MILLI as f64
}

impl UwfqReleased {
    /// A job arrives with its next stages.
    pub fn arrive(&mut self, estimate: SlotTime, stages: usize) {
        let estimate = (estimate.0 / MICROS_PER_MILLI) as i64;
        self.jobs.push(ReleasedJob { estimate, ..ReleasedJob::default() });
        self.deadlines.resize(self.deadlines.len() + stages, 0);
    }

    /// A stage of a job is submitted: its deadline now, in core-µs.
    pub fn submit(&mut self, now: Time, stage: StageIndex, rank: Rank, user: UserId) -> f64 {
        self.advance((now.0 / MICROS_PER_MILLI) as i64);
        let job = &mut self.jobs[rank.index()];
        let goes_on = std::mem::replace(&mut job.admitted, true);
        let estimate = job.estimate;
        self.enter(user, goes_on);
        let state = &mut self.users[user.index()];
        if !goes_on {
            let job = ReleasedVirtualJob { deadline: state.user_time + estimate, rank, estimate };
            let position =
                state.jobs.partition_point(|other| (other.deadline, other.rank) < (job.deadline, job.rank));
            state.jobs.insert(position, job);
        }
        if state.jobs.iter().any(|job| job.rank == rank) {
            self.jobs[rank.index()].stages.push(stage);
        } else {
            self.deadlines[stage.index()] = 0;
        }
        self.set_deadlines(user);
        micros(self.deadlines[stage.index()])
    }
}

impl Policy for UwfqReleased {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        UwfqReleased {
            cores: f64::from(context.cores()),
            virtual_time: 0,
            updated: 0,
            users: vec![ReleasedUser::default(); context.weights.len()],
            active: Vec::new(),
            jobs: Vec::new(),
            deadlines: Vec::new(),
            waiting: Vec::new(),
            in_order: true,
            name_order: Rc::clone(&context.name_order),
            grace: context.span(&INFO, "grace_s"),
        }
    }

    fn job_arrived(&mut self, job: Rank, view: &View, _: &mut Actions) -> Admission {
        let job = view.job(job);
        self.arrive(job.estimate(), job.stages().len());
        Admission::Start
    }

    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        let seen = view.stage(stage);
        self.submit(view.now(), stage, seen.job(), seen.user());
        self.waiting.push(stage);
        self.in_order = false;
    }

    fn task_launched(&mut self, _: Launch, _: &View) {}

    fn task_ended(&mut self, _: Launch, _: &View) {}

    /// A stage without pending tasks is removed once it is first; one that has some again may have been.
    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        if view.stage(stage).pending() > 0 && !self.waiting.contains(&stage) {
            self.waiting.push(stage);
            self.in_order = false;
        }
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        if !self.in_order {
            self.waiting.retain(|&stage| view.stage(stage).pending() > 0);
            let key = |stage: &StageIndex| (self.deadlines[stage.index()], view.stage(*stage).submission());
            self.waiting.sort_by_key(|stage| Reverse(key(stage)));
            self.in_order = true;
        }
        while self.waiting.pop_if(|stage| view.stage(*stage).pending() == 0).is_some() {}
        let most = view.largest_free_memory()?;
        let fits = |stage: &StageView| stage.pending() > 0 && stage.memory() <= most;
        let stage = self.waiting.iter().rev().map(|&stage| view.stage(stage)).find(fits)?.index();
        Some(Launch { stage, core: view.lowest_fitting_core(stage)? })
    }

    fn key(&self, stage: StageView) -> Key {
        let deadline = micros(self.deadlines[stage.index().index()]);
        Key::complete([
            KeyComponent::new("deadline D", Value::Work(deadline)),
            KeyComponent::new("order of submission", Value::Number(u64::from(stage.submission()))),
        ])
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        let remark = match self.deadlines[stage.index().index()] {
            0 => "the stage was submitted after its job's virtual finish, so it goes first",
            _ => "the deadline is the released scheduler class's, in whole milliseconds",
        };
        NumberedFacts { parts: Vec::new(), remark: Some(remark) }
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        let (label, other) = (first.label, second.label);
        match part {
            0 => {
                let figures = explain::against(first.key.work(0), second.key.work(0));
                format!("{label} has the smallest deadline ({figures}), so it goes first.")
            }
            _ => format!(
                "{label} and {other} have the same deadline and {label} was submitted first, so it goes first."
            ),
        }
    }

    /// V as it was at the last submission: the class advances it only then.
    fn clock(&self, _: &View) -> Option<PolicyClock> {
        Some(PolicyClock { virtual_time: micros(self.virtual_time), rate: None, next: None })
    }
}
