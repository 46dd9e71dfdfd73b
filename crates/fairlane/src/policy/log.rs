//! What a policy logs while it is simulated, so that its state at any moment
//! can be looked up afterwards instead of simulated again.
//!
//! Policies whose keys follow from counts that the trace holds (FIFO, Fair, UJF) log nothing.
//!
//! ```
//! use fairlane::engine::{Control, simulate_with_journal};
//! let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
//! let (_, journal) = simulate_with_journal(&scenario, "uwfq".parse()?, &mut |_| Control::Continue)?;
//! assert_eq!(journal.log.virtual_time(0.0), 0.0);
//! assert_eq!(journal.log.admissions.len(), scenario.jobs().len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::ids::{CoreId, Rank, StageId, UserId};
use crate::units::{SlotTime, Time};

/// V at an instant. Between two readings V is a straight line; before the first it is 0 and after
/// the last it is constant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The instant in µs; a fraction, because users and stages leave between microseconds.
    pub at: f64,
    /// V, in core-µs (UWFQ: per unit of weight).
    pub virtual_time: f64,
}

/// How something left the fluid system behind a policy's virtual time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Departure {
    /// The number of the event at which the policy detected it; [`Departure::NEVER`]'s if it was after
    /// the last one.
    pub event: u32,
    /// The instant of leaving in µs; infinite if it never did.
    pub at: f64,
    /// V at that instant.
    pub virtual_time: f64,
    /// The deadline with which it left: a stage's D, a job's D_global, a user's End.
    pub deadline: f64,
}

impl Departure {
    /// That of something that has not left.
    pub const NEVER: Departure = Departure {
        event: u32::MAX,
        at: f64::INFINITY,
        virtual_time: f64::INFINITY,
        deadline: f64::INFINITY,
    };
}

/// A stage submitted under CFQ, or one whose deadline the released UWFQ set (then the estimate is 0 and the deadline is
/// the start).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageEntry {
    /// The stage.
    pub stage: StageId,
    /// The number of the event of its submission.
    pub event: u32,
    /// V at its submission, in core-µs.
    pub start: f64,
    /// Its estimated work; start + estimate is its deadline.
    pub estimate: SlotTime,
    /// Its virtual finish.
    pub left: Departure,
}

/// A session of a user: from becoming active under UWFQ to leaving.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionEntry {
    /// The user.
    pub user: UserId,
    /// The number of the event at which the user entered.
    pub event: u32,
    /// Va: V at that event, in core-µs per unit of weight.
    pub virtual_arrival: f64,
    /// The user's leaving; its deadline is the End.
    pub left: Departure,
}

/// Why UWFQ gave a job its deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AdmissionCause {
    /// It arrived.
    Arrival,
    /// A stage of it was submitted after its virtual finish and after the grace period.
    Again,
}

/// A job's time among its user's unfinished jobs under UWFQ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdmissionEntry {
    /// The job.
    pub rank: Rank,
    /// The user's session, by index among the [`SessionEntry`]s.
    pub session: u32,
    /// The number of the event.
    pub event: u32,
    /// Why.
    pub cause: AdmissionCause,
    /// L: the estimated work it was admitted with.
    pub estimate: SlotTime,
    /// The instant of admission in µs.
    pub at: f64,
    /// V at the admission.
    pub virtual_time: f64,
    /// Vu at the admission, in core-µs; Vu + estimate is its D_user.
    pub user_time: f64,
    /// Its virtual finish; its deadline is the D_global it keeps.
    pub left: Departure,
}

/// What UWFQ does with a stage submitted after its job has finished virtually (paper 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Late {
    /// The job keeps its deadline: it is within the grace period.
    Kept,
    /// The job is admitted again as if it arrived now.
    Again,
    /// The job goes first from now on: its deadline is 0.
    Top,
}

/// A stage submitted after its job had finished virtually.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateEntry {
    /// The job.
    pub rank: Rank,
    /// The number of the event of the stage's submission.
    pub event: u32,
    /// What UWFQ did.
    pub late: Late,
}

/// All that a policy has logged, each table in the order of events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PolicyLog {
    /// V over real time.
    pub readings: Vec<Reading>,
    /// CFQ's stages, in the order of submission; the released UWFQ's deadlines, in the order in which they were set.
    pub stages: Vec<StageEntry>,
    /// UWFQ's active users.
    pub sessions: Vec<SessionEntry>,
    /// UWFQ's jobs.
    pub admissions: Vec<AdmissionEntry>,
    /// UWFQ's late stages.
    pub late: Vec<LateEntry>,
    /// Values of the policy's own.
    pub values: Vec<ValueEntry>,
}

/// A value that a policy logs; what it means is for the policy to say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueEntry {
    /// The number of the event.
    pub event: u32,
    /// Which of the policy's quantities it is.
    pub quantity: u32,
    /// Of what, such as a job's rank.
    pub subject: u64,
    /// The value.
    pub value: f64,
}

