//! Progress rates (PAF, section II): how close jobs are to being alone.

use super::{mean_of, slowdown};
use crate::trace::JobRun;
use crate::units::Span;

/// A job's progress rate, a ratio: its shortest completion time, that alone on the idle cluster, over its completion
/// time (PAF, section II). It is 1 for a job that is as fast as alone. `None` for one that takes no time in company.
pub fn progress_rate(response: Span, alone: Span) -> Option<f64> {
    // The other way round it is the slowdown, with the same exception for a job that never takes any time.
    slowdown(alone, response)
}

/// The average progress rate (PAF, equation 1) of the jobs that finished, in company and alone; `None` of none.
pub fn average_progress(jobs: &[JobRun], alone: &[Option<Span>]) -> Option<f64> {
    let rates = jobs.iter().zip(alone).filter_map(|(job, &alone)| progress_rate(job.response()?, alone?));
    mean_of(rates)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;
    use crate::metrics::alone_responses;

    /// One core, two jobs of 2 s at 0 s and one of 3 s at 2 s: responses 2, 4 and 5 s, alone 2, 2 and 3 s.
    #[test]
    fn the_average_by_hand() {
        let scenario = Scenario::from_json(
            r#"{"format": "fairlane/scenario@1", "cluster": {"cores_per_executor": 1}, "jobs": [
                {"user": "a", "arrival_s": 0, "stages": [{"tasks_s": [2]}]},
                {"user": "b", "arrival_s": 0, "stages": [{"tasks_s": [2]}]},
                {"user": "c", "arrival_s": 2, "stages": [{"tasks_s": [3]}]}]}"#,
        )
        .expect("a good scenario");
        let policy = "fifo".parse().expect("a policy");
        let (jobs, alone) = (crate::simulate(&scenario, policy).jobs, alone_responses(&scenario, policy));
        let average = average_progress(&jobs, &alone).expect("all jobs finish");
        assert!((average - (1.0 + 0.5 + 0.6) / 3.0).abs() < 1e-12, "{average}");
        assert_eq!(average_progress(&[], &[]), None);
        assert_eq!((progress_rate(Span(0), Span(0)), progress_rate(Span(0), Span(1))), (Some(1.0), None));
    }
}
