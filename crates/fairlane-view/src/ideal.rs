//! The fluid ideal as a picture: each user's rate over time, stacked, on the axis of the panels.

use super::TimeAxis;
use fairlane::fluid;
use fairlane::metrics::ReferenceSchedule;
use fairlane::scenario::Scenario;

/// Columns of the picture.
pub const COLUMNS: usize = 1000;

/// Each user's mean rate in each column of the window, in cores, under the fluid `ideal`.
pub fn rates(scenario: &Scenario, ideal: &ReferenceSchedule, axis: TimeAxis) -> Vec<Vec<f64>> {
    let mut means = vec![vec![0.0; COLUMNS]; scenario.users().len()];
    let column = axis.length() as f64 / COLUMNS as f64;
    let start = axis.from.0 as f64;
    fluid::rates(scenario, ideal.spans(), |from, to, rates| {
        let (from, to) = ((from - start) / column, (to - start) / column);
        let (from, to) = (from.max(0.0), to.min(COLUMNS as f64));
        if from >= to {
            return;
        }
        for index in from as usize..(to.ceil() as usize).min(COLUMNS) {
            let part = to.min(index as f64 + 1.0) - from.max(index as f64);
            for (mean, rate) in means.iter_mut().zip(rates).filter(|(_, rate)| **rate > 0.0) {
                mean[index] += rate * part;
            }
        }
    });
    means
}

/// The outlines of the users' rates stacked from below, one per user: paths of an SVG image as wide as there are
/// columns and as high as there are `cores`. A user who is owed nothing has none.
pub fn paths(means: &[Vec<f64>], cores: u32) -> Vec<Option<String>> {
    let mut below = vec![0.0_f64; COLUMNS];
    let path = |mean: &Vec<f64>| {
        let mut path = String::new();
        let mut column = 0;
        while column < COLUMNS {
            let (base, height) = (below[column], mean[column]);
            let alike = |index: &usize| (below[*index] - base).abs() + (mean[*index] - height).abs() < 1e-6;
            let end = (column..COLUMNS).take_while(alike).last().unwrap_or(column) + 1;
            if height > 0.0 {
                let (top, width) = (f64::from(cores) - base - height, end - column);
                path += &format!("M{column} {top:.3}h{width}v{height:.3}h-{width}z");
            }
            column = end;
        }
        below.iter_mut().zip(mean).for_each(|(below, mean)| *below += mean);
        Some(path).filter(|path| !path.is_empty())
    };
    means.iter().map(path).collect()
}

/// Logical pixels of a character of a flag's words, and of what is around them.
const CHARACTER_PX: f64 = 5.6;
const AROUND_PX: f64 = 12.0;

/// On which side of its flag each one's words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelSide {
    /// At its left.
    Left,
    /// At its right.
    Right,
}

