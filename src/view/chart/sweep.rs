//! Mean response time while one number of the scenario is varied: the advisory task runtime, or the error of
//! the estimates.

use super::{Axis, Chart, Dots, Ink, Point, Series, Shape, Unit};
use crate::policy::PolicyId;

/// What is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SweepAxis<'a> {
    /// The advisory task runtime (ATR), in seconds.
    AdvisoryTaskRuntime,
    /// Estimates are off by up to this factor, in either direction.
    EstimateError,
    /// A parameter of a policy, by its name.
    Parameter(&'a str),
}

/// A line per policy over ascending settings, on a logarithmic axis but for parameters, which may be negative; `own` is the scenario's own setting,
/// which is marked. `lines` are each policy's mean response times by setting, in seconds, `None` where they
/// are not known. `levels` are the means of policies that the setting does not affect, drawn as flat lines.
pub fn sweep_chart(
    what: SweepAxis<'_>,
    settings: &[f64],
    own: Option<f64>,
    lines: &[(PolicyId, Vec<Option<f64>>)],
    levels: &[(PolicyId, f64)],
) -> Chart {
    let series = |policy: PolicyId, mean: &dyn Fn(usize) -> Option<f64>| {
        let points = settings.iter().enumerate();
        let points = points.filter_map(|(index, &x)| Some(Point { item: index as u32, x, y: mean(index)? }));
        Series::new(policy.title(), Ink::Policy(policy), points.collect())
    };
    let lines =
        lines.iter().map(|(policy, means)| series(*policy, &|index| means.get(index).copied().flatten()));
    let levels =
        levels.iter().map(|&(policy, mean)| Series { dots: Dots::Hidden, ..series(policy, &|_| Some(mean)) });
    let series: Vec<Series> = lines.chain(levels).collect();
    let largest = series.iter().flat_map(|series| &series.points).map(|point| point.y).fold(0.0, f64::max);
    let own = |what: &str| own.map(|own| (own, format!("the scenario’s {what}")));
    let log = |name: &str, unit: Unit| Axis::log(name, unit, settings.iter().copied());
    let (title, x, item, own) = match what {
        SweepAxis::AdvisoryTaskRuntime => (
            "Mean response time by advisory task runtime".to_owned(),
            log("advisory task runtime (ATR), s", Unit::Setting),
            "ATR, s",
            own("ATR"),
        ),
        SweepAxis::EstimateError => (
            "Mean response time by error of the estimates".to_owned(),
            log("estimates off by up to a factor of", Unit::Factor),
            "factor",
            own("error"),
        ),
        SweepAxis::Parameter(name) => {
            let [from, to] = [settings.first(), settings.last()].map(|end| end.copied().unwrap_or_default());
            (
                format!("Mean response time by {name}"),
                Axis::linear(name, Unit::None, from, to),
                name,
                own("value"),
            )
        }
    };
    let y = Axis::from_zero("mean response time, s", Unit::Seconds, largest);
    let marks = own.into_iter().collect();
    Chart { marks, ..Chart::new(title, (x, y), Shape::Measured, item, series) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::chart::PointIndex;

    #[test]
    fn points_that_are_not_known_yet_are_left_out() {
        let policy = |name: &str| name.parse().expect("a policy");
        let line = (policy("uwfq-p"), vec![Some(3.0), None, Some(2.5)]);
        let level = (policy("fair"), 4.0);
        let what = SweepAxis::AdvisoryTaskRuntime;
        let chart = sweep_chart(what, &[0.125, 0.25, 0.5], Some(0.25), &[line], &[level]);
        assert_eq!(chart.marks, [(0.25, "the scenario’s ATR".to_owned())]);
        let table = chart.table(9);
        assert_eq!(table.head, ["ATR, s", "UWFQ-P", "Fair"]);
        assert_eq!(table.rows, [["0.125", "3.00", "4.00"], ["0.25", "–", "4.00"], ["0.5", "2.50", "4.00"]]);
        let reading = chart.reading(PointIndex { series: 1, point: 1 }).expect("a reading");
        assert_eq!(reading.words, "Fair, 0.25 s: 4.00 s");
        assert_eq!(reading.figures, [None, Some("4.00 s".to_owned())]);
    }
}
