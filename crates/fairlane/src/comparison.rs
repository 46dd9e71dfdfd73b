//! The short way from a scenario to figures by policy.

use std::{fmt, thread};

use crate::engine::Control;
use crate::metrics::{self, Baselines, Evaluation, EvaluationDetail};
use crate::policy::PolicyId;
use crate::scenario::Scenario;
use crate::units::Span;

/// Simulates a scenario under each of the policies and measures the results.
///
/// ```
/// use fairlane::units::Span;
/// use fairlane::{Scenario, compare};
/// let scenario = Scenario::from_json(r#"{
///     "format": "fairlane/scenario@1",
///     "cluster": { "executors": 1, "cores_per_executor": 2 },
///     "jobs": [
///         { "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [4, 4, 4, 4] }] },
///         { "user": "ben", "arrival_s": 1, "stages": [{ "tasks_s": [1] }] }
///     ]
/// }"#)?;
/// let comparison = compare(&scenario, ["fifo".parse()?, "uwfq".parse()?]);
/// println!("{comparison}");
///
/// let [fifo, uwfq] = &comparison.evaluations[..] else { panic!("one evaluation per policy") };
/// assert!(uwfq.summary.mean_response < fifo.summary.mean_response);
/// assert_eq!(uwfq.trace.jobs[1].response(), Some(Span(4_000_000)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Use [`metrics::evaluate`] to choose which figures are computed, to observe the progress or to stop.
pub fn compare(scenario: &Scenario, policies: impl IntoIterator<Item = PolicyId>) -> Comparison {
    let mut baselines = Baselines::new(thread::available_parallelism().map_or(1, usize::from));
    let mut evaluate = |policy| {
        metrics::evaluate(scenario, policy, EvaluationDetail::Delays, &mut baselines, &mut |_| {
            Control::Continue
        })
        .expect("the observer never stops it")
    };
    Comparison { evaluations: policies.into_iter().map(&mut evaluate).collect() }
}

/// What [`compare`] returns. Displays as a table with one row per policy.
#[derive(Debug)]
#[non_exhaustive]
pub struct Comparison {
    /// The traces and figures, in the order of the policies.
    pub evaluations: Vec<Evaluation>,
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<String> = self.evaluations.iter().map(|run| run.trace.policy.to_string()).collect();
        let width = ids.iter().map(String::len).chain(["policy".len()]).max().unwrap_or_default();
        writeln!(f, "{:width$}     mean s  worst 10 % s  slowdown   DVR  makespan s", "policy")?;
        let text =
            |figure: Option<f64>| figure.map_or_else(|| "-".to_owned(), |figure| format!("{figure:.2}"));
        for (id, Evaluation { summary, .. }) in ids.iter().zip(&self.evaluations) {
            write!(
                f,
                "{id:width$}  {:>9}  {:>12}  {:>8}  {:>4}  {:>10}",
                text(summary.mean_response),
                text(summary.worst_decile),
                text(summary.mean_slowdown),
                text(summary.ujf.as_ref().and_then(|ujf| ujf.overall.dvr)),
                text(summary.makespan.map(Span::seconds)),
            )?;
            summary.unfinished.words().try_for_each(|words| write!(f, "  {words}"))?;
            writeln!(f)?;
        }
        Ok(())
    }
}