/// Where the words of flags are that do not overlap: for each flag, given by its x in logical pixels and the number of
/// its characters, the side with room, the right one if both have; `None` if neither has. Earlier flags go first.
/// `mark` is half the width of what each flag bears at its x besides, which no words cover.
pub fn sides(flags: &[(f64, usize)], width: f64, mark: f64) -> Vec<Option<LabelSide>> {
    let mut taken: Vec<(f64, f64)> = Vec::new();
    let marked = |own: usize, from: f64, to: f64| {
        let touches = |other: usize| flags[other].0 + mark > from && flags[other].0 - mark < to;
        // Flags at one x share their marks.
        mark > 0.0 && (0..flags.len()).any(|other| flags[other].0 != flags[own].0 && touches(other))
    };
    let side = |(index, &(x, characters)): (usize, &(f64, usize))| {
        let length = characters as f64 * CHARACTER_PX + AROUND_PX;
        let sides = [(LabelSide::Right, (x, x + length)), (LabelSide::Left, (x - length, x))];
        let (side, room) = sides.into_iter().find(|&(_, (from, to))| {
            from >= 0.0
                && to <= width
                && !marked(index, from, to)
                && taken.iter().all(|&(left, right)| to <= left || from >= right)
        })?;
        taken.push(room);
        Some(side)
    };
    flags.iter().enumerate().map(side).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane::engine::Control;
    use fairlane::metrics::{Baselines, evaluate_responses};
    use fairlane::units::Time;

    #[test]
    fn words_of_flags_do_not_overlap() {
        let words = 10; // 68 pixels
        assert_eq!(sides(&[(100.0, words), (120.0, words)], 400.0, 0.0), [Some(LabelSide::Right), None]);
        assert_eq!(
            sides(&[(100.0, words), (90.0, words)], 400.0, 0.0),
            [Some(LabelSide::Right), Some(LabelSide::Left)]
        );
        assert_eq!(
            sides(&[(380.0, words), (10.0, words)], 400.0, 0.0),
            [Some(LabelSide::Left), Some(LabelSide::Right)]
        );
        assert_eq!(sides(&[(30.0, words)], 60.0, 0.0), [None]);
        // The cross of the second flag is in the way of the first one's words.
        assert_eq!(
            sides(&[(100.0, words), (150.0, words)], 400.0, 6.0),
            [Some(LabelSide::Left), Some(LabelSide::Right)]
        );
    }

    /// Two cores. ana's 4 core-seconds have both cores until ben's 2 arrive at 1 s; then each has one, and both end at
    /// 3 s. Of a window of 4 s that is a quarter, a half and nothing.
    #[test]
    fn rates_by_hand() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "cluster": { "executors": 1, "cores_per_executor": 2 }, "jobs": [
                { "user": "ana", "arrival_s": 0, "stages": [{ "work_s": 4, "partitions": 4 }] },
                { "user": "ben", "arrival_s": 1, "stages": [{ "work_s": 2, "partitions": 2 }] } ] }"#,
        )
        .expect("a good scenario");
        let ideal = ReferenceSchedule::fluid_ujf(&scenario);
        assert_eq!(ideal.finishes, [3e6, 3e6]);
        let means = rates(&scenario, &ideal, TimeAxis { from: Time(0), to: Time(4_000_000) });
        let at = |column: usize| (means[0][column], means[1][column]);
        let near = |(a, b): (f64, f64), (c, d): (f64, f64)| (a - c).abs() + (b - d).abs() < 1e-6;
        assert!(near(at(100), (2.0, 0.0)) && near(at(500), (1.0, 1.0)) && near(at(900), (0.0, 0.0)));
        let paths = paths(&means, 2);
        assert_eq!(paths[0].as_deref(), Some("M0 0.000h250v2.000h-250zM250 1.000h500v1.000h-500z"));
        assert_eq!(paths[1].as_deref(), Some("M250 0.000h500v1.000h-500z"));
    }

    /// In a session a job arrives when the schedule lets it, and not when the file says: here six seconds earlier. The
    /// ideal's area is the work all the same.
    #[test]
    fn a_sessions_jobs_are_drawn_from_when_they_arrived() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "cluster": { "executors": 1, "cores_per_executor": 2 }, "jobs": [
                { "user": "ana", "arrival_s": 0, "stages": [{ "work_s": 4, "partitions": 4 }] },
                { "user": "ana", "arrival_s": 9, "after": { "job": 0, "think_s": 1 },
                  "stages": [{ "work_s": 2, "partitions": 2 }] } ] }"#,
        )
        .expect("a good scenario");
        let (fair, mut baselines) = ("fair".parse().expect("a policy"), Baselines::new(1));
        let evaluated = evaluate_responses(&scenario, fair, &mut baselines, &mut |_| Control::Continue);
        let ideal = evaluated.expect("a schedule").summary.fluid.reference;
        let means = rates(&scenario, &ideal, TimeAxis { from: Time(0), to: Time(10_000_000) });
        let area: f64 = means[0].iter().map(|mean| mean / 100.0).sum();
        assert!((area - 6.0).abs() < 1e-6, "{area} core-seconds");
    }
}
