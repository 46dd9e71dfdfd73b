//! `fairlane compare`: a row per policy.

use serde::Serialize;

use super::CliError;
use super::args::{CompareArgs, CompareFormat};
use super::input::Source;
use super::progress::Progress;
use super::run::Run;
use super::simulate::counted;
use super::table::{self, Align, Emphasis};
use super::{input, output};
use crate::export::{self, Figures, jobs_by_user};
use crate::partition::Mode;
use crate::policy::{PolicyId, PolicyKind};
use crate::scenario::Scenario;

/// The tag of what `--format json` prints.
const FORMAT: &str = "fairlane/comparison@1";

/// Policies compared where neither the user nor the catalog names any.
const DEFAULT_POLICIES: [PolicyKind; 4] =
    [PolicyKind::Fair, PolicyKind::Ujf, PolicyKind::Cfq, PolicyKind::Uwfq];

/// Users who get a column of the table.
const USER_COLUMNS: usize = 8;

pub(super) fn run(args: &CompareArgs) -> Result<(), CliError> {
    let scenario = input::scenario(&args.scenario)?;
    let progress = Progress::new();
    let runs: Vec<Run> = policies(&args.policies, &args.scenario.source)
        .into_iter()
        .map(|policy| Run::new(&scenario, policy, &progress))
        .collect();
    drop(progress);
    output::print(&match args.format {
        CompareFormat::Table => policy_table(&scenario, &runs, Emphasis::of_standard_output()),
        CompareFormat::Json => json(&scenario, &runs),
        CompareFormat::Csv => export::csv::policies(&scenario, runs.iter().map(Run::measured)),
    })
}

/// The policies to compare, each once, in the order of their first mention: those given, else those
/// that the source suggests, else the usual ones.
pub(super) fn policies(given: &[PolicyId], source: &Source) -> Vec<PolicyId> {
    let mut policies = given.to_vec();
    if policies.is_empty() {
        policies = source.suggested_policies();
    }
    if policies.is_empty() {
        policies =
            DEFAULT_POLICIES.into_iter().map(|kind| PolicyId { kind, partitioning: Mode::Default }).collect();
    }
    let mut known = Vec::new();
    policies.retain(|policy| {
        let new = !known.contains(policy);
        known.push(*policy);
        new
    });
    policies
}

/// A column of figures, the least of which is the best.
struct Column {
    title: String,
    figures: Vec<Option<f64>>,
}

impl Column {
    fn new(title: impl Into<String>, runs: &[Run], figure: impl Fn(&Run) -> Option<f64>) -> Column {
        Column { title: title.into(), figures: runs.iter().map(figure).collect() }
    }

    /// The cells, with the best figures standing out unless all are equal.
    fn cells(&self, emphasis: Emphasis) -> Vec<String> {
        // What looks equal is equal: figures are compared as they are shown.
        let shown: Vec<Option<String>> =
            self.figures.iter().map(|figure| figure.map(|figure| format!("{figure:.2}"))).collect();
        let best = self.figures.iter().zip(&shown).filter_map(|(figure, text)| figure.zip(text.as_ref()));
        let best = best.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, text)| text);
        let differ = shown.iter().flatten().any(|text| Some(text) != best);
        let cell = |text: &Option<String>| match text {
            Some(text) if differ && Some(text) == best => emphasis.best(text),
            Some(text) => emphasis.other(text),
            None => emphasis.other("-"),
        };
        shown.iter().map(cell).collect()
    }
}

fn policy_table(scenario: &Scenario, runs: &[Run], emphasis: Emphasis) -> String {
    let shown = busiest_users(scenario);
    let mut columns = vec![
        Column::new("mean s", runs, |run| Some(run.summary.mean_response)),
        Column::new("worst 10 % s", runs, |run| Some(run.summary.worst_decile)),
        Column::new("slowdown", runs, |run| Some(run.summary.mean_slowdown)),
    ];
    columns.extend(shown.iter().map(|&user| {
        let title = format!("{} s", table::name(&scenario.users[user].name));
        Column::new(title, runs, move |run| run.summary.by_user[user])
    }));
    columns.push(Column::new("makespan s", runs, |run| Some(run.summary.makespan.seconds())));

    let mut heading = vec![("policy".to_owned(), Align::Left)];
    heading.extend(columns.iter().map(|column| (emphasis.other(&column.title), Align::Right)));
    let cells: Vec<Vec<String>> = columns.iter().map(|column| column.cells(emphasis)).collect();
    let rows = runs.iter().enumerate().map(|(row, run)| {
        let policy = std::iter::once(run.policy.to_string());
        policy.chain(cells.iter().map(|column| column[row].clone())).collect()
    });
    let table = table::layout(heading, rows);
    format!("{table}\n{}\n", legend(scenario, shown.len(), emphasis))
}

/// The users who get a column: those with the most jobs, in the scenario's order.
fn busiest_users(scenario: &Scenario) -> Vec<usize> {
    let counts = jobs_by_user(scenario);
    let mut users: Vec<usize> = (0..counts.len()).collect();
    users.sort_by_key(|&user| std::cmp::Reverse(counts[user]));
    users.truncate(USER_COLUMNS);
    users.sort_unstable();
    users
}

fn legend(scenario: &Scenario, users_shown: usize, emphasis: Emphasis) -> String {
    let users = scenario.users.len();
    let best = match emphasis {
        Emphasis::Bold => "Bold",
        Emphasis::Asterisk => "*",
    };
    let mut text = format!(
        "{} of {} on {}; mean response times, in all and by user. {best} marks the best of a column.",
        counted(scenario.jobs.len(), "job"),
        counted(users, "user"),
        counted(scenario.cluster.cores() as usize, "core")
    );
    if users_shown < users {
        text.push_str(&format!(
            "\nOnly the {users_shown} users with the most jobs have a column; --format csv has all {users}."
        ));
    }
    text
}

fn json(scenario: &Scenario, runs: &[Run]) -> String {
    #[derive(Serialize)]
    struct Comparison<'a> {
        format: &'static str,
        /// Its name, empty if it has none.
        scenario: &'a str,
        cores: u32,
        advisory_task_runtime_s: f64,
        /// Number of jobs.
        jobs: usize,
        policies: Vec<Figures>,
    }
    output::json(&Comparison {
        format: FORMAT,
        scenario: &scenario.name,
        cores: scenario.cluster.cores(),
        advisory_task_runtime_s: scenario.partitioning.advisory_task_runtime.seconds(),
        jobs: scenario.jobs.len(),
        policies: runs.iter().map(|run| Figures::new(scenario, run.measured())).collect(),
    })
}
