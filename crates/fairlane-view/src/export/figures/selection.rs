//! Some of the metrics of a simulation: those that somebody asked for, and no more is computed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record::field;
use super::{Figure, Figures, GroupFigures, RecordHeading, UserFigures, trace_hash};
use fairlane::engine::{self, Control, Progress, SimulationError};
use fairlane::metrics::{
    self, Baselines, Deviation, EvaluationDetail, ResponsePercentiles, Unfinished, evaluate,
};
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane::trace::Trace;
use fairlane::units::Span;

/// The metrics that are asked for, as keys of [`Figures`] in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection(Vec<&'static str>);

/// The metrics that were asked for, in the order of their keys; lists and objects come last.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SelectedFigures {
    /// As on the command line.
    pub policy: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trace_hash: Option<String>,
    #[serde(flatten)]
    numbers: BTreeMap<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    against_ujf: Option<Deviation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    against_fluid: Option<Deviation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<GroupFigures>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    users: Option<Vec<UserFigures>>,
}

/// What a schedule says by itself.
type ScheduleFigure = fn(&Scenario, &Trace) -> Value;

/// How a metric is found without an evaluation, if it can be.
fn of_schedule(key: &str) -> Option<ScheduleFigure> {
    Some(match key {
        "trace_hash" => |_, trace| trace_hash(trace).into(),
        "mean_response_s" => |_, trace| metrics::mean_response(&trace.jobs).into(),
        "worst_10_percent_response_s" => |_, trace| metrics::worst_decile_mean(&trace.jobs).into(),
        "p50_response_s" => |_, trace| ResponsePercentiles::among(&trace.jobs).map(|it| it.p50).into(),
        "p95_response_s" => |_, trace| ResponsePercentiles::among(&trace.jobs).map(|it| it.p95).into(),
        "p99_response_s" => |_, trace| ResponsePercentiles::among(&trace.jobs).map(|it| it.p99).into(),
        "makespan_s" => |_, trace| metrics::makespan(trace).map(Span::seconds).into(),
        "utilization" => |scenario, trace| metrics::utilization(scenario, trace).into(),
        "dropped" => |_, trace| Unfinished::among(&trace.jobs).dropped.into(),
        "rejected" => |_, trace| Unfinished::among(&trace.jobs).rejected.into(),
        "cancelled" => |_, trace| Unfinished::among(&trace.jobs).cancelled.into(),
        _ => return None,
    })
}

/// How much of a simulation is evaluated for a metric.
fn detail(key: &str) -> EvaluationDetail {
    match key {
        "against_ujf" => EvaluationDetail::Delays,
        "groups" | "users" => EvaluationDetail::Full,
        _ => Figures::table()
            .find(|figure| figure.id == key)
            .map_or(EvaluationDetail::Responses, |figure| figure.detail),
    }
}

impl Selection {
    /// Those of some keys.
    ///
    /// # Errors
    /// A key that there is not, or none at all: a sentence with those there are.
    pub fn new<'a>(keys: impl IntoIterator<Item = &'a str>) -> Result<Selection, String> {
        let all = || Figures::KEYS.iter().copied().filter(|&key| key != "policy");
        let known = || all().collect::<Vec<_>>().join(", ");
        let keys: Vec<&str> = keys.into_iter().map(str::trim).collect();
        if let Some(unknown) = keys.iter().find(|&&asked| all().all(|key| key != asked)) {
            return Err(format!("there is no metric {unknown:?}; the metrics are {}", known()));
        }
        match keys.is_empty() {
            true => Err(format!("no metric is named; the metrics are {}", known())),
            false => Ok(Selection(all().filter(|key| keys.contains(key)).collect())),
        }
    }

    /// The keys.
    pub fn keys(&self) -> &[&'static str] {
        &self.0
    }

    /// Whether a metric is asked for.
    pub fn has(&self, key: &str) -> bool {
        self.0.contains(&key)
    }

    /// Simulates a scenario under a policy and computes the metrics. `baselines` must be those of this scenario.
    ///
    /// # Errors
    /// The simulation fails, or the observer stops it.
    pub fn measure(
        &self,
        scenario: &Scenario,
        policy: PolicyId,
        baselines: &mut Baselines,
        observer: &mut dyn FnMut(f64) -> Control,
    ) -> Result<(SelectedFigures, Trace), SimulationError> {
        let of_schedule: Option<Vec<ScheduleFigure>> = self.0.iter().map(|key| of_schedule(key)).collect();
        if let Some(of_schedule) = of_schedule {
            let mut observer =
                |progress: Progress| observer(progress.launched as f64 / progress.tasks.max(1) as f64);
            let trace = engine::simulate_observed(scenario, policy, &mut observer)?;
            let values = self.0.iter().zip(of_schedule).map(|(&key, value)| (key, value(scenario, &trace)));
            return Ok((SelectedFigures::of_schedule(&trace, values), trace));
        }
        let detail = self.0.iter().map(|key| detail(key)).max().unwrap_or(EvaluationDetail::Responses);
        let evaluation = evaluate(scenario, policy, detail, baselines, observer)?;
        let mut figures = Figures::unhashed(&evaluation);
        if self.has("trace_hash") {
            figures.trace_hash = trace_hash(&evaluation.trace);
        }
        Ok((SelectedFigures::of_evaluation(self, figures), evaluation.trace))
    }
}

