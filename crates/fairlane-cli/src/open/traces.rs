//! Traces beside their scenario: the page shows the policies that they are of.
//!
//! A trace says nothing that the page would not find by itself, so that it is checked here: it must be what its policy
//! does in the scenario.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::files::{self, OBSERVED, Opened};
use crate::args::ScenarioArg;
use crate::path::InputPath;
use crate::progress::DelayedProgressBar;
use crate::{CliError, html, input};
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane::trace::FORMAT;
use fairlane_import::spark::FileKind;
use fairlane_view::link::{LinkBounds, Session};
use fairlane_view::view::View;

/// A trace as it was read.
struct TraceFile<'a> {
    source: &'a ScenarioArg,
    document: Value,
}

/// What the page opens if these are one scenario and traces of it; none if there is no trace among them, or no other file.
pub(super) fn beside_scenario(sources: &[ScenarioArg]) -> Result<Option<Opened>, CliError> {
    let [_, _, ..] = sources else { return Ok(None) };
    let (mut traces, mut others) = (Vec::new(), Vec::new());
    for source in sources {
        match trace(source)? {
            Some(document) => traces.push(TraceFile { source, document }),
            None => others.push(source),
        }
    }
    match (traces.is_empty(), others.as_slice()) {
        (true, _) | (false, []) => Ok(None),
        (false, [source]) => opened(source, &traces).map(Some),
        (false, [_, second, ..]) => {
            let message = "is a second file beside traces; give the traces of one scenario with that alone";
            Err(CliError::new(second.to_string(), message))
        }
    }
}

/// The trace in a file; none if it is something else.
fn trace(source: &ScenarioArg) -> Result<Option<Value>, CliError> {
    #[derive(Deserialize)]
    struct Head {
        format: String,
    }
    let ScenarioArg::File(path) = source else { return Ok(None) };
    if !may_be_trace(path)? {
        return Ok(None);
    }
    let text = source.text()?;
    match serde_json::from_str::<Head>(&text) {
        Ok(head) if head.format == FORMAT => Ok(serde_json::from_str(&text).ok()),
        _ => Ok(None),
    }
}

/// Whether a file is none that has a kind of its own.
fn may_be_trace(path: &InputPath) -> Result<bool, CliError> {
    let path = path.path();
    if path.is_dir() || files::is_lesson(path) || files::is_pools_file(path) {
        return Ok(false);
    }
    Ok(matches!(files::kind(path)?, FileKind::Other))
}

/// The page with a scenario and the policies of its traces.
fn opened(source: &ScenarioArg, traces: &[TraceFile]) -> Result<Opened, CliError> {
    let scenario = match source {
        ScenarioArg::Catalog(name) => input::entry(name)?.scenario(),
        ScenarioArg::StandardInput | ScenarioArg::File(_) => source.check(&source.text()?)?,
    };
    let progress = DelayedProgressBar::new();
    let policies: BTreeSet<PolicyId> =
        traces.iter().map(|trace| checked(trace, &scenario, &progress)).collect::<Result<_, _>>()?;
    let names: Vec<String> = policies.iter().map(ToString::to_string).collect();
    let view = View { policies, ..View::default() };
    let session = Session::new(scenario.clone(), html::origin(source, &scenario), view);
    session.to_text(&LinkBounds::LINK).map(Opened::Session).map_err(|fault| {
        let names = names.join(", ");
        let message = format!(
            "is too large to be opened with traces (its link {fault}); open it alone and tick {names}"
        );
        CliError::new(source.to_string(), message)
    })
}

/// The policy of a trace, which is what that policy does in the scenario.
fn checked(
    TraceFile { source, document }: &TraceFile,
    scenario: &Scenario,
    progress: &DelayedProgressBar,
) -> Result<PolicyId, CliError> {
    let error = |message: String| CliError::new(source.to_string(), message);
    let name = document["policy"].as_str().unwrap_or_default();
    if name == OBSERVED {
        let message =
            format!("is what happened in a log ({FORMAT}), which the page reads itself; open the log");
        return Err(error(message));
    }
    let policy: PolicyId = name.parse().map_err(|fault| error(format!("{fault}")))?;
    let simulated = progress.simulate(scenario, policy)?;
    let is_same = serde_json::to_value(&simulated).is_ok_and(|simulated| simulated == *document);
    is_same.then_some(policy).ok_or_else(|| {
        error(format!(
            "is not what {policy} does in this scenario: it is of another one, or of another version of Fairlane; give \
             the scenario that it was made of, or write the trace again"
        ))
    })
}
