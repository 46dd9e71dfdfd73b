//! What a policy notes of its own clockwork while it is simulated, so that its state at any moment
//! can be looked up afterwards instead of simulated again.
//!
//! Policies without a clockwork of their own (FIFO, Fair, UJF) note nothing: their keys follow from
//! counts that the trace holds.

use std::collections::HashMap;

use crate::ids::{Rank, StageId, UserId};
use crate::units::SlotTime;

/// V at an instant. Between two readings V is a straight line; before the first it is 0 and after
/// the last it stands still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The instant in µs; a fraction, because users and stages leave between microseconds.
    pub at: f64,
    /// V, in core-µs (UWFQ: per unit of weight).
    pub virtual_time: f64,
}

/// How something left the fluid system behind a policy's virtual time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Departure {
    /// The number of the event at which the policy noticed; [`Departure::NEVER`]'s if it was after
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
    /// What has not left.
    pub const NEVER: Departure = Departure {
        event: u32::MAX,
        at: f64::INFINITY,
        virtual_time: f64::INFINITY,
        deadline: f64::INFINITY,
    };
}

/// A stage that CFQ took in, or whose deadline the released UWFQ set (then the estimate is 0 and the deadline is the
/// start).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageNote {
    /// The stage.
    pub stage: StageId,
    /// The number of the event of its submission.
    pub event: u32,
    /// V at its submission, in core-µs.
    pub start: f64,
    /// Its estimated work; start + estimate is its deadline.
    pub estimate: SlotTime,
    /// Its virtual end.
    pub left: Departure,
}

/// A user's stay in UWFQ's set of active users.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SessionNote {
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It arrived.
    Arrival,
    /// A stage of it came after its virtual end and after the grace period.
    Again,
}

/// A job's stay in its user's list of UWFQ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdmissionNote {
    /// The job.
    pub rank: Rank,
    /// The user's stay, by place among the [`SessionNote`]s.
    pub session: u32,
    /// The number of the event.
    pub event: u32,
    /// Why.
    pub admission: Admission,
    /// L: the estimated work it was admitted with.
    pub estimate: SlotTime,
    /// The instant of admission in µs.
    pub at: f64,
    /// V at the admission.
    pub virtual_time: f64,
    /// Vu at the admission, in core-µs; Vu + estimate is its D_user.
    pub user_time: f64,
    /// Its virtual end; its deadline is the D_global it keeps.
    pub left: Departure,
}

/// What UWFQ does with a stage that comes after its job's virtual end (paper 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    /// The job keeps its deadline: it is within the grace period.
    Kept,
    /// The job is admitted again as if it arrived now.
    Again,
    /// The job is put on top for good.
    Top,
}

/// A stage that came after its job's virtual end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateNote {
    /// The job.
    pub rank: Rank,
    /// The number of the event of the stage's submission.
    pub event: u32,
    /// What came of it.
    pub late: Late,
}

/// All that a policy has noted, each table in the order of events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// V over real time.
    pub readings: Vec<Reading>,
    /// CFQ's stages, in the order of submission; the released UWFQ's deadlines, in the order in which they were set.
    pub stages: Vec<StageNote>,
    /// UWFQ's active users.
    pub sessions: Vec<SessionNote>,
    /// UWFQ's jobs.
    pub admissions: Vec<AdmissionNote>,
    /// UWFQ's late stages.
    pub late: Vec<LateNote>,
}

impl Notes {
    /// V at an instant in µs.
    pub fn virtual_time(&self, at: f64) -> f64 {
        let after = self.readings.partition_point(|reading| reading.at <= at);
        let Some(last) = after.checked_sub(1).map(|place| self.readings[place]) else { return 0.0 };
        match self.readings.get(after) {
            Some(next) if at > last.at => {
                let part = (at - last.at) / (next.at - last.at);
                last.virtual_time + (next.virtual_time - last.virtual_time) * part
            }
            _ => last.virtual_time,
        }
    }
}

/// A moment of a simulation, and what the policy had noted by its end.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    /// The notes.
    pub notes: &'a Notes,
    /// How many arrivals and submissions the policy had heard of.
    pub heard: u32,
    /// The instant in µs.
    pub at: f64,
}

impl Past<'_> {
    /// Whether something had left by then.
    ///
    /// The number of the event decides where several share an instant, the instant where the
    /// policy only noticed later.
    pub fn has_left(&self, left: &Departure) -> bool {
        left.event < self.heard || left.at <= self.at
    }
}

/// Writes the notes of one simulation.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorder {
    notes: Notes,
    /// The number of the event that the policy now hears of.
    event: u32,
    /// The events at which V was read, one for each reading.
    read_at: Vec<u32>,
    /// Where the stages, users and jobs now in the fluid system stand in their tables. Only looked
    /// up, never walked.
    open_stages: HashMap<StageId, usize>,
    open_sessions: HashMap<UserId, usize>,
    open_admissions: HashMap<Rank, usize>,
}