impl PolicyLog {
    /// V at an instant in µs.
    pub fn virtual_time(&self, at: f64) -> f64 {
        let after = self.readings.partition_point(|reading| reading.at <= at);
        let Some(last) = after.checked_sub(1).map(|last| self.readings[last]) else { return 0.0 };
        match self.readings.get(after) {
            Some(next) if at > last.at => {
                let part = (at - last.at) / (next.at - last.at);
                last.virtual_time + (next.virtual_time - last.virtual_time) * part
            }
            _ => last.virtual_time,
        }
    }
}

/// An event that a policy received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyEvent {
    /// When.
    pub at: Time,
    /// What.
    pub kind: EventKind,
}

/// What happened. Launches and ends of tasks are in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventKind {
    /// A job arrived.
    Arrival(Rank),
    /// A stage was submitted.
    Submission(StageId),
    /// A job that had started is dropped: its tasks end now, and its end follows after an offer round.
    Drop(Rank),
    /// A job finished, or was dropped after it had started.
    JobEnd(Rank),
}

/// A moment of a simulation, and what is known of everything before it.
#[derive(Clone, Copy)]
pub struct Snapshot<'a> {
    /// The log.
    pub log: &'a PolicyLog,
    /// The events that the policy had received.
    pub events: &'a [PolicyEvent],
    /// The instant in µs.
    pub at: f64,
    /// The jobs' tasks.
    pub jobs: &'a dyn JobHistory,
}

/// What jobs had at the moment of a [`Snapshot`].
pub trait JobHistory {
    /// Tasks of the job that held a core.
    fn running(&self, job: Rank) -> u32 {
        self.held(job)[0] as u32
    }
    /// Core time that the job's tasks had held, in core-µs.
    fn attained(&self, job: Rank) -> SlotTime {
        SlotTime(self.used(job, Time::ZERO)[0] as u64)
    }
    /// The submitted stages with pending tasks.
    fn waiting(&self) -> Vec<StageId> {
        Vec::new()
    }
    /// The tasks that held cores: the stage and the core of each, in no order that means anything.
    fn held_cores(&self) -> Vec<(StageId, CoreId)> {
        Vec::new()
    }
    /// Cores, and memory in MB, that the job's tasks held.
    fn held(&self, job: Rank) -> [u64; 2];
    /// What the job's tasks had used since an instant, in core-µs and MB-µs.
    fn used(&self, job: Rank, since: Time) -> [u128; 2];
}

impl Snapshot<'_> {
    /// How many events the policy had received.
    pub fn event_count(&self) -> u32 {
        self.events.len() as u32
    }

    /// Whether something had left by then.
    ///
    /// The number of the event decides where several share an instant, the instant where the
    /// policy only detected it later.
    pub fn has_left(&self, left: &Departure) -> bool {
        left.event < self.event_count() || left.at <= self.at
    }

    /// The jobs that had arrived and not ended, in the order of arrival.
    pub fn active_jobs(&self) -> Vec<Rank> {
        let mut active = BTreeSet::new();
        for event in self.events {
            match event.kind {
                EventKind::Arrival(rank) => _ = active.insert(rank),
                EventKind::JobEnd(rank) => _ = active.remove(&rank),
                EventKind::Submission(_) | EventKind::Drop(_) => {}
            }
        }
        active.into_iter().collect()
    }
}

/// Writes the log of one simulation; does nothing before [`LogWriter::start`].
#[derive(Clone, Debug, Default)]
pub(super) struct LogWriter {
    started: bool,
    log: PolicyLog,
    /// The number of the event that the policy receives now.
    event: u32,
    /// The events at which V was read, one for each reading.
    read_at: Vec<u32>,
    /// The entries of the stages, users and jobs now in the fluid system. Only looked up, never iterated.
    open_stages: HashMap<StageId, usize>,
    open_sessions: HashMap<UserId, usize>,
    open_admissions: HashMap<Rank, usize>,
}

impl LogWriter {
    pub(super) fn start(&mut self) {
        self.started = true;
    }

    pub(super) fn is_started(&self) -> bool {
        self.started
    }

    /// Entries from now on belong to this event.
    pub(super) fn set_event(&mut self, event: u32) {
        self.event = event;
    }

    pub(super) fn read(&mut self, at: f64, virtual_time: f64) {
        if !self.started {
            return;
        }
        let reading = Reading { at, virtual_time };
        if self.log.readings.last() != Some(&reading) {
            self.log.readings.push(reading);
            self.read_at.push(self.event);
        }
    }

    pub(super) fn submit(&mut self, stage: StageId, start: f64, estimate: SlotTime) {
        if !self.started {
            return;
        }
        self.open_stages.insert(stage, self.log.stages.len());
        let event = self.event;
        self.log.stages.push(StageEntry { stage, event, start, estimate, left: Departure::NEVER });
    }

