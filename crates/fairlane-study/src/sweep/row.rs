//! The result of a point: one line of JSON, or one of CSV. Keys are stable and carry their units.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Cost, Setting};
use fairlane::scenario::ScenarioError;
use fairlane_view::export::{Figures, RecordHeading, SelectedFigures, csv};

/// One result: of a sweep's point or of a line on standard input.
#[derive(Debug, Deserialize, Serialize)]
pub struct ResultRow {
    /// Which.
    #[serde(flatten)]
    pub label: RowLabel,
    /// What was simulated; `None` if it could not even be read.
    #[serde(flatten)]
    pub subject: Option<RowSubject>,
    /// What it costs, where fields of the scenario were set.
    #[serde(flatten)]
    pub cost: Option<Cost>,
    /// Whether no other row is better in cost and mean response, if that was asked:
    /// [`mark_pareto_edge`](super::mark_pareto_edge).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pareto: Option<bool>,
    /// The result.
    #[serde(flatten)]
    pub outcome: RowOutcome,
}

/// What identifies a row. Each part is there if it was given.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct RowLabel {
    /// Whatever a line on standard input called itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    /// [`super::Grid::fingerprint`] of the sweep that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<String>,
    /// Its number in the sweep's order, from 0 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<u64>,
    /// The number of the line that was read, from 1 on, where nothing else identifies it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// What was simulated, besides the policy, which is first among the figures.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct RowSubject {
    /// The workload's title, empty if it has none.
    pub scenario: String,
    /// [`super::Workload::fingerprint`], before any setting was applied.
    pub fingerprint: String,
    /// Advisory task runtime. Only policies with runtime partitioning look at it.
    pub atr_s: f64,
    /// Arrivals were this many times as fast.
    pub load: f64,
    /// Estimates erred by up to this factor.
    pub estimate_error: f64,
    /// `null` where nothing was random.
    pub seed: Option<u64>,
    /// Fields that were set, as pairs of path and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<Setting>,
}

/// Figures, or why there are none.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum RowOutcome {
    /// It was simulated, and all metrics were computed.
    Measured(Box<Figures>),
    /// It could not be.
    Failed {
        /// As on the command line, if it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        policy: Option<String>,
        /// Why.
        error: RowError,
    },
    /// It was simulated, and the metrics that were asked for were computed.
    Selected(Box<SelectedFigures>),
}

/// Why something could not be simulated.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct RowError {
    /// JSON path of what is wrong; empty for the whole.
    pub path: String,
    /// A plain sentence with the remedy.
    pub message: String,
}

impl RowError {
    /// A fault at a JSON path.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> RowError {
        RowError { path: path.into(), message: message.into() }
    }
}

/// Leaves out line and column, which are those of a text that the reader of a row need not have.
impl From<ScenarioError> for RowError {
    fn from(error: ScenarioError) -> RowError {
        RowError::new(error.path, error.message)
    }
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl ResultRow {
    /// The row as a line of JSON, with its line end.
    pub fn to_json_line(&self) -> String {
        serde_json::to_string(self).expect("a row has only keys that are text") + "\n"
    }

    /// Why there are no figures, if there are none.
    pub fn fault(&self) -> Option<&RowError> {
        match &self.outcome {
            RowOutcome::Measured(_) | RowOutcome::Selected(_) => None,
            RowOutcome::Failed { error, .. } => Some(error),
        }
    }

    /// The mean response time in seconds, if it exists and was asked for.
    pub fn mean_response_s(&self) -> Option<f64> {
        match &self.outcome {
            RowOutcome::Measured(figures) => figures.mean_response_s,
            RowOutcome::Selected(figures) => figures.number("mean_response_s"),
            RowOutcome::Failed { .. } => None,
        }
    }

    /// The heading of a CSV file whose rows have these figures, and of these set fields.
    pub fn csv_heading(figures: &RecordHeading, set: &[&str]) -> String {
        let subject =
            ["sweep", "point", "scenario", "fingerprint", "atr_s", "load", "estimate_error", "seed"];
        let cost: &[&str] = match set {
            [] => &[],
            _ => &["held_core_h", "working_core_h", "idle_core_h", "pareto"],
        };
        let figures = figures.names.iter().map(String::as_str);
        let columns = subject.into_iter().chain(set.iter().copied()).chain(figures);
        let columns: Vec<&str> = columns.chain(cost.iter().copied()).chain(["error"]).collect();
        csv::line(&columns)
    }

    /// The row as a line of a CSV file under [`ResultRow::csv_heading`]. Cells without a value are empty.
    pub fn to_csv_line(&self, figures: &RecordHeading, set: &[&str]) -> String {
        let RowLabel { sweep, point, .. } = &self.label;
        let mut cells = vec![sweep.clone().unwrap_or_default(), text(*point)];
        match &self.subject {
            Some(subject) => cells.extend([
                subject.scenario.clone(),
                subject.fingerprint.clone(),
                subject.atr_s.to_string(),
                subject.load.to_string(),
                subject.estimate_error.to_string(),
                text(subject.seed),
            ]),
            None => cells.resize(cells.len() + 6, String::new()),
        }
        let settings = self.subject.iter().flat_map(|subject| &subject.set);
        cells.extend(set.iter().map(|&path| {
            let value = settings.clone().find(|setting| setting.0 == path).map(|setting| &setting.1);
            value.map_or_else(String::new, |value| {
                value.as_str().map_or_else(|| value.to_string(), str::to_owned)
            })
        }));
        let (mut record, error) = match &self.outcome {
            RowOutcome::Measured(measured) => (measured.record(figures), String::new()),
            RowOutcome::Selected(selected) => (selected.record(figures), String::new()),
            RowOutcome::Failed { policy, error } => (policy.iter().cloned().collect(), error.to_string()),
        };
        record.resize(figures.names.len(), String::new());
        cells.extend(record);
        if !set.is_empty() {
            let cost = self.cost.map(|cost| [cost.held_core_h, cost.working_core_h, cost.idle_core_h]);
            let cost = cost.map_or_else(Default::default, |cost| cost.map(|hours| hours.to_string()));
            cells.extend(cost);
            cells.push(self.pareto.map_or_else(String::new, |is_on_edge| is_on_edge.to_string()));
        }
        cells.push(error);
        csv::line(&cells)
    }
}

fn text(number: Option<u64>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}
