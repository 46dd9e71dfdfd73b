//! Figures as the lines of a CSV file.

use serde_json::Value;

use super::{DEVIATION, Figure, Figures, Selection};
use fairlane::metrics::{ResponseGroup, has_deadlines};
use fairlane::policy::{Outcomes, PolicyId};
use fairlane::scenario::{Scenario, Stage};

/// The columns of a CSV file of [`Figures`].
#[derive(Clone, Debug, Default)]
pub struct RecordHeading {
    /// Their names.
    pub names: Vec<String>,
    /// Where the figures after the policy are.
    sources: Vec<FieldSource>,
}

/// Where a column's figure is.
#[derive(Clone, Debug)]
enum FieldSource {
    /// In the table.
    Figure(&'static Figure<Figures>),
    /// In the JSON, by its pointer.
    Pointer(String),
}

impl FieldSource {
    /// The key of [`Figures`] that the column's figure belongs to.
    fn key(&self) -> &str {
        match self {
            FieldSource::Figure(figure) => figure.id,
            FieldSource::Pointer(pointer) => pointer.split('/').nth(1).unwrap_or_default(),
        }
    }
}

impl RecordHeading {
    /// The columns of a file without any figures.
    pub fn without_figures() -> RecordHeading {
        RecordHeading { names: vec!["policy".to_owned()], sources: Vec::new() }
    }

    /// Only the columns of some metrics, and one for each of these.
    pub fn of(self, selection: &Selection) -> RecordHeading {
        let columns = self.names.into_iter().skip(1).zip(self.sources);
        let (names, sources) = columns.filter(|(_, source)| selection.has(source.key())).unzip();
        let mut heading = RecordHeading { names, sources };
        heading.names.insert(0, "policy".to_owned());
        for figure in Figures::table().filter(|figure| selection.has(figure.id)) {
            // What the scenario does not have is asked for all the same.
            if heading.sources.iter().all(|source| source.key() != figure.id) {
                heading.add_figures(figure.id, figure.id);
            }
        }
        heading
    }

    /// Where the figures after the policy are in the JSON.
    pub(super) fn pointers(&self) -> impl Iterator<Item = String> + '_ {
        self.sources.iter().map(|source| match source {
            FieldSource::Figure(figure) => format!("/{}", figure.id),
            FieldSource::Pointer(pointer) => pointer.clone(),
        })
    }

    fn add(&mut self, name: String, pointer: String) {
        self.names.push(name);
        self.sources.push(FieldSource::Pointer(pointer));
    }

    /// Adds the figures from one id to another.
    fn add_figures(&mut self, first: &str, last: &str) {
        let from = Figures::table().skip_while(|figure| figure.id != first);
        for figure in from {
            self.names.push(figure.id.to_owned());
            self.sources.push(FieldSource::Figure(figure));
            if figure.id == last {
                break;
            }
        }
    }

    /// Adds a column for each user.
    fn add_users(&mut self, scenario: &Scenario, name: &str, key: &str) {
        for (index, user) in scenario.users().iter().enumerate() {
            self.add(format!("{name}[{}]", user.name), format!("/users/{index}/{key}"));
        }
    }
}

/// Names and keys of the figures against both ideals.
fn deviations() -> impl Iterator<Item = (String, String)> {
    let against = |than: &'static str| {
        let ids = DEVIATION.iter().map(|figure| figure.id);
        ids.map(move |id| (format!("{than}_{id}"), format!("against_{than}/{id}")))
    };
    against("ujf").chain(against("fluid"))
}

/// Names and keys of the figures of some jobs.
fn of_part() -> impl Iterator<Item = (String, String)> {
    let plain = |ids: &'static [&'static str]| ids.iter().map(|id| ((*id).to_owned(), (*id).to_owned()));
    plain(&["jobs", "mean_response_s", "mean_slowdown"]).chain(deviations()).chain(plain(&["inversion_s"]))
}

