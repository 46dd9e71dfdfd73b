//! Cores held and cores wanted: what jobs hold over time beside the targets of policies that have them, weighted fair's
//! and Graphene's (Decima, section 7.1), PAF's allocations (PAF, Algorithm 1), and what the deadline oracle and
//! Justice give jobs for life (Justice, section III).

use super::over_time::{HoldingChange, IntervalMeans, Intervals, walk};
use crate::ids::JobId;
use crate::replay::TargetChange;
use crate::trace::Trace;
use crate::units::Time;

/// Cores of some jobs together, as means over some intervals; `None` where none of the jobs is active.
#[derive(Clone, Debug, PartialEq)]
pub struct AllocationMeans {
    /// Cores that their tasks hold.
    pub held: Vec<Option<f64>>,
    /// Cores that the policy wants them to hold; none for a job without a target, such as one that still waits to be
    /// admitted.
    pub target: Vec<Option<f64>>,
    /// The fair shares that the targets started from; `None` everywhere if the policy does not start from any.
    pub fair_share: Vec<Option<f64>>,
}

/// Some active jobs.
struct ActiveJobs<'a> {
    active: usize,
    held: u32,
    target: f64,
    /// `None` if the policy starts from no fair shares.
    fair_share: Option<f64>,
    /// Cores held, the target and the fair share.
    means: [IntervalMeans<'a>; 3],
}

impl ActiveJobs<'_> {
    /// A job's target and fair share were these and are others now.
    fn change(&mut self, before: (f64, f64), now: (f64, f64)) {
        self.target += now.0 - before.0;
        self.fair_share = self.fair_share.map(|sum| sum + now.1 - before.1);
    }

    /// What has changed holds from an instant on.
    fn set(&mut self, at: Time) {
        if self.active == 0 {
            // Whatever the sums have gathered by rounding.
            self.target = 0.0;
            self.fair_share = self.fair_share.map(|_| 0.0);
        }
        let exists = self.active > 0;
        let [held, target, fair_share] = &mut self.means;
        held.set(at, exists.then(|| f64::from(self.held)));
        target.set(at, exists.then_some(self.target));
        fair_share.set(at, self.fair_share.filter(|_| exists));
    }
}

