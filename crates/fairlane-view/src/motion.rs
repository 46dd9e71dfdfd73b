//! Tasks on their way from one schedule to another, so that a reader sees what an edit or another policy does to each.
//!
//! ```
//! use fairlane_view::motion::eased;
//! assert_eq!((eased(0.0), eased(1.0)), (0.0, 1.0));
//! assert!(eased(0.5) > 0.5);
//! ```

use std::collections::BTreeMap;

use crate::TimeAxis;
use crate::gantt::{ChartRows, Image, Rgb};
use fairlane::ids::JobId;
use fairlane::trace::{TaskRun, Trace};

/// With this many tasks in view or more, none move: nobody could follow them.
pub const MAX_MOVING: usize = 3_000;
/// How long a movement takes, in milliseconds.
pub const MOTION_MS: f64 = 200.0;

/// The part of the way that is behind after a part of the time: fast first, then slower.
pub fn eased(part: f64) -> f64 {
    1.0 - (1.0 - part.clamp(0.0, 1.0)).powi(3)
}

/// Edges of a task in an image, in device pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bar {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Bar {
    fn new(run: &TaskRun, axis: TimeAxis, rows: &ChartRows, width: f64) -> Option<Bar> {
        let (left, right) = (axis.fraction(run.start) * width, axis.fraction(run.end) * width);
        let (top, bottom) = rows.bands[rows.row_of(run.core).filter(|_| right >= 0.0 && left <= width)?];
        Some(Bar { left, right, top: f64::from(top), bottom: f64::from(bottom) })
    }

    /// Nothing, where the task begins.
    fn nothing(self) -> Bar {
        Bar { right: self.left, ..self }
    }

    /// The part of it between two fractions of its length.
    fn part(self, (from, to): (f64, f64)) -> Bar {
        let at = |fraction: f64| self.left + (self.right - self.left) * fraction;
        Bar { left: at(from), right: at(to), ..self }
    }

    fn towards(self, other: Bar, part: f64) -> Bar {
        let mix = |from: f64, to: f64| from + (to - from) * part;
        Bar {
            left: mix(self.left, other.left),
            right: mix(self.right, other.right),
            top: mix(self.top, other.top),
            bottom: mix(self.bottom, other.bottom),
        }
    }
}

/// All tasks in view, each with where it was, where it is and its colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Movement {
    tasks: Vec<(BarName, Bar, Bar, Rgb)>,
    counts: BarCounts,
}

/// Job, stage and index of a task.
type BarName = (JobId, u32, u32);
/// How many tasks a stage has, by job and stage.
type BarCounts = BTreeMap<(JobId, u32), u32>;
/// A schedule with its tasks' colours.
pub type Coloured<'a> = (&'a Trace, &'a dyn Fn(&TaskRun) -> Rgb);

/// The tasks of a schedule that are in view.
struct Seen {
    bars: BTreeMap<BarName, (Bar, Rgb)>,
    counts: BarCounts,
}

/// The tasks of a schedule that are in view; `None` if they are too many.
fn seen((trace, colour_of): Coloured, axis: TimeAxis, rows: &ChartRows, width: u32) -> Option<Seen> {
    let bars = trace.tasks.iter().filter_map(|run| {
        let bar = Bar::new(run, axis, rows, f64::from(width))?;
        Some(((run.job, run.stage, run.task), (bar, colour_of(run))))
    });
    let bars: BTreeMap<BarName, (Bar, Rgb)> = bars.take(MAX_MOVING).collect();
    let mut counts = BarCounts::new();
    // Of many tasks outside the view none are counted: those in view do not split.
    for run in trace.tasks.iter().filter(|_| trace.tasks.len() < MAX_MOVING) {
        *counts.entry((run.job, run.stage)).or_default() += 1;
    }
    Some(Seen { bars, counts }).filter(|seen| seen.bars.len() < MAX_MOVING)
}

