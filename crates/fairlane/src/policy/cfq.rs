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

use super::explain::{self, Contender, Key, KeyComponent, NumberedFacts, PolicyClock, Value};
use super::queue::StageQueue;
use super::{Context, EstimatesRead, Info, KeyBasis, Launch, Policy, PolicyGroup, StageView, View};
use crate::ids::StageIndex;
use crate::units::{SlotTime, VirtualTime};

/// What readers should know of CFQ.
pub const INFO: Info = Info {
    id: "cfq",
    title: "CFQ",
    name: "Cluster Fair Queuing",
    source: "UWFQ paper",
    summary: "The stage that would end first under equal sharing goes first, whoever submitted it.",
    key: "deadline of the stage, stage id",
    group: PolicyGroup::VirtualTime,
    look: 3,
    estimates: EstimatesRead::Stages,
    basis: KeyBasis::Precedence,
    ..Info::DEFAULT
};

/// Cluster Fair Queuing. Key: (virtual finish time of the stage, stage id).
#[derive(Clone, Debug)]
pub struct Cfq {
    /// The number of cores R.
    cores: f64,
    /// V: what each active stage has been served so far, in core-µs.
    virtual_time: f64,
    /// T: the instant to which V has been brought, in µs.
    updated: f64,
    /// Stages that have not yet ended in the fluid system, by their virtual finish time.
    active: BTreeSet<(VirtualTime, StageIndex)>,
    /// Every stage submitted so far, in the order of submission.
    stages: Vec<Submitted>,
    waiting: StageQueue<VirtualTime>,
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
        }
        if !self.active.is_empty() {
            self.virtual_time += (now - self.updated) * self.cores / self.active.len() as f64;
        }
        self.updated = now;
    }

    fn submitted(&self, stage: StageView) -> Submitted {
        self.stages[stage.submission() as usize]
    }
}

impl Policy for Cfq {
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
            waiting: StageQueue::default(),
        }
    }

    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        self.advance(view.now().0 as f64);
        let submitted = Submitted { start: self.virtual_time, estimate: view.stage(stage).estimate() };
        self.active.insert((submitted.deadline(), stage));
        self.stages.push(submitted);
        self.waiting.insert(stage, submitted.deadline());
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        let stage = view.stage(launch.stage);
        if stage.pending() == 0 {
            self.waiting.remove(launch.stage, self.submitted(stage).deadline());
        }
    }

    fn task_ended(&mut self, _: Launch, _: &View) {}

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        let seen = view.stage(stage);
        if let Some(submitted) = self.stages.get(seen.submission() as usize) {
            self.waiting.set(stage, submitted.deadline(), seen.pending() > 0);
        }
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        self.waiting.next_task(view)
    }

    fn key(&self, stage: StageView) -> Key {
        Key::by_stage(
            stage,
            [KeyComponent::new("deadline D", Value::Work(self.submitted(stage).deadline().0))],
        )
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        let Submitted { start, estimate } = self.submitted(stage);
        vec![
            KeyComponent::new("V at submission", Value::Work(start)),
            KeyComponent::new("estimated work", Value::Work(estimate.0 as f64)),
        ]
        .into()
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        let figures = explain::against(first.key.work(part), second.key.work(part));
        format!("{} has the smallest deadline ({figures}), so it goes first.", first.label)
    }

    fn clock(&self, view: &View) -> Option<PolicyClock> {
        let mut now = self.clone();
        now.advance(view.now().0 as f64);
        let rate = (!now.active.is_empty()).then(|| now.cores / now.active.len() as f64);
        let next = now.active.first().map(|(deadline, _)| deadline.0);
        Some(PolicyClock { virtual_time: now.virtual_time, rate, next })
    }
}
