//! A worker's analysis as bytes: written there ([`Analysis`]), read on the page ([`decode`]).
//!
//! Both ends are the same build of the program on the same machine, so the bytes carry a version and lengths and
//! are trusted beyond that. Small parts are encoded by serde, large ones are columns of numbers as they lie in
//! memory. What the panels need at once is decoded in slices; what only some questions need (the journal, and what
//! blocks jobs) stays as bytes until one is asked.

mod analysis;
mod decode;
mod outcome;
mod source;

use serde::{Deserialize, Serialize};

pub use analysis::{Analysis, Analyzer};
pub use decode::{DecodeError, decode};
pub use outcome::{Detail, Outcome};
pub use source::ByteSource;

use super::shared::Shared;
use crate::engine::Control;
use crate::metrics::{Inversion, Straggler, Summary};
use crate::policy::PolicyId;
use crate::scenario::Scenario;
use crate::trace::JobRun;
use crate::units::Span;

/// How much of a simulation is analyzed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The schedule and its figures, as fast as possible: something is being dragged.
    Quick,
    /// With its journal and its checks.
    Full,
}

impl Depth {
    /// The word for messages.
    pub fn word(self) -> &'static str {
        match self {
            Depth::Quick => "quick",
            Depth::Full => "full",
        }
    }
}

/// Identifies this layout of the bytes.
const VERSION: u64 = u64::from_le_bytes(*b"fairana5");

/// The small part of an analysis.
#[derive(Deserialize, Serialize)]
struct Report {
    jobs: Vec<JobRun>,
    killed: Vec<u32>,
    alone: Vec<Span>,
    hash: u64,
    summary: Summary,
    /// Of a full analysis: the rule that the schedule breaks, if any.
    checks: Option<Result<(), String>>,
}

/// What keeps jobs and cores waiting under a policy, as in a full analysis.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Blocking {
    /// By job; empty under policies that know no inversion.
    inversions: Vec<Vec<Inversion>>,
    stragglers: Vec<Straggler>,
}

/// Analyzes a simulation on this thread and decodes it as if a worker had: for tests.
pub fn analyze_here(scenario: &Shared<Scenario>, policy: PolicyId) -> Shared<Outcome> {
    let mut analyzer = Analyzer::new(Scenario::clone(scenario));
    let analysis = analyzer.analyze(policy, Depth::Full, &mut |_| Control::Continue);
    let analysis = analysis.expect("the observer never stops it");
    let (head, later) = (analysis.head(), analysis.later());
    let later = later.map(|parts| parts.map(|part| Box::new(part) as Box<dyn ByteSource>));
    let outcome = ready(decode(&analysis.columns(&head).concat(), later, scenario, policy, &async || {}));
    Shared::new(outcome.expect("the bytes are complete"))
}

/// The value of a future that never waits.
fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => unreachable!("it waits"),
    }
}

#[cfg(test)]
mod tests;
