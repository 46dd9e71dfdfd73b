//! What a schedule costs, and which of a sweep's rows no other beats.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ResultRow;
use fairlane::metrics::ExecutorUse;
use fairlane::scenario::Scenario;
use fairlane::trace::Trace;
use fairlane::units::SlotTime;

/// Core time of the executors of a schedule, in core-hours.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Cost {
    /// Core-hours of the cores that were there, up to the last task's end.
    pub held_core_h: f64,
    /// What tasks held of it.
    pub working_core_h: f64,
    /// What no task held of it.
    pub idle_core_h: f64,
}

impl Cost {
    /// That of a schedule.
    pub(super) fn of(scenario: &Scenario, trace: &Trace) -> Cost {
        let executors = ExecutorUse::of(scenario, trace);
        let hours = |time: SlotTime| time.seconds() / 3600.0;
        Cost {
            held_core_h: hours(executors.held),
            working_core_h: hours(executors.working),
            idle_core_h: hours(executors.idle()),
        }
    }
}

/// Marks the rows on the Pareto edge: no other row of the same load, error of estimates and seed has both a smaller
/// mean response time and fewer core-hours held, or one smaller and the other equal.
pub fn mark_pareto_edge(rows: &mut [ResultRow]) {
    let mut alike: BTreeMap<String, Vec<(f64, f64, usize)>> = BTreeMap::new();
    for (index, row) in rows.iter_mut().enumerate() {
        row.pareto = None;
        let mean = row.mean_response_s();
        if let (Some(subject), Some(cost), Some(mean)) = (&row.subject, row.cost, mean) {
            let of = format!("{} {} {:?}", subject.load, subject.estimate_error, subject.seed);
            alike.entry(of).or_default().push((cost.held_core_h, mean, index));
        }
    }
    for mut points in alike.into_values() {
        points.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
        // The last point on the edge.
        let mut edge = (f64::NAN, f64::INFINITY);
        for (held, mean, index) in points {
            let is_on_edge = mean < edge.1 || (held, mean) == edge;
            if is_on_edge {
                edge = (held, mean);
            }
            rows[index].pareto = Some(is_on_edge);
        }
    }
}