/// Where a stage is cut into more `pieces` than `tasks`: the task that a piece is of, and which part of that it is.
fn covered(piece: u32, pieces: u32, tasks: u32) -> (u32, (f64, f64)) {
    let at = |edge: f64| edge * f64::from(tasks) / f64::from(pieces);
    let task = at(f64::from(piece) + 0.5).floor();
    let within = |edge: u32| (at(f64::from(edge)) - task).clamp(0.0, 1.0);
    (task as u32, (within(piece), within(piece + 1)))
}

impl Movement {
    /// From one schedule to another, each with its tasks' colours, in a window of time, `width` device pixels wide. A
    /// task is the same in both if job, stage and index are; one that is in a single schedule grows or shrinks. Where a
    /// stage is cut into more tasks than before, each is split, and where into fewer, they are joined.
    /// `None` if nothing in view moves or too much is in view.
    pub fn between(
        before: Coloured,
        now: Coloured,
        axis: TimeAxis,
        rows: &ChartRows,
        width: u32,
    ) -> Option<Movement> {
        Movement::new(seen(before, axis, rows, width)?, seen(now, axis, rows, width)?)
    }

    /// From where the tasks are when a part of the way is behind them to another schedule.
    pub fn redirected(
        &self,
        part: f64,
        now: Coloured,
        axis: TimeAxis,
        rows: &ChartRows,
        width: u32,
    ) -> Option<Movement> {
        let midway =
            self.tasks.iter().map(|(name, from, to, colour)| (*name, (from.towards(*to, part), *colour)));
        // Those that have shrunk to nothing are gone.
        let midway = midway.filter(|(_, (bar, _))| bar.right > bar.left);
        let midway = Seen { bars: midway.collect(), counts: self.counts.clone() };
        Movement::new(midway, seen(now, axis, rows, width)?)
    }

    fn new(mut earlier: Seen, later: Seen) -> Option<Movement> {
        let mut tasks = Vec::new();
        let counted = |(job, stage, _): BarName| {
            let stage = &(job, stage);
            earlier.counts.get(stage).copied().zip(later.counts.get(stage).copied())
        };
        // Pieces are drawn, and not what they are of.
        let is_whole = |name: BarName, [of_earlier, of_later]: [bool; 2]| {
            counted(name).is_some_and(|(before, now)| of_earlier && before < now || of_later && before > now)
        };
        let bar_of =
            |bars: &BTreeMap<BarName, (Bar, Rgb)>, (job, stage, piece): BarName, pieces: u32, tasks: u32| {
                let (task, part) = covered(piece, pieces, tasks);
                bars.get(&(job, stage, task)).map(|(bar, _)| bar.part(part))
            };
        for (&name, &(to, colour)) in &later.bars {
            let from = match counted(name) {
                Some((before, now)) if before < now => bar_of(&earlier.bars, name, now, before),
                _ => earlier.bars.get(&name).map(|(from, _)| *from),
            };
            if !is_whole(name, [false, true]) {
                tasks.push((name, from.unwrap_or(to.nothing()), to, colour));
            }
        }
        for (&name, &(from, colour)) in &earlier.bars {
            let to = match counted(name) {
                Some((before, now)) if before > now => bar_of(&later.bars, name, before, now),
                _ if later.bars.contains_key(&name) => continue,
                _ => None,
            };
            if !is_whole(name, [true, false]) {
                tasks.push((name, from, to.unwrap_or(from.nothing()), colour));
            }
        }
        let mut counts = later.counts;
        for (stage, count) in std::mem::take(&mut earlier.counts) {
            let most = counts.entry(stage).or_default();
            *most = count.max(*most);
        }
        tasks.iter().any(|(_, from, to, _)| from != to).then_some(Movement { tasks, counts })
    }

