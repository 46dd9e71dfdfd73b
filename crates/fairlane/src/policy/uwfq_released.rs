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

use std::collections::HashMap;
use std::rc::Rc;

use super::explain::{self, Active, Clock, Contender, Explainer, Explanation, Part, Ranking, Value};
use super::log::{LogWriter, PolicyLog, Snapshot};
use super::parameters::{Parameter, ParameterKind};
use super::queue::Sorted;
use super::{
    ArrivingJob, Candidate, Context, Estimates, Group, Info, KeyBasis, RankedPolicy, SubmittedStage,
};
use crate::ids::{Rank, StageId, UserId};
use crate::tournament::ascending;
use crate::units::{Span, Time, VirtualTime};

/// What readers should know of the released UWFQ.
pub const INFO: Info = Info {
    id: "uwfq-released",
    title: "UWFQ released",
    name: "User Weighted Fair Queuing, the code",
    source: "UWFQ paper",
    summary: "UWFQ as its authors released it: whole milliseconds, late stages first, no weights.",
    key: "deadline of the stage, order of submission",
    group: Group::VirtualTime,
    parameters: &[Parameter {
        name: "grace_s",
        title: "UWFQ released grace",
        summary: "How long after a user has left a late stage still brings the user back with the old virtual arrival.",
        unit: "s",
        kind: ParameterKind::Seconds { default: 2.0 },
    }],
    estimates: Estimates::Jobs,
    ..Info::DEFAULT
};

const MICROS_PER_MILLI: u64 = 1000;

/// The released scheduler class. Key: (deadline of the stage, order of submission).
#[derive(Debug)]
pub struct UwfqReleased {
    name_order: Rc<[u32]>,
    grace: Span,
    /// The number of cores R.
    cores: f64,
    /// V in core-ms.
    virtual_time: i64,
    /// What a look-up between two submissions adds to V, in core-µs: there V is drawn as a line.
    between: f64,
    /// T: the instant of V, in ms.
    updated: i64,
    users: Vec<UserState>,
    /// Active users, in the order of the user list.
    active: Vec<UserId>,
    /// By rank.
    jobs: Vec<JobState>,
    /// Of every stage submitted, in core-ms. Only looked up, never iterated.
    deadlines: HashMap<StageId, i64>,
    log: LogWriter,
}

#[derive(Clone, Debug, Default)]
struct UserState {
    /// Whether the user has ever been active.
    known: bool,
    /// Va in core-ms: the virtual arrival and all work that has finished virtually since.
    virtual_arrival: i64,
    /// Vu in core-ms. Continues where it was when the user is active again.
    user_time: i64,
    /// End in core-ms: D_global of the last job when the deadlines were last set.
    end: i64,
    /// Jobs that have not finished virtually, ordered by (D_user, rank).
    jobs: Vec<VirtualJob>,
}

#[derive(Clone, Copy, Debug)]
struct VirtualJob {
    /// D_user in core-ms.
    deadline: i64,
    rank: Rank,
    /// L in core-ms.
    estimate: i64,
}

#[derive(Clone, Debug, Default)]
struct JobState {
    /// L in core-ms.
    estimate: i64,
    /// Whether it has been in its user's list.
    admitted: bool,
    /// Stages submitted while it was in the list.
    stages: Vec<StageId>,
}

impl UserState {
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
        self.log.read(micros(self.updated), micros(self.virtual_time));
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
                let before = self.deadlines.insert(stage, deadline);
                if before != Some(deadline) {
                    self.log.set_deadline(stage, micros(deadline));
                }
            }
        }
        if !state.jobs.is_empty() {
            state.end = deadline;
        }
    }

    fn deadline(&self, stage: StageId) -> VirtualTime {
        VirtualTime(micros(self.deadlines.get(&stage).copied().unwrap_or_default()))
    }
}

fn micros(millis: i64) -> f64 {
    millis as f64 * MICROS_PER_MILLI as f64
}

impl Ranking for UwfqReleased {
    type Key = (VirtualTime, u32);

