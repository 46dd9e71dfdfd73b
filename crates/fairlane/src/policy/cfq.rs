//! CFQ, Cluster Fair Queuing: weighted fair queuing over stages. Each stage gets the virtual time
//! at which it would end if all active stages shared the cores equally (GPS), and the earliest
//! goes first (UWFQ paper 5.1.2, after Chen et al.).
//!
//! ```
//! use fairlane::{catalog, simulate};
//! let scenario = catalog::find("heavy-first").expect("an entry").scenario();
//! let [cfq, fifo] = ["cfq", "fifo"].map(|policy| simulate(&scenario, policy.parse().expect("a policy")));
//! // A small job behind twenty of a heavy user.
//! let job = scenario.jobs().len() - 1;
//! assert!(cfq.jobs[job].response() < fifo.jobs[job].response());
//! ```

use std::collections::BTreeSet;

use super::explain::{self, Active, Clock, Contender, Explainer, Explanation, Part, Ranking, Value};
use super::log::{LogWriter, PolicyLog, Snapshot};
use super::queue::KeyHeap;
use super::{Candidate, Context, Estimates, Group, Info, KeyBasis, RankedPolicy, SubmittedStage};
use crate::ids::StageId;
use crate::tournament::ascending;
use crate::units::{SlotTime, Time, VirtualTime};

/// What readers should know of CFQ.
pub const INFO: Info = Info {
    id: "cfq",
    title: "CFQ",
    name: "Cluster Fair Queuing",
    source: "UWFQ paper",
    summary: "The stage that would end first under equal sharing goes first, whoever submitted it.",
    key: "deadline of the stage, stage id",
    group: Group::VirtualTime,
    estimates: Estimates::Stages,
    ..Info::DEFAULT
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
    /// Every stage submitted so far, in the order of submission.
    stages: Vec<Submitted>,
    log: LogWriter,
}

/// What a stage's deadline is made of.
#[derive(Clone, Copy, Debug)]
struct Submitted {
    /// V at its submission, in core-µs.
    start: f64,
    estimate: SlotTime,
}

impl Submitted {
    /// D: the virtual time at which the stage ends in the fluid system, in core-µs.
    fn deadline(self) -> VirtualTime {
        VirtualTime(self.start + self.estimate.0 as f64)
    }
}

impl Cfq {
    /// Brings V to the instant `now` (µs), removing the stages that have ended by then.
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
            self.log.read(finish, deadline.0);
            self.log.end_stage(stage, finish, deadline.0);
        }
        if !self.active.is_empty() {
            self.virtual_time += (now - self.updated) * self.cores / self.active.len() as f64;
        }
        self.updated = now;
    }
}

impl Ranking for Cfq {
    type Key = (VirtualTime, StageId);

    fn key(&self, stage: &Candidate) -> Self::Key {
        (self.stages[stage.submission as usize].deadline(), stage.id)
    }
}

impl RankedPolicy for Cfq {
    const BASIS: KeyBasis<Self::Key> =
        KeyBasis::Submission(|(deadline, id)| [ascending(deadline.0), id.0, 0]);

    type Queue = KeyHeap<Self>;
    type Reference = Self;

    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        Cfq {
            cores: f64::from(context.cores()),
            virtual_time: 0.0,
            updated: 0.0,
            active: BTreeSet::new(),
            stages: Vec::new(),
            log: LogWriter::default(),
        }
    }

    fn stage_submitted(&mut self, now: Time, stage: &SubmittedStage) {
        self.log.set_event(stage.event);
        self.advance(now.0 as f64);
        let submitted = Submitted { start: self.virtual_time, estimate: stage.estimate };
        self.active.insert((submitted.deadline(), stage.id));
        self.stages.push(submitted);
        self.log.read(self.updated, self.virtual_time);
        self.log.submit(stage.id, submitted.start, submitted.estimate);
    }

    fn start_log(&mut self) {
        self.log.start();
    }

    fn finish_log(&mut self) -> PolicyLog {
        self.log.end_events();
        self.advance(f64::INFINITY);
        self.log.finish()
    }
}

impl Explainer for Cfq {
    fn explain(&self, stage: &Candidate) -> Explanation {
        let submitted = self.stages[stage.submission as usize];
        let parts = vec![
            Part::new("deadline D", Value::Work(submitted.deadline().0)),
            Part::new("stage id", Value::Number(stage.id.0)),
        ];
        let facts = vec![
            Part::new("V at submission", Value::Work(submitted.start)),
            Part::new("estimated work", Value::Work(submitted.estimate.0 as f64)),
        ];
        Explanation { parts, facts, remark: None }
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        let label = first.label;
        match first.key.decided_by(second.key) {
            Some(0) => {
                let figures = explain::against(first.key.work(0), second.key.work(0));
                format!("{label} has the smallest deadline ({figures}), so it goes first.")
            }
            _ => {
                let tie = explain::tie_reason(first, second, 1);
                format!(
                    "{label} and {} have the same deadline and {tie}, so {label} goes first.",
                    second.label
                )
            }
        }
    }

    fn clock(&self) -> Option<Clock> {
        let rate = (!self.active.is_empty()).then(|| self.cores / self.active.len() as f64);
        let active = self.active.iter().map(|&(deadline, stage)| (stage, deadline.0)).collect();
        Some(Clock { virtual_time: self.virtual_time, rate, active: Active::Stages(active) })
    }

    fn at(context: &Context, snapshot: &Snapshot) -> Self {
        let stages = &snapshot.log.stages;
        let known = &stages[..stages.partition_point(|stage| stage.event < snapshot.event_count())];
        let submitted = |start, estimate| Submitted { start, estimate };
        let active = known.iter().filter(|stage| !snapshot.has_left(&stage.left));
        Cfq {
            virtual_time: snapshot.log.virtual_time(snapshot.at),
            updated: snapshot.at,
            active: active
                .map(|stage| (submitted(stage.start, stage.estimate).deadline(), stage.stage))
                .collect(),
            stages: known.iter().map(|stage| submitted(stage.start, stage.estimate)).collect(),
            ..Cfq::new(context)
        }
    }
}