impl Recorder {
    /// From now on notes belong to this event.
    pub(super) fn hear(&mut self, event: u32) {
        self.event = event;
    }

    pub(super) fn read(&mut self, at: f64, virtual_time: f64) {
        let reading = Reading { at, virtual_time };
        if self.notes.readings.last() != Some(&reading) {
            self.notes.readings.push(reading);
            self.read_at.push(self.event);
        }
    }

    pub(super) fn submit(&mut self, stage: StageId, start: f64, estimate: SlotTime) {
        self.open_stages.insert(stage, self.notes.stages.len());
        let event = self.event;
        self.notes.stages.push(StageNote { stage, event, start, estimate, left: Departure::NEVER });
    }

    /// A stage's deadline is set, or set anew.
    pub(super) fn set_deadline(&mut self, stage: StageId, deadline: f64) {
        let (event, estimate) = (self.event, SlotTime(0));
        self.notes.stages.push(StageNote { stage, event, start: deadline, estimate, left: Departure::NEVER });
    }

    pub(super) fn end_stage(&mut self, stage: StageId, at: f64, deadline: f64) {
        if let Some(place) = self.open_stages.remove(&stage) {
            let virtual_time = deadline;
            self.notes.stages[place].left = Departure { event: self.event, at, virtual_time, deadline };
        }
    }

    pub(super) fn enter(&mut self, user: UserId, virtual_arrival: f64) {
        self.open_sessions.insert(user, self.notes.sessions.len());
        let event = self.event;
        self.notes.sessions.push(SessionNote { user, event, virtual_arrival, left: Departure::NEVER });
    }

    pub(super) fn leave(&mut self, user: UserId, at: f64, end: f64) {
        if let Some(place) = self.open_sessions.remove(&user) {
            let left = Departure { event: self.event, at, virtual_time: end, deadline: end };
            self.notes.sessions[place].left = left;
        }
    }

    /// A job of an active user enters the user's list. V and T are those of the last reading.
    pub(super) fn admit(
        &mut self,
        rank: Rank,
        user: UserId,
        admission: Admission,
        estimate: SlotTime,
        user_time: f64,
    ) {
        let Some(&Reading { at, virtual_time }) = self.notes.readings.last() else { return };
        self.open_admissions.insert(rank, self.notes.admissions.len());
        self.notes.admissions.push(AdmissionNote {
            rank,
            session: self.open_sessions[&user] as u32,
            event: self.event,
            admission,
            estimate,
            at,
            virtual_time,
            user_time,
            left: Departure::NEVER,
        });
    }

    /// A job leaves its user's list.
    pub(super) fn depart(&mut self, rank: Rank, at: f64, virtual_time: f64, deadline: f64) {
        if let Some(place) = self.open_admissions.remove(&rank) {
            self.notes.admissions[place].left = Departure { event: self.event, at, virtual_time, deadline };
        }
    }

    /// A job left its user's list when V was `virtual_time`, which may be noticed long after.
    pub(super) fn depart_by(&mut self, rank: Rank, virtual_time: f64, deadline: f64) {
        let readings = &self.notes.readings;
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
        if let Some(place) = self.open_admissions.remove(&rank) {
            self.notes.admissions[place].left = Departure { event, at, virtual_time, deadline };
        }
    }

    /// Vu at the admission of a job that is in its user's list, known better.
    pub(super) fn correct(&mut self, rank: Rank, user_time: f64) {
        if let Some(&place) = self.open_admissions.get(&rank) {
            self.notes.admissions[place].user_time = user_time;
        }
    }

    pub(super) fn come_late(&mut self, rank: Rank, late: Late) {
        self.notes.late.push(LateNote { rank, event: self.event, late });
    }

    /// What comes now happens after the last event.
    pub(super) fn hear_no_more(&mut self) {
        self.event = Departure::NEVER.event;
    }

    pub(super) fn into_notes(self) -> Notes {
        self.notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn virtual_time_is_a_line_between_readings() {
        let reading = |at, virtual_time| Reading { at, virtual_time };
        let readings = vec![reading(1.0, 0.0), reading(3.0, 8.0), reading(5.0, 8.0), reading(6.0, 9.0)];
        let notes = Notes { readings, ..Notes::default() };
        let read = [0.5, 1.0, 2.0, 3.0, 4.0, 5.5, 6.0, 99.0].map(|at| notes.virtual_time(at));
        assert_eq!(read, [0.0, 0.0, 4.0, 8.0, 8.0, 8.5, 9.0, 9.0]);
    }
}
