//! What policies know of a job's work before it runs.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use super::names::without_batch;
use fairlane::scenario::Job;
use fairlane::units::{SlotTime, Time};

/// The estimates that an imported scenario gives to policies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum EstimateModel {
    /// The work that each job really had.
    #[default]
    Perfect,
    /// The mean work of the jobs of the same name that had finished when the job arrived; of the first one, the mean of
    /// all jobs that had finished; of the very first, its own.
    Earlier,
    /// The real work times this factor, above 0.
    Factor(f64),
}

/// Largest factor; the smallest is its inverse.
const MOST: f64 = 1e6;

impl EstimateModel {
    /// Jobs in the order of arrival with these estimates; `ends` are the instants at which they really finished.
    pub(super) fn applied(self, mut jobs: Vec<Job>, ends: &[Time]) -> Vec<Job> {
        let factors = match self {
            EstimateModel::Perfect => return jobs,
            EstimateModel::Factor(factor) => vec![factor; jobs.len()],
            EstimateModel::Earlier => earlier(&jobs, ends),
        };
        for (job, factor) in jobs.iter_mut().zip(factors) {
            for stage in &mut job.stages {
                stage.estimate = SlotTime((stage.estimate.0 as f64 * factor).round() as u64);
            }
            job.estimate = job.stages.iter().map(|stage| stage.estimate).sum();
        }
        jobs
    }
}

/// The mean work of earlier runs over each job's own.
fn earlier(jobs: &[Job], ends: &[Time]) -> Vec<f64> {
    let mut finished: Vec<usize> = (0..jobs.len()).collect();
    finished.sort_by_key(|&job| ends[job]);
    let mut finished = finished.into_iter().peekable();
    let mut by_name: HashMap<&str, (u64, u64)> = HashMap::new();
    let mut all = (0, 0);
    let mean = |(work, count): (u64, u64)| work as f64 / count as f64;
    let mut factors = Vec::with_capacity(jobs.len());
    for job in jobs {
        while let Some(before) = finished.next_if(|&before| ends[before] <= job.arrival) {
            for (work, count) in [by_name.entry(without_batch(&jobs[before].name)).or_default(), &mut all] {
                *work += jobs[before].work().0;
                *count += 1;
            }
        }
        let known =
            by_name.get(without_batch(&job.name)).copied().or(Some(all).filter(|(_, count)| *count > 0));
        let own = job.work().0.max(1) as f64;
        factors.push(known.map_or(1.0, |known| mean(known) / own));
    }
    factors
}

/// The words of the command line: `perfect`, `earlier` or `factor:F`.
impl fmt::Display for EstimateModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EstimateModel::Perfect => f.write_str("perfect"),
            EstimateModel::Earlier => f.write_str("earlier"),
            EstimateModel::Factor(factor) => write!(f, "factor:{factor}"),
        }
    }
}

impl FromStr for EstimateModel {
    type Err = String;
    fn from_str(text: &str) -> Result<EstimateModel, String> {
        match text {
            "perfect" => return Ok(EstimateModel::Perfect),
            "earlier" => return Ok(EstimateModel::Earlier),
            _ => {}
        }
        let factor = text.strip_prefix("factor:").ok_or("must be perfect, earlier or factor:F")?;
        match factor.parse::<f64>() {
            Ok(factor) if (1.0 / MOST..=MOST).contains(&factor) => Ok(EstimateModel::Factor(factor)),
            _ => Err(format!(
                "the factor must be a number from {:e} to {MOST:e}, such as factor:0.1",
                1.0 / MOST
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane::ids::UserId;
    use fairlane::scenario::{Input, Stage};
    use fairlane::units::Span;

    fn job(name: &str, arrival_s: u64, work_s: u64) -> Job {
        let stage = Stage::with_input(Input::of_tasks([Span(work_s * 1_000_000)]).expect("a task"));
        let mut job = Job::new(UserId(0), Time(arrival_s * 1_000_000), vec![stage]);
        job.name = name.to_owned();
        job
    }

    #[test]
    fn earlier_runs_of_a_query_are_averaged() {
        // q1 takes 2 and 4 core-seconds, q2 takes 10; the fourth job arrives before the second has finished.
        let jobs =
            vec![job("q1", 0, 2), job("q1", 3, 4), job("q2", 3, 10), job("q1", 5, 8), job("q1", 20, 6)];
        let ends = [2, 7, 13, 15, 26].map(|end| Time(end * 1_000_000));
        let made = EstimateModel::Earlier.applied(jobs, &ends);
        let estimates: Vec<f64> = made.iter().map(|job| job.estimate.0 as f64 / 1e6).collect();
        // Nothing is known; q1 took 2; of q2 nothing but what q1 took; only the first q1 has finished; (2 + 4 + 8) / 3.
        assert_eq!(estimates, [2.0, 2.0, 2.0, 2.0, 4.666667]);
    }

    #[test]
    fn words_are_read_back() {
        for estimates in [EstimateModel::Perfect, EstimateModel::Earlier, EstimateModel::Factor(0.1)] {
            assert_eq!(estimates.to_string().parse(), Ok(estimates));
        }
        for wrong in ["", "none", "factor:", "factor:0", "factor:-1", "factor:NaN", "factor:1e9"] {
            assert!(wrong.parse::<EstimateModel>().is_err(), "{wrong}");
        }
    }
}
