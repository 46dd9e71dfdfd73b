//! A figure for each user under each policy, as bars: mean response times, and how far they are from
//! the fair share's (the UWFQ paper's Figure 7).

use super::{Axis, AxisUnit, Chart, ChartPoint, Series, SeriesInk, SeriesShape};
use fairlane::ids::UserId;
use fairlane::policy::PolicyId;

/// How bars are grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// A policy's bars, a bar for each user.
    #[default]
    Policy,
    /// A user's bars, a bar for each policy.
    User,
}

/// What bars show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bars {
    /// What is shown, in a few words.
    pub title: &'static str,
    /// What a bar's length is, with the unit.
    pub axis: &'static str,
    /// How it is written.
    pub unit: AxisUnit,
}

impl Bars {
    /// Mean response times in seconds.
    pub const RESPONSE: Bars =
        Bars { title: "Mean response time by user", axis: "mean response time, s", unit: AxisUnit::Seconds };

    /// The difference of mean response times from those under practical UJF with the same partitioning, as a
    /// fraction of the latter.
    pub const AGAINST_UJF: Bars = Bars {
        title: "Delay of users against practical UJF",
        axis: "mean response time against UJF",
        unit: AxisUnit::Change,
    };

    /// The same against the exact fluid UJF.
    pub const AGAINST_FLUID: Bars = Bars {
        title: "Delay of users against fluid UJF",
        axis: "mean response time against fluid UJF",
        unit: AxisUnit::Change,
    };
}

/// Bars of a figure for each user under each policy, by [`UserId`]; `None` where there is none.
pub fn user_bars(
    bars: &Bars,
    rows: &[(PolicyId, Vec<Option<f64>>)],
    users: &[String],
    grouping: Grouping,
) -> Chart {
    let figure = |policy: usize, user: usize| rows[policy].1.get(user).copied().flatten();
    let point = |item: usize, x: Option<f64>| x.map(|x| ChartPoint { item: item as u32, x, y: item as f64 });
    let titles: Vec<String> = rows.iter().map(|(policy, _)| policy.title()).collect();
    let (item, names, series): (_, Vec<String>, Vec<Series>) = match grouping {
        Grouping::Policy => {
            let of_user = |(user, name): (usize, &String)| {
                let points = (0..rows.len()).filter_map(|policy| point(policy, figure(policy, user)));
                Series::new(name, SeriesInk::User(UserId(user as u32)), points.collect())
            };
            ("policy", titles, users.iter().enumerate().map(of_user).collect())
        }
        Grouping::User => {
            let of_policy = |(policy, name): (usize, String)| {
                let points = (0..users.len()).filter_map(|user| point(user, figure(policy, user)));
                Series::new(name, SeriesInk::Policy(rows[policy].0), points.collect())
            };
            ("user", users.to_vec(), titles.into_iter().enumerate().map(of_policy).collect())
        }
    };
    let figures = || series.iter().flat_map(|series| &series.points).map(|point| point.x);
    let largest = figures().fold(0.0, f64::max);
    let x = match bars.unit {
        AxisUnit::Change => Axis::around_zero(bars.axis, bars.unit, figures().fold(0.0, f64::min), largest),
        _ => Axis::from_zero(bars.axis, bars.unit, largest),
    };
    let y = Axis::names("", names.clone());
    Chart { names, ..Chart::new(bars.title, (x, y), SeriesShape::Bars, item, series) }
}

/// Bars of deadlines met, productive and wasted time (SDR, PTR and WTR), a group for each ratio and a bar for each
/// policy; `None` where a policy has no such ratio.
pub fn deadline_bars(rows: &[(PolicyId, [Option<f64>; 3])]) -> Chart {
    let ratios = ["SDR", "PTR", "WTR"].map(str::to_owned);
    let rows: Vec<_> = rows.iter().map(|(policy, figures)| (*policy, figures.to_vec())).collect();
    let bars = Bars {
        title: "Deadlines met, productive and wasted time",
        axis: "part of all jobs, or of all work",
        unit: AxisUnit::Share,
    };
    Chart { item: "ratio".to_owned(), ..user_bars(&bars, &rows, &ratios, Grouping::User) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::PointIndex;

    #[test]
    fn deadlines_have_a_group_for_each_ratio() {
        let policy = |id: &str| id.parse().expect("a policy");
        let chart = deadline_bars(&[
            (policy("justice"), [Some(0.5), Some(0.4), Some(0.0)]),
            (policy("baseline-fs"), [Some(0.25), Some(0.3), Some(0.6)]),
        ]);
        let table = chart.table(9);
        assert_eq!(table.head, ["ratio", "Justice", "Baseline FS"]);
        assert_eq!(table.rows[0], ["SDR", "50 %", "25 %"]);
        assert_eq!(table.rows[2], ["WTR", "0 %", "60 %"]);
        assert!(deadline_bars(&[(policy("fifo"), [None; 3])]).is_empty());
    }

    #[test]
    fn bars_are_grouped_either_way() {
        let rows = [
            ("fair".parse().expect("a policy"), vec![Some(1.0), None, Some(3.0)]),
            ("uwfq".parse().expect("a policy"), vec![Some(4.0), Some(5.0), Some(6.0)]),
        ];
        let users = ["ana", "ben", "cleo"].map(str::to_owned);
        let by_policy = user_bars(&Bars::RESPONSE, &rows, &users, Grouping::Policy);
        assert_eq!(by_policy.series.len(), 3);
        assert_eq!(by_policy.series[1].points, [ChartPoint { item: 1, x: 5.0, y: 1.0 }]);
        let reading = by_policy.reading(PointIndex { series: 1, point: 0 }).expect("a reading");
        assert_eq!((reading.at.as_str(), reading.words.as_str()), ("UWFQ", "ben, UWFQ: 5.00 s"));
        assert_eq!(reading.figures, ["4.00 s", "5.00 s", "6.00 s"].map(|text| Some(text.to_owned())));
        let by_user = user_bars(&Bars::RESPONSE, &rows, &users, Grouping::User);
        assert_eq!(
            by_user.series[0].points,
            [ChartPoint { item: 0, x: 1.0, y: 0.0 }, ChartPoint { item: 2, x: 3.0, y: 2.0 }]
        );
        let reading = by_user.reading(PointIndex { series: 1, point: 1 }).expect("a reading");
        assert_eq!(reading.figures, [None, Some("5.00 s".to_owned())]);
    }
}
