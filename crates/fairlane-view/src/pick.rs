//! What is under a point of a Gantt chart, and which job is next to another in the lanes.
//!
//! ```
//! use fairlane::ids::JobId;
//! use fairlane_view::{lanes, pick};
//! let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
//! let lanes = lanes::lanes(&scenario, &[]);
//! let next = pick::job_beside(&lanes, JobId(0), pick::JobDirection::Later);
//! assert_eq!(next, Some(JobId(1)));
//! ```

use std::collections::BTreeMap;

use super::TimeAxis;
use super::gantt::ChartRows;
use super::lanes::Lane;
use fairlane::ids::{CoreId, JobId, UserId};
use fairlane::trace::{CoreIndex, TaskRun, Trace};
use fairlane::units::Time;

/// A point and its reach, in pixels of its plot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointerPosition {
    /// From the left edge.
    pub x: f64,
    /// From the upper edge.
    pub y: f64,
    /// How far away a task may be and still be meant: little for a mouse, more for a finger.
    pub reach: f64,
}

/// The task under a point of a chart `width` pixels wide, by index in the trace; pixels as
/// those of `rows`.
///
/// The task exactly there is meant, with several cores in one row the one with the largest part of the
/// pixel; where there is none the nearest within reach. Takes a few searches in the cores' sorted tasks,
/// however many are within reach.
pub fn task_at(
    trace: &Trace,
    by_core: &CoreIndex,
    axis: TimeAxis,
    rows: &ChartRows,
    width: f64,
    point: PointerPosition,
) -> Option<usize> {
    let row = row_at(rows, point)?;
    let pixel_span = axis.pixel_span(width);
    let time = |x: f64| axis.from.0 as f64 + x * pixel_span;
    let (at, reach) = (time(point.x), point.reach.max(0.5) * pixel_span);
    let pixel = (time(point.x.floor()), time(point.x.floor() + 1.0));
    // Distance in time, and the part of the pixel with its sign turned: the smallest is meant.
    let key = |run: &TaskRun| {
        let (start, end) = (run.start.0 as f64, run.end.0 as f64);
        let distance = (start - at).max(at - end).max(0.0);
        let part = (end.min(pixel.1) - start.max(pixel.0)).max(0.0);
        (distance, -part)
    };
    // Those beside the instant before a fractional one are those beside the fractional one, and one more.
    let whole = Time(at.max(0.0) as u64);
    let meant = rows
        .cores_of(row)
        .flat_map(|core| by_core.around(trace, CoreId(core), whole))
        .map(|index| (key(&trace.tasks[index]), index))
        .filter(|((distance, _), _)| *distance <= reach)
        .min_by(|((a, part_a), one), ((b, part_b), other)| {
            // The end of a task is the beginning of the next one, which is meant there.
            let later = trace.tasks[*other].start.cmp(&trace.tasks[*one].start);
            a.total_cmp(b).then(part_a.total_cmp(part_b)).then(later)
        });
    meant.map(|(_, index)| index)
}

/// What a pixel column of a row shows.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnFacts {
    /// How many tasks are in it, at least in part.
    pub tasks: usize,
    /// The users' parts of the column, largest first; what they lack of 1 is idle.
    pub users: Vec<(UserId, f64)>,
    /// The cores whose row it is.
    pub cores: std::ops::Range<u32>,
}

/// What the pixel column under a point shows; `None` where there is no row.
pub fn column_at(
    trace: &Trace,
    by_core: &CoreIndex,
    axis: TimeAxis,
    rows: &ChartRows,
    width: f64,
    point: PointerPosition,
) -> Option<ColumnFacts> {
    let cores = rows.cores_of(row_at(rows, point)?);
    let pixel_span = axis.pixel_span(width);
    let left = axis.from.0 as f64 + point.x.floor() * pixel_span;
    let right = left + pixel_span;
    let mut busy: BTreeMap<UserId, f64> = BTreeMap::new();
    let mut tasks = 0;
    let (from, to) = (Time(left.max(0.0) as u64), Time(right.max(0.0).ceil() as u64));
    for core in cores.clone() {
        for run in by_core.runs(trace, CoreId(core), from, to) {
            let part = (run.end.0 as f64).min(right) - (run.start.0 as f64).max(left);
            if part > 0.0 {
                tasks += 1;
                *busy.entry(trace.jobs[run.job.index()].user).or_default() += part;
            }
        }
    }
    let whole = pixel_span * cores.len().max(1) as f64;
    let mut users: Vec<(UserId, f64)> = busy.into_iter().map(|(user, part)| (user, part / whole)).collect();
    users.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    Some(ColumnFacts { tasks, users, cores })
}

