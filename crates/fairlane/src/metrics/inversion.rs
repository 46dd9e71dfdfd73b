//! Priority inversion: a job waits although its key is smaller than that of a stage which holds a
//! core (docs/model.md section 5; the UWFQ paper's Figure 4). Tasks are never preempted, so a stage that
//! arrives late or is promoted waits for those who were there before.
//!
//! The jobs that wait are watched while the policy decides. An event moves the keys of its user's jobs but not their
//! order, except for its own job; so each user's jobs are in a list, of which those before some position are inverted.

mod waiting;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::engine::{self, Control, Observation, Observer};
use crate::ids::{JobId, Rank, StageIndex, UserId};
use crate::policy::{KeyBasis, Policy, PolicyId, StageView, View};
use crate::scenario::Scenario;
use crate::units::{Span, Time};
use waiting::WaitingJobs;

/// A time during which a job waits behind stages of larger keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inversion {
    /// When it begins.
    pub from: Time,
    /// When it ends.
    pub to: Time,
    /// The runs that hold a core meanwhile, all the time or for a part of it, though their stage's
    /// key is larger; ascending indices in the trace's task list.
    pub holders: Vec<u32>,
}

/// Inversion time of a job: the length of all its inversions.
pub fn inversion_time(inversions: &[Inversion]) -> Span {
    Span(inversions.iter().map(|inversion| inversion.to.since(inversion.from).0).sum())
}

/// Each job's inversions under a policy, by index in the file, in the order of time: when it has a pending task of
/// a submitted stage while some core runs a task whose stage's key is larger. `None` for policies
/// whose keys follow from what tasks use, where this means nothing. Simulates once.
pub fn inversions(scenario: &Scenario, policy: PolicyId) -> Option<Vec<Vec<Inversion>>> {
    let (watch, seen) = InversionWatch::new(scenario, policy)?;
    engine::simulate_seen(scenario, policy, seen, &mut |_| Control::Continue).ok()?;
    Some(watch.finish())
}

/// The inversions of a simulation under way.
pub(super) struct InversionWatch(Rc<RefCell<InversionScan>>);

impl InversionWatch {
    /// What is to see the simulation; `None` for policies that know no inversion.
    pub(super) fn new(
        scenario: &Scenario,
        policy: PolicyId,
    ) -> Option<(InversionWatch, Observer<dyn Policy>)> {
        if policy.kind.info().basis != KeyBasis::Precedence {
            return None;
        }
        let state = Rc::new(RefCell::new(InversionScan::new(scenario)));
        let of_observer = Rc::clone(&state);
        let seen: Observer<dyn Policy> =
            Box::new(move |seen, policy, view| of_observer.borrow_mut().see(seen, policy, view));
        Some((InversionWatch(state), seen))
    }

    /// All inversions, once the simulation is over.
    pub(super) fn finish(self) -> Vec<Vec<Inversion>> {
        std::mem::take(&mut self.0.borrow_mut().inversions)
    }
}

/// A key as numbers.
type Precedence = [u64; 6];

fn precedence(stage: StageView, policy: &dyn Policy) -> Precedence {
    let mut numbers = Precedence::default();
    for (number, part) in numbers.iter_mut().zip(policy.key(stage).parts()) {
        *number = part.value.ordered();
    }
    numbers
}

/// The key of a job: that of its first waiting stage. It must have one.
fn job_key(rank: Rank, policy: &dyn Policy, view: &View) -> Precedence {
    let waiting = view.job(rank).stages().filter(|stage| stage.is_submitted() && stage.pending() > 0);
    waiting.map(|stage| precedence(stage, policy)).min().unwrap_or_default()
}

/// A stage that holds cores.
struct RunningStage {
    key: Precedence,
    user: UserId,
    /// Its runs, by index in the trace.
    runs: BTreeSet<u32>,
}

/// The state at an instant.
struct InversionScan {
    waiting: WaitingJobs,
    running: BTreeMap<StageIndex, RunningStage>,
    by_key: BTreeSet<(Precedence, StageIndex)>,
    /// By core: the run on it.
    on_core: Vec<u32>,
    launched: u32,
    /// Users with arrivals or submissions at this instant, whose keys may be others.
    touched: BTreeSet<UserId>,
    /// Jobs whose counts of pending tasks have changed at this instant, or that have a new stage.
    changed: BTreeSet<Rank>,
    /// The jobs of these with a stage submitted at this instant: their keys may have become smaller.
    joined: BTreeSet<Rank>,
    /// Stages that have launched tasks at this instant.
    started: BTreeSet<StageIndex>,
    /// Whether anything has changed since the last comparison.
    is_changed: bool,
    /// By rank: the inversion in progress: its begin, and the runs that have held cores meanwhile.
    open: Vec<Option<(Time, BTreeSet<u32>)>>,
    /// The inversions of each job, by its index in the file.
    inversions: Vec<Vec<Inversion>>,
}

