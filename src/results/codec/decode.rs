//! The page's side: decodes what the panels show.

use std::cell::OnceCell;

use serde::de::DeserializeOwned;

use super::source::{ByteReader, ByteSource};
use super::{Analysis, AnalysisHead, Extras, from_bytes};
use crate::results::shared::Shared;
use fairlane::metrics::Evaluation;
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane::trace::{LoadColumns, LoadIndex, Trace};

/// Why a worker's answer cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// It is of another build, or truncated.
    #[error("the worker's answer is damaged")]
    Damaged,
    /// The browser gives the page no memory for it.
    #[error(
        "the schedule is too large for the memory that this browser gives to a page; untick other policies, or \
         use a smaller scenario"
    )]
    TooLarge,
}

/// Decodes an analysis of a scenario under a policy: the columns `now` are needed at once; `later`,
/// `Blocking` of a full analysis, stays encoded until it is needed.
///
/// The columns are copied straight to where they stay, with a pause after each chunk, so that the page's
/// thread can do something else.
///
/// # Errors
/// [`DecodeError`]: the bytes are truncated or too many.
pub async fn decode(
    head: AnalysisHead,
    now: &(impl ByteSource + ?Sized),
    later: Option<Box<dyn ByteSource>>,
    scenario: &Shared<Scenario>,
    policy: PolicyId,
    pause: &impl AsyncFn(),
) -> Result<Analysis, DecodeError> {
    let mut reader = ByteReader::new(now);
    let runs = reader.column(head.tasks, pause).await?;
    let mut load = None;
    if head.checks.is_some() {
        let lengths = LoadColumns::lengths(scenario.users().len(), head.tasks, head.changes);
        let mut numbers = [const { Vec::new() }; 7];
        for (column, length) in numbers.iter_mut().zip(lengths.numbers) {
            *column = reader.column(length, pause).await?;
        }
        let times = reader.column(lengths.times, pause).await?;
        load = Some(LoadIndex::from_columns(LoadColumns { numbers, times }));
    }
    if reader.left() > 0 || head.jobs.len() != scenario.jobs().len() {
        return Err(DecodeError::Damaged);
    }
    let trace = Trace {
        scenario: scenario.name().to_owned(),
        policy,
        cores: scenario.cluster().cores(),
        users: scenario.users().iter().map(|user| user.name.clone()).collect(),
        tasks: runs,
        killed: head.killed,
        reasons: head.reasons,
        names_outcomes: scenario.has_cancellations(),
        held_back: head.held_back,
        jobs: head.jobs,
        classes: head.classes,
        executors: head.executors,
    };
    let extras = match (head.checks, load, later) {
        (Some(checks), Some(load), Some(later)) => Some(Extras::new(checks, load, later)),
        (None, None, None) => None,
        _ => return Err(DecodeError::Damaged),
    };
    Ok(Analysis {
        end: trace.last(),
        evaluation: Evaluation {
            scenario: (**scenario).clone(),
            trace,
            alone: head.alone,
            summary: head.summary,
            causes: None,
        },
        simulated: scenario.clone(),
        index: OnceCell::new(),
        hash: head.hash,
        extras,
    })
}

/// All bytes of a source.
pub(super) fn bytes(source: &dyn ByteSource) -> Vec<u8> {
    let mut bytes = vec![0; source.length()];
    source.copy(0, &mut bytes);
    bytes
}

/// Decodes all bytes of a source.
pub(super) fn read<T: DeserializeOwned>(source: &dyn ByteSource) -> Result<T, DecodeError> {
    from_bytes(&bytes(source))
}
