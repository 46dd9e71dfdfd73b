//! What is drawn over a chart when a job is chosen: its response bar and its flags.

use super::TimeAxis;
use crate::trace::JobRun;
use crate::units::Time;

/// Where a flag stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Flag {
    /// Before the window: an arrow at the left edge.
    Before,
    /// In the window, at a fraction of the width.
    At(f64),
    /// After the window: an arrow at the right edge.
    After,
}

/// A bar of time as far as the window shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Left edge, as a fraction of the width.
    pub from: f64,
    /// Right edge, as a fraction of the width.
    pub to: f64,
}

/// A job from its arrival to its finish.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// Its response time as a bar; `None` outside the window.
    pub bar: Option<Bar>,
    /// Its arrival.
    pub arrival: Flag,
    /// The end of its last stage.
    pub finish: Flag,
    /// Its finish under the ideal fluid UJF, where that is known.
    pub ideal: Option<Flag>,
}

/// The marks of a chosen job.
pub fn response(axis: TimeAxis, run: &JobRun, ideal_finish: Option<Time>) -> Response {
    Response {
        bar: bar(axis, run.arrival, run.end()),
        arrival: flag(axis, run.arrival),
        finish: flag(axis, run.end()),
        ideal: ideal_finish.map(|at| flag(axis, at)),
    }
}

/// Where an instant's flag stands.
pub fn flag(axis: TimeAxis, at: Time) -> Flag {
    match axis.fraction(at) {
        fraction if fraction < 0.0 => Flag::Before,
        fraction if fraction > 1.0 => Flag::After,
        fraction => Flag::At(fraction),
    }
}

/// The part of a stretch of time that the window shows.
pub fn bar(axis: TimeAxis, from: Time, to: Time) -> Option<Bar> {
    let (from, to) = (axis.fraction(from), axis.fraction(to));
    (from <= 1.0 && to >= 0.0).then(|| Bar { from: from.max(0.0), to: to.min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::UserId;

    #[test]
    fn marks_are_cut_at_the_window() {
        let axis = TimeAxis { from: Time(100), to: Time(200) };
        let run = |arrival, finish| JobRun {
            user: UserId(0),
            arrival: Time(arrival),
            outcome: crate::trace::Outcome::Finished(Time(finish)),
        };
        assert_eq!(
            response(axis, &run(50, 150), Some(Time(120))),
            Response {
                bar: Some(Bar { from: 0.0, to: 0.5 }),
                arrival: Flag::Before,
                finish: Flag::At(0.5),
                ideal: Some(Flag::At(0.2)),
            }
        );
        assert_eq!(
            response(axis, &run(300, 400), None),
            Response { bar: None, arrival: Flag::After, finish: Flag::After, ideal: None }
        );
        assert_eq!(bar(axis, Time(0), Time(900)), Some(Bar { from: 0.0, to: 1.0 }));
        assert_eq!(flag(axis, Time(200)), Flag::At(1.0));
    }
}
