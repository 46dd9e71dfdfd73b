//! A schedule as shares: how many cores each user holds over time, as the ideal is drawn, for schedules whose tasks are
//! too short to be told apart.
//!
//! ```
//! use fairlane_view::{TimeAxis, shares};
//! use fairlane::units::Time;
//! let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
//! let trace = fairlane::simulate(&scenario, "uwfq".parse()?);
//! let held = shares::held(&trace, TimeAxis { from: Time(0), to: Time(1_000_000) });
//! assert_eq!(held.len(), scenario.users().len());
//! # Ok::<(), fairlane::policy::UnknownPolicy>(())
//! ```

use super::TimeAxis;
use super::ideal::COLUMNS;
use fairlane::trace::Trace;

/// Each user's mean number of cores in each column of the window, of as many columns as the
/// [ideal](super::ideal::rates) has.
pub fn held(trace: &Trace, axis: TimeAxis) -> Vec<Vec<f64>> {
    let mut means = vec![vec![0.0; COLUMNS]; trace.users.len()];
    let column = axis.length() as f64 / COLUMNS as f64;
    for run in &trace.tasks {
        let place = |micros: u64| ((micros as f64 - axis.from.0 as f64) / column).clamp(0.0, COLUMNS as f64);
        let (from, to) = (place(run.start.0), place(run.end.0));
        let of_user = &mut means[trace.jobs[run.job.index()].user.index()];
        let met = from as usize..(to.ceil() as usize).min(COLUMNS);
        for (index, mean) in of_user.iter_mut().enumerate().take(met.end).skip(met.start) {
            *mean += to.min(index as f64 + 1.0) - from.max(index as f64);
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane::units::Time;

    /// All that users hold is all that the cores do, in every window.
    #[test]
    fn shares_add_up_to_what_the_cores_do() {
        let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
        let trace = fairlane::simulate(&scenario, "uwfq-p".parse().expect("a policy"));
        for (from, to) in [(0, 20_000_000), (1_234_567, 2_345_678)] {
            let axis = TimeAxis { from: Time(from), to: Time(to) };
            let held: f64 = held(&trace, axis).iter().flatten().sum();
            let busy = trace.tasks.iter().map(|run| run.end.0.clamp(from, to) - run.start.0.clamp(from, to));
            let busy = busy.sum::<u64>() as f64 / (to - from) as f64 * COLUMNS as f64;
            assert!((held - busy).abs() < 1e-6 * busy, "{held} and {busy}");
        }
        let most = f64::from(scenario.cluster().cores()) + 1e-9;
        let axis = TimeAxis { from: Time(0), to: Time(20_000_000) };
        let means = held(&trace, axis);
        assert!((0..COLUMNS).all(|column| means.iter().map(|mean| mean[column]).sum::<f64>() <= most));
    }
}
