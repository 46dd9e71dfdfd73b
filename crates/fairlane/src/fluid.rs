//! The ideal that practical policies are measured against: fluid user-job fairness.
//!
//! At any instant the cores are divided among the active users by weight and among each user's
//! jobs equally; work is a fluid, so there are no stages, no tasks and no limit to parallelism
//! (docs/model.md section 5; the UWFQ paper's UJF, with f^ its finish times). This is generalized
//! processor sharing (GPS) on two levels.
//!
//! ```
//! use fairlane::fluid::{FluidCluster, FluidJob, share};
//! use fairlane::ids::UserId;
//! use fairlane::units::{SlotTime, Time, Weight};
//! // Two users share one core: the second job's 1 s takes 2 s, then the first one's rest runs alone.
//! let sharing = FluidCluster { cores: 1, weights: vec![Weight::default(); 2] };
//! let job = |user, work| FluidJob { user: UserId(user), arrival: Time::ZERO, work: SlotTime(work) };
//! assert_eq!(share(&sharing, &[job(0, 3_000_000), job(1, 1_000_000)]), [4e6, 2e6]);
//! ```

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use crate::ids::{JobId, UserId};
use crate::order;
use crate::scenario::Scenario;
use crate::units::{SlotTime, Time, VirtualTime, Weight};

/// Who shares how many cores.
#[derive(Clone, Debug)]
pub struct FluidCluster {
    /// The number of cores R.
    pub cores: u32,
    /// Each user's weight, by [`UserId`].
    pub weights: Vec<Weight>,
}

/// A job as the fluid system sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FluidJob {
    /// Who submits it.
    pub user: UserId,
    /// When.
    pub arrival: Time,
    /// Its true work, without any overhead.
    pub work: SlotTime,
}

/// When each job of a scenario would finish under fluid UJF (the paper's f^), in µs since the
/// scenario's start, by index in the file. A fraction: shared work seldom ends on a microsecond.
pub fn finish_times(scenario: &Scenario) -> Vec<f64> {
    let sharing = FluidCluster {
        cores: scenario.cluster().cores(),
        weights: scenario.users().iter().map(|user| user.weight).collect(),
    };
    let jobs: Vec<FluidJob> = scenario
        .jobs()
        .iter()
        .map(|job| FluidJob { user: job.user, arrival: job.arrival, work: job.work() })
        .collect();
    share(&sharing, &jobs)
}

/// Each user's rate over time under fluid UJF, in cores: calls back with the begin and the end of each stretch of
/// constant rates, in µs, and the rates by [`UserId`]. `spans` are the arrival and the finish of each job under fluid UJF,
/// in µs: jobs arrive when they did in the schedule that is measured against it, which in sessions is not when the file
/// says.
pub fn rates(
    scenario: &Scenario,
    spans: impl Iterator<Item = (f64, f64)>,
    mut report: impl FnMut(f64, f64, &[f64]),
) {
    let jobs = scenario.jobs().iter().zip(spans).filter(|(job, _)| job.work() > SlotTime(0));
    let mut changes: Vec<(f64, UserId, i32)> =
        jobs.flat_map(|(job, (arrival, finish))| [(arrival, job.user, 1), (finish, job.user, -1)]).collect();
    changes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let cores = f64::from(scenario.cluster().cores());
    let mut active = vec![0_i32; scenario.users().len()];
    let mut rates = vec![0.0; active.len()];
    let mut before = 0.0;
    for (at, user, by) in changes {
        if at > before {
            let weight =
                |user: usize| if active[user] > 0 { scenario.users()[user].weight.value() } else { 0.0 };
            let all: f64 = (0..active.len()).map(weight).sum();
            for (user, rate) in rates.iter_mut().enumerate() {
                *rate = if all > 0.0 { cores * weight(user) / all } else { 0.0 };
            }
            report(before, at, &rates);
            before = at;
        }
        active[user.index()] += by;
    }
}

/// When each job finishes, in µs, in the order given. O(n log n) in the number of jobs.
pub fn share(sharing: &FluidCluster, jobs: &[FluidJob]) -> Vec<f64> {
    let order = order::by_key(jobs.len(), |job| jobs[job as usize].arrival.0);
    let mut fluid = Fluid::new(sharing, jobs.len());
    for job in order {
        let FluidJob { user, arrival, work } = jobs[job as usize];
        fluid.advance(arrival.0 as f64);
        fluid.arrive(JobId(job), user, work);
    }
    fluid.advance(f64::INFINITY);
    fluid.finishes
}

/// Sharing on two levels of virtual time. Between two events of its own a user's state does not
/// change when V grows, so that an event costs the user concerned alone.
struct Fluid<'a> {
    sharing: &'a FluidCluster,
    /// V: what a user of weight 1 has been served since somebody became active, in core-µs.
    virtual_time: f64,
    /// The instant to which V has been brought, in µs.
    updated: f64,
    users: Vec<FluidUser>,
    /// Active users by the V at which the first of their jobs finishes.
    next: BTreeSet<(VirtualTime, UserId)>,
    /// W: sum of the active users' weights, in millionths.
    active_weight: u64,
    finishes: Vec<f64>,
}

/// A user's jobs, all served at the same rate.
#[derive(Clone, Default)]
struct FluidUser {
    /// Vu: what each of the user's jobs has been served since the user became active, in core-µs.
    user_time: f64,
    /// V when `user_time` was brought up to date.
    updated: f64,
    /// The user's position in [`Fluid::next`].
    finish: VirtualTime,
    /// Jobs by the Vu at which they finish.
    jobs: BinaryHeap<Reverse<(VirtualTime, JobId)>>,
}

