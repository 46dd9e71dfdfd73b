//! A worker's analysis as it is sent: made there ([`EncodedAnalysis`]), decoded on the page ([`Analysis`]).
//!
//! Both ends are the same build of the program on the same machine, so lengths are checked and the bytes are trusted
//! beyond that. Small parts are in a [`AnalysisHead`], large ones are columns of numbers as they lie in memory. What
//! the panels need at once is decoded in slices; what only some questions need (what blocks jobs) stays as bytes until
//! one is asked. Why the policy decided as it did is asked of a replay.

mod analysis;
mod decode;
mod encode;
mod source;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use analysis::{Analysis, Extras, SoFar};
pub use decode::{DecodeError, decode};
pub use encode::{Analyzer, EncodedAnalysis};
pub use source::ByteSource;

use super::shared::Shared;
use fairlane::engine::{Control, SimulationError};
use fairlane::metrics::{EvaluationDetail, Inversion, Straggler, Summary, Waiting};
use fairlane::policy::{OBSERVED, PolicyId, QueueClass};
use fairlane::scenario::Scenario;
use fairlane::trace::{ExecutorRun, JobRun, KillReason, Trace};
use fairlane::units::{SlotTime, Span};

/// The small part of an analysis.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct AnalysisHead {
    /// How many tasks the columns have.
    tasks: usize,
    /// How many changes there are of how many tasks wait; 0 unless the analysis is a full one.
    changes: usize,
    jobs: Vec<JobRun>,
    killed: Vec<u32>,
    reasons: Vec<KillReason>,
    held_back: SlotTime,
    executors: Vec<ExecutorRun>,
    classes: Vec<QueueClass>,
    alone: Vec<Option<Span>>,
    hash: u64,
    summary: Summary,
    /// The rule that the schedule breaks, if any; `None` unless the analysis is a full one.
    checks: Option<Result<(), String>>,
}

/// What keeps jobs and cores waiting under a policy, as in a full analysis.
#[derive(Debug, Default, Deserialize, Serialize)]
struct BlockingDetail {
    /// Inversions by job; empty under policies that know none.
    inversions: Vec<Vec<Inversion>>,
    stragglers: Vec<Straggler>,
    /// Who waited for whom, if the schedule was observed: then it is shown at once.
    waiting: Option<Waiting>,
}

/// Analyzes a simulation on this thread and decodes it as if a worker had: for tests.
pub fn analyze_here(scenario: &Shared<Scenario>, policy: PolicyId) -> Shared<Analysis> {
    analyzed_here(scenario, policy, EvaluationDetail::Full).expect("the policy keeps its contract")
}

/// As [`analyze_here`], but response times alone.
pub fn responses_here(scenario: &Shared<Scenario>, policy: PolicyId) -> Shared<Analysis> {
    analyzed_here(scenario, policy, EvaluationDetail::Responses).expect("the policy keeps its contract")
}

/// As [`analyze_here`], in full or response times alone.
///
/// # Errors
/// The policy, such as a program, breaks a rule of the contract.
pub fn analyzed_here(
    scenario: &Shared<Scenario>,
    policy: PolicyId,
    detail: EvaluationDetail,
) -> Result<Shared<Analysis>, SimulationError> {
    through_bytes(scenario, policy, |analyzer| match detail {
        EvaluationDetail::Full => analyzer.full(policy, &mut |_| Control::Continue),
        _ => analyzer.responses(policy, &mut |_| Control::Continue),
    })
}

/// Analyzes a schedule that was observed on this thread and decodes it as if a worker had: for tests.
pub fn observed_here(scenario: &Shared<Scenario>, trace: Trace) -> Shared<Analysis> {
    let observed = |analyzer: &mut Analyzer| analyzer.observed(trace, &mut |_| Control::Continue);
    through_bytes(scenario, OBSERVED, observed).expect("the observer never stops it")
}

fn through_bytes(
    scenario: &Shared<Scenario>,
    policy: PolicyId,
    analyze: impl FnOnce(&mut Analyzer) -> Result<EncodedAnalysis, SimulationError>,
) -> Result<Shared<Analysis>, SimulationError> {
    let results = analyze(&mut Analyzer::new(Scenario::clone(scenario)))?;
    let analysis = decode_here(
        results.head.clone(),
        &results.columns().concat(),
        results.later.clone(),
        scenario,
        policy,
    );
    Ok(Shared::new(analysis.expect("the bytes are complete")))
}

/// Decodes without a pause.
fn decode_here(
    head: AnalysisHead,
    now: &Vec<u8>,
    later: Option<Vec<u8>>,
    scenario: &Shared<Scenario>,
    policy: PolicyId,
) -> Result<Analysis, DecodeError> {
    let later = later.map(|bytes| Box::new(bytes) as Box<dyn ByteSource>);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let decoded = std::pin::pin!(decode(head, now, later, scenario, policy, &async || {}));
    match decoded.poll(&mut context) {
        std::task::Poll::Ready(analysis) => analysis,
        std::task::Poll::Pending => unreachable!("nothing waits"),
    }
}

/// Encodes what both ends of a message know the type of.
pub fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).expect("lengths are known and memory grows")
}

/// Decodes it again.
///
/// # Errors
/// [`DecodeError::Damaged`].
pub fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DecodeError> {
    postcard::from_bytes(bytes).map_err(|_| DecodeError::Damaged)
}

#[cfg(test)]
mod tests;