/// The row at a point's height, or the nearest within reach; the upper one of two.
fn row_at(rows: &ChartRows, point: PointerPosition) -> Option<usize> {
    let distance = |&(top, bottom): &(u32, u32)| {
        let (top, bottom) = (f64::from(top), f64::from(bottom));
        match point.y {
            y if y < top => top - y,
            y if y < bottom => 0.0,
            // The lower edge is the next row's.
            y => (y - bottom).max(f64::MIN_POSITIVE),
        }
    };
    let nearest = rows.bands.iter().map(distance).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    nearest.filter(|(_, distance)| *distance <= point.reach.max(0.0)).map(|(row, _)| row)
}

/// Where a key goes from a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobDirection {
    /// The job before it in its lane.
    Earlier,
    /// The job after it in its lane.
    Later,
    /// The job of the next lane above that has any, arriving nearest.
    Above,
    /// The job of the next lane below that has any, arriving nearest.
    Below,
}

/// The job beside a job; `None` at the end of the lane or of the lanes.
pub fn job_beside(lanes: &[Lane], job: JobId, way: JobDirection) -> Option<JobId> {
    let blocks = lanes.iter().enumerate().flat_map(|(user, lane)| {
        lane.blocks.iter().enumerate().map(move |(index, block)| (user, index, block))
    });
    let (user, index, block) = blocks.into_iter().find(|(_, _, block)| block.job == job.index())?;
    let nearest_of = |lane: &Lane| {
        let nearest = lane.blocks.iter().min_by_key(|other| other.from.0.abs_diff(block.from.0))?;
        Some(nearest.job)
    };
    let job = match way {
        JobDirection::Earlier => index.checked_sub(1).map(|before| lanes[user].blocks[before].job),
        JobDirection::Later => lanes[user].blocks.get(index + 1).map(|next| next.job),
        JobDirection::Above => lanes[..user].iter().rev().find_map(nearest_of),
        JobDirection::Below => lanes[user + 1..].iter().find_map(nearest_of),
    };
    job.map(|job| JobId(job as u32))
}

/// Width of the cross at the end of a killed attempt, in logical pixels, and the lowest row that has room for one.
pub const CROSS_PX: f64 = 10.0;
/// The lowest row that has room for a cross, in logical pixels.
pub const MIN_CROSS_ROW_PX: u32 = 7;

