//! Jumps to decisions all over a million tasks, each with a look at its queue.

use fairlane::replay::{RankedQueue, Replay, ReplayPoint};
use fairlane::{PolicyId, Trace, simulate};

use crate::workload::USUAL;

/// The usual workload under a policy, replayed once; asked at one decision after another.
pub struct Jumps {
    trace: Trace,
    replay: Replay,
    task: usize,
}

impl Jumps {
    /// Simulates and replays; not to be timed.
    pub fn new(policy: PolicyId) -> Jumps {
        let scenario = USUAL.scenario();
        let trace = simulate(&scenario, policy);
        let mut replay = Replay::new(&scenario, policy).expect("a registered policy");
        while replay.prepare(1 << 20) {}
        Jumps { trace, replay, task: 0 }
    }

    /// Goes to another decision, far from the last, and explains its first stages.
    pub fn jump(&mut self) -> Option<RankedQueue> {
        self.task = (self.task + 618_033) % self.trace.tasks.len();
        self.replay.queue(&self.trace, ReplayPoint::Dispatch(self.task), 12)
    }
}
