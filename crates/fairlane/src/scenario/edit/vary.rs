//! Edits of all jobs, or of all of one user, as sweeps need them.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::Edited;
use crate::ids::UserId;
use crate::scenario::error::ensure;
use crate::scenario::{Scenario, ScenarioError};
use crate::units::{MAX_MICROS, SlotTime, Time};

/// Sets the estimates of all jobs and their stages to the true work.
pub(super) fn perfect_estimates(mut after: Scenario) -> Edited {
    for job in &mut after.jobs {
        job.stages.iter_mut().for_each(|stage| stage.estimate = stage.input.work());
        job.estimate = job.work();
    }
    Edited::new(after)
}

pub(super) fn load(mut after: Scenario, factor: f64) -> Result<Edited, ScenarioError> {
    ensure!(
        factor.is_finite() && factor > 0.0,
        "load",
        "must be a finite number above 0; 1 leaves arrivals as they are",
    );
    for (index, job) in after.jobs.iter_mut().enumerate() {
        let arrival = (job.arrival.0 as f64 / factor).round();
        ensure!(
            arrival <= MAX_MICROS as f64,
            format!("jobs[{index}].arrival_s"),
            "is more than 2^53 microseconds (9007199254 s) at a load of {factor}; use a higher load",
        );
        job.arrival = Time(arrival as u64);
    }
    Ok(Edited::new(after))
}

pub(super) fn estimate_errors(mut after: Scenario, factor: f64, seed: u64) -> Result<Edited, ScenarioError> {
    ensure!(
        factor.is_finite() && factor >= 1.0,
        "estimate_error",
        "must be a finite number, 1 or more; 1 leaves estimates as they are, 2 halves to doubles them",
    );
    for (index, job) in after.jobs.iter_mut().enumerate() {
        let mut errors = Errors::new(factor, seed, index as u64);
        job.estimate = errors.with_error(job.estimate);
        for stage in &mut job.stages {
            stage.estimate = errors.with_error(stage.estimate);
        }
    }
    Ok(Edited::new(after))
}

pub(super) fn claim(mut after: Scenario, user: UserId, factor: f64) -> Result<Edited, ScenarioError> {
    ensure!(
        factor.is_finite() && factor > 0.0,
        "claim",
        "must be a finite number above 0; 1 is an honest claim, 2 doubles what the user says it needs",
    );
    let claimed = |amount: u64| (amount as f64 * factor).round() as u64;
    if let Some(queue) = after.users.get_mut(user.index()).and_then(|user| user.queue.as_mut()) {
        queue.demand.0 = claimed(queue.demand.0);
        queue.memory_demand = claimed(queue.memory_demand);
        queue.warp.0 = claimed(queue.warp.0);
    }
    for job in after.jobs.iter_mut().filter(|job| job.user == user) {
        job.estimate.0 = claimed(job.estimate.0);
        job.stages.iter_mut().for_each(|stage| stage.estimate.0 = claimed(stage.estimate.0));
    }
    Ok(Edited::new(after).about_user(user))
}

/// The errors of one job's estimates, one after the other.
struct Errors {
    factor: f64,
    random: ChaCha8Rng,
}

impl Errors {
    fn new(factor: f64, seed: u64, job: u64) -> Errors {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut random = ChaCha8Rng::from_seed(key);
        random.set_stream(job);
        Errors { factor, random }
    }

