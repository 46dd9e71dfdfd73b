//! The slow, obvious reference for [`share`]: what is left of every job, brought from event to
//! event; and properties that need no reference.

use proptest::prelude::*;

use super::*;

/// Recomputes every rate at every event.
fn share_slowly(sharing: &FluidCluster, jobs: &[FluidJob]) -> Vec<f64> {
    let mut left: Vec<f64> = jobs.iter().map(|job| job.work.0 as f64).collect();
    let mut finishes: Vec<Option<f64>> = vec![None; jobs.len()];
    let mut now = 0.0;
    while finishes.contains(&None) {
        for (job, finish) in finishes.iter_mut().enumerate() {
            if left[job] <= 0.0 && jobs[job].arrival.0 as f64 <= now && finish.is_none() {
                *finish = Some(now);
            }
        }
        let active: Vec<usize> = (0..jobs.len())
            .filter(|&job| jobs[job].arrival.0 as f64 <= now && finishes[job].is_none())
            .collect();
        let jobs_of = |user: UserId| active.iter().filter(|&&job| jobs[job].user == user).count();
        let weight = |user: UserId| sharing.weights[user.index()].value();
        let total: f64 =
            (0..sharing.weights.len() as u32).map(UserId).filter(|&user| jobs_of(user) > 0).map(weight).sum();
        let rate = |job: usize| {
            let user = jobs[job].user;
            f64::from(sharing.cores) * weight(user) / total / jobs_of(user) as f64
        };
        let first_end = active.iter().map(|&job| (VirtualTime(left[job] / rate(job)), job)).min();
        let next_arrival =
            jobs.iter().map(|job| job.arrival.0 as f64).filter(|&at| at > now).reduce(f64::min);
        let dt = match (first_end, next_arrival) {
            (Some((VirtualTime(dt), _)), Some(arrival)) => dt.min(arrival - now),
            (Some((VirtualTime(dt), _)), None) => dt,
            (None, Some(arrival)) => arrival - now,
            (None, None) => break,
        };
        for &job in &active {
            left[job] -= rate(job) * dt;
        }
        match (first_end, next_arrival) {
            // The job that ends is known; rounding shall not keep it alive.
            (Some((VirtualTime(end), job)), arrival)
                if arrival.is_none_or(|arrival| end <= arrival - now) =>
            {
                left[job] = 0.0;
                now += dt;
            }
            (_, Some(arrival)) => now = arrival,
            _ => now += dt,
        }
    }
    finishes.into_iter().map(|finish| finish.expect("every job finishes")).collect()
}

fn systems() -> impl Strategy<Value = (FluidCluster, Vec<FluidJob>)> {
    let weights = prop::sample::select(vec![1.0, 1.0, 2.0, 0.3, 0.1, 7.25]);
    let sharing = (1..40_u32, prop::collection::vec(weights, 1..6));
    let unit = prop::sample::select(vec![1_u64, 1_000, 250_000, 1_000_000]);
    (sharing, unit).prop_flat_map(|((cores, weights), unit)| {
        let length = prop_oneof![(0..20_u64).prop_map(move |units| units * unit), 0..20 * unit];
        let job = (0..weights.len() as u32, length.clone(), length).prop_map(|(user, arrival, work)| {
            FluidJob { user: UserId(user), arrival: Time(arrival), work: SlotTime(work) }
        });
        let weights: Vec<Weight> = weights.iter().filter_map(|&weight| Weight::new(weight)).collect();
        prop::collection::vec(job, 1..40)
            .prop_map(move |jobs| (FluidCluster { cores, weights: weights.clone() }, jobs))
    })
}

/// A thousandth of a microsecond; the longest run lasts some 800 s.
const TOLERANCE: f64 = 1e-3;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_agree((sharing, jobs) in systems()) {
        let (fast, slow) = (share(&sharing, &jobs), share_slowly(&sharing, &jobs));
        for (job, (fast, slow)) in fast.iter().zip(&slow).enumerate() {
            prop_assert!((fast - slow).abs() < TOLERANCE, "job {job}: {fast} against {slow}");
        }
    }

    /// The cores are all busy while any job is there: the last finish follows from the work alone.
    #[test]
    fn no_work_is_lost((sharing, jobs) in systems()) {
        let finishes = share(&sharing, &jobs);
        let mut order: Vec<&FluidJob> = jobs.iter().collect();
        order.sort_by_key(|job| job.arrival);
        let end = order.iter().fold(0.0_f64, |busy_until, job| {
            busy_until.max(job.arrival.0 as f64) + job.work.0 as f64 / f64::from(sharing.cores)
        });
        let last = finishes.iter().copied().fold(0.0, f64::max);
        prop_assert!((last - end).abs() < TOLERANCE, "{last} against {end}");
        for (job, finish) in jobs.iter().zip(&finishes) {
            let soonest = job.arrival.0 as f64 + job.work.0 as f64 / f64::from(sharing.cores);
            prop_assert!(*finish > soonest - TOLERANCE);
        }
    }

    /// What a user gets does not depend on how the user's work is cut into jobs that arrive at once.
    #[test]
    fn splitting_a_job_gains_nothing((sharing, jobs) in systems(), index in any::<prop::sample::Index>()) {
        let index = index.index(jobs.len());
        let mut split = jobs.clone();
        split[index].work.0 = jobs[index].work.0 / 2;
        split.push(FluidJob { work: SlotTime(jobs[index].work.0 - jobs[index].work.0 / 2), ..jobs[index] });
        let user = jobs[index].user;
        let (whole, split_finishes) = (share(&sharing, &jobs), share(&sharing, &split));
        for (job, finish) in whole.iter().enumerate().filter(|&(job, _)| jobs[job].user != user) {
            prop_assert!((finish - split_finishes[job]).abs() < TOLERANCE);
        }
    }
}
