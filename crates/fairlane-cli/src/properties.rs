//! `fairlane properties`: what BoPF's Table 1 asks of each policy, answered for a scenario.

use std::ops::ControlFlow;

use serde::Serialize;

use super::args::{CompareFormat, PropertiesArgs};
use super::compare::policies;
use super::output::Printed;
use super::program::with_programs;
use super::progress::DelayedProgressBar;
use super::sweep::threads;
use super::table::{CellAlign, layout, name, wrapped};
use super::{CliError, input, output, parallel};
use fairlane::engine::Control;
use fairlane::metrics::Properties;
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane_view::export::{PROPERTIES, PolicyProperties, PropertiesJson, properties_csv, property_cells};

/// The tag of what `--format json` prints.
const FORMAT: &str = "fairlane/properties@1";

pub(super) fn run(args: &PropertiesArgs) -> Result<(), CliError> {
    let scenario = with_programs(input::scenario(&args.scenario)?, &args.policies)?;
    let policies = policies(&args.policies, &args.scenario.source);
    let rows = measured(&scenario, &policies, threads(args.threads))?;
    let rows = rows.iter();
    let rows = rows.map(|(policy, properties)| PolicyProperties {
        scenario: &scenario,
        policy: *policy,
        properties,
    });
    let rows: Vec<PolicyProperties> = rows.collect();
    output::print(&match args.format {
        CompareFormat::Table => Printed::Text(table(&rows)),
        CompareFormat::Json => json(&scenario, &rows),
        CompareFormat::Csv => Printed::Data(properties_csv(&rows)),
    })
}

/// The properties of each policy, in their order.
fn measured(
    scenario: &Scenario,
    policies: &[PolicyId],
    threads: usize,
) -> Result<Vec<(PolicyId, Properties)>, CliError> {
    let progress = DelayedProgressBar::new();
    progress.points(policies.len() as u64);
    let (mut rows, mut failed) = (Vec::with_capacity(policies.len()), None);
    let worker = || {
        |policy: PolicyId| {
            let properties = Properties::measure(scenario, policy, &mut |_| Control::Continue);
            progress.advance();
            (policy, properties)
        }
    };
    parallel::ordered(threads, policies.iter().copied(), worker, |(policy, properties)| match properties {
        Ok(properties) => {
            rows.push((policy, properties));
            ControlFlow::Continue(())
        }
        Err(error) => {
            failed = Some(CliError::new(policy.to_string(), error.to_string()));
            ControlFlow::Break(())
        }
    });
    failed.map_or(Ok(rows), Err)
}

fn table(rows: &[PolicyProperties]) -> String {
    let titles = ["policy"].into_iter().chain(PROPERTIES.iter().map(|(title, _)| *title));
    let heading = titles.map(|title| (title.to_owned(), CellAlign::Left)).collect();
    let row = |of: &PolicyProperties| {
        let cells = property_cells(*of, name);
        let cells = cells.map(|cell| format!("{}: {}", cell.word(), cell.text));
        [of.policy.title()].into_iter().chain(cells).collect::<Vec<_>>()
    };
    let meanings =
        PROPERTIES.iter().map(|(title, asks)| wrapped(&format!("{title}: {asks}"), 118).join("\n  "));
    let meanings: Vec<String> = meanings.collect();
    format!("{}\n{}\n", layout(heading, rows.iter().map(row)), meanings.join("\n"))
}

fn json(scenario: &Scenario, rows: &[PolicyProperties]) -> Printed {
    #[derive(Serialize)]
    struct PropertiesDocument<'a> {
        format: &'static str,
        /// Its name, empty if it has none.
        scenario: &'a str,
        policies: Vec<PropertiesJson<'a>>,
    }
    let policies = rows.iter().map(|of| PropertiesJson::new(*of)).collect();
    output::json(&PropertiesDocument { format: FORMAT, scenario: scenario.name(), policies })
}