impl<'a> Fluid<'a> {
    fn new(sharing: &'a FluidCluster, jobs: usize) -> Self {
        Fluid {
            sharing,
            virtual_time: 0.0,
            updated: 0.0,
            users: vec![FluidUser::default(); sharing.weights.len()],
            next: BTreeSet::new(),
            active_weight: 0,
            finishes: vec![0.0; jobs],
        }
    }

    /// Lets the jobs finish that do so up to the instant `now` (µs) and brings V there.
    fn advance(&mut self, now: f64) {
        while let Some(&(finish, user)) = self.next.first() {
            let weight = self.active_weight as f64 / 1e6;
            let ahead = (finish.0 - self.virtual_time).max(0.0) * weight / f64::from(self.sharing.cores);
            if self.updated + ahead > now {
                self.virtual_time += (now - self.updated) * f64::from(self.sharing.cores) / weight;
                break;
            }
            self.updated += ahead;
            self.virtual_time = finish.0;
            self.finish_first(user);
        }
        if self.next.is_empty() {
            // Nobody is owed anything; starting again at 0 keeps the numbers small and exact.
            self.virtual_time = 0.0;
        }
        self.updated = now;
    }

    fn arrive(&mut self, job: JobId, user: UserId, work: SlotTime) {
        if work == SlotTime(0) {
            self.finishes[job.index()] = self.updated;
            return;
        }
        self.serve(user);
        let state = &mut self.users[user.index()];
        if state.jobs.is_empty() {
            state.user_time = 0.0;
            self.active_weight += self.sharing.weights[user.index()].millionths();
        }
        state.jobs.push(Reverse((VirtualTime(state.user_time + work.0 as f64), job)));
        self.queue(user);
    }

    /// The first of a user's jobs finishes at this V.
    fn finish_first(&mut self, user: UserId) {
        self.serve(user);
        let state = &mut self.users[user.index()];
        if let Some(Reverse((deadline, job))) = state.jobs.pop() {
            state.user_time = deadline.0;
            self.finishes[job.index()] = self.updated;
        }
        if state.jobs.is_empty() {
            self.active_weight -= self.sharing.weights[user.index()].millionths();
        } else {
            self.queue(user);
        }
    }

    /// Brings a user's Vu to the present V and removes the user from the queue.
    fn serve(&mut self, user: UserId) {
        let state = &mut self.users[user.index()];
        if !state.jobs.is_empty() {
            self.next.remove(&(state.finish, user));
            let service = (self.virtual_time - state.updated) * self.sharing.weights[user.index()].value();
            state.user_time += service / state.jobs.len() as f64;
        }
        state.updated = self.virtual_time;
    }

    /// Inserts a user with jobs into the queue, by the V at which the first of them finishes.
    fn queue(&mut self, user: UserId) {
        let state = &mut self.users[user.index()];
        let Some(Reverse((deadline, _))) = state.jobs.peek() else { return };
        let left = (deadline.0 - state.user_time).max(0.0) * state.jobs.len() as f64;
        state.finish = VirtualTime(state.updated + left / self.sharing.weights[user.index()].value());
        self.next.insert((state.finish, user));
    }
}

#[cfg(test)]
mod tests {
    mod reference;

    use super::*;

    fn seconds(sharing: &FluidCluster, jobs: &[(u32, u64, u64)]) -> Vec<f64> {
        let jobs: Vec<FluidJob> = jobs
            .iter()
            .map(|&(user, arrival, work)| FluidJob {
                user: UserId(user),
                arrival: Time(arrival * 1_000_000),
                work: SlotTime(work * 1_000_000),
            })
            .collect();
        share(sharing, &jobs).into_iter().map(|finish| finish / 1e6).collect()
    }

    fn equal_users(cores: u32, users: usize) -> FluidCluster {
        FluidCluster { cores, weights: vec![Weight::ONE; users] }
    }

    /// Two cores. Up to 1 s user 0's two jobs have a core each: 3 and 1 core-seconds left. Then
    /// user 1 takes a core: 0.5 cores per job, so the second ends at 3 s and the first has 2 left.
    /// User 1's 2 core-seconds are done at 3 s as well; the first has both cores and ends at 4 s.
    #[test]
    fn users_share_before_jobs_do() {
        assert_eq!(seconds(&equal_users(2, 2), &[(0, 0, 4), (0, 0, 2), (1, 1, 2)]), [4.0, 3.0, 3.0]);
    }

    /// One core, weights 3 and 1: 0.75 and 0.25 cores. User 0's 3 core-seconds are done at 4 s, by
    /// when user 1 has had 1 of 2; the other follows at full speed.
    #[test]
    fn a_weight_is_a_share() {
        let weights = vec![Weight::new(3.0).expect("a weight"), Weight::ONE];
        assert_eq!(seconds(&FluidCluster { cores: 1, weights }, &[(0, 0, 3), (1, 0, 2)]), [4.0, 5.0]);
    }

    #[test]
    fn jobs_without_work_finish_as_they_arrive_and_idle_time_changes_nothing() {
        assert_eq!(seconds(&equal_users(4, 1), &[(0, 7, 0), (0, 0, 4), (0, 9, 8)]), [7.0, 1.0, 11.0]);
    }
}