    /// An estimate with the next error.
    fn with_error(&mut self, estimate: SlotTime) -> SlotTime {
        // The highest 53 bits, as a number evenly distributed over [0, 1).
        let even = (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let error = libm::exp((2.0 * even - 1.0) * libm::log(self.factor));
        // Rounding may exceed the ends by a unit in the last place.
        let error = error.clamp(1.0 / self.factor, self.factor);
        // Too large a product becomes the largest number, which the totals refuse.
        SlotTime((estimate.0 as f64 * error).round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Edit;
    use crate::units::Span;

    /// Jobs at the given microseconds, each of two stages of ten and twenty core-seconds.
    fn jobs_at(arrivals: &[u64]) -> Scenario {
        let job = |&arrival: &u64| {
            let seconds = Time(arrival).seconds();
            format!(r#"{{"user":"ana","arrival_s":{seconds},"stages":[{{"work_s":10}},{{"work_s":20}}]}}"#)
        };
        let jobs: Vec<String> = arrivals.iter().map(job).collect();
        Scenario::from_json(&format!(r#"{{"format":"fairlane/scenario@1","jobs":[{}]}}"#, jobs.join(",")))
            .expect("a good file")
    }

    fn arrivals(scenario: &Scenario) -> Vec<u64> {
        scenario.jobs.iter().map(|job| job.arrival.0).collect()
    }

    /// Estimate divided by true work, of every job and every stage.
    fn errors(scenario: &Scenario) -> Vec<f64> {
        let ratio = |estimate: SlotTime, work: SlotTime| estimate.0 as f64 / work.0 as f64;
        let of_job = |job: &crate::scenario::Job| {
            let stages = job.stages.iter().map(|stage| ratio(stage.estimate, stage.input.work()));
            std::iter::once(ratio(job.estimate, job.work())).chain(stages).collect::<Vec<_>>()
        };
        scenario.jobs.iter().flat_map(of_job).collect()
    }

    #[test]
    fn a_load_divides_arrivals_and_rounds_halves_up() {
        let scenario = jobs_at(&[0, 1, 2, 3, 1_000_000]);
        let at = |factor| arrivals(&scenario.with(&Edit::Load(factor)).expect("a good load"));
        assert_eq!(at(2.0), [0, 1, 1, 2, 500_000]);
        assert_eq!(at(0.5), [0, 2, 4, 6, 2_000_000]);
        assert_eq!(at(3.0), [0, 0, 1, 1, 333_333]);
        assert_eq!(scenario.with(&Edit::Load(1.0)), Ok(scenario));
    }

    #[test]
    fn a_load_of_one_keeps_the_largest_times_exactly() {
        let late = jobs_at(&[(1 << 53) - 1_000_000_001]);
        assert_eq!(late.with(&Edit::Load(1.0)), Ok(late));
    }

    #[test]
    fn errors_stay_within_the_factor_and_reach_both_sides_of_the_truth() {
        let scenario = jobs_at(&[0; 1000]);
        let errors =
            errors(&scenario.with(&Edit::EstimateErrors { factor: 4.0, seed: 7 }).expect("a good factor"));
        assert_eq!(errors.len(), 3000);
        assert!(errors.iter().all(|error| (0.25..=4.0).contains(error)));
        // A quarter of an even logarithm lies in each of these ranges: 750 of 3000, give or take five standard
        // deviations (5 * sqrt(3000 / 4 * 3 / 4) = 119).
        for (from, to) in [(0.25, 0.5), (0.5, 1.0), (1.0, 2.0), (2.0, 4.0)] {
            let within = errors.iter().filter(|&&error| from <= error && error < to).count();
            assert!(within.abs_diff(750) < 119, "{within} between {from} and {to}");
        }
    }

    #[test]
    fn a_seed_gives_the_same_errors_and_another_gives_others() {
        let scenario = jobs_at(&[0, 0]);
        let of = |seed| scenario.with(&Edit::EstimateErrors { factor: 2.0, seed }).expect("a good factor");
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        assert_ne!(of(1).jobs[0], of(1).jobs[1]);
        assert_eq!(scenario.with(&Edit::EstimateErrors { factor: 1.0, seed: 1 }), Ok(scenario));
    }

    #[test]
    fn jobs_and_stages_added_behind_leave_the_others_errors_alone() {
        let of = |scenario: &Scenario| {
            scenario.with(&Edit::EstimateErrors { factor: 3.0, seed: 5 }).expect("a good factor")
        };
        let (two, three) = (of(&jobs_at(&[0, 0])), of(&jobs_at(&[0, 0, 0])));
        assert_eq!(two.jobs[..], three.jobs[..2]);
        let mut longer = jobs_at(&[0, 0]);
        let stage = longer.jobs[0].stages[1].clone();
        longer.jobs[0].stages.push(stage);
        let longer = of(&longer);
        assert_eq!(longer.jobs[0].stages[..2], two.jobs[0].stages[..]);
        assert_eq!(longer.jobs[1], two.jobs[1]);
    }

    #[test]
    fn numbers_that_make_no_scenario_are_refused_with_their_name() {
        let scenario = jobs_at(&[0, 8_000_000_000_000_000]);
        for factor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(
                scenario.with(&Edit::Load(factor)).map_err(|error| error.path),
                Err("load".to_owned())
            );
        }
        for factor in [0.5, -2.0, f64::NAN, f64::INFINITY] {
            let path = scenario.with(&Edit::EstimateErrors { factor, seed: 0 }).map_err(|error| error.path);
            assert_eq!(path, Err("estimate_error".to_owned()));
        }
        let late = scenario.with(&Edit::Load(0.5)).expect_err("beyond 2^53");
        assert_eq!(late.path, "jobs[1].arrival_s");
        let wild =
            scenario.with(&Edit::EstimateErrors { factor: 1e300, seed: 1 }).expect_err("beyond the limits");
        assert!(wild.message.contains("the limit of 20000000"), "{wild}");
        let mut whole = scenario.clone();
        whole.jobs.iter_mut().flat_map(|job| &mut job.stages).for_each(|stage| stage.splittable = false);
        let wild = whole.with(&Edit::EstimateErrors { factor: 1e300, seed: 1 }).expect_err("beyond 2^53");
        assert!(wild.message.contains("all estimates together"), "{wild}");
        assert!(scenario.with(&Edit::advisory_task_runtime(Span(0))).is_err());
        let tiny = scenario.with(&Edit::advisory_task_runtime(Span(1))).expect_err("60 million tasks");
        assert!(tiny.message.contains("the limit of 20000000"), "{tiny}");
    }

    /// ana's queue demands 8 core-s and 3 MB-µs; she claims half of it and half of her 10 and 20 s. ben stays honest.
    #[test]
    fn a_claim_is_of_one_user_and_leaves_the_work() {
        let text = r#"{"format":"fairlane/scenario@1","users":[{"name":"ana","queue":{"kind":"latency",
            "demand_core_s":8,"demand_mb_s":0.000003,"warp_s":1}},{"name":"ben","queue":{"kind":"throughput","demand_core_s":4}}],"jobs":[
            {"user":"ana","arrival_s":0,"stages":[{"work_s":10},{"work_s":20}]},
            {"user":"ben","arrival_s":0,"stages":[{"work_s":10}]}]}"#;
        let honest = Scenario::from_json(text).expect("a good file");
        let half = honest.with(&Edit::Claim { user: UserId(0), factor: 0.5 }).expect("a good claim");
        let queue = half.users[0].queue.as_ref().expect("a queue");
        assert_eq!((queue.demand, queue.memory_demand, queue.warp), (SlotTime(4_000_000), 2, Span(500_000)));
        let estimates = |job: usize| {
            let job = &half.jobs[job];
            (job.estimate.0, job.stages.iter().map(|stage| stage.estimate.0).collect::<Vec<_>>())
        };
        assert_eq!(estimates(0), (15_000_000, vec![5_000_000, 10_000_000]));
        assert_eq!(half.jobs[0].work(), honest.jobs[0].work());
        assert_eq!((&half.users[1], &half.jobs[1]), (&honest.users[1], &honest.jobs[1]));
        assert_eq!(honest.with(&Edit::Claim { user: UserId(0), factor: 1.0 }).as_ref(), Ok(&honest));
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(honest.with(&Edit::Claim { user: UserId(0), factor: wrong }).is_err());
        }
    }
}