impl Figures {
    /// The columns of a file of some policies. The first are those of the first version of this format, in the same
    /// order; the last are only there if the scenario or one of the policies has what they are about.
    pub fn heading(scenario: &Scenario, policies: &[PolicyId]) -> RecordHeading {
        let mut heading = RecordHeading::without_figures();
        heading.add("trace_hash".to_owned(), "/trace_hash".to_owned());
        heading.add_figures("mean_response_s", "makespan_s");
        heading.add_users(scenario, "mean_response_s", "mean_response_s");
        heading.add_figures("worst_10_percent_slowdown", "jain_slowdown");
        for than in ["ujf", "fluid"] {
            for id in ["dvr", "violations", "dsr", "slacks", "unrated"] {
                heading.add(format!("{than}_{id}"), format!("/against_{than}/{id}"));
            }
        }
        heading.add_figures("furthest_behind_job", "straggler_idle_core_s");
        for (index, group) in ResponseGroup::ALL.into_iter().enumerate() {
            for (name, key) in of_part() {
                heading.add(format!("group_{}_{name}", group.key()), format!("/groups/{index}/{key}"));
            }
        }
        // A user's mean response time is among the first fields.
        for (name, key) in of_part().filter(|(name, _)| name != "mean_response_s") {
            heading.add_users(scenario, &name, &key);
        }
        heading.add_users(scenario, "r_ujf", "r_ujf");
        heading.add_users(scenario, "r_fluid", "r_fluid");
        if may_end_early(policies) {
            heading.add_figures("dropped", "rejected");
        }
        if policies.iter().any(|&policy| has_deadlines(scenario, policy)) {
            heading.add_figures("deadlines_met", "fairness");
        }
        if scenario.jobs().iter().any(|job| job.curve.is_some()) {
            heading.add_figures("progress_rate", "progress_rate");
        }
        let queues = scenario.users().iter().any(|user| user.queue.is_some());
        let memory = scenario.cluster().memory_per_executor.is_some();
        if queues {
            heading.add_figures("latency_queues_mean_response_s", "throughput_queues_mean_response_s");
        }
        if queues || memory {
            heading.add_users(scenario, "dominant_share", "dominant_share");
        }
        if memory {
            heading.add_figures("memory_mean_ratio", "memory_peak_ratio");
        }
        if scenario.cluster().is_elastic() {
            heading.add_figures("held_core_s", "idle_core_s");
        }
        if scenario.has_cancellations() {
            heading.add_figures("cancelled", "cancelled");
        }
        if scenario.names_kill_reasons() {
            heading.add_figures("attempts", "wasted_core_s");
        }
        if scenario.jobs().iter().flat_map(|job| &job.stages).any(Stage::has_preferences) {
            heading.add_figures("held_back_core_s", "held_back_core_s");
        }
        heading
    }

    /// The figures as a line of a CSV file; empty where there is none.
    pub fn record(&self, heading: &RecordHeading) -> Vec<String> {
        let json = serde_json::to_value(self).expect("figures have only keys that are text");
        let fields = heading.sources.iter().map(|source| match source {
            FieldSource::Figure(figure) => text((figure.value)(self)),
            FieldSource::Pointer(pointer) => field(json.pointer(pointer)),
        });
        std::iter::once(self.policy.clone()).chain(fields).collect()
    }
}

/// A figure as a field of a CSV file.
pub(in crate::export) fn text(figure: Option<f64>) -> String {
    figure.map_or_else(String::new, |figure| figure.to_string())
}

/// A value as a field of a CSV file. Counts are whole below 2^53, so that an `f64` shows them exactly.
pub(in crate::export) fn field(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.as_f64().map_or_else(|| value.to_string(), |number| number.to_string()),
    }
}

/// Whether jobs can be dropped or rejected under any of some policies.
pub(in crate::export) fn may_end_early(policies: &[PolicyId]) -> bool {
    policies.iter().any(|policy| policy.kind.info().outcomes == Outcomes::Any)
}
