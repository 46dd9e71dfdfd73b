//! Figures while one number of the scenario is varied: mean response times by the advisory task runtime or by the
//! error of the estimates, and a metric by a parameter that is tuned for it.

use super::{Axis, AxisUnit, Chart, ChartPoint, Dots, Scale, Series, SeriesInk, SeriesShape};
use fairlane::policy::PolicyId;

/// What is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SweepAxis {
    /// The advisory task runtime (ATR), in seconds.
    AdvisoryTaskRuntime,
    /// Estimates are off by up to this factor, in either direction.
    EstimateError,
}

/// A line per policy over ascending settings, on a logarithmic axis; `own` is the scenario's own setting, which
/// is marked. `lines` are each policy's mean response times by setting, in seconds, `None` where they
/// are not known. `levels` are the means of policies that the setting does not affect, drawn as flat lines.
pub fn sweep_chart(
    what: SweepAxis,
    settings: &[f64],
    own: Option<f64>,
    lines: &[(PolicyId, Vec<Option<f64>>)],
    levels: &[(PolicyId, f64)],
) -> Chart {
    let series = |policy: PolicyId, mean: &dyn Fn(usize) -> Option<f64>| {
        let points = settings.iter().enumerate();
        let points =
            points.filter_map(|(index, &x)| Some(ChartPoint { item: index as u32, x, y: mean(index)? }));
        Series::new(policy.title(), SeriesInk::Policy(policy), points.collect())
    };
    let lines =
        lines.iter().map(|(policy, means)| series(*policy, &|index| means.get(index).copied().flatten()));
    let levels =
        levels.iter().map(|&(policy, mean)| Series { dots: Dots::Hidden, ..series(policy, &|_| Some(mean)) });
    let series: Vec<Series> = lines.chain(levels).collect();
    let largest = series.iter().flat_map(|series| &series.points).map(|point| point.y).fold(0.0, f64::max);
    let own = |what: &str| own.map(|own| (own, format!("the scenario’s {what}")));
    let log = |name: &str, unit: AxisUnit| Axis::log(name, unit, settings.iter().copied());
    let (title, x, item, own) = match what {
        SweepAxis::AdvisoryTaskRuntime => (
            "Mean response time by advisory task runtime".to_owned(),
            log("advisory task runtime (ATR), s", AxisUnit::Setting),
            "ATR, s",
            own("ATR"),
        ),
        SweepAxis::EstimateError => (
            "Mean response time by error of the estimates".to_owned(),
            log("estimates off by up to a factor of", AxisUnit::Factor),
            "factor",
            own("error"),
        ),
    };
    let y = Axis::from_zero("mean response time, s", AxisUnit::Seconds, largest);
    let marks = own.into_iter().collect();
    Chart { marks, ..Chart::new(title, (x, y), SeriesShape::Measured, item, series) }
}

/// A metric by the values of a parameter that is tuned for it.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedCurve<'a> {
    /// Under which policy.
    pub policy: PolicyId,
    /// The parameter's name.
    pub parameter: &'a str,
    /// How its values are spread over the axis.
    pub scale: Scale,
    /// The metric's name.
    pub metric: &'a str,
    /// The metric's unit; empty for a ratio.
    pub unit: &'a str,
    /// Ascending values, each with the mean, the least and the most of the metric over the seeds as far as they are
    /// known.
    pub points: Vec<(f64, [Option<f64>; 3])>,
    /// The scenario's own value, which is marked.
    pub own: f64,
    /// Number of seeds; of a single one there are no extremes to draw.
    pub seeds: usize,
}

/// A line of means, and with several seeds two more of the extremes.
pub fn tuned_chart(curve: &TunedCurve) -> Chart {
    let line = |name: String, ink: SeriesInk, which: usize| {
        let points = curve.points.iter().enumerate();
        let points = points.filter_map(|(index, &(x, figures))| {
            Some(ChartPoint { item: index as u32, x, y: figures[which]? })
        });
        Series::new(name, ink, points.collect())
    };
    let mut series = vec![line(curve.policy.title(), SeriesInk::Policy(curve.policy), 0)];
    if curve.seeds > 1 {
        series.extend([(1, "least"), (2, "most")].map(|(which, name)| Series {
            dots: Dots::Hidden,
            ..line(format!("{name} of {} seeds", curve.seeds), SeriesInk::Text, which)
        }));
    }
    let figures = || series.iter().flat_map(|series| &series.points).map(|point| point.y);
    let (least, largest) = (figures().fold(0.0, f64::min), figures().fold(0.0, f64::max));
    let (unit, name) = match curve.unit {
        "s" => (AxisUnit::Seconds, format!("{}, s", curve.metric)),
        _ => (AxisUnit::Ratio, curve.metric.to_owned()),
    };
    let values = || curve.points.iter().map(|point| point.0);
    let x = match curve.scale {
        Scale::Log => Axis::log(curve.parameter, AxisUnit::Setting, values()),
        _ => {
            let ends = [values().next(), values().next_back()].map(Option::unwrap_or_default);
            Axis::linear(curve.parameter, AxisUnit::None, ends[0], ends[1])
        }
    };
    let y = match least < 0.0 {
        true => Axis::linear(&name, unit, least, largest),
        false => Axis::from_zero(&name, unit, largest),
    };
    let title = format!("{} by {}", capitalised(curve.metric), curve.parameter);
    let marks = vec![(curve.own, "the scenario’s value".to_owned())];
    Chart { marks, ..Chart::new(title, (x, y), SeriesShape::Measured, curve.parameter, series) }
}

/// With a capital first letter.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::PointIndex;

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

    #[test]
    fn several_seeds_have_a_mean_and_extremes() {
        let curve = |seeds| TunedCurve {
            policy: "wfair".parse().expect("a policy"),
            parameter: "alpha",
            scale: Scale::Linear,
            metric: "mean slowdown",
            unit: "",
            points: vec![(-1.0, [Some(2.0), Some(1.5), Some(2.5)]), (0.0, [None; 3])],
            own: 0.0,
            seeds,
        };
        let chart = tuned_chart(&curve(3));
        assert_eq!(chart.table(9).head, ["alpha", "Weighted fair", "least of 3 seeds", "most of 3 seeds"]);
        assert_eq!(chart.table(9).rows, [["−1", "2.00", "1.50", "2.50"]]);
        assert_eq!((chart.title.as_str(), chart.y.from), ("Mean slowdown by alpha", 0.0));
        assert_eq!(tuned_chart(&curve(1)).series.len(), 1);
    }
}
