//! Mean response time while one number of the scenario is turned: the advisory task runtime, or how
//! far the estimates are off.

use super::{Axis, Chart, Dots, Ink, Point, Series, Shape, Unit};
use crate::policy::PolicyId;

/// What is turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepAxis {
    /// The advisory task runtime (ATR), in seconds.
    AdvisoryTaskRuntime,
    /// Estimates are off by up to so many times, in either direction.
    EstimateError,
}

/// A policy's measured points.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepLine {
    /// The policy.
    pub policy: PolicyId,
    /// By place among the settings: mean response time in seconds, `None` where it is not known.
    pub means: Vec<Option<f64>>,
}

/// A policy that the setting does not touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The policy.
    pub policy: PolicyId,
    /// Its mean response time in seconds.
    pub mean: f64,
}

/// A line per policy over ascending settings, on a logarithmic axis; `own` is the scenario's own setting,
/// which is set off. Policies that the setting does not touch are level lines.
pub fn sweep_chart(
    what: SweepAxis,
    settings: &[f64],
    own: Option<f64>,
    lines: &[SweepLine],
    levels: &[Level],
) -> Chart {
    let measured = lines.iter().map(|line| Series {
        name: line.policy.title(),
        ink: Ink::Policy(line.policy),
        dots: Dots::Shown,
        points: points(settings, |place| line.means.get(place).copied().flatten()),
    });
    let level = levels.iter().map(|level| Series {
        name: level.policy.title(),
        ink: Ink::Policy(level.policy),
        dots: Dots::Hidden,
        points: points(settings, |_| Some(level.mean)),
    });
    let series: Vec<Series> = measured.chain(level).collect();
    let largest = series.iter().flat_map(|series| &series.points).map(|point| point.y).fold(0.0, f64::max);
    let (title, name, unit) = match what {
        SweepAxis::AdvisoryTaskRuntime => {
            ("Mean response time by advisory task runtime", "advisory task runtime (ATR), s", Unit::Setting)
        }
        SweepAxis::EstimateError => (
            "Mean response time by error of the estimates",
            "estimates off by up to a factor of",
            Unit::Factor,
        ),
    };
    let mark = own.map(|own| (own, "the scenario’s ATR".to_owned()));
    Chart {
        title: title.to_owned(),
        x: Axis::log(name, unit, settings.iter().copied()),
        y: Axis::from_zero("mean response time, s", Unit::Seconds, largest),
        shape: Shape::Measured,
        series,
        item: match what {
            SweepAxis::AdvisoryTaskRuntime => "ATR, s".to_owned(),
            SweepAxis::EstimateError => "factor".to_owned(),
        },
        names: Vec::new(),
        marks: mark.into_iter().collect(),
        notes: Vec::new(),
    }
}

fn points(settings: &[f64], mean: impl Fn(usize) -> Option<f64>) -> Vec<Point> {
    let settings = settings.iter().enumerate();
    settings.filter_map(|(place, &x)| mean(place).map(|y| Point { item: place as u32, x, y })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::chart::Spot;

    #[test]
    fn points_that_are_not_there_yet_are_left_out() {
        let policy = |name: &str| name.parse().expect("a policy");
        let line = SweepLine { policy: policy("uwfq-p"), means: vec![Some(3.0), None, Some(2.5)] };
        let level = Level { policy: policy("fair"), mean: 4.0 };
        let what = SweepAxis::AdvisoryTaskRuntime;
        let chart = sweep_chart(what, &[0.125, 0.25, 0.5], Some(0.25), &[line], &[level]);
        assert_eq!(chart.marks, [(0.25, "the scenario’s ATR".to_owned())]);
        let table = chart.table(9);
        assert_eq!(table.head, ["ATR, s", "UWFQ-P", "Fair"]);
        assert_eq!(table.rows, [["0.125", "3.00", "4.00"], ["0.25", "–", "4.00"], ["0.5", "2.50", "4.00"]]);
        let reading = chart.reading(Spot { series: 1, point: 1 }).expect("a reading");
        assert_eq!(reading.words, "Fair, 0.25 s: 4.00 s");
        assert_eq!(reading.figures, [None, Some("4.00 s".to_owned())]);
    }
}
