//! UWFQ in words and numbers: its state at a moment of a simulation, from its log, and what its keys
//! are made of.

use super::{Lateness, Reference, UserState, VirtualJob};
use crate::ids::UserId;
use crate::policy::explain::{
    self, Active, Activity, Clock, ClockJob, Contender, Explanation, Part, Ranking, UserClock, Value,
};
use crate::policy::log::{Late, Snapshot};
use crate::policy::{Candidate, Context, RankedPolicy};
use crate::units::{VirtualTime, Weight};

impl Reference {
    /// The policy's state at a moment. V, Vu and who is active are those of the instant, also
    /// where the policy itself would only detect it at its next event.
    pub(super) fn at_snapshot(context: &Context, snapshot: &Snapshot) -> Reference {
        let mut policy = Reference::new(context);
        policy.virtual_time = snapshot.log.virtual_time(snapshot.at);
        policy.updated = snapshot.at;
        let sessions = &snapshot.log.sessions;
        let sessions =
            &sessions[..sessions.partition_point(|session| session.event < snapshot.event_count())];
        // Each user's latest session; the ones before it no longer matter but for the jobs' deadlines.
        let mut latest: Vec<Option<usize>> = vec![None; policy.users.len()];
        for (index, session) in sessions.iter().enumerate() {
            latest[session.user.index()] = Some(index);
        }
        for (user, index) in (0..).map(UserId).zip(&latest) {
            let Some(session) = index.map(|index| sessions[index]) else { continue };
            let state = &mut policy.users[user.index()];
            state.virtual_arrival = session.virtual_arrival;
            if snapshot.has_left(&session.left) {
                state.left_at = Some(session.left.deadline);
            } else {
                policy.active.push(user);
                policy.active_weight += policy.weights[user.index()].millionths();
            }
        }
        policy.recall_jobs(snapshot, &latest);
        let late = &snapshot.log.late;
        for entry in &late[..late.partition_point(|entry| entry.event < snapshot.event_count())] {
            policy.lateness[entry.rank.index()] = Lateness::Late(entry.late);
        }
        policy
    }

    /// The users' lists, what has been served of them, Vu and every deadline.
    fn recall_jobs(&mut self, snapshot: &Snapshot, latest: &[Option<usize>]) {
        let admissions = &snapshot.log.admissions;
        let admissions =
            &admissions[..admissions.partition_point(|entry| entry.event < snapshot.event_count())];
        // Vu and the V at which it was read: the last change of each user's list. Vu never falls
        // within a session, so the last is the largest.
        let mut read = vec![(VirtualTime(0.0), VirtualTime(0.0)); self.users.len()];
        for entry in admissions {
            let user = snapshot.log.sessions[entry.session as usize].user;
            let deadline = VirtualTime(entry.user_time + entry.estimate.0 as f64);
            let gone = snapshot.has_left(&entry.left);
            if gone {
                self.deadlines[entry.rank.index()] = VirtualTime(entry.left.deadline);
            }
            if latest[user.index()] != Some(entry.session as usize) {
                continue;
            }
            let state = &mut self.users[user.index()];
            let read = &mut read[user.index()];
            *read = (*read).max((VirtualTime(entry.user_time), VirtualTime(entry.virtual_time)));
            if gone {
                state.served += u128::from(entry.estimate.0);
                *read = (*read).max((deadline, VirtualTime(entry.left.virtual_time)));
            } else {
                state.jobs.push(VirtualJob { deadline, rank: entry.rank, estimate: entry.estimate });
            }
        }
        for user in (0..self.users.len() as u32).map(UserId) {
            let weight = self.weight(user).value();
            let state = &mut self.users[user.index()];
            let (user_time, at) = read[user.index()];
            state.user_time = user_time.0;
            state.end = state.virtual_arrival + state.served as f64 / weight;
            if !state.jobs.is_empty() {
                let jobs = state.jobs.len() as f64;
                state.user_time += (self.virtual_time - at.0).max(0.0) * weight / jobs;
                state.jobs.sort_by_key(|job| (job.deadline, job.rank));
                self.set_deadlines(user, weight);
            }
        }
    }