    /// A stage's deadline is set, or changed.
    pub(super) fn set_deadline(&mut self, stage: StageId, deadline: f64) {
        if !self.started {
            return;
        }
        let (event, estimate) = (self.event, SlotTime(0));
        self.log.stages.push(StageEntry { stage, event, start: deadline, estimate, left: Departure::NEVER });
    }

    pub(super) fn end_stage(&mut self, stage: StageId, at: f64, deadline: f64) {
        if !self.started {
            return;
        }
        if let Some(entry) = self.open_stages.remove(&stage) {
            let virtual_time = deadline;
            self.log.stages[entry].left = Departure { event: self.event, at, virtual_time, deadline };
        }
    }

    pub(super) fn enter(&mut self, user: UserId, virtual_arrival: f64) {
        if !self.started {
            return;
        }
        self.open_sessions.insert(user, self.log.sessions.len());
        let event = self.event;
        self.log.sessions.push(SessionEntry { user, event, virtual_arrival, left: Departure::NEVER });
    }

    pub(super) fn leave(&mut self, user: UserId, at: f64, end: f64) {
        if let Some(entry) = self.open_sessions.remove(&user) {
            let left = Departure { event: self.event, at, virtual_time: end, deadline: end };
            self.log.sessions[entry].left = left;
        }
    }

    /// A job of an active user is admitted. V and T are those of the last reading.
    pub(super) fn admit(
        &mut self,
        rank: Rank,
        user: UserId,
        cause: AdmissionCause,
        estimate: SlotTime,
        user_time: f64,
    ) {
        let Some(&Reading { at, virtual_time }) = self.log.readings.last() else { return };
        self.open_admissions.insert(rank, self.log.admissions.len());
        self.log.admissions.push(AdmissionEntry {
            rank,
            session: self.open_sessions[&user] as u32,
            event: self.event,
            cause,
            estimate,
            at,
            virtual_time,
            user_time,
            left: Departure::NEVER,
        });
    }

    /// A job finishes virtually.
    pub(super) fn depart(&mut self, rank: Rank, at: f64, virtual_time: f64, deadline: f64) {
        if !self.started {
            return;
        }
        self.end_admission(rank, Departure { event: self.event, at, virtual_time, deadline });
    }

    fn end_admission(&mut self, rank: Rank, left: Departure) {
        if let Some(entry) = self.open_admissions.remove(&rank) {
            self.log.admissions[entry].left = left;
        }
    }

    /// A job finished virtually when V was `virtual_time`, which may be detected long after.
    pub(super) fn depart_by(&mut self, rank: Rank, virtual_time: f64, deadline: f64) {
        if !self.started {
            return;
        }
        let readings = &self.log.readings;
        let after = readings.partition_point(|reading| reading.virtual_time < virtual_time);
        let at = match (after.checked_sub(1).map(|before| readings[before]), readings.get(after)) {
            (Some(before), Some(after)) => {
                let part = (virtual_time - before.virtual_time) / (after.virtual_time - before.virtual_time);
                before.at + (after.at - before.at) * part
            }
            (Some(last), None) => last.at,
            (None, first) => first.map_or(0.0, |first| first.at),
        };
        let event = self.read_at.get(after).copied().unwrap_or(self.event);
        self.end_admission(rank, Departure { event, at, virtual_time, deadline });
    }

    /// Corrects Vu at the admission of a job that has not finished virtually.
    pub(super) fn correct(&mut self, rank: Rank, user_time: f64) {
        if let Some(&entry) = self.open_admissions.get(&rank) {
            self.log.admissions[entry].user_time = user_time;
        }
    }

    pub(super) fn add_late(&mut self, rank: Rank, late: Late) {
        if !self.started {
            return;
        }
        self.log.late.push(LateEntry { rank, event: self.event, late });
    }

    /// What is written from now on happens after the last event.
    pub(super) fn end_events(&mut self) {
        self.event = Departure::NEVER.event;
    }

    pub(super) fn finish(&mut self) -> PolicyLog {
        std::mem::take(self).log
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn virtual_time_is_a_line_between_readings() {
        let reading = |at, virtual_time| Reading { at, virtual_time };
        let readings = vec![reading(1.0, 0.0), reading(3.0, 8.0), reading(5.0, 8.0), reading(6.0, 9.0)];
        let log = PolicyLog { readings, ..PolicyLog::default() };
        let read = [0.5, 1.0, 2.0, 3.0, 4.0, 5.5, 6.0, 99.0].map(|at| log.virtual_time(at));
        assert_eq!(read, [0.0, 0.0, 4.0, 8.0, 8.0, 8.5, 9.0, 9.0]);
    }
}