    /// Draws the tasks when a part of the way is behind them, 0 to 1.
    pub fn draw(&self, image: &mut Image, rows: &ChartRows, width: u32, part: f64, surface: Rgb, idle: Rgb) {
        image.clear(width, rows.height, surface);
        for &(top, bottom) in &rows.bands {
            image.fill((0, width), (top, bottom), idle);
        }
        let pixel = |at: f64, most: u32| (at.round().max(0.0) as u32).min(most);
        for (_, from, to, colour) in &self.tasks {
            let Bar { left, right, top, bottom } = from.towards(*to, part);
            image.fill(
                (pixel(left, width), pixel(right, width)),
                (pixel(top, rows.height), pixel(bottom, rows.height)),
                *colour,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane::scenario::Scenario;
    use fairlane::units::Time;

    const SURFACE: Rgb = Rgb(255, 255, 255);
    const IDLE: Rgb = Rgb(200, 200, 200);

    /// Jobs of one task each on one core, with these lengths in seconds.
    fn trace(lengths: &[u32]) -> Trace {
        let job =
            |length: &u32| format!(r#"{{"user":"a","arrival_s":0,"stages":[{{"tasks_s":[{length}]}}]}}"#);
        let jobs: Vec<String> = lengths.iter().map(job).collect();
        let text = format!(
            r#"{{"format":"fairlane/scenario@1","cluster":{{"cores_per_executor":1}},"jobs":[{}]}}"#,
            jobs.join(",")
        );
        let scenario = Scenario::from_json(&text).expect("a good scenario");
        fairlane::simulate(&scenario, "fifo".parse().expect("a policy"))
    }

    fn colour(run: &TaskRun) -> Rgb {
        Rgb((run.job.0 % 100) as u8 + 1, 0, 0)
    }

    /// A line of an image ten pixels wide that shows ten seconds: a digit is a job, a point nothing.
    fn line(movement: &Movement, part: f64) -> String {
        let rows = ChartRows::new(1, 1, 1.0);
        let mut image = Image::default();
        movement.draw(&mut image, &rows, 10, part, SURFACE, IDLE);
        let digit = |pixel: &[u8; 4]| match pixel[0] {
            200 => '.',
            job => char::from(b'0' + job - 1),
        };
        image.bytes.as_chunks::<4>().0[..10].iter().map(digit).collect()
    }

    fn between(before: &Trace, now: &Trace) -> Option<Movement> {
        let axis = TimeAxis { from: Time(0), to: Time(10_000_000) };
        Movement::between((before, &colour), (now, &colour), axis, &ChartRows::new(1, 1, 1.0), 10)
    }

    #[test]
    fn tasks_move_from_where_they_were_to_where_they_are() {
        let (before, now) = (trace(&[2, 4]), trace(&[6, 4]));
        let movement = between(&before, &now).expect("both tasks change");
        assert_eq!(line(&movement, 0.0), "001111....");
        assert_eq!(line(&movement, 0.5), "00001111..");
        assert_eq!(line(&movement, 1.0), "0000001111");
    }

    #[test]
    fn a_task_that_is_new_grows_and_one_that_is_gone_shrinks() {
        let (few, more) = (trace(&[2]), trace(&[2, 4]));
        let grows = between(&few, &more).expect("one is new");
        assert_eq!(
            [0.0, 0.5, 1.0].map(|part| line(&grows, part)),
            ["00........", "0011......", "001111...."]
        );
        let shrinks = between(&more, &few).expect("one is gone");
        assert_eq!([0.0, 1.0].map(|part| line(&shrinks, part)), ["001111....", "00........"]);
    }

    /// A job of four seconds, cut into this many tasks.
    fn cut(tasks: u32) -> Trace {
        let scenario = Scenario::from_json(&format!(
            r#"{{"format":"fairlane/scenario@1","cluster":{{"cores_per_executor":1}},"jobs":[
              {{"user":"a","arrival_s":0,"stages":[{{"work_s":4,"partitions":1}}]}},
              {{"user":"a","arrival_s":0,"stages":[{{"work_s":4,"partitions":{tasks}}}]}}]}}"#
        ));
        fairlane::simulate(&scenario.expect("a good scenario"), "fifo".parse().expect("a policy"))
    }

    #[test]
    fn a_task_is_split_where_its_stage_is_cut_finer_and_joined_where_coarser() {
        let parts = [(0, (0.0, 0.5)), (0, (0.5, 1.0)), (1, (0.0, 0.5)), (1, (0.5, 1.0))];
        assert_eq!([0, 1, 2, 3].map(|piece| covered(piece, 4, 2)), parts);
        // Three pieces of two tasks: the middle one goes to the second, of which it is the first part.
        assert_eq!([0, 1, 2].map(|piece| covered(piece, 3, 2).0), [0, 1, 1]);
        let (coarse, fine) = (cut(1), cut(4));
        assert_eq!(between(&coarse, &fine), None, "the pieces lie where the task was");
        let axis = TimeAxis { from: Time(0), to: Time(10_000_000) };
        let rows = ChartRows::new(1, 1, 1.0);
        let seen = |trace: &Trace| seen((trace, &colour), axis, &rows, 10).expect("few tasks");
        // Four pieces of the task move apart, and not one while three grow.
        let mut later = seen(&fine);
        for ((.., task), (bar, _)) in later.bars.iter_mut().filter(|((job, ..), _)| job.0 == 1) {
            (bar.left, bar.right) = (bar.left + f64::from(*task), bar.right + f64::from(*task));
        }
        let splits = Movement::new(seen(&coarse), later).expect("the pieces move");
        let at_first: Vec<(f64, f64)> =
            splits.tasks.iter().skip(1).map(|(_, from, ..)| (from.left, from.right)).collect();
        assert_eq!(at_first, [(4.0, 5.0), (5.0, 6.0), (6.0, 7.0), (7.0, 8.0)]);
        let mut apart = seen(&fine);
        apart
            .bars
            .values_mut()
            .for_each(|(bar, _)| (bar.left, bar.right) = (bar.left - 1.0, bar.right - 1.0));
        let joins = Movement::new(apart, seen(&coarse)).expect("the pieces move");
        let at_last: Vec<(f64, f64)> = joins
            .tasks
            .iter()
            .filter(|(name, ..)| name.0.0 == 1)
            .map(|(_, _, to, _)| (to.left, to.right))
            .collect();
        assert_eq!(at_last, [(4.0, 5.0), (5.0, 6.0), (6.0, 7.0), (7.0, 8.0)]);
    }

    #[test]
    fn a_movement_is_redirected_from_where_the_tasks_are() {
        let (before, now, next) = (trace(&[2, 4]), trace(&[6, 4]), trace(&[2]));
        let movement = between(&before, &now).expect("both tasks change");
        let axis = TimeAxis { from: Time(0), to: Time(10_000_000) };
        let onward = movement.redirected(0.5, (&next, &colour), axis, &ChartRows::new(1, 1, 1.0), 10);
        let onward = onward.expect("the first shrinks and the second goes");
        assert_eq!(
            [0.0, 1.0].map(|part| line(&onward, part)),
            [line(&movement, 0.5), "00........".to_owned()]
        );
    }

    #[test]
    fn nothing_moves_without_a_change_in_view_or_with_too_many_tasks() {
        let one = trace(&[2, 4]);
        assert_eq!(between(&one, &one), None);
        // The change is after the window's end.
        assert_eq!(between(&trace(&[11, 1]), &trace(&[11, 2])), None);
        let many = vec![1; MAX_MOVING];
        let axis = TimeAxis { from: Time(0), to: Time(3_000_000_000) };
        let (before, now) = (trace(&many), trace(&[&[2][..], &many[1..]].concat()));
        let movement =
            Movement::between((&before, &colour), (&now, &colour), axis, &ChartRows::new(1, 1, 1.0), 300);
        assert_eq!(movement, None);
    }
}