    fn key(&self, stage: &Candidate) -> Self::Key {
        (self.deadline(stage.id), stage.submission)
    }
}

impl RankedPolicy for UwfqReleased {
    const BASIS: KeyBasis<Self::Key> =
        KeyBasis::Precedence(|(deadline, submission)| [ascending(deadline.0), u64::from(submission), 0]);

    type Queue = Sorted;
    type Reference = Self;

    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        UwfqReleased {
            cores: f64::from(context.cores()),
            virtual_time: 0,
            between: 0.0,
            updated: 0,
            users: vec![UserState::default(); context.weights.len()],
            active: Vec::new(),
            jobs: vec![JobState::default(); context.jobs()],
            deadlines: HashMap::new(),
            log: LogWriter::default(),
            name_order: Rc::clone(&context.name_order),
            grace: context.span(&INFO, "grace_s"),
        }
    }

    fn job_arrived(&mut self, _now: Time, job: &ArrivingJob) {
        self.jobs[job.rank.index()].estimate = (job.estimate.0 / MICROS_PER_MILLI) as i64;
    }

    fn stage_submitted(&mut self, now: Time, stage: &SubmittedStage) {
        self.log.set_event(stage.event);
        self.advance((now.0 / MICROS_PER_MILLI) as i64);
        let job = &mut self.jobs[stage.rank.index()];
        let goes_on = std::mem::replace(&mut job.admitted, true);
        let estimate = job.estimate;
        self.enter(stage.user, goes_on);
        let user = &mut self.users[stage.user.index()];
        if !goes_on {
            let job = VirtualJob { deadline: user.user_time + estimate, rank: stage.rank, estimate };
            let position =
                user.jobs.partition_point(|other| (other.deadline, other.rank) < (job.deadline, job.rank));
            user.jobs.insert(position, job);
        }
        if user.jobs.iter().any(|job| job.rank == stage.rank) {
            self.jobs[stage.rank.index()].stages.push(stage.id);
        } else {
            self.deadlines.insert(stage.id, 0);
            self.log.set_deadline(stage.id, 0.0);
        }
        self.set_deadlines(stage.user);
    }

    fn start_log(&mut self) {
        self.log.start();
    }

    fn finish_log(&mut self) -> PolicyLog {
        self.log.finish()
    }
}

impl Explainer for UwfqReleased {
    fn explain(&self, stage: &Candidate) -> Explanation {
        let deadline = self.deadline(stage.id);
        let parts = vec![
            Part::new("deadline D", Value::Work(deadline.0)),
            Part::new("order of submission", Value::Number(u64::from(stage.submission))),
        ];
        let remark = if deadline.0 == 0.0 {
            "the stage was submitted after its job's virtual finish, so it goes first"
        } else {
            "the deadline is the released scheduler class's, in whole milliseconds"
        };
        Explanation { parts, facts: Vec::new(), remark: Some(remark) }
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        match first.key.decided_by(second.key) {
            Some(0) => {
                let figures = explain::against(first.key.work(0), second.key.work(0));
                format!("{} has the smallest deadline ({figures}), so it goes first.", first.label)
            }
            _ => format!(
                "{} and {} have the same deadline and {} was submitted first, so it goes first.",
                first.label, second.label, first.label
            ),
        }
    }

    fn clock(&self) -> Option<Clock> {
        let virtual_time = micros(self.virtual_time) + self.between;
        Some(Clock { virtual_time, rate: None, active: Active::Users(Vec::new()) })
    }

    fn at(context: &Context, snapshot: &Snapshot) -> Self {
        let mut policy = UwfqReleased::new(context);
        policy.between = snapshot.log.virtual_time(snapshot.at);
        let stages = &snapshot.log.stages;
        for entry in &stages[..stages.partition_point(|entry| entry.event < snapshot.event_count())] {
            let deadline = entry.start + entry.estimate.0 as f64;
            policy.deadlines.insert(entry.stage, cut(deadline / MICROS_PER_MILLI as f64));
        }
        policy
    }
}
