//! Inversions by comparing, at every instant, every pending stage with every run by the keys that the policy gives them
//! then: slow, and with no more in it than the definition. What `metrics::inversions` is held against.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use fairlane::engine::{Control, Observation, simulate_seen};
use fairlane::ids::{CoreId, JobId, StageIndex};
use fairlane::metrics::Inversion;
use fairlane::policy::{KeyBasis, Policy, PolicyId, View};
use fairlane::scenario::Scenario;
use fairlane::units::Time;

/// What [`fairlane::metrics::inversions`] must find.
pub fn inversions(scenario: &Scenario, policy: PolicyId) -> Option<Vec<Vec<Inversion>>> {
    if policy.kind.info().basis != KeyBasis::Precedence {
        return None;
    }
    let pairs =
        Rc::new(RefCell::new(Pairs { found: vec![Vec::new(); scenario.jobs().len()], ..Pairs::default() }));
    let of_observer = Rc::clone(&pairs);
    let seen = Box::new(move |seen, policy: &(dyn Policy + 'static), view: &View| {
        of_observer.borrow_mut().see(seen, policy, view);
    });
    simulate_seen(scenario, policy, seen, &mut |_| Control::Continue).expect("nobody asks to stop");
    let found = std::mem::take(&mut pairs.borrow_mut().found);
    Some(found)
}

#[derive(Default)]
struct Pairs {
    launched: u32,
    /// The run on each busy core, and its stage.
    running: BTreeMap<CoreId, (u32, StageIndex)>,
    open: BTreeMap<JobId, (Time, BTreeSet<u32>)>,
    found: Vec<Vec<Inversion>>,
}

impl Pairs {
    fn see(&mut self, seen: Observation, policy: &dyn Policy, view: &View) {
        match seen {
            Observation::Launch(launch) => {
                self.running.insert(launch.core, (self.launched, launch.stage));
                self.launched += 1;
            }
            Observation::End(launch) => _ = self.running.remove(&launch.core),
            Observation::InstantEnd => self.compare(policy, view),
            _ => {}
        }
    }

    fn compare(&mut self, policy: &dyn Policy, view: &View) {
        let running: Vec<_> =
            self.running.values().map(|&(run, stage)| (run, policy.key(view.stage(stage)))).collect();
        let mut inverted: BTreeMap<JobId, BTreeSet<u32>> = BTreeMap::new();
        for stage in view.waiting() {
            let key = policy.key(stage);
            let holders: BTreeSet<u32> =
                running.iter().filter(|(_, other)| *other > key).map(|&(run, _)| run).collect();
            if !holders.is_empty() {
                inverted.entry(stage.job_view().id()).or_default().extend(holders);
            }
        }
        let over: Vec<JobId> = self.open.keys().copied().filter(|job| !inverted.contains_key(job)).collect();
        for job in over {
            if let Some((from, holders)) = self.open.remove(&job) {
                let holders = holders.into_iter().collect();
                self.found[job.index()].push(Inversion { from, to: view.now(), holders });
            }
        }
        for (job, holders) in inverted {
            self.open.entry(job).or_insert_with(|| (view.now(), BTreeSet::new())).1.extend(holders);
        }
    }
}
