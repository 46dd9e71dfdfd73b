//! CFQ, Cluster Fair Queuing: weighted fair queuing over stages. Each stage gets the virtual time
//! at which it would end if all active stages shared the cores equally (GPS), and the earliest
//! goes first (UWFQ paper 5.1.2, after Chen et al.).

use std::collections::{BTreeSet, HashMap};

use super::{Candidate, Context, Info, Policy, SubmittedStage};
use crate::ids::StageId;
use crate::units::{Time, VirtualTime};

/// What a reader should know of CFQ.
pub const INFO: Info = Info {
    id: "cfq",
    title: "CFQ",
    summary: "The stage that would end first under equal sharing between stages goes first; who submitted it does not matter.",
};

/// Cluster Fair Queuing. Key: (virtual finish time of the stage, stage id).
#[derive(Debug)]
pub struct Cfq {
    /// The number of cores R.
    cores: f64,
    /// V: what each active stage has been served so far, in core-µs.
    virtual_time: f64,
    /// T: the instant to which V has been brought, in µs.
    updated: f64,
    /// Stages that have not yet ended in the fluid system, by their virtual finish time.
    active: BTreeSet<(VirtualTime, StageId)>,
    /// D of every stage submitted so far. Only looked up, never walked.
    deadlines: HashMap<StageId, VirtualTime>,
}

impl Cfq {
    /// Brings V to the instant `now` (µs), taking out the stages that have ended by then.
    fn advance(&mut self, now: f64) {
        while let Some(&(deadline, stage)) = self.active.first() {
            let rate = self.cores / self.active.len() as f64;
            let finish = self.updated.max(self.updated + (deadline.0 - self.virtual_time) / rate);
            if finish > now {
                break;
            }
            self.active.remove(&(deadline, stage));
            self.virtual_time = deadline.0;
            self.updated = finish;
        }
        if !self.active.is_empty() {
            self.virtual_time += (now - self.updated) * self.cores / self.active.len() as f64;
        }
        self.updated = now;
    }
}

impl Policy for Cfq {
    type Key = (VirtualTime, StageId);

    fn new(context: Context) -> Self {
        Cfq {
            cores: f64::from(context.cores),
            virtual_time: 0.0,
            updated: 0.0,
            active: BTreeSet::new(),
            deadlines: HashMap::new(),
        }
    }

    fn stage_submitted(&mut self, now: Time, stage: &SubmittedStage) {
        self.advance(now.0 as f64);
        let deadline = VirtualTime(self.virtual_time + stage.estimate.0 as f64);
        self.active.insert((deadline, stage.id));
        self.deadlines.insert(stage.id, deadline);
    }

    fn key(&self, stage: &Candidate) -> Self::Key {
        (self.deadlines[&stage.id], stage.id)
    }
}