impl InversionScan {
    fn new(scenario: &Scenario) -> InversionScan {
        let jobs = scenario.jobs().len();
        InversionScan {
            waiting: WaitingJobs::new(scenario.users().len(), jobs),
            running: BTreeMap::new(),
            by_key: BTreeSet::new(),
            on_core: vec![0; scenario.cluster().cores() as usize],
            launched: 0,
            touched: BTreeSet::new(),
            changed: BTreeSet::new(),
            joined: BTreeSet::new(),
            started: BTreeSet::new(),
            is_changed: false,
            open: vec![None; jobs],
            inversions: vec![Vec::new(); jobs],
        }
    }

    fn see(&mut self, seen: Observation, policy: &dyn Policy, view: &View) {
        self.is_changed |= !matches!(seen, Observation::InstantEnd);
        match seen {
            Observation::Arrival(rank) => _ = self.touched.insert(view.job(rank).user()),
            Observation::Submission(stage) => {
                let stage = view.stage(stage);
                self.touched.insert(stage.user());
                self.changed.insert(stage.job());
                self.joined.insert(stage.job());
            }
            Observation::Launch(launch) => {
                let stage = view.stage(launch.stage);
                let running = self.running.entry(launch.stage).or_insert_with(|| {
                    let key = precedence(stage, policy);
                    self.by_key.insert((key, launch.stage));
                    RunningStage { key, user: stage.user(), runs: BTreeSet::new() }
                });
                running.runs.insert(self.launched);
                self.on_core[launch.core.index()] = self.launched;
                self.launched += 1;
                self.started.insert(launch.stage);
                if stage.pending() == 0 {
                    self.changed.insert(stage.job());
                }
            }
            Observation::End(launch) => {
                if let Some(running) = self.running.get_mut(&launch.stage) {
                    running.runs.remove(&self.on_core[launch.core.index()]);
                    if running.runs.is_empty() {
                        self.by_key.remove(&(running.key, launch.stage));
                        self.running.remove(&launch.stage);
                    }
                }
            }
            Observation::JobEnd(rank) => _ = self.changed.insert(rank),
            Observation::InstantEnd => self.compare(policy, view),
        }
    }

    /// Starts and ends inversions as the instant leaves them, and adds new holders to those that continue.
    fn compare(&mut self, policy: &dyn Policy, view: &View) {
        if !std::mem::take(&mut self.is_changed) {
            return;
        }
        let now = view.now();
        let key = |rank: Rank| job_key(rank, policy, view);
        let risen = self.update_running(policy, view);
        let changed = std::mem::take(&mut self.changed);
        for &rank in &changed {
            self.waiting.remove(rank, view.job(rank).user());
            self.touched.insert(view.job(rank).user());
        }
        for rank in changed {
            match view.job(rank).pending() {
                0 => self.close(rank, now, view),
                _ => {
                    self.waiting.insert(rank, view.job(rank).user(), self.open[rank.index()].is_some(), &key)
                }
            }
        }
        for user in std::mem::take(&mut self.touched) {
            self.waiting.update_ends(user, &key);
        }
        for rank in std::mem::take(&mut self.joined) {
            self.add_holders(rank, &key);
        }
        // While keys stay what they are and everything fits there are no new holders: only smaller keys get a core.
        for (before, stage) in risen {
            let Some(running) = self.running.get(&stage) else { continue };
            for rank in self.waiting.inverted_between(before, running.key, &key) {
                if let Some((_, holders)) = &mut self.open[rank.index()] {
                    holders.extend(&running.runs);
                }
            }
        }
        let largest = self.by_key.last().map(|&(key, _)| key);
        while let Some(user) = self.waiting.next_on_wrong_side(largest) {
            for rank in self.waiting.move_boundary(user, largest, &key) {
                if self.open[rank.index()].is_some() {
                    self.close(rank, now, view);
                } else {
                    self.open[rank.index()] = Some((now, BTreeSet::new()));
                    self.add_holders(rank, &key);
                }
            }
        }
    }

