//! How far a policy's simulation is, and what is shown of it meanwhile.

use crate::app::codec::Outcome;
use crate::app::shared::Shared;

/// What a run waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// The schedule of the document as it is now: the part of the tasks launched, 0 to 1.
    Pending(f64),
    /// Nothing.
    Settled,
    /// Somebody to try again; and why.
    Failed(String),
    /// Room in memory; and why there is none.
    Refused(String),
}

/// A ticked policy's simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// What is shown: the newest schedule there is, which may be of a slightly older document.
    pub outcome: Option<Shared<Outcome>>,
    /// The revision that the outcome is about.
    pub shown: u32,
    /// What it waits for.
    pub phase: Phase,
}

impl Default for Run {
    fn default() -> Self {
        Run { outcome: None, shown: 0, phase: Phase::Pending(0.0) }
    }
}

impl Run {
    pub(super) fn progress(&mut self, part: f64) {
        if let Phase::Pending(pending) = &mut self.phase {
            *pending = part;
        }
    }

    /// Takes in an answer about a revision while the page is at `now`.
    pub(super) fn finish(&mut self, revision: u32, now: u32, result: Result<Shared<Outcome>, String>) {
        match result {
            Ok(outcome) if self.outcome.is_none() || revision >= self.shown => {
                self.outcome = Some(outcome);
                self.shown = revision;
            }
            Ok(_) => {}
            Err(message) if revision == now => {
                self.outcome = None;
                self.phase = Phase::Failed(message);
                return;
            }
            Err(_) => {}
        }
        if revision == now {
            self.phase = Phase::Settled;
        }
    }

    pub(super) fn outdate(&mut self) {
        self.phase = Phase::Pending(0.0);
    }

    /// There is no room for its schedule.
    pub(super) fn refuse(&mut self, why: String) {
        self.outcome = None;
        self.phase = Phase::Refused(why);
    }

    /// There is room again, or always was.
    pub(super) fn admit(&mut self) {
        if matches!(self.phase, Phase::Refused(_)) {
            self.phase = Phase::Pending(0.0);
        }
    }

    pub(super) fn retry(&mut self) {
        if matches!(self.phase, Phase::Failed(_)) {
            self.phase = Phase::Pending(0.0);
        }
    }
}
