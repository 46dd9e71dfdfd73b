//! What is tuned for.

use super::Goal;
use fairlane::engine::{self, Control, Progress};
use fairlane::metrics::{self, Baselines, Detail, Summary};
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane::trace::JobRun;
use fairlane::units::{MICROS_PER_SECOND, Span};

/// A figure of a simulation that can be tuned for.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its name on the command line.
    pub id: &'static str,
    /// Its name in sentences.
    pub title: &'static str,
    /// Its unit; empty for a ratio or a count.
    pub unit: &'static str,
    /// Which figures are better for users.
    pub better: Goal,
    figure: Figure,
}

/// Where a figure comes from.
#[derive(Clone, Copy, Debug)]
enum Figure {
    /// The schedule alone.
    Jobs(fn(&[JobRun]) -> Option<f64>),
    /// An evaluation.
    Summary(Detail, fn(&Summary) -> Option<f64>),
}

/// All of them.
pub const METRICS: &[Metric] = &[
    of_jobs("mean-response", "mean response time", metrics::mean_response),
    of_jobs("worst-10-percent", "mean of the worst tenth of response times", metrics::worst_decile_mean),
    of_summary("slowdown", "mean slowdown", "", Detail::Responses, |it| it.mean_slowdown),
    of_summary("worst-slowdowns", "mean of the worst tenth of slowdowns", "", Detail::Responses, |it| {
        it.worst_decile_slowdown
    }),
    of_summary("makespan", "makespan", "s", Detail::Responses, |it| it.makespan.map(Span::seconds)),
    most(of_summary("utilization", "utilization", "", Detail::Responses, |it| it.utilization)),
    most(of_summary("jain", "Jain's index of slowdowns", "", Detail::Responses, |it| it.jain)),
    of_summary("worst-delay", "largest delay against the ideal", "s", Detail::Responses, |it| {
        it.unfairness.map(|furthest| furthest.delay / MICROS_PER_SECOND)
    }),
    of_summary("dvr", "deadline violation ratio against UJF", "", Detail::Delays, |it| {
        it.ujf.as_ref()?.overall.dvr
    }),
    most(of_summary("progress", "average progress", "", Detail::Responses, |it| it.special.progress)),
    most(of_summary("deadlines", "satisfied deadlines ratio", "", Detail::Responses, |it| {
        it.special.deadlines?.satisfied_ratio()
    })),
    most(of_summary("productive", "productive time ratio", "", Detail::Responses, |it| {
        it.special.deadlines?.productive_ratio()
    })),
    of_summary("wasted", "wasted time ratio", "", Detail::Responses, |it| {
        it.special.deadlines?.wasted_ratio()
    }),
    of_summary("latency-queues", "mean response time of latency queues", "s", Detail::Responses, |it| {
        it.special.completions?.latency
    }),
];

const fn of_jobs(id: &'static str, title: &'static str, figure: fn(&[JobRun]) -> Option<f64>) -> Metric {
    Metric { id, title, unit: "s", better: Goal::Least, figure: Figure::Jobs(figure) }
}

const fn of_summary(
    id: &'static str,
    title: &'static str,
    unit: &'static str,
    detail: Detail,
    figure: fn(&Summary) -> Option<f64>,
) -> Metric {
    Metric { id, title, unit, better: Goal::Least, figure: Figure::Summary(detail, figure) }
}

/// The metric, of which more is better.
const fn most(metric: Metric) -> Metric {
    Metric { better: Goal::Most, ..metric }
}

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
    /// The figure of a scenario under a policy; `None` if it does not exist, or if the observer stops the simulation.
    pub(super) fn of(
        &self,
        scenario: &Scenario,
        policy: PolicyId,
        observer: &mut dyn FnMut(f64) -> Control,
    ) -> Option<f64> {
        match self.figure {
            Figure::Jobs(figure) => {
                let mut observer =
                    |progress: Progress| observer(progress.launched as f64 / progress.tasks.max(1) as f64);
                let trace = engine::simulate_observed(scenario, policy, &mut observer).ok()?;
                figure(&trace.jobs)
            }
            Figure::Summary(detail, figure) => {
                let mut baselines = Baselines::new(1);
                let evaluation =
                    metrics::evaluate(scenario, policy, detail, &mut baselines, observer).ok()?;
                figure(&evaluation.summary)
            }
        }
    }
}
