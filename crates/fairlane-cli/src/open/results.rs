//! Traces and rows of sweeps beside their scenario: the page shows the policies that they are of.
//!
//! They say nothing that the page would not find by itself, so that they are checked here: a trace, and one row of a
//! policy at least, must be what the policy does in the scenario.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::files::{self, OBSERVED, Opened};
use crate::args::ScenarioArg;
use crate::path::InputPath;
use crate::progress::DelayedProgressBar;
use crate::{CliError, html, input, print_error};
use fairlane::number::counted;
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane::trace::FORMAT;
use fairlane_import::spark::FileKind;
use fairlane_view::export::trace_hash;
use fairlane_view::link::{LinkBounds, Session};
use fairlane_view::view::View;

/// Results as they were read.
enum ReadResults {
    Trace(Value),
    Rows(Vec<Row>),
}

/// A row of a sweep.
#[derive(Deserialize)]
struct Row {
    policy: String,
    /// The fingerprint of the schedule; none if there is no schedule.
    trace_hash: Option<String>,
}

/// What the page opens if these are one scenario and results of it; none if there are no results among them, or no other
/// file.
pub(super) fn beside_scenario(sources: &[ScenarioArg]) -> Result<Option<Opened>, CliError> {
    let [_, _, ..] = sources else { return Ok(None) };
    let (mut found, mut others) = (Vec::new(), Vec::new());
    for source in sources {
        match results(source)? {
            Some(results) => found.push((source, results)),
            None => others.push(source),
        }
    }
    match (found.is_empty(), others.as_slice()) {
        (true, _) | (false, []) => Ok(None),
        (false, [source]) => opened(source, &found).map(Some),
        (false, [_, second, ..]) => {
            let message = "is a second file beside results; give the results of one scenario with that alone";
            Err(CliError::new(second.to_string(), message))
        }
    }
}

/// The results in a file; none if it is something else.
fn results(source: &ScenarioArg) -> Result<Option<ReadResults>, CliError> {
    #[derive(Deserialize)]
    struct Head {
        format: Option<String>,
        trace_hash: Option<Value>,
    }
    let ScenarioArg::File(path) = source else { return Ok(None) };
    if !may_be_results(path)? {
        return Ok(None);
    }
    let text = source.text()?;
    let Some(Ok(head)) = serde_json::Deserializer::from_str(&text).into_iter::<Head>().next() else {
        return Ok(None);
    };
    match head {
        Head { format: Some(format), .. } if format == FORMAT => {
            Ok(serde_json::from_str(&text).ok().map(ReadResults::Trace))
        }
        Head { format: None, trace_hash: Some(_) } => {
            let rows: Result<Vec<Row>, _> = serde_json::Deserializer::from_str(&text).into_iter().collect();
            rows.map(|rows| Some(ReadResults::Rows(rows))).map_err(|fault| {
                let message =
                    format!("has a row that cannot be read ({fault}); let the sweep write it again");
                CliError::new(source.to_string(), message)
            })
        }
        Head { .. } => Ok(None),
    }
}

/// Whether a file is none that has a kind of its own.
fn may_be_results(path: &InputPath) -> Result<bool, CliError> {
    let path = path.path();
    if path.is_dir() || files::is_lesson(path) || files::is_pools_file(path) {
        return Ok(false);
    }
    Ok(matches!(files::kind(path)?, FileKind::Other))
}

/// The page with a scenario and the policies of its results.
fn opened(source: &ScenarioArg, results: &[(&ScenarioArg, ReadResults)]) -> Result<Opened, CliError> {
    let scenario = match source {
        ScenarioArg::Catalog(name) => input::entry(name)?.scenario(),
        ScenarioArg::StandardInput | ScenarioArg::File(_) => source.check(&source.text()?)?,
    };
    let progress = DelayedProgressBar::new();
    let mut policies = BTreeSet::new();
    for (source, results) in results {
        match results {
            ReadResults::Trace(trace) => {
                policies.insert(of_trace(source, trace, &scenario, &progress)?);
            }
            ReadResults::Rows(rows) => policies.extend(of_rows(source, rows, &scenario, &progress)?),
        }
    }
    drop(progress);
    let names: Vec<String> = policies.iter().map(ToString::to_string).collect();
    let view = View { policies, ..View::default() };
    let session = Session::new(scenario.clone(), html::origin(source, &scenario), view);
    session.to_text(&LinkBounds::LINK).map(Opened::Session).map_err(|fault| {
        let names = names.join(", ");
        let message = format!(
            "is too large to be opened with results (its link {fault}); open it alone and tick {names}"
        );
        CliError::new(source.to_string(), message)
    })
}

/// The policy of a trace, which is what that policy does in the scenario.
fn of_trace(
    source: &ScenarioArg,
    trace: &Value,
    scenario: &Scenario,
    progress: &DelayedProgressBar,
) -> Result<PolicyId, CliError> {
    let error = |message: String| CliError::new(source.to_string(), message);
    let name = trace["policy"].as_str().unwrap_or_default();
    if name == OBSERVED {
        let message =
            format!("is what happened in a log ({FORMAT}), which the page reads itself; open the log");
        return Err(error(message));
    }
    let policy: PolicyId = name.parse().map_err(|fault| error(format!("{fault}")))?;
    let simulated = progress.simulate(scenario, policy)?;
    let is_same = serde_json::to_value(&simulated).is_ok_and(|simulated| simulated == *trace);
    is_same.then_some(policy).ok_or_else(|| {
        error(format!(
            "is not what {policy} does in this scenario: it is of another one, or of another version of Fairlane; give \
             the scenario that it was made of, or write the trace again"
        ))
    })
}

/// The policies of the rows that are what a policy does in the scenario as it is. Others have another seed, load or task
/// length, which is said.
fn of_rows(
    source: &ScenarioArg,
    rows: &[Row],
    scenario: &Scenario,
    progress: &DelayedProgressBar,
) -> Result<BTreeSet<PolicyId>, CliError> {
    let error = |message: String| CliError::new(source.to_string(), message);
    let names: BTreeSet<&str> = rows.iter().map(|row| row.policy.as_str()).collect();
    let (mut policies, mut shown) = (BTreeSet::new(), 0);
    for name in names {
        let policy: PolicyId = name.parse().map_err(|fault| error(format!("{fault}")))?;
        let hash = trace_hash(&progress.simulate(scenario, policy)?);
        let same =
            rows.iter().filter(|row| row.policy == name && row.trace_hash.as_ref() == Some(&hash)).count();
        if same > 0 {
            policies.insert(policy);
            shown += same;
        }
    }
    match rows.len() - shown {
        _ if shown == 0 => Err(error(
            "has no row of this scenario as it is; open the scenario that the sweep began with, or make the row's by \
             fairlane generate"
                .to_owned(),
        )),
        0 => Ok(policies),
        others => {
            let rows = counted(rows.len(), "row");
            print_error(&format!(
                "{source}: {others} of {rows} have other settings than the scenario; the page does not show them"
            ));
            Ok(policies)
        }
    }
}
