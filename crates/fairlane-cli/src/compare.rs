//! `fairlane compare`: a row per policy.

mod tables;
mod waiting;

use serde::Serialize;

use super::CliError;
use super::args::{CompareArgs, CompareFormat, ResponseUnit, ScenarioArg};
use super::output::{Printed, StagedFile};
use super::program::{PolicyArg, with_programs};
use super::progress::DelayedProgressBar;
use super::table::Emphasis;
use super::{by_group, html, input, output, picture, text};
use fairlane::metrics::{Evaluation, EvaluationDetail};
use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::{PartitionMode, Scenario};
use fairlane::trace::Trace;
use fairlane_view::export::chrome_trace::ChromeTrace;
use fairlane_view::export::documents::ComparisonDocument;
use fairlane_view::export::{self, WaitingJson};

/// Policies compared where neither the user nor the catalog names any.
const DEFAULT_POLICIES: [PolicyKind; 4] =
    [PolicyKind::Fair, PolicyKind::Ujf, PolicyKind::Cfq, PolicyKind::Uwfq];

pub(super) fn run(args: &CompareArgs) -> Result<(), CliError> {
    let scenario = with_programs(input::scenario(&args.scenario)?, &args.policies)?;
    let progress = DelayedProgressBar::new();
    let policies = policies(&args.policies, &args.scenario.source);
    if args.by == ResponseUnit::Group {
        let text = by_group::compared(&scenario, &policies, &progress, args.format)?;
        drop(progress);
        return output::print(&text);
    }
    let detail = match args.format {
        CompareFormat::Table => tables::detail(&args.metrics),
        CompareFormat::Json | CompareFormat::Csv => EvaluationDetail::Full,
    };
    let runs = progress.evaluate(&scenario, policies, detail)?;
    drop(progress);
    write_schedules(args, &scenario, &runs)?;
    output::print(&match args.format {
        CompareFormat::Table => {
            let tables = tables::print(&scenario, &runs, &args.metrics, Emphasis::of_standard_output());
            Printed::Text(text::how_sure(&scenario) + &tables)
        }
        CompareFormat::Json => output::json(&CompareJson {
            comparison: ComparisonDocument::new(&scenario, &runs),
            waiting: tables::asks_for_waiting(&args.metrics).then(|| {
                let waits = waiting::of_runs(&runs);
                let runs = runs.iter().zip(&waits);
                runs.map(|(run, waiting)| WaitingJson::new(run, waiting)).collect()
            }),
        }),
        CompareFormat::Csv => Printed::Data(export::csv::policies(&runs)),
    })
}

/// Writes the files that are asked for, all or none.
fn write_schedules(args: &CompareArgs, scenario: &Scenario, runs: &[Evaluation]) -> Result<(), CliError> {
    let traces: Vec<&Trace> = runs.iter().map(|run| &run.trace).collect();
    let chrome = ChromeTrace { scenario, traces: &traces };
    let chrome = args.chrome_trace.as_ref().map(|path| path.stage_json(&chrome)).transpose()?;
    let svg = args.svg.as_ref().map(|path| picture::stage(path, scenario, runs)).transpose()?;
    let shown = runs.iter().map(|run| run.trace.policy);
    let html = html::stage(&args.html, &args.scenario.source, scenario, shown)?;
    [chrome, svg, html].into_iter().flatten().try_for_each(StagedFile::commit)
}

/// What `--format json` prints.
#[derive(Serialize)]
struct CompareJson<'a> {
    #[serde(flatten)]
    comparison: ComparisonDocument<'a>,
    /// Who waited for whom under each policy, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<Vec<WaitingJson<'a>>>,
}

/// The policies to compare, each once, in the order of their first mention: those given, else those
/// that the source suggests, else the usual ones.
pub(super) fn policies(given: &[PolicyArg], source: &ScenarioArg) -> Vec<PolicyId> {
    let mut policies: Vec<PolicyId> = given.iter().map(|policy| policy.id).collect();
    if policies.is_empty() {
        policies = source.suggested_policies();
    }
    if policies.is_empty() {
        policies = DEFAULT_POLICIES
            .into_iter()
            .map(|kind| PolicyId { kind, partitioning: PartitionMode::Default })
            .collect();
    }
    let mut known = Vec::new();
    policies.retain(|policy| {
        let new = !known.contains(policy);
        known.push(*policy);
        new
    });
    policies
}
