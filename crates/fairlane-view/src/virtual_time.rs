//! Virtual time and deadlines as a picture on the axis of the panels.

use super::axis::round_step;
use super::chart::{self, Deadline};
use super::{TimeAxis, ideal::COLUMNS};
use fairlane::number;
use fairlane::replay::VirtualTimeSeries;
use fairlane::scenario::Scenario;

/// Rows of the picture.
pub const ROWS: f64 = 100.0;
/// Most crossings and names that are drawn.
const MAX_LABELS: usize = 40;
/// How far names are apart at the least: a part of the height, and of the width where they share a row.
const NAME_HEIGHT: f64 = 0.11;
const NAME_WIDTH: f64 = 0.14;
/// Most steps between the numbers of the axis of V.
const MAX_NUMBERS: f64 = 4.0;
/// Beyond this part of the width a name is left of its line's end.
const RIGHTMOST: f64 = 0.85;

/// V and the deadlines, as paths of an SVG image of [`COLUMNS`] × [`ROWS`].
#[derive(Clone, Debug, PartialEq)]
pub struct VirtualTimePicture {
    /// V's line.
    pub v: String,
    /// The deadlines in the window.
    pub deadlines: Vec<DeadlinePath>,
    /// The virtual time at the upper edge, in core-seconds.
    pub top: f64,
    /// Round virtual times between the edges, in core-seconds, each with how far down it is, from 0 at the upper edge
    /// to 1.
    pub numbers: Vec<(f64, String)>,
}

/// A deadline as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadlinePath {
    /// What is drawn.
    pub deadline: Deadline,
    /// Its level line.
    pub path: String,
    /// How far down it is, from 0 at the upper edge to 1.
    pub down: f64,
    /// Where V crosses it, from 0 at the left edge to 1; `None` beyond the window.
    pub crossing: Option<f64>,
    /// Where its name is, if there is room for it.
    pub name: Option<NamePosition>,
}

/// Where a name is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamePosition {
    /// From 0 at the left edge to 1.
    pub across: f64,
    /// Whether the name ends there; else it begins there.
    pub leftwards: bool,
}

impl DeadlinePath {
    /// What is known of the deadline, in words.
    pub fn words(&self) -> String {
        let Deadline { name, deadline, crossed, .. } = &self.deadline;
        let crossed = match crossed {
            Some(at) => format!("V crosses it at {}\u{a0}s", number::short(*at)),
            None => "V does not cross it".to_owned(),
        };
        format!("deadline of {name}: {}\u{a0}core-s; {crossed}", number::short(*deadline))
    }
}

/// V and the deadlines in a window of time; `None` for a policy without virtual time.
pub fn picture(times: &VirtualTimeSeries, scenario: &Scenario, axis: TimeAxis) -> Option<VirtualTimePicture> {
    if times.v.is_empty() {
        return None;
    }
    let chart = chart::virtual_time(times, scenario, axis);
    let across = |seconds: f64| chart.x.fraction(seconds);
    let down = |core_seconds: f64| 1.0 - chart.y.fraction(core_seconds);
    let shown = |line: &Deadline| across(line.to) >= 0.0 && across(line.from) <= 1.0;
    let mut deadlines: Vec<DeadlinePath> = chart::deadlines(times, scenario)
        .into_iter()
        .filter(shown)
        .map(|deadline| {
            let (from, to) = (across(deadline.from).max(0.0), across(deadline.to).min(1.0));
            let (left, right) = (from * COLUMNS as f64, to * COLUMNS as f64);
            let down = down(deadline.deadline);
            let path = format!("M{left:.2} {:.2}H{right:.2}", down * ROWS);
            let crossing = deadline.crossed.map(across).filter(|at| (0.0..=1.0).contains(at));
            DeadlinePath { deadline, path, down, crossing, name: None }
        })
        .collect();
    name(&mut deadlines, across);
    let points = chart.series.last().map_or(&[][..], |series| &series.points);
    let mut v = String::new();
    let mut last = f64::NEG_INFINITY;
    for (index, point) in points.iter().enumerate() {
        let x = across(point.x) * COLUMNS as f64;
        // V never falls: a point within half a column of the last one changes nothing that can be seen.
        if x - last < 0.5 && index + 1 < points.len() {
            continue;
        }
        last = x;
        v += &format!("{}{x:.2} {:.2}", if v.is_empty() { "M" } else { "L" }, down(point.y) * ROWS);
    }
    let step = round_step((chart.y.to - chart.y.from) / MAX_NUMBERS);
    let (first, last) = ((chart.y.from / step).ceil() as u64, (chart.y.to / step).floor() as u64);
    let numbers = (first..=last).map(|index| {
        let value = index as f64 * step;
        (down(value), number::trimmed(value, 6))
    });
    // One at an edge would be cut.
    let numbers = numbers.filter(|(down, _)| (0.05..=0.95).contains(down)).collect();
    Some(VirtualTimePicture { v, deadlines, top: chart.y.to, numbers })
}