/// The killed attempt, by index in the trace, whose cross is at a point: of an attempt narrower than its cross, the cross
/// lies over the task before it.
pub fn cross_at(
    trace: &Trace,
    axis: TimeAxis,
    rows: &ChartRows,
    width: f64,
    point: PointerPosition,
) -> Option<usize> {
    let distance = |index: &u32| {
        let run = &trace.tasks[*index as usize];
        let (top, bottom) = rows.bands[rows.row_of(run.core)?];
        let is_in_row = f64::from(top) <= point.y && point.y < f64::from(bottom);
        let left = axis.fraction(run.end) * width - point.x;
        let is_on_cross = bottom - top >= MIN_CROSS_ROW_PX && (0.0..=CROSS_PX).contains(&left);
        (is_in_row && is_on_cross).then_some(left)
    };
    let on_cross = trace.killed.iter().filter_map(|index| Some((distance(index)?, *index as usize)));
    on_cross.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, index)| index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::lanes;
    use fairlane::scenario::Scenario;
    use fairlane::units::Span;

    /// Two cores: job 0 on both from 0 to 1 s, job 1 on the first from 1 s to 1.001 s, job 2 on it
    /// from 1.001 s to 3 s.
    fn trace() -> Trace {
        let job = |arrival: f64, tasks: &str| {
            format!(r#"{{"user":"a","arrival_s":{arrival},"stages":[{{"tasks_s":[{tasks}]}}]}}"#)
        };
        let jobs = [job(0.0, "1,1"), job(0.5, "0.001"), job(1.001, "1.999")];
        let text = format!(
            r#"{{"format":"fairlane/scenario@1","cluster":{{"cores_per_executor":2}},"jobs":[{}]}}"#,
            jobs.join(",")
        );
        let scenario = Scenario::from_json(&text).expect("a good scenario");
        fairlane::simulate(&scenario, "fifo".parse().expect("a policy"))
    }

    fn hit(width: f64, x: f64, y: f64, reach: f64) -> Option<u32> {
        let trace = trace();
        // Cores 18 pixels high, 2 pixels between them; 4 s wide.
        let rows = ChartRows::new(1, 2, 1.0);
        let axis = TimeAxis { from: Time(0), to: Time(4_000_000) };
        let index =
            task_at(&trace, &CoreIndex::new(&trace), axis, &rows, width, PointerPosition { x, y, reach })?;
        Some(trace.tasks[index].job.0)
    }

    #[test]
    fn the_task_under_the_pointer_is_found() {
        assert_eq!(hit(400.0, 50.0, 5.0, 0.0), Some(0));
        assert_eq!(hit(400.0, 50.0, 25.0, 0.0), Some(0));
        assert_eq!(hit(400.0, 150.0, 5.0, 0.0), Some(2));
        assert_eq!(hit(400.0, 350.0, 5.0, 3.0), None);
        assert_eq!(hit(400.0, 302.0, 5.0, 3.0), Some(2));
        // Between the rows, and below them.
        assert_eq!(hit(400.0, 50.0, 18.5, 0.0), None);
        assert_eq!(hit(400.0, 50.0, 18.5, 1.0), Some(0));
        assert_eq!(hit(400.0, 50.0, 60.0, 3.0), None);
        // Where one task ends and the next begins.
        assert_eq!(hit(4000.0, 1001.0, 5.0, 0.0), Some(2));
    }

    #[test]
    fn a_task_narrower_than_a_pixel_is_found_where_it_is() {
        assert_eq!(hit(4000.0, 1000.0, 5.0, 0.0), Some(1));
        assert_eq!(hit(4000.0, 1000.5, 5.0, 0.0), Some(1));
        assert_eq!(hit(400.0, 100.05, 5.0, 0.0), Some(1));
        assert_eq!(hit(400.0, 100.5, 5.0, 0.0), Some(2));
    }

    /// Two executors of a core; the second is lost 1 s after its second task has begun, which is 10 pixels.
    #[test]
    fn the_cross_of_a_short_attempt_is_its_own() {
        let text = r#"{"format":"fairlane/scenario@1","cluster":{"executors":2,"cores_per_executor":1,
            "losses":[{"executor":1,"at_s":11}]},"jobs":[
            {"user":"a","arrival_s":0,"stages":[{"tasks_s":[40,10,9]}]}]}"#;
        let scenario = Scenario::from_json(text).expect("a good scenario");
        let trace = fairlane::simulate(&scenario, "fifo".parse().expect("a policy"));
        let (rows, axis) = (ChartRows::new(2, 1, 1.0), TimeAxis { from: Time(0), to: Time(100_000_000) });
        let y = f64::from(rows.bands[1].0) + 3.0;
        let at = |x, y| cross_at(&trace, axis, &rows, 400.0, PointerPosition { x, y, reach: 2.0 });
        assert_eq!(trace.killed, [2]);
        // The attempt is from 40 to 44 pixels, its cross from 34 to 44.
        assert_eq!([at(36.0, y), at(43.0, y), at(30.0, y), at(46.0, y)], [Some(2), Some(2), None, None]);
        assert_eq!(at(36.0, 3.0), None);
    }

    /// Users a (jobs 0 and 1, the second beneath the first), b (none) and c (job 2).
    fn three_lanes() -> Vec<Lane> {
        let text = r#"{"format":"fairlane/scenario@1","users":[{"name":"a"},{"name":"b"},{"name":"c"}],"jobs":[
            {"user":"a","arrival_s":0,"stages":[{"work_s":1}]},
            {"user":"a","arrival_s":1,"stages":[{"work_s":1}]},
            {"user":"c","arrival_s":5,"stages":[{"work_s":1}]}]}"#;
        lanes(&Scenario::from_json(text).expect("a good scenario"), &[Some(Span(2_000_000)); 3])
    }

    #[test]
    fn keys_go_along_the_lane_and_over_empty_lanes() {
        let lanes = three_lanes();
        let beside = |job, way| job_beside(&lanes, JobId(job), way).map(|job| job.0);
        assert_eq!(beside(0, JobDirection::Later), Some(1));
        assert_eq!(beside(1, JobDirection::Earlier), Some(0));
        assert_eq!(beside(1, JobDirection::Later), None);
        assert_eq!(beside(0, JobDirection::Below), Some(2));
        assert_eq!(beside(2, JobDirection::Above), Some(1));
        assert_eq!(beside(2, JobDirection::Below), None);
        assert_eq!(beside(9, JobDirection::Later), None);
    }

    #[test]
    fn a_column_shows_its_users_shares() {
        let job = |user: &str, tasks: &str| {
            format!(r#"{{"user":"{user}","arrival_s":0,"stages":[{{"tasks_s":[{tasks}]}}]}}"#)
        };
        let text = format!(
            r#"{{"format":"fairlane/scenario@1","cluster":{{"cores_per_executor":2}},"jobs":[{},{}]}}"#,
            job("a", "1,1"),
            job("b", "3,0.5")
        );
        let scenario = Scenario::from_json(&text).expect("a good scenario");
        let trace = fairlane::simulate(&scenario, "fifo".parse().expect("a policy"));
        let axis = TimeAxis { from: Time(0), to: Time(4_000_000) };
        let column = |rows: &ChartRows| {
            let point = PointerPosition { x: 0.5, y: 3.0, reach: 0.0 };
            column_at(&trace, &CoreIndex::new(&trace), axis, rows, 1.0, point).expect("a row")
        };
        let first = column(&ChartRows::new(1, 2, 1.0));
        assert_eq!((first.tasks, first.cores), (2, 0..1));
        assert_eq!(first.users, [(UserId(1), 0.75), (UserId(0), 0.25)]);
        let both = column(&ChartRows { bands: vec![(0, 9)], height: 9, ..ChartRows::new(1, 2, 1.0) });
        assert_eq!((both.tasks, both.cores), (4, 0..2));
        assert_eq!(both.users, [(UserId(1), 0.4375), (UserId(0), 0.25)]);
    }
}