    /// Updates the keys of the running stages of users whose keys may be others. The stages whose keys are larger
    /// now, each with its key before if it held cores then; nobody starts to wait behind a key that has become smaller.
    fn update_running(&mut self, policy: &dyn Policy, view: &View) -> Vec<(Option<Precedence>, StageIndex)> {
        let mut risen = Vec::new();
        let by_memory = view.models_memory();
        for stage in std::mem::take(&mut self.started) {
            let user = view.stage(stage).user();
            // It was chosen by the key that it had before this instant's events, or because those before it do not fit.
            if by_memory || self.touched.contains(&user) {
                risen.push((None, stage));
            }
        }
        if self.touched.is_empty() {
            return risen;
        }
        for (&stage, running) in &mut self.running {
            if !self.touched.contains(&running.user) {
                continue;
            }
            let (before, key) = (running.key, precedence(view.stage(stage), policy));
            if key != before {
                self.by_key.remove(&(before, stage));
                self.by_key.insert((key, stage));
                if key > before {
                    risen.push((Some(before), stage));
                }
                running.key = key;
            }
        }
        risen
    }

    /// Adds all runs that an inverted job waits behind.
    fn add_holders(&mut self, rank: Rank, key: &dyn Fn(Rank) -> Precedence) {
        let Some((_, holders)) = &mut self.open[rank.index()] else { return };
        let above = (Bound::Excluded((key(rank), StageIndex(u32::MAX))), Bound::Unbounded);
        for (_, stage) in self.by_key.range(above) {
            holders.extend(&self.running[stage].runs);
        }
    }

    /// Ends a job's inversion, if it has one.
    fn close(&mut self, rank: Rank, now: Time, view: &View) {
        if let Some((from, holders)) = self.open[rank.index()].take() {
            let JobId(job) = view.job(rank).id();
            let holders = holders.into_iter().collect();
            self.inversions[job as usize].push(Inversion { from, to: now, holders });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Control, simulate_seen};

    /// From, to (in tenths of a second) and the holders.
    type Plain = (u64, u64, Vec<u32>);

    fn found(jobs: &str, policy: &str) -> Option<Vec<Vec<Plain>>> {
        let file = format!(
            r#"{{ "format": "fairlane/scenario@1", "cluster": {{ "cores_per_executor": 1 }}, "jobs": [{jobs}] }}"#
        );
        let scenario = Scenario::from_json(&file).expect("a sound workload");
        let policy = policy.parse().expect("a policy");
        let (watch, seen) = InversionWatch::new(&scenario, policy)?;
        simulate_seen(&scenario, policy, seen, &mut |_| Control::Continue).expect("no stop");
        let all = watch.finish();
        let plain = |found: Inversion| (found.from.0 / 100_000, found.to.0 / 100_000, found.holders);
        Some(all.into_iter().map(|list| list.into_iter().map(plain).collect()).collect())
    }

    /// CFQ: at 1 s V is 1, so the short job's deadline is 2 against 10 core-seconds; it waits for
    /// the long task until 10 s. In tenths of a second.
    #[test]
    fn a_short_job_waits_for_a_long_task() {
        let jobs = r#"{ "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [10] }] },
                      { "user": "ben", "arrival_s": 1, "stages": [{ "tasks_s": [1] }] }"#;
        assert_eq!(found(jobs, "cfq"), Some(vec![vec![], vec![(10, 100, vec![0])]]));
        assert_eq!(found(jobs, "uwfq"), Some(vec![vec![], vec![(10, 100, vec![0])]]));
        // Under FIFO the long job is due the core.
        assert_eq!(found(jobs, "fifo"), Some(vec![vec![], vec![]]));
        assert_eq!(found(jobs, "ujf"), None);
    }

    /// FIFO: when the first stage ends at 1 s, its core is offered before the second stage is
    /// submitted, so the later job takes it until 5 s.
    #[test]
    fn a_job_loses_its_core_between_its_stages() {
        let jobs = r#"{ "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [1] }, { "tasks_s": [1] }] },
                      { "user": "ben", "arrival_s": 0.5, "stages": [{ "tasks_s": [4] }] }"#;
        assert_eq!(found(jobs, "fifo"), Some(vec![vec![(10, 50, vec![1])], vec![]]));
    }
}
