//! A journal as bytes: what a worker hands to the page. Little-endian, with a version; what is read
//! is checked against the scenario and the trace, so that look-ups can rely on it.

use super::{Heard, Journal, Round, What};
use crate::ids::{Rank, StageId, UserId};
use crate::policy::LateStage;
use crate::policy::PolicyKind;
use crate::policy::notes::{
    Admission, AdmissionNote, Departure, Late, LateNote, Notes, Reading, SessionNote, StageNote,
};
use crate::policy::parameters::uwfq_late_stage;
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::units::{SlotTime, Time};

/// Bytes that are not the journal of the trace at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the journal is damaged or of another simulation ({0}); simulate again")]
pub struct DamagedJournal(&'static str);

/// Says which version of this layout the bytes follow.
const MAGIC: [u8; 8] = *b"fairjou1";

/// Bytes of a row of each table, in the order in which they are written.
const ROWS: [usize; 7] = [12, 16, 16, 56, 44, 76, 12];

impl Journal {
    /// The journal as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Notes { readings, stages, sessions, admissions, late } = &self.notes;
        let lengths = [
            self.rounds.len(),
            self.heard.len(),
            readings.len(),
            stages.len(),
            sessions.len(),
            admissions.len(),
            late.len(),
        ];
        let rows: usize = lengths.iter().zip(ROWS).map(|(length, row)| length * row).sum();
        let mut to = Writer(Vec::with_capacity(MAGIC.len() + 8 * lengths.len() + rows));
        to.0.extend_from_slice(&MAGIC);
        lengths.iter().for_each(|&length| to.u64(length as u64));
        for round in &self.rounds {
            [round.launched, round.finished, round.heard].into_iter().for_each(|count| to.u32(count));
        }
        for heard in &self.heard {
            to.u64(heard.at.0);
            // Ids are below 2^53.
            to.u64(match heard.what {
                What::Arrival(rank) => u64::from(rank.0) << 1,
                What::Submission(id) => id.0 << 1 | 1,
            });
        }
        for reading in readings {
            [reading.at, reading.virtual_time].into_iter().for_each(|value| to.f64(value));
        }
        for note in stages {
            to.u64(note.stage.0);
            to.u32(note.event);
            to.f64(note.start);
            to.u64(note.estimate.0);
            to.departure(&note.left);
        }
        for note in sessions {
            [note.user.0, note.event].into_iter().for_each(|value| to.u32(value));
            to.f64(note.virtual_arrival);
            to.departure(&note.left);
        }
        for note in admissions {
            let again = matches!(note.admission, Admission::Again);
            [note.rank.0, note.session, note.event, u32::from(again)]
                .into_iter()
                .for_each(|value| to.u32(value));
            to.u64(note.estimate.0);
            [note.at, note.virtual_time, note.user_time].into_iter().for_each(|value| to.f64(value));
            to.departure(&note.left);
        }
        for note in late {
            let late = match note.late {
                Late::Kept => 0,
                Late::Again => 1,
                Late::Top => 2,
            };
            [note.rank.0, note.event, late].into_iter().for_each(|value| to.u32(value));
        }
        to.0
    }

    /// Reads what [`Journal::to_bytes`] wrote, for the trace that it belongs to.
    ///
    /// # Errors
    /// [`DamagedJournal`] if the bytes are not of this layout or do not fit the trace.
    pub fn from_bytes(bytes: &[u8], scenario: &Scenario, trace: &Trace) -> Result<Journal, DamagedJournal> {
        let body = bytes.strip_prefix(&MAGIC).ok_or(DamagedJournal("another format"))?;
        let (head, body) = body.split_at_checked(8 * ROWS.len()).ok_or(DamagedJournal("cut short"))?;
        let mut head = Reader(head);
        let lengths = ROWS.map(|_| head.u64());
        let size = lengths.iter().zip(ROWS).try_fold(0_u64, |size, (&length, row)| {
            length.checked_mul(row as u64).and_then(|rows| size.checked_add(rows))
        });
        if size != Some(body.len() as u64) {
            return Err(DamagedJournal("another length"));
        }
        let [rounds, heard, readings, stages, sessions, admissions, late] = lengths;
        let mut from = Reader(body);
        let journal = Journal {
            rounds: (0..rounds).map(|_| from.round()).collect(),
            heard: (0..heard).map(|_| from.heard()).collect(),
            notes: Notes {
                readings: (0..readings).map(|_| from.reading()).collect(),
                stages: (0..stages).map(|_| from.stage()).collect(),
                sessions: (0..sessions).map(|_| from.session()).collect(),
                admissions: (0..admissions).map(|_| from.admission()).collect::<Result<_, _>>()?,
                late: (0..late).map(|_| from.late()).collect::<Result<_, _>>()?,
            },
        };
        journal.check(scenario, trace)?;
        Ok(journal)
    }

    /// Everything that look-ups rely on.
    fn check(&self, scenario: &Scenario, trace: &Trace) -> Result<(), DamagedJournal> {
        let ensure = |holds: bool, what| if holds { Ok(()) } else { Err(DamagedJournal(what)) };
        let Notes { readings, stages, sessions, admissions, late } = &self.notes;
        let tasks = trace.tasks.len() as u32;
        let rounds_fit = self.rounds.iter().all(|round| {
            round.launched < tasks
                && round.launched.checked_sub(round.finished).is_some_and(|busy| busy < trace.cores)
                && round.heard as usize <= self.heard.len()
        });
        let rounds_ordered = self
            .rounds
            .is_sorted_by(|a, b| a.launched < b.launched && a.finished <= b.finished && a.heard <= b.heard);
        let begins = self.rounds.first().map_or(0, |round| round.launched) == 0;
        ensure(rounds_fit && rounds_ordered && begins, "offer rounds")?;

        let first = scenario.cluster().first_stage_id;
        let count = scenario.jobs().iter().map(|job| job.stages.len()).sum::<usize>();
        let mut submitted = vec![false; count];
        for heard in &self.heard {
            match heard.what {
                What::Arrival(rank) => ensure(rank.index() < scenario.jobs().len(), "arrivals")?,
                What::Submission(id) => {
                    let place = id.0.checked_sub(first).and_then(|place| submitted.get_mut(place as usize));
                    let fresh = place.is_some_and(|seen| !std::mem::replace(seen, true));
                    ensure(fresh, "submissions")?;
                }
            }
        }
        ensure(self.heard.is_sorted_by_key(|heard| heard.at), "instants")?;
        ensure(readings.is_sorted_by(|a, b| a.at <= b.at), "virtual time")?;

        let submissions = (0..).zip(&self.heard).filter_map(|(event, heard)| match heard.what {
            What::Submission(id) => Some((event, id)),
            What::Arrival(_) => None,
        });
        let noted = stages.iter().map(|note| (note.event, note.stage));
        let complete = match trace.policy.kind {
            PolicyKind::Cfq => noted.eq(submissions),
            PolicyKind::Uwfq if uwfq_late_stage(scenario.parameters()) == LateStage::Released => {
                let ends = first + count as u64;
                stages.is_sorted_by_key(|note| note.event)
                    && stages.iter().all(|note| {
                        (note.event as usize) < self.heard.len() && (first..ends).contains(&note.stage.0)
                    })
            }
            _ => stages.is_empty(),
        };
        ensure(complete, "notes on stages")?;
        let events = self.heard.len() as u32;
        let users = scenario.users().len();
        let entered = sessions.iter().all(|note| note.user.index() < users && note.event < events);
        ensure(entered && sessions.is_sorted_by_key(|note| note.event), "notes on users")?;
        let admitted = admissions.iter().all(|note| {
            let session = sessions.get(note.session as usize);
            note.rank.index() < scenario.jobs().len() && note.event < events && session.is_some()
        });
        ensure(admitted && admissions.is_sorted_by_key(|note| note.event), "notes on jobs")?;
        let came = late.iter().all(|note| note.rank.index() < scenario.jobs().len() && note.event < events);
        ensure(came && late.is_sorted_by_key(|note| note.event), "notes on late stages")
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn f64(&mut self, value: f64) {
        self.u64(value.to_bits());
    }

    fn departure(&mut self, left: &Departure) {
        self.u32(left.event);
        [left.at, left.virtual_time, left.deadline].into_iter().for_each(|value| self.f64(value));
    }
}

/// Reads from bytes whose number has been checked beforehand.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (bytes, rest) = self.0.split_first_chunk().expect("the length was checked");
        self.0 = rest;
        *bytes
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    fn f64(&mut self) -> f64 {
        f64::from_bits(self.u64())
    }

    fn round(&mut self) -> Round {
        Round { launched: self.u32(), finished: self.u32(), heard: self.u32() }
    }

    fn heard(&mut self) -> Heard {
        let (at, what) = (Time(self.u64()), self.u64());
        let what = match what & 1 {
            0 => What::Arrival(Rank(u32::try_from(what >> 1).unwrap_or(u32::MAX))),
            _ => What::Submission(StageId(what >> 1)),
        };
        Heard { at, what }
    }

    fn reading(&mut self) -> Reading {
        Reading { at: self.f64(), virtual_time: self.f64() }
    }

    fn departure(&mut self) -> Departure {
        Departure { event: self.u32(), at: self.f64(), virtual_time: self.f64(), deadline: self.f64() }
    }

    fn stage(&mut self) -> StageNote {
        StageNote {
            stage: StageId(self.u64()),
            event: self.u32(),
            start: self.f64(),
            estimate: SlotTime(self.u64()),
            left: self.departure(),
        }
    }

    fn session(&mut self) -> SessionNote {
        SessionNote {
            user: UserId(self.u32()),
            event: self.u32(),
            virtual_arrival: self.f64(),
            left: self.departure(),
        }
    }

    fn admission(&mut self) -> Result<AdmissionNote, DamagedJournal> {
        Ok(AdmissionNote {
            rank: Rank(self.u32()),
            session: self.u32(),
            event: self.u32(),
            admission: match self.u32() {
                0 => Admission::Arrival,
                1 => Admission::Again,
                _ => return Err(DamagedJournal("notes on jobs")),
            },
            estimate: SlotTime(self.u64()),
            at: self.f64(),
            virtual_time: self.f64(),
            user_time: self.f64(),
            left: self.departure(),
        })
    }

    fn late(&mut self) -> Result<LateNote, DamagedJournal> {
        Ok(LateNote {
            rank: Rank(self.u32()),
            event: self.u32(),
            late: match self.u32() {
                0 => Late::Kept,
                1 => Late::Again,
                2 => Late::Top,
                _ => return Err(DamagedJournal("notes on late stages")),
            },
        })
    }
}