#[cfg(test)]
mod against_brute_force {
    use proptest::prelude::*;

    use super::*;
    use fairlane::scenario::Scenario;

    /// Distance in time from the point, and minus the part of the pixel: the task with the smallest is meant.
    fn rank(run: &TaskRun, at: f64, pixel: (f64, f64)) -> (f64, f64) {
        let (start, end) = (run.start.0 as f64, run.end.0 as f64);
        ((start - at).max(at - end).max(0.0), -(end.min(pixel.1) - start.max(pixel.0)).max(0.0))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// The task returned has the smallest rank in its row; there is none only where none is within reach.
        #[test]
        fn the_task_returned_has_the_smallest_rank(
            tasks in proptest::collection::vec(0_u64..400_000, 1..80),
            arrivals in proptest::collection::vec(0_u64..9_000_000, 1..4),
            (cores, merged) in (1_u32..4, any::<bool>()),
            (x, reach, at, zoom) in (0.0_f64..300.0, 0.0_f64..15.0, 0.0_f64..1.0, 0.0_f64..10.0),
        ) {
            let lengths: Vec<String> = tasks.iter().map(|task| format!("{:.6}", *task as f64 / 1e6)).collect();
            let job = |arrival: &u64| format!(
                r#"{{"user":"a","arrival_s":{:.6},"stages":[{{"tasks_s":[{}]}}]}}"#, *arrival as f64 / 1e6,
                    lengths.join(",")
            );
            let jobs: Vec<String> = arrivals.iter().map(job).collect();
            let text = format!(
                r#"{{"format":"fairlane/scenario@1","cluster":{{"cores_per_executor":{cores}}},"jobs":[{}]}}"#,
                jobs.join(",")
            );
            let scenario = Scenario::from_json(&text).expect("a good scenario");
            let trace = fairlane::simulate(&scenario, "fair".parse().expect("a policy"));
            let whole = TimeAxis::whole(trace.end());
            let axis = whole.zoomed(at, zoom.exp(), whole);
            let rows = ChartRows::new(1, cores, 1.0);
            let rows = if merged { ChartRows { bands: vec![(0, 9)], height: 9, ..rows } } else { rows };
            let task = task_at(&trace, &CoreIndex::new(&trace), axis, &rows, 300.0,
                PointerPosition { x, y: 3.0, reach });
            let span = axis.pixel_span(300.0);
            let time = |x: f64| axis.from.0 as f64 + x * span;
            let pixel = (time(x.floor()), time(x.floor() + 1.0));
            let of_row = trace.tasks.iter().filter(|run| rows.cores_of(0).contains(&run.core.0));
            let best = of_row.map(|run| rank(run, time(x), pixel)).min_by(|a, b| a.partial_cmp(b).expect("numbers"));
            match task {
                Some(index) => prop_assert_eq!(Some(rank(&trace.tasks[index], time(x), pixel)), best),
                None => prop_assert!(best.is_none_or(|(distance, _)| distance > reach.max(0.5) * span)),
            }
        }
    }
}