/// Names deadlines where no name is in the way, the chosen ones' first ones first.
fn name(deadlines: &mut [DeadlinePath], across: impl Fn(f64) -> f64) {
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for line in deadlines.iter_mut().take(MAX_LABELS) {
        let end = across(line.deadline.to).clamp(0.0, 1.0);
        let free =
            |&(x, y): &(f64, f64)| (line.down - y).abs() >= NAME_HEIGHT || (end - x).abs() >= NAME_WIDTH;
        if taken.iter().all(free) {
            taken.push((end, line.down));
            line.name = Some(NamePosition { across: end, leftwards: end > RIGHTMOST });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane::ids::JobId;
    use fairlane::replay::Replay;
    use fairlane::units::Time;

    fn picture_of(policy: &str) -> Option<VirtualTimePicture> {
        picture_in(policy, 0, 8)
    }

    /// The picture of a window, in seconds.
    fn picture_in(policy: &str, from: u64, to: u64) -> Option<VirtualTimePicture> {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "cluster": { "executors": 1, "cores_per_executor": 1 }, "jobs": [
                { "user": "ana", "name": "etl", "arrival_s": 0, "stages": [{ "tasks_s": [4] }] },
                { "user": "ben", "name": "query", "arrival_s": 1, "stages": [{ "tasks_s": [2] }] } ] }"#,
        )
        .expect("a good scenario");
        let policy = policy.parse().expect("a policy");
        let times =
            Replay::new(&scenario, policy).expect("a registered policy").virtual_time(&[JobId(0), JobId(1)]);
        picture(&times, &scenario, TimeAxis { from: Time(from * 1_000_000), to: Time(to * 1_000_000) })
    }

    /// The deadlines are those of the chart: etl's 4 core-seconds from 0 s on, crossed at 6 s, and query's 3 from 1 s
    /// on, crossed at 5 s. The upper edge is at 4.
    #[test]
    fn lines_end_where_v_crosses_them() {
        let picture = picture_of("uwfq").expect("UWFQ has virtual time");
        assert_eq!(picture.top, 4.0);
        let numbers = [(0.75, "1"), (0.5, "2"), (0.25, "3")].map(|(down, number)| (down, number.to_owned()));
        assert_eq!(picture.numbers, numbers);
        let [etl, query] = &picture.deadlines[..] else { panic!("two deadlines: {picture:?}") };
        assert_eq!((etl.path.as_str(), etl.crossing), ("M0.00 0.00H750.00", Some(0.75)));
        assert_eq!((query.path.as_str(), query.crossing), ("M125.00 25.00H625.00", Some(0.625)));
        assert_eq!(query.words(), "deadline of query: 3.00\u{a0}core-s; V crosses it at 5.00\u{a0}s");
        assert!(etl.name.is_some() && query.name.is_some());
        // V: 1 at 1 s, 3 at 5 s, 4 at 6 s and from there on.
        assert!(picture.v.starts_with("M0.00 100.00L125.00 75.00") && picture.v.ends_with("L1000.00 0.00"));
        assert!(picture_of("fifo").is_none());
    }

    /// V at both edges of a window: 1.5 at 2 s, 2.5 at 4 s, and 4 from 6 s on.
    #[test]
    fn v_leaves_a_narrower_window_on_its_way() {
        for (from, to, expected) in
            [(0, 2, [0.0, 1.5]), (2, 4, [1.5, 2.5]), (3, 8, [2.0, 4.0]), (6, 8, [4.0, 4.0])]
        {
            let picture = picture_in("uwfq", from, to).expect("UWFQ has virtual time");
            let number = |text: &str| text.parse::<f64>().expect("a number");
            let points: Vec<(f64, f64)> = picture.v[1..]
                .split('L')
                .filter_map(|point| point.split_once(' '))
                .map(|(x, y)| (number(x) / COLUMNS as f64, (1.0 - number(y) / ROWS) * picture.top))
                .collect();
            let at = |x: f64| {
                let pair = points.windows(2).find(|pair| pair[0].0 <= x && x <= pair[1].0).expect("a line");
                let [(left, low), (right, high)] = [pair[0], pair[1]];
                low + (high - low) * if right > left { (x - left) / (right - left) } else { 1.0 }
            };
            let seen = [at(0.0), at(1.0)];
            let near = seen.iter().zip(expected).all(|(seen, expected)| (seen - expected).abs() < 0.05);
            assert!(near, "{from} to {to} s: {seen:?}, not {expected:?}, of {points:?}");
        }
    }
}
