//! What executors cost against how soon jobs are answered.

use super::{Axis, AxisUnit, Chart, ChartPoint, Series, SeriesInk, SeriesShape};
use fairlane::policy::PolicyId;

/// A setting of the cluster under a policy, measured.
#[derive(Clone, Debug, PartialEq)]
pub struct CostPoint {
    /// The policy.
    pub policy: PolicyId,
    /// The setting, such as `8 executors`.
    pub setting: String,
    /// Core time that executors held, in core-seconds.
    pub held: f64,
    /// The mean response time, in seconds.
    pub response: f64,
}

/// Core-seconds of a core-hour.
const HOUR: f64 = 3600.0;

/// A line per policy through its settings in the order of cost, and the Pareto edge: the settings beside which no other
/// one of any policy is both cheaper and faster.
pub fn cost_chart(points: &[CostPoint]) -> Chart {
    let mut points: Vec<&CostPoint> = points.iter().collect();
    points
        .sort_by(|one, other| one.held.total_cmp(&other.held).then(one.response.total_cmp(&other.response)));
    let most = points.last().map_or(0.0, |point| point.held);
    let (unit, name, per) = match most < HOUR {
        true => ("core-s", "core-seconds held", 1.0),
        false => ("core-h", "core-hours held", HOUR),
    };
    let shown =
        |(item, point): (u32, &&CostPoint)| ChartPoint { item, x: point.held / per, y: point.response };
    let mut policies: Vec<PolicyId> = points.iter().map(|point| point.policy).collect();
    policies.sort();
    policies.dedup();
    let line = |policy: PolicyId| {
        let own = (0..).zip(&points).filter(|(_, point)| point.policy == policy);
        Series::new(policy.title(), SeriesInk::Policy(policy), own.map(shown).collect())
    };
    let mut series: Vec<Series> = policies.into_iter().map(line).collect();
    let mut fastest = f64::INFINITY;
    let edge = (0..).zip(&points).filter(|(_, point)| {
        let is_faster = point.response < fastest;
        fastest = fastest.min(point.response);
        is_faster
    });
    let edge: Vec<ChartPoint> = edge.map(shown).collect();
    if !edge.is_empty() {
        series.push(Series::new("Pareto edge", SeriesInk::Text, edge));
    }
    let x = Axis::around(name, AxisUnit::Cores, points.iter().map(|point| point.held / per));
    let responses = points.iter().map(|point| point.response);
    let y = Axis::around("mean response time, s", AxisUnit::Seconds, responses);
    let name = |point: &&CostPoint| {
        format!("{}, {} {unit}", point.setting, fairlane::number::trimmed(point.held / per, 2))
    };
    let names = points.iter().map(name).collect();
    Chart {
        names,
        ..Chart::new("Cost against response", (x, y), SeriesShape::Measured, "setting, cost", series)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four executors under Spark are no faster than two under UWFQ and cost more: they are not on the edge.
    #[test]
    fn the_edge_is_what_nothing_beats() {
        let point = |policy: &str, executors: u32, held: f64, response: f64| CostPoint {
            policy: policy.parse().expect("a policy"),
            setting: format!("{executors} executors"),
            held,
            response,
        };
        let points = [
            point("spark", 4, 8000.0, 9.0),
            point("uwfq", 2, 7200.0, 8.0),
            point("spark", 1, 3600.0, 20.0),
            point("uwfq", 4, 9000.0, 4.5),
        ];
        let chart = cost_chart(&points);
        let table = chart.table(9);
        assert_eq!(table.head, ["setting, cost", "UWFQ", "Spark", "Pareto edge"]);
        assert_eq!(table.rows[0], ["1 executors, 1 core-h", "–", "20.00", "20.00"]);
        assert_eq!(table.rows[1], ["2 executors, 2 core-h", "8.00", "–", "8.00"]);
        assert_eq!(table.rows[2][3], "–");
        assert_eq!(chart.series[2].points.len(), 3);
        assert!(cost_chart(&[]).is_empty());
    }
}
