//! What is tuned for.

use super::Goal;
use fairlane::engine::{self, Control, Progress};
use fairlane::metrics::{self, Baselines, ExecutorUse, ResponsePercentiles};
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane::trace::Trace;
use fairlane_view::export::{Better, Figure, Figures};

/// A figure of a simulation that can be tuned for.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its name on the command line.
    pub id: &'static str,
    /// Its name in sentences.
    pub title: &'static str,
    /// The figure's id.
    figure: &'static str,
}

const fn metric_of(id: &'static str, title: &'static str, figure: &'static str) -> Metric {
    Metric { id, title, figure }
}

/// All of them.
pub const METRICS: &[Metric] = &[
    metric_of("mean-response", "mean response time", "mean_response_s"),
    metric_of("p95", "95th percentile of response times", "p95_response_s"),
    metric_of("worst-10-percent", "mean of the worst tenth of response times", "worst_10_percent_response_s"),
    metric_of("slowdown", "mean slowdown", "mean_slowdown"),
    metric_of("worst-slowdowns", "mean of the worst tenth of slowdowns", "worst_10_percent_slowdown"),
    metric_of("makespan", "makespan", "makespan_s"),
    metric_of("utilization", "utilization", "utilization"),
    metric_of("jain", "Jain's index of slowdowns", "jain_slowdown"),
    metric_of("worst-delay", "largest delay against the ideal", "furthest_behind_s"),
    metric_of("dvr", "deadline violation ratio against UJF", "ujf_dvr"),
    metric_of("progress", "average progress", "progress_rate"),
    metric_of("deadlines", "satisfied deadlines ratio", "satisfied_deadlines_ratio"),
    metric_of("productive", "productive time ratio", "productive_time_ratio"),
    metric_of("wasted", "wasted time ratio", "wasted_time_ratio"),
    metric_of("latency-queues", "mean response time of latency queues", "latency_queues_mean_response_s"),
    metric_of("core-time", "core time held by executors", HELD),
];

/// The core time that executors held, also of those that are always there.
const HELD: &str = "held_core_s";

/// The metric of that name.
///
/// # Errors
/// There is none: a sentence with those there are.
pub fn metric(id: &str) -> Result<Metric, String> {
    METRICS.iter().find(|metric| metric.id == id).copied().ok_or_else(|| {
        let ids: Vec<&str> = METRICS.iter().map(|metric| metric.id).collect();
        format!("is no metric; the metrics are {}", ids.join(", "))
    })
}

impl Metric {
    /// The figure.
    pub fn figure(&self) -> &'static Figure<Figures> {
        Figures::find(self.figure)
    }

    /// Which figures are better for users.
    pub fn better(&self) -> Goal {
        if self.figure().shown.better == Better::More { Goal::Most } else { Goal::Least }
    }

    /// The figure of a scenario under a policy; `None` if it does not exist, or if the observer stops the simulation.
    pub fn value(
        &self,
        scenario: &Scenario,
        policy: PolicyId,
        observer: &mut dyn FnMut(f64) -> Control,
    ) -> Option<f64> {
        // What the schedule alone has needs no evaluation.
        let of_trace: fn(&Scenario, &Trace) -> Option<f64> = match self.figure {
            "mean_response_s" => |_, trace| metrics::mean_response(&trace.jobs),
            "p95_response_s" => |_, trace| Some(ResponsePercentiles::among(&trace.jobs)?.p95),
            "worst_10_percent_response_s" => |_, trace| metrics::worst_decile_mean(&trace.jobs),
            HELD => |scenario, trace| Some(ExecutorUse::of(scenario, trace).held.seconds()),
            _ => {
                let (figure, mut baselines) = (self.figure(), Baselines::new(1));
                let evaluation =
                    metrics::evaluate(scenario, policy, figure.detail, &mut baselines, observer).ok()?;
                return (figure.value)(&Figures::unhashed(&evaluation));
            }
        };
        let mut observer =
            |progress: Progress| observer(progress.launched as f64 / progress.tasks.max(1) as f64);
        let trace = engine::simulate_observed(scenario, policy, &mut observer).ok()?;
        of_trace(scenario, &trace)
    }
}