/// What jobs hold against their targets (from [`crate::replay::Replay::targets`]), by group: `group` assigns each job
/// to one of some number of groups, or to none.
pub fn allocations(
    trace: &Trace,
    targets: &[TargetChange],
    intervals: &Intervals,
    groups: usize,
    group: impl Fn(JobId) -> Option<usize>,
) -> Vec<AllocationMeans> {
    let fair_share = targets.iter().any(|change| change.target.fair_share.is_some()).then_some(0.0);
    let means = || [(); 3].map(|()| IntervalMeans::new(intervals));
    let new = |_| ActiveJobs { active: 0, held: 0, target: 0.0, fair_share, means: means() };
    let mut groups: Vec<ActiveJobs> = (0..groups).map(new).collect();
    // By index in the file: the target and the fair share of each active job.
    let mut meant: Vec<Option<(f64, f64)>> = vec![None; trace.jobs.len()];
    let aim = |groups: &mut [ActiveJobs], meant: &mut [Option<(f64, f64)>], change: &TargetChange| {
        let TargetChange { job, target, .. } = *change;
        let (index, before) = (group(job)?, meant[job.index()].as_mut()?);
        let now = (target.cores, target.fair_share.unwrap_or_default());
        groups[index].change(*before, now);
        *before = now;
        Some(index)
    };
    let mut next = targets.iter().peekable();
    walk(trace, |at, changes| {
        // With a driver a target can come when nothing else changes.
        while let Some(target) = next.next_if(|target| target.at < at) {
            if let Some(index) = aim(&mut groups, &mut meant, target) {
                groups[index].set(target.at);
            }
        }
        let mut touched = Vec::new();
        for &(_, change) in changes {
            let job = match change {
                HoldingChange::Arrival(job) | HoldingChange::Exit(job) => job,
                HoldingChange::Launch(task) | HoldingChange::End(task) => trace.tasks[task].job,
            };
            let Some(index) = group(job) else { continue };
            let group = &mut groups[index];
            match change {
                HoldingChange::Arrival(_) => {
                    group.active += 1;
                    meant[job.index()] = Some((0.0, 0.0));
                }
                HoldingChange::Launch(_) => group.held += 1,
                HoldingChange::End(_) => group.held -= 1,
                HoldingChange::Exit(_) => {
                    group.active -= 1;
                    group.change(meant[job.index()].take().unwrap_or_default(), (0.0, 0.0));
                }
            }
            touched.push(index);
        }
        while let Some(target) = next.next_if(|target| target.at == at) {
            touched.extend(aim(&mut groups, &mut meant, target));
        }
        touched.into_iter().for_each(|index| groups[index].set(at));
    });
    let allocation = |[held, target, fair_share]: [IntervalMeans; 3]| AllocationMeans {
        held: held.finish(),
        target: target.finish(),
        fair_share: fair_share.finish(),
    };
    groups.into_iter().map(|group| allocation(group.means)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Replay;
    use crate::scenario::Scenario;
    use crate::units::Span;

    /// By user and second: cores held and targets.
    fn by_user(text: &str, policy: &str) -> Option<Vec<AllocationMeans>> {
        let scenario = Scenario::from_json(text).expect("a good scenario");
        let policy = policy.parse().expect("a policy");
        let trace = crate::simulate(&scenario, policy);
        let targets = Replay::new(&scenario, policy).expect("a registered policy").targets()?;
        let intervals = Intervals::every(Span(1_000_000), trace.end());
        let user = |job: JobId| Some(trace.jobs[job.index()].user.index());
        Some(allocations(&trace, &targets, &intervals, trace.users.len(), user))
    }

    /// Four cores, alpha 1. ana's job (four tasks of 2 s, 8 core-seconds) is alone until ben's (two tasks of 1 s)
    /// arrives at 1 s: then it is due 4 · 8 / 10 = 3.2 cores and ben's 0.8. At 2 s ana's ends, and ben's gets what it
    /// can use.
    #[test]
    fn targets_of_weighted_fair_by_hand() {
        let text = r#"{"format": "fairlane/scenario@1", "policies": {"wfair": {"alpha": 1}}, "jobs": [
            {"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [2, 2, 2, 2]}]},
            {"user": "ben", "arrival_s": 1, "stages": [{"tasks_s": [1, 1]}]}]}"#;
        let allocations = by_user(text, "wfair").expect("it has targets");
        assert_eq!(allocations[0].held, [Some(4.0), Some(4.0), None]);
        assert_eq!(allocations[0].target, [Some(4.0), Some(4.0 * (8.0 / 10.0)), None]);
        assert_eq!(allocations[1].held, [None, Some(0.0), Some(2.0)]);
        let target = allocations[1].target[1].expect("ben's job is active");
        assert!((target - 0.8).abs() < 1e-12);
        assert_eq!(allocations[1].target[2], Some(4.0));
        assert_eq!(by_user(text, "baseline-fs"), None);
        assert_eq!(by_user(text, "uwfq"), None);
        let with_targets = crate::PolicyKind::ALL.iter().filter(|kind| kind.info().targets);
        let ids: Vec<&str> = with_targets.map(|kind| kind.info().id).collect();
        assert_eq!(ids, ["wfair", "graphene", "paf", "deadline-oracle", "justice", "decima"]);
    }

    /// Two cores: ana's job of two tasks of 1 s is due after 2 s, so the oracle gives it one core for its whole life;
    /// ben's, due after 1 s, needs two, waits and is dropped at 2 s, when nothing is left of its time.
    #[test]
    fn allocations_for_life_by_hand() {
        let text = r#"{"format": "fairlane/scenario@1", "cluster": {"cores_per_executor": 2}, "jobs": [
            {"user": "ana", "arrival_s": 0, "deadline_s": 2, "stages": [{"tasks_s": [1, 1]}]},
            {"user": "ben", "arrival_s": 0, "deadline_s": 1, "stages": [{"tasks_s": [1, 1]}]}]}"#;
        let allocations = by_user(text, "deadline-oracle").expect("it has targets");
        assert_eq!(
            allocations[0],
            AllocationMeans {
                held: vec![Some(1.0); 2],
                target: vec![Some(1.0); 2],
                fair_share: vec![None; 2]
            }
        );
        assert_eq!(
            allocations[1],
            AllocationMeans {
                held: vec![Some(0.0); 2],
                target: vec![Some(0.0); 2],
                fair_share: vec![None; 2]
            }
        );
    }

    /// Eight cores, equal weights: each job's fair share is four. kmeans keeps nine tenths of its progress with two
    /// cores (0.9 of 0.95), pagerank gains from each: it gets the other six.
    #[test]
    fn fair_shares_of_paf_by_hand() {
        let text = r#"{"format": "fairlane/scenario@1", "cluster": {"cores_per_executor": 8}, "jobs": [
            {"user": "ana", "name": "kmeans", "arrival_s": 0, "curve": [[1, 0.5], [2, 0.9], [4, 0.95], [8, 1]],
                "stages": [{"tasks_s": [1, 1, 1, 1, 1, 1, 1, 1]}]},
            {"user": "ben", "name": "pagerank", "arrival_s": 0, "curve": [[1, 0.125], [8, 1]],
                "stages": [{"tasks_s": [1, 1, 1, 1, 1, 1, 1, 1]}]}]}"#;
        let allocations = by_user(text, "paf").expect("it has targets");
        let first = |user: usize| (allocations[user].target[0], allocations[user].fair_share[0]);
        assert_eq!((first(0), first(1)), ((Some(2.0), Some(4.0)), (Some(6.0), Some(4.0))));
    }

    #[test]
    fn jobs_of_no_group_do_not_count() {
        let text = r#"{"format": "fairlane/scenario@1", "jobs": [
            {"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [1]}]}]}"#;
        let scenario = Scenario::from_json(text).expect("a good scenario");
        let trace = crate::simulate(&scenario, "fifo".parse().expect("a policy"));
        let intervals = Intervals::every(Span(500_000), Time(1_000_000));
        let none = allocations(&trace, &[], &intervals, 1, |_| None);
        assert_eq!(
            none,
            [AllocationMeans { held: vec![None; 2], target: vec![None; 2], fair_share: vec![None; 2] }]
        );
    }
}
