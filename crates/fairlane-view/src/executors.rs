//! Executors that come and go, over a chart of the cores: how many there are as a staircase, and where cores are
//! absent.
//!
//! ```
//! use fairlane::units::Time;
//! use fairlane_view::{TimeAxis, executors};
//! use fairlane::{Scenario, simulate};
//! let scenario = Scenario::from_json(r#"{ "format": "fairlane/scenario@1",
//!     "cluster": { "executors": 2, "cores_per_executor": 1, "executors_at": [[0, 1], [1, 2]] },
//!     "jobs": [{ "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [2, 2] }] }] }"#)?;
//! let trace = simulate(&scenario, "fair".parse()?);
//! let axis = TimeAxis { from: Time::ZERO, to: trace.end() };
//! // One of two executors up to 1 s of 3 s, then both.
//! assert_eq!(executors::steps(&trace, axis), [(0.0, 1), (1.0 / 3.0, 2), (1.0, 2)]);
//! assert_eq!(executors::absences(&trace, 2, axis), [(1, 0.0, 1.0 / 3.0)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::TimeAxis;
use fairlane::trace::Trace;
use fairlane::units::Time;

/// The number of executors from each fraction of the window on, ending at its right end. Empty if they do not come and
/// go.
pub fn steps(trace: &Trace, axis: TimeAxis) -> Vec<(f64, u32)> {
    if trace.executors.is_empty() {
        return Vec::new();
    }
    let mut changes: Vec<(Time, i64)> =
        trace.executors.iter().flat_map(|run| [(run.from, 1), (run.to, -1)]).collect();
    // Nothing follows the last job.
    changes.retain(|&(at, change)| change > 0 || at < trace.end());
    changes.sort_by_key(|&(at, _)| at);
    let (mut steps, mut now) = (vec![(0.0, 0)], 0_i64);
    for at_once in changes.chunk_by(|one, other| one.0 == other.0) {
        now += at_once.iter().map(|change| change.1).sum::<i64>();
        let (at, count) = (axis.fraction(at_once[0].0), now.max(0) as u32);
        match at {
            at if at <= 0.0 => steps[0].1 = count,
            at if at < 1.0 => steps.push((at, count)),
            _ => break,
        }
    }
    let last = steps.last().map_or(0, |step| step.1);
    steps.push((1.0, last));
    steps
}

/// When each of `executors` executors is absent: its number, and from and to as fractions of the window.
pub fn absences(trace: &Trace, executors: u32, axis: TimeAxis) -> Vec<(u32, f64, f64)> {
    if trace.executors.is_empty() {
        return Vec::new();
    }
    let mut stays: Vec<Vec<(Time, Time)>> = vec![Vec::new(); executors as usize];
    for run in &trace.executors {
        stays[run.executor as usize].push((run.from, run.to));
    }
    let mut absences = Vec::new();
    for (executor, stays) in (0..).zip(stays) {
        let mut since = Time::ZERO;
        for (from, to) in stays.into_iter().chain([(trace.end(), trace.end())]) {
            let (left, right) = (axis.fraction(since).max(0.0), axis.fraction(from).min(1.0));
            if since < from && left < right {
                absences.push((executor, left, right));
            }
            since = to;
        }
    }
    absences
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane::Scenario;

    #[test]
    fn where_all_are_there_nothing_is_drawn() {
        let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
        let trace = fairlane::simulate(&scenario, "fair".parse().expect("a policy"));
        let axis = TimeAxis::whole(trace.end());
        assert_eq!((steps(&trace, axis), absences(&trace, 4, axis)), (vec![], vec![]));
    }

    /// Two executors of a core. The second joins at 1 s and is wanted until 2 s, when it has just begun its last task; it
    /// leaves at 3 s. The window begins at 1.5 s and ends at 3.5 s.
    #[test]
    fn a_window_shows_what_is_in_it() {
        let text = r#"{"format": "fairlane/scenario@1", "cluster": {"executors": 2, "cores_per_executor": 1,
            "executors_at": [[0, 1], [1, 2], [2, 1]]}, "jobs": [
            {"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [1, 1, 1, 1, 1, 1, 1]}]}]}"#;
        let trace = fairlane::simulate(
            &Scenario::from_json(text).expect("a good scenario"),
            "fair".parse().expect("a policy"),
        );
        let axis = TimeAxis { from: Time(1_500_000), to: Time(3_500_000) };
        assert_eq!(steps(&trace, axis), [(0.0, 2), (0.75, 1), (1.0, 1)]);
        assert_eq!(absences(&trace, 2, axis), [(1, 0.75, 1.0)]);
    }
}