impl SelectedFigures {
    fn of_schedule(trace: &Trace, values: impl Iterator<Item = (&'static str, Value)>) -> SelectedFigures {
        let mut numbers: BTreeMap<String, Value> =
            values.map(|(key, value)| (key.to_owned(), value)).collect();
        let hash = numbers.remove("trace_hash");
        SelectedFigures {
            policy: trace.policy.to_string(),
            trace_hash: hash.and_then(|hash| hash.as_str().map(str::to_owned)),
            numbers,
            against_ujf: None,
            against_fluid: None,
            groups: None,
            users: None,
        }
    }

    fn of_evaluation(selection: &Selection, figures: Figures) -> SelectedFigures {
        let json = serde_json::to_value(&figures).expect("figures have only keys that are text");
        let number = |figure: &Figure<Figures>| {
            // Among all metrics a count of 0 is left out, too; here it was asked for.
            let left_out = || (figure.value)(&figures).map(|count| count as u64).into();
            (figure.id.to_owned(), json.get(figure.id).cloned().unwrap_or_else(left_out))
        };
        SelectedFigures {
            numbers: Figures::table().filter(|figure| selection.has(figure.id)).map(number).collect(),
            policy: figures.policy,
            trace_hash: selection.has("trace_hash").then_some(figures.trace_hash),
            against_ujf: figures.against_ujf.filter(|_| selection.has("against_ujf")),
            against_fluid: selection.has("against_fluid").then_some(figures.against_fluid),
            groups: selection.has("groups").then_some(figures.groups),
            users: selection.has("users").then_some(figures.users),
        }
    }

    /// A metric that is a number; `None` if it does not exist or was not asked for.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.numbers.get(key).and_then(Value::as_f64)
    }

    /// The metrics as a line of a CSV file; empty where there is none.
    pub fn record(&self, heading: &RecordHeading) -> Vec<String> {
        let json = serde_json::to_value(self).expect("metrics have only keys that are text");
        let fields = heading.pointers().map(|pointer| field(json.pointer(&pointer)));
        std::iter::once(self.policy.clone()).chain(fields).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluated(scenario: &Scenario, policy: PolicyId) -> Value {
        let mut baselines = Baselines::new(1);
        let run =
            evaluate(scenario, policy, EvaluationDetail::Full, &mut baselines, &mut |_| Control::Continue)
                .expect("the policy keeps its contract");
        serde_json::to_value(Figures::new(&run)).expect("JSON")
    }

    /// Asked for alone, with others and with all, on scenarios that have deadlines, curves, queues, memory, and
    /// executors that come and go.
    #[test]
    fn each_metric_is_what_it_is_among_all() {
        let elastic = r#"{"format": "fairlane/scenario@1", "cluster": {"executors": 2, "cores_per_executor": 2,
            "memory_mb_per_executor": 4000, "dynamic_allocation": {"min": 1, "max": 2}},
            "users": [{"name": "a"}, {"name": "b"}], "jobs": [
            {"user": "a", "arrival_s": 0, "stages": [{"work_s": 9, "partitions": 5, "memory_mb": 1000}]},
            {"user": "b", "arrival_s": 2, "cancel_s": 4, "stages": [{"work_s": 9, "partitions": 3}]}]}"#;
        let catalog = ["two-users", "skew", "bopf-growing", "paf-two-jobs", "justice-uneven"]
            .map(|name| fairlane::catalog::find(name).expect("an entry").scenario());
        let elastic = Scenario::from_json(elastic).expect("a good scenario");
        let keys = || Figures::KEYS.iter().copied().filter(|&key| key != "policy");
        for scenario in catalog.iter().chain([&elastic]) {
            for policy in ["fifo", "uwfq-p", "ujf", "justice"].map(|name| name.parse().expect("a policy")) {
                let all = evaluated(scenario, policy);
                let ask = |selection: &Selection| {
                    let mut baselines = Baselines::new(1);
                    let (row, _) = (selection
                        .measure(scenario, policy, &mut baselines, &mut |_| Control::Continue))
                    .expect("the policy keeps its contract");
                    serde_json::to_value(row).expect("JSON")
                };
                let equals = |row: &Value, key: &str| {
                    let [asked, among_all] = [row, &all].map(|json| json.get(key).filter(|it| !it.is_null()));
                    let is_no_count = asked.is_some_and(|it| *it != 0);
                    assert!(
                        asked == among_all || (among_all.is_none() && !is_no_count),
                        "{key} under {policy}: {asked:?} and {among_all:?}"
                    );
                };
                for key in keys() {
                    equals(&ask(&Selection::new([key]).expect("a key")), key);
                }
                let row = ask(&Selection::new(keys()).expect("keys"));
                keys().for_each(|key| equals(&row, key));
            }
        }
    }

    #[test]
    fn a_selection_names_metrics_that_there_are_in_one_order() {
        let selection = |keys: &[&'static str]| Selection::new(keys.iter().copied());
        let [one, other] = [["makespan_s", " p95_response_s"], ["p95_response_s", "makespan_s"]];
        assert_eq!(selection(&one), selection(&other));
        assert_eq!(selection(&one).expect("metrics").keys(), ["p95_response_s", "makespan_s"]);
        let unknown = selection(&["mean"]).expect_err("no key");
        assert!(
            unknown.starts_with("there is no metric \"mean\"; the metrics are trace_hash, mean_response_s")
        );
        assert!(selection(&["policy"]).is_err() && selection(&[]).is_err());
    }
}
