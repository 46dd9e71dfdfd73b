//! The share of jobs completed within a time, a staircase per policy (the form of the UWFQ paper's
//! Figures 5 and 6).

use super::{Axis, AxisUnit, Chart, ChartPoint, Series, SeriesInk, SeriesShape};
use fairlane::ids::UserId;
use fairlane::policy::PolicyId;
use fairlane::trace::JobRun;
use fairlane::units::Span;

/// Most steps of a staircase: more than a screen has columns in a chart of usual width.
const MAX_STEPS: usize = 1000;

/// The empirical distribution of response times, of all jobs or of one user's.
///
/// A point is an order statistic: the least time within which that share of the jobs is completed, in
/// seconds; jobs that did not finish count among the jobs, so that the staircase ends below 1. Beyond `MAX_STEPS`
/// jobs only that many evenly spread ranks are kept, the last among them.
pub fn ecdf(inputs: &[(PolicyId, &[JobRun])], user: Option<UserId>, users: &[String]) -> Chart {
    let mut count = 0;
    let mut longest = Span(0);
    let series: Vec<Series> = inputs
        .iter()
        .map(|(policy, jobs)| {
            let jobs = jobs.iter().filter(|job| user.is_none_or(|user| job.user == user));
            let all = jobs.clone().count();
            let mut responses: Vec<Span> = jobs.filter_map(JobRun::response).collect();
            responses.sort();
            count = count.max(responses.len());
            longest = responses.last().copied().unwrap_or_default().max(longest);
            Series::new(policy.title(), SeriesInk::Policy(*policy), steps(&responses, all))
        })
        .collect();
    let whose = match user.and_then(|user| users.get(user.index())) {
        Some(name) => format!("{name}’s jobs"),
        None => "all jobs".to_owned(),
    };
    let mut notes = Vec::new();
    if count > MAX_STEPS {
        notes.push(format!("{MAX_STEPS} evenly spread ranks of {count} are shown."));
    }
    let x = Axis::from_zero("response time, s", AxisUnit::Seconds, longest.seconds());
    let y = Axis::linear("share of jobs completed", AxisUnit::Share, 0.0, 1.0);
    let title = format!("Response times of {whose}");
    Chart { notes, ..Chart::new(title, (x, y), SeriesShape::Shares, "share of jobs", series) }
}

/// The points of a staircase, from the sorted response times of those of `jobs` jobs that finished.
fn steps(responses: &[Span], jobs: usize) -> Vec<ChartPoint> {
    let (finished, kept) = (responses.len(), responses.len().min(MAX_STEPS));
    (1..=kept)
        .map(|step| {
            let rank = step * finished / kept;
            ChartPoint { item: rank as u32, x: responses[rank - 1].seconds(), y: rank as f64 / jobs as f64 }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::PointIndex;
    use fairlane::units::Time;

    fn jobs(responses: &[u64]) -> Vec<JobRun> {
        let jobs = responses.iter().enumerate();
        jobs.map(|(index, &seconds)| JobRun {
            user: UserId(index as u32 % 2),
            arrival: Time(0),
            started: Some(Time(0)),
            outcome: fairlane::trace::Outcome::Finished(Time(seconds * 1_000_000)),
        })
        .collect()
    }

    #[test]
    fn one_users_jobs_are_counted_alone() {
        let (fair, uwfq) = (jobs(&[4, 9, 2, 9]), jobs(&[1, 5, 3, 7]));
        let policy = |name: &str| name.parse().expect("a policy");
        let inputs = [(policy("fair"), &fair[..]), (policy("uwfq"), &uwfq[..])];
        let users = ["ana".to_owned(), "ben".to_owned()];
        let chart = ecdf(&inputs, Some(UserId(0)), &users);
        assert_eq!(chart.title, "Response times of ana’s jobs");
        let points =
            |series: &Series| series.points.iter().map(|point| (point.x, point.y)).collect::<Vec<_>>();
        assert_eq!(points(&chart.series[0]), [(2.0, 0.5), (4.0, 1.0)]);
        assert_eq!(points(&chart.series[1]), [(1.0, 0.5), (3.0, 1.0)]);
        // At the instant at which Fair has answered half of ana's jobs, UWFQ has answered half, too.
        let reading = chart.reading(PointIndex { series: 0, point: 0 }).expect("a reading");
        assert_eq!((reading.at.as_str(), reading.words.as_str()), ("2.00 s", "Fair: 50 % within 2.00 s"));
        assert_eq!(reading.figures, [Some("50 %".to_owned()), Some("50 %".to_owned())]);
        assert_eq!(ecdf(&inputs, None, &users).series[0].points.len(), 4);
        assert!(ecdf(&[], None, &users).is_empty());
    }

    #[test]
    fn many_jobs_keep_evenly_spread_ranks_and_the_last() {
        let many = jobs(&(1..=2500).collect::<Vec<_>>());
        let chart = ecdf(&[("fair".parse().expect("a policy"), &many)], None, &[]);
        let points = &chart.series[0].points;
        assert_eq!((points.len(), points[0].x, points[999].x), (1000, 2.0, 2500.0));
        assert_eq!(points[499].y, 0.5);
        assert_eq!(chart.notes, ["1000 evenly spread ranks of 2500 are shown."]);
    }
}