    pub(super) fn explain_key(&self, stage: &Candidate) -> Explanation {
        let (deadline, rank, id) = self.key(stage);
        let parts = vec![
            Part::new("global deadline D", Value::WorkPerWeight(deadline.0)),
            Part::new("rank of arrival", Value::Number(u64::from(rank.0))),
            Part::new("stage id", Value::Number(id.0)),
        ];
        let user = &self.users[stage.user.index()];
        let mut facts = Vec::new();
        let index = user.jobs.iter().position(|job| job.rank == rank);
        if let Some(index) = index.filter(|_| !self.is_on_top(stage)) {
            let before: u128 = user.jobs[..index].iter().map(|job| u128::from(job.estimate.0)).sum();
            let job = &user.jobs[index];
            facts = vec![
                Part::new("V at the user's entry (Va)", Value::WorkPerWeight(user.virtual_arrival)),
                Part::new("work served since", Value::Work(user.served as f64)),
                Part::new("jobs of the user before it", Value::Jobs(index as u32)),
                Part::new("work of those", Value::Work(before as f64)),
                Part::new("its estimated work", Value::Work(job.estimate.0 as f64)),
                Part::new("weight", Value::Weight(self.weight(stage.user))),
                Part::new("user deadline (D_user)", Value::Work(job.deadline.0)),
                Part::new("user virtual time (Vu)", Value::Work(user.user_time)),
            ];
        }
        let remark = match (self.lateness[rank.index()], index) {
            (Lateness::Late(Late::Top), _) => Some(
                "a stage of the job was submitted after its virtual finish, so the job goes first from then on",
            ),
            (Lateness::Late(Late::Again), Some(_)) => Some(
                "the job had finished virtually and was admitted again with the work of its remaining stages",
            ),
            (Lateness::Late(Late::Kept), None) => {
                Some("the job has finished virtually and keeps its deadline within the grace period")
            }
            (_, None) => Some("the job has finished virtually and keeps the deadline it had"),
            (_, Some(_)) => None,
        };
        Explanation { parts, facts, remark }
    }

    fn is_on_top(&self, stage: &Candidate) -> bool {
        self.lateness[stage.rank.index()] == Lateness::Late(Late::Top)
    }

    /// The clock with everybody who has ever been active.
    pub(super) fn read_all(&self) -> Clock {
        let users = (0..self.users.len() as u32).map(UserId);
        let known = users.filter(|&user| self.is_active(user) || self.users[user.index()].left_at.is_some());
        Clock {
            virtual_time: self.virtual_time,
            rate: (!self.active.is_empty()).then(|| self.cores / self.total_weight()),
            active: Active::Users(known.map(|user| self.read_user(user)).collect()),
        }
    }

    fn read_user(&self, user: UserId) -> UserClock {
        let UserState { virtual_arrival, user_time, served, ref jobs, end, .. } = self.users[user.index()];
        let job = |job: &VirtualJob| ClockJob {
            rank: job.rank,
            user_deadline: job.deadline.0,
            estimate: job.estimate,
            deadline: self.deadlines[job.rank.index()].0,
        };
        UserClock {
            user,
            weight: self.weight(user),
            activity: if self.is_active(user) { Activity::Active } else { Activity::Left },
            virtual_arrival,
            user_time,
            served: served as f64,
            end,
            jobs: jobs.iter().map(job).collect(),
        }
    }
}

/// Why the first of two stages goes first.
pub(super) fn reason(first: &Contender, second: &Contender) -> String {
    let (label, other) = (first.label, second.label);
    match first.key.decided_by(second.key) {
        Some(0) => {
            let figures = explain::against(first.key.work(0), second.key.work(0));
            let unit = match (first.weight, second.weight) {
                (Weight::ONE, Weight::ONE) => "",
                _ => " per unit of weight",
            };
            format!("{label} has the smallest deadline ({figures}{unit}), so it goes first.")
        }
        Some(1) => {
            format!("{label} and {other} have the same deadline and {label} arrived first, so it goes first.")
        }
        _ => {
            let tie = explain::tie_reason(first, second, 2);
            format!("{label} and {other} are of one job and {tie}, so {label} goes first.")
        }
    }
}
